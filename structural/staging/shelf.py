"""Where things lie in the store, and how a change gets there and changes its state.

    <root>/.structural/
        .gitignore  format  lock      made with the store
        journal                       while a commit is under way
        changes/<id>/                 state.json, and until they are collected
                                      change.json, before.N and after.N
        kept/<id>/<n>                 the old files of a commit themselves, by number of file
        aside/                        new files that were in the tree for a moment
        rescued/                      files that others wrote into and that have no place

A name that begins with a dot in ``changes`` is a change that is not whole yet or not any
more.  Everything here that writes is called under the lock.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from structural.errors import DamagedError, StoreError
from structural.staging.disk import (
    Disk,
    make_folder,
    new_file,
    remove_tree,
    replace_file,
    unlink_if_there,
)
from structural.staging.paths import STORE, Tree
from structural.staging.records import (
    Head,
    Place,
    Record,
    Status,
    Texts,
    decode_change,
    decode_head,
    decode_status,
    encode_change,
    encode_status,
    generation_of,
)
from structural.staging.sound import FORMAT, Missing, Unsound, is_id, opened
from structural.staging.values import Damaged, FileChange, State
from structural.text import digest

T = TypeVar("T")

_TRIES = 3

_PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN}
"""Failures to read that say nothing of what is there."""

_OURS = re.compile(r"(change|state)\.json(\.new)?|(before|after)\.[0-9]+")
"""Names of files that may be removed from the folder of a change."""


class Shelf:
    """The folder of the store."""

    def __init__(self, disk: Disk, tree: Tree) -> None:
        self.disk = disk
        self.path = os.path.join(tree.root, STORE)
        self.changes = os.path.join(self.path, "changes")
        self.lock = os.path.join(self.path, "lock")
        self.journal = os.path.join(self.path, "journal")
        self.aside = os.path.join(self.path, "aside")
        self.rescued = os.path.join(self.path, "rescued")

    def kept(self, name: str, number: int | None = None) -> str:
        """The old file *number* of the change *name*, or the folder of them."""
        folder = os.path.join(self.path, "kept", name)
        return folder if number is None else os.path.join(folder, str(number))

    def exists(self) -> bool:
        """Whether there is a store.  StoreError if something else has its name, or its version cannot be
        read or is too new."""
        if not os.path.lexists(self.path):
            return False
        if os.path.islink(self.path) or not os.path.isdir(self.path):
            raise StoreError(f"{self.path} is in the way: it is no folder")
        self._refuse_links()
        with contextlib.suppress(FileNotFoundError):
            _check_version(os.path.join(self.path, "format"))
        return True

    def _refuse_links(self) -> None:
        """StoreError if a folder of the store is a link.  A store may have come with a copy of someone
        else's tree, and what is moved or removed in it must not be elsewhere."""
        for folder in (self.path, self.changes, os.path.join(self.path, "kept")):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        raise StoreError(f"{entry.path} is a link, which no store has; nothing was changed")

    def make(self) -> None:
        """Make the folder if it is missing: all that is needed to take the lock."""
        if not self.exists():
            make_folder(self.disk, self.path, 0o700)

    def furnish(self) -> None:
        """Make what the folder should hold.  Under the lock."""
        self.exists()
        for name, content in ((".gitignore", b"*\n"), ("format", b"%d\n" % FORMAT)):
            path = os.path.join(self.path, name)
            if not os.path.exists(path) or not os.path.getsize(path):
                replace_file(self.disk, path, content)
        if make_folder(self.disk, self.changes, 0o700):
            self.disk.sync_folder(self.path)
            self.disk.sync_folder(os.path.dirname(self.path))

    def sweep(self) -> None:
        """Remove what a crash left half made or half removed.  Under the lock, with no journal."""
        if not os.path.isdir(self.changes):
            return
        for entry in sorted(os.listdir(self.changes)):
            if entry.startswith("."):
                remove_tree(self.disk, self.kept(entry[1:]))
                remove_tree(self.disk, os.path.join(self.changes, entry))
            else:
                self._sweep_change(entry)

    def names(self) -> list[str]:
        """The ids of all changes."""
        try:
            return sorted(entry for entry in os.listdir(self.changes) if not entry.startswith("."))
        except FileNotFoundError:
            return []

    def is_free(self, name: str) -> bool:
        """Whether nothing has this id."""
        return not os.path.lexists(self._folder(name)) and not os.path.lexists(self.kept(name))

    def status(self, name: str) -> Status:
        """Where a change stands.  DamagedError if that cannot be read."""
        with self._part(name, "state.json"):
            return decode_status(_bytes(os.path.join(self._home(name), "state.json")), name)

    def head(self, name: str) -> Head:
        """Where a change stands, without its files.  DamagedError if that cannot be read."""
        with self._part(name, "state.json"):
            return decode_head(_bytes(os.path.join(self._home(name), "state.json")), name)

    def survey(self) -> tuple[list[Status], list[Damaged]]:
        """Where every change stands, and which of them cannot be told.  One that vanishes meanwhile is
        left out."""
        return self._each(self.status)

    def heads(self) -> tuple[list[Head], list[Damaged]]:
        """As ``survey``, without the files, which are most of a long history: for a look at which
        changes there are."""
        return self._each(self.head)

    def last_sequence(self) -> int:
        """The number of the last commit of which that can be told; 0 before the first."""
        return max((head.sequence for head in self.heads()[0]), default=0)

    def _each(self, read: Callable[[str], T]) -> tuple[list[T], list[Damaged]]:
        found: list[T] = []
        damaged: list[Damaged] = []
        for name in self.names():
            try:
                found.append(read(name))
            except DamagedError as error:
                if os.path.lexists(self._folder(name)):
                    damaged.append(self.damage(error))
        return found, damaged

    def open_records(self) -> tuple[list[Record], list[Damaged]]:
        """The open changes, oldest first; and every change of which something cannot be read that is
        not known to be closed, or that cannot even tell."""
        statuses, damaged = self.survey()
        found: list[Record] = []
        states = [status for status in statuses if status.state is State.OPEN]
        for status in sorted(states, key=lambda status: (status.created, status.id)):
            try:
                found.append(self.record(status.id, status))
            except DamagedError as error:
                with contextlib.suppress(DamagedError):
                    if self.head(status.id).state is not State.OPEN:
                        continue  # it was discarded since
                damaged.append(self.damage(error, State.OPEN))
        return found, damaged

    def statuses(self) -> list[Status]:
        """Where every change stands of which that can be told."""
        return self.survey()[0]

    def damage(self, error: DamagedError, state: State | None = None) -> Damaged:
        """The error as a value."""
        return Damaged(
            error.change,
            Path(error.path),
            error.why,
            state,
            os.path.lexists(self.kept(error.change)),
        )

    def record(self, name: str, status: Status | None = None) -> Record:
        """A change with all its sites.  DamagedError if it cannot be read or is no longer kept."""
        status = status or self.status(name)
        for left in reversed(range(_TRIES)):
            # Without the lock, another process may have replaced the texts since it was read.
            try:
                return self._record(name, status)
            except DamagedError as error:
                if not left or not error.missing:
                    raise
        raise AssertionError("it was read or raised")

    def _record(self, name: str, status: Status) -> Record:
        folder = self._home(name)
        with self._part(name, "change.json"):
            value = opened(_bytes(os.path.join(folder, "change.json")))
            generation = generation_of(value)
        with self._part(name, f"after.{generation}"):
            after = _bytes(os.path.join(folder, f"after.{generation}"))
        try:
            with self._part(name, "change.json"):
                record = decode_change(value, after, status)
        except DamagedError as error:
            if not isinstance(error.__cause__, Missing):
                raise
            with self._part(name, f"after.{generation}"):
                raise error.__cause__ from None
        with self._part(name, f"before.{generation}"):
            there = os.stat(os.path.join(folder, f"before.{generation}"))
            size = there.st_size if stat.S_ISREG(there.st_mode) else 0
            if any(offset + length > size for offset, length in record.places.values()):
                raise Unsound("ends too early")
        return record

    @contextlib.contextmanager
    def _part(self, name: str, file: str) -> Iterator[None]:
        """While one file of a change is read: what goes wrong is told with its path."""
        try:
            yield
        except (Unsound, OSError) as error:
            if isinstance(error, OSError) and error.errno in _PASSING:
                raise
            path = os.path.join(self._home(name), file)
            missing = isinstance(error, FileNotFoundError)
            if isinstance(error, Unsound):
                why = str(error)
            else:
                why = "is missing" if missing else f"cannot be read ({error.strerror or error})"
            raise DamagedError(
                f"{name} is damaged: {path} {why}; nothing was changed",
                hint=f"`astedit drop {name}` forgets it; the other changes are as they were",
                change=name,
                path=path,
                why=why,
                missing=missing,
            ) from error

    def before(self, record: Record, path: str) -> bytes:
        """The bytes before of a file of a change; none of a new file."""
        file = record.change.file(path)
        return next(self.befores(record, (file,)))[1] if file else b""

    def befores(self, record: Record, files: Iterable[FileChange]) -> Iterator[tuple[FileChange, bytes]]:
        """The bytes before of each of *files*, which are of the change; none of a new file."""
        name = record.change.id
        folder = self._home(name)
        texts = f"before.{record.generation}"
        with contextlib.ExitStack() as stack:
            with self._part(name, texts):
                handle = stack.enter_context(open(os.path.join(folder, texts), "rb"))
            for file in files:
                content = b""
                if file.before is not None:
                    offset, length = record.places[file.path]
                    with self._part(name, texts):
                        handle.seek(offset)
                        content = handle.read(length)
                        if digest(content) != file.before:
                            raise Unsound(f"does not hold what {file.path} was")
                yield file, content

    def add(
        self, record: Record, befores: Mapping[str, bytes], status: Status, *, hidden: bool = False
    ) -> Record:
        """Put a new change there, whole or not at all; *hidden* until ``reveal``."""
        name = record.change.id
        folder = self._folder("." + name)
        self.disk.mkdir(folder, 0o700)
        record = self._write_texts(folder, record, befores)
        new_file(self.disk, os.path.join(folder, "state.json"), encode_status(status))
        self.disk.sync_folder(folder)
        if not hidden:
            self.disk.rename(folder, self._folder(name))
        self.disk.sync_folder(self.changes)
        return record

    def reveal(self, name: str) -> None:
        """Show a hidden change, if it is hidden."""
        if os.path.isdir(self._folder("." + name)):
            self.disk.rename(self._folder("." + name), self._folder(name))
            self.disk.sync_folder(self.changes)

    def forget_hidden(self, name: str) -> None:
        """Remove a hidden change."""
        remove_tree(self.disk, self._folder("." + name))

    def change(self, record: Record, befores: Mapping[str, bytes] | None = None) -> None:
        """Replace what a change holds.  Without *befores*, these are as they were."""
        folder = self._folder(record.change.id)
        old = record.generation
        if befores is None:
            befores = {file.path: content for file, content in self.befores(record, record.change.files)}
        record = replace(record, generation=old + 1)
        self._write_texts(folder, record, befores)
        self.disk.sync_folder(folder)
        for name in (f"before.{old}", f"after.{old}"):
            unlink_if_there(self.disk, os.path.join(folder, name))

    def set_status(self, status: Status) -> None:
        """Replace the state of a change."""
        replace_file(self.disk, os.path.join(self._folder(status.id), "state.json"), encode_status(status))

    def empty(self, name: str) -> None:
        """Remove all of a change but its state."""
        folder = self._folder(name)
        for entry in sorted(os.listdir(folder)):
            if entry != "state.json":
                self.disk.unlink(os.path.join(folder, entry))

    def remove(self, name: str) -> None:
        """Remove a change and the old files that it kept."""
        folder = self._folder(name)
        if is_id(name):
            self.disk.rename(folder, self._folder("." + name))
            folder = self._folder("." + name)
        remove_tree(self.disk, self.kept(name))
        remove_tree(self.disk, folder)

    def _sweep_change(self, name: str) -> None:
        """Remove files that do not belong to a change: new ones not yet, or old ones no more.  Nothing of
        one that is damaged: who knows what belongs to it."""
        folder = self._folder(name)
        if not os.path.isdir(folder):
            return
        entries = set(os.listdir(folder))
        if entries == {"state.json"} or (len(entries) == 4 and "state.json.new" not in entries):
            return
        wanted = {"state.json"}
        with contextlib.suppress(DamagedError):
            if self.head(name).state is not State.DISCARDED:
                with self._part(name, "change.json"):
                    number = generation_of(opened(_bytes(os.path.join(folder, "change.json"))))
                wanted |= {"change.json", f"before.{number}", f"after.{number}"}
            for entry in sorted(entries - wanted):
                if _OURS.fullmatch(entry):
                    self.disk.unlink(os.path.join(folder, entry))

    def _folder(self, name: str) -> str:
        return os.path.join(self.changes, name)

    def _home(self, name: str) -> str:
        """The folder of a change, also of a hidden one."""
        folder, hidden = self._folder(name), self._folder("." + name)
        return hidden if not os.path.isdir(folder) and os.path.isdir(hidden) else folder

    def _write_texts(self, folder: str, record: Record, befores: Mapping[str, bytes]) -> Record:
        """Write the three files of a change; ``change.json`` last, as it makes the others count.
        Returns the record with the places of its texts."""
        places: dict[str, Place] = {}
        at = 0
        pieces = []
        for file in record.change.files:
            if file.before is not None:
                content = befores[file.path]
                places[file.path] = (at, len(content))
                at += len(content)
                pieces.append(content)
        record = replace(record, places=places)
        texts = Texts()
        data = encode_change(record, texts)
        for name, content in (("before", b"".join(pieces)), ("after", bytes(texts.data))):
            path = os.path.join(folder, f"{name}.{record.generation}")
            unlink_if_there(self.disk, path)
            new_file(self.disk, path, content)
        replace_file(self.disk, os.path.join(folder, "change.json"), data)
        return record


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _check_version(path: str) -> None:
    """StoreError if the file *path* tells of a newer version, or of none.  An empty one is what a crash
    left, and is written again."""
    found = _bytes(path).strip()
    if not found:
        return
    if not re.fullmatch(rb"[1-9][0-9]{0,8}", found):
        shown = found[:20].decode("utf-8", "backslashreplace")
        raise StoreError(
            f"{path} is damaged: it holds {shown!r}, which is no version; nothing was changed",
            hint=f"no program writes that; put a line with {FORMAT} into it if the store is of this version",
        )
    if int(found) > FORMAT:
        raise StoreError(
            f"the store is of version {int(found)}; this program knows {FORMAT}; nothing was changed",
            hint="a newer version of this program made it: use that",
        )
