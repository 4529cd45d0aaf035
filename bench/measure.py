"""One process, measured: wall time, processor time, peak memory.

``timed`` takes its figures from the kernel when the process is reaped: they include
the children that the process waited for, and cost the run nothing.  The kernel's peak
memory is that of the largest single process, and never less than what this process
itself had when it forked.  ``sampled`` looks at the whole process tree every few
hundredths of a second instead; it disturbs the clock, so it is used in the round that
is not timed.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO


@dataclass(frozen=True)
class Sample:
    """Figures of one run.  Seconds; mebibytes; ``cut`` says that the time limit ended it."""

    wall: float
    user: float
    system: float
    peak_mib: float
    exit_code: int
    cut: bool = False

    @property
    def processor(self) -> float:
        return self.user + self.system


def timed(
    command: Sequence[str],
    output: Path | None,
    environment: Mapping[str, str],
    limit: float,
    cwd: Path | None = None,
) -> Sample:
    """Run *command*; standard output goes to *output* or nowhere, standard error nowhere."""
    with _sink(output) as out:
        began = time.perf_counter()
        process = _start(command, out, environment, cwd)
        killer = threading.Timer(limit, _kill, [process.pid])
        killer.start()
        STOPPING.began(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        cut = not killer.is_alive()
        killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    STOPPING.over()
    return _sample(wall, used, process.returncode, cut)


def sampled(
    command: Sequence[str],
    output: Path | None,
    environment: Mapping[str, str],
    limit: float,
    cwd: Path | None = None,
) -> tuple[Sample, float]:
    """Like ``timed``, and the largest sum of memory of the process tree that was seen, in MiB;
    0 if the process was too quick to be seen."""
    peak = 0.0
    with _sink(output) as out:
        began = time.perf_counter()
        process = _start(command, out, environment, cwd)
        cut = False
        STOPPING.began(process.pid)
        while True:
            reaped, status, used = os.wait4(process.pid, os.WNOHANG)
            if reaped:
                break
            peak = max(peak, _tree_mib(process.pid))
            passed = time.perf_counter() - began
            if passed > limit and not cut:
                cut = True
                _kill(process.pid)
            time.sleep(0.002 if passed < 0.3 else 0.03)
        wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    STOPPING.over()
    return _sample(wall, used, process.returncode, cut), peak


def _start(
    command: Sequence[str], out: IO[bytes] | int, environment: Mapping[str, str], cwd: Path | None
) -> subprocess.Popen[bytes]:
    """Start in a session of its own, so that the time limit can end the whole tree."""
    return subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        cwd=cwd,
        start_new_session=True,
    )


def _sample(wall: float, used: resource.struct_rusage, code: int, cut: bool) -> Sample:
    return Sample(wall, used.ru_utime, used.ru_stime, used.ru_maxrss / 1024, code, cut)


@contextlib.contextmanager
def _sink(output: Path | None) -> Iterator[IO[bytes] | int]:
    if output is None:
        yield subprocess.DEVNULL
    else:
        with output.open("wb") as opened:
            yield opened


class Stopping:
    """What stops the bench stops what it measures too, which is in a session of its own.

    The handler of a signal only notes it: an exception at any moment could leave a process behind.
    """

    def __init__(self) -> None:
        self.asked = False
        self._pid = 0

    def ask(self, number: int, frame: FrameType | None) -> None:
        """The handler."""
        self.asked = True
        if self._pid:
            _kill(self._pid)

    def began(self, pid: int) -> None:
        self._pid = pid
        if self.asked:
            _kill(pid)

    def over(self) -> None:
        """The process is gone.  Raises KeyboardInterrupt if the bench was stopped meanwhile."""
        self._pid = 0
        if self.asked:
            raise KeyboardInterrupt


STOPPING = Stopping()


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _tree_mib(root: int) -> float:
    """Memory of *root* and all below it, shared pages divided among their users where the kernel says so."""
    total = 0.0
    todo = [root]
    while todo:
        pid = todo.pop()
        try:
            with open(f"/proc/{pid}/task/{pid}/children") as listed:
                todo += [int(child) for child in listed.read().split()]
        except OSError:
            pass
        total += _memory_mib(pid)
    return total


def _memory_mib(pid: int) -> float:
    for name, key in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        try:
            with open(f"/proc/{pid}/{name}") as listed:
                for line in listed:
                    if line.startswith(key):
                        return int(line.split()[1]) / 1024
        except OSError:
            continue
    return 0.0
