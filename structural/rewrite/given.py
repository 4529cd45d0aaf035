"""Places that are rewritten because somebody else found them: the matches of rules.

A rule finds a place by more than one pattern, or by none.  Where a pattern of it stands at the
place with the bindings that the rule made, the edits are those between that pattern and the
rewrite.  Everywhere else the node of the place (or the code of one metavariable) is written anew as
a whole; what the rule bound is copied into it, and every check of a site holds for it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from structural.errors import RewriteError
from structural.pattern.compile import Pattern, Reading
from structural.pattern.ladder import climb
from structural.pattern.metavariables import Fragment, cut
from structural.pattern.outcome import Found
from structural.pattern.program import Program
from structural.pattern.search import Placement, placements
from structural.pattern.tables import Tables, options, tables
from structural.pattern.values import Attempts, Binding
from structural.rewrite.jobs import Beyond
from structural.rewrite.parts import Chosen, Run
from structural.rewrite.places import Place, Places
from structural.rewrite.stretch import outermost
from structural.rewrite.template import Pairing, Template, pair_all, pairing_of, read_by
from structural.rewrite.written import Item, Written, of_program
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.syntax.grammar import load_named
from structural.text import Span

_MOST_TEXT = 4_000
"""Bytes of a place that is read to find out what sort of code stands there."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Which sibling goes with a place: one of which ``holds`` is true, by its span and text, the next or
    the first there is."""

    holds: Callable[[Span, bytes], bool]
    far: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """A place that is to be rewritten, in bytes.  ``kind``: of its first node, if that is known.
    ``bindings``: all that its rewrite may use.  ``texts``: name → text that was made from something.
    ``whole``: no pattern says what stands there."""

    span: Span
    kind: str = ""
    bindings: tuple[Binding, ...] = ()
    texts: Mapping[str, bytes] = field(default_factory=dict)
    whole: bool = False
    before: Beside | None = None
    behind: Beside | None = None
    refused: str = ""
    """Why it cannot be rewritten, if that is known."""


class GivenTemplate:
    """A rewrite for given places of one language.

    *patterns* may stand at a place, the first that does counts.  *target*: the name of the
    metavariable that stands for all of a place.  RewriteError if the rewrite is no code anywhere.
    """

    def __init__(
        self,
        rewrite: str,
        language: str,
        patterns: Sequence[tuple[Pattern, Reading]] = (),
        target: str = "",
    ) -> None:
        self.target = target
        self.fragment = cut(rewrite)
        self.names = {m.name: m.ellipsis for m in self.fragment.metavariables}
        self.template = Template(rewrite, language, "", tables(language, options("smart", (), ())))
        self.template.empty = not self.fragment.text
        self._whole: dict[str, Pairing] = {}
        self.readings: list[Reading] = []
        self._parts: set[int] = set()
        """Readings of a part of their pattern, by ``id``: the rewrite is read as what stands at a place."""
        for pattern, reading in patterns:
            if any(_is_part(program) for program in reading.programs):
                self._parts.add(id(reading))
                self.readings.append(reading)
                continue
            try:
                found = pair_all(self.fragment, self.template, pattern, reading)
            except RewriteError:
                continue  # It is no code of this one's sort: the place is written as a whole.
            self.template.pairings += found
            self.readings.append(reading)
        if not self.template.pairings and not self.template.empty:
            read_by(self.fragment, load_named(language).language.rungs, self.template)
        program = Program([], None, False, (), frozenset(), ())
        self._stand_in = Reading(language, "", options("smart", (), ()), (program,))

    def run(self, given: Sequence[Given]) -> tuple[Run, list[Given]]:
        """The rewrite of these places, as ``rewrite_source`` takes it; and a list in which, when that is
        done, those are left that are no code of their own."""
        left = list(given)
        return Run(self._stand_in, self.template, chooser=lambda columns: self._choose(left, columns)), left

    def _choose(self, given: list[Given], columns: Columns) -> list[Chosen]:
        """The places of *given* that are in *columns*, which are taken out of it."""
        found = []
        others = []
        for one in given:
            nodes = nodes_at(columns, one.span, one.kind)
            if nodes is None:
                others.append(one)
            else:
                found.append(self._chosen(one, nodes, columns))
        given[:] = others
        return found

    def _chosen(self, given: Given, nodes: tuple[int, int], columns: Columns) -> Chosen:
        bound = {binding.name: binding for binding in given.bindings}
        missing = [name for name in self.names if name not in bound and name not in given.texts]
        wider = self._with_siblings(given, nodes, columns)
        whole = given.whole or wider != nodes
        placement = None if whole else self._placement(given, nodes, columns)
        places = None
        if placement is None:
            placement, places = self._as_whole(given, wider, columns)
        known = placement.program.names
        beyond = Beyond(
            {name: _place(binding, columns) for name, binding in bound.items() if name not in known},
            frozenset(name for name, binding in bound.items() if binding.ellipsis),
            given.texts,
        )
        refused = given.refused or (f"nothing is bound to ${missing[0]} here" if missing else "")
        return Chosen(placement, beyond, places, refused)

    def _with_siblings(self, given: Given, nodes: tuple[int, int], columns: Columns) -> tuple[int, int]:
        """The nodes with those beside them that go too.  What parts or ends them goes in its own way, if
        nothing comes in their place."""
        if given.before is None and given.behind is None:
            return nodes
        given_nodes = nodes
        first, last = nodes
        tables = self.template.tables
        while first == last and columns.parent[first] > 0:
            above = columns.parent[first]
            if columns.kind[above] in tables.blocks or len(_solid(columns, above, tables)) > 1:
                break
            first = last = above  # The statement that is nothing else.
        parent = columns.parent[first]
        siblings = list(columns.children(parent)) if parent >= 0 else []
        own = tables.separators | tables.terminators

        def found(beside: Beside | None, row: list[int]) -> int:
            if beside is None:
                return -1
            for i in row if beside.far else row[:1]:
                nodes = [i]
                while len(inside := _solid(columns, nodes[-1], tables)) == 1:
                    nodes += inside
                spans = (
                    Span(columns.start[k], solid_end(columns, columns.start[k], columns.end[k]))
                    for k in nodes
                )
                if any(beside.holds(span, columns.source[span.start : span.end]) for span in spans):
                    return -1 if self.template.empty and columns.kind[i] in own else i
            return -1

        low = found(given.before, [i for i in reversed(siblings) if i < first])
        high = found(given.behind, [i for i in siblings if i > last])
        if low < 0 and high < 0:
            return given_nodes
        return (low if low >= 0 else first), (high if high >= 0 else last)

    def _placement(self, given: Given, nodes: tuple[int, int], columns: Columns) -> Placement | None:
        """Where a pattern stands at the place, with the same bindings."""
        start, end = given.span.start, given.span.end
        first = nodes[0]
        while first > 0 and columns.start[first - 1] == columns.start[nodes[0]]:
            first -= 1
        stop = nodes[0] + 1
        while stop < len(columns) and columns.start[stop] == columns.start[nodes[0]]:
            stop += 1
        for reading in self.readings:
            at = list(range(first, stop))
            for one in placements(reading, columns, places=[at] * len(reading.programs)):
                found = one.found
                if found.start == start and solid_end(columns, start, found.end) == end:
                    if _agree(one, given, columns):
                        if id(reading) in self._parts:
                            self._pair_part(one.program, given, columns.source)
                        return one
        return None

    def _pair_part(self, program: Program, given: Given, source: bytes) -> None:
        """Pair a part of a pattern with the rewrite, read as what stands at the place of *given*."""
        if any(pairing.program is program for pairing in self.template.pairings):
            return
        right = Written((), (), ()) if self.template.empty else self._pairing(given, source).rewrite
        left = of_program(program, self.template.tables)
        self.template.pairings += (pairing_of(program, left, right, self.template.tables),)

    def _as_whole(self, given: Given, nodes: tuple[int, int], columns: Columns) -> tuple[Placement, Places]:
        first, last = nodes
        pairing = self._pairing(given, columns.source)
        start, end = given.span.start, given.span.end
        if columns.end[last] > end or columns.start[first] < start:
            start, end = columns.start[first], solid_end(columns, columns.start[last], columns.end[last])
        ends_at = end
        items = pairing.rewrite.items
        kids = columns.children(last)
        if kids and items and columns.size[kids[-1]] == 1 and first == last and len(kids) > 1:
            ends = columns.kind[kids[-1]] in self.template.tables.terminators
            if ends and items[-1].text not in pairing.terminators:
                end = solid_end(columns, start, columns.end[kids[-2]])  # What ends a statement stays.
        bound = (start, end, first, last)
        found = Found(first, last, start, ends_at, (bound,) if self.target else (), 0, start)
        return Placement(found, pairing.program), Places([Place(*bound)])

    def _pairing(self, given: Given, source: bytes) -> Pairing:
        """The rewrite read as what stands at the place."""
        known = self._whole.get(given.kind)
        if known is None:
            names = (self.target,) if self.target else ()
            program = Program([], None, False, names, frozenset(), ())
            left = Written((Item((0, 1), b"", name=self.target),), (b"",), (b"",))
            right = Written((), (), ())
            if not self.template.empty:
                text = source[given.span.start : given.span.end]
                right = read_by(self.fragment, self._rungs(text, given.kind), self.template)
            known = pairing_of(program, left, right, self.template.tables)
            self._whole[given.kind] = known
            self.template.pairings += (known,)
        return known

    def _rungs(self, text: bytes, kind: str) -> list[str]:
        """All rungs, those first by which code like *text* is read as a *kind*, or at all."""
        grammar = load_named(self.template.language)
        alike: list[str] = []
        others: list[str] = []
        if len(text) <= _MOST_TEXT:
            shown = text.decode("utf-8", "replace")
            for accepted in climb(Fragment(shown, (shown,), ""), grammar, None, Attempts()):
                root = grammar.name(accepted.columns.kind[accepted.roots[0]])
                (alike if root == kind else others).append(accepted.rung)
        return list(dict.fromkeys([*alike, *others, *grammar.language.rungs]))


def _solid(columns: Columns, i: int, tables: Tables) -> list[int]:
    """The children of node *i* without terminators."""
    return [k for k in columns.children(i) if columns.kind[k] not in tables.terminators]


def _is_part(program: Program) -> bool:
    """Whether a pattern is only a part of what was read."""
    accepted = program.accepted
    return accepted is not None and accepted.selected


def nodes_at(columns: Columns, span: Span, kind: str = "") -> tuple[int, int] | None:
    """The nodes that are the code at *span*, first and last; None if none are just that.  *kind*: of
    several that begin there the one of this kind."""
    tops = outermost(columns, span.start, span.end)
    if not tops or solid_end(columns, span.start, columns.end[tops[-1]]) != span.end:
        return None
    first = tops[0]
    start = columns.start[first]
    if start != span.start and columns.source[start : span.start].strip():
        return None
    if len(tops) > 1:
        return first, tops[-1]
    if kind:
        name, i = load_named(columns.language).name, first
        while name(columns.kind[i]) != kind:
            i += 1
            if i >= len(columns) or columns.start[i] != start or columns.end[i] < columns.end[first]:
                return first, first
        return i, i
    return first, first


def _place(binding: Binding, columns: Columns) -> Place:
    start, end = binding.span.start, binding.span.end
    if start == end:
        return Place(start, end, -2, -2)
    nodes = nodes_at(columns, binding.span)
    return Place(start, end, *(nodes or (-1, -1)))


def _agree(placement: Placement, given: Given, columns: Columns) -> bool:
    """Whether the pattern binds there what was bound."""
    wanted = {binding.name: binding.span for binding in given.bindings}
    for name, bound in zip(placement.program.names, placement.found.bindings, strict=True):
        if bound is None or name not in wanted:
            continue
        start, end = bound[0], solid_end(columns, bound[0], bound[1])
        span = wanted[name]
        while start < end and columns.source[start : start + 1].isspace():
            start += 1
        if (start, end) != (span.start, span.end) and (start < end or span.start < span.end):
            return False
    return True
