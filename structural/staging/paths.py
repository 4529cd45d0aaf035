"""Which file a name means, and whether it may be written at all.

A name is resolved once, when a change is staged: links are followed, and what comes
out is the path of the file itself below the root.  When the change is committed that
path must still be free of links, so that nothing is written outside of the root.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

STORE = ".structural"
"""The name of the store's folder in the root."""

_FORBIDDEN = {".git", ".hg", ".svn", ".jj", STORE}
_MARKS = (".git", ".hg", ".jj", ".svn")


class Misplaced(ValueError):  # noqa: N818 - a reason, which the caller puts into an error
    """A name that may not be written; the message goes on from the path."""


def find_root(start: Path) -> Path:
    """The nearest folder upwards from *start* that has a store, else one under version control,
    else *start* (or its folder, if it is a file)."""
    here = Path(os.path.realpath(start))
    if not here.is_dir():
        here = here.parent
    line = [here, *here.parents]
    for folder in line:
        if (folder / STORE).is_dir():
            return folder
    for folder in line:
        if any((folder / mark).exists() for mark in _MARKS):
            return folder
    return here


class Tree:
    """The files below a root.  Remembers the folders that it has resolved, so make one for each
    operation, not for a process."""

    def __init__(self, root: Path) -> None:
        self.given = os.path.abspath(root)
        self.root = os.path.realpath(root)
        self._below = os.path.join(self.root, "")
        self._folders: dict[str, str] = {}

    def full(self, path: str) -> str:
        """The path of the system for a path below the root."""
        return self._below + (path if os.sep == "/" else path.replace("/", os.sep))

    def locate(self, name: str | Path) -> str:
        """The path below the root of the file that *name* means.  ``Misplaced`` if there can be none.

        *name* is relative to the root, or absolute and inside of it.
        """
        text = os.fspath(name)
        _check_text(text)
        if ".." in text.replace(os.sep, "/").split("/"):
            raise Misplaced("goes upwards with '..'")
        full = os.path.normpath(os.path.join(self.given, text))
        if full == self.given:
            raise Misplaced("is the root itself")
        full = os.path.join(self._real_folder(os.path.dirname(full)), os.path.basename(full))
        linked = os.path.islink(full)
        if linked:
            full = os.path.realpath(full)
            if os.path.islink(full):
                raise Misplaced("is a link that leads in a circle")
        if not full.startswith(self._below):
            raise Misplaced("is a link out of the root" if linked else "is outside of the root")
        path = full[len(self._below) :].replace(os.sep, "/")
        check_path(path)
        return path

    def moved(self, path: str) -> str:
        """Why *path* no longer leads to where it did when it was located; empty if it does."""
        folder = os.path.dirname(self.full(path))
        if self._real_folder(folder) != folder:
            return "is now reached through a link"
        return ""

    def _real_folder(self, folder: str) -> str:
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = os.path.realpath(folder)
        return known


def check_path(path: str) -> None:
    """``Misplaced`` if *path*, which is below a root, is none that may ever be written."""
    _check_text(path)
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise Misplaced("is not a plain path")
    for part in parts:
        # Windows and macOS take such names for the same folder.
        if part.casefold().rstrip(" .") in _FORBIDDEN:
            raise Misplaced(f"is inside of {part}")


def missing_folders(tree: Tree, path: str) -> list[str]:
    """The folders above *path* that are not there, outermost first.  ``Misplaced`` if something else
    than a folder is in the way."""
    missing: list[str] = []
    parts = path.split("/")[:-1]
    while parts:
        folder = "/".join(parts)
        try:
            status = os.lstat(tree.full(folder))
        except (FileNotFoundError, NotADirectoryError):
            missing.insert(0, folder)
            parts.pop()
            continue
        if not stat.S_ISDIR(status.st_mode):
            raise Misplaced(f"needs a folder where {folder} is something else")
        break
    return missing


def _check_text(text: str) -> None:
    if "\0" in text:
        raise Misplaced("has a NUL in its name")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Misplaced("has a name that is not UTF-8") from None
