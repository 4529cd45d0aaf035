"""Raw figures → medians, spreads and ratios; runs of earlier forms read as those of today.

``heads`` has one line a case and tree: the median over its patterns, and the ratio of the pattern that is
worst for this project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from bench.cases import AST_GREP, ASTGREP, CASES, GENERATED, INDEXED, OURS, PLAIN, STAGE
from bench.record import Record

Figures = dict[str, Any]
"""One job, as it stands in the record."""

Key = tuple[str, str, str]
"""Tree, case, name."""

BASES = (AST_GREP, ASTGREP, INDEXED, PLAIN)
"""What the others of a question are compared with: the first of these that was asked it."""


def modern(record: Record) -> Record:
    """*record* in the form of today, whatever form of a search or staging it has."""
    if "format" in record:
        return record
    made = {**record, "format": 1}
    if any("stage" in job for job in record["jobs"]):
        made["jobs"] = [one for job in record["jobs"] for one in _of_staging(job)]
    else:
        made["jobs"] = [_renamed(job) for job in record["jobs"]]
    made["agreements"] = [_renamed(one) for one in record.get("agreements", ())]
    made["trees"] = record.get("corpus", {})
    return made


def _renamed(job: Figures) -> Figures:
    return {**job, "tree": job["group"], "case": job["name"], "name": ""}


def _of_staging(job: Figures) -> Iterable[Figures]:
    """Search and stage stood in one job."""
    several = "es" if job["processes"] > 1 else ""
    name = f"{job['case']}, {job['processes']} process{several}"
    for side, key in ((ASTGREP, "search"), (STAGE, "stage")):
        kept = {"samples": job[key], "tree_mib": job[f"{key}_mib"], "matches": job["sites"], "loads": []}
        yield {"tree": GENERATED, "case": "staging", "name": name, "tool": side, "note": "", **kept}


def questions(record: Record) -> dict[Key, list[Figures]]:
    """The jobs of every question, in the order of the run."""
    found: dict[Key, list[Figures]] = {}
    for job in record["jobs"]:
        found.setdefault((job["tree"], job["case"], job["name"]), []).append(job)
    return found


def base_of(jobs: Sequence[Figures]) -> Figures:
    """The job that the others are compared with."""
    by_side = {job["tool"]: job for job in jobs}
    return next((by_side[side] for side in BASES if side in by_side), jobs[0])


def walls(job: Figures) -> list[float]:
    return [sample["wall"] for sample in job["samples"]]


def processors(job: Figures) -> list[float]:
    return [sample["user"] + sample["system"] for sample in job["samples"]]


def ended_badly(job: Figures) -> set[int]:
    """Exit codes that say that the command failed."""
    return {sample["exit_code"] for sample in job["samples"]} - {0, 1}


def ratio(job: Figures, base: Figures, of: Callable[[Figures], list[float]]) -> float | None:
    """The median of *job* to that of *base*, if both have one."""
    mine, its = of(job), of(base)
    return median(mine) / median(its) if mine and its and median(its) else None


# --- one line a case and tree -----------------------------------------------------------------


@dataclass
class Side:
    """One side of a head: medians over all patterns."""

    wall: float
    least: float
    most: float
    processor: float
    mib: float
    wall_ratio: float | None = None
    """Ours to the base, of the pattern that is worst; nothing for the base itself and for other tools."""
    processor_ratio: float | None = None


@dataclass
class Head:
    """A case over a tree."""

    tree: str
    case: str
    says: str
    questions: int
    base: str
    sides: dict[str, Side] = field(default_factory=dict)


def heads(records: Iterable[Record]) -> list[Head]:
    """The cases of *records*; of what was measured twice the later.  In the order of the cases."""
    made: dict[tuple[str, str], Head] = {}
    for record in records:
        grouped: dict[tuple[str, str], list[list[Figures]]] = {}
        for (tree, case, _), jobs in questions(modern(record)).items():
            if any(job["samples"] for job in jobs):
                grouped.setdefault((tree, case), []).append([job for job in jobs if job["samples"]])
        for key, asked in grouped.items():
            made.pop(key, None)
            made[key] = _head(*key, asked)
    order = [case.name for case in CASES]
    return sorted(
        made.values(), key=lambda head: order.index(head.case) if head.case in order else len(order)
    )


def _head(tree: str, case: str, asked: list[list[Figures]]) -> Head:
    says = next((one.says for one in CASES if one.name == case), case)
    head = Head(tree, case, says, len(asked), base_of(asked[0])["tool"])
    for side in dict.fromkeys(job["tool"] for jobs in asked for job in jobs):
        pairs = [(job, base_of(jobs)) for jobs in asked for job in jobs if job["tool"] == side]
        jobs = [job for job, _ in pairs]
        of_walls = [median(walls(job)) for job in jobs]
        head.sides[side] = Side(
            median(of_walls),
            min(of_walls),
            max(of_walls),
            median(median(processors(job)) for job in jobs),
            max(job["tree_mib"] for job in jobs),
        )
        if side in OURS and side != head.base:
            head.sides[side].wall_ratio = _worst(pairs, walls)
            head.sides[side].processor_ratio = _worst(pairs, processors)
    return head


def _worst(pairs: list[tuple[Figures, Figures]], of: Callable[[Figures], list[float]]) -> float | None:
    known = [one for job, base in pairs if (one := ratio(job, base, of)) is not None]
    return max(known, default=None)
