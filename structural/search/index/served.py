"""A memory that begins with what an index on disk knows, for a process that lives on.

The index is read when the memory is made, and never written.  A file that has not moved since it was
taken in is searched in the block that an earlier process left, so the first answer needs no parse; one
that moved is read and kept as in any memory.  Unlike ``indexed`` it serves threads at one time.
"""

from __future__ import annotations

import os

from structural.search.blocks import AnyBlock, UnusableError
from structural.search.freshness import look
from structural.search.index.indexed import Indexed, IndexMemory
from structural.search.index.mapped import Mapped, Room
from structural.search.kept import Kept
from structural.search.memory import LIMIT, Memory
from structural.search.plan import Plan
from structural.search.recall import View
from structural.search.values import PatternSpec, Selection


class ServedIndex(IndexMemory):
    """See the module's head.  Of *limit* bytes half are for columns of the index that were unpacked."""

    fingerprints = True

    def __init__(self, root: str, folder: str, limit: int = LIMIT) -> None:
        super().__init__(root, folder, limit // 2)
        self._room = Room(limit // 2)
        self._prefix = os.path.join(root, "")

    def recall(self, spec: PatternSpec, selection: Selection) -> tuple[Plan, View]:
        return Memory.recall(self, spec, selection)  # several at one time, of which none is saved

    def _known(self, paths: list[str]) -> list[Kept | None]:
        get = self.shelf.files.get
        found: list[Kept | None] = []
        for path in paths:
            known = get(path)
            if known is None or (known.place is None and known.problem is None):
                known = self._either(path, known)
            found.append(known)
        return found

    def _either(self, path: str, kept: Kept | None) -> Kept | None:
        """What the index knows of a file, if that is not older than what is *kept*, which has no columns."""
        known: Kept | None = self._indexed.get(path)
        if known is None and path.startswith(self._prefix):
            row = self.manifest.rows.get(path[len(self._prefix) :])
            known = None if row is None else self._row(path, row)
        if known is None or (kept is not None and kept.signature != known.signature):
            return kept
        return known

    def lost(self, block: AnyBlock, problem: UnusableError) -> None:
        super().lost(block, problem)
        if isinstance(block, Mapped):
            gone = [path for path, one in list(self._indexed.items()) if one.place and one.place[0] is block]
            for path in gone:
                self._indexed.pop(path, None)

    def _warm_file(self, path: str, host: str, call: int) -> bool:
        known = self._either(path, self.shelf.files.get(path))
        if isinstance(known, Indexed) and known.settled and known.signature == look(path):
            return True  # its columns are on disk, and only what a search asks for is unpacked
        return super()._warm_file(path, host, call)

    def save(self, seconds: float | None = None) -> bool:
        return False


def served(root: str, folder: str, limit: int = LIMIT) -> Memory:
    """The memory of a process that serves a tree with the index in *folder*, of the tree at *root* around
    it; a plain one if that cannot be read."""
    try:
        made = ServedIndex(root, folder, limit)
        return made if made.manifest.rows else Memory(limit)
    except (OSError, ValueError):
        return Memory(limit)
