"""Whether something on disk is still what it was when it was looked at.

A ``Signature`` is what ``stat`` says of it.  Two equal ones prove nothing while the clock
of the file system has not moved on: what is written twice within one tick of it, with the
same size, looks the same.  So a signature counts only once it is ``settled``, that is older
than a tick when the contents were read (as git treats its index).  The change time counts
beside the time of the contents, which anyone may set back.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from operator import attrgetter

Signature = tuple[int, ...]
"""Times of contents and of change in nanoseconds, size, inode, device, mode."""

Seen = Signature | None
"""None for what is not there, or cannot be asked."""

signature: Callable[[os.stat_result], Signature] = attrgetter(
    "st_mtime_ns", "st_ctime_ns", "st_size", "st_ino", "st_dev", "st_mode"
)

SIZE, MODE = 2, 5
"""Where in a signature these stand."""

FINE = 100_000_000
"""Nanoseconds that are more than a tick of any file system whose times have fractions of a second."""

COARSE = 2_100_000_000
"""The same for one whose times are whole seconds, or even ones."""

_TELLS = sys.platform != "win32"
"""Whether the change time is that of the last change; elsewhere nothing is ever settled."""


def look(path: str) -> Seen:
    """The signature of *path*, of what it leads to if it is a link."""
    try:
        return signature(os.stat(path))
    except (OSError, ValueError):
        return None


def look_at_all(paths: Iterable[str]) -> list[Seen]:
    """The signatures of *paths*."""
    stat, of = os.stat, signature
    paths = list(paths)
    try:
        return [of(stat(path)) for path in paths]
    except (OSError, ValueError):
        return [look(path) for path in paths]


def settled(seen: Seen, when: int) -> bool:
    """Whether what was looked at has been what it was then as long as it has this signature.

    *when*: nanoseconds of the clock when its contents began to be read, after the signature was
    taken.  What is not there is always settled: that it comes is seen."""
    if seen is None:
        return True
    modified, changed = seen[0], seen[1]
    margin = FINE if changed % 1_000_000_000 else COARSE
    last = changed if modified > when else max(modified, changed)
    return _TELLS and last + margin < when
