"""A parsed text, of which columns are made as far as they are needed.

``Parsed`` keeps the tree of a text, and gives all of it or what is around some places.  A node
that touches none of them is *shut*: kept without what is inside of it, but with the number of its
nodes and the state in which the parser came to it.

Two shut nodes that agree in kind, bytes, number and state are taken to be the same code.  It is
the condition under which the parser itself takes a node over unread from the tree of an older
text (Wagner, "Practical Algorithms for Incremental Software Development Environments", 1998): it is
in the same state, reads the same bytes, and was not following several ways at once there, in
which case what stands around would have decided.  A node of which that cannot be said, and one
with errors, is never shut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tree_sitter import Node

from structural.syntax import registry
from structural.syntax.candidates import Probe, candidates
from structural.syntax.columns import Columns
from structural.syntax.grammar import ERROR_KIND, LoadedGrammar, load_named
from structural.syntax.parse import Ranges, _near, _tree, _whole

_MARGIN = 200
"""Bytes of the line before and behind a place that are looked at too."""

_FRAGILE = 0xFFFF
"""The state of a node that the parser made while it followed more than one way."""

Spans = Sequence[tuple[int, int]]


class Parsed:
    """The tree of *source*, a text of *language*, or of the byte *ranges* in it.  UnsearchableError if it
    cannot be parsed."""

    def __init__(self, source: bytes, language: str, ranges: Ranges | None = None) -> None:
        self.source = source
        self.language = language
        self.ranges = ranges
        self._tree = _tree(load_named(language), source, ranges)

    @property
    def root(self) -> Node:
        return self._tree.root_node

    def whole(self) -> Columns:
        """All of it, as from ``parse``."""
        return _whole(self._tree, self.source, self.language, self.ranges)

    def enclosing(self, spans: Spans) -> Columns:
        """As much as it takes to say in which definitions *spans* lie, and what the code of *spans* is."""
        from structural.syntax.defining import definers
        from structural.syntax.enclosing import flatten_enclosing

        rules = definers(self.language)
        joins = any(rule.joined is not None for row in rules.rules.values() for rule in row)
        if joins or registry.get(self.language).embedded:
            return self.whole()
        columns = Columns(self.language, self.source)
        flatten_enclosing(columns, self.root, load_named(self.language), joined(spans), rules)
        return columns

    def near(self, probe: Probe, *, shallow: bool) -> Columns:
        """What can hold a match, as from ``parse_near``."""
        return _near(self._tree, self.source, self.language, probe, shallow=shallow)

    def candidates(self, probe: Probe) -> list[tuple[int, int]] | None:
        """The spans of what can be a match, in order and disjoint; None if the tree is too deep."""
        nodes = candidates(self._tree.root_node, self.source, load_named(self.language), probe)
        return None if nodes is None else joined((node.start_byte, node.end_byte) for node in nodes)

    def around(self, spans: Spans) -> Columns:
        """The whole tree; nodes that touch none of *spans* (in order and disjoint) are shut."""
        columns = Columns(self.language, self.source)
        _flatten_around(columns, self._tree.root_node, load_named(self.language), spans)
        return columns


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """*spans* in order, those that touch as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def lines_around(source: bytes, spans: Spans) -> list[tuple[int, int]]:
    """*spans* with the rest of their lines, or a stretch of it: what stands beside them there."""
    found = []
    for start, end in spans:
        low = max(source.rfind(b"\n", 0, start) + 1, start - _MARGIN)
        high = source.find(b"\n", end)
        found.append((low, min(high if high >= 0 else len(source), end + _MARGIN)))
    return joined(found)


def _flatten_around(columns: Columns, root: Node, grammar: LoadedGrammar, spans: Spans) -> None:
    """Append the nodes of *root* in preorder.  A loop as in ``parse``, with the same reasons."""
    kind, field, start, end, size = columns.kind, columns.field, columns.start, columns.end, columns.size
    parents: list[int] = []
    add_kind, add_field, add_start = kind.append, field.append, start.append
    add_end, add_size, add_parent = end.append, size.append, parents.append
    trivia, blank, comment_kinds = grammar.trivia, grammar.blank, grammar.comments
    special = trivia | blank
    source, comments, shut = columns.source, columns.comments, columns.shut
    broken = root.has_error
    missing: list[int] = []
    errors = 0
    starts, ends = [*(s for s, _ in spans), len(source) + 1], [*(e for _, e in spans), len(source) + 1]
    at, low, high = 0, starts[0], ends[0]  # the first span that does not end before this node
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
        else:
            add_parent(stack[-1] if stack else -1)
            add_kind(k)
            add_field(cursor.field_id or 0)
            add_start(first)
            add_end(last)
            add_size(1)
            if broken and (k == ERROR_KIND or node.is_missing or (first == last and node.has_error)):
                errors += 1
                if k != ERROR_KIND:
                    missing.append(len(kind) - 1)
            while high < first:
                at += 1
                low, high = starts[at], ends[at]
            if last >= low:
                enter = True
            else:
                number = node.descendant_count
                enter = number > 1
                if enter:
                    state = node.parse_state
                    if state != _FRAGILE and not (broken and node.has_error):
                        shut.append((k, last - first, number, state))
                        enter = False
            if enter and down():
                stack.append(len(kind) - 1)
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
