"""Texts that a grammar cannot take are said to be unsearchable, and the others are searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from structural.errors import UnsearchableError
from structural.search.scan import search_paths
from structural.search.values import PatternSpec, Searched, Selection, Skipped
from structural.syntax import parse as parsing


def test_a_file_that_would_crash_its_grammar_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "deep.yaml").write_bytes(b"- " * 600 + b"key: x\n")
    (tmp_path / "flat.yaml").write_bytes(b"key: x\n")
    results = search_paths(PatternSpec("key: $X", ("yaml",)), Selection((str(tmp_path),)))
    deep, flat = list(results)
    assert isinstance(deep, Skipped)
    assert deep.reason == "unsearchable"
    assert isinstance(flat, Searched)
    assert len(flat.matches) == 1
    assert results.summary.skipped == {"unsearchable": 1}
    assert results.summary.incomplete


@pytest.mark.parametrize("levels", [1, 20, 60])
def test_depth_that_people_write_is_searched(levels: int) -> None:
    text = b"".join(b"  " * level + b"a:\n" for level in range(levels)) + b"  " * levels + b"b: 1\n"
    assert len(parsing.parse(text, "yaml")) > levels


def test_a_parse_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"x = [" + b"f(1), " * 200_000 + b"]\n"
    monkeypatch.setattr(parsing, "_SECONDS", 0.0)
    monkeypatch.setattr(parsing, "_SECONDS_A_MEGABYTE", 0.0)
    with pytest.raises(UnsearchableError, match="takes more than"):
        parsing.parse(text, "python")
    monkeypatch.undo()
    # The parser is as good as new.
    assert len(parsing.parse(b"f(1)\n", "python")) == 8
    assert parsing.parse(b"x = 1\n" * 20_000, "python").errors == 0


def test_a_page_of_broken_code_that_a_grammar_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_SECONDS", 0.2)
    text = """é{0{}
0
$
      expect(1)
        val result = select<String> {
            onTimeout(1000) {
                expectUnreached()
                "FAIL"
            }
            onTimeout(-10) {
                expect(2)
                "OK"
            }
        }
        assertEquals("OK", result)
        finish(3)
    }

    @Test
    fun testUnbiasedNegativeTimeout() = run""".encode()
    parsed = 0

    def counted(*arguments: Any) -> Any:
        nonlocal parsed
        parsed += 1
        return read_in_time(*arguments)

    read_in_time = parsing.read_in_time
    monkeypatch.setattr(parsing, "read_in_time", counted)
    for _ in range(3):
        with pytest.raises(UnsearchableError, match="takes more than"):
            parsing.parse(text, "kotlin")
    assert parsed == 1  # it is known then


def test_a_parse_that_takes_too_much_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"y = [" + b"f(1), " * 200_000 + b"]\n"
    taken = iter((10_000_000, 20_000_000, 1_000_000_000))
    monkeypatch.setattr(parsing, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(parsing, "_memory", lambda: next(taken))
    with pytest.raises(UnsearchableError, match=r"takes more than 0\.6 GB of memory"):
        parsing.parse(text, "python")


def test_marks_of_markdown_that_take_gigabytes_are_not_parsed() -> None:
    with pytest.raises(UnsearchableError, match="markdown_inline"):
        parsing.parse(b"*" * 20_000 + b"x", "markdown_inline")
