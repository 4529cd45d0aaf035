"""Text that is in no node: hidden tokens of a grammar.

Some grammars keep parts of a string, a number or a template out of the tree.  Two
nodes are the same only if these texts agree too.
"""

from __future__ import annotations

from bisect import bisect_left

from structural.syntax.columns import Columns


def hidden_texts(columns: Columns, i: int, strings: frozenset[int]) -> tuple[bytes, ...]:
    """What stands between the children of *i* and is no node.

    White space does not count, but inside a string literal (kinds *strings*) it does.
    Comments and line continuations never count.
    """
    size, start, end, source = columns.size, columns.start, columns.end, columns.source
    verbatim = columns.kind[i] in strings
    found: list[tuple[int, int]] = []
    at = start[i]
    j, stop = i + 1, i + size[i]
    while j < stop:
        if start[j] > at and (verbatim or not source[at : start[j]].isspace()):
            found.append((at, start[j]))
        if end[j] > at:
            at = end[j]
        j += size[j]
    if end[i] > at and (verbatim or not source[at : end[i]].isspace()):
        found.append((at, end[i]))
    if not found:
        return ()
    if verbatim:
        return tuple(source[low:high] for low, high in found)
    texts = (_code_between(columns, low, high) for low, high in found)
    return tuple(text for text in texts if text)


def plain_string(columns: Columns, i: int) -> bool:
    """Whether the string literal *i* holds no code: all its children are tokens."""
    return all(columns.size[j] == 1 for j in range(i + 1, i + columns.size[i]))


def _code_between(columns: Columns, low: int, high: int) -> bytes:
    """The source of [low, high) without white space, comments and line continuations."""
    left_out = sorted([*_within(columns.comments, low, high), *_within(columns.layout, low, high)])
    text = b""
    for start, end in left_out:
        text += columns.source[low : max(low, start)]
        low = max(low, end)
    text += columns.source[low:high] if low < high else b""
    return b"".join(part for part in text.split() if part != b"\\")


def _within(spans: list[tuple[int, int]], low: int, high: int) -> list[tuple[int, int]]:
    """Those of *spans*, sorted and disjoint, that overlap [low, high)."""
    first = max(0, bisect_left(spans, (low, low)) - 1)
    last = bisect_left(spans, (high, high), first)
    return [span for span in spans[first:last] if span[1] > low]


def solid_end(columns: Columns, start: int, end: int) -> int:
    """*end* without the white space and comments before it, which some grammars count to the node."""
    source, comments = columns.source, columns.comments
    while end > start:
        if source[end - 1] in b" \t\r\n\f":
            end -= 1
            continue
        at = bisect_left(comments, (end,)) - 1
        if at < 0 or comments[at][1] < end or comments[at][0] <= start:
            break
        if comments[at][1] > end and source[end : comments[at][1]].strip():
            break  # Not at its end; a comment may hold the first half of a line ending.
        end = comments[at][0]
    return end
