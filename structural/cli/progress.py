"""One line on standard error that says how far a long search is.

Shown only at a terminal, only after a second, and taken away before anything else
is printed.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from structural.cli.output import error_text

if TYPE_CHECKING:
    from structural.workflow.searching import Results

_AFTER = 1.0
_EVERY = 0.1


class Progress:
    """Counts the files that were looked at.  ``tick`` is called after each."""

    def __init__(self) -> None:
        self._terminal = _is_terminal()
        self._next = time.monotonic() + _AFTER
        self._shown = False
        self._files = 0
        self.results: Results | None = None

    def tick(self) -> None:
        self._files += 1
        if not self._terminal or self._files & 15:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        summary = self.results.summary if self.results else None
        # Readings that match nothing are followed by others, so a file can be looked at twice.
        total = f" of {summary.files:,}" if summary and self._files <= summary.files else ""
        matches = f", {summary.matches:,} matches" if summary else ""
        error_text(f"\r\x1b[K{self._files:,}{total} files{matches}")
        self._shown = True

    def clear(self) -> None:
        """Take the line away, so that something else can be printed."""
        if self._shown:
            error_text("\r\x1b[K")
            self._shown = False


def _is_terminal() -> bool:
    try:
        return os.isatty(2) and os.environ.get("TERM") != "dumb"
    except OSError:
        return False
