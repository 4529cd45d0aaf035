"""One file → its bytes, or the reason why it cannot be searched.

Order of things: what kind of file it is (only a regular file is opened: a pipe or
a device may never answer), its size, then its bytes, then whether they are text.
The bytes are given as they are, with a byte order mark if there is one.  Knows
nothing of languages.
"""

from __future__ import annotations

import os
import stat

from structural.search.values import Skipped

_HEAD = 8192
"""Bytes at the start in which a NUL tells that a file is binary."""

_WIDE = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def read_file(path: str, max_size: int = 0) -> bytes | Skipped:
    """The bytes of *path* if they are UTF-8 text of at most *max_size* bytes (0: any size)."""
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode):
            return Skipped(path, "not a file", _type(about.st_mode))
        if max_size and about.st_size > max_size:
            return too_large(path, about.st_size, max_size)
        data = _bytes(path, about.st_size)
    except OSError as problem:
        return Skipped(path, "unreadable", problem.strerror or str(problem))
    except ValueError as problem:
        return Skipped(path, "unreadable", str(problem))
    reason = _not_text(data)
    return data if reason is None else Skipped(path, *reason)


def read_head(path: str, size: int = 256) -> bytes:
    """The first bytes of *path*; empty for what is no regular file or cannot be read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        descriptor = os.open(path, _FLAGS)
        try:
            return os.read(descriptor, size)
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return b""


def too_large(path: str, size: int, max_size: int) -> Skipped:
    """What is said of a file of *size* bytes, of which there are more than allowed."""
    return Skipped(path, "too large", f"{size} bytes, the limit is {max_size}")


def check_text(path: str, data: bytes, max_size: int = 0) -> Skipped | None:
    """Why *data*, which came from elsewhere than a file, cannot be searched; None if it can."""
    if max_size and len(data) > max_size:
        return too_large(path, len(data), max_size)
    reason = _not_text(data)
    return None if reason is None else Skipped(path, *reason)


def _bytes(path: str, expected: int) -> bytes:
    descriptor = os.open(path, _FLAGS)
    try:
        # One byte more than expected: an answer as long as expected is then the whole file.
        data = os.read(descriptor, expected + 1)
        if len(data) == expected:
            return data
        pieces = [data]
        while pieces[-1]:
            pieces.append(os.read(descriptor, 1 << 20))
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _not_text(data: bytes) -> tuple[str, str] | None:
    if data.isascii() and data.find(b"\0", 0, _HEAD) < 0:
        return None
    for mark, name in _WIDE:
        if data.startswith(mark):
            return ("encoding", name)
    if data.find(b"\0", 0, _HEAD) >= 0:
        return ("binary", "a NUL byte near the start")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        return ("encoding", f"no UTF-8: byte 0x{data[problem.start]:02x} in line {line}")
    return None


def _type(mode: int) -> str:
    for test, name in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    ):
        if test(mode):
            return name
    return "a special file"
