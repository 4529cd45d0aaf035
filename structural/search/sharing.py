"""Work on files, here at first, and in processes when that pays; answers in the order of the files.

What a search does for itself (``scan``), for any other work.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from structural.search import work as worth
from structural.search.work import Work, forks, processors

if TYPE_CHECKING:
    from structural.search.pool import Pool

How = TypeVar("How")
Answer = TypeVar("Answer")


class Sharing(Generic[How, Answer]):
    """One work over up to *jobs* processes; 0 is one a processor.  Close it when done."""

    def __init__(self, work: Work[How, Answer], jobs: int = 0) -> None:
        self._work = work
        self._jobs = jobs or processors()
        self._pool: Pool[How, Answer] | None = None
        self._spent = 0.0
        self._worked = 0

    def run(self, files: Iterable[int], how: How) -> Iterator[tuple[int, Answer]]:
        """Do *files* and give (position, answer) in their order."""
        pending = list(files)
        for done, at in enumerate(pending):
            if self._jobs > 1 and self._pays(len(pending) - done):
                yield from self._processes().run(pending[done:], how, seconds=self._mean)
                return
            began = time.perf_counter()
            answer = self._work.do(at, how)
            self._spent += time.perf_counter() - began
            self._worked += 1
            yield at, answer

    def close(self) -> None:
        """End the processes at once."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    @property
    def workers(self) -> int:
        """Processes that are at work."""
        return 0 if self._pool is None else len(self._pool._workers)

    def _processes(self) -> Pool[How, Answer]:
        if self._pool is None:
            from structural.search.pool import Pool  # most calls need none of it

            self._pool = Pool(self._work, self._jobs)
        return self._pool

    def _pays(self, left: int) -> bool:
        if self._spent < worth.SERIAL_SECONDS:
            return False
        return self._mean * left > worth.WORTH_SECONDS * (1 if forks() else worth.SPAWNED)

    @property
    def _mean(self) -> float:
        return self._spent / max(1, self._worked)
