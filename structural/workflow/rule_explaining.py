"""How a rule is read, and which of its parts do not hold at a place.

Each part of a rule (what stands in it side by side) is asked by itself, as a rule of its own: those that
hold of the same code on the line as the others are told from those that do not.  If all of them do, it is
the bindings that do not agree, or what is asked of a metavariable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from structural.errors import PatternError, UsageError
from structural.pattern.describe import tree_lines
from structural.pattern.values import Match
from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.values import (
    All,
    AnyOf,
    At,
    Condition,
    Count,
    KindAtom,
    Matches,
    Not,
    NthChildAtom,
    PatternAtom,
    Problem,
    RangeAtom,
    RegexAtom,
    Relation,
    Rule,
    Severity,
    Utility,
)
from structural.search.values import PatternSpec
from structural.text import LineIndex, Span
from structural.workflow.explaining import Place, explain_at, source_of
from structural.workflow.scanning.readings import RuleReading, rule_readings

PARTS, CANDIDATES = 20, 3
"""Parts of a rule, and pieces of code on a line, that are told at most."""

_PUNCTUATION = b" \t\r\n;,"
"""What may stand between the ends of two nodes that are the same code to who reads them."""


@dataclass(frozen=True, slots=True)
class RulePart:
    """One of the conditions of a rule, in a few words, and where it stands in the rule's text.  ``holds``
    is None where it cannot be asked by itself."""

    what: str
    at: At
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece of code on the line of which most parts hold."""

    span: Span
    parts: tuple[RulePart, ...]


@dataclass(frozen=True, slots=True)
class RulePlace:
    """What a rule makes of one line.  ``why``: in a sentence, if it finds nothing there."""

    line: int
    language: str
    source: bytes
    found: tuple[Match, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    near: Place | None = None
    """Where the pattern that comes closest parts from the code, if no part holds of anything on the line."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class RuleExplanation:
    """A rule as it is read."""

    rule: Rule
    readings: tuple[RuleReading, ...]
    trees: Mapping[str, tuple[str, ...]]
    """Pattern → its tree, in the first language in which it is read."""
    parts: tuple[RulePart, ...]
    one_of: bool
    """Whether one of the parts is enough."""
    problems: tuple[Problem, ...]


def explain_rule(rule: Rule, utilities: Sequence[Utility] = ()) -> RuleExplanation:
    """How *rule* is read in each of its languages."""
    compiled, problems = compile_rules([rule], utilities)
    trees: dict[str, tuple[str, ...]] = {}
    for language in sorted({name for inside in compiled.within.values() for name in inside}):
        for one in compiled.of(language).rules:
            for atom in one.atoms:
                trees.setdefault(atom.reading.text, tuple(tree_lines(atom.reading)))
    parts = tuple(RulePart(said(one), one.at) for one in _parts(rule.condition)[:PARTS])
    return RuleExplanation(
        rule, tuple(rule_readings(compiled)), trees, parts, isinstance(rule.condition, AnyOf), problems
    )


def explain_rule_at(rule: Rule, path: str, line: int, utilities: Sequence[Utility] = ()) -> RulePlace:
    """Why *rule* finds something, or does not, on *line* of *path*."""
    source, language = source_of(path, rule.languages)
    lines = LineIndex(source)
    if not 1 <= line <= lines.lines:
        raise UsageError(f"{path} has {lines.lines} lines, so there is no line {line}")
    here = RulePlace(line, language, source)
    plain = replace(rule, severity=Severity.WARNING, files=(), ignores=(), focus=None, rewrites=())
    rules, problems = compile_rules([plain], utilities)
    if not rules.rules:
        wrong = next((one.message for one in problems if not one.warning), "it holds nowhere")
        return replace(here, why=f"the rule cannot be used: {wrong}")
    if language not in rules.within:
        return replace(here, why=f"the rule is for {', '.join(rule.languages)}, and this file is {language}")
    found = find(rules, source, language, prefilter=False)
    matches = tuple(
        one.match
        for one in found.findings
        if lines.line(one.match.span.start)
        <= line
        <= lines.line(max(one.match.span.start, one.match.span.end - 1))
    )
    if matches:
        return replace(here, found=matches)
    if plain.constraints and _on_line(replace(plain, constraints={}), utilities, here, lines):
        wrong = _constraint(plain, utilities, here, lines)
        return replace(here, why=f"all of its parts hold, but not what is asked of {wrong}")
    return _apart(here, plain, utilities, lines, path)


def _apart(
    here: RulePlace, rule: Rule, utilities: Sequence[Utility], lines: LineIndex, path: str
) -> RulePlace:
    """Which parts hold of what on the line."""
    conditions = _parts(rule.condition)[:PARTS]
    asked: list[tuple[RulePart, bool, frozenset[Span] | None]] = []
    for one in conditions:
        turned = isinstance(one, Not)
        alone = replace(rule, condition=one.condition if isinstance(one, Not) else one, constraints={})
        spans = _on_line(alone, utilities, here, lines)
        asked.append((RulePart(said(one), one.at), turned, spans))
    # What only says where a place is, or is not, makes no place a candidate as long as something else does.
    anchors = [
        spans
        for one, (_, turned, spans) in zip(conditions, asked, strict=True)
        if spans and not turned and not isinstance(one, Relation | RegexAtom | NthChildAtom)
    ]
    ranked: list[tuple[int, Span, tuple[RulePart, ...]]] = []
    for span in frozenset[Span]().union(*anchors):
        parts = tuple(
            replace(part, holds=None if spans is None else turned != _among(span, spans, here.source))
            for part, turned, spans in asked
        )
        ranked.append((sum(one.holds is not False for one in parts), span, parts))
    ranked.sort(key=lambda one: (-one[0], one[1].start, -one[1].end))
    best = [one for one in ranked if one[0] == ranked[0][0]][:CANDIDATES]
    here = replace(here, candidates=tuple(Candidate(span, parts) for _, span, parts in best))
    if best and best[0][0] == len(conditions):
        why = (
            "each part holds by itself, but not with the same code for a metavariable that stands in "
            "several of them"
        )
        return replace(here, why=why)
    if best:
        failing = [part.what for part in best[0][2] if part.holds is False]
        return replace(here, why=f"does not hold of what is on this line: {'; '.join(failing[:3])}")
    nears = [_near(one, here, path) for one in conditions if isinstance(one, PatternAtom)]
    near = max((one for one in nears if one is not None), key=_agreed, default=None)
    return replace(here, near=near, why="no pattern, kind or alternative of the rule holds on this line")


def _near(atom: PatternAtom, here: RulePlace, path: str) -> Place | None:
    spec = PatternSpec(
        atom.text, (here.language,), atom.rung, atom.strictness, atom.equivalences, atom.without
    )
    try:
        return explain_at(spec, path, here.line)
    except (PatternError, UsageError):
        return None  # of context with a selector only a part is the pattern


def _agreed(place: Place) -> int:
    return max((one.agreed for one in place.mismatches), default=0)


def _constraint(rule: Rule, utilities: Sequence[Utility], here: RulePlace, lines: LineIndex) -> str:
    """The metavariables of which something is asked that does not hold on the line."""
    wrong = [
        name
        for name, one in rule.constraints.items()
        if not _on_line(replace(rule, constraints={name: one}), utilities, here, lines)
    ]
    return ", ".join(f"${name}" for name in wrong or rule.constraints)


def _on_line(
    rule: Rule, utilities: Sequence[Utility], here: RulePlace, lines: LineIndex
) -> frozenset[Span] | None:
    """Where *rule* holds of what begins on the line; None if it cannot be asked by itself."""
    rules, _ = compile_rules([rule], utilities, {here.language})
    if not rules.rules or here.language not in rules.within:
        return None
    found = find(rules, here.source, here.language, prefilter=False).findings
    return frozenset(one.match.span for one in found if lines.line(one.match.span.start) == here.line)


def _among(span: Span, spans: Iterable[Span], source: bytes) -> bool:
    """Whether *span* is one of *spans*, but for punctuation at its end."""
    return any(
        one.start == span.start
        and not source[min(one.end, span.end) : max(one.end, span.end)].strip(_PUNCTUATION)
        for one in spans
    )


def _parts(condition: Condition) -> Sequence[Condition]:
    return condition.conditions if isinstance(condition, All | AnyOf) else (condition,)


def said(condition: Condition | None) -> str:
    """A condition in a few words, as its key and what stands behind it."""
    match condition:
        case PatternAtom():
            return f"pattern: {condition.text}"
        case KindAtom():
            return f"kind: {', '.join(condition.kinds)}"
        case RegexAtom():
            return f"regex: {condition.regex}"
        case Relation():
            return f"{condition.name}: {said(condition.condition)}"
        case Not():
            return f"not: {said(condition.condition)}"
        case All():
            return f"all of {len(condition.conditions)}, first {said(condition.conditions[0])}"
        case AnyOf():
            return f"any of {len(condition.conditions)}, first {said(condition.conditions[0])}"
        case Matches():
            return f"matches: {condition.utility}"
        case NthChildAtom():
            return f"nth-child: {condition.step}n+{condition.offset}"
        case RangeAtom():
            return "range"
        case Count():
            return f"count: {condition.operator}{condition.number}"
        case None:
            return "any node"
        case _:
            return f"same-as: {condition.name}"
