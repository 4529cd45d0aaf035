"""A seam for later layers: who looks at every proposal before and after it is committed.

An observer adds remarks to the answer, such as the diagnostics that are new.  It changes
nothing and stops nothing: what is committed is decided by the caller alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Proposal:
    """One file of a staged change: its bytes before and after, None for no file."""

    change: str
    path: str
    before: bytes | None
    after: bytes | None


class Observer(Protocol):
    """Both methods are given the files one at a time, and give remarks for the answer."""

    def proposed(self, files: Iterator[Proposal]) -> Iterable[str]:
        """A change was staged, and nothing is written yet."""
        ...

    def committed(self, files: Iterator[Proposal]) -> Iterable[str]:
        """A change was written to the tree."""
        ...
