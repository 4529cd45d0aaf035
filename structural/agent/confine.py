"""What a caller may name: paths below one root, never out of it, through links or upwards.

A path of a caller is relative to the root, or absolute and inside of it.  A selection
may be a folder and may be the root itself; a file that is read or written may not lie in
the folders of version control or of the store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from structural.agent import slips
from structural.errors import UsageError
from structural.workflow.trees import Misplaced, Tree, check_path

DEEPEST = 400
"""Folders that a file may lie in: makers and removers of folders call themselves once for each."""


_ELSEWHERE = "is outside of the roots that the client offers"


class ConfinedError(UsageError):
    """A path that leads out of the root, or to where nobody may look."""

    code = "confined"


class Confined:
    """The root, and paths in and out of it."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(os.path.realpath(root))
        self._prefix = os.path.join(str(self.root), "")
        self.within: tuple[str, ...] = ()
        """Folders and files below the root to which it is narrowed; empty if it is not."""

    def narrowed(self, roots: Sequence[str]) -> Confined:
        """The same, but only what is in one of *roots* too, real paths.  Where these hold the root, that is
        all of it.  ConfinedError if none of them has anything to do with the root."""
        whole = str(self.root)
        if not roots or any(_holds(one, whole) for one in roots):
            return self
        within = sorted(one for one in set(roots) if _holds(whole, one))
        if not within:
            raise ConfinedError(
                "none of the client's roots lies in the root of this server",
                hint="start the server with --root of one of them, or with --no-client-roots",
            )
        other = Confined(self.root)
        other.within = tuple(one for one in within if not any(_holds(o, one) for o in within if o != one))
        return other

    def selected(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The paths of a selection as the search takes them; the root itself if there are none."""
        found = tuple(dict.fromkeys(self._selected(path) for path in paths)) or (str(self.root),)
        if not self.within:
            return found
        return tuple(dict.fromkeys(one for path in found for one in self._part(path)))

    def _part(self, path: str) -> Iterable[str]:
        """What of *path* lies in what this is narrowed to."""
        if any(_holds(one, path) for one in self.within):
            return (path,)
        part = [one for one in self.within if _holds(path, one) and os.path.lexists(one)]
        if not part:
            raise self._refused(self.shown(path), _ELSEWHERE)
        return part

    def check(self, paths: Iterable[str]) -> None:
        """ConfinedError if one of *paths*, below the root, is not in what this is narrowed to."""
        for path in paths if self.within else ():
            full = os.path.realpath(self.full(path))
            if not any(_holds(one, full) for one in self.within):
                raise self._refused(path, _ELSEWHERE)

    def file(self, path: str) -> str:
        """The path below the root of the file that *path* means; there need be none."""
        if os.path.normpath(path).count(os.sep) > DEEPEST:
            raise self._refused(path, f"lies in more than {DEEPEST} folders")
        try:
            found = Tree(self.root).locate(self._joined(path))
        except Misplaced as problem:
            raise self._refused(path, str(problem)) from None
        self.check([found])
        return found

    def full(self, path: str) -> str:
        """The path of the system for a path below the root."""
        return self._prefix + path.replace("/", os.sep)

    def shown(self, path: str) -> str:
        """A path of the system as callers see it."""
        if path.startswith(self._prefix):
            path = path[len(self._prefix) :]
        elif path == str(self.root):
            path = "."
        return path.replace(os.sep, "/")

    def said(self, text: str) -> str:
        """A message with the paths in it as callers see them."""
        return text.replace(self._prefix, "").replace(str(self.root), ".")

    def _selected(self, path: str) -> str:
        full = os.path.realpath(self._joined(path))
        if full != str(self.root):
            if not full.startswith(self._prefix):
                raise self._refused(path, "is outside of the root")
            try:
                check_path(full[len(self._prefix) :].replace(os.sep, "/"))
            except Misplaced as problem:
                raise self._refused(path, str(problem)) from None
            if not os.path.lexists(full):
                raise UsageError(f"{path!r} does not exist", hint="; ".join(slips.in_path(path)))
        return full

    def _joined(self, path: str) -> str:
        if "\0" in path:
            raise self._refused(path, "has a NUL in its name")
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            raise self._refused(path, "is no name that a file can have") from None
        return os.path.join(str(self.root), os.path.normpath(path)) if path else str(self.root)

    def _refused(self, path: str, why: str) -> ConfinedError:
        shown = path if len(path) <= 200 else path[:199] + "…"
        return ConfinedError(
            f"{shown!r} {why}",
            hint="name files by their paths relative to the root; links out of it are not followed",
        )


def _holds(folder: str, path: str) -> bool:
    """Whether *path* is *folder*, or lies in it; both are real."""
    return path == folder or path.startswith(os.path.join(folder, ""))
