"""What callers write who know other tools: an error, or a remark, that says how it is written here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from structural.agent.catalogue import TOOLS
from structural.agent.slips import _ELSEWHERE, ARGUMENTS, in_pattern

Ask = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("ast_grep", {"query": "x"}, "query is called pattern"),
        ("ast_grep", {"pattern": "x", "lang": "js"}, "lang is called languages"),
        ("ast_grep", {"pattern": "x", "path": "src"}, "did you mean paths"),
        ("ast_grep", {"pattern": "x", "paths": "src"}, 'must be a list, as ["src"]'),
        ("ast_grep", {"pattern": "x", "context": "2"}, "whole number, as 2"),
        ("ast_grep", {"pattern": "x", "hidden": "true"}, "true or false, as true"),
        ("ast_scan", {"rule": {"id": "x"}}, "write the object as JSON in a string"),
        ("ast_scan", {"rule": "pattern: f($X)"}, "`language: python`"),
        ("ast_edit", {"pattern": "x", "replacement": "y"}, "replacement is called rewrite"),
        ("ast_edit", {"pattern": "x", "rewrite": "y", "commit": True}, "only stages"),
        ("edit", {"path": "src/tool.py", "old": "a", "new": "b"}, "go into edits"),
        (
            "edit",
            {"path": "x", "edits": [{"old_string": "a", "new_string": "b"}]},
            "old_string is called old",
        ),
        ("edit", {"path": "x", "edits": {"old": "a", "new": "b"}}, 'as [{"old": "a", "new": "b"}]'),
        ("write", {"path": "x", "text": "y"}, "text is called content"),
        ("read", {"file_path": "src/tool.py"}, "file_path is called path"),
        ("read", {"path": "src/tool.py", "offset": 1, "limit": 2}, "numbers of lines"),
        ("read", {"path": "src"}, "`outline`"),
        ("read", {"path": "tool.py"}, "relative to the root"),
        ("apply_patch", {"diff": "x"}, "diff is called patch"),
        ("ast_grep", {"pattern": "x", "paths": ["src/*.py"]}, "`globs`"),
        ("ast_grep", {"pattern": "x", "paths": ["src\\tool.py"]}, "parted by /"),
        ("ast_grep", {"pattern": "print(${X})", "languages": ["python"]}, "without braces"),
        ("ast_grep", {"pattern": "print($A...)", "languages": ["python"]}, "$$$NAME"),
        ("ast_grep", {"pattern": "print.*x", "languages": ["python"]}, "regular expressions"),
        ("ast_grep", {"pattern": "def $F"}, "its body"),
    ],
)
def test_an_error_says_how_it_is_written_here(
    ask: Ask, tool: str, arguments: dict[str, Any], said: str
) -> None:
    answer = ask(tool, **arguments)
    assert not answer["ok"]
    error = answer["error"]
    assert error["hint"]
    assert said in f"{error['message']} {error['hint']}"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [("print(...)", "$$$"), ("print($x)", "upper case"), ("TODO", "as text"), ("f($X) | g($X)", "`any`")],
)
def test_a_pattern_that_finds_nothing_says_what_it_may_be(ask: Ask, pattern: str, said: str) -> None:
    answer = ask("ast_grep", pattern=pattern)
    assert answer["matches"] == 0
    assert said in " ".join(answer["remarks"])


def test_what_finds_something_is_no_slip(ask: Ask, root: Path) -> None:
    (root / "src/dots.py").write_text("def f(x): ...\nTODO\n")
    for pattern in ("...", "TODO"):
        answer = ask("ast_grep", pattern=pattern)
        assert answer["matches"]
        assert "remarks" not in answer


@pytest.mark.parametrize("pattern", ["f($X, $$$R)", 're.compile(".*")', "f(...rest)", "$_ + 1", "a?.b", ""])
def test_a_good_pattern_is_no_slip(pattern: str) -> None:
    assert in_pattern(pattern) == []


def test_nothing_staged_leads_to_a_search(ask: Ask) -> None:
    answer = ask("ast_edit", pattern="no_such($X)", rewrite="other($X)", paths=["src"])
    step = answer["next"][0]
    assert step["arguments"] == {"pattern": "no_such($X)", "paths": ["src"]}
    assert ask(step["tool"], **step["arguments"])["matches"] == 0


def test_what_is_said_names_arguments_that_there_are() -> None:
    known = {name for tool in TOOLS for name in tool.takes["properties"]} | {"old", "new", "match"}
    assert {one for names in ARGUMENTS.values() for one in names} <= known
    assert {needed for needed, _ in _ELSEWHERE.values()} <= known
