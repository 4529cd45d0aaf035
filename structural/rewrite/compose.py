"""One match becomes edits.

Items that the pattern and the rewrite share stay where they are.  Between two that stay
lies a gap: what the pattern had there goes, what the rewrite has there comes, and
whatever else stands there (comments, adornments, trailing separators) is left.  White
space stays as it is in the file, unless the pattern and the rewrite differ in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from structural.pattern.outcome import Found
from structural.pattern.program import Program
from structural.pattern.tables import Tables
from structural.pattern.tree import CLOSERS, OPENERS
from structural.rewrite.draft import Drafting, Text
from structural.rewrite.layout import Layout, Shift, level, step_of, would_glue
from structural.rewrite.places import Place, Places, leaves, places
from structural.rewrite.template import Aligned, Pairing, Template
from structural.syntax.columns import Columns


@dataclass(frozen=True, slots=True)
class Mend:
    """What is done beyond the template so that a site holds: numbers of items of the rewrite whose
    binding gets parentheses, parentheses or braces around all of it, a terminator behind it, and
    whether new text goes to the other end of a gap that has other things in it."""

    parens: frozenset[int] = frozenset()
    whole: bool = False
    braces: bool = False
    terminator: bytes = b""
    other_end: bool = False
    spaced: bool = False
    """A space where operators meet."""
    explicit: bool = False
    """Tokens that the file leaves out, such as the parentheses of a single argument, are written."""
    tolerant: frozenset[int] = frozenset()
    """Items whose binding may become another kind of node, as parentheses did not help."""


@dataclass(slots=True)
class Job:
    """One match to rewrite.  ``inner`` are matches inside its bindings; ``site`` is its number."""

    found: Found
    program: Program
    site: int
    inner: list[Job] = field(default_factory=list)
    mend: Mend = Mend()
    refused: str = ""
    taken: tuple[int, int] | None = None
    """Of a match that goes as a whole: the bytes that go with it."""

    @property
    def span(self) -> tuple[int, int]:
        return (self.found.start, self.found.end)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A metavariable of a rewrite that was written out: the item's number and what it is bound to."""

    job: int
    item: int
    place: Place
    nested: bool
    ellipsis: bool


class Composer:
    """Writes jobs of one file into drafts."""

    def __init__(self, columns: Columns, template: Template) -> None:
        self.columns = columns
        self.source = columns.source
        self.template = template
        self.tables: Tables = template.tables
        self.layout = Layout(columns, self.tables.strings, self.tables.blank, self.tables.verbatim)
        self.occurrences: dict[int, list[Occurrence]] = {}
        """By site: what stands in the text after, with marks ("from", occurrence) and ("to", …)."""
        self._places: dict[int, Places] = {}

    def places_of(self, job: Job, pairing: Pairing) -> Places:
        made = self._places.get(job.site)
        if made is None:
            made = self._places[job.site] = places(job.found, pairing, self.columns, self.tables)
        return made

    def bindings(self, job: Job) -> list[tuple[int, int]]:
        """Spans of the bindings that the rewrite of *job* uses, where other matches may stand."""
        pairing = self.template.pairing(job.program)
        used = {item.name for item in pairing.rewrite.items if item.name}
        made = self.places_of(job, pairing)
        return [
            (place.start, place.end)
            for item, place in zip(pairing.pattern.items, made.of, strict=True)
            if place is not None and item.name in used and place.start < place.end
        ]

    def write(self, job: Job, draft: Drafting, owner: int, shift: Shift = (b"", b"")) -> None:
        """Write the edits of *job*, for the site *owner*; *shift* is what happens to the indentation
        of the lines around it."""
        if job.refused:
            for inner in job.inner:
                self.write(inner, draft, inner.site if owner == job.site else owner, shift)
            return
        self.occurrences[job.site] = []
        _Writing(self, job, draft, owner, shift).write()


@dataclass(slots=True)
class _Gap:
    """Between two items that stay: places of what goes, numbers of what comes (in the row of the
    rewrite), the bytes between, and which items bound it (-1 at the ends)."""

    low: int
    high: int
    gone: list[int]
    come: list[int]
    p_before: int
    p_behind: int
    r_before: int
    r_behind: int


class _Writing:
    def __init__(self, composer: Composer, job: Job, draft: Drafting, owner: int, shift: Shift) -> None:
        self.composer = composer
        self.columns = composer.columns
        self.source = composer.source
        self.layout = composer.layout
        self.job = job
        self.draft = draft
        self.owner = owner
        self.mend = job.mend
        self.pairing: Pairing = composer.template.pairing(job.program)
        self.places: Places = composer.places_of(job, self.pairing)
        self.pattern = self.pairing.pattern
        self.rewrite = self.pairing.rewrite
        found = job.found
        self.lead = found.lead if found.lead >= 0 else found.start
        self.row = [n for n, p in enumerate(self.places.of) if p is not None and p.start < p.end]
        self.ghosts: set[int] = set()
        self.row.sort(key=lambda n: (self._place(n).start, n))
        self.aligned = self._aligned()
        own = self.layout.indent(self.lead)
        self.shift = shift
        self.base = shift[1] + own[len(shift[0]) :] if own.startswith(shift[0]) else own
        self.own = own
        self.eol = self.layout.eol(found.start)
        texts = [*self.rewrite.before, *self.pattern.before]
        self.step = step_of(*texts)

    # --- what stays ---------------------------------------------------------------------------------

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
        gap = self.layout.gap_end(self.job.found.end)
        end = max((self._place(n).end for n in self.row), default=self.job.found.end)
        tail = self.source[end : self.job.found.end].strip() or self.source[gap : gap + 1]
        followed = tail[:1] in self.pairing.terminators
        empty_names = frozenset(name for name in empty if name)
        return self.pairing.aligned((absent, empty_names, followed))

    def _place(self, n: int) -> Place:
        place = self.places.of[n]
        assert place is not None
        return place

    def write(self) -> None:
        job, found = self.job, self.job.found
        draft = self.draft
        if any(b < a for a, b in pairwise(self.row)):
            # Found in another order than written (the equivalence ``order``).
            if [item.key for item in self.pattern.items] != [item.key for item in self.rewrite.items]:
                job.refused = "its parts stand in another order than in the pattern"
            return
        pairs = self._pairs()
        draft.mark(max(found.start, draft.last), ("start", job.site))
        opened = closed = Text()
        if self.mend.whole or self.mend.braces:
            opened, closed = Text(), Text()
            opened.put(b"(" if self.mend.whole else b"{ ")
            closed.put(b")" if self.mend.whole else b" }")
        if self.mend.terminator:
            closed = _text(self.mend.terminator + closed.bytes)
        first = self.lead
        if self.row:
            first = min(first, self._place(self.row[0]).start) if found.lead < 0 else self.lead
        if opened.length:
            draft.cut(first, first, opened, self.owner)
        stay = [(-1, -1), *pairs, (len(self.row), len(self.aligned.rewrite))]
        for (p0, r0), (p1, r1) in pairwise(stay):
            self._gap(p0, r0, p1, r1)
            if p1 < len(self.row):
                self._keep(p1, r1)
        self._dedent_dropped_braces(pairs)
        end = max(found.end, draft.last)
        if closed.length:
            at = self._end_of_code(draft.last) if self.mend.terminator or self.mend.whole else end
            draft.cut(at, at, closed, self.owner)
        draft.mark(max(end, draft.last), ("end", job.site))

    def _dedent_dropped_braces(self, pairs: list[tuple[int, int]]) -> None:
        """Where a block's braces go, its lines come to the level of the match."""
        kept = {self.row[p] for p, _ in pairs}
        for item, spans in self.places.layers:
            if item in kept or len(spans) != 2 or self.source[spans[0][0]] != 0x7B:
                continue
            low, high = spans[0][1], spans[1][0]
            inner = self.layout.gap_end(low)
            comments = [a for a, b in self.columns.comments if low <= a < inner]
            if b"\n" in self.source[low : min([inner, *comments])]:
                own = self.layout.indent(min([inner, *comments]))
                self.draft.shift(self.layout.shifted(low, high, (own, self.base)), self.owner)

    def _end_of_code(self, last: int) -> int:
        """Where the match ends for what the pattern shows: before an unmentioned terminator."""
        return max(last, self._place(self.row[-1]).end if self.row else last)

    def _pairs(self) -> list[tuple[int, int]]:
        """Pairs as numbers in ``row`` and in the row of the rewrite, without ghosts: tokens that both
        have and the file has not.  A ghost counts as there if what stands before it stays too."""
        at = {n: k for k, n in enumerate(self.row)}
        order = [n for n, place in enumerate(self.places.of) if n in at or place is None]
        before = {n: order[k - 1] if k else -1 for k, n in enumerate(order)}
        kept: dict[int, int] = {-1: -1}
        self.ghosts = set()
        opened: list[int] = []
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
                    self.ghosts |= {opened.pop(), r}
                else:
                    self.ghosts.add(r)
                continue
            if at[n] <= last:
                continue  # In another order than written: what comes later counts as new.
            last = at[n]
            kept[n] = r
        return [(at[n], r) for n, r in kept.items() if n in at]

    # --- one item that stays ---------------------------------------------------------------------

    def _keep(self, p: int, r: int) -> None:
        number = self.row[p]
        item = self.aligned.rewrite[r]
        place = self._place(number)
        if self.pattern.items[number].name is None:
            return
        draft = self.draft
        if self.pattern.items[number].key != self.rewrite.items[item].key:
            new = Text()
            self._put_item(new, item)
            draft.cut(place.start, place.end, new, self.owner)
            return
        parens = item in self.mend.parens
        if parens:
            draft.cut(place.start, place.start, _text(b"("), self.owner)
        inner = self._inside(place)
        occurrence = Occurrence(self.job.site, item, place, bool(inner), self._is_ellipsis(item))
        known = self.composer.occurrences[self.job.site]
        key = (self.job.site, len(known))
        known.append(occurrence)
        draft.mark(place.start, ("from", key))
        shift = self._shift(number, item, place)
        merged = shift[0] != shift[1]
        for job in inner:
            self.composer.write(
                job, draft, self.owner if merged or self.owner != self.job.site else job.site, shift
            )
        if merged:
            draft.shift(self.layout.shifted(place.start, place.end, shift), self.owner)
        draft.mark(max(place.end, draft.last), ("to", key))
        if parens:
            end = max(place.end, draft.last)
            draft.cut(end, end, _text(b")"), self.owner)

    def _is_ellipsis(self, item: int) -> bool:
        return self.rewrite.items[item].name in self.pairing.program.ellipses

    def _inside(self, place: Place) -> list[Job]:
        return [job for job in self.job.inner if place.start <= job.span[0] and job.span[1] <= place.end]

    def _shift(self, number: int, item: int, place: Place) -> Shift:
        """What happens to the indentation of lines that go with an item: nothing, if the pattern and
        the rewrite have it at the same level.  Where the rewrite begins a line with it, that line
        tells; else the lines move as far as the one that it stands on."""
        after = level(self.rewrite.indent[item], self.step)
        deeper = after - level(self.pattern.indent[number], self.step)
        if not deeper:
            return self.shift
        own = self.layout.indent(place.start)
        unit = self.layout.unit or self.step
        if b"\n" in self.rewrite.before[item] or not after:
            return own, self.base + unit * after
        if deeper > 0:
            return own, own + unit * deeper
        return own, own[: max(len(self.base), len(own) + len(unit) * deeper)]

    def _reindent(self, gap: _Gap) -> None:
        """Move the lines that begin in a gap between two items that stay, as the second moves."""
        number = self.row[gap.p_behind]
        shift = self._shift(number, self.aligned.rewrite[gap.r_behind], self._place(number))
        if shift != self.shift:
            for start, end, new in self.layout.shifted(gap.low, gap.high + 1, shift):
                self.draft.cut(start, end, _text(new), self.owner)

    # --- a gap ---------------------------------------------------------------------------------------

    def _gap(self, p0: int, r0: int, p1: int, r1: int) -> None:
        row = self.row
        gone = [row[k] for k in range(p0 + 1, p1)]
        come = [r for r in range(r0 + 1, r1) if r not in self.ghosts]
        spans = [(self._place(n).start, self._place(n).end) for n in gone]
        low = self._place(row[p0]).end if p0 >= 0 else -1
        high = self._place(row[p1]).start if p1 < len(row) else -1
        spans += self._dropped_layers(low, high)
        spans.sort()
        if low < 0:
            low = min([s for s, _ in spans[:1]] + ([high] if high >= 0 else []), default=self.job.found.start)
        if high < 0:
            high = max([e for _, e in spans[-1:]] + [low])
        low = max(low, self.draft.last)
        if spans and spans[0][0] < low:
            spans = [(max(s, low), e) for s, e in spans if e > low]
        gap = _Gap(low, high, gone, come, p0, p1, r0, r1)
        others = self._others(low, high, spans)
        if spans and not come and p0 >= 0 and self.pattern.items[row[p0]].text in OPENERS:
            # The separator behind the last element goes with it.
            left = [span for span in others if self._is_separator(span)]
            if len(left) == len(others):
                spans, others = sorted([*spans, *left]), []
        if others:
            self._crowded(gap, spans, others)
        elif spans:
            self._plain(gap, spans)
        else:
            self._insertion(gap)

    def _dropped_layers(self, low: int, high: int) -> list[tuple[int, int]]:
        """Tokens in the gap that the pattern did not show, around code whose owner goes."""
        kept = {self.row[p] for p, _ in self._kept_pairs()}
        result = []
        for item, spans in self.places.layers:
            if item in kept:
                continue
            result += [
                (s, e)
                for s, e in spans
                if (low < 0 or s >= low) and (high < 0 or e <= high) and s >= self.lead
            ]
        return result

    def _kept_pairs(self) -> list[tuple[int, int]]:
        if not hasattr(self, "_kept"):
            self._kept = self._pairs()
        return self._kept

    def _others(self, low: int, high: int, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Tokens and comments in [low, high) that do not go."""
        if self.layout.gap_end(low) >= high:
            return []
        found = [(self.columns.start[i], self.columns.end[i]) for i in leaves(self.columns, low, high)]
        found += [
            (a, a + len(self.source[a:b].rstrip()))
            for a, b in self.columns.comments
            if low <= a and b <= high + 1
        ]
        found = [(a, b) for a, b in found if not any(s <= a and b <= e for s, e in spans)]
        return sorted(found)

    def _plain(self, gap: _Gap, spans: list[tuple[int, int]]) -> None:
        """Nothing else stands in the gap: one edit."""
        start, end = spans[0][0], spans[-1][1]
        new = Text()
        first_gap, last_gap = gap.p_before < 0, gap.p_behind >= len(self.row)
        if not gap.come:
            wanted = b"" if first_gap or last_gap else self._r_layout(gap.r_before, gap.r_behind)
            if first_gap and last_gap:
                self.draft.cut(start, end, None, self.owner)
            elif first_gap:
                self.draft.cut(start, gap.high, None, self.owner)
            elif last_gap:
                self.draft.cut(gap.low, end, None, self.owner)
            elif self._same(self._p_layout(gap.p_before, gap.p_before + 1), wanted):
                self.draft.cut(start, gap.high, self._guard(gap.low, start, gap.high), self.owner)
            elif self._same(self._p_layout(gap.p_behind - 1, gap.p_behind), wanted):
                self.draft.cut(gap.low, end, self._guard(end, gap.high, gap.low), self.owner)
            else:
                new.put(self._rendered(wanted))
                self.draft.cut(gap.low, gap.high, new, self.owner)
            return
        changed = False
        if not first_gap:
            wanted = self._r_layout(gap.r_before, gap.come[0])
            if not self._same(self._p_layout(gap.p_before, gap.p_before + 1), wanted):
                start = gap.low
                new.put(self._rendered(wanted))
                changed = True
        new.add(self._inserted(gap.come))
        if not last_gap:
            wanted = self._r_layout(gap.come[-1], gap.r_behind)
            had = self._p_layout(gap.p_behind - 1, gap.p_behind)
            breaks = changed and b"\n" in self.source[end : gap.high] and b"\n" not in wanted
            if breaks or not self._same(had, wanted):
                end = gap.high
                new.put(self._rendered(wanted))
        self._cut(start, end, new)

    def _insertion(self, gap: _Gap) -> None:
        """Nothing goes and nothing else stands in the gap."""
        first_gap, last_gap = gap.p_before < 0, gap.p_behind >= len(self.row)
        if not gap.come:
            if first_gap or last_gap:
                return
            wanted = self._r_layout(gap.r_before, gap.r_behind)
            there = self.source[gap.low : gap.high]
            had = self._p_layout(gap.p_before, gap.p_behind)
            if had is None or self._same(had, wanted):
                self._reindent(gap)  # The file's own way, or no difference.
                return
            if self._same(there, wanted) and b"\n" not in there:
                return
            self._cut(gap.low, gap.high, _text(self._rendered(wanted)))
            return
        new = self._inserted(gap.come)
        if first_gap:
            if not last_gap:
                new.put(self._rendered(self._r_layout(gap.come[-1], gap.r_behind)))
            self._cut(gap.high, gap.high, new)
            return
        left = self._r_layout(gap.r_before, gap.come[0])
        if last_gap:
            text = _text(self._rendered(left))
            text.add(new)
            self._cut(gap.low, gap.low, text)
            return
        right = self._r_layout(gap.come[-1], gap.r_behind)
        had = self._p_layout(gap.p_before, gap.p_behind)
        if self._goes_right(gap, had, left, right):
            start = gap.high
            text = Text()
            if not self._same(had, left):
                start = gap.low
                text.put(self._rendered(left))
            text.add(new)
            text.put(self._rendered(right))
            self._cut(start, gap.high, text)
            return
        text = _text(self._rendered(left))
        text.add(new)
        end = gap.low
        if not self._same(had, right):
            end = gap.high
            text.put(self._rendered(right))
        self._cut(gap.low, end, text)

    def _goes_right(self, gap: _Gap, had: bytes | None, left: bytes, right: bytes) -> bool:
        """Whether new text goes to the right end of its gap, so that the layout there stands before it."""
        as_left = self._same(had, left)
        as_right = self._same(had, right)
        if as_left != as_right:
            return as_left
        before = self.pattern.items[self.row[gap.p_before]].text
        behind = self.pattern.items[self.row[gap.p_behind]].text
        if behind in CLOSERS:
            return False
        if before in OPENERS:
            return True
        if bool(left) != bool(right):
            return bool(left)
        # ``if $C`` and ``if not $C``: what is new goes with the metavariable.
        names = [self.pattern.items[self.row[p]].name for p in (gap.p_before, gap.p_behind)]
        return names[0] is None and names[1] is not None

    def _crowded(self, gap: _Gap, spans: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
        """Other things stand in the gap, and stay."""
        runs: list[tuple[int, int]] = []
        for start, end in spans:
            if runs and not any(runs[-1][1] <= a < start for a, _ in others):
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((start, end))
        first_gap, last_gap = gap.p_before < 0, gap.p_behind >= len(self.row)
        if not runs:
            if not gap.come:
                if not (first_gap or last_gap):
                    self._reindent(gap)
                return
            new = self._inserted(gap.come)
            if last_gap or not (first_gap or self._belongs_before(gap, others) != self.mend.other_end):
                left = _text(
                    self._rendered(self._r_layout(gap.r_before, gap.come[0])) if not first_gap else b""
                )
                left.add(new)
                self._cut(gap.low, gap.low, left)
            else:
                right = self._r_layout(gap.come[-1], gap.r_behind)
                text = Text()
                if not first_gap and self.layout.gap_start(gap.high) == gap.high:
                    text.put(self._rendered(self._r_layout(gap.r_before, gap.come[0])))
                text.add(new)
                text.put(self._rendered(right))
                self._cut(gap.high, gap.high, text)
            return
        seat = (len(runs) - 1 if self.mend.other_end else 0) if gap.come else -1
        for k, (start, end) in enumerate(runs):
            if k == seat:
                text = Text()
                if start == gap.low and not first_gap:
                    text.put(self._rendered(self._r_layout(gap.r_before, gap.come[0])))
                text.add(self._inserted(gap.come))
                if end == gap.high and not last_gap:
                    text.put(self._rendered(self._r_layout(gap.come[-1], gap.r_behind)))
                self._cut(start, end, text)
                continue
            low, high = self._hole(start, end, gap)
            self.draft.cut(low, high, self._guard(low, low, high), self.owner)

    def _is_separator(self, span: tuple[int, int]) -> bool:
        text = self.source[span[0] : span[1]].decode("utf-8", "replace")
        return text in self.composer.tables.grammar.language.separators

    def _belongs_before(self, gap: _Gap, others: list[tuple[int, int]]) -> bool:
        """Whether what stands in the gap goes with what is before it: on its line, or code."""
        comments = {a for a, _ in self.columns.comments}
        left = self._r_layout(gap.r_before, gap.come[0])
        right = self._r_layout(gap.come[-1], gap.r_behind)
        if self._is_separator(others[0]) or (right and not left):
            return False
        if left and not right:
            return True
        if any(a not in comments for a, _ in others):
            return True
        before = self.pattern.items[self.row[gap.p_before]].text
        behind = self.pattern.items[self.row[gap.p_behind]].text if gap.p_behind < len(self.row) else b""
        return before in OPENERS and behind not in CLOSERS

    def _hole(self, start: int, end: int, gap: _Gap) -> tuple[int, int]:
        """[start, end) with the white space that goes with it."""
        low = max(self.layout.gap_start(start), gap.low, self.draft.last)
        high = min(self.layout.gap_end(end), max(gap.high, end))
        left, right = self.source[low:start], self.source[end:high]
        if gap.p_behind >= len(self.row) and end >= gap.high:
            # The last thing of the match goes: nothing is to be parted from what is behind it.
            return (start, end) if self._ends_comment(low) and b"\n" not in right else (low, end)
        if gap.p_before < 0 and start == gap.low:
            return start, high
        if b"\n" in left and b"\n" in right:
            return low, end
        if b"\n" in right or not left:
            return start, end if b"\n" in right or start == gap.low else high
        if not right:
            return start, end
        return start, high

    def _ends_comment(self, byte: int) -> bool:
        return any(b == byte for _, b in self.columns.comments)

    # --- text ----------------------------------------------------------------------------------------

    def _inserted(self, come: list[int]) -> Text:
        """The items *come* of the rewrite, with their layout between them."""
        made = Text()
        for k, r in enumerate(come):
            if k:
                made.put(self._rendered(self._r_layout(come[k - 1], r)))
            self._put_item(made, self.aligned.rewrite[r])
        return made

    def _put_item(self, made: Text, number: int) -> None:
        item = self.rewrite.items[number]
        if item.name is not None:
            parens = number in self.mend.parens
            if parens:
                made.put(b"(")
            self._put_binding(made, number, item.name)
            if parens:
                made.put(b")")
        elif item.pieces is not None:
            for piece in item.pieces:
                made.put(piece if isinstance(piece, bytes) else self.binding_text(piece.name))
        else:
            made.put(item.text.replace(b"\n", self.eol))

    def binding_text(self, name: str) -> bytes:
        place = self._first_place(name)
        return self.source[place.start : place.end] if place is not None else b""

    def _first_place(self, name: str) -> Place | None:
        for n, item in enumerate(self.pattern.items):
            if item.name == name and self.places.of[n] is not None:
                return self.places.of[n]
        number = self.pairing.program.names.index(name)
        bound = self.job.found.bindings[number]
        return Place(*bound) if bound is not None else None

    def _put_binding(self, made: Text, number: int, name: str) -> None:
        place = self._first_place(name)
        if place is None or place.first == -2:
            return
        if place.first == -1:
            made.put(self.source[place.start : place.end])
            return
        inner = self._inside(place)
        known = self.composer.occurrences[self.job.site]
        key = (self.job.site, len(known))
        known.append(Occurrence(self.job.site, number, place, bool(inner), self._is_ellipsis(number)))
        own = self.layout.indent(place.start)
        target = self.base + (self.layout.unit or self.step) * level(self.rewrite.indent[number], self.step)
        if b"\n" not in self.source[place.start : place.end]:
            target = own
        sub = Drafting(self.source, place.start, place.end)
        for job in inner:
            self.composer.write(job, sub, self.owner, (own, target))
        text = sub.as_text(self.layout.shifted(place.start, place.end, (own, target)))
        text.matches += len(inner)
        made.mark(("from", key))
        made.add(text)
        made.mark(("to", key))

    def _cut(self, start: int, end: int, new: Text) -> None:
        """Replace [start, end) by *new*, with a space where tokens would run together."""
        text = new.bytes
        guarded = Text()
        if text and would_glue(self._before(start), text, operators=self.mend.spaced):
            guarded.put(b" ")
        guarded.add(new)
        if text and would_glue(text, self.source[end : end + 1], operators=self.mend.spaced):
            guarded.put(b" ")
        self.draft.cut(start, end, guarded, self.owner)

    def _before(self, byte: int) -> bytes:
        return self.source[max(byte - 3, 0) : byte]

    def _guard(self, low: int, start: int, end: int) -> Text | None:
        """A space if what is before *start* and behind *end* would run together."""
        if would_glue(self._before(start), self.source[end : end + 1], operators=self.mend.spaced):
            return _text(b" ")
        return None

    def _p_layout(self, before: int, behind: int) -> bytes | None:
        """The pattern's layout between two items of the row that are neighbours there; None if the file's
        layout between them is another matter."""
        if before < 0 or behind >= len(self.row):
            return b""
        a, b = self.row[before], self.row[behind]
        if b <= a or any(self._left_out(n) for n in range(a + 1, b)):
            return None
        return _layout_between(
            self.pattern.before, [self.pattern.items[n].soft for n in range(a + 1, b)], a, b
        )

    def _left_out(self, n: int) -> bool:
        """Whether item n of the pattern is code that the file does without, such as a brace."""
        item = self.pattern.items[n]
        return self.places.of[n] is None and item.name is None and not item.soft

    def _r_layout(self, before: int, behind: int) -> bytes:
        """The rewrite's layout between two items of its row."""
        if before < 0 or behind >= len(self.aligned.rewrite):
            return b""
        a, b = self.aligned.rewrite[before], self.aligned.rewrite[behind]
        return _layout_between(
            self.rewrite.before, [self.rewrite.items[n].soft for n in range(a + 1, b)], a, b
        )

    def _same(self, had: bytes | None, wanted: bytes) -> bool:
        """Whether two layouts part tokens in the same way: not at all, by a space, or by a line that
        is indented alike."""
        if had is None or (b"\n" in had) != (b"\n" in wanted):
            return False
        if b"\n" not in had:
            return bool(had) == bool(wanted)
        return level(_tail(had), self.step) == level(_tail(wanted), self.step)

    def _rendered(self, layout: bytes) -> bytes:
        """A layout of the rewrite in the file's line endings, indentation and unit."""
        if b"\n" not in layout:
            return layout
        depth = level(_tail(layout), self.step)
        return self.eol * layout.count(b"\n") + self.base + (self.layout.unit or self.step) * depth


def _layout_between(before: tuple[bytes, ...], softs: list[bool], a: int, b: int) -> bytes:
    """The layout between items a and b where those between them are not there: before the first of
    them if a separator went, else before b."""
    if b == a + 1 or not any(softs):
        return before[b]
    return before[a + 1]


def _tail(layout: bytes) -> bytes:
    return layout[layout.rindex(b"\n") + 1 :]


def _text(text: bytes) -> Text:
    made = Text()
    made.put(text)
    return made
