"""Nodes of which a condition may hold, by the code that a metavariable stands for there.

A relation whose condition shares a metavariable with what was bound before need not ask all nodes around a
place: only those at which the name stands for the same code.  For each such condition and name the nodes
are sorted by that code once, so that the nearest is found without a walk over the others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from structural.pattern.bindings import Bound
from structural.rules.terms import AllTerm, Atom, PatternTerm, RelationTerm, Term

if TYPE_CHECKING:
    from structural.rules.relations import Relations

_MOST_CHOICES = 8
"""Matches of a pattern at one node that differ in a name; with more the node may stand for any code."""

_SPACE = b" \t\r\n\f\v"


@dataclass(slots=True)
class Group:
    """Nodes in order.  ``around``: for each the place in the list of the nearest around it, -1 for none."""

    nodes: list[int] = field(default_factory=list)
    around: list[int] | None = None
    beside: dict[int, list[tuple[int, int]]] | None = None
    """Parent of siblings → (sibling, node that is all of it), in order."""


class Joins:
    """Of one file."""

    def __init__(self, relations: Relations) -> None:
        self.relations = relations
        self.columns = relations.columns
        self._sorted: dict[tuple[Term, str], dict[bytes, Group]] = {}

    def nearest(self, term: RelationTerm, i: int, env: dict[str, Any]) -> Iterator[int] | None:
        """What ``Relations.nearest`` gives, without nodes at which a name that is bound stands for other
        code; None if that cannot be told."""
        until = term.until
        if until is None or until.open:
            return None
        atom, way = _source(term.inner)
        if atom is None:
            return None
        for at in atom.shared:
            name = atom.names[at]
            if name in env:
                key = self._key(env[name][0])
                if key is None:
                    return None
                group = self._groups(term.inner, atom, at, way).get(key)
                if group is None:
                    return iter(())
                if term.name == "inside":
                    return self._around(term, group, i)
                if term.name == "has":
                    return self._within(term, group, i)
                return self._beside(term, group, i)
        return None

    def _key(self, bound: Bound | None) -> bytes | None:
        """A text that is the same for the same code, None if that is not told."""
        if bound is None:
            return None
        columns = self.columns
        start, end = bound[0], bound[1]
        text = columns.source[start:end]
        if b"\\" in text:
            return None
        for spans in (columns.comments, columns.layout):
            at = bisect_left(spans, (start, start))
            if at < len(spans) and spans[at][0] < end:
                return None
        return text.translate(None, _SPACE)

    def _groups(self, inner: Term, atom: Atom, at: int, way: RelationTerm | None) -> dict[bytes, Group]:
        """Code → the nodes at which *inner* may hold with a name that stands for it."""
        found = self._sorted.get((inner, atom.names[at]))
        if found is not None:
            return found
        found = self._sorted[inner, atom.names[at]] = {}
        evaluation = self.relations.evaluation
        anywhere: list[int] = []
        for node in evaluation.places(inner):
            keys: set[bytes | None] = set()
            for number, bound in enumerate(islice(self._bound(atom, at, way, node), _MOST_CHOICES + 1)):
                keys.add(None if number == _MOST_CHOICES else self._key(bound))
            if None in keys:
                anywhere.append(node)
                continue
            for key in keys:
                assert key is not None
                found.setdefault(key, Group()).nodes.append(node)
        if anywhere:
            every = set(anywhere)
            for group in found.values():
                group.nodes = sorted(every.union(group.nodes))
            return _Default(found, Group(anywhere))
        return found

    def _bound(self, atom: Atom, at: int, way: RelationTerm | None, node: int) -> Iterator[Bound | None]:
        """What the name stands for in each match of *atom* at *node*, or where *way* leads from there."""
        evaluation = self.relations.evaluation
        if way is None:
            for one, _ in evaluation.run(atom).solutions(node, {}):
                yield one.bindings[at]
            return
        for made in evaluation.solve(way, node, {}):
            found = made.get(atom.names[at])
            yield None if found is None else found[0]

    # --- inside -----------------------------------------------------------------------------------

    def _around(self, term: RelationTerm, group: Group, i: int) -> Iterator[int]:
        nodes, size, columns = group.nodes, self.columns.size, self.columns
        if group.around is None:
            group.around = []
            stack: list[int] = []
            for at, node in enumerate(nodes):
                while stack and nodes[stack[-1]] + size[nodes[stack[-1]]] <= node:
                    stack.pop()
                group.around.append(stack[-1] if stack else -1)
                stack.append(at)
        stop = self.relations.stop_above(term.until, i)
        at = bisect_left(nodes, i) - 1
        while at >= 0 and nodes[at] >= stop:
            node = nodes[at]
            if node + size[node] > i and (not term.field or columns.field[self._way(node, i)] == term.field):
                yield node
            at = group.around[at]

    def _way(self, node: int, i: int) -> int:
        """The child of *node* that is or holds *i*."""
        size = self.columns.size
        child = node + 1
        while child + size[child] <= i:
            child += size[child]
        return child

    # --- has --------------------------------------------------------------------------------------

    def _within(self, term: RelationTerm, group: Group, i: int) -> Iterator[int]:
        nodes, size = group.nodes, self.columns.size
        assert term.until is not None
        for low, high in self.relations.ranges(term, i):
            at = bisect_left(nodes, low)
            while at < len(nodes) and nodes[at] < high:
                stop = self.relations.outermost_stop(term.until, nodes[at], i)
                if stop < 0:
                    yield nodes[at]
                    at += 1
                else:
                    at = bisect_left(nodes, stop + size[stop])

    # --- siblings ---------------------------------------------------------------------------------

    def _beside(self, term: RelationTerm, group: Group, i: int) -> Iterator[int]:
        relations = self.relations
        if group.beside is None:
            group.beside = {}
            for node in group.nodes:
                sibling = relations.item(node)
                group.beside.setdefault(self.columns.parent[sibling], []).append((sibling, node))
            for those in group.beside.values():
                those.sort()
        here = relations.item(i)
        parent = self.columns.parent[here]
        those = group.beside.get(parent, [])
        if parent < 0 or not those:
            return
        stop = relations.stop_beside(term, i)
        if term.name == "precedes":
            for sibling, node in those[bisect_right(those, (here, len(self.columns))) :]:
                if stop >= 0 and sibling > stop:
                    return
                yield node
            return
        at = bisect_left(those, (here, -1))
        while at > 0:
            sibling = those[at - 1][0]
            if sibling < stop:
                return
            low = bisect_left(those, (sibling, -1))
            for _, node in those[low:at]:
                yield node
            at = low


class _Default(dict[bytes, Group]):
    """Groups, and one for any other code."""

    def __init__(self, groups: dict[bytes, Group], other: Group) -> None:
        super().__init__(groups)
        self.other = other

    def get(self, key: bytes, default: Any = None) -> Any:
        return super().get(key, self.other)


def _source(inner: Term) -> tuple[Atom | None, RelationTerm | None]:
    """The pattern that stands at the nodes of which *inner* holds, or to which a relation of theirs
    leads, and that relation; None if there is none for sure."""
    terms = list(_parts(inner))
    for one in terms:
        if isinstance(one, PatternTerm) and one.atom.shared:
            return one.atom, None
    for one in terms:
        if isinstance(one, RelationTerm) and one.open:
            atom, way = _source(one.inner)
            if atom is not None and way is None:
                return atom, one
    return None, None


def _parts(inner: Term) -> Iterator[Term]:
    """What all holds of the node of which *inner* holds."""
    if isinstance(inner, AllTerm):
        for one in inner.terms:
            yield from _parts(one)
    else:
        yield inner
