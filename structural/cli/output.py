"""Writing the answer: bytes to standard output, in order, with its failures told apart.

``Output`` gathers small pieces and hands them to the system itself, so that nothing
is left in a buffer of the interpreter when the process ends.  A reader that went
away is ``ReaderGoneError`` (no error: it had enough); any other failure is an
``OutputError``.
"""

from __future__ import annotations

import os
import select
import sys
import time

from structural.errors import StructuralError, UsageError

_FULL = 64 * 1024
_PATIENCE = 0.1
"""Seconds after which a write is not held back any more."""


class ReaderGoneError(Exception):
    """Whoever read the output has closed it."""


class OutputError(StructuralError):
    """The answer could not be written."""

    code = "output"


class UntoldError(OutputError):
    """Something was done, and the answer that says so could not be written."""

    exit_code = 5


class Output:
    """Standard output.  ``terminal`` tells whether a person is looking at it."""

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor = descriptor
        self._pieces: list[bytes] = []
        self._size = 0
        self._flushed = time.monotonic()
        try:
            self.terminal = os.isatty(descriptor)
        except OSError:
            self.terminal = False

    def write(self, text: str) -> None:
        """Add *text*; what is no character of its own (a surrogate of a path) goes out as its byte."""
        self.write_bytes(text.encode("utf-8", "surrogateescape"))

    def write_bytes(self, data: bytes) -> None:
        self._pieces.append(data)
        self._size += len(data)
        if self._size >= _FULL:
            self.flush()

    def settle(self) -> None:
        """A good moment to show what is there: at a terminal, or if the last time is a while ago."""
        if self.terminal or time.monotonic() - self._flushed > _PATIENCE:
            self.flush()

    def flush(self) -> None:
        data = memoryview(b"".join(self._pieces))
        self._pieces.clear()
        self._size = 0
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except BrokenPipeError:
                raise ReaderGoneError from None
            except OSError as problem:
                raise OutputError(
                    f"the answer could not be written: {problem.strerror or problem}",
                    hint="what was written so far is not whole; what was done before stays done",
                ) from None
        self._flushed = time.monotonic()


def standard_input() -> bytes:
    """All of standard input.  UsageError if it is closed."""
    if sys.stdin is None:
        raise UsageError("standard input is closed", hint="name a file instead of -")
    return sys.stdin.buffer.read()


def error_text(text: str) -> None:
    """Write *text* to standard error; a failure there has nowhere to be told."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return
    except UnicodeEncodeError:
        error_text(text.encode("ascii", "backslashreplace").decode())
