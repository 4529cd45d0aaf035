"""``astgrep tools`` and ``astgrep call``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import SCHEMAS


def run(*arguments: str, root: Path | None = None, given: str = "") -> subprocess.CompletedProcess[str]:
    program = "import sys; from structural.cli.main import astgrep; sys.exit(astgrep())"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=root,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("style", ["mcp", "openai", "anthropic"])
def test_the_schemas_are_printed(style: str) -> None:
    done = run("tools", "--format", style)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)) == len(SCHEMAS)


def test_one_call_prints_one_answer(root: Path) -> None:
    done = run("call", "ast_grep", '{"pattern": "print($X)"}', root=root)
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    SCHEMAS["ast_grep"].validate(answer)
    assert answer["matches"] == 2


def test_arguments_come_from_a_file_or_from_standard_input(root: Path) -> None:
    (root / "call.json").write_text('{"pattern": "print($X)"}')
    assert run("call", "ast_grep", "@call.json", root=root).returncode == 0
    assert run("call", "ast_grep", "-", root=root, given='{"pattern": "print($X)"}').returncode == 0
    assert run("call", "ast_grep", "@nowhere", root=root).returncode == 2


@pytest.mark.parametrize("arguments", ["{", "[]", "3", '{"pattern": 1}', "[" * 100_000])
def test_wrong_arguments_are_told(root: Path, arguments: str) -> None:
    done = run("call", "ast_grep", arguments, root=root)
    assert done.returncode == 2
    assert done.stdout or done.stderr
    assert "Traceback" not in done.stderr


def test_a_call_says_by_its_exit_code_that_files_changed(root: Path) -> None:
    staged = run("call", "ast_edit", '{"pattern": "print($X)", "rewrite": "log($X)"}', root=root)
    name = json.loads(staged.stdout)["id"]
    (root / "src/tool.py").write_text("print(1)\n")
    done = run("call", "resolve", json.dumps({"id": name, "action": "accept"}), root=root)
    assert done.returncode == 4
    assert json.loads(done.stdout)["error"]["code"] == "stale"


def test_pages_go_on_in_another_process(root: Path) -> None:
    (root / "many.py").write_text("call(1)\n" * 300)
    arguments = {"pattern": "call($A)", "budget": 3_000}
    lines: list[int] = []
    while True:
        answer = json.loads(run("call", "ast_grep", json.dumps(arguments), root=root).stdout)
        lines += [match["line"] for file in answer["results"] for match in file["matches"]]
        if "next" not in answer:
            break
        arguments = answer["next"][0]["arguments"]
    assert lines == list(range(1, 301))
