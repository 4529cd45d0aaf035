"""Which files are worth a second look when nothing matched: few, and the likeliest.

A file that was parsed held every literal of a reading, so it comes first; the others
are read once more, up to a limit, and ranked by the share of literals they lack.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from structural.search.read import read_file
from structural.search.values import Skipped
from structural.search.worker import Choice, Task

if TYPE_CHECKING:
    from structural.search.recall import View

FILES = 200
BYTES = 750_000
"""What the second look parses, at most: about a tenth of a second of work."""

_RANKED_BYTES = 64_000_000
"""What is read to rank files."""


def nearest(task: Task, choice: Choice, parsed: list[int], view: View | None = None) -> list[int]:
    """Positions of those files, in path order.  *parsed* are the files that were parsed."""
    if view is not None and (len(parsed) >= FILES or view.total > _RANKED_BYTES):
        parsed = view.surely(parsed, FILES)
    ranked = [(0.0, at) for at in parsed]
    if len(ranked) < FILES:
        ranked += _ranked(task, choice, set(parsed), view)
        ranked.sort()
    chosen: list[int] = []
    left = BYTES
    for _, at in ranked[:FILES]:
        size = _size(task.files[at])
        if size <= left:
            left -= size
            chosen.append(at)
    return sorted(chosen) or [at for _, at in ranked[:1]]


def _ranked(task: Task, choice: Choice, parsed: set[int], view: View | None) -> list[tuple[float, int]]:
    found: list[tuple[float, int]] = []
    left = _RANKED_BYTES
    shares = None if view is None else view.lacking(task, choice)
    for at, path in enumerate(task.files):
        if at in parsed:
            continue
        known = None if shares is None else shares[at]
        size = None if view is None or known is None else view.size(task, at)
        if known is not None and size is not None:
            left -= size
            missing = known
            if left < 0:
                break
        else:
            source = read_file(path, task.max_size) if view is None else view.source(task, at)
            if isinstance(source, Skipped):
                continue
            left -= len(source)
            if left < 0:
                break
            missing = _missing(task, choice, source, task.hosts[at])
        if missing < 1:
            found.append((missing, at))
    return found


def _missing(task: Task, choice: Choice, source: bytes, host: str) -> float:
    """The share of literals that *source* lacks, of the reading of which it lacks least."""
    shares = [
        sum(literal not in source for literal in literals) / len(literals)
        for reading in task.readings(host, choice).values()
        if (literals := reading.literals)
    ]
    return min(shares, default=0.0)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
