"""What processes can be given to do: something with one file after another.

``Work`` is what ``pool`` needs to know of it.  A work is made once, pickles, and is then told
positions of files; what comes of a file is a value, also where it goes wrong.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeVar

from structural.syntax import registry
from structural.syntax.language import Language

How = TypeVar("How", contravariant=True)
Answer = TypeVar("Answer")
Given = TypeVar("Given", contravariant=True)
Got = TypeVar("Got", covariant=True)

SERIAL_SECONDS = 0.02
"""Work that is always done in this process first: it tells what the rest will cost."""

WORTH_SECONDS = 0.1
"""Work that must be left for processes to pay: starting them costs some hundredths of a second."""

SPAWNED = 25
"""How much longer it takes to start processes that are not forked: they import everything anew."""


class Work(Protocol[How, Answer]):
    """What is done with a file.  *how* is the same for all files of one run of a pool."""

    def prepare(self) -> None:
        """Called once, in a new process."""

    def do(self, at: int, how: How) -> Answer:
        """File number *at*.  Raises nothing: what goes wrong is an answer too."""

    def lost(self, at: int, how: How, why: str) -> Answer:
        """The answer for a file over which processes died."""

    def pack(self, answers: list[Answer]) -> Any:
        """Answers for the pipe between processes."""

    def unpack(self, files: Iterable[int], packed: Any) -> list[Answer]:
        """The answers that ``pack`` was given, for these *files*."""


class Runner(Protocol[Given, Got]):
    """Where work is done: ``pool.Pool`` on this machine, ``cluster.Cluster`` on others."""

    def run(self, files: Iterable[int], how: Given, *, seconds: float) -> Iterator[tuple[int, Got]]:
        """Do *files*, each of which takes about so many *seconds*, and give (position, answer) in order."""

    def close(self) -> None:
        """End what is under way."""


def add_languages(languages: Iterable[Language]) -> None:
    """Make languages from configuration known in a process that may not know them."""
    known = registry.added()
    for language in languages:
        if language not in known:
            registry.add(language)


def forks() -> bool:
    """Whether processes are forked, which is sound on Linux from a process with one thread."""
    return sys.platform == "linux" and threading.active_count() == 1


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
