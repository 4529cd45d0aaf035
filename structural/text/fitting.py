"""Hunks without line numbers, fitted to a file: each at the only place that it can mean.

A hunk can stand where all of its lines are, exactly, but for how they end: as the file
ends its lines, so do the new ones.  Of these places only those count that

1. lie behind the anchors of the hunk, one after the other, and
2. leave the hunks of the file in their order.

If more than one is left, those count that lie in the block of the last anchor: the lines
below it that are indented further, or right behind it.  If it is still not one, the hunk does
not fit.  Nothing is taken that is only like it.

Pure: no files.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from structural.text.edits import Edit
from structural.text.envelope import AnchoredHunk
from structural.text.lines import Lines
from structural.text.nearby import nearest, shown

__all__ = ["FittedHunk", "Misfit", "fit_hunks"]

_MOST = 10_000
"""Places of a hunk beyond which it is not asked which of them is meant."""
_EXPLAINED = 10
"""Hunks that do not fit for which the nearest place is looked for."""

_CLOSING = (b")", b"]", b"}", b"{")
"""What begins a line that belongs to the block above it, however it is indented."""


@dataclass(frozen=True, slots=True)
class FittedHunk:
    """A hunk with its edits, in order."""

    hunk: AnchoredHunk
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """A hunk that has no place, or more than one, and why.  ``why`` goes on from the hunk."""

    hunk: AnchoredHunk
    why: str


def fit_hunks(hunks: Sequence[AnchoredHunk], lines: Lines) -> tuple[list[FittedHunk], list[Misfit]]:
    """The hunks of one section with their edits, and those that do not fit."""
    wrong: list[Misfit] = []
    ready: list[tuple[AnchoredHunk, list[int]]] = []
    anchored = _Anchored(lines)
    for hunk in hunks:
        found, why = _places(hunk, lines, near=len(wrong) < _EXPLAINED)
        loose = anchored.behind(hunk, found)
        if not loose:
            wrong.append(Misfit(hunk, why or anchored.missing(hunk, found)))
        else:
            ready.append((hunk, loose))
    earliest, latest = _windows(ready)
    narrowed: list[tuple[AnchoredHunk, list[int]]] = []
    for (hunk, loose), low, high in zip(ready, earliest, latest, strict=True):
        if low is not None and high is not None and low != high and hunk.anchors:
            loose = anchored.inside(hunk, [at for at in loose if low <= at <= high]) or loose
        narrowed.append((hunk, loose))
    earliest, latest = _windows(narrowed)
    fitted: list[FittedHunk] = []
    for (hunk, loose), low, high in zip(narrowed, earliest, latest, strict=True):
        if low is None or high is None:
            place = f"its lines stand only in line {_listed(loose)}, before the hunk that comes before it"
            wrong.append(Misfit(hunk, place))
        elif low != high:
            many = [at for at in loose if low <= at <= high]
            wrong.append(Misfit(hunk, f"its lines stand at several places, in line {_listed(many)}"))
        else:
            fitted.append(FittedHunk(hunk, tuple(_edits(hunk, lines, low))))
    wrong.sort(key=lambda one: one.hunk.number)
    return fitted, wrong


# --- places ------------------------------------------------------------------------------------------


def _places(hunk: AnchoredHunk, lines: Lines, *, near: bool) -> tuple[list[int], str]:
    """Where the lines of a hunk stand; why nowhere, if that is so, and the nearest place if asked."""
    wanted = hunk.before
    if not wanted:
        if hunk.last or not lines.count:
            return [lines.count], ""
        return [], "it has only new lines, so its place is not told: add a line that stands before or behind"
    found = lines.find(wanted)
    if found and hunk.last:
        ends = [at for at in found if at + len(wanted) == lines.count]
        if not ends:
            return [], f"its lines stand in line {_listed(found)}, and not at the end of the file"
        return ends, ""
    if len(found) > _MOST:
        return [], f"its lines stand at more than {_MOST} places"
    if found:
        return found, ""
    place = nearest(lines.contents, wanted) if near else None
    return [], "its lines are not there" + (f"; {place}" if place else "")


def _windows(hunks: Sequence[tuple[AnchoredHunk, list[int]]]) -> tuple[list[int | None], list[int | None]]:
    """The first and the last place that each hunk can have if all keep their order."""
    earliest: list[int | None] = []
    done = 0
    for hunk, places in hunks:
        head, size = _core(hunk)
        at = bisect_left(places, done - head)
        earliest.append(places[at] if at < len(places) else None)
        if at < len(places):
            done = places[at] + head + size
    latest: list[int | None] = []
    limit: int | None = None
    for (hunk, places), first in zip(reversed(hunks), reversed(earliest), strict=True):
        if first is None:
            latest.append(None)
            continue
        head, size = _core(hunk)
        at = len(places) if limit is None else bisect_right(places, limit - head - size)
        place = places[at - 1] if at else first
        latest.append(place)
        limit = place + head
    latest.reverse()
    return earliest, latest


def _core(hunk: AnchoredHunk) -> tuple[int, int]:
    """How many lines stay before the first change, and how many lie between it and the last one."""
    marks = [mark for mark, _ in hunk.lines]
    head = next(at for at, mark in enumerate(marks) if mark != " ")
    tail = next(at for at, mark in enumerate(reversed(marks)) if mark != " ")
    return head, sum(mark != "+" for mark in marks[head : len(marks) - tail])


class _Anchored:
    """What anchors say of places.  Remembers what it was asked."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._known: dict[bytes, list[int]] = {}
        self._bare: list[bytes] = []
        self._ends: list[int] = []

    def behind(self, hunk: AnchoredHunk, places: list[int]) -> list[int]:
        """Those of *places* before which the anchors stand, one after the other.  A hunk may repeat
        its anchor as its first line."""
        at = -1
        for anchor in hunk.anchors:
            found = self._of(anchor)
            place = bisect_right(found, at)
            if place == len(found):
                return []
            at = found[place]
        first = bisect_left(places, at)
        return places[first:] if first else places

    def inside(self, hunk: AnchoredHunk, places: list[int]) -> list[int]:
        """Those of *places* in the block of the last anchor, which lies in that of the one before."""
        starts, ends = [-1], [self._lines.count]
        for anchor in hunk.anchors:
            found = self._of(anchor)
            starts = list(compress(found, _within(found, starts, ends)))
            ends = [self._block(at) for at in starts]
        behind = {at + 1 for at in starts}
        inside = set(compress(places, _within(places, [at - 1 for at in starts], ends)))
        return [at for at in places if at in inside or at in behind]

    def missing(self, hunk: AnchoredHunk, places: list[int]) -> str:
        """Why none of *places* lies behind the anchors."""
        at = -1
        for anchor in hunk.anchors:
            found = self._of(anchor)
            if not found:
                near = nearest(self._lines.contents, [anchor])
                return f"its anchor {shown(anchor)} stands nowhere" + (f"; {near}" if near else "")
            place = bisect_right(found, at)
            if place == len(found):
                return f"its anchor {shown(anchor)} stands only before the anchor that comes before it"
            at = found[place]
        last = shown(hunk.anchors[-1]) if hunk.anchors else ""
        return f"its lines stand only in line {_listed(places)}, before its anchor {last} in line {at + 1}"

    def _of(self, anchor: bytes) -> list[int]:
        """The lines that are *anchor* but for blanks around them; if there is none, those that begin
        with it, up to the end of a word."""
        found = self._known.get(anchor)
        if found is None:
            if not self._bare:
                self._bare = [line.strip() for line in self._lines.contents]
            found = [at for at, line in enumerate(self._bare) if line == anchor]
            if not found:
                found = [at for at, line in enumerate(self._bare) if _begins(line, anchor)]
            self._known[anchor] = found
        return found

    def _block(self, at: int) -> int:
        """The line behind the block of a line."""
        if not self._ends:
            contents = self._lines.contents
            self._ends = [len(contents)] * len(contents)
            outer: list[tuple[int, int]] = []  # lines that can end a block, by rising indentation
            for line in range(len(contents) - 1, -1, -1):
                bare = contents[line].strip()
                indent = _indent(contents[line])
                place = bisect_right(outer, (indent, len(contents)))
                if place:
                    self._ends[line] = outer[place - 1][1]
                if bare and not bare.startswith(_CLOSING):
                    outer[place:] = [(indent, line)]
        return self._ends[at]


def _within(places: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> Iterator[bool]:
    """For each of *places*, which ascend as *starts* do, whether it lies behind a start and before
    its end."""
    at = end = 0
    for place in places:
        while at < len(starts) and starts[at] < place:
            end = max(end, ends[at])
            at += 1
        yield place < end


def _begins(line: bytes, anchor: bytes) -> bool:
    return line.startswith(anchor) and not (_word(anchor[-1:]) and _word(line[len(anchor) : len(anchor) + 1]))


def _word(byte: bytes) -> bool:
    return byte.isalnum() or byte == b"_" or byte >= b"\x80"


def _indent(line: bytes) -> int:
    return len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())


def _listed(places: Sequence[int]) -> str:
    text = ", ".join(str(at + 1) for at in places[:6])
    return text + (" …" if len(places) > 6 else "")


# --- edits -------------------------------------------------------------------------------------------


def _edits(hunk: AnchoredHunk, lines: Lines, at: int) -> Iterator[Edit]:
    """An edit for each run of changed lines; what a run takes out and puts back stays."""
    old: list[bytes] = []
    new: list[bytes] = []
    for mark, line in (*hunk.lines, (" ", b"")):
        if mark == "-":
            old.append(line)
        elif mark == "+":
            new.append(line)
        else:
            if old != new:
                head = tail = 0
                most = min(len(old), len(new))
                while head < most and old[head] == new[head]:
                    head += 1
                while tail < most - head and old[-1 - tail] == new[-1 - tail]:
                    tail += 1
                yield lines.edit(at + head, at + len(old) - tail, new[head : len(new) - tail])
            at += len(old) + 1
            old, new = [], []
