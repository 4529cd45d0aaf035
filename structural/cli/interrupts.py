"""Ctrl-C at a good moment: between two files, so that what was counted was also shown.

Outside of ``shielded`` an interrupt raises at once.  Inside, the first one waits for
the end of the block, the second does not.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """The handler of one command.  Use it as a context; the old handler comes back."""

    def __init__(self) -> None:
        self._shields = 0
        self._pending = False
        self._old: object = None

    def __enter__(self) -> Interrupts:
        # Only the main thread may have handlers, and a command that ignores interrupts goes on doing so.
        if threading.current_thread() is threading.main_thread():
            old = signal.getsignal(signal.SIGINT)
            if old is signal.default_int_handler:
                self._old = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *problem: object) -> None:
        if self._old is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @contextmanager
    def shielded(self) -> Iterator[None]:
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._shields and not self._pending:
            self._pending = True
            return
        raise KeyboardInterrupt
