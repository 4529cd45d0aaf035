"""From raw figures to a table that a person can read, and a plot.

Both are made from the record that is kept as JSON, so they can be made again:
``python bench/report.py bench/runs/NAME``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

Record = dict[str, Any]


def summary(record: Record) -> str:
    """The run as Markdown."""
    machine = record["machine"]
    lines = [
        f"# Run of {record['began']}",
        "",
        f"{machine['processor']}, {machine['processors']} processors, {machine['memory_mib']} MiB,",
        f"{machine['system']}, Python {machine['python']}.",
        f"Every tool may use {record['processors_used']} processors.",
        f"Load average at the start: {', '.join(map(str, machine['load_at_start']))}.",
        "",
        *(f"- {name}: {version}" for name, version in record["versions"].items()),
        f"- revision measured: {record.get('revision') or 'unknown'}",
        "",
        "Seconds are medians of the rounds, in brackets the least and the most. The ratio is that of the",
        "median to astgrep's. CPU is user and system time of the process and its children. Memory is the",
        "largest sum that was seen of the process tree, in MiB. Load is the median of the machine's load",
        "average before the samples: figures under a load far above nothing are only good for ratios.",
        "",
        "| case | tool | matches | wall s | ratio | CPU s | ratio | MiB | load |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for (group, name), jobs in cases(record).items():
        base = next((job for job in jobs if job["tool"] == "astgrep"), jobs[0])
        lines += [_row(group, name, job, base) for job in jobs]
    lines += ["", "## Answers", ""]
    lines += _answers(record)
    lines += ["", "## Trees", "", "| folder | files | MB |", "| --- | ---: | ---: |"]
    lines += [f"| {name} | {n['files']} | {n['bytes'] / 1e6:.1f} |" for name, n in record["corpus"].items()]
    return "\n".join(lines) + "\n"


def cases(record: Record) -> dict[tuple[str, str], list[Any]]:
    """The jobs of every case, in the order of the run."""
    found: dict[tuple[str, str], list[Any]] = {}
    for job in record["jobs"]:
        found.setdefault((job["group"], job["name"]), []).append(job)
    return found


def walls(job: Any) -> list[float]:
    return [sample["wall"] for sample in job["samples"]]


def processors(job: Any) -> list[float]:
    return [sample["user"] + sample["system"] for sample in job["samples"]]


def _row(group: str, name: str, job: Any, base: Any) -> str:
    wall, cpu = walls(job), processors(job)
    if not wall:
        return f"| {group}: {_code(name)} | {job['tool']} | | | | | | | |"
    matches = "" if job["matches"] < 0 else f"{job['matches']:,}"
    cut = " (cut)" if any(sample["cut"] for sample in job["samples"]) else ""
    ratio, cpu_ratio = (_ratio(figures, base, of) for figures, of in ((wall, walls), (cpu, processors)))
    span = f"{median(wall):.3f} [{min(wall):.3f}–{max(wall):.3f}]{cut}"
    figures = f"{span} | {ratio} | {median(cpu):.3f} | {cpu_ratio} | {job['tree_mib']:.0f}"
    return f"| {group}: {_code(name)} | {job['tool']} | {matches} | {figures} | {median(job['loads']):.1f} |"


def _code(name: str) -> str:
    return name.replace("|", "\\|")


def _ratio(figures: list[float], base: Any, of: Any) -> str:
    mine = of(base)
    return f"{median(figures) / median(mine):.2f}" if mine and median(mine) else ""


def _answers(record: Record) -> list[str]:
    lines: list[str] = []
    for made in record["agreements"]:
        counts = ", ".join(f"{tool} {number:,}" for tool, number in made["counts"].items())
        differs = [pair for pair in made["pairs"] if pair["only_first"] or pair["only_second"]]
        lines.append(f"- {made['group']}: `{made['name']}`: {counts}{'' if differs else '; all alike'}")
        for pair in differs:
            lines.append(
                f"  - {pair['first']} and {pair['second']}: {pair['both']:,} in both, "
                f"{pair['only_first']:,} only in the first, {pair['only_second']:,} only in the second"
            )
            for side in ("first", "second"):
                shown = [text.replace("`", " ") for text in pair[f"samples_{side}"][:2]]
                lines += [f"    - only {pair[side]}: `{text}`" for text in shown]
    return lines


def plot(record: Record, path: Path) -> None:
    """Wall times as bars, one group a case, on a logarithmic scale; nothing without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no plot", file=sys.stderr)
        return
    matplotlib.use("svg")
    from matplotlib import pyplot

    made = {key: jobs for key, jobs in cases(record).items() if any(job["samples"] for job in jobs)}
    if not made:
        return
    tools = list(dict.fromkeys(job["tool"] for jobs in made.values() for job in jobs))
    height = 0.8 / len(tools)
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.28 * len(tools) * len(made)))
    for number, tool in enumerate(tools):
        places, values, low, high = [], [], [], []
        for at, jobs in enumerate(made.values()):
            for job in jobs:
                if job["tool"] == tool and job["samples"]:
                    seconds = walls(job)
                    places.append(at + number * height)
                    values.append(median(seconds))
                    low.append(median(seconds) - min(seconds))
                    high.append(max(seconds) - median(seconds))
        axes.barh(places, values, height, xerr=[low, high], label=tool, error_kw={"linewidth": 0.8})
    axes.set_yticks([at + 0.4 - height / 2 for at in range(len(made))])
    axes.set_yticklabels([f"{group}: {name}".replace("$", r"\$") for group, name in made])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("seconds of wall time, median and range (logarithmic)")
    axes.grid(axis="x", which="both", linewidth=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    kept = json.loads((folder / "raw.json").read_text("utf-8"))
    (folder / "summary.md").write_text(summary(kept), "utf-8")
    plot(kept, folder / "times.svg")
