"""Nodes and comments in a stretch of bytes."""

from __future__ import annotations

from bisect import bisect_left

from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end


def nodes_in(columns: Columns, start: int, end: int, at: int) -> tuple[int, int]:
    """The nodes from number *at* on that lie in [start, end): first and behind the last.  White space
    and comments that a grammar counts to the end of a node are no part of it."""
    n = len(columns)
    first = bisect_left(columns.start, start, at)
    while first < n and columns.start[first] < end < columns.end[first] and not reaches(columns, first, end):
        first += 1
    return first, max(first, bisect_left(columns.start, end, first) if start < end else first)


def outermost(columns: Columns, start: int, end: int) -> list[int]:
    """The outermost nodes in [start, end), in order; comments and white space at a node's end do not
    count to it.  One that goes on behind *end* is among them where nothing smaller begins there."""
    n = len(columns)
    low = start
    while low > 0 and columns.source[low - 1] in b" \t\r\n\f":
        low -= 1  # running text may begin with white space
    i = bisect_left(columns.start, low)
    while i < n and columns.start[i] <= start:
        if columns.end[i] > start and (columns.size[i] == 1 or reaches(columns, i, end)):
            break
        i += 1
    found = []
    while i < n and columns.start[i] < end:
        if columns.end[i] > columns.start[i]:
            found.append(i)
        i += columns.size[i]
    return found


def reaches(columns: Columns, i: int, end: int) -> bool:
    """Whether node *i* ends at *end* or before, but for comments and white space."""
    return columns.end[i] <= end or solid_end(columns, end, columns.end[i]) <= end


def blank_around(source: bytes, start: int, end: int) -> tuple[int, int]:
    """[start, end) with the white space around it."""
    while start > 0 and source[start - 1] in b" \t\r\n":
        start -= 1
    while end < len(source) and source[end] in b" \t\r\n":
        end += 1
    return start, end


def code_start(columns: Columns, start: int, end: int) -> int:
    """The first byte in [start, end) that is neither white space nor comment."""
    source, comments = columns.source, columns.comments
    while start < end:
        if source[start] in b" \t\r\n\f":
            start += 1
            continue
        at = bisect_left(comments, (start,))
        if at >= len(comments) or comments[at][0] != start:
            break
        start = comments[at][1]
    return start


def siblings(columns: Columns, first: int, last: int) -> list[int]:
    """The siblings from node *first* to node *last*."""
    found = []
    i = first
    while i <= last:
        found.append(i)
        i += columns.size[i]
    return found


def comment_texts(columns: Columns, start: int, end: int) -> list[bytes]:
    """Texts of the comments in [start, end), without differences of layout."""
    at = bisect_left(columns.comments, (start, start))
    found = []
    for low, high in columns.comments[at:]:
        if low >= end:
            break
        found.append(b" ".join(columns.source[low:high].split()))
    return found
