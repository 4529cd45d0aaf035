"""What all reports share: what they are told of a scan, and paths as the readers of reports need them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from structural.rules.values import Severity
from structural.text import LineIndex, Span
from structural.workflow.scanning.values import NO_REASON, UNUSED, About, Scanned, ScanSummary


class Report(Protocol):
    """One format."""

    def file(self, scanned: Scanned) -> None:
        """Told of every file that was scanned, in order."""

    def finish(self, summary: ScanSummary, code: int) -> None:
        """Told in the end, with the exit code."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What is known before the first file.  ``root`` is the folder that paths in reports are relative to,
    absolute; ``fail_on`` the least severity that fails."""

    rules: Mapping[str, About]
    root: str
    version: str
    fail_on: str = "error"
    arguments: tuple[str, ...] = ()
    stats: bool = False


OURS = {
    UNUSED: About(UNUSED, Severity.WARNING, "A suppression that suppresses nothing", tags=("suppressions",)),
    NO_REASON: About(NO_REASON, Severity.ERROR, "A suppression that gives no reason", tags=("suppressions",)),
}
"""What is told of comments, as if rules had found it."""


def root_of(folder: str) -> str:
    """The folder that reports are relative to: the work tree of git that *folder* is in, else *folder*."""
    real = os.path.realpath(folder)
    at = real
    while True:
        if os.path.exists(os.path.join(at, ".git")):
            return at
        above = os.path.dirname(at)
        if above == at:
            return real
        at = above


class Paths:
    """Paths as they were found, relative to the root of a report, parted by ``/``."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders: dict[str, str] = {}

    def of(self, path: str) -> str:
        folder, name = os.path.split(path)
        known = self._folders.get(folder)
        if known is None:
            known = os.path.relpath(os.path.realpath(folder or "."), self._root)
            known = self._folders[folder] = "" if known == "." else known.replace(os.sep, "/") + "/"
        return known + name


def place(span: Span, lines: LineIndex) -> tuple[int, int, int, int]:
    """First line and column, and the line and column behind the last character; from 1, in characters."""
    start, end = lines.position(span.start), lines.position(span.end)
    return start.line, start.column, end.line, end.column


def dumps(value: object) -> str:
    """*value* on one line.  Half a character, such as a byte of a path that is no UTF-8, is an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(", ", ": "))
    return text


def plain(value: Any, depth: int = 0) -> Any:
    """What a rule's file said, as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one, depth + 1) for one in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return value
    return str(value)
