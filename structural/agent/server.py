"""The tools over the Model Context Protocol: one server, on standard input and output or over HTTP.

A call runs in a thread of its own, so that a long one does not hold up the others.  A call
that is cancelled ends at the next file; what it had staged stays staged.  All state is in
the store of the tree, so a server may be killed at any time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server

from structural.agent.budget import dumps
from structural.agent.confine import ConfinedError
from structural.agent.export import as_mcp
from structural.agent.roots import roots_of
from structural.agent.tool import Answer, Call, told
from structural.agent.toolbox import Toolbox

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

NAME = "structural"

THREADS = 8
"""Calls that run at one time; others wait."""

_REST = 1.0
"""Seconds that a server waits before it reads ahead: a client that calls at once is answered first."""

_PACE = 0.25
"""Seconds between two notes of progress."""

INSTRUCTIONS = told(
    """
    Search and change code by its shape. Paths are relative to the root of the project; every answer says
    what was searched and whether it is complete, keeps to a budget of characters, and names the calls that
    go on from it.

    To change many places: ast_grep to try the pattern, ast_edit to stage the rewrite (nothing is written),
    show to look at the diff, drop what should stay, resolve to accept: all files are written or none. To
    change one place that you have read: read, then edit with its digest. If files changed in between,
    resolve refuses, and rebase computes the change again. undo takes a commit back.
    """
)


def make_server(box: Toolbox, version: str, *, client_roots: bool = True) -> Server[Any]:
    """The server over the tools of *box*.  *client_roots*: calls reach only what the client offers."""
    limiter = anyio.CapacityLimiter(THREADS)
    listed = [types.Tool.model_validate(as_mcp(tool)) for tool in box.tools.values()]

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        gone = threading.Event()
        call = Call(cancelled=gone.is_set, progress=_Progress(context))
        if client_roots:
            try:
                call.roots = await roots_of(context.session)
            except ConfinedError as problem:
                return _result(box.refused(problem))
        try:
            answer = await anyio.to_thread.run_sync(
                box.call, params.name, params.arguments or {}, call, abandon_on_cancel=True, limiter=limiter
            )
        finally:
            gone.set()
        return _result(answer)

    return Server(
        NAME,
        version=version,
        title="Structural search and staged rewrites",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(box: Toolbox, version: str, client_roots: bool = True) -> None:
    """Serve one client on standard input and output, until the input ends."""
    from mcp.server.stdio import stdio_server

    server = make_server(box, version, client_roots=client_roots)
    with warming(box):
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


@contextmanager
def warming(box: Toolbox) -> Iterator[None]:
    """Meanwhile read the files of the root in a thread, so that the first calls find them."""
    ended = threading.Event()

    def work() -> None:
        if not ended.wait(_REST):
            box.warm(ended.is_set)

    threading.Thread(target=work, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _result(answer: Answer) -> types.CallToolResult:
    text = types.TextContent(type="text", text=dumps(answer))
    return types.CallToolResult(content=[text], structured_content=answer, is_error=not answer["ok"])


class _Progress:
    """Tells the client how far a call is, from the thread that it runs in."""

    def __init__(self, context: ServerRequestContext[Any]) -> None:
        self._session = context.session
        self._said = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._said < _PACE:
            return
        self._said = now
        text = f"{done} of {total} files" if total else f"{done} files"
        anyio.from_thread.run(self._session.report_progress, done, total or None, text)
