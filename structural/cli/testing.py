"""``astgrep test``: what is wrong with rules and their examples, with differences, then a summary.

A line is path:line:column, what is wrong, and the id of the rule; the code and the difference
stand below it.  For programs there is one JSON object.
"""

from __future__ import annotations

import sys

from structural.cli.colour import Palette, palette
from structural.cli.human import clean_path
from structural.cli.jsonout import VERSION, Value, dumps
from structural.cli.lines import clean_text, text_of
from structural.cli.options import Options
from structural.cli.output import Output, error_text
from structural.cli.statement import counted
from structural.workflow.rule_testing import CaseResult, RuleTest, TestReport, run_tests
from structural.workflow.scanning.settings import read_settings

_MOST_LINES = 12
"""Lines of code and of a difference that are shown of one example."""
_MOST_IDS = 10


def test(names: tuple[str, ...], options: Options) -> int:
    """The command; gives the exit code."""
    settings = read_settings(options["config"])
    report = run_tests(names, settings, ids=options["ids"], update=options["update"])
    output = Output()
    failed = bool(report.failures or report.broken)
    if options["strict"]:
        failed |= bool(report.problems or report.lacking("matching") or report.lacking("not-matching"))
        failed |= any(one.new or one.stale for one in report.rules)
    if options["as_json"]:
        output.write(dumps(_value(report, not failed)) + "\n")
    else:
        c = palette(options["color"], output.terminal)
        for problem in report.problems:
            kind = "warning" if problem.warning else "error"
            about = f" {c.dim}({clean_text(problem.rule)}){c.off}" if problem.rule else ""
            output.write(f"{c.path}{clean_text(str(problem))}{c.off} [{kind}]{about}\n")
            if problem.hint:
                output.write(f"    hint: {clean_text(problem.hint)}\n")
        for one in report.rules:
            for case in one.failed:
                output.write(_failure(one, case, c))
        if options["verbose"]:
            for one in report.rules:
                output.write(f"{c.name}{one.rule.id}{c.off}: {_passed(one)}\n")
    output.flush()
    c = palette(options["color"], sys.stderr is not None and sys.stderr.isatty())
    error_text("".join(f"{line}\n" for line in _summary(report, failed, c)))
    return 1 if failed else 0


def _failure(one: RuleTest, case: CaseResult, c: Palette) -> str:
    result = case.result
    at = result.example.at
    head = f"{c.path}{clean_path(case.path)}{c.off}:{c.line}{at.line}{c.off}:{at.column}"
    lines = [f"{head}: {c.name}{one.rule.id}{c.off} {c.error}{clean_text(result.message)}{c.off}"]
    lines += _some(result.example.code.rstrip("\n").split("\n"), "    ")
    if result.difference:
        lines.append("  expected (-) and found (+):")
        for line in _some(result.difference.rstrip("\n").split("\n"), ""):
            colour = {"-": c.removed, "+": c.added, "@": c.hunk}.get(line[:1], "")
            lines.append(
                f"    {colour}{text_of(line.encode('utf-8', 'replace'), clean=True)}{c.off if colour else ''}"
            )
    return "".join(f"{line}\n" for line in lines)


def _some(lines: list[str], indent: str) -> list[str]:
    shown = [indent + text_of(line.encode("utf-8", "replace"), clean=True) for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append(f"{indent}… {len(lines) - _MOST_LINES} more lines")
    return shown


def _passed(one: RuleTest) -> str:
    good = len(one.cases) - len(one.failed)
    return f"{good} of {counted(len(one.cases), 'example', 'examples')} as they should be"


def _summary(report: TestReport, failed: bool, c: Palette) -> list[str]:
    lines = []
    for side in ("matching", "not-matching"):
        ids = report.lacking(side)
        if ids:
            more = f" and {len(ids) - _MOST_IDS} more" if len(ids) > _MOST_IDS else ""
            rules = counted(len(ids), "rule has", "rules have")
            lines.append(f"{rules} no {side} example: {', '.join(ids[:_MOST_IDS])}{more}")
    new, stale = (sum(getattr(one, name) for one in report.rules) for name in ("new", "stale"))
    if new:
        lines.append(f"{counted(new, 'case has', 'cases have')} no snapshot; --update writes them")
    if stale:
        lines.append(f"{counted(stale, 'snapshot is', 'snapshots are')} of no case; --update takes them out")
    if report.updated:
        lines.append(
            f"wrote {counted(len(report.updated), 'snapshot file', 'snapshot files')}; "
            f"`astedit undo {report.change}` takes that back"
        )
    total = counted(report.examples, "example", "examples")
    rules = counted(len(report.rules), "rule", "rules")
    word = f"{c.error}FAILED{c.off}" if failed else "passed"
    parts = [f"{report.failures} of {total} failed"] if report.failures else [f"{total}"]
    if report.broken:
        parts.append(counted(len(report.broken), "problem", "problems"))
    lines.append(f"{word}: {rules}, {', '.join(parts)}")
    return lines


# --- for programs -----------------------------------------------------------------------------------------


def _value(report: TestReport, passed: bool) -> Value:
    return {
        "version": VERSION,
        "passed": passed,
        "rules": [_rule_value(one) for one in report.rules],
        "problems": [
            {
                "path": one.path,
                "line": one.at.line,
                "column": one.at.column,
                "rule": one.rule,
                "message": one.message,
                "hint": one.hint,
                "warning": one.warning,
            }
            for one in report.problems
        ],
        "summary": {
            "rules": len(report.rules),
            "examples": report.examples,
            "failed": report.failures,
            "without_matching": list(report.lacking("matching")),
            "without_not_matching": list(report.lacking("not-matching")),
            "updated": list(report.updated),
            "change": report.change,
        },
    }


def _rule_value(one: RuleTest) -> Value:
    return {
        "id": one.rule.id,
        "path": one.rule.path,
        "line": one.rule.at.line,
        "new_snapshots": one.new,
        "stale_snapshots": one.stale,
        "examples": [_case_value(case) for case in one.cases],
    }


def _case_value(case: CaseResult) -> Value:
    result = case.result
    return {
        "path": case.path,
        "line": result.example.at.line,
        "column": result.example.at.column,
        "code": result.example.code,
        "matching": result.matching,
        "found": len(result.findings),
        "fault": result.fault,
        "message": result.message,
        "difference": result.difference,
        "rewritten": result.rewritten,
        "syntax_errors": result.syntax_errors,
    }
