"""One source text: match, compose, parse again, check, mend or refuse.

All jobs of a file are written at once and checked with one parse.  A job that does
not hold is mended in a fixed order of ways; where it is not certain which one is at
fault, each is tried alone.  A job that nothing mends is refused, with the first
reason.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from structural.errors import UnsearchableError
from structural.pattern.compile import Reading
from structural.pattern.search import Effort, Placement, matches, placements
from structural.rewrite.check import LOST_COMMENT, UNPARSED, Checker, Problem
from structural.rewrite.compose import Composer
from structural.rewrite.draft import Draft, Drafting
from structural.rewrite.jobs import Job, Mend
from structural.rewrite.mending import likeness, ways
from structural.rewrite.nesting import nest, open_refused
from structural.rewrite.remarks import rewrite_comments
from structural.rewrite.removal import Remover
from structural.rewrite.template import Template
from structural.rewrite.values import Refused, RewriteSite, Rewritten
from structural.syntax import registry
from structural.syntax.around import Surroundings
from structural.syntax.columns import Columns
from structural.syntax.embed import Region, regions
from structural.syntax.gaps import solid_end
from structural.syntax.parse import parse
from structural.text import Edit, Span
from structural.text.edits import apply

_MOST_ROUNDS = 24
"""Rounds of writing and checking one file, before what is left is refused."""


_MOST_FAILURES = 8
"""Jobs alike in kinds for which no way is found, before others that fail are refused without trying."""


_Inner = list[tuple[Region, Columns | None]]
"""Code of other languages in a file, with its columns; None where nothing of it is left."""


@dataclass(frozen=True, slots=True)
class Run:
    """A reading of a pattern and the rewrite for it."""

    reading: Reading
    template: Template


@dataclass(slots=True)
class _Part:
    """The code of one language in a file: the file itself, or a region of it."""

    columns: Columns
    run: Run
    composer: Composer
    region: int = -1
    jobs: list[Job] = field(default_factory=list)
    remover: Remover | None = None

    @property
    def template(self) -> Template:
        return self.run.template


def rewrite_source(
    source: bytes,
    host: str,
    runs: Mapping[str, Run],
    *,
    until_stable: bool = False,
    most: int = 0,
) -> Rewritten:
    """Rewrite *source*, a file of the language *host*, with one run a language.

    *most*: rewrite no more than the first so many matches, 0 for all.  Raises UnsearchableError
    if the text cannot be parsed.
    """
    made = _File(source, host, runs, most).rewrite()
    if until_stable and made.sites:
        from structural.rewrite.stable import until_stable as repeat

        return repeat(made, lambda text: _File(text, host, runs, most).rewrite())
    return made


class _File:
    def __init__(self, source: bytes, host: str, runs: Mapping[str, Run], most: int) -> None:
        self.source = source
        self.host = host
        self.runs = runs
        self.most = most
        self.effort = Effort()
        self.parts: list[_Part] = []
        self.comments: list[RewriteSite] = []
        self.refused: list[Refused] = []
        self.matches = 0
        self.number = 0
        self.by_site: dict[int, tuple[Job, _Part]] = {}
        self.columns = parse(source, host)
        self._newly_refused = False
        self._around: Surroundings | None = None
        self._parsed: tuple[bytes, Columns, _Inner] | None = None
        self.regions = list(_regions(self.columns))

    def rewrite(self) -> Rewritten:
        places = [(self.columns, self.host, -1)]
        places += [(columns, region.language, at) for at, (region, columns) in enumerate(self.regions)]
        for columns, language, region in places:
            run = self.runs.get(language)
            if run is None:
                continue
            if run.reading.comment is not None:
                sites, refused, count = rewrite_comments(columns, run.reading, run.template, self.most)
                self.comments += sites
                self.refused += refused
                self.matches += count
            else:
                self._add(columns, run, region)
        if not self.matches:
            return Rewritten(self.source, self.source)
        return self._answer(self._settled() if self.parts else Drafting(self.source).finish())

    def _add(self, columns: Columns, run: Run, region: int) -> None:
        found = placements(run.reading, columns, self.effort)
        if self.most:
            found = found[: max(0, self.most - self.matches)]
        self.matches += len(found)
        if not found:
            return
        part = _Part(columns, run, Composer(columns, run.template, self._edits_of), region)
        part.jobs = self._nested(found, part)
        if run.template.empty:
            part.remover = Remover(part.jobs, run.template, part.composer)
        self.parts.append(part)

    def _edits_of(self, columns: Columns, reading: Reading, template: Template) -> tuple[Edit, ...]:
        """The edits of another run over the file, for the inside of bindings."""
        return _File(self.source, self.host, {columns.language: Run(reading, template)}, 0).rewrite().edits

    # --- nesting --------------------------------------------------------------------------------------

    def _nested(self, found: list[Placement], part: _Part) -> list[Job]:
        """The outermost jobs, each with those inside its bindings; what overlaps otherwise is left."""
        found = sorted(found, key=lambda p: (p.found.start, -p.found.end))
        jobs = [self._job(placement, part) for placement in found]
        return nest(jobs, _spans_of(part))

    def _job(self, placement: Placement, part: _Part) -> Job:
        found = placement.found
        end = solid_end(part.columns, found.start, found.end)
        if end != found.end:
            found = replace(found, end=end)
        job = Job(found, placement.program, self.number)
        self.by_site[self.number] = (job, part)
        self.number += 1
        return job

    # --- writing and checking -----------------------------------------------------------------------------

    def _draft(self, only: int | None = None) -> Draft:
        """The draft of all jobs, or of one outermost job alone."""
        drafting = Drafting(self.source)
        for job, part in self.by_site.values():
            if job.refused and job.hidden:
                open_refused(job, _spans_of(part))
        tops = [(job, part) for part in self.parts for job in _active(part.jobs)]
        tops.sort(key=lambda pair: pair[0].span)
        if only is not None:
            tops = [self.by_site[only]]
        before = self._count_refused()
        for job, part in tops:
            if part.remover is not None:
                part.remover.write(job, drafting)
            else:
                part.composer.write(job, drafting, job.site)
        self._newly_refused = self._count_refused() > before
        return drafting.finish()

    def _count_refused(self) -> int:
        return sum(bool(job.refused) for job, _ in self.by_site.values())

    def _problems_alone(self, site: int) -> list[Problem]:
        """What does not hold when *site* is the only job."""
        job, part = self.by_site[site]
        draft = self._draft(only=site)
        if part.region >= 0 or not draft.edits or ("start", site) not in draft.marks:
            return self._problems(draft)
        start, end = job.taken or job.span
        low, high = draft.marks[("start", site)], draft.marks[("end", site)]
        if self._around is None:
            self._around = Surroundings(self.source, self.host)
        old = self._around.before(start, end)
        edits = [edit for found in draft.edits.values() for edit in found]
        new = self._around.after(draft.text, edits, low, high)
        checker = Checker(old, new, draft.marks, part.composer, part.template.tables, whole=part.columns)
        return checker.problems([job], old.errors, new.errors)

    def _problems(self, draft: Draft) -> list[Problem]:
        if not draft.edits:
            return []
        try:
            after, inner = self._after(draft.text)
        except UnsearchableError:
            return [Problem(tuple(draft.edits), "the result cannot be parsed", False)]
        found: list[Problem] = []
        for part in self.parts:
            jobs = [job for job in _active(part.jobs) if ("start", job.site) in draft.marks]
            if not jobs:
                continue
            new: Columns | None = after
            if part.region >= 0:
                if len(inner) != len(self.regions):
                    inner = self._without_emptied(draft, inner)
                if len(inner) != len(self.regions):
                    sites = tuple(job.site for job in jobs)
                    return [Problem(sites, "the file around it would be read differently", len(sites) == 1)]
                new = inner[part.region][1]
            if new is None:
                found += [Problem((job.site,), LOST_COMMENT) for job in jobs if part.columns.comments]
                continue
            checker = Checker(part.columns, new, draft.marks, part.composer, part.template.tables)
            found += checker.problems(jobs, part.columns.errors, new.errors)
        return found

    def _without_emptied(self, draft: Draft, inner: _Inner) -> _Inner:
        """*inner* with a gap for every stretch of embedded code of which nothing is left."""
        edits = sorted(edit for found in draft.edits.values() for edit in found)
        found: _Inner = []
        left = list(inner)
        for region, _ in self.regions:
            low, high = region.ranges[0][0], region.ranges[-1][1]
            start = low + sum(len(e.new) - (e.span.end - e.span.start) for e in edits if e.span.end <= low)
            grown = sum(
                len(e.new) - (e.span.end - e.span.start)
                for e in edits
                if low <= e.span.start and e.span.end <= high
            )
            if not draft.text[start : start + high - low + grown].strip():
                found.append((region, None))
                left = [one for one in left if one[0].ranges[0][0] != start]
            elif left:
                found.append(left.pop(0))
        return found if not left else inner

    def _after(self, text: bytes) -> tuple[Columns, _Inner]:
        """The columns of a text after, and of the code in it; of the last text they are kept."""
        if self._parsed is None or self._parsed[0] != text:
            columns = parse(text, self.host)
            self._parsed = (text, columns, list(_regions(columns)))
        return self._parsed[1], self._parsed[2]

    def _settled(self) -> Draft:
        """The draft in which everything holds."""
        problems: list[Problem] = []
        lightened = False
        for _ in range(_MOST_ROUNDS):
            draft = self._draft()
            if self._newly_refused:
                draft = self._draft()  # Matches inside of what was refused are then written.
            problems = self._problems(draft)
            if not problems:
                if lightened or not self._lightened():
                    return draft
                lightened = True
                continue
            self._handle(problems)
        for problem in problems:
            for site in problem.jobs:
                self._refuse(site, problem.reason)
        draft = self._draft()
        if self._problems(draft):
            for part in self.parts:
                for job in part.jobs:
                    self._refuse(job.site, "the file as a whole would not hold")
            draft = self._draft()
        return draft

    def _handle(self, problems: list[Problem]) -> None:
        """Give parentheses where it is certain that they lack; solve every other job alone."""
        uncertain = [problem for problem in problems if not problem.certain]
        torn = [problem for problem in problems if problem.item >= 0]
        if torn and not any(problem.reason == UNPARSED for problem in problems):
            for problem in torn:
                if not self._parenthesise(problem):
                    self._refuse(problem.jobs[0], problem.reason)
            return
        lost = [problem for problem in problems if problem.reason == LOST_COMMENT]
        if lost:
            for problem in lost:
                self._refuse(problem.jobs[0], problem.reason)
            return
        others = {site: None for problem in problems if problem.item < 0 for site in problem.jobs}
        certain = {problem.jobs[0]: problem for problem in reversed(problems) if problem.certain}
        changed = False
        for site in others:
            changed |= self._solve(site, certain.get(site))
        if not changed:
            # Each holds alone, but not all together.
            last = uncertain[0] if uncertain else problems[0]
            self._refuse(last.jobs[-1], last.reason)

    def _solve(self, site: int, failed: Problem | None) -> bool:
        """Find the first way in which the job holds alone, or refuse it; whether anything changed.
        *failed*: why it does not hold as it is, if that is known: what mended others is then tried first."""
        job, part = self.by_site[site]
        if job.refused:
            return False
        first = job.mend
        key = likeness(job, part.columns)
        known = part.run.template.mends.get(key)
        tried = part.run.template.failures.get(key, 0)
        if failed is not None and tried >= _MOST_FAILURES and known is None:
            self._refuse(site, failed.reason, f"nothing was tried, as nothing mended {tried} others like it")
            return True
        order = [first, *(way for way in ways(job, part.template, part.columns) if way != first)]
        worst = None
        if isinstance(known, Mend):
            order.insert(0 if failed is not None else 1, known)
        for way in order:
            job.mend = way
            problems = self._problems_alone(site)
            for _ in range(3):
                torn = [problem for problem in problems if problem.item >= 0]
                if not torn or not all(map(self._parenthesise, torn)):
                    break
                problems = self._problems_alone(site)
            if not problems:
                self._without_needless(site)
                part.run.template.mends[key] = job.mend
                return job.mend != first
            worst = worst or problems[0]
            if problems[0].reason == LOST_COMMENT:
                break
        if worst is not None:
            self._refuse(site, worst.reason, worst.detail)
        part.run.template.failures[key] = tried + 1
        return True

    def _lightened(self) -> bool:
        """Take away parentheses that a job needed only before those inside of it had theirs; whether any."""
        before = {site: job.mend for site, (job, _) in self.by_site.items()}
        for site, (job, _) in self.by_site.items():
            if not job.refused and job.mend.parens and any(inner.mend.parens for inner in job.inner):
                self._without_needless(site, fewest=0)
        return any(job.mend != before[site] for site, (job, _) in self.by_site.items())

    def _without_needless(self, site: int, fewest: int = 1) -> None:
        """Take away parentheses and braces around bindings without which the job holds as well."""
        job, _ = self.by_site[site]
        several = len(job.mend.parens) > fewest or len(job.mend.braced) > 1
        for item in sorted(job.mend.parens | job.mend.braced) if several else ():
            kept = job.mend
            job.mend = replace(kept, parens=kept.parens - {item}, braced=kept.braced - {item})
            if self._problems_alone(site):
                job.mend = kept

    def _parenthesise(self, problem: Problem) -> bool:
        """Put parentheses around a binding; where they do not help, let it be of another kind.
        False if both were tried."""
        job, part = self.by_site[problem.jobs[0]]
        mend = job.mend
        if problem.item in mend.tolerant:
            return False
        if problem.item in mend.parens:
            parens, tolerant = mend.parens - {problem.item}, mend.tolerant | {problem.item}
        elif registry.get(part.template.language).grouping[0]:
            parens, tolerant = mend.parens | {problem.item}, mend.tolerant
        else:
            parens, tolerant = mend.parens, mend.tolerant | {problem.item}
        job.mend = replace(mend, parens=parens, tolerant=tolerant)
        return True

    def _refuse(self, site: int, reason: str, detail: str = "") -> None:
        job = self.by_site[site][0]
        job.refused, job.detail = reason, detail
        for inner in _all(job):
            inner.mend = Mend()  # What it needed inside of this one may be needless now.

    # --- the answer ------------------------------------------------------------------------------------

    def _answer(self, draft: Draft) -> Rewritten:
        counts: dict[int, int] = {}
        refused = list(self.refused)
        for site, (job, _) in self.by_site.items():
            if job.refused:
                refused.append(Refused(Span(*job.span), job.refused, job.detail))
            elif ("start", site) in draft.marks:
                owner = self._owner(site, draft)
                if owner is not None:
                    counts[owner] = counts.get(owner, 0) + 1
        sites = [
            RewriteSite(Span(*self.by_site[site][0].span), tuple(edits), counts.get(site, 1))
            for site, edits in draft.edits.items()
        ]
        sites = sorted([*sites, *self.comments], key=lambda site: site.edits[0])
        text = draft.text
        if self.comments:
            text = apply(self.source, sorted(edit for site in sites for edit in site.edits))
        changed = sum(site.matches for site in sites)
        overlapping = sum(len(job.hidden) for job, _ in self.by_site.values())
        return Rewritten(
            self.source,
            text,
            tuple(sites),
            tuple(sorted(refused, key=lambda r: (r.span.start, r.span.end))),
            self.matches,
            self.matches - changed - len(refused) - overlapping,
            overlapping,
            self._again(text, sites) if sites else 0,
        )

    def _owner(self, site: int, draft: Draft) -> int | None:
        """The site whose edits hold those of job *site*, None if it has none."""
        while site in draft.joined:
            site = draft.joined[site]
        if site in draft.edits:
            return site
        for other, (job, _) in self.by_site.items():
            if other in draft.edits and any(inner.site == site for inner in _all(job)):
                return other
        return None

    def _again(self, text: bytes, sites: list[RewriteSite]) -> int:
        """How often the pattern stands in the text after, beside what was refused or is unchanged."""
        columns, regions = self._after(text)
        places = [(self.host, columns), *((region.language, inner) for region, inner in regions)]
        rewritten = {site.span for site in sites}
        rest = [job.span for job, _ in self.by_site.values() if Span(*job.span) not in rewritten]
        ends, shifts = [0], [0]
        for edit in sorted(edit for site in sites for edit in site.edits):
            ends.append(edit.span.end)
            shifts.append(shifts[-1] + len(edit.new) - (edit.span.end - edit.span.start))
        # Where those stand now that did not move.
        stay = {tuple(byte + shifts[bisect_right(ends, byte) - 1] for byte in span) for span in rest}
        found = [
            text[match.span.start : match.span.end]
            for language, inner in places
            if language in self.runs
            for match in (matches(self.runs[language].reading, inner) if inner is not None else ())
            if (match.span.start, match.span.end) not in stay
        ]
        # Those that moved have the text that they had.
        return (
            (Counter(found) - Counter(self.source[start:end] for start, end in rest)).total() if found else 0
        )


def _spans_of(part: _Part) -> Callable[[Job], list[tuple[int, int]]]:
    """The bytes of a job's bindings in which other matches are rewritten with it."""
    return (lambda job: []) if part.template.empty else part.composer.bindings


def _active(jobs: list[Job]) -> list[Job]:
    """The outermost of *jobs* that are not refused."""
    found = []
    for job in jobs:
        found += _active(job.inner) if job.refused else [job]
    return found


def _all(job: Job) -> list[Job]:
    found = []
    for inner in job.inner:
        found.append(inner)
        found += _all(inner)
    return found


def _regions(columns: Columns) -> list[tuple[Region, Columns]]:
    """Embedded code of *columns* with its own columns, also inside of embedded code."""
    found: list[tuple[Region, Columns]] = []
    if not registry.get(columns.language).embedded:
        return found
    pending = [region for region in regions(columns) if region.ranges]
    while pending:
        region = pending.pop(0)
        inside = parse(columns.source, region.language, region.ranges)
        found.append((region, inside))
        if registry.get(region.language).embedded:
            pending += [r for r in regions(inside) if r.ranges and r.ranges != region.ranges]
    found.sort(key=lambda pair: pair[0].ranges)
    return found
