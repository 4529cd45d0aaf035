"""A search over files: results in path order while a summary fills.

Order of things: the plan (files, languages, patterns) is made when ``search_paths``
is called, so that a wrong call fails there.  Iterating then searches.  A language
whose pattern has several readings is settled when its first file comes up: its
files are searched with the first reading until one matches; if none does, with the
next reading, and so on.  Results found on the way are kept, not searched again.  If
nothing matched in the whole search, a bounded second look gathers near misses.

Small work is done in this process.  Only when what is left would take longer than
starting processes does a ``Pool`` take over; order and results are the same.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from structural.pattern.compile import Pattern
from structural.pattern.values import ReadingInfo
from structural.search.near import Tally, near_misses
from structural.search.nearest import nearest
from structural.search.plan import Plan, plan
from structural.search.read import read_file
from structural.search.source import search_source
from structural.search.values import (
    FileResult,
    PatternSpec,
    Searched,
    Selection,
    Skipped,
    Summary,
)
from structural.search.work import SERIAL_SECONDS, SPAWNED, WORTH_SECONDS, forks, processors
from structural.search.worker import Further, Task, near_file, search_file
from structural.syntax import registry

if TYPE_CHECKING:
    from structural.search.memory import Memory
    from structural.search.packing import Answer, How
    from structural.search.recall import View
    from structural.search.work import Runner

ALSO_FILES = 24
ALSO_BYTES = 300_000
"""What the look for other meanings of a pattern that matched searches, at most."""

FILL_SECONDS = 0.25
"""What one search with a memory spends at most on files that others could parse, so as to keep them."""


def search_paths(
    spec: PatternSpec,
    selection: Selection | None = None,
    *,
    jobs: int = 1,
    max_count: int = 0,
    tick: Callable[[], None] | None = None,
    memory: Memory | None = None,
    further: Further | None = None,
    cluster: str = "",
) -> Results:
    """Search the files of *selection*.

    Raises UsageError, LanguageError, PatternError or ConstraintError at once.
    *jobs* processes search, 0 means as many as there are processors; *max_count*
    ends the search after so many matches; *tick* is called after every file.  With a
    *memory* the answer is the same, and comes sooner where the files are known.  *further* is done
    with every file that may hold a match, where it is searched anew.  With the address of a *cluster*
    its workers search, with no memory; ClusterError if they cannot, also while results come.
    """
    began = time.perf_counter()
    chosen = selection or Selection()
    if memory is None:
        made, view = plan(spec, chosen), None
    else:
        made, view = memory.recall(spec, chosen)
    results = Results(made, chosen, jobs or processors(), max_count, tick, began, view, further)
    if cluster:
        results.spread(cluster)
    return results


class Results:
    """The answer of ``search_paths``: iterate once for a ``FileResult`` for every file.

    ``summary`` fills meanwhile and is whole after the last result.  Leaving the
    iteration early ends the processes; close the iterator to have it done at once.
    """

    def __init__(
        self,
        made: Plan,
        selection: Selection,
        jobs: int,
        max_count: int,
        tick: Callable[[], None] | None,
        began: float,
        view: View | None = None,
        further: Further | None = None,
    ) -> None:
        self.fingerprint = "" if view is None else view.fingerprint
        """With a memory: equal for two searches of one pattern and selection if nothing that could
        change the answer has changed between them.  Else empty."""
        self._view = view
        self.summary = Summary(
            files=len(made.files) + len(made.skipped),
            ignored=made.walk.ignored,
            hidden=made.walk.hidden,
            links=made.walk.links,
            other_languages=made.other_languages,
            not_code=[refusal.language for refusal in made.refusals if not refusal.no_grammar],
            refusals=list(made.refusals),
            stages=dict(made.stages),
        )
        self._task = Task(made.files, made.hosts, made.serving, made.patterns, selection.max_size)
        self._task.further = further
        self._jobs = jobs
        self._max_count = max_count
        self._tick = tick or _nothing
        self._began = began
        self._pool: Runner[How, Answer] | None = None
        self._far = False
        self._settled: dict[str, int] = {}
        self._silent: set[str] = set()
        self._kept: dict[int, tuple[dict[str, int], FileResult]] = {}
        self._spent = 0.0
        self._filled = 0.0
        self._worked = 0
        self._parsed: list[int] = []
        self._matched: set[str] = set()
        for skipped in (*made.walk.skipped, *made.skipped):
            self.summary.add(skipped)
        self._say_readings()

    def spread(self, address: str) -> None:
        """Let the workers of a cluster search; ClusterError if there are none that can."""
        from structural.search.cluster import Cluster  # asked for by few, and takes long to import
        from structural.search.packing import Searching

        self._pool = Cluster(address, Searching(self._task))
        self._far = True

    @property
    def patterns(self) -> Mapping[str, Pattern]:
        """The compiled pattern of every language that takes part."""
        return self._task.patterns

    def __iter__(self) -> Iterator[FileResult]:
        summary = self.summary
        began = time.perf_counter()
        try:
            for at, result in self._results():
                if isinstance(result, Searched) and result.parsed:
                    result = self._cut(result, last=at == len(self._task.files) - 1)
                    self._parsed.append(at)
                    self._matched.update(match.language for match in result.matches)
                self.summary.add(result)
                yield result
                if summary.cut:
                    break
            summary.stages["search"] = time.perf_counter() - began
            self._say_readings(ended=True)
            if not summary.matches and not summary.cut:
                self._look_near()
        finally:
            if self._view is not None:
                self._view.end()
            if self._pool is not None:
                self._pool.close()
            summary.seconds = time.perf_counter() - self._began

    # --- in order ---------------------------------------------------------------------------

    def _results(self) -> Iterator[tuple[int, FileResult]]:
        """Every file with its final result, in order."""
        hosts, serving = self._task.hosts, self._task.serving
        at, end = 0, len(hosts)
        while at < end:
            ready = {host for host, names in serving.items() if all(name in self._settled for name in names)}
            stop = at
            while stop < end and hosts[stop] in ready:
                stop += 1
            yield from self._final(range(at, stop))
            if stop < end:
                for name in serving[hosts[stop]]:
                    if name not in self._settled:
                        self._settle(name, stop)
            at = stop

    def _final(self, files: range) -> Iterator[tuple[int, FileResult]]:
        """Results with the settled readings: those that are kept, and the others searched."""
        if not self._kept:
            yield from self._searched(files)
            return
        kept = {at: found for at in files if (found := self._still_good(at)) is not None}
        fresh = self._searched(at for at in files if at not in kept)
        for at in files:
            found = kept.get(at)
            if found is not None:
                self._kept.pop(at, None)
                yield at, found
            else:
                yield next(fresh)

    def _settle(self, language: str, first: int) -> None:
        """Find out which reading of *language* is used, from its files from *first* on."""
        pattern = self._task.patterns[language]
        if pattern.reading(1) is None:
            self._settled[language] = 0
            return
        files = [
            at
            for at in range(first, len(self._task.files))
            if language in self._task.serving[self._task.hosts[at]]
        ]
        own = {language, *registry.get(language).parts}
        number = 0
        while pattern.reading(number) is not None:
            choice = {**self._settled, language: number}
            for at, result in self._searched(files, choice):
                known = self._kept.get(at)
                if known is None or not _unsure(known[1]):
                    self._kept[at] = (choice, result)
                if isinstance(result, Searched) and any(match.language in own for match in result.matches):
                    self._settled[language] = number
                    return
            number += 1
        self._settled[language] = 0
        self._silent.add(language)

    def _still_good(self, at: int) -> FileResult | None:
        """The kept result of a file, if the readings it was made with are those that were settled.

        A language that matches nowhere, whatever the reading, makes no difference.
        """
        if at not in self._kept:
            return None
        choice, result = self._kept[at]
        for name in self._task.serving[self._task.hosts[at]]:
            if name not in self._silent and choice.get(name, 0) != self._settled[name]:
                return None
        return result

    def _searched(
        self, files: Iterable[int], choice: dict[str, int] | None = None
    ) -> Iterator[tuple[int, FileResult]]:
        """Search *files*, here at first, and in processes when that pays."""
        used = dict(self._settled if choice is None else choice)
        pending = list(files)
        if self._view is not None:
            yield from self._recalled(pending, used, self._view)
            return
        done = 0
        for at in pending:
            if self._far or (self._jobs > 1 and self._pays(len(pending) - done)):
                break
            began = time.perf_counter()
            result = search_file(self._task, at, used)
            self._spent += time.perf_counter() - began
            self._worked += 1
            done += 1
            self._tick()
            yield at, result
        if done < len(pending):
            for at, answer in self._processes().run(pending[done:], (used, False), seconds=self._mean):
                assert not isinstance(answer, dict)
                self._tick()
                yield at, answer

    def _recalled(
        self, pending: list[int], used: dict[str, int], view: View
    ) -> Iterator[tuple[int, FileResult]]:
        """The same with a memory: what is warm is searched here, and only what is cold counts as work."""
        others = deque(at for at in pending if not view.warm(at)) if self._jobs > 1 else deque()
        answers: Iterator[tuple[int, Any]] | None = None
        silent = view.silent(self._task, used)
        tick = self._tick
        for at in pending:
            known = silent[at]
            if known is not None:
                tick()
                yield at, known
                continue
            cold = bool(others) and others[0] == at
            if cold and answers is None and self._pays(len(others)):
                if self._filled < FILL_SECONDS and view.filling(at):
                    began = time.perf_counter()
                    result = view.search(self._task, at, used)
                    self._filled += time.perf_counter() - began
                    others.popleft()
                    self._tick()
                    yield at, result
                    continue
                answers = self._processes().run(list(others), (used, False), seconds=self._mean)
            if cold and answers is not None:
                others.popleft()
                result = next(answers)[1]
            else:
                began = time.perf_counter()
                result = view.search(self._task, at, used)
                if cold:
                    others.popleft()
                    self._spent += time.perf_counter() - began
                    self._worked += 1
            self._tick()
            yield at, result

    def _processes(self) -> Runner[How, Answer]:
        if self._pool is None:
            from structural.search.packing import Searching  # most searches need none of it
            from structural.search.pool import Pool

            self._pool = Pool(Searching(self._task), self._jobs)
        return self._pool

    def _pays(self, left: int) -> bool:
        if self._spent < SERIAL_SECONDS:
            return False
        return self._mean * left > WORTH_SECONDS * (1 if forks() else SPAWNED)

    @property
    def _mean(self) -> float:
        """Seconds that one file took in this process."""
        return self._spent / max(1, self._worked)

    # --- the summary --------------------------------------------------------------------------

    def _cut(self, result: Searched, *, last: bool) -> Searched:
        """*result* without the matches that are more than were asked for."""
        if not self._max_count:
            return result
        left = self._max_count - self.summary.matches
        if len(result.matches) > left:
            result = replace(result, matches=result.matches[:left])
            self.summary.cut = "max-count"
        elif len(result.matches) == left and not last:
            self.summary.cut = "max-count"
        return result

    def _say_readings(self, *, ended: bool = False) -> None:
        """Say how each language was read; of those that matched, once *ended*, how they could be too."""
        made: list[ReadingInfo] = []
        for name, pattern in self._task.patterns.items():
            number = self._settled.get(name, 0)
            info = (pattern.reading(number) or pattern.first).info()
            if ended and name in self._matched:
                info = replace(info, alternatives=self._also(name, number))
            made.append(info)
        self.summary.readings = made

    def _also(self, name: str, number: int) -> tuple[str, ...]:
        """Rungs of later readings of a language that match too, as far as a few files tell."""
        readings = self._task.patterns[name].readings
        others = [r for r in readings[number + 1 :] if r.likely and r.language == name]
        seen: dict[str, None] = {}
        size = 0
        for at in [at for at in self._parsed if self._task.hosts[at] == name][: ALSO_FILES * bool(others)]:
            view, task = self._view, self._task
            source = read_file(task.files[at], task.max_size) if view is None else view.source(task, at)
            if isinstance(source, Skipped) or size + len(source) > ALSO_BYTES:
                continue
            size += len(source)
            for reading in others:
                known = reading.rung in seen or reading.rung == readings[number].rung
                if known:
                    continue
                if (
                    search_source(source, name, {name: reading}).matches
                    if view is None
                    else view.matches_also(task, at, reading)
                ):
                    seen[reading.rung] = None
        return tuple(seen)

    # --- near misses ---------------------------------------------------------------------------

    def _look_near(self) -> None:
        """Fill in the near misses from a few files: those that hold most of the literals first."""
        began = time.perf_counter()
        tallies: list[Tally] = []
        files = nearest(self._task, self._settled, self._parsed, self._view)
        if self._view is not None:
            self._view.before_near(files)
        if self._far or (self._jobs > 1 and self._spent >= SERIAL_SECONDS and len(files) > 4):
            for _, found in self._processes().run(files, (dict(self._settled), True), seconds=0.01):
                self._tick()
                assert isinstance(found, dict)
                tallies.append(found)
        else:
            for at in files:
                near = near_file if self._view is None else self._view.near
                tallies.append(near(self._task, at, self._settled))
                self._tick()
        self.summary.near_misses = near_misses(tallies)
        self.summary.stages["near misses"] = time.perf_counter() - began


def _unsure(result: FileResult) -> bool:
    """Whether a file may hold matches that were not found."""
    return not isinstance(result, Searched) or result.exhausted


def _nothing() -> None:
    pass
