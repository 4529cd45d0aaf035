"""The benchmark runs: one tool, one round, no corpus and no peers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "bench" / "run.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_a_run_keeps_raw_figures_and_a_table(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "go").mkdir(parents=True)
    (corpus / "go" / "a.go").write_text("package a\n\nfunc f() {\n\tx.Close()\n\ty.z.Close()\n}\n")
    out = tmp_path / "run"
    made = bench(str(corpus), "--tools", "astgrep", "--groups", "small", "--rounds", "1", "--out", str(out))
    assert made.returncode == 0, made.stderr
    record = json.loads((out / "raw.json").read_text())
    found = {(job["group"], job["name"]): job for job in record["jobs"]}
    assert set(found) == {("small", "go close")}
    job = found["small", "go close"]
    assert job["matches"] == 2
    assert [sample["exit_code"] for sample in job["samples"]] == [0]
    assert all(sample["wall"] > 0 for one in found.values() for sample in one["samples"])
    assert str(tmp_path) not in (out / "raw.json").read_text()
    summary = (out / "summary.md").read_text()
    assert "| small: go close | astgrep | 2 |" in summary


def test_searches_with_a_memory_are_measured(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(5):
        (tree / f"{number}.py").write_text("import json\nprint(json)\n")
    out = tmp_path / "run"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "bench" / "memory.py"), str(tree), "--lang", "python"]
    command += ["--rounds", "1", "--out", str(out)]
    made = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert made.returncode == 0, made.stderr
    record = json.loads((out / "raw.json").read_text())
    assert record["tree"]["files"] == 5
    assert record["calls"]["import json"][0]["matches"] == 5
    assert str(tmp_path) not in (out / "raw.json").read_text()
    assert "| `import json` | 5 |" in (out / "summary.md").read_text()


def test_scans_with_many_rules_are_measured(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("if x == x:\n    print(eval(y))\n")
    out = tmp_path / "run"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "bench" / "scan.py"), str(tree), "--tools", "astgrep"]
    command += ["--rounds", "1", "--jobs", "1", "--out", str(out)]
    made = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert made.returncode == 0, made.stderr
    record = json.loads((out / "raw.json").read_text())
    assert record["rules"] == 50
    assert {one["name"]: one["counts"] for one in record["agreements"]} == {
        rule: {"astgrep": 1} for rule in ("self-eq", "print", "eval")
    }
    assert str(tmp_path) not in (out / "raw.json").read_text()
    assert "| 50 rules: JSON | astgrep | 3 |" in (out / "summary.md").read_text()


def test_a_tool_that_is_not_installed_is_left_out(tmp_path: Path) -> None:
    out = tmp_path / "run"
    made = bench(
        "--tools",
        "astgrep,semgrep",
        "--semgrep",
        str(tmp_path / "none"),
        "--groups",
        "none",
        "--out",
        str(out),
    )
    assert made.returncode == 0, made.stderr
    assert "semgrep is not installed" in made.stderr
    assert json.loads((out / "raw.json").read_text())["jobs"] == []
