"""A run: one round that is not timed, then the timed rounds, in each of which the tools take turns.

The first round asks every tool every case, keeps the answers, and looks at the memory of the process tree.
In the timed rounds the tools take turns case by case, so that whatever else the machine does hits all of
them.  The figures are written after every round: a run that is stopped keeps what it has.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.answers import Agreement, agreement
from bench.cases import OURS, Case
from bench.measure import STOPPING, sampled, timed
from bench.plans import Answer, Job, Plan, jobs, public
from bench.record import begun, now, write
from bench.tools import Tool, environment, find
from bench.trees import Tree

FORMAT = 2

LIMIT = 1800.0
"""Seconds after which a command is ended and noted as cut."""

GOOD = (0, 1)
"""Exit codes of a command that went well, with and without something found."""


def found_tools(names: Sequence[str], given: Mapping[str, str]) -> tuple[dict[str, Tool], dict[str, str]]:
    """The tools of *names*, and those that are missing, with why."""
    tools: dict[str, Tool] = {}
    missing: dict[str, str] = {}
    for name in names:
        tool = find(name, given.get(name))
        if tool is None:
            missing[name] = "not installed"
        else:
            tools[name] = tool
    return tools, missing


def run(
    plan: Plan,
    cases: Sequence[Case],
    trees: Sequence[Tree],
    out: Path,
    *,
    missing: Mapping[str, str],
    revision: str | None = None,
    only: str = "",
) -> list[Job]:
    """Measure, and write the raw figures below *out*."""
    record = begun(revision)
    left_out: list[str] = []
    made = [job for job in jobs(plan, cases, trees, left_out) if only in job.name]
    record |= {
        "format": FORMAT,
        "versions": {name: tool.version() for name, tool in plan.tools.items()},
        "missing": dict(missing),
        "left_out": left_out,
        "processors_used": plan.processors,
        "trees": {tree.name: tree.note() for tree in trees},
        "agreements": [],
    }

    def keep() -> None:
        record["jobs"] = [public(job, trees, plan.work) for job in made]
        record["ended"] = now()
        write(record, out)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, STOPPING.ask)
    try:
        record["agreements"] = [asdict(one) for one in first_round(made, plan.work)]
        keep()
        for number in range(max((job.rounds for job in made), default=0)):
            timed_round(made, number)
            keep()
            say(f"round {number + 1} done, load {os.getloadavg()[0]:.2f}")
    except KeyboardInterrupt:
        record["stopped"] = "before all rounds were done"
        say("stopped: what was measured until now is kept")
    keep()
    return made


def first_round(made: Sequence[Job], work: Path) -> list[Agreement]:
    """The round that is not timed: memory of all processes, and the answers compared."""
    answers: dict[tuple[str, str, str], dict[str, Answer]] = {}
    asked: dict[tuple[str, str, str, str], frozenset[str] | None] = {}
    for job in made:
        say(f"first round: {job.tree}, {job.case}: {job.name}, {job.side}")
        if job.ready is not None:
            job.ready()
        if job.before is not None:
            job.before()
        output = work / "output"
        sample, job.tree_mib = sampled(job.asking or job.command, output, _environment(job), LIMIT, job.cwd)
        job.output_bytes = output.stat().st_size
        if sample.exit_code not in GOOD:
            say(f"  it ended with {sample.exit_code}: {' '.join(job.command)}")
        elif job.asking:
            found = job.answer(output)
            job.matches = sum(map(len, found.values()))
            answers.setdefault(job.key, {})[job.side] = found
            asked[*job.key, job.side] = job.rules
        output.unlink()
    compared = []
    for (tree, case, name), found_by in answers.items():
        for rule in sorted(set().union(*found_by.values())):
            shown = {
                side: found.get(rule, set())
                for side, found in found_by.items()
                if (known := asked[tree, case, name, side]) is None or rule in known
            }
            compared.append(agreement(tree, case, rule or name, shown))
    return compared


def timed_round(made: Sequence[Job], number: int) -> None:
    """One timed round: the tools take turns."""
    for job in made:
        if number < job.rounds:
            if job.before is not None:
                job.before()
            job.loads.append(round(os.getloadavg()[0], 2))
            job.samples.append(timed(job.command, None, _environment(job), LIMIT, job.cwd))


def failed(made: Sequence[Job]) -> list[Job]:
    """Jobs of this project that did not end well."""
    return [
        job
        for job in made
        if job.side in OURS and any(sample.exit_code not in GOOD for sample in job.samples)
    ]


def _environment(job: Job) -> dict[str, str]:
    return {**environment(), **job.environment}


def say(text: str) -> None:
    """How far it is, for who waits."""
    print(text, file=sys.stderr, flush=True)
