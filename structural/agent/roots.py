"""The roots that a client offers: they narrow what a call may reach, and never widen it.

The protocol gives them up (deprecated in its version of 2026-07-28), but many clients still offer the folders
that are open in them.  They are asked for in every call, as they change while a client runs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from structural.agent.confine import ConfinedError

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

SECONDS = 10.0
"""For a client to say what its roots are."""


async def roots_of(session: ServerSession) -> tuple[str, ...]:
    """The folders that the client of *session* offers; empty if it offers none, or cannot be asked.
    ConfinedError if it offers some and does not tell."""
    offered: Any = session.client_capabilities
    if offered is None or offered.roots is None or not session.can_send_request:
        return ()
    try:
        with anyio.fail_after(SECONDS):
            told = await session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    except (MCPError, TimeoutError) as problem:
        raise ConfinedError(
            "the client says that it has roots, and does not tell which",
            hint="start the server with --no-client-roots to do without them",
        ) from problem
    return tuple(path for root in told.roots if (path := folder_of(str(root.uri))))


def folder_of(uri: str) -> str:
    """The folder that a URI names on this machine; empty if it names none."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    path = unquote(parts.path)
    if os.name == "nt":
        path = path.lstrip("/")
    return os.path.realpath(path) if os.path.isabs(path) and "\0" not in path else ""
