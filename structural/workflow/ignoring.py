"""Whether a path is ignored by the rules of its tree, for those who are about to write it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from structural.errors import StagingError

__all__ = ["ignored_of", "is_ignored"]


def is_ignored(root: str | os.PathLike[str], path: str) -> bool:
    """Whether a search of *root* leaves out *path*, relative to it, as ignored.  The file need not be
    there; one that git tracks is never ignored."""
    return bool(ignored_of(root, [path]))


def ignored_of(root: str | os.PathLike[str], paths: Iterable[str]) -> frozenset[str]:
    """Those of *paths* that are ignored."""
    from structural.search.ignored import ignored

    try:
        return ignored(os.fspath(root), paths)
    except OSError as problem:
        raise StagingError(
            f"it cannot be told which files are ignored: {problem}; nothing was staged",
            hint="say that ignored files may be written, if that is meant",
        ) from problem
