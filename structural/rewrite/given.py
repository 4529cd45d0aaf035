"""Places that are rewritten because somebody else found them: the matches of rules.

A rule finds a place by more than one pattern, or by none.  Where a pattern of it stands at the
place with the bindings that the rule made, the edits are those between that pattern and the
rewrite.  Everywhere else the node of the place (or the code of one metavariable) is written anew as
a whole; what the rule bound is copied into it, and every check of a site holds for it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from structural.errors import RewriteError
from structural.pattern.compile import Pattern, Reading
from structural.pattern.ladder import climb
from structural.pattern.metavariables import Fragment, cut
from structural.pattern.outcome import Found
from structural.pattern.program import Program
from structural.pattern.search import Placement, placements
from structural.pattern.tables import options, tables
from structural.pattern.values import Binding
from structural.rewrite.jobs import Beyond
from structural.rewrite.parts import Chosen, Run
from structural.rewrite.places import Place, Places
from structural.rewrite.stretch import outermost
from structural.rewrite.template import Pairing, Template, pair_all, pairing_of, read_by
from structural.rewrite.written import Item, Written
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.syntax.grammar import load_named
from structural.text import Span

_MOST_TEXT = 4_000
"""Bytes of a place that is read to find out what sort of code stands there."""


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
        for pattern, reading in patterns:
            try:
                found = pair_all(self.fragment, self.template, pattern, reading)
            except RewriteError:
                continue  # It is no code of this one's sort: the place is written as a whole.
            self.template.pairings += found
            self.readings.append(reading)
        if not self.readings and not self.template.empty:
            read_by(self.fragment, load_named(language).language.rungs, self.template)
        program = Program([], None, False, (), frozenset(), ())
        self._stand_in = Reading(language, "", options("smart", (), ()), (program,))

    def run(self, given: Mapping[str, Sequence[Given]] | Sequence[Given]) -> Run:
        """The rewrite of these places, as ``rewrite_source`` takes it."""
        places = [one for group in given.values() for one in group] if isinstance(given, Mapping) else given
        return Run(self._stand_in, self.template, chooser=lambda columns: self.chosen(places, columns))

    def chosen(self, given: Iterable[Given], columns: Columns) -> list[Chosen]:
        """The places of *given* in *columns*; those in other code of the file are left out."""
        found = []
        for one in given:
            nodes = nodes_at(columns, one.span, one.kind)
            if nodes is not None:
                found.append(self._chosen(one, nodes, columns))
        return found

    def _chosen(self, given: Given, nodes: tuple[int, int], columns: Columns) -> Chosen:
        bound = {binding.name: binding for binding in given.bindings}
        missing = [name for name in self.names if name not in bound and name not in given.texts]
        placement = None if given.whole else self._placement(given, nodes, columns)
        places = None
        if placement is None:
            placement, places = self._as_whole(given, nodes, columns)
        known = placement.program.names
        beyond = Beyond(
            {name: _place(binding, columns) for name, binding in bound.items() if name not in known},
            frozenset(name for name, binding in bound.items() if binding.ellipsis),
            given.texts,
        )
        refused = f"nothing is bound to ${missing[0]} here" if missing else ""
        return Chosen(placement, beyond, places, refused)

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
                        return one
        return None

    def _as_whole(self, given: Given, nodes: tuple[int, int], columns: Columns) -> tuple[Placement, Places]:
        first, last = nodes
        pairing = self._pairing(given, columns.source)
        start, end = given.span.start, given.span.end
        items = pairing.rewrite.items
        kids = columns.children(last)
        if kids and items and columns.size[kids[-1]] == 1 and first == last and len(kids) > 1:
            ends = columns.kind[kids[-1]] in self.template.tables.terminators
            if ends and items[-1].text not in pairing.terminators:
                end = solid_end(columns, start, columns.end[kids[-2]])  # What ends a statement stays.
        bound = (start, end, first, last)
        found = Found(first, last, start, given.span.end, (bound,) if self.target else (), 0, start)
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
            for accepted in climb(Fragment(shown, (shown,), ""), grammar, None, []):
                root = grammar.name(accepted.columns.kind[accepted.roots[0]])
                (alike if root == kind else others).append(accepted.rung)
        return list(dict.fromkeys([*alike, *others, *grammar.language.rungs]))


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
