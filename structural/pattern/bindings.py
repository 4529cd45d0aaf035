"""What a metavariable is bound to, and when two bindings are the same code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from structural.syntax.columns import Columns
from structural.syntax.gaps import hidden_texts, solid_end

Bound = tuple[int, int, int, int]
"""A binding: first byte, end byte, first node, last node.  Both nodes are -1 for text inside a
token, and -2 for an ellipsis that stands for nothing."""

Bindings = tuple[Bound | None, ...]
"""Bindings by the number of their name, None where nothing is bound yet."""

Check = Callable[[Columns, Bound, Sequence[Bound | None]], bool]
"""A constraint on a binding at the moment it is made; it sees the bindings so far."""


def same_code(columns: Columns, a: Bound, b: Bound, strings: frozenset[int]) -> bool:
    """Whether two bindings are the same tokens in the same tree.

    Layout and comments do not count, the inside of a string literal (kinds *strings*)
    does.  Layers that add no token do not count either."""
    source = columns.source
    if source[a[0] : a[1]] == source[b[0] : b[1]]:
        return True
    if a[2] < 0 or b[2] < 0:
        return False
    size, start, end, kind = columns.size, columns.start, columns.end, columns.kind
    i, j = a[2], b[2]
    i_stop, j_stop = a[3] + size[a[3]], b[3] + size[b[3]]
    if a[2] == a[3] and b[2] == b[3]:
        i, j = innermost(columns, i), innermost(columns, j)
        i_stop, j_stop = i + size[i], j + size[j]
    n = i_stop - i
    if n != j_stop - j or size[i:i_stop] != size[j:j_stop]:
        return False
    if n > 1 and kind[i:i_stop] != kind[j:j_stop]:
        return False
    for d in range(n):
        p, q = i + d, j + d
        if size[p] == 1 or kind[p] in strings:
            if source[start[p] : end[p]] != source[start[q] : end[q]]:
                if _without_tail(columns, p) != _without_tail(columns, q):
                    return False
        elif hidden_texts(columns, p, strings) != hidden_texts(columns, q, strings):
            return False
    return True


def _without_tail(columns: Columns, i: int) -> bytes:
    """The text of token *i* without a comment that its grammar counts to it.  White space alone is
    kept: it may be part of a template or a regular expression."""
    text = columns.text(i)
    end = solid_end(columns, columns.start[i], columns.end[i])
    shorter = columns.source[columns.start[i] : end]
    return shorter if text.rstrip() != shorter else text


def innermost(columns: Columns, i: int) -> int:
    """Node *i* without layers of the same span."""
    start, end, size = columns.start, columns.end, columns.size
    while size[i] > 1 and size[i] == size[i + 1] + 1 and start[i] == start[i + 1] and end[i] == end[i + 1]:
        i += 1
    return i


def tokens(columns: Columns, i: int) -> bytes:
    """The tokens of node *i* as one text: equal for the same code, seldom equal for other code."""
    source, start, end, size = columns.source, columns.start, columns.end, columns.size
    return b"\0".join([source[start[d] : end[d]] for d in range(i, i + size[i]) if size[d] == 1])
