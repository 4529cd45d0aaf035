"""Matches whose rewrite is empty go as a whole.

A match goes with what belongs to it and to nothing else: its terminator, the separator
of a list, its line if nothing else stands on it.  A block that may not be empty gets the
language's filler.  What the pattern did not show is never taken along: such a match is
refused.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from structural.rewrite.compose import Composer
from structural.rewrite.draft import Drafting, Text
from structural.rewrite.jobs import Job
from structural.rewrite.places import leaves
from structural.rewrite.template import Template
from structural.syntax import registry
from structural.syntax.columns import Columns


class Remover:
    """Writes the removal of *jobs*, all those of one part of a file."""

    def __init__(self, jobs: Sequence[Job], template: Template, composer: Composer) -> None:
        self.composer = composer
        self.columns: Columns = composer.columns
        self.tables = composer.tables
        self.layout = composer.layout
        self.template = template
        language = registry.get(template.language)
        self.filler = language.filler.encode()
        self.goes: dict[int, tuple[int, int]] = {job.site: self._whole(job) for job in jobs}
        self._gone = Counter(first for first, _ in self.goes.values())

    def write(self, job: Job, draft: Drafting) -> None:
        """Write the edit of *job*, or refuse it.  ``job.taken`` is then what goes with it."""
        unshown = self._unshown(job)
        if unshown:
            job.refused = f"it would take {unshown} along, which the pattern does not mention"
        if job.refused:
            stays = self.goes.pop(job.site, None)
            if stays is not None:
                self._gone[stays[0]] -= 1
            return
        start, end, new = self._extent(job)
        start = max(start, draft.last)
        job.taken = (start, end)
        draft.mark(start, ("start", job.site))
        draft.cut(start, end, new, job.site)
        draft.mark(end, ("end", job.site))

    def _whole(self, job: Job) -> tuple[int, int]:
        """First and last node of what goes: the match, or the statement that is nothing else."""
        columns, tables = self.columns, self.tables
        first, last = job.found.first, job.found.last
        while first == last:
            parent = columns.parent[first]
            if parent <= 0 or columns.kind[parent] in tables.blocks:
                break
            others = [i for i in columns.children(parent) if i != first]
            if any(columns.kind[i] not in tables.terminators for i in others):
                break
            first = last = parent
        return first, last

    def _extent(self, job: Job) -> tuple[int, int, Text]:
        """The bytes that go, and what stands there instead."""
        columns, tables = self.columns, self.tables
        first, last = self.goes[job.site]
        start, end = min(columns.start[first], job.span[0]), max(columns.end[last], job.span[1])
        parent = columns.parent[first]
        siblings = columns.children(parent) if parent >= 0 else []
        before = siblings[: bisect_left(siblings, first)]
        behind = siblings[bisect_right(siblings, last) :]
        if parent <= 0 or columns.kind[parent] in tables.blocks:
            if self.filler and parent > 0 and not self._others_stay(before, behind):
                if not any(self._gone[i] for i in before[-2:]):
                    return start, end, _text(self.filler)
            if behind and self._is_terminator(behind[0]):
                end = columns.end[behind[0]]
            low, end = self._with_line(start, end)
            if low != start and before and self._is_terminator(before[-1]):
                low = columns.start[before[-1]]  # It parted this statement from the one before.
            return low, end, Text()
        if columns.kind[parent] in tables.bodies and tables.bodies:
            return start, end, _text(b"{}")
        return *self._with_separator(start, end, before, behind), Text()

    def _others_stay(self, before: list[int], behind: list[int]) -> bool:
        """Whether a statement is left beside a match: between it and the next keyword or brace."""
        gone = self._gone
        for row in (reversed(before), behind):
            for i in row:
                if self._is_terminator(i) or gone[i]:
                    continue
                if self._is_element(i) and self.columns.kind[i] not in self.tables.clauses:
                    return True
                break
        return False

    def _with_separator(self, start: int, end: int, before: list[int], behind: list[int]) -> tuple[int, int]:
        """[start, end) of an element with the separator that parted it from the others."""
        columns, separators = self.columns, self.tables.separators
        gone = self._gone
        stays = any(columns.kind[i] not in separators and self._is_element(i) and not gone[i] for i in before)
        if before and columns.kind[before[-1]] in separators and stays:
            low = columns.start[before[-1]]
            if not self._comment_in(low, start):
                return low, end
        if behind and columns.kind[behind[0]] in separators:
            high = columns.end[behind[0]]
            return start, high if self._comment_in(
                high, self.layout.gap_end(high) + 1
            ) else self.layout.gap_end(high)
        return self.layout.gap_start(start) if before else start, end

    def _is_terminator(self, i: int) -> bool:
        return self.columns.size[i] == 1 and self.columns.kind[i] in self.tables.terminators

    def _is_element(self, i: int) -> bool:
        return self.tables.named[self.columns.kind[i]]

    def _comment_in(self, low: int, high: int) -> bool:
        return any(low <= a < high for a, _ in self.columns.comments)

    def _with_line(self, start: int, end: int) -> tuple[int, int]:
        """[start, end) with its line if nothing else stands on it, else with the space beside it."""
        source, layout = self.columns.source, self.layout
        head, tail = layout.line_start(start), end
        while tail < len(source) and source[tail] in b" \t\r":
            tail += 1
        ends_line = tail >= len(source) or source[tail] == 0x0A
        if source[head:start].strip(b" \t") in (b"", b"\xef\xbb\xbf"):
            if not ends_line:
                return start, tail
            if source.startswith(b"\xef\xbb\xbf", head):
                head += 3
            if tail < len(source):
                return head, tail + 1
            return layout.gap_start(head) if head else head, end
        return (layout.gap_start(start), end) if ends_line else (start, tail)

    def _unshown(self, job: Job) -> str:
        """Text in the match that the pattern does not show: no terminator, separator or bracket."""
        columns, tables = self.columns, self.tables
        places = self.composer.places_of(job, self.template.pairing(job.program))
        shown = [(p.start, p.end) for p in places.of if p is not None]
        for i in leaves(columns, *job.span):
            start, end = columns.start[i], columns.end[i]
            if any(a <= start and end <= b for a, b in shown):
                continue
            if columns.kind[i] in tables.terminators or columns.kind[i] in tables.separators:
                continue
            if columns.text(i) not in (b"(", b")", b"{", b"}"):
                return repr(columns.text(i).decode("utf-8", "replace"))
        return ""


def _text(text: bytes) -> Text:
    made = Text()
    made.put(text)
    return made
