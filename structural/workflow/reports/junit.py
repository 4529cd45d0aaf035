"""JUnit XML, as Jenkins, GitLab and others show it: a suite a file, a case a finding.

A finding that is severe enough to fail the scan is a failure, one that is not passes and is told as output; a
suppressed one is skipped, with its reason.  A file that could not be scanned is an error.  Since the heads of
suites have counts, all is written at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

from structural.text import LineIndex
from structural.workflow.reports.common import Frame, Paths, place
from structural.workflow.scanning.values import Scanned, ScanSummary


class JUnit:
    """``--format junit``."""

    def __init__(self, frame: Frame, write: Callable[[str], None]) -> None:
        self._frame, self._write = frame, write
        self._paths = Paths(frame.root)
        self._suites: list[str] = []
        self._tests = self._failures = self._errors = 0

    def file(self, scanned: Scanned) -> None:
        if scanned.source is None:
            return
        from structural.workflow.scanning.exits import fails

        lines = LineIndex(scanned.source)
        path = self._paths.of(scanned.path)
        cases: list[str] = []
        failures = skipped = 0
        for one in scanned.findings:
            line, column, _, _ = place(one.span, lines)
            where = f"{path}:{line}:{column}"
            text = f"{where}: {one.severity}: {one.message} [{one.rule}]"
            about = self._frame.rules.get(one.rule)
            if about is not None and about.note:
                text += f"\n{about.note}"
            if about is not None and about.url:
                text += f"\n{about.url}"
            if one.aside is not None:
                reason = one.aside.reason or f"by the comment in line {one.aside.line}"
                body = f"<skipped message={_attribute(f'suppressed: {reason}')}/>"
                skipped += 1
            elif fails(one.severity, self._frame.fail_on):
                told = _attribute(one.message)
                body = f"<failure type={_attribute(one.rule)} message={told}>{_body(text)}</failure>"
                failures += 1
            else:
                body = f"<system-out>{_body(text)}</system-out>"
            cases.append(_case(f"{one.rule} ({line}:{column})", path, body))
        self._suite(path, cases, failures, skipped, 0)

    def finish(self, summary: ScanSummary, code: int) -> None:
        cases = [
            _case(
                self._paths.of(one.path),
                "astgrep.files",
                f"<error type={_attribute(one.reason)} message={_attribute(one.detail or one.reason)}/>",
            )
            for one in summary.skipped_paths
        ]
        cases += [
            _case(
                self._paths.of(one.path),
                "astgrep.files",
                f'<error type="failed" message={_attribute(one.error)}/>',
            )
            for one in summary.failed
        ]
        errors = len(cases)
        for problem in summary.problems:
            if not problem.warning:
                cases.append(
                    _case(
                        f"{problem.path}:{problem.at.line}:{problem.at.column}",
                        "astgrep.rules",
                        f'<error type="rule" message={_attribute(problem.message)}/>',
                    )
                )
                errors += 1
        # A report without any case counts as a mistake where it is read.
        cases.append(_case(f"{summary.rules} rules over {summary.scanned} files", "astgrep.scan", ""))
        self._suite("astgrep scan", cases, 0, 0, errors)
        self._write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self._write(
            f'<testsuites name="astgrep" tests="{self._tests}" failures="{self._failures}" '
            f'errors="{self._errors}" time="{summary.seconds:.3f}">\n'
        )
        for suite in self._suites:
            self._write(suite)
        self._write("</testsuites>\n")

    def _suite(self, name: str, cases: list[str], failures: int, skipped: int, errors: int) -> None:
        self._tests += len(cases)
        self._failures += failures
        self._errors += errors
        self._suites.append(
            f'  <testsuite name={_attribute(name)} tests="{len(cases)}" failures="{failures}" '
            f'errors="{errors}" skipped="{skipped}">\n' + "".join(cases) + "  </testsuite>\n"
        )


def _case(name: str, group: str, body: str) -> str:
    head = f"    <testcase name={_attribute(name)} classname={_attribute(group)}"
    return f"{head}>{body}</testcase>\n" if body else f"{head}/>\n"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _body(text: str) -> str:
    return escape(_clean(text))


def _clean(text: str) -> str:
    """*text* without the characters that XML has no way to write."""
    if text.isprintable():
        return text
    return "".join(
        ch
        if ch in "\t\n\r" or (ch >= " " and not "\ud800" <= ch <= "\udfff" and ch not in "\ufffe\uffff")
        else "\ufffd"
        for ch in text
    )
