"""Files that belong to rules, written through the staging door: all of them or none, and undoable.

``put`` stages what is to be written and commits it at once.  A file that is there is replaced
only where the caller says so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext

from structural.errors import UsageError
from structural.staging import CreateFile, EditFile, ProposedFile
from structural.workflow.proposals import in_sequence, stage_proposals
from structural.workflow.recipes import WRITE
from structural.workflow.targets import Targets, WrongError, named
from structural.workflow.trees import Misplaced, Tree, located, open_tree
from structural.workflow.writing import line_sites

__all__ = ["put"]


def put(files: Mapping[str, bytes], *, replace: bool = False) -> str:
    """Write *files*, path as seen from the current folder → content, in one commit; gives its id, empty
    if nothing changes.

    UsageError for a file that may not be written, and, without *replace*, for one that is there."""
    tree = open_tree()
    targets = Targets(tree)
    root = Tree(tree.root)
    proposals: list[ProposedFile] = []
    for path, content in files.items():
        try:
            place = located(root, path)
            before = targets.find(place)
        except (WrongError, Misplaced) as problem:
            raise UsageError(f"{path} {problem}; nothing was written") from None
        if before is None:
            proposals.append(CreateFile(place, content, False, number=1))
        elif not replace:
            raise UsageError(f"{path} is there already; nothing was written", hint="choose another name")
        elif before != content:
            proposals.append(EditFile(place, before, line_sites(before, content)))
    if not proposals:
        return ""
    origin = {"from": WRITE, "name": named(os.path.basename(path) for path in files)}
    staged = stage_proposals(tree, in_sequence(proposals), origin, False, nullcontext)
    if staged.change is None:
        return ""
    return tree.store.commit(staged.change.id).id
