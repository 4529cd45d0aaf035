"""The equivalence ``order``: attributes and keyword arguments in any order.

A pattern tree with such elements is written out in every order of them; the
orders are alternatives of one reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from math import factorial

from structural.pattern.tree import PatternNode

_MOST = 120
"""Orders of one pattern: five elements in one list."""


def orders(roots: list[PatternNode], unordered: frozenset[int]) -> list[list[PatternNode]]:
    """*roots* in every order of their elements of the kinds *unordered*, as written first.

    Only as written if there are more than a search can try (``too_many``)."""
    if not unordered or too_many(roots, unordered):
        return [roots]
    return [list(tree) for tree in product(*(list(_variants(r, unordered)) for r in roots))]


def too_many(roots: list[PatternNode], unordered: frozenset[int]) -> bool:
    """Whether *roots* have more orders than a search can try."""
    number = 1
    pending = list(roots)
    while pending and number <= _MOST:
        node = pending.pop()
        number *= factorial(len(_places(node, unordered)))
        pending += node.children
    return number > _MOST


def _places(node: PatternNode, unordered: frozenset[int]) -> list[int]:
    """Which children of *node* may change places."""
    return [at for at, child in enumerate(node.children) if child.kind in unordered and not child.soft]


def _variants(node: PatternNode, unordered: frozenset[int]) -> Iterator[PatternNode]:
    if not node.children:
        yield node
        return
    places = _places(node, unordered)
    inner = [list(_variants(child, unordered)) for child in node.children]
    for children in product(*inner):
        for order in permutations(places):
            kids = list(children)
            for to, source in zip(places, order, strict=True):
                kids[to] = children[source]
            yield replace(node, children=kids)
