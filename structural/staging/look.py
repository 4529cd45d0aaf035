"""What stands at a path: its kind, its identity and the digest of its bytes.  Only reads."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass

from structural.text import Digest, digest

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer must not stop us
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path.  ``digest`` is that of a regular file that could be read."""

    stat: os.stat_result
    digest: Digest | None
    trouble: str = ""
    """Why a regular file could not be read."""

    @property
    def regular(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.stat.st_mode)

    @property
    def kind(self) -> str:
        """What it is, in words."""
        return kind_of(self.stat)


def look(path: str) -> Found | None:
    """What stands at *path*, not following a link; None if nothing does."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return Found(status, None)
    try:
        status, content = read(path)
    except FileNotFoundError:
        return None
    except PermissionError as error:
        return Found(status, None, error.strerror or "permission denied")
    except OSError as error:
        if error.errno != errno.ELOOP:  # it has become a link since
            raise
        return look(path)
    return Found(status, digest(content) if content is not None else None)


def read(path: str) -> tuple[os.stat_result, bytes | None]:
    """The status and the bytes of the regular file at *path*; no bytes if it is something else."""
    handle = os.open(path, _FLAGS)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return status, None
        return status, _all_of(handle, status.st_size)
    finally:
        os.close(handle)


def inode(path: str) -> int | None:
    """The inode of what stands at *path*, not following a link."""
    try:
        return os.lstat(path).st_ino
    except (FileNotFoundError, NotADirectoryError):
        return None


def kind_of(status: os.stat_result) -> str:
    """What a thing is, in words."""
    if stat.S_ISREG(status.st_mode):
        return "a file"
    if stat.S_ISDIR(status.st_mode):
        return "a folder"
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    return "a device, pipe or socket"


def _all_of(handle: int, size: int) -> bytes:
    pieces = []
    while piece := os.read(handle, max(size + 1, 1 << 16)):
        pieces.append(piece)
        size = max(size - len(piece), 0)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
