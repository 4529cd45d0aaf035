"""``astgrep search``: run the search, show results as they come, end with the statement.

Whatever ends the search early (an interrupt, a reader that went away, a full disk)
ends it in order: workers are stopped, JSON is closed, and the statement says that
the answer is cut.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, TypeGuard

from structural.cli.colour import palette
from structural.cli.errors import report
from structural.cli.options import Options, exclusive, selection_of, spec_of
from structural.cli.output import Output, ReaderGoneError, error_text, standard_input
from structural.cli.progress import Progress
from structural.cli.showing import show
from structural.cli.statement import skipped_lines, statement, stats_lines
from structural.errors import ClusterError, UsageError
from structural.workflow.collecting import seldom
from structural.workflow.searching import (
    FileResult,
    PatternSpec,
    Searched,
    Summary,
    index_for,
    search_paths,
    search_stream,
)

if TYPE_CHECKING:
    from structural.workflow.indexing import IndexMemory

STDIN = "<stdin>"


class Printer(Protocol):
    """Shows the files with matches, one after another."""

    def file(self, result: Searched) -> None: ...


def search(pattern: str, paths: tuple[str, ...], options: Options) -> int:
    """The command; gives the exit code.  Raises StructuralError for a wrong call."""
    with seldom():
        return _search(pattern, paths, options)


def _search(pattern: str, paths: tuple[str, ...], options: Options) -> int:
    exclusive(options, "count_only", "paths_only", "as_json", "as_lines")
    spec = spec_of(pattern, options)
    progress = Progress()
    results, summary, index = _results(spec, paths, options, progress)
    output = Output()
    printer = _printer(output, pattern, options)
    finish: Callable[[Summary], None] | None = getattr(printer, "finish", None)

    def end(code: int) -> None:
        if finish is not None:
            finish(summary)
        output.flush()
        _say(summary, options)

    lost: list[ClusterError] = []
    try:
        code = show(
            _while_there(results, summary, lost),
            summary,
            output,
            progress,
            wanted=_matched,
            file=printer.file,
            finish=end,
        )
    except ReaderGoneError:
        return _reader_gone(summary)
    if lost:
        return report(lost[0], as_json=False)
    if index is not None and not code:
        _keep(index)
    return code or _exit_code(summary, strict=options["strict"])


def _while_there(
    results: Iterable[FileResult], summary: Summary, lost: list[ClusterError]
) -> Iterator[FileResult]:
    """The results, up to where a cluster is *lost*: what came before is shown, and gets its end."""
    try:
        yield from results
    except ClusterError as problem:
        summary.cut = "interrupted"
        lost.append(problem)


def _results(
    spec: PatternSpec, paths: tuple[str, ...], options: Options, progress: Progress
) -> tuple[Iterable[FileResult], Summary, IndexMemory | None]:
    if options["stdin"] or "-" in paths:
        if paths not in ((), ("-",)):
            raise UsageError("standard input and paths do not go together", hint="search them one by one")
        if options["cluster"]:
            raise UsageError("a cluster searches files, not standard input", hint="leave out --cluster")
        if len(spec.languages) != 1:
            raise UsageError("standard input has no name that tells its language", hint="add --lang NAME")
        result, summary = search_stream(
            spec,
            standard_input(),
            spec.languages[0],
            STDIN,
            max_size=options["max_size"],
            max_count=options["max_count"],
        )
        return [result], summary, None
    selection = selection_of(paths, options)
    index = None if options["no_index"] or options["cluster"] else index_for(selection)
    results = search_paths(
        spec,
        selection,
        jobs=options["jobs"],
        max_count=options["max_count"],
        tick=progress.tick,
        memory=index,
        cluster=options["cluster"] or "",
    )
    progress.counts = lambda: (results.summary.files, f"{results.summary.matches:,} matches")
    return results, results.summary, index


def _printer(output: Output, pattern: str, options: Options) -> Printer:
    if options["as_json"] or options["as_lines"]:
        from structural.cli.jsonout import Lines, OneObject

        kind = OneObject if options["as_json"] else Lines
        return kind(output, pattern, stats=options["stats"])
    colours = palette(options["color"], output.terminal)
    if options["count_only"]:
        return _Each(output, lambda result: f"{colours.path}{result.path}{colours.off}:{len(result.matches)}")
    if options["paths_only"]:
        return _Each(output, lambda result: f"{colours.path}{result.path}{colours.off}")
    from structural.cli.human import Flat, Form, Headed

    around = options["context"] or 0
    before, after = options["before"], options["after"]
    form = Form(around if before is None else before, around if after is None else after, options["bindings"])
    return (Headed if output.terminal else Flat)(output, colours, form)


class _Each:
    """One short line a file."""

    def __init__(self, output: Output, line: Callable[[Searched], str]) -> None:
        self._output, self._line = output, line

    def file(self, result: Searched) -> None:
        self._output.write(f"{self._line(result)}\n")


def _say(summary: Summary, options: Options) -> None:
    colours = palette(options["color"], sys.stderr is not None and sys.stderr.isatty())
    text = statement(summary, colours)
    if options["stats"] or options["strict"]:
        text += "".join(skipped_lines(summary))
    if options["stats"]:
        text += "".join(stats_lines(summary))
    if options["explain"]:
        from structural.cli.explaining import reading_lines, refusal_lines

        text += "".join(reading_lines(summary.readings)) + "".join(refusal_lines(summary.refusals))
    error_text(text)


def _keep(index: IndexMemory) -> None:
    """Bring the index up to what the search saw; the answer is out already."""
    error_text("".join(f"warning: {problem}\n" for problem in index.problems))
    with contextlib.suppress(KeyboardInterrupt):
        index.save()


def _exit_code(summary: Summary, *, strict: bool) -> int:
    if strict and summary.incomplete:
        return 3
    return 0 if summary.matches else 1


def _matched(result: FileResult) -> TypeGuard[Searched]:
    return isinstance(result, Searched) and bool(result.matches)


def _reader_gone(summary: Summary) -> int:
    """The reader had enough; nobody is told, as other tools do."""
    return 0 if summary.matches else 1
