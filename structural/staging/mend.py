"""Recovery without a journal that can be read.

What a commit was about to do is also in the store: the first thing it does is to make the
folder for its old files, and the change is there with its paths and digests.  So a plan is
found out from these and from the names beside the targets, and put in the place of the
damaged journal; from there on it is a recovery like any other, which a crash may stop.

    the old files are all in the store        every name was exchanged: it is finished
    anything else                             it is taken back, by the digests

Nothing is removed on a guess: what cannot be told is put into ``rescued``, and said.
"""

from __future__ import annotations

import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from structural.errors import DamagedError, JournalError
from structural.staging.disk import make_folder, new_file
from structural.staging.journal import Entry, Journal, Phase, Plan, Step
from structural.staging.look import look
from structural.staging.paths import STORE
from structural.staging.places import Places
from structural.staging.records import Record, Status
from structural.staging.values import Action, LateWrite, Recovered, Stale, State

_BESIDE = re.compile(r"\.structural-([0-9a-f]{16})-([0-9]+)(\.old)?")
_VERSIONED = {".git", ".hg", ".svn", ".jj", STORE}

Carry = Callable[[Places, Journal, Entry], Recovered]


@dataclass(frozen=True, slots=True)
class _Traces:
    """What in the store tells of commits that were not ended."""

    begun: tuple[Status, ...]
    """Changes that have a folder for old files and are not committed."""
    unknown: tuple[str, ...]
    """Folders of old files of which nobody can tell whether they belong to a commit that ended."""


def damaged(journal: Journal) -> JournalError:
    """The error for a journal without a plan, where a commit has begun."""
    return JournalError(
        f"a commit was interrupted, and its journal {journal.path} is damaged; nothing was changed",
        hint="`astedit recover` finds out how far it came, and says what it does",
        path=journal.path,
    )


def traces(places: Places) -> bool:
    """Whether there are traces of a commit that was not ended."""
    found = _traces(places)
    return bool(found.begun or found.unknown)


def mend(places: Places, journal: Journal, carry: Carry) -> Recovered:
    """Recover without the journal, which is kept in ``rescued``."""
    kept = _kept_journal(places, journal)
    found = _traces(places)
    done: list[Recovered] = []
    unsure: list[str] = []
    for status in found.begun:
        try:
            record = places.shelf.record(status.id, status)
        except DamagedError as error:
            unsure.append(
                f"{status.id} was being committed, and its files are not known: {error.path} {error.why}; "
                f"old files of it may be in {places.shelf.kept(status.id)}"
            )
            continue
        entry = _entry(places, record, status)
        journal.begin_again(entry.plan, entry.phase)
        result = carry(places, journal, entry)
        done.append(replace(result, left=(*result.left, *_different(places, entry.plan, result))))
    unsure += [
        f"nobody can tell what these old files were: {places.shelf.kept(name)}" for name in found.unknown
    ]
    rescued = tuple(_leftovers(places))
    _write_undone(places)
    if journal.is_there():
        journal.end()
    if len(done) > 1:
        unsure.append(f"several changes were being committed: {', '.join(one.id for one in done)}")
    first = done[0] if done else Recovered()
    return Recovered(
        first.id,
        bool(done) and all(one.finished for one in done),
        tuple(stale for one in done for stale in one.left),
        (*(write for one in done for write in one.rescued), *rescued),
        found=True,
        files=sum(one.files for one in done),
        journal=kept,
        unsure=tuple(unsure),
    )


def _traces(places: Places) -> _Traces:
    shelf = places.shelf
    begun: list[Status] = []
    unknown: list[str] = []
    folder = os.path.dirname(shelf.kept("x"))
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        try:
            status = shelf.status(name)
        except DamagedError:
            unknown.append(name)
            continue
        if status.state is State.OPEN:
            begun.append(status)
    return _Traces(tuple(begun), tuple(unknown))


def _kept_journal(places: Places, journal: Journal) -> Path:
    """A copy of the damaged journal, for people."""
    disk, shelf = places.disk, places.shelf
    make_folder(disk, shelf.rescued, 0o700)
    path = os.path.join(shelf.rescued, f"journal-{secrets.token_hex(4)}")
    new_file(disk, path, journal.raw())
    disk.sync_folder(shelf.rescued)
    return Path(path)


def _entry(places: Places, record: Record, status: Status) -> Entry:
    """The plan of a commit of *record*, and how far it came, as the tree tells."""
    shelf = places.shelf
    steps = tuple(
        Step(number, file.path, file.action, file.before, file.after, file.executable)
        for number, file in enumerate(record.change.files)
    )
    empty: tuple[str, ...] = ()
    if status.undoes:
        try:
            empty = tuple(reversed(shelf.status(status.undoes).folders))
        except DamagedError:
            empty = ()
    plan = Plan(
        record.change.id,
        _token(places, steps),
        steps,
        1 + shelf.last_sequence(),
        0,  # so that inodes, which are not known, are not believed
        empty=empty,
        undoes=status.undoes,
    )
    return Entry(plan, Phase.COMMITTED if _exchanged(places, plan) else Phase.PREPARING, {})


def _token(places: Places, steps: tuple[Step, ...]) -> str:
    """The token in the names beside the targets; a new one if there are none."""
    found: Counter[str] = Counter()
    numbers = {str(step.number) for step in steps}
    for folder in {os.path.dirname(places.tree.full(step.path)) for step in steps}:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            beside = _BESIDE.fullmatch(name)
            if beside and beside[2] in numbers:
                found[beside[1]] += 1
    return found.most_common(1)[0][0] if found else secrets.token_hex(8)


def _exchanged(places: Places, plan: Plan) -> bool:
    """Whether every name was exchanged and every old file moved into the store."""
    if any(os.path.lexists(places.beside(plan, step)) for step in plan.steps):
        return False
    old = [step for step in plan.steps if step.action is not Action.CREATE]
    if old:
        return all(os.path.lexists(places.kept(plan, step)) for step in old)
    looks = [(look(places.tree.full(step.path)), step) for step in plan.steps]
    return all(found is not None and found.digest == step.after for found, step in looks)


def _different(places: Places, plan: Plan, result: Recovered) -> Iterator[Stale]:
    """The files that are not what this recovery says of them."""
    told = {stale.path for stale in result.left}
    for step in plan.steps:
        if step.path in told:
            continue
        found = look(places.tree.full(step.path))
        wanted = step.after if result.finished else step.before
        digest = found.digest if found else None
        if digest != wanted or (found is not None) != (wanted is not None):
            why = "was edited" if found else "was deleted"
            yield Stale(step.path, wanted, digest, why)


def _leftovers(places: Places) -> Iterator[LateWrite]:
    """Files of ours, or old ones, that are still beside targets: into ``rescued`` with them."""
    disk, shelf = places.disk, places.shelf
    for folder, folders, files in os.walk(places.tree.root):
        folders[:] = sorted(name for name in folders if name not in _VERSIONED)
        for name in sorted(files):
            if not _BESIDE.fullmatch(name):
                continue
            path = os.path.join(folder, name)
            place = os.path.join(shelf.rescued, name.lstrip("."))
            disk.move(path, place)
            yield LateWrite("", os.path.relpath(path, places.tree.root).replace(os.sep, "/"), Path(place))


def _write_undone(places: Places) -> None:
    """What an undo took back is marked so, which is the last step of its commit."""
    statuses = {status.id: status for status in places.shelf.statuses()}
    for status in statuses.values():
        undone = statuses.get(status.undoes or "")
        if undone and undone.state is State.COMMITTED and status.state is State.COMMITTED:
            if undone.sequence < status.sequence:
                places.shelf.set_status(replace(undone, state=State.UNDONE, undone_by=status.id))
