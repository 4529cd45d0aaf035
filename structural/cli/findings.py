"""Findings for people: each with its place, its code and what is marked in it; or one line each.

    src/a.js:3:5: warning: `a.b` is compared with itself [self-comparison]
      3 | if (a.b === a.b) go()
        |     ^^^^^^^^^^^
      note: It is always true, but for NaN …
      see: https://…

The note and the address of a rule are shown once.  With *verbose* a rewrite is shown as what goes and what
comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from structural.cli.colour import Palette
from structural.cli.human import clean_path
from structural.cli.lines import clean_text, last_line, piece, render, text_of
from structural.workflow.scanning import About, Fix, Found, Scanned, ScanSummary
from structural.workflow.searching import LineIndex, Span

_MOST_LINES = 6
"""Lines of one finding that are shown; of a longer one the first, and how many follow."""

_MOST_DIFF = 20


class Concise:
    """One line a finding."""

    def __init__(self, write: Callable[[str], Any], colours: Palette) -> None:
        self._write, self._colours = write, colours

    def file(self, scanned: Scanned) -> None:
        if scanned.source is None:
            return
        lines = LineIndex(scanned.source)
        for one in scanned.findings:
            if one.aside is None:
                self._write(_head(scanned.path, lines, one, self._colours))

    def finish(self, summary: ScanSummary, code: int) -> None:
        """Nothing more: the statement goes to standard error."""


class Framed:
    """With the code."""

    def __init__(
        self, write: Callable[[str], Any], colours: Palette, notes: Mapping[str, About], *, verbose: bool
    ) -> None:
        self._write, self._colours, self._notes, self._verbose = write, colours, notes, verbose
        self._told: set[str] = set()
        self._any = False

    def file(self, scanned: Scanned) -> None:
        if scanned.source is None:
            return
        lines = LineIndex(scanned.source)
        for one in scanned.findings:
            if one.aside is not None:
                continue
            self._write("\n" * self._any + _head(scanned.path, lines, one, self._colours))
            self._any = True
            for text in self._frame(scanned.source, lines, one):
                self._write(text)

    def finish(self, summary: ScanSummary, code: int) -> None:
        """Nothing more: the statement goes to standard error."""

    def _frame(self, source: bytes, lines: LineIndex, one: Found) -> Iterator[str]:
        c = self._colours
        first, last = lines.line(one.span.start), last_line(lines, one.span)
        shown = last if last - first < _MOST_LINES else first + _MOST_LINES - 2
        width = len(str(shown))
        for number in range(first, shown + 1):
            line = lines.line_span(number)
            part = piece(source, line, Span(max(one.span.start, line.start), max(one.span.start, line.start)))
            text = render(source, part, [one.span], c, clean=True)
            yield f"  {c.line}{number:>{width}}{c.off} | {text}\n"
            if first == last:
                yield f"  {'':>{width}} | {_carets(source, part.span, one.span, part.cut_before, c)}\n"
        if shown < last:
            yield f"  {'':>{width}} | {c.dim}… and {last - shown} more lines{c.off}\n"
        about = self._notes.get(one.rule)
        if about is not None and one.rule not in self._told:
            self._told.add(one.rule)
            if about.note:
                yield f"  {c.name}note:{c.off} {clean_text(about.note)}\n"
            if about.url:
                yield f"  {c.name}see:{c.off} {clean_text(about.url)}\n"
        if self._verbose:
            for fix in one.fixes:
                yield from _diff(source, lines, fix, c)


def _head(path: str, lines: LineIndex, one: Found, c: Palette) -> str:
    place = lines.position(one.span.start)
    colour = {"error": c.error, "warning": c.match}.get(one.severity, c.name)
    return (
        f"{c.path}{clean_path(path)}{c.off}:{c.line}{place.line}{c.off}:{place.column}: "
        f"{colour}{one.severity}{c.off}: {clean_text(one.message)} "
        f"{c.dim}[{one.rule}]{c.off}\n"
    )


def _carets(source: bytes, line: Span, span: Span, cut: bool, c: Palette) -> str:
    """The marks below a line: tabs stay tabs, so that they stand below what they mark."""
    before = source[line.start : max(line.start, span.start)].decode("utf-8", "replace")
    inside = source[max(span.start, line.start) : min(span.end, line.end)].decode("utf-8", "replace")
    pad = " " * cut + "".join("\t" if ch == "\t" else " " * _width(ch) for ch in before)
    marks = "^" * max(1, sum(_width(ch) for ch in inside))
    return f"{pad}{c.match}{marks}{c.off}"


def _width(ch: str) -> int:
    """Columns of a terminal that a character takes."""
    if ch.isascii():
        return 1
    import unicodedata

    if unicodedata.combining(ch) or unicodedata.category(ch) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in ("W", "F") else 1


def _diff(source: bytes, lines: LineIndex, fix: Fix, c: Palette) -> Iterator[str]:
    title = f"rewrite ({clean_text(fix.title)})" if fix.title else "rewrite"
    safety = "" if fix.safety == "safe" else f", {fix.safety}"
    if fix.refused:
        yield f"  {c.name}{title}{c.off}{safety}: refused: {clean_text(fix.refused)}\n"
        return
    if not fix.edits:
        return
    yield f"  {c.name}{title}{c.off}{safety}:\n"
    first = lines.line(fix.edits[0].span.start)
    last = lines.line(max(fix.edits[-1].span.start, fix.edits[-1].span.end - 1))
    if last - first >= _MOST_DIFF:
        yield f"    in lines {first} to {last}\n"
        return
    start, end = lines.line_span(first).start, lines.line_span(last).end
    after = source[start:end]
    for edit in reversed(fix.edits):
        low, high = edit.span.start - start, edit.span.end - start
        after = after[:low] + edit.new + after[high:]
    for sign, colour, text in (("-", c.removed, source[start:end]), ("+", c.added, after)):
        for line in text.split(b"\n"):
            shown = text_of(line.rstrip(b"\r"), True)
            yield f"    {colour}{sign} {shown}{c.off}\n"
