"""One line on standard error that says how far a long search is.

Shown only at a terminal, only after a second, and taken away before anything else
is printed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from structural.cli.output import error_text

_AFTER = 1.0
_EVERY = 0.1


class Progress:
    """Counts the files that were looked at.  ``tick`` is called after each."""

    def __init__(self) -> None:
        self._terminal = _is_terminal()
        self._next = time.monotonic() + _AFTER
        self._shown = False
        self._files = 0
        self.counts: Callable[[], tuple[int, str]] | None = None
        """How many files there are, and what was found so far, in words."""

    def watch(self, plans: Any) -> None:
        """Say how far these plans of a rewrite are."""
        search = plans.summary.search
        self.counts = lambda: (search.files, f"{search.matches:,} matches")

    def tick(self) -> None:
        self._files += 1
        if not self._terminal or self._files & 15:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        files, found = self.counts() if self.counts else (0, "")
        # Readings that match nothing are followed by others, so a file can be looked at twice.
        total = f" of {files:,}" if self._files <= files else ""
        error_text(f"\r\x1b[K{self._files:,}{total} files{', ' * bool(found)}{found}")
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
