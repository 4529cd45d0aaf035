"""Envelopes: how they are read, where their hunks fit, what is told where they do not."""

from __future__ import annotations

import os
import time

import pytest

from structural.errors import DiffError, StaleError
from structural.text import digest
from structural.text.envelope import AddFile, RemoveFile, UpdateFile, is_envelope, read_envelope
from structural.workflow.changes import find
from structural.workflow.rebasing import rebase
from structural.workflow.trees import OpenTree
from structural.workflow.writing import stage_diff_or_envelope, stage_envelope
from tests.writing.trees import committed, files, nothing_staged, put


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def update(*lines: str, path: str = "a.py") -> str:
    return envelope(f"*** Update File: {path}", *lines)


CLASSES = b"""\
class A(Base):
    def f(self):
        x = 1
        return x

    def g(self):
        x = 1
        return x


class B:
    def f(self):
        x = 1
        return x


top = 1
"""


# --- reading -----------------------------------------------------------------------------------------


def test_all_that_an_envelope_can_say() -> None:
    text = envelope(
        "*** Add File: new/a b.txt",
        "+one",
        "+",
        "++two",
        "*** Delete File: gone.txt",
        "*** Update File: a.py",
        "*** Move to: b.py",
        "@@ class A",
        "@@   def f():",
        " same",
        "-old",
        "+new",
        "",
        "+more",
        "@@",
        "-last",
        "*** End of File",
        "*** Add File: empty",
    )
    added, removed, updated, empty = read_envelope(text.encode())
    assert added == AddFile("new/a b.txt", b"one\n\n+two\n", 2)
    assert removed == RemoveFile("gone.txt", 6)
    assert isinstance(updated, UpdateFile)
    assert (updated.path, updated.moved) == ("a.py", "b.py")
    first, second = updated.hunks
    assert first.anchors == (b"class A", b"def f():")
    assert first.lines == ((" ", b"same"), ("-", b"old"), ("+", b"new"), (" ", b""), ("+", b"more"))
    assert (first.last, second.last) == (False, True)
    assert empty == AddFile("empty", b"", 19)


PLAIN = update("-a", "+b")


@pytest.mark.parametrize(
    "text",
    [
        "\n\n" + PLAIN + "\n\n",
        "```\n" + PLAIN + "```\n",
        "```diff\n" + PLAIN + "```",
        "<<EOF\n" + PLAIN + "EOF\n",
        "apply_patch <<'EOF'\n" + PLAIN + "EOF",
        '```sh\napply_patch <<-"PATCH"\n' + PLAIN + "PATCH\n```\n",
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("*** End", "\n\n*** End"),
        PLAIN.replace("-a", "@@\n-a"),
        PLAIN.replace("-a", "@@ -1,1 +1,1 @@ def f():\n-a"),
        PLAIN.replace("Patch\n", "Patch \n"),
    ],
)
def test_what_cannot_be_misunderstood_is_passed_over(tree: OpenTree, text: str) -> None:
    put(tree, a__py=b"a\n")
    assert is_envelope(text.encode())
    assert committed(tree, stage_envelope(tree, text)) == {"a.py": b"b\n"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["line 1 of the envelope is not '*** Begin Patch'"]),
        ("Here it is:\n" + PLAIN, ["line 1 of the envelope is not '*** Begin Patch'"]),
        ("*** Update File: a.py\n-a\n+b\n", ["line 1 of the envelope is not '*** Begin Patch'"]),
        (PLAIN.replace("*** End Patch\n", ""), ["has no '*** End Patch', so it may have been cut"]),
        ("```\n" + PLAIN, ["line 1 of the envelope is not"]),
        (PLAIN + "and more\n", ["line 6 of the envelope is behind '*** End Patch'"]),
        (PLAIN + PLAIN, ["is behind '*** End Patch'"]),
        (envelope(), ["the envelope names no file"]),
        (envelope("*** Update File:"), ["line 2 of the envelope: *** Update File: names no file"]),
        (envelope("*** Rename File: a"), ["'*** Rename File: a' begins no file"]),
        (envelope("-a"), ["line 2 of the envelope: '-a' begins no file"]),
        (update(), ["line 2 of the envelope: the update of a.py has no hunk"]),
        (update("@@", " a"), ["line 3 of the envelope: hunk 1 of a.py changes nothing"]),
        (update("@@ def f", "@@"), ["hunk 1 of a.py changes nothing"]),
        (update("a", "-b", "\tc"), ["line 3 of the envelope: 'a', of the update", "line 5 of the envelope:"]),
        (update("-a", "*** Move to: b.py"), ["*** Move to: must stand right behind *** Update File:"]),
        (update("--- a/a.py", "+++ b/a.py", "-a"), ["a header of a unified diff has no place"]),
        (update("-a", "*** End of File", "-b"), []),
        (envelope("*** Add File: n", "+a", "b", "*** Add File: m", "c"), ["line 4 of", "line 6 of"]),
        (envelope("*** Add File: n", "+a", "", "+b"), ["line 4 of the envelope: a line of the new file n"]),
        (envelope("*** Delete File: n", "-a"), ["nothing may follow a file that goes"]),
    ],
)
def test_what_is_no_envelope_is_told_by_line(tree: OpenTree, text: str, parts: list[str]) -> None:
    put(tree, a__py=b"a\nb\n")
    if not parts:
        with pytest.raises(DiffError):
            stage_envelope(tree, text)
        return
    with pytest.raises(DiffError) as caught:
        stage_envelope(tree, text)
    for part in parts:
        assert part in caught.value.message
    assert caught.value.message.endswith("; nothing was staged")
    assert nothing_staged(tree)


# --- fitting -----------------------------------------------------------------------------------------

X, FOUR = "-        x = 1", "+        x = 4"


def changed(*numbers: int, by: bytes = b"x = 4") -> bytes:
    """The classes with other lines (from 1)."""
    lines = CLASSES.split(b"\n")
    for number in numbers:
        lines[number - 1] = lines[number - 1].replace(b"x = 1", by)
    return b"\n".join(lines)


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        (["-top = 1", "+top = 2"], CLASSES.replace(b"top = 1", b"top = 2")),
        (["@@ class B", X, FOUR], changed(13)),
        (["@@ class B:", "@@     def f(self):", X, FOUR], changed(13)),
        (["@@ def g", X, FOUR], changed(7)),
        (["@@ def g(self): @@", X, FOUR], changed(7)),
        (["@@ class A", "@@ def f", X, FOUR], changed(3)),
        (["@@ class A", "@@ def g", X, FOUR], changed(7)),
        (["@@ def g(self):", "     def g(self):", X, FOUR], changed(7)),
        (["@@ class A", "     def g(self):", X, FOUR], changed(7)),
        # Three alike, in order: there is only one way to place them.
        (["@@", X, FOUR] * 3, changed(3, 7, 13)),
        # What comes behind leaves only one place.
        (["     def g(self):", X, FOUR, "@@", X, FOUR], changed(7, 13)),
        (["@@", X, FOUR, "@@", "-    def g(self):", "+    def h(self):"], None),
        # A line that stays may be in two hunks.
        (
            [
                "@@ class B:",
                "-    def f(self):",
                "+    def h(self):",
                "         x = 1",
                "@@ class B:",
                "         x = 1",
                "-        return x",
                "+        return 0",
                " ",
                " ",
                " top = 1",
            ],
            CLASSES.replace(
                b"B:\n    def f(self):\n        x = 1\n        return x",
                b"B:\n    def h(self):\n        x = 1\n        return 0",
            ),
        ),
        (["+# end", "*** End of File"], CLASSES + b"# end\n"),
        ([" top = 1", "+# end"], CLASSES + b"# end\n"),
        ([" top = 1", "+# end", "*** End of File"], CLASSES + b"# end\n"),
        (["+# begin", " class A(Base):"], b"# begin\n" + CLASSES),
        # A line that is taken out and put back stays as it is.
        (["-class B:", "-    def f(self):", "+class B:", "+    def h(self):"], None),
    ],
)
def test_a_hunk_stands_at_the_only_place_it_can_mean(
    tree: OpenTree, lines: list[str], after: bytes | None
) -> None:
    put(tree, a__py=CLASSES)
    done = committed(tree, stage_envelope(tree, update(*lines)))
    if after is not None:
        assert done == {"a.py": after}
    tree.store.undo()
    assert files(tree) == {"a.py": CLASSES}


@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        (b"a\r\nb\r\nc\r\n", [" a", "-b", "+x", "+y"], b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\nb\r\nc\n", ["-b", "+x"], b"a\nx\r\nc\n"),
        (b"a\nb\r\nc\n", ["-a", "-b", "+a", "+x"], b"a\nx\r\nc\n"),
        (b"a\nb", ["-b", "+x"], b"a\nx"),
        (b"a\nb", [" b", "+x"], b"a\nb\nx"),
        (b"a\r\nb", ["+x", "*** End of File"], b"a\r\nb\r\nx"),
        (b"a\nb", ["-b"], b"a\n"),
        (b"a\n", ["-a"], b""),
        (b"", ["+a"], b"a\n"),
        (b"\xef\xbb\xbfa\n", ["-a", "+b"], b"\xef\xbb\xbfb\n"),
        (b"\xef\xbb\xbfa\n", ["+b", " a"], b"\xef\xbb\xbfb\na\n"),
        (b"\xef\xbb\xbf", ["+b"], b"\xef\xbb\xbfb\n"),
        (b"\xff\0\na\n", ["-a", "+b"], b"\xff\0\nb\n"),
        (b"a\rb\nc\n", ["-a\rb", "+x\ry"], b"x\ry\nc\n"),
        (b"a\n\nb\n", ["-a", "", "-b", "+x"], b"\nx\n"),
        (b"a\nb\na\n", ["-a", "+x", "*** End of File"], b"a\nb\nx\n"),
    ],
)
def test_lines_end_as_the_file_ends_them(
    tree: OpenTree, before: bytes, lines: list[str], after: bytes
) -> None:
    put(tree, a__py=before)
    assert committed(tree, stage_envelope(tree, update(*lines))) == {"a.py": after}


@pytest.mark.parametrize(
    ("lines", "parts"),
    [
        ([X, FOUR], ["stand at several places, in line 3, 7, 13"]),
        (["@@ class A", X, FOUR], ["stand at several places, in line 3, 7"]),
        (["@@ def f", X, FOUR], ["stand at several places, in line 3, 13"]),
        (["@@", X, FOUR] * 4, ["hunk 4 of a.py", "stand only in line 3, 7, 13, before the hunk that comes"]),
        (["-top = 1", "+top = 2", "@@ def g", X, FOUR], ["hunk 2", "stand only in line 7, 13, before"]),
        (
            ["@@ class C", X, FOUR],
            ["its anchor 'class C' stands nowhere", "nearest is line 11", "found 'class B:'"],
        ),
        (["@@ class B", "@@ class A", X, FOUR], ["'class A' stands only before the anchor that comes"]),
        (["@@ top = 1", X, FOUR], ["stand only in line 3, 7, 13, before its anchor 'top = 1' in line 17"]),
        (["@@ clas", X, FOUR], ["its anchor 'clas' stands nowhere"]),
        (["@@ top = 1", "+new"], ["has only new lines, so its place is not told"]),
        (["+new"], ["has only new lines"]),
        ([X, FOUR, "*** End of File"], ["stand in line 3, 7, 13, and not at the end of the file"]),
        (["-top = 1", "+top = 1"], ["changes nothing: its new lines are the old ones"]),
        (
            ["-\tx = 1", "-\treturn x", "-", "-\tdef g(self):", "+"],
            ["its lines are not there; nearest is lines 3-6, which differs only in indentation"],
        ),
        (
            [
                " class A(Base):",
                "     def f(self):",
                "         x = 1",
                "-        return y",
                "+        return 0",
            ],
            ["nearest is lines 1-4, first in line 4: expected '        return y', found '        return x'"],
        ),
        (["-zzz", "+x", "@@", "-yyy", "+y"], ["hunk 1 of a.py (line 3", "hunk 2 of a.py (line 5"]),
        (
            [
                " class B:",
                "+    a = 1",
                "@@",
                "+    b = 1",
                "     def f(self):",
                "         x = 1",
                "@@ class B",
                "-        return x",
                "+",
            ],
            ["the hunks in lines 3 and 5 of the envelope overlap in a.py, line 12"],
        ),
    ],
)
def test_a_hunk_that_has_not_one_place_is_refused(tree: OpenTree, lines: list[str], parts: list[str]) -> None:
    put(tree, a__py=CLASSES)
    with pytest.raises(DiffError) as caught:
        stage_envelope(tree, update(*lines))
    for part in parts:
        assert part in caught.value.message
    assert caught.value.hint
    assert nothing_staged(tree)


# --- files -------------------------------------------------------------------------------------------


def test_files_come_and_go_and_move(tree: OpenTree) -> None:
    put(tree, a__py=b"a = 1\n", gone__py=b"", tool__sh=b"echo\r\nexit\r\n")
    os.chmod(tree.root / "tool.sh", 0o755)
    text = envelope(
        "*** Add File: new/x.py",
        "+x = 1",
        "*** Update File: tool.sh",
        "*** Move to: bin/tool.sh",
        " echo",
        "-exit",
        "+exit 1",
        "*** Delete File: gone.py",
        "*** Update File: a.py",
        "*** Move to: b.py",
        "*** Add File: crlf\r",
        "+x\r",
    )
    staged = stage_envelope(tree, text)
    assert staged.troubles == ()
    assert committed(tree, staged) == {
        "new/x.py": b"x = 1\n",
        "bin/tool.sh": b"echo\r\nexit 1\r\n",
        "b.py": b"a = 1\n",
        "crlf": b"x\r\n",
    }
    assert os.stat(tree.root / "bin/tool.sh").st_mode & 0o100
    tree.store.undo()
    assert files(tree) == {"a.py": b"a = 1\n", "gone.py": b"", "tool.sh": b"echo\r\nexit\r\n"}


def test_several_sections_update_one_file_in_any_order(tree: OpenTree) -> None:
    put(tree, a__py=CLASSES)
    text = envelope(
        *("*** Update File: a.py", "-top = 1", "+top = 2"),
        *("*** Update File: ./a.py", "@@ def g", X, FOUR),
    )
    staged = stage_envelope(tree, text)
    assert staged.change is not None
    assert [site.number for site in staged.change.files[0].sites] == [2, 1]
    assert committed(tree, staged) == {"a.py": changed(7).replace(b"top = 1", b"top = 2")}


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        (["*** Add File: a.py", "+x"], "a.py is there already: update it"),
        (["*** Delete File: n.py"], "n.py is not there"),
        (["*** Update File: n.py", "-a"], "n.py is not there"),
        (["*** Update File: d", "-a"], "d is a folder"),
        (
            ["*** Update File: a.py", "*** Move to: b.py", "-a"],
            "would be moved to b.py, which is there already",
        ),
        (["*** Update File: a.py", "*** Move to: ../b.py"], "goes upwards"),
        (["*** Add File: /etc/x", "+"], "'/etc/x' is outside of the root (line 2 of the envelope)"),
        (["*** Add File: .git/hooks/x", "+"], "is inside of .git"),
        (["*** Delete File: a.py", "*** Add File: a.py", "+"], "is named by two sections, and not both"),
        (["*** Update File: a.py", "-a", "*** Delete File: ./a.py"], "is named by two sections"),
        (["*** Update File: a.py", "*** Move to: n", "*** Add File: n", "+"], "n comes from two sections"),
        (
            ["*** Update File: a.py", "*** Move to: n", "*** Update File: a.py", "*** Move to: m"],
            "'a.py' is moved to two places",
        ),
        (
            ["*** Update File: a.py", "-a", "+x", "*** Update File: a.py", "-a", "+y"],
            "the hunks in lines 3 and 6 of the envelope overlap in a.py, line 1",
        ),
    ],
)
def test_files_that_cannot_be_as_the_envelope_says(tree: OpenTree, lines: list[str], part: str) -> None:
    put(tree, a__py=b"a\n", b__py=b"b\n", d___x=b"")
    with pytest.raises(DiffError) as caught:
        stage_envelope(tree, envelope(*lines, "*** Update File: b.py", "-zz", "+x"))
    assert part in caught.value.message
    assert "hunk 1 of b.py" in caught.value.message
    assert nothing_staged(tree)


def test_digests_guard_an_envelope(tree: OpenTree) -> None:
    put(tree, a__py=b"a\n")
    with pytest.raises(StaleError) as caught:
        stage_envelope(tree, PLAIN, digests={"a.py": digest(b"old")[:12], "n.py": digest(b"")})
    assert [file.path for file in caught.value.files] == ["a.py", "n.py"]
    staged = stage_envelope(tree, PLAIN, digests={"./a.py": digest(b"a\n")[:12]})
    assert committed(tree, staged) == {"a.py": b"b\n"}


def test_a_diff_and_an_envelope_are_told_apart(tree: OpenTree) -> None:
    put(tree, a__py=b"a\n")
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1,3 @@\n-a\n+*** Begin Patch\n+b\n+c\n"
    staged = stage_diff_or_envelope(tree, diff, "mine")
    assert staged.origin == {"from": "patch", "name": "mine"}
    assert committed(tree, staged) == {"a.py": b"*** Begin Patch\nb\nc\n"}
    tree.store.undo()
    staged = stage_diff_or_envelope(tree, PLAIN)
    assert staged.origin == {"from": "envelope", "name": "a.py"}
    assert committed(tree, staged) == {"a.py": b"b\n"}
    with pytest.raises(DiffError, match="not '\\*\\*\\* Begin Patch'"):
        stage_diff_or_envelope(tree, "*** Update File: a.py\n-b\n")
    with pytest.raises(DiffError, match="holds no diff"):
        stage_diff_or_envelope(tree, "nothing of the kind")
    with pytest.raises(DiffError, match="no Unicode"):
        stage_diff_or_envelope(tree, "\ud800")
    with pytest.raises(StaleError):
        stage_diff_or_envelope(tree, diff, digests={"a.py": "0" * 12})


def test_a_moved_file_is_compared_with_what_it_was(tree: OpenTree) -> None:
    put(tree, a__py=b"x = (\n")
    staged = stage_envelope(tree, envelope("*** Update File: a.py", "*** Move to: b.py"))
    assert staged.troubles == ()
    staged = stage_envelope(tree, update("-x = (", "+def def (:", "+x = )", "+y = ]"))
    assert [trouble.path for trouble in staged.troubles] == ["a.py"]


def test_a_stale_envelope_is_fitted_again(tree: OpenTree) -> None:
    put(tree, a__py=CLASSES, b__py=b"b\n")
    text = envelope(
        *("*** Update File: a.py", "@@ def g", X, FOUR, "@@", "-top = 1", "+top = 2"),
        *("*** Update File: b.py", "*** Move to: c.py", "*** Add File: n.py", "+n"),
    )
    staged = stage_envelope(tree, text)
    put(tree, a__py=b"first = 1\n" + CLASSES)
    assert staged.change is not None
    again = rebase(tree, find(tree, staged.change.id))
    assert again.change is not None
    tree.store.commit(again.change.id)
    assert files(tree) == {
        "a.py": b"first = 1\n" + changed(7).replace(b"top = 1", b"top = 2"),
        "c.py": b"b\n",
        "n.py": b"n\n",
    }


def test_hostile_envelopes_are_answered_soon(tree: OpenTree) -> None:
    put(tree, a__py=b"x\n" * 100_000, b__py=b"".join(b"%sx\n" % (b" " * (n % 300)) for n in range(30_000)))
    begun = time.perf_counter()
    for path, lines in (
        ("a.py", [" x"] * 1_000 + ["-x"]),
        ("a.py", ["@@", "-x", "+y"] * 2_000),
        ("a.py", ["@@ x"] * 50 + ["-x", "+y"]),
        ("a.py", ["@@ z", "-x", "+y"] * 200),
        ("b.py", ["@@ x"] * 5 + ["-x", "+y"]),
        ("b.py", ["-z", "+y", "@@"] * 200),
        ("b.py", ["junk"] * 50_000),
    ):
        with pytest.raises(DiffError):
            stage_envelope(tree, update(*lines, path=path))
    assert time.perf_counter() - begun < 20
