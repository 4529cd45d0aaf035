"""Files that a scan is asked to write: a baseline, a report.  Through the operations of the one door."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress

from structural.errors import UsageError
from structural.staging.disk import Disk, unlink_if_there


def write_whole(path: str, content: bytes) -> None:
    """Make *content* what is at *path*, wholly or not at all; the mode of a file that is there stays, and
    what is no file (a pipe, a terminal) is written to.  UsageError if it cannot be written."""
    disk = Disk()
    real = os.path.realpath(path)
    beside = f"{real}.{secrets.token_hex(4)}.new"
    try:
        mode: int | None = os.stat(real).st_mode
    except OSError:
        mode = None
    try:
        if mode is not None and not stat.S_ISREG(mode):
            _write_into(disk, real, content)
            return
        handle = disk.create(beside, 0o666)
        try:
            if mode is not None:
                disk.set_mode(handle, stat.S_IMODE(mode))
            disk.write(handle, content)
            disk.sync(handle)
        finally:
            os.close(handle)
        disk.rename(beside, real)
        disk.sync_folder(os.path.dirname(real))
    except OSError as problem:
        with suppress(OSError):
            unlink_if_there(disk, beside)
        raise UsageError(f"{path!r} cannot be written: {problem.strerror or problem}") from None


def _write_into(disk: Disk, path: str, content: bytes) -> None:
    handle = disk.open_end(path)
    try:
        disk.write(handle, content)
    finally:
        os.close(handle)
