"""A case, profiled: the command of the suite in one process, several times, and a table of its stages."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import click

from bench.cases import ASTGREP, FRESH, INDEXED, STAGE, Case
from bench.plans import Job, Plan, jobs
from bench.profiling.stages import ORDER
from bench.tools import Astgrep, environment
from bench.trees import Tree

CHILD = Path(__file__).with_name("child.py")

SIDES = (FRESH, INDEXED, STAGE, ASTGREP)
"""Which side of a question is meant: the first of these that it has."""

COMMANDS = ("search", "scan", "index", "stage", "--version")


def profiled(case: Case, tree: Tree, *, only: str, rounds: int, how: str, lines: int) -> str:
    """What is told of where the time of *case* over *tree* goes."""
    if how == "pyinstrument" and find_spec("pyinstrument") is None:
        raise click.UsageError("pyinstrument is not installed: pip install '.[bench]'")
    with tempfile.TemporaryDirectory(prefix="bench-work-") as scratch:
        work = Path(scratch).resolve()
        plan = Plan({ASTGREP: Astgrep([sys.executable, "-m", "structural.cli.main"])}, work, 1, rounds)
        left_out: list[str] = []
        made = [job for job in jobs(plan, [case], [tree], left_out) if only in job.name]
        if not made:
            raise click.UsageError(left_out[0] if left_out else f"no question of {case.name} holds {only!r}")
        asked = [job for job in made if job.name == made[0].name]
        job = min(asked, key=lambda one: SIDES.index(one.side))
        if job.ready is not None:
            job.ready()
        seen = [_once(job, work, how) for _ in range(rounds if how == "stages" else 1)]
        head = [f"{case.says}, over {tree.name}: `{job.name}`, {job.side}, one process"]
        if how == "stages":
            return "\n".join([*head, *_told(seen)]) + "\n"
        text = (work / "seen.json.text").read_text("utf-8").splitlines()
        return "\n".join([*head, *text[:lines]]) + "\n"


def _once(job: Job, work: Path, how: str) -> dict[str, Any]:
    if job.before is not None:
        job.before()
    at = next(number for number, part in enumerate(job.command) if part in COMMANDS)
    arguments = job.command[at:]
    if arguments[0] in ("search", "scan"):
        arguments.append("--stats")
    out = work / "seen.json"
    program = "astedit" if arguments[0] == "stage" else ASTGREP
    made = subprocess.run(
        [sys.executable, str(CHILD), str(out), how, program, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), **job.environment},
        cwd=job.cwd,
        check=False,
    )
    if made.returncode or not out.exists():
        raise click.ClickException(f"the command failed: {' '.join(arguments)}\n{made.stderr}")
    seen: dict[str, Any] = json.loads(out.read_text("utf-8"))
    if seen["exit_code"] not in (0, 1):
        raise click.ClickException(f"the command ended with {seen['exit_code']}\n{made.stderr}")
    return {**seen, "said": made.stderr if "--stats" in arguments else ""}


def _told(seen: list[dict[str, Any]]) -> list[str]:
    """The stages as a table: medians; and what the command itself counted."""
    processor, wall = (median(one[key] for one in seen) for key in ("processor", "wall"))
    several = f" (median of {len(seen)})" if len(seen) > 1 else ""
    lines = [f"{processor:.3f} s of processor time, {wall:.3f} s of wall time{several}", ""]
    lines += ["| stage | s | share |", "| --- | ---: | ---: |"]
    for stage in ORDER:
        seconds = median(one["stages"].get(stage, 0.0) for one in seen)
        if seconds:
            lines.append(f"| {stage} | {seconds:.3f} | {100 * seconds / processor:.0f} % |")
    said = [line.strip() for line in seen[-1]["said"].splitlines() if " s" in line]
    return [*lines, *(["", "the command itself (--stats):", *said[-2:]] if said else [])]
