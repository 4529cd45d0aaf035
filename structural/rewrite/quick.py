"""What is around the matches of a file, before and after: where it is, and whether it agrees.

Pure arithmetic over spans; ``source`` says what it is for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from structural.rewrite.holes import Hole
from structural.syntax.parsed import Spans, joined


def holds(spans: Spans, start: int, end: int) -> bool:
    """Whether [start, end) lies in one of *spans*, which are in order and disjoint."""
    at = bisect_right(spans, start, key=_start) - 1
    return at >= 0 and end <= spans[at][1]


def moved(spans: Spans, holes: Sequence[Hole]) -> list[tuple[int, int]]:
    """Where *spans* and *holes* of the text before lie in the text after; *holes* are in order."""
    starts = [hole[0] for hole in holes]
    shifts = [0, *(hole[3] - hole[1] for hole in holes)]
    return [
        (start + shifts[bisect_left(starts, start)], end + shifts[bisect_right(starts, end)])
        for start, end in joined([*spans, *((hole[0], hole[1]) for hole in holes)])
    ]


def _start(span: tuple[int, int]) -> int:
    return span[0]
