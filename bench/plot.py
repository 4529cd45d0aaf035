"""A run as bars: wall times of every case and tree, one bar a side, on a logarithmic scale."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bench.cases import (
    ACCEPT,
    AST_GREP,
    ASTGREP,
    COMBY,
    FRESH,
    GENERATED,
    INDEXED,
    PLAIN,
    SEMGREP,
    STAGE,
)
from bench.figures import heads
from bench.record import Record

COLOURS = {
    ASTGREP: "#1b6ca8",
    FRESH: "#3d8fd1",
    INDEXED: "#94c9f0",
    STAGE: "#6b5b95",
    ACCEPT: "#8f7fb8",
    AST_GREP: "#f4a259",
    SEMGREP: "#bc4b51",
    COMBY: "#8a8a8a",
    PLAIN: "#b0b0b0",
}
"""In the order in which the sides of a case are drawn."""


def plot(records: Sequence[Record], path: Path) -> bool:
    """Draw *records* into *path*; False, and nothing done, without matplotlib or figures."""
    made = heads(records)
    if not made:
        return False
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed: no plot (pip install '.[bench]')", file=sys.stderr)
        return False
    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "bench"  # the same figures give the same file
    matplotlib.rcParams["svg.fonttype"] = "none"
    sides = [side for side in COLOURS if any(side in head.sides for head in made)]
    bars = sum(len(head.sides) for head in made)
    figure, axes = pyplot.subplots(figsize=(10, 1.4 + 0.2 * bars + 0.12 * len(made)))
    at = 0.0
    ticks: list[float] = []
    for head in made:
        began = at
        for side in (side for side in sides if side in head.sides):
            one = head.sides[side]
            spread = [[one.wall - one.least], [one.most - one.wall]]
            axes.barh(at, one.wall, 0.9, color=COLOURS[side], xerr=spread, error_kw={"linewidth": 0.7})
            at += 1
        ticks.append((began + at - 1) / 2)
        at += 0.6
    for side in sides:
        axes.barh(0, 0, color=COLOURS[side], label=side)
    axes.set_yticks(ticks)
    axes.set_yticklabels(
        [head.says if head.tree == GENERATED else f"{head.tree}: {head.says}" for head in made]
    )
    axes.set_ylim(at, -1)
    axes.set_xscale("log")
    axes.set_xlabel("seconds of wall time: median over the patterns of a case, and their range (logarithmic)")
    axes.set_axisbelow(True)
    axes.grid(axis="x", which="both", linewidth=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return True
