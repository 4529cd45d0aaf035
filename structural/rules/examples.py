"""Whether a rule does in its examples what they say, and what is there to compare later.

An example is code with what the rule finds in it; a snapshot is everything that was found once, so that a
change of it is seen.  Pure: code in, results out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from structural.errors import StructuralError
from structural.rules.engine import find
from structural.rules.messages import message
from structural.rules.rewriting import RuleRewriter
from structural.rules.terms import RuleSet
from structural.rules.values import Example, Finding, Rule, Utility
from structural.text import LineIndex
from structural.text.patches import unified

__all__ = [
    "ExampleResult",
    "Shown",
    "Snapshot",
    "check",
    "check_example",
    "compared",
    "difference",
    "snapshot",
]

FAULTS = {
    "missing": "finds nothing",
    "noisy": "finds something",
    "count": "finds another number of places",
    "rewritten": "is rewritten otherwise",
    "refused": "cannot be rewritten",
    "given-up": "asks for too much",
    "unsearchable": "cannot be searched",
    "snapshot": "finds something else than the snapshot has",
}
"""What can be wrong with an example, and the beginning of how it is told."""


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """What became of one example.  ``fault`` is a name in ``FAULTS``, empty if all is well."""

    rule: str
    example: Example
    fault: str = ""
    message: str = ""
    findings: tuple[Finding, ...] = ()
    rewritten: str | None = None
    """The code after the first rewrite of all findings; None if there is none, or if nothing was found."""
    syntax_errors: bool = False
    """The code has syntax errors; the rule is asked all the same."""
    difference: str = ""
    """What was expected and what came, as the lines of a diff."""

    @property
    def matching(self) -> bool:
        """Whether the rule should find something."""
        return self.example.count != 0


def check(
    rule: Rule,
    rules: RuleSet,
    examples: Iterable[Example] | None = None,
    utilities: Sequence[Utility] = (),
    admits: Callable[[str], bool] = lambda path: True,
) -> tuple[ExampleResult, ...]:
    """What *rule*, one of *rules*, does in *examples* (its own).  *utilities*: with which *rules* were
    compiled.  *admits*: whether the globs of the rule take a path in."""
    rewriter = RuleRewriter(rules, {rule.id: 0} if rule.rewrites else {}, utilities)
    return tuple(
        check_example(rule, rules, one, rewriter)
        if not one.path or admits(one.path)
        else _left_out(rule, one)
        for one in (rule.examples if examples is None else examples)
    )


def _left_out(rule: Rule, example: Example) -> ExampleResult:
    """What becomes of an example in a file that the rule does not look at."""
    made = ExampleResult(rule.id, example)
    if not made.matching:
        return made
    return _with(made, "missing", f"finds nothing here: its `files` or `ignores` leave out {example.path}")


def check_example(rule: Rule, rules: RuleSet, example: Example, rewriter: RuleRewriter) -> ExampleResult:
    """What *rule* does in one example; *rewriter* makes its first rewrite."""
    source = example.code.encode()
    host = example.language or rule.languages[0]
    try:
        read = find(rules, source, host, only=frozenset({rule.id}))
    except StructuralError as problem:
        return ExampleResult(rule.id, example, "unsearchable", problem.message)
    found = read.findings
    made = ExampleResult(rule.id, example, findings=found, syntax_errors=bool(read.syntax_errors))
    if read.exhausted:
        return _with(made, "given-up", "it leaves too many choices")
    if example.count == 0:
        if found:
            return _with(made, "noisy", f"finds {_places(found, source)}, and should find nothing")
        return made
    if not found:
        hint = "; the code has syntax errors" if read.syntax_errors else ""
        return _with(made, "missing", f"finds nothing here{hint}")
    if example.count is not None and len(found) != example.count:
        many = "place" if example.count == 1 else "places"
        return _with(made, "count", f"finds {_places(found, source)}, and should find {example.count} {many}")
    if not rule.rewrites:
        if example.rewritten is not None:
            return _with(made, "rewritten", "has no rewrite, and the example has `rewritten`")
        return made
    return _rewritten(made, rewriter, source, host)


def _with(made: ExampleResult, fault: str, message: str, difference: str = "") -> ExampleResult:
    return replace(made, fault=fault, message=message, difference=difference)


def _places(found: tuple[Finding, ...], source: bytes) -> str:
    lines = LineIndex(source)
    first = lines.position(found[0].span.start)
    where = f"line {first.line}, column {first.column}"
    return f"1 place ({where})" if len(found) == 1 else f"{len(found)} places (the first in {where})"


def _rewritten(made: ExampleResult, rewriter: RuleRewriter, source: bytes, host: str) -> ExampleResult:
    expected = made.example.rewritten
    try:
        done = rewriter.rewrite(source, host)
    except StructuralError as problem:
        return _with(made, "refused", f"cannot be rewritten: {problem.message}")
    if done.sites:
        text = done.text.decode("utf-8", "replace")
        made = replace(made, rewritten=text)
    if expected is None or same_text(expected, made.rewritten or made.example.code):
        return made
    reasons = [one.message for one in rewriter.problems] + [
        f"{one.refused.reason}{f' ({one.refused.detail})' if one.refused.detail else ''}"
        for one in done.refused
    ]
    if reasons:
        return _with(made, "refused", f"cannot be rewritten: {reasons[0]}")
    told = (
        "is rewritten to something else" if made.rewritten is not None else "is left as it is by the rewrite"
    )
    return _with(made, "rewritten", told, difference(expected, made.rewritten or made.example.code))


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same but for line breaks at the end."""
    return one.rstrip("\n") == other.rstrip("\n")


def difference(expected: str, found: str) -> str:
    """The lines that differ, as a diff without its head."""
    before, after = (text.rstrip("\n").encode() + b"\n" for text in (expected, found))
    lines = unified("x", before, after).decode("utf-8", "replace").splitlines(keepends=True)
    return "".join(lines[3:])


# --- snapshots --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """One finding as a snapshot has it.  ``at``: ``line:column-line:column``, from 1, in characters."""

    at: str
    text: str
    message: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a rule found in one piece of code."""

    code: str
    language: str
    findings: tuple[Shown, ...]
    rewritten: str | None = None


def snapshot(rule: Rule, result: ExampleResult) -> Snapshot:
    """What *result* has, to be kept."""
    source = result.example.code.encode()
    lines = LineIndex(source)

    def place(offset: int) -> str:
        position = lines.position(offset)
        return f"{position.line}:{position.column}"

    shown = tuple(
        Shown(
            f"{place(one.span.start)}-{place(one.span.end)}",
            one.span.text(source),
            message(rule, one, source),
        )
        for one in result.findings
    )
    language = result.example.language or rule.languages[0]
    return Snapshot(result.example.code, language, shown, result.rewritten)


def compared(kept: Snapshot, now: Snapshot) -> str:
    """What differs between two snapshots, as the lines of a diff; empty if nothing does."""
    if kept == now:
        return ""
    return difference(_lines(kept), _lines(now))


def _lines(one: Snapshot) -> str:
    rows = [f"{shown.at} {shown.message}\n  {shown.text}" for shown in one.findings]
    if one.rewritten is not None:
        rows += ["rewritten:", one.rewritten]
    return "\n".join(rows) + "\n"
