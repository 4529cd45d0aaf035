"""Disks that fail, that die, and that forget what was not synced."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from structural.staging.disk import Disk
from structural.staging.native import NotSupported

OPERATIONS = (
    *("create", "open_shared", "open_end", "write", "overwrite", "sync", "sync_folder"),
    *("set_owner", "set_mode", "set_attribute", "remove_attribute"),
    *("rename", "move", "exchange", "link", "unlink", "mkdir", "rmdir"),
)


class Killed(BaseException):
    """The process ends here: nothing in the program may catch it."""


class Dead(Disk):
    """Counts operations; the one with the number ``at`` (from 1) does not happen.

    ``error`` None: the process ends there, and no operation works any more.  Otherwise that
    operation fails with this number, ``times`` times in a row.
    """

    def __init__(self, at: int = 0, error: int | None = None, times: int = 1) -> None:
        self.at, self.error, self.times = at, error, times
        self.count = 0
        self.log: list[str] = []

    def step(self, name: str, args: tuple[object, ...]) -> None:
        self.count += 1
        self.log.append(f"{name} {args}")
        if not self.at or self.count < self.at:
            return
        if self.error is None:
            if name == "write" and self.count == self.at:
                handle, content = args
                assert isinstance(handle, int)
                assert isinstance(content, bytes)
                os.write(handle, content[: len(content) // 2])
            raise Killed
        if self.count < self.at + self.times:
            raise OSError(self.error, os.strerror(self.error), "here")


def _counted(name: str) -> Callable[..., object]:
    def operation(self: Dead, *args: object) -> object:
        self.step(name, args)
        return getattr(super(Dead, self), name)(*args)

    return operation


for _name in OPERATIONS:
    setattr(Dead, _name, _counted(_name))


class Plain(Dead):
    """Has neither an exchange nor a rename that does not replace."""

    def exchange(self, one: str, other: str) -> None:
        raise NotSupported(errno.EINVAL, "no exchange")

    def move(self, old: str, new: str) -> None:
        self.link(old, new)
        self.unlink(old)


@dataclass
class _Step:
    """A change of names, which is lost in a power failure until a folder of it is synced."""

    names: frozenset[str]
    folders: frozenset[str]
    revert: Callable[[], None]
    limbo: str = ""
    durable: bool = False
    inside: str = ""
    """The folder in which a name was made, for when that folder gets another name."""


@dataclass
class _Data:
    """Content of a file that was not synced since it was written."""

    limbo: str
    synced: int


@dataclass
class _Memory:
    steps: list[_Step] = field(default_factory=list)
    dirty: dict[int, _Data] = field(default_factory=dict)


class Lossy(Dead):
    """A disk on which ``lose`` takes back what was not synced, as a power failure does.

    The model: names change in order.  Syncing a folder makes the changes of its names last,
    and those before them on the same names.  A file's bytes last when the file is synced, its
    name only with the folder.  What is not lasting is lost from some point on.
    """

    def __init__(self, limbo: Path, at: int = 0) -> None:
        super().__init__(at)
        limbo.mkdir(exist_ok=True)
        self._limbo = limbo
        self._next = 0
        self.memory = _Memory()

    def _hold(self, path: str) -> str:
        """Another name for a file, so that it can come back."""
        self._next += 1
        held = str(self._limbo / str(self._next))
        os.link(path, held, follow_symlinks=False)
        return held

    def _note(self, names: tuple[str, ...], revert: Callable[[], None], limbo: str = "") -> None:
        folders = frozenset(os.path.dirname(name) for name in names)
        self.memory.steps.append(_Step(frozenset(names), folders, revert, limbo))

    def create(self, path: str, mode: int = 0o600) -> int:
        handle = super().create(path, mode)
        self.memory.dirty[os.fstat(handle).st_ino] = _Data(self._hold(path), 0)
        name = os.path.basename(path)
        self._note((path,), lambda: os.unlink(os.path.join(step.inside, name)))
        step = self.memory.steps[-1]
        step.inside = os.path.dirname(path)
        return handle

    def open_end(self, path: str) -> int:
        handle = super().open_end(path)
        status = os.fstat(handle)
        self.memory.dirty.setdefault(status.st_ino, _Data(self._hold(path), status.st_size))
        return handle

    def sync(self, handle: int) -> None:
        super().sync(handle)
        data = self.memory.dirty.pop(os.fstat(handle).st_ino, None)
        if data:
            os.unlink(data.limbo)

    def sync_folder(self, path: str) -> None:
        super().sync_folder(path)
        lasting: set[str] = set()
        for step in reversed(self.memory.steps):
            if path in step.folders or step.names & lasting:
                lasting |= step.names
                step.durable = True
        for step in self.memory.steps:
            if step.durable and step.limbo:
                os.unlink(step.limbo)
        self.memory.steps = [step for step in self.memory.steps if not step.durable]

    def rename(self, old: str, new: str) -> None:
        if os.path.isfile(new):
            held = self._hold(new)
            super().rename(old, new)

            def revert() -> None:
                os.rename(new, old)
                os.rename(held, new)

            self._note((old, new), revert, held)
        else:
            super().rename(old, new)
            inside = [step for step in self.memory.steps if step.inside == old]

            def back() -> None:
                os.rename(new, old)
                for step in inside:
                    step.inside = old

            for step in inside:
                step.inside = new
            self._note((old, new), back)

    def move(self, old: str, new: str) -> None:
        super().move(old, new)
        self._note((old, new), lambda: os.rename(new, old))

    def exchange(self, one: str, other: str) -> None:
        super().exchange(one, other)
        self._note((one, other), lambda: Disk().exchange(one, other))

    def link(self, old: str, new: str) -> None:
        super().link(old, new)
        self._note((old, new), lambda: os.unlink(new))

    def unlink(self, path: str) -> None:
        held = self._hold(path)
        super().unlink(path)
        self._note((path,), lambda: os.rename(held, path), held)

    def mkdir(self, path: str, mode: int = 0o777) -> None:
        super().mkdir(path, mode)
        self._note((path,), lambda: shutil.rmtree(path))

    def rmdir(self, path: str) -> None:
        mode = os.stat(path).st_mode & 0o7777
        super().rmdir(path)
        self._note((path,), lambda: os.mkdir(path, mode))

    def lose(self, rng: random.Random) -> None:
        """The power fails."""
        keep = rng.choice([0, len(self.memory.steps), rng.randint(0, len(self.memory.steps))])
        for data in self.memory.dirty.values():
            length = rng.choice([data.synced, data.synced, os.path.getsize(data.limbo)])
            os.truncate(data.limbo, length)
        for step in reversed(self.memory.steps[keep:]):
            with contextlib.suppress(FileNotFoundError):
                step.revert()
        shutil.rmtree(self._limbo)
        self.memory = _Memory()
