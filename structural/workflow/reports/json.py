"""``--json`` and ``--jsonl``.  ``docs/scan-json.md`` is the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from structural.rules.values import Problem
from structural.text import LineIndex, Span
from structural.workflow.reports.common import OURS, Frame, dumps, plain
from structural.workflow.scanning.keys import APART
from structural.workflow.scanning.values import About, Found, Scanned, ScanSummary

VERSION = 1

Value = dict[str, Any]


class OneObject:
    """One object with everything; findings are written as they come."""

    def __init__(self, frame: Frame, write: Callable[[str], None]) -> None:
        self._frame, self._write = frame, write
        self._any = False
        self._seen: dict[str, None] = {}
        write(f'{{"version": {VERSION}, "findings": [')

    def file(self, scanned: Scanned) -> None:
        for value in finding_values(scanned, self._frame):
            self._seen[value["rule"]] = None
            self._write(f"{',' * self._any}\n{dumps(value)}")
            self._any = True

    def finish(self, summary: ScanSummary, code: int) -> None:
        line = "\n" * self._any
        rules = dumps(rule_values(self._frame, self._seen))
        self._write(
            f'{line}], "rules": {rules}, "problems": {dumps(problem_values(summary.problems))}, '
            f'"summary": {dumps(summary_value(summary, code, self._frame.stats))}}}\n'
        )


class Lines:
    """An object a line: findings, then the summary."""

    def __init__(self, frame: Frame, write: Callable[[str], None]) -> None:
        self._frame, self._write = frame, write
        self._seen: dict[str, None] = {}

    def file(self, scanned: Scanned) -> None:
        for value in finding_values(scanned, self._frame):
            self._seen[value["rule"]] = None
            self._write(f"{dumps({'type': 'finding', **value})}\n")

    def finish(self, summary: ScanSummary, code: int) -> None:
        value = {
            "type": "summary",
            "version": VERSION,
            "rules": rule_values(self._frame, self._seen),
            "problems": problem_values(summary.problems),
            "summary": summary_value(summary, code, self._frame.stats),
        }
        self._write(f"{dumps(value)}\n")


def finding_values(scanned: Scanned, frame: Frame) -> Iterator[Value]:
    """The findings of a file, suppressed ones too."""
    if not scanned.findings:
        return
    assert scanned.source is not None
    lines = LineIndex(scanned.source)
    for one in scanned.findings:
        yield _finding(scanned, scanned.source, lines, one)


def _finding(scanned: Scanned, source: bytes, lines: LineIndex, one: Found) -> Value:
    value: Value = {
        "rule": one.rule,
        "severity": one.severity.value,
        "message": one.message,
        "path": scanned.path,
        "language": one.language,
        "range": _range(one.span, lines),
        "text": one.span.text(source),
        "bindings": {},
        "suppressed": None,
        "rewrites": [
            {
                "title": fix.title,
                "safety": fix.safety.value,
                "edits": [
                    {"range": _range(edit.span, lines), "new": edit.new.decode("utf-8", "replace")}
                    for edit in fix.edits
                ],
                "refused": fix.refused,
            }
            for fix in one.fixes
        ],
    }
    if one.match is not None:
        value["bindings"] = {
            binding.name: [
                {"range": _range(part, lines), "text": part.text(source)} for part in binding.parts
            ]
            for binding in one.match.bindings
        }
    if one.aside is not None:
        value["suppressed"] = {"line": one.aside.line, "reason": one.aside.reason}
    if one.key is not None:
        value["fingerprint"] = one.key.fingerprint(one.rule, scanned.name)
        value["in"] = one.key.context.split(APART) if one.key.context else []
    return value


def rule_values(frame: Frame, seen: dict[str, None]) -> Value:
    """Id → what is told of a rule, for those that found something."""
    return {name: about_value(frame.rules.get(name) or OURS[name]) for name in sorted(seen)}


def about_value(about: About) -> Value:
    """What is told of a rule."""
    return {
        "severity": about.severity.value,
        "message": about.message,
        "note": about.note,
        "url": about.url,
        "tags": list(about.tags),
        "languages": list(about.languages),
        "metadata": plain(about.metadata),
        "path": about.path,
        "line": about.line,
        "rewrites": about.rewrites,
    }


def problem_values(problems: Iterable[Problem]) -> list[Value]:
    """What is wrong with rules."""
    return [
        {
            "rule": one.rule,
            "path": one.path,
            "line": one.at.line,
            "column": one.at.column,
            "message": one.message,
            "hint": one.hint,
            "warning": one.warning,
        }
        for one in problems
    ]


def summary_value(summary: ScanSummary, code: int, stats: bool) -> Value:
    """The completeness statement."""
    value: Value = {
        "files": summary.files,
        "scanned": summary.scanned,
        "with_findings": summary.with_findings,
        "findings": summary.findings,
        "by_severity": summary.by_severity,
        "by_rule": summary.by_rule,
        "suppressed": summary.suppressed,
        "known": summary.known,
        "unchanged": summary.unchanged,
        "rules": summary.rules,
        "skipped": summary.skipped,
        "skipped_paths": [asdict(one) for one in summary.skipped_paths],
        "failed": [asdict(one) for one in summary.failed],
        "exhausted": [{"path": path, "rule": rule} for path, rule in summary.exhausted],
        "syntax_error_files": summary.syntax_error_files,
        "ignored": summary.ignored,
        "hidden": summary.hidden,
        "links": summary.links,
        "other_languages": summary.other_languages,
        "cut": summary.cut,
        "complete": not summary.incomplete,
        "exit_code": code,
    }
    if stats:
        value["stats"] = {
            "parsed": summary.parsed,
            "recalled": summary.recalled,
            "bytes": summary.bytes,
            "seconds": round(summary.seconds, 6),
            "stages": {name: round(seconds, 6) for name, seconds in summary.stages.items()},
        }
    return value


def _range(span: Span, lines: LineIndex) -> Value:
    return {"start": _position(span.start, lines), "end": _position(span.end, lines)}


def _position(byte: int, lines: LineIndex) -> Value:
    at = lines.position(byte)
    return {"byte": at.byte, "line": at.line, "column": at.column}
