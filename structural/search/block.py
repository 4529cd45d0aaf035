"""Files of one language packed together: columns, a number for every node's text, their words.

A block is made once from files that were parsed whole, and never changes, so threads may
share it.  Node *i* of the file at *slot* is node ``offsets[slot] + i`` of the block; spans
are bytes of the file.  ``text`` is a hash of what a node reads without white space: other
numbers, other texts.  The words of the files tell which of them hold a literal.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from structural.search.blocks import RUN, Sources, bits, runs_of
from structural.syntax.columns import Columns

Numbers = npt.NDArray[Any]

_BASE = 0x9E3779B1  # odd, so it has an inverse modulo 2**32
_INVERSE = pow(_BASE, -1, 1 << 32)
_SPACE = np.isin(np.arange(256), list(b" \t\r\n\f\v"))

_SPARSE = 24
"""Nodes a candidate, from which on a file's columns stay arrays: lists are read faster and made slower."""


@dataclasses.dataclass(slots=True, eq=False, weakref_slot=True)
class Block:
    """See the module's head.  ``comments`` and ``layout`` are (start, end) pairs one behind the other."""

    language: str
    sources: list[bytes]
    offsets: Numbers
    kind: Numbers
    field: Numbers
    start: Numbers
    end: Numbers
    size: Numbers
    text: Numbers
    comments: list[Numbers]
    layout: list[Numbers]
    missing: dict[int, frozenset[int]]
    errors: list[int]
    bases: Numbers
    """The byte of all sources one behind the other at which each begins."""
    uncounted: Numbers
    """Bytes, counted like that, at which comments and layout begin and end and backslashes stand."""
    words: bytes
    word_ends: Numbers
    holders: Numbers
    """For every word the files that hold it, a bit each."""
    _held: dict[bytes, int] = dataclasses.field(default_factory=dict)

    @property
    def weight(self) -> int:
        """Bytes that it takes in memory, without the sources."""
        columns = (self.kind, self.field, self.start, self.end, self.size, self.text)
        others = (self.offsets, self.bases, self.uncounted, self.word_ends, self.holders)
        own = sum(one.nbytes for one in (*columns, *others)) + len(self.words)
        return own + 400 * len(self.sources) + sum(one.nbytes for one in (*self.comments, *self.layout))

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def sizes(self) -> list[int]:
        """Bytes of the files."""
        return [len(source) for source in self.sources]

    def columns(self, slot: int, candidates: int, source: bytes) -> Columns:
        """The columns of one file, which reads *source*, to be asked about so many candidates."""
        low, high = int(self.offsets[slot]), int(self.offsets[slot + 1])
        made = Columns(self.language, source)
        made.kind, made.field, made.start, made.end, made.size = listed(
            [one[low:high] for one in (self.kind, self.field, self.start, self.end, self.size)], candidates
        )
        made.comments = pairs(self.comments[slot])
        made.layout = pairs(self.layout[slot])
        made.missing = self.missing.get(slot, frozenset())
        made.errors = self.errors[slot]
        return made

    def with_text(self, number: int, kinds: frozenset[int]) -> Numbers:
        """The nodes of *kinds* that read as *number* says, in order, and perhaps others that read so."""
        result: Numbers = np.flatnonzero(self.text == np.uint32(number))
        return result

    def same_text(self, one: Numbers, other: Numbers) -> Numbers:
        """Whether two nodes may read the same, white space aside."""
        result: Numbers = self.text[one] == self.text[other]
        return result

    def holding(self, literal: bytes, sources: Sources | None = None) -> int:
        """The files whose source holds *literal*, a bit each."""
        found = self._held.get(literal)
        if found is None:
            if len(self._held) > 200:
                self._held.clear()
            found = self._held[literal] = self._holding(literal)
        return found

    def _holding(self, literal: bytes) -> int:
        runs, exact = runs_of(literal)
        if not runs:
            return sum(1 << slot for slot, source in enumerate(self.sources) if literal in source)
        found = -1
        for run in runs:
            found &= with_run(run, self.words, self.word_ends, self.holders)
        if not exact:
            found = sum(1 << slot for slot in bits(found) if literal in self.sources[slot])
        return found


def with_run(run: bytes, words: bytes, ends: Numbers, holders: Numbers) -> int:
    """The files of which a word holds *run*, a bit each."""
    places = []
    at = words.find(run)
    while at >= 0:
        places.append(at)
        at = words.find(run, words.find(b"\n", at))
    if not places:
        return 0
    rows = np.searchsorted(ends, np.array(places), side="right")
    return int.from_bytes(np.bitwise_or.reduce(holders[rows], axis=0).tobytes(), "little")


# --- making one ---------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True, eq=False)
class Packed:
    """The columns of one file as arrays, until they come into a block."""

    source: bytes
    columns: tuple[Numbers, ...]
    comments: Numbers
    layout: Numbers
    missing: frozenset[int]
    errors: int

    def __len__(self) -> int:
        return len(self.columns[0])


def packed(columns: Columns) -> Packed:
    """*columns* of a whole file, packed."""
    source = columns.source
    start = np.array(columns.start, dtype=np.uint32)
    end = np.array(columns.end, dtype=np.uint32)
    widest = max(columns.field, default=0)
    return Packed(
        source,
        (
            np.array(columns.kind, dtype=np.uint16),
            np.array(columns.field, dtype=np.uint8 if widest < 256 else np.uint16),
            start,
            end,
            np.array(columns.size, dtype=np.uint32),
            mixed(Texts(source).raw(start, end)),
        ),
        np.array(columns.comments, dtype=np.uint32).reshape(-1),
        np.array(columns.layout, dtype=np.uint32).reshape(-1),
        columns.missing,
        columns.errors,
    )


def block(language: str, files: Sequence[Packed]) -> Block:
    """A block of *files*, in their order."""
    kind, of_parent, start, end, size, text = (
        np.concatenate([one.columns[at] for one in files]) for at in range(6)
    )
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(one) for one in files])])
    words, holders = words_of([one.source for one in files])
    return Block(
        language,
        [one.source for one in files],
        offsets,
        kind,
        of_parent,
        start,
        end,
        size,
        text,
        [one.comments for one in files],
        [one.layout for one in files],
        {slot: one.missing for slot, one in enumerate(files) if one.missing},
        [one.errors for one in files],
        *_uncounted(files),
        words,
        ends_of(words),
        holders,
    )


def unpacked(made: Block, slot: int) -> Packed:
    """The file at *slot*, to come into another block."""
    low, high = int(made.offsets[slot]), int(made.offsets[slot + 1])
    columns = (made.kind, made.field, made.start, made.end, made.size, made.text)
    return Packed(
        made.sources[slot],
        tuple(one[low:high] for one in columns),
        made.comments[slot],
        made.layout[slot],
        made.missing.get(slot, frozenset()),
        made.errors[slot],
    )


def text_hash(text: bytes) -> int:
    """The number of a node that reads *text*."""
    one, all_of_it = np.zeros(1, np.uint32), np.array([len(text)], np.uint32)
    return int(mixed(Texts(text).raw(one, all_of_it))[0])


class Texts:
    """Numbers for what a source reads, white space aside: with P the running sum of byte times a power
    of B, that of a span is ``(P[end] - P[start]) * B**-start``, all modulo 2**32."""

    def __init__(self, source: bytes) -> None:
        letters = np.frombuffer(source, dtype=np.uint8)
        solid = ~_SPACE[letters]
        kept = letters[solid].astype(np.uint32) + np.uint32(1)
        self.before = np.zeros(len(source) + 1, np.uint32)
        """For every byte how many before it are no white space."""
        np.cumsum(solid, dtype=np.uint32, out=self.before[1:])
        self._sums = np.zeros(len(kept) + 1, np.uint32)
        with np.errstate(over="ignore"):
            np.cumsum(kept * powers(len(kept))[0], dtype=np.uint32, out=self._sums[1:])

    def raw(self, start: Numbers, end: Numbers) -> Numbers:
        """The number of every span, such that those of spans side by side make that of both."""
        low, high = self.before[start], self.before[end]
        with np.errstate(over="ignore"):
            result: Numbers = (self._sums[high] - self._sums[low]) * powers(len(self._sums))[1][low]
        return result


def mixed(raw: Numbers) -> Numbers:
    """Raw numbers with their bits mixed: what nodes are compared by."""
    with np.errstate(over="ignore"):
        result: Numbers = raw ^ (raw >> np.uint32(16))
        result *= np.uint32(0x85EBCA6B)
        result ^= result >> np.uint32(13)
    return result


_MOST_POWERS = 1 << 20

_known_powers: list[tuple[Numbers, Numbers]] = []


def powers(number: int) -> tuple[Numbers, Numbers]:
    """So many powers of the base and of its inverse; a table for files of usual size is kept."""
    if _known_powers and len(_known_powers[0][0]) >= number:
        known = _known_powers[0]
        return known[0][:number], known[1][:number]
    made = []
    with np.errstate(over="ignore"):
        for base in (_BASE, _INVERSE):
            row = np.full(max(number, 1 << 16), np.uint32(base))
            row[:1] = 1
            made.append(np.multiply.accumulate(row, dtype=np.uint32))
    pair = (made[0], made[1])
    if number <= _MOST_POWERS:
        _known_powers[:] = [pair]
    return pair[0][:number], pair[1][:number]


def _uncounted(files: Sequence[Packed]) -> tuple[Numbers, Numbers]:
    lengths = [len(one.source) for one in files]
    bases = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    points = []
    for base, one in zip(bases.tolist(), files, strict=False):
        points += [one.comments.astype(np.int64) + base, one.layout.astype(np.int64) + base]
        if b"\\" in one.source:
            letters = np.frombuffer(one.source, dtype=np.uint8)
            points.append(np.flatnonzero(letters == ord("\\")) + base)
    return bases, np.sort(np.concatenate(points)) if points else np.zeros(0, np.int64)


def words_of(sources: Sequence[bytes]) -> tuple[bytes, Numbers]:
    """The distinct runs of all sources, each with a line feed behind, and for each the sources that
    hold it, a bit each."""
    numbers: dict[bytes, int] = {}
    of_files = []
    for source in sources:
        found = set(RUN.findall(source))
        of_files.append(np.array([numbers.setdefault(word, len(numbers)) for word in found], dtype=np.int64))
    holders = np.zeros((len(numbers), (len(sources) + 7) // 8), dtype=np.uint8)
    for slot, rows in enumerate(of_files):
        holders[rows, slot // 8] |= np.uint8(1 << slot % 8)
    return b"".join(word + b"\n" for word in numbers), holders


def ends_of(words: bytes) -> Numbers:
    """Where each of the words ends, its line feed included."""
    result: Numbers = np.flatnonzero(np.frombuffer(words, dtype=np.uint8) == 10) + 1
    return result


def listed(columns: Sequence[Numbers], candidates: int) -> tuple[list[int], ...]:
    """Columns of one file to be asked about so many candidates: lists, or arrays where that is less
    work."""
    dense = candidates * _SPARSE > len(columns[0])
    return tuple(one.tolist() if dense else cast("list[int]", _array(one)) for one in columns)


def _array(numbers: Numbers) -> array[int]:
    made = array({1: "B", 2: "H", 4: "I"}[numbers.itemsize])
    made.frombytes(numbers.tobytes())
    return made


def pairs(numbers: Numbers) -> list[tuple[int, int]]:
    """Numbers two by two."""
    flat = numbers.tolist()
    return list(zip(flat[::2], flat[1::2], strict=True))
