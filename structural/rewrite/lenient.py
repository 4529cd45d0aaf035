"""Where a grammar reads more than its language allows.

A tree that is as it should be does not prove that the code is right: many grammars read
``f as u8.len()``, ``-a ** b`` or an object as the body of an arrow function without
complaint.  What a language says of such places is data (``syntax.language``); here it is
asked of code that was put somewhere new.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cache

from structural.pattern.bindings import innermost
from structural.syntax.columns import Columns
from structural.syntax.grammar import load_named

_BESIDE = re.compile(rb"[ \t\n\r\f\v]*")
_POSTFIX = re.compile(rb"\.(?!\.)|->|\?\.|\?->|::|!|\(|\[|\+\+|--|\?$")
"""Tokens that belong to what is before them, in any language."""

_OPERATOR = re.compile(
    rb"(?!=>?$|:=?$|\.\.\.$|->$)[-+*/%<>=!&|^~?@.:]+|and|or|not|in|is|instanceof|typeof|void|await"
)


_NAMES = frozenset({"identifier", "simple_identifier", "name"})
"""Kinds of names of things of the program; a member may be called like a keyword."""


class Lenient:
    """The rules of one language, as kind numbers."""

    def __init__(self, language: str) -> None:
        grammar = load_named(language)
        kept = grammar.language
        ids = grammar.ids
        self._is_named = grammar.is_named
        self.kind_name = grammar.name
        self.reserved = grammar.reserved
        self.blocks = ids(kept.blocks)
        self.strings = ids(kept.strings)
        self.operands = ids(kept.weak_operands)
        self.receivers = ids(kind for kind in kept.weak_receivers if " " not in kind)
        self.prefixed: dict[int, set[bytes]] = {}
        for entry in kept.weak_receivers:
            word, _, token = entry.partition(" ")
            for kind in ids((word,)) if token else ():
                self.prefixed.setdefault(kind, set()).add(token.encode())
        self.unmixed = {frozenset((left.encode(), right.encode())) for left, right in kept.unmixed}
        self.tight = {token.encode(): ids(kinds) for token, kinds in kept.tight.items()}
        self.ungrouped: dict[tuple[int, int, int], set[bytes]] = {}
        for above, name, below in kept.ungrouped:
            word, _, token = below.partition(" ")
            for parent in ids((above,)):
                for kind in ids((word,)):
                    place = (parent, grammar.field(name) if name else 0, kind)
                    self.ungrouped.setdefault(place, set()).add(token.encode())
        self.worded = {
            (kind, token) for (_, _, kind), tokens in self.ungrouped.items() for token in tokens if token
        }
        self.free = {
            (parent, grammar.field(name))
            for kind, name in kept.member_names
            if kept.free_members
            for parent in ids((kind,))
        }
        self.placed = {
            (parent, grammar.field(name) if name else 0, word.encode())
            for above, name, word in kept.keyword_names
            for parent in ids((above,))
        }
        self.commands = ids(kept.commands)
        self.bracketed = ids(kept.optional_tokens)
        self.misread = {
            (parent, grammar.field(name) if name else 0, word.encode())
            for above, name, word in kept.misread
            for parent in ids((above,))
        }
        self.spliced = ids(kept.spliced)
        self.bodies = ids(kept.bodies)
        self.declarations = ids(kept.declarations)
        self.heads = ids(kept.heads)
        self.breaks_lines = kept.breaks_lines
        self.joining = tuple(text.encode() for text in kept.joining)
        self.last = {
            kind: {k: ids(behind) for name, behind in rules.items() for k in ids((name,))}
            for above, rules in kept.last.items()
            for kind in ids((above,))
        }
        self.literals = {k: ids(types) for kind, types in kept.header_literals.items() for k in ids((kind,))}
        self.headers = ids(kept.headers)
        self.any = self.breaks_lines or bool(
            self.operands or self.receivers or self.unmixed or self.tight or self.ungrouped or self.literals
        )

    def misreads(self, columns: Columns, low: int) -> bool:
        """Whether code that begins at byte *low* stands where its first word means something else."""
        if not self.misread:
            return False
        i = bisect_left(columns.start, low)
        while i < len(columns) and columns.start[i] == low:
            parent = columns.parent[i]
            whole = columns.kind[i] in self.heads
            if parent >= 0 and columns.kind[i] not in self.blocks and not whole:
                for above, name, word in self.misread:
                    if columns.kind[parent] == above and name in (0, columns.field[i]):
                        behind = columns.source[low + len(word) : low + len(word) + 1]
                        ends = not word.isalpha() or not (behind.isalnum() or behind in (b"_", b"$"))
                        if columns.source.startswith(word, low) and ends:
                            # In a list with its brackets it is an element as any other.
                            return columns.kind[parent] not in self.bracketed or columns.start[parent] == low
            i += 1
        return False

    def lacks_parentheses(self, columns: Columns, i: int) -> bool:
        """Whether node *i* may not stand as it is beside what is around it."""
        if not self.any:
            return False
        core = innermost(columns, i)
        kind = columns.kind[core]
        parent = columns.parent[i]
        while parent > 0 and (columns.start[parent], columns.end[parent]) == (
            columns.start[i],
            columns.end[i],
        ):
            i, parent = parent, columns.parent[parent]
        if parent < 0:
            return False
        if self._is_ungrouped(columns, parent, i, core):
            return True
        if self.breaks_lines and self._breaks(columns, core) and not self._in_brackets(columns, i):
            return True
        if self.literals and any(
            self._is_bare(columns, d) and self._in_header(columns, d)
            for d in range(core, core + columns.size[core])
            if columns.kind[d] in self.literals
        ):
            return True
        kids = columns.children(parent)
        at = bisect_left(kids, i)
        before = self._token(columns, kids[at - 1]) if at else b""
        behind = self._token(columns, kids[at + 1]) if at + 1 < len(kids) else b""
        follows = _BESIDE.match(columns.source, columns.end[i], columns.end[parent])
        assert follows is not None
        if (
            (kind in self.receivers or kind in self.operands or self._is_prefixed(columns, core))
            and _POSTFIX.match(columns.source, follows.end(), columns.end[parent])
            and not self._postfix(columns, core)
        ):
            return True
        # The branches of a conditional expression are no operands of it.
        branch = before == b"?"
        if kind in self.operands and not branch and any(map(_OPERATOR.fullmatch, (before, behind))):
            return True
        if behind in self.tight and kind in self.tight[behind]:
            return True
        if self.unmixed:
            mine = {self._token(columns, k) for k in columns.children(core)}
            return any(frozenset((a, b)) in self.unmixed for a in mine for b in (before, behind) if a and b)
        return False

    def _is_ungrouped(self, columns: Columns, parent: int, i: int, core: int) -> bool:
        """Whether node *i*, which is *core* and nothing else, is among the ``ungrouped``."""
        kind, above = columns.kind[core], columns.kind[parent]
        tokens = self.ungrouped.get((above, columns.field[i], kind))
        if tokens is None:
            tokens = self.ungrouped.get((above, 0, kind))
        if tokens is None:
            return False
        if self.worded and self._has_word(columns, parent):
            return False
        if b"" not in tokens:
            return any(self._token(columns, k) in tokens for k in columns.children(core))
        if kind not in self.commands:
            return True
        bare = [k for k in columns.children(core) if columns.kind[k] in self.bracketed]
        if not bare or self._token(columns, bare[-1] + 1) == b"(":
            return False
        return sum(self._is_named(columns.kind[k]) for k in columns.children(parent)) > 1 or (
            above not in self.bracketed
        )

    def _has_word(self, columns: Columns, i: int) -> bool:
        return any((columns.kind[i], self._token(columns, k)) in self.worded for k in columns.children(i))

    def keyword_names(self, columns: Columns, low: int, high: int, *, every: bool = False) -> Counter[bytes]:
        """Names in [low, high) that are spelled like keywords; *every*: also of members and types."""
        found: Counter[bytes] = Counter()
        for i in range(bisect_left(columns.start, low), bisect_left(columns.start, high)):
            if columns.size[i] == 1 and self._is_named(columns.kind[i]):
                text = columns.text(i)
                is_name = every or self.kind_name(columns.kind[i]) in _NAMES
                if text in self.reserved and is_name and (every or not self._is_free(columns, i)):
                    found[text] += 1
        return found

    def _is_free(self, columns: Columns, i: int) -> bool:
        """Whether node *i* is a keyword where the language has one as a name, or the name of a member, behind
        what it is a member of, which any word may be."""
        parent = columns.parent[i]
        if self.placed and parent >= 0:
            place = columns.kind[parent], columns.field[i]
            if (*place, b"") in self.placed or (*place, columns.text(i)) in self.placed:
                return True
        if not self.free or parent < 0 or columns.start[i] == columns.start[parent]:
            return False
        return (columns.kind[parent], columns.field[i]) in self.free

    def lacks_braces(self, columns: Columns, i: int) -> bool:
        """Whether node *i* is a declaration where a statement without braces stands."""
        parent = columns.parent[i]
        if columns.kind[i] not in self.declarations or parent < 0 or columns.kind[parent] not in self.bodies:
            return False
        before = [k for k in columns.children(parent) if k < i]
        return not before or self._token(columns, before[-1]) != b"("  # What a loop begins with.

    def joins(self, columns: Columns, low: int) -> bool:
        """Whether code that begins a statement at byte *low* goes on with the statement before it."""
        if not self.joining or not columns.source.startswith(self.joining, low):
            return False
        i = bisect_left(columns.start, low)
        parent = columns.parent[i] if i < len(columns) and columns.start[i] == low else -1
        if parent < 0 or columns.kind[parent] not in self.blocks:
            return False
        before = [k for k in columns.children(parent) if k < i]
        return bool(before) and self._is_named(columns.kind[before[-1]])

    def out_of_order(self, columns: Columns, low: int, high: int) -> bool:
        """Whether a list that touches [low, high) has an element behind one that must be the last."""
        if not self.last:
            return False
        i = bisect_left(columns.start, low)
        while i >= 0 and i < len(columns) and columns.start[i] < high:
            parent = columns.parent[i]
            for above in {i, parent}:
                rules = self.last.get(columns.kind[above]) if above >= 0 else None
                if rules is not None and not self._in_order(columns, above, rules):
                    return True
            i += 1
        return False

    def _in_order(self, columns: Columns, i: int, rules: dict[int, frozenset[int]]) -> bool:
        allowed: frozenset[int] | None = None
        for child in columns.children(i):
            kind = columns.kind[child]
            if not self._is_named(kind):
                continue
            if allowed is not None and kind not in allowed:
                return False
            if kind in rules:
                allowed = rules[kind] if allowed is None else allowed & rules[kind]
            elif columns.text(child) == b"*":
                allowed = None
        return True

    def breaks_off(self, columns: Columns, i: int, low: int) -> bool:
        """Whether node *i*, which begins a line behind byte *low*, goes on with a line that ended outside
        of brackets, or is a statement that is not indented as *low* is."""
        start = columns.start[i]
        while columns.kind[i] in self.blocks and columns.size[i] > 1:
            i += 1
        if self._in_brackets(columns, i):
            return False
        while columns.parent[i] >= 0 and columns.kind[columns.parent[i]] not in self.blocks:
            if columns.start[columns.parent[i]] < start:
                return True
            i = columns.parent[i]
        source = columns.source
        heads = [source[source.rfind(b"\n", 0, byte) + 1 : byte] for byte in (low, start)]
        return heads[0] != heads[1]

    def _breaks(self, columns: Columns, i: int) -> bool:
        """Whether a line of node *i* ends outside of brackets."""
        source, stop = columns.source, i + columns.size[i]
        if b"\n" not in source[columns.start[i] : columns.end[i]]:
            return False
        if any(columns.kind[d] in self.blocks for d in range(i, stop)):
            return False
        depth, end = 0, columns.start[i]
        for d in range(i, stop):
            if columns.size[d] > 1:
                continue
            between = source[end : columns.start[d]]
            if depth == 0 and b"\n" in between and b"\\" not in between and end > columns.start[i]:
                if not any(columns.kind[p] in self.strings for p in self._above(columns, d, i)):
                    return True
            text = self._token(columns, d)
            depth += (text in (b"(", b"[", b"{")) - (text in (b")", b"]", b"}"))
            end = columns.end[d]
        return False

    def _above(self, columns: Columns, i: int, top: int) -> Iterator[int]:
        while i > top:
            i = columns.parent[i]
            yield i

    def _in_brackets(self, columns: Columns, i: int) -> bool:
        """Whether node *i* stands between brackets of the statement that it is in."""
        while True:
            parent = columns.parent[i]
            if parent < 0 or columns.kind[parent] in self.blocks:
                return False
            kids = columns.children(parent)
            if any(self._token(columns, k) in (b"(", b"[", b"{") for k in kids[: kids.index(i)]):
                return True
            i = parent

    def _token(self, columns: Columns, i: int) -> bytes:
        """The text of node *i* if it is a token without a name, such as an operator."""
        plain = columns.size[i] == 1 and not self._is_named(columns.kind[i])
        return columns.text(i) if plain else b""

    def _postfix(self, columns: Columns, i: int) -> bool:
        """Whether node *i* ends with an operator, as ``x!!`` does: what follows takes all of it.  An
        update (``x++``) or an open range (``x..``) does not count, since nothing may follow it."""
        last = columns.children(i)[-1:]
        token = self._token(columns, last[0]) if last else b""
        return token not in (b"", b"++", b"--") and not token.startswith(b"..")

    def _is_prefixed(self, columns: Columns, i: int) -> bool:
        """Whether node *i* begins with a token that makes it a weak receiver."""
        tokens = self.prefixed.get(columns.kind[i])
        return tokens is not None and columns.text(i + 1) in tokens

    def _is_bare(self, columns: Columns, i: int) -> bool:
        """Whether the braces of literal *i* could be taken for a block."""
        return columns.kind[i + 1] not in self.literals[columns.kind[i]]

    def _in_header(self, columns: Columns, i: int) -> bool:
        """Whether node *i* stands in the header of a statement, outside of all brackets."""
        while True:
            parent = columns.parent[i]
            if parent < 0:
                return False
            kids = columns.children(parent)
            at = kids.index(i)
            if columns.kind[parent] in self.headers:
                behind = kids[at + 1 :]
                return any(columns.kind[k] in self.blocks or self._token(columns, k) == b"{" for k in behind)
            if columns.kind[parent] in self.blocks or any(
                self._token(columns, k) in (b"(", b"[", b"{") for k in kids[:at]
            ):
                return False
            i = parent


@cache
def lenient(language: str) -> Lenient:
    """The rules of *language*, made once a process."""
    return Lenient(language)
