"""What docs/scan.md, the hooks and the action say is what the program does."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from structural.cli.commands import astgrep, rules, scan
from structural.workflow.reports import FORMATS
from structural.workflow.scanning import read_settings
from structural.workflow.scanning.settings import _KEYS
from tests.scan.conftest import ROOT, Project

PAGE = (ROOT / "docs/scan.md").read_text(encoding="utf-8")


def fenced(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_configuration_of_the_page_is_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = fenced("toml")
    assert set(tomllib.loads(text)["scan"]) == set(_KEYS), "every key is told"
    project.put("structural.toml", text)
    settings = read_settings()
    assert settings.rules == ("rules", "catalogue/python")
    assert settings.severity == {"no-eval": "error", "tag:style": "off"}


def test_the_same_as_yaml(project: Project) -> None:
    (text,) = fenced("toml")
    wanted = read_settings(str(project.put("structural.toml", text)))
    (project.folder / "structural.toml").unlink()
    project.put("structural.yml", yaml.safe_dump(tomllib.loads(text)))
    found = read_settings()
    assert found.path == "structural.yml"
    for name in ("rules", "utils", "tests", "ignores", "severity", "fail_on", "baseline", "unused"):
        assert getattr(found, name) == getattr(wanted, name)


def test_every_option_and_format_is_told() -> None:
    own = {name for param in (*scan.params, *rules.params) for name in param.opts if name.startswith("--")}
    common = {
        "--glob",
        "--hidden",
        "--no-ignore",
        "--follow",
        "--max-size",
        "--jobs",
        "--color",
        "--stats",
        "--help",
    }
    missing = sorted(name for name in own - common if not re.search(rf"{name}(?![\w-])", PAGE))
    assert not missing
    assert all(f"`{name}`" in PAGE for name in FORMATS)


def test_the_example_of_suppressions_suppresses_all(project: Project) -> None:
    (text,) = fenced("python")
    project.put("a.py", text)
    assert project.found() == []
    _, summary = project.scan()
    assert summary.suppressed == 4


@pytest.mark.parametrize("text", fenced("yaml") or [""])
def test_recipes_are_yaml(text: str) -> None:
    assert yaml.safe_load(text)


def commands() -> list[list[str]]:
    """Every command line of ours in the page and in the hooks."""
    found = re.findall(
        r"^(?:    |.*(?:sh '|- ))(ast(?:grep) (?:scan|test|rules)[^\n'#]*)", PAGE, re.MULTILINE
    )
    hooks: Any = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return [shlex.split(one) for one in [*found, *(hook["entry"] for hook in hooks)]]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_can_be_called(words: list[str]) -> None:
    assert isinstance(astgrep.commands, dict)  # type: ignore[attr-defined]
    command = astgrep.commands[words[1]]  # type: ignore[attr-defined]
    command.make_context("astgrep", [word for word in words[2:] if word != "[PATHS]"])


def test_hooks_have_what_pre_commit_asks_for() -> None:
    hooks: Any = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    for hook in hooks:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["id"] in PAGE or hook["id"] == "astgrep-test"


def test_the_hook_scans_what_is_staged(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    project.git("init", "-q", ".")
    project.put("a.py", "eval(x)\n")
    project.git("add", "a.py")
    project.put("a.py", "pass\n")
    hooks: Any = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    words = shlex.split(hooks[0]["entry"])
    assert project.run(*words[1:], code=1).stdout == b"a.py:1:1: error: `eval` of `x` [no-eval]\n"


def steps() -> list[dict[str, Any]]:
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    found = action["runs"]["steps"]
    assert all("shell" in step for step in found if "run" in step)
    return list(found)


def test_no_input_of_the_action_is_text_of_a_script() -> None:
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for step in steps():
        assert "${{" not in step.get("run", "")
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(action["inputs"])


def test_the_script_of_the_action_calls_what_was_asked_for(tmp_path: Path) -> None:
    program = tmp_path / "astgrep/bin/astgrep"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nfor one in "$@"; do echo "[$one]"; done\n')
    program.chmod(0o755)
    script = steps()[-1]["run"]
    names = steps()[-1]["env"]
    environment = {**os.environ, "RUNNER_TEMP": str(tmp_path), **dict.fromkeys(names, "")}

    def said(**inputs: str) -> list[str]:
        made = subprocess.run(
            ["bash", "-e", "-c", script], env={**environment, **inputs}, capture_output=True, check=True
        )
        return made.stdout.decode().splitlines()

    assert said() == ["[scan]", "[--format]", "[github]", "[--]"]
    assert said(
        PATHS="a b\n$(x)\n", RULES="r\nq", SARIF="s", BASELINE="m", FAIL_ON="never", ARGUMENTS="-v"
    ) == [
        "[scan]", "[--format]", "[github]", "[--rules]", "[r]", "[--rules]", "[q]", "[--baseline]", "[m]",
        "[--fail-on]", "[never]", "[--format]", "[sarif:s]", "[-v]", "[--]", "[a b]", "[$(x)]",
    ]  # fmt: skip
