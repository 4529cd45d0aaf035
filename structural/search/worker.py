"""Searching single files of a plan, in whatever process.

A ``Task`` is what such a process has to know, once; then it is told positions of
files and which reading to use in each language.  Whatever goes wrong with one file
becomes a value, and the others are searched all the same.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from structural.errors import UnsearchableError
from structural.pattern.compile import Pattern, Reading
from structural.search.near import Tally, tally
from structural.search.read import read_file
from structural.search.source import SourceResult, search_source
from structural.search.values import Failed, FileResult, Searched, Skipped
from structural.syntax import registry
from structural.syntax.language import Language


class Further(Protocol):
    """What is done with a file beyond searching it, by whoever reads and parses it.  Pickles."""

    def __call__(
        self, source: bytes, host: str, readings: Mapping[str, Reading], patterns: Mapping[str, Pattern]
    ) -> tuple[SourceResult, object]:
        """What a search finds in *source*, and what was made of it; None for nothing."""

    def pack(self, made: object) -> object:
        """What was made, for the pipe between processes."""

    def unpack(self, source: bytes, packed: object) -> object:
        """What was made, from the other side of the pipe."""


Choice = Mapping[str, int]
"""Language → number of the reading in use; 0 where it is not named."""


@dataclass(slots=True)
class Task:
    """The files of a search and their patterns; pickles."""

    files: list[str]
    hosts: list[str]
    serving: dict[str, tuple[str, ...]]
    patterns: dict[str, Pattern]
    max_size: int = 0
    languages: tuple[Language, ...] = field(default_factory=registry.added)
    """Languages from configuration, which a new process does not know."""
    further: Further | None = None
    folder: str = ""
    """Where relative paths begin, for a process whose current folder is another one."""
    _readings: dict[tuple[str, tuple[int, ...]], dict[str, Reading]] = field(default_factory=dict)

    def readings(self, host: str, choice: Choice) -> dict[str, Reading]:
        """What is searched for in files of language *host*: readings by their language."""
        names = self.serving[host]
        key = (host, tuple(choice.get(name, 0) for name in names))
        found = self._readings.get(key)
        if found is None:
            found = {}
            for name in names:
                reading = self.patterns[name].reading(choice.get(name, 0)) or self.patterns[name].first
                found[reading.language] = reading
            self._readings[key] = found
        return found


def search_file(task: Task, at: int, choice: Choice) -> FileResult:
    """Search file number *at*."""
    path, host = task.files[at], task.hosts[at]
    try:
        source = _read(task, path)
        if isinstance(source, Skipped):
            return source
        readings, made = task.readings(host, choice), None
        if task.further is None:
            found = search_source(source, host, readings)
        else:
            found, made = task.further(source, host, readings, task.patterns)
    except UnsearchableError as problem:
        return Skipped(path, "unsearchable", problem.message)
    except Exception as problem:  # whatever it is, the other files must be searched
        return Failed(path, describe(problem))
    return answer_of(path, host, source, found, made)


def answer_of(path: str, host: str, source: bytes, found: SourceResult, made: object = None) -> Searched:
    """The answer for a file of which *found* is the result, and *made* what else was made of it."""
    return Searched(
        path,
        host,
        found.matches,
        source if found.matches else None,
        found.syntax_errors,
        found.parsed,
        len(source),
        found.exhausted,
        made if found.matches else None,
    )


def near_file(task: Task, at: int, choice: Choice) -> Tally:
    """The near misses of file number *at*; nothing if that fails, for they only help."""
    path, host = task.files[at], task.hosts[at]
    try:
        source = _read(task, path)
        if isinstance(source, Skipped):
            return {}
        found = search_source(source, host, task.readings(host, choice), near=True)
        return tally(path, source, found.mismatches)
    except Exception:
        return {}


def _read(task: Task, path: str) -> bytes | Skipped:
    if not task.folder:
        return read_file(path, task.max_size)
    source = read_file(os.path.join(task.folder, path), task.max_size)
    return replace(source, path=path) if isinstance(source, Skipped) else source


def describe(problem: BaseException) -> str:
    """One line: the exception and the place of ours that raised it."""
    frames = traceback.extract_tb(problem.__traceback__)
    place = f" ({frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""
    return f"{type(problem).__name__}: {problem}".strip().split("\n")[0] + place
