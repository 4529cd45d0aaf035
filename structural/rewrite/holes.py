"""Holes: where jobs stand in the text before and in the text after."""

from __future__ import annotations

from bisect import bisect_left

Hole = tuple[int, int, int, int, int]
"""A job: start and end in the text before, start and end in the text after, its number."""


def joined(holes: list[Hole]) -> list[Hole]:
    """*holes* in order, those that overlap as one."""
    result: list[Hole] = []
    for hole in sorted(holes):
        if result and hole[0] < result[-1][1]:
            start, end, low, high, site = result.pop()
            hole = (start, max(end, hole[1]), low, max(high, hole[3]), site)
        result.append(hole)
    return result


def jobs_near(holes: list[Hole], start: int, end: int) -> tuple[int, ...]:
    """The jobs in or around [start, end) of the text after."""
    inside = [hole[4] for hole in holes if hole[2] <= start and end <= hole[3]]
    if inside:
        return tuple(inside)
    at = bisect_left([hole[2] for hole in holes], start)
    return tuple(holes[n][4] for n in (at - 1, at) if 0 <= n < len(holes))
