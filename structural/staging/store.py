"""The store of a tree: the one object through which changes are staged, committed and undone.

    store = open_store(find_root(Path.cwd()))
    change = store.stage(files, origin={...})
    store.commit(change.id)
    store.undo(change.id)

Every call first recovers what a crash left.  Every call that writes holds the lock
of the tree.  Nothing is created before something is staged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from structural.staging.values import (
    Collected,
    Committed,
    ProposedFile,
    Recovered,
    Refused,
    StagedChange,
    Stale,
)

WAIT = 10.0
"""Seconds that a call waits for the lock of the tree."""


def find_root(start: Path) -> Path:
    """The nearest folder upwards from *start* that has a store, else one under version control,
    else *start*."""
    raise NotImplementedError


def open_store(root: Path) -> Store:
    """The store of the tree at *root*.  Writes nothing."""
    return Store(root)


class Store:
    """The staged changes and the history of one tree.  Has no state of its own, so that threads may
    share it and a fork may keep it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def stage(
        self,
        files: Sequence[ProposedFile],
        *,
        origin: Mapping[str, Any],
        refused: Iterable[Refused] = (),
        flags: Iterable[str] = (),
        notes: Mapping[str, Any] | None = None,
        wait: float = WAIT,
    ) -> StagedChange:
        """Check *files* and keep them as an open change.  Writes no file of the user's.

        NothingToStageError if no file would change; UnwritableError with every file that could
        never be committed; StagingError where two proposals for one file differ.
        """
        raise NotImplementedError

    def open_changes(self) -> tuple[StagedChange, ...]:
        """The open changes, oldest first."""
        raise NotImplementedError

    def load(self, name: str) -> StagedChange:
        """The change of this id, or of the only id that begins so.  UnknownChangeError."""
        raise NotImplementedError

    def only_open(self) -> StagedChange:
        """The only open change.  UnknownChangeError, which lists them, if there are none or several."""
        raise NotImplementedError

    def text(self, name: str, path: str) -> tuple[bytes, bytes]:
        """The bytes before and after of one file of a change; empty where there is no file.  Does
        not look at the tree."""
        raise NotImplementedError

    def stale(self, name: str) -> tuple[Stale, ...]:
        """The files that are no longer what the change was computed against."""
        raise NotImplementedError

    def drop(
        self, name: str, *, sites: Iterable[int] = (), globs: Iterable[str] = (), wait: float = WAIT
    ) -> StagedChange:
        """Take sites out of an open change, by number or by their files' paths."""
        raise NotImplementedError

    def replace(
        self,
        name: str,
        files: Sequence[ProposedFile],
        *,
        refused: Iterable[Refused] = (),
        flags: Iterable[str] = (),
        notes: Mapping[str, Any] | None = None,
        wait: float = WAIT,
    ) -> StagedChange:
        """Put *files* in the place of what an open change held, under the same id and origin.  Sites
        that come with a number keep it."""
        raise NotImplementedError

    def discard(self, name: str, *, wait: float = WAIT) -> StagedChange:
        """Forget an open change."""
        raise NotImplementedError

    def commit(self, name: str, *, wait: float = WAIT) -> Committed:
        """Write all of an open change, or nothing.

        StaleError with every file that moved on, UnwritableError with every file that cannot be
        written, CommitError where the disk failed.  A change that is committed already is answered
        with ``already`` set.
        """
        raise NotImplementedError

    def undo(self, name: str | None = None, *, wait: float = WAIT) -> Committed:
        """Take a committed change back by a change of its own; without a name the last one."""
        raise NotImplementedError

    def history(self) -> tuple[Committed, ...]:
        """What was committed, the last first."""
        raise NotImplementedError

    def recover(self, *, wait: float = WAIT) -> Recovered:
        """Finish or take back what an interrupted commit left."""
        raise NotImplementedError

    def gc(
        self, *, keep: int = 50, older_than: timedelta = timedelta(days=30), wait: float = WAIT
    ) -> Collected:
        """Forget closed changes beyond the newest *keep* that are older than *older_than*."""
        raise NotImplementedError
