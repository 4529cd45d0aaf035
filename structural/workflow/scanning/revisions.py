"""What git knows: which files changed, and what they held at a revision or in the index.

Contents come from ``git cat-file --batch``; nothing is checked out, and nothing is written.  Paths are
given as they are seen from the current folder.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from structural.errors import UsageError

_NO_OBJECT = "0" * 40


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree: ``top`` is its folder."""

    top: str

    def seen(self, name: str) -> str:
        """A name relative to the top as a path from the current folder."""
        return os.path.relpath(os.path.join(self.top, name))


@dataclass(frozen=True, slots=True)
class Change:
    """A file that differs between two states.  ``before`` and ``after`` are its names, relative to the top,
    None where it is not there; ``old`` and ``new`` the names of the objects, empty where git has none (a
    file of the work tree)."""

    before: str | None
    after: str | None
    old: str = ""
    new: str = ""


def repository(folder: str = ".") -> Repository:
    """The work tree that *folder* is in; a UsageError if it is in none, or there is no git."""
    top = _git(("rev-parse", "--show-toplevel"), folder).removesuffix(b"\n")
    return Repository(os.fsdecode(top))


def commit_of(repo: Repository, revision: str) -> str:
    """The id of the commit that *revision* names."""
    command = ("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    found = _run(command, repo.top)
    if found.returncode:
        raise UsageError(
            f"git knows no revision {revision!r}",
            hint="in a shallow clone it may have to be fetched first: git fetch origin REV",
        )
    return found.stdout.decode().strip()


def is_revision(name: str) -> bool:
    """Whether *name* is a revision of the work tree that the current folder is in."""
    try:
        return bool(commit_of(repository(), name))
    except UsageError:
        return False


def fork_of(repo: Repository, commit: str) -> str:
    """The commit from which the current branch and *commit* went apart; *commit* itself if they never were
    one."""
    found = _run(("merge-base", commit, "HEAD"), repo.top)
    return found.stdout.decode().strip() if found.returncode == 0 else commit


def changes(repo: Repository, commit: str | None, *, staged: bool) -> tuple[Change, ...]:
    """What differs between *commit* (None: HEAD, or nothing if there is no commit yet) and the index, if
    *staged*, else the work tree.  Files that git does not track are not among them."""
    command = [
        "diff",
        "--raw",
        "-z",
        "--no-abbrev",
        "-M",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules",
    ]
    command += ["--cached"] if staged else []
    command += [commit] if commit is not None else []
    fields = _git((*command, "--"), repo.top).split(b"\0")
    found: list[Change] = []
    at = 0
    while at < len(fields) and fields[at].startswith(b":"):
        old_mode, new_mode, old, new, status = fields[at][1:].split(b" ")
        renamed = status[:1] in b"RC"
        first = os.fsdecode(fields[at + 1])
        last = os.fsdecode(fields[at + 2]) if renamed else first
        at += 3 if renamed else 2
        is_file = [mode in (b"100644", b"100755") for mode in (old_mode, new_mode)]
        found.append(
            Change(
                first if is_file[0] and status[:1] != b"C" else None,
                last if is_file[1] else None,
                _object(old) if is_file[0] else "",
                _object(new) if is_file[1] else "",
            )
        )
    return tuple(found)


def untracked(repo: Repository) -> frozenset[str]:
    """Files of the work tree that git does not track and does not ignore, relative to the top."""
    found = _git(("ls-files", "-z", "--others", "--exclude-standard"), repo.top)
    return frozenset(os.fsdecode(name) for name in found.split(b"\0") if name)


def tracked(repo: Repository) -> frozenset[str]:
    """Files that git tracks, relative to the top."""
    found = _git(("ls-files", "-z"), repo.top)
    return frozenset(os.fsdecode(name) for name in found.split(b"\0") if name)


def unmerged(repo: Repository) -> frozenset[str]:
    """Files in conflict, of which the index has no contents yet, relative to the top."""
    found = _git(("diff", "--cached", "--name-only", "-z", "--diff-filter=U", "--"), repo.top)
    return frozenset(os.fsdecode(name) for name in found.split(b"\0") if name)


@dataclass(slots=True)
class Blobs:
    """The contents of objects of a repository.  Pickles; every process has a git of its own."""

    top: str
    _process: Any = None
    _owner: int = 0
    _last: tuple[str, bytes] | None = field(default=None)

    def __reduce__(self) -> tuple[Any, ...]:
        return Blobs, (self.top,)

    def size(self, name: str) -> int:
        """Bytes of an object."""
        return len(self.read(name))

    def read(self, name: str) -> bytes:
        """All of an object.  OSError if it cannot be read."""
        if self._last is not None and self._last[0] == name:
            return self._last[1]
        process = self._git()
        process.stdin.write(name.encode() + b"\n")
        process.stdin.flush()
        head = process.stdout.readline().split()
        if len(head) != 3 or head[1] != b"blob":
            raise OSError(f"git has no file {name}")
        data = process.stdout.read(int(head[2]))
        process.stdout.read(1)
        self._last = name, data
        return bytes(data)

    def close(self) -> None:
        if self._process is not None and self._owner == os.getpid():
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
        self._process = None

    def _git(self) -> Any:
        if self._process is None or self._owner != os.getpid():
            self._process = subprocess.Popen(
                ["git", "cat-file", "--batch"],
                cwd=self.top,
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt is for us, and we end it
            )
            self._owner = os.getpid()
        return self._process


def _object(name: bytes) -> str:
    return "" if not name.strip(b"0") else name.decode()


def _git(arguments: Sequence[str], folder: str) -> bytes:
    found = _run(arguments, folder)
    if found.returncode:
        told = found.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        if "not a git repository" in told:
            raise UsageError("this is no work tree of git", hint="name a baseline file instead of a revision")
        raise UsageError(f"git {arguments[0]} failed: {told or found.returncode}")
    return found.stdout


def _run(arguments: Sequence[str], folder: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *arguments],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as problem:
        raise UsageError(f"git cannot be run: {problem.strerror or problem}") from None


def _environment() -> dict[str, str]:
    """The environment, in which a hook may have named the index that is meant."""
    environment = dict(os.environ)
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    environment["LC_ALL"] = "C"
    return environment
