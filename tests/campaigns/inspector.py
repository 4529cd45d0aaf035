"""The MCP Inspector's command line as a client of the server.

    python -m tests.campaigns.inspector PATH/TO/mcp-inspector

PATH is the program that the npm package ``@modelcontextprotocol/inspector`` installs, of version 1.0 or
newer: from there on it sends headers.  Over standard input and output, and over HTTP with the token, it
lists the tools and calls every one; each answer is compared with the output schema that was listed.
Over HTTP it is also refused without the token.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema

PROGRAM = "import sys; from structural.cli.main import astgrep; sys.exit(astgrep())"

SECONDS = 90
"""For one start of the Inspector."""

FILES = {
    "app.py": "import log\n\n\ndef main(name):\n    print(name)\n    print('end')\n",
    "web.js": "if (view != null) view.dispose();\n",
}

RULE = (
    "id: no-print\nlanguage: python\nmessage: no print of $X\nrule: {pattern: print($X)}\nrewrite: log($X)\n"
)

PATCH = "*** Begin Patch\n*** Add File: more.js\n+more();\n*** End Patch\n"


class Inspector:
    """Calls over one transport.  *reach*: the arguments that reach the server."""

    def __init__(self, program: str, reach: list[str]) -> None:
        self._start = [program, "--cli", *reach]
        self.schemas: dict[str, Any] = {}
        self.called: set[str] = set()

    def run(self, *more: str) -> Any:
        """What it prints, as JSON; RuntimeError if that is none."""
        done = subprocess.run(
            [*self._start, *more], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise RuntimeError((done.stderr or done.stdout).strip()[-400:]) from None

    def list(self) -> None:
        """Ask for the tools."""
        self.schemas = {
            tool["name"]: tool["outputSchema"] for tool in self.run("--method", "tools/list")["tools"]
        }

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """One call; its answer must fit the schema, and be the same as text."""
        given = [
            f"{key}={value if isinstance(value, str) else json.dumps(value)}"
            for key, value in arguments.items()
        ]
        pairs = [part for one in given for part in ("--tool-arg", one)]
        result = self.run("--method", "tools/call", "--tool-name", name, *pairs)
        answer: dict[str, Any] = result["structuredContent"]
        jsonschema.Draft202012Validator(self.schemas[name]).validate(answer)
        if json.loads(result["content"][0]["text"]) != answer:
            raise RuntimeError(f"{name}: the text is not the structured content")
        self.called.add(name)
        return answer


def conversation(inspector: Inspector, say: Callable[[str], None]) -> int:
    """Call every tool; gives the number of calls that did not succeed, or were not made."""
    inspector.list()
    bad = 0

    def call(name: str, *, fine: bool = True, **arguments: Any) -> dict[str, Any]:
        nonlocal bad
        answer = inspector.call(name, **arguments)
        bad += answer["ok"] is not fine
        told = answer["summary"] if answer["ok"] else answer["error"]["message"]
        say(f"  {'  ' if answer['ok'] is fine else 'NO'} {name}: {told[:90]}")
        return answer

    call("ast_grep", pattern="print($X)")
    call("ast_grep", pattern="print(", fine=False)
    call("ast_scan", rule=RULE)
    call("ast_explain", pattern="print($X)", path="app.py", line=4)
    call("outline", paths=["app.py"])
    digest = call("read", path="app.py", last=2)["digest"]
    staged = call("ast_edit", pattern="print($X)", rewrite="log($X)")["id"]
    call("show", id=staged)
    call("drop", id=staged, sites=[1])
    call("rebase", id=staged)
    call("status")
    call("resolve", id=staged, action="accept")
    call("undo", id=staged)
    call("edit", path="app.py", digest=digest, edits=[{"old": "import log", "new": "import logs"}])
    call("write", path="new.py", content="x = 1\n")
    call("apply_patch", patch=PATCH)
    call("read", path="../secret", fine=False)
    left = sorted(set(inspector.schemas) - inspector.called)
    if left:
        say(f"  NO never called: {', '.join(left)}")
    say(f"  {len(inspector.schemas)} tools listed, {len(inspector.called)} of them called")
    return bad + len(left)


def make_tree(at: Path) -> str:
    """A tree to work on."""
    at.mkdir()
    for name, text in FILES.items():
        (at / name).write_text(text)
    return str(at)


@contextmanager
def serving(root: str, token: str) -> Iterator[str]:
    """A server over HTTP; gives its address."""
    told = [sys.executable, "-c", PROGRAM, "mcp", "--root", root, "--http", "127.0.0.1:0"]
    environment = {**os.environ, "STRUCTURAL_TOKEN": token}
    with subprocess.Popen(told, stderr=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stderr is not None
            address = next(line.strip() for line in server.stderr if "http://" in line)
            yield address
        finally:
            server.terminate()


def run(program: str, say: Callable[[str], None]) -> int:
    """Both transports; gives the number of faults."""
    bad = 0
    with tempfile.TemporaryDirectory() as made:
        say("standard input and output")
        root = make_tree(Path(made, "one"))
        bad += conversation(Inspector(program, [sys.executable, "-c", PROGRAM, "mcp", "--root", root]), say)
        say("streamable HTTP")
        token = secrets.token_hex(16)
        with serving(make_tree(Path(made, "two")), token) as address:
            reach = [address, "--transport", "http"]
            bad += conversation(
                Inspector(program, [*reach, "--header", f"Authorization: Bearer {token}"]), say
            )
            for header in ([], ["--header", "Authorization: Bearer wrong"]):
                try:
                    Inspector(program, [*reach, *header]).list()
                except RuntimeError:
                    say(f"     refused with {header or 'no header'}")
                else:
                    bad += 1
                    say(f"  NO let in with {header or 'no header'}")
    say(f"{bad} faults")
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("inspector", help="the program `mcp-inspector`")
    asked = parser.parse_args()
    return 1 if run(asked.inspector, lambda text: print(text, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(main())
