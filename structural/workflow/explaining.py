"""How a pattern is read, why it does not match at a place, and what the tree of a file is.

Each answer is a value; nothing is printed here.  A language is explained from the
ladder's own record of what it tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from structural.errors import LanguageError, PatternError, UsageError
from structural.pattern import describe
from structural.pattern.values import Attempt, Match, Mismatch, ReadingInfo
from structural.search.plan import compile_one
from structural.search.read import read_file, read_head
from structural.search.source import search_source
from structural.search.text import info
from structural.search.values import PatternSpec, Refusal, Skipped
from structural.syntax import registry
from structural.syntax.grammar import load_named
from structural.syntax.parse import parse
from structural.text import LineIndex


@dataclass(frozen=True, slots=True)
class Explanation:
    """A pattern in one language: every attempt, and the readings in the order of their use.

    ``error`` is why it is no code there; there are no readings then.
    """

    language: str
    attempts: tuple[Attempt, ...]
    readings: tuple[ReadingInfo, ...] = ()
    error: str = ""
    tree: tuple[str, ...] = ()
    """The pattern as the first reading understands it, one node a line, indented."""
    unmentioned: tuple[str, ...] = ()
    """Adornments that a match may have though the pattern does not mention them."""
    equivalences: tuple[str, ...] = ()
    """Names of the equivalences that are on."""
    prose: bool = False
    """It is running text there: searched only where the language is asked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """What stands at one line: the matches that touch it, else where each candidate parts."""

    path: str
    line: int
    language: str
    reading: str
    source: bytes
    matches: tuple[Match, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One node of a tree as it is shown: spans are bytes, ``text`` is given for leaves."""

    depth: int
    kind: str
    named: bool
    field: str
    start: int
    end: int
    text: str = ""
    missing: bool = False


def explain(spec: PatternSpec, present: Sequence[str] = ()) -> list[Explanation]:
    """The pattern in every language of *spec*, else in those that are *present*, else in every one that
    comes with the program."""
    names = [registry.resolve(name) for name in spec.languages or present] or list(registry.kept())
    return [_explain(spec, name, asked=bool(spec.languages)) for name in dict.fromkeys(names)]


def explain_at(spec: PatternSpec, path: str, line: int) -> Place:
    """Why the pattern matches, or does not, on *line* of *path*."""
    source, language = source_of(path, spec.languages)
    pattern = compile_one(spec, spec.languages[0] if spec.languages else language)
    lines = LineIndex(source)
    if not 1 <= line <= lines.lines:
        raise UsageError(f"{path} has {lines.lines} lines, so there is no line {line}")
    for reading in pattern.readings:
        found = search_source(source, language, {reading.language: reading})
        here = tuple(
            match for match in found.matches if _touches(lines, match.span.start, match.span.end, line)
        )
        if here:
            return Place(path, line, reading.language, reading.rung, source, matches=here)
    first = pattern.readings[0]
    missed = search_source(source, language, {first.language: first}, near=True).mismatches
    near = [m for m in missed if lines.line(m.span.start) == line and m.agreed > 0]
    near.sort(key=_agreed, reverse=True)
    return Place(path, line, first.language, first.rung, source, mismatches=tuple(near))


def tree(path: str, line: int = 0, language: str = "") -> tuple[str, LineIndex, Iterator[TreeLine]]:
    """The language, the lines and the nodes of *path*; with *line* only nodes that touch it."""
    source, name = source_of(path, (language,) if language else ())
    lines = LineIndex(source)
    if line and not 1 <= line <= lines.lines:
        raise UsageError(f"{path} has {lines.lines} lines, so there is no line {line}")
    return name, lines, _tree_lines(source, name, lines, line)


@dataclass(frozen=True, slots=True)
class LanguageInfo:
    """A language as it is listed.  ``loads`` says whether its grammar is installed."""

    name: str
    aliases: tuple[str, ...]
    suffixes: tuple[str, ...]
    rungs: tuple[str, ...]
    loads: bool


def languages(*, all_of_them: bool = False) -> list[LanguageInfo]:
    """The languages that come with the program, or also those of the long tail that are installed."""
    found = []
    for name in registry.names() if all_of_them else registry.kept():
        language = registry.get(name)
        try:
            load_named(name)
            loads = True
        except LanguageError:
            loads = False
        suffixes = (*language.suffixes, *language.filenames)
        found.append(LanguageInfo(name, language.aliases, suffixes, language.rungs, loads))
    return found


def _explain(spec: PatternSpec, name: str, *, asked: bool) -> Explanation:
    try:
        pattern = compile_one(spec, name)
        readings = tuple(info(pattern, at) for at in range(len(pattern.readings)))
        first = pattern.first
        return Explanation(
            name,
            tuple(pattern.attempts),
            readings,
            tree=tuple(describe.tree_lines(first)),
            unmentioned=tuple(describe.unmentioned(first)),
            equivalences=tuple(describe.equivalences(first)),
            prose=first.prose and not asked,
        )
    except PatternError as problem:
        refusals = [one for one in problem.attempts if isinstance(one, Refusal)]
        attempts = tuple(attempt for refusal in refusals for attempt in refusal.attempts)
        return Explanation(name, attempts, error=problem.message)
    except UsageError as problem:
        if asked:
            raise
        return Explanation(name, (), error=problem.message)


def source_of(path: str, languages: tuple[str, ...]) -> tuple[bytes, str]:
    """The bytes of a file and its language, by name or by the only language asked for."""
    source = read_file(path)
    if isinstance(source, Skipped):
        raise UsageError(f"{path!r} cannot be read: {source.reason} ({source.detail})")
    known = registry.language_of_path(path, read_head(path))
    if known is None and not languages:
        raise UsageError(f"the language of {path!r} is not known", hint="name it with --lang")
    return source, known or registry.resolve(languages[0])


def _tree_lines(source: bytes, name: str, lines: LineIndex, line: int) -> Iterator[TreeLine]:
    columns = parse(source, name)
    grammar = load_named(name)
    depth: list[int] = []
    for at in range(len(columns)):
        while depth and depth[-1] <= at:
            depth.pop()
        start, end, size = columns.start[at], columns.end[at], columns.size[at]
        level = len(depth)
        depth.append(at + size)
        if line and not _touches(lines, start, end, line):
            continue
        kind = columns.kind[at]
        text = source[start:end].decode("utf-8", "replace") if size == 1 else ""
        yield TreeLine(
            level,
            grammar.name(kind),
            grammar.is_named(kind),
            grammar.field_name(columns.field[at]),
            start,
            end,
            text,
            at in columns.missing,
        )


def _touches(lines: LineIndex, start: int, end: int, line: int) -> bool:
    return lines.line(start) <= line <= lines.line(max(start, end - 1))


def _agreed(mismatch: Mismatch) -> int:
    return mismatch.agreed
