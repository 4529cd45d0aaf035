"""A pattern of a rule in the columns of one file: at which nodes it stands, and with which bindings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from structural.pattern.bindings import Bound, Check, same_code
from structural.pattern.comments import all_stand
from structural.pattern.layers import ORDER
from structural.pattern.matcher import Matcher
from structural.pattern.outcome import Found
from structural.pattern.program import Program
from structural.rules.terms import Atom

if TYPE_CHECKING:
    from structural.rules.evaluate import Evaluation


class AtomRun:
    """Of one atom.  A node is found with the program that comes first, as in a search; unlike there, each
    layer of one span is a node of its own."""

    def __init__(self, atom: Atom, evaluation: Evaluation) -> None:
        reading = atom.reading
        self.atom = atom
        self.evaluation = evaluation
        self.columns = evaluation.columns
        self.tables = reading.tables
        self.only = self.tables.grammar.ids((reading.kind,)) if reading.kind else None
        self.kinds = None if reading.run else reading.kinds if self.only is None else self.only
        """Kinds of the nodes at which it can stand, None for any."""
        candidates = evaluation.of_probes
        self._candidates = None if candidates is None else candidates.get(atom.number)
        """Where it may stand; None if that was not asked."""
        self._among = None if self._candidates is None else frozenset(self._candidates)
        self._matchers = [
            self._matcher(program, self._checks(program, {}, None)) for program in reading.programs
        ]
        self._known: dict[int, tuple[Found, Program] | None] = {}
        self._runs: dict[int, tuple[Found, Program]] | None = None

    @property
    def exhausted(self) -> bool:
        return any(matcher.budget < 0 for matcher in self._matchers)

    def _matcher(self, program: Program, checks: Sequence[Check | None]) -> Matcher:
        return Matcher(program, self.tables, self.columns, checks, None, self.only)

    def likely(self) -> Sequence[int]:
        """Nodes among which are all at which it stands, in order."""
        if self.atom.reading.run:
            return sorted(self._all_runs())
        if self._candidates is not None:
            return self._candidates
        if self.kinds is None:
            return range(len(self.columns))
        return self.evaluation.of_kinds(self.kinds)

    def found(self, i: int) -> tuple[Found, Program] | None:
        """The match at node *i* with the program that it is of, whatever else is bound."""
        if self.atom.reading.run:
            return self._all_runs().get(i)
        if self._among is not None and i not in self._among:
            return None
        if i in self._known:
            return self._known[i]
        found = self._known[i] = self._found(i, self._matchers)
        return found

    def _found(self, i: int, matchers: Sequence[Matcher]) -> tuple[Found, Program] | None:
        columns, reading = self.columns, self.atom.reading
        k = columns.kind[i]
        if self.only is not None and k not in self.only:
            return None
        for at, (program, matcher) in enumerate(zip(reading.programs, matchers, strict=True)):
            kinds = program.kinds
            if k not in kinds if kinds is not None else not self.tables.grammar.is_named(k):
                continue
            if columns.size[i] < program.least or matcher.budget < 0:
                continue
            if program.lone_identifier and matcher.layers.is_member_name(i):
                continue
            found = matcher.at(i)
            if found is None:
                continue
            if reading.mentioned and not all_stand(reading.mentioned, columns, found.start, found.end):
                continue
            if at and self.tables.unordered:
                found = replace(found, equivalences=found.equivalences | ORDER)
            return found, program
        return None

    def _all_runs(self) -> dict[int, tuple[Found, Program]]:
        found = self._runs
        if found is None:
            found = self._runs = {}
            reading = self.atom.reading
            for program, matcher in zip(reading.programs, self._matchers, strict=True):
                for item in matcher.find():
                    if reading.mentioned and not all_stand(
                        reading.mentioned, self.columns, item.start, item.end
                    ):
                        continue
                    found.setdefault(item.first, (item, program))
        return found

    # --- with other bindings ----------------------------------------------------------------------

    def solutions(self, i: int, env: Mapping[str, Any]) -> Iterator[tuple[Found, Program]]:
        """The matches at node *i* that agree with *env*, those that differ in what others ask for."""
        first = self.found(i)
        if first is None:
            return
        shared = self.atom.shared
        if not shared:
            yield first
            return
        seen: set[tuple[Bound | None, ...]] = set()
        agrees = all(self._agrees(first[0].bindings[at], self.atom.names[at], env) for at in shared)
        if agrees:
            yield first
            seen.add(tuple(first[0].bindings[at] for at in shared))
        if agrees and all(self.atom.names[at] in env for at in shared):
            return  # another choice would bind the same
        while True:
            matchers = [
                self._matcher(program, self._checks(program, env, seen))
                for program in self.atom.reading.programs
            ]
            found = self._again(i, matchers)
            if found is None:
                return
            key = tuple(found[0].bindings[at] for at in shared)
            if key in seen:
                return
            yield found
            seen.add(key)
            if all(self.atom.names[at] in env for at in shared):
                return

    def _again(self, i: int, matchers: Sequence[Matcher]) -> tuple[Found, Program] | None:
        self.evaluation.step()
        if not self.atom.reading.run:
            return self._found(i, matchers)
        for program, matcher in zip(self.atom.reading.programs, matchers, strict=True):
            found = matcher.at(i, self.columns.parent[i])
            if found is not None:
                return found, program
        return None

    def _agrees(self, bound: Bound | None, name: str, env: Mapping[str, Any]) -> bool:
        before = env.get(name)
        if before is None or bound is None:
            return True
        return same_code(self.columns, before[0], bound, self.tables.strings)

    def _checks(
        self, program: Program, env: Mapping[str, Any], seen: set[tuple[Bound | None, ...]] | None
    ) -> list[Check | None]:
        """What is asked of each name when it is bound: its constraint; if others bind it, their code; and of
        the last one that all together were not *seen*."""
        table: list[Check | None] = [None] * len(program.names)
        asked = dict(self.atom.checks)
        for at, name in enumerate(self.atom.names):
            if at in asked and name not in env:
                table[at] = self._constraint(asked[at], program.names[at] in program.ellipses)
        if seen is None:
            return table
        for at in self.atom.shared:
            table[at] = self._shared_check(at, env.get(self.atom.names[at]), table[at], seen)
        return table

    def _constraint(self, term: Any, ellipsis: bool) -> Check:
        evaluation = self.evaluation

        def check(columns: object, bound: Bound, env: Sequence[Bound | None]) -> bool:
            return next(evaluation.on(term, bound, ellipsis, {}), None) is not None

        return check

    def _shared_check(
        self, at: int, before: Any, inner: Check | None, seen: set[tuple[Bound | None, ...]]
    ) -> Check:
        shared, columns, strings = self.atom.shared, self.columns, self.tables.strings

        def check(_: object, bound: Bound, env: Sequence[Bound | None]) -> bool:
            if before is not None and not same_code(columns, before[0], bound, strings):
                return False
            if inner is not None and not inner(columns, bound, env):
                return False
            key = tuple(bound if other == at else env[other] for other in shared)
            return any(one is None for one in key) or key not in seen

        return check
