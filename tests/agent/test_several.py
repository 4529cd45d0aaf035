"""Several rewrites in one call: one change, each of the files as they are, conflicts refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Ask = Callable[..., dict[str, Any]]


def staged(ask: Ask, *pairs: tuple[str, str], **more: Any) -> dict[str, Any]:
    return ask("ast_edit", edits=[{"pattern": one, "rewrite": other} for one, other in pairs], **more)


def after(ask: Ask, root: Path, answer: dict[str, Any], path: str) -> str:
    assert ask("resolve", id=answer["id"], action="accept")["ok"]
    return (root / path).read_text()


def test_two_rewrites_are_one_change(ask: Ask, root: Path) -> None:
    before = (root / "src/tool.py").read_text()
    answer = staged(ask, ("print($X)", "log($X)"), ("def add($$$A): $$$B", "def plus($$$A): $$$B"))
    assert [(one["edit"], one["matches"]) for one in answer["edits"]] == [(1, 2), (2, 1)]
    assert (answer["sites_total"], answer["files_total"]) == (3, 1)
    text = after(ask, root, answer, "src/tool.py")
    assert text == before.replace("print(", "log(").replace("def add", "def plus")
    ask("undo", id=answer["id"])
    assert (root / "src/tool.py").read_text() == before


def test_names_can_change_places(ask: Ask, root: Path) -> None:
    (root / "swap.py").write_text("one(1)\ntwo(2)\n")
    answer = staged(ask, ("one($X)", "two($X)"), ("two($X)", "one($X)"), paths=["swap.py"])
    assert after(ask, root, answer, "swap.py") == "two(1)\none(2)\n"


def test_a_site_in_another_is_left_for_the_next_call(ask: Ask, root: Path) -> None:
    (root / "nested.py").write_text("outer(inner(1))\ninner(2)\n")
    pairs = (("inner($X)", "small($X)"), ("outer($X)", "big($X)"))
    answer = staged(ask, *pairs, paths=["nested.py"])
    assert answer["overlapping"] == 1
    assert after(ask, root, answer, "nested.py") == "big(inner(1))\nsmall(2)\n"
    again = staged(ask, *pairs, paths=["nested.py"])
    assert after(ask, root, again, "nested.py") == "big(small(1))\nsmall(2)\n"


def test_two_that_want_the_same_bytes_are_both_refused(ask: Ask, root: Path) -> None:
    (root / "same.py").write_text("f(1)\nf(2)\n")
    answer = staged(ask, ("f($X)", "g($X)"), ("f(1)", "h(1)"), paths=["same.py"])
    assert answer["refused_total"] == 2
    assert "conflicts with rewrite" in answer["refused"][0]["reason"]
    assert after(ask, root, answer, "same.py") == "f(1)\ng(2)\n"


def test_a_site_that_is_another_beside_the_first_rewrite_is_refused(ask: Ask, root: Path) -> None:
    (root / "body.py").write_text("def f():\n    one()\n    two()\n\n\nx = 1\n")
    answer = staged(ask, ("one()", ""), ("two()", ""), paths=["body.py"])
    assert answer["refused_total"] == 1
    assert "beside rewrite 1" in answer["refused"][0]["reason"]
    assert after(ask, root, answer, "body.py") == "def f():\n    two()\n\n\nx = 1\n"


def test_a_stale_change_of_several_is_computed_again(ask: Ask, root: Path) -> None:
    answer = staged(ask, ("print($X)", "log($X)"), ("return $X", "return ($X)"), where=["X=~/./"])
    path = root / "src/tool.py"
    path.write_text("print(0)\n" + path.read_text())
    assert ask("resolve", id=answer["id"], action="accept")["error"]["code"] == "stale"
    again = ask("rebase", id=answer["id"])
    assert (again["same"], again["added_total"]) == (answer["sites_total"], 1)
    assert ask("resolve", id=answer["id"], action="accept")["ok"]
    assert path.read_text().startswith("log(0)\n")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"pattern": "print($X)"},
        {"pattern": "a", "rewrite": "b", "edits": [{"pattern": "a", "rewrite": "b"}]},
        {"edits": []},
        {"edits": [{"pattern": "a"}]},
        {"edits": [{"pattern": "print($X)", "rewrite": "f($Y)"}]},
    ],
)
def test_wrong_calls_stage_nothing(ask: Ask, arguments: dict[str, Any]) -> None:
    answer = ask("ast_edit", **arguments)
    assert not answer["ok"]
    assert ask("status")["open_total"] == 0
