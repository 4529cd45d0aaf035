"""Ten tasks of an agent, end to end: with our tools, and with ast-grep and plain file edits.

``python -m bench tasks CORPUS --out bench/runs/NAME``

Every agent is a script; each gets a fresh copy of the tree, does the task, and an independent
check looks at what came out.  Everything raw goes to ``raw.json``, the table to ``summary.md``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.record import SUMMARY, begun, now, told, write
from bench.tasking import TASKS
from bench.tasking.contest import CAREFUL, OURS, STRAIGHT, AgentTask, MissingToolError, Ours, Peer, Tally
from bench.tasking.trees import copy
from bench.tools import find

AGENTS = (OURS, CAREFUL, STRAIGHT)


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    corpus = asked.corpus.resolve()
    chosen = {int(one) for one in asked.tasks.split(",")} if asked.tasks else set()
    peer = find("ast-grep", None)
    record = begun(asked.revision) | {
        "versions": {"ast-grep": peer.version() if peer else "not installed: its agents are left out"},
        "runs": [],
    }
    for task in TASKS:
        if chosen and task.number not in chosen:
            continue
        if not all((corpus / tree).exists() for tree in task.trees):
            print(f"task {task.number} is left out: its tree is not there", file=sys.stderr)
            continue
        for name in AGENTS:
            if (name != OURS and peer is None) or (name == STRAIGHT and task.straight is None):
                continue
            run = one_run(task, name, corpus)
            record["runs"].append(run)
            state = run.get("left_out") or ("right" if run["right"] else f"wrong: {run['wrong'][:2]}")
            print(f"{task.number} {name}: {state}, {run.get('wall', 0):.1f} s", flush=True)
    record["ended"] = now()
    write(record, asked.out)
    (asked.out / SUMMARY).write_text(summary(record), "utf-8")
    print(f"written to {asked.out}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, help="folder of the source corpus")
    parser.add_argument("--tasks", help="numbers of tasks, as 1,4,10 (default: all)")
    parser.add_argument("--revision", help="the revision that is measured, if it is not this checkout's")
    parser.add_argument("--out", type=Path, required=True)
    return parser


def one_run(task: AgentTask, name: str, corpus: Path) -> dict[str, Any]:
    """One agent does one task on a fresh tree."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch).resolve() / "tree"
        root.mkdir()
        copy(corpus, task.trees, root)
        task.plant(root)
        load = os.getloadavg()[0]
        tally = Tally()
        agent: Ours | Peer = Ours(root, tally) if name == OURS else Peer(root, tally)
        scripts: dict[str, Callable[[Any], object]] = {
            OURS: task.ours,
            CAREFUL: task.careful,
            STRAIGHT: task.straight or task.careful,
        }
        script = scripts[name]
        run: dict[str, Any] = {"task": task.number, "title": task.title, "agent": name, "load": load}
        failed = ""
        answer: object = None
        try:
            with agent.timing():
                answer = script(agent)
        except MissingToolError as problem:
            return {**run, "left_out": f"this revision does not offer {problem}"}
        except Exception as problem:
            failed = f"the script stopped: {problem!r}"
            traceback.print_exc()
        verdict = task.judge(root, answer) if not failed else None
        for left in root.iterdir():  # the largest trees first: the disk may be small
            shutil.rmtree(left, ignore_errors=True)
    found: dict[str, Any] = {"wrong": [failed], "lost": 0, "damaged": 0, "layout": 0, "notes": []}
    if verdict:
        found = asdict(verdict)
    right = verdict is not None and verdict.right
    found["wrong_total"], found["wrong"] = len(found["wrong"]), found["wrong"][:20]
    return {**run, **asdict(tally), **found, "right": right}


_COLUMNS = (
    *("task", "agent", "right", "lost B", "damaged", "wrong", "calls"),
    *("sent k", "received k", "longest k", "wall s", "CPU s", "load"),
)


def summary(record: dict[str, Any]) -> str:
    """The run as Markdown."""
    lines = [
        f"# Tasks of an agent, run of {record['began']}",
        "",
        *told(record),
        "",
        *(f"- {name}: {version}" for name, version in record["versions"].items()),
        f"- revision measured: {record.get('revision') or 'unknown'}",
        "",
        "Sent and received are thousands of characters, longest is those of the longest answer. CPU is user",
        "and system time. Lost are bytes of others that are gone: their edits, comments. Damaged are files",
        "that are no code any more, wrong are files or answers that are not as they should be. Times are of",
        "one run under the load that is given; they tell an order of magnitude.",
        "",
        f"| {' | '.join(_COLUMNS)} |",
        f"| {' | '.join('---' if at < 3 else '---:' for at in range(len(_COLUMNS)))} |",
    ]
    lines += [_row(run) for run in record["runs"]]
    lines += ["", *_totals(record), "", "## What was wrong", ""]
    for run in record["runs"]:
        if run.get("wrong"):
            shown = "; ".join(run["wrong"][:3])
            lines.append(f"- {run['task']} {run['agent']}: {shown}")
    lines += ["", "## Notes", ""]
    lines += [
        f"- {run['task']}: {'; '.join(run['notes'])}"
        for run in record["runs"]
        if run.get("notes") and run["agent"] == OURS
    ]
    lines += [
        f"- {run['task']} {run['agent']}: {run['layout']} files are right but laid out otherwise"
        for run in record["runs"]
        if run.get("layout")
    ]
    return "\n".join(lines) + "\n"


def _row(run: dict[str, Any]) -> str:
    head = f"| {run['task']} {run['title']} | {run['agent']} "
    if "left_out" in run:
        return f"{head}| {run['left_out']} | | | | | | | | | | |"
    numbers = [f"{run[name]:,}" for name in ("lost", "damaged", "wrong_total", "calls")]
    numbers += [f"{run[name] / 1_000:,.1f}" for name in ("sent", "received", "longest")]
    numbers += [f"{run[name]:.1f}" for name in ("wall", "processor", "load")]
    return f"{head}| {'yes' if run['right'] else 'no'} | {' | '.join(numbers)} |"


def _totals(record: dict[str, Any]) -> list[str]:
    lines = ["| agent | tasks right | lost B | damaged | calls | sent k | received k |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in AGENTS:
        runs = [run for run in record["runs"] if run["agent"] == name and "left_out" not in run]
        if runs:
            sums = {
                key: sum(run[key] for run in runs) for key in ("lost", "damaged", "calls", "sent", "received")
            }
            lines.append(
                f"| {name} | {sum(run['right'] for run in runs)} of {len(runs)} | {sums['lost']:,} "
                f"| {sums['damaged']} | {sums['calls']} | {sums['sent'] / 1_000:,.1f} "
                f"| {sums['received'] / 1_000:,.1f} |"
            )
    return lines


if __name__ == "__main__":
    sys.exit(main())
