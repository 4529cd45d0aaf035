"""What it costs to stage a rewrite, beside the search for the same pattern over the same files.

``python bench/staging.py --out bench/runs/NAME``

Order of things: a tree of generated files for each case; one round that is not timed looks at the
memory of the process tree; then come the timed rounds, in each of which search and stage take
turns, with one process and with as many as are given.  The store is removed after every stage.
Everything raw goes to ``raw.json``, the summary to ``summary.md``.  The figure to read is the ratio
of the processor times of one round: what else the machine does hits both.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from measure import Sample, sampled, timed
from run import machine, revision
from tools import environment

SITES = 20
LIMIT = 1800.0
"""Seconds after which a run is ended."""


@dataclass(frozen=True)
class Case:
    """A rewrite and the text of file number n of its tree."""

    name: str
    pattern: str
    rewrite: str
    suffix: str
    text: Callable[[int], str]
    share: float = 1.0
    """Of the files asked for, how many it is measured with."""


@dataclass
class Job:
    """One case with a number of processes: samples of the search and of the stage, in turns."""

    case: str
    processes: int
    files: int
    sites: int
    bytes: int
    search: list[Sample] = field(default_factory=list)
    stage: list[Sample] = field(default_factory=list)
    search_mib: float = 0.0
    stage_mib: float = 0.0

    @property
    def ratios(self) -> list[float]:
        pairs = zip(self.search, self.stage, strict=True)
        return [stage.processor / search.processor for search, stage in pairs]


def _python(n: int) -> str:
    return "import os\n" + "".join(
        f"\n\ndef f{k}(a, b):\n    # comment {k}\n    x = [i for i in range({n})]\n"
        f"    old_call(a, b + {k})\n    if a:\n        return {{'k': x, 'v': b}}\n    return a\n"
        for k in range(SITES)
    )


def _javascript(n: int) -> str:
    methods = "".join(
        f"  close{k}(a, b) {{\n    // closes part {k} of {n}\n"
        f"    const list = a.items.filter(i => i.id > {k}).map(i => i.value);\n"
        f"    if (this.part{k} != null) this.part{k}.dispose();\n"
        f"    if (list.length) {{\n      return {{ key: list[0], value: b + {k} }};\n    }}\n"
        "    return a;\n  }\n"
        for k in range(SITES)
    )
    return f"import {{ Thing }} from './thing';\n\nexport class C{n} {{\n{methods}}}\n"


def _mended(n: int) -> str:
    return _javascript(n).replace("b + ", "b * wrap(a + b) + ")


CASES = (
    Case("python calls", "old_call($A, $B)", "new_call($B, $A)", ".py", _python),
    Case("javascript dispose", "if ($X != null) $X.dispose()", "$X?.dispose()", ".js", _javascript),
    # Every site needs parentheses: the whole file is done thoroughly, and each site mended.
    Case("javascript mended", "wrap($X)", "$X", ".js", _mended, share=0.05),
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", default="1,2", help="numbers of processes, with commas")
    parser.add_argument("--only", default="", help="only cases whose name holds the text")
    parser.add_argument("--revision", default="", help="what was measured, if it is not this checkout")
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    jobs = []
    record: dict[str, Any] = {
        "machine": machine(),
        "revision": asked.revision or revision(),
        "began": time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime()),
    }
    for case in CASES:
        if asked.only not in case.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            jobs += list(_case(case, Path(folder), asked))
    record["jobs"] = [asdict(job) | {"ratios": job.ratios} for job in jobs]
    (asked.out / "raw.json").write_text(json.dumps(record, indent=1) + "\n")
    (asked.out / "summary.md").write_text(_summary(record, jobs))
    return 0


def _case(case: Case, folder: Path, asked: argparse.Namespace) -> list[Job]:
    files, size = max(1, int(asked.files * case.share)), 0
    for n in range(files):
        text = case.text(n)
        size += len(text)
        path = folder / f"d{n % 50}" / f"m{n}{case.suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    jobs = [Job(case.name, int(n), files, files * SITES, size) for n in asked.processes.split(",")]
    for one in range(asked.rounds + 1):
        for job in jobs:
            for what in ("search", "stage"):
                command, samples = _command(case, what, job.processes), getattr(job, what)
                if one:
                    samples.append(timed(command, None, environment(), LIMIT, folder))
                else:
                    setattr(job, f"{what}_mib", sampled(command, None, environment(), LIMIT, folder)[1])
            shutil.rmtree(folder / ".structural", ignore_errors=True)
        print(f"{case.name}: round {one} of {asked.rounds}", file=sys.stderr)
    return jobs


def _command(case: Case, what: str, processes: int) -> list[str]:
    program = "astgrep" if what == "search" else "astedit"
    call = f"import sys; from structural.cli.main import {program}; sys.exit({program}())"
    command = [sys.executable, "-c", call, what, case.pattern, "--jobs", str(processes)]
    return command if what == "search" else [*command, "--rewrite", case.rewrite, "--root", "."]


def _summary(record: dict[str, Any], jobs: list[Job]) -> str:
    host = record["machine"]
    lines = [
        f"# Staging beside searching, run of {record['began']}",
        "",
        f"{host['processor']}, {host['processors']} processors, {host['system']}, Python {host['python']}.",
        f"Load average at the start: {', '.join(map(str, host['load_at_start']))}.",
        f"Revision measured: {record['revision']}.",
        "",
        "CPU is user and system time of a process and its children: the median of the rounds, in brackets",
        "the least and the most. The ratio is that of the two within a round. Memory is the largest sum that",
        "was seen of the process tree, in MiB.",
        "",
        "| case | sites | processes | search CPU s | stage CPU s | ratio | stage wall s | MiB | stage MiB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {job.case} | {job.sites:,} | {job.processes} "
        f"| {_spread([one.processor for one in job.search])} "
        f"| {_spread([one.processor for one in job.stage])} | {_spread(job.ratios)} "
        f"| {_spread([one.wall for one in job.stage])} | {job.search_mib:.0f} | {job.stage_mib:.0f} |"
        for job in jobs
    ]
    return "\n".join(lines) + "\n"


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} [{min(values):.2f}–{max(values):.2f}]"


if __name__ == "__main__":
    sys.exit(main())
