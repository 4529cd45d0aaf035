"""Planning a rewrite over files: search, and rewrite every file that matched.

Nothing is written and nothing staged here: ``plan_paths`` streams, in path order, one
``FileRewrite`` for every file with matches, while its summary fills.  What was searched
and skipped is in the search's own summary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from structural.errors import RewriteError, StructuralError, UnsearchableError
from structural.pattern.compile import Pattern, Reading
from structural.rewrite.source import Run, rewrite_source
from structural.rewrite.template import compile_template
from structural.rewrite.values import Refused, RewriteSite, Rewritten
from structural.search.scan import Results, search_paths
from structural.search.values import Failed, PatternSpec, Searched, Selection, Skipped, Summary
from structural.search.worker import describe

if TYPE_CHECKING:
    from structural.search.memory import Memory

__all__ = [
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
    results = search_paths(spec.pattern, selection, jobs=jobs, max_count=max_count, tick=tick, memory=memory)
    return Plans(spec, results)


class Plans:
    """The answer of ``plan_paths``: iterate once.  Files that cannot be searched come as they do from
    a search; files without matches do not come."""

    def __init__(self, spec: RewriteSpec, results: Results) -> None:
        self.results = results
        self.summary = PlanSummary(results.summary)
        self._spec = spec
        self._runs: dict[tuple[str, str], Run] = {}
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
            used = {match.language: match.reading for match in result.matches}
            runs, unfit = self._fitting(used)
            left = tuple(
                Refused(match.span, f"the rewrite is no code in {match.language}")
                for match in result.matches
                if match.language in unfit
            )
            most = len(result.matches) if summary.search.cut == "max-count" else 0
            try:
                made = (
                    rewrite_source(
                        result.source, result.language, runs, until_stable=self._spec.until_stable, most=most
                    )
                    if runs
                    else Rewritten(result.source, result.source)
                )
                made = replace(made, refused=(*made.refused, *left), matches=made.matches + len(left))
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

    def _run(self, language: str, rung: str) -> Run:
        """The reading of the pattern that the search used, and the rewrite for it."""
        found = self._runs.get((language, rung))
        if found is None:
            pattern, reading = self._reading(language, rung)
            found = Run(
                reading, compile_template(self._spec.rewrite, pattern, reading, self._spec.transforms)
            )
            self._runs[(language, rung)] = found
        return found

    def _reading(self, language: str, rung: str) -> tuple[Pattern, Reading]:
        for pattern in self.results.patterns.values():
            for reading in pattern.readings:
                if reading.language == language and reading.rung == rung:
                    return pattern, reading
        raise AssertionError(f"the search used no reading of {language} as {rung}")
