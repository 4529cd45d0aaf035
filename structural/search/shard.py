"""What a worker of a cluster does: the files of a shard, if it is fit for them and sees them as the caller.

Order of things: compare what this worker is made of with what the caller is; unpack the
work; compare every file's signature with the caller's; do those that are the same.  One shard at a
time in a process, as parsers and tables are not shared by threads.  Knows nothing of the scheduler.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import stat
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, TypeVar

from structural.search.work import Work
from structural.syntax import registry
from structural.syntax.language import Language

How = TypeVar("How", contravariant=True)
Answer = TypeVar("Answer")

Mark = tuple[int, int]
"""Size and time of a file, by which two machines tell that they see the same one."""

_TICK = 1000
"""Nanoseconds: finer times do not come through every network file system."""

_LOCK = threading.Lock()


class Spread(Work[How, Answer], Protocol[How, Answer]):
    """A work that can be done in parts on other machines."""

    @property
    def languages(self) -> tuple[Language, ...]:
        """Languages from configuration that the work needs."""

    def path(self, at: int) -> str:
        """The path of file number *at*."""

    def part(self, files: Sequence[int], folder: str) -> Work[How, Answer]:
        """The work over these *files* alone, counted from 0; relative paths begin at *folder*."""

    def unseen(self, at: int, how: How, why: str) -> Answer:
        """The answer for a file that a worker does not see as it is here."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a work with what it takes to do it; pickles."""

    work: Work[Any, Any]
    how: Any
    paths: tuple[str, ...]
    """Absolute."""
    marks: tuple[Mark, ...]
    languages: tuple[Language, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The answers of a shard, packed; ``unseen`` are those of its files that were not done, and why."""

    packed: Any
    unseen: dict[int, str]
    worker: str = ""


@dataclass(frozen=True, slots=True)
class Unfit:
    """This worker cannot do the shard, nor any other of this search."""

    why: str
    worker: str


def run_shard(expected: Mapping[str, str], libraries: tuple[str, ...], blob: bytes) -> bytes:
    """Do a pickled ``Shard``; gives a pickled ``Done`` or ``Unfit``."""
    with _LOCK:
        answer = _answer(expected, libraries, blob)
    return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)


def _answer(expected: Mapping[str, str], libraries: tuple[str, ...], blob: bytes) -> Done | Unfit:
    fault = difference(expected, identity(libraries))
    if fault:
        return Unfit(fault, _here())
    shard: Shard = pickle.loads(blob)
    fault = _other_languages(shard.languages)
    return Unfit(fault, _here()) if fault else _done(shard)


def _here() -> str:
    """The address of this worker."""
    from distributed import get_worker

    return f"worker {get_worker().address}"


def _done(shard: Shard) -> Done:
    unseen: dict[int, str] = {}
    for at, (path, mark) in enumerate(zip(shard.paths, shard.marks, strict=True)):
        why = _otherwise(path, mark)
        if why:
            unseen[at] = why
    shard.work.prepare()
    collects = gc.isenabled()
    gc.disable()  # many matches are many objects, and none of them is a cycle
    try:
        answers = [shard.work.do(at, shard.how) for at in range(len(shard.paths)) if at not in unseen]
        return Done(shard.work.pack(answers), unseen, _here())
    finally:
        if collects:
            gc.enable()


def mark_of(path: str) -> Mark | None:
    """The signature of a regular file; None for what is none, or cannot be looked at."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return (about.st_size, about.st_mtime_ns // _TICK) if stat.S_ISREG(about.st_mode) else None


def _otherwise(path: str, mark: Mark) -> str:
    found = mark_of(path)
    if found == mark:
        return ""
    if found is None:
        return "no such file there"
    if found[0] != mark[0]:
        return f"{found[0]} bytes there, {mark[0]} here"
    return "another time of change there"


def _other_languages(wanted: tuple[Language, ...]) -> str:
    """What is made of a language is kept by its name, so a process can have one set of them only."""
    known = registry.added()
    if not known or set(known) == set(wanted):
        return ""
    return "it was used with other languages from configuration; restart it"


# --- what a process is made of ------------------------------------------------------------------


@lru_cache(maxsize=8)
def identity(libraries: tuple[str, ...] = ()) -> dict[str, str]:
    """Everything that decides an answer beside pattern and files, by name; *libraries* are grammars
    that configuration names by their paths."""
    made = {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "structural": _code(),
    }
    for one in metadata.distributions():
        name = (one.metadata["Name"] or "").lower().replace("_", "-")
        if name == "structural":
            made[name] = f"{one.version}, code {_code()}"
        elif name.startswith("tree-sitter") or name in ("regex", "numpy"):
            made.setdefault(name, one.version)
    for path in libraries:
        try:
            made[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]
        except OSError as problem:
            made[path] = problem.strerror or "unreadable"
    return made


def difference(expected: Mapping[str, str], found: Mapping[str, str]) -> str:
    """How *found* differs from what is *expected*, in words; empty if it does not."""
    names = sorted(expected.keys() | found.keys(), key=lambda name: (name != "structural", name))
    told = [
        f"{name} is {found.get(name, 'missing')} there and {expected.get(name, 'missing')} here"
        for name in names
        if expected.get(name) != found.get(name)
    ]
    more = f", and {len(told) - 3} more" if len(told) > 3 else ""
    return "; ".join(told[:3]) + more


def libraries_of(languages: Iterable[Language]) -> tuple[str, ...]:
    """The grammars that are named by a path."""
    return tuple(sorted({one.grammar.library for one in languages if one.grammar.library}))


@lru_cache(maxsize=1)
def _code() -> str:
    """A digest of this package's modules: a checkout has the same version for many states."""
    made = hashlib.sha256()
    top = Path(__file__).parent.parent
    for path in sorted(top.rglob("*.py")):
        data = path.read_bytes()
        made.update(f"{path.relative_to(top).as_posix()}\0{len(data)}\0".encode())
        made.update(data)
    return made.hexdigest()[:12]
