"""Searches with a memory: what a call takes in a process that lives on, over one tree.

``python -m bench memory TREE --lang python --out bench/runs/NAME``

Order of things: cold calls, without a memory and with a new one in turns; then a memory is
filled; then come the timed rounds: the patterns are forgotten, every one is searched, and then
every one once more.  Of a call the wall and processor time are noted, and how much of it went
into asking the files and folders whether they have changed.  ``raw.json`` holds every figure,
``summary.md`` medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.record import SUMMARY, begun, told, write
from structural.search.memory import Memory
from structural.search.scan import search_paths
from structural.search.values import PatternSpec, Selection

PATTERNS = (
    "$X.objects.filter($$$)",
    "def get_queryset(self): $$$B",
    "raise ValueError($$$)",
    "import json",
    "self.assertEqual($A, $B)",
    "$A == $A",
    "except Exception: $$$",
    "class $C(models.Model): $$$",
    "from django.db import $$$A",
    "isinstance($X, str)",
    "if $X is None: return $Y",
    "$F($X, $X)",
    "print($$$)",
    "with self.assertRaises($E): $$$B",
    "models.CharField(max_length=$N)",
    "os.path.join($A, $B)",
    "return super().$M($$$)",
    "for $K, $V in $D.items(): $$$",
    "super().__init__($$$)",
    "$X.get($K, None)",
    "settings.$NAME",
    "lambda $X: $X",
    "no_such_name($X)",
)
"""As agents ask them of a Python project: mostly with a literal."""

COLD = "raise ValueError($$$)"
"""The pattern of the cold calls."""


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    selection = Selection((str(asked.tree),))
    languages = tuple(asked.lang.split(",")) if asked.lang else ()
    record = begun() | {"rounds": asked.rounds}
    record["cold"] = [_cold(selection, languages) for _ in range(asked.rounds + 1)][1:]
    memory = Memory()
    began, worked = time.perf_counter(), time.process_time()
    memory.warm(selection)
    record["fill"] = {"wall": time.perf_counter() - began, "cpu": time.process_time() - worked}
    first = search_paths(PatternSpec(COLD, languages), selection, memory=memory)
    list(first)
    record["tree"] = {"files": first.summary.files, "bytes": first.summary.bytes}
    record["kept"] = {
        "bytes": memory.weight,
        "files": len(memory.shelf.files),
        "blocks": len(memory.shelf.blocks),
        "nodes": sum(len(block.kind) for block in memory.shelf.blocks),
    }
    calls: dict[str, list[dict[str, float]]] = {pattern: [] for pattern in PATTERNS}
    new: dict[str, list[dict[str, float]]] = {pattern: [] for pattern in PATTERNS}
    for _ in range(asked.rounds):
        memory.forget_patterns()
        for found in (new, calls):
            for pattern in PATTERNS:
                found[pattern].append(_call(PatternSpec(pattern, languages), selection, memory))
    record |= {"new": new, "calls": calls}
    write(record, asked.out)
    (asked.out / SUMMARY).write_text(summary(record), "utf-8")
    print(f"written to {asked.out}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--lang", default="", help="languages, parted by commas; every one if left out")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    return parser


def _cold(selection: Selection, languages: tuple[str, ...]) -> dict[str, dict[str, float]]:
    spec = PatternSpec(COLD, languages)
    return {
        "without": _call(spec, selection, None),
        "with": _call(spec, selection, Memory()),
    }


def _call(spec: PatternSpec, selection: Selection, memory: Memory | None) -> dict[str, float]:
    load = os.getloadavg()[0]
    began, worked = time.perf_counter(), time.process_time()
    results = search_paths(spec, selection, memory=memory)
    for _ in results:
        pass
    wall, cpu = time.perf_counter() - began, time.process_time() - worked
    stages = results.summary.stages
    asking = stages["walk"] + stages.get("files", 0.0)
    return {"wall": wall, "cpu": cpu, "asking": asking, "matches": results.summary.matches, "load": load}


def summary(record: dict[str, Any]) -> str:
    """The figures as a page."""
    kept, tree = record["kept"], record["tree"]
    cold = ", ".join(
        f"{_median(record['cold'], how, 'wall'):.0f} ms ({_median(record['cold'], how, 'cpu'):.0f} ms of "
        f"processor time) {how} a memory"
        for how in ("without", "with")
    )
    size = f"{tree['files']} files, {tree['bytes'] / 1e6:.1f} MB"
    held = f"{kept['nodes']} nodes of {kept['files']} files in {kept['blocks']} blocks"
    lines = [
        "# Searches with a memory",
        "",
        *told(record),
        f"Revision measured: {record['revision']}.",
        "",
        f"{size}; kept: {kept['bytes'] / 1e6:.0f} MB, {held}.",
        f"Filling took {record['fill']['cpu']:.1f} s of processor time.",
        f"The first call (`{COLD}`), nothing kept: {cold}.",
        "",
        "Milliseconds. *New*: files are known, the pattern is not; *again*: it was searched before, and",
        "nothing changed; *asking*: the part of that which asks files and folders whether they changed.",
        "Medians of the rounds, and the least of them.",
        "",
        "| pattern | matches | new | least | processor | again | least | processor | asking |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows: list[list[float]] = []
    for pattern, calls in record["calls"].items():
        news, rest = record["new"][pattern], calls
        row: list[float] = []
        for one in (news, rest):
            row.append(statistics.median(call["wall"] for call in one))
            row.append(min(call["wall"] for call in one))
            row.append(statistics.median(call["cpu"] for call in one))
        row.append(statistics.median(call["asking"] for call in rest))
        rows.append(row)
        lines.append(
            f"| `{pattern}` | {calls[0]['matches']} | " + " | ".join(f"{1e3 * one:.0f}" for one in row) + " |"
        )
    columns = list(zip(*rows, strict=True))
    for name, of in (("median", statistics.median), ("worst", max)):
        lines.append(f"| *{name}* | | " + " | ".join(f"{1e3 * of(column):.0f}" for column in columns) + " |")
    loads = [one["load"] for calls in record["calls"].values() for one in calls]
    lines += ["", f"Load average of the machine, median: {statistics.median(loads):.1f}.", ""]
    return "\n".join(lines)


def _median(rounds: list[dict[str, Any]], how: str, key: str) -> float:
    return float(statistics.median(one[how][key] for one in rounds)) * 1e3


if __name__ == "__main__":
    raise SystemExit(main())
