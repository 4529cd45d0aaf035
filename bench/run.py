"""The benchmark: this project and what a user would take instead, in one run.

``python bench/run.py CORPUS --tools astgrep,ast-grep,semgrep --out bench/runs/NAME``

Order of things: one round that is not timed asks every tool every case, keeps the
answers and looks at the memory of the process tree; then come the timed rounds, in
each of which the tools take turns case by case, so that whatever else the machine does
hits all of them.  Everything raw goes to ``raw.json``, the summary to ``summary.md``,
a plot to ``times.svg``.  Absolute times of a shared machine mean little; the ratios of
medians within one run are what to read.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from answers import Agreement, agreement
from cases import CORPUS_CASES, LONG_LINE, LONG_LINE_PEER_JSON, NATIVE, SEMGREP, TOOLS, Case
from measure import Sample, sampled, timed
from report import plot, summary
from tools import Place, Tool, environment, find

GROUPS = ("startup", "small", "sympy", "linux", "line")

ROUNDS_OF = {SEMGREP: 2}
"""Fewer rounds for a tool that takes ten to a hundred times as long as the others."""

LIMIT = 1800.0
"""Seconds after which a run is ended and noted as cut."""


@dataclass
class Job:
    """One case for one tool: the command, its figures, its answer."""

    group: str
    name: str
    tool: str
    command: list[str]
    rounds: int
    asking: list[str] = field(default_factory=list)
    """The command whose output is read for the answer; empty if none is.  Memory is that of this one."""
    samples: list[Sample] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    """Load average of the machine before each sample."""
    tree_mib: float = 0.0
    output_bytes: int = 0
    matches: int = -1
    """-1: not asked."""


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    names = asked.tools.split(",")
    found = {name: find(name, getattr(asked, name.replace("-", "_"))) for name in names}
    tools = {name: tool for name, tool in found.items() if tool is not None}
    for name in names:
        if name not in tools:
            print(f"{name} is not installed and left out", file=sys.stderr)
    groups = asked.groups.split(",")
    corpus = asked.corpus.resolve() if asked.corpus else None
    out: Path = asked.out
    out.mkdir(parents=True, exist_ok=True)
    versions = {n: t.version() for n, t in tools.items()}
    record: dict[str, Any] = {
        "machine": machine(),
        "versions": versions,
        "revision": asked.revision or revision(),
    }
    record |= {"began": time.strftime("%Y-%m-%d %H:%M:%S %z"), "processors_used": asked.jobs}
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        made = jobs(groups, tools, corpus, work, asked.jobs, asked.rounds, asked.only)
        agreements = first_round(made, tools, work)
        timed_rounds(made)
    shown = [public(asdict(job), tools, corpus, work) for job in made]
    record |= {"jobs": shown, "agreements": [asdict(a) for a in agreements]}
    record |= {"corpus": corpus_note(corpus, made), "ended": time.strftime("%Y-%m-%d %H:%M:%S %z")}
    (out / "raw.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (out / "summary.md").write_text(summary(record), "utf-8")
    plot(record, out / "times.svg")
    print(f"written to {out}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "corpus", type=Path, nargs="?", help="folder of the source corpus; not needed for startup and line"
    )
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--groups", default=",".join(GROUPS), help="of: " + ", ".join(GROUPS))
    parser.add_argument("--only", help="only cases whose name holds this text")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--revision", help="the revision that is measured, if it is not this checkout's")
    parser.add_argument("--jobs", type=int, default=2, help="processors for every tool")
    parser.add_argument("--out", type=Path, required=True)
    for name in TOOLS:
        parser.add_argument(f"--{name}", metavar="PROGRAM", help=f"where {name} is")
    return parser


# --- what is run ------------------------------------------------------------------------


def jobs(
    groups: Sequence[str],
    tools: dict[str, Tool],
    corpus: Path | None,
    work: Path,
    processors: int,
    rounds: int,
    only: str | None,
) -> list[Job]:
    """Every case for every tool, cases in order, the tools of one case side by side."""
    made: list[Job] = []
    if "startup" in groups:
        made += _startup(tools, work, processors, rounds)
    for case in CORPUS_CASES:
        if case.group in groups and corpus is not None and all((corpus / p).exists() for p in case.paths):
            made += [
                _job(case, tool, corpus, processors, rounds) for n, tool in tools.items() if n in case.tools
            ]
    if "line" in groups:
        made += _lines(tools, work, processors, rounds)
    return [job for job in made if only is None or only in job.name]


def _job(case: Case, tool: Tool, corpus: Path, processors: int, rounds: int) -> Job:
    paths = [str(corpus / p) for p in case.paths]
    command, asking = (
        tool.search(case.pattern_for(tool.name), case.language, paths, processors, answers=answers)
        for answers in (False, True)
    )
    most = min(case.rounds or rounds, ROUNDS_OF.get(tool.name, rounds), rounds)
    return Job(case.group, case.name, tool.name, command, most, asking)


def _startup(tools: dict[str, Tool], work: Path, processors: int, rounds: int) -> list[Job]:
    tiny = work / "tiny.py"
    tiny.write_text("def f(x):\n    assert x\n    return g(x)\n")
    more = 3 * rounds
    made = [Job("startup", "--version", n, t.version_command(), more) for n, t in tools.items()]
    for name, tool in tools.items():
        command = tool.search("assert $X", "python", [str(tiny)], processors, answers=False)
        made.append(Job("startup", "one tiny file", name, command, more))
    return made


def _lines(tools: dict[str, Tool], work: Path, processors: int, rounds: int) -> list[Job]:
    """Many matches on one line: is the cost linear, and is the answer?"""
    made: list[Job] = []
    for form, sizes in (("text", LONG_LINE), ("JSON", LONG_LINE)):
        for size in sizes:
            path = work / f"line{size}.js"
            if not path.exists():
                path.write_text("f(1,1);" * size + "\n")
            for name, tool in tools.items():
                if name in NATIVE and not (form == "JSON" and name != "astgrep"):
                    command = tool.search(
                        "f($X, $X)", "javascript", [str(path)], processors, answers=form == "JSON"
                    )
                    made.append(Job("line", f"{size} matches, {form}", name, command, min(rounds, 3)))
    for size in LONG_LINE_PEER_JSON:
        path = work / f"line{size}.js"
        path.write_text("f(1,1);" * size + "\n")
        for name, tool in tools.items():
            if name in NATIVE:
                command = tool.search("f($X, $X)", "javascript", [str(path)], processors, answers=True)
                made.append(Job("line", f"{size} matches, JSON", name, command, min(rounds, 3)))
    return made


# --- rounds -----------------------------------------------------------------------------


def first_round(made: list[Job], tools: dict[str, Tool], work: Path) -> list[Agreement]:
    """The round that is not timed: memory of the whole tree, and for searches the answers."""
    found: list[Agreement] = []
    by_case: dict[tuple[str, str], dict[str, set[Place]]] = {}
    for job in made:
        print(f"first round: {job.group}/{job.name}, {job.tool}", flush=True)
        output = work / "output"
        _, job.tree_mib = sampled(job.asking or job.command, output, environment(), LIMIT)
        job.output_bytes = output.stat().st_size
        if job.asking:
            places = set(tools[job.tool].places(output))
            job.matches = len(places)
            by_case.setdefault((job.group, job.name), {})[job.tool] = places
        output.unlink()
    for (group, name), answers in by_case.items():
        found.append(agreement(group, name, answers))
    return found


def timed_rounds(made: list[Job]) -> None:
    """The timed rounds: the tools take turns."""
    for number in range(max((job.rounds for job in made), default=0)):
        for job in made:
            if number < job.rounds:
                job.loads.append(os.getloadavg()[0])
                job.samples.append(timed(job.command, None, environment(), LIMIT))
        print(f"round {number + 1} done, load {os.getloadavg()[0]:.2f}", flush=True)


# --- what is kept -----------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """What is known of the machine."""
    model = ""
    memory = 0
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemTotal"):
                memory = int(line.split()[1]) // 1024
    except OSError:
        pass
    return {
        "system": platform.platform(terse=True),
        "processor": model or platform.processor(),
        "processors": os.cpu_count(),
        "memory_mib": memory,
        "python": platform.python_version(),
        "load_at_start": [round(x, 2) for x in os.getloadavg()],
    }


def revision() -> str:
    """The revision of this project that was measured, if it can be told."""
    command = ["git", "-C", str(Path(__file__).resolve().parent), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def corpus_note(corpus: Path | None, made: list[Job]) -> dict[str, Any]:
    """Files and bytes of every folder that was searched."""
    if corpus is None:
        return {}
    used = sorted({p for case in CORPUS_CASES for p in case.paths if any(j.name == case.name for j in made)})
    note: dict[str, Any] = {}
    for name in used:
        files = [p for p in (corpus / name).rglob("*") if p.is_file() and not p.is_symlink()]
        note[name] = {"files": len(files), "bytes": sum(p.stat().st_size for p in files)}
    return note


def public(job: dict[str, Any], tools: dict[str, Tool], corpus: Path | None, work: Path) -> dict[str, Any]:
    """*job* without the paths of this machine."""
    swaps = [(part, name) for name, tool in tools.items() for part in tool.program[:1]]
    swaps += [(str(work), "WORK")] + ([(str(corpus), "CORPUS")] if corpus else [])

    def clean(text: str) -> str:
        for old, new in swaps:
            text = text.replace(old, new)
        return text

    job["command"] = [clean(part) for part in job["command"]]
    job["asking"] = [clean(part) for part in job["asking"]]
    return job


if __name__ == "__main__":
    sys.exit(main())
