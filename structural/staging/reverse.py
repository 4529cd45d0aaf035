"""The change that takes a committed one back.

It is a change like any other, guarded by the digests that the commit left behind, and it
writes new files like any other: so the mode and attributes that a file got since are kept.
Only a file that was deleted gets those of the old file in the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from structural.errors import StagingError
from structural.staging import naming
from structural.staging.journal import Plan
from structural.staging.look import look
from structural.staging.naming import redo_hint
from structural.staging.records import Record, Status, now
from structural.staging.shelf import Shelf
from structural.staging.values import (
    Action,
    Committed,
    CommittedFile,
    FileChange,
    LateWrite,
    Site,
    StagedChange,
    State,
)
from structural.text import Edit, LineIndex, Span
from structural.text.edits import apply, inverse


@dataclass(frozen=True, slots=True)
class Undo:
    """What the commit of an undo needs besides its files; empty for any other commit."""

    undoes: str | None = None
    donors: Mapping[str, int] = field(default_factory=dict)
    """Path of a file that is made again → number of its old file in the store."""
    empty: tuple[str, ...] = ()
    """Folders that the commit had made, innermost first."""
    late: tuple[LateWrite, ...] = ()

    def what(self, name: str) -> str:
        """The change *name* in a message."""
        return f"the undo of {self.undoes}" if self.undoes else name

    @property
    def hint(self) -> str:
        """What to do if it is stale."""
        return "take the later edits back first, or edit by hand" if self.undoes else ""


def reversed_change(shelf: Shelf, status: Status) -> tuple[Record, dict[str, bytes], Undo]:
    """The change that takes the one of *status* back, and its bytes before.  StagingError if that
    one is not in the tree."""
    if status.state is not State.COMMITTED:
        if status.undone_by:
            raise StagingError(
                f"{status.id} was undone by {status.undone_by}; nothing was changed",
                hint=redo_hint(status.undone_by),
            )
        raise StagingError(
            f"{status.id} is {status.state}, and not committed; nothing was changed",
            hint="only what was committed can be taken back",
        )
    record = shelf.record(status.id, status)
    files: list[FileChange] = []
    befores: dict[str, bytes] = {}
    number = 1
    for file, before in shelf.befores(record, record.change.files):
        after = apply(before, file.edits)
        back = _reversed_file(file, before, after, number)
        number += len(back.sites)
        files.append(back)
        if back.before is not None:
            befores[file.path] = after
    origin = {"undo": status.id}
    change = StagedChange(
        id=naming.free_id(shelf, naming.seed_of(files, origin)),
        state=State.OPEN,
        created=now(),
        files=tuple(files),
        origin=origin,
    )
    undo = Undo(
        undoes=status.id,
        donors={file.path: place for place, file in enumerate(status.files) if file.action is Action.DELETE},
        empty=tuple(reversed(status.folders)),
        late=late_writes(shelf, status),
    )
    return Record(change, number - 1, 1, {}), befores, undo


def late_writes(shelf: Shelf, status: Status) -> tuple[LateWrite, ...]:
    """The old files of a committed change into which someone has written since."""
    found = []
    for number, file in enumerate(status.files):
        path = shelf.kept(status.id, number)
        if file.before is None:
            continue
        kept = look(path)
        if kept is not None and kept.digest != file.before:
            found.append(LateWrite(status.id, file.path, Path(path)))
    return tuple(found)


def committed_now(plan: Plan) -> Committed:
    """The entry of a commit that the store could not write down yet."""
    files = tuple(CommittedFile(step.path, step.action, step.before, step.after) for step in plan.steps)
    return Committed(plan.id, State.COMMITTED, now(), files, plan.sequence, undoes=plan.undoes)


def _reversed_file(file: FileChange, before: bytes, after: bytes, number: int) -> FileChange:
    if file.action is Action.CREATE:
        whole = Span(0, len(after))
        edits = (Edit(whole, b""),) if after else ()
        return FileChange(file.path, Action.DELETE, file.after, None, (Site(number, edits, whole, 1),))
    if file.action is Action.DELETE:
        new = (Edit(Span(0, 0), before),) if before else ()
        return FileChange(file.path, Action.CREATE, None, file.before, (Site(number, new, Span(0, 0), 1),))
    forth = file.edits
    back = dict(zip(forth, inverse(before, forth), strict=True))
    lines = LineIndex(after)
    sites = []
    for place, site in enumerate(file.sites):
        turned = tuple(back[edit] for edit in site.edits)
        span = Span(turned[0].span.start, turned[-1].span.end)
        sites.append(
            replace(site, number=number + place, edits=turned, span=span, line=lines.line(span.start))
        )
    return FileChange(file.path, Action.MODIFY, file.after, file.before, tuple(sites))
