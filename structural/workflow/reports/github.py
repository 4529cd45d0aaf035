"""Annotations, as the runner of GitHub Actions reads them from the output of a step.

One line a finding: ``::error file=…,line=…::message``.  What has a meaning there is escaped as the runner's
own library does it.  Columns are given only where a finding is on one line: the runner allows no others.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from structural.rules.values import Severity
from structural.text import LineIndex
from structural.workflow.reports.common import Frame, Paths, place
from structural.workflow.scanning.values import Scanned, ScanSummary

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


class GitHub:
    """``--format github``."""

    def __init__(self, frame: Frame, write: Callable[[str], None]) -> None:
        self._frame, self._write = frame, write
        self._paths = Paths(frame.root)

    def file(self, scanned: Scanned) -> None:
        if scanned.source is None:
            return
        lines = LineIndex(scanned.source)
        path = self._paths.of(scanned.path)
        for one in scanned.findings:
            if one.aside is not None:
                continue
            line, column, last, behind = place(one.span, lines)
            where = {"file": path, "line": str(line)}
            if last == line:
                where |= {"col": str(column), "endColumn": str(behind)}
            else:
                where["endLine"] = str(last)
            about = self._frame.rules.get(one.rule)
            more = f"\n{about.note}" if about is not None and about.note else ""
            self._write(
                _line(_COMMANDS.get(one.severity, "notice"), one.message + more, **where, title=one.rule)
            )

    def finish(self, summary: ScanSummary, code: int) -> None:
        for problem in summary.problems:
            self._write(
                _line(
                    "warning" if problem.warning else "error",
                    problem.message + (f"\n{problem.hint}" if problem.hint else ""),
                    file=self._paths.of(problem.path),
                    line=str(problem.at.line),
                    col=str(problem.at.column),
                    title="a mistake in a rule",
                )
            )
        for failed in summary.failed:
            self._write(_line("warning", f"not scanned: {failed.error}", file=self._paths.of(failed.path)))
        for skipped in summary.skipped_paths:
            why = f"{skipped.reason} ({skipped.detail})" if skipped.detail else skipped.reason
            self._write(_line("notice", f"not scanned: {why}", file=self._paths.of(skipped.path)))


def _line(command: str, message: str, **properties: str) -> str:
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{command} {shown}::{_data(message)}\n"


def _data(text: str) -> str:
    text = _escaped(text)
    return text if text.isprintable() else "".join(_shown(ch) for ch in text)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _shown(ch: str) -> str:
    """A character of a log: one that would steer a terminal is a picture or a stand-in of itself."""
    if ch == "\t" or unicodedata.category(ch) != "Cc":
        return ch
    return chr(0x2400 + ord(ch)) if ch < " " else "\ufffd"


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
