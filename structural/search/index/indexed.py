"""A memory that was filled by earlier processes, and that fills itself for later ones.

Order of things: ``open_index`` finds the innermost tree with an index around the paths of a search.
The search asks as it asks any memory; files that are in the index and have not moved are found in
its blocks.  ``save`` then brings the index up to what was seen: it makes columns of files that
changed, for as long as it may, and writes them if no other process is writing.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING

from structural.search.blocks import AnyBlock, MovedError, UnusableError
from structural.search.freshness import SIZE, signature
from structural.search.index import manifest as manifests
from structural.search.index import walks
from structural.search.index.folder import BLOCKS, USED, WALKS, around, locked, make_folder, sweep, touch
from structural.search.index.manifest import (
    BLOCK,
    LANGUAGE,
    PROBLEM,
    SETTLED,
    SIGNATURE,
    BrokenError,
    Manifest,
    Row,
    digest_of,
)
from structural.search.index.mapped import DamagedError, Mapped, Room
from structural.search.kept import Kept
from structural.search.memory import LIMIT, Memory, Walked, circumstances
from structural.search.plan import Plan
from structural.search.recall import View
from structural.search.values import PatternSpec, Selection, Skipped
from structural.syntax import registry
from structural.syntax.grammar import origin

if TYPE_CHECKING:
    from structural.search.index.making import File, Made

SECONDS = 0.3
"""What a search spends at most on bringing the index up to date, if one file does not take longer."""

REBUILD_SECONDS = 2.0
"""The same if a part of the index cannot be used any more."""

_JOINED = 8
"""So many blocks of a language and of about one size are made one."""

_MOST_JOINED = 2_000_000
"""Source bytes that a search makes into columns again so as to join blocks."""

_USED_SECONDS = 86_400
"""How often it is noted that an index is used."""


@dataclass(slots=True, eq=False)
class Indexed(Kept):
    """A file of which the index has the columns; what it reads is in the file alone."""

    path: str = ""
    digest: bytes = b""

    @property
    def source(self) -> bytes:
        try:
            with open(self.path, "rb") as file:
                before = signature(os.fstat(file.fileno()))
                data = file.read()
                after = signature(os.fstat(file.fileno()))
        except OSError as problem:
            raise MovedError(self.path) from problem
        if before != self.signature or after != before or len(data) != self.size:
            raise MovedError(self.path)
        if not self.settled and digest_of(data) != self.digest:
            raise MovedError(self.path)
        return data

    @property
    def size(self) -> int:
        return self.signature[SIZE]

    def reads(self, data: bytes | Skipped) -> bool:
        return self.problem is None and isinstance(data, bytes) and digest_of(data) == self.digest

    @property
    def exact(self) -> bool:
        return False


def open_index(selection: Selection) -> IndexMemory | None:
    """The index to use for a search of *selection*; None if there is none."""
    if selection.follow:
        return None
    try:
        found = around(selection.paths)
    except (OSError, ValueError):
        return None
    return None if found is None else IndexMemory(*found)


class IndexMemory(Memory):
    """See the module's head.  ``problems`` are sentences to be said to the user."""

    fingerprints = False

    def __init__(self, root: str, folder: str, limit: int = LIMIT) -> None:
        super().__init__(limit)
        self.root = root
        self.folder = folder
        self.problems: list[str] = []
        self._broken = False
        try:
            found = manifests.load(folder)
        except BrokenError:
            found = None
            self._broken = True
            self.problems.append(f"the index of {root} is damaged, and is built anew")
        self.manifest = found or Manifest(root)
        self._room = Room()
        self._blocks: dict[str, Mapped | None] = {}
        self._current: dict[str, bool] = {}
        self._damaged: set[str] = set()
        self._indexed: dict[str, Indexed] = {}
        self._bases: list[tuple[str, str]] = []
        self._loaded: dict[tuple[object, ...], object] = {}
        self._walk: tuple[tuple[object, ...], Walked] | None = None
        self._search: tuple[Plan, Selection, list[str], View] | None = None

    # --- a search ------------------------------------------------------------------------------

    def recall(self, spec: PatternSpec, selection: Selection) -> tuple[Plan, View]:
        self._bases = _bases(selection.paths, self.root)
        made, view = super().recall(spec, selection)
        self._search = (made, selection, self._names(view.paths), view)
        return made, view

    def _names(self, paths: list[str]) -> list[str]:
        """The names in the tree of absolute paths; empty for what is not in it."""
        if len(self._bases) == 1 and self._bases[0][0].endswith("/"):
            prefix, name = self._bases[0]
            start = len(prefix)
            return [name + path[start:] for path in paths]
        return [self._name(path) for path in paths]

    def _name(self, path: str) -> str:
        for prefix, name in self._bases:
            if path == prefix or (prefix.endswith("/") and path.startswith(prefix)):
                return name + path[len(prefix) :]
        return ""

    def _known(self, paths: list[str]) -> list[Kept | None]:
        kept, indexed, rows = self.shelf.files, self._indexed, self.manifest.rows
        found: list[Kept | None] = []
        for path, name in zip(paths, self._names(paths), strict=True):
            known = kept.get(path) or indexed.get(path)
            if known is None and (row := rows.get(name)) is not None:
                known = self._row(path, row)
            found.append(known)
        return found

    def _row(self, path: str, row: Row) -> Indexed | None:
        seen, settled, digest, language, name, slot, problem = row
        place = None
        if problem is None:
            block = self._blocks.get(name) or (self._block(name) if name else None)
            if block is None or slot >= len(block.sizes) or not self.current(language):
                return None
            place = (block, slot)
        made = self._indexed[path] = Indexed(seen, settled, b"", problem, language, place)
        made.path, made.digest = path, digest
        return made

    def _block(self, name: str) -> Mapped | None:
        if name not in self._blocks:
            self._blocks[name] = None
            try:
                self._blocks[name] = Mapped(os.path.join(self.folder, BLOCKS, name), self._room)
            except UnusableError as problem:
                self._lost(name, problem)
        return self._blocks[name]

    def lost(self, block: AnyBlock, problem: UnusableError) -> None:
        if isinstance(block, Mapped):
            self._lost(os.path.basename(block.path), problem)

    def _lost(self, name: str, problem: UnusableError) -> None:
        self._blocks[name] = None
        if name in self._damaged:
            return
        self._damaged.add(name)
        # What is not there may have been taken away by another process, which wrote a new manifest.
        if isinstance(problem, DamagedError) and not self.problems:
            self.problems.append(f"a part of the index of {self.root} is damaged, and is built anew")

    def current(self, language: str) -> bool:
        """Whether columns of *language* would be made today as those of the index were."""
        known = self._current.get(language)
        if known is None:
            now = _origin(language)
            known = self._current[language] = bool(now) and self.manifest.grammars.get(language) == now
        return known

    # --- walks ---------------------------------------------------------------------------------

    def _walked(self, selection: Selection, call: int) -> Walked:
        key = circumstances(selection)
        if key not in self._walks:
            found = walks.load(self.folder, self._walk_key(key))
            if found is not None:
                self._walks[key] = found
                self._loaded[key] = _state(found)
        made = super()._walked(selection, call)
        self._walk = (key, made)
        return made

    def _walk_key(self, key: tuple[object, ...]) -> bytes:
        return repr((key, _added(), _origin("python"))).encode("utf-8", "surrogateescape")

    def _save_walk(self) -> None:
        """Keep the walk of the search for the next process, if it is another than the one that was kept."""
        if self._walk is None:
            return
        key, made = self._walk
        if made.trail is None or not made.trail.sure or self._loaded.get(key) == _state(made):
            return
        with contextlib.suppress(OSError):
            make_folder(os.path.join(self.folder, WALKS))
            walks.save(self.folder, self._walk_key(key), made)
            self._loaded[key] = _state(made)

    # --- afterwards ----------------------------------------------------------------------------

    def save(self, seconds: float | None = None) -> bool:
        """Bring the index up to what the search saw, for about so many seconds; False if it was not
        written, because there was nothing new, or could not be.  Nothing is raised."""
        if self._search is None:
            return False
        if seconds is None:
            seconds = REBUILD_SECONDS if self._broken or self._damaged else SECONDS
        try:
            self._save_walk()
            stale = self._stale()
            gone = self._gone()
            if not (stale or gone or self._damaged or self._broken):
                self._note_use()
                return False
            with locked(self.folder) as taken:
                return taken and self._update(stale, gone, time.monotonic() + seconds)
        except (OSError, UnusableError):
            return False

    def _stale(self) -> list[File]:
        """The files of the search of which the index does not know what was seen."""
        assert self._search is not None
        made, selection, names, view = self._search
        wide = selection.hidden or selection.no_ignore  # what is left out elsewhere is not taken in
        rows, damaged = self.manifest.rows, self._damaged
        found = []
        for at, name in enumerate(names):
            row, seen, host = rows.get(name), view.seen[at], made.hosts[at]
            if row is None:
                if name and not wide and seen is not None:
                    found.append((name, view.paths[at], host))
                continue
            moved = row[SIGNATURE] != seen or not row[SETTLED] or row[BLOCK] in damaged
            if moved or (row[BLOCK] and row[LANGUAGE] == host and not self.current(host)):
                found.append((name, view.paths[at], host))
        return found

    def _gone(self) -> list[str]:
        """Files of the index that a walk over all of the tree did not meet."""
        assert self._search is not None
        made, selection, _, view = self._search
        everything = any(name == "" for _, name in self._bases) and not selection.globs
        if not everything or len(self.manifest.rows) <= len(view.paths):
            return []
        here = os.getcwd()
        met = set(self._names([os.path.join(here, path) for path in made.walk.files]))
        return [name for name in self.manifest.rows if name not in met]

    def _update(self, stale: list[File], gone: list[str], deadline: float) -> bool:
        """With the lock held: the newest manifest with what is new."""
        from structural.search.index.making import make  # and with it arrays

        if manifests.stamp_of(self.folder) != self.manifest.stamp and not self._broken:
            newest = manifests.load(self.folder)
            if newest is None:
                return False  # dropped meanwhile, or of another version
            self.manifest = newest
            self._current.clear()
        current = self.manifest
        for name in gone:
            current.rows.pop(name, None)
        first = True

        def late() -> bool:
            nonlocal first
            if first:
                first = False
                return False
            return time.monotonic() > deadline

        make_folder(os.path.join(self.folder, BLOCKS))
        made = make(self.folder, stale, self.usable, late)
        self.take(made)
        joined = [] if time.monotonic() > deadline else _to_join(current)
        if joined:
            self.take(make(self.folder, self.files(joined)))
        self.write()
        return True

    def usable(self, name: str) -> Row | None:
        """The row of a file, if its columns are good."""
        row = self.manifest.rows.get(name)
        if row is None or row[PROBLEM] is not None or row[BLOCK] in self._damaged:
            return None
        return row if not row[BLOCK] or self.current(row[LANGUAGE]) else None

    def has(self, name: str) -> bool:
        """Whether a block is there, as far as its head tells."""
        return self._block(name) is not None

    def files(self, names: Iterable[str]) -> list[File]:
        """Files of the manifest by their names, to be made anew."""
        rows = self.manifest.rows
        return [(name, os.path.join(self.root, name), rows[name][LANGUAGE]) for name in names]

    def take(self, made: Made) -> None:
        """Put new rows into the manifest."""
        current = self.manifest
        for language in {told[0] for told in made.blocks.values()}:
            now = _origin(language)
            if current.grammars.get(language) != now:
                old = [name for name, row in current.rows.items() if row[LANGUAGE] == language and row[BLOCK]]
                for name in old:
                    del current.rows[name]
                current.grammars[language] = now
                self._current.clear()
        for name, row in made.rows.items():
            if row is None:
                current.rows.pop(name, None)
            else:
                current.rows[name] = row
        current.blocks.update(made.blocks)

    def write(self) -> None:
        """Write the manifest, without blocks that no row names; those that are old are removed."""
        current = self.manifest
        named = {row[BLOCK] for row in current.rows.values()}
        current.blocks = {name: told for name, told in current.blocks.items() if name in named}
        manifests.save(self.folder, current)
        self._broken = False
        self._damaged.clear()
        self._blocks = {name: block for name, block in self._blocks.items() if block is not None}
        self._indexed.clear()
        self._note_use()
        sweep(self.folder, named)

    def _note_use(self) -> None:
        path = os.path.join(self.folder, USED)
        with contextlib.suppress(OSError):
            try:
                if time.time() - os.stat(path).st_mtime < _USED_SECONDS:
                    return
            except FileNotFoundError:
                pass
            touch(path)


def _to_join(current: Manifest) -> list[str]:
    """The files of blocks that are small and many, or of which most files are gone."""
    live = Counter(row[BLOCK] for row in current.rows.values())
    sorts: dict[tuple[str, int], list[str]] = {}
    chosen: set[str] = set()
    for name, (language, files, size, _) in current.blocks.items():
        if 0 < live[name] * 2 < files:
            chosen.add(name)
        sorts.setdefault((language, max(size >> 13, 1).bit_length() // 2), []).append(name)
    for (_, sort), names in sorts.items():
        if len(names) >= _JOINED and sort < 4:  # up to half of a million bytes or so
            chosen |= set(names)
    left, taken = _MOST_JOINED, set()
    for name in sorted(chosen, key=lambda one: current.blocks[one][2]):
        left -= current.blocks[name][2]
        if left < 0:
            break
        taken.add(name)
    return [name for name, row in current.rows.items() if row[BLOCK] in taken]


def _bases(paths: tuple[str, ...], root: str) -> list[tuple[str, str]]:
    """For every path of a selection how absolute paths below it begin, and what names begin with; those
    outside of the tree are left out.  A folder ends with a slash, and longer ones come first."""
    here, found = os.getcwd(), []
    for path in paths:
        tidy = PurePath(path).as_posix()
        real = os.path.realpath(path)
        if real != root and not real.startswith(root.rstrip("/") + "/"):
            continue
        name = real[len(root) :].lstrip("/")
        if os.path.isdir(path):
            top = "" if tidy in (".", "/") else tidy
            prefix = os.path.join(here, top) if tidy != "/" else "/"
            found.append((prefix.rstrip("/") + "/", f"{name}/" if name else ""))
        else:
            found.append((os.path.join(here, tidy), name))
    return sorted(found, key=lambda base: -len(base[0]))


def _state(made: Walked) -> object:
    """By which it is seen that there is something new to keep of a walk."""
    trail = made.trail
    assert trail is not None
    languages = [(key, id(one)) for key, one in made.languages.items()]
    return (trail.began, trail.signatures, set(trail.unsettled), dict(trail.repositories), languages)


def _origin(language: str) -> str:
    told = origin(language)
    return blake2b(told.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest() if told else ""


def _added() -> list[object]:
    """The languages from configuration, as a text that is the same in every process."""
    values = [[getattr(one, name) for name in one.__slots__] for one in registry.added()]
    return [[repr(sorted(one) if isinstance(one, frozenset) else one) for one in row] for row in values]
