"""What holds on large trees and with names of any length: budgets, pages, and signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from structural.agent import Toolbox
from structural.agent.budget import dumps

from .conftest import checked

Ask = Callable[..., dict[str, Any]]


def many_functions(file: Path, count: int) -> None:
    file.write_text("".join(f"def {file.stem}{at}(argument):\n    pass\n" for at in range(count)))


def outlined(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["path"], line) for one in answer["results"] for line in one["definitions"]]


def test_an_outline_of_many_files_keeps_to_its_budget(tmp_path: Path) -> None:
    for at in range(600):
        many_functions(tmp_path / f"f{at:03}.py", 1)
    box = Toolbox(str(tmp_path), jobs=1)
    found: list[tuple[str, str]] = []
    more: dict[str, Any] = {}
    while True:
        answer = checked(box, "outline", budget=20_000, **more)
        found += outlined(answer)
        if "cut" not in answer:
            break
        more = {"cursor": answer["cut"]["cursor"]}
    assert len(found) == len(set(found)) == 600


def test_an_outline_does_not_go_on_in_a_file_that_changed(ask: Ask, root: Path) -> None:
    many_functions(root / "many.py", 100)
    answer = ask("outline", paths=["many.py"], budget=1_500)
    cursor = answer["cut"]["cursor"]
    assert ask("outline", paths=["many.py"], budget=1_500, cursor=cursor)["ok"]
    (root / "many.py").write_text("def zero(): pass\n" + (root / "many.py").read_text())
    again = ask("outline", paths=["many.py"], budget=1_500, cursor=cursor)
    assert again["error"]["code"] == "cursor"


@pytest.mark.skipif(os.name == "nt", reason="paths of this length need a setting there")
@pytest.mark.parametrize("budget", [1_000, 4_000])
def test_a_path_longer_than_the_budget_is_cut_and_says_so(tmp_path: Path, budget: int) -> None:
    path = "/".join(["d" * 200] * 9) + "/x.py"
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text("def f():\n    print(1)\n")
    box = Toolbox(str(tmp_path), jobs=1)
    read = checked(box, "read", path=path, budget=budget)
    assert ("more characters]" in dumps(read)) is (budget < len(path))
    checked(box, "outline", budget=budget)
    checked(box, "ast_grep", pattern="print($X)", budget=budget)
    checked(box, "ast_grep", pattern="print($X)", show="files", budget=budget)
    checked(box, "ast_explain", pattern="print($X, 2)", path=path, line=2, budget=budget)
    checked(box, "edit", path=path, edits=[{"old": "nothing", "new": ""}], budget=budget)
    change = checked(box, "ast_edit", pattern="print($X)", rewrite="log($X)", budget=budget)["id"]
    (tmp_path / path).write_text("print(2)\n")
    checked(box, "show", id=change, budget=budget)
    checked(box, "resolve", id=change, action="accept", budget=budget)


def test_a_path_of_a_thousand_folders_is_refused(ask: Ask, root: Path) -> None:
    (root / ".gitignore").write_text("b\n")
    answer = ask("write", path="a/" * 1_000 + "c", content="x")
    assert answer["error"]["code"] == "confined"


@pytest.mark.parametrize("name", ["inside", "has", "follows", "not_has"])
def test_a_relation_that_is_no_text_is_refused(ask: Ask, name: str) -> None:
    error = ask("ast_grep", pattern="print($X)", **{name: ["\ud800"]})["error"]
    assert "lone surrogate" in error["message"]


@pytest.mark.skipif(os.name == "nt", reason="there an interrupt is sent to a whole console")
def test_an_interrupt_ends_a_server_whose_input_is_open(root: Path) -> None:
    pytest.importorskip("mcp")
    code = "import sys; from structural.cli.main import astgrep; sys.exit(astgrep())"
    hello = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status","arguments":{}}}\n'
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "mcp", "--root", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(hello)
        server.stdin.flush()
        assert server.stdout.readline()
        assert server.stdout.readline()
        server.send_signal(signal.SIGINT)
        try:
            assert server.wait(20) == -signal.SIGINT
        finally:
            server.kill()
