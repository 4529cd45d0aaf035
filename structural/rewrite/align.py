"""Which tokens a pattern and its rewrite have in common, in order.

The heaviest common subsequence, by dynamic programming over the two rows of items, as
in Needleman and Wunsch (1970).  Metavariables weigh more than words, words more than
punctuation; neighbours that stay neighbours weigh more, and what goes or comes between two
that stay costs a little: an edit is then in few pieces, close together.  A metavariable in
the place of another one counts too, so that what is around them stays: ``f($A, $B)`` becomes
``f($B, $A)`` by an exchange, and the comma with its comment is not touched.
"""

from __future__ import annotations

from collections.abc import Sequence

from structural.rewrite.written import Item

_METAVARIABLE, _WORD, _PUNCTUATION, _EXCHANGED, _NEIGHBOUR, _SKIPPED = 64, 48, 16, 40, 40, 1
_BRACKETS = {b"(": b")", b"[": b"]", b"{": b"}"}
_NEVER = -1_000_000


def align(pattern: Sequence[Item], rewrite: Sequence[Item]) -> list[tuple[int, int]]:
    """Pairs of numbers of items that mean the same, or are metavariables in exchange, rising in both;
    of two brackets that belong together both are paired, or neither."""
    return _balanced(_heaviest(pattern, rewrite), pattern, rewrite)


def _balanced(
    pairs: list[tuple[int, int]], pattern: Sequence[Item], rewrite: Sequence[Item]
) -> list[tuple[int, int]]:
    mine, others = partners(pattern), partners(rewrite)
    kept = dict(pairs)
    for i, j in pairs:
        if i not in mine or mine[i] < i or kept.get(i) != j:
            continue
        closer, wanted = mine[i], others.get(j, -1)
        if kept.get(closer) == wanted:
            continue
        kept.pop(closer, None)
        rising = all((a < closer) == (b < wanted) for a, b in kept.items())
        if wanted >= 0 and rising and pattern[closer].key == rewrite[wanted].key:
            kept[closer] = wanted
        else:
            del kept[i]
    # A closing bracket whose opening one is not kept in its place goes too.
    return [
        (i, j) for i, j in sorted(kept.items()) if i not in mine or kept.get(mine[i]) == others.get(j, -1)
    ]


def partners(items: Sequence[Item]) -> dict[int, int]:
    """The number of the other bracket, for each bracket that has one."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for at, item in enumerate(items):
        if item.name is not None or item.pieces is not None:
            continue
        if item.text in _BRACKETS:
            stack.append(at)
        elif stack and _BRACKETS[items[stack[-1]].text] == item.text:
            found[at] = stack.pop()
            found[found[at]] = at
    return found


def _heaviest(pattern: Sequence[Item], rewrite: Sequence[Item]) -> list[tuple[int, int]]:
    rows, columns = len(pattern), len(rewrite)
    left = [item.key for item in pattern]
    right = [item.key for item in rewrite]
    # rest[i][j]: the best of the items from i and j on, behind a pair.
    # pair[i][j]: the same if i and j are taken together.
    rest = [[0] * (columns + 1) for _ in range(rows + 1)]
    pair = [[_NEVER] * (columns + 1) for _ in range(rows + 1)]
    first = (_NEVER, 0, 0)
    for i in range(rows - 1, -1, -1):
        weight = _weight(pattern[i])
        for j in range(columns - 1, -1, -1):
            value = max(0, rest[i + 1][j] - _SKIPPED, rest[i][j + 1] - _SKIPPED)
            same = left[i] == right[j]
            if weight and (same or (pattern[i].name and rewrite[j].name)):
                pair[i][j] = (weight if same else _EXCHANGED) + max(
                    rest[i + 1][j + 1], pair[i + 1][j + 1] + _NEIGHBOUR
                )
                value = max(value, pair[i][j])
                first = max(first, (pair[i][j], -i, -j))
            rest[i][j] = value
    found: list[tuple[int, int]] = []
    if first[0] == _NEVER:
        return found
    i, j = -first[1], -first[2]
    taken = True
    while True:
        if taken:
            found.append((i, j))
            i, j = i + 1, j + 1
            taken = pair[i][j] + _NEIGHBOUR >= rest[i][j] and pair[i][j] > _NEVER
        elif rest[i][j] <= 0:
            return found
        elif pair[i][j] == rest[i][j]:
            taken = True
        elif rest[i + 1][j] - _SKIPPED == rest[i][j]:
            i += 1
        else:
            j += 1


def _weight(item: Item) -> int:
    """What keeping *item* is worth; 0 for one that may not stay, as it binds nothing."""
    if item.name is not None:
        return _METAVARIABLE if item.name else 0
    if item.text[:1].isalnum() or item.text[:1] in b"_\"'`":
        return _WORD
    return _PUNCTUATION
