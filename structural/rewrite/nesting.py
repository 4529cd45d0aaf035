"""Which matches are rewritten inside of which.

A match inside a binding of another one is rewritten in the same pass.  Matches that
overlap otherwise: the outermost wins, and the others are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from structural.rewrite.jobs import Job

Span = tuple[int, int]

_DEEPEST = 80
"""Levels of matches inside of bindings that one pass rewrites; what is deeper counts as overlapping."""


def nest(jobs: Sequence[Job], spans_of: Callable[[Job], list[Span]]) -> list[Job]:
    """The outermost of *jobs*, with those inside their bindings in ``inner`` and the others inside of them
    in ``hidden``.

    *jobs* are in file order, of those at one place the outer first; *spans_of* gives the bytes of
    a job's bindings that its rewrite uses."""
    tops: list[Job] = []
    _fill(jobs, tops, spans_of, 0)
    return tops


def open_refused(job: Job, spans_of: Callable[[Job], list[Span]]) -> None:
    """Let the matches inside of *job*, which is refused, be rewritten, also those that it hid."""
    inside = [*_all(job.inner), *_all(job.hidden)]
    inside.sort(key=lambda one: (one.span[0], -one.span[1], one.site))
    for one in inside:
        one.inner, one.hidden = [], []
    job.hidden = []
    job.inner = nest(inside, spans_of)


def _all(jobs: Sequence[Job]) -> list[Job]:
    found: list[Job] = []
    pending = list(jobs)
    while pending:
        job = pending.pop()
        found.append(job)
        pending += [*job.inner, *job.hidden]
    return found


def _fill(jobs: Sequence[Job], into: list[Job], spans_of: Callable[[Job], list[Span]], depth: int) -> None:
    """Add the outermost of *jobs* to *into*, each with its own."""
    at = 0
    while at < len(jobs):
        top = jobs[at]
        stop = at + 1
        while stop < len(jobs) and jobs[stop].span[0] < top.span[1]:
            stop += 1
        inside = list(jobs[at + 1 : stop])
        for low, high in spans_of(top) if inside and depth < _DEEPEST else ():
            group = [job for job in inside if low <= job.span[0] and job.span[1] <= high]
            taken = {job.site for job in group}
            inside = [job for job in inside if job.site not in taken]
            _fill(group, top.inner, spans_of, depth + 1)
        top.hidden = inside
        into.append(top)
        at = stop


def active(jobs: list[Job]) -> list[Job]:
    """The outermost of *jobs* that are not refused."""
    found = []
    for job in jobs:
        found += active(job.inner) if job.refused else [job]
    return found


def every(job: Job) -> list[Job]:
    """All matches inside of *job*, at any depth."""
    found = []
    for inner in job.inner:
        found.append(inner)
        found += every(inner)
    return found
