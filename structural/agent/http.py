"""The server over streamable HTTP, for this machine only: a loopback address and a token.

A web page that a browser shows can reach loopback too; so the names of host and origin are
checked as well as the token.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from structural.agent.server import make_server, warming
from structural.agent.toolbox import Toolbox
from structural.errors import UsageError

PATH = "/mcp"

_App = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[MutableMapping[str, Any]]],
        Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ],
    Awaitable[None],
]


def loopback(host: str) -> str:
    """*host* if it is an address of this machine alone, else a UsageError."""
    name = host.strip("[]")
    try:
        fine = name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        fine = False
    if not fine:
        raise UsageError(
            f"{host} is no loopback address, and this server is for one machine",
            hint="use 127.0.0.1; to reach it from elsewhere, forward the port with ssh",
        )
    return name


def guarded(app: _App, token: str) -> _App:
    """*app*, for requests that carry the token only."""
    expected = f"Bearer {token}".encode()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, expected):
                await _refuse(send)
                return
        await app(scope, receive, send)

    return guard


async def serve_http(
    box: Toolbox,
    version: str,
    host: str,
    port: int,
    token: str,
    ready: Callable[[str], None],
    client_roots: bool = True,
) -> None:
    """Serve any number of clients.  *ready* is given the address once it can be reached."""
    import socket

    import uvicorn

    name = loopback(host)
    server = make_server(box, version, client_roots=client_roots)
    app = guarded(server.streamable_http_app(streamable_http_path=PATH, host=name), token)
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((name, port))
        except OSError as problem:
            raise UsageError(f"{host}:{port} cannot be listened at: {problem.strerror}") from None
        shown = f"[{name}]" if ":" in name else name
        ready(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
        settings = uvicorn.Config(app, log_level="warning", lifespan="on", ws="none")
        with warming(box):
            await uvicorn.Server(settings).serve(sockets=[listening])


async def _refuse(send: Any) -> None:
    head = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
    await send({"type": "http.response.start", "status": 401, "headers": head})
    await send({"type": "http.response.body", "body": b"the token is missing or wrong\n"})
