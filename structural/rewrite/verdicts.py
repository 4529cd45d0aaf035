"""Sites that are alike in all that the checks of a site look at, of which one was found good.

Those checks (``Checker._job``, ``lenient``, ``limits``) ask for the statement that a site is in,
before and after, for what stands beside it, and for the kinds of what is around it.  All that is the
*surface* of a site.  Names, and plain numbers, are told apart from one another by nothing in it,
since no check knows a name.  A site with the surface of one in which nothing was wrong is good as
well; every other one is checked.

Only plain sites have a surface: without comments, matches inside of them, mends or removals, in one
statement of moderate size.  A list of which the order is a matter is no surroundings for one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache

from structural.pattern.tables import Tables
from structural.rewrite.jobs import Job, Mend, Occurrence
from structural.syntax.columns import Columns
from structural.syntax.grammar import load_named

_PLAIN = Mend()
_MOST_NODES = 150
_MOST_BYTES = 600
"""Of a statement that is compared; a larger one is seldom like another."""

_MOST = 5_000
_ENOUGH = 500
"""Surfaces that are remembered, and questions after which it is seen whether that pays."""

_VARIES = re.compile(rb"[A-Za-z_]\w*+(?![\"'`])|(?<![\w.])\d++(?![\w.])")
"""Words that are no prefix of a string, and plain numbers."""


@dataclass(slots=True)
class Verdicts:
    """The surfaces of one rewrite that are good."""

    good: set[Hashable] = field(default_factory=set)
    asked: int = 0
    known: int = 0

    def knows(self, surface: Hashable) -> bool:
        """Whether a site of this surface was found good."""
        self.asked += 1
        found = surface in self.good
        self.known += found
        return found

    def add(self, surface: Hashable) -> None:
        """A site of this surface was found good."""
        if len(self.good) < _MOST:
            self.good.add(surface)

    @property
    def pays(self) -> bool:
        """Whether sites are alike often enough for surfaces to be drawn."""
        return self.asked < _ENOUGH or self.known * 4 > self.asked


class Surfaces:
    """Draws the surfaces of the sites of one file.  *lists*: kinds of lists of which the order is a
    matter."""

    def __init__(
        self,
        old: Columns,
        new: Columns,
        tables: Tables,
        lists: Collection[int],
        waits: frozenset[int] = frozenset(),
    ) -> None:
        """*waits*: kinds of what asks for words at a function around it."""
        self._old = old
        self._new = new
        self._blocks = tables.blocks
        self._words = _words_of(old.language)
        self._lists = lists
        self._waits = waits
        self._chains: dict[int, Hashable] = {}

    def of(
        self, job: Job, low: int, high: int, occurrences: list[Occurrence], marks: dict[Hashable, int]
    ) -> Hashable | None:
        """The surface of *job*, which stands in [low, high) of the text after; None if it has none."""
        if job.inner or job.taken is not None or job.mend != _PLAIN or job.refused:
            return None
        old, new, found = self._old, self._new, job.found
        first = bisect_left(new.start, low)
        while first < len(new) and new.kind[first] in self._blocks and new.size[first] > 1:
            first += 1  # A block may begin where its first statement does.
        if found.first != found.last or first >= len(new) or new.start[first] != low:
            return None
        before = self._statement(old, found.first, found.end)
        after = self._statement(new, first, high)
        if before < 0 or after < 0:
            return None
        if self._waits and not self._waits.isdisjoint(old.kind[before : before + old.size[before]]):
            return None
        one, other = self._part(old, before), self._part(new, after)
        if one is None or other is None:
            return None
        starts = new.start
        key: list[Hashable] = [id(job.program), found.first - before, first - after, one, other]
        key += [self._chain(new, new.parent[after]), bisect_left(starts, high) - after]
        for number, (_, item, place, nested, ellipsis) in enumerate(occurrences):
            if nested or place.first < 0:
                return None
            key += [item, place.first - before, place.last - before, ellipsis]
            key.append(bisect_left(starts, marks[("from", (job.site, number))]) - after)
        return tuple(key)

    def _statement(self, columns: Columns, i: int, end: int) -> int:
        """The statement that holds node *i*; -1 if it does not reach *end*, or stands in a list."""
        kind, parent = columns.kind, columns.parent
        while (above := parent[i]) > 0 and kind[above] not in self._blocks:
            i = above
        if columns.end[i] < end or (above >= 0 and kind[above] in self._lists):
            return -1
        return i

    def _part(self, columns: Columns, i: int) -> Hashable | None:
        """All of statement *i* and what is beside it."""
        size, start, end = columns.size[i], columns.start[i], columns.end[i]
        if size > _MOST_NODES or end - start > _MOST_BYTES:
            return None
        source, comments = columns.source, columns.comments
        if comments:
            at = bisect_left(comments, (end,))
            if at and comments[at - 1][1] > start:
                return None
        stop = i + size
        return (
            tuple(columns.kind[i:stop]),
            tuple(columns.field[i:stop]),
            tuple(columns.size[i:stop]),
            self._line(columns, start, end),
            source[max(0, start - 2) : start],
            source[end : end + 2],
            columns.kind[i - 1] if i else -1,
            columns.kind[stop] if stop < len(columns) else -1,
        )

    def _chain(self, columns: Columns, i: int) -> Hashable:
        """The kinds of what is around, from node *i* on."""
        found = self._chains.get(i)
        if found is None:
            kinds = []
            above = i
            while above >= 0:
                kinds += [columns.kind[above], columns.field[above]]
                above = columns.parent[above]
            found = self._chains[i] = tuple(kinds)
        return found

    def _line(self, columns: Columns, start: int, end: int) -> bytes:
        """The text in [start, end), with all names and numbers alike."""
        return _VARIES.sub(self._alike, columns.source[start:end])

    def _alike(self, word: re.Match[bytes]) -> bytes:
        text = word[0]
        if text[0] < 58:
            return b"0"
        return text if text in self._words else b"N" if text[:1].isupper() else b"n"


@cache
def _words_of(language: str) -> frozenset[bytes]:
    """The words of *language* that its grammar or its data know."""
    grammar = load_named(language)
    found = set(grammar.keywords)
    pending: list[object] = [getattr(grammar.language, one.name) for one in fields(grammar.language)]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            found |= set(re.findall(rb"\w+", value.encode()))
        elif isinstance(value, Mapping):
            pending += [*value.keys(), *value.values()]
        elif isinstance(value, Iterable):
            pending += value
    return frozenset(found)
