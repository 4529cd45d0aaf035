"""``ast_grep`` and ``ast_explain``: true counts, whole pages, what was and was not searched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from structural.agent import Toolbox, searching
from tests.memory_checks import settle

from .conftest import checked

Ask = Callable[..., dict[str, Any]]

GUARD = "if ($X != null) $X.dispose()"


def test_the_counts_come_first_and_the_matches_follow(ask: Ask) -> None:
    answer = ask("ast_grep", pattern=GUARD, bindings=True)
    assert (answer["matches"], answer["matched_files"]) == (2, 1)
    (found,) = answer["results"]
    assert found["path"] == "src/app.js"
    assert [(one["line"], one["bindings"]["X"]) for one in found["matches"]] == [(1, "dialog"), (2, "menu")]
    assert found["matches"][1]["end_line"] == 4
    assert answer["scope"]["complete"]
    assert {one["language"]: one["rung"] for one in answer["readings"]}["javascript"] == "statement"


def test_what_was_not_searched_is_told(ask: Ask, root: Path) -> None:
    (root / "src/latin.js").write_bytes(b"if (x != null) x.dispose(); // \xe9\n")
    answer = ask("ast_grep", pattern=GUARD)
    assert not answer["scope"]["complete"]
    assert answer["scope"]["skipped"] == {"encoding": 1}
    assert answer["scope"]["skipped_paths"][0]["path"] == "src/latin.js"
    assert answer["scope"]["ignored"] == 1
    assert "could not be searched" in answer["summary"]


def test_an_ignored_folder_is_searched_only_if_asked_for(ask: Ask) -> None:
    assert ask("ast_grep", pattern=GUARD, no_ignore=True)["matches"] == 3
    assert ask("ast_grep", pattern=GUARD, paths=["build/out.js"])["matches"] == 1


def test_no_match_says_where_the_nearest_place_parts(ask: Ask) -> None:
    answer = ask("ast_grep", pattern="if ($X != null) $X.close()")
    assert answer["ok"]
    assert answer["matches"] == 0
    assert answer["near_misses"][0]["path"] == "src/app.js"
    assert answer["next"][0]["tool"] == "ast_explain"


def test_a_pattern_that_is_no_code_is_an_error_with_the_rungs(ask: Ask) -> None:
    answer = ask("ast_grep", pattern="foo(", languages=["python"])
    assert answer["error"]["code"] == "pattern"
    assert answer["error"]["rungs"][0]["language"] == "python"
    assert "--" not in answer["error"]["hint"]


def test_constraints_and_relations(ask: Ask) -> None:
    assert ask("ast_grep", pattern="print($X)", where=["X=~/3/"])["matches"] == 1
    assert ask("ast_grep", pattern="$A + $B", inside=["def add($$$): $$$"])["matches"] == 1
    assert ask("ast_grep", pattern="$A + $B", not_inside=["def add($$$): $$$"])["matches"] == 0


def test_files_and_counts_alone(ask: Ask) -> None:
    files = ask("ast_grep", pattern="print($X)", show="files")
    assert files["results"] == [{"path": "src/tool.py", "language": "python", "count": 2}]
    assert ask("ast_grep", pattern="print($X)", show="count")["results"] == []


def test_lines_around_a_match(ask: Ask) -> None:
    answer = ask("ast_grep", pattern="return $X", context=1)
    (match,) = answer["results"][0]["matches"]
    assert match["before"] == ["def add(a, b):"]
    assert match["after"] == [""]


@pytest.mark.parametrize("budget", [1_000, 1_500, 4_000])
def test_the_pages_hold_every_match_once(tmp_path: Path, budget: int) -> None:
    for number in range(12):
        lines = [f"call({number}, {at}, '{'x' * (at * 7 % 300)}');" for at in range(60)]
        (tmp_path / f"f{number:02}.js").write_text("\n".join(lines))
    box = Toolbox(str(tmp_path), jobs=1)
    arguments: dict[str, Any] = {"pattern": "call($$$A)", "budget": budget}
    seen: list[tuple[str, int]] = []
    pages = 0
    while True:
        answer = checked(box, "ast_grep", **arguments)
        assert answer["matches"] == 720
        seen += [(file["path"], one["line"]) for file in answer["results"] for one in file["matches"]]
        pages += 1
        if "cut" not in answer:
            break
        assert answer["cut"]["left"] == 720 - len(seen)
        arguments["cursor"] = answer["cut"]["cursor"]
    assert pages > 1
    assert seen == [(f"f{number:02}.js", at + 1) for number in range(12) for at in range(60)]


def test_one_match_of_a_huge_line_fits_any_budget(tmp_path: Path) -> None:
    (tmp_path / "long.js").write_text("call('" + "é\t" * 100_000 + "');")
    box = Toolbox(str(tmp_path), jobs=1)
    answer = checked(box, "ast_grep", pattern="call($A)", budget=1_000, text_limit=10_000)
    assert answer["matches"] == 1
    assert "more characters" in answer["results"][0]["matches"][0]["text"]


def test_a_cursor_belongs_to_its_call_and_its_files(ask: Ask, root: Path) -> None:
    (root / "many.js").write_text("call(1);\n" * 200)
    first = ask("ast_grep", pattern="call($A)", budget=1_000)
    cursor = first["cut"]["cursor"]
    other = ask("ast_grep", pattern="call(1)", budget=1_000, cursor=cursor)
    assert other["error"]["code"] == "cursor"
    assert ask("ast_grep", pattern="call($A)", cursor="x")["error"]["code"] == "cursor"
    (root / "many.js").write_text("\n" + "call(1);\n" * 200)
    moved = ask("ast_grep", pattern="call($A)", budget=1_000, cursor=cursor)
    assert moved["error"]["code"] == "cursor"
    assert "changed" in moved["error"]["message"]


def test_a_file_that_changes_between_two_calls_is_seen(ask: Ask, root: Path) -> None:
    assert ask("ast_grep", pattern="print($X)")["matches"] == 2
    (root / "src/tool.py").write_text("print(1)\n")
    assert ask("ast_grep", pattern="print($X)")["matches"] == 1
    (root / "src/new.py").write_text("print(2)\n")
    assert ask("ast_grep", pattern="print($X)")["matches"] == 2
    (root / "src/tool.py").unlink()
    assert ask("ast_grep", pattern="print($X)")["matches"] == 1


def test_the_same_call_gives_the_same_bytes(root: Path) -> None:
    one = Toolbox(str(root), jobs=1).call("ast_grep", {"pattern": "print($X)"})
    two = Toolbox(str(root), jobs=2).call("ast_grep", {"pattern": "print($X)"})
    assert one == two


def test_explain_says_how_a_pattern_is_read(ask: Ask) -> None:
    answer = ask("ast_explain", pattern="print($X)", languages=["python"])
    (language,) = answer["languages"]
    assert language["code"]
    assert language["readings"][0]["rung"] == "statement"
    assert "$X" in " ".join(language["tree"])


def test_explain_says_why_a_line_does_not_match(ask: Ask) -> None:
    answer = ask("ast_explain", pattern=GUARD, path="src/other.js", line=1)
    place = answer["place"]
    assert not place["matches"]
    assert place["parts"][0]["found"]
    assert ask("ast_explain", pattern=GUARD, path="src/app.js", line=1)["place"]["matches"]


def test_explain_of_what_is_no_code(ask: Ask) -> None:
    answer = ask("ast_explain", pattern="foo(", languages=["python", "go"])
    assert answer["summary"].startswith("no code")
    assert all(not one["code"] for one in answer["languages"])
    assert answer["languages"][0]["rungs"][0]["reason"]


@pytest.mark.parametrize(("rows", "searches"), [(30_000_000, 2), (2_000, 7)])
def test_who_pages_beyond_the_first_window_searches_few_times(
    rows: int, searches: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        (tmp_path / f"f{number}.py").write_text("".join(f"f({at})\n" for at in range(50)))
    settle()
    monkeypatch.setattr(searching, "WINDOW", 20)
    monkeypatch.setattr(searching, "ROWS", rows)
    made: list[int] = []
    collect = searching._collect

    def counted(*arguments: Any) -> Any:
        made.append(arguments[3])
        return collect(*arguments)

    monkeypatch.setattr(searching, "_collect", counted)
    box = Toolbox(str(tmp_path), jobs=1)
    asked: dict[str, Any] = {"pattern": "f($X)", "budget": 1_000, "bindings": True}
    found: list[tuple[str, int]] = []
    while asked:
        page = checked(box, "ast_grep", **asked)
        found += [(one["path"], row["line"]) for one in page["results"] for row in one["matches"]]
        asked = page["next"][0]["arguments"] if page.get("cut") else {}
    assert found == [(f"f{number}.py", line) for number in range(4) for line in range(1, 51)]
    assert len(made) == searches


@pytest.mark.parametrize(
    ("tool", "arguments", "list_of"),
    [
        ("ast_grep", {"pattern": "call_of_some_length($X)"}, "matches"),
        (
            "ast_scan",
            {"rule": "id: r\nlanguage: python\nmessage: m\nrule: {pattern: call_of_some_length($X)}\n"},
            "findings",
        ),
    ],
)
def test_what_does_not_fit_is_a_sample_and_its_pages_are_whole(
    tool: str, arguments: dict[str, Any], list_of: str, tmp_path: Path
) -> None:
    (tmp_path / "few.py").write_text("call_of_some_length(0)\n" * 60)
    (tmp_path / "many.py").write_text("call_of_some_length(1)\n" * 400)
    box = Toolbox(str(tmp_path), jobs=1)

    def size(**more: Any) -> tuple[int, dict[str, Any]]:
        answer = checked(box, tool, **arguments, **more)
        return len(json.dumps(answer, separators=(",", ":"))), answer

    whole, answer = size(paths=["few.py"])
    assert whole > 3_000
    assert "cut" not in answer
    sample, answer = size()
    assert 2_500 < sample <= 3_000
    page, _ = size(cursor=answer["cut"]["cursor"])
    asked, _ = size(budget=8_000)
    assert min(page, asked) > 7_000
    lines: list[int] = []
    while True:
        lines += [row["line"] for one in answer["results"] for row in one[list_of]]
        if not answer.get("cut"):
            break
        answer = size(cursor=answer["cut"]["cursor"])[1]
    assert lines == [*range(1, 61), *range(1, 401)]
