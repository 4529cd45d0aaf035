"""Code quality of GitLab: a JSON array, each finding with a fingerprint that is its own.

Paths are relative to the repository and begin with no ``./``, as GitLab asks.  Suppressed findings are left
out: the format has no place for them.
"""

from __future__ import annotations

from collections.abc import Callable

from structural.rules.values import Severity
from structural.text import LineIndex
from structural.workflow.reports.common import Frame, Paths, dumps, place
from structural.workflow.scanning.values import Scanned, ScanSummary

_SEVERITIES = {
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.INFO: "minor",
    Severity.HINT: "info",
}


class GitLab:
    """``--format gitlab``."""

    def __init__(self, frame: Frame, write: Callable[[str], None]) -> None:
        self._write = write
        self._paths = Paths(frame.root)
        self._any = False
        write("[")

    def file(self, scanned: Scanned) -> None:
        if scanned.source is None:
            return
        lines = LineIndex(scanned.source)
        path = _text(self._paths.of(scanned.path))
        for one in scanned.findings:
            if one.aside is not None:
                continue
            line, _, last, behind = place(one.span, lines)
            last -= last > line and behind == 1
            assert one.key is not None
            value = {
                "description": one.message,
                "check_name": one.rule,
                "fingerprint": one.key.fingerprint(one.rule, scanned.name),
                "severity": _SEVERITIES.get(one.severity, "info"),
                "location": {"path": path, "lines": {"begin": line, "end": last}},
            }
            self._write(f"{',' * self._any}\n{dumps(value)}")
            self._any = True

    def finish(self, summary: ScanSummary, code: int) -> None:
        nl = "\n" * self._any
        self._write(f"{nl}]\n")


def _text(path: str) -> str:
    """A path without half characters, which the readers of this format do not take."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
