"""Where the files of one commit are: beside their targets, in the store, or set aside."""

from __future__ import annotations

import os
from pathlib import Path

from structural.staging.disk import Disk, make_folder, unlink_if_there
from structural.staging.journal import Plan, Step
from structural.staging.look import look
from structural.staging.paths import Tree
from structural.staging.shelf import Shelf
from structural.staging.values import Action, LateWrite


class Places:
    """A tree, its store and the disk they are on."""

    def __init__(self, tree: Tree, shelf: Shelf, disk: Disk) -> None:
        self.tree = tree
        self.shelf = shelf
        self.disk = disk

    def beside(self, plan: Plan, step: Step) -> str:
        """Where a new file waits, and where an old file comes out: in the folder of the target."""
        folder = os.path.dirname(self.tree.full(step.path))
        return os.path.join(folder, f".structural-{plan.token}-{step.number}")

    def kept(self, plan: Plan, step: Step) -> str:
        """Where the old file is kept."""
        return self.shelf.kept(plan.id, step.number)

    def trial(self, plan: Plan) -> str:
        """The file with which the exchange is tried."""
        return os.path.join(self.shelf.kept(plan.id), "trial")

    def donor(self, plan: Plan, step: Step) -> str:
        """The file whose mode, owner and attributes the new one gets; empty if there is none."""
        if step.action is Action.MODIFY:
            return self.tree.full(step.path)
        if plan.undoes and step.number in plan.donors:
            old = self.shelf.kept(plan.undoes, plan.donors[step.number])
            return old if os.path.lexists(old) else ""
        return ""

    def set_aside(self, plan: Plan, step: Step, path: str) -> None:
        """Put away a new file of ours that was in the tree for a moment.  A program that opened it
        then may still write into it: so it is compared again before it is removed."""
        make_folder(self.disk, self.shelf.aside, 0o700)
        self._put(path, os.path.join(self.shelf.aside, f"{plan.token}-{step.number}-{step.after}"))

    def rescue(self, plan: Plan, step: Step, path: str) -> LateWrite:
        """Put away bytes that have no place any more and may be someone's."""
        make_folder(self.disk, self.shelf.rescued, 0o700)
        name = os.path.basename(step.path).encode()[:150].decode(errors="ignore")
        kept = os.path.join(self.shelf.rescued, f"{plan.token}-{step.number}-{name}")
        self._put(path, kept)
        return LateWrite(plan.id, step.path, Path(kept))

    def _put(self, path: str, place: str) -> None:
        try:
            self.disk.move(path, place)
        except FileExistsError:
            # A move by link and unlink that stopped between the two.
            there, here = look(place), look(path)
            if not (there and here and there.digest == here.digest and there.digest):
                raise
            unlink_if_there(self.disk, path)
