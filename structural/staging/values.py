"""What is staged, committed, stale or collected, as values.  No files, no disk.

A **proposal** is what a caller wants of one file.  The store checks it, numbers
its sites and keeps it as a **file change**; the file changes of one call are a
**staged change**.

Paths of file changes are relative to the root, with ``/`` between the parts, and
name the file itself: a symbolic link was followed before.  Spans and edits count
bytes of the file before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from structural.text import Digest, Edit, Span
from structural.text.edits import in_order


class State(StrEnum):
    """Where a staged change stands.  Only an open one can be changed or committed."""

    OPEN = "open"
    COMMITTED = "committed"
    UNDONE = "undone"
    """Committed, and taken back by a later change."""
    DISCARDED = "discarded"


class Action(StrEnum):
    """What happens to a file."""

    MODIFY = "modify"
    CREATE = "create"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Site:
    """One place of a file that changes as a whole or not at all.

    Invariant: ``edits`` are in order and disjoint, also from those of every other
    site of the file.  ``number`` counts from 1 over the whole staged change and
    stays when others are dropped; 0 in a proposal, where the store gives it.
    """

    number: int
    edits: tuple[Edit, ...]
    span: Span
    """What a person looks at: the match, which the edits may be small parts of."""
    line: int
    """The line (from 1) of the span's first byte."""
    count: int = 1
    """How many matches it holds."""
    title: str = ""
    """A few words for a list, such as the rule's name."""


@dataclass(frozen=True, slots=True)
class EditFile:
    """A proposal: these sites of a file whose bytes are ``before``."""

    path: str | Path
    before: bytes
    sites: tuple[Site, ...]


@dataclass(frozen=True, slots=True)
class CreateFile:
    """A proposal: a new file.  Folders that are missing are made."""

    path: str | Path
    content: bytes
    executable: bool = False
    title: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """A proposal: the file whose bytes are ``before`` goes."""

    path: str | Path
    before: bytes
    title: str = ""
    number: int = 0


ProposedFile = EditFile | CreateFile | DeleteFile


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to one file.

    Every file has at least one site: that of a new file inserts its whole content,
    that of a deleted one spans all of it.  Invariants: ``before`` is None exactly
    where the file is created, ``after`` exactly where it is deleted, and the two
    are never equal.
    """

    path: str
    action: Action
    before: Digest | None
    after: Digest | None
    sites: tuple[Site, ...]
    executable: bool = False
    """Of a new file only; otherwise the mode of the file is kept."""

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of all sites, in order."""
        return in_order(edit for site in self.sites for edit in site.edits)


@dataclass(frozen=True, slots=True)
class Refused:
    """A site that was found and left out, with the reason.  The span is in bytes, the line from 1."""

    path: str
    start: int
    end: int
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class StagedChange:
    """A set of file changes under a short id.

    ``origin`` is the recipe by which it can be computed again and ``notes`` what a
    surface wants to show again (files that were skipped, for one).  Both are JSON
    and opaque here.
    """

    id: str
    state: State
    created: datetime
    files: tuple[FileChange, ...]
    """In order of their paths."""
    refused: tuple[Refused, ...] = ()
    origin: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    """Such as ``partial``; once set they stay, whatever is dropped or computed again."""
    unchanged: int = 0
    """How many proposed sites were not staged because they change nothing."""
    dropped: tuple[int, ...] = ()
    """Numbers of sites that were taken out."""
    closed: datetime | None = None
    """When it was committed or discarded."""

    @property
    def sites(self) -> int:
        """How many sites there are."""
        return sum(len(file.sites) for file in self.files)

    @property
    def matches(self) -> int:
        """How many matches the sites hold."""
        return sum(site.count for file in self.files for site in file.sites)

    def file(self, path: str) -> FileChange | None:
        """The change of the file at *path*."""
        return next((file for file in self.files if file.path == path), None)


@dataclass(frozen=True, slots=True)
class Damaged:
    """A change of which the store cannot read everything."""

    id: str
    path: Path
    """The file of the store that is damaged, or where it should be."""
    why: str
    """Goes on from the path."""
    state: State | None = None
    """Where it stands, if at least that can be read."""
    kept: bool = False
    """Whether the store has old files of it, so that it was committed."""

    @property
    def maybe_open(self) -> bool:
        """Whether it may be an open change."""
        return self.state is State.OPEN or (self.state is None and not self.kept)

    @property
    def maybe_committed(self) -> bool:
        """Whether its files may have been written."""
        return self.kept if self.state is None else self.state in (State.COMMITTED, State.UNDONE)


@dataclass(frozen=True, slots=True)
class Stale:
    """A file that is no longer what a change was computed against."""

    path: str
    expected: Digest | None
    """None: no file."""
    found: Digest | None
    """None: no regular file that could be read."""
    why: str
    """As ``was edited``; goes on from the path."""


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """One file of a committed change."""

    path: str
    action: Action
    before: Digest | None
    after: Digest | None


@dataclass(frozen=True, slots=True)
class LateWrite:
    """A program had an old file open and wrote into it after it was swapped out.

    ``kept`` is where that file is now: in the store, and not removed by it.
    """

    change: str
    path: str
    kept: Path


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that is in the tree, or was until it was undone."""

    id: str
    state: State
    when: datetime
    files: tuple[CommittedFile, ...]
    sequence: int
    """Counts the commits of this store from 1."""
    undoes: str | None = None
    """The change that this one took back."""
    undone_by: str | None = None
    undoable: bool = True
    """Whether the store still has what an undo needs, and it was not undone yet."""
    origin: Mapping[str, Any] = field(default_factory=dict)
    already: bool = False
    """It was committed before this call, which did nothing."""
    late: tuple[LateWrite, ...] = ()
    """Of an undo: writes into old files that were found on the way."""
    unfinished: str = ""
    """Why tidying up has to wait for the next command; the tree is as it should be."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What an interrupted commit was, and what became of it."""

    id: str = ""
    """The change; empty if nothing had been done for it, or if nobody can tell."""
    finished: bool = False
    """True: the tree is wholly new.  False: it is wholly old, but for what is ``left``."""
    left: tuple[Stale, ...] = ()
    """Files that are as others wrote them, which was left in place."""
    rescued: tuple[LateWrite, ...] = ()
    """Where the bytes are that have no place any more, such as those that such a write covered."""
    found: bool = False
    """Whether there was an interrupted commit at all."""
    files: int = 0
    """How many files it has."""
    journal: Path | None = None
    """Where its journal is now, if that was damaged."""
    unsure: tuple[str, ...] = ()
    """What could not be told or done, one sentence each."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What a collection removed and what it kept because someone had written into it."""

    removed: tuple[str, ...]
    """Ids, oldest first."""
    bytes: int
    late: tuple[LateWrite, ...]
    """Old files into which someone wrote, or of which that cannot be told."""
    damaged: tuple[Damaged, ...] = ()
    """Changes that are damaged and were not removed, as they are too new for that."""
