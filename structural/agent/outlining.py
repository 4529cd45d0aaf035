"""The tool ``outline``: the definitions of files, one line each.

A page holds files in order until the budget is full; files behind it are not looked at.  The
offset of its cursor is the number of the file and that of the definition in it.  A page that ends
within a file goes on only while that file is what it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain, islice

from structural.agent import cursor as cursors
from structural.agent import statement
from structural.agent.budget import Room, clip, count, listed, trim
from structural.agent.schema import (
    BUDGET,
    BUDGET_DEFAULT,
    CURSOR,
    CUT,
    FILES,
    SCOPE,
    answer,
    number,
    record,
    several,
    text,
)
from structural.agent.searching import next_page
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench
from structural.workflow.outlining import (
    SORTS,
    Definition,
    LineIndex,
    Outlined,
    OutlineResult,
    OutlineSummary,
    narrowing,
    outline_paths,
)
from structural.workflow.searching import Summary

_HEAD = 160
"""Characters of a definition's head."""

_MOST = 1_000_000
"""More definitions than a file can have, for the offset of a cursor."""


def outline(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool."""
    key = cursors.key_of("outline", arguments)
    at = cursors.read(arguments["cursor"], key) if "cursor" in arguments else None
    narrow = narrowing(
        arguments.get("depth", 0), tuple(arguments.get("sorts", ())), arguments.get("match", "")
    )
    found = outline_paths(
        bench.selection(arguments),
        languages=tuple(arguments.get("languages", ())),
        narrow=narrow,
        tick=call.tick,
    )
    call.total = found.summary.files
    paths = found.paths
    first, skip = divmod(at.offset if at else 0, _MOST)
    results = found.after(first)
    begun = tuple(islice(results, 1 if skip else 0))
    if at is not None and at.state != _state(paths, begun[0] if begun else None):
        raise cursors.moved()
    budget = arguments.get("budget", BUDGET_DEFAULT)
    value: Answer = {"ok": True, "summary": "", "files_total": len(paths), "results": []}
    widest = cursors.Cursor(key, "-" * 10, len(paths) * _MOST + _MOST)
    cut = {"shown": len(paths), "left": len(paths), "cursor": str(widest)}
    frame = {**value, "cut": cut, "next": [next_page("outline", arguments, str(widest), value)]}
    room = Room(budget, frame, reserve=min(700, budget // 2))
    stopped = _fill(value, bench, enumerate(chain(begun, results), first), skip, room)
    summary = found.summary
    value["scope"] = statement.scope(_as_search(summary), bench.inside)
    shown = sum(len(one["definitions"]) for one in value["results"])
    end = f"; {count(summary.outlined, 'file')} outlined"
    if stopped is not None:
        file, definition, result = stopped
        state = _state(paths, result if definition else None)
        cursor = str(cursors.Cursor(key, state, file * _MOST + definition))
        left = len(paths) - file
        value["cut"] = {"shown": len(value["results"]), "left": left, "cursor": cursor}
        value["next"] = [next_page("outline", arguments, cursor, value)]
        end += f", {count(left, 'file')} not looked at yet"
    value["summary"] = f"{count(shown, 'definition')} in {count(len(value['results']), 'file')}{end}"
    if summary.general:
        value["remarks"] = [f"of {listed(summary.general)} only the general shapes of definitions are known"]
    trim(value, budget)
    return value


def _state(paths: Sequence[str], begun: OutlineResult | None) -> str:
    """A short digest of the list of files, and of the text of the one that a page ended within."""
    source = begun.source if isinstance(begun, Outlined) else b""
    return cursors.short("\0".join(paths).encode("utf-8", "surrogateescape") + b"\0\0" + source)


def _fill(
    value: Answer, bench: Workbench, results: Iterator[tuple[int, OutlineResult]], skip: int, room: Room
) -> tuple[int, int, Outlined] | None:
    """Put in definitions while there is room, of the first file from number *skip* on; where it was
    stopped: the number of the file, that of the definition, and the file."""
    for at, result in results:
        start, skip = skip, 0
        if not isinstance(result, Outlined):
            continue
        lines = LineIndex(result.source)
        entry: Answer = {
            "path": bench.inside.shown(result.path),
            "language": result.language,
            "definitions": [],
        }
        taken = False
        for number_of, one in enumerate(result.definitions[start:], start):
            line = _line(one, lines)
            fits = room.take(line if taken else {**entry, "definitions": [line]})
            if not fits and (value["results"] or taken):
                return at, number_of, result
            if not fits:
                line = clip(line, max(40, room.left))
                room.take(line, must=True)
            if not taken:
                value["results"].append(entry)
                taken = True
            entry["definitions"].append(line)
            if not fits:
                return at, number_of + 1, result
    return None


def _line(one: Definition, lines: LineIndex) -> str:
    """As ``  12-30 method def area(self)``."""
    first = lines.line(one.span.start)
    last = lines.line(max(one.span.start, one.span.end - 1))
    where = f"{first}-{last}" if last != first else f"{first}"
    return f"{'  ' * one.depth}{where} {one.sort} {clip(one.head or one.name, _HEAD)}"


def _as_search(summary: OutlineSummary) -> Summary:
    """The statement of an outline, in the words of a search."""
    names = asdict(summary)
    kept = ("files", "skipped", "ignored", "hidden", "links", "other_languages", "cut", "syntax_error_files")
    made = Summary(**{name: names[name] for name in kept}, searched=summary.outlined)
    made.skipped_paths, made.failed = summary.skipped_paths, summary.failed
    return made


TOOL = Tool(
    "outline",
    "Outline files",
    told(
        """
        List the definitions of files (functions, methods, classes, types, constants, headings …), one line
        each: its range of lines, what it is, and its head, indented as they lie in each other.

        Use it to find your way in a file or folder before you read it, or to find where something is defined
        (`match`). Do not use it to find uses: that is ast_grep.

        Example: {"paths": ["src"], "sorts": ["class", "function"], "depth": 2}.
        """
    ),
    record(
        {
            **FILES,
            "languages": several(text(longest=100), "Only these languages.", most=100),
            "depth": number("Levels to show: 1 is what lies in nothing else; 0 is all (default)."),
            "sorts": several(text(one_of=tuple(SORTS)), "Only definitions of these sorts."),
            "match": text("Only names in which this regular expression finds something.", longest=500),
            "budget": BUDGET,
            "cursor": CURSOR,
        }
    ),
    answer(
        {
            "files_total": number("Files in scope."),
            "results": several(
                record(
                    {
                        "path": text(),
                        "language": text(),
                        "definitions": several(text(), "FIRST-LAST SORT HEAD, indented by depth."),
                    },
                    "path",
                    "language",
                    "definitions",
                ),
                "Files with definitions, by path.",
            ),
            "scope": SCOPE,
            "cut": CUT,
        },
        "files_total",
        "results",
        "scope",
    ),
    outline,
)
