"""Every operation that changes a disk.  Nothing else in this package does.

A test makes the n-th operation fail, ends the program there, or forgets what was not
synced, by a subclass.  So an operation here is one step that a crash can fall before or
behind, and what takes several steps (``replace_file``, ``remove_tree``) is built from
them outside the class.

Reading is not here: it leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys

from structural.staging import native
from structural.staging.native import NotSupported

_CLOSED = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Disk:
    """The disk itself."""

    def may_write(self, path: str) -> bool:
        """Whether this process may write the file or folder.  The only question among the
        operations, so that a test can answer it."""
        folder = os.path.isdir(path)
        return os.access(path, os.W_OK | os.X_OK if folder else os.W_OK)

    def create(self, path: str, mode: int = 0o600) -> int:
        """A descriptor of a new file, which must not be there yet.  The umask applies to *mode*."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSED, mode)

    def open_shared(self, path: str) -> int:
        """A descriptor of a file that is made if it is missing, for the lock."""
        return os.open(path, os.O_RDWR | os.O_CREAT | _CLOSED, 0o600)

    def open_end(self, path: str) -> int:
        """A descriptor that writes at the end of an existing file."""
        return os.open(path, os.O_WRONLY | os.O_APPEND | _CLOSED)

    def write(self, handle: int, content: bytes) -> None:
        """Write all of *content* where the descriptor stands."""
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]

    def overwrite(self, handle: int, content: bytes) -> None:
        """Make *content* all that the file holds."""
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, content)

    def sync(self, handle: int) -> None:
        """Wait until the file's bytes and attributes are on the disk."""
        if sys.platform == "darwin":
            import fcntl

            with contextlib.suppress(OSError):
                fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
                return
        os.fsync(handle)

    def sync_folder(self, path: str) -> None:
        """Wait until the names in a folder are on the disk.  Windows has no such call."""
        if os.name == "nt":
            return
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _CLOSED)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def set_owner(self, handle: int, user: int, group: int) -> None:
        """Give the file to *user* and *group*; -1 leaves one as it is."""
        os.fchown(handle, user, group)

    def set_mode(self, handle: int, mode: int) -> None:
        """Set the permission bits."""
        os.fchmod(handle, mode)

    def set_attribute(self, handle: int, name: str, value: bytes) -> None:
        """Set one extended attribute; access control lists are attributes too."""
        if sys.platform == "linux":
            os.setxattr(handle, name, value)

    def remove_attribute(self, handle: int, name: str) -> None:
        """Remove one extended attribute."""
        if sys.platform == "linux":
            os.removexattr(handle, name)

    def copy_attributes(self, source: str, target: str) -> None:
        """Copy attributes and access control lists on macOS, where ``os`` has no calls for them."""
        import ctypes

        acl_and_xattr = 1 | 4
        library = ctypes.CDLL(None, use_errno=True)
        if library.copyfile(os.fsencode(source), os.fsencode(target), None, ctypes.c_uint32(acl_and_xattr)):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), source)

    def rename(self, old: str, new: str) -> None:
        """Rename; what has the new name is replaced."""
        os.replace(old, new)

    def move(self, old: str, new: str) -> None:
        """Rename; FileExistsError if the new name is taken.

        Without such a rename it is a link and an unlink: a crash between them leaves both names.
        """
        if os.name == "nt":
            os.rename(old, new)
            return
        try:
            native.rename_if_free(old, new)
        except NotSupported:
            self.link(old, new)
            self.unlink(old)

    def exchange(self, one: str, other: str) -> None:
        """Exchange two names at once.  ``NotSupported`` where there is no such call."""
        native.exchange(one, other)

    def link(self, old: str, new: str) -> None:
        """A second name for a file."""
        os.link(old, new, follow_symlinks=False)

    def unlink(self, path: str) -> None:
        """Remove a name."""
        os.unlink(path)

    def mkdir(self, path: str, mode: int = 0o777) -> None:
        """Make a folder, which must not be there yet."""
        os.mkdir(path, mode)

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        os.rmdir(path)


def new_file(disk: Disk, path: str, content: bytes) -> None:
    """Write a file that is not there yet, and sync its content (not its name)."""
    handle = disk.create(path)
    try:
        disk.write(handle, content)
        disk.sync(handle)
    finally:
        os.close(handle)


def replace_file(disk: Disk, path: str, content: bytes) -> None:
    """Make *content* what is at *path*: wholly, durably, or not at all.  ``<path>.new`` is ours."""
    beside = path + ".new"
    unlink_if_there(disk, beside)
    new_file(disk, beside, content)
    disk.rename(beside, path)
    disk.sync_folder(os.path.dirname(path))


def make_folder(disk: Disk, path: str, mode: int = 0o777) -> bool:
    """Make the folder *path* if it is not there.  Whether it was made."""
    if os.path.isdir(path):
        return False
    try:
        disk.mkdir(path, mode)
    except FileExistsError:
        return False
    return True


def unlink_if_there(disk: Disk, path: str) -> None:
    """Remove a name if there is one."""
    if os.path.lexists(path):
        disk.unlink(path)


def remove_tree(disk: Disk, path: str) -> None:
    """Remove a folder of the store with all that is in it, or a file that is in its place.  Links are
    removed, not followed."""
    if os.path.islink(path) or os.path.isfile(path):
        disk.unlink(path)
        return
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        if stat.S_ISDIR(entry.stat(follow_symlinks=False).st_mode):
            remove_tree(disk, entry.path)
        else:
            disk.unlink(entry.path)
    disk.rmdir(path)
