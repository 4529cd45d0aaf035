"""Comments that set findings aside: read from the comments of a file, applied to its findings.

    # astgrep-ignore: rule-id, other-id -- why            on the line above, or at the end of the line
    # astgrep-ignore -- why                               every rule
    # astgrep-ignore-file: rule-id -- why                 the whole file, wherever it stands
    # astgrep-ignore-begin: rule-id … # astgrep-ignore-end: rule-id

``ast-grep-ignore`` is understood too.  A comment alone on its line is for the next line that is no such
comment; one with code on its line is for that line.  A finding belongs to the line on which it begins.
Pure: knows the spans of comments and the source, and no language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from structural.text import LineIndex, Span

MARKER = b"grep-ignore"
"""What is in every such comment."""

_WORD = re.compile(
    r"(?<![\w-])(?P<name>ast-?grep-ignore)(?P<form>-file|-begin|-end|-next-line)?(?![\w-])"
    r"[ \t]*(?::[ \t]*(?P<ids>[^\n\r]*))?",
)

_ID = re.compile(r"[\w./-]+\Z")

_REASON = re.compile(r"(?:\A|\s)--(?=\s|\Z)")

_CLOSERS = ("*/", "-->", "]]", "--%>", "-}", "*)", "#}", "=#", "%}", "}}", "--]]")
"""What ends a comment, in one language or another."""

_BESIDE = re.compile(rb"[{}\s]*\Z")
"""What may stand beside a comment that is alone on its line: the braces of JSX."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment.  ``ids`` empty: every rule.  ``first`` and ``last`` are the lines, from 1, on which a
    finding must begin; ``span`` is the comment, ``foreign``: it is written as another tool reads
    it."""

    span: Span
    line: int
    ids: tuple[str, ...]
    reason: str
    first: int
    last: int
    form: str = ""
    foreign: bool = False

    def covers(self, rule: str, line: int) -> bool:
        return self.first <= line <= self.last and (not self.ids or rule in self.ids)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a comment, whatever the findings are."""

    span: Span
    message: str


@dataclass(slots=True)
class Suppressions:
    """Those of a file, in its order, and which were of use."""

    found: list[Suppression] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    used: dict[int, set[str]] = field(default_factory=dict)
    """Index in ``found`` → the ids that were set aside by it."""
    _by_line: dict[int, list[int]] | None = None
    """Line → those for it alone; under 0 the others."""

    def of(self, rule: str, line: int) -> Suppression | None:
        """The comment by which a finding is set aside: the nearest that covers it."""
        if self._by_line is None:
            self._by_line = {}
            for number, one in enumerate(self.found):
                self._by_line.setdefault(one.first if one.first == one.last else 0, []).append(number)
        best: int | None = None
        for number in (*self._by_line.get(line, ()), *self._by_line.get(0, ())):
            one = self.found[number]
            if one.covers(rule, line) and (best is None or _reach(one) < _reach(self.found[best])):
                best = number
        if best is None:
            return None
        self.used.setdefault(best, set()).add(rule)
        return self.found[best]

    def unused(self) -> Iterable[tuple[Suppression, tuple[str, ...]]]:
        """Comments that were of no use, each with those of its ids that were not; none for all."""
        for number, one in enumerate(self.found):
            used = self.used.get(number, set())
            idle = tuple(name for name in one.ids if name not in used)
            if idle if one.ids else not used:
                yield one, idle


def _reach(one: Suppression) -> int:
    return one.last - one.first


def read_suppressions(source: bytes, comments: Sequence[Span], lines: LineIndex) -> Suppressions:
    """The suppressions that stand in *comments*, which are in file order."""
    made = Suppressions()
    open_ones: list[tuple[int, tuple[str, ...], bool, Span, str]] = []
    alone = _alone(source, comments, lines)
    for span in comments:
        text = span.text(source)
        for found in _WORD.finditer(text):
            form = (found["form"] or "").removeprefix("-")
            ids, reason = _rest(found, text)
            at = span.start + len(text[: found.start()].encode("utf-8", "surrogatepass"))
            line = lines.line(min(at, span.end))
            foreign = found["name"] == "ast-grep-ignore"
            wrong = [name for name in ids if not _ID.match(name)]
            if wrong:
                made.faults.append(
                    Fault(span, f"`{_shown(wrong[0])}` is no id of a rule; a reason goes behind `--`")
                )
                ids = tuple(name for name in ids if name not in wrong)
                if not ids:
                    continue
            if form == "file" or (foreign and not form and _heads(source, span, lines)):
                made.found.append(Suppression(span, line, ids, reason, 1, lines.lines, "file", foreign))
            elif form == "begin":
                open_ones.append((line, ids, foreign, span, reason))
            elif form == "end":
                number = next(
                    (n for n in reversed(range(len(open_ones))) if not ids or open_ones[n][1] == ids), None
                )
                if number is None:
                    made.faults.append(Fault(span, "`astgrep-ignore-end` without a beginning"))
                    continue
                first, own, other, begun, why = open_ones.pop(number)
                made.found.append(Suppression(begun, first, own, why, first, line, "begin", other))
            else:
                target = _target(span, lines, alone, next_line=form == "next-line")
                made.found.append(Suppression(span, line, ids, reason, target, target, "", foreign))
    for first, own, other, begun, _ in open_ones:
        made.faults.append(Fault(begun, "`astgrep-ignore-begin` without an end"))
        made.found.append(Suppression(begun, first, own, "", first, lines.lines, "begin", other))
    made.found.sort(key=lambda one: one.span)
    return made


def _rest(found: re.Match[str], text: str) -> tuple[tuple[str, ...], str]:
    """The ids and the reason behind the word."""
    given = found["ids"]
    rest = given if given is not None else text[found.end() :].split("\n", 1)[0]
    rest = rest.rstrip()
    for closer in _CLOSERS:
        if rest.endswith(closer):
            rest = rest[: -len(closer)].rstrip()
            break
    parted = _REASON.split(rest, maxsplit=1)
    reason = parted[1].strip() if len(parted) > 1 else ""
    if given is None:
        return (), reason
    return tuple(dict.fromkeys(name for one in parted[0].split(",") if (name := one.strip()))), reason


def _alone(source: bytes, comments: Sequence[Span], lines: LineIndex) -> dict[int, int]:
    """First line → last line of the comments that have nothing else on their lines."""
    found: dict[int, int] = {}
    for span in comments:
        first, last = lines.line(span.start), lines.line(max(span.start, span.end - 1))
        before = source[lines.line_span(first).start : span.start]
        after = source[span.end : max(span.end, lines.line_span(last).end)]
        if _BESIDE.match(before) and _BESIDE.match(after):
            found[first] = last
    return found


def _target(span: Span, lines: LineIndex, alone: dict[int, int], *, next_line: bool) -> int:
    """The line that a comment is for."""
    first = lines.line(span.start)
    if first not in alone:
        return lines.line(max(span.start, span.end - 1)) + next_line
    at = alone[first] + 1
    while at in alone:  # several, one below the other
        at = alone[at] + 1
    return at


def _heads(source: bytes, span: Span, lines: LineIndex) -> bool:
    """Whether a comment is the first line, with an empty one behind it: for ast-grep that is the whole
    file."""
    if lines.line(span.start) != 1 or lines.lines < 2:
        return False
    second = lines.line_span(2)
    return not source[second.start : second.end].strip() and not source[: span.start].strip()


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
