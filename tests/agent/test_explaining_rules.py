"""``ast_explain`` for rules: how each pattern is read, and which parts do not hold on a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Ask = Callable[..., dict[str, Any]]

CODE = """\
def one(items):
    for item in items:
        send(item, 1)
    send(items, 2)
    with lock:
        send(items, items)
    close(items)
"""

LOOP = """\
id: sent-in-a-loop
language: python
message: $X is sent
rule:
  pattern: send($X, $Y)
  inside: {kind: for_statement, stop-by: end}
  not:
    pattern: send($Z, 2)
"""


@pytest.fixture
def at(ask: Ask, root: Path) -> Callable[[int, str], dict[str, Any]]:
    (root / "src/send.py").write_text(CODE)

    def explained(line: int, rule: str) -> dict[str, Any]:
        answer = ask("ast_explain", rule=rule, path="src/send.py", line=line)
        assert answer["ok"], answer
        found: dict[str, Any] = answer["rules"][0]["place"]
        scanned = ask("ast_scan", rule=rule, paths=["src/send.py"])
        lines = {row["line"] for one in scanned["results"] for row in one["findings"]}
        assert found["matches"] == (line in lines)
        return found

    return explained


def parts(place: dict[str, Any]) -> dict[str, bool]:
    (candidate,) = place["candidates"]
    return {one["what"].partition(":")[0]: one["holds"] for one in candidate["parts"]}


def test_how_a_rule_is_read(ask: Ask) -> None:
    answer = ask("ast_explain", rule=LOOP)
    (rule,) = answer["rules"]
    assert (rule["rule"], rule["languages"], rule["one_of"]) == ("sent-in-a-loop", ["python"], False)
    assert [(one["what"], one["line"]) for one in rule["parts"]] == [
        ("pattern: send($X, $Y)", 5),
        ("inside: kind: for_statement", 6),
        ("not: pattern: send($Z, 2)", 8),
    ]
    assert {one["pattern"]: one["rung"] for one in rule["readings"]} == {
        "send($X, $Y)": "statement",
        "send($Z, 2)": "statement",
    }
    assert "$X" in " ".join(rule["readings"][0]["tree"])


def test_where_it_holds(at: Callable[[int, str], dict[str, Any]]) -> None:
    place = at(3, LOOP)
    assert place["found"][0]["bindings"]["X"] == "item"


def test_the_parts_that_do_not_hold(at: Callable[[int, str], dict[str, Any]]) -> None:
    place = at(4, LOOP)
    assert parts(place) == {"pattern": True, "inside": False, "not": False}
    assert "inside: kind: for_statement" in place["why"]
    assert parts(at(6, LOOP)) == {"pattern": True, "inside": False, "not": True}


def test_where_no_part_holds_the_closest_pattern_is_told(at: Callable[[int, str], dict[str, Any]]) -> None:
    place = at(7, LOOP)
    assert "candidates" not in place
    assert place["parts"][0]["found"] == "identifier 'close'"
    either = "id: e\nlanguage: python\nrule: {any: [{pattern: open($X)}, {pattern: 'close($X, 1)'}]}\n"
    assert at(7, either)["parts"][0]["agreed"] > 1


def test_bindings_that_do_not_agree(at: Callable[[int, str], dict[str, Any]]) -> None:
    rule = "id: a\nlanguage: python\nrule: {all: [{pattern: 'send($X, $Y)'}, {pattern: 'send($Y, $X)'}]}\n"
    assert at(6, rule)["matches"]
    assert "same code for a metavariable" in at(4, rule)["why"]


def test_what_is_asked_of_a_metavariable(at: Callable[[int, str], dict[str, Any]]) -> None:
    rule = (
        "id: c\nlanguage: python\nrule: {pattern: 'send($X, $Y)'}\n"
        "constraints: {X: {regex: '^item$'}, Y: {kind: integer}}\n"
    )
    assert at(3, rule)["matches"]
    assert at(4, rule)["why"].endswith("$X")


def test_another_language_and_a_rule_with_a_mistake(ask: Ask) -> None:
    place = ask("ast_explain", rule=LOOP, path="src/app.js", line=1)["rules"][0]["place"]
    assert place["why"] == "the rule is for python, and this file is javascript"
    answer = ask(
        "ast_explain", rule="id: x\nlanguage: python\nrule: {pattern: 'f('}\n", path="src/tool.py", line=1
    )
    problems = answer["rules"][0]["problems"] if answer["ok"] else answer["error"]["problems"]
    assert problems[0]["line"] == 3


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"ids": ["x"]},
        {"rule": LOOP, "pattern": "f($X)"},
        {"rule": LOOP, "line": 3},
        {"rule": LOOP, "path": "src/tool.py", "line": 99},
        {"rules": ["catalogue"]},
        {"rules": ["../x"]},
    ],
)
def test_what_cannot_be_explained(ask: Ask, arguments: dict[str, Any]) -> None:
    answer = ask("ast_explain", **arguments)
    assert not answer["ok"]
    assert answer["error"]["hint"] or answer["error"]["message"]


def test_every_rule_of_the_catalogue_for_python_is_explained(ask: Ask) -> None:
    known = ask("ast_scan", rules=["catalogue/python"], paths=["src/tool.py"])["rules"]
    listed = ask("ast_explain", rules=["catalogue/python"])
    assert not listed["ok"]
    assert str(known) in listed["error"]["message"]
