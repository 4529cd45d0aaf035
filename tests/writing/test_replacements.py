"""Replacements: what they make, and what is told where one does not stand."""

from __future__ import annotations

import time

import pytest

from structural.errors import StaleError, UsageError
from structural.text import digest
from structural.workflow.changes import find
from structural.workflow.rebasing import rebase
from structural.workflow.trees import OpenTree
from structural.workflow.writing import LineReplacement, Replacement, TextReplacement, stage_replacements
from tests.writing.trees import committed, files, nothing_staged, put

BOM = b"\xef\xbb\xbf"


def text(old: str, new: str, count: int | None = 1, path: str = "a.txt") -> TextReplacement:
    return TextReplacement(path, old, new, count)


def lines(first: int, last: int, expected: str, new: str, path: str = "a.txt") -> LineReplacement:
    return LineReplacement(path, first, last, expected, new)


@pytest.mark.parametrize(
    ("before", "one", "after"),
    [
        (b"a b c", text("b", "x"), b"a x c"),
        (b"a b c", text("b ", ""), b"a c"),
        (b"a b a", text("a", "x", None), b"x b x"),
        (b"a b a", text("a", "x", 2), b"x b x"),
        (b"1\r\n2\r\n3\r\n", text("1\n2\n", "x\ny\nz\n"), b"x\r\ny\r\nz\r\n3\r\n"),
        (b"1\r\n2\r\n", text("\n2", "\nx"), b"1\r\nx\r\n"),
        (b"1\r\n2\r\n", text("1\r\n", "x\r\n"), b"x\r\n2\r\n"),
        (b"1\n2\r\n3\n", text("2\n3", "x\ny"), b"1\nx\r\ny\n"),
        (b"1\n2\r\n3\n", text("\n3", ""), b"1\n2\n"),
        (b"1\n2\n", text("1", "x\r\ny"), b"x\r\ny\n2\n"),
        (b"\xff a", text("a", "b"), b"\xff b"),
        (b"\0a\0", text("a", "b"), b"\0b\0"),
        (BOM + b"a", text("a", "b"), BOM + b"b"),
        ("é“x”".encode(), text("“x”", "«y»"), "é«y»".encode()),
        (b"1\n2\n3\n", lines(2, 2, "2", "x"), b"1\nx\n3\n"),
        (b"1\n2\n3\n", lines(2, 2, "2\n", "x\n"), b"1\nx\n3\n"),
        (b"1\n2\n3\n", lines(1, 3, "1\n2\n3", ""), b""),
        (b"1\n\n3\n", lines(1, 2, "1\n", "x"), b"x\n3\n"),
        (b"1\n\n3\n", lines(1, 2, "1\n\n", "x\n\n"), b"x\n\n3\n"),
        (b"1\n2\n3", lines(3, 3, "3", "x\ny\n"), b"1\n2\nx\ny"),
        (b"1\n2\n3", lines(3, 3, "3", ""), b"1\n2\n"),
        (b"1\r\n2\r\n", lines(1, 1, "1", "x\ny"), b"x\r\ny\r\n2\r\n"),
        (b"1\r\n2\r\n", lines(1, 1, "1\r\n", "x\r\n"), b"x\r\n2\r\n"),
        (b"1\r\n2\n3\n", lines(1, 1, "1", "x"), b"x\r\n2\n3\n"),
        (BOM + b"1\n2\n", lines(1, 1, "1", "x"), BOM + b"x\n2\n"),
        (BOM + b"1\n2\n", lines(1, 1, "\ufeff1", "\ufeffx"), BOM + b"x\n2\n"),
        (b"1\n2\n", lines(2, 2, "2", "\n"), b"1\n\n"),
    ],
)
def test_what_is_replaced(tree: OpenTree, before: bytes, one: Replacement, after: bytes) -> None:
    put(tree, a__txt=before)
    assert committed(tree, stage_replacements(tree, [one])) == {"a.txt": after}
    tree.store.undo()
    assert files(tree) == {"a.txt": before}


@pytest.mark.parametrize(
    ("before", "first", "new", "after"),
    [
        (b"1\n2\n", 1, "x", b"x\n1\n2\n"),
        (b"1\n2\n", 3, "x\ny\n", b"1\n2\nx\ny\n"),
        (b"1\n2", 3, "x", b"1\n2\nx"),
        (b"", 1, "x", b"x\n"),
        (BOM, 1, "x", BOM + b"x\n"),
        (BOM + b"1\r\n", 1, "x", BOM + b"x\r\n1\r\n"),
    ],
)
def test_lines_are_put_before_one(tree: OpenTree, before: bytes, first: int, new: str, after: bytes) -> None:
    put(tree, a__txt=before)
    with pytest.raises(UsageError, match="the digest of the file must be given"):
        stage_replacements(tree, [LineReplacement("a.txt", first, first - 1, "", new)])
    one = LineReplacement("a.txt", first, first - 1, "", new, digest(before)[:12])
    assert committed(tree, stage_replacements(tree, [one])) == {"a.txt": after}


MANY = b"def f():\n    return 1\n\ndef g():\n    return 1\n\ndef h():\n\treturn 2\n"


@pytest.mark.parametrize(
    ("before", "one", "parts"),
    [
        (MANY, text("return 1", "x"), ["stands 2 times, not once, in lines 2, 5"]),
        (MANY, text("return 1", "x", 3), ["stands 2 times, not 3 times, in lines 2, 5"]),
        (MANY, text("return 2", "x", 2), ["stands once, not 2 times, in line 8"]),
        (
            MANY,
            text("def h():\n    return 2\n", "x"),
            [
                r"lines 7-8, which differs only in indentation",
                r"line 8: expected '    return 2', found '\tre",
            ],
        ),
        (b"a  \nb\n", text("a\nb\n", "x"), ["blanks at the ends of lines", "expected 'a', found 'a  '"]),
        (b"f(a,b)\n", text("f(a, b)", "x"), ["line 1, which differs only in white space", "'f(a,b)'"]),
        (b"x = f(a,b) + 1\n", text("f(a, b)", "x"), ["line 1, which differs only in white space"]),
        ("say “a”\n".encode(), text('say "a"', "x"), ["characters that look alike", "“a”"]),
        (b"a\n\nb\n", text("a\nb", "x"), ["lines 1-3, which differs only in white space and empty lines"]),
        (b"a\nb\n", text("a\n\nb", "x"), ["lines 1-2, which differs only in white space and empty lines"]),
        (
            b"1\nfirst line\nsecond line\nthird line\n",
            text("first line\nsecond lime\nthird line\n", "x"),
            ["nearest is lines 2-4, first in line 3: expected 'second lime', found 'second line'"],
        ),
        (
            b"the quick brown fox\n",
            text("the quick brown ox", "x"),
            ["nearest is line 1: expected 'the quick"],
        ),
        (b"a\nb\n", text("a\\nb", "x"), ["in line 1 if its backslashes are read as escapes"]),
        (b"if a < b:\n", text("a &lt; b", "x"), ["in line 1 if `&lt;` and the like are read as char"]),
        (b"x\nab\ncd\n", text("     2\tab\n     3\tcd", "x"), ["in line 2 without its line numbers"]),
        (b"aaa", text("aa", "b", None), ["stands at places that overlap, in line 1"]),
        (b"a", text("", "b"), ["the text to find is empty"]),
        (b"a", text("a", "a"), ["the new text is the old one"]),
        (b"a", text("a", "b", 0), ["cannot be replaced 0 times"]),
        (b"a", text("\ud800", "b"), ["the text to find is no Unicode"]),
        (b"a", text("a", "\udfff"), ["the new text is no Unicode"]),
        (b"", text("a", "b"), ["the text is not there"]),
        (b"1\n2\n3\n", lines(2, 2, "x", "y"), ["line 2 is not as expected: line 2 is '2', not 'x'"]),
        (b"1\n2\n3\n", lines(1, 2, "2\n3", "y"), ["line 1 is '1', not '2'", "stand in 2-3 now"]),
        (b"1\n2\n3\n", lines(1, 2, "1\nx", "y"), ["line 2 is '2', not 'x'", "there stands now: '1' '2'"]),
        (b"1\n2\n3\n", lines(1, 2, "1", "y"), ["lines 1-2 are 2 lines, but 1 are expected"]),
        (b"1\n2\n3\n", lines(3, 4, "3", "y"), ["lines 3-4 are not in the file, which has 3"]),
        (b"1\n2\n3\n", lines(0, 1, "1", "y"), ["lines 0-1 are not in the file"]),
        (b"1\n2\n3\n", lines(3, 1, "1", "y"), ["lines 3-1 are not in the file"]),
        (b"1\n2\n3\n", lines(2, 1, "1", "y"), ["are none, but some are expected"]),
        (b"1\n2\n3\n", lines(2, 2, "2", "2\n"), ["the new lines are the old ones"]),
        (b"1", text("1", "2", path="b.txt"), ["'b.txt'", "is not there"]),
        (b"1", text("1", "2", path="../a.txt"), ["goes upwards"]),
    ],
)
def test_what_does_not_stand_is_told(
    tree: OpenTree, before: bytes, one: Replacement, parts: list[str]
) -> None:
    put(tree, a__txt=before)
    with pytest.raises(UsageError) as caught:
        stage_replacements(tree, [one])
    for part in parts:
        assert part in caught.value.message
    assert caught.value.message.startswith("replacement 1 ('")
    assert caught.value.message.endswith("; nothing was staged")
    assert nothing_staged(tree)


def test_several_files_are_changed_at_once_or_not_at_all(tree: OpenTree) -> None:
    put(tree, a__txt=b"a b\n", b__txt=b"c\nd\n")
    good: list[Replacement] = [text("b", "B"), lines(2, 2, "d", "D", "b.txt"), text("a", "A")]
    with pytest.raises(UsageError) as caught:
        stage_replacements(tree, [*good, text("zz", "x"), text("b", "x"), text("yy", "x", path="b.txt")])
    assert "replacement 4 ('a.txt')" in caught.value.message
    assert "replacements 1 and 5 overlap in a.txt, line 1" in caught.value.message
    assert "replacement 6 ('b.txt')" in caught.value.message
    assert nothing_staged(tree)
    staged = stage_replacements(tree, good)
    assert staged.change is not None
    numbers = {site.number: file.path for file in staged.change.files for site in file.sites}
    assert numbers == {1: "a.txt", 2: "b.txt", 3: "a.txt"}
    assert committed(tree, staged) == {"a.txt": b"A B\n", "b.txt": b"c\nD\n"}


def test_all_speak_of_the_file_as_it_is_now(tree: OpenTree) -> None:
    put(tree, a__txt=b"a\n")
    with pytest.raises(UsageError, match="it stands in the new text of replacement 1: make one of the two"):
        stage_replacements(tree, [text("a", "long text"), text("long", "short")])


def test_overlaps_name_both(tree: OpenTree) -> None:
    put(tree, a__txt=b"1\n2\n3\n4\n")
    for one, other in (
        (lines(1, 3, "1\n2\n3", "x"), text("2", "y")),
        (text("2\n3", "y"), lines(3, 4, "3\n4", "x")),
        (lines(2, 2, "2", "y"), lines(2, 2, "2", "x")),
    ):
        with pytest.raises(UsageError, match=r"replacements (1 and 2|2 and 1) overlap in a.txt, line"):
            stage_replacements(tree, [one, other])
    staged = stage_replacements(tree, [lines(2, 2, "2", "x"), lines(1, 1, "1", "y"), text("3", "z")])
    assert committed(tree, staged) == {"a.txt": b"y\nx\nz\n4\n"}


def test_a_file_with_another_digest_is_stale(tree: OpenTree) -> None:
    put(tree, a__txt=b"a\n", b__txt=b"b\n")
    old = digest(b"old")[:16]
    with pytest.raises(StaleError) as caught:
        stage_replacements(
            tree,
            [
                TextReplacement("a.txt", "a", "x", digest=old),
                TextReplacement("a.txt", "zz", "x", digest=old),
                TextReplacement("b.txt", "zz", "x"),
            ],
        )
    (stale,) = caught.value.files
    assert (stale.path, stale.expected, stale.found) == ("a.txt", old, digest(b"a\n"))
    assert "replacement 3 ('b.txt')" in caught.value.message
    with pytest.raises(UsageError, match="is no digest"):
        stage_replacements(tree, [TextReplacement("a.txt", "a", "x", digest="x")])
    staged = stage_replacements(tree, [TextReplacement("a.txt", "a", "x", digest=digest(b"a\n")[:12])])
    assert committed(tree, staged)["a.txt"] == b"x\n"


def test_nothing_to_replace_is_an_error(tree: OpenTree) -> None:
    with pytest.raises(UsageError, match="there is no replacement"):
        stage_replacements(tree, [])


def test_stale_replacements_are_fitted_again(tree: OpenTree) -> None:
    before = b"".join(b"line %d\n" % number for number in range(20))
    put(tree, a__txt=before)
    staged = stage_replacements(tree, [text("line 11", "eleven"), lines(3, 3, "line 2", "two")])
    put(tree, a__txt=b"first\n" + before)
    assert staged.change is not None
    again = rebase(tree, find(tree, staged.change.id))
    assert again.change is not None
    tree.store.commit(again.change.id)
    wanted = before.replace(b"line 11\n", b"eleven\n").replace(b"line 2\n", b"two\n")
    assert files(tree) == {"a.txt": b"first\n" + wanted}


def test_hostile_texts_are_answered_soon(tree: OpenTree) -> None:
    put(tree, a__txt=b"a" * 300_000, b__txt=b"x y\n" * 30_000, c__txt=b"\n" * 100_000)
    begun = time.perf_counter()
    for path, old in (
        ("a.txt", "a" * 100_000),
        ("a.txt", "a" * 100_000 + "b"),
        ("b.txt", "x  y\n" * 1_000),
        ("b.txt", "x z\n" * 1_000),
        ("c.txt", "\n" * 1_000),
        ("c.txt", "\n" * 1_000 + "b"),
    ):
        with pytest.raises(UsageError):
            stage_replacements(tree, [TextReplacement(path, old, "new")])
    assert time.perf_counter() - begun < 20
