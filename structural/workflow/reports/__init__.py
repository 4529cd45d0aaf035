"""Answers of a scan for other programs: JSON, SARIF, GitHub, GitLab, JUnit.

A report is told of the files in their order and of the summary in the end, and hands out text through the
function it was given.  It writes nothing itself, and knows no more than the values of a scan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from structural.workflow.reports.common import Frame, Report

FORMATS = ("text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit")
"""The names of the formats.  The first two are for people, and are made by the command line."""

WITH_KEYS = frozenset({"json", "jsonl", "sarif", "gitlab"})
"""Formats that say by what a finding is known again."""

WITH_FIXES = frozenset({"json", "jsonl", "sarif"})
"""Formats that say what a rewrite would do."""


def report(name: str, frame: Frame, write: Callable[[str], None]) -> Report:
    """The report of a format."""
    if name == "sarif":
        from structural.workflow.reports.sarif import Sarif

        return Sarif(frame, write)
    if name == "github":
        from structural.workflow.reports.github import GitHub

        return GitHub(frame, write)
    if name == "gitlab":
        from structural.workflow.reports.gitlab import GitLab

        return GitLab(frame, write)
    if name == "junit":
        from structural.workflow.reports.junit import JUnit

        return JUnit(frame, write)
    from structural.workflow.reports.json import Lines, OneObject

    return (OneObject if name == "json" else Lines)(frame, write)
