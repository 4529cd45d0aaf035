"""Work on the workers of a Dask scheduler, and one place where their answers come back in order.

Order of things: connect; compare what every worker is made of with what this process is; cut
the files into shards of bounded bytes; keep a bounded number of them under way; give the
answers of the first one while later ones are done.  A worker that dies is Dask's to deal with: its
shards are done elsewhere.  Of a shard over which workers die again and again the files are done one by
one; a file over which they die is done once more with nothing beside it, and is then given up.
What is done to a file is ``work.Work``, what a worker does ``shard``.
"""

from __future__ import annotations

import logging
import os
import pickle
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from structural.errors import ClusterError, UsageError
from structural.search.shard import (
    Done,
    Mark,
    Shard,
    Spread,
    Unfit,
    difference,
    identity,
    libraries_of,
    mark_of,
    run_shard,
)

try:
    import distributed
    from distributed import KilledWorker
except ImportError as missing:
    raise UsageError(
        f"--cluster needs the extra `cluster`, and {missing.name or 'a part of it'} is not installed",
        hint="pip install 'structural[cluster]'",
    ) from None

_DASK: Any = distributed  # it has types for a part of it only, and other ones in other versions

How = TypeVar("How")
Answer = TypeVar("Answer")
T = TypeVar("T")

SHARD_BYTES = 1_000_000
SHARD_FILES = 256
"""A shard is no more than that, but for a file that is larger alone: some tenths of a second of parsing."""

SHARDS_LEFT = 4
"""A shard is no more than what is left divided by this and the number of threads, so that the workers
end at about the same time."""

WINDOW = 128
"""Shards under way at most: what memory here and on the workers depends on."""

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 30.0
"""How long a scheduler may take to answer, and how long there may be no worker at all."""


@dataclass(slots=True)
class _Part:
    """A shard under way.  Where there is neither a future nor a blob, all its files are done here."""

    files: tuple[int, ...]
    """Those whose ``marks`` were taken; the others of ``span`` cannot be looked at, and are done here."""
    marks: tuple[Mark, ...]
    span: tuple[int, ...]
    future: Any = None
    blob: bytes | None = None


class Cluster(Generic[How, Answer]):
    """The workers of the scheduler at *address*, over one work; ClusterError if they cannot do it.

    Close it when done.
    """

    def __init__(self, address: str, work: Spread[How, Answer]) -> None:
        self._work = work
        self._address = address
        self._folder = os.getcwd()
        self._libraries = libraries_of(work.languages)
        self._expected = identity(self._libraries)
        self._name = f"structural-{uuid.uuid4().hex}"
        self._number = 0
        self._parts: deque[_Part] = deque()
        self._client = self._connected()
        try:
            self._compare()
        except BaseException:
            self.close()
            raise

    def run(self, files: Iterable[int], how: How, *, seconds: float = 0.0) -> Iterator[tuple[int, Answer]]:
        """Do *files* and give (position, answer) in their order.

        A run that is left early cancels the shards that are under way.
        """
        pending = deque(files)
        parts = self._parts
        threads = sum(self._asked(self._client.nthreads).values())
        window = min(WINDOW, 2 * threads + 2)
        try:
            while pending or parts:
                while pending and len(parts) < window:
                    part = self._cut(pending, threads)
                    parts.append(part)
                    self._submit(part, how)
                part = parts[0]
                try:
                    blob = self._blob(part)
                except KilledWorker as killed:
                    parts.popleft()
                    if len(part.span) > 1:
                        parts.extendleft(reversed(self._singles(part, how)))
                        continue
                    yield part.span[0], self._alone(part, how, killed)
                    continue
                parts.popleft()
                yield from self._answers(part, how, blob)
        finally:
            self._drop()

    def close(self) -> None:
        """Cancel what is under way and leave; the workers stay."""
        self._drop()
        _within(2.0, lambda: self._client.close(timeout=1))

    # --- at the start -------------------------------------------------------------------------

    def _connected(self) -> Any:
        # What Dask has to say of a connection is said by the errors of this module.
        logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _DASK.Client(self._address, timeout=CONNECT_SECONDS, set_as_default=False)
        except Exception as problem:  # of many kinds: the network, the address, certificates
            raise ClusterError(
                f"no scheduler answers at {self._address}: {_line(problem)}",
                hint="start one with `dask scheduler`; certificates of tls:// stand in Dask's configuration "
                "(docs/cluster.md)",
            ) from None

    def _compare(self) -> None:
        """Every worker must be made of the same as this process."""
        if not self._asked(self._client.nthreads):
            try:
                self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
            except TimeoutError:
                raise ClusterError(
                    f"the scheduler at {self._address} has no workers",
                    hint=f"start some with `dask worker {self._address} --nthreads 1`",
                ) from None
        found: dict[str, Any] = self._asked(
            lambda: self._client.run(identity, self._libraries, on_error="return")
        )
        for worker, its in sorted(found.items()):
            if isinstance(its, ImportError):
                raise _unfit(f"worker {worker}", f"it cannot import what it needs ({_line(its)})")
            if isinstance(its, BaseException):
                raise _unfit(f"worker {worker}", _line(its))
            fault = difference(self._expected, its)
            if fault:
                raise _unfit(f"worker {worker}", fault)

    def _asked(self, ask: Callable[[], T]) -> T:
        """What the scheduler answers; ClusterError if it does not."""
        got = _within(ANSWER_SECONDS, ask)
        if got is None:
            raise self._lost("it does not answer")
        if got.problem is not None:
            if isinstance(got.problem, ClusterError):
                raise got.problem
            raise self._lost(_line(got.problem))
        return got.value

    # --- shards -------------------------------------------------------------------------------

    def _cut(self, pending: deque[int], threads: int) -> _Part:
        """The next shard, taken from *pending*."""
        most = max(1, min(SHARD_FILES, len(pending) // (SHARDS_LEFT * max(1, threads))))
        files: list[int] = []
        marks: list[Mark] = []
        span: list[int] = []
        size = 0
        while pending and len(span) < most:
            mark = mark_of(self._path(pending[0]))
            if span and mark is not None and size + mark[0] > SHARD_BYTES:
                break
            at = pending.popleft()
            span.append(at)
            if mark is not None:
                files.append(at)
                marks.append(mark)
                size += mark[0]
        return _Part(tuple(files), tuple(marks), tuple(span))

    def _path(self, at: int) -> str:
        return os.path.join(self._folder, self._work.path(at))

    def _submit(self, part: _Part, how: How) -> None:
        if not part.files:
            return
        self._number += 1
        work = self._work.part(part.files, self._folder)
        paths = tuple(self._path(at) for at in part.files)
        shard = Shard(work, how, paths, part.marks, self._work.languages)
        try:
            part.future = self._client.submit(
                run_shard,
                self._expected,
                self._libraries,
                pickle.dumps(shard, pickle.HIGHEST_PROTOCOL),
                key=f"{self._name}-{self._number}",
                pure=False,
            )
        except Exception as problem:  # a client that lost its scheduler refuses in several ways
            raise self._lost(_line(problem)) from None

    def _blob(self, part: _Part) -> bytes | None:
        """What a worker answered, once it has; KilledWorker if several died over it."""
        if part.blob is not None or part.future is None:
            return part.blob
        part.blob = self._waited(part.future)
        part.future = None  # the worker may forget it
        return part.blob

    def _waited(self, future: Any) -> bytes:
        alone = 0.0  # since when there is no worker
        while True:
            try:
                blob = future.result(timeout=1)
                break
            except KilledWorker:
                raise
            except CancelledError as problem:
                raise self._lost(_line(problem)) from None
            except Exception as problem:
                if isinstance(problem, TimeoutError) and not future.done():
                    alone = self._still_there(alone)
                    continue
                raise ClusterError(
                    f"a worker of {self._address} failed: {_line(problem)}",
                    hint="what every worker needs is told in docs/cluster.md",
                ) from None
        assert isinstance(blob, bytes)
        return blob

    def _still_there(self, alone: float) -> float:
        """Whether there is a scheduler, and workers; since when there are none, or 0."""
        if self._client.status != "running":
            raise self._lost("the connection broke")
        if self._asked(self._client.nthreads):
            return 0.0
        alone = alone or time.monotonic()
        if time.monotonic() - alone > ANSWER_SECONDS:
            raise self._lost("no worker is left")
        return alone

    def _answers(self, part: _Part, how: How, blob: bytes | None) -> Iterator[tuple[int, Answer]]:
        """The answers of a shard, in order, with those for files that could not be given away."""
        done: Done | Unfit = Done((), {}) if blob is None else pickle.loads(blob)
        if isinstance(done, Unfit):
            raise _unfit(done.worker, done.why)
        marks = dict(zip(part.files, part.marks, strict=True))
        unseen = {part.files[at]: why for at, why in done.unseen.items()}
        sent = [at for at in part.files if at not in unseen]
        known = dict(zip(sent, self._work.unpack(sent, done.packed), strict=True))
        for at in part.span:
            if at in known:
                yield at, known.pop(at)
            elif at in unseen and mark_of(self._path(at)) == marks[at]:
                yield at, self._work.unseen(at, how, f"the {done.worker} sees it otherwise: {unseen[at]}")
            else:  # it cannot be looked at, or changed meanwhile
                yield at, self._work.do(at, how)

    # --- workers that die ---------------------------------------------------------------------

    def _singles(self, part: _Part, how: How) -> list[_Part]:
        """The files of a shard over which workers died, each by itself."""
        marks = dict(zip(part.files, part.marks, strict=True))
        singles = []
        for at in part.span:
            known = at in marks
            single = _Part((at,) if known else (), (marks[at],) if known else (), (at,))
            self._submit(single, how)
            singles.append(single)
        return singles

    def _alone(self, part: _Part, how: How, killed: KilledWorker) -> Answer:
        """A file over which workers died, with nothing of ours beside it: they may have died over that."""
        for other in self._parts:
            try:
                self._blob(other)
            except KilledWorker:
                continue  # told when its turn comes
        part.future = None
        self._submit(part, how)
        try:
            ((_, answer),) = self._answers(part, how, self._blob(part))
        except KilledWorker as again:
            return self._work.lost(
                part.span[0], how, f"several workers, the last {again.last_worker.address}"
            )
        return answer

    # --- the end ------------------------------------------------------------------------------

    def _drop(self) -> None:
        futures = [part.future for part in self._parts if part.future is not None]
        self._parts.clear()
        if futures:
            _within(2.0, lambda: self._client.cancel(futures))

    def _lost(self, why: str) -> ClusterError:
        return ClusterError(
            f"the cluster at {self._address} was lost: {why}",
            hint="search without --cluster, or again once its scheduler and workers run",
        )


def _unfit(worker: str, why: str) -> ClusterError:
    return ClusterError(
        f"the {worker} is not fit for this search: {why}",
        hint="every worker needs the same installation as this one (docs/cluster.md)",
    )


@dataclass(slots=True)
class _Got(Generic[T]):
    value: T
    problem: BaseException | None = None


def _within(seconds: float, call: Callable[[], T]) -> _Got[T] | None:
    """What *call* gives or raises; None if it takes longer, and is then left to itself."""
    got: list[_Got[T]] = []

    def run() -> None:
        try:
            got.append(_Got(call()))
        except BaseException as problem:
            got.append(_Got(None, problem))  # type: ignore[arg-type]

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return got[0] if got else None


def _line(problem: BaseException) -> str:
    return " ".join(str(problem).split())[:200] or type(problem).__name__
