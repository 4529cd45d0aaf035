"""Planning a rewrite over files: search, and rewrite every file that matched.

A file is rewritten where it is searched, from the same tree (``_Further``), so in several processes
if the search takes several.  What has to be mended or refused, what goes wrong there, and a file of
which only some matches are wanted, is rewritten here, in the order of the files: the answer is
the same with one process and with many.

Nothing is written and nothing staged here: ``plan_paths`` streams, in path order, one
``FileRewrite`` for every file with matches, while its summary fills.  What was searched
and skipped is in the search's own summary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from structural.errors import RewriteError, StructuralError, UnsearchableError
from structural.pattern.compile import Pattern, Reading
from structural.pattern.values import ReadingInfo
from structural.rewrite.packing import pack, unpack
from structural.rewrite.parts import Run
from structural.rewrite.source import rewrite_source, search_and_rewrite
from structural.rewrite.template import compile_template
from structural.rewrite.values import Refused, RewriteSite, Rewritten
from structural.search.plan import compile_one
from structural.search.scan import Results, search_paths
from structural.search.source import SourceResult, may_hold, search_source
from structural.search.values import Failed, PatternSpec, Searched, Selection, Skipped, Summary
from structural.search.worker import describe
from structural.syntax import registry

if TYPE_CHECKING:
    from structural.search.memory import Memory

__all__ = [
    "Again",
    "FileRewrite",
    "PlanSummary",
    "Plans",
    "Refused",
    "RewriteSite",
    "RewriteSpec",
    "Rewritten",
    "plan_paths",
]


@dataclass(frozen=True, slots=True)
class RewriteSpec:
    """A pattern and what its matches become."""

    pattern: PatternSpec
    rewrite: str
    transforms: tuple[str, ...] = ()
    """New names made from others, such as ``NEW=convert($X, toCase=snakeCase)``."""
    until_stable: bool = False
    """Run again over the result until the pattern finds nothing more to change."""


@dataclass(frozen=True, slots=True)
class FileRewrite:
    """What becomes of one file with matches.  ``path`` is written as the search wrote it."""

    path: str
    language: str
    rewritten: Rewritten


@dataclass(slots=True)
class RuleTally:
    """What came of one rule over all files; as ``PlanSummary`` counts."""

    title: str = ""
    """Which of its rewrites is staged."""
    files: int = 0
    sites: int = 0
    matches: int = 0
    unchanged: int = 0
    overlapping: int = 0
    refused: int = 0
    again: int = 0


@dataclass(slots=True)
class Ruled:
    """Of a plan by rules.  ``rules``: those that found something; ``left``: why others are not staged
    (``suspicious``, ``display``, ``no rewrite``) → their ids; ``problems``: mistakes in rules, each as
    place, message and hint; ``suppressed``: findings that comments set aside."""

    rules: dict[str, RuleTally] = field(default_factory=dict)
    left: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problems: list[tuple[str, str, str]] = field(default_factory=list)
    broken: int = 0
    """Rules that could not be used."""
    suppressed: int = 0


@dataclass(slots=True)
class PlanSummary:
    """Counts over all files.  Fills while the plans stream."""

    search: Summary
    files: int = 0
    """Files that change."""
    sites: int = 0
    matches: int = 0
    """Matches that are rewritten; a site may hold several."""
    unchanged: int = 0
    """Matches whose rewrite is the code that is there."""
    overlapping: int = 0
    """Matches that overlap one that is rewritten."""
    refused: int = 0
    again: int = 0
    """Matches that the pattern finds in the text after."""
    cycles: list[str] = field(default_factory=list)
    """Files whose runs were ended before they came to rest."""
    unfit: dict[str, str] = field(default_factory=dict)
    """Language with matches in which the rewrite is no code → why; those matches are refused."""
    ruled: Ruled | None = None
    """Of a plan by rules."""

    @property
    def cut(self) -> str:
        return self.search.cut


def plan_paths(
    spec: RewriteSpec,
    selection: Selection | None = None,
    *,
    jobs: int = 1,
    max_count: int = 0,
    tick: Callable[[], None] | None = None,
    memory: Memory | None = None,
) -> Plans:
    """Plan the rewrite of the files of *selection*; nothing is changed.

    Raises at once what ``search_paths`` raises, and a RewriteError if the rewrite fits the pattern
    in no language.  Where it fits in one but not in another, matches of the other are refused.
    """
    further = _Further(spec)
    results = search_paths(
        spec.pattern, selection, jobs=jobs, max_count=max_count, tick=tick, memory=memory, further=further
    )
    return Plans(spec, results, further)


class _Further:
    """Rewrites the files of a search, in whatever process.  What was compiled stays with it and is
    not sent along."""

    def __init__(self, spec: RewriteSpec) -> None:
        self.spec = spec
        self._runs: dict[tuple[str, str], Run] = {}
        self._unfit: set[str] = set()

    def __reduce__(self) -> tuple[object, ...]:
        return _Further, (self.spec,)

    def __call__(
        self, source: bytes, host: str, readings: Mapping[str, Reading], patterns: Mapping[str, Pattern]
    ) -> tuple[SourceResult, Rewritten | None]:
        if registry.get(host).embedded or host in self._unfit:
            return search_source(source, host, readings), None
        reading = may_hold(source, host, readings).get(host)
        if reading is None:
            return SourceResult(), None
        try:
            runs = {host: self.run(host, reading.rung, patterns)}
            made = search_and_rewrite(source, host, runs, until_stable=self.spec.until_stable)
        except RewriteError:  # it is told where it is asked for again
            self._unfit.add(host)
            return search_source(source, host, readings), None
        except Exception:  # it comes again where it can be told
            return search_source(source, host, readings), None
        return SourceResult(made.found, (), made.errors, True, made.exhausted), made.rewritten

    def run(self, language: str, rung: str, patterns: Mapping[str, Pattern]) -> Run:
        """The reading of the pattern that the search uses, and the rewrite for it."""
        found = self._runs.get((language, rung))
        if found is None:
            pattern, reading = _reading(patterns, language, rung)
            template = compile_template(self.spec.rewrite, pattern, reading, self.spec.transforms)
            found = self._runs[(language, rung)] = Run(reading, template)
        return found

    def pack(self, made: object) -> object:
        assert isinstance(made, Rewritten)
        return pack(made)

    def unpack(self, source: bytes, packed: object) -> object:
        return unpack(source, packed)


def _reading(patterns: Mapping[str, Pattern], language: str, rung: str) -> tuple[Pattern, Reading]:
    for pattern in patterns.values():
        for reading in pattern.readings:
            if reading.language == language and reading.rung == rung:
                return pattern, reading
    raise AssertionError(f"the search used no reading of {language} as {rung}")


class Again:
    """Rewrites other texts as a plan did: by the readings that its search used."""

    def __init__(self, spec: RewriteSpec, readings: Sequence[ReadingInfo]) -> None:
        self._spec = spec
        self._rungs = {info.language: info.rung for info in readings}
        self._runs: dict[str, Run | None] = {}

    def rewritten(self, source: bytes, host: str | None) -> tuple[RewriteSite, ...]:
        """The sites of *source*, a file of the language *host*; none where it cannot be rewritten."""
        if host is None:
            return ()
        runs = {name: run for name in self._rungs if (run := self._run(name, host)) is not None}
        try:
            return rewrite_source(source, host, runs, until_stable=self._spec.until_stable).sites
        except UnsearchableError:
            return ()

    def _run(self, language: str, host: str) -> Run | None:
        if language != host and not registry.get(host).embedded:
            return None
        if language not in self._runs:
            pattern = compile_one(self._spec.pattern, language)
            _, reading = _reading({language: pattern}, language, self._rungs[language])
            try:
                template = compile_template(self._spec.rewrite, pattern, reading, self._spec.transforms)
                self._runs[language] = Run(reading, template)
            except RewriteError:
                self._runs[language] = None
        return self._runs[language]


class Plans:
    """The answer of ``plan_paths``: iterate once.  Files that cannot be searched come as they do from
    a search; files without matches do not come."""

    def __init__(self, spec: RewriteSpec, results: Results, further: _Further) -> None:
        self.results = results
        self.summary = PlanSummary(results.summary)
        self._spec = spec
        self._further = further
        first: StructuralError | None = None
        for info in results.summary.readings:
            try:
                self._run(info.language, info.rung)
                first = None
                break
            except StructuralError as problem:
                first = first or problem
        if first is not None:
            raise first

    def __iter__(self) -> Iterator[FileRewrite | Skipped | Failed]:
        summary = self.summary
        for result in self.results:
            if not isinstance(result, Searched):
                yield result
                continue
            if not result.matches or result.source is None:
                continue
            try:
                made = self._rewritten(result, result.source)
            except UnsearchableError as problem:
                yield self._left_out(Skipped(result.path, "unsearchable", problem.message))
                continue
            except StructuralError:
                raise
            except Exception as problem:  # whatever it is, the other files must be rewritten
                yield self._left_out(Failed(result.path, describe(problem)))
                continue
            summary.files += bool(made.sites)
            summary.sites += len(made.sites)
            summary.matches += sum(site.matches for site in made.sites)
            summary.unchanged += made.unchanged
            summary.overlapping += made.overlapping
            summary.refused += len(made.refused)
            summary.again += made.again
            if made.cycle:
                summary.cycles.append(result.path)
            yield FileRewrite(result.path, result.language, made)

    def _left_out(self, result: Skipped | Failed) -> Skipped | Failed:
        """A file that was searched and could not be rewritten, counted as such."""
        self.summary.search.add(result)
        return result

    def _fitting(self, used: Mapping[str, str]) -> tuple[dict[str, Run], set[str]]:
        """The rewrite in each of these languages, and those in which it is no code."""
        runs: dict[str, Run] = {}
        for language, rung in used.items():
            if language in self.summary.unfit:
                continue
            try:
                runs[language] = self._run(language, rung)
            except RewriteError as problem:
                self.summary.unfit[language] = problem.message
        return runs, used.keys() - runs.keys()

    def _rewritten(self, result: Searched, source: bytes) -> Rewritten:
        cut = self.summary.search.cut == "max-count"
        if isinstance(result.made, Rewritten) and not cut:
            return result.made
        used = {match.language: match.reading for match in result.matches}
        runs, unfit = self._fitting(used)
        left = tuple(
            Refused(match.span, f"the rewrite is no code in {match.language}")
            for match in result.matches
            if match.language in unfit
        )
        if not runs:
            return Rewritten(source, source, refused=left, matches=len(left))
        made = rewrite_source(
            source,
            result.language,
            runs,
            until_stable=self._spec.until_stable,
            most=len(result.matches) if cut else 0,
        )
        return replace(made, refused=(*made.refused, *left), matches=made.matches + len(left))

    def _run(self, language: str, rung: str) -> Run:
        return self._further.run(language, rung, self.results.patterns)
