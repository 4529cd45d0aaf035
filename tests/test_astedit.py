"""``astedit`` as people and programs run it: stage, look, accept, undo; exit codes and interruptions."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.test_cli import ROOT, command, environment, put, run

SCHEMA = json.loads((ROOT / "docs/astedit-json-schema.json").read_text())

Done = subprocess.CompletedProcess[str]

LET = ("var $X = $Y", "--rewrite", "let $X = $Y")
PARTED = ("oldName", "--rewrite", "ns.newName", "--lang", "js")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    put(tmp_path, "a.js", "var a = 1;\nvar b = 2;\nfoo(a, b);\n")
    put(tmp_path, "sub/b.js", "function f() {\n  var c = 3; // kept\n}\n")
    put(tmp_path, "sub/c.py", "foo(1, 2)\n")
    return tmp_path


def edit(tree: Path, *arguments: str, stdin: bytes = b"", **more: str) -> Done:
    return run(tree, *arguments, program="astedit", stdin=stdin, **more)


def answer(tree: Path, *arguments: str, code: int = 0, stdin: bytes = b"") -> dict[str, Any]:
    """The JSON answer, which must be as the schema says."""
    done = edit(tree, *arguments, "--json", stdin=stdin)
    assert done.returncode == code, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(value, SCHEMA)
    return value


def staged(tree: Path, *arguments: str, code: int = 0) -> str:
    name = answer(tree, "stage", *arguments, code=code)["id"]
    assert isinstance(name, str)
    return name


def text(tree: Path, name: str) -> str:
    return (tree / name).read_bytes().decode()


# --- stage, look, accept, undo ---------------------------------------------------------------------


def test_the_whole_way(tree: Path) -> None:
    before = {name: text(tree, name) for name in ("a.js", "sub/b.js", "sub/c.py")}
    done = edit(tree, "stage", *LET)
    assert done.returncode == 0
    (name,) = re.findall(r"staged (\w+): 3 sites in 2 files, \+3 -3", done.stdout)
    assert "  a.js        2 sites  +2 -2\n" in done.stdout
    assert "3 matches in 2 of 2 files searched" in done.stderr
    assert f"`astedit resolve --accept {name}`" in done.stderr
    assert {path: text(tree, path) for path in before} == before

    assert edit(tree, "list").stdout.startswith(f"{name}  3 sites in 2 files  just now  var $X = $Y → let $X")
    shown = edit(tree, "show")
    assert "@@ -1,3 +1,3 @@ site 1-2\n-var a = 1;\n-var b = 2;\n+let a = 1;\n+let b = 2;\n" in shown.stdout
    assert edit(tree, "show", name[:3], "--stat").stdout.endswith("  sub/b.js     1 site  +1 -1\n")

    done = edit(tree, "resolve", "--accept")
    assert done.returncode == 0
    assert done.stdout == f"committed {name}: 2 files\n  modify  a.js\n  modify  sub/b.js\n"
    assert f"`astedit undo {name}`" in done.stderr
    assert text(tree, "a.js") == "let a = 1;\nlet b = 2;\nfoo(a, b);\n"
    assert text(tree, "sub/b.js") == "function f() {\n  let c = 3; // kept\n}\n"

    again = edit(tree, "resolve", name, "--accept")
    assert again.returncode == 0
    assert again.stdout.startswith(f"already committed: {name}, ")

    done = edit(tree, "undo")
    assert done.returncode == 0
    assert done.stdout.startswith(f"undid {name} by ")
    assert {path: text(tree, path) for path in before} == before
    log = edit(tree, "log").stdout
    assert f"undo of {name}\n    a.js, sub/b.js\n" in log
    assert "undone by" in log


def test_of_two_that_accept_at_once_one_wins(tree: Path) -> None:
    name = staged(tree, *LET)
    both = [
        subprocess.Popen(
            [*command("astedit"), "resolve", "--accept", name],
            cwd=tree,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]
    said = sorted(process.communicate(timeout=60)[0].decode().split(":")[0] for process in both)
    assert said == ["already committed", f"committed {name}"]
    assert [process.returncode for process in both] == [0, 0]


def test_discard_forgets(tree: Path) -> None:
    name = staged(tree, *LET)
    done = edit(tree, "resolve", "--discard")
    assert done.returncode == 0
    assert done.stdout == f"discarded {name}: 3 sites in 2 files\n"
    assert edit(tree, "list").stdout == ""
    done = edit(tree, "show", name)
    assert done.returncode == 2
    assert "was discarded" in done.stderr


def test_several_open_changes_must_be_named(tree: Path) -> None:
    one, other = staged(tree, *LET), staged(tree, "foo($A, $B)", "--rewrite", "bar($B, $A)")
    done = edit(tree, "resolve", "--accept")
    assert done.returncode == 2
    assert f"hint: open: {one}, {other}" in done.stderr
    assert edit(tree, "resolve", "--accept", one).returncode == 0
    done = edit(tree, "list")
    assert "  stale  " in done.stdout
    done = edit(tree, "resolve", "--accept", other)
    assert done.returncode == 4


def test_an_id_that_is_none_lists_the_open_ones(tree: Path) -> None:
    name = staged(tree, *LET)
    for arguments in (
        ["resolve", "--discard", "zzzzzz"],
        ["show", "zzzzzz"],
        ["drop", "zzzzzz", "--site", "1"],
    ):
        done = edit(tree, *arguments)
        assert done.returncode == 2
        assert f"hint: open: {name}" in done.stderr


def test_the_patch_is_what_git_and_patch_take(tree: Path) -> None:
    put(tree, "crlf.js", b"var a = 1;\r\nvar b = 2;")
    staged(tree, *LET)
    patch = subprocess.run(
        [*command("astedit"), "show", "--patch"],
        cwd=tree,
        env=environment(),
        capture_output=True,
        check=True,
    ).stdout
    subprocess.run(["git", "apply", "-"], cwd=tree, input=patch, check=True)
    there = {name: (tree / name).read_bytes() for name in ("a.js", "sub/b.js", "crlf.js")}
    assert there["crlf.js"] == b"let a = 1;\r\nlet b = 2;"
    subprocess.run(["git", "apply", "-R", "-"], cwd=tree, input=patch, check=True)
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert {name: (tree / name).read_bytes() for name in there} == there


def test_from_a_folder_below_the_store_of_the_root_is_used(tree: Path) -> None:
    (tree / ".git").mkdir()
    done = edit(tree / "sub", "stage", *LET)
    assert "sub/b.js" in done.stdout
    assert f"paths are relative to {tree}" in done.stderr
    assert edit(tree, "list").stdout.count("1 site in 1 file") == 1
    assert edit(tree / "sub", "resolve", "--accept").returncode == 0
    assert "let c" in text(tree, "sub/b.js")
    assert "var a" in text(tree, "a.js")


def test_a_path_outside_of_the_root_is_refused(tree: Path) -> None:
    done = edit(tree / "sub", "stage", *LET, "..")
    assert done.returncode == 2
    assert "is outside of" in done.stderr
    assert "--root" in done.stderr
    assert not (tree / "sub/.structural").exists()
    done = edit(tree / "sub", "stage", *LET, "..", "--root", "..")
    assert done.returncode == 0
    assert (tree / ".structural").exists()


def test_the_own_store_is_never_searched(tree: Path) -> None:
    staged(tree, *LET)
    value = answer(tree, "stage", "$K: $V", "--lang", "json", "--rewrite", '"x": $V', "--hidden", code=1)
    assert value["files"] == []


# --- exit codes ------------------------------------------------------------------------------------


def test_nothing_to_stage_is_no_error(tree: Path) -> None:
    done = edit(tree, "stage", "nowhere()", "--rewrite", "x")
    assert done.returncode == 1
    assert done.stdout == "the pattern matches nothing; nothing was staged\n"
    done = edit(tree, "stage", "foo($A, $B)", "--rewrite", "foo($A, $B)")
    assert done.returncode == 1
    assert "what the matches would become is what is there; nothing was staged" in done.stdout
    assert not (tree / ".structural").exists()
    assert answer(tree, "stage", "nowhere()", "--rewrite", "x", code=1)["why"] == "no match"


def test_refused_matches_are_told_and_the_rest_is_staged(tree: Path) -> None:
    put(tree, "d.js", "x = oldName;\nfunction oldName() {}\n")
    done = edit(tree, "stage", *PARTED)
    assert done.returncode == 3
    assert "refused 1 match, left as before:\n" in done.stdout
    why = "the result would not parse: 'ns.' is not expected in 'function ns.newName() {}'"
    assert f"  d.js:2: {why}\n" in done.stdout
    assert "1 site in 1 file" in done.stdout
    assert f"d.js:2: {why}" in edit(tree, "show").stdout
    value = answer(tree, "show")
    assert value["refused"] == [{"path": "d.js", "range": [22, 29], "line": 2, "reason": why}]


def test_strict_stages_nothing_if_a_match_is_refused(tree: Path) -> None:
    put(tree, "d.js", "x = oldName;\nfunction oldName() {}\n")
    done = edit(tree, "stage", *PARTED, "--strict")
    assert done.returncode == 3
    assert "nothing was staged" in done.stdout
    assert edit(tree, "list").stdout == ""
    value = answer(tree, "stage", *PARTED, "--strict", code=3)
    assert (value["staged"], value["why"], value["id"]) == (False, "strict", None)


def test_a_file_that_cannot_be_searched_is_told(tree: Path) -> None:
    put(tree, "bad.js", b"var x = '\xff';\n")
    done = edit(tree, "stage", *LET)
    assert done.returncode == 3
    assert "skipped bad.js: encoding" in done.stderr
    assert "skipped bad.js: encoding" in edit(tree, "show").stdout
    assert edit(tree, "stage", *LET, "--strict").returncode == 3
    assert len(edit(tree, "list").stdout.splitlines()) == 1


def test_a_cut_search_is_staged_only_with_partial(tree: Path) -> None:
    done = edit(tree, "stage", *LET, "--max-count", "1")
    assert done.returncode == 2
    assert "add --partial" in done.stderr
    assert edit(tree, "list").stdout == ""
    value = answer(tree, "stage", *LET, "--max-count", "1", "--partial")
    assert (value["sites"], value["cut"], value["flags"]) == (1, "max-count", ["partial"])
    assert "; partial" in edit(tree, "show").stdout


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "there is nothing to stage"),
        (["x"], "what shall become of the matches?"),
        (["x", "--rewrite", "y", "--rewrite-file", "z"], "do not go together"),
        (["x", "--diff", "z"], "takes no pattern"),
        (["x", "--rewrite", "$Y"], "Y"),
        (["x", "--rewrite", "y", "nowhere"], "nowhere"),
        (["--rewrite", "y"], "there is no pattern"),
        (["--diff", "nowhere.patch"], "cannot be read"),
        (["x", "--rewrite-file", "nowhere"], "cannot be read"),
        (["if (", "--rewrite", "y"], "is no code"),
        (["x", "--rewrite", "y", "--root", "nowhere"], "is no folder"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(tree: Path, arguments: list[str], part: str) -> None:
    done = edit(tree, "stage", *arguments)
    assert done.returncode == 2
    assert part in done.stderr
    assert done.stdout == ""
    assert not (tree / ".structural").exists()
    value = json.loads(edit(tree, "stage", *arguments, "--json").stdout)
    jsonschema.validate(value, SCHEMA)
    assert part in value["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            ["old($X)", "--rewrite", "new($X)", "--diff", "z"],
            "`--show diff` shows what a rewrite would change",
        ),
        (["old($X)", "--lang", "py", "--rewrite", "# gone"], "an empty rewrite takes code out"),
    ],
)
def test_what_was_meant_is_offered(tree: Path, arguments: list[str], hint: str) -> None:
    done = edit(tree, "stage", *arguments)
    assert done.returncode == 2
    assert hint in done.stderr.splitlines()[-1]


def test_a_mistyped_command_is_told_from_a_pattern(tree: Path) -> None:
    assert "did you mean `astedit resolve`?" in edit(tree, "reslove").stderr
    assert "astedit stage 'foo($A)' --rewrite" in edit(tree, "foo($A)").stderr
    assert edit(tree, "resolve").returncode == 2
    assert edit(tree).stdout.startswith("Usage: astedit")


def test_a_stale_change_is_refused_whole_with_the_digests(tree: Path) -> None:
    name = staged(tree, *LET)
    put(tree, "a.js", "var a = 1; // edited\n")
    done = edit(tree, "resolve", "--accept")
    assert done.returncode == 4
    assert re.search(r"a\.js was edited: expected [0-9a-f]{12}, found [0-9a-f]{12}\n", done.stderr)
    assert "nothing was changed" in done.stderr
    assert f"`astedit rebase {name}`" in done.stderr
    assert "var c" in text(tree, "sub/b.js")
    value = answer(tree, "resolve", "--accept", code=4)
    assert value["error"]["code"] == "stale"
    assert value["error"]["files"][0]["path"] == "a.js"
    assert len(value["error"]["files"][0]["expected"]) == 64
    assert answer(tree, "list")["changes"][0]["stale"][0]["why"] == "was edited"


def test_undo_after_a_further_edit_is_refused(tree: Path) -> None:
    name = staged(tree, *LET)
    edit(tree, "resolve", "--accept")
    put(tree, "sub/b.js", "var z = 1;\n")
    done = edit(tree, "undo", name)
    assert done.returncode == 4
    assert "sub/b.js was edited" in done.stderr
    assert text(tree, "a.js").startswith("let a")


def test_a_file_that_cannot_be_written_refuses_a_list_of_edits(tree: Path) -> None:
    """What was written by hand is staged whole or not at all; a rewrite sets such a file aside."""
    (tree / "a.js").chmod(0o444)
    both = [{"path": path, "find": "var", "text": "let"} for path in ("sub/b.js", "a.js")]
    both[1]["find"] = "var a"
    given = json.dumps(both).encode()
    done = edit(tree, "stage", "--edits", "-", stdin=given)
    assert done.returncode == 2
    assert "a.js is read-only" in done.stderr
    assert "hint: leave these files out\n" in done.stderr
    value = answer(tree, "stage", "--edits", "-", code=2, stdin=given)
    assert value["error"]["code"] == "unwritable"
    assert answer(tree, "list")["changes"] == []


# --- JSON ------------------------------------------------------------------------------------------


def test_every_answer_is_as_the_schema_says(tree: Path) -> None:
    value = answer(tree, "stage", *LET)
    assert [file["path"] for file in value["files"]] == ["a.js", "sub/b.js"]
    assert value["files"][0]["sites"][1] == {"number": 2, "range": [11, 21], "line": 2, "matches": 1}
    assert (value["sites"], value["added"], value["removed"], value["complete"]) == (3, 3, 3, True)
    shown = answer(tree, "show")
    assert shown["files"][0]["sites"][0]["edits"] == [{"range": [0, 3], "text": "let"}]
    assert shown["files"][0]["diff"].startswith("diff --git a/a.js b/a.js\n")
    assert answer(tree, "list")["changes"][0]["id"] == value["id"]
    assert answer(tree, "drop", "--site", "2")["gone"] == [2]
    assert answer(tree, "rebase")["stay_dropped"] == 1
    done = answer(tree, "resolve", "--accept")
    assert (done["command"], done["already"], done["undoable"]) == ("resolve", False, True)
    assert answer(tree, "resolve", "--accept", value["id"])["already"]
    assert answer(tree, "undo")["undoes"] == value["id"]
    assert len(answer(tree, "log")["commits"]) == 2
    assert answer(tree, "recover")["id"] is None
    assert answer(tree, "gc", "--keep", "0", "--older-than", "0")["removed"]
    staged(tree, *LET)
    assert answer(tree, "resolve", "--discard")["state"] == "discarded"
    error = answer(tree, "show", code=2)["error"]
    assert error["code"] == "unknown-change"


# --- how it behaves --------------------------------------------------------------------------------


def test_colours_are_for_terminals_and_those_who_ask(tree: Path) -> None:
    staged(tree, *LET)
    assert "\x1b" not in edit(tree, "show").stdout
    assert "\x1b[31m-var a = 1;\x1b[0m" in edit(tree, "show", "--color", "always").stdout
    assert "\x1b" in edit(tree, "show", FORCE_COLOR="1").stdout
    assert "\x1b" not in edit(tree, "show", "--patch", "--color", "always").stdout


def test_a_rewrite_from_a_file_or_a_pipe(tree: Path) -> None:
    put(tree, "to.txt", "let $X = $Y\n")
    assert edit(tree, "stage", "var $X = $Y", "--rewrite-file", "to.txt").returncode == 0
    done = edit(tree, "stage", "var $X = $Y", "--rewrite-file", "-", stdin=b"let $X = $Y")
    assert done.returncode == 0
    assert "let a" in edit(tree, "show", edit(tree, "list").stdout.split()[0]).stdout


def test_a_name_made_from_another(tree: Path) -> None:
    put(tree, "d.py", "get(someName)\n")
    staged(tree, "get($X)", "--rewrite", "$NEW()", "--transform", "NEW=convert($X, toCase=snakeCase)")
    put(tree, "d.py", "# moved\nget(someName)\n")
    assert edit(tree, "rebase").returncode == 0
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "d.py") == "# moved\nsome_name()\n"


def test_a_failure_of_ours_on_one_file_is_told_and_leaves_the_others(tree: Path) -> None:
    code = (
        "import sys; from structural.workflow import rewriting\n"
        "real = rewriting.search_and_rewrite\n"
        "def failing(source, *a, **k):\n"
        "    if b'kept' in source: raise IndexError('oh')\n"
        "    return real(source, *a, **k)\n"
        "rewriting.search_and_rewrite = rewriting.rewrite_source = failing\n"
        f"sys.argv = ['astedit', 'stage', *{LET!r}]\n"
        "from structural.cli.main import astedit; sys.exit(astedit())"
    )
    done = subprocess.run(
        [command()[0], "-P", "-c", code],
        cwd=tree,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "failed on sub/b.js: IndexError: oh" in done.stderr
    assert "2 sites in 1 file" in done.stdout
    assert "failed on sub/b.js" in edit(tree, "show").stdout


def test_an_empty_rewrite_removes(tree: Path) -> None:
    assert edit(tree, "stage", "foo($A, $B);", "--rewrite", "", "a.js").returncode == 0
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "a.js") == "var a = 1;\nvar b = 2;\n"


def test_the_diff_can_be_shown_at_once(tree: Path) -> None:
    done = edit(tree, "stage", *LET, "--show", "diff")
    assert "+let a = 1;" in done.stdout
    done = edit(tree, "stage", *LET, "--show", "none")
    assert len(done.stdout.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_error(tree: Path) -> None:
    put(tree, "big.js", "".join(f"var x{i} = {i};\n" for i in range(4000)))
    staged(tree, *LET)
    shell = f'{subprocess.list2cmdline(command("astedit")[:1])} -P -c "$CODE" show --patch | head -1'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell],
        cwd=tree,
        env=environment(CODE=command("astedit")[-1]),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.startswith(b"diff --git")


def test_an_interrupt_while_staging_leaves_nothing(tree: Path) -> None:
    for number in range(300):
        put(tree, f"many/f{number}.js", "var a = 1;\n" * 400)
    process = subprocess.Popen(
        [*command("astedit"), "stage", *LET, "--jobs", "1"],
        cwd=tree,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.0)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted" in err
    assert out == b""
    assert edit(tree, "list").stdout == ""


def _with_interrupt(tree: Path, method: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that is interrupted while this method of the store is at work."""
    code = (
        "import os, signal, sys\n"
        "from structural.staging.store import Store\n"
        f"real = Store.{method}\n"
        "def interrupted(*a, **k):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(*a, **k)\n"
        f"Store.{method} = interrupted\n"
        f"sys.argv = ['astedit', *{arguments!r}]\n"
        "from structural.cli.main import astedit; sys.exit(astedit())"
    )
    return subprocess.run(
        [command()[0], "-P", "-c", code],
        cwd=tree,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_interrupt_while_a_change_is_stored_discards_it(tree: Path) -> None:
    done = _with_interrupt(tree, "stage", "stage", *LET)
    assert done.returncode == 130
    assert "interrupted; nothing was staged" in done.stderr
    assert edit(tree, "list").stdout == ""


def test_an_interrupt_does_not_stop_a_commit_in_its_middle(tree: Path) -> None:
    name = staged(tree, *LET)
    done = _with_interrupt(tree, "commit", "resolve", "--accept")
    assert done.returncode == 0
    assert done.stdout.startswith(f"committed {name}")
    assert text(tree, "a.js").startswith("let a")
    done = _with_interrupt(tree, "undo", "undo")
    assert done.returncode == 0
    assert text(tree, "a.js").startswith("var a")


def test_an_interrupted_commit_is_recovered_by_the_next_command(tree: Path) -> None:
    for number in range(60):
        put(tree, f"many/f{number}.js", "var a = 1;\n")
    name = staged(tree, *LET)
    code = (
        "import os, sys\n"
        "from structural.staging.disk import Disk\n"
        "count = [0]\n"
        "def dying(one):\n"
        "    def call(*a, **k):\n"
        "        count[0] += 1\n"
        "        if count[0] == 30: os.kill(os.getpid(), 9)\n"
        "        return one(*a, **k)\n"
        "    return call\n"
        "Disk.exchange, Disk.link = dying(Disk.exchange), dying(Disk.link)\n"
        "sys.argv = ['astedit', 'resolve', '--accept']\n"
        "from structural.cli.main import astedit\n"
        "sys.exit(astedit())\n"
    )
    killed = subprocess.run(
        [command()[0], "-P", "-c", code], cwd=tree, env=environment(), check=False, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (tree / ".structural/journal").exists()
    done = edit(tree, "list")
    assert f"recovered: the interrupted commit of {name} was" in done.stderr
    texts = {text(tree, f"many/f{number}.js")[:3] for number in range(60)}
    assert len(texts) == 1


def test_the_version_comes_at_once(tree: Path) -> None:
    assert re.fullmatch(r"astedit \d+\.\d+\.\d+\n", edit(tree, "--version").stdout)
    code = (
        "import sys; sys.argv = ['astedit', '--version']; from structural.cli.main import astedit; astedit();"
        "print([m for m in ('click', 'tree_sitter', 'numpy', 'json') if m in sys.modules])"
    )
    done = subprocess.run(
        [command()[0], "-P", "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1] == "[]"


def test_looking_needs_no_grammar(tree: Path) -> None:
    staged(tree, *LET)
    code = (
        "import sys; sys.argv = ['astedit', 'show']; from structural.cli.main import astedit; astedit();"
        "print([m for m in ('tree_sitter', 'numpy', 'rignore') if m in sys.modules])"
    )
    done = subprocess.run(
        [command()[0], "-P", "-c", code],
        cwd=tree,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed(tree: Path, shell: str) -> None:
    done = edit(tree, "completion", shell)
    assert done.returncode == 0
    assert "_ASTEDIT_COMPLETE" in done.stdout


def test_a_shell_completes_ids(tree: Path) -> None:
    name = staged(tree, *LET)
    done = edit(
        tree, _ASTEDIT_COMPLETE="bash_complete", COMP_WORDS=f"astedit show {name[:2]}", COMP_CWORD="2"
    )
    assert done.stdout == f"plain,{name}\n"


def test_a_name_that_is_no_text_is_refused_and_shown(tree: Path) -> None:
    name = os.fsdecode(b"n\xff.js")
    try:
        put(tree, name, "var x = 1;\n")
    except OSError:
        pytest.skip("this file system takes no such name")
    done = edit(tree, "stage", *LET)
    assert done.returncode == 3
    assert "not writable" in done.stderr
    assert "3 sites in 2 files" in done.stdout


def test_a_rewrite_that_does_not_come_to_rest_says_so(tree: Path) -> None:
    growing = edit(tree, "stage", "foo($$$A)", "--rewrite", "bar(foo($$$A))", "--until-stable")
    assert growing.returncode == 3
    assert "did not come to rest" in growing.stderr
    ending = edit(tree, "stage", "foo($$$A)", "--rewrite", "bar($$$A)", "--until-stable")
    assert ending.returncode == 0


# --- damage, and answers that cannot be written ----------------------------------------------------


def test_a_damaged_change_is_named_and_dropped(tree: Path) -> None:
    good, bad = staged(tree, *LET), staged(tree, "foo($$$A)", "--rewrite", "bar($$$A)")
    path = tree / ".structural/changes" / bad / "change.json"
    path.write_bytes(path.read_bytes()[:100])
    done = edit(tree, "list")
    assert done.returncode == 3
    assert good in done.stdout
    assert f"{bad}  damaged  {path} is no JSON" in done.stdout
    assert f"`astedit drop {bad}`" in done.stderr
    value = answer(tree, "list", code=3)
    assert [(one["id"], one["state"], one["path"]) for one in value["damaged"]] == [
        (bad, "damaged", str(path))
    ]
    error = answer(tree, "show", bad, code=2)["error"]
    assert (error["code"], error["id"], error["path"]) == ("store", bad, str(path))
    assert edit(tree, "show", good).returncode == 0
    assert answer(tree, "gc", code=3)["damaged"][0]["id"] == bad
    assert edit(tree, "drop", good).returncode == 2
    assert answer(tree, "drop", bad)["state"] == "discarded"
    assert answer(tree, "list")["damaged"] == []


def test_a_damaged_journal_is_left_to_recover(tree: Path) -> None:
    name = staged(tree, *LET)
    journal = tree / ".structural/journal"
    journal.write_bytes(b"garbage")
    for command_line in (("resolve", "--accept", name), ("stage", *LET), ("drop", name, "--site", "1")):
        done = edit(tree, *command_line)
        assert done.returncode == 2
        assert "astedit recover" in done.stderr
    looked = edit(tree, "list")
    assert looked.returncode == 3
    assert name in looked.stdout
    assert "damaged" in looked.stderr
    value = answer(tree, "recover")
    assert (value["found"], value["id"], value["unsure"]) == (True, None, [])
    assert Path(value["journal"]).read_bytes() == b"garbage"
    assert edit(tree, "recover").stdout == "there was nothing to recover\n"
    assert edit(tree, "resolve", "--accept", name).returncode == 0


@pytest.mark.parametrize("where", [">&-", ">/dev/full"])
@pytest.mark.parametrize("as_json", ["", "--json"])
def test_what_was_done_is_told_although_the_answer_cannot_be_written(
    tree: Path, where: str, as_json: str
) -> None:
    def shell(line: str) -> Done:
        text = f"'{command('astedit')[0]}' -P -c \"$CODE\" {line} {as_json} {where}"
        return subprocess.run(
            ["sh", "-c", text],
            cwd=tree,
            env=environment(CODE=command("astedit")[-1]),
            capture_output=True,
            text=True,
            check=False,
        )

    done = shell("stage 'var $X = $Y' --rewrite 'let $X = $Y'")
    assert done.returncode == 5
    (name,) = re.findall(r"staged (\w{6}), but the answer could not", done.stderr)
    done = shell(f"resolve --accept {name}")
    assert done.returncode == 5
    assert f"committed {name}: 2 files, but the answer could not" in done.stderr
    assert text(tree, "a.js").startswith("let a")
    done = shell("undo")
    assert done.returncode == 5
    assert text(tree, "a.js").startswith("var a")
    assert len(answer(tree, "log")["commits"]) == 2


def test_a_reader_that_is_gone_does_not_hide_a_commit(tree: Path) -> None:
    name = staged(tree, *LET)
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [*command("astedit"), "resolve", "--accept", name],
        cwd=tree,
        env=environment(),
        stdout=theirs,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(theirs)
    assert done.returncode == 0
    assert f"committed {name}: 2 files; whoever read" in done.stderr.decode()


def test_an_undo_says_how_to_do_it_again(tree: Path) -> None:
    name = staged(tree, *LET)
    edit(tree, "resolve", "--accept", name)
    undo = answer(tree, "undo")["id"]
    again = edit(tree, "undo")
    assert again.returncode == 2
    assert f"`astedit undo {undo}` does it again" in again.stderr
    assert f"`astedit undo {undo}` does it again" in edit(tree, "undo", name).stderr
    assert f"to do it again: `astedit undo {undo}`" in edit(tree, "resolve", "--accept", name).stderr
    assert edit(tree, "undo", undo).returncode == 0
    assert text(tree, "a.js").startswith("let a")


# --- set aside, refused, and what is left ----------------------------------------------------------


def test_files_that_may_not_be_written_are_set_aside(tree: Path) -> None:
    put(tree, "r.js", "var r = 1;\n")
    (tree / "r.js").chmod(0o444)
    put(tree, "h.js", "var h = 1;\n")
    os.link(tree / "h.js", tree / "h2.txt")
    done = edit(tree, "stage", *LET)
    assert done.returncode == 3
    assert "3 sites in 2 files" in done.stdout
    assert "set aside: 2 files with matches" in done.stderr
    assert "r.js: not writable, is read-only" in done.stderr
    assert "h.js: not writable, has 2 names (hard links)" in done.stderr
    value = answer(tree, "stage", *LET, "r.js", "h.js", code=3)
    assert (value["staged"], value["why"], value["complete"]) == (False, "not writable", False)
    assert {one["path"] for one in value["skipped"]} == {"r.js", "h.js"}
    assert edit(tree, "stage", *LET, "--strict").returncode == 3


def test_a_refused_answer_does_not_look_like_no_match(tree: Path) -> None:
    put(tree, "p.py", "foo(3)\n")
    put(tree, "q.js", "foo(3);\n")
    value = answer(tree, "stage", "foo(3)", "--rewrite", "new Foo(3)", "p.py", "q.js", code=3)
    assert [one["path"] for one in value["files"]] == ["q.js"]
    (refused,) = value["refused"]
    assert (refused["path"], refused["reason"]) == ("p.py", "the rewrite is no code in python")
    (tree / "q.js").chmod(0o444)
    value = answer(tree, "stage", "foo(3)", "--rewrite", "new Foo(3)", "p.py", "q.js", code=3)
    assert (value["staged"], value["why"]) == (False, "refused")
    said = edit(tree, "stage", "foo(3)", "--rewrite", "new Foo(3)", "p.py", "q.js").stderr
    assert "to leave them out: --lang javascript" in said
    assert edit(tree, "stage", "foo(3)", "--rewrite", "new Foo(3)", "p.py").returncode == 2


def test_until_stable_is_not_advised_where_it_was_used(tree: Path) -> None:
    put(tree, "n.js", "f(f(f(1)));\n")
    for more in ((), ("--until-stable",)):
        said = edit(tree, "stage", "f($X)", "--rewrite", "g($X, $X)", "n.js", *more).stderr
        assert not more or "--until-stable" not in said
