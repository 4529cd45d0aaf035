"""Where the reading of rules can be stopped by who waits for it: between two documents, two patterns.

Thousands of rules take longer to read than the files that they are for take to search, and they are read in
many places.  So what is to be asked in between is not handed down to each: it holds for all that is
read while ``stopping`` lasts, in its thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ask: ContextVar[Callable[[], None] | None] = ContextVar("ask", default=None)


@contextmanager
def stopping(ask: Callable[[], None]) -> Iterator[None]:
    """Meanwhile call *ask* now and then while rules are read.  What it raises ends the reading."""
    before = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(before)


def pause() -> None:
    """A place between two steps of reading rules."""
    ask = _ask.get()
    if ask is not None:
        ask()
