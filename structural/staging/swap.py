"""Two names exchanged, also where the system has no such call.

Without an exchange it takes three steps, with ``<one>.old`` as a third name:

    link other → one.old    rename one → other    rename one.old → one

A reader of *other* sees one file or the other at every instant.  What cannot be promised
then: a file that someone renames onto *other* between the look and the second step is
lost.  ``settle`` brings what a crash left between the steps back to one of the two ends.
"""

from __future__ import annotations

import os

from structural.staging.disk import Disk, unlink_if_there
from structural.staging.look import inode
from structural.staging.native import NotSupported


class Foreign(Exception):  # noqa: N818 - it is caught where it means something
    """What stands at the target is not ours to exchange: it vanished or is no file."""


def swap(disk: Disk, one: str, other: str) -> None:
    """Exchange *one*, which is ours, with *other*.  ``Foreign`` if *other* is gone."""
    try:
        disk.exchange(one, other)
    except FileNotFoundError:
        if not os.path.lexists(one):
            raise
        raise Foreign("was deleted") from None
    except NotSupported:
        _in_steps(disk, one, other)


def settle(disk: Disk, one: str, other: str) -> None:
    """Bring an exchange that stopped between its steps to one of its ends."""
    third = one + ".old"
    if not os.path.lexists(third):
        return
    if os.path.lexists(one):
        disk.unlink(third)
    else:
        disk.rename(third, one)


def _in_steps(disk: Disk, one: str, other: str) -> None:
    third = one + ".old"
    if not os.path.isfile(other) or os.path.islink(other):
        raise Foreign("was deleted" if not os.path.lexists(other) else "is no longer a file")
    disk.link(other, third)
    if inode(third) != inode(other):
        unlink_if_there(disk, third)
        raise Foreign("was edited")
    disk.rename(one, other)
    disk.rename(third, one)
