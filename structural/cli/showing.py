"""Answers as they come: each file shown whole, and an end that is written whatever ended them early."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeGuard, TypeVar

from structural.cli.interrupts import Interrupts
from structural.cli.output import Output
from structural.cli.progress import Progress

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells give it to a program that the signal ended."""

_Answer = TypeVar("_Answer")
_Wanted = TypeVar("_Wanted")


class _Cut(Protocol):
    """A summary that can say that the answer is not all there is."""

    cut: str


def show(
    answers: Iterable[_Answer],
    summary: _Cut,
    output: Output,
    progress: Progress,
    *,
    wanted: Callable[[_Answer], TypeGuard[_Wanted]],
    file: Callable[[_Wanted], None],
    finish: Callable[[int], None],
) -> int:
    """Give every answer that is *wanted* to *file*, then call *finish* with the exit code of an interrupt,
    130, or 0; return that.

    The first Ctrl-C waits until a file is shown, or the end is written; then nothing more is looked at.
    A ReaderGoneError of *output* goes on to the caller.
    """
    code = 0
    with Interrupts() as interrupts:
        with _closing(answers) as stream:
            try:
                for answer in stream:
                    if wanted(answer):
                        with interrupts.shielded():
                            progress.clear()
                            file(answer)
                            output.settle()
            except KeyboardInterrupt:
                summary.cut = "interrupted"
                code = INTERRUPTED
        progress.clear()
        with interrupts.shielded():
            finish(code)
    return code


@contextmanager
def _closing(answers: Iterable[_Answer]) -> Iterator[Iterator[_Answer]]:
    """The iterator of *answers*; on leaving, processes are ended before anything else is done."""
    stream = iter(answers)
    try:
        yield stream
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()
