"""Where a text stops being code, and how much of it decides that.

The parser goes from left to right and keeps every way open in which the text can be code.  At the
first token at which none is left, it has looked at nothing behind what its lexer read until then:
any other text that begins with the same bytes fails at the same place, and need not be parsed.
The place is taken from the parser's own record, since the tree that it makes of broken code does
not tell it: there errors stand where they cost least.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import tree_sitter

from structural.syntax.columns import Columns
from structural.syntax.grammar import ERROR_KIND, LoadedGrammar, load_named
from structural.syntax.parse import _tree, _whole, read_in_time

_LONGEST = 100_000
"""Bytes of a text that is looked into: the record of a longer one costs more than it spares."""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """Bytes with which no code begins.

    They are all that was read to find that out.  ``at`` is where the token begins that does not fit,
    ``solid`` where the one before it ends.  ``mended``: the parser can go on with a token that it adds
    there, so that its tree may have no ERROR there.
    """

    begins: bytes
    solid: int
    at: int
    mended: bool


def parse_or_error(source: bytes, language: str) -> Columns | int:
    """The columns of *source*, or the byte of its first ERROR node if it has one."""
    grammar = load_named(language)
    tree = _tree(grammar, source, None)
    if tree.root_node.has_error:
        at = _first_error(tree, grammar)
        if at is not None:
            return at
    return _whole(tree, source, language)


def _first_error(tree: tree_sitter.Tree, grammar: LoadedGrammar) -> int | None:
    """Where the first ERROR node begins, in preorder.  Only what holds an error is gone into."""
    trivia = grammar.trivia
    cursor = tree.walk()
    while True:
        node = cursor.node
        assert node is not None
        if node.kind_id == ERROR_KIND:
            return node.start_byte
        if node.has_error and node.kind_id not in trivia and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return None


def parse_or_dead_end(source: bytes, language: str, cuts: Sequence[int]) -> Columns | DeadEnd | None:
    """The columns of *source* if it is code, else the dead end that it begins with; None if there is
    none that can be told.

    *cuts* are bytes of *source*, ascending, and no character is cut: how far was read is known up to
    the next of them.
    """
    if len(source) > _LONGEST:
        return None
    grammar = load_named(language)
    if grammar.unsafe is not None and grammar.unsafe.search(source):
        return None
    record = _Record(source, [*cuts, len(source)])
    parser = _parser(grammar)
    parser.logger = record.note
    try:
        tree = read_in_time(parser, record.read, len(source))
    finally:
        del parser.logger
    if record.stopped < 0:
        return _whole(tree, source, language)
    if record.asked > len(source):
        # What decided that it is no code is the end of the text.
        return None
    if record.unknown or (record.added and not grammar.is_visible(record.added)):
        # The parser went on with a token that it added.  One that is not shown is no node, and a text
        # that goes on otherwise may be read with it.
        return None
    solid = record.solid()
    space = len(source) - solid - len(source[solid:].lstrip())
    return DeadEnd(source[: record.asked], solid, solid + space, bool(record.added))


_parsers = threading.local()
"""Parsers whose steps are noted, one for each grammar; each is of one thread."""


def _parser(grammar: LoadedGrammar) -> tree_sitter.Parser:
    made: dict[LoadedGrammar, tree_sitter.Parser] | None = getattr(_parsers, "made", None)
    if made is None:
        made = _parsers.made = {}
    found = made.get(grammar)
    if found is None:
        found = made[grammar] = tree_sitter.Parser(grammar.ts)
    return found


class _Record:
    """What a parser did, as it tells it, until no way to read the text was left.

    A way in which a token does not fit is put aside, and thrown away if any other goes on without an
    error.  So all ways have ended when one is taken up again for the first time.
    """

    def __init__(self, source: bytes, cuts: list[int]) -> None:
        self.source = source
        self.cuts = cuts
        self.asked = 0
        """So many bytes were handed out; one more than there are if the end was."""
        self.stopped = -1
        """``asked`` when no way was left."""
        self.added = ""
        """The token that was added there to go on, if the parser names one."""
        self.unknown = False
        """Whether there are more ways to go on from there than it tells of."""
        self._steps: list[str] = []
        self._ways = 0

    def read(self, offset: int, point: object) -> bytes:
        if self.stopped >= 0:
            return b""
        if offset >= len(self.source):
            self.asked = len(self.source) + 1
            return b""
        high = self.cuts[bisect_right(self.cuts, offset)]
        self.asked = max(self.asked, high)
        return self.source[offset:high]

    def note(self, sort: int, step: str) -> None:
        if sort:
            return
        if self.stopped < 0:
            if step.startswith("process "):
                self._steps.append(step)
            elif step.startswith("resume "):
                self.stopped = self.asked
                self._ways = 1
        elif self._ways:
            # What follows before the next step says how the parser goes on: by skipping the token, by
            # going back, and by adding one.
            if step.startswith("process "):
                ways = _WAYS.search(step)
                self.unknown = ways is None or int(ways[1]) > self._ways
                self._ways = 0
            elif step.startswith("recover_with_missing "):
                self.added = step.split("symbol:", 1)[1].rsplit(", state:", 1)[0]
                self._ways += 1
            elif step.startswith("recover_to_previous "):
                self._ways += 1

    def solid(self) -> int:
        """Where the last token ends that was read in any way."""
        places = {_PLACE.search(step) for step in self._steps}
        row, column = max((int(found[1]), int(found[2])) for found in places if found)
        at = 0
        for _ in range(row):
            at = self.source.index(b"\n", at) + 1
        return at + column


_WAYS = re.compile(r"version_count:(\d+)")
_PLACE = re.compile(r"row:(\d+), col:(\d+)")
