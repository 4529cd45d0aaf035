"""Files of one language packed together: columns, a number for every node's text, their words.

A block is made once from files that were parsed whole, and never changes, so threads may
share it.  Node *i* of the file at *slot* is node ``offsets[slot] + i`` of the block; spans
are bytes of the file.  ``text`` is a hash of what a node reads without white space: other
numbers, other texts.  The words of the files tell which of them hold a literal.
"""

from __future__ import annotations

import dataclasses
import re
from array import array
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from structural.syntax.columns import Columns

Numbers = npt.NDArray[Any]

_BASE = 0x9E3779B97F4A7C15  # odd, so it has an inverse modulo 2**64
_INVERSE = pow(_BASE, -1, 1 << 64)
_SPACE = np.isin(np.arange(256), list(b" \t\r\n\f\v"))

_RUN = re.compile(rb"\w+|[^\w\s]+")
"""Source text as runs of letters and of marks: a literal of one sort stands within one of these."""

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

    def columns(self, slot: int, candidates: int = 1) -> Columns:
        """The columns of one file, to be asked about so many candidates."""
        low, high = int(self.offsets[slot]), int(self.offsets[slot + 1])
        dense = candidates * _SPARSE > high - low
        made = Columns(self.language, self.sources[slot])
        made.kind, made.field, made.start, made.end, made.size = (
            one[low:high].tolist() if dense else cast("list[int]", _array(one[low:high]))
            for one in (self.kind, self.field, self.start, self.end, self.size)
        )
        made.comments = _pairs(self.comments[slot])
        made.layout = _pairs(self.layout[slot])
        made.missing = self.missing.get(slot, frozenset())
        made.errors = self.errors[slot]
        return made

    def holding(self, literal: bytes) -> int:
        """The files whose source holds *literal*, a bit each."""
        found = self._held.get(literal)
        if found is None:
            if len(self._held) > 200:
                self._held.clear()
            found = self._held[literal] = self._holding(literal)
        return found

    def _holding(self, literal: bytes) -> int:
        runs = _RUN.findall(literal)
        if not runs or b"".join(runs) != literal:
            return sum(1 << slot for slot, source in enumerate(self.sources) if literal in source)
        found = -1
        for run in runs:
            found &= self._with_run(run)
        if len(runs) > 1:
            found = sum(1 << slot for slot in bits(found) if literal in self.sources[slot])
        return found

    def _with_run(self, run: bytes) -> int:
        places = []
        at = self.words.find(run)
        while at >= 0:
            places.append(at)
            at = self.words.find(run, self.words.find(b"\n", at))
        if not places:
            return 0
        rows = np.searchsorted(self.word_ends, np.array(places), side="right")
        return int.from_bytes(np.bitwise_or.reduce(self.holders[rows], axis=0).tobytes(), "little")


def bits(mask: int) -> list[int]:
    """The places of the bits of *mask* that are set."""
    return [at for at, digit in enumerate(reversed(f"{mask:b}")) if digit == "1"]


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
            _texts(source, start, end),
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
    words, ends, holders = _words([one.source for one in files])
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
        ends,
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
    return int(_texts(text, one, all_of_it)[0])


def _texts(source: bytes, start: Numbers, end: Numbers) -> Numbers:
    """A hash of the source of every span, white space aside: with P the running sum of byte times
    a power of B, that of a span is ``(P[end] - P[start]) * B**-start``, all modulo 2**64."""
    letters = np.frombuffer(source, dtype=np.uint8)
    solid = ~_SPACE[letters]
    kept = letters[solid].astype(np.uint64) + np.uint64(1)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(solid, dtype=np.int64)])
    with np.errstate(over="ignore"):
        powers, inverse = _powers(len(kept) + 1)
        sums = np.concatenate(
            [np.zeros(1, np.uint64), np.cumsum(kept * powers[: len(kept)], dtype=np.uint64)]
        )
        low, high = before[start], before[end]
        mixed = (sums[high] - sums[low]) * inverse[low]
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
    result: Numbers = (mixed >> np.uint64(32)).astype(np.uint32)
    return result


_known_powers: list[tuple[Numbers, Numbers]] = []


def _powers(number: int) -> tuple[Numbers, Numbers]:
    """So many powers of the base and of its inverse; a table for files of usual size is kept."""
    if _known_powers and len(_known_powers[0][0]) >= number:
        return _known_powers[0]
    made = []
    for base in (_BASE, _INVERSE):
        powers = np.full(max(number, 1 << 16), np.uint64(base))
        powers[0] = 1
        made.append(np.multiply.accumulate(powers))
    pair = (made[0], made[1])
    if number <= 1 << 16:
        _known_powers[:] = [pair]
    return pair


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


def _words(sources: Sequence[bytes]) -> tuple[bytes, Numbers, Numbers]:
    """The distinct runs of all sources, each with a line feed behind, where each ends, who holds them."""
    numbers: dict[bytes, int] = {}
    of_files = []
    for source in sources:
        found = set(_RUN.findall(source))
        of_files.append(np.array([numbers.setdefault(word, len(numbers)) for word in found], dtype=np.int64))
    holders = np.zeros((len(numbers), (len(sources) + 7) // 8), dtype=np.uint8)
    for slot, rows in enumerate(of_files):
        holders[rows, slot // 8] |= np.uint8(1 << slot % 8)
    lengths = np.fromiter((len(word) + 1 for word in numbers), dtype=np.int64, count=len(numbers))
    return b"".join(word + b"\n" for word in numbers), np.cumsum(lengths), holders


def _array(numbers: Numbers) -> array[int]:
    made = array({1: "B", 2: "H", 4: "I"}[numbers.itemsize])
    made.frombytes(numbers.tobytes())
    return made


def _pairs(numbers: Numbers) -> list[tuple[int, int]]:
    flat = numbers.tolist()
    return list(zip(flat[::2], flat[1::2], strict=True))
