"""Processes that work on files, and one place where their answers come back in order.

A worker is a process with a pipe of its own.  It is sent small chunks (positions of
files), at most two at a time so that it never waits, and sends a list of results
back.  ``Pool.run`` keeps a bounded window of chunks under way and gives the
results in the order of the positions, whatever finishes first.

When a worker dies its pipe ends, and the chunk it was at is known.  The files of
that chunk are then done one by one, so that only a file that kills a process
twice is lost; the worker is replaced.  Nothing here knows what is done with a file: that is
``work.Work``.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from structural.search.work import Work, forks

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

How = TypeVar("How")
Answer = TypeVar("Answer")

CHUNK_SECONDS = 0.05
CHUNK_FILES = 64
"""A chunk is about so much work, and never more files."""

CHUNKS_LEFT = 6
"""A chunk is no more than what is left divided by this and the number of workers, so that they end
at about the same time."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some files of one run.  ``number`` counts through all runs of a pool."""

    number: int
    files: tuple[int, ...]
    how: Any
    deaths: int = 0
    """Workers that died over this file, once it is alone in its chunk."""


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: connection.Connection[Any, Any]
    at: deque[Chunk] = field(default_factory=deque)
    """Chunks it was sent and has not answered, the one it is at first."""


class Pool(Generic[How, Answer]):
    """Up to *jobs* processes over one work.  Close it when done; it is cheap until it is used."""

    def __init__(self, work: Work[How, Answer], jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._workers: list[_Worker] = []
        self._waiting: deque[Chunk] = deque()
        self._done: dict[int, dict[int, Answer]] = {}
        self._wanted: dict[int, Chunk] = {}
        self._number = 0
        self._thresholds: tuple[int, ...] = ()

    def run(self, files: Iterable[int], how: How, *, seconds: float) -> Iterator[tuple[int, Answer]]:
        """Do *files* and give (position, answer) in their order.

        *seconds* is what one file took so far.  A run that is left early leaves chunks
        under way; their answers are dropped.
        """
        self._waiting.clear()
        self._wanted.clear()
        self._done.clear()
        size = max(1, min(CHUNK_FILES, int(CHUNK_SECONDS / max(seconds, 1e-6))))
        chunks = self._chunks(list(files), size, how)
        order: deque[Chunk] = deque()
        window = 8 * self._jobs
        more = True
        while more or order:
            while more and len(order) < window:
                chunk = next(chunks, None)
                if chunk is None:
                    more = False
                    break
                order.append(chunk)
                self._waiting.append(chunk)
                self._wanted[chunk.number] = chunk
                self._done[chunk.number] = {}
            self._send()
            while order and len(self._done[order[0].number]) == len(order[0].files):
                chunk = order.popleft()
                answers = self._done.pop(chunk.number)
                del self._wanted[chunk.number]
                for at in chunk.files:
                    yield at, answers.pop(at)
                self._send()
            if order:
                self._receive()

    def close(self) -> None:
        """End the workers at once; what they were at is lost."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
            worker.process.close()
        self._workers.clear()
        if self._thresholds:
            gc.set_threshold(*self._thresholds)
            self._thresholds = ()

    def _chunks(self, files: list[int], most: int, how: How) -> Iterator[Chunk]:
        at = 0
        while at < len(files):
            size = max(1, min(most, (len(files) - at) // (CHUNKS_LEFT * self._jobs)))
            self._number += 1
            yield Chunk(self._number, tuple(files[at : at + size]), how)
            at += size

    def _send(self) -> None:
        """Give every worker up to two chunks; start workers while there is more to do than they have."""
        while self._waiting:
            idle = min(self._workers, key=_load, default=None)
            if (idle is None or idle.at) and len(self._workers) < self._jobs:
                started = self._start()
                if started is not None:
                    self._workers.append(started)
                    idle = started
            if idle is None:
                # No process can be had: this one does the work.
                self._answer(chunk := self._waiting.popleft(), _do(self._work, chunk))
                continue
            if len(idle.at) >= 2:
                return
            chunk = self._waiting[0]
            try:
                idle.pipe.send(chunk)
            except OSError:
                self._bury(idle)
                continue
            idle.at.append(self._waiting.popleft())

    def _receive(self) -> None:
        """Wait for any worker and take its answer, or its death."""
        busy: dict[object, _Worker] = {worker.pipe: worker for worker in self._workers if worker.at}
        for pipe in connection.wait(list(busy)) if busy else []:  # type: ignore[arg-type]
            worker = busy[pipe]
            try:
                packed = worker.pipe.recv()
            except (EOFError, OSError):
                self._bury(worker)
                continue
            chunk = worker.at.popleft()
            self._answer(chunk, self._work.unpack(chunk.files, packed))

    def _answer(self, chunk: Chunk, answers: list[Answer]) -> None:
        if chunk.number in self._wanted:
            self._done[chunk.number].update(zip(chunk.files, answers, strict=True))

    def _bury(self, worker: _Worker) -> None:
        """Take a dead worker away and put what it had back in the queue."""
        self._workers.remove(worker)
        worker.process.join()
        code = worker.process.exitcode
        worker.pipe.close()
        worker.process.close()
        if not worker.at:
            return
        culprit, *others = worker.at
        self._waiting.extendleft(reversed(others))
        if len(culprit.files) > 1:
            singles = [Chunk(culprit.number, (at,), culprit.how) for at in culprit.files]
            self._waiting.extendleft(reversed(singles))
            return
        if culprit.deaths == 0:
            # Once more: it may have been killed from outside, and not by its file.
            self._waiting.appendleft(replace(culprit, deaths=1))
            return
        ended = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        self._answer(culprit, [self._work.lost(culprit.files[0], culprit.how, ended)])

    def _start(self) -> _Worker | None:
        if not self._thresholds:
            self._thresholds = gc.get_threshold()
            _collect_seldom()
        context = _context()
        ours, theirs = context.Pipe()
        inherited = [worker.pipe for worker in self._workers] + [ours]
        process = context.Process(
            target=_work,
            args=(theirs, self._work, inherited if context.get_start_method() == "fork" else []),
            daemon=True,
        )
        try:
            process.start()
        except OSError:
            ours.close()
            theirs.close()
            return None
        # Ours must be the only copies, or the end of a process would not end its pipe.
        theirs.close()
        return _Worker(process, ours)


def _collect_seldom() -> None:
    """Many matches are many objects, and none of them is a cycle."""
    gc.set_threshold(100_000, 20, 100)


def _load(worker: _Worker) -> int:
    return len(worker.at)


def _context() -> Any:
    return multiprocessing.get_context("fork" if forks() else "spawn")


def _work(pipe: connection.Connection[Any, Any], work: Work[Any, Any], inherited: list[Any]) -> None:
    """The life of a worker: chunks in, answers out, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that collects
    for other in inherited:
        other.close()
    work.prepare()
    gc.freeze()  # what was there before stays
    _collect_seldom()
    with suppress(EOFError, OSError):
        while True:
            chunk: Chunk = pipe.recv()
            pipe.send(work.pack(_do(work, chunk)))


def _do(work: Work[How, Answer], chunk: Chunk) -> list[Answer]:
    return [work.do(at, chunk.how) for at in chunk.files]
