"""The findings of many rules in one source text: literals, parse, evaluate.

One look at the bytes tells which rules can hold; if there are any the text is parsed once, code
embedded in it too, and all rules are asked in the same columns.  Bytes in, values out; reads no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from structural.errors import UnsearchableError
from structural.pattern.layers import EQUIVALENCE_BITS
from structural.pattern.values import Binding, Match
from structural.rules.comments import comment_findings
from structural.rules.evaluate import MOST_STEPS, Bindings, Evaluation, GaveUpError
from structural.rules.terms import CompiledRule, RuleSet
from structural.rules.values import Finding
from structural.syntax import registry
from structural.syntax.embed import regions
from structural.syntax.parsed import Parsed
from structural.syntax.partial import Partial, partial
from structural.text import Span


@dataclass(frozen=True, slots=True)
class FileFindings:
    """What rules found in one file, by position, then by the rule's id.

    ``syntax_errors`` counts what was parsed, the file or a region of it, and has ERROR or MISSING nodes.
    ``exhausted``: ids of rules that asked for too much here; they may have found more.  ``comments``: spans
    of the comments that hold the marker, if one was asked for.  ``text``: the file as it was parsed, if that
    was asked for."""

    findings: tuple[Finding, ...] = ()
    syntax_errors: int = 0
    parsed: bool = False
    exhausted: tuple[str, ...] = ()
    comments: tuple[Span, ...] = ()
    text: Parsed | None = field(default=None, compare=False, repr=False)


def find(
    rules: RuleSet,
    source: bytes,
    host: str,
    *,
    only: frozenset[str] | None = None,
    marker: bytes = b"",
    keep: bool = False,
    prefilter: bool = True,
) -> FileFindings:
    """What *rules* find in *source*, a file of language *host*.

    *only*: the rules with these ids, also if their severity is ``off``.  *marker*: comments that hold it are
    told.  *keep*: what was parsed goes with the answer.  ``prefilter=False`` asks every rule: the slow way,
    for comparison."""
    marked = bool(marker) and marker in source
    alive: dict[str, list[CompiledRule]] = {}
    where: dict[bytes, Sequence[int]] = {}
    for language in rules.within.get(host, ()):
        own = rules.of(language)
        those: Sequence[CompiledRule] = own.rules
        if prefilter:
            numbers, places = own.literals.scan(source)
            those = [those[number] for number in numbers]
            if language == host:
                where = places
        kept = [rule for rule in those if _asked(rule, only)]
        if kept:
            alive[language] = kept
    if not alive and not marked:
        return FileFindings()
    found: list[Finding] = []
    exhausted: set[str] = set()
    comments: list[Span] = []
    errors = 0
    text = Parsed(source, host)
    for made in _parsed(rules, text, alive, where, marker if marked else b"", prefilter):
        columns = made.columns
        errors += bool(columns.errors)
        if marked:
            comments += [Span(*span) for span in columns.comments if marker in source[slice(*span)]]
        if columns.language in alive:
            evaluation = Evaluation(columns, made.of_kinds, made.of_probes)
            for rule in alive[columns.language]:
                if rule.comments is not None:
                    try:
                        found += comment_findings(rule.id, rule.comments, rule.focus, columns)
                    except UnsearchableError:
                        exhausted.add(rule.id)
                elif _opened(rule, made):
                    found += _findings(rule, evaluation, exhausted)
    found.sort(key=lambda one: (one.span.start, -one.span.end, one.rule))
    return FileFindings(
        tuple(found),
        errors,
        True,
        tuple(sorted(exhausted)),
        tuple(sorted(set(comments))),
        text if keep else None,
    )


def _opened(rule: CompiledRule, made: Partial) -> bool:
    """Whether there are the nodes and candidates of patterns without which *rule* holds nowhere."""
    of_kinds, of_probes = made.of_kinds, made.of_probes
    if of_kinds is None or of_probes is None:
        return True
    if not all(any(of_probes.get(number, True) for number in gate) for gate in rule.gates):
        return False
    return (
        rule.whole
        or any(of_probes[number] for number in rule.probes)
        or any(of_kinds[kind] for kind in rule.kinds)
    )


def _asked(rule: CompiledRule, only: frozenset[str] | None) -> bool:
    return not rule.off if only is None else rule.id in only


Alive = Mapping[str, Sequence[CompiledRule]]


def _parsed(
    rules: RuleSet,
    text: Parsed,
    alive: Alive,
    where: Mapping[bytes, Sequence[int]],
    marker: bytes,
    prefilter: bool,
) -> Iterator[Partial]:
    """The columns of the file and of the code embedded in it, as far as rules or the marker ask for them."""
    source, host = text.source, text.language
    embeds = bool(registry.get(host).embedded) and (bool(marker) or bool(alive.keys() - {host}))
    made = _columns(rules, text, alive.get(host, ()), embeds or bool(marker), prefilter, where)
    yield made
    if not embeds:
        return
    pending = regions(made.columns)
    while pending:
        region = pending.pop()
        if not region.ranges:
            continue
        deeper = bool(registry.get(region.language).embedded)
        marked = bool(marker) and any(marker in source[low:high] for low, high in region.ranges)
        own = alive.get(region.language, ())
        if not own and not deeper and not marked:
            continue
        part = Parsed(source, region.language, region.ranges)
        inside = _columns(rules, part, own, deeper or marked, prefilter)
        yield inside
        if deeper:
            pending += [inner for inner in regions(inside.columns) if inner.ranges != region.ranges]


def _columns(
    rules: RuleSet,
    text: Parsed,
    alive: Sequence[CompiledRule],
    whole: bool,
    prefilter: bool,
    where: Mapping[bytes, Sequence[int]] = MappingProxyType({}),
) -> Partial:
    if not prefilter or not alive:
        return Partial(text.whole())
    kinds = [(rule.kinds, rule.needed) for rule in alive if rule.kinds]
    probes = sorted({number for rule in alive for number in rule.probes})
    whole = whole or any(rule.whole for rule in alive)
    deep = frozenset[int]().union(*(rule.deep for rule in alive))
    asked = rules.of(text.language).questions
    return partial(text, asked, kinds, probes, deep=deep, whole=whole, where=where)


# --- one rule -----------------------------------------------------------------------------------------


def _findings(rule: CompiledRule, evaluation: Evaluation, exhausted: set[str]) -> list[Finding]:
    """What *rule* finds: of nodes of one span the outermost."""
    evaluation.steps = MOST_STEPS
    found: list[Finding] = []
    seen: set[Span] = set()
    try:
        for i in evaluation.places(rule.term):
            env = next(evaluation.solve(rule.term, i, {}, full=True), None)
            if env is None:
                continue
            match = _match(rule, i, env, evaluation)
            if match.span in seen:
                continue
            seen.add(match.span)
            span = match.span
            if rule.focus is not None:
                focused = match.binding(rule.focus)
                span = span if focused is None else focused.span
            found.append(Finding(rule.id, span, match))
    except (GaveUpError, UnsearchableError):
        exhausted.add(rule.id)
    if evaluation.exhausted(rule.atoms):
        exhausted.add(rule.id)
    return found


def _match(rule: CompiledRule, i: int, env: Bindings, evaluation: Evaluation) -> Match:
    columns, grammar = evaluation.columns, evaluation.grammar
    here = env.get("")
    if here is None:
        span, bits, lead, rung = evaluation.solid(columns.start[i], columns.end[i]), 0, -1, ""
    else:
        atom, _, found = here
        span, bits, rung = evaluation.solid(found.start, found.end), found.equivalences, atom.reading.rung
        lead = found.lead if found.lead > found.start else -1
    return Match(
        Span(*span),
        grammar.name(columns.kind[i]),
        columns.language,
        rung,
        tuple(_binding(name, env[name][0], env[name][1], evaluation) for name in rule.names if name in env),
        tuple(sorted(name for name, bit in EQUIVALENCE_BITS.items() if bits & bit)),
        lead,
    )


def _binding(name: str, bound: Any, ellipsis: bool, evaluation: Evaluation) -> Binding:
    columns = evaluation.columns
    span = Span(*evaluation.solid(bound[0], bound[1]))
    if not ellipsis:
        return Binding(name, span, (span,))
    parts = tuple(
        Span(*evaluation.solid(columns.start[e], columns.end[e])) for e in evaluation.elements(bound)
    )
    return Binding(name, span, parts or ((span,) if bound[2] == -1 and span.start < span.end else ()), True)


__all__: Sequence[str] = ("FileFindings", "find")
