"""Ignored files: told as git tells them, and written only where that is asked for."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from structural.errors import DiffError, UsageError
from structural.search.values import Selection
from structural.search.walk import walk
from structural.workflow.ignoring import ignored_of, is_ignored
from structural.workflow.trees import OpenTree
from structural.workflow.writing import (
    TextReplacement,
    stage_diff_or_envelope,
    stage_envelope,
    stage_replacements,
    stage_write,
)
from tests.writing.trees import committed, nothing_staged, put

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")

_RULES = [
    *("a", "b/", "/a", "/b/", "*.x", "!c.x", "!a", "a/b", "**/c.x", "b/**", "!b/c.x", "a/*", "!a/b/"),
    *("*", "!*/", "!*.x", "# c.x", "n/", "/n/a", "\\!d.x", "c.[xy]"),
]
_FOLDERS = ["", "a", "b", "a/b", "b/a"]


def git(root: Path, *words: str, **options: object) -> bytes:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, check=False, **options)
    return done.stdout


@needs_git
@pytest.mark.parametrize("seed", range(60))
def test_ignored_is_what_git_ignores_also_what_is_not_there(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    git(tmp_path, "init", "-q")
    for folder in _FOLDERS:
        if not folder or chance.random() < 0.6:
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for folder in _FOLDERS:
        if (tmp_path / folder).is_dir() and chance.random() < 0.5:
            rules = [chance.choice(_RULES) for _ in range(chance.randint(1, 4))]
            (tmp_path / folder / ".gitignore").write_text("\n".join(rules))
    if chance.random() < 0.3:
        (tmp_path / ".git/info/exclude").write_text(chance.choice(_RULES))
    paths = [f"{folder}/{name}".lstrip("/") for folder in [*_FOLDERS, "n", "n/a"] for name in ("f", "c.x")]
    told = git(tmp_path, "check-ignore", "--no-index", "-z", "--stdin", input="\0".join(paths).encode())
    assert ignored_of(tmp_path, paths) == {os.fsdecode(path) for path in told.split(b"\0") if path}


@needs_git
def test_what_git_tracks_is_not_ignored(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/kept").write_text("x")
    git(tmp_path, "add", "-A")
    (tmp_path / ".gitignore").write_text("out/\n")
    assert not is_ignored(tmp_path, "out/kept")
    assert is_ignored(tmp_path, "out/new")


def test_rules_count_only_where_a_search_heeds_them(tmp_path: Path) -> None:
    for folder, name in (("plain", ".gitignore"), ("marked", ".ignore")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("*.log\n!kept.log\n")
        (tmp_path / folder / "a.log").write_text("")
    assert not is_ignored(tmp_path / "plain", "a.log")
    assert is_ignored(tmp_path / "marked", "a.log")
    assert is_ignored(tmp_path / "marked", "new/b.log")
    assert not is_ignored(tmp_path / "marked", "new/kept.log")
    assert not is_ignored(tmp_path, "marked/a.txt")
    assert is_ignored(tmp_path, "marked/a.log")
    assert [Path(path).name for path in walk(Selection((str(tmp_path),))).files] == ["a.log"]


def test_rules_from_above_the_root_count(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / ".ignore").write_text("root/\n*.log\n")
    assert is_ignored(tmp_path / "root", "a.log")
    assert not is_ignored(tmp_path / "root", "a.txt")  # a root that was chosen is not left out itself


def test_an_ignored_file_is_written_only_if_that_is_said(tree: OpenTree) -> None:
    put(tree, __ignore=b"*.log\n", a__log=b"a\n")
    envelope = "*** Begin Patch\n*** Update File: a.log\n@@\n-a\n+b\n*** End Patch\n"
    moved = "*** Begin Patch\n*** Update File: .ignore\n*** Move to: b.log\n*** End Patch\n"
    diff = "--- a/a.log\n+++ b/a.log\n@@ -1 +1 @@\n-a\n+b\n"
    calls = [
        lambda **options: stage_write(tree, "new.log", "x", expected=None, **options),
        lambda **options: stage_replacements(tree, [TextReplacement("a.log", "a", "b")], **options),
        lambda **options: stage_envelope(tree, envelope, **options),
        lambda **options: stage_envelope(tree, moved, **options),
        lambda **options: stage_diff_or_envelope(tree, diff, **options),
    ]
    for call in calls:
        with pytest.raises((UsageError, DiffError), match=r"\w+\.log is ignored by the rules") as caught:
            call()
        assert "`ignored`" in caught.value.hint
    assert nothing_staged(tree)
    for call in calls:
        assert call(ignored=True).change is not None
    assert committed(tree, calls[0](ignored=True))["new.log"] == b"x"
