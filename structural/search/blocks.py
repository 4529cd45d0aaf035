"""What searches ask of a block of files, be it in memory (``block``) or on disk (``index.mapped``).

Nothing here needs arrays: most searches of a tree with an index end with its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy.typing as npt

    from structural.syntax.columns import Columns

    Numbers = npt.NDArray[Any]

RUN = re.compile(rb"\w+|[^\w\s]+")
"""Source text as runs of letters and of marks: a literal of one sort stands within one of these."""


class UnusableError(Exception):
    """What was kept of a file cannot be used: it has to be searched as if nothing was known of it."""


class MovedError(UnusableError):
    """A file has changed since its signature was taken."""


class AnyBlock(Protocol):
    """What searches ask of a block, wherever it is.  Any of it may raise UnusableError."""

    @property
    def language(self) -> str: ...
    @property
    def sizes(self) -> list[int]:
        """Bytes of the files."""

    @property
    def offsets(self) -> Numbers: ...
    @property
    def kind(self) -> Numbers: ...
    @property
    def size(self) -> Numbers: ...
    @property
    def start(self) -> Numbers: ...
    @property
    def end(self) -> Numbers: ...
    @property
    def text(self) -> Numbers: ...
    @property
    def missing(self) -> dict[int, frozenset[int]]: ...
    @property
    def errors(self) -> list[int]: ...
    @property
    def bases(self) -> Numbers: ...
    @property
    def uncounted(self) -> Numbers: ...
    def __len__(self) -> int: ...
    def columns(self, slot: int, candidates: int, source: bytes) -> Columns:
        """The columns of one file, which reads *source*, to be asked about so many candidates."""

    def with_text(self, number: int, kinds: frozenset[int]) -> Numbers:
        """The nodes of *kinds* that read as *number* says, in order, and perhaps others that read so."""

    def same_text(self, one: Numbers, other: Numbers) -> Numbers:
        """Whether two nodes may read the same, white space aside, or be the same tokens."""

    def holding(self, literal: bytes, sources: Sources) -> int:
        """The files whose source holds *literal*, a bit each; *sources* are asked where words do not
        tell."""


Sources = Callable[[int], bytes | None]
"""The source of the file at a slot; None if it is not at hand, and then it may hold anything."""


def runs_of(literal: bytes) -> tuple[list[bytes], bool]:
    """Runs that every text with *literal* holds, and whether one that holds them holds the literal."""
    runs = RUN.findall(literal)
    if b"".join(runs) != literal:
        return [], False
    return runs, len(runs) == 1


def bits(mask: int) -> list[int]:
    """The places of the bits of *mask* that are set."""
    return [at for at, digit in enumerate(reversed(f"{mask:b}")) if digit == "1"]
