"""What happens between two items that stay.

What the pattern had in the gap goes, what the rewrite has there comes, and whatever else
stands there (comments, adornments, trailing separators) is left.  White space stays as it
is in the file, unless the pattern and the rewrite differ in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from structural.pattern.tables import Tables
from structural.pattern.tree import CLOSERS, OPENERS
from structural.rewrite.draft import Drafting, Text, text_of
from structural.rewrite.layers import Layers
from structural.rewrite.layout import would_glue
from structural.rewrite.places import comments_in, is_statement, leaves
from structural.rewrite.setting import Setting
from structural.syntax.columns import Columns


@dataclass(slots=True)
class Gap:
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


class Gaps:
    """Writes the gaps of one match.  *inserted* makes the text of items of the rewrite's row."""

    def __init__(
        self,
        at: Setting,
        columns: Columns,
        draft: Drafting,
        owner: int,
        inserted: Callable[[list[int]], Text],
        tables: Tables,
    ) -> None:
        self.at = at
        self.tables = tables
        self.columns = columns
        self.draft = draft
        self.owner = owner
        self.inserted = inserted
        self.layers = Layers(at) if at.places.layers else None

    def write(self, p0: int, r0: int, p1: int, r1: int) -> None:
        row = self.at.row
        gone = [row[k] for k in range(p0 + 1, p1)]
        come = [r for r in range(r0 + 1, r1) if r not in self.at.ghosts]
        spans = [self._goes(n) for n in gone]
        low = self.at.place(row[p0]).end if p0 >= 0 else -1
        high = self.at.place(row[p1]).start if p1 < len(row) else -1
        if self.layers is not None:
            spans += self.layers.between(low, high)
            low = self.end(p0) if p0 >= 0 else -1
            high = self.start(p1) if p1 < len(row) else -1
        spans.sort()
        if come and low >= 0 and self.at.aligned.rewrite[r0] + 1 in self.at.pairing.owned_behind:
            low = self._behind_terminator(low)
        if low < 0:
            low = min(
                [s for s, _ in spans[:1]] + ([high] if high >= 0 else []), default=self.at.job.found.start
            )
        if high < 0:
            high = max([e for _, e in spans[-1:]] + [low])
        low = max(low, self.draft.last)
        if spans and spans[0][0] < low:
            spans = [(max(s, low), e) for s, e in spans if e > low]
        gap = Gap(low, high, gone, come, p0, p1, r0, r1)
        others = self._others(low, high, spans)
        if spans and not come and p0 >= 0 and self.at.pattern.items[row[p0]].text in OPENERS:
            # The separator behind the last element goes with it.
            left = [span for span in others if self.at.is_separator(span)]
            if len(left) == len(others):
                spans, others = sorted([*spans, *left]), []
        for span in [span for span in others if self.at.is_separator(span) or self._ends_what_goes(span)]:
            behind = self.at.layout.gap_end(span[1])
            if any(start == behind and self.at.source[start:end] in CLOSERS for start, end in spans):
                # A trailing separator goes with the bracket behind it, and so does what ended a
                # statement of which only a part stays, as an expression.
                others.remove(span)
                spans = sorted([*spans, span])
        if others:
            self._crowded(gap, spans, others)
        elif spans:
            self._plain(gap, spans)
        else:
            self._insertion(gap)

    def _behind_terminator(self, byte: int) -> int:
        """Where the terminator ends that begins at *byte*, if one does: it goes with what is before it, and
        what comes behind that is written behind both."""
        i = bisect_left(self.columns.start, byte)
        while i < len(self.columns) and self.columns.start[i] == byte and self.columns.size[i] > 1:
            i += 1
        if i == len(self.columns) or self.columns.start[i] != byte:
            return byte
        end = self.columns.end[i]
        return end if self.at.source[byte:end] in self.at.pairing.terminators else byte

    def start(self, p: int) -> int:
        """Where number *p* of the row begins, with parentheses that stay around what begins with it."""
        return self.layers.start(p) if self.layers is not None else self.at.place(self.at.row[p]).start

    def end(self, p: int) -> int:
        """Where number *p* of the row ends, with parentheses that stay around what ends with it."""
        return self.layers.end(p) if self.layers is not None else self.at.place(self.at.row[p]).end

    def _ends_what_goes(self, span: tuple[int, int]) -> bool:
        """Whether the token at *span* ends a statement whose first word goes, in a match that is no
        statement itself."""
        at, columns = self.at, self.columns
        if at.source[span[0] : span[1]] not in at.pairing.terminators:
            return False
        i = bisect_left(columns.start, span[0])
        if i >= len(columns) or columns.parent[i] < 0:
            return False
        head = columns.start[columns.parent[i]]
        kept = {at.row[p] for p, _ in at.pairs}
        if not any(at.place(n).start == head for n in at.row if n not in kept):
            return False
        return not is_statement(columns, at.job.found, self.tables)

    def _goes(self, n: int) -> tuple[int, int]:
        if self.at.moves(n):
            return self.at.extent(n)
        place = self.at.place(n)
        return place.start, place.end

    def _others(self, low: int, high: int, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Tokens and comments in [low, high) that do not go."""
        at = low
        for start, end in (*spans, (high, high)):
            if at < start and not self.at.source[at:start].isspace():
                break
            at = max(at, end)
        else:
            return []
        found = [(self.columns.start[i], self.columns.end[i]) for i in leaves(self.columns, low, high)]
        found += comments_in(self.columns, low, high)
        found = [(a, b) for a, b in found if not any(s <= a and b <= e for s, e in spans)]
        return sorted(found)

    def _plain(self, gap: Gap, spans: list[tuple[int, int]]) -> None:
        """Nothing else stands in the gap: one edit."""
        start, end = spans[0][0], spans[-1][1]
        new = Text()
        first_gap, last_gap = gap.p_before < 0, gap.p_behind >= len(self.at.row)
        if not gap.come:
            wanted = b"" if first_gap or last_gap else self.at.rewrite_layout(gap.r_before, gap.r_behind)
            if first_gap or last_gap:
                low = start if first_gap else gap.low
                high = end if last_gap else gap.high
                self.draft.cut(low, high, self._guard(low, high), self.owner)
            elif self._joins(wanted, gap.low, gap.high):
                self.cut(gap.low, gap.high, text_of(wanted))
            elif not gap.gone and {*self.at.source[start:end]} <= {*b"( \t\r\n"}:
                self.draft.cut(start, gap.high, self._guard(start, gap.high), self.owner)
            elif not gap.gone and {*self.at.source[start:end]} <= {*b") \t\r\n"}:
                low, high = gap.low, end
                self.draft.cut(low, high, self._guard(low, high), self.owner)
            elif self._bracket_takes_line_before(gap, start, end):
                if b"\n" not in self.at.source[end : gap.high] and self.at.is_separator(spans[0]):
                    self.draft.cut(*spans[0], None, self.owner)  # The line ends behind it.
                    self.draft.cut(*spans[-1], None, self.owner)
                    return
                self.draft.cut(gap.low, end, self._guard(gap.low, end), self.owner)
            elif self.at.same(self.at.pattern_layout(gap.p_before, gap.p_before + 1), wanted):
                if all(b"\n" in self.at.source[a:b] for a, b in ((gap.low, start), (end, gap.high))):
                    # What is behind comes to the line of what goes.
                    levels = self.at.layout.indent(gap.high), self.at.layout.indent(start)
                    self.at.moved[self.at.row[gap.p_behind]] = levels
                self.draft.cut(start, gap.high, self._guard(start, gap.high), self.owner)
            elif self.at.same(self.at.pattern_layout(gap.p_behind - 1, gap.p_behind), wanted):
                self.draft.cut(gap.low, end, self._guard(gap.low, end), self.owner)
            else:
                new.put(self.at.rendered(wanted))
                self.draft.cut(gap.low, gap.high, new, self.owner)
            return
        changed = False
        if not first_gap:
            wanted = self.at.rewrite_layout(gap.r_before, gap.come[0])
            had = self.at.pattern_layout(gap.p_before, gap.p_before + 1)
            trailing = bool(wanted) and start == gap.low and self._is_trailing(spans[0])
            if trailing or not self._fits(had, wanted, gap.low, start):
                start = gap.low
                new.put(self.at.rendered(wanted))
                changed = True
        if not changed and not last_gap and self._one_by_one(gap, spans):
            return
        new.add(self.inserted(gap.come))
        if not last_gap:
            wanted = self.at.rewrite_layout(gap.come[-1], gap.r_behind)
            had = self.at.pattern_layout(gap.p_behind - 1, gap.p_behind)
            opened = bool(gap.gone) and self.at.pattern.items[gap.gone[-1]].text in OPENERS
            come = self.at.rewrite.items[self.at.aligned.rewrite[gap.come[-1]]].text
            changed = changed or (opened and come not in OPENERS)
            # A token that is set off anew on one side is so on the other too: ``a * b`` for ``f(a,b)``.
            there = self.at.source[end : gap.high]
            anew = changed and b"\n" not in wanted and (b"\n" in there or bool(there) != bool(wanted))
            if anew or not self._fits(had, wanted, end, gap.high):
                end = gap.high
                new.put(self.at.rendered(wanted))
        self.cut(start, end, new)

    def _is_trailing(self, span: tuple[int, int]) -> bool:
        """Whether the token at *span* belongs to what is before it."""
        return self.at.is_separator(span) or (self.layers is not None and span in self.layers.dropped)

    def _one_by_one(self, gap: Gap, spans: list[tuple[int, int]]) -> bool:
        """Replace tokens by as many others each in its place, if lines of the file end between them that the
        rewrite does not write otherwise; False if it is not so."""
        if len(spans) < 2 or not len(spans) == len(gap.gone) == len(gap.come):
            return False
        between = [self.at.source[a:b] for (_, a), (b, _) in pairwise(spans)]
        if not any(b"\n" in text for text in between):
            return False
        row = range(gap.p_before + 1, gap.p_behind + 1)
        had = [self.at.pattern_layout(p - 1, p) for p in row]
        wanted = [self.at.rewrite_layout(r, s) for r, s in pairwise((*gap.come, gap.r_behind))]
        if not all(map(self.at.same, had[1:], wanted)):
            return False
        for (start, end), r in zip(spans, gap.come, strict=True):
            self.cut(start, end, self.inserted([r]))
        return True

    def _bracket_takes_line_before(self, gap: Gap, start: int, end: int) -> bool:
        """Whether of the layouts beside a bracket that goes, inside of another one that stays, the one
        behind it stays: the outer one, if it ends a line, else the one that does."""
        items, row = self.at.pattern.items, self.at.row
        if not gap.gone:
            return False
        before, behind = items[row[gap.p_before]].text, items[row[gap.p_behind]].text
        left, right = (b"\n" in self.at.source[a:b] for a, b in ((gap.low, start), (end, gap.high)))
        if items[gap.gone[-1]].text in OPENERS and before in OPENERS:
            return right and not left
        return (
            len(gap.gone) == 1
            and items[gap.gone[0]].text in CLOSERS
            and behind in CLOSERS
            and (right or not left)
        )

    def _insertion(self, gap: Gap) -> None:
        """Nothing goes and nothing else stands in the gap."""
        first_gap, last_gap = gap.p_before < 0, gap.p_behind >= len(self.at.row)
        if not gap.come:
            if first_gap or last_gap:
                return
            wanted = self.at.rewrite_layout(gap.r_before, gap.r_behind)
            there = self.at.source[gap.low : gap.high]
            had = self.at.pattern_layout(gap.p_before, gap.p_behind)
            if self._joins(wanted, gap.low, gap.high):
                self.cut(gap.low, gap.high, text_of(wanted))
                return
            if had is None or self.at.same(had, wanted):
                self._reindent(gap)  # The file's own way, or no difference.
                return
            if self.at.same(there, wanted) and b"\n" not in there:
                return
            self.cut(gap.low, gap.high, text_of(self.at.rendered(wanted)))
            return
        new = self.inserted(gap.come)
        if first_gap:
            if not last_gap:
                new.put(self.at.rendered(self.at.rewrite_layout(gap.come[-1], gap.r_behind)))
            self.cut(gap.high, gap.high, new)
            return
        left = self.at.rewrite_layout(gap.r_before, gap.come[0])
        if last_gap:
            text = text_of(self.at.rendered(left))
            text.add(new)
            self.cut(gap.low, gap.low, text)
            return
        right = self.at.rewrite_layout(gap.come[-1], gap.r_behind)
        had = self.at.pattern_layout(gap.p_before, gap.p_behind)
        if self._goes_right(gap, had, left, right):
            start = gap.high
            text = Text()
            if not self._fits(had, left, gap.low, gap.high):
                start = gap.low
                text.put(self.at.rendered(left))
            text.add(new)
            text.put(self.at.rendered(right))
            self.cut(start, gap.high, text)
            return
        text = text_of(self.at.rendered(left))
        text.add(new)
        end = gap.low
        if not self._fits(had, right, gap.low, gap.high):
            end = gap.high
            text.put(self.at.rendered(right))
        self.cut(gap.low, end, text)

    def _goes_right(self, gap: Gap, had: bytes | None, left: bytes, right: bytes) -> bool:
        """Whether new text goes to the right end of its gap, so that the layout there stands before it."""
        as_left = self.at.same(had, left)
        as_right = self.at.same(had, right)
        if as_left != as_right:
            return as_left
        before = self.at.pattern.items[self.at.row[gap.p_before]].text
        behind = self.at.pattern.items[self.at.row[gap.p_behind]].text
        come = [self.at.rewrite.items[self.at.aligned.rewrite[r]].text for r in gap.come]
        breaks = b"\n" in self.at.source[gap.low : gap.high]
        if behind in CLOSERS:
            return breaks and all(text in CLOSERS for text in come)
        if before in OPENERS:
            return not (breaks and come[-1] in OPENERS)
        if bool(left) != bool(right):
            return bool(left)
        # ``if $C`` and ``if not $C``: what is new goes with the metavariable.
        names = [self.at.pattern.items[self.at.row[p]].name for p in (gap.p_before, gap.p_behind)]
        return names[0] is None and names[1] is not None

    def _crowded(self, gap: Gap, spans: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
        """Other things stand in the gap, and stay."""
        runs: list[tuple[int, int]] = []
        for start, end in spans:
            if runs and not any(runs[-1][1] <= a < start for a, _ in others):
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((start, end))
        first_gap, last_gap = gap.p_before < 0, gap.p_behind >= len(self.at.row)
        if not runs:
            if not gap.come:
                if not (first_gap or last_gap):
                    self._reindent(gap)
                return
            new = self.inserted(gap.come)
            if last_gap or not (first_gap or self._belongs_before(gap, others) != self.at.mend.other_end):
                left = text_of(
                    self.at.rendered(self.at.rewrite_layout(gap.r_before, gap.come[0]))
                    if not first_gap
                    else b""
                )
                left.add(new)
                self.cut(gap.low, gap.low, left)
                if not (first_gap or last_gap):
                    self._reindent(gap)
            else:
                if not (first_gap or last_gap):
                    self._reindent(gap)
                right = self.at.rewrite_layout(gap.come[-1], gap.r_behind)
                text = Text()
                if not first_gap and self.at.layout.gap_start(gap.high) == gap.high:
                    text.put(self.at.rendered(self.at.rewrite_layout(gap.r_before, gap.come[0])))
                text.add(new)
                text.put(self.at.rendered(right))
                self.cut(gap.high, gap.high, text)
            return
        seat = (len(runs) - 1 if self.at.mend.other_end else 0) if gap.come else -1
        for k, (start, end) in enumerate(runs):
            if k == seat:
                text = Text()
                if not first_gap and self.at.layout.gap_start(start) <= gap.low:
                    wanted = self.at.rewrite_layout(gap.r_before, gap.come[0])
                    had = self.at.pattern_layout(gap.p_before, gap.p_before + 1)
                    if start == gap.low or not self._fits(had, wanted, gap.low, start):
                        start = gap.low
                        text.put(self.at.rendered(wanted))
                text.add(self.inserted(gap.come))
                if not last_gap and self.at.layout.gap_end(end) >= gap.high:
                    wanted = self.at.rewrite_layout(gap.come[-1], gap.r_behind)
                    had = self.at.pattern_layout(gap.p_behind - 1, gap.p_behind)
                    if end == gap.high or not self._fits(had, wanted, end, gap.high):
                        end = gap.high
                        text.put(self.at.rendered(wanted))
                self.cut(start, end, text)
                continue
            low, high = self._hole(start, end, gap)
            self.draft.cut(low, high, self._guard(low, high), self.owner)
        if not last_gap:
            self._reindent(replace(gap, low=max(runs[-1][1], self.draft.last)))

    def _fits(self, had: bytes | None, wanted: bytes, low: int, high: int) -> bool:
        """Whether the file's layout in [low, high) can stay beside new code: the pattern and the rewrite
        have the same there, and the file breaks the line where they do."""
        breaks = b"\n" in wanted and b"\n" not in self.at.source[low:high]
        return self.at.same(had, wanted) and not breaks and not self._joins(wanted, low, high)

    def _joins(self, wanted: bytes, low: int, high: int) -> bool:
        """Whether a line of the file that ends in [low, high) goes on, as the rewrite has it."""
        return self.at.mend.joined and b"\n" in self.at.source[low:high] and b"\n" not in wanted

    def _belongs_before(self, gap: Gap, others: list[tuple[int, int]]) -> bool:
        """Whether what stands in the gap goes with what is before it: on its line, or code."""
        comments = {a for a, _ in self.columns.comments}
        left = self.at.rewrite_layout(gap.r_before, gap.come[0])
        right = self.at.rewrite_layout(gap.come[-1], gap.r_behind)
        if self.at.is_separator(others[0]) or (right and not left):
            return False
        if left and not right:
            return True
        if any(a not in comments for a, _ in others):
            return True
        before = self.at.pattern.items[self.at.row[gap.p_before]].text
        behind = (
            self.at.pattern.items[self.at.row[gap.p_behind]].text if gap.p_behind < len(self.at.row) else b""
        )
        return before in OPENERS and behind not in CLOSERS

    def _hole(self, start: int, end: int, gap: Gap) -> tuple[int, int]:
        """[start, end) with the white space that goes with it."""
        low = max(self.at.layout.gap_start(start), gap.low, self.draft.last)
        high = min(self.at.layout.gap_end(end), max(gap.high, end))
        left, right = self.at.source[low:start], self.at.source[end:high]
        if gap.p_behind >= len(self.at.row) and end >= gap.high:
            # The last thing of the match goes: nothing is to be parted from what is behind it.
            ends_line = self.at.source[end : end + 1] in (b"", b"\r", b"\n")
            return (low, end) if ends_line or not self._ends_comment(low) else (start, end)
        if gap.p_before < 0 and start == gap.low:
            return start, high
        if b"\n" in left and b"\n" in right:
            return low, end
        if b"\n" in right or not left:
            return start, end if b"\n" in right or start == gap.low else high
        if not right:
            closes = self.at.source[start:end] in CLOSERS and b"\n" in left and not self._ends_comment(low)
            return low if closes and self.at.source[
                end : end + 1
            ] in self.at.pairing.separators else start, end
        return start, high

    def _ends_comment(self, byte: int) -> bool:
        return any(b == byte for _, b in self.columns.comments)

    def _reindent(self, gap: Gap) -> None:
        """Move the lines that begin in a gap between two items that stay, as the second moves."""
        number = self.at.row[gap.p_behind]
        shift = self.at.shift_of(number, self.at.aligned.rewrite[gap.r_behind], self.at.place(number))
        if shift != self.at.shift:
            for start, end, new in self.at.layout.shifted(gap.low, gap.high + 1, shift):
                self.draft.cut(start, end, text_of(new), self.owner)

    def cut(self, start: int, end: int, new: Text) -> None:
        """Replace [start, end) by *new*, with a space where tokens would run together."""
        text = new.bytes
        guarded = Text()
        if text and self._glues(self.draft.before(start), text, signs=True):
            guarded.put(b" ")
        guarded.add(new)
        if text and self._glues(text, self.at.source[end : end + 1]):
            guarded.put(b" ")
        self.draft.cut(start, end, guarded, self.owner)

    def _guard(self, start: int, end: int) -> Text | None:
        """A space if what is before *start* and behind *end* would run together."""
        if self._glues(self.draft.before(start), self.at.source[end : end + 1]):
            return text_of(b" ")
        return None

    def _glues(self, before: bytes, after: bytes, *, signs: bool = False) -> bool:
        return would_glue(
            before,
            after,
            operators=self.at.mend.spaced,
            signs=signs,
            comments=self.at.pairing.comment_starts,
        )
