"""Columns of a text as far as many questions ask for them.

``Questions`` are kinds of nodes and probes of patterns, of all that may ever be asked in a language.
``partial`` walks a tree once with a query that runs in C, asks of every node that it gives which patterns
may stand there, and flattens what was asked for: a node of a kind with its children, a candidate of a
pattern with all that is in it, and the way to both.  What is left out is kept as a node without
children.  Every filter is sound: when unsure it says "maybe".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import tree_sitter

from structural.syntax.candidates import (
    Anchor,
    Probe,
    Shape,
    _deep,
    _fits,
    _kind_query,
    _may_be_layer,
    above,
    may_begin_with,
)
from structural.syntax.columns import Columns
from structural.syntax.grammar import ERROR_KIND, LoadedGrammar, load_named
from structural.syntax.parse import with_gaps
from structural.syntax.parsed import Parsed

_MOST_CHILDREN = 8
"""Children of a node by whose kinds it is known; one with more is looked at itself."""


@dataclass(frozen=True, slots=True)
class Quick:
    """A pattern that stands at a node with ``wanted`` children, of which the first is of none of the kinds
    ``thin``, begins with one of ``words`` or has one of ``places`` in it."""

    wanted: int
    words: frozenset[bytes]
    places: Sequence[int]
    thin: frozenset[int]


def _out(node: tree_sitter.Node, quick: Quick | None, source: bytes) -> bool:
    """Whether *quick* says that none of its patterns stands at *node*."""
    if quick is None or node.child_count != quick.wanted:
        return False
    low = node.start_byte
    word = _WORD.match(source, low)
    if word is None or word.group() in quick.words:
        return False
    places = quick.places
    if places:
        first = bisect_left(places, low)
        if first < len(places) and places[first] < node.end_byte:
            return False
    return node.child(0).kind_id not in quick.thin


@dataclass(slots=True)
class Questions:
    """``kinds`` of nodes that are asked for or needed, and ``probes``; None for one that says nothing.

    What the kinds of a node and its children say of the probes is kept from file to file."""

    language: str
    kinds: frozenset[int]
    probes: Sequence[Probe | None]
    _told: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)
    _led: dict[tuple[tuple[int, ...], bytes], tuple[int, ...]] = field(default_factory=dict)
    _of_kind: dict[int, list[int]] = field(default_factory=dict)
    _leads: dict[int, bytes] = field(default_factory=dict)
    _words: dict[int, frozenset[bytes]] = field(default_factory=dict)
    _all_kinds: frozenset[int] | None = None

    @property
    def all_kinds(self) -> frozenset[int]:
        if self._all_kinds is None:
            of_probes = (probe.kinds for probe in self.probes if probe is not None)
            self._all_kinds = self.kinds.union(*of_probes)
        return self._all_kinds

    def of_kind(self, kind: int) -> list[int]:
        """The probes that may stand at a node of *kind*."""
        found = self._of_kind.get(kind)
        if found is None:
            found = self._of_kind[kind] = [
                at for at, probe in enumerate(self.probes) if probe is not None and kind in probe.kinds
            ]
            for at in found:
                self._leads[at] = _lead(self.probes[at].shape, self.probes[at], self.language)  # type: ignore[union-attr, arg-type]
            self._words[kind] = frozenset(self._leads[at] for at in found) - {b""}
        return found

    def may(self, signature: tuple[int, ...], word: bytes, grammar: LoadedGrammar) -> tuple[int, ...]:
        """The probes that may stand at a node that begins with *word* (empty: with no word), whose kind and
        whose children's kinds are *signature*."""
        by_kinds = self._told.get(signature)
        if by_kinds is None:
            by_kinds = self._told[signature] = tuple(
                at
                for at in self.of_kind(signature[0])
                if _may_have(signature[1:], self.probes[at].shape, grammar)  # type: ignore[union-attr]
            )
        if not word or not by_kinds:
            return by_kinds
        key = signature, word if word in self._words[signature[0]] else b"?"
        found = self._led.get(key)
        if found is None:
            found = self._led[key] = tuple(at for at in by_kinds if self._may_lead(at, signature, word))
        return found

    def quick(self, kind: int, alive: set[int], inner: Mapping[int, Sequence[int]]) -> Quick | None:
        """What tells of most nodes of *kind* that no probe of *alive* stands there, None if nothing."""
        self.of_kind(kind)
        words: set[bytes] = set()
        places: set[int] = set()
        wanted: set[int] = set()
        thin: frozenset[int] = frozenset()
        for at in alive:
            probe = self.probes[at]
            assert probe is not None
            if self._leads[at]:
                words.add(self._leads[at])
            elif at in inner:
                places.update(inner[at])
            else:
                return None
            wanted.add(probe.shape.wanted)
            thin |= probe.thin
        if len(wanted) != 1 or 0 in wanted:
            return None
        return Quick(wanted.pop(), frozenset(words), sorted(places), thin)

    def _may_lead(self, at: int, signature: tuple[int, ...], word: bytes) -> bool:
        lead, probe = self._leads[at], self.probes[at]
        assert probe is not None
        return (
            not lead
            or lead == word
            # Something else may stand before it: a child that is not mentioned, or a layer's own text.
            or len(signature) - 1 != probe.shape.wanted
            or signature[1] in probe.thin
        )


def _lead(shape: Shape, probe: Probe, language: str) -> bytes:
    """The word with which code of the shape begins, whatever it leaves out; empty if that is not told."""
    if not shape.telling or shape.telling[0][0] != 0:
        return b""
    first = shape.telling[0][1]
    if first.text:
        found = _WORD.match(first.text)
        return found.group() if found is not None else b""
    unmentioned = probe.uncounted | probe.thin
    if first.kinds is None or any(may_begin_with(language, kind, unmentioned) for kind in first.kinds):
        return b""
    return _lead(first, probe, language)


_WORD = re.compile(rb"\w+")


def _may_have(kids: tuple[int, ...], shape: Shape, grammar: LoadedGrammar) -> bool:
    """Whether a node with children of the kinds *kids* may have the shape."""
    if len(kids) != shape.wanted:
        return len(kids) > shape.wanted
    return not any(
        inner.kinds is not None and kids[at] not in inner.kinds and not grammar.is_named(kids[at])
        for at, inner in shape.telling
    )


@dataclass(slots=True)
class Partial:
    """Columns, and where in them to look: for every kind that was asked for its nodes, and for every
    probe the nodes at which its pattern may stand, both in order.  None: anywhere."""

    columns: Columns
    of_kinds: dict[int, list[int]] | None = None
    of_probes: dict[int, list[int]] | None = None


Asked = tuple[frozenset[int], Sequence[frozenset[int]]]
"""Kinds of nodes that are asked for if of each of the groups of kinds a node stands in the file."""


def partial(
    parsed: Parsed,
    questions: Questions,
    kinds: Sequence[Asked],
    probes: Sequence[int],
    *,
    deep: frozenset[int] = frozenset(),
    whole: bool = False,
    where: Mapping[bytes, Sequence[int]] = MappingProxyType({}),
) -> Partial:
    """The columns of what is *parsed*, as far as *kinds* and *probes* (numbers of
    those in *questions*) ask for them.  *deep*: kinds of which all that is in a node is kept.
    *whole*: all of it is kept, with the same answers.
    *where*: texts of anchors → where they stand, in order; nowhere, or not told if it is not there."""
    grammar = load_named(questions.language)
    root, source, ranges = parsed.root, parsed.source, parsed.ranges
    if _deep(root):
        return Partial(parsed.whole())
    every = frozenset[int]().union(*(asked for asked, _ in kinds))
    marks, starts = _marks(root, source, grammar, questions, kinds, probes, where)
    made = Columns(questions.language, source)
    if not marks and not whole:
        made.errors = int(root.has_error)
        return Partial(made, {kind: [] for kind in every}, {at: [] for at in probes})
    found = _flatten_marked(made, root, grammar, marks, starts, deep, whole)
    if ranges is not None:
        with_gaps(made, ranges)
    of_kinds: dict[int, list[int]] = {kind: [] for kind in every}
    of_probes: dict[int, list[int]] = {at: [] for at in probes}
    for i, asked in found:
        k = made.kind[i]
        if k in every:
            of_kinds[k].append(i)
        for at in asked:
            of_probes[at].append(i)
    return Partial(made, of_kinds, of_probes)


_Marks = dict[int, tuple[int, ...]]
"""Id of a node that is asked for → the probes that may stand there."""


def _marks(
    root: tree_sitter.Node,
    source: bytes,
    grammar: LoadedGrammar,
    questions: Questions,
    kinds: Sequence[Asked],
    probes: Sequence[int],
    where: Mapping[bytes, Sequence[int]],
) -> tuple[_Marks, list[int]]:
    """The nodes that are asked for, and where they start, in order."""
    marks: dict[int, tuple[int, ...]] = {}
    starts: list[int] = []
    by_kind: dict[int, set[int]] = {}
    inner: dict[int, Sequence[int]] = {}
    for at in probes:
        probe = questions.probes[at]
        assert probe is not None
        rarest = _rarest(probe, where)
        if rarest is None or len(rarest[1]) * _RARE > len(source):
            if rarest is not None:
                inner[at] = rarest[1]
            for kind in probe.kinds:
                by_kind.setdefault(kind, set()).add(at)
            continue
        if not rarest[1]:
            continue
        nodes = above(root, source, grammar, probe, *rarest)
        for node in nodes:
            if not probe.shape.wanted or _fits(node, probe.shape, probe, source, grammar, {}):
                before = marks.get(node.id)
                if before is None:
                    starts.append(node.start_byte)
                marks[node.id] = (at,) if before is None else (*before, at)
    if by_kind or kinds:
        cursor = tree_sitter.QueryCursor(_kind_query(questions.language, questions.all_kinds))
        quick = {kind: questions.quick(kind, those, inner) for kind, those in by_kind.items()}
        of_kinds: dict[int, list[tree_sitter.Node]] = {}
        for node in cursor.captures(root).get("c", ()):
            k = node.kind_id
            those = of_kinds.get(k)
            if those is None:
                those = of_kinds[k] = []
            those.append(node)
            alive = by_kind.get(k)
            if alive is not None and not _out(node, quick[k], source):
                asked = _asked(node, k, alive, inner, questions, source, grammar)
                if asked:
                    before = marks.get(node.id)
                    if before is None:
                        starts.append(node.start_byte)
                    marks[node.id] = asked if before is None else (*before, *asked)
        for kind in _wanted(kinds, of_kinds.keys()):
            for node in of_kinds.get(kind, ()):
                if node.id not in marks:
                    starts.append(node.start_byte)
                    marks[node.id] = ()
    starts.sort()
    return marks, starts


def _wanted(kinds: Sequence[Asked], there: Set[int]) -> Set[int]:
    """The kinds that are asked for in a file that has nodes of the kinds *there*."""
    return {
        kind
        for asked, needed in kinds
        if not any(there.isdisjoint(group) for group in needed)
        for kind in asked
    }


_RARE = 2000
"""An anchor that stands no oftener than once in so many bytes is looked around: to go down to a place and up
again costs more than to ask a node that the query gives anyway."""


def _rarest(probe: Probe, where: Mapping[bytes, Sequence[int]]) -> tuple[Anchor, Sequence[int]] | None:
    """The anchor that stands at the fewest places, with these."""
    found = None
    least = -1
    for anchor in probe.anchors:
        places = where.get(anchor.text)
        if places is not None and (least < 0 or len(places) < least):
            found, least = (anchor, places), len(places)
    return found


def _asked(
    node: tree_sitter.Node,
    kind: int,
    alive: set[int],
    inner: Mapping[int, Sequence[int]],
    questions: Questions,
    source: bytes,
    grammar: LoadedGrammar,
) -> tuple[int, ...]:
    """Those of the probes *alive* that may stand at *node*; *inner*: where a text stands that is in it."""
    number = node.child_count
    may: Sequence[int]
    if number <= _MOST_CHILDREN:
        word = _WORD.match(source, node.start_byte)
        signature = (kind, *[child.kind_id for child in node.children])
        may = questions.may(signature, b"" if word is None else word.group(), grammar)
    else:
        may = questions.of_kind(kind)
    found = []
    for at in may:
        if at in alive:
            probe = questions.probes[at]
            assert probe is not None
            shape, places = probe.shape, inner.get(at)
            if places is not None:
                first = bisect_left(places, node.start_byte)
                if first == len(places) or places[first] >= node.end_byte:
                    continue
            if shape.wanted:
                if _fits(node, shape, probe, source, grammar, {}) and _reads(node, shape, source):
                    found.append(at)
            elif _has_all(node, shape, probe):
                found.append(at)
    return tuple(found)


def _has_all(node: tree_sitter.Node, shape: Shape, probe: Probe) -> bool:
    """Whether *node* has the children that the shape must have."""
    if not shape.musts:
        return True
    kids = node.children
    kinds = [kid.kind_id for kid in kids]
    for must in shape.musts:
        if must.isdisjoint(kinds) and not any(_may_be_layer(kid, probe) for kid in kids):
            return False
    return True


def _reads(node: tree_sitter.Node, shape: Shape, source: bytes) -> bool:
    """Whether the tokens of *node* read what the shape asks for, as far as its children are counted."""
    if node.child_count != shape.wanted:
        return True
    for at, inner in shape.telling:
        if inner.kinds is None or not (inner.text or inner.wanted):
            continue
        kid = node.child(at)
        if kid.kind_id not in inner.kinds:
            continue
        if inner.wanted:
            if not _reads(kid, inner, source):
                return False
        elif kid.child_count == 0 and kid.is_named:
            text = source[kid.start_byte : kid.end_byte]
            if text != inner.text and text.strip() != inner.text.strip():
                return False
    return True


def _flatten_marked(
    columns: Columns,
    root: tree_sitter.Node,
    grammar: LoadedGrammar,
    marks: _Marks,
    starts: list[int],
    deep: frozenset[int],
    whole: bool,
) -> list[tuple[int, tuple[int, ...]]]:
    """Append what is marked: a node with its children, one with probes with all that is in it, and what is
    around them.  Gives the index of each.  A loop as in ``parse``, with the same reasons."""
    kind, field_, start, end, size = columns.kind, columns.field, columns.start, columns.end, columns.size
    parents: list[int] = []
    add_kind, add_field, add_start = kind.append, field_.append, start.append
    add_end, add_size, add_parent = end.append, size.append, parents.append
    trivia, blank, comment_kinds = grammar.trivia, grammar.blank, grammar.comments
    special = trivia | blank
    source, comments = columns.source, columns.comments
    broken = root.has_error
    missing: list[int] = []
    errors = 0
    found: list[tuple[int, tuple[int, ...]]] = []
    # Where a comment may stand is looked at, since spans end before comments.
    beyond = len(source) + 1
    comment_start = _comment_starts(grammar).search
    next_remark = -1
    starts = [*starts, beyond]
    at, next_mark = 0, starts[0]
    open_until = beyond if whole else -1  # everything that ends before this is gone into
    cursor = root.walk()
    down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    stack: list[int] = []
    while True:
        node: Any = cursor.node
        k, first, last = node.kind_id, node.start_byte, node.end_byte
        if k in special and (k in trivia or not source[first:last].strip()) and kind:
            if k in comment_kinds:
                comments.append((first, last))
            elif k in trivia:
                columns.layout.append((first, last))
            if node.id in marks:
                at += 1
                next_mark = starts[at]
        else:
            i = len(kind)
            add_parent(stack[-1] if stack else -1)
            add_kind(k)
            add_field(cursor.field_id or 0)
            add_start(first)
            add_end(last)
            add_size(1)
            if broken and (k == ERROR_KIND or node.is_missing or (first == last and node.has_error)):
                errors += 1
                if k != ERROR_KIND:
                    missing.append(i)
            enter = last <= open_until
            if first >= next_mark or not enter:
                asked = marks.get(node.id)
                if asked is not None:
                    found.append((i, asked))
                    at += 1
                    next_mark = starts[at]
                    enter = True
                    if last > open_until and (asked or k in deep):
                        open_until = last
                elif not enter:
                    if next_remark < first:
                        begins = comment_start(source, first)
                        next_remark = beyond if begins is None else begins.start()
                    enter = next_mark < last or next_remark < last
            if enter and down():
                stack.append(i)
                continue
        while stack and not along():
            up()
            i = stack.pop()
            size[i] = len(kind) - i
        if not stack:
            break
    columns.missing = frozenset(missing)
    columns.errors = errors or int(broken)
    columns.parents_are(parents)
    return found


def _comment_starts(grammar: LoadedGrammar) -> re.Pattern[bytes]:
    """What a comment can begin with; where that is not told, anything."""
    return grammar.comment_start or re.compile(rb"\S")
