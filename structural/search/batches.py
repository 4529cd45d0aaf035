"""What was found out about blocks for patterns, kept for the next search with the same pattern.

A block never changes, so neither does what is known of it for one reading.  After an edit
only the files that changed are in another block, and are all that is searched again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from weakref import ref

from structural.pattern.program import Program
from structural.search.blocks import AnyBlock
from structural.search.values import Searched

_A_MATCH, _A_FILE, _A_PLACE, _A_BATCH = 800, 200, 60, 1_000
"""About the bytes that these take."""

_SHARE = 50
"""Answers of one batch take at most this part of all, so that no one pattern drives out the others."""

_TURNS = 64
"""So many new batches, and those of blocks that are gone are let go."""


@dataclass(slots=True, eq=False)
class Batch:
    """``holding``: the files that have the literals of the reading, a bit each.  ``places``: for every
    program and file where a match may begin; None if any node may.  ``answers`` of files with
    matches; ``empty`` are files with the literals and without any; ``rows``: whether such a file
    has the rows."""

    holding: int
    places: list[dict[int, list[int]] | None]
    answers: dict[int, Searched] = field(default_factory=dict)
    empty: set[int] = field(default_factory=set)
    rows: dict[int, bool] = field(default_factory=dict)
    weight: int = 0


class Batches:
    """The batches that were used last.  They weigh no more than *limit* bytes, about."""

    def __init__(self, limit: int) -> None:
        self.weight = 0
        self._turn = 0
        self._limit = limit
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[int, int], tuple[tuple[Program, ...], ref[AnyBlock], Batch]]
        self._known = OrderedDict()  # a block that is gone elsewhere is not held here

    def get(self, programs: tuple[Program, ...], block: AnyBlock, make: Callable[[], Batch]) -> Batch:
        """The batch of a reading with these programs, which are its own, for *block*."""
        key = (id(programs), id(block))
        with self._lock:
            known = self._known.get(key)
            if known is not None and known[0] is programs and known[1]() is block:
                self._known.move_to_end(key)
                return known[2]
        made = make()
        if programs:  # else it is a comment, and there is no telling which
            number = sum(len(nodes) for places in made.places if places for nodes in places.values())
            made.weight = _A_BATCH + _A_PLACE * number + _A_FILE * made.holding.bit_count()
            with self._lock:
                before = self._known.pop(key, None)
                if before is not None:
                    self._lose(before[2])
                if made.weight <= self._limit:
                    self._known[key] = (programs, ref(block), made)
                    self.weight += made.weight
                    self._shrink()
                self._turn += 1
                if self._turn % _TURNS == 0:
                    for old in [old for old, (_, of, _) in self._known.items() if of() is None]:
                        self._lose(self._known.pop(old)[2])
        return made

    def answered(self, batch: Batch, slot: int, answer: Searched) -> None:
        """Keep an answer with its batch, if there is room."""
        weight = _A_MATCH * len(answer.matches)
        with self._lock:
            # Of a batch that is not kept there is nothing to add up.
            if batch.weight and weight + batch.weight <= self._limit // _SHARE and slot not in batch.answers:
                batch.answers[slot] = answer
                batch.weight += weight
                self.weight += weight
                self._shrink()

    def clear(self) -> None:
        with self._lock:
            self._known.clear()
            self.weight = 0

    def _shrink(self) -> None:
        while self.weight > self._limit and self._known:
            _, (_, _, batch) = self._known.popitem(last=False)
            self._lose(batch)

    def _lose(self, batch: Batch) -> None:
        self.weight -= batch.weight
        batch.weight = 0
