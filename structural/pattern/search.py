"""All matches of a reading in the columns of a file.

Runs the reading's programs, joins its relations, and turns what was found into
``Match`` values with byte spans.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from structural.pattern.bindings import Bound, same_code
from structural.pattern.comments import all_stand
from structural.pattern.compile import CompiledRelation, Reading
from structural.pattern.constraints import checks as constraint_checks
from structural.pattern.constraints import elements
from structural.pattern.layers import EQUIVALENCE_BITS, ORDER
from structural.pattern.matcher import MOST_CHOICES, Matcher
from structural.pattern.metavariables import Metavariable
from structural.pattern.operations import Code
from structural.pattern.outcome import Found, Trace
from structural.pattern.program import Program
from structural.pattern.tables import Tables
from structural.pattern.values import Binding, Match, Mismatch
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.text import Span


@dataclass(slots=True)
class Effort:
    """What a search gave up: ``exhausted`` is set when a file asked for too many choices."""

    exhausted: bool = False
    spent: int = 0
    """Choices that were taken back, of the program that took back most."""


Places = Sequence[Sequence[int] | None]
"""For every program of a reading the nodes that may be a match, in order; None for any node."""


def matches(
    reading: Reading, columns: Columns, effort: Effort | None = None, places: Places | None = None
) -> list[Match]:
    """All matches in file order; at one place the longest first."""
    effort = effort if effort is not None else Effort()
    if reading.comment is not None:
        return _comments(reading, columns)
    found = _pairs(reading, columns, effort, record=False, places=places)
    return [_match(item, program, reading, columns, reading.tables) for item, program in found]


@dataclass(frozen=True, slots=True)
class Placement:
    """A match with the nodes that its operations stand on (``found.steps``)."""

    found: Found
    program: Program


def placements(
    reading: Reading, columns: Columns, effort: Effort | None = None, places: Places | None = None
) -> list[Placement]:
    """The matches of ``matches``, in the same order, for what must know their every token."""
    effort = effort if effort is not None else Effort()
    return [Placement(*pair) for pair in _pairs(reading, columns, effort, record=True, places=places)]


def bare_match(placed: Placement, reading: Reading, columns: Columns) -> Match:
    """The match at a placement, without its bindings, for what only counts it."""
    return _match(placed.found, placed.program, reading, columns, reading.tables, bare=True)


def _pairs(
    reading: Reading, columns: Columns, effort: Effort, *, record: bool, places: Places | None = None
) -> list[_Pair]:
    tables = reading.tables
    found = [
        (item, program)
        for at, program in enumerate(reading.programs)
        for item in _found(
            reading, program, columns, tables, effort, record, None if places is None else places[at]
        )
    ]
    if len(reading.programs) > 1:
        found = _of_alternatives(found, reading)
    for relation in reading.relations:
        found = _related(found, relation, columns, tables, effort)
    return found


def _of_alternatives(found: list[_Pair], reading: Reading) -> list[_Pair]:
    """Matches of several programs in file order, each place once, the earlier program first."""
    rank = {id(program): at for at, program in enumerate(reading.programs)}
    reordered = bool(reading.tables.unordered)
    found.sort(key=lambda pair: (pair[0].start, -pair[0].end, rank[id(pair[1])]))
    kept: list[_Pair] = []
    for item, program in found:
        if kept and (kept[-1][0].first, kept[-1][0].last) == (item.first, item.last):
            continue
        if reordered and rank[id(program)] > 0:
            item = replace(item, equivalences=item.equivalences | ORDER)
        kept.append((item, program))
    return kept


def near(reading: Reading, columns: Columns) -> list[Mismatch]:
    """For every candidate that does not match: where it parts from the pattern."""
    result: list[Mismatch] = []
    tables = reading.tables
    for program in reading.programs:
        if program.run or program.kinds is None:
            continue
        matcher = Matcher(program, tables, columns, reading.checks(program))
        for i, k in enumerate(columns.kind):
            if k not in program.kinds:
                continue
            trace = matcher.trace = Trace()
            matcher.budget = MOST_CHOICES
            if matcher.at(i) is None and trace.operation is not None:
                result.append(_mismatch(trace, i, columns, tables))
    return result


def _found(
    reading: Reading,
    program: Program,
    columns: Columns,
    tables: Tables,
    effort: Effort,
    record: bool = False,
    places: Sequence[int] | None = None,
) -> Iterator[Found]:
    kinds = tables.grammar.ids((reading.kind,)) if reading.kind else None
    matcher = Matcher(program, tables, columns, reading.checks(program), None, kinds, record)
    for item in matcher.find(places):
        if reading.mentioned and not all_stand(reading.mentioned, columns, item.start, item.end):
            continue
        yield item
    effort.exhausted |= matcher.budget < 0
    effort.spent = max(effort.spent, MOST_CHOICES - matcher.budget)


def _match(
    item: Found, program: Program, reading: Reading, columns: Columns, tables: Tables, *, bare: bool = False
) -> Match:
    span = _solid(columns, item.start, item.end)
    bindings = (
        ()
        if bare
        else tuple(
            _binding(name, bound, name in program.ellipses, columns, tables, span)
            for name, bound in zip(program.names, item.bindings, strict=True)
            if bound is not None
        )
    )
    bits = item.equivalences
    return Match(
        span,
        tables.grammar.name(columns.kind[item.first]),
        reading.language,
        reading.rung,
        bindings,
        tuple(sorted(name for name, bit in EQUIVALENCE_BITS.items() if bits & bit)) if bits else (),
        item.lead if item.lead > item.start else -1,
    )


def _binding(
    name: str, bound: Bound, ellipsis: bool, columns: Columns, tables: Tables, around: Span
) -> Binding:
    span = _solid(columns, bound[0], bound[1])
    if span.start == span.end and not around.holds(span):
        # Nothing, beside white space that is no part of the match.
        at = around.start if span.start < around.start else around.end
        span = Span(at, at)
    if not ellipsis:
        return Binding(name, span, (span,))
    parts = tuple(_solid(columns, columns.start[i], columns.end[i]) for i in elements(columns, bound, tables))
    return Binding(name, span, parts or ((span,) if bound[2] == -1 and span.start < span.end else ()), True)


def _solid(columns: Columns, start: int, end: int) -> Span:
    """[start, end) without white space and comments that a grammar counts to a node."""
    end = solid_end(columns, start, end)
    while start < end and columns.source[start] in b" \t\r\n\f":
        start += 1
    return Span(start, end)


def _expected_again(trace: Trace, columns: Columns) -> str:
    """If the pattern asks for code that it bound before: that code, cut; else empty."""
    op = trace.operation
    if op is None or op.code not in (Code.META, Code.ELLIPSIS) or op.name < 0:
        return ""
    bound = trace.bindings[op.name]
    if bound is None:
        return ""
    text = columns.source[bound[0] : bound[1]].decode("utf-8", "replace").split("\n", 1)[0]
    return text if len(text) <= 40 else text[:39] + "…"


def _mismatch(trace: Trace, root: int, columns: Columns, tables: Tables) -> Mismatch:
    assert trace.operation is not None
    again = _expected_again(trace, columns)
    if trace.node >= 0:
        kind = tables.grammar.name(columns.kind[trace.node])
        text = columns.text(trace.node).decode("utf-8", "replace").split("\n", 1)[0]
        shown = text if len(text) <= 40 else text[:37] + "…"
        found = (
            f"{kind.replace('_', ' ')} {shown!r}"
            if tables.grammar.is_named(columns.kind[trace.node])
            else repr(shown)
        )
    else:
        kind, found = "", "nothing more"
    return Mismatch(
        Span(columns.start[root], columns.end[root]),
        trace.byte,
        trace.agreed,
        f"{trace.operation.shown} as before" if again else trace.operation.shown,
        found,
        kind,
        again,
    )


def _comments(reading: Reading, columns: Columns) -> list[Match]:
    assert reading.comment is not None
    names: list[str] = []
    parts: list[bytes] = []
    for piece in reading.comment:
        if isinstance(piece, Metavariable):
            if piece.name and piece.name in names:
                parts.append(b"(?P=g%d)" % names.index(piece.name))
                continue
            body = b".*" if piece.ellipsis else b".+?"
            parts.append(b"(?P<g%d>%s)" % (len(names), body) if piece.name else b"(?:%s)" % body)
            if piece.name:
                names.append(piece.name)
        else:
            parts.append(re.escape(piece).replace(b"\\\n", b"\\r?\n"))
    regex = re.compile(b"".join(parts), re.DOTALL)
    result = []
    checks = constraint_checks(reading.where, tuple(names), frozenset(), reading.tables)
    for start, end in columns.comments:
        stop = start + len(columns.source[start:end].rstrip())
        hit = regex.fullmatch(columns.source, start, stop)
        if hit is None:
            continue
        env: tuple[Bound | None, ...] = (None,) * len(names)
        for at, check in enumerate(checks):
            bound = (*hit.span(f"g{at}"), -1, -1)
            if check is not None and not check(columns, bound, env):
                break
            env = (*env[:at], bound, *env[at + 1 :])
        else:
            spans = [Span(*hit.span(f"g{at}")) for at in range(len(names))]
            bindings = tuple(Binding(name, span, (span,)) for name, span in zip(names, spans, strict=True))
            result.append(Match(Span(start, stop), "comment", reading.language, "comment", bindings))
    return result


# --- relations ------------------------------------------------------------------------------------


_Pair = tuple[Found, Program]


def _related(
    found: list[_Pair], relation: CompiledRelation, columns: Columns, tables: Tables, effort: Effort
) -> list[_Pair]:
    """Those of *found* for which the relation holds.

    ``inside`` and ``has``: a match of the relation's pattern around or within, not the
    same place.  ``follows`` and ``precedes``: a match that is an earlier or later item
    of the same block.  A name that both patterns bind must stand for the same code."""
    others: list[_Pair] = []
    for reading in relation.readings:
        others = [(item, p) for p in reading.programs for item in _found(reading, p, columns, tables, effort)]
        if others:
            break
    others.sort(key=lambda pair: (pair[0].start, -pair[0].end))
    join = _JOINS[relation.name]
    starts = [pair[0].start for pair in others]
    kept = []
    for pair in found:
        holds = any(
            _agree(pair, other, columns, tables) for other in join(pair[0], others, starts, columns, tables)
        )
        if holds != relation.negated:
            kept.append(pair)
    return kept


def _agree(a: _Pair, b: _Pair, columns: Columns, tables: Tables) -> bool:
    for name, bound in zip(a[1].names, a[0].bindings, strict=True):
        if bound is None or name not in b[1].names:
            continue
        other = b[0].bindings[b[1].names.index(name)]
        if other is not None and not same_code(columns, bound, other, tables.strings):
            return False
    return True


def _inside(
    item: Found, others: list[_Pair], starts: list[int], columns: Columns, tables: Tables
) -> Iterator[_Pair]:
    by_first: dict[int, list[_Pair]] = {}
    for other in others:
        by_first.setdefault(other[0].first, []).append(other)
    i = item.first
    while i >= 0:
        for other in by_first.get(i, ()):
            if other[0].end >= item.end and (other[0].start, other[0].end) != (item.start, item.end):
                yield other
        i = columns.parent[i]
    for other in others:
        if other[0].first != other[0].last and other[0].start <= item.start and other[0].end >= item.end:
            yield other


def _has(
    item: Found, others: list[_Pair], starts: list[int], columns: Columns, tables: Tables
) -> Iterator[_Pair]:
    at = bisect_left(starts, item.start)
    while at < len(others) and starts[at] < item.end:
        other = others[at][0]
        if other.end <= item.end and (other.start, other.end) != (item.start, item.end):
            yield others[at]
        at += 1


def _item(i: int, columns: Columns, tables: Tables) -> tuple[int, int]:
    """The item of a block that node *i* belongs to, and the block."""
    parent = columns.parent
    while parent[i] > 0 and columns.kind[parent[i]] not in tables.blocks:
        i = parent[i]
    return i, parent[i]


def _beside(
    item: Found, others: list[_Pair], columns: Columns, tables: Tables, before: bool
) -> Iterator[_Pair]:
    here, block = _item(item.first, columns, tables)
    for other in others:
        there, other_block = _item(other[0].first, columns, tables)
        if other_block != block or there == here or (there < here) != before:
            continue
        covered = columns.source[other[0].end : columns.end[there]].strip()
        if (columns.start[there] == other[0].start and len(covered) <= 1) or other[0].first != other[0].last:
            yield other


def _follows(
    item: Found, others: list[_Pair], starts: list[int], columns: Columns, tables: Tables
) -> Iterator[_Pair]:
    return _beside(item, others, columns, tables, True)


def _precedes(
    item: Found, others: list[_Pair], starts: list[int], columns: Columns, tables: Tables
) -> Iterator[_Pair]:
    return _beside(item, others, columns, tables, False)


_JOINS = {"inside": _inside, "has": _has, "follows": _follows, "precedes": _precedes}
