"""The tool ``ast_scan``: what rules find, counts first, then as many findings as fit.

As with ``ast_grep`` a scan is always done to its end, and only a window of its findings is kept as rows.
What was found in a file that has not changed since is remembered, so the next page costs little.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from structural.agent import cursor as cursors
from structural.agent import ruling, statement
from structural.agent.budget import Room, clip, count, dumps, trim
from structural.agent.ruling import PROBLEMS, RULES, SEVERITY
from structural.agent.schema import (
    BUDGET,
    BUDGET_DEFAULT,
    CURSOR,
    CUT,
    FILES,
    SCOPE,
    answer,
    flag,
    mapping,
    number,
    record,
    several,
    text,
)
from structural.agent.searching import TEXT, fill, next_page, sampled
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench
from structural.workflow.scanning import Found, Safety, Scan, Scanned, ScanSummary, Wish, scan_paths, stopping
from structural.workflow.scanning.readings import rule_readings
from structural.workflow.searching import LineIndex, Summary

WINDOW = 1_000
"""Findings that are kept as rows, or more for a large budget."""

_LISTED = 40
"""Rules, readings and mistakes that are listed at most."""

_ID, _MESSAGE = 100, 300
"""Characters of an id and of a message."""

Row = dict[str, Any]


@dataclass(slots=True)
class Told:
    """What a scan found: the counts are in its summary."""

    scan: Scan
    state: str = ""
    """A short digest of where every finding stands."""
    files: list[tuple[str, str, int]] = field(default_factory=list)
    """Path, language and number of findings of every file that has some."""
    rows: list[tuple[int, Row]] = field(default_factory=list)
    """Number of the file, and the finding as it is shown, from the offset of the call on."""

    @property
    def summary(self) -> ScanSummary:
        return self.scan.summary


def ast_scan(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool."""
    with stopping(call.pause):
        return _scan(bench, arguments, call)


def _scan(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    key = cursors.key_of("ast_scan", arguments)
    at = cursors.read(arguments["cursor"], key) if "cursor" in arguments else None
    offset = at.offset if at else 0
    book, settings = ruling.book_of(bench, arguments)
    scan = scan_paths(
        book,
        settings,
        bench.selection(arguments),
        Wish(bench.jobs, cache=False, everywhere="rule" in arguments),
        tick=call.tick,
        memory=bench.findings,
    )
    ruling.check(bench, book, scan.summary.problems, left=bool(scan.compiled.rules))
    call.total = scan.summary.files
    found = _collect(bench, scan, arguments, offset)
    if at is not None and at.state != found.state:
        raise cursors.moved()
    return sampled(arguments, lambda budget: _answer(bench, arguments, found, key, offset, budget))


def _collect(bench: Workbench, scan: Scan, arguments: Arguments, offset: int) -> Told:
    found = Told(scan)
    state = hashlib.blake2b(digest_size=5)
    wanted = arguments.get("show", "findings") == "findings"
    most = max(WINDOW, arguments.get("budget", BUDGET_DEFAULT) // 40) if wanted else 0
    rewrites = {rule.id: _rewrite(rule.rewrites) for rule in scan.rules}
    at = 0
    for one in scan:
        told = [f for f in one.findings if f.aside is None] if isinstance(one, Scanned) else []
        if not told:
            continue
        assert isinstance(one, Scanned)
        assert one.source is not None
        path = bench.inside.shown(one.path)
        state.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        for f in told:
            state.update(f"{f.rule}:{f.span.start}-{f.span.end},".encode("utf-8", "surrogatepass"))
        if len(found.rows) < most and at + len(told) > offset:
            lines = LineIndex(one.source)
            for f in told[max(0, offset - at) :][: most - len(found.rows)]:
                row = _row(f, one.source, lines, rewrites.get(f.rule, ""), arguments.get("text_limit", TEXT))
                found.rows.append((len(found.files), row))
        at += len(told)
        found.files.append((path, one.language, len(told)))
    found.state = state.hexdigest()
    return found


def _rewrite(rewrites: tuple[Any, ...]) -> str:
    """How far the most trusted of *rewrites* can be trusted; empty if there is none."""
    safeties = {one.safety for one in rewrites}
    return next(
        (one.value for one in (Safety.SAFE, Safety.SUSPICIOUS, Safety.DISPLAY) if one in safeties), ""
    )


def _row(found: Found, source: bytes, lines: LineIndex, rewrite: str, most: int) -> Row:
    """One finding as it is shown."""
    start, end = lines.position(found.span.start), lines.position(found.span.end)
    row: Row = {
        "rule": clip(found.rule, _ID),
        "severity": found.severity.value,
        "line": start.line,
        "column": start.column,
    }
    if end.line != start.line:
        row["end_line"] = end.line
    row["text"] = clip(found.span.text(source), most)
    row["message"] = clip(" ".join(found.message.split()), _MESSAGE)
    if rewrite:
        row["rewrite"] = rewrite
    return row


# --- the answer ------------------------------------------------------------------------------------------


def _answer(
    bench: Workbench, arguments: Arguments, found: Told, key: str, offset: int, budget: int
) -> Answer:
    summary = found.summary
    show = arguments.get("show", "findings")
    broken = len({one.rule or str(one) for one in summary.problems if not one.warning})
    value: Answer = {
        "ok": True,
        "summary": _said(summary, broken),
        "findings": summary.findings,
        "found_files": summary.with_findings,
        "rules": summary.rules,
        "by_severity": {
            name: summary.by_severity[name] for name in _SEVERITIES if name in summary.by_severity
        },
        "by_rule": _by_rule(found),
        "results": [],
        "scope": statement.scope(_searched(summary), bench.inside),
    }
    counts = {
        "suppressed": summary.suppressed,
        "broken_rules": broken,
        "problems_total": len(summary.problems),
    }
    value |= {name: one for name, one in counts.items() if one}
    if summary.problems:
        value["problems"] = list(ruling.told(bench, summary.problems))[:10]
    if "rule" in arguments:
        value["readings"] = _readings(found.scan)
    remarks = _remarks(bench, summary)
    if remarks:
        value["remarks"] = remarks
    units = {"findings": summary.findings, "files": len(found.files), "count": 0}[show]
    left = max(0, units - offset)
    if left:
        _more(value, arguments, cursors.Cursor(key, found.state, units), left, left)
    trim(value, budget - min(400, budget // 2))
    room = Room(budget, value, reserve=8)
    entries = _file_entries(found, offset) if show == "files" else _finding_entries(found)
    shown = fill(value["results"], entries if left else iter(()), room, "findings")
    if left and shown < left:
        _more(value, arguments, cursors.Cursor(key, found.state, offset + shown), shown, left - shown)
    else:
        value.pop("cut", None)
        value.pop("next", None)
        step = _stage(arguments, found)
        if step:
            value["next"] = [step]
    trim(value, budget)
    return value


_SEVERITIES = ("error", "warning", "info", "hint")


def _by_rule(found: Told) -> list[Row]:
    """The rules that found something, those that found most first."""
    rewrites = {rule.id: (_rewrite(rule.rewrites), rule.severity.value) for rule in found.scan.rules}
    ranked = sorted(found.summary.by_rule.items(), key=lambda item: (-item[1], item[0]))
    made: list[Row] = []
    for name, amount in ranked[:_LISTED]:
        rewrite, severity = rewrites.get(name, ("", ""))
        row: Row = {"rule": clip(name, _ID), "findings": amount}
        if severity:
            row["severity"] = severity
        if rewrite:
            row["rewrite"] = rewrite
        made.append(row)
    return made


def _readings(scan: Scan) -> list[Row]:
    """How the patterns of a rule that was given as a text were read."""
    return [
        {
            "rule": clip(one.rule, _ID),
            "pattern": clip(one.pattern, 120),
            "rung": one.rung,
            "languages": list(one.languages)[:12],
        }
        for one in rule_readings(scan.compiled)[:_LISTED]
    ]


def _searched(summary: ScanSummary) -> Summary:
    """What was scanned, as a search says it."""
    return Summary(
        files=summary.files,
        searched=summary.scanned,
        ignored=summary.ignored,
        hidden=summary.hidden,
        links=summary.links,
        other_languages=summary.other_languages,
        skipped=dict(summary.skipped),
        skipped_paths=list(summary.skipped_paths),
        failed=list(summary.failed),
        exhausted=sorted({path for path, _ in summary.exhausted}),
        syntax_error_files=len(summary.syntax_error_files),
        cut=summary.cut,
    )


def _said(summary: ScanSummary, broken: int) -> str:
    end = statement.searched(_searched(summary))
    aside = f", {summary.suppressed} suppressed by comments" if summary.suppressed else ""
    wrong = f"; {count(broken, 'rule')} could not be used" if broken else ""
    if not summary.findings:
        whole = "; not everything could be searched" if summary.incomplete else ""
        return f"no finding of {count(summary.rules, 'rule')}{aside}; {end}{whole}{wrong}"
    parts = [f"{summary.by_severity[name]} {name}" for name in _SEVERITIES if name in summary.by_severity]
    found = (
        f"{count(summary.findings, 'finding')} ({', '.join(parts)}) in {count(summary.with_findings, 'file')}"
    )
    return f"{found}{aside}; {count(summary.rules, 'rule')}, {end}{wrong}"


def _remarks(bench: Workbench, summary: ScanSummary) -> list[str]:
    said = [
        f"{clip(rule, _ID)} gave up in {clip(bench.inside.shown(path), 160)}: it leaves too many choices"
        for path, rule in summary.exhausted[:3]
    ]
    if not summary.files:
        said.append("no file of a language that these rules are for is in scope: see scope and paths")
    return said


def _finding_entries(found: Told) -> Iterator[tuple[Row, Row]]:
    for at, row in found.rows:
        path, language, amount = found.files[at]
        yield {"path": path, "language": language, "count": amount}, row


def _file_entries(found: Told, offset: int) -> Iterator[tuple[Row, None]]:
    for path, language, amount in found.files[offset:]:
        yield {"path": path, "language": language, "count": amount}, None


def _more(value: Answer, arguments: Arguments, cursor: cursors.Cursor, shown: int, left: int) -> None:
    """Say that the answer is cut, and the call that goes on."""
    value["cut"] = {"shown": shown, "left": left, "cursor": str(cursor)}
    value["next"] = [next_page("ast_scan", arguments, str(cursor), value)]


_ALSO = ("rule", "rules", "tags", *FILES)
"""Arguments that ast_edit takes too."""


def _stage(arguments: Arguments, found: Told) -> Answer | None:
    """The call that stages the rewrites of what was found."""
    safe = {rule.id for rule in found.scan.rules if _rewrite(rule.rewrites) == Safety.SAFE.value}
    ids = sorted(safe & found.summary.by_rule.keys())
    if not ids:
        return None
    step = {name: arguments[name] for name in _ALSO if name in arguments and name != "tags"} | {"ids": ids}
    if len(ids) > 20 or len(dumps(step)) > 800 or not {"rule", "rules"} & set(step):
        return None
    return {"why": "stage the safe rewrites of these findings", "tool": "ast_edit", "arguments": step}


_FINDING = record(
    {
        "rule": text(),
        "severity": text(),
        "line": number(least=1),
        "column": number("In characters, from 1.", least=1),
        "end_line": number("Of a finding of several lines.", least=1),
        "text": text("The code."),
        "message": text(),
        "rewrite": text(
            "There is a rewrite, and how far it can be trusted; ast_edit stages it (display: never).",
            one_of=("safe", "suspicious", "display"),
        ),
    },
    "rule",
    "severity",
    "line",
    "column",
    "text",
)

_RESULT = record(
    {
        "path": text(),
        "language": text(),
        "count": number("Findings in this file, also those that are not shown."),
        "findings": several(_FINDING),
    },
    "path",
    "language",
    "count",
)

_BY_RULE = record(
    {"rule": text(), "findings": number(), "severity": text(), "rewrite": text()}, "rule", "findings"
)

TOOL = Tool(
    "ast_scan",
    "Run rules over code",
    told(
        """
        Find what rules describe. A rule is a condition with a message: a pattern as of ast_grep, what must
        stand around it, in it, before or behind it, and combinations with any, all and not. Give one as text
        (`rule`), or name rule files (`rules`), of the project or of the catalogue that comes with the
        program. Without either the rules of the project's configuration run.

        Use it where one pattern does not say it: one of several shapes, only inside of something, only
        without something; or to check code with rules that are there. Do not use it for a single pattern:
        that is ast_grep.

        Example: {"rule": "id: await-in-loop\\nlanguage: [javascript, typescript]\\nmessage: await of $X in a
        loop\\nrule:\\n  pattern: await $X\\n  inside: {kind: for_statement, stop-by: end}\\n",
        "paths": ["src"]}.

        The answer has counts first, by severity and rule, then findings up to the budget, how each pattern
        was read, and what was not searched. Findings that a comment suppresses are only counted.
        """
    ),
    record(
        {
            **RULES,
            "severity": SEVERITY,
            **FILES,
            "no_ignore": flag("Also what ignore files leave out."),
            "show": text(
                "What to list: each finding, only files with counts, or only the counts (default findings).",
                one_of=("findings", "files", "count"),
            ),
            "text_limit": number(
                f"Most characters of the code of a finding (default {TEXT}).", least=20, most=10_000
            ),
            "budget": BUDGET,
            "cursor": CURSOR,
        },
    ),
    answer(
        {
            "findings": number("All findings, also those that are not shown."),
            "found_files": number(),
            "rules": number("Rules that ran."),
            "by_severity": mapping(number()),
            "by_rule": several(_BY_RULE, "Those that found most first."),
            "suppressed": number("Findings that comments in the code set aside."),
            "broken_rules": number("Rules that could not be used: see problems."),
            "problems_total": number(),
            "problems": PROBLEMS,
            "readings": several(
                record(
                    {"rule": text(), "pattern": text(), "rung": text(), "languages": several(text())},
                    "rule",
                    "pattern",
                    "rung",
                    "languages",
                ),
                "Of a rule given as text: as what each of its patterns was read.",
            ),
            "results": several(_RESULT, "By path, then by place."),
            "scope": SCOPE,
            "cut": CUT,
        },
        "findings",
        "found_files",
        "rules",
        "results",
        "scope",
    ),
    ast_scan,
)
