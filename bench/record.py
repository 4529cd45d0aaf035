"""What is kept of a run besides its figures: the machine, the revision; and where it is written."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

Record = dict[str, Any]
"""A run, as it stands in ``raw.json``."""

RAW, SUMMARY, PLOT = "raw.json", "summary.md", "times.svg"


def begun(revision_given: str | None = None) -> Record:
    """A record with what is known before anything was measured."""
    return {"machine": machine(), "revision": revision_given or revision(), "began": now()}


def now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S %z")


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


def told(record: Record) -> list[str]:
    """Machine and load of a run, as lines of a page."""
    made = record["machine"]
    return [
        f"{made['processor']}, {made['processors']} processors, {made['memory_mib']} MiB,",
        f"{made['system']}, Python {made['python']}.",
        f"Load average at the start: {', '.join(map(str, made['load_at_start']))}.",
    ]


def revision() -> str:
    """The revision of this project that was measured, if it can be told; with a + if it was changed."""
    here = str(Path(__file__).resolve().parent)

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", here, *words], capture_output=True, text=True, check=True).stdout

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", "../structural").strip()
        return git("rev-parse", "--short", "HEAD").strip() + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def write(record: Record, folder: Path) -> None:
    """Keep *record* as the raw figures of the run in *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / RAW
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    beside = place.with_suffix(".new")
    beside.write_text(text, "utf-8")
    beside.replace(place)


def read(folder: Path) -> Record:
    """The record of the run in *folder*."""
    made: Record = json.loads((folder / RAW).read_text("utf-8"))
    return made
