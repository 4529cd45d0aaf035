"""Outlines of the files of a selection: which definitions each holds, as a stream with a summary.

Order of things: walk and name the languages when ``outline_paths`` is called, so that a wrong
call fails there; then, file by file in path order, read, parse, look for definitions, and keep
those that were asked for.  Files are found and read as in a search; whatever goes wrong with one
is a value, and the others are outlined all the same.  Nothing is printed.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from structural.errors import LanguageError, UnsearchableError, UsageError
from structural.search.plan import files_of
from structural.search.read import check_text, read_file
from structural.search.values import Failed, Selection, Skipped
from structural.search.worker import describe
from structural.syntax import registry
from structural.syntax.defining import definers
from structural.syntax.embed import hosts_of
from structural.syntax.language import SORTS
from structural.syntax.outline import Definition, Outline, narrowed, outline
from structural.text import LineIndex, Span
from structural.text.regexes import Bounded

__all__ = [
    "SORTS",
    "Definition",
    "Failed",
    "LineIndex",
    "Narrowing",
    "OutlineMemory",
    "OutlineResult",
    "OutlineSummary",
    "Outlined",
    "Outlines",
    "Selection",
    "Skipped",
    "Span",
    "narrowing",
    "outline_paths",
    "outline_text",
]


class OutlineMemory:
    """Outlines of texts that a long-lived process has seen, by their bytes: never stale, and a file that
    did not change is read but not parsed again.  Several threads may use one."""

    def __init__(self, limit: int = 200_000) -> None:
        """*limit* is how many definitions are kept; those asked for longest ago go first."""
        self._limit, self._held = limit, 0
        self._kept: OrderedDict[tuple[str, bytes], Outline] = OrderedDict()
        self._lock = threading.Lock()

    def outline(self, source: bytes, language: str) -> Outline:
        """As ``syntax.outline.outline``."""
        key = (language, blake2b(source, digest_size=20).digest())
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        made = outline(source, language)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._held += _weight(made)
            while self._held > self._limit:
                _, gone = self._kept.popitem(last=False)
                self._held -= _weight(gone)
        return made


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which definitions are given: at most ``depth`` levels (0: any), of these ``sorts`` (none: any),
    with a name in which ``match`` finds something."""

    depth: int = 0
    sorts: frozenset[str] = frozenset()
    match: Bounded | None = None


@dataclass(frozen=True, slots=True)
class Outlined:
    """One file and its definitions, those of embedded code among them.

    ``source`` is the text that their spans refer to.  ``general`` are languages in it that nobody
    wrote rules for, so that definitions may be missing.
    """

    path: str
    language: str
    definitions: tuple[Definition, ...]
    source: bytes
    syntax_errors: int = 0
    general: tuple[str, ...] = ()


OutlineResult = Outlined | Skipped | Failed

_Make = Callable[[bytes, str], Outline]


@dataclass(slots=True)
class OutlineSummary:
    """What was looked at and what was not.  The names mean what they mean in the summary of a search."""

    files: int = 0
    outlined: int = 0
    with_definitions: int = 0
    definitions: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    skipped_paths: list[Skipped] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    syntax_error_files: int = 0
    general: list[str] = field(default_factory=list)
    """Languages with general rules only, sorted."""
    ignored: int = 0
    hidden: int = 0
    links: int = 0
    other_languages: int = 0
    cut: str = ""
    seconds: float = 0.0

    def add(self, result: OutlineResult) -> None:
        """Count one more result."""
        if isinstance(result, Outlined):
            self.outlined += 1
            self.definitions += len(result.definitions)
            self.with_definitions += bool(result.definitions)
            self.syntax_error_files += result.syntax_errors > 0
            self.general = sorted({*self.general, *result.general})
        elif isinstance(result, Skipped):
            self.skipped[result.reason] = self.skipped.get(result.reason, 0) + 1
            self.skipped_paths.append(result)
        else:
            self.failed.append(result)

    @property
    def incomplete(self) -> bool:
        """Whether some file or folder in scope could not be looked at."""
        return bool(self.skipped_paths or self.failed or self.cut)


def narrowing(depth: int = 0, sorts: tuple[str, ...] = (), match: str = "") -> Narrowing:
    """A Narrowing from texts; a UsageError for what is no sort or no regular expression."""
    for sort in sorts:
        if sort not in SORTS:
            raise UsageError(f"no definition is called a {sort!r}", hint=f"one of {', '.join(SORTS)}")
    try:
        pattern = Bounded(match) if match else None
    except ValueError as problem:
        raise UsageError(f"{match!r} is no regular expression: {problem}") from None
    return Narrowing(depth, frozenset(sorts), pattern)


def outline_paths(
    selection: Selection | None = None,
    *,
    languages: tuple[str, ...] = (),
    narrow: Narrowing | None = None,
    memory: OutlineMemory | None = None,
    tick: Callable[[], None] | None = None,
) -> Outlines:
    """Outline the files of *selection*; of *languages* only, if any are given (embedded ones too).

    Raises UsageError or LanguageError at once.  *memory* is kept between calls; *tick* is called
    after every file.
    """
    began = time.perf_counter()
    asked = tuple(dict.fromkeys(registry.resolve(name) for name in languages))
    make = memory.outline if memory is not None else outline
    return Outlines(selection or Selection(), asked, narrow or Narrowing(), make, tick, began)


class Outlines:
    """The answer of ``outline_paths``: iterate once for an ``OutlineResult`` for every file, in path
    order.  ``summary`` fills meanwhile and is whole after the last one."""

    def __init__(
        self,
        selection: Selection,
        asked: tuple[str, ...],
        narrow: Narrowing,
        make: _Make,
        tick: Callable[[], None] | None,
        began: float,
    ) -> None:
        walked, found = files_of(selection, asked)
        hosts = {*asked, *(host for name in asked for host in hosts_of(name))}
        self._files = [
            (path, host) for path, host in found if host is not None and (not asked or host in hosts)
        ]
        self._asked, self._narrow = frozenset(asked), narrow
        self._max_size = selection.max_size
        self._make, self._tick, self._began = make, tick, began
        self.summary = OutlineSummary(
            files=len(self._files),
            ignored=walked.ignored,
            hidden=walked.hidden,
            links=walked.links,
            other_languages=len(found) - len(self._files),
        )
        for skipped in walked.skipped:
            self.summary.add(skipped)
        for name in asked:
            definers(name)  # a grammar that is asked for and not installed is an error

    @property
    def paths(self) -> list[str]:
        """The files that are outlined, in order."""
        return [path for path, _ in self._files]

    def __iter__(self) -> Iterator[OutlineResult]:
        return self.after(0)

    def after(self, first: int) -> Iterator[OutlineResult]:
        """The results from file number *first* (from 0) on."""
        try:
            for path, host in self._files[first:]:
                result = self._file(path, host)
                self.summary.add(result)
                if self._tick is not None:
                    self._tick()
                yield result
        finally:
            self.summary.seconds = time.perf_counter() - self._began

    def _file(self, path: str, host: str) -> OutlineResult:
        try:
            source = read_file(path, self._max_size)
            if isinstance(source, Skipped):
                return source
            return _outlined(path, source, host, self._asked, self._narrow, self._make)
        except UnsearchableError as problem:
            return Skipped(path, "unsearchable", problem.message)
        except LanguageError as problem:
            return Skipped(path, "no grammar", problem.message)
        except Exception as problem:  # whatever it is, the other files must be outlined
            return Failed(path, describe(problem))


def outline_text(
    source: str | bytes, language: str, path: str = "", *, narrow: Narrowing | None = None
) -> OutlineResult:
    """The outline of a text that is at hand.  Raises LanguageError."""
    data = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else bytes(source)
    unfit = check_text(path, data)
    if unfit is not None:
        return unfit
    try:
        return _outlined(path, data, registry.resolve(language), frozenset(), narrow or Narrowing(), outline)
    except UnsearchableError as problem:
        return Skipped(path, "unsearchable", problem.message)


def _outlined(
    path: str, source: bytes, host: str, asked: frozenset[str], narrow: Narrowing, make: _Make
) -> Outlined:
    found = make(source, host)
    kept = narrowed(
        found.definitions, depth=narrow.depth, sorts=narrow.sorts, match=narrow.match, languages=asked
    )
    return Outlined(path, host, kept, source, found.syntax_errors, found.general)


def _weight(found: Outline) -> int:
    return len(found.definitions) + 1
