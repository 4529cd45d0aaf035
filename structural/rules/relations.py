"""What stands around a node, in it, before and behind it.

``first`` is the nearest node at which a relation that is not open holds; each answer is kept for all nodes
on the way to it, so that no way is gone twice.  ``nearest`` gives the nodes at which an open one may
hold, nearest first; the bindings decide.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from structural.rules.joins import Joins
from structural.rules.terms import Never, RelationTerm, Term

if TYPE_CHECKING:
    from structural.rules.evaluate import Evaluation


class Relations:
    """Of one file."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.columns = evaluation.columns
        grammar = evaluation.grammar
        language = grammar.language
        self.blocks = grammar.ids(language.blocks)
        self.terminators = grammar.ids(language.terminator_tokens)
        self.marks = self.terminators | grammar.ids(language.separators)
        self.partings: dict[int, frozenset[int]] = {}
        """Kind → tokens in it that are no siblings either."""
        for name, tokens in language.partings.items():
            self.partings |= dict.fromkeys(grammar.ids((name,)), self.marks | grammar.ids(tokens))
        self._around: dict[RelationTerm, dict[int, int]] = {}
        self._within: dict[RelationTerm, set[int]] = {}
        self._beside: dict[tuple[RelationTerm, int], list[int]] = {}
        self._stops: dict[Term, dict[int, int]] = {}
        self._units: dict[int, list[int]] = {}
        self._stop_terms: dict[RelationTerm, RelationTerm] = {}
        self.joins = Joins(self)
        self._relaxations: dict[RelationTerm, RelationTerm] = {}

    def first(self, term: RelationTerm, i: int) -> int:
        """The nearest node at which *term* holds of *i*, -1 if there is none; if the term is open one at
        which it may hold, and -1 only if there is none."""
        if term.until is not None and term.until.open:
            term = self._relaxed(term)
        if term.name == "inside":
            return self._inside(term, i)
        if term.name == "has":
            return self._has(term, i)
        return self._sibling(term, i)

    def nearest(self, term: RelationTerm, i: int, env: dict[str, Any]) -> Iterator[int]:
        """The nodes at which *term* may hold of *i*, nearest first."""
        joined = self.joins.nearest(term, i, env)
        if joined is not None:
            return joined
        if term.name == "inside":
            return self._all_around(term, i, env)
        if term.name == "has":
            return self._all_within(term, i, env)
        return self._all_beside(term, i, env)

    def _relaxed(self, term: RelationTerm) -> RelationTerm:
        """*term* without the stop, which depends on bindings."""
        found = self._relaxations.get(term)
        if found is None:
            found = self._relaxations[term] = replace(term, until=Never())
        return found

    # --- inside -----------------------------------------------------------------------------------

    def _inside(self, term: RelationTerm, i: int) -> int:
        """The nearest ancestor that holds, before or at the first that stops."""
        parent, field, test = self.columns.parent, self.columns.field, self.evaluation.test
        inner, until, wanted = term.inner, term.until, term.field
        if until is None:
            p = parent[i]
            return p if p >= 0 and (not wanted or field[i] == wanted) and test(inner, p) else -1
        known = self._around.setdefault(term, {})
        way: list[int] = []
        at = i
        while True:
            found = known.get(at)
            if found is not None:
                break
            way.append(at)
            p = parent[at]
            if p < 0:
                found = -1
                break
            if (not wanted or field[at] == wanted) and test(inner, p):
                found = p
                break
            if test(until, p):
                found = -1
                break
            at = p
        for one in way:
            known[one] = found
        return found

    def _all_around(self, term: RelationTerm, i: int, env: dict[str, Any]) -> Iterator[int]:
        parent, field, test = self.columns.parent, self.columns.field, self.evaluation.test
        wanted = term.field
        at, p = i, parent[i]
        while p >= 0:
            if (not wanted or field[at] == wanted) and test(term.inner, p):
                yield p
            if term.until is None or self._stops_at(term.until, p, env):
                return
            at, p = p, parent[p]

    def _stops_at(self, until: Term, i: int, env: dict[str, Any]) -> bool:
        evaluation = self.evaluation
        if not evaluation.test(until, i):
            return False
        return not until.open or next(evaluation.solve(until, i, env), None) is not None

    # --- has --------------------------------------------------------------------------------------

    def ranges(self, term: RelationTerm, i: int) -> list[tuple[int, int]]:
        """Where in *i* a node may stand: the field that is asked for, or everything."""
        columns = self.columns
        if not term.field:
            return [(i + 1, i + columns.size[i])] if columns.size[i] > 1 else []
        return [(c, c + columns.size[c]) for c in columns.children(i) if columns.field[c] == term.field]

    def _has(self, term: RelationTerm, i: int) -> int:
        evaluation, columns = self.evaluation, self.columns
        if term.until is None:
            for child in columns.children(i):
                if (not term.field or columns.field[child] == term.field) and evaluation.test(
                    term.inner, child
                ):
                    return child
            return -1
        if columns.size[i] == 1:
            return -1
        places = evaluation.places(term.inner)
        if not isinstance(term.until, Never) and i not in self._holders(term, places):
            return -1
        for low, high in self.ranges(term, i):
            at = bisect_left(places, low)
            while at < len(places) and places[at] < high:
                stop = self.outermost_stop(term.until, places[at], i)
                if stop < 0:
                    return places[at]
                at = bisect_left(places, stop + columns.size[stop])
        return -1

    def _holders(self, term: RelationTerm, places: list[int]) -> set[int]:
        """Nodes from which one of *places* can be seen, whatever its field."""
        found = self._within.get(term)
        if found is None:
            found = self._within[term] = set()
            parent = self.columns.parent
            assert term.until is not None
            for place in places:
                p = parent[place]
                while p >= 0 and p not in found:
                    found.add(p)
                    if self.evaluation.test(term.until, p):
                        break
                    p = parent[p]
        return found

    def outermost_stop(self, until: Term, place: int, i: int) -> int:
        """The outermost node between *i* and *place* that stops, -1 if none does."""
        if isinstance(until, Never):
            return -1
        known = self._stops.setdefault(until, {})
        stop = -1
        at = self._stop_above(until, place, known)
        while at > i:
            stop = at
            at = self._stop_above(until, at, known)
        return stop

    def _stop_above(self, until: Term, i: int, known: dict[int, int]) -> int:
        """The nearest node around *i* that stops."""
        parent, test = self.columns.parent, self.evaluation.test
        way: list[int] = []
        while True:
            found = known.get(i)
            if found is not None:
                break
            way.append(i)
            i = parent[i]
            if i < 0:
                found = -1
                break
            if test(until, i):
                found = i
                break
        for one in way:
            known[one] = found
        return found

    def stop_above(self, until: Term | None, i: int) -> int:
        """The nearest node around *i* that stops, -1 if none does."""
        if until is None or isinstance(until, Never):
            return -1
        return self._stop_above(until, i, self._stops.setdefault(until, {}))

    def _all_within(self, term: RelationTerm, i: int, env: dict[str, Any]) -> Iterator[int]:
        evaluation, columns = self.evaluation, self.columns
        if term.until is None:
            for child in columns.children(i):
                if (not term.field or columns.field[child] == term.field) and evaluation.test(
                    term.inner, child
                ):
                    yield child
            return
        places = evaluation.places(term.inner)
        for low, high in self.ranges(term, i):
            at = bisect_left(places, low)
            while at < len(places) and places[at] < high:
                stop = self._first_stop(term.until, places[at], i, env)
                if stop < 0:
                    yield places[at]
                    at += 1
                else:
                    at = bisect_left(places, stop + columns.size[stop])

    def _first_stop(self, until: Term, place: int, i: int, env: dict[str, Any]) -> int:
        if not until.open:
            return self.outermost_stop(until, place, i)
        stop = -1
        at = self.columns.parent[place]
        while at > i:
            if self._stops_at(until, at, env):
                stop = at
            at = self.columns.parent[at]
        return stop

    # --- siblings ---------------------------------------------------------------------------------

    def item(self, i: int) -> int:
        """The node around *i* of which *i* is all: what has the siblings."""
        columns = self.columns
        parent, kind = columns.parent, columns.kind
        p = parent[i]
        while p > 0 and kind[p] not in self.blocks and self.core(p) == i:
            i, p = p, parent[p]
        return i

    def core(self, i: int) -> int:
        """The only child of *i* beside terminators, -1 if there is none or several."""
        columns = self.columns
        size, kind = columns.size, columns.kind
        j, stop, found = i + 1, i + size[i], -1
        while j < stop:
            if size[j] > 1 or kind[j] not in self.terminators:
                if found >= 0:
                    return -1
                found = j
            j += size[j]
        return found

    def layers(self, i: int) -> Iterator[int]:
        """Node *i* and those in it that are all of it."""
        while i >= 0:
            yield i
            if self.columns.kind[i] in self.blocks or self.columns.size[i] == 1:
                return
            i = self.core(i)

    def units(self, p: int) -> list[int]:
        """The children of *p* that are siblings: no separators, no terminators."""
        found = self._units.get(p)
        if found is None:
            columns = self.columns
            marks = self.partings.get(columns.kind[p], self.marks)
            found = self._units[p] = [
                c for c in columns.children(p) if columns.size[c] > 1 or columns.kind[c] not in marks
            ]
        return found

    def _sibling(self, term: RelationTerm, i: int) -> int:
        """The nearest sibling that holds, before or at the first that stops."""
        here = self.item(i)
        p = self.columns.parent[here]
        if p < 0:
            return -1
        units = self.units(p)
        at = bisect_left(units, here)
        back = term.name == "follows"
        if term.until is None:
            at = at - 1 if back else bisect_right(units, here)
            return self._holds_at(term.inner, units[at]) if 0 <= at < len(units) else -1
        near = self._beside.get((term, p))
        if near is None:
            near = self._beside[term, p] = self._nearest(term, units, back)
        return near[at] if back else near[bisect_right(units, here)]

    def stop_beside(self, term: RelationTerm, i: int) -> int:
        """The nearest sibling in the direction of *term* that stops, -1 if none does."""
        if term.until is None or isinstance(term.until, Never):
            return -1
        asked = self._stop_terms.get(term)
        if asked is None:
            asked = self._stop_terms[term] = RelationTerm(term.name, term.until, Never())
        found = self._sibling(asked, i)
        return found if found < 0 else self.item(found)

    def _nearest(self, term: RelationTerm, units: list[int], back: bool) -> list[int]:
        """For every place between *units* the nearest that holds, before it or behind."""
        assert term.until is not None
        near = [-1] * (len(units) + 1)
        found = -1
        for at in range(len(units)) if back else range(len(units) - 1, -1, -1):
            here = self._holds_at(term.inner, units[at])
            if here >= 0:
                found = here
            elif self._holds_at(term.until, units[at]) >= 0:
                found = -1
            near[at + 1 if back else at] = found
        return near

    def _holds_at(self, inner: Term, unit: int) -> int:
        for layer in self.layers(unit):
            if self.evaluation.test(inner, layer):
                return layer
        return -1

    def _all_beside(self, term: RelationTerm, i: int, env: dict[str, Any]) -> Iterator[int]:
        here = self.item(i)
        p = self.columns.parent[here]
        if p < 0:
            return
        units = self.units(p)
        if term.name == "follows":
            steps = range(bisect_left(units, here) - 1, -1, -1)
        else:
            steps = range(bisect_right(units, here), len(units))
        for at in steps:
            for layer in self.layers(units[at]):
                if self.evaluation.test(term.inner, layer):
                    yield layer
            if term.until is None:
                return
            if not isinstance(term.until, Never) and any(
                self._stops_at(term.until, layer, env) for layer in self.layers(units[at])
            ):
                return
