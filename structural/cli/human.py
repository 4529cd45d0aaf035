"""Answers for people: at a terminal under headings, elsewhere one line a match.

Elsewhere the form is ``path:line:column: text``, where ``text`` is the line on
which the match begins; ``…`` at its end says that the match goes on or that the
line was cut.  Context lines are ``path-line- text``, and ``--`` parts what does not
follow each other.  At a terminal a line is shown once, whatever matches on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from structural.cli.colour import Palette
from structural.cli.lines import CUT, LIMIT, last_line, one_line, piece, render, union
from structural.cli.output import Output
from structural.workflow.searching import LineIndex, Match, Searched, Span


@dataclass(frozen=True, slots=True)
class Form:
    """How matches are shown: lines of context before and after, and whether with bindings."""

    before: int = 0
    after: int = 0
    bindings: bool = False


@dataclass(frozen=True, slots=True)
class _Block:
    """Matches whose lines, context included, touch: shown as one stretch of lines."""

    matches: list[Match]
    first: int
    last: int


class Flat:
    """One line a match, for pipes and files."""

    def __init__(self, output: Output, colours: Palette, form: Form) -> None:
        self._output, self._colours, self._form = output, colours, form
        self._parted = False

    def file(self, result: Searched) -> None:
        """Show the matches of one file."""
        assert result.source is not None
        lines = LineIndex(result.source)
        if not (self._form.before or self._form.after):
            for match in result.matches:
                self._match(result, result.source, lines, match)
            return
        for block in _blocks(result.matches, lines, self._form):
            if self._parted:
                self._output.write(f"{self._colours.dim}--{self._colours.off}\n")
            self._parted = True
            starts = [(lines.line(_begin(match)), match) for match in block.matches]
            at = 0
            for number in range(block.first, block.last + 1):
                begins = at < len(starts) and starts[at][0] == number
                if not begins:
                    self._context(result, result.source, lines, number)
                while at < len(starts) and starts[at][0] == number:
                    self._match(result, result.source, lines, starts[at][1])
                    at += 1

    def _match(self, result: Searched, source: bytes, lines: LineIndex, match: Match) -> None:
        c = self._colours
        place = lines.position(_begin(match))
        line = lines.line_span(place.line)
        shown = piece(source, line, Span(_begin(match), match.span.end))
        text = render(source, shown, [match.span], c, clean=self._output.terminal)
        more = f" {CUT}" if match.span.end > line.end and not shown.cut_after else ""
        self._output.write(
            f"{c.path}{result.path}{c.off}:{c.line}{place.line}{c.off}:{place.column}: {text}{more}\n"
        )
        if self._form.bindings:
            self._output.write("".join(_bindings(match, source, c)))

    def _context(self, result: Searched, source: bytes, lines: LineIndex, number: int) -> None:
        c = self._colours
        line = lines.line_span(number)
        text = render(source, piece(source, line, Span(line.start, line.start)), [], c, clean=False)
        self._output.write(f"{c.path}{result.path}{c.off}-{c.line}{number}{c.off}- {text}\n")


class Headed:
    """Under the path of each file, for terminals."""

    def __init__(self, output: Output, colours: Palette, form: Form) -> None:
        self._output, self._colours, self._form = output, colours, form
        self._any = False

    def file(self, result: Searched) -> None:
        """Show the matches of one file."""
        assert result.source is not None
        c, source = self._colours, result.source
        lines = LineIndex(source)
        self._output.write(f"{self._any * chr(10)}{c.path}{clean_path(result.path)}{c.off}\n")
        self._any = True
        previous = 0
        for block in _blocks(result.matches, lines, self._form):
            if previous and block.first > previous + 1 and (self._form.before or self._form.after):
                self._output.write(f"{c.dim}--{c.off}\n")
            previous = block.last
            self._block(source, lines, block)

    def _block(self, source: bytes, lines: LineIndex, block: _Block) -> None:
        c = self._colours
        marks = union([match.span for match in block.matches])
        starts: dict[int, list[Match]] = {}
        for match in block.matches:
            starts.setdefault(lines.line(match.span.start), []).append(match)
        at = 0
        for number in range(block.first, block.last + 1):
            line = lines.line_span(number)
            while at < len(marks) and marks[at].end <= line.start:
                at += 1
            here = starts.get(number, [])
            focus = here[0].span if here else Span(line.start, line.start)
            shown = piece(source, line, focus)
            touching = _until(marks, at, shown.span.end)
            if here:
                place = lines.position(here[0].span.start)
                gutter = f"{c.line}{number}{c.off}:{place.column}"
                width = len(f"{number}:{place.column}")
            else:
                gutter, width = f"{c.dim}{number}{c.off}", len(str(number))
            text = render(source, shown, touching, c, clean=True)
            hidden = sum(match.span.start >= shown.span.end for match in here) if shown.cut_after else 0
            more = f" {c.dim}({hidden} more on this line){c.off}" if hidden else ""
            self._output.write(f"{gutter}{' ' * max(1, 10 - width)}{text}{more}\n")
        if self._form.bindings:
            for match in block.matches:
                self._output.write("".join(_bindings(match, source, c)))


def _begin(match: Match) -> int:
    """Where a match is shown: at the first token that the pattern mentions, behind annotations and
    the like that it does not."""
    return match.lead if match.lead >= 0 else match.span.start


def _blocks(matches: Sequence[Match], lines: LineIndex, form: Form) -> Iterator[_Block]:
    current: _Block | None = None
    for match in matches:
        first = max(1, lines.line(match.span.start) - form.before)
        last = min(lines.lines, last_line(lines, match.span) + form.after)
        if current is not None and first <= current.last + (1 if form.before or form.after else 0):
            current.matches.append(match)
            current = _Block(current.matches, current.first, max(last, current.last))
        else:
            if current is not None:
                yield current
            current = _Block([match], first, last)
    if current is not None:
        yield current


def _until(marks: Sequence[Span], at: int, end: int) -> list[Span]:
    """The marks from *at* on that begin before *end*; a cut line shows few of many."""
    found: list[Span] = []
    while at < len(marks) and marks[at].start < end and len(found) <= LIMIT:
        found.append(marks[at])
        at += 1
    return found


def _bindings(match: Match, source: bytes, c: Palette) -> Iterator[str]:
    for binding in match.bindings:
        sigil = "$$$" if binding.ellipsis else "$"
        yield f"    {c.name}{sigil}{binding.name}{c.off} = {one_line(source, binding.span)}\n"
    if match.equivalences:
        yield f"    {c.dim}equal by {', '.join(match.equivalences)}{c.off}\n"


def clean_path(path: str) -> str:
    """A path without what would move the cursor of a terminal."""
    return (
        path
        if path.isprintable()
        else "".join(ch if ch.isprintable() or "\udc80" <= ch <= "\udcff" else "\ufffd" for ch in path)
    )
