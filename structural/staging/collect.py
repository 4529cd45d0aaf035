"""Forgetting: closed changes and their old files, once nobody will want them back.

An old file is compared with its digest before it goes.  If a program that had it open
wrote into it, it is moved to ``rescued`` and told of.
"""

from __future__ import annotations

import contextlib
import os
from datetime import datetime
from pathlib import Path

from structural.errors import DamagedError
from structural.staging.disk import make_folder
from structural.staging.look import look
from structural.staging.places import Places
from structural.staging.reverse import late_writes
from structural.staging.values import Collected, Damaged, LateWrite, State


def collect(places: Places, keep: int, before: datetime) -> Collected:
    """Remove closed changes beyond the newest *keep* that were closed before the time *before*, those
    that are damaged and were not written to since then, and the new files of commits that were taken
    back."""
    shelf = places.shelf
    damaged = shelf.open_records()[1]
    closed = [status for status in shelf.statuses() if status.state is not State.OPEN]
    closed.sort(key=lambda status: (status.closed or status.created, status.sequence), reverse=True)
    going = [status for status in closed[keep:] if (status.closed or status.created) < before]
    late: list[LateWrite] = []
    freed = 0
    for status in reversed(going):
        late += [
            _rescue(places, write, f"{status.id}-{write.kept.name}") for write in late_writes(shelf, status)
        ]
        freed += _size(shelf.kept(status.id)) + _size(os.path.join(shelf.changes, status.id))
        shelf.remove(status.id)
    gone = [status.id for status in reversed(going)]
    old = [one for one in damaged if _last_written(os.path.join(shelf.changes, one.id)) < before.timestamp()]
    for one in old:
        freed += _size(os.path.join(shelf.changes, one.id))
        late += forget(places, one)
        gone.append(one.id)
    late += _clear_aside(places, before)
    return Collected(tuple(gone), freed, tuple(late), tuple(one for one in damaged if one not in old))


def forget(places: Places, damaged: Damaged) -> list[LateWrite]:
    """Remove a damaged change.  Old files that it kept are rescued, as nobody can tell whether someone
    wrote into them."""
    shelf = places.shelf
    kept = shelf.kept(damaged.id)
    paths = _paths(places, damaged.id)
    late: list[LateWrite] = []
    if os.path.isdir(kept):
        for name in sorted(os.listdir(kept)):
            write = LateWrite(damaged.id, paths.get(name, ""), Path(kept, name))
            late.append(_rescue(places, write, f"{damaged.id}-{name}"))
    shelf.remove(damaged.id)
    return late


def _paths(places: Places, name: str) -> dict[str, str]:
    """Name of an old file → the path that it had, as far as that can be read."""
    try:
        files = places.shelf.status(name).files
    except DamagedError:
        return {}
    return {str(number): file.path for number, file in enumerate(files)}


def _last_written(folder: str) -> float:
    """When the last file of a change was written."""
    with contextlib.suppress(OSError):
        times = [entry.stat(follow_symlinks=False).st_mtime for entry in os.scandir(folder)]
        return max([os.lstat(folder).st_mtime, *times])
    return os.lstat(folder).st_mtime


def _clear_aside(places: Places, before: datetime) -> list[LateWrite]:
    """Remove new files that were set aside, each of which has its digest in its name."""
    shelf = places.shelf
    late: list[LateWrite] = []
    if not os.path.isdir(shelf.aside):
        return late
    for name in sorted(os.listdir(shelf.aside)):
        path = os.path.join(shelf.aside, name)
        if os.lstat(path).st_ctime >= before.timestamp():
            continue
        found = look(path)
        if found is not None and found.digest == name.rpartition("-")[2]:
            places.disk.unlink(path)
        else:
            late.append(_rescue(places, LateWrite(name.partition("-")[0], "", Path(path)), name))
    return late


def _rescue(places: Places, write: LateWrite, name: str) -> LateWrite:
    make_folder(places.disk, places.shelf.rescued, 0o700)
    path = os.path.join(places.shelf.rescued, name)
    places.disk.move(str(write.kept), path)
    return LateWrite(write.change, write.path, Path(path))


def _size(folder: str) -> int:
    """Bytes of the files directly in *folder*."""
    try:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return 0
