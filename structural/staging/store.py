"""The store of a tree: the one object through which changes are staged, committed and undone.

    store = open_store(find_root(Path.cwd()))
    change = store.stage(files, origin={...})
    store.commit(change.id)
    store.undo(change.id)

Every call first recovers what a crash left; one that only reads does so if nobody is
writing just now.  Every call that writes holds the lock of the tree.  Nothing is created
before something is staged.

The work is done elsewhere: ``assemble`` (checks), ``shelf`` (what is kept),
``transaction`` (the commit), ``reverse`` (undo) and ``collect`` (forgetting).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from structural.errors import (
    CommitError,
    DamagedError,
    JournalError,
    LockedError,
    StagingError,
    StaleError,
    StoreError,
    UnwritableError,
)
from structural.staging import collect, naming, reverse, transaction
from structural.staging.assemble import Assembled, assemble, listed, with_sites
from structural.staging.disk import Disk
from structural.staging.journal import Journal
from structural.staging.lock import locked
from structural.staging.paths import Tree, find_root
from structural.staging.places import Places
from structural.staging.planning import contents, planned
from structural.staging.prepare import obstacle, stale_files, unwritable_files
from structural.staging.records import Record, Status, closed, now
from structural.staging.shelf import Shelf
from structural.staging.values import (
    Action,
    Collected,
    Committed,
    Damaged,
    FileChange,
    ProposedFile,
    Recovered,
    Refused,
    StagedChange,
    Stale,
    State,
)
from structural.text.edits import apply

__all__ = ["WAIT", "Store", "find_root", "open_store"]

WAIT = 10.0
"""Seconds that a call waits for the lock of the tree."""


def open_store(root: Path, *, disk: Disk | None = None) -> Store:
    """The store of the tree at *root*.  Writes nothing.  *disk* is for tests."""
    return Store(root, disk or Disk())


class Store:
    """The staged changes and the history of one tree.  Has no state of its own, so that threads may
    share it and a fork may keep it.

    Ids are given whole or by a beginning that only one has.
    """

    def __init__(self, root: Path, disk: Disk) -> None:
        self.root = root
        self._disk = disk

    @property
    def path(self) -> Path:
        """The folder of the store, which may not be there yet."""
        return Path(self._places().shelf.path)

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
        never be committed; StagingError where two proposals for one file differ.  What is open
        already is not kept twice: the change that is there is the answer.
        """
        found = assemble(Tree(self.root), self._disk, files)
        change = StagedChange(
            id="",
            state=State.OPEN,
            created=now(),
            files=found.files,
            refused=tuple(refused),
            origin=dict(origin),
            notes=dict(notes or {}),
            flags=tuple(dict.fromkeys(flags)),
            unchanged=found.unchanged,
        )
        with self._writing(wait, make=True) as (places, _):
            for name in naming.names_from(naming.seed_of(change.files, change.origin)):
                if places.shelf.is_free(name):
                    break
                known = _open_already(places.shelf, name, change)
                if known is not None:
                    return known
            change = replace(change, id=name)
            status = Status(name, State.OPEN, change.created, origin=change.origin)
            places.shelf.add(Record(change, found.last, 1, {}), found.befores, status)
        return change

    def open_changes(self) -> tuple[StagedChange, ...]:
        """The open changes, oldest first, but those that are damaged."""
        return self.survey()[0]

    def survey(self) -> tuple[tuple[StagedChange, ...], tuple[Damaged, ...]]:
        """The open changes, oldest first; and each one that is damaged and not known to be closed."""
        with self._reading() as shelf:
            records, damaged = shelf.open_records()
        return tuple(record.change for record in records), tuple(damaged)

    def load(self, name: str) -> StagedChange:
        """The change of this id.  UnknownChangeError, which lists the open ones, if there is none or
        it was discarded."""
        with self._reading() as shelf:
            status = naming.find(shelf, name)
            naming.refuse_discarded(shelf, status)
            return shelf.record(status.id, status).change

    def only_open(self) -> StagedChange:
        """The only open change.  UnknownChangeError, which lists them, if there are none or several."""
        with self._reading() as shelf:
            return shelf.record(naming.only_open(shelf)).change

    def only_open_id(self) -> str:
        """The id of the only open change, which is not read for that.  Raises as ``only_open`` does."""
        with self._reading() as shelf:
            return naming.only_open(shelf)

    def text(self, name: str, path: str) -> tuple[bytes, bytes]:
        """The bytes before and after of one file of a change; empty where there is no file.  Does
        not look at the tree."""
        with self._reading() as shelf:
            record = shelf.record(naming.find(shelf, name).id)
            file = record.change.file(path)
            if file is None:
                raise StagingError(f"{record.change.id} does not change {path}")
            before = shelf.before(record, path)
        return before, apply(before, file.edits)

    def texts(self, name: str) -> Iterator[tuple[FileChange, bytes, bytes]]:
        """Every file of a change with its bytes before and after, in order of path."""
        with self._reading() as shelf:
            record = shelf.record(naming.find(shelf, name).id)
            for file, before in shelf.befores(record, record.change.files):
                yield file, before, apply(before, file.edits)

    def stale(self, name: str) -> tuple[Stale, ...]:
        """The files that are no longer what the change was computed against."""
        change = self.load(name)
        return stale_files(Tree(self.root), change.files) if change.state is State.OPEN else ()

    def drop(
        self, name: str, *, sites: Iterable[int] = (), globs: Iterable[str] = (), wait: float = WAIT
    ) -> StagedChange:
        """Take sites out of an open change, by number or by their files' paths.

        StagingError if a number or a glob means none of the change.
        """
        unwanted = set(sites)
        with self._writing(wait) as (places, _):
            record = self._open_record(places, name)
            change = record.change
            numbers = {site.number for file in change.files for site in file.sites}
            unwanted |= _sites_of_files(change, globs)
            unknown = unwanted - numbers - set(change.dropped)
            if unknown:
                raise StagingError(
                    f"{change.id} has no site {', '.join(map(str, sorted(unknown)))}; nothing was dropped",
                    hint=f"it has {len(numbers)} sites, with numbers up to {record.last}",
                )
            files = []
            for file, before in places.shelf.befores(record, change.files):
                rest = tuple(site for site in file.sites if site.number not in unwanted)
                kept = file if len(rest) == len(file.sites) else with_sites(file, before, rest)
                if kept:
                    files.append(kept)
            dropped = tuple(sorted({*change.dropped, *unwanted}))
            change = replace(change, files=tuple(files), dropped=dropped)
            places.shelf.change(replace(record, change=change))
        return change

    def replace(
        self,
        name: str,
        files: Sequence[ProposedFile],
        *,
        refused: Iterable[Refused] = (),
        flags: Iterable[str] = (),
        notes: Mapping[str, Any] | None = None,
        dropped: Iterable[int] | None = None,
        wait: float = WAIT,
    ) -> StagedChange:
        """Put *files* in the place of what an open change held, under the same id and origin.  Sites
        that come with a number keep it; others get numbers that were never used.  *dropped* are the
        numbers of sites that were taken out, if some of those come back."""
        with self._writing(wait) as (places, _):
            record = self._open_record(places, name)
            found: Assembled = assemble(places.tree, self._disk, files, record.last)
            change = replace(
                record.change,
                files=found.files,
                refused=tuple(refused),
                flags=tuple(dict.fromkeys([*record.change.flags, *flags])),
                notes=dict(record.change.notes if notes is None else notes),
                unchanged=found.unchanged,
                dropped=record.change.dropped if dropped is None else tuple(sorted(dropped)),
            )
            places.shelf.change(replace(record, change=change, last=found.last), found.befores)
        return change

    def note(self, name: str, notes: Mapping[str, Any], *, wait: float = WAIT) -> StagedChange:
        """Put *notes* in the place of those of an open change."""
        with self._writing(wait) as (places, _):
            record = self._open_record(places, name)
            change = replace(record.change, notes=dict(notes))
            places.shelf.change(replace(record, change=change))
        return change

    def discard(self, name: str, *, wait: float = WAIT) -> StagedChange:
        """Forget an open change.  What it was is returned, for the last time.

        One that is damaged is returned without files; old files that it kept are put into the
        folder ``rescued`` of the store, and named in ``notes["rescued"]``.
        """
        with self._writing(wait) as (places, _):
            try:
                record = self._open_record(places, name)
            except DamagedError as error:
                damaged = places.shelf.damage(error)
                rescued = [str(late.kept) for late in collect.forget(places, damaged)]
                notes = {"rescued": rescued} if rescued else {}
                return StagedChange(damaged.id, State.DISCARDED, now(), (), notes=notes, closed=now())
            status = closed(places.shelf.status(record.change.id), State.DISCARDED)
            places.shelf.set_status(status)
            places.shelf.empty(status.id)
        return replace(record.change, state=status.state, closed=status.closed)

    def commit(self, name: str, *, wait: float = WAIT) -> Committed:
        """Write all of an open change, or nothing.

        StaleError with every file that moved on, UnwritableError with every file that cannot be
        written, CommitError where the disk failed.  A change that is committed already is answered
        with ``already`` set.
        """
        with self._writing(wait) as (places, journal):
            shelf = places.shelf
            status = naming.find(shelf, name)
            naming.refuse_discarded(shelf, status)
            if status.state is not State.OPEN:
                return replace(status.committed(), already=True)
            record = shelf.record(status.id, status)
            if not record.change.files:
                raise StagingError(f"{status.id} has no sites left; nothing was changed", hint="discard it")
            return self._commit(places, journal, record, reverse.Undo())

    def undo(self, name: str | None = None, *, wait: float = WAIT) -> Committed:
        """Take a committed change back by a change of its own; without a name the last one that is
        no undo and was not undone.

        Raises as ``commit`` does.  An undo can be undone, by its id.
        """
        with self._writing(wait) as (places, journal):
            shelf = places.shelf
            status = naming.find(shelf, name) if name else naming.last_committed(shelf)
            record, befores, undo = reverse.reversed_change(shelf, status)
            state = Status(
                record.change.id,
                State.OPEN,
                record.change.created,
                undoes=status.id,
                reverts=not status.reverts,
                origin=record.change.origin,
            )
            record = shelf.add(record, befores, state, hidden=True)
            try:
                done = self._commit(places, journal, record, undo)
            except StagingError:
                if not journal.is_there():
                    shelf.forget_hidden(record.change.id)
                raise
        return replace(done, late=undo.late)

    def history(self) -> tuple[Committed, ...]:
        """What was committed, the last first."""
        with self._reading() as shelf:
            done = [status for status in shelf.statuses() if status.sequence]
        done.sort(key=lambda status: status.sequence, reverse=True)
        return tuple(status.committed() for status in done)

    def obstacles(self, paths: Iterable[str]) -> dict[str, str]:
        """Which of the files at *paths*, which are located, could not be written, whatever they hold,
        and why: goes on from the path."""
        tree = Tree(self.root)
        found = ((path, obstacle(tree, self._disk, path, Action.MODIFY)) for path in paths)
        return {path: reason for path, reason in found if reason}

    def damaged(self) -> tuple[Damaged, ...]:
        """The changes of which the store cannot tell where they stand."""
        with self._reading() as shelf:
            return tuple(shelf.survey()[1])

    def recover(self, *, mend: bool = False, wait: float = WAIT) -> Recovered:
        """Finish or take back what an interrupted commit left.  Writes nothing if there is none.

        JournalError if its journal is damaged; with *mend* what it was is found out from the store and
        the tree then.
        """
        places = self._places()
        if not places.shelf.exists() or not Journal(self._disk, places.shelf.journal).is_there():
            return Recovered()
        try:
            with locked(self._disk, places.shelf.lock, wait):
                journal = Journal(self._disk, places.shelf.journal)
                return transaction.recover(places, journal, mending=mend)
        except OSError as error:
            raise CommitError(f"an interrupted commit cannot be recovered now: {error}") from error

    def gc(
        self, *, keep: int = 50, older_than: timedelta = timedelta(days=30), wait: float = WAIT
    ) -> Collected:
        """Forget closed changes beyond the newest *keep* that are older than *older_than*.

        An old file into which a program wrote after the commit is not removed, but rescued and told
        of.  What is collected can no longer be undone.
        """
        if not self._places().shelf.exists():
            return Collected((), 0, ())
        with self._writing(wait) as (places, _):
            return collect.collect(places, keep, now() - older_than)

    def _commit(self, places: Places, journal: Journal, record: Record, undo: reverse.Undo) -> Committed:
        """Prepare, then carry out.  Under the lock."""
        change = record.change
        stale = stale_files(places.tree, change.files)
        if stale:
            files = listed((file.path, file.why) for file in stale)
            raise StaleError(
                f"{undo.what(change.id)} is stale: {files}; nothing was changed",
                hint=undo.hint or f"compute {change.id} again on the files as they are now",
                files=stale,
            )
        troubles = unwritable_files(places.tree, self._disk, change.files)
        if troubles:
            raise UnwritableError(
                f"{undo.what(change.id)} cannot be written: {listed(troubles)}; nothing was changed",
                hint="put that right, or drop these files from the change",
                files=troubles,
            )
        plan = planned(places, change, undo)
        unfinished = transaction.commit(places, journal, plan, contents(places.shelf, record, plan))
        if unfinished:
            found = reverse.committed_now(plan)
        else:
            found = places.shelf.status(change.id).committed()
        return replace(found, unfinished=unfinished)

    def _open_record(self, places: Places, name: str) -> Record:
        status = naming.find(places.shelf, name)
        naming.refuse_discarded(places.shelf, status)
        if status.state is not State.OPEN:
            raise StagingError(f"{status.id} is {status.state}; nothing was changed", hint="it can be undone")
        return places.shelf.record(status.id, status)

    def _places(self) -> Places:
        tree = Tree(self.root)
        return Places(tree, Shelf(self._disk, tree), self._disk)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Shelf]:
        """The store, for a look at it: recovered, unless someone is writing or it cannot be now."""
        with contextlib.suppress(LockedError, CommitError, JournalError):
            self.recover(wait=0)
        try:
            yield self._places().shelf
        except OSError as error:
            raise StagingError(f"the store cannot be read: {error}") from error

    @contextlib.contextmanager
    def _writing(self, wait: float, *, make: bool = False) -> Iterator[tuple[Places, Journal]]:
        """The store under its lock, recovered and without what a crash left half made."""
        places = self._places()
        shelf = places.shelf
        if make:
            try:
                shelf.make()
            except OSError as error:
                raise StagingError(f"the store cannot be made: {error}") from error
        elif not shelf.exists():
            raise naming.unknown(shelf, "")
        journal = Journal(self._disk, shelf.journal)
        try:
            with locked(self._disk, shelf.lock, wait):
                shelf.furnish()
                transaction.recover(places, journal)
                shelf.sweep()
                yield self._places(), journal
        except OSError as error:
            raise StagingError(
                f"the store cannot be written: {error}; no file of yours was changed",
                hint="put that right; the next command clears what is half done",
            ) from error


def _open_already(shelf: Shelf, name: str, change: StagedChange) -> StagedChange | None:
    """The open change of this id if it is *change*, as it was when it was staged."""
    try:
        status = shelf.status(name)
        if status.state is not State.OPEN:
            return None
        known = shelf.record(name, status).change
    except (StoreError, OSError):
        return None
    as_staged = replace(known, id=change.id, created=change.created, notes=change.notes)
    return known if as_staged == change else None


def _sites_of_files(change: StagedChange, globs: Iterable[str]) -> set[int]:
    """The sites of files whose path, or last part of it, fits a glob."""
    found: set[int] = set()
    for glob in globs:
        files = [
            file
            for file in change.files
            if fnmatchcase(file.path, glob) or ("/" not in glob and fnmatchcase(Path(file.path).name, glob))
        ]
        if not files:
            raise StagingError(f"{change.id} has no file {glob}; nothing was dropped")
        found |= {site.number for file in files for site in file.sites}
    return found
