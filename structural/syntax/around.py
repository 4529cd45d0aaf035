"""One file, with this or that edit, in full detail around one place only.

For trying many edits of one file: the tree is kept and parsed again with what changed,
and a node that does not touch the place is kept without what is inside it.  The
columns stay small while the parts of the file still stand side by side.

Parsing again with an old tree should give what parsing afresh gives, but that is the
grammar's promise, not ours: what is decided here is checked on the whole file later.
"""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Tree

from structural.syntax.columns import Columns
from structural.syntax.grammar import load_named
from structural.syntax.parse import _flatten, _parser, _tree
from structural.text import Edit, LineIndex

_MARGIN = 200
"""Bytes around a place that are kept in detail too: a node may end before white space and comments
in one version, and behind them in another."""


class Surroundings:
    """Columns of *source*, a text of *language*, and of versions of it, around a place."""

    def __init__(self, source: bytes, language: str) -> None:
        self._source = source
        self._language = language
        self._tree = _tree(load_named(language), source, None)
        self._lines = LineIndex(source)

    def before(self, start: int, end: int) -> Columns:
        """The columns of the source, detailed where nodes touch [start, end].

        ``errors`` counts ERROR and MISSING nodes among those kept, and one for every closed node
        that holds any."""
        return self._columns(self._source, self._tree, start, end)

    def after(self, text: bytes, edits: Iterable[Edit], start: int, end: int) -> Columns:
        """The same of *text*, which is the source after *edits*."""
        tree = self._tree.copy()
        for edit in sorted(edits, reverse=True):  # from the end, so that places before stay as they are
            low, high = edit.span.start, edit.span.end
            row, column = self._point(low)
            lines = edit.new.split(b"\n")
            tree.edit(
                low,
                high,
                low + len(edit.new),
                (row, column),
                self._point(high),
                (row + len(lines) - 1, len(lines[-1]) + (column if len(lines) == 1 else 0)),
            )
        return self._columns(text, _parser(self._language).parse(text, tree), start, end)

    def _point(self, byte: int) -> tuple[int, int]:
        line = self._lines.line(byte)
        return line - 1, byte - self._lines.line_span(line).start

    def _columns(self, source: bytes, tree: Tree, start: int, end: int) -> Columns:
        start, end = start - _MARGIN, end + _MARGIN
        columns = Columns(self._language, source)
        root = tree.root_node
        closed: set[int] = set()
        broken = 0
        pending = [root]
        while pending:
            for child in pending.pop().children:
                if not child.child_count:
                    continue
                if child.end_byte < start or child.start_byte > end:
                    closed.add(child.id)
                    broken += child.has_error
                else:
                    pending.append(child)
        _flatten(columns, [root], load_named(self._language), root.has_error, frozenset(closed))
        columns.errors += broken
        return columns
