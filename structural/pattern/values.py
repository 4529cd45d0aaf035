"""What a match is, as values.  No tree, no matcher: anything may import this."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import overload

from structural.text import Span


@dataclass(frozen=True, slots=True)
class Binding:
    """What one metavariable stands for.

    ``span`` is the whole stretch; ``parts`` are the single nodes: exactly one for
    ``$NAME``, any number (without the separators) for ``$$$NAME``.  An ellipsis
    that stands for nothing has no parts and an empty span where it would be.
    """

    name: str
    span: Span
    parts: tuple[Span, ...]
    ellipsis: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """One place where the pattern stands.  All spans are bytes of the file."""

    span: Span
    kind: str
    """Kind of the matched node; for a run of statements that of the first."""
    language: str
    """The language that matched: in an HTML file this may be ``javascript``."""
    reading: str
    """The rung by which the pattern was read."""
    bindings: tuple[Binding, ...] = ()
    """In the order in which the pattern names them."""
    equivalences: tuple[str, ...] = ()
    """Names of the equivalences without which this would be no match, sorted."""
    lead: int = -1
    """The byte at which the first token stands that the pattern mentions: behind the adornments that
    it does not.  -1: at the start."""

    def binding(self, name: str) -> Binding | None:
        for binding in self.bindings:
            if binding.name == name:
                return binding
        return None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a place that began like the pattern does not match.

    ``agreed`` is the number of tokens and nodes of the pattern that fitted
    before; ``expected`` and ``found`` are short descriptions for people.
    """

    span: Span
    at: int
    agreed: int
    expected: str
    found: str
    kind: str = ""
    again: str = ""
    """Where the same code as before was expected: that code, cut."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One rung of the ladder: what was tried and what became of it.

    ``accepted`` with ``reason == ""``; or refused, with the reason and the
    column (from 1) of the fragment at which it was stopped, 0 if none.
    """

    rung: str
    skeleton: str
    accepted: bool
    reason: str = ""
    column: int = 0


NO_CODE = "holds no code"
"""The reason of a rung where a fragment is only white space and comments."""


class Attempts(Sequence[Attempt]):
    """Attempts in order.  Why a rung refused a pattern takes long to find out and is seldom asked: it
    is found when the attempt is looked at.  How many there are is known at once.
    """

    __slots__ = ("_made",)

    def __init__(self, made: Iterable[Attempt | Callable[[], Attempt]] = ()) -> None:
        self._made = list(made)

    def append(self, attempt: Attempt | Callable[[], Attempt]) -> None:
        """Add an attempt, or what finds it out; that must pickle."""
        self._made.append(attempt)

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, at: int) -> Attempt: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Attempt]: ...

    def __getitem__(self, at: int | slice) -> Attempt | Sequence[Attempt]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        found = self._made[at]
        if not isinstance(found, Attempt):
            found = self._made[at] = found()
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Attempts({list(self)!r})"


@dataclass(frozen=True, slots=True)
class ReadingInfo:
    """How a pattern is read in a language, for people and for JSON."""

    language: str
    rung: str
    kinds: tuple[str, ...]
    """Kinds of the root nodes of the pattern; several for a run."""
    literals: tuple[str, ...] = ()
    """Texts that every match must contain."""
    alternatives: tuple[str, ...] = field(default=())
    """Other rungs by which the pattern matches too, as far as a few files told (``--as`` searches)."""
