"""The shipped rules: every file is right, says why, and holds what its examples show."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from structural.rules.compile import compile_rules
from structural.rules.examples import check
from structural.rules.reading import read_rules
from structural.rules.values import Rule

PATTERNS = Path(__file__).resolve().parents[2] / "patterns"
FILES = sorted(PATTERNS.rglob("*.yml"))
TAGS = {
    "correctness", "security", "performance", "modernise", "style", "accessibility", "noisy",
    "test", "async", "network", "logging",
    "react", "node", "jquery", "django", "numpy", "rails",
}  # fmt: skip
SCRIPT = ("javascript", "typescript", "tsx")


def only_rule(path: Path) -> Rule:
    read = read_rules(path.read_bytes(), str(path.relative_to(PATTERNS)))
    assert not read.problems, [f"{one} {one.hint}" for one in read.problems]
    (rule,) = read.rules
    return rule


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_rule(path: Path) -> None:
    rule = only_rule(path)
    assert rule.id == path.stem
    assert rule.message
    assert rule.note
    assert re.fullmatch(r"https://\S+", rule.url)
    assert rule.tags
    assert set(rule.tags) <= TAGS
    matching = [one for one in rule.examples if one.count != 0]
    assert len(matching) >= 2
    assert len(rule.examples) - len(matching) >= 2
    rules, problems = compile_rules([rule])
    assert not problems, [str(one) for one in problems]
    wrong = [f"{one.message}: {one.example.code}" for one in check(rule, rules) if one.fault]
    assert not wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_holds_in_each_of_its_languages(path: Path) -> None:
    rule = only_rule(path)
    if not set(rule.languages) <= set(SCRIPT):
        return
    rules, _ = compile_rules([rule])
    for language in rule.languages[1:]:
        there = [replace(one, language=language) for one in rule.examples if one.language is None]
        wrong = [
            f"{one.message}: {one.example.code}"
            for one in check(rule, rules, there)
            if one.fault and not one.syntax_errors  # what has JSX is no TypeScript
        ]
        assert not wrong


def test_ids_are_unique() -> None:
    twice = [name for name, number in Counter(path.stem for path in FILES).items() if number > 1]
    assert not twice


def test_rules_go_together() -> None:
    rules = [only_rule(path) for path in FILES]
    _, problems = compile_rules(rules)
    assert not problems


def test_rules_that_nobody_judged_have_more_examples() -> None:
    """Without findings in real code, what a rule leaves alone is known by its examples only."""
    judged = Path(__file__).resolve().parents[2] / "bench" / "catalogue" / "judged.csv"
    with judged.open(encoding="utf-8") as file:
        seen = {row["rule"] for row in csv.DictReader(file) if int(row["judged"])}
    rules = [only_rule(path) for path in FILES if path.stem not in seen]
    assert [rule.id for rule in rules if sum(one.count == 0 for one in rule.examples) < 3] == []


def test_rules_that_are_often_wrong_say_so() -> None:
    """What people judged, and found wrong more than once in ten, has the tag."""
    judged = Path(__file__).resolve().parents[2] / "bench" / "catalogue" / "judged.csv"
    with judged.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["rule"] for row in rows} <= {path.stem for path in FILES}
    tags = {path.stem: only_rule(path).tags for path in FILES}
    wrong = [
        row["rule"]
        for row in rows
        if int(row["judged"]) >= 5 and 10 * int(row["true"]) < 9 * int(row["judged"])
    ]
    assert [name for name in wrong if "noisy" not in tags[name]] == []
