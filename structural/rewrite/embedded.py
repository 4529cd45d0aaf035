"""Code of other languages in a file, with the columns of each piece."""

from __future__ import annotations

from collections.abc import Sequence

from structural.rewrite.draft import Draft
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.embed import Region, regions
from structural.syntax.parse import parse

Inner = list[tuple[Region, Columns | None]]
"""Code of other languages in a file, with its columns; None where nothing of it is left."""


def inner_code(columns: Columns) -> list[tuple[Region, Columns]]:
    """Embedded code of *columns* with its own columns, also inside of embedded code."""
    found: list[tuple[Region, Columns]] = []
    if not registry.get(columns.language).embedded:
        return found
    pending = [region for region in regions(columns) if region.ranges]
    while pending:
        region = pending.pop(0)
        inside = parse(columns.source, region.language, region.ranges)
        found.append((region, inside))
        if registry.get(region.language).embedded:
            pending += [r for r in regions(inside) if r.ranges and r.ranges != region.ranges]
    found.sort(key=lambda pair: pair[0].ranges)
    return found


def without_emptied(draft: Draft, before: Sequence[tuple[Region, Columns]], inner: Inner) -> Inner:
    """*inner* with a gap for every stretch of embedded code of which nothing is left."""
    edits = sorted(edit for found in draft.edits.values() for edit in found)
    found: Inner = []
    left = list(inner)
    for region, _ in before:
        low, high = region.ranges[0][0], region.ranges[-1][1]
        start = low + sum(len(e.new) - (e.span.end - e.span.start) for e in edits if e.span.end <= low)
        grown = sum(
            len(e.new) - (e.span.end - e.span.start)
            for e in edits
            if low <= e.span.start and e.span.end <= high
        )
        if not draft.text[start : start + high - low + grown].strip():
            found.append((region, None))
            left = [one for one in left if one[0].ranges[0][0] != start]
        elif left:
            found.append(left.pop(0))
    return found if not left else inner
