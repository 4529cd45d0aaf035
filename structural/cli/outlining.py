"""``astgrep outline``: the definitions of files, under the path of each, indented as they lie in each other.

A line is the range of lines, then the head of the definition.  For programs there is one JSON
object, or one a line.  It ends as a search does: with a statement of what was and was not
looked at, and in order whatever ends it early.
"""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from typing import Protocol, TypeGuard

from structural.cli.colour import Palette, palette
from structural.cli.jsonout import VERSION, Value, dumps, range_value
from structural.cli.lines import last_line, text_of
from structural.cli.options import Options, exclusive, languages_of, selection_of
from structural.cli.output import Output, ReaderGoneError, error_text
from structural.cli.progress import Progress
from structural.cli.showing import show
from structural.cli.statement import counted, left_out, listed
from structural.workflow.outlining import (
    Definition,
    LineIndex,
    Outlined,
    OutlineSummary,
    narrowing,
    outline_paths,
)

_NAMES = 8
"""Failed files that are told by name."""


class _Printer(Protocol):
    def file(self, result: Outlined) -> None: ...
    def finish(self, summary: OutlineSummary) -> None: ...


def outline(paths: tuple[str, ...], options: Options) -> int:
    """The command; gives the exit code.  Raises StructuralError for a wrong call."""
    exclusive(options, "as_json", "as_lines")
    narrow = narrowing(options["depth"], languages_of(options["sorts"]), options["match"] or "")
    progress = Progress()
    results = outline_paths(
        selection_of(paths, options),
        languages=languages_of(options["outlined"]),
        narrow=narrow,
        tick=progress.tick,
    )
    summary = results.summary
    output = Output()
    printer = _printer(output, options)

    def end(code: int) -> None:
        printer.finish(summary)
        output.flush()
        _say(summary, options)

    try:
        code = show(results, summary, output, progress, wanted=_defines, file=printer.file, finish=end)
    except ReaderGoneError:
        return 0 if summary.definitions else 1
    if code or (options["strict"] and summary.incomplete):
        return code or 3
    return 0 if summary.definitions else 1


def _defines(result: object) -> TypeGuard[Outlined]:
    return isinstance(result, Outlined) and bool(result.definitions)


def _printer(output: Output, options: Options) -> _Printer:
    if options["as_json"]:
        return _OneObject(output)
    if options["as_lines"]:
        return _Lines(output)
    return _Indented(output, palette(options["color"], output.terminal))


# --- for people ---------------------------------------------------------------------------------------


class _Indented:
    """Under the path of each file a line a definition, indented by what is shown around it."""

    def __init__(self, output: Output, colours: Palette) -> None:
        self._output, self._colours = output, colours
        self._any = False

    def file(self, result: Outlined) -> None:
        """Show one file."""
        c = self._colours
        self._output.write(f"{self._any * chr(10)}{c.path}{result.path}{c.off}\n")
        self._any = True
        lines = LineIndex(result.source)
        ranges = [_lines(one, lines) for one in result.definitions]
        width = max(map(len, ranges))
        indents: list[int] = []
        for one, place in zip(result.definitions, ranges, strict=True):
            indents.append(indents[one.parent] + 1 if one.parent >= 0 else 0)
            gutter = f"  {c.line}{place}{c.off}{' ' * (width - len(place))}"
            self._output.write(f"{gutter}  {'  ' * indents[-1]}{_head(one, c)}\n")

    def finish(self, summary: OutlineSummary) -> None:
        """Nothing: the statement says the rest."""


def _lines(one: Definition, lines: LineIndex) -> str:
    first, last = lines.line(one.span.start), last_line(lines, one.span)
    return f"{first}" if first == last else f"{first}-{last}"


def _head(one: Definition, c: Palette) -> str:
    head = text_of(one.head.encode(), clean=True)
    found = re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", head) if c.name else None
    if found is None:
        return head
    return f"{head[: found.start()]}{c.name}{found[0]}{c.off}{head[found.end() :]}"


def _say(summary: OutlineSummary, options: Options) -> None:
    c = palette(options["color"], sys.stderr is not None and sys.stderr.isatty())
    text = f"{_found(summary)}{left_out(summary)}{f'; cut: {summary.cut}' if summary.cut else ''}\n"
    if summary.general:
        text += f"by general rules, some may be missing: {listed(summary.general)}\n"
    for failed in summary.failed[:_NAMES]:
        text += f"{c.error}failed{c.off} on {failed.path}: {failed.error} (this is a bug of this program)\n"
    if options["strict"]:
        for skipped in summary.skipped_paths:
            detail = f" ({skipped.detail})" if skipped.detail else ""
            text += f"skipped {skipped.path}: {skipped.reason}{detail}\n"
    error_text(text)


def _found(summary: OutlineSummary) -> str:
    if not summary.files and not summary.skipped:
        others = counted(summary.other_languages, "file of another language", "files of other languages")
        return f"no file was found{f'; {others} left out' if summary.other_languages else ''}"
    where = counted(summary.outlined, "file")
    if not summary.definitions:
        return f"no definition in {where}"
    return f"{counted(summary.definitions, 'definition')} in {summary.with_definitions:,} of {where}"


# --- for programs ---------------------------------------------------------------------------------------


class _OneObject:
    """``--json``: ``{version, files, summary}``."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._any = False
        output.write(f'{{"version": {VERSION}, "files": [')

    def file(self, result: Outlined) -> None:
        """Write one file."""
        self._output.write(f"{',' * self._any}\n{dumps(file_value(result))}")
        self._any = True

    def finish(self, summary: OutlineSummary) -> None:
        """Close the object."""
        line = "\n" if self._any else ""
        self._output.write(f'{line}], "summary": {dumps(outline_summary_value(summary))}}}\n')


class _Lines:
    """``--jsonl``: a line a file, then the summary."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def file(self, result: Outlined) -> None:
        """Write one file."""
        self._output.write(f"{dumps({'type': 'file', **file_value(result)})}\n")

    def finish(self, summary: OutlineSummary) -> None:
        """Write the last line."""
        value = {"type": "summary", "version": VERSION, "summary": outline_summary_value(summary)}
        self._output.write(f"{dumps(value)}\n")


def file_value(result: Outlined) -> Value:
    """One file as a JSON value."""
    lines = LineIndex(result.source)
    return {
        "path": result.path,
        "language": result.language,
        "syntax_errors": result.syntax_errors,
        "general": list(result.general),
        "definitions": [
            {
                "sort": one.sort,
                "name": one.name,
                "owner": one.owner,
                "head": one.head,
                "language": one.language,
                "kind": one.kind,
                "depth": one.depth,
                "parent": one.parent,
                "range": range_value(one.span, lines),
                "name_range": range_value(one.name_span, lines),
            }
            for one in result.definitions
        ],
    }


def outline_summary_value(summary: OutlineSummary) -> Value:
    """What was looked at and what was not, as a JSON value."""
    return {
        "files": summary.files,
        "outlined": summary.outlined,
        "with_definitions": summary.with_definitions,
        "definitions": summary.definitions,
        "skipped": summary.skipped,
        "skipped_paths": [asdict(skipped) for skipped in summary.skipped_paths],
        "failed": [asdict(failed) for failed in summary.failed],
        "syntax_error_files": summary.syntax_error_files,
        "general": summary.general,
        "ignored": summary.ignored,
        "hidden": summary.hidden,
        "links": summary.links,
        "other_languages": summary.other_languages,
        "cut": summary.cut,
        "complete": not summary.incomplete,
    }
