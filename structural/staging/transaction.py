"""A commit, step by step.  Nothing else writes a file of the user's.

    1. journal: the plan                    (a crash leaves only our own new files)
    2. new files beside their targets, with mode, owner and attributes; synced
    3. a trial of the exchange in every folder
    4. journal: prepared                    (a crash is taken back)
    5. each name exchanged, and what came out compared with its digest
    6. the old files moved into the store; folders synced
    7. journal: committed                   (a crash is finished)
    8. the state of the change; the journal removed

A failure in 1–7 is taken back by ``abort``, which is also what recovery does.  A failure
in 8 leaves the journal to the next command.  The checks of ``prepare`` come before, and
the caller holds the lock throughout.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from structural.errors import CommitError, DamagedError, JournalError, StaleError, StructuralError
from structural.staging import mend
from structural.staging.abort import abort
from structural.staging.disk import make_folder
from structural.staging.finish import finish
from structural.staging.journal import Entry, Journal, Phase, Plan, Step
from structural.staging.look import look
from structural.staging.metadata import changed_since, keep_metadata
from structural.staging.places import Places
from structural.staging.prepare import difference
from structural.staging.swap import Foreign, swap
from structural.staging.trial import try_exchange
from structural.staging.values import Action, LateWrite, Recovered, Stale, State

_TOGETHER = 64
"""How many new files are open at once: written one after the other, then synced one after the
other, which lets the disk take them together."""


def commit(places: Places, journal: Journal, plan: Plan, contents: Iterable[tuple[Step, bytes]]) -> str:
    """Carry out *plan*; *contents* gives the new bytes of each step that has any.

    Returns why tidying up has to wait for the next command; empty if it has not.

    StaleError, UnwritableError or CommitError say that nothing was changed.
    """
    exchanged: set[int] = set()
    try:
        journal.begin(plan)
        inodes, donors = _write_new_files(places, plan, contents)
        try_exchange(places, plan)
        for folder in _folders(places, plan):
            places.disk.sync_folder(folder)
        journal.mark(Phase.PREPARED, inodes)
        for step in plan.steps:
            exchanged.add(step.number)
            _exchange(places, plan, step, donors.get(step.number))
        for step in plan.steps:
            if step.action is not Action.CREATE:
                places.disk.move(places.beside(plan, step), places.kept(plan, step))
        for folder in _folders(places, plan):
            places.disk.sync_folder(folder)
        journal.mark(Phase.COMMITTED)
    except (Exception, KeyboardInterrupt) as error:
        _take_back(places, journal, error, exchanged)
        raise
    try:
        finish(places, journal, plan)
    except (OSError, StructuralError) as error:
        return _told(error)
    return ""


def recover(places: Places, journal: Journal, *, mending: bool = False) -> Recovered:
    """Finish or take back what the journal tells of.  CommitError if that cannot be done now.

    Of a damaged journal JournalError, unless *mending*: then its place is taken by one that is found
    out from the store and the tree.
    """
    if not journal.is_there():
        return Recovered()
    try:
        return _recover(places, journal, mending)
    except OSError as error:
        raise CommitError(
            f"an interrupted commit cannot be recovered now: {_told(error)}",
            hint="put that right, then recover again; the journal has all that is needed",
        ) from error


def _recover(places: Places, journal: Journal, mending: bool) -> Recovered:
    try:
        entry = journal.read()
        if entry is None and mend.traces(places):
            raise mend.damaged(journal)
    except JournalError:
        if not mending:
            raise
        return mend.mend(places, journal, _carried_out)
    if entry is None:
        journal.end()
        return Recovered(found=True)
    return _carried_out(places, journal, entry)


def _carried_out(places: Places, journal: Journal, entry: Entry) -> Recovered:
    """Finish it, or take it back."""
    plan = entry.plan
    if entry.phase is Phase.COMMITTED or _in_history(places, plan):
        finish(places, journal, plan)
        return Recovered(plan.id, finished=True, found=True, files=len(plan.steps))
    return abort(places, journal, entry, None)


def _in_history(places: Places, plan: Plan) -> bool:
    """Whether the store says already that *plan* was carried out, which is written last."""
    try:
        status = places.shelf.status(plan.id)
    except DamagedError:
        return False
    return status.sequence == plan.sequence and status.state is not State.OPEN


def _take_back(places: Places, journal: Journal, error: BaseException, exchanged: set[int]) -> None:
    """Undo what was done before *error*, and tell it as one of ours."""
    try:
        entry = journal.read() if journal.is_there() else None
        if entry is not None:
            done = abort(places, journal, entry, exchanged)
        else:
            journal.end()
            done = Recovered()
    except OSError as second:
        raise CommitError(
            f"the commit failed ({_told(error)}), and taking it back failed too ({_told(second)})",
            hint="put that right; the next command takes the commit back",
        ) from error
    note = _left(done)
    if isinstance(error, StructuralError):
        if note:
            error.message += note
            error.args = (error.message,)
        raise error
    if isinstance(error, OSError):
        raise CommitError(
            f"the commit failed: {_told(error)}; every {'other ' if done.left else ''}file is as it was"
            + note,
            hint="the change is still open",
        ) from error


def _left(done: Recovered) -> str:
    if not done.left:
        return ""
    files = ", ".join(f"{stale.path} {stale.why}" for stale in done.left)
    return f"; changed by others meanwhile, and left so: {files}" + _rescued(done.rescued)


def _rescued(rescued: Sequence[LateWrite]) -> str:
    return f" (what stood there before is kept in {rescued[0].kept.parent})" if rescued else ""


def _told(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _write_new_files(
    places: Places, plan: Plan, contents: Iterable[tuple[Step, bytes]]
) -> tuple[dict[int, int], dict[int, os.stat_result]]:
    """Write, give the right metadata to, and sync every new file.  Step → inode of the new file, and
    → what the old one was when its metadata were taken."""
    disk = places.disk
    make_folder(disk, os.path.dirname(places.shelf.kept(plan.id)), 0o700)
    disk.mkdir(places.shelf.kept(plan.id), 0o700)
    for folder in plan.folders:
        make_folder(disk, places.tree.full(folder))
    inodes: dict[int, int] = {}
    donors: dict[int, os.stat_result] = {}
    for batch in _batches(contents):
        handles: list[int] = []
        try:
            for step, content in batch:
                path = places.beside(plan, step)
                handle = disk.create(path, 0o600 if places.donor(plan, step) else _mode(step))
                handles.append(handle)
                disk.write(handle, content)
                donor = places.donor(plan, step)
                if donor:
                    donors[step.number] = keep_metadata(disk, handle, path, donor)
                inodes[step.number] = os.fstat(handle).st_ino
            for handle in handles:
                disk.sync(handle)
        finally:
            for handle in handles:
                os.close(handle)
    return inodes, donors


def _mode(step: Step) -> int:
    """What the umask then narrows."""
    return 0o777 if step.executable else 0o666


def _batches(contents: Iterable[tuple[Step, bytes]]) -> Iterator[list[tuple[Step, bytes]]]:
    batch: list[tuple[Step, bytes]] = []
    size = 0
    for step, content in contents:
        batch.append((step, content))
        size += len(content)
        if len(batch) == _TOGETHER or size > 1 << 26:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _exchange(places: Places, plan: Plan, step: Step, donor: os.stat_result | None) -> None:
    """Put the new file in place, or take the file away.  StaleError if someone was there first."""
    target = places.tree.full(step.path)
    beside = places.beside(plan, step)
    if step.action is Action.CREATE:
        try:
            places.disk.move(beside, target)
        except FileExistsError:
            raise _stale(Stale(step.path, None, None, "was made by someone else")) from None
        return
    try:
        if step.action is Action.MODIFY:
            swap(places.disk, beside, target)
        else:
            places.disk.move(target, beside)
    except (Foreign, FileNotFoundError) as error:
        why = str(error) if isinstance(error, Foreign) else "was deleted"
        raise _stale(Stale(step.path, step.before, None, why)) from None
    assert step.before is not None
    found = look(beside)
    different = difference(step.path, step.before, found)
    if different:
        raise _stale(different)
    if found and donor and (why := changed_since(donor, found.stat)):
        raise _stale(Stale(step.path, step.before, found.digest, why))


def _stale(stale: Stale) -> StaleError:
    return StaleError(
        f"{stale.path} {stale.why} during the commit; the commit was taken back",
        hint="the change is still open: compute it again on the files as they are now",
        files=(stale,),
    )


def _folders(places: Places, plan: Plan) -> list[str]:
    """Every folder in which a name changes: of the targets, of folders that were made, and of old
    files."""
    made = {os.path.dirname(places.tree.full(folder)) for folder in plan.folders}
    targets = {os.path.dirname(places.tree.full(step.path)) for step in plan.steps}
    kept = places.shelf.kept(plan.id)
    return [*sorted(made | targets), kept, os.path.dirname(kept), places.shelf.path]
