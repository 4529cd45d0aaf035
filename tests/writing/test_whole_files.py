"""Whole files: what they are guarded by, how their lines end, what is refused."""

from __future__ import annotations

import os

import pytest

from structural.errors import StaleError, UnwritableError, UsageError
from structural.text import digest
from structural.text.digests import digest_fits, short_digest
from structural.workflow.changes import find, site_diff, views
from structural.workflow.rebasing import rebase
from structural.workflow.trees import OpenTree
from structural.workflow.writing import stage_write
from tests.writing.trees import committed, files, nothing_staged, put


def test_a_prefix_of_12_digits_is_enough() -> None:
    full = digest(b"x")
    assert len(short_digest(full)) == 16
    for size in (12, 16, 64):
        assert digest_fits(full[:size], full)
        assert digest_fits(full[:size].upper(), full)
    for wrong in (full[:11], "", full + "0", "0" * 12, "z" * 12, full[:12] + "\n"):
        assert not digest_fits(wrong, full)


def test_a_new_file_is_made_with_its_folders(tree: OpenTree) -> None:
    staged = stage_write(tree, "a/b/c.sh", "echo\n", expected=None, executable=True)
    assert files(tree) == {}
    assert committed(tree, staged) == {"a/b/c.sh": b"echo\n"}
    assert os.stat(tree.root / "a/b/c.sh").st_mode & 0o100
    tree.store.undo()
    assert files(tree) == {}


def test_a_file_is_replaced_run_by_run(tree: OpenTree) -> None:
    put(tree, a__txt=b"1\n2\n3\n4\n5\n")
    expected = short_digest(digest(b"1\n2\n3\n4\n5\n"))
    staged = stage_write(tree, "a.txt", "1\nzwei\n3\n4\n5\n6\n", expected=expected)
    assert staged.change is not None
    change = tree.store.drop(staged.change.id, sites=[1])
    (view,) = views(tree, change)
    assert view.after == b"1\n2\n3\n4\n5\n6\n"
    assert b"+6\n" in site_diff(view, view.file.sites[0])
    tree.store.commit(change.id)
    assert files(tree) == {"a.txt": b"1\n2\n3\n4\n5\n6\n"}


def test_a_file_that_is_otherwise_is_not_replaced(tree: OpenTree) -> None:
    put(tree, a__txt=b"now")
    for path, expected in (("a.txt", None), ("a.txt", digest(b"then")), ("b.txt", digest(b"then")[:12])):
        with pytest.raises(StaleError) as caught:
            stage_write(tree, path, "new", expected=expected)
        (stale,) = caught.value.files
        assert (stale.path, stale.expected) == (path, expected)
        assert stale.found == (digest(b"now") if path == "a.txt" else None)
        assert path in caught.value.message
        if path == "a.txt":
            assert short_digest(digest(b"now")) in caught.value.message
        if expected:
            assert expected in caught.value.message
        assert caught.value.hint
    assert nothing_staged(tree)


def test_what_was_compared_guards_the_change(tree: OpenTree) -> None:
    put(tree, a__txt=b"now")
    staged = stage_write(tree, "a.txt", "new", expected=digest(b"now")[:12])
    put(tree, a__txt=b"later")
    assert staged.change is not None
    assert staged.change.files[0].before == digest(b"now")
    with pytest.raises(StaleError):
        tree.store.commit(staged.change.id)
    assert files(tree) == {"a.txt": b"later"}


def test_the_same_content_stages_nothing(tree: OpenTree) -> None:
    put(tree, a__txt=b"now")
    assert stage_write(tree, "a.txt", "now", expected=digest(b"now")).change is None


@pytest.mark.parametrize(
    ("before", "content", "after", "remark"),
    [
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n", "2 line endings of the new content were made CRLF"),
        (b"a\r\nb\r\n", "a\r\nc\n", b"a\r\nc\r\n", "1 line endings"),
        (b"a\r\nb\r\n", "a\r\nc\r\n", b"a\r\nc\r\n", ""),
        (b"a\nb\n", "a\r\nc\r\n", b"a\nc\n", "2 line endings of the new content were made LF"),
        (b"a\r\nb\n", "a\nc\n", b"a\nc\n", ""),
        (b"a", "b\r\nc\n", b"b\r\nc\n", ""),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n", "byte order mark of the file was kept"),
        (b"\xef\xbb\xbfa\n", "\ufeffb\n", b"\xef\xbb\xbfb\n", ""),
        (b"a\r\nb\r\n", "a\n\0", b"a\n\0", ""),
        (b"a\0\r\n", "a\n", b"a\n", ""),
        (b"a\rb\r\n", "a\rc\n", b"a\rc\r\n", "1 line endings"),
    ],
)
def test_line_endings_and_mark_are_kept_and_told(
    tree: OpenTree, before: bytes, content: str, after: bytes, remark: str
) -> None:
    put(tree, a__txt=before)
    staged = stage_write(tree, "a.txt", content, expected=digest(before))
    assert len(staged.remarks) == bool(remark)
    assert remark in "".join(staged.remarks)
    assert committed(tree, staged) == {"a.txt": after}


def test_endings_as_they_are_given_are_told_too(tree: OpenTree) -> None:
    put(tree, a__txt=b"\xef\xbb\xbfa\r\nb\r\n")
    expected = digest(b"\xef\xbb\xbfa\r\nb\r\n")
    staged = stage_write(tree, "a.txt", "a\nc\n", expected=expected, line_endings="as-is")
    assert staged.remarks == (
        "the file has a byte order mark, the new content has none",
        "all lines of the file end with CRLF, but 2 of the new content do not",
    )
    assert committed(tree, staged) == {"a.txt": b"a\nc\n"}


def test_what_may_not_be_written_is_refused(tree: OpenTree) -> None:
    put(tree, a__txt=b"a", d___x=b"")
    os.symlink("/etc/hostname", tree.root / "out")
    for path, part in (
        ("../a.txt", "goes upwards"),
        ("/etc/hostname", "outside of the root"),
        (".git/config", "is inside of .git"),
        (".structural/x", "is inside of .structural"),
        ("sub/.GIT/config", "is inside of .GIT"),
        ("out", "is a link out of the root"),
        ("d", "is a folder"),
        ("", "empty"),
        (".", "the root itself"),
        ("x\0", "NUL"),
        ("x\udcff", "not UTF-8"),
    ):
        with pytest.raises(UsageError, match=part):
            stage_write(tree, path, "new", expected=None)
    with pytest.raises(UnwritableError, match="needs a folder"):
        stage_write(tree, "a.txt/b", "new", expected=None)
    with pytest.raises(UsageError, match="no Unicode at character 2"):
        stage_write(tree, "b.txt", "x\ud800", expected=None)
    with pytest.raises(UsageError, match="is no digest"):
        stage_write(tree, "a.txt", "x", expected="abc")
    with pytest.raises(UsageError, match="mode of a file"):
        stage_write(tree, "a.txt", "x", expected=digest(b"a"), executable=True)
    assert nothing_staged(tree)


def test_an_absolute_path_inside_and_a_link_mean_the_file(tree: OpenTree) -> None:
    put(tree, a__txt=b"a")
    os.symlink("a.txt", tree.root / "link")
    for path in (str(tree.root / "a.txt"), "link", "./a.txt"):
        staged = stage_write(tree, path, "b", expected=digest(b"a"))
        assert staged.change is not None
        assert [file.path for file in staged.change.files] == ["a.txt"]


def test_new_syntax_errors_are_told(tree: OpenTree) -> None:
    put(tree, a__py=b"x = 1\n")
    staged = stage_write(tree, "a.py", "x = (\n", expected=digest(b"x = 1\n"))
    (trouble,) = staged.troubles
    assert (trouble.path, trouble.before) == ("a.py", 0)
    assert staged.change is not None
    staged = stage_write(tree, "a.py", "x = (\n", expected=digest(b"x = 1\n"), strict=True)
    assert staged.strict
    assert staged.change is None


def test_a_stale_write_is_fitted_again(tree: OpenTree) -> None:
    before = b"".join(b"line %d\n" % number for number in range(20))
    put(tree, a__txt=before)
    staged = stage_write(tree, "a.txt", before.replace(b"line 11\n", b"eleven\n"), expected=digest(before))
    put(tree, a__txt=b"first\n" + before)
    assert staged.change is not None
    again = rebase(tree, find(tree, staged.change.id))
    assert again.change is not None
    tree.store.commit(again.change.id)
    assert files(tree) == {"a.txt": b"first\n" + before.replace(b"line 11\n", b"eleven\n")}
