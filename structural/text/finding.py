"""Where a text stands in a file, to the byte; and what to say where it does not.

A line break of the text stands for the one of the file: a ``\\n`` that is wanted is also found
as ``\\r\\n``.  A ``\\r\\n`` that is wanted is only that.  Pure: no files.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from structural.text.endings import CRLF, LF, bare_to, ending_at, ending_of, split
from structural.text.lines import Lines
from structural.text.nearby import nearest
from structural.text.spans import Span

__all__ = ["OverlapError", "ended_as", "occurrences", "why_missing"]

_NUMBERED = re.compile(rb"[ \t]*\d+(?:\t|\||: ?|\xe2\x86\x92)", re.MULTILINE)
_BREAK = re.compile(rb"(?<!\r)\n")


class OverlapError(ValueError):
    """Two places of a text overlap, so they cannot both be replaced; ``at`` is the byte of one."""

    def __init__(self, at: int) -> None:
        super().__init__(f"overlap at byte {at}")
        self.at = at


def occurrences(source: bytes, wanted: bytes) -> list[Span]:
    """All places of *wanted*, which is not empty, in order.  OverlapError if two overlap."""
    found: list[Span] = []
    for span in _places(source, wanted):
        if found and span.start < found[-1].end:
            raise OverlapError(span.start)
        found.append(span)
    return found


def ended_as(source: bytes, span: Span, text: bytes) -> bytes:
    """*text* with the line endings that the file has at *span*; a ``\\r\\n`` in it stays."""
    return bare_to(text, ending_of(source) or ending_at(source, span.start, span.end))


def why_missing(source: bytes, wanted: bytes, lines: Lines) -> str:
    """What comes closest to *wanted*, which is not there; empty if nothing does."""
    for other, why in _misread(wanted):
        place = next(_places(source, other), None) if other and other != wanted else None
        if place is not None:
            return f"it stands in line {source.count(LF, 0, place.start) + 1} {why}"
    near = nearest(lines.contents, split(wanted), partly=True)
    return str(near) if near else ""


def _places(source: bytes, wanted: bytes) -> Iterator[Span]:
    ending = ending_of(source)
    if LF in wanted and ending is None and CRLF in source:
        pattern = re.compile(rb"(?:\r\n|\n)".join(map(re.escape, _BREAK.split(wanted))))
        at = 0
        while match := pattern.search(source, at):
            yield Span(*match.span())
            at = match.start() + 1
            if source.startswith(CRLF, match.start()):
                at += 1  # the same place without its first byte is no other place
        return
    if ending is not None:
        wanted = bare_to(wanted, ending)
    at = source.find(wanted)
    while at >= 0:
        yield Span(at, at + len(wanted))
        at = source.find(wanted, at + 1)


def _misread(wanted: bytes) -> Iterator[tuple[bytes, str]]:
    """What may have been meant, where a text went through too many hands."""
    if b"\\" in wanted:
        escapes = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"'": b"'", b"\\": b"\\", b"r": b"\r"}
        once = re.sub(rb"\\([ntr\"'\\])", lambda match: escapes[match[1]], wanted)
        yield once, "if its backslashes are read as escapes: it was escaped once too often"
    if b"&" in wanted:
        plain = html.unescape(wanted.decode("utf-8", "surrogateescape"))
        yield plain.encode("utf-8", "surrogateescape"), "if `&lt;` and the like are read as characters"
    lines = wanted.split(LF)
    if all(not line.strip() or _NUMBERED.match(line) for line in lines):
        yield LF.join(_NUMBERED.sub(b"", line, count=1) for line in lines), "without its line numbers"
