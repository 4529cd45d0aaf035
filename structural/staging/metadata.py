"""Mode, owner and attributes of a new file that takes the place of an old one.

The owner comes first, as changing it takes bits of the mode away; the attributes come
last, as access control lists are among them and narrow what the mode says.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from structural.staging.disk import Disk

_ACL = "system.posix_acl_access"
_OF_THE_CONTENT = {"security.ima", "security.evm"}
"""Attributes that are signatures of a file's bytes, so that a copy of them would be wrong."""


def keep_metadata(disk: Disk, handle: int, path: str, donor: str) -> os.stat_result:
    """Give the open new file at *path* the owner, mode and attributes of the file *donor*, and return
    what these were.

    OSError if one of them cannot be kept.
    """
    old = os.stat(donor, follow_symlinks=False)
    new = os.fstat(handle)
    user = old.st_uid if old.st_uid != new.st_uid else -1
    group = old.st_gid if old.st_gid != new.st_gid else -1
    if (user, group) != (-1, -1):
        disk.set_owner(handle, user, group)
    if sys.platform == "darwin":
        disk.copy_attributes(donor, path)
    if sys.platform == "linux":
        wanted, have = _attributes(donor), _attributes(handle)
        if _ACL in have and _ACL not in wanted:  # the folder gave it one
            disk.remove_attribute(handle, _ACL)
        disk.set_mode(handle, stat.S_IMODE(old.st_mode))
        for name, value in wanted.items():
            if name not in _OF_THE_CONTENT and have.get(name) != value:
                disk.set_attribute(handle, name, value)
    else:
        disk.set_mode(handle, stat.S_IMODE(old.st_mode))
    return old


def changed_since(old: os.stat_result, now: os.stat_result) -> str:
    """What of a file, apart from its bytes, has changed; empty if nothing has."""
    if (old.st_mode, old.st_uid, old.st_gid) != (now.st_mode, now.st_uid, now.st_gid):
        return "got another mode or owner"
    return "got a second name (hard link)" if now.st_nlink > 1 else ""


def _attributes(file: str | int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    if sys.platform == "linux":
        try:
            for name in os.listxattr(file):
                found[name] = os.getxattr(file, name)
        except OSError as error:
            if error.errno not in (errno.ENOTSUP, errno.ENOSYS):
                raise
    return found
