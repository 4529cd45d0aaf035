"""What was written for one match, for matches that look alike.

Many sites of a rewrite differ in nothing but what their bindings hold.  What the composer
writes for one depends on the text of the match without its bindings, on where its items stand in
that, and on the bytes at the borders, where tokens could run together: that is its *look*.  The
edits for one look are taken down once, with the bindings left open, and filled in for every other
match of that look.

Only matches of the plainest sort have a look: on one line, without comments, other matches, mends
or layers, from a pattern and to a rewrite of one line.  Everything else is written anew.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from structural.rewrite.draft import Copied, Drafting, Op, Text
from structural.rewrite.jobs import Job, Mend, Occurrence
from structural.rewrite.layout import is_word
from structural.rewrite.places import Place, Places
from structural.rewrite.template import Pairing, Template
from structural.syntax.columns import Columns

_PLAIN = Mend()
_GAP = re.compile(rb"[ \t\r\n\f]*")

_CLASSES = bytes(ord("w") if is_word(byte) else byte for byte in range(256))
"""What a byte is for a token that would run into it: one of a word, or itself."""

_BOM = 3
"""Bytes at the head of a file that may be a mark of its encoding."""

_MOST = 2_000
"""Looks of one rewrite that are remembered."""


_SEEN = object()
"""Of a look that was seen once; None stands for one that has no stencil."""


class Look(NamedTuple):
    """How a match looks.  ``key`` is equal for matches that are written alike.

    ``anchors``: its first byte, and the end of every binding; ``bound``: the places of the
    bindings, in order."""

    key: Hashable
    anchors: Sequence[int]
    bound: Sequence[Place]


class _Stroke(NamedTuple):
    """One operation of a draft: its place as numbers of anchors with distances from them, its text in
    pieces (the number of a binding for what is copied), and its marks: how many pieces stand before
    one, what it marks, and at which occurrence."""

    start: tuple[int, int]
    end: tuple[int, int]
    pieces: tuple[bytes | int, ...]
    marks: tuple[tuple[int, str, int], ...]
    edit: bool


@dataclass(frozen=True, slots=True)
class Stencil:
    """The edits for one look.  ``occurrences``: number of the rewrite's item, number of the binding,
    and whether it is an ellipsis."""

    strokes: tuple[_Stroke, ...]
    occurrences: tuple[tuple[int, int, bool], ...]

    def write(self, look: Look, source: bytes, draft: Drafting, site: int) -> list[Occurrence]:
        """Write the match of *look* into *draft*, as the composer would; gives its occurrences."""
        anchors, bound = look.anchors, look.bound
        texts = [source[place.start : place.end] for place in bound]
        for (first, after), (last, behind), pieces, marks, edit in self.strokes:
            made = Text([], 0, [])
            if pieces:
                made.parts = [piece if isinstance(piece, bytes) else texts[piece] for piece in pieces]
                made.length = sum(map(len, made.parts))
            for at, what, number in marks:
                offset = sum(map(len, made.parts[:at])) if at else 0
                made.marks.append((offset, (what, site if number < 0 else (site, number))))
            draft.put(anchors[first] + after, anchors[last] + behind, made, site if edit else -1)
        return [
            Occurrence(site, item, bound[number], False, ellipsis)
            for item, number, ellipsis in self.occurrences
        ]


def look_of(
    job: Job, pairing: Pairing, template: Template, made: Places, columns: Columns, last: int
) -> Look | None:
    """The look of *job*, if it has one.  *last* is where the draft ends so far."""
    found = job.found
    start, end = found.start, found.end
    if job.inner or job.mend != _PLAIN or last >= start or start <= _BOM:
        return None
    if any(spans for _, spans in made.layers):
        return None
    source, comments = columns.source, columns.comments
    if source.find(b"\n", start, end) >= 0 or not _on_one_line(pairing, template):
        return None
    if comments:
        at = bisect_left(comments, (start,))
        if at < len(comments) and comments[at][0] < end:
            return None
    key: list[Hashable] = [source[start - 1], source[end : end + 1], found.lead - start]
    if pairing.terminators:
        gap = _GAP.match(source, end)
        behind = gap.end() if gap is not None else end
        key.append(source[behind : behind + 1] in pairing.terminators)
    anchors = [start]
    bound: list[Place] = []
    at = start
    for item, place in zip(pairing.pattern.items, made.of, strict=True):
        if place is None or place.first == -2:
            key.append(place is None)
            continue
        low, high = place.start, place.end
        if not at <= low < high <= end:
            return None  # In another order than written, or around the match.
        if item.name is None:
            key += [low - at, source[at:high]]
        elif place.first < 0:
            return None
        else:
            ends = source[low : low + 1] + source[high - 1 : high]
            key += [source[at:low], ends.translate(_CLASSES)]
            anchors.append(high)
            bound.append(place)
        at = high
    key.append(source[at:end])
    return Look(tuple(key), anchors, bound)


def find(pairing: Pairing, look: Look) -> Stencil | None:
    """The stencil for *look*, if there is one."""
    found = pairing.stencils.get(look.key)
    return found if isinstance(found, Stencil) else None


def keep(
    pairing: Pairing, look: Look, ops: Sequence[Op], occurrences: Sequence[Occurrence], site: int
) -> None:
    """Take down what was written for the match of *look* as number *site*, when its look is seen for
    the second time; most are seen once or very often."""
    known = pairing.stencils
    if look.key not in known:
        if len(known) < _MOST:
            known[look.key] = _SEEN
        return
    if known[look.key] is not _SEEN:
        return
    known[look.key] = None
    number = {(place.start, place.end): n for n, place in enumerate(look.bound)}
    strokes = []
    for start, end, text, owner in ops:
        first, last = _from_anchor(look, start), _from_anchor(look, end)
        pieces: list[bytes | int] = []
        for part in text.parts:
            if not isinstance(part, Copied):
                pieces.append(part)
            elif (part.start, part.start + len(part)) in number:
                pieces.append(number[(part.start, part.start + len(part))])
            else:
                return
        if first is None or last is None or owner not in (-1, site):
            return
        marks = _marks(text, site)
        strokes.append(_Stroke(first, last, tuple(pieces), marks, owner == site))
    if any((one.place.start, one.place.end) not in number or one.nested for one in occurrences):
        return
    known[look.key] = Stencil(
        tuple(strokes),
        tuple((one.item, number[(one.place.start, one.place.end)], one.ellipsis) for one in occurrences),
    )


def _marks(text: Text, site: int) -> tuple[tuple[int, str, int], ...]:
    """The marks of *text*: how many of its parts stand before each, and what it is."""
    found = []
    for offset, key in text.marks:
        assert isinstance(key, tuple)
        what, whose = key
        at = length = 0
        while length < offset:
            length += len(text.parts[at])
            at += 1
        found.append((at, what, -1 if whose == site else whose[1]))
    return tuple(found)


def _from_anchor(look: Look, byte: int) -> tuple[int, int] | None:
    """*byte* as the number of an anchor and the distance from it; None inside of a binding."""
    for number in range(len(look.anchors) - 1, -1, -1):
        if look.anchors[number] <= byte:
            inside = number < len(look.bound) and byte > look.bound[number].start
            return None if inside else (number, byte - look.anchors[number])
    return None


def _on_one_line(pairing: Pairing, template: Template) -> bool:
    """Whether pattern and rewrite are written on one line, and no name is made from another or stands
    inside of a token."""
    if pairing.on_one_line is None:
        # What stands in braces may be a block of its own, which a look does not tell.
        fit = not (template.transforms or template.empty or pairing.in_braces)
        pairing.on_one_line = fit and all(
            not any(b"\n" in layout for layout in written.before)
            and not any(item.pieces is not None or b"\n" in item.text for item in written.items)
            for written in (pairing.pattern, pairing.rewrite)
        )
    return pairing.on_one_line
