"""The arrays of a block on disk, unpacked column by column as they are asked for.

Positions of nodes and texts follow from a few columns (see ``encode``); each is made once and kept
while there is room for it.  Imported only by a search that looks into columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from structural.search.block import Numbers, listed, mixed, pairs, powers
from structural.syntax.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from structural.search.index.mapped import Mapped

_FEW = 6
"""The text of a node of so many leaves is put together from theirs; of one with more, a sum over all
texts of the block is made."""

_MANY = 4000
"""Places from which on a sum over all nodes is less work than a search for each."""


class _Lazy:
    """Numbers of nodes that are made when they are asked for."""

    def __init__(self, make: Callable[[Numbers], Numbers]) -> None:
        self._make = make

    def __getitem__(self, nodes: Numbers) -> Numbers:
        return self._make(nodes)


class Arrays:
    """The columns of *block*.  DamagedError or GoneError where its file is not what it should be."""

    def __init__(self, block: Mapped) -> None:
        self._block = block
        self._made: dict[str, Any] = {}
        self._table = block.table
        self._kinds = np.array(block.head["kinds"], dtype=np.uint16)
        self._always: dict[int, int] = block.head["always"]
        self._inner: frozenset[int] = frozenset(block.head["inner"])
        self._counts: dict[str, list[int]] = block.head["counts"]
        self._leaves = _offsets(block.head["leaves"])
        self.offsets = _offsets(block.head["nodes"])
        self.bases = _offsets(block.sizes)

    # As arrays of a block, for the sieve.  Made anew each time: kept here they would hold this object, and
    # what it unpacked would stay until somebody looks for cycles.

    @property
    def start(self) -> Numbers:
        return cast("Numbers", _Lazy(self._start_of))

    @property
    def end(self) -> Numbers:
        return cast("Numbers", _Lazy(self._end_of))

    @property
    def text(self) -> Numbers:
        return cast("Numbers", _Lazy(self._text_of))

    def _numbers(self, name: str) -> Numbers:
        """A column as it was written."""
        found = self._made.get(name)
        if found is None:
            found = np.frombuffer(self._block.frame(name), dtype=self._table[name][3] or "u1")
            self._keep(name, found)
        return cast("Numbers", found)

    def _keep(self, name: str, made: Numbers) -> Numbers:
        self._made[name] = made
        self._block.took(made.nbytes)
        return made

    def _small(self, name: str, low: int = 0, high: int | None = None, *, wide: bool = True) -> Numbers:
        """Rows of a column of numbers that are mostly small; in 64 bits, or in 32 if not *wide*."""
        codes = self._numbers(name)
        found = codes[low:high].astype(np.int64 if wide else np.int32)
        if self._table[f"{name} more"][2]:
            large = np.flatnonzero(codes[low:high] == 255)
            if len(large):
                first = int(np.count_nonzero(codes[:low] == 255))
                found[large] = self._numbers(f"{name} more")[first : first + len(large)]
        return found

    def _rows(self, name: str, slot: int) -> tuple[int, int]:
        """Where the rows of one file stand in a list."""
        offsets = self._made.get(f"{name} rows")
        if offsets is None:
            offsets = self._made[f"{name} rows"] = _offsets(self._counts[name])
        return int(offsets[slot]), int(offsets[slot + 1])

    # --- one file --------------------------------------------------------------------------------

    def columns(self, slot: int, candidates: int, source: bytes) -> Columns:
        """The columns of one file, which reads *source*."""
        low, high = int(self.offsets[slot]), int(self.offsets[slot + 1])
        made = Columns(self._block.language, source)
        size = self._small("size", low, high)
        start, end = self._spans(slot, size)
        kind = self._kinds[self._numbers("kind")[low:high]]
        own = self._small("field", low, high)
        made.kind, made.field, made.start, made.end, made.size = listed(
            (kind, own.astype(np.uint16), *(one.astype(np.uint32) for one in (start, end, size))), candidates
        )
        made.comments = pairs(self._list("comments", slot))
        made.layout = pairs(self._list("layout", slot))
        made.missing = self._block.missing.get(slot, frozenset())
        made.errors = self._block.errors[slot]
        return made

    def _list(self, name: str, slot: int) -> Numbers:
        found: Numbers = np.cumsum(self._small(name, *self._rows(name, slot)))
        return found

    def _spans(self, slot: int, size: Numbers) -> tuple[Numbers, Numbers]:
        """Where the nodes of a file begin and end."""
        first, last = int(self._leaves[slot]), int(self._leaves[slot + 1])
        length = self._small("length", first, last)
        ends = np.cumsum(self._small("gap", first, last) + length)
        leaf = size == 1
        before = np.zeros(len(size) + 1, np.int64)
        np.cumsum(leaf, out=before[1:])
        start = (ends - length)[before[:-1]]
        end = ends[before[np.arange(len(size)) + size] - 1]
        for name, column in (("starts", start), ("ends", end)):
            nodes, places = self._exceptions(name, slot)
            column[nodes] = places
        return start, end

    def _exceptions(self, name: str, slot: int) -> tuple[Numbers, Numbers]:
        low, high = self._rows(name, slot)
        if low == high:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        steps = self._small(f"{name} byte", low, high)
        steps = np.where(steps & 1, -(steps + 1) // 2, steps // 2)
        return np.cumsum(self._small(f"{name} node", low, high)), np.cumsum(steps)

    # --- arrays over all files -------------------------------------------------------------------

    @property
    def kind(self) -> Numbers:
        found = self._made.get("kinds")
        if found is None:
            found = self._keep("kinds", self._kinds[self._numbers("kind")])
        return cast("Numbers", found)

    @property
    def size(self) -> Numbers:
        found = self._made.get("sizes")
        if found is None:
            found = self._keep("sizes", self._small("size", wide=False))
        return cast("Numbers", found)

    def with_text(self, number: int, kinds: frozenset[int]) -> Numbers:
        """The nodes of *kinds* that read as *number* says, in order, and perhaps others that read so."""
        codes = [code for code, kind in enumerate(self._kinds.tolist()) if kind in kinds]
        leaves = self._leaves_with(number)
        inner = [code for code in codes if code in self._inner]
        if not inner:
            return leaves
        kind = self._numbers("kind")
        fits = kind == inner[0]
        for code in inner[1:]:
            fits |= kind == code
        at = np.flatnonzero(fits)
        at = at[self.size[at] > 1]
        if not len(at):
            return leaves
        # What holds one leaf and nothing else reads as that, and needs no sum over its text.
        plain = self.size[at] == 2
        for name in ("starts", "ends"):
            plain &= ~_among(at, self._odd(name)[0])
        others = at[~plain]
        return np.sort(
            np.concatenate(
                [
                    leaves,
                    at[plain][_among(at[plain] + 1, leaves)],
                    others[self._text_of(others) == np.uint32(number)],
                ]
            )
        )

    def _leaves_with(self, number: int) -> Numbers:
        """The leaves that read as *number* says, in order."""
        parts = []
        wanted = np.flatnonzero(mixed(self._numbers("text raw")) == np.uint32(number)).tolist()
        for code, one in self._always.items():
            if one in wanted:
                at = np.flatnonzero(self._numbers("kind") == code)
                parts.append(at[self.size[at] == 1] if code in self._inner else at)
        for one in wanted:
            several = self._numbers("text low") == one & 255
            if self._table["text high"][2]:
                several &= self._numbers("text high") == one >> 8
            at = np.flatnonzero(several)
            if len(at):
                parts.append(self._several()[at])
        if not parts:
            return np.zeros(0, np.int64)
        return parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))

    def _several(self) -> Numbers:
        """The leaves of kinds that do not read always the same, as nodes."""
        found = self._made.get("several")
        if found is None:
            one = np.ones(len(self._kinds), np.bool_)
            one[list(self._always)] = False
            found = self._keep("several", np.flatnonzero(one[self._numbers("kind")] & (self.size == 1)))
        return cast("Numbers", found)

    @property
    def _leaf_nodes(self) -> Numbers:
        """The nodes that are leaves."""
        found = self._made.get("leaves")
        if found is None:
            found = self._keep("leaves", np.flatnonzero(self.size == 1))
        return cast("Numbers", found)

    def _leaf_range(self, nodes: Numbers) -> tuple[Numbers, Numbers]:
        """The first leaf of every node, and the one behind its last, by their numbers among leaves."""
        return self._leaves_before(nodes), self._leaves_before(nodes + self.size[nodes])

    def _leaves_before(self, nodes: Numbers) -> Numbers:
        """How many leaves stand before nodes, the end of all among them."""
        found = self._made.get("before")
        if found is None:
            if len(nodes) < _MANY:
                return np.searchsorted(self._leaf_nodes, nodes)
            found = np.zeros(len(self.size) + 1, np.int32)
            np.cumsum(self.size == 1, out=found[1:], dtype=np.int32)
            self._keep("before", found)
        result: Numbers = found[nodes]
        return result

    def _leaf_spans(self) -> tuple[Numbers, Numbers]:
        """Where every leaf begins and ends, in the bytes of all files one behind the other."""
        found = self._made.get("spans")
        if found is None:
            length = self._small("length", wide=False)  # a block is far below 2**31 bytes
            ends = np.zeros(len(length) + 1, np.int32)
            np.cumsum(self._small("gap", wide=False) + length, dtype=np.int32, out=ends[1:])
            shift = (self.bases - ends[self._leaves])[:-1].astype(np.int32)
            ends = ends[1:] + np.repeat(shift, np.diff(self._leaves))
            found = self._made["spans"] = (ends - length, ends)
            self._block.took(2 * ends.nbytes)
        return cast("tuple[Numbers, Numbers]", found)

    def _start_at(self, nodes: Numbers) -> Numbers:
        """Where nodes begin, in the bytes of all files."""
        found: Numbers = self._leaf_spans()[0][self._leaves_before(nodes)]
        return self._corrected("starts", nodes, found)

    def _end_at(self, nodes: Numbers) -> Numbers:
        found: Numbers = self._leaf_spans()[1][self._leaves_before(nodes + self.size[nodes]) - 1]
        return self._corrected("ends", nodes, found)

    def _corrected(self, name: str, nodes: Numbers, found: Numbers) -> Numbers:
        odd, places = self._odd(name)
        if len(odd):
            row = np.minimum(np.searchsorted(odd, nodes), len(odd) - 1)
            found = np.where(odd[row] == nodes, places[row], found)
        return found

    def _odd(self, name: str) -> tuple[Numbers, Numbers]:
        """The nodes that do not begin, or end, with a leaf, and where they do."""
        known = self._made.get(f"all {name}")
        if known is None:
            nodes = self._positions(f"{name} node", name, self.offsets)
            steps = self._small(f"{name} byte")
            steps = np.where(steps & 1, -(steps + 1) // 2, steps // 2)
            known = self._made[f"all {name}"] = (nodes, self._summed(steps, name, self.bases))
        return cast("tuple[Numbers, Numbers]", known)

    def _base_of(self, nodes: Numbers) -> Numbers:
        result: Numbers = self.bases[np.searchsorted(self.offsets, nodes, side="right") - 1]
        return result

    def _start_of(self, nodes: Numbers) -> Numbers:
        return self._start_at(nodes) - self._base_of(nodes)

    def _end_of(self, nodes: Numbers) -> Numbers:
        return self._end_at(nodes) - self._base_of(nodes)

    def same_text(self, one: Numbers, other: Numbers) -> Numbers:
        """Whether two nodes may read the same, white space aside, or be the same tokens."""
        first, behind = self._leaf_range(one)
        other_first, other_behind = self._leaf_range(other)
        leaves, other_leaves = behind - first, other_behind - other_first
        length = self._end_at(one) - self._start_at(one)
        same = (length == self._end_at(other) - self._start_at(other)) | (leaves == other_leaves)
        rows = np.flatnonzero(same & (leaves <= _FEW) & (other_leaves <= _FEW))
        alone = (self.size[one[rows]] == 1, self.size[other[rows]] == 1)
        rows = rows[~(self._hides(one[rows], alone[0]) | self._hides(other[rows], alone[1]))]
        same[rows] = self._text_of(one[rows]) == self._text_of(other[rows])
        result: Numbers = same
        return result

    def _text_of(self, nodes: Numbers) -> Numbers:
        """What nodes read, white space aside, as numbers."""
        found = np.zeros(len(nodes), np.uint32)
        if not len(nodes):
            return found
        first, behind = self._leaf_range(nodes)
        alone = self.size[nodes] == 1
        few = alone | ((behind - first <= _FEW) & ~self._hides(nodes, alone))
        rows = np.flatnonzero(few)
        found[rows] = self._text_of_leaves(first[rows], behind[rows])
        rows = np.flatnonzero(~few)
        if len(rows):
            places, sums, solids = self._pieces()
            low = np.searchsorted(places, self._start_at(nodes[rows]))
            high = np.searchsorted(places, self._end_at(nodes[rows]))
            with np.errstate(over="ignore"):
                found[rows] = (sums[high] - sums[low]) * self._inverse[solids[low]]
        return mixed(found)

    def _hides(self, nodes: Numbers, alone: Numbers) -> Numbers:
        """Whether nodes have text that is in no leaf; of those that are leaves *alone* it is not asked."""
        result = np.zeros(len(nodes), np.bool_)
        rows = np.flatnonzero(~alone)
        if len(rows):
            places = self._hidden()[0]
            low, high = self._start_at(nodes[rows]), self._end_at(nodes[rows])
            result[rows] = np.searchsorted(places, low) != np.searchsorted(places, high)
        return result

    def _text_of_leaves(self, first: Numbers, behind: Numbers) -> Numbers:
        """The raw numbers of rows of a few leaves each."""
        raw, solid = self._numbers("text raw"), self._small("text solid")
        found, length = np.zeros(len(first), np.uint32), np.zeros(len(first), np.int64)
        for step in range(int((behind - first).max(initial=0))):
            rows = np.flatnonzero(first + step < behind)
            ids = self._text_ids(first[rows] + step)
            power = powers(int(length.max()) + 1)[0]
            with np.errstate(over="ignore"):
                found[rows] += raw[ids] * power[length[rows]]
            length[rows] += solid[ids]
        return found

    def _text_ids(self, leaves: Numbers) -> Numbers:
        """The texts of leaves, by their numbers among leaves."""
        nodes = self._leaf_nodes[leaves]
        one_of = np.full(len(self._kinds), -1, np.int64)
        one_of[list(self._always)] = list(self._always.values())
        ids = one_of[self._numbers("kind")[nodes]]
        rows = np.flatnonzero(ids < 0)
        if len(rows):
            at = np.searchsorted(self._several(), nodes[rows])
            ids[rows] = self._numbers("text low")[at]
            if self._table["text high"][2]:
                ids[rows] += self._numbers("text high")[at].astype(np.int64) << 8
        return ids

    def _pieces(self) -> tuple[Numbers, Numbers, Numbers]:
        """All stretches of text that no node divides, white space left out: where they begin; the
        running sum of their numbers, and of their lengths within their file."""
        found = self._made.get("pieces")
        if found is not None:
            return cast("tuple[Numbers, Numbers, Numbers]", found)
        raw, solid, places = self._leaf_texts()
        hidden = self._hidden()
        if len(hidden[0]):
            into = np.searchsorted(places, hidden[0])
            places, raw, solid = (
                np.insert(one, into, other) for one, other in zip((places, raw, solid), hidden, strict=True)
            )
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(solid)])
        firsts = np.searchsorted(places, self.bases)
        before[:-1] -= np.repeat(before[firsts[:-1]], np.diff(firsts))
        before[-1] = 0
        widest = int(before.max()) + 1
        power, self._inverse = powers(widest)
        sums = np.zeros(len(raw) + 1, np.uint32)
        with np.errstate(over="ignore"):
            np.cumsum(raw * power[before[:-1]], dtype=np.uint32, out=sums[1:])
        self._made["pieces"] = (places, sums, before)
        self._block.took(places.nbytes + sums.nbytes + before.nbytes)
        return places, sums, before

    def _leaf_texts(self) -> tuple[Numbers, Numbers, Numbers]:
        """Of every leaf that is no white space: number, length, where it begins."""
        codes = self._numbers("kind")[self.size == 1]
        one_of = np.full(len(self._kinds), -1, np.int64)
        one_of[list(self._always)] = list(self._always.values())
        ids = one_of[codes]
        several = self._numbers("text low").astype(np.int64)
        if self._table["text high"][2]:
            several += self._numbers("text high").astype(np.int64) << 8
        ids[ids < 0] = several
        raw, solid = self._numbers("text raw")[ids], self._small("text solid")[ids]
        keep = solid > 0
        return raw[keep], solid[keep], self._leaf_spans()[0][keep]

    def _hidden(self) -> tuple[Numbers, Numbers, Numbers]:
        places = self._positions("hidden at", "hidden", self.bases)
        return places, self._numbers("hidden raw"), self._small("hidden solid")

    def _positions(self, column: str, name: str, bases: Numbers) -> Numbers:
        """A list of steps for each file, as places in all of them."""
        return self._summed(self._small(column), name, bases)

    def _summed(self, steps: Numbers, name: str, bases: Numbers) -> Numbers:
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(steps)])
        behind = sums[_offsets(self._counts[name])]
        result: Numbers = sums[1:] + np.repeat(
            bases[:-1] - behind[:-1], np.diff(_offsets(self._counts[name]))
        )
        return result

    @property
    def uncounted(self) -> Numbers:
        """As in a block: where comments and layout begin and end, and backslashes stand."""
        found = self._made.get("uncounted")
        if found is None:
            parts = [self._positions(name, name, self.bases) for name in ("comments", "layout", "slashes")]
            found = self._keep("uncounted", np.sort(np.concatenate(parts)))
        return cast("Numbers", found)


def _among(nodes: Numbers, others: Numbers) -> Numbers:
    """Which of *nodes* are among *others*; both in order."""
    if not len(others):
        return np.zeros(len(nodes), np.bool_)
    result: Numbers = others[np.minimum(np.searchsorted(others, nodes), len(others) - 1)] == nodes
    return result


def _offsets(counts: list[int]) -> Numbers:
    found = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(np.array(counts, dtype=np.int64), out=found[1:])
    return found
