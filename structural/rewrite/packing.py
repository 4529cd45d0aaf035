"""What became of a text as plain tuples, for the pipe between processes, and back.

Nothing is left out: ``unpack(made.source, pack(made)) == made``.  A value of a dataclass costs
twenty times as much to pickle as a tuple of numbers.
"""

from __future__ import annotations

from typing import Any

from structural.rewrite.values import Refused, RewriteSite, Rewritten
from structural.text import Edit, Span


def pack(made: Rewritten) -> tuple[object, ...]:
    """*made* as numbers and texts; its source is not sent."""
    return (
        made.text,
        tuple(
            (
                site.span.start,
                site.span.end,
                site.matches,
                tuple((edit.span.start, edit.span.end, edit.new) for edit in site.edits),
            )
            for site in made.sites
        ),
        tuple((one.span.start, one.span.end, one.reason, one.detail) for one in made.refused),
        made.matches,
        made.unchanged,
        made.overlapping,
        made.again,
        made.passes,
        made.cycle,
    )


def unpack(source: bytes, packed: Any) -> Rewritten:
    """What ``pack`` was given, a rewrite of *source*."""
    text, sites, refused, *counts = packed
    return Rewritten(
        source,
        text,
        tuple(
            RewriteSite(Span(start, end), tuple(Edit(Span(a, b), new) for a, b, new in edits), number)
            for start, end, number, edits in sites
        ),
        tuple(Refused(Span(start, end), reason, detail) for start, end, reason, detail in refused),
        *counts,
    )
