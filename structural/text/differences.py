"""Which lines differ between two texts: the edits that take one to the other.

Lines that stand once on either side are found first and divide the texts, as in the
patience diff of Bram Cohen; between two of them the shortest way is looked for (Myers, An
O(ND) Difference Algorithm, 1986) as long as it is short.  Beyond a bound a stretch counts as
changed as a whole: the answer is then longer than need be, and as right.

A line ends at ``\\n`` only.  Pure: no files.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from structural.text.edits import Edit
from structural.text.patch_reading import lines_of
from structural.text.spans import Span

_FURTHEST = 400
"""Lines added and removed up to which the shortest way through a stretch is looked for."""
_STEPS = 2_000_000
"""Steps on such ways in one text, after which no more are looked for."""

_Range = tuple[int, int, int, int]
"""Lines ``[0]:[1]`` of the text before, and ``[2]:[3]`` of the text after."""


@dataclass(slots=True)
class _Budget:
    """What is left of the steps of one call."""

    left: int


def line_edits(before: bytes, after: bytes) -> tuple[Edit, ...]:
    """An edit for each run of lines that differ.  There is a line that stays between any two."""
    old, new = lines_of(before), lines_of(after)
    offsets = [0]
    for line in old:
        offsets.append(offsets[-1] + len(line))
    return tuple(
        Edit(Span(offsets[i], offsets[j]), b"".join(new[k:m])) for i, j, k, m in changed_runs(old, new)
    )


def changed_runs(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[_Range]:
    """The runs of lines that differ, in order."""
    numbers: dict[bytes, int] = {}
    a = [numbers.setdefault(line, len(numbers)) for line in old]
    b = [numbers.setdefault(line, len(numbers)) for line in new]
    waiting: list[_Range] = [(0, len(a), 0, len(b))]
    budget = _Budget(_STEPS)
    while waiting:
        i, j, k, m = _trimmed(a, b, waiting.pop())
        if i == j and k == m:
            continue
        if i == j or k == m:
            yield i, j, k, m
            continue
        anchors = _anchors(a, b, (i, j, k, m))
        if anchors:
            parts = []
            for at, other in anchors:
                parts.append((i, at, k, other))
                i, k = at + 1, other + 1
            waiting += reversed([*parts, (i, j, k, m)])
        else:
            yield from _shortest(a, b, (i, j, k, m), budget)


def _trimmed(a: list[int], b: list[int], span: _Range) -> _Range:
    """The range without what is the same at its beginning and its end."""
    i, j, k, m = span
    while i < j and k < m and a[i] == b[k]:
        i, k = i + 1, k + 1
    while i < j and k < m and a[j - 1] == b[m - 1]:
        j, m = j - 1, m - 1
    return i, j, k, m


def _anchors(a: list[int], b: list[int], span: _Range) -> list[tuple[int, int]]:
    """Lines that stand once on either side, as many as are in the same order on both."""
    i, j, k, m = span
    places = _once(a, i, j)
    there = _once(b, k, m)
    pairs = [(at, there[line]) for line, at in places.items() if line in there]
    # The longest ascending row of the second numbers, by the tops of piles of cards.
    tops: list[int] = []
    piles: list[int] = []
    below: list[int] = []
    for at, (_, other) in enumerate(pairs):
        pile = bisect_left(tops, other)
        below.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [other]
        piles[pile : pile + 1] = [at]
    found: list[tuple[int, int]] = []
    last = piles[-1] if piles else -1
    while last >= 0:
        found.append(pairs[last])
        last = below[last]
    found.reverse()
    return found


def _once(lines: list[int], start: int, end: int) -> dict[int, int]:
    """Where each line stands that stands only once, in order."""
    found: dict[int, int] = {}
    many: set[int] = set()
    for at in range(start, end):
        line = lines[at]
        if line in found:
            many.add(line)
        else:
            found[line] = at
    for line in many:
        del found[line]
    return found


def _shortest(a: list[int], b: list[int], span: _Range, budget: _Budget) -> Iterator[_Range]:
    i, j, k, m = span
    shared = not set(a[i:j]).isdisjoint(b[k:m])
    trace = _trace(a[i:j], b[k:m], budget) if shared else None
    if trace is None:
        yield span
        return
    # Back from the end along the furthest points: each step is one line less on one side.
    x, y = j - i, m - k
    steps: list[tuple[int, int, int, int]] = []
    for distance in range(len(trace) - 1, 0, -1):
        reached = trace[distance - 1]
        diagonal = x - y
        down = diagonal == -distance or (
            diagonal != distance and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        from_x = reached[before]
        from_y = from_x - before
        steps.append((from_x, from_x + (not down), from_y, from_y + down))
        x, y = from_x, from_y
    run: _Range | None = None
    for left, right, low, high in reversed(steps):
        if run is not None and run[1] == left and run[3] == low:
            run = (run[0], right, run[2], high)
            continue
        if run is not None:
            yield run[0] + i, run[1] + i, run[2] + k, run[3] + k
        run = (left, right, low, high)
    if run is not None:
        yield run[0] + i, run[1] + i, run[2] + k, run[3] + k


def _trace(a: list[int], b: list[int], budget: _Budget) -> list[dict[int, int]] | None:
    """For every number of changes the furthest points, by diagonal; None beyond the bound."""
    trace: list[dict[int, int]] = []
    reached: dict[int, int] = {1: 0}
    for distance in range(min(len(a) + len(b), _FURTHEST) + 1):
        now: dict[int, int] = {}
        for diagonal in range(-distance, distance + 1, 2):
            if diagonal == -distance or (
                diagonal != distance and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
            ):
                x = reached[diagonal + 1]
            else:
                x = reached[diagonal - 1] + 1
            y = x - diagonal
            first = x
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x, y = x + 1, y + 1
            budget.left -= x - first + 1
            now[diagonal] = x
            if x >= len(a) and y >= len(b):
                trace.append(now)
                return trace
        if budget.left < 0:
            return None
        trace.append(now)
        reached = now
    return None
