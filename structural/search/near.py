"""Near misses: what to say when nothing matched.

Order of things: ``tally`` gathers the mismatches of one file, where the source text
is at hand: candidates that part from the pattern in the same way are one entry
with a count and an example.  ``near_misses`` adds the tallies up and keeps a few:
those that agreed longest first.  Reads no file and parses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from structural.pattern.values import Mismatch
from structural.search.values import NearMiss
from structural.text import LineIndex

GROUPS = 5
"""Near misses of an answer, at most."""

_SHOWN = 100
"""Characters of a candidate's first line that are shown."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Candidates of one file that part the same way; ``mismatch`` is the one that agreed longest."""

    count: int
    path: str
    line: int
    mismatch: Mismatch
    text: str


Tally = dict[tuple[str, str], Entry]
"""Entries by what was expected and the kind that was found."""


def tally(path: str, source: bytes, mismatches: Iterable[Mismatch]) -> Tally:
    """The mismatches of one file, gathered; those that agreed in their kind alone are left out."""
    counts: dict[tuple[str, str], int] = {}
    best: dict[tuple[str, str], Mismatch] = {}
    for mismatch in mismatches:
        if mismatch.agreed <= 1:
            continue  # only the kind of the whole agreed, which says nothing
        key = (mismatch.expected, mismatch.kind)
        counts[key] = counts.get(key, 0) + 1
        if key not in best or mismatch.agreed > best[key].agreed:
            best[key] = mismatch
    lines = LineIndex(source) if best else None
    return {key: _entry(path, source, lines, best[key], counts[key]) for key in best if lines}


def near_misses(tallies: Iterable[Tally]) -> list[NearMiss]:
    """At most ``GROUPS`` near misses: the longest agreement first, then the most frequent.

    Those that agreed less than half as long as the longest are no near misses.
    """
    counts: dict[tuple[str, str], int] = {}
    best: dict[tuple[str, str], Entry] = {}
    for one in tallies:
        for key, entry in one.items():
            counts[key] = counts.get(key, 0) + entry.count
            if key not in best or entry.mismatch.agreed > best[key].mismatch.agreed:
                best[key] = entry
    order = sorted(best, key=lambda key: (-best[key].mismatch.agreed, -counts[key]))
    least = best[order[0]].mismatch.agreed / 2 if order else 0
    return [
        NearMiss(counts[key], entry.path, entry.line, entry.mismatch, entry.mismatch.kind, entry.text)
        for key in order[:GROUPS]
        if (entry := best[key]).mismatch.agreed >= least
    ]


def _entry(path: str, source: bytes, lines: LineIndex, mismatch: Mismatch, count: int) -> Entry:
    line = lines.line(mismatch.span.start)
    # A character has at most four bytes, so this is enough of a long line.
    end = min(mismatch.span.end, lines.line_span(line).end, mismatch.span.start + 4 * _SHOWN)
    text = source[mismatch.span.start : end].decode("utf-8", "ignore").rstrip()
    if len(text) > _SHOWN:
        text = text[: _SHOWN - 1] + "…"
    return Entry(count, path, line, mismatch, text)
