"""The tool ``ast_grep``: search, counts first, then as many matches as fit.

A search is always done to its end, so that its counts are true; of the matches only a
window is kept as rows.  While no file changes, the pages of an answer are cut from what
is kept; else the search is done again, and a cursor into another result is refused.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from structural.agent import cursor as cursors
from structural.agent import slips, statement
from structural.agent.budget import Room, clip, clip_json, count, dumps, listed, trim
from structural.agent.schema import (
    BUDGET,
    BUDGET_DEFAULT,
    CODE_LONGEST,
    CONSTRAINTS,
    CURSOR,
    CUT,
    FILES,
    READINGS,
    SAMPLE,
    SCOPE,
    answer,
    flag,
    mapping,
    number,
    record,
    several,
    text,
)
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench, spec_of
from structural.workflow.searching import LineIndex, Match, Results, Searched, Span, Summary, search_paths

WINDOW = 500
"""Matches that are kept as rows by the first page of an answer, or more for a large budget.  A caller
that pages beyond them wants all of them, so then as many are kept as ROWS holds: each window is a
search."""

ROWS = 30_000_000
"""Characters of rows that are kept at most, and one row."""

TEXT = 240
"""Characters of a match that are shown, unless the call says otherwise."""

_LINE = 300
"""Characters of a line of context, and of what a metavariable stands for."""

Row = dict[str, Any]


@dataclass(slots=True)
class Found:
    """The result of one search: all counts, and the rows of some matches."""

    summary: Summary
    state: str = ""
    """A short digest of where every match stands."""
    files: list[tuple[str, str, int]] = field(default_factory=list)
    """Path, language and number of matches of every file that has some."""
    first: int = 0
    """The number of the match that ``rows`` begin with."""
    rows: list[tuple[int, Row]] = field(default_factory=list)
    """Number of the file, and the match as it is shown."""
    fingerprint: str = ""
    """That of the search: another one where something changed since."""

    def holds(self, first: int, whole: bool) -> bool:
        """Whether a page that begins with match number *first* can be cut from this."""
        return not whole or self.first <= first < self.first + len(self.rows) or first >= self.summary.matches


def ast_grep(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool."""
    key = cursors.key_of("ast_grep", arguments)
    at = cursors.read(arguments["cursor"], key) if "cursor" in arguments else None
    found = _found(bench, arguments, call, key, at.offset if at else 0)
    if at is not None and at.state != found.state:
        raise cursors.moved()
    return sampled(
        arguments, lambda budget: _answer(bench, arguments, found, key, at.offset if at else 0, budget)
    )


def _found(bench: Workbench, arguments: Arguments, call: Call, key: str, first: int) -> Found:
    """The search of a call, with rows from match number *first* on."""
    whole = arguments.get("show", "matches") == "matches"
    spec, selection = spec_of(arguments), bench.selection(arguments)
    results = search_paths(
        spec,
        selection,
        jobs=bench.jobs,
        max_count=arguments.get("max_matches", 0),
        tick=call.tick,
        memory=bench.memory,
    )
    known: Found | None = bench.kept(key)
    if known is not None and known.fingerprint == results.fingerprint != "" and known.holds(first, whole):
        return known
    call.total = results.summary.files
    window = max(WINDOW, arguments.get("budget", BUDGET_DEFAULT) // 40)
    most = (sys.maxsize if first else window) if whole else 0
    found = _collect(bench, results, arguments, first if whole else 0, most)
    found.fingerprint = results.fingerprint
    bench.keep(key, found)
    return found


def _collect(bench: Workbench, results: Results, arguments: Arguments, first: int, most: int) -> Found:
    found = Found(results.summary, first=first)
    state = hashlib.blake2b(digest_size=5)
    at, left = 0, ROWS if most else 0
    for result in results:
        if not isinstance(result, Searched) or not result.matches or result.source is None:
            continue
        path = bench.inside.shown(result.path)
        state.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        state.update(b",".join(b"%d-%d" % (match.span.start, match.span.end) for match in result.matches))
        if left > 0 and at + len(result.matches) > first:
            lines = LineIndex(result.source)
            for match in result.matches[max(0, first - at) :]:
                row = _row(match, result.source, lines, arguments)
                found.rows.append((len(found.files), row))
                left = left - len(dumps(row)) if len(found.rows) < most else 0
                if left <= 0:
                    break
        at += len(result.matches)
        found.files.append((path, result.language, len(result.matches)))
    found.state = state.hexdigest()
    return found


def _row(match: Match, source: bytes, lines: LineIndex, arguments: Arguments) -> Row:
    """One match as it is shown."""
    start, end = lines.position(match.span.start), lines.position(match.span.end)
    most = arguments.get("text_limit", TEXT)
    row: Row = {"line": start.line, "column": start.column}
    if end.line != start.line:
        row["end_line"] = end.line
    row["text"] = clip(match.span.text(source), most)
    if arguments.get("bindings", False) and match.bindings:
        row["bindings"] = {
            one.name: clip(one.span.text(source), min(most, _LINE)) for one in match.bindings if one.name
        }
    if match.equivalences:
        row["equivalences"] = list(match.equivalences)
    around = arguments.get("context", 0)
    if around:
        row["before"] = [_line(source, lines, at) for at in range(max(1, start.line - around), start.line)]
        row["after"] = [
            _line(source, lines, at) for at in range(end.line + 1, min(lines.lines, end.line + around) + 1)
        ]
    return row


def _line(source: bytes, lines: LineIndex, line: int) -> str:
    span: Span = lines.line_span(line)
    return clip(span.text(source).rstrip("\r\n"), _LINE)


# --- the answer ------------------------------------------------------------------------------------------


def sampled(arguments: Arguments, made: Callable[[int], Answer]) -> Answer:
    """The answer that *made* gives for the budget of a call; a shorter one where it holds not all and the
    call asked for no size and no page."""
    whole = made(arguments.get("budget", BUDGET_DEFAULT))
    if "cut" in whole and not {"budget", "cursor"} & set(arguments):
        return made(SAMPLE)
    return whole


def _answer(
    bench: Workbench, arguments: Arguments, found: Found, key: str, offset: int, budget: int
) -> Answer:
    summary, inside = found.summary, bench.inside
    show = arguments.get("show", "matches")
    value: Answer = {
        "ok": True,
        "summary": _said(summary),
        "matches": summary.matches,
        "matched_files": summary.matched,
        "readings": statement.readings(summary.readings),
        "results": [],
        "scope": statement.scope(summary, inside),
    }
    if summary.near_misses:
        value["near_misses"] = statement.near(summary.near_misses, inside)
    units = {"matches": summary.matches, "files": len(found.files), "count": 0}[show]
    left = max(0, units - offset)
    _hints(value, arguments, found)
    if left:
        _more(value, arguments, cursors.Cursor(key, found.state, units), left, left)
    trim(value, budget - min(400, budget // 2))
    room = Room(budget, value, reserve=8)
    entries = _file_entries(found, offset) if show == "files" else _match_entries(found, offset)
    shown = fill(value["results"], entries if left else iter(()), room)
    if left and shown < left:
        _more(value, arguments, cursors.Cursor(key, found.state, offset + shown), shown, left - shown)
    else:
        value.pop("cut", None)
        value.pop("next", None)
        _hints(value, arguments, found)
    trim(value, budget)
    return value


def _match_entries(found: Found, offset: int) -> Iterator[tuple[Row, Row]]:
    """Each match with the entry of its file."""
    for at, row in found.rows[offset - found.first :]:
        path, language, number_of = found.files[at]
        yield {"path": path, "language": language, "count": number_of}, row


def _file_entries(found: Found, offset: int) -> Iterator[tuple[Row, None]]:
    for path, language, number_of in found.files[offset:]:
        yield {"path": path, "language": language, "count": number_of}, None


def fill(
    results: list[Row], entries: Iterator[tuple[Row, Row | None]], room: Room, name: str = "matches"
) -> int:
    """Put as many entries into *results* as there is room for, and at least one.  *name*: under which the
    rows of a file stand."""
    shown = 0
    for head, row in entries:
        if row is None:
            if not room.take(head, must=not shown):
                break
            results.append(head)
        else:
            new = not results or results[-1]["path"] != head["path"]
            entry: Row = {**head, name: [row]} if new else row
            if not room.take(entry):
                if shown:
                    break
                row = _short(row, room.left - len(dumps(head)) - 80)
                room.take(row, must=True)
            if new:
                results.append({**head, name: [row]})
            else:
                results[-1][name].append(row)
        shown += 1
    return shown


_KEPT = ("line", "column", "end_line", "rule", "severity", "rewrite")
"""What is said of a place in any case."""


def _short(row: Row, most: int) -> Row:
    """A match that has to fit, whatever it is."""
    kept: Row = {name: row[name] for name in _KEPT if name in row}
    return {**kept, "text": clip_json(row["text"], max(16, most - len(dumps(kept))))}


def _more(value: Answer, arguments: Arguments, cursor: cursors.Cursor, shown: int, left: int) -> None:
    """Say that the answer is cut, and the call that goes on."""
    value["cut"] = {"shown": shown, "left": left, "cursor": str(cursor)}
    value["next"] = [next_page("ast_grep", arguments, str(cursor), value)]


def next_page(tool: str, arguments: Arguments, cursor: str, value: Answer) -> Answer:
    """The call for the next page, with all its arguments if they are not long."""
    whole = {name: one for name, one in arguments.items() if name != "cursor"}
    if len(dumps(whole)) <= 600:
        return {"why": "the rest of this answer", "tool": tool, "arguments": {**whole, "cursor": cursor}}
    why = "the rest of this answer: repeat the other arguments beside this cursor"
    return {"why": why, "tool": tool, "arguments": {"cursor": cursor}}


def _said(summary: Summary) -> str:
    end = statement.searched(summary)
    if not summary.matches:
        whole = "" if not summary.incomplete and not summary.cut else "; not everything could be searched"
        return f"no match; {end}{whole}"
    cut = f"; the search ended early ({summary.cut}), so there may be more" if summary.cut else ""
    return f"{count(summary.matches, 'match', 'matches')} in {count(summary.matched, 'file')}; {end}{cut}"


def _hints(value: Answer, arguments: Arguments, found: Found) -> None:
    """What one would ask next."""
    summary = found.summary
    steps: list[Answer] = []
    remarks: list[str] = []
    if not summary.matches and value.get("near_misses"):
        near = value["near_misses"][0]
        steps.append(
            {
                "why": "why the place that came closest does not match",
                "tool": "ast_explain",
                "arguments": {
                    "pattern": arguments["pattern"],
                    "path": near["path"],
                    "line": near["line"],
                },
            }
        )
    if not summary.matches and not summary.files:
        remarks.append(
            "no file of a language in which this pattern is code is in scope: see scope, paths and languages"
        )
    if not summary.matches:
        remarks += slips.in_pattern(arguments["pattern"])
    remarks += [
        f"{info.language}: read as {info.rung}; it also matches as {listed(info.alternatives)}, "
        "which is not counted here: ask with `as`"
        for info in summary.readings
        if info.alternatives
    ]
    if steps and len(dumps(steps)) <= 800:
        value["next"] = steps
    if remarks:
        value["remarks"] = remarks[:4]


_RESULT = record(
    {
        "path": text(),
        "language": text(),
        "count": number("Matches in this file, also those that are not shown."),
        "matches": several(
            record(
                {
                    "line": number(least=1),
                    "column": number("In characters, from 1.", least=1),
                    "end_line": number("Of a match of several lines.", least=1),
                    "text": text(),
                    "bindings": mapping(text(), "What each metavariable stands for."),
                    "equivalences": several(text(), "Equivalences without which this would be no match."),
                    "before": several(text()),
                    "after": several(text()),
                },
                "line",
                "column",
                "text",
            )
        ),
    },
    "path",
    "language",
    "count",
)

TOOL = Tool(
    "ast_grep",
    "Search code by its shape",
    told(
        """
        Find code by its shape in the files of the project. The pattern is code in the language of the
        files, with $NAME for one node, $$$NAME for any number of siblings, and $_ or $$$ where the name
        does not matter; the same name twice must be the same code. Layout, comments and optional
        semicolons do not count, and nothing inside strings or comments matches.

        Use it to find calls, guards, declarations, imports, or every use of a shape before changing it
        (ast_edit takes the same pattern). Do not use it for plain words in prose or comments: that is a
        text search.

        Example: {"pattern": "if ($X != null) $X.dispose()", "paths": ["src"]}.

        The answer has the true counts first, then matches up to the budget, how the pattern was read,
        and what was not searched. No match with complete=true means that there is none.
        """
    ),
    record(
        {
            "pattern": text("Code with metavariables.", longest=CODE_LONGEST, shortest=1),
            **FILES,
            "no_ignore": flag("Also what ignore files leave out."),
            **CONSTRAINTS,
            "show": text(
                "What to list: each match, only files with counts, or only the counts (default matches).",
                one_of=("matches", "files", "count"),
            ),
            "context": number("Lines to show before and after each match (default 0).", most=20),
            "bindings": flag(
                "Show what each metavariable stands for (default false: it is part of the text)."
            ),
            "text_limit": number(f"Most characters of a match (default {TEXT}).", least=20, most=10_000),
            "max_matches": number("End the search after so many (default: all, so that the count is true)."),
            "budget": BUDGET,
            "cursor": CURSOR,
        },
        "pattern",
    ),
    answer(
        {
            "matches": number("All matches, also those that are not shown."),
            "matched_files": number(),
            "readings": READINGS,
            "results": several(_RESULT, "By path, then by place."),
            "scope": SCOPE,
            "near_misses": several(
                record(
                    {
                        "path": text(),
                        "line": number(),
                        "text": text(),
                        "expected": text(),
                        "found": text(),
                        "places": number("Places that part from the pattern the same way."),
                    },
                    "path",
                    "line",
                    "text",
                    "expected",
                    "found",
                    "places",
                ),
                "If nothing matched: the places that came closest.",
            ),
            "cut": CUT,
        },
        "matches",
        "matched_files",
        "results",
        "scope",
    ),
    ast_grep,
)
