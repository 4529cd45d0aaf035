"""Where terms hold in the columns of one file.

Three questions, from cheap to dear.  ``test``: can the term hold of this node?  Exact for a term that is not
open; of an open one "maybe" where bindings decide.  ``places``: all nodes of which the first says yes, in
order.  ``solve``: with which bindings does the term hold of this node, beside those that there are?  The
answers to the first two are kept for the file, so equal terms of many rules are asked once.

Of what is not open one answer of ``solve`` is enough: nobody else asks for what it binds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from structural.pattern.bindings import Bound, innermost, same_code
from structural.pattern.constraints import COMPARE, elements
from structural.pattern.outcome import Found
from structural.pattern.program import Program
from structural.rules.atoms import AtomRun
from structural.rules.relations import Relations
from structural.rules.terms import (
    AllTerm,
    AnyTerm,
    Anything,
    Atom,
    CountTerm,
    KindTerm,
    Never,
    NotTerm,
    NthTerm,
    OnTerm,
    PatternTerm,
    RangeTerm,
    RegexTerm,
    RelationTerm,
    SameTerm,
    Term,
)
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.syntax.grammar import load_named
from structural.text import LineIndex
from structural.text.regexes import Bounded

Bindings = dict[str, Any]
"""Metavariable → what it stands for (``Bound``), and whether it is an ellipsis.  The empty name → the first
pattern that stands at the place itself, as (atom, program, found); None while a place around is asked."""


class GaveUpError(Exception):
    """A rule asked for too much in one file."""


MOST_STEPS = 200_000
"""What one rule may try in one file beyond what is found out once: about a second."""


class Evaluation:
    """Of all terms in the columns of one file."""

    def __init__(
        self,
        columns: Columns,
        of_kinds: dict[int, list[int]] | None = None,
        of_probes: dict[int, list[int]] | None = None,
    ) -> None:
        self.columns = columns
        self.of_probes = of_probes
        self._asked_kinds = of_kinds
        self.grammar = load_named(columns.language)
        self.strings = frozenset(
            k for k in self.grammar.ids(self.grammar.language.strings) if self.grammar.named[k]
        )
        self.steps = MOST_STEPS
        self.relations = Relations(self)
        self._by_kind: dict[int, list[int]] | None = None
        self._tests: dict[Term, dict[int, bool]] = {}
        self._places: dict[Term, list[int]] = {}
        self._runs: dict[Atom, AtomRun] = {}
        self._regexes: dict[str, Bounded] = {}
        self._lines: LineIndex | None = None

    # --- one node -----------------------------------------------------------------------------------

    def test(self, term: Term, i: int) -> bool:
        """Whether *term* holds of node *i*; if it is open, whether it may."""
        if type(term) is KindTerm:
            return self.columns.kind[i] in term.kinds
        known = self._tests.get(term)
        if known is None:
            known = self._tests[term] = {}
        found = known.get(i)
        if found is None:
            found = known[i] = _TESTS[type(term)](self, term, i)
        return found

    def _pattern(self, term: PatternTerm, i: int) -> bool:
        return self.run(term.atom).found(i) is not None

    def _kind(self, term: KindTerm, i: int) -> bool:
        return self.columns.kind[i] in term.kinds

    def _regex(self, term: RegexTerm, i: int) -> bool:
        return term.whole or self.finds(term.regex, *self.solid(self.columns.start[i], self.columns.end[i]))

    def _range(self, term: RangeTerm, i: int) -> bool:
        if term.whole:
            return True
        return self.stands(term, *self.solid(self.columns.start[i], self.columns.end[i]))

    def _nth(self, term: NthTerm, i: int, env: Bindings | None = None) -> bool:
        columns, named = self.columns, self.grammar.is_named
        parent = columns.parent[i]
        if parent < 0 or not named(columns.kind[i]):
            return False
        kids = [c for c in columns.children(parent) if named(columns.kind[c])]
        of = term.of
        if of is not None and of.open:
            if env is None:
                return True
            kids = [c for c in kids if next(self.solve(of, c, env), None) is not None]
        elif of is not None:
            kids = [c for c in kids if self.test(of, c)]
        at = bisect_left(kids, i)
        if at == len(kids) or kids[at] != i:
            return False
        number = len(kids) - at if term.reverse else at + 1
        rest = number - term.offset
        return rest == 0 if term.step == 0 else rest % term.step == 0 and rest // term.step >= 0

    def _relation(self, term: RelationTerm, i: int) -> bool:
        if self.relations.first(term, i) < 0:
            return False
        return (
            term.open or not _joins(term) or next(self._solve_relation(term, i, {}, False), None) is not None
        )

    def _all(self, term: AllTerm, i: int) -> bool:
        if not all(self.test(one, i) for one in term.terms):
            return False
        if term.open or not any(one.open for one in term.terms):
            return True
        return next(self._rest(term.terms, 0, i, {}, False), None) is not None

    def _any(self, term: AnyTerm, i: int) -> bool:
        return any(self.test(one, i) for one in term.terms)

    def _not(self, term: NotTerm, i: int) -> bool:
        return term.open or not self.test(term.inner, i)

    # --- all nodes ----------------------------------------------------------------------------------

    def places(self, term: Term) -> list[int]:
        """All nodes for which ``test`` says yes, in order."""
        found = self._places.get(term)
        if found is None:
            if isinstance(term, AllTerm):
                found = self._places_of_all(term)
                self._tests.setdefault(term, {}).update(dict.fromkeys(found, True))
            else:
                found = [i for i in self._likely(term) if self.test(term, i)]
            self._places[term] = found
        return found

    def _places_of_all(self, term: AllTerm) -> list[int]:
        """The nodes of the term that has the fewest, as far as each of the others may hold there too."""
        of_each = [self._likely(one) for one in term.terms]
        fewest = min(range(len(of_each)), key=lambda at: len(of_each[at]))
        found = list(of_each[fewest])
        for at, one in enumerate(term.terms):
            if isinstance(one, KindTerm):
                if at != fewest or isinstance(of_each[at], range):
                    kind, kinds = self.columns.kind, one.kinds
                    found = [i for i in found if kind[i] in kinds]
            elif found:
                found = [i for i in found if self.test(one, i)]
        if term.open or not any(one.open for one in term.terms):
            return found
        return [i for i in found if next(self._rest(term.terms, 0, i, {}, False), None) is not None]

    def _likely(self, term: Term) -> Sequence[int]:
        """Nodes among which are all for which ``test`` says yes, in order."""
        if isinstance(term, KindTerm):
            if self._asked_kinds is not None and not term.kinds <= self._asked_kinds.keys():
                return range(len(self.columns))
            return self.of_kinds(term.kinds)
        if isinstance(term, PatternTerm):
            return self.run(term.atom).likely()
        if isinstance(term, AnyTerm):
            parts = [self._likely(one) for one in term.terms]
            if any(isinstance(part, range) for part in parts):
                return range(len(self.columns))
            return sorted(set().union(*parts))
        if isinstance(term, AllTerm):
            return min((self._likely(one) for one in term.terms), key=len)
        if isinstance(term, Never):
            return ()
        return range(len(self.columns))

    def of_kinds(self, kinds: frozenset[int]) -> list[int]:
        """The nodes of *kinds*, in order."""
        by_kind = self._asked_kinds if self._asked_kinds is not None else self._by_kind
        if by_kind is None:
            by_kind = self._by_kind = {}
            for i, k in enumerate(self.columns.kind):
                those = by_kind.get(k)
                if those is None:
                    by_kind[k] = [i]
                else:
                    those.append(i)
        found = [by_kind[k] for k in kinds if k in by_kind]
        if len(found) == 1:
            return found[0]
        return sorted(i for those in found for i in those)

    # --- bindings -----------------------------------------------------------------------------------

    def solve(self, term: Term, i: int, env: Bindings, full: bool = False) -> Iterator[Bindings]:
        """The bindings with which *term* holds of node *i*, each with *env*.

        *full*: with what parts bind for which nobody asks but the answer."""
        if not self.test(term, i):
            return
        if not term.open and not (full and term.binds):
            yield env
            return
        if not term.open and not isinstance(term, PatternTerm):
            # One answer will do.
            yield from _first(_SOLVES[type(term)](self, term, i, env, full))
            return
        yield from _SOLVES[type(term)](self, term, i, env, full)

    def step(self, number: int = 1) -> None:
        """Count a try; GaveUpError if there were too many."""
        self.steps -= number
        if self.steps < 0:
            raise GaveUpError

    def _solve_pattern(self, term: PatternTerm, i: int, env: Bindings, full: bool) -> Iterator[Bindings]:
        for found, program in self.run(term.atom).solutions(i, env):
            self.step()
            yield self.bound(term.atom, found, program, env, program.run or full)

    def bound(self, atom: Atom, found: Found, program: Program, env: Bindings, tell: bool) -> Bindings:
        """*env* with what *found* binds; *tell*: and with what stands at the place."""
        made = dict(env)
        if tell and "" not in made:
            made[""] = (atom, program, found)
        for at, bound in enumerate(found.bindings):
            name = atom.names[at]
            if bound is not None and name not in made:
                made[name] = (bound, program.names[at] in program.ellipses)
        return made

    def _solve_text(
        self, term: RegexTerm | RangeTerm, i: int, env: Bindings, full: bool
    ) -> Iterator[Bindings]:
        if term.whole:
            here = env.get("")
            if here is not None:
                span = self.solid(here[2].start, here[2].end)
            else:
                span = self.solid(self.columns.start[i], self.columns.end[i])
            if not (
                self.finds(term.regex, *span) if isinstance(term, RegexTerm) else self.stands(term, *span)
            ):
                return
        yield env

    def _solve_relation(self, term: RelationTerm, i: int, env: Bindings, full: bool) -> Iterator[Bindings]:
        aside = _aside(env)
        if not term.open and not _joins(term):
            at = self.relations.first(term, i)
            for made in self.solve(term.inner, at, aside, full):
                yield _back(made, env)
            return
        for at in self.relations.nearest(term, i, aside):
            self.step()
            for made in self.solve(term.inner, at, aside, full):
                yield _back(made, env)

    def _solve_all(self, term: AllTerm, i: int, env: Bindings, full: bool) -> Iterator[Bindings]:
        yield from self._rest(term.terms, 0, i, env, full)

    def _rest(
        self, terms: tuple[Term, ...], at: int, i: int, env: Bindings, full: bool
    ) -> Iterator[Bindings]:
        if at == len(terms):
            yield env
            return
        for made in self.solve(terms[at], i, env, full):
            yield from self._rest(terms, at + 1, i, made, full)

    def _solve_any(self, term: AnyTerm, i: int, env: Bindings, full: bool) -> Iterator[Bindings]:
        for one in term.terms:
            yield from self.solve(one, i, env, full)

    def _solve_not(self, term: NotTerm, i: int, env: Bindings, full: bool) -> Iterator[Bindings]:
        self.step()
        if next(self.solve(term.inner, i, _aside(env)), None) is None:
            yield env

    def _solve_nth(self, term: NthTerm, i: int, env: Bindings, full: bool) -> Iterator[Bindings]:
        if self._nth(term, i, _aside(env)):
            yield env

    def _solve_on(self, term: OnTerm, i: int, env: Bindings, full: bool) -> Iterator[Bindings]:
        found = env.get(term.name)
        if found is None:
            yield env
            return
        self.step()
        for made in self.on(term.inner, found[0], found[1], _aside(env), full):
            yield _back(made, env)

    # --- conditions of bindings -----------------------------------------------------------------------

    def on(
        self, term: Term, bound: Bound, ellipsis: bool, env: Bindings, full: bool = False
    ) -> Iterator[Bindings]:
        """The bindings with which *term* holds of what a metavariable stands for.

        The same code, the number of elements and regular expressions are asked of the whole; other
        conditions of the node, or of each element of an ellipsis."""
        if isinstance(term, SameTerm):
            other = env.get(term.name)
            if other is None or same_code(self.columns, bound, other[0], self.strings):
                yield env
        elif isinstance(term, CountTerm):
            if COMPARE[term.operator](len(self.elements(bound)), term.number):
                yield env
        elif isinstance(term, RegexTerm):
            if self.finds(term.regex, *self.solid(bound[0], bound[1])):
                yield env
        elif isinstance(term, AllTerm):
            yield from self._on_rest(term.terms, 0, bound, ellipsis, env, full)
        elif isinstance(term, AnyTerm):
            for one in term.terms:
                yield from self.on(one, bound, ellipsis, env, full)
        elif isinstance(term, NotTerm) and (not ellipsis or _of_whole(term.inner)):
            if next(self.on(term.inner, bound, ellipsis, env), None) is None:
                yield env
        elif ellipsis and bound[2] != -1:
            yield from self._on_each(term, self.elements(bound), 0, env, full)
        elif bound[2] >= 0:
            yield from self._on_node(term, bound[2], env, full)

    def _on_rest(
        self, terms: tuple[Term, ...], at: int, bound: Bound, ellipsis: bool, env: Bindings, full: bool
    ) -> Iterator[Bindings]:
        if at == len(terms):
            yield env
            return
        for made in self.on(terms[at], bound, ellipsis, env, full):
            yield from self._on_rest(terms, at + 1, bound, ellipsis, made, full)

    def _on_each(
        self, term: Term, nodes: list[int], at: int, env: Bindings, full: bool
    ) -> Iterator[Bindings]:
        for node in nodes[at:]:
            if isinstance(term, NotTerm):
                bound = (self.columns.start[node], self.columns.end[node], node, node)
                if next(self.on(term.inner, bound, False, env), None) is not None:
                    return
                continue
            made = next(self._on_node(term, node, env, full), None)
            if made is None:
                return
            env = made
        yield env

    def _on_node(self, term: Term, i: int, env: Bindings, full: bool) -> Iterator[Bindings]:
        """Of the node or a layer of the same span inside of it."""
        for at in range(i, innermost(self.columns, i) + 1):
            yield from self.solve(term, at, env, full)

    def elements(self, bound: Bound) -> list[int]:
        return elements(self.columns, bound, self._plain_tables())

    def _plain_tables(self) -> Any:
        from structural.pattern.tables import Options, tables

        return tables(self.columns.language, Options())

    def exhausted(self, atoms: Iterable[Atom]) -> bool:
        """Whether one of *atoms* asked for too many choices."""
        runs = self._runs
        return any(atom in runs and runs[atom].exhausted for atom in atoms)

    # --- helpers --------------------------------------------------------------------------------------

    def run(self, atom: Atom) -> AtomRun:
        found = self._runs.get(atom)
        if found is None:
            found = self._runs[atom] = AtomRun(atom, self)
        return found

    def solid(self, start: int, end: int) -> tuple[int, int]:
        """[start, end) without white space and comments that a grammar counts to a node."""
        source = self.columns.source
        end = solid_end(self.columns, start, end)
        while start < end and source[start] in b" \t\r\n\f":
            start += 1
        return start, end

    def finds(self, regex: str, start: int, end: int) -> bool:
        compiled = self._regexes.get(regex)
        if compiled is None:
            compiled = self._regexes[regex] = Bounded(regex)
        return compiled.finds(self.columns.source[start:end].decode("utf-8", "replace"))

    def stands(self, term: RangeTerm, start: int, end: int) -> bool:
        """Whether [start, end) begins and ends where *term* says."""
        if self._lines is None:
            self._lines = LineIndex(self.columns.source)
        for wanted, byte in ((term.start, start), (term.end, end)):
            if wanted is not None:
                place = self._lines.position(byte)
                if place.line != wanted[0] or (wanted[1] is not None and place.column != wanted[1]):
                    return False
        return True


def _of_whole(term: Term) -> bool:
    if isinstance(term, AllTerm | AnyTerm):
        return all(map(_of_whole, term.terms))
    if isinstance(term, NotTerm):
        return _of_whole(term.inner)
    return isinstance(term, SameTerm | CountTerm | RegexTerm)


def _joins(term: RelationTerm) -> bool:
    """Whether bindings decide where the relation holds."""
    return term.inner.open or (term.until is not None and term.until.open)


def _aside(env: Bindings) -> Bindings:
    """*env* for another place."""
    return env if "" in env else {**env, "": None}


def _back(made: Bindings, env: Bindings) -> Bindings:
    """*made* at another place, for the place that *env* is of."""
    if "" in env:
        return made
    return {name: found for name, found in made.items() if name}


def _first(found: Iterator[Bindings]) -> Iterator[Bindings]:
    for one in found:
        yield one
        return


def _yes(evaluation: Evaluation, term: Term, i: int) -> bool:
    return True


def _no(evaluation: Evaluation, term: Term, i: int) -> bool:
    return False


_TESTS: dict[type[Term], Callable[[Evaluation, Any, int], bool]] = {
    Anything: _yes,
    Never: _no,
    PatternTerm: Evaluation._pattern,
    KindTerm: Evaluation._kind,
    RegexTerm: Evaluation._regex,
    RangeTerm: Evaluation._range,
    NthTerm: Evaluation._nth,
    RelationTerm: Evaluation._relation,
    AllTerm: Evaluation._all,
    AnyTerm: Evaluation._any,
    NotTerm: Evaluation._not,
    OnTerm: _yes,
    SameTerm: _yes,
    CountTerm: _yes,
}

_SOLVES: dict[type[Term], Callable[[Evaluation, Any, int, Bindings, bool], Iterator[Bindings]]] = {
    PatternTerm: Evaluation._solve_pattern,
    RegexTerm: Evaluation._solve_text,
    RangeTerm: Evaluation._solve_text,
    NthTerm: Evaluation._solve_nth,
    RelationTerm: Evaluation._solve_relation,
    AllTerm: Evaluation._solve_all,
    AnyTerm: Evaluation._solve_any,
    NotTerm: Evaluation._solve_not,
    OnTerm: Evaluation._solve_on,
}
