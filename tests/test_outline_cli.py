"""``astgrep outline`` as people and programs run it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from structural.syntax.language import SORTS
from tests.test_cli import at_terminal, put, run
from tests.test_readme import blocks

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "docs/outline-json-schema.json").read_text())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    put(tmp_path, "a.py", "class A:\n    def f(self):\n        pass\n\n\ndef g(x): return x\n")
    put(tmp_path, "sub/b.ts", "export interface I { name: string }\n")
    put(tmp_path, "sub/empty.js", "f();\n")
    return tmp_path


def test_definitions_stand_under_their_file(tree: Path) -> None:
    done = run(tree, "outline")
    assert done.stdout == (
        "a.py\n"
        "  1-3  class A\n"
        "  2-3    def f(self)\n"
        "  6    def g(x)\n"
        "\n"
        "sub/b.ts\n"
        "  1  export interface I\n"
        "  1    name: string\n"
    )
    assert done.stderr == "5 definitions in 2 of 3 files\n"
    assert done.returncode == 0


def test_names_are_coloured(tree: Path) -> None:
    seen = at_terminal(tree, ["outline", "a.py"])
    assert "\x1b[35ma.py\x1b[0m" in seen
    assert "\x1b[32m2-3\x1b[0m    def \x1b[36mf\x1b[0m(self)" in seen
    assert "\x1b" not in at_terminal(tree, ["outline", "a.py", "--color", "never"])


def test_a_file_cannot_move_the_cursor(tree: Path) -> None:
    put(tree, "c.py", b"x = '\x1b[2J'\n")
    assert "\x1b" not in run(tree, "outline", "c.py").stdout


def test_narrowing(tree: Path) -> None:
    assert "def f" not in run(tree, "outline", "--depth", "1").stdout
    done = run(tree, "outline", "--kind", "method,field")
    assert done.stdout == "a.py\n  2-3  def f(self)\n\nsub/b.ts\n  1  name: string\n"
    assert run(tree, "outline", "--match", "^[fg]$", "a.py").stdout.count("def") == 2
    assert "a.py" not in run(tree, "outline", "--lang", "ts").stdout
    assert "a.py" not in run(tree, "outline", "--glob", "sub/*").stdout


def test_exit_codes(tree: Path) -> None:
    assert run(tree, "outline", "sub/empty.js").returncode == 1
    for wrong in (["--kind", "klass"], ["--match", "("], ["--lang", "klingon"], ["nowhere"]):
        done = run(tree, "outline", *wrong)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
    put(tree, "c.py", b"\0")
    assert run(tree, "outline").returncode == 0
    done = run(tree, "outline", "--strict")
    assert done.returncode == 3
    assert "skipped c.py: binary" in done.stderr


def test_the_json_is_as_documented(tree: Path) -> None:
    put(tree, "c.py", b"\0")
    put(tree, "größe.go", "package p\nfunc (s *S) größe() {\n")
    done = run(tree, "outline", "--json")
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, SCHEMA)
    assert [one["path"] for one in answer["files"]] == ["a.py", "größe.go", "sub/b.ts"]
    (method,) = answer["files"][1]["definitions"]
    assert (method["sort"], method["name"], method["owner"]) == ("method", "größe", "S")
    assert method["name_range"]["start"] == {"byte": 22, "line": 2, "column": 13}
    assert answer["files"][0]["definitions"][1]["parent"] == 0
    assert answer["summary"]["skipped"] == {"binary": 1}
    assert not answer["summary"]["complete"]
    lines = [json.loads(line) for line in run(tree, "outline", "--jsonl").stdout.splitlines()]
    for line in lines:
        jsonschema.validate(line, SCHEMA)
    assert [line["type"] for line in lines] == ["file", "file", "file", "summary"]
    error = json.loads(run(tree, "outline", "--json", "--kind", "klass").stdout)
    jsonschema.validate(error, SCHEMA)


def test_the_schema_and_the_page_name_every_sort() -> None:
    assert SCHEMA["$defs"]["definition"]["properties"]["sort"]["enum"] == list(SORTS)
    page = (ROOT / "docs/outline.md").read_text(encoding="utf-8")
    missing = [sort for sort in SORTS if f"`{sort}`" not in page]
    assert not missing, f"docs/outline.md does not name {', '.join(missing)}"


def test_the_page_shows_what_is_printed() -> None:
    page = ROOT / "docs/outline.md"
    (shown,) = [block for block in blocks(page) if block.role == "console"]
    first, *rest = shown.body.split("\n")
    command = re.fullmatch(r"\$ astgrep (.+)", first)
    assert command
    done = run(ROOT, *command[1].split())
    assert [*done.stdout.splitlines(), *done.stderr.splitlines()] == rest
