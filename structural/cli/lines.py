"""Source lines as they are shown: decoded, cut where they are very long, highlighted.

Every function looks at a bounded number of bytes around a place, however long the
line is, so that many matches on one line cost what they are and not their square.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from structural.cli.colour import Palette
from structural.workflow.places import LineIndex, Span

LIMIT = 300
"""Bytes of a line that are shown whole."""

_BEFORE = 60
_WITHIN = 160
_AFTER = 60
"""Of a longer line: bytes before a match, of the match, and behind it."""

CUT = "…"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one line that is shown; what was left out on either side is marked."""

    span: Span
    cut_before: bool
    cut_after: bool


def piece(source: bytes, line: Span, focus: Span) -> Piece:
    """What is shown of *line* when *focus*, which begins on it, must be seen."""
    if line.end - line.start <= LIMIT:
        return Piece(line, False, False)
    start = max(line.start, focus.start - _BEFORE)
    shown = min(focus.end, focus.start + _WITHIN, line.end)
    end = min(line.end, shown + _AFTER)
    while start > line.start and 0x80 <= source[start] < 0xC0:
        start -= 1
    while end < line.end and 0x80 <= source[end] < 0xC0:
        end += 1
    return Piece(Span(start, end), start > line.start, end < line.end)


def render(source: bytes, shown: Piece, marks: Sequence[Span], colours: Palette, *, clean: bool) -> str:
    """The text of a piece with *marks* (sorted, disjoint) highlighted.

    *clean* shows control characters as pictures, so that a file cannot move the
    cursor of a terminal.
    """
    out: list[str] = [CUT] if shown.cut_before else []
    at, end = shown.span.start, shown.span.end
    for mark in marks:
        start, stop = max(mark.start, at), min(mark.end, end)
        if start >= stop:
            continue
        out.append(text_of(source[at:start], clean))
        out.append(f"{colours.match}{text_of(source[start:stop], clean)}{colours.off}")
        at = stop
    out.append(text_of(source[at:end], clean))
    if shown.cut_after:
        out.append(CUT)
    return "".join(out)


def text_of(data: bytes, clean: bool) -> str:
    """*data* as text; with *clean* without control characters but the tab."""
    text = data.decode("utf-8", "replace")
    return text.translate(_PICTURES) if clean and not text.isprintable() else text


def clean_text(text: str) -> str:
    """*text*, which others wrote, on one line and without control characters."""
    return " ".join(text.split()).translate(_PICTURES)


def one_line(source: bytes, span: Span, limit: int = 160) -> str:
    """The text of *span* on one line, cut after *limit* bytes; white space in it becomes one space."""
    data = source[span.start : min(span.end, span.start + limit)]
    text = " ".join(data.decode("utf-8", "ignore").split())
    return text.translate(_PICTURES) + (CUT if span.end - span.start > limit else "")


def last_line(lines: LineIndex, span: Span) -> int:
    """The line that holds the last byte of *span*."""
    return lines.line(max(span.start, span.end - 1))


def union(spans: Sequence[Span]) -> list[Span]:
    """Disjoint spans that cover what *spans* (sorted by start) cover."""
    merged: list[Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            if span.end > merged[-1].end:
                merged[-1] = Span(merged[-1].start, span.end)
        elif span.end > span.start:
            merged.append(span)
    return merged


_PICTURES = {code: 0x2400 + code for code in range(0x20) if code != 9}
_PICTURES |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
