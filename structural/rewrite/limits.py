"""What a language does not allow, though its grammar does and parentheses do not help.

A site that brings such a place is refused; one that was there before is none of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import cache
from itertools import pairwise

from structural.pattern.bindings import innermost
from structural.syntax.columns import Columns
from structural.syntax.grammar import load_named

_QUOTES = re.compile(rb"[A-Za-z]*(\"\"\"|'''|\"|')")


class Limits:
    """The limits of one language, as kind numbers."""

    def __init__(self, language: str) -> None:
        grammar = load_named(language)
        kept, ids = grammar.language, grammar.ids
        self._is_named = grammar.is_named

        def kinds(name: str) -> tuple[int, ...]:
            return tuple(ids((name,))) if name else (0,)

        def of(name: str) -> int:
            return grammar.field(name) if name else 0

        self.barred: dict[tuple[int, int, int], set[bytes]] = {}
        for above, name, below, token in kept.barred:
            for parent in kinds(above):
                for kind in kinds(below):
                    self.barred.setdefault((parent, of(name), kind), set()).add(token.encode())
        self.constant = {kind: ids(below) for name, below in kept.constant.items() for kind in kinds(name)}
        self.computed = frozenset[int]().union(*self.constant.values())
        self.homes = {kind: ids(above) for name, above in kept.homes.items() for kind in kinds(name)}
        self.only = {
            (parent, of(name)): ids(kinds_)
            for (above, name), kinds_ in kept.only.items()
            for parent in kinds(above)
        }
        self.apart = {
            (kind, first.encode(), second.encode())
            for name, first, second in kept.apart
            for kind in kinds(name)
        }
        self.leads = {
            kind: {k: ids(behind) for name, behind in rules.items() for k in kinds(name)}
            for above, rules in kept.leads.items()
            for kind in kinds(above)
        }
        self.lists = {kind for kind, _, _ in self.apart} | self.leads.keys()
        self.one_token = frozenset(text.encode() for text in kept.one_token)
        self.quoting = ids(kept.quoting)
        self.strings = ids(kept.strings)
        self.parens = ids(kept.parens)
        self.blocks = ids(kept.blocks)
        self.ended = ids(kept.ended)
        data = (self.homes, self.barred, self.only, self.lists, self.one_token, self.quoting, self.constant)
        self.any = any((*data, self.ended))

    def breaches(self, columns: Columns, low: int, high: int) -> Counter[str]:
        """What the code that touches [low, high) has that the language does not allow, by reasons."""
        found: Counter[str] = Counter()
        if not self.any:
            return found
        source = columns.source
        seen: set[int] = set()
        first, stop = bisect_left(columns.start, low), bisect_left(columns.start, high)
        # One node more at each end: what stands beside the site may now be neighbours.
        for i in range(max(1, first - 1), min(len(columns), stop + 1)):
            parent, inside = columns.parent[i], first <= i < stop
            if inside and self._is_barred(columns, parent, i):
                found["the language does not allow it here"] += 1
            if inside and columns.kind[i] in self.computed and self._in_a_constant(columns, i):
                found["the language wants a constant here"] += 1
            for k in (parent, i) if self.lists else ():
                if k not in seen and columns.kind[k] in self.lists:
                    seen.add(k)
                    found["the language wants something more here"] += self._is_incomplete(columns, k)
            if self.one_token and source[columns.end[i] - 1 : columns.end[i] + 1] in self.one_token:
                found["two operators would be read as one"] += self._runs_on(columns, i)
            if columns.kind[i] in self.ended:
                found["nothing would end it as a statement"] += self._is_unended(columns, i)
            if inside and self.quoting and columns.kind[i] in self.strings:
                found["its quotes would end the string around it"] += self._quotes_itself(columns, i)
        return +found

    def _is_barred(self, columns: Columns, parent: int, i: int) -> bool:
        kind, field = columns.kind[i], columns.field[i]
        while columns.kind[parent] in self.parens and columns.parent[parent] >= 0:
            field, parent = columns.field[parent], columns.parent[parent]
        above = columns.kind[parent]
        if kind in self.homes and above not in self.homes[kind]:
            return True
        core = columns.kind[innermost(columns, i)]
        for name in (field, 0) if field else (0,):
            allowed = self.only.get((above, name))
            if allowed is not None and self._is_named(kind) and kind not in allowed:
                return True
            for below in (core, 0):
                tokens = self.barred.get((above, name, below))
                if tokens is None:
                    continue
                if b"" in tokens:
                    return True
                there = [*columns.children(parent), *columns.children(i)]
                if any(columns.text(k) in tokens for k in there if columns.size[k] == 1):
                    return True
        return False

    def _in_a_constant(self, columns: Columns, i: int) -> bool:
        """Whether node *i* stands in a place whose value must be constant and may hold none of its kind."""
        kind, around = columns.kind[i], columns.parent[i]
        while around > 0 and columns.kind[around] not in self.blocks:
            if kind in self.constant.get(columns.kind[around], ()):
                return True
            around = columns.parent[around]
        return False

    def _is_incomplete(self, columns: Columns, i: int) -> bool:
        kids = [k for k in columns.children(i) if columns.end[k] > columns.start[k]]
        texts = [columns.text(k) if columns.size[k] == 1 else b"" for k in kids]
        for first, second in pairwise(texts):
            if (columns.kind[i], first, second) in self.apart:
                return True
        rules = self.leads.get(columns.kind[i])
        if rules is None:
            return False
        named = [columns.kind[k] for k in kids if self._is_named(columns.kind[k])]
        if not named:
            return False
        behind: list[int | None] = [*named[1:], None]
        return any(
            kind in rules and then not in rules[kind] for kind, then in zip(named, behind, strict=True)
        )

    def _is_unended(self, columns: Columns, i: int) -> bool:
        """Whether node *i* is all of a statement without an end, before another one."""
        if columns.source[columns.end[i] - 1 : columns.end[i]] == b"}":
            return False
        parent = columns.parent[i]
        while parent > 0 and columns.size[parent] == columns.size[i] + 1:
            i, parent = parent, columns.parent[parent]
        if parent < 0 or columns.kind[parent] not in self.blocks:
            return False
        behind = [k for k in columns.children(parent) if k > i]
        return bool(behind) and self._is_named(columns.kind[behind[0]])

    def _runs_on(self, columns: Columns, i: int) -> bool:
        """Whether operator *i*, of one byte, goes on in the next token."""
        end = columns.end[i]
        if columns.size[i] > 1 or columns.start[i] != end - 1 or self._is_named(columns.kind[i]):
            return False
        while i + 1 < len(columns) and columns.start[i + 1] <= end:
            i += 1
            if columns.size[i] == 1:
                return columns.start[i] == end and not self._is_named(columns.kind[i])
        return False

    def _quotes_itself(self, columns: Columns, i: int) -> bool:
        """Whether string *i* has the quotes of a string whose code it stands in."""
        mine = _QUOTES.match(columns.text(i))
        parent = i
        while mine is not None and (parent := columns.parent[parent]) > 0:
            if columns.kind[parent] in self.quoting:
                around = columns.parent[parent]
                while around > 0 and columns.kind[around] not in self.strings:
                    around = columns.parent[around]
                theirs = _QUOTES.match(columns.text(around))
                if theirs is not None and theirs[1] in columns.text(i):
                    return True
        return False


@cache
def limits(language: str) -> Limits:
    """The limits of *language*, made once a process."""
    return Limits(language)
