"""SARIF 2.1.0.

One run.  Every rule that ran is a ``reportingDescriptor`` with its help, every finding a ``result`` with a
region (lines and columns in characters, which ``columnKind`` says, and bytes), a fingerprint that does not
depend on lines, the rewrites that can be had as ``fixes``, and the comment that suppresses it.  What could
not be scanned is a notification of the invocation; what is wrong with rules is one of the configuration.
Results are written as they come.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from structural.rules.values import Safety, Severity
from structural.text import LineIndex, Span
from structural.workflow.reports.common import OURS, Frame, Paths, dumps, place, plain
from structural.workflow.scanning.keys import APART
from structural.workflow.scanning.values import About, Fix, Found, Scanned, ScanSummary

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

ROOT = "SRCROOT"

FINGERPRINT = "astgrepFinding/v1"

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note", Severity.HINT: "note"}

_PROBLEM = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "recommendation",
    Severity.HINT: "recommendation",
}

Value = dict[str, Any]


class Sarif:
    """``--format sarif``."""

    def __init__(self, frame: Frame, write: Callable[[str], None]) -> None:
        self._frame, self._write = frame, write
        self._paths = Paths(frame.root)
        self._rules = [*frame.rules.values(), *(one for name, one in OURS.items() if name not in frame.rules)]
        self._index = {one.id: number for number, one in enumerate(self._rules)}
        self._any = False
        driver: Value = {
            "name": "astgrep",
            "semanticVersion": frame.version,
            "version": frame.version,
            "rules": [_descriptor(one) for one in self._rules],
        }
        write(
            f'{{"$schema": {dumps(SCHEMA)}, "version": "2.1.0", "runs": [{{\n'
            f'"tool": {{"driver": {dumps(driver)}}},\n'
            f'"columnKind": "unicodeCodePoints",\n'
            f'"originalUriBaseIds": {dumps({ROOT: {"uri": _folder_uri(frame.root)}})},\n'
            f'"results": ['
        )

    def file(self, scanned: Scanned) -> None:
        if scanned.source is None:
            return
        lines = LineIndex(scanned.source)
        where = self._artifact(scanned.path)
        for one in scanned.findings:
            self._write(
                f"{',' * self._any}\n{dumps(self._result(scanned, scanned.source, lines, where, one))}"
            )
            self._any = True

    def finish(self, summary: ScanSummary, code: int) -> None:
        nl = "\n" * self._any
        invocation: Value = {
            "executionSuccessful": not summary.failed and not summary.cut and code in (0, 1),
            "exitCode": code,
            "toolExecutionNotifications": [*self._notes(summary)],
            "toolConfigurationNotifications": [
                {
                    "level": "warning" if one.warning else "error",
                    "message": {"text": _text(one.message + (f" ({one.hint})" if one.hint else ""))},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": self._artifact(one.path),
                                "region": {"startLine": one.at.line, "startColumn": one.at.column},
                            }
                        }
                    ],
                }
                for one in summary.problems
            ],
        }
        self._write(f'{nl}],\n"invocations": [{dumps(invocation)}]\n}}]}}\n')

    def _result(self, scanned: Scanned, source: bytes, lines: LineIndex, where: Value, one: Found) -> Value:
        value: Value = {
            "ruleId": one.rule,
            "ruleIndex": self._index[one.rule],
            "level": _LEVELS.get(one.severity, "none"),
            "message": {"text": _text(one.message)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": where,
                        "region": {
                            **_region(one.span, lines),
                            "snippet": {"text": _text(_snippet(source, one.span))},
                        },
                    }
                }
            ],
        }
        if one.key is not None:
            value["partialFingerprints"] = {FINGERPRINT: one.key.fingerprint(one.rule, scanned.name)}
            if one.key.context:
                name = _text(one.key.context.replace(APART, "."))
                value["locations"][0]["logicalLocations"] = [{"fullyQualifiedName": name}]
        if one.aside is not None:
            aside: Value = {"kind": "inSource"}
            if one.aside.reason:
                aside["justification"] = _text(one.aside.reason)
            value["suppressions"] = [aside]
        fixes = [
            _fix(fix, where, lines) for fix in one.fixes if fix.edits and fix.safety is not Safety.DISPLAY
        ]
        if fixes:
            value["fixes"] = fixes
        return value

    def _notes(self, summary: ScanSummary) -> list[Value]:
        found: list[Value] = []
        for skipped in summary.skipped_paths:
            why = f"{skipped.reason} ({skipped.detail})" if skipped.detail else skipped.reason
            found.append(self._note("warning", f"not scanned: {why}", skipped.path))
        found += [
            self._note("error", f"astgrep failed on this file: {one.error}", one.path)
            for one in summary.failed
        ]
        for path, rule in summary.exhausted:
            text = f"the rule {rule} was given up in this file: it leaves too many choices"
            found.append(self._note("warning", text, path))
        found += [
            self._note("note", "there are syntax errors in this file", p) for p in summary.syntax_error_files
        ]
        if summary.cut:
            found.append({"level": "error", "message": {"text": f"the scan was cut: {summary.cut}"}})
        return found

    def _note(self, level: str, text: str, path: str) -> Value:
        return {
            "level": level,
            "message": {"text": _text(text)},
            "locations": [{"physicalLocation": {"artifactLocation": self._artifact(path)}}],
        }

    def _artifact(self, path: str) -> Value:
        name = self._paths.of(path)
        if name.startswith("../"):
            return {
                "uri": "file://" + quote(os.fsencode(os.path.join(os.path.realpath(self._frame.root), name)))
            }
        return {"uri": quote(os.fsencode(name)), "uriBaseId": ROOT}


def _descriptor(about: About) -> Value:
    value: Value = {
        "id": about.id,
        "defaultConfiguration": {"level": _LEVELS.get(about.severity, "none")},
        "properties": {
            "tags": list(about.tags),
            "problem.severity": _PROBLEM.get(about.severity, "recommendation"),
        },
    }
    first = about.message or about.id
    value["shortDescription"] = {"text": _text(first)}
    value["fullDescription"] = {"text": _text(about.note or first)}
    help_text = "\n\n".join(part for part in (about.message, about.note, about.url) if part) or about.id
    markdown = "\n\n".join(
        part for part in (about.message, about.note, f"<{about.url}>" * bool(about.url)) if part
    )
    value["help"] = {"text": _text(help_text), "markdown": _text(markdown or about.id)}
    if about.url and _is_uri(about.url):
        value["helpUri"] = about.url
    if about.languages:
        value["properties"]["languages"] = list(about.languages)
    if about.metadata:
        value["properties"]["metadata"] = plain(about.metadata)
    severity = about.metadata.get("security-severity")
    if isinstance(severity, str | int | float) and not isinstance(severity, bool):
        value["properties"]["security-severity"] = str(severity)
    return value


def _region(span: Span, lines: LineIndex) -> Value:
    line, column, last, behind = place(span, lines)
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": last,
        "endColumn": behind,
        "byteOffset": span.start,
        "byteLength": span.end - span.start,
    }


def _fix(fix: Fix, where: Value, lines: LineIndex) -> Value:
    return {
        "description": {"text": _text(fix.title or "rewrite")},
        "artifactChanges": [
            {
                "artifactLocation": where,
                "replacements": [
                    {
                        "deletedRegion": _region(edit.span, lines),
                        "insertedContent": {"text": edit.new.decode("utf-8", "replace")},
                    }
                    for edit in fix.edits
                ],
            }
        ],
    }


_LONGEST = 2_000


def _snippet(source: bytes, span: Span) -> str:
    return Span(span.start, min(span.end, span.start + _LONGEST)).text(source)


def _text(text: str) -> str:
    """*text* without half characters; a reader of JSON may refuse them."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if not text.isascii() else text


def _folder_uri(path: str) -> str:
    return f"file://{quote(os.fsencode(path.rstrip('/')))}/"


def _is_uri(text: str) -> bool:
    scheme, colon, rest = text.partition(":")
    return bool(colon and rest) and scheme.isascii() and scheme.isalnum() and " " not in text
