"""Taking a commit back: after a failure, and after a crash.  The same code for both.

It asks the disk, not its memory, what was done, and can itself be stopped anywhere and
begun again.  For each file, last first:

    our new file is still beside its target    nothing was exchanged: it goes
    the old file is beside it, or in the store it is exchanged back, whatever it holds:
                                               if someone wrote into it, that is theirs

What comes out in the second case must be our new file, untouched.  If it is not, someone
wrote to the target after the exchange.  That is the last word on the file: it goes back
in place, and the old file is *rescued* into the store and told of.

Nor is a journal believed that says that nothing was exchanged yet: if the tree tells
otherwise, lines of it were lost, and what is beside the targets are the old files.
"""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from structural.staging.disk import unlink_if_there
from structural.staging.journal import Entry, Journal, Phase, Step
from structural.staging.look import Found, inode, look
from structural.staging.places import Places
from structural.staging.swap import Foreign, settle, swap
from structural.staging.values import Action, LateWrite, Recovered, Stale
from structural.text import Digest


@dataclass(slots=True)
class _Back:
    """One commit being taken back."""

    places: Places
    entry: Entry
    exchanged: AbstractSet[int] | None
    """The steps that had begun to exchange; None after a crash, when nobody knows."""
    copied: bool
    """Whether this is a copy of the tree in which the commit was made, so that inodes tell nothing."""
    came_out: set[int] = field(default_factory=set)
    """The steps whose old file was in the store and is beside its target again."""
    left: list[Stale] = field(default_factory=list)
    rescued: list[LateWrite] = field(default_factory=list)

    def inode(self, step: Step) -> int | None:
        """That of the new file of *step*; None in a copy of the tree, where the digest has to tell."""
        return None if self.copied else self.entry.inodes.get(step.number)

    def one_file(self, name: str, other: str) -> bool:
        """Whether two names are one file, as a move by link and unlink leaves it that stopped between
        the two; in a copy these are two files."""
        if self.copied:
            return _digest(name) is not None and _digest(name) == _digest(other)
        return inode(name) is not None and inode(name) == inode(other)


def abort(places: Places, journal: Journal, entry: Entry, exchanged: AbstractSet[int] | None) -> Recovered:
    """Bring the tree back to before the commit that *entry* tells of, and remove the journal."""
    back = _Back(places, entry, exchanged, entry.plan.home != inode(places.shelf.path))
    plan = entry.plan
    if entry.phase is Phase.PREPARING and not (exchanged is None and _moved_on(back)):
        for step in plan.steps:
            if _reachable(places, step):
                unlink_if_there(places.disk, places.beside(plan, step))
    else:
        # Whether the line "committed" reached the disk is not known when writing it failed.
        journal.mark(Phase.ABORTING)
        for step in reversed(plan.steps):
            if _reachable(places, step):
                _take_back(back, step)
            else:
                back.left.append(Stale(step.path, step.before, None, "is now reached through a link"))
    _tidy(places, entry)
    journal.end()
    return Recovered(plan.id, False, tuple(back.left), tuple(back.rescued), found=True, files=len(plan.steps))


def _moved_on(back: _Back) -> bool:
    """Whether names were exchanged, by what is in the tree and in the store."""
    places, plan = back.places, back.entry.plan
    made: list[tuple[bool, bool]] = []
    for step in plan.steps:
        if not _reachable(places, step):
            continue
        target, beside = places.tree.full(step.path), places.beside(plan, step)
        waits = os.path.lexists(beside)
        if step.action is Action.CREATE:
            made.append((waits, _digest(target) == step.after))
        elif os.path.lexists(places.kept(plan, step)):
            return True
        elif step.action is Action.DELETE:
            if waits:
                return True
        elif waits and _digest(beside) == step.before and _digest(target) != step.before:
            return True
    # New files are written in order: the first that does not wait, with a later one that does, moved.
    moved = [there and not waits for waits, there in made]
    return any(moved) and (all(moved) or any(waits for waits, _ in made[moved.index(True) :]))


def _reachable(places: Places, step: Step) -> bool:
    """Whether the path of *step* still leads into the tree, and not through a link out of it."""
    return not places.tree.moved(step.path)


def _take_back(back: _Back, step: Step) -> None:
    kept = back.places.kept(back.entry.plan, step)
    folder = os.path.dirname(back.places.tree.full(step.path))
    if os.path.lexists(kept) and not os.path.isdir(folder):
        _leave(back, step, "was deleted with its folder", kept)
    elif step.action is Action.MODIFY:
        _take_back_modification(back, step)
    elif step.action is Action.CREATE:
        _take_back_creation(back, step)
    else:
        _take_back_deletion(back, step)


def _take_back_modification(back: _Back, step: Step) -> None:
    disk = back.places.disk
    target = back.places.tree.full(step.path)
    beside = back.places.beside(back.entry.plan, step)
    settle(disk, beside, target)
    _out_of_the_store(back, step)
    found = look(beside)
    if found is None:
        return  # taken back before
    if back.inode(step) is None and not _to_exchange(back, step, found, target):
        if found.digest == step.after:
            _put_away(back, step, beside)
        elif _digest(target) == step.before:  # nobody knows what this is; the file is as it was
            back.rescued.append(back.places.rescue(back.entry.plan, step, beside))
        else:
            _leave(back, step, "was edited", beside)
        return
    if not _is_new(back, step, found, target):
        try:
            swap(disk, beside, target)
        except Foreign as error:
            _leave(back, step, str(error), beside)
            return
        found = look(beside)
    if found is not None and found.digest == step.after:
        _put_away(back, step, beside)
        return
    # Written to, or replaced, by someone after the exchange: theirs goes back in place.
    try:
        swap(disk, beside, target)
    except Foreign:
        disk.move(beside, target)
        back.left.append(Stale(step.path, step.before, None, "was edited"))
        return
    _leave(back, step, "was edited", beside)


def _take_back_creation(back: _Back, step: Step) -> None:
    disk = back.places.disk
    target = back.places.tree.full(step.path)
    beside = back.places.beside(back.entry.plan, step)
    ours = back.inode(step)
    if os.path.lexists(beside):
        if back.one_file(target, beside):
            disk.unlink(target)
    elif not (inode(target) == ours if ours else _digest(target) == step.after):
        return  # taken back before, or someone else's
    else:
        disk.move(target, beside)
    found = look(beside)
    if found is not None and found.digest == step.after:
        _put_away(back, step, beside)
        return
    try:
        disk.move(beside, target)
        back.left.append(Stale(step.path, None, found.digest if found else None, "was edited"))
    except FileExistsError:
        _leave(back, step, "was made by someone else", beside)


def _take_back_deletion(back: _Back, step: Step) -> None:
    disk = back.places.disk
    target = back.places.tree.full(step.path)
    beside = back.places.beside(back.entry.plan, step)
    _out_of_the_store(back, step)
    if not os.path.lexists(beside):
        return
    if back.one_file(target, beside):
        disk.unlink(beside)
        return
    try:
        disk.move(beside, target)
    except FileExistsError:
        _leave(back, step, "was made by someone else", beside)


def _out_of_the_store(back: _Back, step: Step) -> None:
    """Bring an old file that was moved into the store back beside its target."""
    kept = back.places.kept(back.entry.plan, step)
    if os.path.lexists(kept):
        beside = back.places.beside(back.entry.plan, step)
        if back.one_file(beside, kept):
            back.places.disk.unlink(kept)
        else:
            back.places.disk.move(kept, beside)
        back.came_out.add(step.number)


def _to_exchange(back: _Back, step: Step, found: Found, target: str) -> bool:
    """Without an inode: whether what is beside the target must be the old file."""
    if step.number in back.came_out or found.digest == step.before:
        return _digest(target) != step.before
    return found.digest != step.after and _digest(target) == step.after


def _is_new(back: _Back, step: Step, found: Found, target: str) -> bool:
    """Whether what is beside the target is our new file, so that the old one is in place."""
    ours = back.inode(step)
    if ours is not None:
        return found.stat.st_ino == ours
    return found.digest == step.after and _digest(target) != step.after


def _digest(path: str) -> Digest | None:
    found = look(path)
    return found.digest if found else None


def _put_away(back: _Back, step: Step, beside: str) -> None:
    """Remove our new file; only set it aside if it was in the tree."""
    if back.exchanged is None or step.number in back.exchanged:
        back.places.set_aside(back.entry.plan, step, beside)
    else:
        back.places.disk.unlink(beside)


def _leave(back: _Back, step: Step, why: str, old: str) -> None:
    """Leave the target as someone else has it, and rescue what stood there before, which is at *old*."""
    back.rescued.append(back.places.rescue(back.entry.plan, step, old))
    back.left.append(Stale(step.path, step.before, None, why))


def _tidy(places: Places, entry: Entry) -> None:
    """Remove the folders that were made, and make sure that all of it stays when the journal goes."""
    plan = entry.plan
    disk = places.disk
    for name in (places.trial(plan) + ".link", places.trial(plan)):
        unlink_if_there(disk, name)
    kept = places.shelf.kept(plan.id)
    if os.path.isdir(kept) and not os.listdir(kept):
        disk.rmdir(kept)
    for folder in reversed(plan.folders):
        full = places.tree.full(folder)
        if os.path.isdir(full) and not os.path.islink(full) and not os.listdir(full):
            disk.rmdir(full)
    places.shelf.forget_hidden(plan.id)
    folders = {os.path.dirname(places.tree.full(path)) for path in plan.folders}
    folders |= {os.path.dirname(places.tree.full(step.path)) for step in plan.steps}
    folders |= {places.shelf.aside, places.shelf.rescued, os.path.dirname(kept), places.shelf.changes}
    for folder in sorted(folders):
        if os.path.isdir(folder) and not os.path.islink(folder):
            disk.sync_folder(folder)
