"""Unified diffs: what is written is taken by git and patch, and read back; what does not fit is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from structural.errors import DiffError
from structural.text import Edit, Span
from structural.text.edits import apply, checked
from structural.text.patches import changed_lines, fit, read_patch, unified

LINES = st.lists(
    st.sampled_from([b"a", b"b", b"", b"a b", b"\xff", b"x\r", b"\x0c", b"--- a", b"+"]), max_size=30
)
ENDS = st.sampled_from([b"", b"\n", b"\r\n"])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    return b"\n".join(draw(LINES)) + draw(ENDS)


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, tuple[Edit, ...]]:
    before = draw(texts())
    cuts = sorted(draw(st.lists(st.integers(0, len(before)), max_size=8, unique=True)))
    new = st.sampled_from([b"", b"x", b"\n", b"new\n", b"\nnew", b"a\r\nb\n", b"a\n"])
    edits = [Edit(Span(i, j), draw(new)) for i, j in zip(cuts[::2], cuts[1::2], strict=False)]
    return before, checked(edits, len(before))


def applied(tmp_path: Path, command: list[str], path: str, before: bytes | None, diff: bytes) -> bytes | None:
    folder = tmp_path / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / path).parent.mkdir(parents=True)
    if before is not None:
        (folder / path).write_bytes(before)
    done = subprocess.run(command, cwd=folder, input=diff, capture_output=True, check=False)
    assert done.returncode == 0, (done.stderr + done.stdout, diff)
    return (folder / path).read_bytes() if (folder / path).exists() else None


GIT = ["git", "apply", "--whitespace=nowarn", "-p1", "-"]
PATCH = ["patch", "-p1", "--binary", "-s", "-E"]
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
needs_patch = pytest.mark.skipif(not shutil.which("patch"), reason="patch is not installed")


@given(texts(), texts())
def test_a_diff_read_back_makes_the_text_after(before: bytes, after: bytes) -> None:
    diff = unified("f", before, after)
    if before == after:
        assert diff == b""
        return
    (patch,) = read_patch(diff)
    assert apply(before, fit(patch, before)) == after


@given(edited(), st.integers(0, 4))
def test_a_diff_made_from_edits_makes_the_text_after(
    case: tuple[bytes, tuple[Edit, ...]], context: int
) -> None:
    before, edits = case
    after = apply(before, edits)
    diff = unified("f", before, after, edits=edits, context=context)
    if before == after:
        assert diff == b""
        return
    (patch,) = read_patch(diff)
    assert apply(before, fit(patch, before)) == after


@settings(max_examples=400)
@given(edited())
def test_lines_are_counted_as_the_diff_shows_them(case: tuple[bytes, tuple[Edit, ...]]) -> None:
    before, edits = case
    diff = unified("f", before, apply(before, edits), edits=edits, context=0)
    body = diff[max(0, diff.find(b"\n@@ ")) :]
    assert changed_lines(before, edits) == (body.count(b"\n+"), body.count(b"\n-"))


@needs_git
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edited())
def test_git_takes_what_is_written(tmp_path: Path, case: tuple[bytes, tuple[Edit, ...]]) -> None:
    before, edits = case
    after = apply(before, edits)
    if before != after:
        diff = unified("f", before, after, edits=edits)
        assert applied(tmp_path, GIT, "f", before, diff) == after


@needs_patch
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edited())
def test_patch_takes_what_is_written(tmp_path: Path, case: tuple[bytes, tuple[Edit, ...]]) -> None:
    before, edits = case
    after = apply(before, edits)
    if before and after and before != after:  # patch takes an empty file for none
        diff = unified("f", before, after, edits=edits)
        assert applied(tmp_path, PATCH, "f", before, diff) == after


@needs_git
@pytest.mark.parametrize(
    "path", ["with blank.py", 'quo"te.py', "back\\slash", "tab\there", "d/ä.py", "ends "]
)
@pytest.mark.parametrize(
    ("before", "after"), [(b"a\n", b"b\n"), (None, b"new"), (b"old\n", None), (None, b""), (b"", None)]
)
def test_odd_names_new_and_deleted_files(
    tmp_path: Path, path: str, before: bytes | None, after: bytes | None
) -> None:
    diff = unified(path, before, after)
    assert applied(tmp_path, GIT, path, before, diff) == after
    (patch,) = read_patch(diff)
    assert (patch.old, patch.new) == (
        path if before is not None else None,
        path if after is not None else None,
    )
    assert apply(before or b"", fit(patch, before or b"")) == (after or b"")


def git_diff(tmp_path: Path, before: dict[str, bytes], after: dict[str, bytes], *more: str) -> bytes:
    one, other = tmp_path / "a", tmp_path / "b"
    for root, files in ((one, before), (other, after)):
        root.mkdir()
        for name, content in files.items():
            (root / name).write_bytes(content)
    command = ["git", "diff", "--no-index", "--no-prefix", *more, "a", "b"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout


@needs_git
@settings(max_examples=40, deadline=None)
@given(texts(), texts())
def test_what_git_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, before: bytes, after: bytes
) -> None:
    folder = tmp_path_factory.mktemp("diff")
    diff = git_diff(folder, {"f": before}, {"f": after}, "--text")
    if before != after:
        (patch,) = read_patch(diff)
        assert (patch.old, patch.new) == ("f", "f")
        assert apply(before, fit(patch, before)) == after


@needs_git
def test_renames_and_modes_of_git_are_read(tmp_path: Path) -> None:
    def git(*arguments: str) -> bytes:
        identity = ["-c", "user.name=n", "-c", "user.email=e"]
        return subprocess.run(
            ["git", *identity, *arguments], cwd=tmp_path, capture_output=True, check=True
        ).stdout

    git("init", "-q")
    (tmp_path / "old ü.py").write_bytes(b"line\n" * 20 + b"6\n")
    (tmp_path / "tool").write_bytes(b"run\n")
    git("add", "-A")
    git("commit", "-qm", "one")
    os.rename(tmp_path / "old ü.py", tmp_path / 'new".py')
    (tmp_path / 'new".py').write_bytes(b"line\n" * 20 + b"six\n")
    os.chmod(tmp_path / "tool", 0o755)
    (tmp_path / "empty").write_bytes(b"")
    git("add", "-A")
    patches = {patch.path: patch for patch in read_patch(git("diff", "--cached", "-M"))}
    renamed = patches['new".py']
    assert renamed.old == "old ü.py"
    assert apply(b"line\n" * 20 + b"6\n", fit(renamed, b"line\n" * 20 + b"6\n")) == b"line\n" * 20 + b"six\n"
    assert (patches["tool"].old_mode, patches["tool"].new_mode) == (0o100644, 0o100755)
    assert (patches["empty"].old, patches["empty"].hunks) == (None, ())


def test_a_plain_diff_with_dates_and_text_around_it_is_read() -> None:
    diff = (
        b"Dear all,\n\n--- src/f.c\t2020-01-01 10:00:00\n+++ src/f.c\t2020-01-02 10:00:00\n"
        b"@@ -1,2 +1,2 @@ int main\n-a\r\n+b\r\n\n-- \n2.0\n"
    )
    (patch,) = read_patch(diff)
    assert patch.path == "src/f.c"
    assert apply(b"a\r\n\n", fit(patch, b"a\r\n\n")) == b"b\r\n\n"


def test_a_hunk_that_does_not_fit_is_named() -> None:
    (patch,) = read_patch(unified("f.py", b"1\n2\n3\n", b"1\nx\n3\n"))
    with pytest.raises(DiffError, match=r"hunk 1 of f\.py \(line 4 of the diff\) does not fit"):
        fit(patch, b"1\n2 \n3\n")
    with pytest.raises(DiffError, match="does not fit"):
        fit(patch, b"1\n2\n3")  # the last line has no end any more


def test_what_stands_where_a_hunk_does_not_fit_is_told_for_every_hunk() -> None:
    lines = [f"line {number}\n".encode() for number in range(1, 31)]
    changed = [line.replace(b"ne 5", b"NE 5").replace(b"ne 25", b"NE 25") for line in lines]
    (patch,) = read_patch(unified("f.py", b"".join(lines), b"".join(changed)))
    lines[3], lines[25] = b"other\n", b"line 26\r\n"
    with pytest.raises(DiffError) as refused:
        fit(patch, b"".join(lines))
    said = refused.value.message
    assert "nearest is lines 2-8, first in line 4: expected 'line 4', found 'other'; hunk 2" in said
    assert r"expected 'line 26', found 'line 26\r'" in said


def test_of_two_places_as_close_the_one_that_the_hunk_names_is_told() -> None:
    blocks = [
        f"def {name}():\n    # of two\n    x = 1\n    y = {y}\n\n".encode()
        for name, y in (("aa", 2), ("bb", 3))
    ]
    before = blocks[0] + blocks[1].replace(b"3", b"2")
    (patch,) = read_patch(unified("f.py", before, before[:-18] + before[-18:].replace(b"1", b"5")))
    with pytest.raises(DiffError, match=r"first in line 9: expected '    y = 2', found '    y = 3'"):
        fit(patch, b"".join(blocks))


def test_a_hunk_moves_to_the_only_place_that_has_its_lines() -> None:
    (patch,) = read_patch(unified("f", b"1\n2\n3\n", b"1\nx\n3\n"))
    assert apply(b"0\n0\n1\n2\n3\n", fit(patch, b"0\n0\n1\n2\n3\n")) == b"0\n0\n1\nx\n3\n"
    with pytest.raises(DiffError, match="several places"):
        fit(patch, b"0\n1\n2\n3\n1\n2\n3\n")


@pytest.mark.parametrize(
    ("diff", "part"),
    [
        (b"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n", "ends too early"),
        (b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n b\n-c\n", ""),
        (b"@@ -1 +1 @@\n-a\n+b\n", "without the name"),
        (b"diff --git a/f b/f\nindex 1..2\nGIT binary patch\nliteral 1\n", "binary"),
        (b"diff --git a/f b/g\ncopy from f\ncopy to g\n", "copy"),
        (b"--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n", "without a name"),
    ],
)
def test_a_broken_diff_is_refused(diff: bytes, part: str) -> None:
    if not part:
        assert read_patch(diff)  # what is behind the last line of a hunk is text around it
        return
    with pytest.raises(DiffError, match=part):
        read_patch(diff)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_patch(data)
        read_patch(b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n" + data)
        read_patch(b"diff --git " + data)
    except DiffError:
        pass


def test_a_large_file_with_edits_costs_little() -> None:
    before = b"x = 1\n" * 3_500_000
    edits = tuple(Edit(Span(at, at + 1), b"y") for at in range(0, len(before), 6 * 3500))
    after = apply(before, edits)
    start = time.perf_counter()
    diff = unified("f", before, after, edits=edits)
    assert diff.count(b"\n@@ ") == 1000
    assert time.perf_counter() - start < 5
