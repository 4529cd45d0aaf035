"""What is left to do once a commit is committed.  Can be stopped anywhere and begun again."""

from __future__ import annotations

import os
from dataclasses import replace

from structural.staging.journal import Journal, Plan
from structural.staging.places import Places
from structural.staging.records import Status, closed
from structural.staging.values import CommittedFile, State


def finish(places: Places, journal: Journal, plan: Plan) -> None:
    """Write into the store that *plan* was carried out, and remove the journal."""
    shelf = places.shelf
    shelf.reveal(plan.id)
    status = shelf.status(plan.id)
    if status.state is State.OPEN:
        shelf.set_status(_committed(plan, status))
    if plan.undoes:
        undone = shelf.status(plan.undoes)
        if undone.state is not State.UNDONE:
            shelf.set_status(replace(undone, state=State.UNDONE, undone_by=plan.id))
    for folder in plan.empty:
        _remove_if_empty(places, folder)
    journal.end()


def _committed(plan: Plan, status: Status) -> Status:
    return closed(
        status,
        State.COMMITTED,
        sequence=plan.sequence,
        undoes=plan.undoes,
        files=tuple(CommittedFile(step.path, step.action, step.before, step.after) for step in plan.steps),
        folders=plan.folders,
    )


def _remove_if_empty(places: Places, folder: str) -> None:
    full = places.tree.full(folder)
    if os.path.isdir(full) and not os.path.islink(full) and not os.listdir(full):
        places.disk.rmdir(full)
