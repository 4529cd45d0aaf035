"""Whether a change can be committed: every file is what it was computed against, and can be written.

Everything is looked at before anything is written, and everything that is wrong is
told at once.  Writes nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

from structural.staging.disk import Disk
from structural.staging.look import Found, look
from structural.staging.paths import Misplaced, Tree, missing_folders
from structural.staging.values import Action, FileChange, Stale


def stale_files(tree: Tree, files: Iterable[FileChange]) -> tuple[Stale, ...]:
    """Each of *files* that is no longer what it was, with what it is now.

    The same bytes under another inode or time are the same.
    """
    return tuple(stale for file in files if (stale := _stale(tree, file)))


def unwritable_files(tree: Tree, disk: Disk, files: Iterable[FileChange]) -> tuple[tuple[str, str], ...]:
    """Each of *files* that cannot be written, with the reason, which goes on from the path."""
    return tuple(
        (file.path, reason) for file in files if (reason := obstacle(tree, disk, file.path, file.action))
    )


def _stale(tree: Tree, file: FileChange) -> Stale | None:
    moved = tree.moved(file.path)
    if moved:
        return Stale(file.path, file.before, None, moved)
    try:
        found = look(tree.full(file.path))
    except OSError as error:
        return Stale(file.path, file.before, None, f"cannot be read ({error.strerror})")
    if file.before is None:
        return Stale(file.path, None, found.digest, "is there already") if found else None
    return difference(file.path, file.before, found)


def difference(path: str, expected: str, found: Found | None) -> Stale | None:
    """How what was *found* at *path* is not the regular file of this digest; None if it is."""
    if found is None:
        return Stale(path, expected, None, "was deleted")
    if not found.regular:
        return Stale(path, expected, None, f"is now {found.kind}")
    if found.digest is None:
        return Stale(path, expected, None, f"cannot be read ({found.trouble})")
    if found.digest != expected:
        return Stale(path, expected, found.digest, "was edited")
    return None


def obstacle(tree: Tree, disk: Disk, path: str, action: Action) -> str:
    """Why the file at *path* cannot be written, whatever it holds; empty if it can."""
    full = tree.full(path)
    try:
        status = os.lstat(full)
    except (FileNotFoundError, NotADirectoryError):
        status = None
    except OSError as error:
        return "has a name that is too long" if error.errno == errno.ENAMETOOLONG else f"{error.strerror}"
    if action is Action.CREATE:
        if status is not None:
            return "is there already"
    elif status is None:
        return "is not there"
    elif reason := _file_obstacle(disk, full, status):
        return reason
    try:
        missing = missing_folders(tree, path)
    except Misplaced as error:
        return str(error)
    folder = os.path.dirname(tree.full(missing[0])) if missing else os.path.dirname(full)
    return _folder_obstacle(tree, disk, folder)


def _file_obstacle(disk: Disk, full: str, status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "is a folder" if stat.S_ISDIR(status.st_mode) else "is not a regular file"
    if status.st_nlink > 1:
        return f"has {status.st_nlink} names (hard links), of which a commit could change only one"
    # The bits are asked too: nothing stops the superuser, who should not write a file that is
    # marked read-only any more than others.
    if not status.st_mode & 0o222 or not disk.may_write(full):
        return "is read-only"
    if os.name == "posix" and os.geteuid() not in (0, status.st_uid):
        return "belongs to another user, which a commit could not keep"
    return ""


def _folder_obstacle(tree: Tree, disk: Disk, folder: str) -> str:
    if not disk.may_write(folder):
        return "is in a folder that is read-only"
    # Old files move into the store, and a rename does not leave its file system.
    if os.stat(folder).st_dev != os.stat(tree.root).st_dev:
        return "is on another file system than the root of the tree"
    return ""
