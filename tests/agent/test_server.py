"""A real client drives the server, on standard input and output and over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

anyio = pytest.importorskip("anyio")
pytest.importorskip("mcp")

from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from structural.cli.main import astgrep; sys.exit(astgrep())",
    "mcp",
]

Work = Callable[[ClientSession], Awaitable[None]]


def driven(root: Path, work: Work, *options: str) -> None:
    """Start the server over *root* and let *work* talk to it."""

    async def run() -> None:
        told = StdioServerParameters(
            command=COMMAND[0], args=[*COMMAND[1:], "--root", str(root), *options], env=dict(os.environ)
        )
        with anyio.fail_after(60):
            async with stdio_client(told) as (reading, writing), ClientSession(reading, writing) as session:
                await session.initialize()
                await work(session)

    anyio.run(run)


async def asked(session: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call, which the text repeats."""
    result = await session.call_tool(tool, arguments)
    answer: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == answer
    assert result.is_error is not answer["ok"]
    return answer


def test_a_client_lists_the_tools_and_calls_them(root: Path) -> None:
    async def work(session: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        schemas = {name: jsonschema.Draft202012Validator(tool.output_schema) for name, tool in tools.items()}
        assert tools["ast_grep"].annotations.read_only_hint
        assert not tools["resolve"].annotations.read_only_hint
        assert tools["resolve"].annotations.destructive_hint

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            answer = await asked(session, tool, **arguments)
            schemas[tool].validate(answer)
            return answer

        assert (await call("ast_grep", pattern="print($X)"))["matches"] == 2
        assert (await call("ast_explain", pattern="print($X)"))["languages"]
        assert (await call("read", path="src/tool.py"))["lines"] == 6
        name = (await call("ast_edit", pattern="print($X)", rewrite="log($X)"))["id"]
        assert (await call("show", id=name))["diff"]
        assert (await call("drop", id=name, sites=[1]))["sites_total"] == 1
        assert (await call("rebase", id=name))["rebased"]
        assert (await call("status"))["open_total"] == 1
        assert (await call("resolve", id=name, action="accept"))["state"] == "committed"
        assert (await call("undo", id=name))["undoes"] == name
        assert (await call("ast_grep", pattern="foo("))["error"]["code"] == "pattern"
        assert (await call("read", path="../x"))["error"]["code"] == "confined"

    before = (root / "src/tool.py").read_bytes()
    driven(root, work)
    assert (root / "src/tool.py").read_bytes() == before


def test_calls_run_side_by_side(root: Path) -> None:
    async def work(session: ClientSession) -> None:
        counts: list[int] = []

        async def one() -> None:
            counts.append((await asked(session, "ast_grep", pattern="print($X)"))["matches"])

        async with anyio.create_task_group() as group:
            for _ in range(12):
                group.start_soon(one)
        assert counts == [2] * 12

    driven(root, work)


def test_a_long_call_tells_how_far_it_is_and_can_be_cancelled(tmp_path: Path) -> None:
    body = "\n".join(f"x{at} = f({at}, g({at}))" for at in range(400))
    for number in range(300):
        (tmp_path / f"f{number}.py").write_text(body)

    async def work(session: ClientSession) -> None:
        told: list[float] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            told.append(done)

        with anyio.move_on_after(1.5) as scope:
            await session.call_tool("ast_grep", {"pattern": "$A = f($$$B)"}, progress_callback=progress)
        if not scope.cancelled_caught:
            pytest.skip("this machine is too fast for the test")
        assert told == sorted(told)
        began = time.monotonic()
        assert (await asked(session, "status"))["open_total"] == 0
        assert time.monotonic() - began < 20

    driven(tmp_path, work, "--jobs", "1")


def test_read_only_offers_no_tool_that_changes(root: Path) -> None:
    async def work(session: ClientSession) -> None:
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert "ast_grep" in names
        assert not names & {"ast_edit", "resolve", "undo", "drop", "rebase"}
        assert (await asked(session, "ast_edit", pattern="a", rewrite="b"))["error"]["code"] == "unknown-tool"

    driven(root, work, "--read-only")


@contextmanager
def served(root: Path, token: str) -> Iterator[str]:
    """The address of a server over HTTP."""
    environment = {**os.environ, "STRUCTURAL_TOKEN": token}
    command = [*COMMAND, "--root", str(root), "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            lines = [process.stderr.readline(), process.stderr.readline()]
            assert token not in "".join(lines)
            yield lines[1].strip()
        finally:
            process.terminate()
            process.wait(20)


def test_over_http_with_the_token(root: Path) -> None:
    from mcp.client.streamable_http import streamable_http_client

    httpx = pytest.importorskip("httpx2")

    async def work(address: str) -> None:
        headers = {"Authorization": "Bearer secret"}
        async with (
            httpx.AsyncClient(headers=headers) as http,
            streamable_http_client(address, http_client=http) as streams,
            ClientSession(*streams[:2]) as session,
        ):
            await session.initialize()
            assert (await asked(session, "ast_grep", pattern="print($X)"))["matches"] == 2

    with served(root, "secret") as address:
        anyio.run(work, address)
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "secret"}):
            assert _status(address, headers) == 401
        strange = {"Authorization": "Bearer secret", "Host": "evil.example"}
        assert _status(address, strange) in {403, 421}


def _status(address: str, headers: dict[str, str]) -> int:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    base = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, body, {**base, **headers})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as problem:
        return problem.code


@pytest.mark.parametrize("address", ["0.0.0.0:0", "example.org:80", "8.8.8.8:1", "x", "127.0.0.1:99999"])
def test_only_this_machine_is_served(root: Path, address: str) -> None:
    command = [*COMMAND, "--root", str(root), "--http", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "hint" in done.stderr or "loopback" in done.stderr or "address" in done.stderr
