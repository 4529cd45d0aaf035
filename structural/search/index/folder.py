"""Where indexes lie, and how files are written there.

Every tree has a folder of its own below the user's cache folder, named by a digest of the tree's
real path.  A file is written beside its place, synced and renamed, so a reader sees the old or the
new one and needs no lock; writers hold one, which the system lets go of when a process dies.
Nothing is written anywhere else.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from hashlib import blake2b

from structural.search.caches import cache_folder

BLOCKS, WALKS, LOCK, MANIFEST, USED = "blocks", "walks", "lock", "manifest", "used"
"""What is in the folder of a tree."""

GRACE = 600
"""Seconds for which a block that nobody names any more is left to those who may be reading it."""


def indexes() -> str | None:
    """The folder in which all indexes lie, there or not; None if the user has no cache folder."""
    base = cache_folder()
    return None if base is None else os.path.join(base, "index")


def folder_of(root: str) -> str | None:
    """The folder of the index of the tree at *root*, a real path; there or not."""
    base = indexes()
    if base is None:
        return None
    return os.path.join(base, blake2b(os.fsencode(root), digest_size=12).hexdigest())


def around(paths: tuple[str, ...]) -> tuple[str, str] | None:
    """The innermost tree with an index that holds all of *paths*, and the folder of that index."""
    base = indexes()
    if base is None or not os.path.isdir(base):
        return None
    real = [os.path.realpath(path) for path in paths]
    at = os.path.commonpath(real) if real else ""
    while at:
        folder = folder_of(at)
        if folder is not None and os.path.exists(os.path.join(folder, MANIFEST)):
            return at, folder
        above = os.path.dirname(at)
        at = "" if above == at else above
    return None


def make_folder(path: str) -> None:
    """Make a folder of an index, and those above it; OSError if that fails."""
    os.makedirs(path, mode=0o700, exist_ok=True)


def touch(path: str) -> None:
    """Note that an index is used; OSError if that fails."""
    with open(path, "wb"):
        pass


def remove(folder: str) -> None:
    """Remove the index in *folder*, of which a part may stay where that fails."""
    base = indexes()
    assert base is not None
    assert os.path.dirname(folder) == base
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(folder, MANIFEST))  # first: without it there is no index
    for inner in (BLOCKS, WALKS, ""):
        at = os.path.join(folder, inner)
        with contextlib.suppress(OSError), os.scandir(at) as found:
            for entry in found:
                if entry.is_file(follow_symlinks=False):
                    os.unlink(entry.path)
        with contextlib.suppress(OSError):
            os.rmdir(at)


def drop_oldest(folder: str, most: int) -> None:
    """Remove files in *folder*, those that were written first, until there are so many."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        found = sorted((entry.stat().st_mtime_ns, entry.path) for entry in entries)
        for _, path in found[:-most]:
            os.unlink(path)


def write(path: str, data: bytes, *, sync: bool = True) -> None:
    """Put *data* in place of what is at *path*.  OSError if that fails; then nothing has changed."""
    beside = f"{path}.{os.getpid()}.{time.monotonic_ns():x}.new"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    if sync:
        _sync_folder(os.path.dirname(path))


def _sync_folder(path: str) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def locked(folder: str, *, wait: float = 0.0) -> Iterator[bool]:
    """Hold the lock of writers; False if another one has it, after *wait* seconds, or none can be had."""
    try:
        descriptor = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield False
        return
    try:
        deadline = time.monotonic() + wait
        while not (taken := _take(descriptor)) and time.monotonic() < deadline:
            time.sleep(0.05)
        yield taken
    finally:
        os.close(descriptor)


def sweep(folder: str, named: set[str]) -> None:
    """Remove blocks that are not *named* and have not been for a while, and what a writer left that died."""
    before = time.time() - GRACE
    for inner in ("", BLOCKS, WALKS):
        with contextlib.suppress(OSError), os.scandir(os.path.join(folder, inner)) as found:
            for entry in found:
                left = entry.name.endswith(".new") or (inner == BLOCKS and entry.name not in named)
                if left and entry.is_file() and entry.stat().st_mtime < before:
                    os.unlink(entry.path)


if sys.platform == "win32":

    def _take(_: int) -> bool:
        return False  # a signature tells nothing there, so an index would not pay

else:
    import fcntl

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
