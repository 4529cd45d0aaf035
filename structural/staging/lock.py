"""The lock of a tree: one writer at a time, over threads and processes.

The lock belongs to an open file, so the system lets go of it when a process dies,
however it dies.  The file tells who holds it, for people; it is never removed, as two
processes could then each hold a lock of that name.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from structural.errors import LockedError
from structural.staging.disk import Disk

_PAUSE = 0.02
"""Seconds between two tries; grows tenfold at most."""

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # a byte behind the text, so that others can read who holds the lock

    def _take(handle: int) -> bool:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextlib.contextmanager
def locked(disk: Disk, path: str, wait: float) -> Iterator[None]:
    """Hold the lock file at *path*.  LockedError, which says who has it, after *wait* seconds."""
    deadline = time.monotonic() + wait
    pause = _PAUSE
    while True:
        handle = disk.open_shared(path)
        if _take(handle):
            if _is_at(handle, path):
                break
            os.close(handle)  # the store was removed and made again while we waited
            continue
        os.close(handle)
        if time.monotonic() >= deadline:
            raise LockedError(
                f"another process is writing to this tree{_holder(path)}; nothing was changed",
                hint="try again when it is done; the lock goes with the process that holds it",
            )
        time.sleep(min(pause, max(deadline - time.monotonic(), 0)))
        pause = min(pause * 1.3, _PAUSE * 10)
    try:
        # Without this unlock a child that was forked meanwhile would go on holding the lock.
        disk.overwrite(handle, _myself())
        yield
    finally:
        _release(handle)
        os.close(handle)


def _is_at(handle: int, path: str) -> bool:
    mine = os.fstat(handle)
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)


def _myself() -> bytes:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": now}).encode() + b"\n"


def _holder(path: str) -> str:
    """As `` (process 7 on box, since …)``; empty if the file does not tell."""
    try:
        with open(path, "rb") as file:
            who = json.loads(file.read(1000))
        return f" (process {who['pid']} on {who['host']}, since {who['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
