"""Sites of several rewrites over one text: which can be together.

Two sites of different rewrites that want the same bytes are a conflict: neither is kept.  Where one
lies in the other the outermost wins, as for matches of one rewrite; of two over the same code the
earlier rewrite wins.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from structural.text import Edit, Span


class HasEdits(Protocol):
    """A place of a text and what happens there."""

    @property
    def span(self) -> Span: ...

    @property
    def edits(self) -> tuple[Edit, ...]: ...


S = TypeVar("S", bound=HasEdits)


@dataclass(frozen=True, slots=True)
class Placed(Generic[S]):
    """A site and the number of its rewrite, from 1."""

    site: S
    number: int


def apart(
    placed: Sequence[Placed[S]],
) -> tuple[list[Placed[S]], list[tuple[Placed[S], int]], list[Placed[S]]]:
    """The sites that can be together; those in conflict, each with the other's rewrite; those that are left
    as they lie in others."""
    ordered = sorted(placed, key=lambda one: (one.site.span.start, -one.site.span.end, one.number))
    conflicts: dict[int, tuple[Placed[S], int]] = {}
    inner: set[int] = set()
    around: list[Placed[S]] = []
    for one in ordered:
        around = [other for other in around if other.site.span.end > one.site.span.start]
        for other in around:
            if other.number == one.number:
                continue
            nested = one.site.span.end <= other.site.span.end
            if not nested or _meet(one.site.edits, other.site.edits):
                conflicts[id(one)] = (one, other.number)
                conflicts[id(other)] = (other, one.number)
            elif id(other) not in inner:
                inner.add(id(one))
        around.append(one)
    inner -= conflicts.keys()
    # What lies in a site that is refused is free again: it is found when this is done once more.
    kept = [one for one in ordered if id(one) not in conflicts and id(one) not in inner]
    return kept, list(conflicts.values()), [one for one in ordered if id(one) in inner]


def _meet(some: Sequence[Edit], others: Sequence[Edit]) -> bool:
    """Whether two sites want the same bytes, or put something in at the same place."""
    return any(
        one.span == other.span or (one.span.start < other.span.end and other.span.start < one.span.end)
        for one in some
        for other in others
    )


class Within:
    """Whether a place lies in one of *spans*, of which none overlap."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans)
        self._starts = [span.start for span in self._spans]

    def __contains__(self, place: Span) -> bool:
        at = bisect_right(self._starts, place.start) - 1
        return at >= 0 and self._spans[at].holds(place)


class Shifts:
    """How far the edits *done*, in order, move what stands behind them."""

    def __init__(self, done: Sequence[Edit]) -> None:
        self._ends = [0]
        self._shifts = [0]
        for one in done:
            self._ends.append(one.span.end)
            self._shifts.append(self._shifts[-1] + len(one.new) - (one.span.end - one.span.start))

    def moved(self, edits: Sequence[Edit]) -> set[Edit]:
        """The same edits in the text after, with which those have no byte in common."""
        found: set[Edit] = set()
        for edit in edits:
            shift = self._shifts[bisect_right(self._ends, edit.span.start) - 1]
            found.add(Edit(Span(edit.span.start + shift, edit.span.end + shift), edit.new))
        return found
