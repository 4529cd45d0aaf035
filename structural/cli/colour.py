"""Whether to colour, and the few colours there are.

``--color`` decides; with ``auto``, ``NO_COLOR`` and ``FORCE_COLOR`` (set and not
empty) come next, then whether the stream is a terminal that can.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """Texts that switch a colour on; ``off`` ends each.  All empty where nothing is coloured."""

    path: str = ""
    line: str = ""
    match: str = ""
    name: str = ""
    dim: str = ""
    error: str = ""
    added: str = ""
    removed: str = ""
    hunk: str = ""
    strong: str = ""
    off: str = ""


PLAIN = Palette()
COLOURED = Palette(
    path="\x1b[35m",
    line="\x1b[32m",
    match="\x1b[1;31m",
    name="\x1b[36m",
    dim="\x1b[2m",
    error="\x1b[1;31m",
    added="\x1b[32m",
    removed="\x1b[31m",
    hunk="\x1b[36m",
    strong="\x1b[1m",
    off="\x1b[0m",
)


def palette(when: str, terminal: bool) -> Palette:
    """The colours for a stream under ``--color`` *when*."""
    return COLOURED if _wanted(when, terminal) else PLAIN


def _wanted(when: str, terminal: bool) -> bool:
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"
