"""Do the tools find the same?  Places are compared, not only counted.

A place is a path and a stretch of bytes; white space and a terminator at its end do
not count, since the tools differ there without meaning anything by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from bench.tools import Place

SAMPLES = 3


@dataclass
class Pair:
    """Two tools: how many places both found, and how many only one."""

    first: str
    second: str
    both: int
    only_first: int
    only_second: int
    samples_first: list[str] = field(default_factory=list)
    """Source that only the first found, cut."""
    samples_second: list[str] = field(default_factory=list)


@dataclass
class Agreement:
    """One case: what every pair of tools made of it."""

    tree: str
    case: str
    name: str
    """The pattern, or the rule."""
    counts: dict[str, int]
    pairs: list[Pair]


def agreement(tree: str, case: str, name: str, answers: dict[str, set[Place]]) -> Agreement:
    """Compare the *answers* of all tools to one question."""
    read: dict[str, bytes] = {}
    normal = {tool: {_normal(place, read) for place in places} for tool, places in answers.items()}
    pairs = []
    for first, second in combinations(normal, 2):
        left, right = normal[first], normal[second]
        pairs.append(
            Pair(
                first,
                second,
                len(left & right),
                len(left - right),
                len(right - left),
                [_text(place, read) for place in sorted(left - right)[:SAMPLES]],
                [_text(place, read) for place in sorted(right - left)[:SAMPLES]],
            )
        )
    return Agreement(tree, case, name, {tool: len(places) for tool, places in normal.items()}, pairs)


def _source(path: str, read: dict[str, bytes]) -> bytes:
    if path not in read:
        read[path] = Path(path).read_bytes()
    return read[path]


def _normal(place: Place, read: dict[str, bytes]) -> Place:
    path, start, end = place
    source = _source(path, read)
    while end > start and source[end - 1] in b"; \t\r\n\f":
        end -= 1
    return path, start, end


def _text(place: Place, read: dict[str, bytes]) -> str:
    path, start, end = place
    text = " ".join(_source(path, read)[start:end].decode("utf-8", "replace").split())
    return text if len(text) <= 100 else text[:97] + "…"
