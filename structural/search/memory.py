"""What a long-lived process keeps between searches, and when that still holds.

Order of things in a call: the walk is remembered if nothing it looked at has changed; so are
the languages of its files and the compiled pattern.  Then every file that takes part is asked
for its signature, those that changed are read again, and a digest over all of it is the
fingerprint of the answer: the same pattern, selection and fingerprint, the same answer.
``recall`` then searches with what is known; what is not known is searched as without a memory.

Nothing is kept that cannot be checked: see ``freshness`` for files and ``trail`` for walks.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING

from structural.errors import LanguageError, StructuralError
from structural.pattern.compile import Pattern
from structural.pattern.program import Program
from structural.search.batches import Batch, Batches
from structural.search.blocks import AnyBlock, UnusableError
from structural.search.freshness import SIZE, Seen, look, look_at_all, settled
from structural.search.kept import Kept, Shelf
from structural.search.plan import (
    Found,
    Plan,
    compile_all,
    languages_asked,
    languages_of,
    serving,
    share_out,
)
from structural.search.read import read_file
from structural.search.trail import Trail
from structural.search.values import PatternSpec, Refusal, Searched, Selection, Skipped
from structural.search.walk import Walk, walk
from structural.syntax import registry
from structural.syntax.grammar import load_named
from structural.syntax.parse import parse

if TYPE_CHECKING:
    from structural.search.recall import View
    from structural.search.sieve import Sieve

LIMIT = 400_000_000
"""Bytes that a memory keeps at most, if nothing else is said."""

_SHARE = 10
"""A tenth of that is for what was found."""

_WALKS = 16
_PATTERNS = 128
"""How many are remembered."""

_WARM_BYTES = 2_000_000
"""A larger file is not parsed before it is asked for."""

NOT_TEXT = frozenset({"binary", "encoding"})
"""Reasons to skip a file that lie in its contents alone."""


@dataclass(slots=True)
class _Shared:
    """The files of a plan, and the state in which they were last found."""

    plan: Plan
    paths: list[str]
    """Absolute."""
    seen: list[Seen] = field(default_factory=list)
    fingerprint: str = ""


@dataclass(slots=True)
class Languages:
    """The languages of the files of a walk, and what tells that they still are."""

    found: Found
    seen: list[Seen]
    sure: bool
    digest: bytes
    shared: dict[tuple[object, ...], _Shared] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Walked:
    """A walk with its trail; without one it is not kept."""

    walk: Walk
    trail: Trail | None
    digest: bytes
    weight: int
    used: int = 0
    languages: dict[tuple[object, ...], Languages] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(slots=True, eq=False)
class _Compiled:
    """Patterns as they were compiled; what searches use are copies of them."""

    patterns: dict[str, Pattern]
    refusals: list[Refusal]
    lock: threading.RLock = field(default_factory=threading.RLock)


class Memory:
    """Walks, sources, columns and patterns between calls of ``search_paths``; threads may share it.

    *limit*: bytes that it keeps at most.  What does not fit is searched as without it, and what
    was not used longest goes first."""

    fingerprints = True
    """Whether searches are told apart by a fingerprint, which takes some time in a large tree."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.shelf = Shelf(limit - limit // _SHARE)
        self._batches = Batches(limit // _SHARE)
        self._lock = threading.RLock()
        self._walks: OrderedDict[tuple[object, ...], Walked] = OrderedDict()
        self._patterns: OrderedDict[tuple[object, ...], _Compiled] = OrderedDict()
        self._sieves: dict[int, tuple[Program, Sieve]] = {}
        self._calls = count(1)
        self._added = registry.added()

    @property
    def weight(self) -> int:
        """About the bytes that are kept."""
        return self.shelf.weight + self._batches.weight

    def recall(self, spec: PatternSpec, selection: Selection) -> tuple[Plan, View]:
        """The plan of a search as ``plan`` makes it, and what is known of its files."""
        from structural.search.recall import View  # numpy, and a search that is not made needs none

        self._forget_other_languages()
        call = next(self._calls)
        asked = languages_asked(spec)
        began = time.perf_counter()
        walked = self._walked(selection, call)
        at_walk = time.perf_counter()
        languages = self._languages(walked, asked, selection)
        at_languages = time.perf_counter()
        compiled = self._compiled(spec, languages.found.wanted, bool(asked))
        at_compile = time.perf_counter()
        shared = self._shared(walked, languages, compiled)
        kept, seen, fingerprint = self._files(shared, walked, languages, selection, call)
        known = shared.plan
        made = Plan(
            walked.walk,
            known.files,
            known.hosts,
            {name: pattern.fresh(compiled.lock) for name, pattern in compiled.patterns.items()},
            dict(known.serving),
            list(compiled.refusals),
            list(known.skipped),
            known.other_languages,
            {
                "walk": at_walk - began,
                "languages": at_languages - at_walk,
                "compile": at_compile - at_languages,
                "files": time.perf_counter() - at_compile,
            },
        )
        return made, View(self, shared.paths, kept, seen, fingerprint, call)

    def warm(self, selection: Selection | None = None, stop: Callable[[], bool] = lambda: False) -> None:
        """Read and parse the files of *selection*, until *stop* says so or there is no more room.

        For a thread in the background: other threads have their turn between any two files."""
        chosen = selection or Selection()
        self._forget_other_languages()
        call = next(self._calls)
        walked = self._walked(chosen, call)
        found = self._languages(walked, (), chosen).found
        here = os.getcwd()
        for path, host in found.files:
            if stop():
                break
            if host is not None and _has_grammar(host):
                if not self._warm_file(os.path.join(here, path), host, call):
                    break
                time.sleep(0)
        self.shelf.seal()

    def _warm_file(self, path: str, host: str, call: int) -> bool:
        """Keep one file with its columns; False if there is no room left."""
        seen = look(path)
        kept = self.shelf.files.get(path)
        if kept is None or kept.signature != seen or not kept.settled:
            kept = self.read(path, seen, 0, call)[1]
        if kept is None:
            return seen is None or self.shelf.room(seen[SIZE], call)
        if self.shelf.files.get(path) is not kept:
            return False
        kept.used = max(kept.used, call)
        if kept.problem is None and kept.place is None and kept.size <= _WARM_BYTES:
            try:
                self.shelf.pack(path, kept, host, parse(kept.source, host))
            except StructuralError:
                return True  # whoever asks for it will be told
            except Exception:
                return True
        return True

    def forget_patterns(self) -> None:
        """Forget what was compiled and found for patterns; the files stay."""
        with self._lock:
            self._patterns.clear()
            self._sieves.clear()
            self._batches.clear()

    # --- walks and patterns --------------------------------------------------------------------

    def _forget_other_languages(self) -> None:
        """Forget everything if configuration changed what languages there are."""
        with self._lock:
            added = registry.added()
            if added != self._added:
                self._added = added
                self._walks.clear()
                self._patterns.clear()
                self.shelf.clear()
                self._batches.clear()

    def _walked(self, selection: Selection, call: int) -> Walked:
        key = circumstances(selection)
        with self._lock:
            known = self._walks.get(key)
            if known is not None:
                self._walks.move_to_end(key)
        if known is not None and known.trail is not None:
            with known.lock:
                if known.trail.still_good():
                    known.used = call
                    return known
        trail = None if selection.follow else Trail()
        made = walk(selection, trail)
        if trail is not None:
            trail.end()
        with self._lock:
            known = self._walks.pop(key, None)
            if known is not None:
                self.shelf.weight -= known.weight
            weight = 0 if trail is None else trail.weight + sum(map(len, made.files)) + 700 * len(made.files)
            known = Walked(made, trail, _digest_of_walk(key, made), weight, call)
            while self._walks and not self.shelf.room(weight, call):
                self.shelf.weight -= self._walks.popitem(last=False)[1].weight
            if trail is not None and self.shelf.room(weight, call):
                self.shelf.weight += weight
                self._walks[key] = known
                while len(self._walks) > _WALKS:
                    self.shelf.weight -= self._walks.popitem(last=False)[1].weight
        return known

    def _languages(self, walked: Walked, asked: tuple[str, ...], selection: Selection) -> Languages:
        key = (asked, selection.max_size)
        known = walked.languages.get(key)
        if known is not None and known.sure and look_at_all(known.found.looked) == known.seen:
            return known
        began = time.time_ns()
        found = languages_of(walked.walk, asked, selection)
        seen = look_at_all(found.looked)
        digest = _digest(repr((found.files, found.wanted)))
        known = Languages(found, seen, all(settled(one, began) for one in seen), digest)
        walked.languages[key] = known
        return known

    def _compiled(self, spec: PatternSpec, wanted: tuple[str, ...], asked: bool) -> _Compiled:
        key = (spec, wanted, asked)
        with self._lock:
            known = self._patterns.get(key)
            if known is not None:
                self._patterns.move_to_end(key)
                return known
        known = _Compiled(*compile_all(spec, wanted, asked=asked))
        with self._lock:
            self._patterns[key] = known
            while len(self._patterns) > _PATTERNS:
                self._patterns.popitem(last=False)
        return known

    def _shared(self, walked: Walked, languages: Languages, compiled: _Compiled) -> _Shared:
        serves = serving(languages.found, compiled.patterns)
        lacking = tuple((one.language, one.message) for one in compiled.refusals if one.no_grammar)
        key = (tuple(sorted(serves.items())), lacking)
        known = languages.shared.get(key)
        if known is None:
            made = Plan(walked.walk, serving=serves, refusals=compiled.refusals)
            share_out(made, languages.found)
            here = os.getcwd()
            known = _Shared(made, [os.path.join(here, path) for path in made.files])
            if len(languages.shared) > 20:
                languages.shared.clear()
            languages.shared[key] = known
        return known

    # --- files -------------------------------------------------------------------------------

    def _files(
        self, shared: _Shared, walked: Walked, languages: Languages, selection: Selection, call: int
    ) -> tuple[list[Kept | None], list[Seen], str]:
        """What is kept of the files of a plan and still holds, their signatures, the fingerprint."""
        now = time.time_ns()
        seen = look_at_all(shared.paths)
        found = self._known(shared.paths)
        unsettled: list[tuple[int, object]] = []
        for at, (state, kept) in enumerate(zip(seen, found, strict=True)):
            if kept is not None and kept.settled and kept.signature == state:
                kept.used = call
            elif kept is not None or not settled(state, now):
                path = shared.paths[at]
                data, kept = self._read_again(path, state, kept, selection.max_size, call)
                found[at] = kept
                if kept is None or not kept.settled:
                    told = data if isinstance(data, bytes) else repr((data.reason, data.detail)).encode()
                    unsettled.append((at, _digest_bytes(told)))
        if not unsettled and shared.seen == seen:
            return found, seen, shared.fingerprint
        if not self.fingerprints:
            return found, seen, ""
        parts = (walked.digest, languages.digest, sorted(shared.plan.serving.items()), seen, unsettled)
        fingerprint = _digest(repr((parts, selection.max_size, self._added))).hex()
        if not unsettled:
            shared.seen, shared.fingerprint = seen, fingerprint
        return found, seen, fingerprint

    def _known(self, paths: list[str]) -> list[Kept | None]:
        """What is kept of files, whether it still holds or not."""
        get = self.shelf.files.get
        return [get(path) for path in paths]

    def lost(self, block: AnyBlock, problem: UnusableError) -> None:
        """Told of a block that cannot be used."""

    def _read_again(
        self, path: str, seen: Seen, kept: Kept | None, max_size: int, call: int
    ) -> tuple[bytes | Skipped, Kept | None]:
        """Read a file whose signature moved, or tells nothing yet; what is kept of it stays if it reads
        as it did."""
        when = time.time_ns()
        data, fresh = self._read(path, seen, max_size, call)
        if fresh is None or kept is None or not kept.reads(data):
            if fresh is None or not self.shelf.keep(path, fresh):
                self.shelf.drop(path)
            return data, fresh
        assert seen is not None
        kept.settled = False  # until both are right: another thread may look at it
        kept.signature, kept.used = seen, call
        kept.settled = settled(seen, when)
        return data, kept

    def read(self, path: str, seen: Seen, max_size: int, call: int) -> tuple[bytes | Skipped, Kept | None]:
        """The bytes of a file, and what is kept of it from now on, if anything."""
        return self._read_again(path, seen, self.shelf.files.get(path), max_size, call)

    def _read(self, path: str, seen: Seen, max_size: int, call: int) -> tuple[bytes | Skipped, Kept | None]:
        when = time.time_ns()
        data = read_file(path, max_size)
        if seen is None or not stat.S_ISREG(seen[-1]):
            return data, None
        if isinstance(data, bytes):
            if len(data) != seen[SIZE]:
                return data, None  # it changed meanwhile
            return data, Kept(seen, settled(seen, when), data, used=call)
        if data.reason in NOT_TEXT:
            return data, Kept(seen, settled(seen, when), b"", (data.reason, data.detail), used=call)
        return data, None

    def batch(self, programs: tuple[Program, ...], block: AnyBlock, make: Callable[[], Batch]) -> Batch:
        """What is known of a block for a reading with these programs."""
        return self._batches.get(programs, block, make)

    def answered(self, batch: Batch, slot: int, answer: Searched) -> None:
        """Keep the answer for a file of a block, if there is room."""
        self._batches.answered(batch, slot, answer)

    def sieve(self, program: Program) -> Sieve:
        """The sieve of a program, made once."""
        from structural.search.sieve import Sieve

        known = self._sieves.get(id(program))
        if known is None or known[0] is not program:
            if len(self._sieves) > 4 * _PATTERNS:
                self._sieves.clear()
            known = self._sieves[id(program)] = (program, Sieve(program))
        return known[1]


def _has_grammar(language: str) -> bool:
    try:
        load_named(language)
    except LanguageError:
        return False
    return True


def circumstances(selection: Selection) -> tuple[object, ...]:
    """Everything beside the tree that decides what a walk finds."""
    names = sorted(name for name in os.environ if name.startswith("GIT_") or name in _VARIABLES)
    return (
        replace(selection, max_size=0),
        os.getcwd(),
        tuple(
            (os.path.exists(path), os.path.isdir(path), os.path.realpath(path)) for path in selection.paths
        ),
        tuple((name, os.environ[name]) for name in names),
    )


_VARIABLES = frozenset({"HOME", "XDG_CONFIG_HOME", "PATH"})


def _digest_of_walk(key: tuple[object, ...], made: Walk) -> bytes:
    counts = (made.ignored, made.hidden, made.links, made.skipped, sorted(made.named))
    return _digest(repr((key, made.files, counts)))


def _digest(text: str) -> bytes:
    return _digest_bytes(text.encode("utf-8", "surrogateescape"))


def _digest_bytes(data: bytes) -> bytes:
    return blake2b(data, digest_size=20).digest()
