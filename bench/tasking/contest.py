"""The agents that do the tasks, and what is counted while they do.

``Ours`` calls the tools of a ``Toolbox``.  ``Peer`` has a shell with ast-grep, and reads,
replaces and writes files as the plain tools of an agent do, without guards.  Characters are
those of the JSON of a call, or of its command line, and of what comes back.  What others do to
the tree in between (``meanwhile``) is not counted.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from structural.agent import Toolbox

OURS, CAREFUL, STRAIGHT = "structural", "ast-grep, careful", "ast-grep, straight on"

Answer = dict[str, Any]


class MissingToolError(Exception):
    """This revision of the project does not offer a tool that a task needs."""


@dataclass
class Tally:
    """What an agent spent.  Characters; seconds."""

    calls: int = 0
    sent: int = 0
    received: int = 0
    wall: float = 0.0
    processor: float = 0.0
    longest: int = 0
    """Characters of the longest answer."""
    trace: list[str] = field(default_factory=list)
    """The calls, each in a few words."""

    def count(self, what: str, sent: int, received: int) -> None:
        self.calls += 1
        self.sent += sent
        self.received += received
        self.longest = max(self.longest, received)
        self.trace.append(what if len(what) <= 200 else what[:199] + "…")


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Agent:
    """One agent over one tree."""

    def __init__(self, root: Path, tally: Tally | None = None) -> None:
        self.root = root
        self.tally = tally or Tally()

    @contextmanager
    def timing(self) -> Iterator[None]:
        """Count the time that is spent inside."""
        wall, processor = time.perf_counter(), _processor()
        try:
            yield
        finally:
            self.tally.wall += time.perf_counter() - wall
            self.tally.processor += _processor() - processor

    def meanwhile(self, event: Callable[[], object]) -> None:
        """What others do in between.  Its time is taken off again."""
        wall, processor = time.perf_counter(), _processor()
        event()
        self.tally.wall -= time.perf_counter() - wall
        self.tally.processor -= _processor() - processor


class Ours(Agent):
    """An agent that calls our tools."""

    def __init__(self, root: Path, tally: Tally | None = None, jobs: int = 2) -> None:
        super().__init__(root, tally)
        self.box = Toolbox(str(root), jobs=jobs)

    def other(self) -> Ours:
        """A second agent on the same tree, with a server of its own; counted together."""
        return Ours(self.root, self.tally)

    def need(self, *names: str) -> None:
        missing = [name for name in names if name not in self.box.tools]
        if missing:
            raise MissingToolError(", ".join(missing))

    def call(self, tool: str, **arguments: Any) -> Answer:
        """The answer of a tool, right or wrong."""
        answer = self.box.call(tool, arguments)
        received = len(_dumps(answer))
        said = answer["summary"] if answer["ok"] else f"{answer['error']['code']}"
        self.tally.count(f"{tool}: {said}", len(tool) + len(_dumps(arguments)), received)
        budget = arguments.get("budget", 8_000)
        if received > budget:
            raise AssertionError(f"{tool} gave {received} characters for a budget of {budget}")
        return answer

    def good(self, tool: str, **arguments: Any) -> Answer:
        """The answer of a call that has to succeed."""
        answer = self.call(tool, **arguments)
        if not answer["ok"]:
            raise AssertionError(f"{tool} failed: {_dumps(answer)[:1_000]}")
        return answer

    def fails(self, tool: str, code: str, **arguments: Any) -> Answer:
        """The error of a call that has to be refused with *code*."""
        answer = self.call(tool, **arguments)
        if answer["ok"] or answer["error"]["code"] != code:
            raise AssertionError(f"{tool} was not refused as {code}: {_dumps(answer)[:1_000]}")
        error: Answer = answer["error"]
        return error


class Peer(Agent):
    """An agent with a shell, ast-grep, and plain reading and writing of files."""

    def other(self) -> Peer:
        return Peer(self.root, self.tally)

    def shell(self, command: str, given: str = "") -> str:
        """What a command line prints, errors too."""
        folder = os.path.dirname(sys.executable)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ.get('PATH', '')}", "NO_COLOR": "1"}
        made = subprocess.run(
            ["sh", "-c", command],
            cwd=self.root,
            env=environment,
            input=given.encode(),
            capture_output=True,
            check=False,
        )
        out = made.stdout.decode(errors="replace") + made.stderr.decode(errors="replace")
        self.tally.count(command, len(command) + len(given), len(out))
        return out

    def run(self, *words: str) -> str:
        """The same for separate words."""
        return self.shell(shlex.join(words))

    def read(self, path: str, first: int = 1, last: int = 1_000_000) -> str:
        """Lines of a file; they come numbered, as these tools give them."""
        lines = _text(self.root / path).split("\n")[first - 1 : last]
        numbered = sum(len(line) + 7 for line in lines)
        self.tally.count(f"read {path}", len(path) + 40, numbered)
        return "\n".join(lines)

    def replace(self, path: str, old: str, new: str) -> bool:
        """Replace the first place of *old*; false, and nothing done, if it is not there."""
        before = _text(self.root / path)
        found = old in before
        if found:
            _put(self.root / path, before.replace(old, new, 1))
        self.tally.count(f"replace in {path}", len(path) + len(old) + len(new) + 40, 20)
        return found

    def write(self, path: str, content: str) -> None:
        """Write a whole file."""
        _put(self.root / path, content)
        self.tally.count(f"write {path}", len(path) + len(content) + 30, 20)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _put(path: Path, content: str) -> None:
    path.write_bytes(content.encode("utf-8", "surrogateescape"))


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass
class Verdict:
    """What an independent check found of the tree and of the answer."""

    wrong: list[str] = field(default_factory=list)
    """What is not as it should be; empty if the task is done."""
    lost: int = 0
    """Bytes of others that are gone: overwritten edits, dropped comments."""
    damaged: int = 0
    """Files that were code before and are none now."""
    layout: int = 0
    """Files that are right, but with other layout than an edit of the places alone would give."""
    notes: list[str] = field(default_factory=list)

    @property
    def right(self) -> bool:
        return not (self.wrong or self.lost or self.damaged)


class AgentTask:
    """One task.  ``copy`` makes the tree from the corpus, ``plant`` puts in what the task is about.

    The scripts of the agents take one agent and give the answer, if the task has one; ``judge``
    is told it.
    """

    number = 0
    title = ""
    trees: Sequence[str] = ()
    """Folders of the corpus that are copied."""

    def plant(self, root: Path) -> None:
        """Prepare the tree, and keep what the check needs.  Called once before each agent."""

    def ours(self, agent: Ours) -> object:
        raise NotImplementedError

    def careful(self, agent: Peer) -> object:
        """What an agent does that looks before and after each step."""
        raise NotImplementedError

    straight: Callable[[Peer], object] | None = None
    """What one does that trusts its tools; None where it would not differ."""

    def judge(self, root: Path, answer: object) -> Verdict:
        raise NotImplementedError
