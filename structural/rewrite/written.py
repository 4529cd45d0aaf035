"""A pattern or a rewrite as it was written: its tokens and metavariables in a row.

The matcher works on a tree without what does not count; an edit must know every
token that a person wrote, and what stood between them.  ``written`` goes back to the
skeleton's columns for that.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace

from structural.pattern.operations import Code
from structural.pattern.program import Program
from structural.pattern.tables import Tables
from structural.pattern.tree import PatternNode, Template
from structural.pattern.trials import Accepted


@dataclass(frozen=True, slots=True)
class Item:
    """One token, comment or metavariable.

    ``text`` is what was written; of a metavariable it is its stand-in and means nothing.
    ``span`` is its place in the skeleton's source.  ``pieces``: a token with metavariables
    inside.  ``key`` is equal for items that mean the same.
    """

    span: tuple[int, int]
    text: bytes
    name: str | None = None
    """Name of the metavariable, empty if it binds nothing; None for code."""
    pieces: Template | None = None
    comment: bool = False
    soft: bool = False
    """A separator beside an ellipsis."""

    @property
    def key(self) -> object:
        if self.name is not None:
            return (self.name,)
        if self.pieces is not None:
            return tuple(piece if isinstance(piece, bytes) else str(piece) for piece in self.pieces)
        return self.text


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list with an ellipsis, as numbers of items: (what, first, behind).  What: ``,`` a separator
    that depends on its neighbours, ``x`` an element, ``|`` a bracket or another token between."""

    parts: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Written:
    """``before[k]`` is the layout between item k - 1 and item k; ``before[0]`` is empty.
    ``indent[k]`` is the white space at the head of the line on which item k stands, empty on the
    first line."""

    items: tuple[Item, ...]
    before: tuple[bytes, ...]
    indent: tuple[bytes, ...]
    lists: tuple[ListOf, ...] = ()
    roots: int = 1
    """How many pieces of code it is, without ellipses, which may stand for nothing."""
    open: bool = False
    """Whether one of these pieces is an ellipsis."""
    elements: tuple[tuple[int, int], ...] = ()
    """Elements whose order does not count, as numbers of items: (first, behind)."""
    groups: frozenset[tuple[int, int]] = frozenset()
    """What is one piece of code, as numbers of items: (first, behind)."""


def written(accepted: Accepted, known: dict[tuple[int, int], Item], tables: Tables) -> Written:
    """The items of *accepted*: those that are *known*, and all other tokens and comments."""
    columns = accepted.columns
    source = columns.source
    low, last = columns.start[accepted.roots[0]], accepted.roots[-1]
    high = columns.end[last]
    kids = columns.children(last)
    added = -1
    if accepted.terminated and kids and columns.kind[kids[-1]] in tables.terminators:
        added = kids[-1]
        high = min(high, columns.start[added])
    found = dict(known)
    covered: list[tuple[int, int]] = []
    for span in sorted([*known, *(s.span for s in accepted.stand_ins)], key=lambda s: (s[0], -s[1])):
        if not covered or span[1] > covered[-1][1]:
            covered.append(span)
    starts = [span[0] for span in covered]

    def is_new(start: int, end: int) -> bool:
        at = bisect_left(starts, start + 1) - 1
        inside = at >= 0 and end <= covered[at][1]
        return low <= start < end <= high and not inside

    for i in range(accepted.roots[0], last + columns.size[last]):
        start, end = columns.start[i], columns.end[i]
        if columns.size[i] == 1 and i != added and is_new(start, end):
            found[(start, end)] = Item((start, end), source[start:end])
    for start, end in columns.comments:
        end = start + len(source[start:end].rstrip())
        if is_new(start, end):
            text = source[start:end]
            found[(start, end)] = Item((start, end), text, pieces=_pieces(text, accepted), comment=True)
    items, before = _with_hidden([found[span] for span in sorted(found)], source, low)
    indent = []
    current = b""
    for layout in before:
        if b"\n" in layout:
            current = layout[layout.rindex(b"\n") + 1 :]
        indent.append(current)
    elements = _elements(accepted, items, tables)
    groups = _groups(accepted, items)
    return Written(
        tuple(items),
        tuple(before),
        tuple(indent),
        roots=len(accepted.roots),
        elements=elements,
        groups=groups,
    )


def _groups(accepted: Accepted, items: list[Item]) -> frozenset[tuple[int, int]]:
    columns, last = accepted.columns, accepted.roots[-1]
    starts, ends = [item.span[0] for item in items], [item.span[1] for item in items]
    found = (
        (bisect_left(starts, columns.start[i]), bisect_right(ends, columns.end[i]))
        for i in range(accepted.roots[0], last + columns.size[last])
    )
    return frozenset((first, behind) for first, behind in found if first < behind)


def _elements(accepted: Accepted, items: list[Item], tables: Tables) -> tuple[tuple[int, int], ...]:
    columns, last = accepted.columns, accepted.roots[-1]
    found: list[tuple[int, int]] = []
    end = -1
    for i in range(accepted.roots[0], last + columns.size[last]) if tables.unordered else ():
        start = columns.start[i]
        if columns.kind[i] in tables.unordered and start >= end:
            end = columns.end[i]
            inside = [n for n, item in enumerate(items) if start <= item.span[0] and item.span[1] <= end]
            if inside:
                found.append((inside[0], inside[-1] + 1))
    return tuple(found)


def of_program(program: Program, tables: Tables) -> Written:
    """The items of a pattern, from the operations of *program*."""
    accepted = program.accepted
    assert accepted is not None
    source = accepted.columns.source
    known: dict[tuple[int, int], Item] = {}
    for op in program.operations:
        text = source[op.span[0] : op.span[1]]
        if op.code in (Code.META, Code.ELLIPSIS):
            known[op.span] = Item(op.span, text, name=program.names[op.name] if op.name >= 0 else "")
        elif op.code in (Code.TOKEN, Code.SOFT, Code.BRACE):
            known[op.span] = Item(op.span, text, soft=op.code is Code.SOFT)
        elif op.code in (Code.TEMPLATE, Code.STRING):
            known[op.span] = Item(op.span, text, pieces=_pieces(text, accepted))
    return written(accepted, known, tables)


def of_tree(accepted: Accepted, roots: list[PatternNode], tables: Tables) -> Written:
    """The items of a rewrite, whose tree is *roots*, with its lists."""
    known: dict[tuple[int, int], Item] = {}
    for root in roots:
        _leaves(root, known, accepted.columns.source)
    made = written(accepted, known, tables)
    lists: list[ListOf] = []
    for root in roots:
        _lists(root, made.items, tables, lists)
    solid = sum(root.metavariable is None or not root.metavariable.ellipsis for root in roots)
    return replace(made, lists=tuple(lists), roots=max(1, solid), open=solid < len(roots))


def _with_hidden(items: list[Item], source: bytes, low: int) -> tuple[list[Item], list[bytes]]:
    """*items* with texts that are in no node made items too, and the layout before each."""
    whole: list[Item] = []
    before: list[bytes] = []
    at = items[0].span[0] if items else low
    for item in items:
        between = source[at : item.span[0]]
        text = between.strip()
        if text:
            start = at + between.index(text)
            before.append(source[at:start])
            at = start + len(text)
            whole.append(Item((start, at), text))
        before.append(source[at : item.span[0]])
        whole.append(item)
        at = max(at, item.span[1])
    return whole, before


def _pieces(text: bytes, accepted: Accepted) -> Template | None:
    """*text* cut at the markers of stand-ins; None if it holds none."""
    by_marker = {s.marker: s.metavariable for s in accepted.stand_ins if s.marker in text}
    if not by_marker:
        return None
    markers = sorted((re.escape(marker) for marker in by_marker), key=lambda m: -len(m))
    cut = re.compile(b"(" + b"|".join(markers) + b")")
    return tuple(by_marker.get(piece, piece) for piece in cut.split(text) if piece)


def _leaves(node: PatternNode, found: dict[tuple[int, int], Item], source: bytes) -> None:
    start, end = node.span
    if node.metavariable is not None:
        found[node.span] = Item(node.span, source[start:end], name=node.metavariable.name)
    elif node.template is not None:
        found[node.span] = Item(node.span, source[start:end], pieces=node.template)
    elif node.text is not None and not node.children:
        found[node.span] = Item(node.span, node.text, soft=node.soft)
    else:
        for child in node.children:
            _leaves(child, found, source)


_STARS = (b"*", b"**", b"/", b"...")
"""Tokens that are elements of a list by themselves: ``def f(a, *, b)``."""


def _lists(node: PatternNode, items: tuple[Item, ...], tables: Tables, found: list[ListOf]) -> None:
    if any(child.soft for child in node.children):
        parts = []
        for child in node.children:
            start, end = child.span
            inside = [n for n, item in enumerate(items) if start <= item.span[0] and item.span[1] <= end]
            if inside:
                bare = child.text is not None and not child.children and not tables.named[child.kind]
                bare = bare and child.text not in _STARS
                what = "," if child.soft else "|" if bare else "x"
                parts.append((what, inside[0], inside[-1] + 1))
        found.append(ListOf(tuple(parts)))
    for child in node.children:
        _lists(child, items, tables, found)
