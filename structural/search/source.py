"""One source text: literals, parse, match.  Bytes in, values out; reads no file.

The order of work is the order of cost: texts that every match must contain are
looked for in the bytes first, then whether those that stand side by side in a match
do so here; only then is the file parsed, and of the tree only what can match is made
into columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from structural.pattern.compile import Reading
from structural.pattern.search import Effort, matches, near
from structural.pattern.values import Match, Mismatch
from structural.syntax import registry
from structural.syntax.embed import hosts_of, regions
from structural.syntax.parse import parse, parse_near

__all__ = ["SourceResult", "hosts_of", "may_hold", "may_match", "search_source"]


@dataclass(frozen=True, slots=True)
class SourceResult:
    """What became of one source text.  ``syntax_errors`` counts what was parsed, the file or a
    region of it, and has ERROR or MISSING nodes; ``parsed`` is False if the literals already said no."""

    matches: tuple[Match, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()
    syntax_errors: int = 0
    parsed: bool = False
    exhausted: bool = False
    """Matching was given up in this file: it asked for too many choices."""


ROWS_BYTES = 300_000
"""What is parsed before rows of tokens are looked for: drawing them takes as long as parsing this."""


def may_match(source: bytes, reading: Reading) -> bool:
    """False only if *source* cannot hold a match: a text that every match contains is missing."""
    return all(literal in source for literal in reading.literals)


def rows_may_match(source: bytes, reading: Reading) -> bool:
    """The same for a whole file of the reading's language that has these texts: False if tokens
    that follow each other in every match do so nowhere."""
    return not rows_are_asked(reading, len(source)) or all(row.search(source) for row in reading.rows)


def rows_are_asked(reading: Reading, size: int) -> bool:
    """Whether enough was parsed to look for rows in a file of so many bytes; if not, it is counted."""
    if reading.parsed >= ROWS_BYTES:
        return True
    reading.parsed += size
    return False


def may_hold(source: bytes, host: str, readings: Mapping[str, Reading]) -> dict[str, Reading]:
    """Those of *readings* of which a match may stand in *source*, a file of language *host*."""
    return {
        name: reading
        for name, reading in readings.items()
        if may_match(source, reading) and (name != host or rows_may_match(source, reading))
    }


def search_source(
    source: bytes,
    host: str,
    readings: Mapping[str, Reading],
    *,
    near: bool = False,
    prefilter: bool = True,
) -> SourceResult:
    """Search *source*, a file of language *host*, with one reading a language.

    ``near`` collects the mismatches of candidates instead of trusting the literals.
    ``prefilter=False`` parses and flattens everything: the slow way, for comparison.
    """
    wanted = readings if near or not prefilter else may_hold(source, host, readings)
    if not wanted:
        return SourceResult()
    found: list[Match] = []
    missed: list[Mismatch] = []
    errors = 0
    effort = Effort()
    own = wanted.get(host)
    embedded = {name: reading for name, reading in wanted.items() if name != host}
    inner = registry.get(host).embedded and embedded
    if not inner and own is None:
        return SourceResult()
    probe = own.probe if own is not None and not (inner or near) and prefilter else None
    if own is None or probe is None:
        columns = parse(source, host)
    else:
        columns = parse_near(source, host, probe, shallow=own.shallow)
    errors += bool(columns.errors)
    if own is not None:
        found += matches(own, columns, effort)
        if near:
            missed += _near(own, columns)
    if inner:
        pending = regions(columns)
        while pending:
            region = pending.pop()
            reading = embedded.get(region.language)
            deeper = registry.get(region.language).embedded
            if (reading is None and not deeper) or not region.ranges:
                continue
            inside = parse(source, region.language, region.ranges)
            if reading is not None:
                errors += bool(inside.errors)
                found += matches(reading, inside, effort)
                if near:
                    missed += _near(reading, inside)
            if deeper:
                pending += [inner for inner in regions(inside) if inner.ranges != region.ranges]
        found.sort(key=lambda match: (match.span.start, -match.span.end))
    return SourceResult(tuple(found), tuple(missed), errors, True, effort.exhausted)


def _near(reading: Reading, columns: object) -> Sequence[Mismatch]:
    return near(reading, columns)  # type: ignore[arg-type]
