"""Source text to columns: parse, flatten, let the tree go.

``parse`` keeps the whole file; ``parse_near`` keeps only the subtrees that can
hold a match, found by a kind query that runs in C: less than half of the work
for most patterns.  Both answer the same for the nodes they keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import tree_sitter

from structural.syntax.columns import Columns
from structural.syntax.grammar import ERROR_KIND, LoadedGrammar, load_named

Ranges = Sequence[tuple[int, int]]


def parse(source: bytes, language: str, ranges: Ranges | None = None) -> Columns:
    """The columns of *source*; of the byte *ranges* alone if given, offsets still the file's."""
    grammar = load_named(language)
    tree = _tree(grammar, source, ranges)
    columns = Columns(language, source)
    broken = tree.root_node.has_error
    _flatten(columns, [tree.root_node], grammar, broken)
    if broken and not columns.errors:
        columns.errors = 1
    return columns


@dataclass(frozen=True, slots=True)
class Anchor:
    """A text that stands in every match.

    ``depth`` is how many levels below the matched node its token stands, not
    counting thin layers.  ``whole``: it is the whole text of its token.
    """

    text: bytes
    depth: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """What is known of a match before anything is flattened.

    ``kinds`` of the matched node; ``anchors``; ``thin``, kinds of layers that may
    stand between the levels of a pattern (beside nodes with one named child).
    ``child``: kinds of one child of the matched node whose number of named
    children, ``uncounted`` kinds left out, lies in ``least..most`` (``most`` -1: no bound).
    """

    kinds: frozenset[int]
    anchors: tuple[Anchor, ...] = ()
    thin: frozenset[int] = frozenset()
    strings: frozenset[int] = frozenset()
    child: frozenset[int] = frozenset()
    least: int = 0
    most: int = -1
    uncounted: frozenset[int] = frozenset()


def parse_near(source: bytes, language: str, probe: Probe, ranges: Ranges | None = None) -> Columns:
    """Like ``parse``, but of the nodes only the subtrees that can be a match are kept, as a forest.

    Where an anchor is rare, the tree is descended to each of its occurrences and the
    candidates are nodes above it; else a kind query finds them.  Sound: a node that is
    left out cannot match.  ``errors`` counts 1 for a tree with any error outside of what
    is kept.
    """
    grammar = load_named(language)
    tree = _tree(grammar, source, ranges)
    root = tree.root_node
    columns = Columns(language, source)
    nodes = _anchored(root, source, grammar, probe)
    if nodes is None and _deep(root):
        _flatten(columns, [root], grammar, root.has_error)
        return columns
    if nodes is None:
        found = tree_sitter.QueryCursor(_kind_query(language, probe.kinds)).captures(root).get("c", [])
        nodes = [node for node in found if _fits(node, probe)] if probe.child else found
    nodes.sort(key=_by_place)
    outer: list[tree_sitter.Node] = []
    covered = -1
    for node in nodes:
        if node.start_byte >= covered:
            outer.append(node)
            covered = node.end_byte
    _flatten(columns, outer, grammar, root.has_error)
    if root.has_error and not columns.errors:
        columns.errors = 1
    return columns


_BYTES_AN_ANCHOR = 100
"""An anchor pays if it occurs less often than once in so many bytes (descending to an
occurrence costs about as much as flattening that much source)."""


def _anchored(
    root: tree_sitter.Node, source: bytes, grammar: LoadedGrammar, probe: Probe
) -> list[tree_sitter.Node] | None:
    """Candidates above the occurrences of the rarest anchor, None if no anchor is rare."""
    if not probe.anchors:
        return None
    number, anchor = min(((source.count(a.text), a) for a in probe.anchors), key=lambda pair: pair[0])
    if number * _BYTES_AN_ANCHOR > len(source):
        return None
    text, most, trivia, thin, kinds = anchor.text, anchor.depth, grammar.trivia, probe.thin, probe.kinds
    strings = probe.strings
    candidates: dict[int, tree_sitter.Node] = {}
    at = source.find(text)
    while at >= 0:
        here, at = at, source.find(text, at + 1)
        cursor = root.walk()
        path: list[tree_sitter.Node] = [root]
        while cursor.goto_first_child_for_byte(here) is not None:
            node = cursor.node
            if node is None or node.start_byte > here:
                break
            path.append(node)
        leaf = path[-1]
        if leaf.kind_id in trivia:
            continue
        if anchor.whole and leaf.child_count == 0 and leaf.end_byte - leaf.start_byte != len(text):
            continue
        levels = 0
        for node in reversed(path):
            if node.kind_id in kinds:
                candidates[node.id] = node
            if node is leaf:
                continue
            if not anchor.whole and node.kind_id in strings:
                # The text may be that of the whole literal, whatever the grammar makes of its inside.
                levels = 0
                continue
            if not (node.kind_id in thin or (node.named_child_count == 1 and node.child_count <= 3)):
                levels += 1
                if levels > most:
                    break
    return list(candidates.values())


_DEEPEST_QUERY = 30_000
"""A query cursor keeps depths in 15 bits: below that it silently finds nothing."""


def _deep(root: tree_sitter.Node) -> bool:
    """Whether the tree may be too deep for a query.  A node is no deeper than it has descendants,
    so only the few large ones need a look."""
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > _DEEPEST_QUERY:
            return True
        if node.descendant_count + depth > _DEEPEST_QUERY:
            stack += [(child, depth + 1) for child in node.children if child.child_count]
    return False


def _fits(node: tree_sitter.Node, probe: Probe) -> bool:
    """Whether the child that the probe asks for may have the right number of children."""
    child_kinds, least, most, uncounted = probe.child, probe.least, probe.most, probe.uncounted
    for child in node.children:
        k = child.kind_id
        if k in child_kinds:
            number = child.named_child_count
            if number < least:
                continue
            if most < 0 or number <= most:
                return True
            if number - sum(inner.kind_id in uncounted for inner in child.named_children) <= most:
                return True
        elif k in probe.thin or child.child_count == 1:
            return True
        elif child.child_count == 2 and not child.children[1].is_named:
            return True
    return False


def _by_place(node: tree_sitter.Node) -> tuple[int, int]:
    return (node.start_byte, -node.end_byte)


@cache
def _parser(language: str) -> tree_sitter.Parser:
    return tree_sitter.Parser(load_named(language).ts)


@lru_cache(maxsize=256)
def _kind_query(language: str, kinds: frozenset[int]) -> tree_sitter.Query:
    grammar = load_named(language)
    names = []
    for kind in sorted(kinds):
        if kind == ERROR_KIND:
            names.append("(ERROR)")
        elif grammar.named[kind]:
            names.append(f"({grammar.names[kind]})")
        else:
            text = grammar.names[kind].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            names.append(f'"{text}"')
    return tree_sitter.Query(grammar.ts, f"[{' '.join(dict.fromkeys(names))}] @c")


def _tree(grammar: LoadedGrammar, source: bytes, ranges: Ranges | None) -> tree_sitter.Tree:
    if ranges is None:
        return _parser(grammar.language.name).parse(source)
    parser = tree_sitter.Parser(grammar.ts)
    parser.included_ranges = [
        tree_sitter.Range(_point(source, start), _point(source, end), start, end) for start, end in ranges
    ]
    return parser.parse(source)


def _point(source: bytes, byte: int) -> tuple[int, int]:
    line_start = source.rfind(b"\n", 0, byte) + 1
    return (source.count(b"\n", 0, byte), byte - line_start)


def _flatten(columns: Columns, roots: list[tree_sitter.Node], grammar: LoadedGrammar, broken: bool) -> None:
    """Append the subtrees of *roots* in preorder.  One cursor, one tight loop: this is
    where most of a cold search's own time goes."""
    kind, field, start, end, size = columns.kind, columns.field, columns.start, columns.end, columns.size
    add_kind, add_field, add_start, add_end, add_size = (
        kind.append,
        field.append,
        start.append,
        end.append,
        size.append,
    )
    trivia, blank, comment_kinds = grammar.trivia, grammar.blank, grammar.comments
    special = trivia | blank
    source, comments = columns.source, columns.comments
    missing: list[int] = []
    errors = 0
    for root in roots:
        cursor = root.walk()
        down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
        first = len(kind)
        stack: list[int] = []
        while True:
            node: Any = cursor.node
            k = node.kind_id
            if (
                k in special
                and (k in trivia or not source[node.start_byte : node.end_byte].strip())
                and len(kind) > first
            ):
                if k in comment_kinds:
                    comments.append((node.start_byte, node.end_byte))
            else:
                add_kind(k)
                add_field(cursor.field_id or 0)
                add_start(node.start_byte)
                add_end(node.end_byte)
                add_size(1)
                # A rule whose only token is missing and hidden is an empty node with an error.
                if broken and (
                    k == ERROR_KIND
                    or node.is_missing
                    or (node.start_byte == node.end_byte and node.has_error)
                ):
                    errors += 1
                    if k != ERROR_KIND:
                        missing.append(len(kind) - 1)
                if down():
                    stack.append(len(kind) - 1)
                    continue
            while stack and not along():
                up()
                i = stack.pop()
                size[i] = len(kind) - i
            if not stack:
                break
    columns.missing = frozenset(missing)
    columns.errors = errors
