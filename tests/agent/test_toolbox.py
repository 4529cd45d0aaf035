"""Calls that are wrong or hostile: an error with a hint, and nothing outside of the root is reached."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from structural.agent import Call, Toolbox
from structural.agent.catalogue import TOOLS
from structural.agent.export import FORMATS, exported
from structural.errors import UsageError

from .conftest import checked, snapshot

Ask = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    "path", ["../x", "/etc/passwd", "src/../../x", "link/secret", "out", ".git/config", "a\0b", "a\ud800"]
)
@pytest.mark.parametrize("tool", ["read", "ast_grep"])
def test_nothing_outside_of_the_root_is_reached(box: Toolbox, root: Path, path: str, tool: str) -> None:
    (root.parent / "secret").write_text("token")
    os.symlink(root.parent, root / "link")
    os.symlink(root.parent / "secret", root / "out")
    arguments = {"path": path} if tool == "read" else {"pattern": "$X", "paths": [path], "languages": ["js"]}
    answer = checked(box, tool, **arguments)
    assert answer["error"]["code"] == "confined"


def test_links_out_of_the_root_are_not_followed_by_a_search(ask: Ask, root: Path) -> None:
    (root.parent / "outer.py").write_text("print(9)\n")
    os.symlink(root.parent / "outer.py", root / "outer.py")
    assert ask("ast_grep", pattern="print($X)")["matches"] == 2


def test_an_absolute_path_inside_of_the_root_is_fine(ask: Ask, root: Path) -> None:
    assert ask("read", path=str(root / "src/tool.py"))["path"] == "src/tool.py"
    assert ask("ast_grep", pattern="print($X)", paths=[str(root / "src")])["matches"] == 2


@pytest.mark.parametrize(
    ("tool", "arguments", "part"),
    [
        ("ast_grep", {}, "needs pattern"),
        ("ast_grep", {"pattern": 3}, "pattern must be a text"),
        ("ast_grep", {"pattern": "x", "patern": "y"}, "did you mean pattern?"),
        ("ast_grep", {"pattern": "x", "budget": 10}, "budget must be at least 1000"),
        ("ast_grep", {"pattern": "x", "strictness": "odd"}, "must be one of exact, smart, loose"),
        ("ast_grep", {"pattern": "x" * 30_000}, "at most 20000 characters"),
        ("ast_grep", {"pattern": "x", "paths": "src"}, 'paths must be a list, as ["src"]'),
        ("ast_grep", [], "the arguments must be an object"),
        ("resolve", {"id": "x"}, "needs action"),
        ("nothing", {}, "there is no tool 'nothing'"),
        ("ast_grp", {}, "there is no tool"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(box: Toolbox, tool: str, arguments: Any, part: str) -> None:
    answer = box.call(tool, arguments)
    assert not answer["ok"]
    assert part in answer["error"]["message"]
    assert answer["error"]["hint"]


def test_unknown_names_come_with_a_hint(ask: Ask) -> None:
    assert ask("ast_grep", pattern="x", languages=["pyton"])["error"]["code"] == "language"
    assert ask("ast_grep", pattern="f($X)", where=["Y=~/x/"])["error"]["code"] == "constraint"
    assert ask("ast_grep", pattern="f($X)", paths=["nowhere"])["error"]["code"] == "usage"


def test_a_read_only_box_offers_nothing_that_changes(root: Path) -> None:
    box = Toolbox(str(root), read_only=True)
    assert not any(tool.changes for tool in box.tools.values())
    answer = box.call("ast_edit", {"pattern": "a", "rewrite": "b"})
    assert answer["error"]["code"] == "unknown-tool"
    assert "only reads" in answer["error"]["message"]


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Toolbox(str(tmp_path / "nowhere"))


def test_a_cancelled_call_ends_and_changes_nothing(box: Toolbox, root: Path) -> None:
    before = snapshot(root)
    answer = box.call(
        "ast_edit", {"pattern": "print($X)", "rewrite": "log($X)"}, Call(cancelled=lambda: True)
    )
    assert answer["error"]["code"] == "cancelled"
    assert snapshot(root) == before
    assert box.call("status")["open_total"] == 0


def test_progress_counts_files(box: Toolbox) -> None:
    told: list[tuple[int, int]] = []
    box.call(
        "ast_grep", {"pattern": "print($X)"}, Call(progress=lambda done, total: told.append((done, total)))
    )
    assert told[-1][0] >= 1
    assert told[-1][1] >= told[-1][0]


def test_a_fault_of_ours_is_told_as_one(box: Toolbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(box._bench, "selection", fail)
    answer = box.call("ast_grep", {"pattern": "print($X)"})
    assert answer["error"]["code"] == "internal"
    assert "ZeroDivisionError" in answer["error"]["message"]


def test_reading_gives_numbered_lines_and_the_digest(ask: Ask, root: Path) -> None:
    import hashlib

    answer = ask("read", path="src/tool.py", first=5, last=6)
    assert answer["text"] == "5\tprint(add(1, 2))\n6\tprint(add(3, 4))"
    assert answer["digest"] == hashlib.sha256((root / "src/tool.py").read_bytes()).hexdigest()[:16]
    assert answer["lines"] == 6


def test_a_long_file_is_read_in_pages(ask: Ask, root: Path) -> None:
    (root / "long.txt").write_text("".join(f"line {at} {'y' * (at % 90)}\n" for at in range(1, 501)))
    text, arguments = "", {"path": "long.txt"}
    while True:
        answer = ask("read", budget=1_500, **arguments)
        text += answer["text"] + "\n"
        if "next" not in answer:
            break
        arguments = answer["next"][0]["arguments"]
    assert [row.split("\t")[1] for row in text.splitlines()] == (root / "long.txt").read_text().splitlines()


@pytest.mark.parametrize("content", [b"", b"\n", b"x", b"a\r\nb\r\n", "é\n".encode(), b"\xef\xbb\xbfx\n"])
def test_any_text_is_read(ask: Ask, root: Path, content: bytes) -> None:
    (root / "odd.txt").write_bytes(content)
    answer = ask("read", path="odd.txt")
    assert answer["bytes"] == len(content)
    assert answer["ends_with_newline"] == (content.endswith(b"\n") or not content)


@pytest.mark.parametrize("content", [b"\0\1\2", b"\xff\xfe\0", b"caf\xe9\n"])
def test_what_is_no_text_is_refused(ask: Ask, root: Path, content: bytes) -> None:
    (root / "odd.bin").write_bytes(content)
    assert "cannot be read" in ask("read", path="odd.bin")["error"]["message"]


def test_every_tool_is_told_to_a_model(box: Toolbox) -> None:
    for tool in TOOLS:
        assert "Use it" in tool.description, tool.name
        assert "Do not use it" in tool.description, tool.name
        assert "Example:" in tool.description, tool.name
        assert len(tool.description) < 1_400, tool.name


@pytest.mark.parametrize("style", FORMATS)
def test_the_schemas_are_exported(style: str) -> None:
    import json

    made = exported(TOOLS, style)
    assert len(made) == len(TOOLS)
    json.dumps(made)


def test_every_example_of_a_description_fits_its_schema(box: Toolbox) -> None:
    import json

    import jsonschema

    for tool in TOOLS:
        example = tool.description.split("Example: ")[1]
        arguments, _ = json.JSONDecoder().raw_decode(example)
        jsonschema.validate(arguments, tool.takes)
