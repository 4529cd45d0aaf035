"""Places in a source text: byte spans, and the lines and columns people read.

Everything inside the engine counts bytes from 0.  Lines and columns exist only
at the edges, for people and for JSON, and are made here.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

_STRIDE = 1024
"""Bytes between two entries of the character table of a non-ASCII text."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of bytes.  Invariant: ``0 <= start <= end``."""

    start: int
    end: int

    def text(self, source: bytes) -> str:
        """The characters of this span in *source*; bytes that are not UTF-8 become U+FFFD."""
        return source[self.start : self.end].decode("utf-8", "replace")

    def holds(self, other: Span) -> bool:
        """Whether *other* lies inside this span (the two may be equal)."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Position:
    """A place as people count: byte from 0, line and column from 1, column in characters."""

    byte: int
    line: int
    column: int


class LineIndex:
    """Lines and columns of one source text.

    A line ends at ``\\n``; a ``\\r`` before it belongs to the line's ending.
    Building is one pass; every look-up costs a bounded number of steps, however
    long the line is.
    """

    __slots__ = ("_characters", "_source", "_starts")

    def __init__(self, source: bytes) -> None:
        self._source = source
        starts = [0]
        at = source.find(b"\n")
        while at >= 0:
            starts.append(at + 1)
            at = source.find(b"\n", at + 1)
        self._starts = starts
        self._characters: list[int] | None = None
        if not source.isascii():
            table = [0]
            for chunk in range(0, len(source), _STRIDE):
                table.append(table[-1] + _characters(source[chunk : chunk + _STRIDE]))
            self._characters = table

    @property
    def lines(self) -> int:
        """How many lines there are; an empty text has one."""
        return len(self._starts)

    def line(self, byte: int) -> int:
        """The line (from 1) that holds *byte*."""
        return bisect_right(self._starts, byte)

    def position(self, byte: int) -> Position:
        """The line and column of *byte*."""
        line = bisect_right(self._starts, byte)
        start = self._starts[line - 1]
        if self._characters is None:
            return Position(byte, line, byte - start + 1)
        return Position(byte, line, self._before(byte) - self._before(start) + 1)

    def line_span(self, line: int) -> Span:
        """The bytes of *line* (from 1) without its line ending."""
        start = self._starts[line - 1]
        if line == len(self._starts):
            return Span(start, len(self._source))
        end = self._starts[line] - 1
        if end > start and self._source[end - 1] == 0x0D:
            end -= 1
        return Span(start, end)

    def _before(self, byte: int) -> int:
        """How many characters begin before *byte*."""
        assert self._characters is not None
        slot = byte // _STRIDE
        return self._characters[slot] + _characters(self._source[slot * _STRIDE : byte])


def _characters(piece: bytes) -> int:
    """How many UTF-8 characters begin in *piece*: all its bytes but the continuation bytes."""
    return len(piece.translate(None, _CONTINUATIONS))


_CONTINUATIONS = bytes(range(0x80, 0xC0))
