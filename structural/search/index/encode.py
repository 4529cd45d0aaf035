"""Columns of files of one language → the bytes of a block on disk.

A block is a head and frames, each compressed by itself, so that a search reads only those that it
needs.  What follows from something else is not kept: a leaf has the length of its text and is so
many bytes behind the leaf before; a node begins with its first leaf and ends with its last.  What
differs from that stands in lists of exceptions.  Texts of leaves are numbers of texts that differ;
of these only a hash and a length are kept, for the text itself is in the file.  ``mapped`` reads it.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import zstandard

from structural.search.block import Numbers, Texts, words_of
from structural.search.index.mapped import HEAD_DIGEST, MAGIC, VERSION
from structural.syntax.columns import Columns

LEVEL = 3

_ESCAPE = 255
"""In a column of bytes: the number stands in the list of those that are larger."""


@dataclass(slots=True, eq=False)
class Flat:
    """The columns of one whole file as arrays.  ``hidden`` are stretches of text that are in no leaf,
    comments too: first byte, raw number, length without white space, one row each."""

    source: bytes
    kind: Numbers
    field: Numbers
    size: Numbers
    leaf_gap: Numbers
    leaf_raw: Numbers
    leaf_solid: Numbers
    leaf_length: Numbers
    starts: Numbers
    """Nodes that do not begin with their first leaf, and where they begin: rows."""
    ends: Numbers
    hidden: Numbers
    comments: Numbers
    layout: Numbers
    slashes: Numbers
    missing: tuple[int, ...]
    errors: int


def flat(columns: Columns) -> Flat | None:
    """*columns* of a whole file, to come into a block; None if its leaves are not one behind the other."""
    source = columns.source
    if not columns.size or len(source) >= 1 << 31:
        return None
    size, start, end = _array(columns.size), _array(columns.start), _array(columns.end)
    leaf = size == 1
    low, high = start[leaf], end[leaf]
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(leaf)])
    at = np.arange(len(size))
    gap = low - np.concatenate([np.zeros(1, np.int64), high[:-1]])
    if (gap < 0).any() or (high < low).any() or (high[-1] > len(source)):
        return None
    usual_start, usual_end = low[before[at]], high[before[at + size] - 1]
    odd_start, odd_end = np.flatnonzero(start != usual_start), np.flatnonzero(end != usual_end)
    texts = Texts(source)
    hidden = _hidden(texts, low, high, np.concatenate([start[odd_start], end[odd_end]]), len(source))
    if hidden is None:
        return None
    letters = np.frombuffer(source, dtype=np.uint8)
    return Flat(
        source,
        np.frombuffer(array("H", columns.kind), dtype=np.uint16),
        np.frombuffer(array("H", columns.field), dtype=np.uint16),
        size,
        gap,
        texts.raw(low, high),
        (texts.before[high] - texts.before[low]).astype(np.int64),
        high - low,
        np.stack([odd_start, start[odd_start]], axis=1),
        np.stack([odd_end, end[odd_end]], axis=1),
        hidden,
        np.array(columns.comments, dtype=np.int64).reshape(-1),
        np.array(columns.layout, dtype=np.int64).reshape(-1),
        np.flatnonzero(letters == ord("\\")),
        tuple(sorted(columns.missing)),
        columns.errors,
    )


def _array(numbers: list[int]) -> Numbers:
    """A list as an array; by way of the standard library's, which is made in a third of the time."""
    return np.frombuffer(array("q", numbers), dtype=np.int64)


def _hidden(texts: Texts, low: Numbers, high: Numbers, odd: Numbers, length: int) -> Numbers | None:
    """The stretches between leaves that are no white space, cut where a node begins or ends; None if
    one begins or ends inside a leaf."""
    first = np.concatenate([np.zeros(1, np.int64), high])
    last = np.append(low, length)
    if len(odd):
        gap = np.searchsorted(low, odd, side="left")  # the stretch before the next leaf
        if (odd < first[gap]).any():
            return None
        inside = odd[(odd > first[gap]) & (odd < last[gap])]
        first = np.sort(np.concatenate([first, inside]), kind="stable")
        last = np.sort(np.concatenate([last, inside]), kind="stable")
    solid = texts.before[last].astype(np.int64) - texts.before[first]
    keep = np.flatnonzero(solid)
    first, last, solid = first[keep], last[keep], solid[keep]
    return np.stack([first, texts.raw(first, last).astype(np.int64), solid], axis=1)


# --- a block -------------------------------------------------------------------------------------


class _Frames:
    """The frames of a block, one behind the other, and what the head says of them."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.table: dict[str, tuple[int, int, int, str]] = {}
        self._at = 0
        self._compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)

    def add(self, name: str, data: bytes, dtype: str = "") -> None:
        packed = self._compressor.compress(data)
        self.table[name] = (self._at, len(packed), len(data), dtype)
        self.parts.append(packed)
        self._at += len(packed)

    def numbers(self, name: str, numbers: Numbers) -> None:
        """Numbers as they are, in the least width that holds them."""
        widest = int(numbers.max()) if len(numbers) else 0
        bits = widest.bit_length()
        dtype = "u1" if bits <= 8 else "<u2" if bits <= 16 else "<u4" if bits <= 32 else "<u8"
        self.add(name, numbers.astype(dtype).tobytes(), dtype)

    def small(self, name: str, numbers: Numbers) -> None:
        """Numbers that are mostly below 255: bytes, and the others beside."""
        more = numbers >= _ESCAPE
        self.add(name, np.where(more, _ESCAPE, numbers).astype(np.uint8).tobytes(), "u1")
        self.numbers(f"{name} more", numbers[more])

    def planes(self, name: str, numbers: Numbers) -> None:
        """Numbers with their low bytes and their high bytes apart."""
        self.add(f"{name} low", (numbers & 255).astype(np.uint8).tobytes(), "u1")
        self.numbers(f"{name} high", numbers >> 8)


def encode(language: str, files: Sequence[Flat]) -> bytes:
    """The bytes of a block of *files*, in their order."""
    frames = _Frames()

    def joined(name: str) -> Numbers:
        return np.concatenate([getattr(one, name) for one in files])

    words, holders = words_of([one.source for one in files])
    frames.add("words", words)
    frames.add("holders", holders.tobytes(), "u1")
    kind = joined("kind")
    size = joined("size")
    kinds, codes = np.unique(kind, return_inverse=True)
    frames.numbers("kind", codes)
    frames.small("field", joined("field"))
    frames.small("size", size)
    frames.small("gap", joined("leaf_gap"))
    frames.small("length", joined("leaf_length"))
    leaves = size == 1
    texts = _texts(frames, joined("leaf_raw"), joined("leaf_solid"), codes[leaves])
    for name in ("starts", "ends"):
        _exceptions(frames, name, [getattr(one, name) for one in files])
    hidden = [one.hidden for one in files]
    first = [_steps(one[:, 0]) for one in hidden]
    rows = np.concatenate(hidden)
    frames.small("hidden at", np.concatenate(first))
    frames.add("hidden raw", rows[:, 1].astype("<u4").tobytes(), "<u4")
    frames.small("hidden solid", rows[:, 2])
    for name in ("comments", "layout", "slashes"):
        frames.small(name, np.concatenate([_steps(getattr(one, name)) for one in files]))
    head: dict[str, Any] = {
        "language": language,
        "kinds": kinds.tolist(),
        "always": texts,
        "inner": np.unique(codes[~leaves]).tolist(),
        "nodes": [len(one.kind) for one in files],
        "leaves": [len(one.leaf_gap) for one in files],
        "bytes": [len(one.source) for one in files],
        "counts": {
            name: [len(getattr(one, name)) for one in files]
            for name in ("starts", "ends", "hidden", "comments", "layout", "slashes")
        },
        "missing": {slot: one.missing for slot, one in enumerate(files) if one.missing},
        "errors": [one.errors for one in files],
        "frames": frames.table,
    }
    packed = marshal.dumps(head, 4)
    begin = MAGIC + VERSION.to_bytes(4, "little") + len(packed).to_bytes(4, "little")
    return b"".join([begin, blake2b(begin + packed, digest_size=HEAD_DIGEST).digest(), packed, *frames.parts])


def _steps(numbers: Numbers) -> Numbers:
    """Numbers in order as the differences between them, the first as it is."""
    return np.diff(numbers, prepend=np.zeros(1, np.int64))


def _exceptions(frames: _Frames, name: str, files: list[Numbers]) -> None:
    frames.small(f"{name} node", np.concatenate([_steps(one[:, 0]) for one in files]))
    steps = np.concatenate([_steps(one[:, 1]) for one in files])
    frames.small(f"{name} byte", np.where(steps < 0, -2 * steps - 1, 2 * steps))


def _texts(frames: _Frames, raw: Numbers, solid: Numbers, kind: Numbers) -> dict[int, int]:
    """Every leaf's text as a number, common ones low; of a kind that reads always the same, only once."""
    key = (solid.astype(np.uint64) << np.uint64(32)) | raw.astype(np.uint64)
    known, ids, counts = np.unique(key, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(known), np.int64)
    rank[order] = np.arange(len(known))
    ids = rank[ids]
    frames.add("text raw", known[order].astype("<u4").tobytes(), "<u4")
    frames.small("text solid", (known[order] >> np.uint64(32)).astype(np.int64))
    one_of = np.zeros(1 << 16, np.int64)
    one_of[kind] = ids
    always = np.full(1 << 16, True)
    always[kind[ids != one_of[kind]]] = False
    frames.planes("text", ids[~always[kind]])
    return {int(code): int(one_of[code]) for code in np.unique(kind) if always[code]}
