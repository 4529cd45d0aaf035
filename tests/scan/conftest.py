"""A project in a folder of its own, with rules, and a cache that is nobody's."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from structural.workflow.scanning import (
    Choice,
    Found,
    Scanned,
    ScanSummary,
    Selection,
    Wish,
    gather,
    read_settings,
    scan_paths,
)

ROOT = Path(__file__).resolve().parents[2]

RULES = """\
id: no-eval
language: [python, javascript]
severity: error
message: "`eval` of `$X`"
note: It runs whatever it is given.
url: https://example.org/eval
tags: [security]
rule: {pattern: eval($X)}
---
id: self-comparison
language: [python, javascript]
message: "`$A` is compared with itself"
tags: [correctness]
rule: {pattern: $A == $A}
---
id: no-print
language: python
severity: info
rule: {pattern: print($$$ARGS)}
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRUCTURAL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


class Project:
    """A folder with ``structural.toml`` and rules, in which scans are run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def configure(self, text: str = "") -> None:
        self.put("structural.toml", f'[scan]\nrules = ["rules"]\n{text}')

    def scan(
        self, *paths: str, wish: Wish | None = None, choice: Choice | None = None, rules: tuple[str, ...] = ()
    ) -> tuple[list[Scanned], ScanSummary]:
        """The scanned files and the summary; the current folder must be the project's."""
        settings = read_settings()
        book = gather(rules, settings, choice)
        results = scan_paths(book, settings, Selection(paths or (".",)), wish or Wish(jobs=1))
        found = list(results)
        return [one for one in found if isinstance(one, Scanned)], results.summary

    def found(self, *paths: str, wish: Wish | None = None) -> list[tuple[str, int, str]]:
        """Path, line and rule of what is told, in order."""
        files, _ = self.scan(*paths, wish=wish)
        return [
            (one.path, one.source[: finding.span.start].count(b"\n") + 1, finding.rule)
            for one in files
            for finding in told(one)
            if one.source is not None
        ]

    def run(self, *arguments: str, code: int | None = None) -> subprocess.CompletedProcess[bytes]:
        """``astgrep`` with *arguments*, in a process that is forked, as nothing must be imported then."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as told:
            child = os.fork()
            if child == 0:
                _be_the_command(self.folder, list(arguments), out.fileno(), told.fileno())
            _, status = os.waitpid(child, 0)
            out.seek(0)
            told.seek(0)
            ended = os.waitstatus_to_exitcode(status)
            made = subprocess.CompletedProcess(list(arguments), ended, out.read(), told.read())
        assert code is None or made.returncode == code, made.stderr.decode()
        return made

    def git(self, *arguments: str) -> str:
        made = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=self.folder,
            capture_output=True,
            check=True,
        )
        return made.stdout.decode()


def _be_the_command(folder: Path, arguments: list[str], out: int, told: int) -> None:
    """Run the command as this process, and end it."""
    from structural.cli.commands import run

    code = 70
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(told, 2)
        sys.stderr = open(2, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        os.chdir(folder)
        code = run(arguments)
        sys.stderr.flush()
    except BaseException:
        import traceback

        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def told(one: Scanned) -> list[Found]:
    """The findings that are not suppressed."""
    return [finding for finding in one.findings if finding.aside is None]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = Project(tmp_path / "project")
    made.folder.mkdir()
    made.put("rules/all.yml", RULES)
    made.configure()
    monkeypatch.chdir(made.folder)
    return made


Put = Callable[[str, str], Path]
