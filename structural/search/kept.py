"""What is kept of files between searches: their sources, and their columns in blocks.

``Shelf`` holds both and knows what they weigh.  A file that changed is another ``Kept``; its
old place in a block is dead until so much of the block is that the rest moves to a new one.
Whoever holds a ``Kept`` or a block may go on to use it, whatever becomes of the shelf.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from structural.search.blocks import AnyBlock
from structural.search.freshness import Signature
from structural.search.values import Searched, Skipped

if TYPE_CHECKING:
    from structural.search.block import Block, Packed
    from structural.syntax.columns import Columns

BLOCK_BYTES = 4_000_000
"""Source bytes of a block: enough that a step over all its nodes costs more than to take it."""

MOST_SMALL = 6
"""Blocks of a language below a quarter of that, before they are joined."""

PATIENCE = 20
"""How often a file is searched as usual, after there was no room for its columns, before that is
tried again."""

Place = tuple[AnyBlock, int]

_OF_A_FILE = 600
"""What a file weighs beside its source."""


@dataclass(slots=True, eq=False)
class Kept:
    """One file.  Either ``source``, or in ``problem`` the reason and detail why it is no text."""

    signature: Signature
    settled: bool
    """Whether the signature alone tells that the file has not changed."""
    text: bytes
    problem: tuple[str, str] | None = None
    language: str = ""
    place: Place | None = None
    """Where its columns are."""
    parses: int = 0
    """How often it was parsed without its columns being kept."""
    used: int = 0
    """The last call that asked for it."""
    silent: Searched | None = None
    """The answer for a file that lacks a literal, made once."""

    @property
    def weight(self) -> int:
        return len(self.text) + _OF_A_FILE

    @property
    def source(self) -> bytes:
        """What it reads.  MovedError if that is not kept and the file no longer reads so."""
        return self.text

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.text)

    def reads(self, data: bytes | Skipped) -> bool:
        """Whether *data* is what it reads."""
        return self.problem is None and self.text == data

    @property
    def exact(self) -> bool:
        """Whether to look into the source costs nothing."""
        return True


@dataclass(slots=True)
class _Dead:
    """What of a block is not used any more."""

    files: int = 0
    bytes: int = 0


@dataclass(eq=False)
class Shelf:
    """All files that are kept, by their absolute path.  ``limit`` and ``weight`` are bytes."""

    limit: int
    files: dict[str, Kept] = field(default_factory=dict)
    blocks: dict[AnyBlock, _Dead] = field(default_factory=dict)
    weight: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)
    _pending: dict[str, list[tuple[str, Kept, Packed]]] = field(default_factory=dict)

    def keep(self, path: str, kept: Kept) -> bool:
        """Keep a file in place of what was kept of its path; False if there is no room for it."""
        with self.lock:
            self.drop(path)
            if not self._room(kept.weight, kept.used):
                return False
            self.files[path] = kept
            self.weight += kept.weight
            return True

    def drop(self, path: str) -> None:
        """Forget a file."""
        with self.lock:
            kept = self.files.pop(path, None)
            if kept is None:
                return
            self.weight -= kept.weight
            if kept.place is not None:
                made, _ = kept.place
                kept.place = None
                dead = self.blocks.get(made)
                if dead is not None:
                    dead.files += 1
                    dead.bytes += len(kept.source)
                    self.weight += len(kept.source)  # until the block goes

    def pack(self, path: str, kept: Kept, language: str, columns: Columns) -> None:
        """Take the columns of a whole file; they can be used after ``seal``."""
        from structural.search.block import packed

        made = packed(columns)
        full = False
        with self.lock:
            rows = self._pending.setdefault(language, [])
            rows.append((path, kept, made))
            full = sum(len(one.source) for _, _, one in rows) >= BLOCK_BYTES
        if full:
            self._seal(language)

    def seal(self) -> None:
        """Make blocks of what is pending."""
        for language in list(self._pending):
            self._seal(language)

    def clear(self) -> None:
        with self.lock:
            self.files.clear()
            self.blocks.clear()
            self._pending.clear()
            self.weight = 0

    # --- blocks -----------------------------------------------------------------------------

    def _seal(self, language: str) -> None:
        with self.lock:
            rows = self._pending.pop(language, [])
            if not rows:
                return
            rows += self._taken_apart(language)
        from structural.search.block import block

        made = block(language, [one for _, _, one in rows])
        with self.lock:
            used = max(kept.used for _, kept, _ in rows)
            if not self._room(made.weight, used):
                for _, kept, _ in rows:
                    kept.place, kept.parses = None, -PATIENCE
                return
            dead = _Dead()
            self.blocks[made] = dead
            self.weight += made.weight
            for slot, (path, kept, _) in enumerate(rows):
                if self.files.get(path) is kept and kept.place is None:
                    kept.language, kept.place = language, (made, slot)
                else:
                    dead.files += 1
                    dead.bytes += len(kept.source)
                    self.weight += len(kept.source)

    def _taken_apart(self, language: str) -> list[tuple[str, Kept, Packed]]:
        """The files of blocks of a language that are small or half dead; those blocks go."""
        from structural.search.block import unpacked

        own = [(made, dead) for made, dead in self.blocks.items() if made.language == language]
        small = [made for made, _ in own if sum(made.sizes) * 4 < BLOCK_BYTES]
        gone = {made for made, dead in own if dead.files * 3 > len(made)}
        if len(small) >= MOST_SMALL:
            gone |= set(small)
        rows = []
        for path, kept in self.files.items() if gone else ():
            place = kept.place
            if place is not None and place[0] in gone:
                rows.append((path, kept, unpacked(cast("Block", place[0]), place[1])))
                kept.place = None
        for made in gone:
            self._take_away(made)
        return rows

    def _take_away(self, made: AnyBlock) -> None:
        self.weight -= cast("Block", made).weight + self.blocks.pop(made).bytes

    # --- room -------------------------------------------------------------------------------

    def room(self, weight: int, used: int) -> bool:
        """Make room for so many bytes; nothing that was used since call number *used* goes for it."""
        with self.lock:
            return self._room(weight, used)

    def _room(self, weight: int, used: int) -> bool:
        while self.weight + weight > self.limit:
            oldest = min((kept.used for kept in self.files.values()), default=used)
            if oldest >= used:
                return False
            for path in [path for path, kept in self.files.items() if kept.used == oldest]:
                self.drop(path)
            for made, dead in list(self.blocks.items()):
                if dead.files * 2 > len(made):
                    self._lose(made)
        return True

    def _lose(self, made: AnyBlock) -> None:
        """Take a block away, with the columns of what is left in it."""
        self._take_away(made)
        for kept in self.files.values():
            if kept.place is not None and kept.place[0] is made:
                kept.place = None


def alive(files: Iterable[Kept | None]) -> list[AnyBlock]:
    """The blocks that these files are in, each once."""
    return list({kept.place[0]: None for kept in files if kept is not None and kept.place is not None})
