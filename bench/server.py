"""The server for agents: from its start to the first answer, and calls once it is warm.

``python -m bench server TREE --out bench/runs/NAME``

A real client starts the server and talks to it over standard input and output, so a time is
what a caller waits: JSON, pipes and threads included.  ``raw.json`` holds every figure, ``summary.md``
medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from bench.memory import PATTERNS
from bench.record import SUMMARY, begun, told, write

PROGRAM = "import sys; from structural.cli.main import astgrep; sys.exit(astgrep())"


FIRST = (PATTERNS[0], "def get_queryset(self): $$$B")
"""The first call of a server: one that hundreds of files have to be parsed for, and one that is for few."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, write, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("--starts", type=int, default=5, help="how often the server is started")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--revision", default="")
    asked = parser.parse_args(arguments)
    starts = [anyio.run(_start, asked.tree, pattern) for pattern in FIRST for _ in range(asked.starts)]
    warm = anyio.run(_warm, asked.tree, asked.rounds)
    raw = begun(asked.revision) | {"load": os.getloadavg(), "starts": starts, "calls": warm}
    text = summary(raw)
    if asked.out:
        write(raw, asked.out)
        (asked.out / SUMMARY).write_text(text, "utf-8")
    print(text)
    return 0


def _told(tree: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-c", PROGRAM, "mcp", "--root", str(tree)], env=dict(os.environ)
    )


async def _start(tree: Path, pattern: str) -> dict[str, Any]:
    """Seconds from the start of the process until it is initialized, and until the first answer."""
    began = time.perf_counter()
    async with stdio_client(_told(tree)) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        ready = time.perf_counter() - began
        await session.call_tool("ast_grep", {"pattern": pattern})
        return {"pattern": pattern, "initialized": ready, "first answer": time.perf_counter() - began}


async def _warm(tree: Path, rounds: int) -> dict[str, dict[str, Any]]:
    """Seconds of calls that differ in their budget, so that no answer is one that was kept whole."""
    found: dict[str, dict[str, Any]] = {pattern: {"seconds": []} for pattern in PATTERNS}
    async with stdio_client(_told(tree)) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        for pattern in PATTERNS:
            await session.call_tool("ast_grep", {"pattern": pattern, "languages": ["python"]})
        await anyio.sleep(15)
        for number in range(rounds):
            for pattern in PATTERNS:
                # Another condition is another search; its answer was not given before.
                arguments = {"pattern": pattern, "languages": ["python"], "text_limit": 100 + number}
                began = time.perf_counter()
                result = await session.call_tool("ast_grep", arguments)
                found[pattern]["seconds"].append(time.perf_counter() - began)
                found[pattern]["matches"] = (result.structured_content or {}).get("matches")
    return found


def summary(raw: dict[str, Any]) -> str:
    """The figures as a page."""
    first = {
        pattern: statistics.median(one["first answer"] for one in raw["starts"] if one["pattern"] == pattern)
        for pattern in FIRST
    }
    ready = statistics.median(one["initialized"] for one in raw["starts"])
    medians = {name: statistics.median(one["seconds"]) for name, one in raw["calls"].items()}
    lines = [
        "# The server for agents",
        "",
        *told(raw),
        f"Revision {raw['revision']}; load {raw['load'][0]:.1f} at the end.",
        "",
        f"From the start of the process: initialized after {ready:.2f} s.",
        *(f"First answer, of `{pattern}`, after {seconds:.2f} s." for pattern, seconds in first.items()),
        f"Median of all warm calls: {statistics.median(medians.values()) * 1000:.0f} ms.",
        "",
        "| pattern | matches | ms |",
        "| --- | --- | --- |",
    ]
    lines += [
        f"| `{name}` | {raw['calls'][name]['matches']} | {median * 1000:.0f} |"
        for name, median in medians.items()
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
