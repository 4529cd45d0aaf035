"""Which rules can hold in a source, from its bytes alone.

One pass of a multi-pattern matcher (Aho and Corasick, 1975) finds all texts that any of the rules needs; what
each rule needs is then compared as bits.  Where the texts stand is kept, since patterns are looked for
around the rare ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from structural.rules.terms import CompiledRule

_SHORT = 3
"""Texts shorter than that stand in most files, and are found at once where they do."""

_FEW = 6
"""Of so few texts each is looked for by itself."""


@dataclass(slots=True)
class Literals:
    """Of the rules of one grammar.  ``clauses``: for each rule bits of texts, of each group one is needed."""

    texts: tuple[bytes, ...]
    clauses: tuple[tuple[int, ...], ...]
    short: tuple[int, ...] = ()
    long: tuple[int, ...] = ()
    _automaton: Any = field(default=None, compare=False)
    _alive: dict[int, list[int]] = field(default_factory=dict, compare=False)
    """Bits of the texts that stand in a source → the numbers of the rules that can hold in it."""

    def scan(self, source: bytes) -> tuple[list[int], dict[bytes, Sequence[int]]]:
        """The numbers of the rules that can hold in *source*, and where the longer texts stand in it, those
        that stand nowhere too."""
        texts = self.texts
        present = 0
        for at in self.short:
            if texts[at] in source:
                present |= 1 << at
        where: dict[bytes, Sequence[int]] = {}
        if len(self.long) <= _FEW:
            for at in self.long:
                if texts[at] in source:
                    present |= 1 << at
                else:
                    where[texts[at]] = ()
        else:
            places: dict[int, list[int]] = {}
            for number, start, _ in self._matcher().find_matches_as_indexes(source, overlapping=True):
                those = places.get(number)
                if those is None:
                    places[number] = [start]
                else:
                    those.append(start)
            where = dict.fromkeys([texts[at] for at in self.long], ())
            for number, found in places.items():
                at = self.long[number]
                where[texts[at]] = found
                present |= 1 << at
        alive = self._alive.get(present)
        if alive is None:
            alive = self._alive[present] = [
                at for at, those in enumerate(self.clauses) if all(one & present for one in those)
            ]
        return alive, where

    def _matcher(self) -> Any:
        if self._automaton is None:
            from ahocorasick_rs import BytesAhoCorasick, Implementation

            self._automaton = BytesAhoCorasick(
                [self.texts[at] for at in self.long], implementation=Implementation.DFA
            )
        return self._automaton

    def __getstate__(self) -> tuple[object, ...]:
        return self.texts, self.clauses, self.short, self.long

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.texts, self.clauses, self.short, self.long = state
        self._automaton = None
        self._alive = {}


def literals_of(rules: Sequence[CompiledRule], anchors: Iterable[bytes]) -> Literals:
    """What *rules* need; the texts of *anchors* are looked for too."""
    numbers: dict[bytes, int] = {}
    clauses = tuple(
        tuple(
            sum({1 << numbers.setdefault(text, len(numbers)) for text in sorted(clause)})
            for clause in rule.needs
        )
        for rule in rules
    )
    for text in anchors:
        if len(text) >= _SHORT:
            numbers.setdefault(text, len(numbers))
    texts = tuple(numbers)
    return Literals(
        texts,
        clauses,
        tuple(at for at, text in enumerate(texts) if len(text) < _SHORT),
        tuple(at for at, text in enumerate(texts) if len(text) >= _SHORT),
    )
