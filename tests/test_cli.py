"""The commands as people and programs run them: processes, exit codes, output, interruptions."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "docs/json-schema.json").read_text())
_CODE = "import sys; sys.argv[0] = {0!r}; from structural.cli.main import {0} as main; sys.exit(main())"

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    put(tmp_path, "a.js", "if (a != null) a.dispose();\nfoo(1, 'x');\n")
    put(tmp_path, "sub/b.js", "function f() {\n  foo(\n    2,\n    y\n  );\n}\n")
    put(tmp_path, "sub/c.py", "foo(1, 2)\n")
    return tmp_path


def put(root: Path, name: str, text: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def command(program: str = "astgrep") -> list[str]:
    return [sys.executable, "-P", "-c", _CODE.format(program)]


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", "LC_ALL": "C.UTF-8", **more}


def run(
    tree: Path, *arguments: str, program: str = "astgrep", stdin: bytes = b"", **more: str
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*command(program), *arguments],
        cwd=tree,
        env=environment(**more),
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode()
    )


def at_terminal(tree: Path, arguments: Sequence[str], columns: int = 80, **more: str) -> str:
    """What a person sees on a terminal: standard output and standard error together."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*command(), *arguments],
        cwd=tree,
        env=environment(**more),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    process.wait(60)
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


# --- answers -------------------------------------------------------------------------------------


def test_one_line_a_match_where_nobody_looks(tree: Path) -> None:
    done = run(tree, "search", "foo($A, $B)")
    assert done.stdout == (
        "a.js:2:1: foo(1, 'x');\n"
        "sub/b.js:2:3:   foo( …\n"
        "sub/c.py:1:1: foo(1, 2)\n"
    )  # fmt: skip
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines[0] == "3 matches in 3 of 3 files searched"
    assert lines[1] == "read as statement (javascript, python)"


def test_at_a_terminal_matches_stand_under_their_file(tree: Path) -> None:
    seen = at_terminal(tree, ["search", "foo($A, $B)", "--color", "never"])
    assert "a.js\n2:1       foo(1, 'x');\n\nsub/b.js\n2:3         foo(\n" in seen
    assert "\n3             2,\n4             y\n5           );\n" in seen
    coloured = at_terminal(tree, ["search", "foo($A, $B)"])
    assert "\x1b[35ma.js\x1b[0m" in coloured
    assert "\x1b[1;31mfoo(1, 'x')\x1b[0m;" in coloured


def test_at_a_terminal_a_file_cannot_move_the_cursor(tree: Path) -> None:
    put(tree, "d.js", b"foo(3, '\x1b[2J\x07\xc2\x9b')\n")
    seen = at_terminal(tree, ["search", "foo(3, $B)", "--color", "never"])
    assert "\x1b" not in seen
    assert "\x07" not in seen
    assert "␛[2J␇" in seen


def test_a_line_with_many_matches_is_shown_once_at_a_terminal(tree: Path) -> None:
    put(tree, "d.js", "bar(1); bar(2); bar(bar(3))\n")
    seen = at_terminal(tree, ["search", "bar($A)", "--color", "never"])
    assert seen.count("bar(1); bar(2); bar(bar(3))") == 1
    assert "4 matches in 1 of" in seen


def test_context_as_grep_shows_it(tree: Path) -> None:
    put(
        tree,
        "d.py",
        "".join(f"x{n} = {n}\n" for n in range(9)) + "foo(9, 9)\n" + "y = 1\n" * 9 + "foo(1, 1)\nz\n",
    )
    done = run(tree, "search", "foo($A, $A)", "d.py", "-C", "1")
    assert done.stdout == (
        "d.py-9- x8 = 8\nd.py:10:1: foo(9, 9)\nd.py-11- y = 1\n--\n"
        "d.py-19- y = 1\nd.py:20:1: foo(1, 1)\nd.py-21- z\n"
    )
    assert run(tree, "search", "foo(9, 9)", "d.py", "-B", "1").stdout.count("\n") == 2
    assert run(tree, "search", "foo(9, 9)", "d.py", "-A", "2").stdout.count("\n") == 3


def test_count_and_paths(tree: Path) -> None:
    put(tree, "a.js", "foo(1, 2); foo(3, 4)\n")
    assert run(tree, "search", "foo($A, $B)", "-c").stdout == "a.js:2\nsub/b.js:1\nsub/c.py:1\n"
    assert run(tree, "search", "foo($A, $B)", "-l").stdout == "a.js\nsub/b.js\nsub/c.py\n"
    done = run(tree, "search", "foo($A, $B)", "-c", "--json")
    assert done.returncode == 2


def test_bindings(tree: Path) -> None:
    done = run(tree, "search", "foo($A, $$$B)", "--lang", "js", "--bindings")
    assert "    $A = 1\n    $$$B = 'x'\n" in done.stdout


def test_options_that_decide_what_matches(tree: Path) -> None:
    put(tree, "d.js", "function g() { one(1); two(2); }\none(3);\n")
    assert (
        run(tree, "search", "one($X)", "d.js", "--inside", "function $F() { $$$ }", "-c").stdout == "d.js:1\n"
    )
    assert run(tree, "search", "one($X)", "d.js", "--not-inside", "function $F() { $$$ }").stdout.startswith(
        "d.js:2"
    )
    assert run(tree, "search", "one($X)", "d.js", "--where", "X=~/3/").stdout.startswith("d.js:2")
    assert run(tree, "search", 'foo(1, "x")', "a.js", "--strictness", "exact").returncode == 1
    assert run(tree, "search", 'foo(1, "x")', "a.js").returncode == 0
    assert run(tree, "search", 'foo(1, "x")', "a.js", "--no-equivalence", "quotes").returncode == 1
    assert "equivalence: quotes 1" in run(tree, "search", 'foo(1, "x")', "a.js").stderr
    assert run(tree, "search", "foo($A, $B)", "--glob", "*.py", "-l").stdout == "sub/c.py\n"
    assert run(tree, "search", "foo($A, $B)", "--lang", "py,js", "--lang", "go", "-c").returncode == 0


def test_standard_input(tree: Path) -> None:
    done = run(tree, "search", "f($X)", "--stdin", "--lang", "py", stdin=b"f(1)\n")
    assert done.stdout == "<stdin>:1:1: f(1)\n"
    assert run(tree, "search", "f($X)", "-", "--lang", "py", stdin=b"f(1)\n").stdout == done.stdout
    cut = run(tree, "search", "f($X)", "-", "--lang", "py", "--max-count", "1", stdin=b"f(1)\nf(2)\n")
    assert cut.stdout == done.stdout
    assert "cut at --max-count" in cut.stderr
    assert run(tree, "search", "f($X)", "--stdin", stdin=b"f(1)\n").returncode == 2
    assert run(tree, "search", "f($X)", "a.js", "--stdin", "--lang", "py").returncode == 2
    assert run(tree, "search", "f($X)", "--stdin", "--lang", "py", "--strict", stdin=b"\0").returncode == 3


def test_what_was_not_searched_is_said(tree: Path) -> None:
    put(tree, "d.js", b"foo(1, 2)\0")
    put(tree, "e.js", b"foo(1, '\xe9')")
    done = run(tree, "search", "foo($A, $B)", "--max-size", "100", "--stats")
    assert "2 skipped (1 binary, 1 encoding)" in done.stderr
    assert "skipped d.js: binary" in done.stderr
    assert "bytes read" in done.stderr


def test_near_misses_are_shown(tree: Path) -> None:
    done = run(tree, "search", "foo(1, 7)", "--lang", "py")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "sub/c.py:1: foo(1, 2)\n    expected '7', found integer '2'" in done.stderr


def test_paths_that_are_no_utf8(tree: Path) -> None:
    with open(os.fsencode(tree) + b"/d\xff.js", "w") as file:
        file.write("foo(5, 5)\n")
    assert run(tree, "search", "foo(5, 5)").stdout == "d\udcff.js:1:1: foo(5, 5)\n"
    answer = json.loads(run(tree, "search", "foo(5, 5)", "--json").stdout)
    assert answer["matches"][0]["path"] == "d\udcff.js"


def test_a_long_line_is_cut_around_each_match_at_linear_cost(tree: Path) -> None:
    put(tree, "long.js", "x=[" + "f('é')," * 20_000 + "]\n")
    began = time.perf_counter()
    done = run(tree, "search", "f($X)", "long.js")
    spent = time.perf_counter() - began
    lines = done.stdout.splitlines()
    assert len(lines) == 20_000
    assert max(map(len, lines)) < 400
    assert lines[1000].startswith(f"long.js:1:{4 + 7 * 1000}: …")
    assert spent < 30
    seen = at_terminal(tree, ["search", "f($X)", "long.js", "--color", "never"])
    assert "more on this line)" in seen
    assert len(seen) < 5000


# --- exit codes and errors -----------------------------------------------------------------------


def test_exit_codes(tree: Path) -> None:
    put(tree, "bad.js", b"\xff\xfe\0")
    assert run(tree, "search", "foo($A, $B)").returncode == 0
    assert run(tree, "search", "nothing($A)").returncode == 1
    assert run(tree, "search", "foo(").returncode == 2
    assert run(tree, "search", "foo($A, $B)", "--strict").returncode == 3
    assert run(tree, "search", "foo($A, $B)", "sub", "--strict").returncode == 0
    assert run(tree, "search", "foo($A, $B)", "--max-count", "1").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["search", "foo(("], "is no code in any language of these files (javascript, python)"),
        (["search", "foo((", "--lang", "js"], "is no code here at column 4: statement, "),
        (["search", " "], "error: the pattern is empty"),
        (["search", "-x"], "a pattern that begins with a dash goes behind --"),
        (["search", "x", "-", "a.js"], "standard input and paths do not go together"),
        (["search", "x", "-A", "-1"], "'-1' is no number"),
        (["completion"], "Choose from: bash, zsh, fish"),
        (["search", "x", "nope"], "error: there is no 'nope'"),
        (["search", "x", "--lang", "nope"], "no language is called 'nope'"),
        (["search", "x", "--lang", "pyton"], "hint: did you mean python"),
        (["search", "x", "--as", "nope"], "nope"),
        (["search", "x", "--strictness", "odd"], "error: "),
        (["search", "f($X)", "--where", "??"], "error: "),
        (["search", "x", "--glob", "[a"], "glob"),
        (["search", "x", "--max-size", "ten"], "is no size"),
        (["search", "x", "--nope"], "--nope"),
        (["search"], "PATTERN"),
        (["foo($X)"], "hint: to search for it: astgrep search 'foo($X)'"),
        (["serach"], "is no command"),
        (["tree", "nope.js"], "cannot be read"),
        (["tree", "a.js:99"], "there is no line 99"),
        (["explain", "foo($X)", "--at", "a.js"], "FILE:LINE"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(tree: Path, arguments: list[str], part: str) -> None:
    done = run(tree, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert part in done.stderr
    assert done.stdout == ""


def test_the_version_is_that_of_the_package_and_comes_at_once(tree: Path) -> None:
    text = (ROOT / "pyproject.toml").read_text()
    done = run(tree, "--version")
    assert f'version = "{done.stdout.split()[1]}"' in text
    code = (
        "import sys; sys.argv = ['astgrep', '--version']; from structural.cli.main import astgrep; astgrep();"
        "print([m for m in sys.modules if m.split('.')[0] in ('click', 'numpy', 'tree_sitter', 'rich')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1] == "[]"


def test_a_bare_call_asks_for_help(tree: Path) -> None:
    done = run(tree)
    assert done.returncode == 0
    assert done.stdout == run(tree, "--help").stdout
    assert done.stderr == ""


def test_other_languages_are_said_where_none_is_left(tree: Path) -> None:
    done = run(tree, "search", "x", "a.js", "--lang", "py")
    assert done.returncode == 1
    assert "no file of python was found; 1 file of another language left out" in done.stderr


def test_a_refused_pattern_is_told_where_it_was_read_furthest(tree: Path) -> None:
    lines = run(tree, "search", "foo((", "a.js", "sub/c.py").stderr.splitlines()
    columns = [int(line.split("column ")[1].split(":")[0]) for line in lines if "column" in line]
    assert columns[0] == max(columns)
    assert len(columns) < 12


def test_help_names_every_option(tree: Path) -> None:
    text = run(tree, "search", "--help").stdout
    assert (
        text.index("The pattern:")
        < text.index("The files:")
        < text.index("--follow ")
        < text.index("--json ")
    )
    options = (
        "--lang --as --strictness --equivalence --no-equivalence --kind --where --inside --not-inside --has "
        "--not-has --follows --not-follows --precedes --not-precedes --glob --hidden --no-ignore --follow "
        "--max-size --max-count --stdin -A -B -C --count --files-with-matches --bindings --json --jsonl "
        "--stats --jobs --color --strict --explain"
    )
    for option in options.split():
        assert option in text, option


# --- JSON -------------------------------------------------------------------------------------------


def check(value: Any) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(value)


def test_one_object(tree: Path) -> None:
    done = run(tree, "search", "foo($A, $B)", "--json", "--stats")
    answer = json.loads(done.stdout)
    check(answer)
    assert answer["version"] == 1
    assert [match["path"] for match in answer["matches"]] == ["a.js", "sub/b.js", "sub/c.py"]
    match = answer["matches"][1]
    assert match["range"] == {
        "start": {"byte": 17, "line": 2, "column": 3},
        "end": {"byte": 38, "line": 5, "column": 4},
    }
    assert match["text"] == "foo(\n    2,\n    y\n  )"
    assert match["bindings"]["B"] == [
        {
            "range": {
                "start": {"byte": 33, "line": 4, "column": 5},
                "end": {"byte": 34, "line": 4, "column": 6},
            },
            "text": "y",
        }
    ]
    assert answer["readings"]["python"]["rung"] == "statement"
    assert answer["summary"]["complete"] is True


@pytest.mark.parametrize(
    ("pattern", "more"),
    [
        ("nothing($A)", []),
        ("foo($$$A)", []),
        ('foo($A, "x")', ["--bindings"]),
        ("foo($A, $B)", ["--max-count", "1"]),
        ("$A != null", ["--stats"]),
    ],
)
def test_answers_are_as_the_schema_says(tree: Path, pattern: str, more: list[str]) -> None:
    put(tree, "bad.js", b"\xff")
    check(json.loads(run(tree, "search", pattern, "--json", *more).stdout))
    lines = [json.loads(line) for line in run(tree, "search", pattern, "--jsonl", *more).stdout.splitlines()]
    for line in lines:
        check(line)
    assert [line["type"] for line in lines] == ["match"] * (len(lines) - 1) + ["summary"]
    whole = json.loads(run(tree, "search", pattern, "--json", *more).stdout)
    assert [{k: v for k, v in line.items() if k != "type"} for line in lines[:-1]] == whole["matches"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["foo(("], "pattern"),
        (["foo((", "--lang", "js"], "pattern"),
        (["x", "nope"], "usage"),
        (["x", "--lang", "nope"], "language"),
        (["f($X)", "--where", "??"], "constraint"),
        (["x", "--nope"], "usage"),
    ],
)
def test_errors_are_json_too(tree: Path, arguments: list[str], code: str) -> None:
    for flag in ("--json", "--jsonl"):
        done = run(tree, "search", *arguments, flag)
        answer = json.loads(done.stdout)
        check(answer)
        assert answer["error"]["code"] == code
        assert bool(answer["error"]["attempts"]) == (code == "pattern")
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")


def test_columns_are_characters_and_bytes_count_the_mark(tree: Path) -> None:
    put(tree, "d.js", "\ufeff'é€😀'; foo(8, 8)\n")
    answer = json.loads(run(tree, "search", "foo(8, 8)", "d.js", "--json").stdout)
    assert answer["matches"][0]["range"]["start"]["byte"] == 16


# --- colour -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "more", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour(tree: Path, arguments: list[str], more: dict[str, str], coloured: bool) -> None:
    assert ("\x1b[" in run(tree, "search", "foo($A, $B)", *arguments, **more).stdout) == coloured
    assert "\x1b[" not in run(tree, "search", "foo($A, $B)", "--json", *arguments, **more).stdout


def test_colour_at_a_terminal(tree: Path) -> None:
    assert "\x1b[" in at_terminal(tree, ["search", "foo($A, $B)"])
    assert "\x1b[" not in at_terminal(tree, ["search", "foo($A, $B)"], NO_COLOR="1")
    assert "\x1b[" not in at_terminal(tree, ["search", "foo($A, $B)"], TERM="dumb")


# --- readers that go away, interrupts, full disks -------------------------------------------------------


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A tree that takes some seconds to search and gives some megabytes."""
    text = "".join(f"value_{n} = call_{n}(a, {n}, [x for x in y if x])\n" for n in range(600))
    for number in range(100):
        put(tmp_path, f"f{number:03}.py", text)
    return tmp_path


@pytest.fixture
def no_child_left(tmp_path: Path) -> Iterator[None]:
    yield
    for _ in range(50):
        if not _processes(tmp_path):
            return
        time.sleep(0.1)
    assert not _processes(tmp_path)


def _processes(folder: Path) -> set[int]:
    """Processes that run in *folder*."""
    found = set()
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if entry.isdigit():
            try:
                inside = os.readlink(f"/proc/{entry}/cwd") == str(folder)
            except OSError:
                continue
            if inside:
                found.add(int(entry))
    return found


@pytest.mark.parametrize("flags", [[], ["--json"], ["--jsonl"], ["--jobs", "1"]])
def test_a_reader_that_goes_away_ends_the_search_quietly(
    large: Path, no_child_left: None, flags: list[str]
) -> None:
    process = subprocess.Popen(
        [*command(), "search", "$F($$$A)", *flags],
        cwd=large,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(100)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(30) == 0
    process.stderr.close()


@pytest.mark.parametrize("flags", [[], ["--json"], ["--jsonl"], ["--jobs", "1"]])
def test_an_interrupt_ends_quickly_and_says_what_was_searched(
    large: Path, no_child_left: None, flags: list[str]
) -> None:
    process = subprocess.Popen(
        [*command(), "search", "$F($$$A)", *flags],
        cwd=large,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    first = os.read(process.stdout.fileno(), 65536)
    began = time.perf_counter()
    os.killpg(process.pid, signal.SIGINT)
    rest, errors = process.communicate(timeout=30)
    assert time.perf_counter() - began < 3
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert b"cut: interrupted" in errors
    if flags == ["--json"]:
        answer = json.loads(first + rest)
        check(answer)
        assert answer["summary"]["cut"] == "interrupted"
        assert answer["summary"]["matches"] == len(answer["matches"])
    if flags == ["--jsonl"]:
        assert json.loads((first + rest).splitlines()[-1])["summary"]["complete"] is False


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("flags", [[], ["--json"], ["-c"], ["--jsonl"]])
def test_a_full_disk_is_an_error(tree: Path, flags: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*command(), "search", "foo($A, $B)", *flags],
            cwd=tree,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error: the answer could not be written: No space left on device\n")
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_closed_output_is_an_error(tree: Path) -> None:
    shell = " ".join(["exec", '"$@"', ">&-"])
    done = subprocess.run(
        ["sh", "-c", shell, "sh", *command(), "search", "foo($A, $B)"],
        cwd=tree,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


# --- the other commands ------------------------------------------------------------------------------------


def test_explain(tree: Path) -> None:
    done = run(tree, "explain", "foo($X)", "--lang", "js")
    assert done.returncode == 0
    assert done.stdout.startswith("javascript: read as statement: call expression; must contain foo\n")
    done = run(tree, "explain", "foo((", "--lang", "js")
    assert done.returncode == 2
    assert "column" in done.stdout
    assert "python: read as" in run(tree, "explain", "foo($X)").stdout
    assert "only running text, searched where --lang asks for it, in " in run(tree, "explain", "a b").stdout


def test_explain_at_a_line(tree: Path) -> None:
    done = run(tree, "explain", "foo(1, $B)", "--at", "sub/c.py:1")
    assert done.returncode == 0
    assert "sub/c.py:1: matches (call, read as statement), from 1:1" in done.stdout
    done = run(tree, "explain", "foo(1, 3)", "--at", "sub/c.py:1")
    assert done.returncode == 1
    assert "parts at 1:8: expected '3', found integer '2'" in done.stdout


def test_tree(tree: Path) -> None:
    done = run(tree, "tree", "sub/c.py")
    assert "function: identifier 1:1-1:4 foo\n" in done.stdout
    assert "call 1:1-1:10" in done.stdout
    assert "identifier" in run(tree, "tree", "a.js:2").stdout
    assert "dispose" not in run(tree, "tree", "a.js:2").stdout


def test_languages_and_completion(tree: Path) -> None:
    listed = run(tree, "languages").stdout
    assert "python  also py python3\n    files  .py" in listed
    assert "    rungs  statement expression member top type parameter" in listed
    assert json.loads(run(tree, "languages", "--json").stdout)["languages"][0]["name"] == "bash"
    for shell in ("bash", "zsh", "fish"):
        assert "_ASTGREP_COMPLETE" in run(tree, "completion", shell).stdout
    assert run(tree, "completion", "tcsh").returncode == 2


def test_search_explains_its_readings(tree: Path) -> None:
    done = run(tree, "search", "if ($X) $Y.dispose()", "--explain")
    assert "javascript: read as statement: if statement; must contain" in done.stderr
    assert "python: 'if ($X) $Y.dispose()' is no code in python" in done.stderr
