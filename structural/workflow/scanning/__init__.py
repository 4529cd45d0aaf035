"""Rules over the files of a project: configuration, choice, scan, suppressions, baseline.

What a surface needs is here; reports for other programs are in ``structural.workflow.reports``.
"""

from structural.errors import UsageError
from structural.rules.stopping import stopping
from structural.rules.values import Problem, Rule, Safety, Severity
from structural.search.values import Failed, Selection, Skipped
from structural.workflow.scanning.exits import BROKEN, exit_code, fails
from structural.workflow.scanning.rulebook import Choice, Rulebook, compiled, gather
from structural.workflow.scanning.run import Scan, Wish, scan_paths
from structural.workflow.scanning.settings import FAIL_ON, Settings, read_settings
from structural.workflow.scanning.values import (
    About,
    Aside,
    FileAnswer,
    Fix,
    Found,
    Scanned,
    ScanSummary,
    about,
)
from structural.workflow.scanning.writing import write_whole

__all__ = [
    "BROKEN",
    "FAIL_ON",
    "About",
    "Aside",
    "Choice",
    "Failed",
    "FileAnswer",
    "Fix",
    "Found",
    "Problem",
    "Rule",
    "Rulebook",
    "Safety",
    "Scan",
    "ScanSummary",
    "Scanned",
    "Selection",
    "Settings",
    "Severity",
    "Skipped",
    "UsageError",
    "Wish",
    "about",
    "compiled",
    "exit_code",
    "fails",
    "gather",
    "read_settings",
    "scan_paths",
    "stopping",
    "write_whole",
]
