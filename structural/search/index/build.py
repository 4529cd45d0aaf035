"""The index of a tree as a whole: built, told about, checked, dropped, and those of other trees cleaned up.

A build walks the tree as a search of it does, and makes columns of what the index does not have, in
several processes.  Two builds do not run side by side.  ``clean`` keeps all indexes together within
limits of size and age.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from structural.errors import UsageError
from structural.search.blocks import UnusableError
from structural.search.freshness import look
from structural.search.index import manifest as manifests
from structural.search.index.folder import (
    BLOCKS,
    MANIFEST,
    USED,
    WALKS,
    around,
    folder_of,
    indexes,
    locked,
    make_folder,
    remove,
)
from structural.search.index.indexed import IndexMemory
from structural.search.index.making import BLOCK_BYTES, File, Made, make
from structural.search.index.manifest import (
    BLOCK,
    DIGEST,
    LANGUAGE,
    PROBLEM,
    SETTLED,
    SIGNATURE,
    SLOT,
    BrokenError,
    Row,
    digest_of,
)
from structural.search.index.mapped import Mapped, Room
from structural.search.plan import files_of
from structural.search.read import read_file
from structural.search.values import Selection
from structural.search.work import forks, processors
from structural.syntax.parse import parse

AGE = 90 * 86_400
"""Seconds after which an index that nobody used goes."""

SIZE = 4_000_000_000
"""Bytes of all indexes together; those that were not used longest go first."""

WAIT = 60.0
"""Seconds that a build waits for another writer."""


@dataclass(slots=True)
class Built:
    """What a build did: files of the tree that the index has, those made into columns anew, sizes."""

    root: str
    folder: str
    files: int = 0
    made: int = 0
    source: int = 0
    size: int = 0
    seconds: float = 0.0
    removed: list[str] = field(default_factory=list)
    """Roots of indexes that were cleaned up."""


@dataclass(slots=True)
class Status:
    """What is known of the index of a tree.  ``stale`` files moved or are new since it was written;
    ``problem``: why it cannot be used, or empty."""

    root: str
    folder: str
    files: int = 0
    columns: int = 0
    blocks: int = 0
    source: int = 0
    size: int = 0
    stale: int = 0
    gone: int = 0
    built: int = 0
    problem: str = ""


def build(path: str = ".", *, jobs: int = 0, tick: Callable[[], None] = lambda: None) -> Built:
    """Build the index of the tree at *path*, or bring it up to date.  UsageError if it cannot be."""
    root = os.path.realpath(path)
    if not os.path.isdir(root):
        raise UsageError(f"{path!r} is no folder", hint="an index is of a tree: name its folder")
    folder = folder_of(root)
    if folder is None:
        raise UsageError(
            "there is no cache folder for an index", hint="set HOME, XDG_CACHE_HOME or STRUCTURAL_CACHE_DIR"
        )
    began = time.perf_counter()
    try:
        make_folder(os.path.join(folder, BLOCKS))
        make_folder(os.path.join(folder, WALKS))
        with locked(folder, wait=WAIT) as taken:
            if not taken:
                raise UsageError(
                    f"the index of {root} is being written by another process, or cannot be locked",
                    hint="try again later",
                )
            built = _build(root, folder, jobs or processors(), tick)
    except OSError as problem:
        raise UsageError(
            f"the index cannot be written: {problem.strerror or problem} ({folder})",
            hint="searches go on without it",
        ) from problem
    built.seconds = time.perf_counter() - began
    built.removed = clean(keep=folder)
    return built


def _build(root: str, folder: str, jobs: int, tick: Callable[[], None]) -> Built:
    memory = IndexMemory(root, folder)
    found, with_languages = files_of(Selection((root,)), ())
    names = {path: path[len(root) :].lstrip("/") for path in found.files}
    files = [(names[path], path, host) for path, host in with_languages if host is not None]
    there = set(names.values())
    for name in [name for name in memory.manifest.rows if name not in there]:
        del memory.manifest.rows[name]
    built = Built(root, folder)
    todo = [one for one in files if not _still(memory, *one)]
    for made in _made(folder, todo, memory, jobs):
        memory.take(made)
        built.made += made.parsed
        tick()
    memory.manifest.built = time.time_ns()
    memory.write()
    rows = memory.manifest.rows
    built.files = len(rows)
    built.source = sum(row[SIGNATURE][2] for row in rows.values() if row[BLOCK])
    built.size = size_of(folder)
    return built


def _still(memory: IndexMemory, name: str, path: str, language: str) -> bool:
    """Whether the index has what it would have of a file, as far as its signature tells."""
    row = memory.manifest.rows.get(name)
    if row is None or row[LANGUAGE] != language or not row[SETTLED] or row[SIGNATURE] != look(path):
        return False
    if not row[BLOCK]:
        return row[PROBLEM] is not None or memory.current(language)
    return memory.current(language) and memory.has(row[BLOCK])


def _made(folder: str, files: list[File], memory: IndexMemory, jobs: int) -> Iterator[Made]:
    """The files in parts of some blocks each, by language."""
    parts = _parts(files)
    if jobs <= 1 or len(parts) <= 1:
        for part in parts:
            yield make(folder, part, memory.usable)
        return
    known = {name: row for name, _, _ in files if (row := memory.usable(name)) is not None}
    context = multiprocessing.get_context("fork" if forks() else "spawn")
    with ProcessPoolExecutor(min(jobs, len(parts)), mp_context=context) as pool:
        asked = [pool.submit(_make, folder, part, _of(known, part)) for part in parts]
        try:
            for one in asked:
                yield one.result()
        finally:
            for one in asked:
                one.cancel()


def _of(known: dict[str, Row], part: list[File]) -> dict[str, Row]:
    return {name: known[name] for name, _, _ in part if name in known}


def _make(folder: str, files: list[File], known: dict[str, Row]) -> Made:
    return make(folder, files, known.get)


def _parts(files: list[File]) -> list[list[File]]:
    """Files of one language after another, in parts of about a block."""
    by_language: dict[str, list[File]] = {}
    for one in files:
        by_language.setdefault(one[2], []).append(one)
    parts: list[list[File]] = []
    for rows in by_language.values():
        part: list[File] = []
        left = BLOCK_BYTES
        for one in rows:
            part.append(one)
            seen = look(one[1])
            left -= seen[2] if seen is not None else 0
            if left <= 0:
                parts.append(part)
                part, left = [], BLOCK_BYTES
        if part:
            parts.append(part)
    return parts


# --- telling ------------------------------------------------------------------------------------


def status(path: str = ".") -> Status | None:
    """What is known of the index around *path*; None if there is none."""
    found = around((path,))
    if found is None:
        return None
    root, folder = found
    told = Status(root, folder, size=size_of(folder))
    try:
        made = manifests.load(folder)
    except BrokenError:
        told.problem = "it is damaged; the next search or build makes it anew"
        return told
    if made is None:
        told.problem = "another version of this program wrote it; the next build makes it anew"
        return told
    memory = IndexMemory(root, folder)
    with_languages = files_of(Selection((root,)), ())[1]
    hosts = {path[len(root) :].lstrip("/"): host for path, host in with_languages if host is not None}
    told.files = len(made.rows)
    told.columns = sum(bool(row[BLOCK]) for row in made.rows.values())
    told.blocks = len(made.blocks)
    told.source = sum(row[SIGNATURE][2] for row in made.rows.values() if row[BLOCK])
    told.stale = sum(not _still(memory, name, os.path.join(root, name), host) for name, host in hosts.items())
    told.gone = sum(name not in hosts for name in made.rows)
    told.built = made.built
    return told


def verify(path: str = ".", *, deep: bool = True) -> tuple[Status | None, list[str]]:
    """Read all of the index around *path*, and compare it with its files where these have not moved
    (*deep*: their trees too); gives what is wrong, a sentence each."""
    told = status(path)
    if told is None or told.problem:
        return told, [told.problem] if told is not None else []
    memory = IndexMemory(told.root, told.folder)
    problems: list[str] = []
    blocks: dict[str, Mapped] = {}
    room = Room()
    for name in sorted(memory.manifest.blocks):
        try:
            blocks[name] = Mapped(os.path.join(told.folder, BLOCKS, name), room)
            blocks[name].check()
        except UnusableError:
            blocks.pop(name, None)
            problems.append(f"block {name} is damaged or not there")
    for name, row in sorted(memory.manifest.rows.items()):
        block = blocks.get(row[BLOCK])
        if block is not None and memory.current(row[LANGUAGE]):
            problem = _wrong(told.root, name, row, block, deep=deep)
            if problem:
                problems.append(problem)
    return told, problems


def _wrong(root: str, name: str, row: Row, block: Mapped, *, deep: bool) -> str:
    path = os.path.join(root, name)
    if row[SLOT] >= len(block) or block.language != row[LANGUAGE]:
        return f"{name}: its place is not in its block"
    if not row[SETTLED] or look(path) != row[SIGNATURE]:
        return ""
    source = read_file(path)
    if not isinstance(source, bytes) or digest_of(source) != row[DIGEST]:
        return "" if look(path) != row[SIGNATURE] else f"{name}: it reads otherwise, with the same signature"
    if deep and block.columns(row[SLOT], 1 << 40, source) != parse(source, row[LANGUAGE]):
        return f"{name}: its columns are not those of its text"
    return ""


def size_of(folder: str) -> int:
    """Bytes of all files of an index."""
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(at, name)).st_size
    return total


# --- taking away --------------------------------------------------------------------------------


def drop(path: str = ".") -> str | None:
    """Remove the index around *path*; gives its root, None if there is none."""
    found = around((path,))
    if found is None:
        return None
    root, folder = found
    remove(folder)
    return root


def clean(*, keep: str = "") -> list[str]:
    """Remove indexes of trees that are gone or were not used for long, and what is too much; gives
    their roots."""
    base = indexes()
    if base is None or not os.path.isdir(base):
        return []
    now, removed = time.time(), []
    left: list[tuple[float, int, str, str]] = []
    with os.scandir(base) as entries:
        folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    for folder in folders:
        root = _root_of(folder)
        used = _used(folder)
        if folder == keep:
            left.append((now, size_of(folder), folder, root))
        elif now - used > AGE or (root and not os.path.isdir(root)):
            remove(folder)
            removed.append(root)
        else:
            left.append((used, size_of(folder), folder, root))
    total = sum(size for _, size, _, _ in left)
    for _, size, folder, root in sorted(left):
        if total <= SIZE or folder == keep:
            break
        remove(folder)
        removed.append(root)
        total -= size
    return removed


def _root_of(folder: str) -> str:
    try:
        made = manifests.load(folder)
    except UnusableError:
        return ""
    return "" if made is None else made.root


def _used(folder: str) -> float:
    times = [os.stat(folder).st_mtime]
    for name in (USED, MANIFEST):
        with contextlib.suppress(OSError):
            times.append(os.stat(os.path.join(folder, name)).st_mtime)
    return max(times)
