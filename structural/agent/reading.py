"""The tool ``read``: a file or some of its lines, numbered, with the digest that guards edits."""

from __future__ import annotations

import os

from structural.agent import statement
from structural.agent.budget import clip, clip_json, count, dumps, trim
from structural.agent.schema import BUDGET, BUDGET_DEFAULT, PATH, answer, flag, number, record, several, text
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench
from structural.errors import UsageError
from structural.workflow.searching import LineIndex, Skipped, digest, read_file

_LONGEST = 2_000
"""Characters of a line that are shown."""

_SIZE = 20_000_000
"""Bytes of a file that can be read."""


def read(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool."""
    path = bench.inside.file(arguments["path"])
    source = read_file(bench.inside.full(path), _SIZE)
    if isinstance(source, Skipped):
        full = bench.inside.full(path)
        if os.path.isdir(full):
            hint = "`outline` lists what is in a folder"
        elif not os.path.lexists(full):
            hint = "paths are relative to the root; `outline` tells which files there are"
        else:
            hint = "only text in UTF-8 is read"
        raise UsageError(f"{path} cannot be read: {source.reason} ({source.detail})", hint=hint)
    lines = LineIndex(source)
    total = _lines(source, lines)
    first = arguments.get("first", 1)
    last = min(arguments.get("last", total), total)
    if first > max(total, 1) or ("last" in arguments and arguments["last"] < first):
        raise UsageError(f"{path} has {count(total, 'line')}, so there are no lines {first} to {last}")
    value: Answer = {
        "ok": True,
        "summary": "",
        "path": path,
        "digest": statement.digest(digest(source)),
        "lines": total,
        "bytes": len(source),
        "first": first,
        "last": last,
        "text": "",
        "ends_with_newline": source.endswith(b"\n") or not source,
    }
    if b"\r\n" in source:
        value["line_endings"] = "crlf" if source.count(b"\r\n") == source.count(b"\n") else "mixed"
    budget = arguments.get("budget", BUDGET_DEFAULT)
    page, shown, clipped = _page(source, lines, first, last, budget - len(dumps(value)) - 300)
    value["text"], value["last"] = page, shown
    if clipped:
        value["clipped"] = clipped[:50]
    if shown < last:
        value["left"] = last - shown
        rest: Answer = {"path": path, "first": shown + 1}
        if "last" in arguments:
            rest["last"] = last
        value["next"] = [{"why": "the lines that follow", "tool": "read", "arguments": rest}]
    value["summary"] = f"{path}: lines {first}-{shown} of {total}" if total else f"{path}: empty"
    trim(value, budget)
    return value


def _lines(source: bytes, lines: LineIndex) -> int:
    """How many lines there are: what is behind the last line end is one only if it is something."""
    if not source:
        return 0
    return lines.lines - source.endswith(b"\n")


def _page(source: bytes, lines: LineIndex, first: int, last: int, most: int) -> tuple[str, int, list[int]]:
    """Numbered lines from *first* on that take at most *most* characters once they are written as
    JSON, at least one; the last of them, and those that were cut."""
    rows: list[str] = []
    clipped: list[int] = []
    for number_of in range(first, last + 1):
        full = lines.line_span(number_of).text(source).rstrip("\r\n")
        row = f"{number_of}\t{clip(full, _LONGEST)}"
        cost = len(dumps(row)) + 1
        if cost > most:
            if rows:
                break
            row = clip_json(row, max(most, 40))
            full = ""
        rows.append(row)
        if len(row) != len(f"{number_of}\t{full}"):
            clipped.append(number_of)
        most -= cost
    return "\n".join(rows), first + len(rows) - 1, clipped


TOOL = Tool(
    "read",
    "Read a file",
    told(
        """
        Read a text file, or some of its lines, with line numbers (each line is NUMBER, a tab, the line)
        and the digest of the whole file. Give that digest to write and edit, so that nothing is
        overwritten that you have not seen.

        Use it before you change a file by its text. Do not use it to look for code: ast_grep and
        outline cost less.

        Example: {"path": "src/app.py", "first": 40, "last": 80}.
        """
    ),
    record(
        {
            "path": PATH,
            "first": number("The first line (default 1).", least=1),
            "last": number("The last line (default: as many as fit).", least=1),
            "budget": BUDGET,
        },
        "path",
    ),
    answer(
        {
            "path": text(),
            "digest": text("Of the whole file: the beginning of its SHA-256."),
            "lines": number("Of the whole file."),
            "bytes": number(),
            "first": number(),
            "last": number("The last line that is shown."),
            "left": number("Lines that were asked for and are not shown."),
            "text": text(),
            "clipped": several(number(), "Lines that are shown only in part."),
            "ends_with_newline": flag(),
            "line_endings": text("Set if they are not plain line feeds.", one_of=("crlf", "mixed")),
        },
        "path",
        "digest",
        "lines",
        "first",
        "last",
        "text",
    ),
    read,
)
