"""The roots of a client: they narrow what its calls reach, and never widen it."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from structural.agent import Call, Toolbox

from .conftest import snapshot

PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-{}\n+changed\n*** End Patch\n"


@pytest.fixture
def call(root: Path) -> Callable[..., dict[str, Any]]:
    """Calls of a client that offers ``src`` alone."""
    (root / "top.py").write_text("print(0)\n")
    (root / "src/out").symlink_to(root / "docs")
    box = Toolbox(str(root), jobs=1)

    def made(tool: str, roots: tuple[str, ...] = ("src",), **arguments: Any) -> dict[str, Any]:
        return box.call(tool, arguments, Call(roots=tuple(os.path.realpath(root / one) for one in roots)))

    return made


def test_searches_are_narrowed(call: Callable[..., dict[str, Any]]) -> None:
    everything = call("ast_grep", (), pattern="print($X)")
    assert everything["matches"] == 3
    for paths in ({}, {"paths": ["."]}, {"paths": ["src", "."]}):
        narrow = call("ast_grep", pattern="print($X)", **paths)
        assert {one["path"] for one in narrow["results"]} == {"src/tool.py"}
    assert call("ast_grep", ("src/tool.py",), pattern="print($X)")["matches"] == 2
    assert call("outline", paths=["."])["ok"]
    # What one client was told is not kept for another.
    assert call("ast_grep", (), pattern="print($X)")["matches"] == 3
    assert call("ast_grep", ("docs", "src"), pattern="print($X)")["matches"] == 2


@pytest.mark.parametrize("roots", [(), (".",), ("..",), ("/",), ("..", "src")])
def test_roots_that_hold_the_root_change_nothing(
    call: Callable[..., dict[str, Any]], roots: tuple[str, ...]
) -> None:
    assert call("ast_grep", roots, pattern="print($X)")["matches"] == 3
    assert call("read", roots, path="../x")["error"]["code"] == "confined"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"path": "top.py"}),
        ("read", {"path": "docs/page.md"}),
        ("read", {"path": "src/out/page.md"}),
        ("ast_grep", {"pattern": "print($X)", "paths": ["docs"]}),
        ("ast_grep", {"pattern": "print($X)", "paths": ["src/out"]}),
        ("ast_scan", {"rules": ["docs"]}),
        ("ast_edit", {"pattern": "print($X)", "rewrite": "log($X)", "paths": ["top.py"]}),
        ("ast_explain", {"pattern": "print($X)", "path": "top.py", "line": 1}),
        ("outline", {"paths": ["top.py"]}),
        ("write", {"path": "new.py", "content": "x\n", "commit": True}),
        ("edit", {"path": "top.py", "edits": [{"old": "0", "new": "1"}], "commit": True}),
        ("apply_patch", {"patch": PATCH.format("top.py", "print(0)"), "commit": True}),
        ("apply_patch", {"patch": PATCH.format("top.py", "print(0)")}),
    ],
)
def test_what_is_outside_is_refused(
    call: Callable[..., dict[str, Any]], root: Path, tool: str, arguments: dict[str, Any]
) -> None:
    before = snapshot(root)
    answer = call(tool, **arguments)
    assert not answer["ok"]
    assert answer["error"]["code"] == "confined"
    assert snapshot(root) == before
    assert call("status", ())["open_total"] == 0
    for other in ("elsewhere", "src2"):
        assert call(tool, (f"../{other}",), **arguments)["error"]["code"] == "confined"


def test_changes_of_other_files_are_not_touched(call: Callable[..., dict[str, Any]], root: Path) -> None:
    name = call("ast_edit", (), pattern="print($X)", rewrite="log($X)")["id"]
    before = snapshot(root)
    for tool, more in (
        ("show", {}),
        ("drop", {"sites": [1]}),
        ("rebase", {}),
        ("resolve", {"action": "accept"}),
        ("resolve", {"action": "discard"}),
    ):
        assert call(tool, id=name, **more)["error"]["code"] == "confined"
    assert snapshot(root) == before
    assert call("resolve", (), id=name, action="accept")["ok"]
    assert call("undo", id=name)["error"]["code"] == "confined"
    own = call("ast_edit", pattern="log($X)", rewrite="say($X)")
    assert own["files_total"] == 1
    assert call("resolve", id=own["id"], action="accept")["ok"]
    assert (root / "top.py").read_text() == "log(0)\n"


def test_a_uri_as_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    from structural.agent.roots import folder_of

    folder = tmp_path / "a b%"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    assert folder_of(folder.as_uri()) == str(folder.resolve())
    assert folder_of((tmp_path / "link").as_uri()) == str(folder.resolve())
    for uri in ("https://x/y", "file://host/x", "x", "file:relative", "file:///a%00b", ""):
        assert folder_of(uri) == ""


def test_a_client_that_offers_roots(root: Path) -> None:
    anyio = pytest.importorskip("anyio")
    pytest.importorskip("mcp")
    import mcp_types as types
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    from .test_server import COMMAND, asked

    (root / "top.py").write_text("print(0)\n")
    offered = [root / "src"]

    async def roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=one.as_uri()) for one in offered])  # type: ignore[arg-type]

    async def talk(work: Callable[[ClientSession], Awaitable[None]], *options: str) -> None:
        told = StdioServerParameters(
            command=sys.executable, args=[*COMMAND[1:], "--root", str(root), *options], env=dict(os.environ)
        )
        with anyio.fail_after(60):
            async with (
                stdio_client(told) as (reading, writing),
                ClientSession(reading, writing, list_roots_callback=roots) as session,
            ):
                await session.initialize()
                await work(session)

    async def narrowed(session: ClientSession) -> None:
        assert (await asked(session, "ast_grep", pattern="print($X)"))["matches"] == 2
        offered[:] = [root / "top.py"]
        assert (await asked(session, "ast_grep", pattern="print($X)"))["matches"] == 1
        offered[:] = [root.parent / "elsewhere"]
        assert (await asked(session, "ast_grep", pattern="print($X)"))["error"]["code"] == "confined"
        offered[:] = []
        assert (await asked(session, "ast_grep", pattern="print($X)"))["matches"] == 3

    async def whole(session: ClientSession) -> None:
        offered[:] = [root / "src"]
        assert (await asked(session, "ast_grep", pattern="print($X)"))["matches"] == 3

    anyio.run(talk, narrowed)
    anyio.run(talk, whole, "--no-client-roots")
