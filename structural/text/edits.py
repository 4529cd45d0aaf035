"""Edits: what changes in a text, as spans of the text before and new bytes.

A list of edits is in order and disjoint; two insertions at one place are one
edit, so that there is only one way to apply them.  ``checked`` is the one place
that makes sure of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from structural.text.spans import Span


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The bytes of ``span`` (of the text before) become ``new``."""

    span: Span
    new: bytes


def in_order(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """*edits* by their places, as ``sorted`` has them; it takes a fraction of the time."""
    return tuple(sorted(edits, key=_place))


def _place(edit: Edit) -> tuple[int, int, bytes]:
    return edit.span.start, edit.span.end, edit.new


def checked(edits: Iterable[Edit], length: int) -> tuple[Edit, ...]:
    """*edits* in order.  ValueError if two overlap, stand at the same place or leave the text of
    *length* bytes: that is a fault of the caller, never of a user."""
    ordered = in_order(edits)
    before = Span(0, 0)
    for at, edit in enumerate(ordered):
        span = edit.span
        if span.start < before.end or (at and span == before and span.start == span.end):
            raise ValueError(f"edits overlap at byte {span.start}")
        if not 0 <= span.start <= span.end <= length:
            raise ValueError(f"an edit leaves the text at byte {span.start}")
        before = span
    return ordered


def apply(source: bytes, edits: Sequence[Edit]) -> bytes:
    """*source* after *edits*, which are in order and disjoint."""
    pieces: list[bytes] = []
    at = 0
    for edit in edits:
        pieces.append(source[at : edit.span.start])
        pieces.append(edit.new)
        at = edit.span.end
    pieces.append(source[at:])
    return b"".join(pieces)


def inverse(source: bytes, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits that take ``apply(source, edits)`` back to *source*."""
    found: list[Edit] = []
    moved = 0
    for edit in edits:
        start = edit.span.start + moved
        old = source[edit.span.start : edit.span.end]
        if found and not edit.new and found[-1].span == Span(start, start):
            found[-1] = Edit(Span(start, start), found[-1].new + old)  # Two that went side by side.
        else:
            found.append(Edit(Span(start, start + len(edit.new)), old))
        moved += len(edit.new) - (edit.span.end - edit.span.start)
    return tuple(found)
