"""Which nodes of a parsed file can be a match, found before anything is flattened.

Flattening costs Python a step for every node; these filters ask tree-sitter's own
tree instead.  A candidate is found above a rare text (an anchor) or by a kind query
that runs in C; then its shape is compared two or three levels deep.  Every filter
is sound: when unsure it says "maybe".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter

from structural.syntax.grammar import ERROR_KIND, LoadedGrammar, load_named


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
class Shape:
    """What is known of one node of a match.

    ``kinds``: None for any.  ``name``: number of a metavariable, -1 for none; nodes of one
    number are the same code.  ``wanted``: how many children it has, and ``telling``: those of
    them, by their place, of which something is known; empty if nothing is.  ``free``: places of
    those that are any node, whatever is in it.  ``text``: what a node of one of ``kinds`` reads,
    white space aside; empty if that is not told.  ``musts``: for each of these kinds a child has one of
    them or is a layer around it.
    """

    kinds: frozenset[int] | None = None
    name: int = -1
    wanted: int = 0
    telling: tuple[tuple[int, Shape], ...] = ()
    free: tuple[int, ...] = ()
    text: bytes = b""
    musts: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """What is known of a match before anything is flattened.

    ``kinds`` of the matched node; ``anchors``; ``shape``.  ``thin``: kinds of layers that may
    stand between the levels of a pattern; ``strings``: kinds of string literals; ``marks``:
    separators and terminators; ``uncounted``: kinds that may stand anywhere unmentioned.
    """

    kinds: frozenset[int]
    anchors: tuple[Anchor, ...] = ()
    shape: Shape = Shape()
    thin: frozenset[int] = frozenset()
    strings: frozenset[int] = frozenset()
    marks: frozenset[int] = frozenset()
    uncounted: frozenset[int] = frozenset()


def candidates(
    root: tree_sitter.Node, source: bytes, grammar: LoadedGrammar, probe: Probe
) -> list[tree_sitter.Node] | None:
    """Nodes below *root* that can be a match, in no order; None if the tree is too deep to ask."""
    found = _anchored(root, source, grammar, probe)
    if found is None:
        if _deep(root):
            return None
        cursor = tree_sitter.QueryCursor(_kind_query(grammar.language.name, probe.kinds))
        found = cursor.captures(root).get("c", [])
    if probe.shape.wanted:
        return [node for node in found if _fits(node, probe.shape, probe, source, grammar, {})]
    return found


_BYTES_AN_ANCHOR = 50
"""An anchor pays if it occurs less often than once in so many bytes (descending to an
occurrence costs about as much as asking for the kinds of that much source)."""

_MOST_STEPS = 40
"""Steps up from an occurrence by themselves: each goes down from the root again, so where more are
needed the whole way is walked once."""


def _anchored(
    root: tree_sitter.Node, source: bytes, grammar: LoadedGrammar, probe: Probe
) -> list[tree_sitter.Node] | None:
    """Candidates above the occurrences of the rarest anchor, None if no anchor is rare."""
    if not probe.anchors:
        return None
    number, anchor = min(((source.count(a.text), a) for a in probe.anchors), key=lambda pair: pair[0])
    if number * _BYTES_AN_ANCHOR > len(source):
        return None
    return above(root, source, grammar, probe, anchor, _occurrences(source, anchor.text))


def _occurrences(source: bytes, text: bytes) -> Iterator[int]:
    at = source.find(text)
    while at >= 0:
        yield at
        at = source.find(text, at + 1)


def above(
    root: tree_sitter.Node,
    source: bytes,
    grammar: LoadedGrammar,
    probe: Probe,
    anchor: Anchor,
    places: Iterable[int],
) -> list[tree_sitter.Node]:
    """Candidates above *places*, the bytes at which the anchor's text occurs, in order."""
    text, trivia, thin, kinds, strings = anchor.text, grammar.trivia, probe.thin, probe.kinds, probe.strings
    found: dict[int, tree_sitter.Node] = {}
    leaf_at = root.descendant_for_byte_range
    behind = 0  # what is before this was looked at
    for here in places:
        if here < behind:
            continue
        leaf = leaf_at(here, here + 1)
        if leaf is None:
            continue
        if leaf.kind_id in trivia:
            behind = max(leaf.end_byte, here + 1)
            continue
        if anchor.whole and leaf.child_count == 0 and leaf.end_byte - leaf.start_byte != len(text):
            # Part of a longer token; white space at a token's ends does not count.
            if source[leaf.start_byte : leaf.end_byte].strip() != text:
                behind = max(leaf.end_byte, here + 1)
                continue
        levels = 0
        for node in _upwards(leaf, root, here):
            layer = node.kind_id in thin or node.child_count == 1
            layer = layer or (node.named_child_count == 1 and node.child_count <= 3)
            if levels > anchor.depth and not layer:
                break
            if node.kind_id in kinds:
                found[node.id] = node
            if node is leaf:
                continue
            if not anchor.whole and node.kind_id in strings:
                # The text may be that of the whole literal, whatever the grammar makes of its inside.
                levels = 0
            elif not layer:
                levels += 1
    return list(found.values())


def _upwards(leaf: tree_sitter.Node, root: tree_sitter.Node, byte: int) -> Iterator[tree_sitter.Node]:
    """*leaf*, the smallest node that holds *byte*, and those around it."""
    node: tree_sitter.Node | None = leaf
    for _ in range(_MOST_STEPS):
        if node is None:
            return
        yield node
        node = node.parent
    cursor = root.walk()
    path = [root]
    while cursor.goto_first_child_for_byte(byte) is not None:
        inner = cursor.node
        if inner is None or inner.start_byte > byte:
            break
        path.append(inner)
    yield from reversed(path[:-_MOST_STEPS])


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


def _fits(
    node: tree_sitter.Node,
    shape: Shape,
    probe: Probe,
    source: bytes,
    grammar: LoadedGrammar,
    bound: dict[int, tree_sitter.Node],
) -> bool:
    """Whether *node*, of one of the shape's kinds, may have the shape's children; *bound* are the
    metavariables met so far."""
    wanted = shape.wanted
    number = node.child_count
    if number < wanted:
        return False
    kids = None
    if number > wanted:
        kids = _counted(node.children, wanted, probe)
        if len(kids) != wanted:
            return False
    for at, inner in shape.telling:
        kid = node.child(at) if kids is None else kids[at]
        if inner.name >= 0:
            before = bound.setdefault(inner.name, kid)
            if before is not kid and not _may_be_same(before, kid, probe, source, grammar):
                return False
        elif inner.kinds is not None:
            if kid.kind_id not in inner.kinds:
                if not _may_be_layer(kid, probe):
                    return False
            elif inner.wanted and (
                kid.child_count < inner.wanted or not _fits(kid, inner, probe, source, grammar, bound)
            ):
                return False
    return True


def _counted(kids: list[tree_sitter.Node], wanted: int, probe: Probe) -> list[tree_sitter.Node]:
    """*kids* without what may stand there unmentioned: comments, adornments, missing tokens, and
    separators and terminators at the end or before the closing token."""
    kids = [kid for kid in kids if kid.kind_id not in probe.uncounted and not kid.is_missing]
    while len(kids) > wanted and kids[-1].kind_id in probe.marks:
        kids.pop()
    while len(kids) > wanted and len(kids) > 1 and kids[-2].kind_id in probe.marks:
        del kids[-2]
    return kids


def unlooked(
    node: tree_sitter.Node,
    shape: Shape,
    probe: Probe,
    source: bytes,
    comments: re.Pattern[bytes],
    broken: bool,
) -> list[tuple[int, int, int]]:
    """Nodes inside the candidate *node* into which no matching looks, as (first byte, end byte, id):
    those that stand where the pattern has any node.  *broken*: the tree has errors.

    Only where each child stands for one that the shape asks for.  A node in which a comment
    may begin (*comments*) is looked into: where it ends with one, its code ends before."""
    if node.child_count != shape.wanted or not shape.wanted:
        return []
    kids = node.children
    uncounted = probe.uncounted
    for kid in kids:
        if kid.kind_id in uncounted or (broken and kid.is_missing):
            return []
    found = []
    for at in shape.free:
        kid = kids[at]
        if kid.child_count:
            start, end = kid.start_byte, kid.end_byte
            if not comments.search(source, start, end):
                found.append((start, end, kid.id))
    for at, inner in shape.telling:
        if inner.wanted and inner.kinds is not None and kids[at].kind_id in inner.kinds:
            found += unlooked(kids[at], inner, probe, source, comments, broken)
    return found


def _may_be_layer(node: tree_sitter.Node, probe: Probe) -> bool:
    """Whether the matcher may go into *node* to what it wraps: parentheses, a block around one
    statement, a node with one child beside a terminator."""
    number = node.child_count
    if number == 0:
        return False
    if number == 1 or node.kind_id in probe.thin:
        return True
    if number > 8:
        return False
    kids = [kid.kind_id for kid in node.children if kid.kind_id not in probe.uncounted and not kid.is_missing]
    return len(kids) <= 1 or (len(kids) == 2 and kids[1] in probe.marks)


_FIRST_TOKEN = re.compile(rb"\w+|.", re.DOTALL)


def _may_be_same(
    a: tree_sitter.Node, b: tree_sitter.Node, probe: Probe, source: bytes, grammar: LoadedGrammar
) -> bool:
    """Whether two nodes may be the same code: without layout they have the same text, as far as that
    can be told."""
    a_start, a_end, b_start, b_end = a.start_byte, a.end_byte, b.start_byte, b.end_byte
    if a_start == a_end or b_start == b_end:
        return True
    if source[a_start] != source[b_start]:
        # A declaration may be meant without its adornments.
        return a.kind_id in probe.thin or b.kind_id in probe.thin
    if a.child_count == 0 or b.child_count == 0:
        return source[a_start:a_end] == source[b_start:b_end]
    first, second = _FIRST_TOKEN.match(source, a_start), _FIRST_TOKEN.match(source, b_start)
    assert first is not None
    assert second is not None
    if first.group() != second.group():
        return a.kind_id in probe.thin or b.kind_id in probe.thin
    comments = grammar.comment_start
    if comments is None or a.kind_id in probe.thin or b.kind_id in probe.thin:
        return True
    one, other = source[a_start:a_end], source[b_start:b_end]
    if b"\\" in one or b"\\" in other or comments.search(one) or comments.search(other):
        return True
    return one.translate(None, _SPACE) == other.translate(None, _SPACE)


_SPACE = b" \t\r\n\f\v"


_MOST_ASKED = 12
"""Kinds that are asked for one by one; each question takes the grammar some milliseconds."""


@lru_cache(maxsize=1024)
def may_begin_with(language: str, kind: int, inner: frozenset[int]) -> bool:
    """Whether the first child of a node of *kind* can be one of *inner*."""
    grammar = load_named(language)
    wanted = _alternatives(grammar, inner)
    # Of alternatives at the first place only the first is looked at, so each is a question.
    return len(wanted) > _MOST_ASKED or any(_possible(grammar, kind, one) for one in wanted)


@lru_cache(maxsize=1024)
def may_go_on_with(language: str, kind: int, inner: frozenset[int]) -> bool:
    """Whether a child of a node of *kind* that is not its first can be one of *inner*."""
    grammar = load_named(language)
    return bool(inner) and _possible(grammar, kind, f"_ [{' '.join(_alternatives(grammar, inner))}]")


def _possible(grammar: LoadedGrammar, kind: int, children: str) -> bool:
    """Asked of the grammar: a query for what its tables have no way to build is refused.  What may
    stand anywhere, as comments do, is not refused."""
    if kind == ERROR_KIND or not grammar.nodes[kind]:
        return True
    try:
        tree_sitter.Query(grammar.ts, f"({grammar.names[kind]} {children})")
    except tree_sitter.QueryError as problem:
        return not str(problem).startswith("Impossible pattern")
    return True


def can_be_asked(language: str, kinds: frozenset[int]) -> bool:
    """Whether a query finds all nodes of *kinds*: hidden ones are no nodes."""
    grammar = load_named(language)
    return all(kind == ERROR_KIND or grammar.ts.node_kind_is_visible(kind) for kind in kinds)


@lru_cache(maxsize=256)
def _kind_query(language: str, kinds: frozenset[int]) -> tree_sitter.Query:
    grammar = load_named(language)
    return tree_sitter.Query(grammar.ts, f"[{' '.join(_alternatives(grammar, kinds))}] @c")


def _alternatives(grammar: LoadedGrammar, kinds: frozenset[int]) -> list[str]:
    """A query pattern for each of *kinds*."""
    names = []
    for kind in sorted(kinds):
        if kind == ERROR_KIND:
            names.append("(ERROR)")
        elif grammar.nodes[kind]:
            names.append(f"({grammar.names[kind]})")
        else:
            text = grammar.names[kind].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            names.append(f'"{text}"')
    return list(dict.fromkeys(names))
