"""Edits as they are made: in the order of the text after, with marks.

A draft is written from the start of a text to its end.  Marks say where the pieces of
a rewrite come to stand in the text after, which only the end of the draft knows.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from structural.text import Edit, Span


@dataclass(slots=True)
class Text:
    """New text with marks in it: (offset, key)."""

    parts: list[bytes] = field(default_factory=list)
    length: int = 0
    marks: list[tuple[int, Hashable]] = field(default_factory=list)

    def put(self, text: bytes) -> None:
        if text:
            self.parts.append(text)
            self.length += len(text)

    def mark(self, key: Hashable) -> None:
        self.marks.append((self.length, key))

    def add(self, other: Text) -> None:
        self.marks += [(self.length + offset, key) for offset, key in other.marks]
        self.parts += other.parts
        self.length += other.length

    @property
    def bytes(self) -> bytes:
        return b"".join(self.parts)


class Copied(bytes):
    """Bytes that a draft takes from its source, and where they stand there."""

    start: int


Op = tuple[int, int, Text, int]
"""Start and end in the source, what comes there, and the site; -1 for a mark."""


def text_of(text: bytes) -> Text:
    """*text* without marks."""
    made = Text()
    made.put(text)
    return made


@dataclass(frozen=True, slots=True)
class Draft:
    """A finished draft: the text after, the edits by site, and where the marks are."""

    text: bytes
    edits: dict[int, list[Edit]]
    marks: dict[Hashable, int]
    joined: dict[int, int]
    """Sites that had to be joined with another one, as their edits meet."""


class Drafting:
    """Collects edits of [start, end) of *source*, in order."""

    def __init__(self, source: bytes, start: int = 0, end: int | None = None) -> None:
        self.source = source
        self.start = start
        self.end = len(source) if end is None else end
        self._ops: list[Op] = []
        self._at = start

    def cut(self, start: int, end: int, new: Text | None, site: int) -> None:
        """Replace [start, end) by *new*; nothing is noted where that changes nothing."""
        assert start >= self._at, "a draft is written in order"
        new = new or Text()
        if not new.marks and new.bytes == self.source[start:end]:
            return
        self.put(start, end, new, site)

    def put(self, start: int, end: int, new: Text, site: int) -> None:
        """Replace [start, end) by *new*, whatever that is."""
        self._ops.append((start, end, new, site))
        self._at = end

    def before(self, byte: int) -> bytes:
        """The last three bytes that stand before *byte* in the text after, as far as it is written."""
        at = self._at
        assert byte >= at, "a draft is written in order"
        found = self.source[max(at, byte - 3) : byte]
        for start, end, new, _ in reversed(self._ops):
            if len(found) >= 3:
                break
            found = new.bytes + self.source[max(end, at - 3) : at] + found
            at = start
        else:
            found = self.source[max(0, at - 3) : at] + found
        return found[-3:]

    def mark(self, byte: int, key: Hashable) -> None:
        """Remember where *byte* comes to stand, behind what was put there so far."""
        assert byte >= self._at, "a draft is written in order"
        self.put(byte, byte, Text(marks=[(0, key)]), -1)

    def since(self, number: int) -> list[Op]:
        """The operations from that number on."""
        return self._ops[number:]

    def __len__(self) -> int:
        return len(self._ops)

    @property
    def last(self) -> int:
        """The end of the last edit or mark."""
        return self._at

    def as_text(self, shifts: list[tuple[int, int, bytes]]) -> Text:
        """The draft as one text, with *shifts* of indentation where no edit stands."""
        made = Text()
        at = self.start
        for start, end, new, _ in _merged(self._ops, shifts):
            made.put(copied(self.source, at, start))
            made.add(new)
            at = max(at, end)
        made.put(copied(self.source, at, self.end))
        return made

    def shift(self, shifts: list[tuple[int, int, bytes]], site: int) -> None:
        """Add *shifts* of indentation for *site* where no edit stands."""
        self._ops = [
            (start, end, new, site if owner == -2 else owner)
            for start, end, new, owner in _merged(self._ops, shifts)
        ]

    def finish(self) -> Draft:
        edits: dict[int, list[Edit]] = {}
        marks: dict[Hashable, int] = {}
        joined: dict[int, int] = {}
        pieces: list[bytes] = []
        at, length = self.start, 0
        last: tuple[int, int] | None = None  # the place of an insertion, and its site
        for start, end, new, site in self._ops:
            pieces.append(self.source[at:start])
            length += start - at
            for offset, key in new.marks:
                marks[key] = length + offset
            if site < 0 and start == end:
                at = end
                continue
            text = new.bytes
            pieces.append(text)
            length += len(text)
            at = end
            if site < 0 or text == self.source[start:end]:
                continue
            site = _root(joined, site)
            if last is not None and last[0] == start == end:
                before = last[1]
                if before != site:
                    joined[site] = before
                    edits.setdefault(before, []).extend(edits.pop(site, []))
                    edits[before].sort()
                    site = before
                text = edits[site].pop().new + text
            edits.setdefault(site, []).append(Edit(Span(start, end), text))
            last = (end, site) if start == end else None
        pieces.append(self.source[at : self.end])
        return Draft(b"".join(pieces), edits, marks, joined)


def copied(source: bytes, start: int, end: int) -> Copied:
    """The bytes of *source* in [start, end), for a draft."""
    made = Copied(source[start:end])
    made.start = start
    return made


def _root(joined: dict[int, int], site: int) -> int:
    while site in joined:
        site = joined[site]
    return site


def _merged(ops: list[Op], shifts: list[tuple[int, int, bytes]]) -> list[Op]:
    """*ops* with those *shifts* that touch none of them, in order; a shift has the owner -2."""
    result: list[Op] = []
    at = 0
    covered = -1
    for start, end, new in shifts:
        while at < len(ops) and ops[at][0] < start:
            result.append(ops[at])
            covered = max(covered, ops[at][1])
            at += 1
        if covered > start or (at < len(ops) and ops[at][0] < end):
            continue
        text = Text()
        text.put(new)
        result.append((start, end, text, -2))
    result += ops[at:]
    return result
