"""What is known of one match before it is rewritten."""

from __future__ import annotations

from itertools import pairwise

from structural.pattern.bindings import innermost
from structural.pattern.tree import CLOSERS, OPENERS
from structural.rewrite.jobs import Job
from structural.rewrite.layout import Layout, Shift, level
from structural.rewrite.places import Place, Places, comments_in
from structural.rewrite.template import Aligned, Pairing


class Setting:
    """One match: where the items of its pattern stand, which of them stay, and in what layout.

    ``row`` are the numbers of the pattern's items that are there, in the order of the file;
    ``aligned.rewrite`` those of the rewrite's items that are to be there.  ``base`` is the
    indentation of the match's line in the text after, ``step`` one level in the templates.
    ``lead`` is the first byte that the pattern shows.
    """

    def __init__(self, job: Job, pairing: Pairing, places: Places, layout: Layout, shift: Shift) -> None:
        self.job = job
        self.mend = job.mend
        self.pairing = pairing
        self.places = places
        self.layout = layout
        self.source = layout.source
        self.shift = shift
        self.pattern = pairing.pattern
        self.rewrite = pairing.rewrite
        self.lead = job.found.lead if job.found.lead >= 0 else job.found.start
        self.row = [n for n, p in enumerate(places.of) if p is not None and p.start < p.end]
        self.row.sort(key=lambda n: (self.place(n).start, n))
        self.moved: dict[int, Shift] = {}
        """Items of the pattern that come to a line of another indentation."""
        self.has_order = True
        """Whether it is plain how the rewrite is to be ordered."""
        self.aligned = self._aligned()
        self.ghosts: set[int] = set()
        """Numbers in the rewrite's row of tokens that pattern and rewrite have and the file has not."""
        own = layout.indent(self.lead)
        self.base = shift[1] + own[len(shift[0]) :] if own.startswith(shift[0]) else own
        self.eol = layout.eol(job.found.start)
        self.step = pairing.step
        self.pairs = self._pairs()
        """What stays: numbers in ``row`` and in the rewrite's row, rising in both."""

    @property
    def in_order(self) -> bool:
        """Whether the items stand in the file in the order in which they were written."""
        return all(a < b for a, b in pairwise(self.row))

    def _aligned(self) -> Aligned:
        items = self.pattern.items
        absent = frozenset(
            n
            for n, place in enumerate(self.places.of)
            if place is None and (items[n].soft or items[n].comment)
        )
        empty = {
            items[n].name or ""
            for n, place in enumerate(self.places.of)
            if place is not None and place.first == -2
        }
        empty |= {name for name, place in self.job.beyond.places.items() if place.first == -2}
        gap = self.layout.gap_end(self.job.found.end)
        end = max((self.place(n).end for n in self.row), default=self.job.found.end)
        tail = self.source[end : self.job.found.end].strip() or self.source[gap : gap + 1]
        followed = tail[:1] in self.pairing.terminators
        empty_names = frozenset(name for name in empty if name)
        signature = (absent, empty_names, followed, self._blocks())
        if not self.in_order:
            made = self.pairing.reordered(signature, tuple(self.row))
            self.has_order = made is not None
            if made is not None:
                return made
        return self.pairing.aligned(signature)

    def _blocks(self) -> frozenset[str]:
        """Names that the rewrite has in braces and that are bound to a block with its own."""
        columns, found = self.layout.columns, set()
        for name in self.pairing.in_braces:
            place = self.place_of_name(name)
            if place is not None and place.first >= 0 and place.first == place.last:
                core = innermost(columns, place.first)
                if columns.kind[core] in self.pairing.blocks and self.source.startswith(b"{", place.start):
                    found.add(name)
        return frozenset(found)

    def place(self, n: int) -> Place:
        place = self.places.of[n]
        assert place is not None
        return place

    def _pairs(self) -> list[tuple[int, int]]:
        """Pairs as numbers in ``row`` and in the row of the rewrite, without ghosts: tokens that both
        have and the file has not.  A ghost counts as there if what stands before it stays too."""
        if len(self.row) == len(self.places.of) and self.in_order:
            return list(self.aligned.pairs)
        at = {n: k for k, n in enumerate(self.row)}
        owned = self.pairing.owned  # These go with the metavariable before them.
        order = [n for n, place in enumerate(self.places.of) if n in at or (place is None and n not in owned)]
        before = {n: order[k - 1] if k else -1 for k, n in enumerate(order)}
        kept: dict[int, int] = {-1: -1}
        self.ghosts = set()
        opened: list[int] = []
        braces: list[tuple[int, int]] = []
        last = -1
        for n, r in self.aligned.pairs:
            if n not in at and self.pattern.items[n].name is not None:
                continue  # It stands for nothing here.
            if n not in at:
                text = self.pattern.items[n].text
                if kept.get(before[n], -2) != r - 1 or self.mend.explicit or (text in CLOSERS and not opened):
                    continue
                kept[n] = r
                if text in OPENERS:
                    opened.append(r)
                elif text in CLOSERS:
                    braces.append((opened.pop(), r))
                    self.ghosts |= set(braces[-1])
                else:
                    self.ghosts.add(r)
                continue
            if at[n] <= last:
                continue  # In another order than written: what comes later counts as new.
            last = at[n]
            kept[n] = r
        same = {r for n, r in kept.items() if n >= 0 and self._is_same(n, r)}
        for opener, closer in braces:
            if not all(r in same for r in range(opener + 1, closer)):
                self.ghosts -= {opener, closer}  # What the file had without brackets is another thing now.
        return [(at[n], r) for n, r in kept.items() if n in at]

    def _is_same(self, n: int, r: int) -> bool:
        """Whether item n of the pattern and number r of the rewrite's row are the same, not exchanged."""
        return self.pattern.items[n].key == self.rewrite.items[self.aligned.rewrite[r]].key

    def shift_of(self, number: int, item: int, place: Place) -> Shift:
        """What happens to the indentation of lines that go with an item: nothing, if the pattern and
        the rewrite have it at the same level.  Where the rewrite begins a line with it, that line
        tells; else the lines move as far as the one that it stands on."""
        if number in self.moved:
            return self.moved[number]
        after = level(self.rewrite.indent[item], self.step)
        deeper = after - level(self.pattern.indent[number], self.step)
        own = self.layout.indent(place.start)
        anew = self._line_is_new(item, place.start, own)
        if not deeper and not anew:
            return self.shift
        unit = self.layout.unit or self.step
        if anew or b"\n" in self.rewrite.before[item] or not after:
            return own, self.base + unit * after
        if deeper > 0:
            return own, own + unit * deeper
        return own, own[: max(len(self.base), len(own) + len(unit) * deeper)]

    def _line_is_new(self, item: int, byte: int, own: bytes) -> bool:
        """Whether the file ends a line before the one of *byte*, with the indentation *own*, where the
        pattern goes on, and the rewrite begins the line of its item *item* there: it is written anew."""
        start = self.layout.line_start(byte) + len(own)
        head = next((n for n in self.row[1:] if self.place(n).start == start), -1)
        if head < 0 or b"\n" in self.pattern.before[head]:
            return False
        first = next((r for r in range(item, 0, -1) if b"\n" in self.rewrite.before[r]), 0)
        partner = next((self.aligned.rewrite[r] for p, r in self.pairs if self.row[p] == head), -1)
        if not first and self.layout.line_start(self.lead) + len(self.layout.indent(self.lead)) < self.lead:
            return False  # It goes on with the line on which the match begins.
        return partner == first if partner >= 0 else first > 0

    def pattern_layout(self, before: int, behind: int) -> bytes | None:
        """The pattern's layout between two items of the row that are neighbours there; None if the file's
        layout between them is another matter."""
        if before < 0 or behind >= len(self.row):
            return b""
        a, b = self.row[before], self.row[behind]
        if b != a + 1 and not self.in_order and a + 1 < len(self.pattern.before):
            return self.pattern.before[a + 1]
        if b <= a or any(self._left_out(n) for n in range(a + 1, b)):
            return None
        return _layout_between(
            self.pattern.before, [self.pattern.items[n].soft for n in range(a + 1, b)], a, b
        )

    def _left_out(self, n: int) -> bool:
        """Whether item n of the pattern is code that the file does without, such as a brace."""
        item = self.pattern.items[n]
        return (
            self.places.of[n] is None and item.name is None and not item.soft and n not in self.pairing.owned
        )

    def rewrite_layout(self, before: int, behind: int) -> bytes:
        """The rewrite's layout between two items of its row."""
        if before < 0 or behind >= len(self.aligned.rewrite):
            return b""
        a, b = self.aligned.rewrite[before], self.aligned.rewrite[behind]
        if b in self.aligned.before:
            return self.aligned.before[b]
        return _layout_between(
            self.rewrite.before, [self.rewrite.items[n].soft for n in range(a + 1, b)], a, b
        )

    def same(self, had: bytes | None, wanted: bytes) -> bool:
        """Whether two layouts part tokens in the same way: not at all, by a space, or by a line that
        is indented alike."""
        if had is None or (b"\n" in had) != (b"\n" in wanted):
            return False
        if b"\n" not in had:
            return bool(had) == bool(wanted)
        return level(_tail(had), self.step) == level(_tail(wanted), self.step)

    def rendered(self, layout: bytes) -> bytes:
        """A layout of the rewrite in the file's line endings, indentation and unit."""
        if b"\n" not in layout:
            return layout
        depth = level(_tail(layout), self.step)
        return self.eol * layout.count(b"\n") + self.base + (self.layout.unit or self.step) * depth

    def is_separator(self, span: tuple[int, int]) -> bool:
        """Whether the token at *span* parts the elements of lists."""
        return self.source[span[0] : span[1]] in self.pairing.separators

    def is_ellipsis(self, item: int) -> bool:
        name = self.rewrite.items[item].name
        return name in self.pairing.program.ellipses or name in self.job.beyond.ellipses

    def extent(self, n: int) -> tuple[int, int]:
        """The bytes that go along when what item n stands for moves: of statements of a block also the
        comments above the first and behind the last."""
        place = self.place(n)
        columns, tables = self.layout.columns, self.pairing.blocks
        if place.first < 0 or not self.pattern.items[n].name or not columns.comments:
            return place.start, place.end
        parent = columns.parent[place.first]
        if parent < 0 or columns.kind[parent] not in tables:
            return place.start, place.end
        at = self.row.index(n)
        low = self.place(self.row[at - 1]).end if at else place.start
        start, end = place.start, place.end
        for a, _ in reversed(comments_in(columns, low, place.start)):
            if b"\n" not in self.source[low:a]:
                break  # Behind the brace: it is of the head.
            start = a
        if at + 1 < len(self.row):
            for _, b in comments_in(columns, end, self.place(self.row[at + 1]).start):
                end = b
        return start, end

    def moves(self, n: int) -> bool:
        """Whether the rewrite writes what item n stands for, in this place or another."""
        name = self.pattern.items[n].name
        return bool(name) and any(item.name == name for item in self.rewrite.items)

    def place_of_name(self, name: str) -> Place | None:
        for n, item in enumerate(self.pattern.items):
            if item.name == name and self.places.of[n] is not None:
                return self.places.of[n]
        if name not in self.pairing.program.names:
            return self.job.beyond.places.get(name)
        number = self.pairing.program.names.index(name)
        bound = self.job.found.bindings[number]
        return Place(*bound) if bound is not None else None


def _layout_between(before: tuple[bytes, ...], softs: list[bool], a: int, b: int) -> bytes:
    """The layout between items a and b where those between them are not there: before the first of
    them if a separator went, else before b."""
    if b == a + 1 or not any(softs):
        return before[b]
    return before[a + 1]


def _tail(layout: bytes) -> bytes:
    return layout[layout.rindex(b"\n") + 1 :]
