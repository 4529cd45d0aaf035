"""``astgrep import``: where the rules go, what is said, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RULES = """\
rules:
- id: no-eval
  languages: [python]
  severity: ERROR
  message: "`$X` is run"
  pattern: eval($X)
- id: tainted
  mode: taint
  languages: [python]
  severity: ERROR
  message: m
  pattern-sources: [{pattern: input()}]
  pattern-sinks: [{pattern: eval(...)}]
"""
MADE = """\
# From rules.yaml, line 2, by `astgrep import`.
id: no-eval
language: python
severity: error
message: "`$X` is run"
rule:
  pattern: eval($X)
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "structural.cli.main", "import", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_rules_go_to_standard_output_and_problems_to_the_other(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    done = run(tmp_path, "rules.yaml")
    assert done.returncode == 3
    assert done.stdout == MADE
    assert done.stderr == (
        "rules.yaml:8:3: not carried over: tainted: mode `taint` follows data through a program,"
        " which is not done here\n"
        "1 rule of 2 carried over, 0 with a difference; 1 not\n"
    )


def test_below_a_folder_nothing_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "in/sub").mkdir(parents=True)
    (tmp_path / "in/sub/rules.yaml").write_text(RULES[: RULES.index("- id: tainted")])
    (tmp_path / "in/other.yml").write_text("a: 1\n")
    done = run(tmp_path, "in", "-o", "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert "1 rule of 1 carried over into 1 file below out" in done.stderr
    text = (tmp_path / "out/sub/rules.yml").read_text()
    assert text == MADE.replace("rules.yaml", "in/sub/rules.yaml")
    again = run(tmp_path, "in", "-o", "out")
    assert again.returncode == 2
    assert "is there already; nothing was written" in again.stderr
    assert (tmp_path / "out/sub/rules.yml").read_text() == text


def test_all_files_are_one_commit_that_can_be_undone(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(RULES[: RULES.index("- id: tainted")])
    value = json.loads(run(tmp_path, "a.yaml", "b.yaml", "-o", "out", "--json").stdout)
    assert value["written"] == ["out/a.yml", "out/b.yml"]
    undone = subprocess.run(
        [sys.executable, "-c", "from structural.cli.main import astedit; astedit()", "undo", value["commit"]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert undone.returncode == 0, undone.stderr
    assert not (tmp_path / "out/a.yml").exists()
    assert not (tmp_path / "out/b.yml").exists()


def test_nothing_is_written_outside_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "project/.git").mkdir(parents=True)
    (tmp_path / "project/rules.yaml").write_text(RULES)
    done = run(tmp_path / "project", "rules.yaml", "-o", "../out")
    assert done.returncode == 2
    assert "nothing was written" in done.stderr
    assert not (tmp_path / "out").exists()


def test_json(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    value = json.loads(run(tmp_path, "rules.yaml", "--json").stdout)
    assert [one["id"] for one in value["rules"]] == ["no-eval"]
    assert value["rules"][0]["text"] == MADE
    assert value["refused"][0]["line"] == 8
    assert value["total"] == 2


def test_wrong_calls(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("id: a\nlanguage: python\nrule: {pattern: f()}\n")
    assert run(tmp_path).returncode == 2
    assert run(tmp_path, "nowhere").returncode == 2
    done = run(tmp_path, "a.yml")
    assert done.returncode == 2
    assert "rules of ast-grep need no import" in done.stderr
    assert run(tmp_path, ".").returncode == 1
