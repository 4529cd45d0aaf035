"""A block on disk, of which no more is read than a search needs.

``Mapped`` answers as ``search.block.Block`` does.  Its head and its words are read without arrays, and
tell which files hold a literal; columns are the work of ``arrays``.  Every frame carries a checksum;
what does not fit raises ``DamagedError``.  What was unpacked is kept while there is room in ``Room``.
"""

from __future__ import annotations

import marshal
import os
import threading
from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

import zstandard

from structural.search.blocks import Sources, UnusableError, runs_of

if TYPE_CHECKING:
    from structural.search.blocks import Numbers
    from structural.search.index.arrays import Arrays
    from structural.syntax.columns import Columns

MAGIC = b"structural block\n"
VERSION = 1
HEAD_DIGEST = 16

ROOM = 100_000_000
"""Bytes of unpacked columns that are kept at most."""

_BEGIN = len(MAGIC) + 8 + HEAD_DIGEST


class DamagedError(UnusableError):
    """A file of the index does not hold what was written."""


class GoneError(UnusableError):
    """A file of the index is not there any more, or cannot be read."""


class Room:
    """Blocks by the turn in which they were unpacked; the first go when there is too much."""

    def __init__(self, limit: int = ROOM) -> None:
        self.limit = limit
        self._blocks: OrderedDict[Mapped, int] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()

    def took(self, block: Mapped, weight: int) -> None:
        with self._lock:
            self._weight += weight
            self._blocks[block] = self._blocks.pop(block, 0) + weight
            while self._weight > self.limit and len(self._blocks) > 1:
                other, less = self._blocks.popitem(last=False)
                self._weight -= less
                other.forget()


class Mapped:
    """See the module's head.  Raises DamagedError or GoneError where the file is not what it should be."""

    def __init__(self, path: str, room: Room) -> None:
        self.path = path
        self._room = room
        self.head = self._head()
        self.language: str = self.head["language"]
        self.errors: list[int] = self.head["errors"]
        self.sizes: list[int] = self.head["bytes"]
        self.missing: dict[int, frozenset[int]] = {
            slot: frozenset(found) for slot, found in self.head["missing"].items()
        }
        self.table: dict[str, tuple[int, int, int, str]] = self.head["frames"]
        self._held: dict[bytes, int] = {}
        self._words: tuple[bytes, bytes] | None = None
        self._made: Arrays | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def arrays(self) -> Arrays:
        """Its columns as arrays."""
        made = self._made
        if made is None:
            from structural.search.index.arrays import Arrays

            made = self._made = Arrays(self)
        return made

    def took(self, weight: int) -> None:
        """So many bytes were unpacked."""
        self._room.took(self, weight)

    def forget(self) -> None:
        """Let go what was unpacked."""
        self._made = None
        self._words = None

    # --- reading ---------------------------------------------------------------------------------

    def _head(self) -> dict[str, Any]:
        begin = self._bytes(0, 1 << 14)
        length = int.from_bytes(begin[len(MAGIC) + 4 : len(MAGIC) + 8], "little")
        if not begin.startswith(MAGIC + VERSION.to_bytes(4, "little")) or length > 1 << 28:
            raise DamagedError(self.path)
        data = begin[_BEGIN : _BEGIN + length]
        if len(data) < length:
            data += self._bytes(len(begin), _BEGIN + length - len(begin))
        told = blake2b(begin[: len(MAGIC) + 8] + data, digest_size=HEAD_DIGEST).digest()
        if len(data) != length or begin[len(MAGIC) + 8 : _BEGIN] != told:
            raise DamagedError(self.path)
        self._body = _BEGIN + length
        return cast("dict[str, Any]", marshal.loads(data))

    def _bytes(self, at: int, length: int) -> bytes:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
            try:
                return os.pread(descriptor, length, at)
            finally:
                os.close(descriptor)
        except OSError as problem:
            raise GoneError(self.path) from problem

    def frame(self, name: str) -> bytes:
        """One frame, unpacked and checked."""
        at, length, size, _ = self.table[name]
        data = self._bytes(self._body + at, length)
        try:
            found = zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
        except zstandard.ZstdError as problem:
            raise DamagedError(self.path) from problem
        if len(found) != size or len(data) != length:
            raise DamagedError(self.path)
        return found

    def check(self) -> None:
        """Read everything."""
        for name in self.table:
            self.frame(name)

    # --- literals --------------------------------------------------------------------------------

    def holding(self, literal: bytes, sources: Sources) -> int:
        """The files whose source holds *literal*, a bit each; *sources* are asked where words do not
        tell, and one that is not there may hold it."""
        found = self._held.get(literal)
        if found is None:
            runs, exact = runs_of(literal)
            found = (1 << len(self)) - 1
            for run in runs:
                found &= self._with_run(run)
                if not found:
                    break
            if found and not exact:
                texts = {slot: sources(slot) for slot in range(len(self)) if found >> slot & 1}
                for slot, source in texts.items():
                    if source is not None and literal not in source:
                        found &= ~(1 << slot)
                if None in texts.values():
                    return found  # the next one who asks may know more
            self._held[literal] = found
        return found

    def _with_run(self, run: bytes) -> int:
        known = self._words  # another thread may let go of them meanwhile
        if known is None:
            known = self._words = self.frame("words"), self.frame("holders")
            self.took(sum(map(len, known)))
        words, holders = known
        found, row, counted = 0, 0, 0
        width = (len(self) + 7) // 8
        at = words.find(run)
        while at >= 0:
            row += words.count(b"\n", counted, at)
            found |= int.from_bytes(holders[row * width : (row + 1) * width], "little")
            counted = words.find(b"\n", at)
            at = words.find(run, counted)
        return found

    # --- columns ---------------------------------------------------------------------------------

    def columns(self, slot: int, candidates: int, source: bytes) -> Columns:
        """The columns of one file, which reads *source*, to be asked about so many candidates."""
        return self.arrays.columns(slot, candidates, source)

    def with_text(self, number: int, kinds: frozenset[int]) -> Numbers:
        """The nodes of *kinds* that read as *number* says, in order, and perhaps others that read so."""
        return self.arrays.with_text(number, kinds)

    def same_text(self, one: Numbers, other: Numbers) -> Numbers:
        """Whether two nodes may read the same, white space aside, or be the same tokens."""
        return self.arrays.same_text(one, other)

    @property
    def offsets(self) -> Numbers:
        return self.arrays.offsets

    @property
    def bases(self) -> Numbers:
        return self.arrays.bases

    @property
    def kind(self) -> Numbers:
        return self.arrays.kind

    @property
    def size(self) -> Numbers:
        return self.arrays.size

    @property
    def start(self) -> Numbers:
        return self.arrays.start

    @property
    def end(self) -> Numbers:
        return self.arrays.end

    @property
    def text(self) -> Numbers:
        return self.arrays.text

    @property
    def uncounted(self) -> Numbers:
        return self.arrays.uncounted
