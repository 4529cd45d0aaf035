"""Shipped rules that look for the same code twice, in tables and chains that nobody wrote, give none up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.reading import read_rules

PATTERNS = Path(__file__).resolve().parents[2] / "patterns"


def table(pair: str, head: str, end: str) -> Callable[[int], str]:
    return lambda number: head + ", ".join(pair.format(n=n) for n in range(number)) + end


def chain(first: str, other: str, end: str = "") -> Callable[[int], str]:
    return lambda number: first + "".join(other.format(n=n) for n in range(1, number)) + end


CASES: dict[str, tuple[str, int, Callable[[int], str]]] = {
    "js-duplicate-key": ("javascript", 5_000, table("k{n}: {n}", "x = {", ", k7: 0}")),
    "php-duplicate-key": ("php", 3_000, table('"k{n}" => {n}', "<?php $x = [", ', "k7" => 0];')),
    "ruby-duplicate-key": ("ruby", 3_000, table("k{n}: {n}", "x = {", ", k7: 0}")),
    "python-duplicate-key": ("python", 3_000, table('"k{n}": {n}', "x = {", ', "k7": 0}')),
    "js-duplicate-condition": (
        "javascript",
        300,
        chain("if (x == 0) f();\n", "else if (x == {n}) f();\n", "else if (x == 7) g();\n"),
    ),
    "python-duplicate-condition": (
        "python",
        1_000,
        chain("if x == 0:\n    f()\n", "elif x == {n}:\n    f()\n", "elif x == 7:\n    g()\n"),
    ),
    "php-duplicate-condition": (
        "php",
        1_000,
        chain(
            "<?php if ($x == 0) { f(); }\n", "elseif ($x == {n}) {{ f(); }}\n", "elseif ($x == 7) { g(); }\n"
        ),
    ),
    "ruby-duplicate-condition": (
        "ruby",
        300,
        chain("if x == 0\n  f\n", "elsif x == {n}\n  f\n", "elsif x == 7\n  g\nend\n"),
    ),
    "js-duplicate-case": (
        "javascript",
        2_000,
        chain("switch (x) {\n", "case {n}: f(); break\n", "case 7: g()\n}\n"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_one_that_stands_twice_is_found_among_thousands(name: str) -> None:
    language, number, text = CASES[name]
    (path,) = PATTERNS.rglob(f"{name}.yml")
    rules, problems = compile_rules(read_rules(path.read_bytes(), path.name).rules)
    assert not problems
    found = find(rules, text(number).encode(), language)
    assert not found.exhausted
    assert len(found.findings) == 1
