"""Parentheses and braces of a match that the pattern does not show: which stay and which go.

What stands in them stays in them only if it is one piece of the rewrite as well: else
``$C * x.f`` → ``$C * y + x.f`` would put a sum where a product was.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from structural.rewrite.setting import Setting

Spans = list[tuple[int, int]]


class Edge(NamedTuple):
    """The first and the last number in the row of what stands between parentheses, and their bytes."""

    first: int
    last: int
    start: int
    end: int


class Layers:
    """Of one match."""

    def __init__(self, at: Setting) -> None:
        self.at = at
        self._kept = dict(at.pairs)
        self.dropped: list[tuple[int, int]] = []
        """Tokens that go, in order."""
        self.edges: list[Edge] = []
        """Parentheses that stay around items of which the first and the last stay too."""
        known = {at.row[p] for p in self._kept}
        for item, spans in at.places.layers:
            stays = not at.mend.bare and bool(spans)
            if stays and at.source[spans[0][0]] == 0x28:
                stays = self._is_piece(spans)
            elif item not in known:
                stays = False
            if not stays and (spans and spans[-1][0] >= at.lead):
                self.dropped += spans
        self.dropped.sort()

    def _inside(self, spans: Spans) -> list[int]:
        low, high = spans[0][1], spans[-1][0]
        places = [self.at.place(n) for n in self.at.row]
        return [p for p, place in enumerate(places) if low <= place.start and place.end <= high]

    def _is_piece(self, spans: Spans) -> bool:
        """Whether what comes to stand between these parentheses is one piece of the rewrite."""
        inside = self._inside(spans)
        if not inside:
            return False
        first, last = inside[0], inside[-1]
        row = self.at.aligned.rewrite
        low, high = self._kept.get(first, -1), self._kept.get(last, -1)
        if low >= 0 and high >= 0:
            self.edges.append(Edge(first, last, spans[0][0], spans[-1][1]))
        if low < 0:
            low = 0 if not first else self._kept.get(first - 1, -2) + 1
        if high < 0:
            high = len(row) - 1 if last + 1 == len(self.at.row) else self._kept.get(last + 1, 0) - 1
        while high + 1 in self.at.ghosts:
            high += 1  # A bracket that the file leaves out.
        stays = 0 <= low <= high and (low == high or (low, high) in set(self._pieces()))
        if (low, high) == (0, len(row) - 1) and not self._holds_lines(spans, first, last):
            stays = False  # They would stand around all of it.
        if not stays and self.edges and self.edges[-1].start == spans[0][0]:
            self.edges.pop()
        return stays

    def _holds_lines(self, spans: Spans, first: int, last: int) -> bool:
        """Whether lines end between the parentheses and what stands in them."""
        start, end = self.at.place(self.at.row[first]).start, self.at.place(self.at.row[last]).end
        return b"\n" in self.at.source[spans[0][1] : start] + self.at.source[end : spans[-1][0]]

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """Pieces of the rewrite, as numbers of its row: first and last."""
        row = self.at.aligned.rewrite
        for first, behind in self.at.rewrite.groups:
            numbers = [r for r, n in enumerate(row) if first <= n < behind]
            if numbers and all(b == a + 1 for a, b in pairwise(numbers)):
                yield numbers[0], numbers[-1]

    def between(self, low: int, high: int) -> Spans:
        """Tokens that go in [low, high), where -1 is no bound."""
        return [(s, e) for s, e in self.dropped if (low < 0 or s >= low) and (high < 0 or e <= high)]

    def end(self, p: int) -> int:
        """The end of number *p* of the row, with parentheses that stay around all that ends with it."""
        return max([self.at.place(self.at.row[p]).end, *(edge.end for edge in self.edges if edge.last == p)])

    def start(self, p: int) -> int:
        """The beginning of number *p* of the row, with parentheses around all that begins with it."""
        starts = (edge.start for edge in self.edges if edge.first == p)
        return min([self.at.place(self.at.row[p]).start, *starts])
