"""From a change that is ready to the plan of its commit, and the bytes it will write."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from structural.errors import StoreError
from structural.staging.journal import Plan, Step
from structural.staging.look import inode
from structural.staging.paths import missing_folders
from structural.staging.places import Places
from structural.staging.records import Record
from structural.staging.reverse import Undo
from structural.staging.shelf import Shelf
from structural.staging.values import Action, StagedChange
from structural.text import digest
from structural.text.edits import apply


def planned(places: Places, change: StagedChange, undo: Undo) -> Plan:
    """All that the commit of *change*, which is ready, will do."""
    steps = tuple(
        Step(number, file.path, file.action, file.before, file.after, file.executable)
        for number, file in enumerate(change.files)
    )
    folders = {
        folder
        for step in steps
        if step.action is Action.CREATE
        for folder in missing_folders(places.tree, step.path)
    }
    return Plan(
        change.id,
        secrets.token_hex(8),
        steps,
        1 + places.shelf.last_sequence(),
        inode(places.shelf.path) or 0,
        tuple(sorted(folders, key=lambda folder: (folder.count("/"), folder))),
        undo.empty,
        undo.undoes,
        {
            step.number: undo.donors[step.path]
            for step in steps
            if step.action is Action.CREATE and step.path in undo.donors
        },
    )


def contents(shelf: Shelf, record: Record, plan: Plan) -> Iterator[tuple[Step, bytes]]:
    """The new bytes of every step that has any, one file at a time."""
    for step, (file, before) in zip(plan.steps, shelf.befores(record, record.change.files), strict=True):
        if file.action is not Action.DELETE:
            after = apply(before, file.edits)
            if digest(after) != step.after:
                raise StoreError(
                    f"the store is damaged: what {file.path} was to become is not what was staged"
                )
            yield step, after
