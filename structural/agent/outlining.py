"""The tool ``outline``: the definitions of files, one line each.

A page holds files in order until the budget is full; files behind it are not looked at.  The
offset of its cursor is the number of the file and that of the definition in it.
"""

from __future__ import annotations

from dataclasses import asdict

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
    Outlines,
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
    state = cursors.short("\0".join(paths).encode("utf-8", "surrogateescape"))
    if at is not None and at.state != state:
        raise cursors.moved()
    first, skip = divmod(at.offset if at else 0, _MOST)
    budget = arguments.get("budget", BUDGET_DEFAULT)
    value: Answer = {"ok": True, "summary": "", "files_total": len(paths), "results": []}
    widest = cursors.Cursor(key, state, len(paths) * _MOST + _MOST)
    cut = {"shown": len(paths), "left": len(paths), "cursor": str(widest)}
    frame = {**value, "cut": cut, "next": [next_page("outline", arguments, str(widest), value)]}
    room = Room(budget, frame, reserve=min(700, budget // 2))
    stopped = _fill(value, bench, found, first, skip, room)
    summary = found.summary
    value["scope"] = statement.scope(_as_search(summary), bench.inside)
    shown = sum(len(one["definitions"]) for one in value["results"])
    end = f"; {count(summary.outlined, 'file')} outlined"
    if stopped is not None:
        cursor = str(cursors.Cursor(key, state, stopped[0] * _MOST + stopped[1]))
        left = len(paths) - stopped[0]
        value["cut"] = {"shown": len(value["results"]), "left": left, "cursor": cursor}
        value["next"] = [next_page("outline", arguments, cursor, value)]
        end += f", {count(left, 'file')} not looked at yet"
    value["summary"] = f"{count(shown, 'definition')} in {count(len(value['results']), 'file')}{end}"
    if summary.general:
        value["remarks"] = [f"of {listed(summary.general)} only the general shapes of definitions are known"]
    trim(value, budget)
    return value


def _fill(
    value: Answer, bench: Workbench, found: Outlines, first: int, skip: int, room: Room
) -> tuple[int, int] | None:
    """Put in definitions while there is room; the file and the definition at which it was stopped."""
    for at, result in enumerate(found.after(first), first):
        if not isinstance(result, Outlined):
            continue
        lines = LineIndex(result.source)
        entry: Answer = {
            "path": bench.inside.shown(result.path),
            "language": result.language,
            "definitions": [],
        }
        start = skip if at == first else 0
        taken = False
        for number_of, one in enumerate(result.definitions[start:], start):
            line = _line(one, lines)
            fits = room.take([entry["path"], result.language, line] if not taken else line)
            if not fits and (value["results"] or taken):
                return at, number_of
            if not fits:
                line = clip(line, max(40, room.left))
                room.take(line, must=True)
            if not taken:
                value["results"].append(entry)
                taken = True
            entry["definitions"].append(line)
            if not fits:
                return at, number_of + 1
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
