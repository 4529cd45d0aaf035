"""Expressions of others are read as ever, and stop in time."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path

import pytest

from structural import PatternSpec, Selection, search_paths
from structural.errors import UnsearchableError
from structural.search.globs import Globs
from structural.text.regexes import Bounded

SLOW = r"(a|aa)+$"


def test_what_takes_too_long_is_told_and_not_tried_again() -> None:
    slow = Bounded(SLOW)
    assert slow.finds("aaaa")
    began = time.monotonic()
    for _ in range(50):
        with pytest.raises(UnsearchableError, match="takes too long"):
            slow.finds("a" * 60 + "!")
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("body", ["(", "[a", "a{2,1}", "(?P<x>a)(?P<x", "*"])
def test_what_is_no_expression_is_told(body: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        Bounded(body)


@pytest.mark.parametrize(
    ("body", "flags"),
    [("^a.c$", 0), ("A", re.IGNORECASE), ("a.b", re.DOTALL), (r"\bx\b", 0), ("^b", re.MULTILINE)],
)
def test_the_language_is_that_of_the_standard_library(body: str, flags: int) -> None:
    for text in ("abc", "a\nb", "x y", "", "xa", "aXc"):
        assert Bounded(body, flags).finds(text) == (re.search(body, text, flags) is not None)


def test_a_file_that_a_constraint_takes_too_long_for_is_no_file_without_matches(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"f('{'a' * 60}!')\n")
    results = search_paths(PatternSpec("f($X)", where=(f"X=~/{SLOW}/",)), Selection((str(tmp_path),)))
    list(results)
    assert results.summary.skipped == {"unsearchable": 1}
    assert results.summary.incomplete


@pytest.mark.parametrize("glob", ["*a" * 20 + "b", "{a,a}" * 30 + "b", "**/" * 40 + "x*y*z*b"])
def test_no_glob_takes_long(glob: str) -> None:
    compiled = Globs.compile([glob])
    began = time.monotonic()
    with contextlib.suppress(UnsearchableError):
        assert not compiled.admits("a" * 200 + "/" + "a" * 60 + "c")
    assert time.monotonic() - began < 20
