"""What changes a staged change: dropped sites, diffs and edits from elsewhere, rebase, gc."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from structural.text import digest
from tests.test_astedit import LET, SCHEMA, answer, edit, staged, text, tree
from tests.test_cli import put

__all__ = ["tree"]


# --- drop ------------------------------------------------------------------------------------------


def test_sites_are_dropped_by_number_and_by_file(tree: Path) -> None:
    put(tree, "d.js", "".join(f"var x{number} = 0;\n" for number in range(5)))
    name = staged(tree, *LET)
    done = edit(tree, "drop", "--site", "1,4-5")
    assert done.stdout == f"dropped 3 sites (1,4-5)\n{name}: 5 sites in 3 files, +5 -5\n"
    assert edit(tree, "drop", name, "--file", "sub/*").stdout.startswith("dropped 1 site (8)")
    assert "dropped: site 1,4-5,8" in edit(tree, "show").stdout
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "a.js") == "var a = 1;\nlet b = 2;\nfoo(a, b);\n"
    assert text(tree, "d.js") == "let x0 = 0;\nvar x1 = 0;\nvar x2 = 0;\nlet x3 = 0;\nlet x4 = 0;\n"
    assert "var c" in text(tree, "sub/b.js")


def test_a_drop_that_means_nothing_is_an_error(tree: Path) -> None:
    staged(tree, *LET)
    for arguments, part in (
        (["--site", "9"], "has no site 9"),
        (["--file", "*.go"], "has no file *.go"),
        (["--site", "2-1"], "is no number of a site"),
        (["--site", "x"], "is no number of a site"),
        ([], "which sites?"),
    ):
        done = edit(tree, "drop", *arguments)
        assert done.returncode == 2
        assert part in done.stderr
    assert answer(tree, "show")["sites"] == 3


def test_a_change_without_sites_can_only_be_discarded(tree: Path) -> None:
    staged(tree, *LET)
    assert "has no sites left" in edit(tree, "drop", "--site", "1-3").stdout
    done = edit(tree, "resolve", "--accept")
    assert done.returncode == 2
    assert "hint: discard it" in done.stderr


def test_sites_that_hang_together_are_not_parted(tree: Path) -> None:
    edits = [
        {"path": "a.js", "find": "foo(a, b);", "text": "if (a) {\n  foo(a, b);"},
        {"path": "a.js", "range": [33, 33], "text": "}\n"},
        {"path": "a.js", "find": "var b", "text": "let b"},
    ]
    assert answer(tree, "stage", "--edits", "-", stdin=json.dumps(edits).encode())["syntax"] == []
    done = edit(tree, "drop", "--site", "2")
    assert done.returncode == 2
    assert "without site 2 the rest of a.js would have new syntax errors; nothing was dropped" in done.stderr
    assert "hint: site 1 hangs together with it: --site 1-2 drops both" in done.stderr
    assert answer(tree, "show")["sites"] == 3
    assert edit(tree, "drop", "--site", "3").returncode == 0
    assert edit(tree, "drop", "--site", "1-2").returncode == 0


# --- a diff ----------------------------------------------------------------------------------------

DIFF = """\
From a mail: text before is passed over.
diff --git a/a.js b/a.js
--- a/a.js
+++ b/a.js
@@ -1,3 +1,3 @@
-var a = 1;
+const a = 1;
 var b = 2;
 foo(a, b);
diff --git a/sub/c.py b/sub/c.py
deleted file mode 100644
--- a/sub/c.py
+++ /dev/null
@@ -1 +0,0 @@
-foo(1, 2)
diff --git a/new/run.sh b/new/run.sh
new file mode 100755
--- /dev/null
+++ b/new/run.sh
@@ -0,0 +1,2 @@
+#!/bin/sh
+echo hi
"""


def test_a_diff_is_staged_with_new_and_deleted_files(tree: Path) -> None:
    put(tree, "fix.patch", DIFF)
    done = edit(tree, "stage", "--diff", "fix.patch")
    assert done.returncode == 0
    assert "3 sites in 3 files, +3 -2" in done.stdout
    assert "new/run.sh   new file  +2 -0" in done.stdout
    assert "patch fix.patch" in edit(tree, "list").stdout
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "a.js").startswith("const a")
    assert not (tree / "sub/c.py").exists()
    assert (tree / "new/run.sh").stat().st_mode & 0o111
    assert edit(tree, "undo").returncode == 0
    assert text(tree, "sub/c.py") == "foo(1, 2)\n"
    assert not (tree / "new").exists()


def test_the_patch_that_is_shown_can_be_staged_again(tree: Path) -> None:
    staged(tree, *LET)
    patch = edit(tree, "show", "--patch").stdout
    edit(tree, "resolve", "--discard")
    done = edit(tree, "stage", "--diff", "-", stdin=patch.encode())
    assert "2 sites in 2 files, +3 -3" in done.stdout
    assert edit(tree, "show", "--patch").stdout == patch


def test_a_rename_moves_the_content(tree: Path) -> None:
    put(
        tree,
        "mv.patch",
        "diff --git a/a.js b/z.js\nsimilarity index 100%\nrename from a.js\nrename to z.js\n",
    )
    put(tree, "a.js", "var a = 1;\n")
    assert edit(tree, "stage", "--diff", "mv.patch").returncode == 0
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert not (tree / "a.js").exists()
    assert text(tree, "z.js") == "var a = 1;\n"


@pytest.mark.parametrize(
    ("diff", "part"),
    [
        ("hello\n", "holds no diff"),
        (DIFF.replace("-var a = 1;", "-var a = 2;"), "hunk 1 of a.js"),
        (DIFF.replace("a/a.js", "a/no.js").replace("b/a.js", "b/no.js"), "no.js is not there"),
        (DIFF.replace("a/a.js", "a/../x.js").replace("b/a.js", "b/../x.js"), "goes upwards"),
        (DIFF + DIFF, "names a.js twice"),
        ("diff --git a/a.js b/a.js\nold mode 100644\nnew mode 100755\n", "a change of its mode"),
    ],
)
def test_a_diff_that_does_not_fit_is_refused_whole(tree: Path, diff: str, part: str) -> None:
    done = edit(tree, "stage", "--diff", "-", stdin=diff.encode())
    assert done.returncode == 2
    assert part in done.stderr
    assert "nothing was staged" in done.stderr
    assert not (tree / ".structural").exists()


# --- edits -----------------------------------------------------------------------------------------


def edits(tree: Path, *wanted: dict[str, object], code: int = 0, more: tuple[str, ...] = ()) -> str:
    value = list(wanted)
    if code != 2:
        jsonschema.validate(value, {**SCHEMA["$defs"]["edits"], "$defs": SCHEMA["$defs"]})
    done = edit(tree, "stage", "--edits", "-", *more, stdin=json.dumps(value).encode())
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_edits_by_text_by_lines_and_by_bytes(tree: Path) -> None:
    edits(
        tree,
        {
            "path": "a.js",
            "find": "var a = 1",
            "text": "const a = 1",
            "digest": digest((tree / "a.js").read_bytes()),
        },
        {"path": "a.js", "lines": [2, 2], "text": "let b = 3;"},
        {"path": "sub/c.py", "range": [0, 3], "text": "bar"},
        {"path": "sub/c.py", "lines": [1, 0], "text": "# first"},
    )
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "a.js") == "const a = 1;\nlet b = 3;\nfoo(a, b);\n"
    assert text(tree, "sub/c.py") == "# first\nbar(1, 2)\n"


def test_lines_keep_the_ends_of_the_file(tree: Path) -> None:
    put(tree, "w.txt", b"one\r\ntwo\r\nthree")
    edits(
        tree,
        {"path": "w.txt", "lines": [1, 1], "text": "ONE"},
        {"path": "w.txt", "lines": [4, 3], "text": "4"},
    )
    edit(tree, "resolve", "--accept")
    assert (tree / "w.txt").read_bytes() == b"ONE\r\ntwo\r\nthree\r\n4"
    edits(tree, {"path": "w.txt", "lines": [2, 3], "text": ""})
    edit(tree, "resolve", "--accept")
    assert (tree / "w.txt").read_bytes() == b"ONE\r\n4"


@pytest.mark.parametrize(
    ("wanted", "part"),
    [
        ({"path": "a.js", "find": "var", "text": ""}, "stands more than once, in line 1, 2"),
        ({"path": "a.js", "find": "nope", "text": ""}, "is not there"),
        ({"path": "no.js", "find": "x", "text": ""}, "edit 1 (no.js): is not there"),
        ({"path": "sub", "find": "x", "text": ""}, "is a folder"),
        ({"path": "../x", "find": "x", "text": ""}, "goes upwards"),
        ({"path": "/etc/passwd", "find": "x", "text": ""}, "outside of the root"),
        ({"path": ".git/config", "find": "x", "text": ""}, "inside of .git"),
        ({"path": "a.js", "range": [0, 999], "text": ""}, "is not in the file, which has 33 bytes"),
        ({"path": "a.js", "range": [5, 3], "text": ""}, "is not in the file"),
        ({"path": "a.js", "range": [1.5, 3], "text": ""}, "no pair of whole numbers"),
        ({"path": "a.js", "lines": [1, 9], "text": ""}, "are not in the file, which has 3"),
        ({"path": "a.js", "text": ""}, "exactly one of"),
        ({"path": "a.js", "find": "x"}, "needs 'text'"),
        ({"path": "a.js", "find": "foo", "text": "", "digest": "0" * 64}, "the file was edited"),
        ({"path": "a.js", "find": "foo", "text": "", "txt": ""}, "unknown name 'txt'"),
    ],
)
def test_an_edit_that_is_wrong_is_told(tree: Path, wanted: dict[str, object], part: str) -> None:
    said = edits(tree, {"path": "sub/c.py", "find": "foo", "text": "bar"}, wanted, code=2)
    assert part.replace("edit 1", "edit 2") in said
    assert "nothing was staged" in said
    assert not (tree / ".structural").exists()


def test_edits_that_overlap_are_told(tree: Path) -> None:
    said = edits(
        tree,
        {"path": "a.js", "range": [0, 5], "text": ""},
        {"path": "a.js", "range": [3, 7], "text": ""},
        code=2,
    )
    assert "edits 1 and 2 overlap in a.js" in said
    done = edit(tree, "stage", "--edits", "-", stdin=b"{")
    assert done.returncode == 2
    assert "is no JSON" in done.stderr


def test_new_syntax_errors_are_told_and_strict_refuses_them(tree: Path) -> None:
    wrong: dict[str, object] = {"path": "sub/c.py", "find": "foo(1", "text": "foo((1"}
    said = edits(tree, wrong, more=("--strict",), code=3)
    assert "a file would have syntax errors; nothing was staged" in said
    assert "sub/c.py would have syntax errors: 1 for 0 before" in edits(tree, wrong)


def test_edits_that_change_nothing_are_not_staged(tree: Path) -> None:
    said = edits(tree, {"path": "sub/c.py", "find": "foo", "text": "foo"}, code=1)
    assert "every file would stay as it is; nothing was staged" in said


# --- rebase ----------------------------------------------------------------------------------------


def test_a_stale_change_is_computed_again(tree: Path) -> None:
    name = staged(tree, *LET)
    edit(tree, "drop", "--site", "1")
    put(tree, "a.js", "// moved\nvar a = 1;\nvar new1 = 5;\nvar b = 2;\n")
    put(tree, "sub/b.js", "// gone\n")
    put(tree, "sub/d.js", "var d = 1;\n")
    assert edit(tree, "resolve", "--accept").returncode == 4
    done = edit(tree, "rebase")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        f"rebased {name}: 1 site as before, 2 new, 1 gone, 1 stay dropped",
        "  new   a.js:3  site 4",
        "  new   sub/d.js:1  site 5",
        "  gone  sub/b.js:2  site 3",
        f"{name}: 3 sites in 2 files, +3 -3",
    ]
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "a.js") == "// moved\nvar a = 1;\nlet new1 = 5;\nlet b = 2;\n"
    assert text(tree, "sub/d.js") == "let d = 1;\n"


def test_what_was_dropped_stays_dropped_over_several_rebases(tree: Path) -> None:
    staged(tree, *LET)
    edit(tree, "drop", "--site", "2")
    for number in range(3):
        put(tree, "a.js", "// moved\n" * number + "var a = 1;\nvar b = 2;\n")
        value = answer(tree, "rebase")
        assert (value["same"], value["stay_dropped"], value["added_sites"]) == (2, 1, [])
    assert edit(tree, "drop", "--file", "a.js").returncode == 0
    put(tree, "a.js", "var a = 1;\nvar b = 2;\nvar z = 2;\n")
    assert [one["number"] for one in answer(tree, "rebase")["added_sites"]] == [4]


def test_a_rebase_with_nothing_left_leaves_the_change(tree: Path) -> None:
    staged(tree, *LET)
    for name in ("a.js", "sub/b.js"):
        put(tree, name, "let q;\n")
    done = edit(tree, "rebase")
    assert done.returncode == 1
    assert "nothing is left to change" in done.stdout
    assert answer(tree, "rebase", code=1)["rebased"] is False
    assert len(edit(tree, "list").stdout.splitlines()) == 1


def test_a_rebase_from_another_folder_looks_at_the_same_files(tree: Path) -> None:
    (tree / ".git").mkdir()
    done = edit(tree / "sub", "stage", *LET)
    assert "1 site in 1 file" in done.stdout
    put(tree, "sub/b.js", "var q = 1;\nvar c = 3; // kept\n")
    assert "2 sites in 1 file" in edit(tree, "rebase").stdout


def test_a_diff_is_rebased_if_it_still_fits(tree: Path) -> None:
    put(tree, "fix.patch", DIFF)
    edit(tree, "stage", "--diff", "fix.patch")
    put(tree, "a.js", "// one\n// two\nvar a = 1;\nvar b = 2;\nfoo(a, b);\n")
    assert edit(tree, "rebase").returncode == 0
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "a.js") == "// one\n// two\nconst a = 1;\nvar b = 2;\nfoo(a, b);\n"


def test_a_diff_that_no_longer_fits_is_not_rebased(tree: Path) -> None:
    put(tree, "fix.patch", DIFF)
    edit(tree, "stage", "--diff", "fix.patch")
    put(tree, "a.js", "var a = 7;\n")
    (tree / "sub/c.py").unlink()
    done = edit(tree, "rebase")
    assert done.returncode == 2
    assert "site 1 (a.js:1): its lines are not there" in done.stderr
    assert "sub/c.py is not there any more" in done.stderr
    assert edit(tree, "resolve", "--accept").returncode == 4
    edit(tree, "drop", "--file", "a.js", "--file", "sub/c.py")
    assert edit(tree, "rebase").returncode == 0
    assert edit(tree, "resolve", "--accept").returncode == 0


# --- gc --------------------------------------------------------------------------------------------


def test_what_is_collected_can_no_longer_be_undone(tree: Path) -> None:
    staged(tree, *LET)
    edit(tree, "resolve", "--accept")
    assert edit(tree, "gc").stdout.startswith("forgot 0 changes")
    done = edit(tree, "gc", "--keep", "0", "--older-than", "0")
    assert re.match(r"forgot 1 change, [\d,]+ bytes\n", done.stdout)
    assert edit(tree, "undo").returncode == 2
