"""Near misses: what to say when nothing matched.

``group`` turns the mismatches of single candidates into a few groups: candidates
that part from the pattern in the same way are one near miss with a count, and
those that agreed with it longest come first.  Reads no file and parses nothing.
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
class Candidate:
    """A mismatch with its place as people read it: made where the source text is at hand."""

    path: str
    line: int
    mismatch: Mismatch
    text: str


def candidates(path: str, source: bytes, mismatches: Iterable[Mismatch]) -> list[Candidate]:
    """The mismatches of one file; those that agreed in nothing are left out."""
    lines = LineIndex(source)
    found = []
    for mismatch in mismatches:
        if mismatch.agreed <= 0:
            continue
        line = lines.line(mismatch.span.start)
        end = min(mismatch.span.end, lines.line_span(line).end, mismatch.span.start + 4 * _SHOWN)
        text = source[mismatch.span.start : end].decode("utf-8", "ignore").rstrip()
        if len(text) > _SHOWN:
            text = text[: _SHOWN - 1] + "…"
        found.append(Candidate(path, line, mismatch, text))
    return found


def group(found: Iterable[Candidate]) -> list[NearMiss]:
    """At most ``GROUPS`` near misses: the longest agreement first, then the most frequent.

    Those that agreed less than half as long as the longest are no near misses.
    """
    groups: dict[tuple[str, str], list[Candidate]] = {}
    counts: dict[tuple[str, str], int] = {}
    for candidate in found:
        key = (candidate.mismatch.expected, candidate.mismatch.kind)
        counts[key] = counts.get(key, 0) + 1
        best = groups.setdefault(key, [])
        # One candidate stands for its group: the first of those that agreed longest.
        if not best or candidate.mismatch.agreed > best[0].mismatch.agreed:
            groups[key] = [candidate]
    order = sorted(groups, key=lambda key: (-groups[key][0].mismatch.agreed, -counts[key]))
    least = groups[order[0]][0].mismatch.agreed / 2 if order else 0
    near = [key for key in order if groups[key][0].mismatch.agreed >= least]
    return [_near_miss(groups[key][0], counts[key]) for key in near[:GROUPS]]


def _near_miss(candidate: Candidate, count: int) -> NearMiss:
    mismatch = candidate.mismatch
    return NearMiss(count, candidate.path, candidate.line, mismatch, mismatch.kind, candidate.text)
