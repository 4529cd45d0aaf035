"""Languages from configuration: a grammar wheel or a shared library, and mistakes that are told."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from structural.errors import UsageError
from structural.syntax import registry
from structural.workflow import config

ROOT = Path(__file__).parent.parent

WHEEL = """
[languages.notes]
module = "tree_sitter_json"
aliases = ["nts"]
suffixes = [".notes"]
strings = ["string"]
skeletons = [{ rung = "statement" }, { rung = "pair", before = "{", after = "}" }]
stand_ins = ['"{}"', '"{}": 0']
"""


@pytest.fixture(autouse=True)
def _forget() -> object:
    before = dict(registry._extra)
    yield
    registry._extra.clear()
    registry._extra.update(before)
    registry._all.cache_clear()


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "structural.cli.main", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_a_language_from_a_wheel(tmp_path: Path) -> None:
    (tmp_path / "structural.toml").write_text(WHEEL)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.notes").write_text('{"x": 1, "y": 2}\n')
    done = run(tmp_path / "sub", "search", '"x": $V', "--lang", "nts")
    assert done.returncode == 0, done.stderr
    assert done.stdout == 'a.notes:1:2: {"x": 1, "y": 2}\n'
    assert "notes" in run(tmp_path, "languages").stdout


def test_a_language_from_a_shared_library(tmp_path: Path) -> None:
    spec = find_spec("tree_sitter_json")
    assert spec is not None
    assert spec.origin is not None
    (library,) = Path(spec.origin).parent.glob("_binding*.so")
    (tmp_path / "structural.toml").write_text(
        f'[languages.notes]\nlibrary = "{library}"\nsymbol = "json"\nsuffixes = [".notes"]\n'
        "stand_ins = ['\"{}\"']\n"
    )
    (tmp_path / "a.notes").write_text("[1, 2]\n")
    done = run(tmp_path, "search", "[$$$A]")
    if "cannot be loaded" in done.stderr:
        pytest.skip("this wheel does not export its grammar")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[rules]\n", "unknown key 'rules'"),
        ("languages = 1\n", "languages is no table"),
        ("[languages.x]\nsuffixes = ['.x']\n", "names no grammar"),
        ("[languages.x]\nmodule = 'm'\ncolour = 1\n", "has no key 'colour'"),
        ("[languages.x]\nmodule = 'm'\nsuffixes = '.x'\n", "is not of the type"),
        ("[languages.x]\nmodule = 'm'\nskeletons = [{ rung = 'roof' }]\n", "no rung is called 'roof'"),
        ("[languages\n", "structural.toml"),
    ],
)
def test_mistakes_are_told_with_the_file_and_the_key(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "structural.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        config.load(tmp_path)


def test_configuration_above_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "structural.toml").write_text(WHEEL)
    (tmp_path / "project" / ".git").mkdir(parents=True)
    assert config.load(tmp_path / "project") is None
    assert config.load(tmp_path) == tmp_path / "structural.toml"
