"""Runs one of the commands in this process, watched, and writes what was seen as JSON.

``python child.py OUT HOW PROGRAM ARGUMENTS...``; *HOW* is ``stages``, ``cprofile`` or ``pyinstrument``.  A
signal comes every few milliseconds of processor time; the time since the last one goes to the stage of the
innermost frame that is known (``stages``).  So a long call into a library counts for who called it, and
nothing is slowed down by being watched.  The end of the interpreter is not seen.
"""

from __future__ import annotations

import time

BEGAN = time.process_time()  # the interpreter has come so far

import json  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from types import CodeType, FrameType  # noqa: E402

ROOT = str(Path(__file__).resolve().parent.parent.parent)
sys.path[0] = ROOT

from bench.profiling.stages import OTHER, STAGES, STARTING  # noqa: E402

EVERY = 0.001
"""Seconds of processor time between two signals; kernels round it up to some milliseconds."""


class Watch:
    """Processor time by stages, as far as signals tell."""

    def __init__(self, package: str) -> None:
        self.seconds = {STARTING: BEGAN}
        self._package = package + os.sep
        self._functions: dict[str, str] = {}
        self._modules: dict[str, str] = {}
        self._packages: list[tuple[str, str]] = []
        for stage, keys in STAGES.items():
            for key in keys:
                if ":" in key:
                    self._functions[key] = stage
                elif key.endswith("/"):
                    self._packages.append((key, stage))
                else:
                    self._modules[key] = stage
        self._packages.sort(key=lambda one: -len(one[0]))
        self._known: dict[CodeType, str] = {}
        self._last = 0.0

    def begin(self) -> None:
        self._last = time.process_time()
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)

    def end(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        self._count(OTHER)

    def _look(self, number: int, frame: FrameType | None) -> None:
        while frame is not None:
            code = frame.f_code
            stage = self._known.get(code)
            if stage is None:
                stage = self._known[code] = self.stage_of(code.co_filename, code.co_name)
            if stage:
                return self._count(stage)
            frame = frame.f_back
        return self._count(OTHER)

    def _count(self, stage: str) -> None:
        now = time.process_time()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now

    def stage_of(self, path: str, function: str) -> str:
        """The stage of a function in the file at *path*; empty if it is of none."""
        if path.startswith("<frozen importlib"):
            return STARTING
        if not path.startswith(self._package) or function == "<module>":
            return ""
        module = path[len(self._package) : -len(".py")].replace(os.sep, "/")
        named = self._functions.get(f"{module}:{function}") or self._modules.get(module)
        return named or next((stage for name, stage in self._packages if module.startswith(name)), "")


def main() -> None:
    out, how, program, *arguments = sys.argv[1:]
    sys.argv = [program, *arguments]
    began = time.perf_counter()
    made: dict[str, object] = {}
    watch = Watch(os.path.join(ROOT, "structural"))
    code = 0
    if how == "stages":
        before = time.process_time()
        watch.begin()
        code = _program(program)()
        watch.end()
        made |= {"stages": watch.seconds, "processor": BEGAN + time.process_time() - before}
    elif how == "cprofile":
        import cProfile
        import pstats

        seen = cProfile.Profile()
        code = seen.runcall(_program(program))
        with open(f"{out}.text", "w", encoding="utf-8") as told:
            pstats.Stats(seen, stream=told).sort_stats("tottime").print_stats()
    else:
        import pyinstrument

        with pyinstrument.Profiler() as profiler:
            code = _program(program)()
        Path(f"{out}.text").write_text(profiler.output_text(show_all=True), "utf-8")
    made |= {"wall": time.perf_counter() - began, "exit_code": code}
    Path(out).write_text(json.dumps(made), "utf-8")


def _program(name: str) -> Callable[[], int]:
    def run() -> int:
        from structural.cli import main as programs

        made: int = getattr(programs, name)()
        return made

    return run


if __name__ == "__main__":
    main()
