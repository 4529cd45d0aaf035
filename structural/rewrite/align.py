"""Which tokens a pattern and its rewrite have in common, in order.

The heaviest common subsequence, by dynamic programming over the two rows of items
(Needleman and Wunsch 1970, without a cost for gaps).  Metavariables weigh more than
words, words more than punctuation, and neighbours that stay neighbours weigh most: an
edit is then in few pieces.
"""

from __future__ import annotations

from collections.abc import Sequence

from structural.rewrite.written import Item

_METAVARIABLE, _WORD, _PUNCTUATION, _NEIGHBOUR = 8, 6, 2, 5
_NEVER = -1_000_000


def align(pattern: Sequence[Item], rewrite: Sequence[Item]) -> list[tuple[int, int]]:
    """Pairs of numbers of items that mean the same, rising in both."""
    rows, columns = len(pattern), len(rewrite)
    left = [item.key for item in pattern]
    right = [item.key for item in rewrite]
    # best[i][j]: of the items from i and j on.  pair[i][j]: with i and j taken together.
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    pair = [[_NEVER] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        weight = _weight(pattern[i])
        for j in range(columns - 1, -1, -1):
            value = max(best[i + 1][j], best[i][j + 1])
            if left[i] == right[j] and weight:
                # Either way the rest is no worse off: neighbours only add.
                together = max(best[i + 1][j + 1], pair[i + 1][j + 1] + _NEIGHBOUR)
                pair[i][j] = weight + together
                value = max(value, pair[i][j])
            best[i][j] = value
    found = []
    i = j = 0
    bound = False  # whether the pair before asks for its neighbours
    while i < rows and j < columns:
        if bound or pair[i][j] == best[i][j]:
            found.append((i, j))
            bound = pair[i + 1][j + 1] + _NEIGHBOUR >= best[i + 1][j + 1]
            i, j = i + 1, j + 1
        elif best[i + 1][j] == best[i][j]:
            i += 1
        else:
            j += 1
    return found


def _weight(item: Item) -> int:
    if item.name is not None:
        return _METAVARIABLE if item.name else 0
    if item.text[:1].isalnum() or item.text[:1] in b"_\"'`":
        return _WORD
    return _PUNCTUATION
