"""Where the items of a pattern stand in a match.

The matcher recorded the node of every operation.  What it did not look at (parentheses
that may be left out, a trailing comma, a terminator) is found between those nodes by its
text, or is not there.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

from structural.pattern.operations import Code
from structural.pattern.outcome import Found
from structural.pattern.tables import Tables
from structural.pattern.tree import CLOSERS
from structural.rewrite.align import partners
from structural.rewrite.template import Pairing
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end


class Place(NamedTuple):
    """Where one item stands: bytes, and the first and last node; -1 for text inside a token, -2 for
    an ellipsis that stands for nothing."""

    start: int
    end: int
    first: int
    last: int


@dataclass(slots=True)
class Places:
    """``of[n]`` is where item n of the pattern stands, None if it is not in the match.
    ``layers``: tokens around a part of the match that the pattern does not show, such as the
    braces of a body: (number of the item before it, spans of the tokens)."""

    of: list[Place | None]
    layers: list[tuple[int, list[tuple[int, int]]]] = field(default_factory=list)


def places(found: Found, pairing: Pairing, columns: Columns, tables: Tables) -> Places:
    """The places of the items of *pairing*'s pattern in the match *found*."""
    steps: list[tuple[int, int, int, int]] = []
    step = found.steps
    while step is not None:
        steps.append(step[1:])
        step = step[0]
    steps.reverse()
    operations, numbers, loose = pairing.program.operations, pairing.items, pairing.loose
    source, starts, ends, comments = columns.source, columns.start, columns.end, columns.comments
    commented = bool(comments) and _any_in(comments, found.start, ends[found.last])
    made = Places([None] * len(pairing.pattern.items))
    before_item = -1
    for at, (pc, outer, first, last) in enumerate(steps):
        number = numbers[pc]
        if pc in loose and not _entered(pc, steps):
            op = operations[pc]
            number = _item_of_name(pairing, op.span, op.sole_name)
        if first >= 0 and outer >= 0 and (outer != first):
            spans = _layer(columns, tables, outer, first, last)
            if spans:
                made.layers.append((before_item, spans))
        if number < 0:
            continue
        before_item = number
        if first == -2:
            made.of[number] = Place(last, last, -2, -2)
            if at and operations[steps[at - 1][0]].code is Code.SOFT and _closes(pc, pairing):
                # A separator that parts nothing: a trailing one, which the pattern does not mean.
                made.of[pairing.items[steps[at - 1][0]]] = None
        else:
            start, end = starts[first], ends[last]
            if commented or source[end - 1] in _SPACE:
                end = solid_end(columns, start, end)
            while start < end and source[start] in _SPACE:
                start += 1
            made.of[number] = Place(start, end, first, last)
    for number in pairing.loose_terminators:
        if made.of[number] is None and number not in pairing.owned:
            _part_terminator(made, number, columns, tables)
    _find_unlooked(made, pairing, found, columns)
    if not made.layers:
        return made
    shown = {(place.start, place.end) for place in made.of if place is not None}
    made.layers = [(item, [span for span in spans if span not in shown]) for item, spans in made.layers]
    return made


_SPACE = b" \t\r\n\f"


def _any_in(comments: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether one of *comments* may lie in [start, end), or reach into it."""
    at = bisect_left(comments, (end,))
    return at > 0 and comments[at - 1][1] > start


def _part_terminator(made: Places, number: int, columns: Columns, tables: Tables) -> None:
    """``$S;`` stands for a whole statement: for a rewrite, its terminator is item *number* by itself."""
    place = made.of[number - 1]
    if place is None or place.first < 0 or place.first != place.last:
        return
    kids = columns.children(place.first)
    if len(kids) == 2 and columns.kind[kids[1]] in tables.terminators and columns.size[kids[1]] == 1:
        end = solid_end(columns, columns.start[kids[0]], columns.end[kids[0]])
        made.of[number - 1] = Place(place.start, end, kids[0], kids[0])
        made.of[number] = Place(columns.start[kids[1]], columns.end[kids[1]], kids[1], kids[1])


def _closes(pc: int, pairing: Pairing) -> bool:
    """Whether nothing but the end of its list comes behind operation *pc*."""
    behind = pairing.program.operations[pc + 1]
    return behind.code is Code.EXIT or (behind.code is Code.TOKEN and behind.text in CLOSERS)


def _entered(pc: int, steps: list[tuple[int, int, int, int]]) -> bool:
    """Whether the node of operation *pc* was entered, rather than stood for as a whole."""
    return any(other == pc + 1 for other, *_ in steps)


def _item_of_name(pairing: Pairing, span: tuple[int, int], name: int) -> int:
    for number, item in enumerate(pairing.pattern.items):
        if item.name is not None and span[0] <= item.span[0] and item.span[1] <= span[1]:
            if name < 0 or item.name == pairing.program.names[name]:
                return number
    return -1


def _layer(columns: Columns, tables: Tables, outer: int, first: int, last: int) -> list[tuple[int, int]]:
    """The parentheses and braces that node *outer* has around [first, last]."""
    spans = []
    stop = outer + columns.size[outer]
    inner = range(first, last + columns.size[last])
    for i in range(outer, stop):
        if columns.size[i] == 1 and i not in inner and columns.text(i) in (b"(", b")", b"{", b"}"):
            parent = columns.parent[i]
            if columns.kind[parent] in tables.parens or columns.kind[parent] in tables.braces:
                spans.append((columns.start[i], columns.end[i]))
    return spans


def is_statement(columns: Columns, found: Found, tables: Tables) -> bool:
    """Whether the match is all of a statement, or of several, so that statements may take its place."""
    if found.first != found.last:
        return True
    i = found.first
    while True:
        parent = columns.parent[i]
        if parent <= 0:
            return True
        others = [k for k in columns.children(parent) if k != i]
        if columns.kind[parent] in tables.blocks:
            # Not what a branch is chosen by.
            return not any(k > i and columns.size[k] == 1 and columns.text(k) == b":" for k in others)
        if columns.kind[parent] in tables.bodies:
            before = [k for k in others if k < i]
            return not before or columns.text(before[-1]) != b"("
        if any(columns.kind[k] not in tables.terminators for k in others):
            return False
        i = parent


def statement_end(columns: Columns, found: Found, tables: Tables) -> int:
    """The end of the statement that the match is all of, with its terminator; else of the match."""
    i, end = found.last, found.end
    if found.first != found.last:
        return end
    while True:
        parent = columns.parent[i]
        if parent <= 0 or columns.kind[parent] in tables.blocks or columns.kind[parent] in tables.bodies:
            return end
        others = [k for k in columns.children(parent) if k != i]
        if any(columns.kind[k] not in tables.terminators for k in others):
            return end
        i = parent
        end = max(end, solid_end(columns, columns.start[i], columns.end[i]))


def leaves(columns: Columns, start: int, end: int) -> list[int]:
    """The tokens of the file that lie in [start, end)."""
    found = []
    i = bisect_left(columns.start, start)
    while i < len(columns) and columns.start[i] < end:
        if columns.size[i] == 1 and columns.end[i] <= end and columns.end[i] > columns.start[i]:
            found.append(i)
        i += 1
    return found


def comments_in(columns: Columns, start: int, end: int) -> list[tuple[int, int]]:
    """The comments that lie in [start, end), without white space at their ends."""
    found = []
    for low, high in columns.comments[bisect_left(columns.comments, (start, start)) :]:
        if low >= end:
            break
        solid = low + len(columns.source[low:high].rstrip())
        if solid <= end:
            found.append((low, solid))
    return found


def _is_nothing(place: Place | None) -> bool:
    """Whether it is the place of an ellipsis that stands for nothing, which is no place to go by."""
    return place is not None and place.first == -2


def _find_unlooked(made: Places, pairing: Pairing, found: Found, columns: Columns) -> None:
    """Look for items without a place between their neighbours, by their texts and in order."""
    if None not in made.of:
        return
    items = pairing.pattern.items
    # Also brackets of an argument list that was stood for as a whole.
    unlooked = {
        n
        for n, place in enumerate(made.of)
        if place is None and items[n].name is None and not items[n].soft and n not in pairing.owned
    }
    opened = {b: a for a, b in partners(items).items() if a < b} if unlooked else {}
    at = 0 if unlooked else len(items)
    while at < len(items):
        if at not in unlooked:
            at += 1
            continue
        stop = at
        while stop < len(items) and (stop in unlooked or _is_nothing(made.of[stop])):
            stop += 1
        before = next((p for p in reversed(made.of[:at]) if p is not None and p.first != -2), None)
        behind = next((p for p in made.of[stop:] if p is not None), None)
        low = before.end if before is not None else found.start
        high = behind.start if behind is not None else found.end
        pool = [(i, columns.text(i)) for i in leaves(columns, low, high)]
        comments = comments_in(columns, low, high)
        for number in range(at, stop):
            if number not in unlooked:
                continue
            if number in opened and made.of[opened[number]] is None:
                continue  # The file leaves its brackets out: this one is another's.
            text = items[number].text
            if items[number].comment:
                for k, (a, b) in enumerate(comments):
                    if columns.source[a:b].split() == text.split():
                        made.of[number] = Place(a, b, -1, -1)
                        del comments[: k + 1]
                        break
                continue
            for k, (i, leaf) in enumerate(pool):
                if leaf == text:
                    made.of[number] = Place(columns.start[i], columns.end[i], i, i)
                    del pool[: k + 1]
                    break
        at = stop
