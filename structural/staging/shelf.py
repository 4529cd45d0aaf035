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
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from structural.errors import StoreError
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
    FORMAT,
    Place,
    Record,
    Status,
    Texts,
    check_version,
    decode_change,
    decode_status,
    encode_change,
    encode_status,
    generation_of,
    loaded,
)
from structural.staging.values import FileChange, State
from structural.text import digest

_TRIES = 3


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
        """Whether there is a store.  StoreError if something else has its name, or it is too new."""
        if not os.path.lexists(self.path):
            return False
        if os.path.islink(self.path) or not os.path.isdir(self.path):
            raise StoreError(f"{self.path} is in the way: it is no folder")
        self._refuse_links()
        with contextlib.suppress(FileNotFoundError):
            version = _bytes(os.path.join(self.path, "format")).strip()
            if version:
                check_version(int(version) if version.isdigit() else FORMAT + 1)
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
        """Where a change stands."""
        return decode_status(_bytes(os.path.join(self._folder(name), "state.json")))

    def statuses(self) -> list[Status]:
        """Where every change stands.  One that vanishes meanwhile is left out."""
        found = []
        for name in self.names():
            with contextlib.suppress(FileNotFoundError):
                found.append(self.status(name))
        return found

    def record(self, name: str, status: Status | None = None) -> Record:
        """A change with all its sites.  StoreError if it is no longer kept."""
        for _ in range(_TRIES):
            # Without the lock, another process may have replaced the texts since it was read.
            with contextlib.suppress(FileNotFoundError):
                value = loaded(_bytes(os.path.join(self._folder(name), "change.json")))
                after = _bytes(os.path.join(self._folder(name), f"after.{generation_of(value)}"))
                return decode_change(value, after, status or self.status(name))
        raise StoreError(f"the store no longer has the contents of {name}")

    def before(self, record: Record, path: str) -> bytes:
        """The bytes before of a file of a change; none of a new file."""
        file = record.change.file(path)
        return next(self.befores(record, (file,)))[1] if file else b""

    def befores(self, record: Record, files: Iterable[FileChange]) -> Iterator[tuple[FileChange, bytes]]:
        """The bytes before of each of *files*, which are of the change; none of a new file."""
        name = record.change.id
        folder = self._folder(name) if os.path.isdir(self._folder(name)) else self._folder("." + name)
        with open(os.path.join(folder, f"before.{record.generation}"), "rb") as texts:
            for file in files:
                content = b""
                if file.before is not None:
                    offset, length = record.places[file.path]
                    texts.seek(offset)
                    content = texts.read(length)
                    if digest(content) != file.before:
                        raise StoreError(f"the store is damaged: {file.path} in {name} is not what it was")
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
        self.disk.rename(self._folder(name), self._folder("." + name))
        remove_tree(self.disk, self.kept(name))
        remove_tree(self.disk, self._folder("." + name))

    def _sweep_change(self, name: str) -> None:
        """Remove files that do not belong to a change: new ones not yet, or old ones no more."""
        folder = self._folder(name)
        entries = set(os.listdir(folder))
        if entries == {"state.json"} or (len(entries) == 4 and "state.json.new" not in entries):
            return
        wanted = {"state.json"}
        if "change.json" in entries and self.status(name).state is not State.DISCARDED:
            number = generation_of(loaded(_bytes(os.path.join(folder, "change.json"))))
            wanted |= {"change.json", f"before.{number}", f"after.{number}"}
        for entry in sorted(entries - wanted):
            self.disk.unlink(os.path.join(folder, entry))

    def _folder(self, name: str) -> str:
        return os.path.join(self.changes, name)

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
