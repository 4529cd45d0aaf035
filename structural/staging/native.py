"""Renames that ``os`` does not have: two names exchanged, and a name taken only if it is free.

Linux has both in ``renameat2``, macOS in ``renamex_np``; other systems and some file
systems have neither, which is ``NotSupported`` here.  ``ctypes`` is imported when the
first rename is made.  Knows nothing of stores and changes.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
from collections.abc import Callable
from functools import lru_cache

_MISSING = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""What a kernel or file system answers that has no such rename."""

_AT_FDCWD = -100
_LINUX_NUMBERS = {
    "x86_64": 316,
    "aarch64": 276,
    "riscv64": 276,
    "loongarch64": 276,
    "armv7l": 382,
    "i686": 353,
    "ppc64le": 357,
    "s390x": 347,
}
"""The number of ``renameat2``, for C libraries that do not have it by name."""

_Rename = Callable[[bytes, bytes], None]


class NotSupported(OSError):  # noqa: N818 - it is an answer, not a fault
    """This kernel or file system has no such rename."""


def exchange(one: str, other: str) -> None:
    """Exchange two names of one file system, at once for every reader."""
    _call(0, one, other)


def rename_if_free(old: str, new: str) -> None:
    """Rename *old* to *new*; FileExistsError if that name is taken."""
    _call(1, old, new)


def _call(which: int, one: str, other: str) -> None:
    try:
        _renames()[which](os.fsencode(one), os.fsencode(other))
    except OSError as error:
        if error.errno in _MISSING:
            raise NotSupported(error.errno, os.strerror(error.errno or 0), one) from None
        raise OSError(error.errno, os.strerror(error.errno or 0), one, None, other) from None


@lru_cache(maxsize=1)
def _renames() -> tuple[_Rename, _Rename]:
    """Exchange and rename-if-free of this platform."""
    system: str = sys.platform  # so that every branch is checked on every platform
    if system == "linux":
        return _linux(2), _linux(1)
    if system == "darwin":
        return _darwin(2), _darwin(4)
    return _nothing, _nothing


def _nothing(one: bytes, other: bytes) -> None:
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


def _linux(flag: int) -> _Rename:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    named = getattr(library, "renameat2", None)
    number = _LINUX_NUMBERS.get(platform.machine(), 0)
    if named is None and not number:
        return _nothing

    def rename(one: bytes, other: bytes) -> None:
        if named is not None:
            failed = named(_AT_FDCWD, one, _AT_FDCWD, other, ctypes.c_uint(flag))
        else:
            failed = library.syscall(
                ctypes.c_long(number), _AT_FDCWD, one, _AT_FDCWD, other, ctypes.c_uint(flag)
            )
        if failed:
            raise OSError(ctypes.get_errno(), "")

    return rename


def _darwin(flag: int) -> _Rename:
    import ctypes

    named = getattr(ctypes.CDLL(None, use_errno=True), "renamex_np", None)
    if named is None:
        return _nothing

    def rename(one: bytes, other: bytes) -> None:
        if named(one, other, ctypes.c_uint(flag)):
            raise OSError(ctypes.get_errno(), "")

    return rename
