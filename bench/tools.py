"""The tools that are measured: how each is called, and how its answer is read.

For times every tool prints its ordinary text to nowhere.  For answers it prints JSON,
which is read here into places.  All are held to the same number of processors, told
the language, and told to leave nothing out (ignore files, sizes), so that they look at
the same files.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

Place = tuple[str, int, int]
"""Path, first byte, end byte."""

SEMGREP_LANGUAGES = {"bash": "bash", "javascript": "js", "typescript": "ts"}
"""Names that differ from ours."""


class Tool:
    """One tool: where it is and how it is called."""

    name = ""

    def __init__(self, program: Sequence[str]) -> None:
        self.program = tuple(program)

    def version(self) -> str:
        """What it says of itself."""
        made = subprocess.run(
            self.version_command(), capture_output=True, text=True, env=environment(), check=False
        )
        return (made.stdout or made.stderr).strip().split("\n")[0]

    def version_command(self) -> list[str]:
        return [*self.program, "--version"]

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        raise NotImplementedError

    def places(self, output: Path) -> Iterator[Place]:
        raise NotImplementedError


class Astgrep(Tool):
    """This project."""

    name = "astgrep"

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        form = ["--jsonl"] if answers else []
        own = ["--lang", language, "--jobs", str(jobs), "--no-ignore", *form]
        return [*self.program, "search", pattern, *paths, *own]

    def places(self, output: Path) -> Iterator[Place]:
        with output.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                item = json.loads(line)
                if item["type"] == "match":
                    yield item["path"], item["range"]["start"]["byte"], item["range"]["end"]["byte"]


class AstGrep(Tool):
    """ast-grep: written in Rust, the tool that most people would take instead."""

    name = "ast-grep"

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        form = ["--json=stream"] if answers else ["--heading", "never"]
        ignores = [
            part for name in ("dot", "exclude", "global", "parent", "vcs") for part in ("--no-ignore", name)
        ]
        own = ["-l", language, "-j", str(jobs), "--color", "never", *ignores, *form]
        return [*self.program, "run", f"--pattern={pattern}", *own, *paths]

    def places(self, output: Path) -> Iterator[Place]:
        with output.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                item = json.loads(line)
                found = item["range"]["byteOffset"]
                yield item["file"], found["start"], found["end"]


class Semgrep(Tool):
    """semgrep: OCaml behind a Python program."""

    name = "semgrep"

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        own = [
            "--metrics",
            "off",
            "--disable-version-check",
            "--no-git-ignore",
            "--quiet",
            "--jobs",
            str(jobs),
        ]
        own += [
            "--max-target-bytes",
            "0",
            "--timeout",
            "0",
            "--lang",
            SEMGREP_LANGUAGES.get(language, language),
        ]
        return [*self.program, "scan", "-e", pattern, *own, *(["--json"] if answers else ["--text"]), *paths]

    def places(self, output: Path) -> Iterator[Place]:
        text = output.read_text("utf-8", "replace")
        for item in json.loads(text)["results"] if text.strip() else ():
            yield item["path"], item["start"]["offset"], item["end"]["offset"]


KINDS: dict[str, type[Tool]] = {kind.name: kind for kind in (Astgrep, AstGrep, Semgrep)}


def find(name: str, given: str | None) -> Tool | None:
    """The tool called *name*: as *given*, beside this interpreter, on the path, or not at all."""
    kind = KINDS[name]
    beside = Path(sys.executable).parent / name
    path = given or (str(beside) if beside.exists() else shutil.which(name))
    if path and shutil.which(path):
        return kind([path])
    if name == "astgrep":
        return kind([sys.executable, "-m", "structural.cli.main"])
    return None


def environment() -> dict[str, str]:
    """The environment of every run: no colours, no telemetry, no update checks; Python keeps its
    byte code, as in any installation."""
    dropped = ("SEMGREP", "ASTGREP", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    return {**kept, "NO_COLOR": "1", "SEMGREP_SEND_METRICS": "off", "SEMGREP_ENABLE_VERSION_CHECK": "0"}
