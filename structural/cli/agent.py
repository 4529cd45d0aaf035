"""``astgrep mcp``, ``astgrep tools`` and ``astgrep call``: the tools for agents."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from pathlib import Path
from typing import Any

from structural.cli.options import Options
from structural.cli.output import Output, error_text
from structural.errors import UsageError
from structural.workflow.collecting import seldom

TOKEN = "STRUCTURAL_TOKEN"
"""The variable of the environment that may hold the token of the HTTP server."""


def tools(options: Options) -> int:
    """Print the schemas of the tools."""
    import json

    from structural.agent.catalogue import TOOLS
    from structural.agent.export import exported

    kept = [tool for tool in TOOLS if not (options["read_only"] and tool.changes)]
    output = Output()
    output.write(json.dumps(exported(kept, options["style"]), ensure_ascii=False, indent=2) + "\n")
    output.flush()
    return 0


def call(tool: str, arguments: str, options: Options) -> int:
    """Run one tool and print its answer; the exit code tells whether it succeeded."""
    from structural.agent import Toolbox
    from structural.agent.budget import dumps

    box = Toolbox(options["root"] or ".", read_only=options["read_only"], jobs=options["jobs"])
    answer = box.call(tool, _arguments(arguments))
    output = Output()
    output.write(dumps(answer) + "\n")
    output.flush()
    if answer["ok"]:
        return 0
    return 4 if answer["error"]["code"] == "stale" else 2


@seldom()
def mcp(options: Options) -> int:
    """Serve the tools until the client goes."""
    try:
        import anyio

        from structural.agent.server import serve_stdio
    except ImportError as problem:
        raise UsageError(
            f"the server needs the extra `mcp`, and {problem.name or 'a part of it'} is not installed",
            hint="pip install 'structural[mcp]'",
        ) from None
    from structural.agent import Toolbox
    from structural.workflow.version import VERSION

    box = Toolbox(options["root"] or ".", read_only=options["read_only"], jobs=options["jobs"])
    if options["http"] is None:
        # The thread that waits for input cannot be cancelled, so an interrupt ends us as SIGTERM does.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        anyio.run(serve_stdio, box, VERSION, not options["no_client_roots"])
        return 0
    from structural.agent.http import serve_http

    host, port = _address(options["http"])
    given = os.environ.get(TOKEN, "")
    token = given or secrets.token_urlsafe(24)

    def ready(address: str) -> None:
        error_text(f"serving {box.root}\n  {address}\n")
        if not given:
            error_text(f"  Authorization: Bearer {token}\n")

    anyio.run(serve_http, box, VERSION, host, port, token, ready, not options["no_client_roots"])
    return 0


def _arguments(text: str) -> Any:
    """The JSON of the arguments: as given, from a file (``@NAME``), or from standard input (``-``)."""
    import json

    try:
        if text == "-":
            text = sys.stdin.read()
        elif text.startswith("@"):
            text = Path(text[1:]).read_text(encoding="utf-8")
        return json.loads(text)
    except OSError as problem:
        raise UsageError(f"{text[1:]!r} cannot be read: {problem.strerror}") from None
    except (ValueError, RecursionError) as problem:
        raise UsageError(
            f"the arguments are no JSON: {problem}",
            hint="""as '{"pattern": "print($X)"}'; @FILE or - reads them""",
        ) from None


def _address(text: str) -> tuple[str, int]:
    """``HOST:PORT`` or ``PORT`` as its parts."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65_535:
        raise UsageError(
            f"{text!r} is no address", hint="as 127.0.0.1:8765, or a port alone; 0 takes a free one"
        )
    return host or "127.0.0.1", int(port)
