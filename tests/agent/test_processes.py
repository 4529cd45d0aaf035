"""Several clients of one server, several servers on one tree, and servers that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from structural.agent import Toolbox

from .conftest import snapshot
from .test_server import COMMAND, asked, served

anyio = pytest.importorskip("anyio")


def test_clients_over_http_work_side_by_side(root: Path) -> None:
    import mcp_types as types
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    httpx = pytest.importorskip("httpx2")
    for number in range(4):
        (root / f"src/own{number}.py").write_text(f"own({number})\n" * 20)
    done: list[int] = []

    async def client(address: str, number: int) -> None:
        async def roots(_: Any) -> types.ListRootsResult:
            folder = root / ("docs" if number == 3 else "src")
            return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri())])  # type: ignore[arg-type]

        headers = {"Authorization": "Bearer secret"}
        offers = {"list_roots_callback": roots} if number == 3 else {}
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http,
            streamable_http_client(address, http_client=http) as streams,
            ClientSession(*streams[:2], **offers) as session,
        ):
            await session.initialize()
            if number == 3:  # it offers a folder in which there is nothing of this
                assert (await asked(session, "ast_grep", pattern="own($X)"))["matches"] == 0
                done.append(number)
                return
            for turn in range(4):
                old, new = f"own{turn or ''}({number})", f"own{turn + 1}({number})"
                staged = await asked(session, "ast_edit", pattern=old, rewrite=new)
                assert staged["sites_total"] == 20
                assert (await asked(session, "resolve", id=staged["id"], action="accept"))["ok"]
                assert (await asked(session, "ast_grep", pattern=new))["matches"] == 20
                assert (await asked(session, "ast_grep", pattern=old))["matches"] == 0
            done.append(number)

    async def work(address: str) -> None:
        with anyio.fail_after(120):
            async with anyio.create_task_group() as group:
                for number in range(4):
                    group.start_soon(client, address, number)

    with served(root, "secret") as address:
        anyio.run(work, address)
    assert sorted(done) == [0, 1, 2, 3]
    for number in range(3):
        assert (root / f"src/own{number}.py").read_text() == f"own4({number})\n" * 20


def test_two_servers_on_one_tree(root: Path) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    told = StdioServerParameters(
        command=sys.executable, args=[*COMMAND[1:], "--root", str(root)], env=dict(os.environ)
    )

    async def run() -> None:
        with anyio.fail_after(120):
            async with (
                stdio_client(told) as first,
                stdio_client(told) as second,
                ClientSession(*first) as one,
                ClientSession(*second) as other,
            ):
                await one.initialize()
                await other.initialize()
                name = (await asked(one, "ast_edit", pattern="print($X)", rewrite="log($X)"))["id"]
                # Staged here or there, it is one change.
                again = await asked(other, "ast_edit", pattern="print($X)", rewrite="log($X)")
                assert again["id"] == name
                assert (await asked(other, "status"))["open_total"] == 1
                answers: list[dict[str, Any]] = []

                async def accept(session: ClientSession) -> None:
                    answers.append(await asked(session, "resolve", id=name, action="accept"))

                async with anyio.create_task_group() as group:
                    group.start_soon(accept, one)
                    group.start_soon(accept, other)
                assert sorted(answer.get("already", False) for answer in answers if answer["ok"]) in (
                    [False],
                    [False, True],
                )
                assert any(answer["ok"] for answer in answers)
                for session in (one, other):
                    assert (await asked(session, "ast_grep", pattern="log($X)"))["matches"] == 2
                # Of two changes of one file the second to be accepted is stale.
                mine = (await asked(one, "ast_edit", pattern="log($X)", rewrite="say($X)"))["id"]
                theirs = (await asked(other, "ast_edit", pattern="log($X)", rewrite="tell($X)"))["id"]
                assert (await asked(one, "resolve", id=mine, action="accept"))["ok"]
                late = await asked(other, "resolve", id=theirs, action="accept")
                assert late["error"]["code"] == "stale"
                assert (await asked(other, "undo", id=mine))["ok"]

    anyio.run(run)
    assert (root / "src/tool.py").read_text().count("log(add") == 2


def _messages(tool: str, arguments: dict[str, Any]) -> bytes:
    """What a client sends to start and to make one call."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    return b"".join(json.dumps(one).encode() + b"\n" for one in sent)


def _killed(root: Path, tool: str, arguments: dict[str, Any], seconds: float) -> bool:
    """Start a server, make a call, and kill it so long after; whether the call was answered."""
    command = [*COMMAND, "--root", str(root), "--jobs", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(_messages(tool, arguments))
        server.stdin.flush()
        server.stdout.readline()  # it is up
        time.sleep(seconds)
        server.send_signal(signal.SIGKILL)
        return b'"id":2' in server.stdout.read()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_server_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    for number in range(150):
        (root / f"f{number}.py").write_text("old(1)\n" * 30)
    before = snapshot(root)
    answered = 0
    asked_for = {"pattern": "old($X)", "rewrite": "new($X)"}
    for turn in range(8):
        answered += _killed(root, "ast_edit", asked_for, 0.05 + 0.3 * turn)
        assert snapshot(root) == before
        status = Toolbox(str(root), jobs=1).call("status")
        assert status["ok"]
        assert "damaged" not in status
        assert status["open_total"] == len(status["open"]) <= 1
        if answered:
            assert status["open_total"] == 1
        for one in status["open"]:  # whole, or not there
            assert (one["sites"], one["files"]) == (4_500, 150)
    name = Toolbox(str(root), jobs=1).call("ast_edit", asked_for)["id"]
    after = {path: data.replace(b"old(", b"new(") for path, data in before.items()}
    for turn in range(6):
        _killed(root, "resolve", {"id": name, "action": "accept"}, 0.02 + 0.05 * turn)
        box = Toolbox(str(root), jobs=1)
        assert box.call("status")["ok"]  # finishes what was begun, or takes it back
        assert snapshot(root) in (before, after)
    assert Toolbox(str(root), jobs=1).call("resolve", {"id": name, "action": "accept"})["ok"]
    assert snapshot(root) == after
