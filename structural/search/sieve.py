"""Which nodes of a block may be a match of a program: a few, found over all its files at once.

Texts of tokens and shapes are compared as ``syntax.candidates`` compares them in one tree,
with arrays in place of nodes.  When unsure the answer is "maybe", never a wrong "no".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from structural.pattern.operations import Code
from structural.pattern.program import Program
from structural.search.block import text_hash
from structural.search.blocks import AnyBlock
from structural.syntax.candidates import Shape
from structural.syntax.grammar import load_named

Numbers = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]

_KINDS = 1 << 16


@dataclass(slots=True, eq=False)
class _Level:
    """A shape with its sets as tables by kind."""

    shape: Shape
    kinds: Flags | None
    text: int
    telling: dict[int, _Level]


class _Part:
    """The nodes of some files of a block as one row, without copying where that is possible."""

    def __init__(self, block: AnyBlock, slots: Numbers) -> None:
        breaks = np.flatnonzero(np.diff(slots) > 1) + 1
        first = slots[np.concatenate([[0], breaks])] if len(slots) else slots
        last = slots[np.concatenate([breaks - 1, [len(slots) - 1]])] if len(slots) else slots
        self._low, high = block.offsets[first], block.offsets[last + 1]
        self._spans = list(zip(self._low.tolist(), high.tolist(), strict=True))
        self._from = np.concatenate([np.zeros(1, np.int64), np.cumsum(high - self._low)])

    def of(self, column: Numbers) -> Numbers:
        """Their part of a column."""
        parts = [column[low:high] for low, high in self._spans]
        return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else column[:0]

    def back(self, at: Numbers) -> Numbers:
        """From places in this row to nodes of the block."""
        if not len(at):
            return at
        row = np.searchsorted(self._from, at, side="right") - 1
        result: Numbers = at - self._from[row] + self._low[row]
        return result


class Sieve:
    """Of one program; threads may share it."""

    def __init__(self, program: Program) -> None:
        probe = program.probe
        self._probe = probe
        self._kinds = None if program.kinds is None else sorted(program.kinds)
        self._least = program.least
        if probe is not None:
            whole = [anchor.text for anchor in probe.anchors if anchor.whole]
            whole.sort(key=len, reverse=True)  # the longest is the rarest, as a rule
            self._texts = [(text_hash(text), _kinds_of(program, text)) for text in whole]
            self._top = _level(probe.shape)
            self._thin, self._marks = _table(probe.thin), _table(probe.marks)
            self._uncounted = _table(probe.uncounted) if probe.uncounted else None

    @property
    def tells(self) -> bool:
        """Whether anything is known of the places; else any node may be one."""
        return self._probe is not None and self._kinds is not None

    def places(self, block: AnyBlock, slots: list[int]) -> dict[int, list[int]]:
        """The same by file: the slots of files with such nodes, and these as nodes of the file."""
        nodes = self.candidates(block, np.array(slots, dtype=np.int64))
        if not len(nodes):
            return {}
        of = np.searchsorted(block.offsets, nodes, side="right") - 1
        firsts = np.flatnonzero(np.diff(of, prepend=-1))
        inside = (nodes - block.offsets[of]).tolist()
        stops = [*firsts[1:].tolist(), len(inside)]
        return {
            slot: inside[low:high]
            for slot, low, high in zip(of[firsts].tolist(), firsts.tolist(), stops, strict=True)
        }

    def candidates(self, block: AnyBlock, slots: Numbers) -> Numbers:
        """Nodes that may be a match, in order, of the files at *slots*, which are in order too."""
        assert self._kinds is not None
        assert self._probe is not None
        positions = []
        for number, kinds in self._texts:
            found = block.with_text(number, kinds)
            of = np.searchsorted(block.offsets, found, side="right") - 1
            inside = np.zeros(len(block), np.bool_)
            inside[slots] = True
            keep = inside[of]
            found, slots = found[keep], np.unique(of[keep])
            if not len(found):
                return found
            positions.append(found)
        part = _Part(block, slots)
        kind = part.of(block.kind)
        fits = np.zeros(len(kind), np.bool_)
        for number in self._kinds:
            fits |= kind == number
        at = part.back(np.flatnonzero(fits))
        if self._least > 1:
            at = at[block.size[at] >= self._least]
        for one in sorted(positions, key=len):
            place = np.searchsorted(one, at)
            inside = place < len(one)
            inside[inside] = one[place[inside]] < at[inside] + block.size[at[inside]]
            at = at[inside]
        top = self._top
        if top.shape.wanted or top.text >= 0:
            keep = self._may_be(block, at, top)
            for slot in block.missing:  # what stands for nothing is not counted
                keep |= (at >= block.offsets[slot]) & (at < block.offsets[slot + 1])
            at = at[keep]
        return at

    # --- shapes ---------------------------------------------------------------------------------

    def _may_be(self, block: AnyBlock, at: Numbers, level: _Level) -> Flags:
        """Which of the nodes *at*, of the kinds of the level, may be what it says."""
        keep = np.ones(len(at), np.bool_)
        if level.text >= 0:
            keep &= block.text[at] == level.text
        if level.shape.wanted:
            rows = np.flatnonzero(keep)
            keep[rows] = self._has_children(block, at[rows], level)
        return keep

    def _has_children(self, block: AnyBlock, at: Numbers, level: _Level) -> Flags:
        size, wanted = block.size, level.shape.wanted
        result = np.zeros(len(at), np.bool_)
        rows = np.arange(len(at))
        end = at + size[at]
        next_kid = self._counted(block, at + 1, end)
        bound: dict[int, Numbers] = {}
        for number in range(wanted):
            keep = next_kid < end
            kid = next_kid
            if not keep.all():
                rows, end, kid = rows[keep], end[keep], kid[keep]
                bound = {name: other[keep] for name, other in bound.items()}
            if not len(rows):
                return result
            next_kid = self._counted(block, kid + size[kid], end)
            inner = level.telling.get(number)
            last = number == wanted - 1
            if last:
                keep = self._no_more(block, kid, next_kid, end)
            if inner is not None:
                may = self._child(block, kid, inner, bound)
                if last:
                    may |= next_kid < end  # then the last one is another
                keep = keep & may if last else may
            elif not last:
                continue
            rows, end, next_kid = rows[keep], end[keep], next_kid[keep]
            bound = {name: other[keep] for name, other in bound.items()}
        result[rows] = True
        return result

    def _child(self, block: AnyBlock, kid: Numbers, level: _Level, bound: dict[int, Numbers]) -> Flags:
        if level.shape.name >= 0:
            before = bound.setdefault(level.shape.name, kid)
            return self._may_be_same(block, before, kid)
        if level.kinds is None:
            return np.ones(len(kid), np.bool_)
        is_kind = level.kinds[block.kind[kid]]
        keep = np.zeros(len(kid), np.bool_)
        direct = np.flatnonzero(is_kind)
        keep[direct] = self._may_be(block, kid[direct], level)
        others = np.flatnonzero(~is_kind)
        keep[others] = self._may_be_layer(block, kid[others])
        return keep

    def _no_more(self, block: AnyBlock, kid: Numbers, behind: Numbers, end: Numbers) -> Flags:
        """Whether behind the child *kid*, the last that is wanted, stands nothing but separators and
        terminators; or it is one of them itself, and the last one follows."""
        keep: Flags = behind >= end
        more = np.flatnonzero(~keep)
        if len(more):
            first, stop = behind[more], end[more]
            marks = self._marks
            is_mark = marks[block.kind[first]]
            second = self._counted(block, first + block.size[first], stop)
            ends = second >= stop
            safe = np.where(ends, first, second)
            keep[more] = is_mark | (marks[block.kind[kid[more]]] & (ends | marks[block.kind[safe]]))
        return keep

    def _counted(self, block: AnyBlock, at: Numbers, end: Numbers) -> Numbers:
        """The first sibling from *at* on that counts; *end* or more if there is none."""
        if self._uncounted is None:
            return at
        while True:
            inside = np.flatnonzero(at < end)
            over = inside[self._uncounted[block.kind[at[inside]]]]
            if not len(over):
                return at
            at = at.copy()
            at[over] += block.size[at[over]]

    def _may_be_layer(self, block: AnyBlock, at: Numbers) -> Flags:
        """Whether the matcher may go into these nodes to what they wrap."""
        kind, size = block.kind, block.size
        keep: Flags = self._thin[kind[at]]
        rows = np.flatnonzero(~keep & (size[at] > 1))
        if len(rows):
            node = at[rows]
            end = node + size[node]
            first = self._counted(block, node + 1, end)
            second = _behind(block, first, end)
            second = self._counted(block, second, end)
            third = self._counted(block, _behind(block, second, end), end)
            mark = self._marks[kind[np.where(second < end, second, node)]]
            keep[rows] = (second >= end) | ((third >= end) & mark) | (size[node + 1] + 1 == size[node])
        return keep

    def _may_be_same(self, block: AnyBlock, one: Numbers, other: Numbers) -> Flags:
        """Whether two nodes may be the same code: they read the same, or one of them may hold
        what does not count, or be more than what is meant."""
        keep: Flags = block.same_text(one, other)
        rows = np.flatnonzero(~keep)
        if len(rows):
            keep[rows] = self._odd(block, one[rows]) | self._odd(block, other[rows])
        return keep

    def _odd(self, block: AnyBlock, at: Numbers) -> Flags:
        """Whether a node may be the same code as one that reads otherwise."""
        start, end = block.start[at], block.end[at]
        keep: Flags = self._thin[block.kind[at]]
        if load_named(block.language).comment_start is None:
            keep[:] = True
        else:
            bases = block.bases[np.searchsorted(block.offsets, at, side="right") - 1]
            points = block.uncounted
            keep |= np.searchsorted(points, bases + start) != np.searchsorted(points, bases + end)
        keep &= block.size[at] > 1
        keep |= start == end
        return keep


def _kinds_of(program: Program, text: bytes) -> frozenset[int]:
    """The kinds of the tokens of *program* that read *text*."""
    return frozenset[int]().union(
        *(op.kinds for op in program.operations if op.code is Code.TOKEN and op.text == text)
    )


def _behind(block: AnyBlock, at: Numbers, end: Numbers) -> Numbers:
    """The siblings behind *at*; *end* where that is no node."""
    inside = at < end
    safe = np.where(inside, at, 0)
    result: Numbers = np.where(inside, at + block.size[safe], end)
    return result


def _level(shape: Shape) -> _Level:
    return _Level(
        shape,
        None if shape.kinds is None else _table(shape.kinds),
        text_hash(shape.text) if shape.text else -1,
        {at: _level(inner) for at, inner in shape.telling},
    )


def _table(kinds: frozenset[int]) -> Flags:
    table = np.zeros(_KINDS, np.bool_)
    table[list(kinds)] = True
    return table
