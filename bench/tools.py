"""The tools that are measured: how each is called, and how its answer is read.

For times every tool prints its ordinary text to nowhere.  For answers it prints JSON, which is read here
into places.  All are held to the same number of processors, told the language, and told to leave nothing out
(ignore files, sizes), so that they look at the same files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from bench.cases import AST_GREP, ASTGREP, COMBY, SEMGREP
from bench.patterns import SPELLED

Place = tuple[str, int, int]
"""Path, first byte, end byte."""

SEMGREP_LANGUAGES = {"bash": "bash", "javascript": "js", "tsx": "ts", "typescript": "ts"}
"""Names that differ from ours."""

COMBY_SUFFIXES = {
    "bash": ".sh",
    "c": ".c",
    "cpp": ".cpp",
    "csharp": ".cs",
    "dart": ".dart",
    "go": ".go",
    "java": ".java",
    "javascript": ".js",
    "kotlin": ".kt",
    "php": ".php",
    "python": ".py",
    "ruby": ".rb",
    "rust": ".rs",
    "scala": ".scala",
    "swift": ".swift",
    "tsx": ".tsx",
    "typescript": ".ts",
}

EVERY_IGNORE = [
    part for name in ("dot", "exclude", "global", "parent", "vcs") for part in ("--no-ignore", name)
]

_NAME = re.compile(r"\$(\$\$)?([A-Z_][A-Z0-9_]*)?")


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

    def spelled(self, pattern: str) -> str:
        """*pattern* as this tool writes it."""
        return SPELLED.get((self.name, pattern), pattern)

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        raise NotImplementedError

    def places(self, output: Path) -> Iterator[Place]:
        """The answer of a search."""
        raise NotImplementedError

    def scan(self, rules: Path, tree: str, jobs: int, *, answers: bool) -> list[str]:
        """Scan *tree* with the rules that ``write_rules`` wrote into the folder *rules*."""
        raise NotImplementedError

    def write_rules(self, rules: Sequence[str], folder: Path) -> frozenset[str]:
        """Write *rules*, each the text of one document, as this tool reads them; ids of those it can."""
        raise NotImplementedError

    def findings(self, output: Path) -> Iterator[tuple[str, Place]]:
        """The answer of a scan: rule and place."""
        raise NotImplementedError


def _items(output: Path) -> Iterator[dict[str, Any]]:
    with output.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            yield json.loads(line)


def _ids(rules: Sequence[str]) -> frozenset[str]:
    return frozenset(yaml.safe_load(text)["id"] for text in rules)


class Astgrep(Tool):
    """This project."""

    name = ASTGREP

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        form = ["--jsonl"] if answers else []
        own = ["--lang", language, "--jobs", str(jobs), "--no-ignore", *form]
        return [*self.program, "search", pattern, *paths, *own]

    def places(self, output: Path) -> Iterator[Place]:
        for item in _items(output):
            if item["type"] == "match":
                yield item["path"], item["range"]["start"]["byte"], item["range"]["end"]["byte"]

    def scan(self, rules: Path, tree: str, jobs: int, *, answers: bool) -> list[str]:
        own = ["--rules", str(rules), "--jobs", str(jobs), "--no-cache", "--no-ignore"]
        return [*self.program, "scan", *own, *(["--jsonl"] if answers else []), tree]

    def write_rules(self, rules: Sequence[str], folder: Path) -> frozenset[str]:
        folder.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(rules):
            (folder / f"{number}.yml").write_text(text + "\n", "utf-8")
        return _ids(rules)

    def findings(self, output: Path) -> Iterator[tuple[str, Place]]:
        for item in _items(output):
            if item["type"] == "finding":
                at = item["range"]
                yield item["rule"], (item["path"], at["start"]["byte"], at["end"]["byte"])

    def index(self, action: str, tree: str, jobs: int) -> list[str]:
        return [*self.program, "index", action, tree, *(["--jobs", str(jobs)] if action == "build" else [])]

    def stage(self, pattern: str, rewrite: str, jobs: int) -> list[str]:
        """Stage a rewrite of the files of the current folder."""
        return [*self._edit(), "stage", pattern, "--jobs", str(jobs), "--rewrite", rewrite, "--root", "."]

    def accept(self) -> list[str]:
        """Commit what is staged in the current folder."""
        return [*self._edit(), "resolve", "--accept", "--root", "."]

    def _edit(self) -> list[str]:
        beside = Path(self.program[0]).with_name("astedit")
        if len(self.program) == 1 and beside.exists():
            return [str(beside)]
        call = "import sys; from structural.cli.main import astedit; sys.exit(astedit())"
        return [sys.executable, "-c", call]


class AstGrep(Tool):
    """ast-grep: written in Rust, the tool that most people would take instead."""

    name = AST_GREP

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        form = ["--json=stream"] if answers else ["--heading", "never"]
        own = ["-l", language, "-j", str(jobs), "--color", "never", *EVERY_IGNORE, *form]
        return [*self.program, "run", f"--pattern={pattern}", *own, *paths]

    def places(self, output: Path) -> Iterator[Place]:
        for item in _items(output):
            found = item["range"]["byteOffset"]
            yield item["file"], found["start"], found["end"]

    def scan(self, rules: Path, tree: str, jobs: int, *, answers: bool) -> list[str]:
        own = ["--config", str(rules / "sgconfig.yml"), "--threads", str(jobs), "--color", "never"]
        return [*self.program, "scan", *own, *EVERY_IGNORE, *(["--json=stream"] if answers else []), tree]

    def write_rules(self, rules: Sequence[str], folder: Path) -> frozenset[str]:
        (folder / "rules").mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(rules):
            (folder / "rules" / f"{number}.yml").write_text(text + "\n", "utf-8")
        (folder / "sgconfig.yml").write_text("ruleDirs: [rules]\n", "utf-8")
        return _ids(rules)

    def findings(self, output: Path) -> Iterator[tuple[str, Place]]:
        for item in _items(output):
            at = item["range"]["byteOffset"]
            yield item["ruleId"], (item["file"], at["start"], at["end"])


class Semgrep(Tool):
    """semgrep: OCaml behind a Python program."""

    name = SEMGREP

    def spelled(self, pattern: str) -> str:
        return SPELLED.get((self.name, pattern)) or re.sub(r"\$\$\$[A-Z0-9_]*", "...", pattern)

    def _own(self, jobs: int, *, answers: bool) -> list[str]:
        own = ["--metrics", "off", "--disable-version-check", "--no-git-ignore", "--quiet"]
        own += ["--jobs", str(jobs), "--max-target-bytes", "0", "--timeout", "0"]
        return [*own, "--json" if answers else "--text"]

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        of = ["-e", pattern, "--lang", SEMGREP_LANGUAGES.get(language, language)]
        return [*self.program, "scan", *of, *self._own(jobs, answers=answers), *paths]

    def places(self, output: Path) -> Iterator[Place]:
        for item in self._results(output):
            yield item["path"], item["start"]["offset"], item["end"]["offset"]

    def scan(self, rules: Path, tree: str, jobs: int, *, answers: bool) -> list[str]:
        return [*self.program, "scan", "--config", str(rules), *self._own(jobs, answers=answers), tree]

    def write_rules(self, rules: Sequence[str], folder: Path) -> frozenset[str]:
        """Rules that are one pattern; conditions on kinds of nodes are nothing that semgrep can say."""
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for text in rules:
            rule = yaml.safe_load(text)
            if set(rule["rule"]) == {"pattern"} and isinstance(rule["rule"]["pattern"], str):
                language = SEMGREP_LANGUAGES.get(rule["language"], rule["language"])
                head = {"id": rule["id"], "languages": [language], "severity": "WARNING"}
                written.append(
                    {**head, "message": rule["id"], "pattern": self.spelled(rule["rule"]["pattern"])}
                )
        (folder / "rules.yml").write_text(yaml.safe_dump({"rules": written}), "utf-8")
        return frozenset(rule["id"] for rule in written)

    def findings(self, output: Path) -> Iterator[tuple[str, Place]]:
        for item in self._results(output):
            yield (
                item["check_id"].split(".")[-1],
                (item["path"], item["start"]["offset"], item["end"]["offset"]),
            )

    @staticmethod
    def _results(output: Path) -> Iterator[dict[str, Any]]:
        text = output.read_text("utf-8", "replace")
        yield from json.loads(text)["results"] if text.strip() else ()


class Comby(Tool):
    """comby: brackets, strings and comments, but no grammar.  Written from its documentation."""

    name = COMBY

    def version_command(self) -> list[str]:
        return [*self.program, "-version"]

    def spelled(self, pattern: str) -> str:
        return SPELLED.get((self.name, pattern)) or _NAME.sub(lambda m: f":[{m[2] or '_'}]", pattern)

    def search(
        self, pattern: str, language: str, paths: Sequence[str], jobs: int, *, answers: bool
    ) -> list[str]:
        suffix = COMBY_SUFFIXES.get(language, f".{language}")
        own = ["-match-only", "-matcher", suffix, "-jobs", str(jobs), *(["-json-lines"] if answers else [])]
        folders = [part for path in paths for part in ("-d", path)]
        return [*self.program, pattern, "", suffix, *own, *folders]

    def places(self, output: Path) -> Iterator[Place]:
        for item in _items(output):
            for match in item["matches"]:
                yield item["uri"], match["range"]["start"]["offset"], match["range"]["end"]["offset"]


KINDS: dict[str, type[Tool]] = {kind.name: kind for kind in (Astgrep, AstGrep, Semgrep, Comby)}


def find(name: str, given: str | None) -> Tool | None:
    """The tool called *name*: as *given*, beside this interpreter, on the path, or not at all."""
    kind = KINDS[name]
    beside = Path(sys.executable).parent / name
    path = given or (str(beside) if beside.exists() else shutil.which(name))
    if path and shutil.which(path):
        return kind([path])
    if name == ASTGREP:
        return kind([sys.executable, "-m", "structural.cli.main"])
    return None


def environment() -> dict[str, str]:
    """The environment of every run: no colours, no telemetry, no update checks; Python keeps its
    byte code, as in any installation."""
    dropped = ("SEMGREP", "ASTGREP", "STRUCTURAL", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    return {**kept, "NO_COLOR": "1", "SEMGREP_SEND_METRICS": "off", "SEMGREP_ENABLE_VERSION_CHECK": "0"}
