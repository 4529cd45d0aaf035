"""Conditions evaluated as docs/rules.md says them, node by node, without a thought for time.

For patterns in which one node has one match: an ellipsis binds nothing that is asked for elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from structural.pattern.bindings import same_code
from structural.pattern.compile import compile_pattern
from structural.pattern.matcher import Matcher
from structural.rules.values import (
    All,
    AnyOf,
    Condition,
    KindAtom,
    Matches,
    Not,
    NthChildAtom,
    PatternAtom,
    RegexAtom,
    Relation,
)
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.syntax.grammar import load_named
from structural.syntax.parse import parse

Env = dict[str, Any]


class Naive:
    def __init__(self, source: bytes, language: str, utilities: dict[str, Condition]) -> None:
        self.columns: Columns = parse(source, language)
        self.grammar = load_named(language)
        self.utilities = utilities
        self.matchers: dict[PatternAtom, Matcher] = {}

    def spans(self, condition: Condition) -> set[tuple[int, int]]:
        return {
            self.span(i) for i in range(len(self.columns)) if any(True for _ in self.solve(condition, i, {}))
        }

    def span(self, i: int) -> tuple[int, int]:
        start, end = self.columns.start[i], self.columns.end[i]
        end = solid_end(self.columns, start, end)
        while start < end and self.columns.source[start] in b" \t\r\n\f":
            start += 1
        return start, end

    def solve(self, c: Condition, i: int, env: Env) -> Iterator[Env]:
        columns = self.columns
        if isinstance(c, PatternAtom):
            yield from self.pattern(c, i, env)
        elif isinstance(c, Matches):
            yield from self.solve(self.utilities[c.utility], i, env)
        elif isinstance(c, All):
            parts = sorted(self.flat(c), key=lambda one: self.negates(one) + isinstance(one, Not))
            yield from self.every(parts, i, env)
        elif isinstance(c, AnyOf):
            for one in c.conditions:
                yield from self.solve(one, i, env)
        elif isinstance(c, Relation):
            for at in self.around(c, i, env):
                yield from self.solve(c.condition, at, env) if c.condition is not None else [env]
        elif (
            (isinstance(c, KindAtom) and self.is_kind(c, i))
            or (isinstance(c, RegexAtom) and re.search(c.regex, self.text(i)))
            or (isinstance(c, NthChildAtom) and self.nth(c, i, columns.parent[i]))
            or (isinstance(c, Not) and not any(True for _ in self.solve(c.condition, i, env)))
        ):
            yield env

    def every(self, parts: list[Condition], i: int, env: Env) -> Iterator[Env]:
        if not parts:
            yield env
        else:
            for made in self.solve(parts[0], i, env):
                yield from self.every(parts[1:], i, made)

    def flat(self, c: Condition) -> list[Condition]:
        if isinstance(c, Matches):
            return self.flat(self.utilities[c.utility])
        return [one for part in c.conditions for one in self.flat(part)] if isinstance(c, All) else [c]

    def negates(self, c: Condition | None) -> bool:
        if isinstance(c, All | AnyOf):
            return any(map(self.negates, c.conditions))
        if isinstance(c, Matches):
            return self.negates(self.utilities[c.utility])
        return isinstance(c, Not) or (isinstance(c, Relation) and self.negates(c.condition))

    def text(self, i: int) -> str:
        low, high = self.span(i)
        return self.columns.source[low:high].decode("utf-8", "replace")

    def is_kind(self, c: KindAtom, i: int) -> bool:
        ids = self.grammar.ids(c.kinds)
        return self.columns.kind[i] in ({k for k in ids if self.grammar.named[k]} or ids)

    def nth(self, c: NthChildAtom, i: int, parent: int) -> bool:
        kids = [k for k in self.columns.children(parent) if self.grammar.is_named(self.columns.kind[k])] * (
            parent >= 0
        )
        kids = [k for k in kids if c.of is None or any(True for _ in self.solve(c.of, k, {}))]
        number = (kids[::-1] if c.reverse else kids).index(i) + 1 if i in kids else 0
        return any(number == c.step * n + c.offset for n in range(1000)) and number > 0

    def pattern(self, c: PatternAtom, i: int, env: Env) -> Iterator[Env]:
        if c not in self.matchers:
            reading = compile_pattern(c.text, self.columns.language).first
            self.matchers[c] = Matcher(reading.programs[0], reading.tables, self.columns, [])
        matcher = self.matchers[c]
        kinds = matcher.program.kinds
        assert kinds is not None
        member = matcher.program.lone_identifier and matcher.layers.is_member_name(i)
        found = matcher.at(i) if self.columns.kind[i] in kinds and not member else None
        if found is None:
            return
        made = dict(env)
        for name, bound in zip(matcher.program.names, found.bindings, strict=True):
            if bound is not None and not same_code(
                self.columns, made.setdefault(name, bound), bound, frozenset()
            ):
                return
        yield made

    # --- where a relation looks, nearest first ------------------------------------------------------

    def around(self, c: Relation, i: int, env: Env) -> Iterator[int]:
        way = {"inside": self.upwards, "has": self.downwards}.get(c.name, self.sideways)
        yield from way(c, i, env)

    def stops(self, c: Relation, nodes: list[int], env: Env) -> bool:
        if isinstance(c.until, str):
            return c.until == "neighbor"
        return any(True for node in nodes for _ in self.solve(c.until, node, env))

    def field(self, c: Relation, i: int) -> bool:
        return c.field is None or self.columns.field[i] == self.grammar.field(c.field)

    def upwards(self, c: Relation, i: int, env: Env) -> Iterator[int]:
        parent = self.columns.parent[i]
        if parent >= 0:
            if self.field(c, i):
                yield parent
            if not self.stops(c, [parent], env):
                yield from self.upwards(c, parent, env)

    def downwards(self, c: Relation, i: int, env: Env, top: bool = True) -> Iterator[int]:
        for child in self.columns.children(i):
            if not top or self.field(c, child):
                yield child
                if not self.stops(c, [child], env):
                    yield from self.downwards(c, child, env, False)

    def sideways(self, c: Relation, i: int, env: Env) -> Iterator[int]:
        columns, language = self.columns, self.grammar.language
        ends = self.grammar.ids(language.terminator_tokens)
        marks = ends | self.grammar.ids(language.separators)
        blocks = self.grammar.ids(language.blocks)

        def without(p: int, kinds: frozenset[int]) -> list[int]:
            return [k for k in columns.children(p) if columns.size[k] > 1 or columns.kind[k] not in kinds]

        while columns.parent[i] > 0 and columns.kind[columns.parent[i]] not in blocks:
            if without(columns.parent[i], ends) != [i]:
                break
            i = columns.parent[i]
        if columns.parent[i] < 0:
            return
        above = columns.parent[i]
        for kind, tokens in language.partings.items():
            if columns.kind[above] in self.grammar.ids((kind,)):
                marks |= self.grammar.ids(tokens)
        siblings = without(above, marks)
        beside = (
            [k for k in siblings if k < i][::-1] if c.name == "follows" else [k for k in siblings if k > i]
        )
        for sibling in beside:
            layers = [sibling]
            while columns.kind[layers[-1]] not in blocks and len(without(layers[-1], ends)) == 1:
                layers += without(layers[-1], ends)
            yield from layers
            if self.stops(c, layers, env):
                return
