"""Source text to columns: parse, flatten, let the tree go.

``parse`` keeps the whole file; ``parse_near`` keeps only the subtrees that can
hold a match, found by a kind query that runs in C: less than half of the work
for most patterns.  Both answer the same for the nodes they keep.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import tree_sitter

from structural.errors import UnsearchableError
from structural.syntax.candidates import Probe, candidates, unlooked
from structural.syntax.columns import Columns
from structural.syntax.grammar import ERROR_KIND, LoadedGrammar, load_named

Ranges = Sequence[tuple[int, int]]


def parse(source: bytes, language: str, ranges: Ranges | None = None) -> Columns:
    """The columns of *source*; of the byte *ranges* alone if given, offsets still the file's."""
    return _whole(_tree(load_named(language), source, ranges), source, language, ranges)


def _whole(tree: tree_sitter.Tree, source: bytes, language: str, ranges: Ranges | None = None) -> Columns:
    """The columns of all of *tree*."""
    grammar = load_named(language)
    columns = Columns(language, source)
    broken = tree.root_node.has_error
    _flatten(columns, [tree.root_node], grammar, broken)
    if broken and not columns.errors:
        columns.errors = 1
    if ranges is not None:
        with_gaps(columns, ranges)
    return columns


def with_gaps(columns: Columns, ranges: Ranges) -> None:
    """Count what lies between *ranges* as layout."""
    columns.layout += [(a[1], b[0]) for a, b in pairwise(ranges)]
    columns.layout.sort()


def parse_near(
    source: bytes, language: str, probe: Probe, ranges: Ranges | None = None, *, shallow: bool = False
) -> Columns:
    """Like ``parse``, but of the nodes only the subtrees that can be a match are kept, as a forest.

    Sound: a node that is left out cannot match.  ``errors`` counts 1 for a tree with any
    error outside of what is kept.  *shallow*: what is inside a node that stands for any node of
    the pattern is left out too; candidates in it follow as trees of their own.
    """
    tree = _tree(load_named(language), source, ranges)
    return _near(tree, source, language, probe, shallow=shallow)


def _near(tree: tree_sitter.Tree, source: bytes, language: str, probe: Probe, *, shallow: bool) -> Columns:
    """``parse_near`` of a *tree* that is there."""
    grammar = load_named(language)
    root = tree.root_node
    columns = Columns(language, source)
    nodes = candidates(root, source, grammar, probe)
    if nodes is None:
        nodes, shallow = [root], False
    nodes.sort(key=_by_place)
    if shallow and grammar.comment_start is not None:
        outer, closed = _shallow(nodes, probe, source, grammar.comment_start, root.has_error)
    else:
        outer, closed = _outermost(nodes), frozenset()
    _flatten(columns, outer, grammar, root.has_error, closed)
    if root.has_error and not columns.errors:
        columns.errors = 1
    if closed:
        # A candidate that follows may stand before the end of the one around it.
        columns.comments.sort()
        columns.layout.sort()
    return columns


def _outermost(nodes: list[tree_sitter.Node]) -> list[tree_sitter.Node]:
    """Those of *nodes*, in order, that are in no other."""
    outer: list[tree_sitter.Node] = []
    covered = -1
    for node in nodes:
        if node.start_byte >= covered:
            outer.append(node)
            covered = node.end_byte
    return outer


_MOST_INSIDE = 200
"""Candidates inside another one that are looked through; one that holds more is flattened whole."""


def _shallow(
    nodes: list[tree_sitter.Node], probe: Probe, source: bytes, comments: re.Pattern[bytes], broken: bool
) -> tuple[list[tree_sitter.Node], frozenset[int]]:
    """The candidates of *nodes*, in order, that are to be flattened, and the ids of the nodes that
    are not gone into.

    A candidate is flattened whole if another one is inside what must be looked into: matches are
    found in the order of the columns."""
    outer: list[tree_sitter.Node] = []
    closed: set[int] = set()
    covered = -1
    for at, node in enumerate(nodes):
        start, end = node.start_byte, node.end_byte
        if start < covered:
            continue
        outer.append(node)
        spans = sorted(unlooked(node, probe.shape, probe, source, comments, broken))
        further = at + 1
        place = 0
        while spans and further < len(nodes) and nodes[further].start_byte < end:
            inner_start, inner_end = nodes[further].start_byte, nodes[further].end_byte
            while place < len(spans) and spans[place][1] <= inner_start:
                place += 1
            beside = place == len(spans) or inner_start < spans[place][0] or inner_end > spans[place][1]
            if beside or further - at > _MOST_INSIDE:
                spans = []
            further += 1
        if spans:
            closed.update(span[2] for span in spans)
            covered = start
        else:
            covered = end
    return outer, frozenset(closed)


def _by_place(node: tree_sitter.Node) -> tuple[int, int]:
    return (node.start_byte, -node.end_byte)


_parsers = threading.local()
"""A parser is of one thread: while one watches its time, other threads go on."""


def _parser(language: str) -> tree_sitter.Parser:
    grammar = load_named(language)
    made: dict[LoadedGrammar, tree_sitter.Parser] | None = getattr(_parsers, "made", None)
    if made is None:
        made = _parsers.made = {}
    found = made.get(grammar)
    if found is None:
        found = made[grammar] = tree_sitter.Parser(grammar.ts)
    return found


def _tree(grammar: LoadedGrammar, source: bytes, ranges: Ranges | None) -> tree_sitter.Tree:
    unsafe = grammar.unsafe
    if unsafe is not None and unsafe.search(source):
        raise UnsearchableError(
            f"nested too deeply for the grammar of {grammar.language.name}", hint="its parser would crash"
        )
    if ranges is None:
        parser = _parser(grammar.language.name)
    else:
        parser = tree_sitter.Parser(grammar.ts)
        parser.included_ranges = [
            tree_sitter.Range(_point(source, start), _point(source, end), start, end) for start, end in ranges
        ]
    if _given_up and (why := _given_up.get(_key(grammar.language.name, source))):
        raise UnsearchableError(why, hint=_HINT)
    return _parse_in_time(parser, grammar.language.name, source)


_given_up: dict[tuple[str, int, int], str] = {}
"""Texts that took too much in this process, and what.  Several readings of a pattern ask for the same one."""


def _key(language: str, source: bytes) -> tuple[str, int, int]:
    return language, len(source), hash(source)


_SECONDS = 4.0
_SECONDS_A_MEGABYTE = 3.0
"""Processor time that one parse may take.  Grammars read between half a megabyte and five in a second; a
few need the square of the time for some texts."""

_MOST = 400_000_000
_MOST_A_BYTE = 150
"""Bytes of memory that one parse may take.  Trees take 20 to 70 for a byte of source; a
parser that keeps thousands of ways open takes a gigabyte a second."""

_LOOK_SECONDS = 0.05
"""How often a parse that takes long is looked at."""


def _parse_in_time(parser: tree_sitter.Parser, language: str, source: bytes) -> tree_sitter.Tree:
    try:
        return read_in_time(parser, lambda offset, point: source[offset : offset + 262_144], len(source))
    except UnsearchableError as problem:
        _given_up[_key(language, source)] = problem.message
        raise


def read_in_time(
    parser: tree_sitter.Parser, read: Callable[[int, object], bytes], size: int
) -> tree_sitter.Tree:
    """Parse the text of *size* bytes that *read* gives, but give up on one that a grammar takes minutes for
    (quadratic scanners), or for ever: a few go round in circles over a page of broken code."""
    began = time.thread_time()
    look = time.monotonic() + _LOOK_SECONDS
    memory = -1
    reason = ""

    def late(offset: int, has_error: bool) -> bool:
        nonlocal look, memory, reason
        if time.monotonic() < look:
            return False
        look = time.monotonic() + _LOOK_SECONDS
        if memory < 0:
            memory = _memory()
        if time.thread_time() - began > _seconds(size):
            reason = f"parsing takes more than {_seconds(size):.0f} seconds"
        elif _memory() - memory > _MOST + _MOST_A_BYTE * size:
            reason = f"parsing takes more than {(_MOST + _MOST_A_BYTE * size) / 1e9:.1f} GB of memory"
        return bool(reason)

    try:
        return parser.parse(read, progress_callback=late)
    except BaseException as problem:
        parser.reset()  # What it holds of the text is let go.
        if reason and isinstance(problem, ValueError):
            raise UnsearchableError(reason, hint=_HINT) from None
        raise


def _memory() -> int:
    """The bytes that this process has now; where that is not told the most it ever had, or 0."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource  # not on Windows
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

_HINT = "search the file by itself, or leave it out"


def _seconds(size: int) -> float:
    return _SECONDS + _SECONDS_A_MEGABYTE * size / 1_000_000


def _point(source: bytes, byte: int) -> tuple[int, int]:
    line_start = source.rfind(b"\n", 0, byte) + 1
    return (source.count(b"\n", 0, byte), byte - line_start)


def _flatten(
    columns: Columns,
    roots: list[tree_sitter.Node],
    grammar: LoadedGrammar,
    broken: bool,
    closed: frozenset[int] = frozenset(),
) -> None:
    """Append the subtrees of *roots* in preorder, without what is inside the nodes whose ids are
    *closed*.  One cursor, one tight loop: this is where most of a cold search's own time goes."""
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
                elif k in trivia:
                    columns.layout.append((node.start_byte, node.end_byte))
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
                if (not closed or node.id not in closed or len(kind) == first + 1) and down():
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
