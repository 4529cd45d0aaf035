"""The equivalence ``order``: attributes and keyword arguments in any order.

A pattern tree with such elements is written out in every order of them; the
orders are alternatives of one reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, permutations, product

from structural.pattern.tree import PatternNode

_MOST = 120
"""Orders of one pattern: five elements in one list."""


def orders(roots: list[PatternNode], unordered: frozenset[int]) -> list[list[PatternNode]]:
    """*roots* in every order of their elements of the kinds *unordered*, as written first.

    Only as written if there are more than a search can try."""
    if not unordered:
        return [roots]
    found = [
        list(tree) for tree in islice(product(*(list(_variants(r, unordered)) for r in roots)), _MOST + 1)
    ]
    return found if len(found) <= _MOST else [roots]


def _variants(node: PatternNode, unordered: frozenset[int]) -> Iterator[PatternNode]:
    if not node.children:
        yield node
        return
    places = [at for at, child in enumerate(node.children) if child.kind in unordered and not child.soft]
    inner = [list(islice(_variants(child, unordered), _MOST + 1)) for child in node.children]
    for children in product(*inner):
        for order in permutations(places):
            kids = list(children)
            for to, source in zip(places, order, strict=True):
                kids[to] = children[source]
            yield replace(node, children=kids)
