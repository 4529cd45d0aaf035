"""Rules about comments.

Comments are no nodes: they stand in a list of their own, and a rule that looks for comments is asked of that
list.  It is one if its condition says a kind of comments (``kind: line_comment``) or a pattern that is
a comment (``// TODO $X``); beside these there may be ``regex``, ``all``, ``any``, ``not`` and constraints by
text.  What stands around a comment is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from structural.errors import StructuralError
from structural.pattern.compile import compile_pattern
from structural.pattern.metavariables import Metavariable
from structural.pattern.values import Binding, Match
from structural.rules.expand import Raw
from structural.rules.values import (
    All,
    AnyOf,
    At,
    Finding,
    KindAtom,
    Not,
    PatternAtom,
    RegexAtom,
    SameAs,
)
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.text import Span
from structural.text.regexes import Bounded

__all__ = ["CommentRule", "comment_findings", "comment_rule"]

Tell = Callable[[At, str, str], None]
"""Takes a problem: where, what, hint."""


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Whether a comment begins with one of ``marks`` (or, ``wanted`` False, with none)."""

    marks: tuple[bytes, ...]
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class _Pattern:
    """All of the comment fits the expression, whose groups ``g0``, … are ``names``."""

    regex: bytes
    names: tuple[str, ...]
    literals: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class _Regex:
    regex: str


@dataclass(frozen=True, slots=True)
class _Same:
    name: str


@dataclass(frozen=True, slots=True)
class _All:
    parts: tuple[_Term, ...]


@dataclass(frozen=True, slots=True)
class _Any:
    parts: tuple[_Term, ...]


@dataclass(frozen=True, slots=True)
class _Not:
    part: _Term


_Term = _Kinds | _Pattern | _Regex | _Same | _All | _Any | _Not
_Env = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class CommentRule:
    """What must hold of a comment, and of what its metavariables stand for."""

    term: _Term
    constraints: tuple[tuple[str, _Term], ...] = ()

    @property
    def literals(self) -> tuple[bytes, ...]:
        """Texts that a source must hold."""
        parts = self.term.parts if isinstance(self.term, _All) else (self.term,)
        found: list[bytes] = []
        for part in parts:
            if isinstance(part, _Pattern):
                found += part.literals
            elif isinstance(part, _Regex) and re.fullmatch(r"[A-Za-z0-9_ @-]+", part.regex):
                found.append(part.regex.encode())
        return tuple(found)


# --- what a rule asks ---------------------------------------------------------------------------------------


def comment_rule(main: Raw, constraints: Mapping[str, Raw], language: str, tell: Tell) -> CommentRule | None:
    """The rule *main*, utilities written out, if it is about comments of *language*; None if it is not.

    What cannot be asked of a comment is told."""
    if not _about_comments(main, language):
        return None
    term = _term(main, language, tell)
    made = [(name, _term(one, language, tell)) for name, one in constraints.items()]
    return CommentRule(term, tuple(made))


def _about_comments(raw: Raw, language: str) -> bool:
    """Whether only comments can fulfil the condition."""
    condition = raw.condition
    if isinstance(condition, KindAtom):
        return set(condition.kinds) <= registry.get(language).comments
    if isinstance(condition, PatternAtom):
        return _pattern(condition.text, language) is not None
    if isinstance(condition, All):
        return any(_about_comments(one, language) for one in raw.parts)
    return isinstance(condition, AnyOf) and all(_about_comments(one, language) for one in raw.parts)


@cache
def _pattern(text: str, language: str) -> tuple[bytes | Metavariable, ...] | None:
    """The pieces of a pattern that is a comment."""
    if not _may_be_comment(text, language):
        return None
    try:
        return compile_pattern(text, language).first.comment
    except StructuralError:
        return None


def _may_be_comment(text: str, language: str) -> bool:
    known = registry.get(language)
    return text.lstrip().startswith((*known.line_comments, *known.comment_starts))


def _term(raw: Raw, language: str, tell: Tell) -> _Term:
    condition = raw.condition
    if isinstance(condition, KindAtom):
        found = tuple(_kind(kind, language) for kind in condition.kinds)
        return found[0] if len(found) == 1 else _Any(found)
    if isinstance(condition, PatternAtom):
        pieces = _pattern(condition.text, language)
        if pieces is not None:
            return _pattern_term(pieces, raw)
    if isinstance(condition, RegexAtom):
        return _Regex(condition.regex)
    if isinstance(condition, SameAs):
        return _Same(raw.name(condition.name))
    if isinstance(condition, All):
        return _All(tuple(_term(one, language, tell) for one in raw.parts))
    if isinstance(condition, AnyOf):
        return _Any(tuple(_term(one, language, tell) for one in raw.parts))
    if isinstance(condition, Not):
        return _Not(_term(raw.parts[0], language, tell))
    tell(
        getattr(condition, "at", At()),
        "the rule is about comments, and this cannot be asked of a comment",
        "a comment has a kind, a text and a pattern; what stands around it is not looked at",
    )
    return _Any(())


def _kind(kind: str, language: str) -> _Term:
    """Comments of a kind, told by how they begin."""
    known = registry.get(language)
    marks = tuple(mark.encode() for mark in known.line_comments)
    blocks = {one for one in known.comments if "block" in one or "multi" in one}
    if "doc" in kind:
        return _Kinds((b"///", b"/**"))
    if kind in blocks:
        return _Kinds(marks, False)
    return _Kinds(marks) if blocks or "line" in kind else _All(())


def _pattern_term(pieces: tuple[bytes | Metavariable, ...], raw: Raw) -> _Pattern:
    names: list[str] = []
    parts: list[bytes] = []
    literals: list[bytes] = []
    for piece in pieces:
        if not isinstance(piece, Metavariable):
            parts.append(re.escape(piece).replace(b"\\\n", b"\\r?\n"))
            literals += [line.strip() for line in piece.split(b"\n") if line.strip()]
            continue
        name = raw.name(piece.name) if piece.name else ""
        body = b".*" if piece.ellipsis else b".+?"
        if name and name in names:
            parts.append(b"(?P=g%d)" % names.index(name))
        elif name:
            parts.append(b"(?P<g%d>%s)" % (len(names), body))
            names.append(name)
        else:
            parts.append(b"(?:%s)" % body)
    return _Pattern(b"".join(parts), tuple(names), tuple(literals))


# --- what is found ------------------------------------------------------------------------------------------


def comment_findings(rule: str, asked: CommentRule, focus: str | None, columns: Columns) -> list[Finding]:
    """The comments in *columns* of which *asked* holds, as findings of *rule*."""
    found: list[Finding] = []
    source = columns.source
    for start, end in columns.comments:
        stop = start + len(source[start:end].rstrip())
        env = next(_hold(asked.term, source, (start, stop), {}), None)
        if env is None or not all(
            name not in env or next(_hold(term, source, env[name], env), None) is not None
            for name, term in asked.constraints
        ):
            continue
        bindings = tuple(Binding(name, Span(*span), (Span(*span),)) for name, span in env.items())
        match = Match(Span(start, stop), "comment", columns.language, "comment", bindings)
        span = Span(*env[focus]) if focus is not None and focus in env else match.span
        found.append(Finding(rule, span, match))
    return found


def _hold(term: _Term, source: bytes, span: tuple[int, int], env: _Env) -> Iterator[_Env]:
    """The bindings with which *term* holds of the text in *span*."""
    if isinstance(term, _Kinds):
        if source.startswith(term.marks, span[0]) == term.wanted:
            yield env
    elif isinstance(term, _Pattern):
        yield from _fit(term, source, span, env)
    elif isinstance(term, _Regex):
        if _bounded(term.regex).finds(source[slice(*span)].decode("utf-8", "replace")):
            yield env
    elif isinstance(term, _Same):
        other = env.get(term.name)
        if other is not None and source[slice(*other)] == source[slice(*span)]:
            yield env
    elif isinstance(term, _Any):
        for part in term.parts:
            yield from _hold(part, source, span, env)
    elif isinstance(term, _Not):
        if next(_hold(term.part, source, span, env), None) is None:
            yield env
    else:
        # What is negated is asked last, with all bindings.
        ordered = sorted(term.parts, key=lambda part: isinstance(part, _Not))
        yield from _hold_all(tuple(ordered), source, span, env)


def _hold_all(parts: tuple[_Term, ...], source: bytes, span: tuple[int, int], env: _Env) -> Iterator[_Env]:
    if not parts:
        yield env
        return
    for made in _hold(parts[0], source, span, env):
        yield from _hold_all(parts[1:], source, span, made)


def _fit(term: _Pattern, source: bytes, span: tuple[int, int], env: _Env) -> Iterator[_Env]:
    hit = _expression(term.regex).fullmatch(source, *span)
    if hit is None:
        return
    made = dict(env)
    for number, name in enumerate(term.names):
        bound = hit.span(f"g{number}")
        before = made.setdefault(name, bound)
        if source[slice(*before)] != source[slice(*bound)]:
            return
    yield made


@cache
def _expression(body: bytes) -> re.Pattern[bytes]:
    return re.compile(body, re.DOTALL)


@cache
def _bounded(body: str) -> Bounded:
    return Bounded(body)
