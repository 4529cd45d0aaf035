"""Forgetting: closed changes and their old files, once nobody will want them back.

An old file is compared with its digest before it goes.  If a program that had it open
wrote into it, it is moved to ``rescued`` and told of.
"""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from structural.staging.disk import make_folder
from structural.staging.look import look
from structural.staging.places import Places
from structural.staging.reverse import late_writes
from structural.staging.values import Collected, LateWrite, State


def collect(places: Places, keep: int, before: datetime) -> Collected:
    """Remove closed changes beyond the newest *keep* that were closed before the time *before*, and
    the new files of commits that were taken back."""
    shelf = places.shelf
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
    late += _clear_aside(places, before)
    return Collected(tuple(status.id for status in reversed(going)), freed, tuple(late))


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
    except FileNotFoundError:
        return 0
