"""``edit``, ``write`` and ``apply_patch``: exact or not at all, and never over what was not seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import snapshot

Ask = Callable[..., dict[str, Any]]


def test_an_edit_is_staged_or_written_at_once(ask: Ask, root: Path) -> None:
    before = snapshot(root)
    edits = [{"old": "print(add(1, 2))", "new": "log(add(1, 2))"}]
    staged = ask("edit", path="src/tool.py", edits=edits)
    assert staged["id"]
    assert "committed" not in staged
    assert snapshot(root) == before
    done = ask("edit", path="src/tool.py", edits=edits, commit=True)
    assert done["committed"]
    assert "log(add(1, 2))\nprint(add(3, 4))" in (root / "src/tool.py").read_text()
    assert done["digests"]["src/tool.py"] == ask("read", path="src/tool.py")["digest"]
    ask("undo", id=done["id"])
    assert snapshot(root) == before


def test_a_digest_of_an_older_file_is_refused(ask: Ask, root: Path) -> None:
    digest = ask("read", path="src/tool.py")["digest"]
    edits = [{"old": "add(1, 2)", "new": "add(5, 6)"}]
    (root / "src/tool.py").write_text("# mine\n" + (root / "src/tool.py").read_text())
    now = snapshot(root)
    refused = ask("edit", path="src/tool.py", digest=digest, edits=edits, commit=True)
    assert refused["error"]["code"] == "stale"
    assert snapshot(root) == now
    assert ask("status")["open_total"] == 0


@pytest.mark.parametrize(
    ("edit", "part"),
    [
        ({"old": "print(", "new": "log("}, "2 times"),
        ({"old": "prnt(add(1, 2))", "new": "x"}, "nearest"),
        ({"first": 5, "last": 5, "expected": "print(1)", "new": "x"}, "print(add(1, 2))"),
        ({"first": 5, "last": 5, "new": "x"}, "needs expected"),
        ({"old": "a", "first": 1, "last": 1, "expected": "x", "new": "x"}, "as well as"),
    ],
)
def test_an_edit_that_does_not_fit_says_what_stands_there(ask: Ask, root: Path, edit: Any, part: str) -> None:
    before = snapshot(root)
    answer = ask("edit", path="src/tool.py", edits=[edit], commit=True)
    assert not answer["ok"]
    assert part in answer["error"]["message"]
    assert snapshot(root) == before


def test_edits_of_several_files_are_all_or_nothing(ask: Ask, root: Path) -> None:
    before = snapshot(root)
    good = {"path": "src/tool.py", "old": "def add", "new": "def plus"}
    bad = {"path": "src/app.js", "old": "nowhere", "new": "x"}
    assert not ask("edit", edits=[good, bad], commit=True)["ok"]
    assert snapshot(root) == before
    other = {"path": "src/app.js", "old": "// bye", "new": "// hi"}
    assert ask("edit", edits=[good, other], commit=True)["files_total"] == 2
    assert "def plus" in (root / "src/tool.py").read_text()


def test_a_new_file_and_one_that_is_replaced(ask: Ask, root: Path) -> None:
    made = ask("write", path="src/deep/new.py", content="x = 1\n", commit=True)
    assert (root / "src/deep/new.py").read_bytes() == b"x = 1\n"
    assert ask("write", path="src/deep/new.py", content="y\n")["error"]["code"] == "stale"
    digest = made["digests"]["src/deep/new.py"]
    assert ask("write", path="src/deep/new.py", content="x = 2\n", digest=digest, commit=True)["committed"]
    assert (root / "src/deep/new.py").read_bytes() == b"x = 2\n"


def test_new_syntax_errors_are_told_or_refused(ask: Ask, root: Path) -> None:
    edits = [{"old": "def add(a, b):", "new": "def add(a, b:"}]
    told = ask("edit", path="src/tool.py", edits=edits)
    assert any("syntax error" in one for one in told["remarks"])
    strict = ask("edit", path="src/tool.py", edits=edits, strict=True)
    assert (strict["staged"], strict["why"]) == (False, "strict")


def test_a_patch_in_either_form(ask: Ask, root: Path) -> None:
    envelope = (
        "*** Begin Patch\n*** Update File: src/tool.py\n@@\n-print(add(1, 2))\n+print(add(1, 3))\n"
        "*** Add File: src/more.py\n+z = 1\n*** Delete File: src/other.js\n*** End Patch\n"
    )
    assert ask("apply_patch", patch=envelope, commit=True)["files_total"] == 3
    assert "add(1, 3)" in (root / "src/tool.py").read_text()
    assert (root / "src/more.py").exists()
    assert not (root / "src/other.js").exists()
    diff = "--- a/src/more.py\n+++ b/src/more.py\n@@ -1 +1 @@\n-z = 1\n+z = 2\n"
    assert ask("apply_patch", patch=diff, commit=True)["committed"]
    assert (root / "src/more.py").read_text() == "z = 2\n"
    again = ask("apply_patch", patch=diff, commit=True)
    assert again["error"]["code"] == "diff"
    assert "z = 2" in again["error"]["message"] or "hunk" in again["error"]["message"]


@pytest.mark.parametrize("path", ["../x", ".git/hooks/x", ".structural/x", "/tmp/x", "link/x"])
def test_nothing_outside_is_written(ask: Ask, root: Path, path: str) -> None:
    (root / "link").symlink_to(root.parent)
    before = snapshot(root), sorted(one.name for one in root.parent.iterdir())
    assert not ask("write", path=path, content="x", commit=True)["ok"]
    assert not ask("edit", path=path, edits=[{"old": "a", "new": "b"}], commit=True)["ok"]
    patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
    assert not ask("apply_patch", patch=patch, commit=True)["ok"]
    assert (snapshot(root), sorted(one.name for one in root.parent.iterdir())) == before


def test_ignored_files_are_written_only_if_asked_for(ask: Ask, root: Path) -> None:
    refused = ask("write", path="build/new.js", content="x\n", commit=True)
    assert not refused["ok"]
    assert "ignored" in refused["error"]["message"] + refused["error"]["hint"]
    assert ask("write", path="build/new.js", content="x\n", ignored=True, commit=True)["committed"]
