"""Random conditions over real files: with and without filters, and as docs/rules.md says them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from structural.rules.compile import compile_rules
from structural.rules.engine import find
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
    Rule,
    Utility,
)
from structural.syntax.grammar import load_named
from structural.syntax.parse import parse
from tests.rules.naive import Naive

CORPUS = Path(__file__).resolve().parents[2] / "corpus"

PATTERNS = {
    "python": (
        "$A($B)",
        "$A = $B",
        "$A.$F($$$)",
        "return $A",
        "$A",
        "if $A: $$$",
        "for $A in $B: $$$",
        "def $F($$$): $$$",
        "self.$A",
    ),
    "javascript": (
        "$A($B)",
        "$A = $B",
        "$A.$F($$$)",
        "return $A",
        "if ($A) { $$$ }",
        "const $A = $B",
        "function $F($$$) { $$$ }",
        "$A === $B",
    ),
    "go": ("$A($B)", "$A := $B", "$A.$F($$$)", "return $A", "if $A { $$$ }", "func $F($$$) { $$$ }"),
    "rust": ("$A($B)", "let $A = $B;", "$A.$F($$$)", "return $A", "if $A { $$$ }", "fn $F($$$) { $$$ }"),
    "java": ("$A($B)", "$A = $B", "$A.$F($$$)", "return $A;", "if ($A) { $$$ }", "int $A = $B;"),
}
"""Patterns that share names."""


class Make:
    """Random conditions for one file."""

    def __init__(self, rng: random.Random, language: str, source: bytes) -> None:
        columns = parse(source, language)
        grammar = load_named(language)
        self.rng = rng
        self.kinds = sorted({grammar.name(k) for k in columns.kind if grammar.is_named(k)} - {"ERROR"})
        self.fields = sorted({grammar.field_name(f) for f in columns.field if f})
        self.words = sorted({w for w in source.decode().split() if w.isalnum()})
        self.patterns = [p for p in PATTERNS[language] if p != "$A"]

    def atom(self) -> Condition:
        pick = self.rng.random()
        if pick < 0.4:
            return PatternAtom(self.rng.choice(self.patterns))
        if pick < 0.8:
            return KindAtom(tuple(self.rng.sample(self.kinds, self.rng.choice([1, 1, 2]))))
        if pick < 0.9:
            return RegexAtom(self.rng.choice(["^[a-z]", "[A-Z]", "\\(", "^.$", self.rng.choice(self.words)]))
        step, offset = self.rng.choice([(0, 1), (0, 2), (2, 1), (1, 2), (-1, 3)])
        of = self.condition(0) if self.rng.random() < 0.3 else None
        return NthChildAtom(step, offset, self.rng.random() < 0.3, of if isinstance(of, KindAtom) else None)

    def condition(self, depth: int) -> Condition:
        pick = self.rng.random()
        if depth == 0 or pick < 0.2:
            return self.atom()
        if pick < 0.65:
            return self.relation(depth)
        if pick < 0.75:
            return Not(self.condition(depth - 1))
        if pick < 0.8:
            return Matches("u")
        parts = tuple(self.condition(depth - 1) for _ in range(self.rng.choice([2, 2, 3])))
        return AnyOf(parts) if pick < 0.9 else All(parts)

    def relation(self, depth: int) -> Relation:
        name = self.rng.choice(["inside", "has", "follows", "precedes"])
        until: str | Condition = self.rng.choice(["neighbor", "end", "end"])
        if self.rng.random() < 0.3:
            until = self.condition(0 if self.rng.random() < 0.7 else depth - 1)
        field = None
        if name in ("inside", "has") and self.fields and self.rng.random() < 0.3:
            field = self.rng.choice(self.fields)
        inner = None if self.rng.random() < 0.03 else self.condition(depth - 1)
        return Relation(name, inner, until, field)

    def rule(self) -> Condition:
        parts = [self.atom(), *(self.condition(2) for _ in range(self.rng.choice([1, 1, 2, 3])))]
        self.rng.shuffle(parts)
        return All(tuple(parts))


def files(language: str) -> Sequence[Path]:
    return sorted(path for path in (CORPUS / language).iterdir() if path.is_file())


@pytest.mark.parametrize("language", sorted(PATTERNS))
@pytest.mark.parametrize("seed", range(2))
def test_random_conditions(language: str, seed: int) -> None:
    check(language, seed, 25)


def check(language: str, seed: int, number: int) -> int:
    """Compare so many random rules; how many found something."""
    rng = random.Random(f"{language} {seed}")
    path = rng.choice(files(language))
    source = path.read_bytes()[:6000]
    make = Make(rng, language, source)
    fruitful = 0
    rules, utilities = [], {}
    for at in range(number):
        utilities[at] = make.condition(1)
        if "Matches" in repr(utilities[at]):
            utilities[at] = make.atom()
        rules.append(Rule(f"r{at}", (language,), make.rule(), utilities={"u": Utility("u", utilities[at])}))
    made, _ = compile_rules(rules)
    quick = find(made, source, language)
    slow = find(made, source, language, prefilter=False)
    assert not slow.exhausted
    for at, rule in enumerate(rules):
        if rule.id not in made.rules:
            continue
        of_quick = [one for one in quick.findings if one.rule == rule.id]
        of_slow = [one for one in slow.findings if one.rule == rule.id]
        assert of_quick == of_slow, (path, rule.condition, utilities[at])
        wanted = Naive(source, language, {"u": utilities[at]}).spans(rule.condition)
        found = {(one.span.start, one.span.end) for one in of_slow}
        assert found == wanted, (path, rule.condition, utilities[at], found ^ wanted)
        fruitful += bool(found)
    return fruitful
