"""A scan: rules over files, answers in path order while a summary fills.

Order of things: scope, rules for the languages that are there, files here or in processes, the baseline.
Without a baseline answers stream; with one all are awaited first, since what was moved can only be known
once everything was seen.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from structural.errors import StructuralError, UsageError
from structural.rules.values import Problem, Rule
from structural.search.read import read_file
from structural.search.sharing import Sharing
from structural.search.values import Selection, Skipped
from structural.syntax import registry
from structural.workflow.scanning import baseline as known_before
from structural.workflow.scanning.baseline import Entry, entry
from structural.workflow.scanning.cache import Cache, cache_of
from structural.workflow.scanning.frozen import compiled_once
from structural.workflow.scanning.judging import Judge
from structural.workflow.scanning.revisions import Blobs, is_revision
from structural.workflow.scanning.rulebook import Rulebook
from structural.workflow.scanning.scope import Admitted, Names, Scope, scope_of
from structural.workflow.scanning.settings import Settings
from structural.workflow.scanning.values import NO_REASON, UNUSED, FileAnswer, Found, Scanned, ScanSummary
from structural.workflow.scanning.work import Answer, Fresh, Job

if TYPE_CHECKING:
    from structural.rules.terms import RuleSet
    from structural.workflow.scanning.fixes import Fixers
    from structural.workflow.scanning.remembered import Remembered

_BATCH = 100
"""Answers that are put into the cache at once."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a scan is to do beside finding.  ``baseline`` is a file or a revision of git; ``update`` writes
    the file.  ``keys``: every finding has its key; ``fixes``: what the rewrites would make of it."""

    jobs: int = 0
    cache: bool = True
    keys: bool = False
    fixes: bool = False
    baseline: str = ""
    update: bool = False
    since: str | None = None
    staged: bool = False
    everywhere: bool = False
    """Rules are read in all their languages, those of no file too, so that every mistake is told."""


def scan_paths(
    book: Rulebook,
    settings: Settings,
    selection: Selection | None = None,
    wish: Wish | None = None,
    *,
    tick: Callable[[], None] | None = None,
    memory: Remembered | None = None,
) -> Scan:
    """Run the rules of *book* over the files of *selection*.  *memory* keeps what was found for the next
    scan; it is for a wish without baseline, keys and fixes.

    UsageError at once for a path, a glob, a revision or a baseline that is not there.
    """
    return Scan(book, settings, selection or Selection(), wish or Wish(), tick or _nothing, memory)


class Scan:
    """The answer of ``scan_paths``: iterate once for an answer for every file.

    ``summary`` fills meanwhile and is whole after the last one.  Leaving the iteration early ends the
    processes; close the iterator to have it done at once.
    """

    def __init__(
        self,
        book: Rulebook,
        settings: Settings,
        selection: Selection,
        wish: Wish,
        tick: Callable[[], None],
        memory: Remembered | None = None,
    ) -> None:
        began = time.perf_counter()
        self._began = began
        self._settings, self._wish, self._tick = settings, wish, tick
        self._selection = selection
        self.book = book
        self._known: Counter[Entry] | None = None
        self._file = ""
        revision = self._read_baseline(wish)
        scope = scope_of(selection, settings, staged=wish.staged, since=wish.since, revision=revision)
        self._scope = scope
        walked = time.perf_counter()
        self._cache = cache_of(book.digest, _languages_of(book.rules)) if wish.cache else None
        wanted = self._languages(scope)
        kept = compiled_once(book, wanted, self._cache) if memory is None else memory.compiled(book, wanted)
        rules, problems = kept
        compiled_at = time.perf_counter()
        self._rules = rules
        self._running = frozenset(rules.rules)
        self._fixers = self._with_fixers(rules) if wish.fixes else None
        if self._fixers is not None:
            problems = (*problems, *self._fixers.problems)
        self.summary = ScanSummary(
            rules=len(book.rules) - len({one.rule for one in problems if not one.warning}),
            problems=_each_once((*book.problems, *problems)),
            ignored=scope.walk.ignored,
            hidden=scope.walk.hidden,
            links=scope.walk.links,
            unchanged=_of_languages(scope.unchanged, book.rules),
            stages={"files": walked - began, "rules": compiled_at - walked},
        )
        self._names = Names(settings.folder)
        self.job = self._job(scope, rules)
        self._view = memory.view(book, settings, self.job.files, selection.max_size) if memory else None
        self.summary.files = len(self.job.files)
        for skipped in scope.walk.skipped:
            self.summary.add(skipped)
            self.summary.files += 1
        self._sharing: Sharing[None, Answer] | None = None
        self._fresh: list[Fresh] = []
        self._recalled: list[bytes] = []
        self.updated: tuple[str, int] | None = None
        """The baseline file that was written, and how many findings it has."""

    @property
    def compiled(self) -> RuleSet:
        """The rules that run."""
        return self._rules

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that were asked for, by id."""
        return self.book.rules

    def __iter__(self) -> Iterator[FileAnswer]:
        began = time.perf_counter()
        try:
            answers = self._answers(self.job)
            if self._known is not None or self._wish.update or self._scope.old:
                answers = iter(self._without_known(list(answers)))
            for answer in answers:
                self.summary.add(answer)
                yield answer
            self.summary.stages["scan"] = time.perf_counter() - began
        finally:
            self._end(self.job)
            self.summary.seconds = time.perf_counter() - self._began

    # --- before -----------------------------------------------------------------------------------------

    def _read_baseline(self, wish: Wish) -> str | None:
        """Read the baseline if it is a file; gives the revision if it is one."""
        name = wish.baseline or self._settings.baseline
        if not name:
            if wish.update:
                raise UsageError("no baseline is named", hint="name the file with --baseline FILE")
            return None
        if wish.update or not wish.baseline or known_before.is_file(name):
            self._file = name
            if wish.update and not known_before.is_file(name) and is_revision(name):
                raise UsageError(
                    f"{name!r} is a revision of git, and not a file that could be written",
                    hint="name a file: --baseline baseline.json --update-baseline",
                )
            if os.path.isdir(name):
                raise _no_baseline(name)
            if not wish.update or os.path.exists(name):
                self._known = known_before.read_baseline(name)
            return None
        if os.path.isdir(name) and not is_revision(name):
            raise _no_baseline(name)
        self._known = Counter()
        return name

    def _with_fixers(self, rules: RuleSet) -> Fixers:
        from structural.workflow.scanning.fixes import Fixers

        about = {rule.id: rule for rule in self.book.rules if rule.id in rules.rules}
        return Fixers(rules, about, self.book.utilities)

    def _languages(self, scope: Scope) -> frozenset[str]:
        hosts = {host for path, _ in scope.old if (host := registry.language_of_path(path))}
        asked = _languages_of(self.book.rules) if self._wish.everywhere else frozenset[str]()
        return frozenset(scope.wanted) | hosts | asked

    def _job(self, scope: Scope, rules: RuleSet) -> Job:
        about = {rule.id: rule for rule in self.book.rules}
        admitted = Admitted(about[name] for name in rules.rules if name in about)
        files: list[tuple[str, str]] = []
        for path, host in scope.files:
            if host is not None and host in rules.languages:
                files.append((path, host))
            else:
                self.summary.other_languages += 1
        return self._made(files, admitted, scope, about, scope.objects)

    def _made(
        self,
        files: Sequence[tuple[str, str]],
        admitted: Admitted,
        scope: Scope,
        about: dict[str, Rule],
        objects: dict[str, str] | None,
    ) -> Job:
        wish, settings = self._wish, self._settings
        names = [self._names.of(path) for path, _ in files]
        use = [admitted.of(name) for name in names]
        self._admitted = admitted
        judge = Judge(
            self.book.known, self._running, self.book.whole, settings.unused, settings.require_reason
        )
        blobs = Blobs(scope.repo.top) if objects is not None and scope.repo is not None else None
        return Job(
            [path for path, _ in files],
            names,
            [host for _, host in files],
            self._rules,
            about,
            judge,
            use,
            admitted.sets,
            self._selection.max_size,
            keys=wish.keys or wish.update or self._known is not None,
            fixers=self._fixers,
            cache=self._cache_for(admitted),
            blobs=blobs,
            objects=[objects[path] for path, _ in files] if objects is not None else [],
        )

    def _cache_for(self, admitted: Admitted) -> Cache | None:
        if self._cache is not None:
            self._cache.choose(admitted.sets)
        return self._cache

    # --- meanwhile ----------------------------------------------------------------------------------------

    def _answers(self, job: Job) -> Iterator[FileAnswer]:
        self._sharing = Sharing(job, self._wish.jobs)
        view = self._view if job is self.job else None
        known = view.known() if view is not None else {}
        rest = self._sharing.run([at for at in range(len(job.files)) if at not in known], None)
        for at in range(len(job.files)):
            answer: FileAnswer | None = known.get(at)
            if answer is None:
                _, (answer, fresh) = next(rest)
                self._note(job, fresh)
                if view is not None:
                    view.keep(at, answer)
            self._tick()
            yield answer

    def _note(self, job: Job, fresh: Fresh | None) -> None:
        """Have the cache keep what is new, and know what was of use."""
        if fresh is None or job.cache is None:
            return
        if not fresh[1]:
            self._recalled.append(fresh[0])
            return
        self._fresh.append(fresh)
        if len(self._fresh) >= _BATCH:
            job.cache.put(self._fresh)
            self._fresh.clear()

    def _end(self, job: Job) -> None:
        if self._sharing is not None:
            self._sharing.close()
        if job.cache is not None:
            job.cache.put(self._fresh)
            job.cache.touch(self._recalled)
            job.cache.close()
            self._fresh.clear()
            self._recalled.clear()
        if job.blobs is not None:
            job.blobs.close()

    # --- the baseline ------------------------------------------------------------------------------------

    def _without_known(self, answers: list[FileAnswer]) -> list[FileAnswer]:
        """The answers without what the baseline has; writes it anew if that was asked for."""
        self._end(self.job)
        if self._scope.old:
            assert self._known is not None
            self._known += self._before()
        places: list[tuple[int, int]] = []
        entries: list[Entry] = []
        for number, answer in enumerate(answers):
            for at, one in enumerate(answer.findings if isinstance(answer, Scanned) else ()):
                if one.aside is None and one.key is not None:
                    assert isinstance(answer, Scanned)
                    places.append((number, at))
                    entries.append(entry(answer.name, one.rule, one.key))
        if self._wish.update:
            self._write(entries, answers)
            return answers
        known = known_before.known_of(entries, self._known or {}, self._place)
        gone: dict[int, set[int]] = {}
        for (number, at), is_known in zip(places, known, strict=True):
            if is_known:
                gone.setdefault(number, set()).add(at)
        return [
            _without(answer, gone[number]) if isinstance(answer, Scanned) and number in gone else answer
            for number, answer in enumerate(answers)
        ]

    def _before(self) -> Counter[Entry]:
        """What the rules find in the files of the revision."""
        scope = self._scope
        hosts = dict(scope.files)
        files: list[tuple[str, str]] = []
        objects: dict[str, str] = {}
        for path, name in scope.old:
            host = hosts.get(path) or registry.language_of_path(path)
            if host is not None and host in self._rules.languages and path not in objects:
                files.append((path, host))
                objects[path] = name
        about = {rule.id: rule for rule in self.book.rules}
        old = replace(self._made(files, self._admitted, scope, about, objects), fixers=None)
        found: Counter[Entry] = Counter()
        try:
            for answer in self._answers(old):
                if isinstance(answer, Scanned):
                    found.update(
                        entry(answer.name, one.rule, one.key)
                        for one in answer.findings
                        if one.aside is None and one.key is not None
                    )
        finally:
            self._end(old)
        return found

    def _place(self, name: str) -> frozenset[str] | None:
        """The contexts of a file today; None if it is gone."""
        from structural.syntax.outline import outline
        from structural.workflow.scanning.keys import Contexts

        path = os.path.join(self._settings.folder, name)
        if not os.path.lexists(path):
            return None
        source = read_file(path, self._selection.max_size)
        host = registry.language_of_path(path)
        if isinstance(source, Skipped) or host is None:
            return _Everything()
        try:
            return Contexts(outline(source, host).definitions).names
        except StructuralError:
            return _Everything()

    def _write(self, entries: list[Entry], answers: list[FileAnswer]) -> None:
        """Write the baseline: what is there now, and of what it had what this scan could not see."""
        seen = {answer.name for answer in answers if isinstance(answer, Scanned)}
        running = self._running | {UNUSED, NO_REASON}

        def still(one: Entry) -> bool:
            there = os.path.lexists(os.path.join(self._settings.folder, one.name))
            return there and not (one.name in seen and one.rule in running)

        made = known_before.updated(self._known or {}, entries, still)
        known_before.write_baseline(self._file, made)
        self.updated = self._file, sum(made.values())


class _Everything(frozenset[str]):
    """The contexts of a file of which they are not known: none of them is gone."""

    def __contains__(self, name: object) -> bool:
        return True


def _without(answer: Scanned, gone: set[int]) -> Scanned:
    kept: tuple[Found, ...] = tuple(one for at, one in enumerate(answer.findings) if at not in gone)
    return replace(answer, findings=kept, source=answer.source if kept else None, known=len(gone))


def _no_baseline(folder: str) -> UsageError:
    return UsageError(
        f"{folder!r} is a folder; a baseline is a file, or a revision of git",
        hint=f"name a file, as {os.path.join(folder, 'scan-baseline.json')}",
    )


def _languages_of(rules: Sequence[Rule]) -> frozenset[str]:
    """The languages that *rules* are for."""
    return frozenset(name for rule in rules for name in rule.languages)


def _of_languages(paths: Sequence[str], rules: Sequence[Rule]) -> int:
    """How many of *paths* are in a language that one of *rules* is for."""
    named = _languages_of(rules)
    return sum(registry.language_of_path(path) in named for path in paths)


def _each_once(problems: Sequence[Problem]) -> list[Problem]:
    seen: dict[tuple[object, ...], Problem] = {}
    for one in problems:
        seen.setdefault((one.path, one.at.line, one.at.column, one.message), one)
    return list(seen.values())


def _nothing() -> None:
    pass
