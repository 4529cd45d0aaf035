"""Does the text after hold what it must?  Nothing is believed that was not parsed again.

1. Every binding is still one node (or one row of nodes) with the same tokens.
2. What is outside of the sites has the same tree as before.
3. There are no new ERROR or MISSING nodes.
4. Every comment is still there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from structural.pattern.bindings import innermost
from structural.pattern.tables import Tables
from structural.rewrite.compose import Composer
from structural.rewrite.holes import Hole, jobs_near, joined
from structural.rewrite.jobs import Job, Occurrence
from structural.rewrite.jumps import jumps
from structural.rewrite.lenient import lenient
from structural.rewrite.limits import limits
from structural.rewrite.places import is_statement, leaves, statement_end
from structural.rewrite.stretch import (
    blank_around,
    code_start,
    comment_texts,
    nodes_in,
    outermost,
    reaches,
    siblings,
)
from structural.rewrite.verdicts import Surfaces, Verdicts
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.syntax.grammar import ERROR_KIND


@dataclass(frozen=True, slots=True)
class Problem:
    """What does not hold, and at which jobs.  ``certain``: it is this one job, and not perhaps one
    beside it.  ``item``: the metavariable of the rewrite whose binding is not what it was."""

    jobs: tuple[int, ...]
    reason: str
    certain: bool = True
    item: int = -1
    detail: str = ""
    """Of a text that cannot be read: where."""


UNPARSED = "the result would not parse"
LOST_COMMENT = "a comment would be lost"
_WEAK = "it would bind weaker than what is beside it"
_MISREAD = "its first word would mean something else here"


class Checker:
    """Compares the columns before and after for the jobs of one draft."""

    def __init__(
        self,
        old: Columns,
        new: Columns,
        marks: dict[Hashable, int],
        composer: Composer,
        tables: Tables,
        whole: Columns | None = None,
        *,
        verdicts: Verdicts | None = None,
    ) -> None:
        """*whole*: the columns that the jobs were found in, if *old* are only a part of them.
        *verdicts*: what was found good before, if that counts."""
        self.old = old
        self.whole = whole or old
        self.new = new
        self.marks = marks
        self.composer = composer
        self.tables = tables
        self.lenient = lenient(old.language)
        self.limits = limits(old.language)
        self.jumps = jumps(old.language)
        self._leading: dict[int, bytes] = {}
        """By site: the terminator that was put before it, which belongs to the line before."""
        self._terminated: set[int] = set()
        """Sites that take the terminator behind them along."""
        self._verdicts = verdicts

    def problems(self, jobs: Sequence[Job], old_errors: int, new_errors: int) -> list[Problem]:
        """Everything that does not hold; *jobs* are the outermost ones."""
        found: list[Problem] = []
        self._leading = {job.site: job.mend.leading for job in jobs if job.mend.leading}
        holes = self.holes(jobs)
        if new_errors > old_errors:
            found += self._errors(holes)
        outside = self._outside(holes)
        if outside and not found:
            # Statements of another kind in the place of an expression with its terminator.
            self._terminated = {site for problem in outside for site in problem.jobs}
            outside = self._outside(joined([self._widened(job) for job in jobs]))
            self._terminated -= {site for problem in outside for site in problem.jobs}
        found += outside
        self._jobs(jobs, found)
        return found

    def _jobs(self, jobs: Sequence[Job], found: list[Problem]) -> None:
        verdicts = self._verdicts
        if verdicts is None or self._terminated or not verdicts.pays:
            for job in jobs:
                self._job(job, found)
            return
        lists = self.lenient.last.keys() | self.limits.lists
        surfaces = Surfaces(self.whole, self.new, self.tables, lists, self.jumps.waits)
        for job in jobs:
            low, high = self.marks[("start", job.site)], self.marks[("end", job.site)]
            occurrences = self.composer.occurrences.get(job.site, [])
            surface = surfaces.of(job, low, high, occurrences, self.marks)
            if surface is not None and verdicts.knows(surface):
                continue
            before = len(found)
            self._job(job, found)
            if surface is not None and len(found) == before:
                verdicts.add(surface)

    def holes(self, jobs: Sequence[Job]) -> list[Hole]:
        """Where *jobs*, the outermost ones, stand in both texts, in order and disjoint.  Of the text after
        only its bytes are looked at."""
        return joined([self._widened(job) for job in jobs])

    def _hole(self, job: Job) -> Hole:
        start, end = job.taken or job.span
        low, high = self.marks[("start", job.site)], self.marks[("end", job.site)]
        several = (
            job.site in self._terminated or self.composer.template.pairing(job.program).rewrite.roots > 1
        )
        if several and job.taken is None:
            # Statements in the place of one: the terminator behind it ends the last of them.
            behind = statement_end(self.whole, job.found, self.tables) - end
            if behind > 0 and self.new.source[high : high + behind] == self.old.source[end : end + behind]:
                end, high = end + behind, high + behind
        return start, end, low, high, job.site

    def _widened(self, job: Job) -> Hole:
        start, end, low, high, site = self._hole(job)
        if job.taken is not None:
            # Where all of it goes, so does a node around it that held nothing else.
            start, end = blank_around(self.old.source, start, end)
            low, high = blank_around(self.new.source, low, high)
        return start, end, low, high, site

    # --- outside --------------------------------------------------------------------------------------

    def _errors(self, holes: list[Hole]) -> list[Problem]:
        new, old = self.new, self.old
        before = Counter(old.text(i) for i, k in enumerate(old.kind) if k == ERROR_KIND or i in old.missing)
        found = []
        for i, k in enumerate(new.kind):
            if k != ERROR_KIND and i not in new.missing:
                continue
            text = new.text(i)
            if before[text] > 0 and k == ERROR_KIND:
                before[text] -= 1
                continue
            near = jobs_near(holes, new.start[i], new.end[i])
            if near:
                detail = _shown(new, i) if len(near) == 1 else ""
                found.append(Problem(near, UNPARSED, len(near) == 1, detail=detail))
        if not found and holes:
            found.append(Problem(tuple(h[4] for h in holes), UNPARSED, len(holes) == 1))
        return found

    def _outside(self, holes: list[Hole]) -> list[Problem]:
        """Segment by segment between the holes: the same kinds, at the same places."""
        old, new = self.old, self.new
        found: list[Problem] = []
        shifts = [hole[3] - hole[1] for hole in holes]
        i = j = 1  # The roots are the files.
        delta = 0
        for k in range(len(holes) + 1):
            if k < len(holes):
                a, i_next = nodes_in(old, holes[k][0], holes[k][1], i)
                b, j_next = nodes_in(new, holes[k][2], holes[k][3], j)
                if not new.source[holes[k][2] : holes[k][3]].strip():
                    b = j_next = min(j + a - i, len(new))  # Nothing is left: no node of it to look for.
            else:
                a = i_next = len(old)
                b = j_next = len(new)
            if (
                old.kind[i:a] != new.kind[j:b]
                or not self._same_starts(i, a, j, b, delta, holes[k] if k < len(holes) else None)
                or not self._same_ends(i, a, j, b, delta, holes)
            ):
                near = tuple(holes[n][4] for n in (k - 1, k) if 0 <= n < len(holes))
                found.append(Problem(near, "code around it would be read differently", len(near) == 1))
            i, j = i_next, j_next
            if k < len(holes):
                delta = shifts[k]
        return found

    def _same_starts(self, i: int, a: int, j: int, b: int, delta: int, hole: Hole | None) -> bool:
        """Whether nodes begin where they did.  One that began with the next job begins behind it
        where that went."""
        before, after = self.old.start[i:a], self.new.start[j:b]
        if [s + delta for s in before] == after:
            return True
        return all(
            x + delta == y
            or (
                hole is not None
                and not self.old.source[hole[0] : x].strip()
                and y >= hole[2]
                and not self._code(hole[2], y)
            )
            for x, y in zip(before, after, strict=True)
        )

    def _code(self, low: int, high: int) -> bool:
        """Whether anything but comments and white space stands in [low, high) of the text after."""
        return code_start(self.new, low, high) < high

    def _same_ends(self, i: int, a: int, j: int, b: int, delta: int, holes: list[Hole]) -> bool:
        """Whether nodes end where they did, but for comments and white space that a grammar counts to
        a node or not."""
        before, after = self.old.end[i:a], self.new.end[j:b]
        if [e + delta for e in before] == after:
            return True
        return all(self._is_end(x, y, holes) for x, y in zip(before, after, strict=True))

    def _is_end(self, x: int, y: int, holes: list[Hole]) -> bool:
        n = bisect_left(holes, (x,)) - 1  # the last job that begins before x
        expected = x
        if n >= 0:
            expected = holes[n][3] + max(0, x - holes[n][1])
        if y == expected or not self._code(min(y, expected), max(y, expected)):
            return True
        low, site = (holes[n + 1][2], holes[n + 1][4]) if n + 1 < len(holes) else (-1, -1)
        return (
            expected <= low
            and y == low + len(self._leading.get(site, b"")) > low
            and not self._code(expected, low)
        )

    # --- one job ------------------------------------------------------------------------------------------

    def _job(self, job: Job, found: list[Problem]) -> None:
        for inner in job.inner:
            if ("start", inner.site) in self.marks:
                self._job(inner, found)
        if job.refused:
            return
        start, end, low, high, site = self._hole(job)
        gone = job.taken is not None and not self.new.source[low:high].strip()
        if not gone and not self._is_whole(job, low, high):
            found.append(Problem((site,), "the result would not be one piece of code"))
        misread = self.lenient.misreads(self.new, low) or (
            job.mend.braces and self.lenient.misreads(self.new, code_start(self.new, low + 1, high))
        )
        if self._names_keywords(start, end, low, high):
            found.append(Problem((site,), "a keyword would be taken for a name"))
        if self.lenient.joins(self.new, low):
            found.append(Problem((site,), "it would join the statement before it"))
        if any(self.lenient.lacks_braces(self.new, i) for i in outermost(self.new, low, high)):
            found.append(Problem((site,), "a declaration needs braces here"))
        new_breaches = self.limits.breaches(self.new, low, high)
        if new_breaches:
            new_breaches -= self.limits.breaches(self.whole, start, end)
            found += [Problem((site,), reason) for reason in new_breaches]
        if self.lenient.out_of_order(self.new, low, high):
            found.append(Problem((site,), "the language asks for another order in a list"))
        lost, gained = self._comments(job, start, end, low, high)
        if lost:
            found.append(Problem((site,), LOST_COMMENT))
        if gained:
            found.append(Problem((site,), "code would become a comment"))
        for number, occurrence in enumerate(self.composer.occurrences.get(site, ())):
            first, last = self.marks[("from", (site, number))], self.marks[("to", (site, number))]
            reason = self._changed(occurrence, first, last, parens=occurrence.item in job.mend.parens)
            if reason and occurrence.item in job.mend.tolerant and self._same_shape(occurrence, first, last):
                reason = ""
            if not reason and misread and first == low:
                reason, misread = _MISREAD, False
            if not reason and self._becomes_misread(occurrence, first):
                reason = _MISREAD
            if not reason and self._is_weak(first, last) and not self._was_weak(occurrence):
                reason = _WEAK
            if not reason and self._strays(job, occurrence, first, last, (low, high)):
                found.append(Problem((site,), "it would return, go on or wait in another place"))
            if reason:
                found.append(Problem((site,), reason, item=-1 if occurrence.ellipsis else occurrence.item))
        if misread:
            found.append(Problem((site,), _MISREAD))
        elif self._is_weak(low, high) or self._breaks_off(low, high):
            found.append(Problem((site,), _WEAK))

    def _strays(self, job: Job, occurrence: Occurrence, first: int, last: int, site: tuple[int, int]) -> bool:
        """Whether what the binding jumps out of is another thing after."""
        if not self.jumps.owners or occurrence.place.first < 0:
            return False
        after = outermost(self.new, first, last)
        place, match = occurrence.place, job.taken or job.span
        return bool(after) and self.jumps.strays(self.whole, place, match, self.new, after[0], site)

    def _names_keywords(self, start: int, end: int, low: int, high: int) -> bool:
        """Whether a word that the grammar knows as a keyword is a name after, and was none before."""
        after = self.lenient.keyword_names(self.new, low, high)
        return bool(after and after - self.lenient.keyword_names(self.whole, start, end, every=True))

    def _becomes_misread(self, occurrence: Occurrence, first: int) -> bool:
        return self.lenient.misreads(self.new, first) and not self.lenient.misreads(
            self.whole, occurrence.place.start
        )

    def _is_weak(self, low: int, high: int) -> bool:
        """Whether the code in [low, high) may not stand as it is beside what is around it."""
        new, found = self.new, outermost(self.new, low, high)
        while len(found) == 1 and new.kind[found[0]] in self.tables.blocks and new.size[found[0]] > 1:
            found = new.children(found[0])  # All of a block, or of a file.
        return len(found) == 1 and self.lenient.lacks_parentheses(new, found[0])

    def _breaks_off(self, low: int, high: int) -> bool:
        """Whether a line ends between the head of the site, a comment, and its code."""
        code = code_start(self.new, low, high)
        if not self.lenient.breaks_lines or b"\n" not in self.new.source[low:code]:
            return False
        tops = outermost(self.new, code, high)
        return len(tops) == 1 and self.lenient.breaks_off(self.new, tops[0], low)

    def _was_weak(self, occurrence: Occurrence) -> bool:
        """Whether the binding stood so before as well: as its grammar reads it, the language may not."""
        place = occurrence.place
        whole = place.first >= 0 and place.first == place.last
        return whole and self.lenient.lacks_parentheses(self.whole, place.first)

    def _is_whole(self, job: Job, low: int, high: int) -> bool:
        """Whether the site is one node, or statements in a row."""
        new = self.new
        tops = self._tops(code_start(new, low, high), high)
        if not tops:
            return not new.source[low:high].strip()
        if not all(reaches(new, i, high) for i in tops):
            return False
        tops = [i for i in tops if new.kind[i] not in self.tables.terminators or new.size[i] > 1]
        rewrite = self.composer.template.pairing(job.program).rewrite
        if not tops:
            # A terminator alone is a statement that does nothing; elsewhere it is what is left of one.
            return all(new.source[low:high].strip() == item.text for item in rewrite.items)
        made = any(
            item.name in job.beyond.texts for item in rewrite.items
        )  # Nobody knows of how many pieces.
        if job.mend.braces and any(new.kind[i] in self.jumps.functions for i in tops):
            return False  # The braces that were to be those of a block are those of a function.
        if job.taken is None and not (rewrite.open or made) and self._pieces(tops, job) > rewrite.roots:
            return False
        if len(tops) <= 1:
            return rewrite.roots == 1 or is_statement(self.whole, job.found, self.tables)
        parent = new.parent[tops[0]]
        if any(new.parent[i] != parent for i in tops):
            return False
        if parent <= 0 or new.kind[parent] in self.tables.blocks:
            return True
        old_tops = self._old_tops(job)
        return len(old_tops) > 1 and self.whole.kind[self.whole.parent[old_tops[0]]] == new.kind[parent]

    def _pieces(self, tops: list[int], job: Job) -> int:
        """How many statements *tops* are, in braces if the mend put some."""
        new, is_named = self.new, self.tables.grammar.is_named
        opener = b"{" if job.mend.braces else b"(" if job.mend.whole else b""
        language = self.tables.grammar.language
        several = len(tops) > 1 or new.kind[tops[0]] in self.tables.blocks
        several = several and bool(language.terminators or language.jumps)
        if not (opener or several or self.lenient.breaks_lines):
            return 1
        while len(tops) == 1 and new.size[tops[0]] > 1:
            kids = new.children(tops[0])
            grouped = opener == b"(" and new.kind[tops[0]] in self.limits.parens
            if not grouped and new.kind[tops[0]] not in self.tables.blocks:
                break
            if not is_named(new.kind[kids[0]]) and (not opener or new.text(kids[0]) != opener):
                break
            if not is_named(new.kind[kids[0]]):
                opener = b""
            tops = [k for k in kids if is_named(new.kind[k])]
        return sum(new.text(i) not in self.composer.template.pairing(job.program).terminators for i in tops)

    def _old_tops(self, job: Job) -> list[int]:
        return outermost(self.whole, *job.span)

    def _tops(self, low: int, high: int) -> list[int]:
        return outermost(self.new, low, high)

    def _comments(self, job: Job, start: int, end: int, low: int, high: int) -> tuple[bool, bool]:
        """Whether a comment of the match is lost, and whether one comes that nobody wrote."""
        before = Counter(comment_texts(self.old, start, end))
        behind = Counter(comment_texts(self.new, low, high))
        if not before and not behind:
            return False, False
        written = {b" ".join(text.split()) for text in self.composer.comments_of(job)}
        gained = any(text not in before and text not in written for text in behind)
        return bool(before - behind), gained

    def _changed(self, occurrence: Occurrence, low: int, high: int, *, parens: bool) -> str:
        """Why the binding is not what it was, empty if it is."""
        place = occurrence.place
        if place.first < 0:
            return ""
        old, new = self.whole, self.new
        after = outermost(new, low, high)
        before = siblings(old, place.first, place.last)
        if old.parent[place.first] >= 0 and old.kind[old.parent[place.first]] in self.tables.token_trees:
            # Tokens that nobody had parsed: their texts are all that can be compared.
            unparsed = [old.text(i) for i in leaves(old, place.start, place.end)]
            if unparsed == [new.text(i) for i in leaves(new, low, high)]:
                return ""
        if not after or not self._begins(after[0], low) or solid_end(new, low, new.end[after[-1]]) != high:
            return "code that is kept would be torn apart"
        if not occurrence.ellipsis and place.first == place.last and len(after) != 1:
            # Its parentheses became its own, as those of a tuple; or it is a row without operators.
            before = old.children(innermost(old, place.first)) if old.size[place.first] > 1 else []
            row = old.kind[place.first] in self.lenient.spliced
            if not (parens or row) or len({new.parent[i] for i in after}) > 1:
                return "code that is kept would be torn apart"
        if occurrence.nested:
            return ""
        while len(after) == 1 and len(before) > 1 and new.size[after[0]] > 1:
            after = [i for i in new.children(after[0]) if new.end[i] > new.start[i]]
        if len(before) != len(after):
            return "code that is kept would be read differently"
        if len({new.parent[i] for i in after}) > 1:
            return "code that is kept would be torn apart"
        if any(self.lenient.lacks_braces(new, i) for i in after):
            return "a declaration needs braces here"
        if any(not self._same(a, b) for a, b in zip(before, after, strict=True)):
            return "code that is kept would be read differently"
        return ""

    def _begins(self, i: int, byte: int) -> bool:
        """Whether node *i* begins at *byte*, but for white space at its head."""
        start = self.new.start[i]
        return start <= byte and not self.new.source[start:byte].strip()

    def _same(self, a: int, b: int) -> bool:
        """Whether two subtrees are the same but for the kinds of tokens, which depend on their place."""
        old, new = self.whole, self.new
        a, b = innermost(old, a), innermost(new, b)
        while old.kind[a] != new.kind[b] and new.size[b] > 1 and new.size[b] == new.size[b + 1] + 1:
            b += 1  # A list of one.
        while old.kind[a] != new.kind[b] and old.size[a] > 1 and old.size[a] == old.size[a + 1] + 1:
            a += 1
        n = old.size[a]
        if n == 1 or new.size[b] == 1:
            return n == new.size[b]
        if new.size[b] != n or old.size[a : a + n] != new.size[b : b + n]:
            return False
        mine, theirs = old.kind[a : a + n], new.kind[b : b + n]
        if mine == theirs:
            return True
        size, twins = old.size, self.tables.twins
        return all(
            x == y or size[a + d] == 1 or y in twins.get(x, ())
            for d, (x, y) in enumerate(zip(mine, theirs, strict=True))
        )

    def _same_shape(self, occurrence: Occurrence, low: int, high: int) -> bool:
        """Whether the binding is still one piece, of another kind but with the same tokens: an array
        that becomes a pattern, a name that becomes a type; but no block in place of an object."""
        old, new = self.whole, self.new
        after = outermost(new, low, high)
        before = siblings(old, occurrence.place.first, occurrence.place.last)
        if len(before) != len(after) or not after or solid_end(new, low, new.end[after[-1]]) != high:
            return False
        for a, b in zip(before, after, strict=True):
            a, b = innermost(old, a), innermost(new, b)
            if old.size[a : a + old.size[a]] != new.size[b : b + new.size[b]]:
                return False
            if (old.kind[a] in self.tables.blocks) != (new.kind[b] in self.tables.blocks):
                return False
        return True


def _shown(columns: Columns, i: int) -> str:
    """What the parser says of node *i*, which is an error, and the line where."""
    source, at = columns.source, columns.start[i]
    low, high = source.rfind(b"\n", 0, at) + 1, source.find(b"\n", at)
    line = source[max(low, at - 30) : min(high if high >= 0 else len(source), at + 50)]
    text = columns.text(i).split(b"\n", 1)[0][:30]
    what = (
        f"{text.decode('utf-8', 'replace')!r} is not expected"
        if text
        else f"{lenient(columns.language).kind_name(columns.kind[i])!r} is missing"
    )
    return f"{what} in {line.decode('utf-8', 'replace').strip()!r}"
