"""One source text: match, compose, parse again, check, mend or refuse.

Most files need no mending: for them only what is around the matches is made into columns, before
and after (``quick``).  Where anything does not hold there, or is not certain, the file is done
thoroughly, with all of both trees; that alone decides what is mended and refused.

All jobs of a file are written at once and checked with one parse.  A job that does not hold is
mended in a fixed order of ways; where it is not certain which one is at fault, each is tried
alone.  A job that nothing mends is refused, with the first reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from structural.errors import UnsearchableError
from structural.pattern.compile import Reading
from structural.pattern.search import Effort, bare_match, matches, placements
from structural.pattern.values import Match
from structural.rewrite import quick
from structural.rewrite.again import count_again
from structural.rewrite.check import LOST_COMMENT, UNPARSED, Checker, Problem
from structural.rewrite.compose import Composer
from structural.rewrite.draft import Draft, Drafting
from structural.rewrite.embedded import Inner, inner_code, without_emptied
from structural.rewrite.jobs import Job, Mend
from structural.rewrite.mending import likeness, ways
from structural.rewrite.nesting import active, every, nest, open_refused
from structural.rewrite.parts import Chosen, Outcome, Part, Run, UnsettledError, owner_of, spans_of
from structural.rewrite.remarks import rewrite_comments
from structural.rewrite.removal import Remover
from structural.rewrite.stable import until_stable as repeat
from structural.rewrite.template import Template
from structural.rewrite.values import Refused, RewriteSite, Rewritten
from structural.syntax import registry
from structural.syntax.around import Surroundings
from structural.syntax.columns import Columns
from structural.syntax.embed import Region
from structural.syntax.gaps import solid_end
from structural.syntax.parse import parse
from structural.syntax.parsed import Parsed, lines_around
from structural.text import Edit, Span
from structural.text.edits import apply

_MOST_ROUNDS = 24
"""Rounds of writing and checking one file, before what is left is refused."""

_MOST_FAILURES = 8
"""Jobs alike in kinds for which no way is found, before others that fail are refused without trying."""


def rewrite_source(
    source: bytes,
    host: str,
    runs: Mapping[str, Run],
    *,
    until_stable: bool = False,
    most: int = 0,
    thorough: bool = False,
) -> Rewritten:
    """Rewrite *source*, a file of the language *host*, with one run a language.

    *most*: only the first so many matches, 0 for all.  *thorough*: write every match anew and compare
    all of both trees, for comparison.  Raises UnsearchableError if the text cannot be parsed."""
    made = _File(source, host, runs, most, thorough=thorough).rewrite()
    if until_stable and made.sites:
        made = repeat(made, lambda text: _File(text, host, runs, most, thorough=thorough).rewrite())
    return made


def search_and_rewrite(
    source: bytes, host: str, runs: Mapping[str, Run], *, until_stable: bool = False
) -> Outcome:
    """What a search says of the file, and ``rewrite_source`` if all holds at once: in one go.

    What is mended and how depends on what mended others before, so that it is done in the order of the
    files, while this may be done in any order and in any process."""
    file = _File(source, host, runs, 0, mending=False)
    made: Rewritten | None = None
    with suppress(UnsettledError):
        made = file.rewrite()
        if until_stable and made.sites:
            made = repeat(made, lambda text: _File(text, host, runs, 0, mending=False).rewrite())
    return Outcome(made, tuple(file.found), file.errors, file.effort.exhausted)


class _File:
    def __init__(
        self,
        source: bytes,
        host: str,
        runs: Mapping[str, Run],
        most: int,
        *,
        thorough: bool = False,
        mending: bool = True,
    ) -> None:
        self.source = source
        self.host = host
        self.runs = runs
        self.most = most
        self.thorough = thorough
        self.mending = mending
        self.parsed = Parsed(source, host)
        self._after_parsed: Parsed | None = None
        self.errors = 0
        self._begin()

    def _begin(self) -> None:
        """Nothing is found yet."""
        self.effort = Effort()
        self.found: list[Match] = []
        self.parts: list[Part] = []
        self.comments: list[RewriteSite] = []
        self.refused: list[Refused] = []
        self.matches = 0
        self.number = 0
        self.by_site: dict[int, tuple[Job, Part]] = {}
        self._newly_refused = False
        self._around: Surroundings | None = None
        self._last: tuple[bytes, Columns, Inner] | None = None
        self.regions: list[tuple[Region, Columns]] = []
        self._is_given = any(run.chooser for run in self.runs.values())

    def rewrite(self) -> Rewritten:
        """The answer; of the rest only what was found stays."""
        try:
            return (None if self.thorough else self._quickly()) or self._thoroughly()
        finally:
            # They know each other and this; nothing should wait for Python to find that out.
            self.parts, self.by_site = [], {}

    def _quickly(self) -> Rewritten | None:
        """The answer if all holds at once and that is seen from what is around the matches."""
        run = self.runs.get(self.host)
        probe = run.reading.probe if run is not None else None
        if run is None or probe is None or len(self.runs) > 1 or registry.get(self.host).embedded:
            return None
        near = self.parsed.candidates(probe)
        if near is None:
            return None
        if not near:
            return Rewritten(self.source, self.source)
        spans = lines_around(self.source, near)
        columns = self.parsed.around(spans)
        self.errors = columns.errors
        self._add(columns, run, -1, within=near)
        if not self.matches:
            return Rewritten(self.source, self.source)
        draft = self._draft()
        if self._count_refused():
            return None
        if draft.edits:
            part = self.parts[0]
            tops = [job for job in part.jobs if ("start", job.site) in draft.marks]
            try:
                self._after_parsed = after = Parsed(draft.text, self.host)
            except UnsearchableError:
                return None
            tables, text = part.template.tables, Columns(self.host, draft.text)
            holes = Checker(columns, text, draft.marks, part.composer, tables).holes(tops)
            new = after.around(quick.moved(spans, holes))
            if new.shut != columns.shut:
                return None
            checker = Checker(columns, new, draft.marks, part.composer, tables, verdicts=run.verdicts)
            if checker.problems(tops, columns.errors, new.errors):
                self._unsettled()
                return None
        return self._answer(draft, quickly=True)

    def _unsettled(self) -> None:
        """Something does not hold: to be mended, or not here."""
        if not self.mending:
            raise UnsettledError

    def _thoroughly(self) -> Rewritten:
        """The answer from all of the trees before and after, mended and refused where it must be."""
        self._begin()
        self.columns = self.parsed.whole()
        self.errors = self.columns.errors
        self.regions = list(inner_code(self.columns))
        places = [(self.columns, self.host, -1)]
        places += [(columns, region.language, at) for at, (region, columns) in enumerate(self.regions)]
        for columns, language, region in places:
            run = self.runs.get(language)
            if run is None:
                continue
            if run.reading.comment is not None:
                sites, refused, count = rewrite_comments(columns, run.reading, run.template, self.most)
                self.found += matches(run.reading, columns)
                self.comments += sites
                self.refused += refused
                self.matches += count
            else:
                self._add(columns, run, region)
        if not self.matches:
            return Rewritten(self.source, self.source)
        return self._answer(self._settled() if self.parts else Drafting(self.source).finish())

    def _add(
        self, columns: Columns, run: Run, region: int, within: Sequence[tuple[int, int]] | None = None
    ) -> None:
        if run.chooser is not None:
            chosen = [*run.chooser(columns)]
        else:
            found = placements(run.reading, columns, self.effort)
            if within is not None:
                found = [one for one in found if quick.holds(within, one.found.start, one.found.end)]
            self.found += [bare_match(one, run.reading, columns) for one in found]
            chosen = [*map(Chosen, found)]
        if self.most:
            chosen = chosen[: max(0, self.most - self.matches)]
        self.matches += len(chosen)
        if not chosen:
            return
        part = Part(columns, run, Composer(columns, run.template, self._edits_of, anew=self.thorough), region)
        part.jobs = self._nested(chosen, part)
        if run.template.empty:
            part.remover = Remover(part.jobs, run.template, part.composer)
        self.parts.append(part)

    def _edits_of(self, columns: Columns, reading: Reading, template: Template) -> tuple[Edit, ...]:
        """The edits of another run over the file, for the inside of bindings."""
        runs = {columns.language: Run(reading, template)}
        inside = _File(self.source, self.host, runs, 0, thorough=self.thorough, mending=self.mending)
        return inside.rewrite().edits

    # --- nesting --------------------------------------------------------------------------------------

    def _nested(self, chosen: Sequence[Chosen], part: Part) -> list[Job]:
        """The outermost jobs, each with those inside its bindings; what overlaps otherwise is left."""
        chosen = sorted(chosen, key=lambda c: (c.placement.found.start, -c.placement.found.end))
        jobs = [self._job(one, part) for one in chosen]
        return nest(jobs, spans_of(part))

    def _job(self, chosen: Chosen, part: Part) -> Job:
        found = chosen.placement.found
        end = solid_end(part.columns, found.start, found.end)
        if end != found.end:
            found = replace(found, end=end)
        job = Job(found, chosen.placement.program, self.number, refused=chosen.refused)
        job.beyond, job.places = chosen.beyond, chosen.places
        self.by_site[self.number] = (job, part)
        self.number += 1
        return job

    # --- writing and checking -----------------------------------------------------------------------------

    def _draft(self, only: int | None = None) -> Draft:
        """The draft of all jobs, or of one outermost job alone."""
        drafting = Drafting(self.source)
        for job, part in self.by_site.values():
            if job.refused and job.hidden:
                open_refused(job, spans_of(part))
        tops = [(job, part) for part in self.parts for job in active(part.jobs)]
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
            jobs = [job for job in active(part.jobs) if ("start", job.site) in draft.marks]
            if not jobs:
                continue
            new: Columns | None = after
            if part.region >= 0:
                if len(inner) != len(self.regions):
                    inner = without_emptied(draft, self.regions, inner)
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

    def _after(self, text: bytes) -> tuple[Columns, Inner]:
        """The columns of a text after, and of the code in it; of the last text they are kept."""
        if self._last is None or self._last[0] != text:
            known = self._after_parsed
            columns = known.whole() if known and known.source == text else parse(text, self.host)
            self._last = (text, columns, list(inner_code(columns)))
        return self._last[1], self._last[2]

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
            self._unsettled()
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
            last = next((problem for problem in problems if not problem.certain), problems[0])
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
        """Put parentheses around a binding, or let it be of another kind; False if both were tried."""
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
        for inner in every(job):
            inner.mend = Mend()  # What it needed inside of this one may be needless now.

    # --- the answer ------------------------------------------------------------------------------------

    def _answer(self, draft: Draft, *, quickly: bool = False) -> Rewritten:
        counts: dict[int, int] = {}
        refused = list(self.refused)
        for site, (job, _) in self.by_site.items():
            if job.refused:
                refused.append(Refused(Span(*job.span), job.refused, job.detail))
            elif ("start", site) in draft.marks:
                owner = owner_of(site, draft, self.by_site)
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
            self._again(text, sites, quickly) if sites and not self._is_given else 0,
        )

    def _again(self, text: bytes, sites: list[RewriteSite], quickly: bool) -> int:
        """How often the pattern stands in the text after, beside what was refused or is unchanged."""
        run, after = self.runs.get(self.host), self._after_parsed
        if quickly and run is not None and run.reading.probe is not None and after is not None:
            if not all(literal in text for literal in run.reading.literals):
                return 0
            found = matches(run.reading, after.near(run.reading.probe, shallow=run.reading.shallow))
        else:
            columns, inner = self._after(text)
            places = [(self.host, columns), *((region.language, inside) for region, inside in inner)]
            found = [
                match
                for language, inside in places
                if language in self.runs and inside is not None
                for match in matches(self.runs[language].reading, inside)
            ]
        spans = [job.span for job, _ in self.by_site.values()]
        return count_again(self.source, text, [match.span for match in found], sites, spans)
