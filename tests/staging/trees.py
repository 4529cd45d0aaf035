"""Small trees, what is in them, and the change of five files that the tests commit."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from structural.staging import CreateFile, DeleteFile, EditFile, ProposedFile, Site, State, Store, open_store
from structural.staging.disk import Disk
from structural.text import Edit, Span

Snapshot = dict[str, tuple[object, ...]]


def write(root: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def substitution(path: str, before: bytes, old: bytes, new: bytes) -> EditFile:
    """A proposal with one site for every *old*."""
    sites = tuple(
        Site(
            0,
            (Edit(Span(found.start(), found.end()), new),),
            Span(found.start(), found.end()),
            before.count(b"\n", 0, found.start()) + 1,
        )
        for found in re.finditer(re.escape(old), before)
    )
    return EditFile(path, before, sites)


def snapshot(root: Path) -> Snapshot:
    """All names below *root* but the store's, with bytes, mode, owner and attributes of the files."""
    found: Snapshot = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".structural"]
        for name in folders:
            found[os.path.relpath(os.path.join(folder, name), root) + "/"] = ()
        for name in files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                found[os.path.relpath(path, root)] = ("link", os.readlink(path))
                continue
            attributes = {key: os.getxattr(path, key) for key in os.listxattr(path)}
            with open(path, "rb") as file:
                content = file.read()
            found[os.path.relpath(path, root)] = (
                content,
                stat.S_IMODE(status.st_mode),
                status.st_uid,
                attributes,
            )
    return found


FIVE = {
    "a.py": b"one x two x\n",
    "b/b.py": b"x\r\nx",
    "b/c.py": b"\xef\xbb\xbfx = x\n",
    "d/gone.py": b"to be deleted\n",
}


def five_files(root: Path) -> tuple[ProposedFile, ...]:
    """Make the tree: three files to modify, one to delete; the proposals also make one."""
    write(root, FIVE)
    os.chmod(root / "a.py", 0o750)
    with contextlib.suppress(OSError):
        os.setxattr(root / "b/b.py", "user.note", b"keep me")
    return (
        substitution("a.py", FIVE["a.py"], b"x", b"long"),
        substitution("b/b.py", FIVE["b/b.py"], b"x", b"y"),
        substitution("b/c.py", FIVE["b/c.py"], b"x", b""),
        CreateFile("n/e/w.py", b"new\n", executable=True),
        DeleteFile("d/gone.py", FIVE["d/gone.py"]),
    )


def staged(root: Path, files: Sequence[ProposedFile], disk: Disk | None = None) -> tuple[Store, str]:
    store = open_store(root, disk=disk)
    return store, store.stage(files, origin={"pattern": "x"}).id


def assert_whole(root: Path, name: str, old: Snapshot, new: Snapshot) -> bool:
    """The tree is *old* or *new*, the store says which, and nothing is left behind."""
    now = snapshot(root)
    assert now in (old, new), f"neither old nor new: {sorted(now)}"
    store = open_store(root)
    state = store.load(name).state
    assert state is (State.COMMITTED if now == new else State.OPEN)
    assert_tidy(root)
    kept = root / ".structural/kept" / name
    assert kept.exists() == (now == new)
    return now == new


def assert_tidy(root: Path) -> None:
    """Nothing in the store that belongs to nothing."""
    store = root / ".structural"
    known = {".gitignore", "format", "lock", "changes", "kept", "aside"}
    assert {entry.name for entry in store.iterdir()} <= known
    for change in (store / "changes").iterdir():
        assert not change.name.startswith("."), change
        assert {entry.name.split(".")[0] for entry in change.iterdir()} <= {
            "state",
            "change",
            "before",
            "after",
        }
        assert not [entry for entry in change.iterdir() if entry.name.endswith(".new")]
