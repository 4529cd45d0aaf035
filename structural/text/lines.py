"""A text as lines without their endings, and edits of whole lines.  Pure: no files."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from structural.text.edits import Edit
from structural.text.endings import BOM, LF, content, ending_at, ending_of
from structural.text.patch_reading import lines_of
from structural.text.spans import Span

__all__ = ["Lines", "collide"]


class Lines:
    """The lines of a text without their endings, and where each begins.

    A byte order mark is no part of the first line.  Line numbers count from 0 here.
    """

    __slots__ = ("_found", "_plain", "_plain_starts", "contents", "source", "starts")

    def __init__(self, source: bytes) -> None:
        self.source = source
        lines = lines_of(source)
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line))
        if lines and lines[0].startswith(BOM):
            lines[0] = lines[0][len(BOM) :]
            self.starts[0] = len(BOM)
            if not lines[0]:  # nothing but the mark
                lines.pop()
                self.starts.pop(0)
        self.contents = [content(line) for line in lines]
        self._plain: bytes | None = None
        self._found: dict[bytes, list[int]] = {}
        self._plain_starts: list[int] = []

    @property
    def count(self) -> int:
        """How many lines there are; an empty text has none."""
        return len(self.contents)

    @property
    def open(self) -> bool:
        """Whether the last line has no ending."""
        return bool(self.contents) and not self.source.endswith(LF)

    def find(self, wanted: Sequence[bytes]) -> list[int]:
        """The lines at which *wanted* stands, which is not empty."""
        if self._plain is None:
            self._plain = b"\n" + b"".join(line + b"\n" for line in self.contents)
            at = 1
            for line in self.contents:
                self._plain_starts.append(at)
                at += len(line) + 1
        needle = b"\n" + b"\n".join(wanted) + b"\n"
        if needle in self._found:
            return self._found[needle]
        found = self._found[needle] = []
        at = self._plain.find(needle)
        while at >= 0:
            found.append(bisect_left(self._plain_starts, at + 1))
            at = self._plain.find(needle, at + 1)
        return found

    def edit(self, first: int, end: int, new: Sequence[bytes]) -> Edit:
        """The edit by which the lines from *first* to before *end* become *new*, ended as the file
        ends its lines.  A file whose last line has no ending keeps it so."""
        start, stop = self.starts[first], self.starts[end]
        ending = ending_of(self.source) or ending_at(self.source, start, stop)
        text = b"".join(line + ending for line in new)
        if self.open and end == self.count and new:
            text = text.removesuffix(ending)
            if first == end:
                text = ending + text
        return Edit(Span(start, max(start, stop)), text)


def collide(one: Span, other: Span, source: bytes) -> bool:
    """Whether two edits of *source* cannot both be made, where *one* is not behind *other*.

    So are two at the end of a file whose last line has no ending: what either writes depends on
    whether the other is made.
    """
    if other.start < one.end or one == other:
        return True
    return one.end == other.start == len(source) and not source.endswith(LF)
