"""``return``, ``continue`` and the like belong to what is around them: it may not become another thing.

Code that is kept is the same code only if what it jumps out of is the same: a ``return`` that
comes into a function of the rewrite, or out of one of the match, means something else, or nothing.
"""

from __future__ import annotations

import re
from functools import cache

from structural.rewrite.places import Place
from structural.syntax.columns import Columns
from structural.syntax.grammar import load_named

_ASYNC = re.compile(rb"\basync\b")


class Jumps:
    """The jumps of one language, as kind numbers."""

    def __init__(self, language: str) -> None:
        grammar = load_named(language)
        kept = grammar.language
        self._is_named = grammar.is_named
        self.owners: dict[int, dict[bytes, frozenset[int]]] = {}
        """Kind of a jump → the word that it begins with, if that counts → kinds that it may belong to."""
        for names, owners in kept.jumps:
            for name in names.split():
                kind, _, word = name.partition(":")
                for number in grammar.ids((kind,)):
                    self.owners.setdefault(number, {})[word.encode()] = grammar.ids(owners.split())
        self.waits = grammar.ids(kept.waits)
        self.functions = grammar.ids(kept.jumps[0][1].split()) if kept.jumps else frozenset()

    def strays(
        self,
        old: Columns,
        place: Place,
        match: tuple[int, int],
        new: Columns,
        after: int,
        site: tuple[int, int],
    ) -> bool:
        """Whether a jump in the code at *place* of *old*, which is node *after* and those beside it in *new*,
        belongs to something else then: *match* and *site* are the bytes that are rewritten."""
        if not self.owners or place.first < 0:
            return False
        stop = place.last + old.size[place.last]
        for i in range(place.first, stop):
            known = self.owners.get(old.kind[i])
            if known is None:
                continue
            owners = known.get(old.text(i + 1)) if b"" not in known else known[b""]
            if owners is None:
                continue
            label = self._label(old, i)
            if label:
                # It goes to what has the label, however far that is, but not out of a function.
                if self._is_labelled(old, i, place.first, label):
                    continue
                owners = self.functions
            mine = self._owner(old, i, owners)
            if mine >= place.first:
                continue  # It belongs to something in the code that is kept.
            theirs = self._owner(new, after, owners)
            within = mine >= 0 and match[0] <= old.start[mine] and old.end[mine] <= match[1]
            then = theirs >= 0 and site[0] <= new.start[theirs] and new.end[theirs] <= site[1]
            if old.kind[i] not in self.waits:
                if within != then:
                    return True
            elif theirs >= 0 and (within or then) and not self._waits(new, theirs):
                if mine < 0 or self._waits(old, mine):
                    return True
        return False

    def _label(self, columns: Columns, i: int) -> bytes:
        """What jump *i* says that it belongs to; empty if it does not."""
        first = columns.text(i + 1) if columns.size[i] > 1 else b""
        if first not in (b"break", b"continue"):
            return b""
        named = [k for k in columns.children(i) if self._is_named(columns.kind[k])]
        return next((columns.text(k) for k in named if columns.text(k) != first), b"")

    def _is_labelled(self, columns: Columns, i: int, outermost: int, label: bytes) -> bool:
        """Whether something around node *i*, up to node *outermost*, has the *label*."""
        i = columns.parent[i]
        while i >= outermost:
            if any(
                columns.text(k).rstrip(b":") == label for k in columns.children(i) if columns.size[k] <= 3
            ):
                return True
            i = columns.parent[i]
        return False

    def _owner(self, columns: Columns, i: int, owners: frozenset[int]) -> int:
        i = columns.parent[i]
        while i >= 0 and columns.kind[i] not in owners:
            i = columns.parent[i]
        return i

    def _waits(self, columns: Columns, i: int) -> bool:
        """Whether function *i* may wait for something."""
        body = columns.children(i)[-1:]
        return not body or bool(_ASYNC.search(columns.source[columns.start[i] : columns.start[body[0]]]))


@cache
def jumps(language: str) -> Jumps:
    """The jumps of *language*, made once a process."""
    return Jumps(language)
