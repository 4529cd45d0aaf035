"""Rewriting until the pattern finds nothing more to change.

Every pass runs over the text of the one before.  The edits of all passes are put
together as edits of the first text; sites whose edits meet become one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from structural.rewrite.values import RewriteSite, Rewritten
from structural.text import Edit, Span
from structural.text.edits import apply

Member = tuple[int, int]
"""A site: 0 or 1 for the first sites or the second, and its number there."""

MOST_PASSES = 20
MOST_GROWTH = 1_000_000
"""Bytes by which a text may grow, beside doubling."""


def until_stable(first: Rewritten, once: Callable[[bytes], Rewritten]) -> Rewritten:
    """*first* and the passes that follow it, as one; ``cycle`` if a text came back, grew beyond measure,
    or after ``MOST_PASSES``."""
    made = first
    last = first
    seen = {first.source, first.text}
    while last.sites:
        if made.passes >= MOST_PASSES or len(made.text) > 2 * len(made.source) + MOST_GROWTH:
            return replace(made, cycle=True)
        last = once(made.text)
        if not last.sites:
            return replace(made, refused=made.refused or last.refused, again=last.again)
        if last.text in seen:
            return replace(made, cycle=True)
        seen.add(last.text)
        made = replace(
            made,
            text=last.text,
            sites=tuple(site for site, _ in joined(made.source, made.text, made.sites, last.sites)),
            again=last.again,
            passes=made.passes + 1,
        )
    return made


def joined(
    source: bytes,
    middle: bytes,
    first: Sequence[RewriteSite],
    second: Sequence[RewriteSite],
    ties: Iterable[tuple[Member, Member]] = (),
) -> list[tuple[RewriteSite, list[Member]]]:
    """The sites of *first* (of *source*) and of *second* (of *middle*) as sites of *source*, each with those
    that it is made of.  Sites whose edits meet become one, and those that *ties* name together."""
    early = sorted((edit, at) for at, site in enumerate(first) for edit in site.edits)
    late = sorted((edit, at) for at, site in enumerate(second) for edit in site.edits)
    # Stretches of the middle text: (start, end, start and end in the source, owner).
    pieces: list[tuple[int, int, int, int, tuple[int, int]]] = []
    shift = 0
    for edit, at in early:
        start = edit.span.start + shift
        pieces.append((start, start + len(edit.new), edit.span.start, edit.span.end, (0, at)))
        shift += len(edit.new) - (edit.span.end - edit.span.start)
    stretches = [*pieces, *((e.span.start, e.span.end, -1, -1, (1, at)) for e, at in late)]
    stretches.sort(key=lambda s: (s[0], s[1]))
    groups: list[list[tuple[int, int, int, int, tuple[int, int]]]] = []
    end = -1
    for stretch in stretches:
        if groups and stretch[0] <= end:
            groups[-1].append(stretch)
        else:
            groups.append([stretch])
        end = max(end, stretch[1])
    owners = _Owners()
    for one, other in ties:
        owners.join(one, other)
    edits: list[tuple[Edit, tuple[int, int]]] = []
    shift = at = 0
    for group in groups:
        low, high = group[0][0], max(s[1] for s in group)
        inside = [s for s in group if s[2] >= 0]
        delta = sum((s[1] - s[0]) - (s[3] - s[2]) for s in inside)
        owner = group[0][4]
        for stretch in group:
            owners.join(owner, stretch[4])
        changes = []
        while at < len(late) and late[at][0].span.start <= high and late[at][0].span.end <= high:
            edit = late[at][0]
            changes.append(Edit(Span(edit.span.start - low, edit.span.end - low), edit.new))
            at += 1
        span = Span(low - shift, high - shift - delta)
        new = apply(middle[low:high], changes)
        if source[span.start : span.end] != new:
            edits.append((Edit(span, new), owner))
        shift += delta
    by_owner: dict[tuple[int, int], list[Edit]] = {}
    for edit, owner in edits:
        by_owner.setdefault(owners.root(owner), []).append(edit)
    counts: dict[Member, int] = {}
    members: dict[Member, list[Member]] = {}
    for number, sites in enumerate((first, second)):
        for n, site in enumerate(sites):
            root = owners.root((number, n))
            counts[root] = counts.get(root, 0) + site.matches
            members.setdefault(root, []).append((number, n))
    return [
        (
            RewriteSite(Span(found[0].span.start, found[-1].span.end), tuple(found), counts[root]),
            members[root],
        )
        for root, found in sorted(by_owner.items(), key=lambda item: item[1][0])
    ]


class _Owners:
    """Sets of sites that were joined (union and find)."""

    def __init__(self) -> None:
        self._parent: dict[tuple[int, int], tuple[int, int]] = {}

    def root(self, owner: tuple[int, int]) -> tuple[int, int]:
        while owner in self._parent:
            owner = self._parent[owner]
        return owner

    def join(self, a: tuple[int, int], b: tuple[int, int]) -> None:
        a, b = self.root(a), self.root(b)
        if a != b:
            self._parent[b] = a
