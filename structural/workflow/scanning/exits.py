"""When a scan fails: severities against the one that was asked for."""

from __future__ import annotations

from structural.rules.values import Severity
from structural.workflow.scanning.values import ScanSummary

_ORDER = (Severity.HINT, Severity.INFO, Severity.WARNING, Severity.ERROR)

FAILED, BROKEN, INCOMPLETE = 1, 2, 3


def fails(severity: Severity | str, fail_on: str) -> bool:
    """Whether a finding of this severity makes a scan fail."""
    if fail_on == "never" or severity not in _ORDER:
        return False
    return _ORDER.index(Severity(severity)) >= _ORDER.index(Severity(fail_on))


def exit_code(summary: ScanSummary, fail_on: str, *, strict: bool = False, skip_broken: bool = False) -> int:
    """0: nothing that fails was found; 1: something was; 2: rules have mistakes, and it was not said that the
    others are enough; 3: not everything could be scanned, with *strict*."""
    if not skip_broken and any(not problem.warning for problem in summary.problems):
        return BROKEN
    if strict and summary.incomplete:
        return INCOMPLETE
    return FAILED if any(fails(severity, fail_on) for severity in summary.by_severity) else 0
