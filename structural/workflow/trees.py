"""The tree whose files are changed: its root, its store, and what a crash left there.

Every path that goes in or out of the functions on staged changes is relative to the
root, with ``/`` between its parts; only a selection is written as for a search.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from structural.errors import CommitError, JournalError, LockedError, UsageError
from structural.staging import Recovered, Store, find_root, open_store
from structural.staging.paths import Misplaced, Tree, check_path

__all__ = [
    "Misplaced",
    "OpenTree",
    "Recovered",
    "Tree",
    "below",
    "check_path",
    "located",
    "open_tree",
    "seen",
]


@dataclass(frozen=True, slots=True)
class OpenTree:
    """A tree with its store.  ``recovered`` says what an interrupted commit was and what became
    of it when the tree was opened; ``trouble`` why it could not be recovered, so that nothing can be
    written until it was."""

    root: Path
    store: Store
    recovered: Recovered = field(default_factory=Recovered)
    trouble: str = ""


def open_tree(root: str | None = None) -> OpenTree:
    """The tree at *root*, else the one that the current folder is in.  Recovers what a crash left,
    unless another process is writing just now."""
    if root is not None and not os.path.isdir(root):
        raise UsageError(f"the root {root!r} is no folder")
    path = Path(os.path.realpath(root)) if root is not None else find_root(Path.cwd())
    store = open_store(path)
    try:
        return OpenTree(path, store, store.recover(wait=0))
    except LockedError:
        return OpenTree(path, store)  # whoever writes recovers first
    except (CommitError, JournalError) as error:
        return OpenTree(
            path, store, trouble=f"{error.message}; {error.hint}" if error.hint else error.message
        )


def located(tree: Tree, path: str, folders: dict[str, str] | None = None) -> str:
    """The path below the root of the file that *path*, as seen from the current folder, means.
    ``Misplaced`` says why it can be none.  *folders*: those that were looked up before, for many."""
    folder, name = os.path.split(os.path.abspath(path))
    known = folders if folders is not None else {}
    real = known.get(folder)
    if real is None:
        real = known[folder] = os.path.realpath(folder)
    return tree.locate(os.path.join(real, name))


def below(tree: Tree, path: str) -> str:
    """A path of a selection, relative to the root: ``.`` for the root itself.  UsageError if it is
    outside."""
    full = os.path.realpath(path)
    if full == tree.root:
        return "."
    if not full.startswith(os.path.join(tree.root, "")):
        raise UsageError(
            f"{path} is outside of {tree.root}, the root of this tree; nothing was staged",
            hint="call it inside of that folder, or name a root that holds both with --root",
        )
    return os.path.relpath(full, tree.root).replace(os.sep, "/")


def seen(root: Path, path: str) -> str:
    """A path below the root as it is written from the current folder."""
    return os.path.relpath(os.path.join(root, path))
