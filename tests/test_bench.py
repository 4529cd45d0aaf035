"""The bench: cases load, a run keeps what it measured, and what differs is told."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from bench.answers import agreement
from bench.cases import CASES, OURS, PLAIN, TOOLS, named
from bench.cli import remade
from bench.figures import heads, modern
from bench.patterns import PATTERNS
from bench.plans import PLANNERS, Plan, chosen_rules, jobs
from bench.profiling.child import Watch
from bench.profiling.stages import STAGES
from bench.record import read
from bench.summary import compact, put_into, summary
from bench.tools import KINDS, AstGrep, Astgrep, Comby, Semgrep, Tool
from bench.trees import Tree, TreeError, chosen, main_language
from structural.syntax import registry

ROOT = Path(__file__).resolve().parent.parent
RUNS = sorted((ROOT / "bench" / "runs").iterdir())


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)


def small_tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("if x == x:\n    print(eval(y))\n")
    (tree / "b.py").write_text("raise NotImplementedError(x)\nraise ValueError(1)\n")
    (tree / "c.go").write_text("package c\n")
    return tree


# --- data ---------------------------------------------------------------------------------------


def test_every_case_can_be_planned_for_tools_that_there_are() -> None:
    assert [case.name for case in CASES] == list(PLANNERS)
    assert set(KINDS) == set(TOOLS)
    for case in CASES:
        assert set(case.tools) <= {*TOOLS, *OURS, PLAIN}
    assert [case.name for case in named("ten,build")] == ["ten", "build"]
    assert named("all") == CASES
    assert set(named("")) < set(CASES)


def test_patterns_are_of_languages_that_there_are() -> None:
    for language, known in PATTERNS.items():
        assert registry.resolve(language) == language
        assert len(known.ten) in (0, 10)
        assert known.selective


def test_tools_side_by_side(tmp_path: Path) -> None:
    tree = Tree("t", small_tree(tmp_path), "python")
    tools: dict[str, Tool] = {"astgrep": Astgrep(["astgrep"]), "ast-grep": AstGrep(["ast-grep"])}
    plan = Plan(tools, tmp_path / "work", 2, 5, patterns=2)
    plan.work.mkdir()
    left_out: list[str] = []
    made = jobs(plan, CASES, [tree, Tree("l", tree.path, "lua")], left_out)
    sides = [job.side for job in made if job.key == ("t", "ten", "isinstance($X, ($A, $B))")]
    assert sides == ["astgrep (index)", "astgrep", "ast-grep"]
    assert len({job.name for job in made if job.case == "ten" and job.tree == "t"}) == 2
    assert "rules over l: nothing is known to ask in lua" in left_out
    assert {job.rounds for job in made if job.case == "version"} == {15}
    assert not (plan.work / "copy").exists()  # before it is measured


def test_the_language_of_a_tree_is_that_of_most_of_its_source(tmp_path: Path) -> None:
    assert main_language(small_tree(tmp_path)) == "python"
    with pytest.raises(TreeError, match="no folder"):
        chosen("nothing/here", (), tmp_path)
    assert [tree.name for tree in chosen("", (f"mine={tmp_path}",), tmp_path)] == ["mine"]


def test_patterns_and_rules_as_other_tools_write_them(tmp_path: Path) -> None:
    assert Semgrep(["semgrep"]).spelled("new $T($$$A)") == "new $T(...)"
    assert Comby(["comby"]).spelled("$F($X, $$$A) == $_") == ":[F](:[X], :[A]) == :[_]"
    rules = chosen_rules("python", 50)
    assert len(rules) == 50
    asked = Semgrep(["semgrep"]).write_rules(rules, tmp_path)
    assert 40 <= len(asked) < 50  # the others ask for kinds of nodes
    assert len(Astgrep(["astgrep"]).write_rules(rules, tmp_path / "own")) == 50


def test_answers_of_other_tools_are_read(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text(json.dumps({"file": "a", "range": {"byteOffset": {"start": 1, "end": 4}}}) + "\n")
    assert list(AstGrep(["x"]).places(out)) == [("a", 1, 4)]
    out.write_text(
        json.dumps(
            {"results": [{"path": "a", "start": {"offset": 1}, "end": {"offset": 4}, "check_id": "x.r"}]}
        )
    )
    assert list(Semgrep(["x"]).places(out)) == [("a", 1, 4)]
    assert list(Semgrep(["x"]).findings(out)) == [("r", ("a", 1, 4))]
    match = {"range": {"start": {"offset": 1}, "end": {"offset": 4}}}
    out.write_text(json.dumps({"uri": "a", "matches": [match]}) + "\n")
    assert list(Comby(["x"]).places(out)) == [("a", 1, 4)]


# --- runs ---------------------------------------------------------------------------------------


def test_a_run_keeps_raw_figures_and_a_table(tmp_path: Path) -> None:
    tree, out = small_tree(tmp_path), tmp_path / "run"
    asked = ("--tree", f"t={tree}", "--cases", "selective", "--only", "NotImpl", "--rounds", "1")
    nothing = f"semgrep={tmp_path / 'none'}"
    made = bench(
        "run", *asked, "--tools", "astgrep,semgrep", "--program", nothing, "--jobs", "1", "--out", str(out)
    )
    assert made.returncode == 0, made.stderr
    assert "semgrep is missing: not installed" in made.stderr
    record = read(out)
    (job,) = record["jobs"]
    assert (job["tree"], job["case"], job["name"]) == ("t", "selective", "raise NotImplementedError($X)")
    assert job["matches"] == 1
    assert [sample["exit_code"] for sample in job["samples"]] == [0]
    assert job["samples"][0]["wall"] > 0
    assert len(job["loads"]) == 1
    assert record["trees"]["t"]["files"] == 3
    assert str(tmp_path) not in (out / "raw.json").read_text()
    told = (out / "summary.md").read_text()
    assert "| t | selective | `raise NotImplementedError($X)` | astgrep | 1 |" in told
    assert "- semgrep: missing (not installed), so nothing is said of it" in told


def test_an_index_and_a_changed_file_are_measured_over_a_copy(tmp_path: Path) -> None:
    tree, out = small_tree(tmp_path), tmp_path / "run"
    before = {path: path.read_bytes() for path in tree.iterdir()}
    asked = ("--tree", f"t={tree}", "--cases", "ten,build,refresh", "--patterns", "1", "--rounds", "1")
    made = bench("run", *asked, "--tools", "astgrep", "--jobs", "1", "--out", str(out))
    assert made.returncode == 0, made.stderr
    record = read(out)
    found = {(job["case"], job["tool"]): job["matches"] for job in record["jobs"]}
    assert found == {
        ("ten", "astgrep (index)"): 1,
        ("ten", "astgrep"): 1,
        ("build", "astgrep"): -1,
        ("refresh", "astgrep (one file changed)"): 1,
        ("refresh", "astgrep (index)"): 1,
    }
    assert all(
        not (pair["only_first"] or pair["only_second"]) for a in record["agreements"] for pair in a["pairs"]
    )
    assert {path: path.read_bytes() for path in tree.iterdir()} == before


def test_staging_and_committing_are_measured(tmp_path: Path) -> None:
    out = tmp_path / "run"
    asked = ("--cases", "staging,accept", "--only", "calls", "--files", "2", "--rounds", "1")
    made = bench("run", *asked, "--tools", "astgrep", "--jobs", "1", "--out", str(out))
    assert made.returncode == 0, made.stderr
    found = {(job["case"], job["tool"]) for job in read(out)["jobs"]}
    assert str(ROOT) not in (out / "raw.json").read_text()
    assert found == {
        ("staging", "astgrep"),
        ("staging", "astedit stage"),
        ("accept", "astedit resolve --accept"),
        ("accept", "write and sync"),
    }


def test_scans_with_many_rules_by_the_command_of_before(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [
        sys.executable,
        str(ROOT / "bench" / "scan.py"),
        str(small_tree(tmp_path)),
        "--tools",
        "astgrep",
    ]
    command += ["--language", "python", "--rounds", "1", "--jobs", "1", "--out", str(out)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    record = read(out)
    assert {one["name"]: one["counts"] for one in record["agreements"]} == {
        rule: {"astgrep": 1} for rule in ("self-eq", "print", "eval")
    }
    assert {job["name"]: job["matches"] for job in record["jobs"]} == {"text": -1, "JSON": 3}


def test_searches_with_a_memory_are_measured(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(5):
        (tree / f"{number}.py").write_text("import json\nprint(json)\n")
    out = tmp_path / "run"
    made = bench("memory", str(tree), "--lang", "python", "--rounds", "1", "--out", str(out))
    assert made.returncode == 0, made.stderr
    record = read(out)
    assert record["tree"]["files"] == 5
    assert record["calls"]["import json"][0]["matches"] == 5
    assert str(tmp_path) not in (out / "raw.json").read_text()
    assert "| `import json` | 5 |" in (out / "summary.md").read_text()


def test_a_run_that_is_stopped_ends_what_it_measures_and_keeps_what_it_has(tmp_path: Path) -> None:
    tool, out = tmp_path / "slow", tmp_path / "run"
    tool.write_text(f"#!/bin/sh\n[ $1 = --version ] && exit\necho $$ > {tmp_path}/pid\nexec sleep 100\n")
    tool.chmod(0o755)
    asked = ("--tree", f"t={small_tree(tmp_path)}", "--cases", "dense", "--tools", "astgrep", "--rounds", "1")
    command = [
        sys.executable,
        "-m",
        "bench",
        "run",
        *asked,
        "--program",
        f"astgrep={tool}",
        "--out",
        str(out),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        next(line for line in running.stderr if "first round" in line)
        running.terminate()
        said = running.stderr.read()
    assert "stopped: what was measured until now is kept" in said
    assert read(out)["stopped"] == "before all rounds were done"
    if (tmp_path / "pid").exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_wrong_name_is_told() -> None:
    for asked, said in (
        (("--cases", "none"), "no case is called none"),
        (("--tools", "grep"), "no tool is called grep"),
        (("--tree", "t=/nowhere/at/all"), "there is no folder"),
    ):
        made = bench("run", *asked)
        assert made.returncode == 2
        assert said in made.stderr


# --- reports ------------------------------------------------------------------------------------


def job(side: str, *walls: float, name: str = "$A == $A", code: int = 0) -> dict[str, Any]:
    samples = [
        {"wall": wall, "user": 2 * wall, "system": 0.0, "peak_mib": 1.0, "exit_code": code, "cut": False}
        for wall in walls
    ]
    kept = {"matches": 3, "tree_mib": 40.0, "loads": [0.5] * len(walls), "note": "", "command": [side, "x"]}
    return {"tree": "t", "case": "dense", "name": name, "tool": side, "samples": samples, **kept}


def recorded(*made: dict[str, Any], **more: Any) -> dict[str, Any]:
    host = {"processor": "P", "processors": 2, "memory_mib": 1, "system": "S", "python": "3"}
    record = {"format": 2, "machine": {**host, "load_at_start": [0.0]}, "began": "today", "jobs": list(made)}
    return {**record, "versions": {}, "agreements": [], "trees": {}, "revision": "r", **more}


def test_the_ratio_is_that_of_medians_and_of_the_worst_pattern() -> None:
    record = recorded(
        job("astgrep", 1.0, 9.0, 2.0),
        job("ast-grep", 4.0, 4.0, 4.0),
        job("astgrep", 3.0, name="$F($X, $X)"),
        job("ast-grep", 4.0, name="$F($X, $X)"),
    )
    (head,) = heads([record])
    assert head.sides["astgrep"].wall == 2.5
    assert head.sides["astgrep"].wall_ratio == 0.75
    assert head.sides["ast-grep"].wall_ratio is None
    assert "| t | dense | `$A == $A` | astgrep | 3 | 2.000 [1.000–9.000] | 0.50 |" in summary(record)
    line = "| dense patterns, cold (2) | t | astgrep | 2.50 | 4.00 | 0.75 | 0.75 | 40 | 40 |"
    assert line in summary(record).splitlines()
    assert "| dense patterns, cold | 0.75 (2.50 s) |" in compact([record], ["run"])


def test_of_what_was_measured_twice_the_later_run_counts() -> None:
    runs = [recorded(job("astgrep", wall), job("ast-grep", 4.0)) for wall in (1.0, 2.0)]
    (head,) = heads(runs)
    assert head.sides["astgrep"].wall_ratio == 0.5


def test_the_table_of_the_readme_is_that_of_the_runs_that_it_names() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names = re.findall(r"\(bench/runs/([\w.-]+)\)", text)
    assert names
    lines = compact([read(ROOT / "bench" / "runs" / name) for name in names], names)
    assert put_into(text, lines) == text


def test_the_table_goes_into_its_section_alone() -> None:
    text = "# A\n\n## How fast\n\nold\n\n## Next\n\nrest\n"
    assert put_into(text, ["new", "two"]) == text.replace("old", "new\ntwo")
    assert put_into(put_into(text, ["new"]), ["old"]) == text
    with pytest.raises(ValueError, match="no heading"):
        put_into("# A\n", [])


def test_answers_that_differ_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("f(x) ;\ng(y)\nh(z)\n")
    name = str(path)
    same = agreement("t", "dense", "f", {"astgrep": {(name, 0, 4)}, "ast-grep": {(name, 0, 6)}})
    other = agreement("t", "dense", "$F($X)", {"astgrep": {(name, 7, 11)}, "ast-grep": {(name, 12, 16)}})
    told = summary(recorded(job("astgrep", 1.0), agreements=[asdict(same), asdict(other)]))
    assert "1 questions were answered alike" in told
    assert "- t, dense `$F($X)`: astgrep 1, ast-grep 1" in told
    assert "0 in both, 1 only in the first, 1 only in the second" in told
    assert "    - only astgrep: `g(y)`" in told
    assert "    - only ast-grep: `h(z)`" in told


def test_a_command_that_failed_is_told() -> None:
    told = summary(recorded(job("ast-grep", 1.0, code=8)))
    assert "- t, dense `$A == $A`: ast-grep ended with 8: `ast-grep x`" in told


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: str(folder.name))
def test_recorded_runs_of_every_form_stay_readable(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "raw.json", tmp_path)
    record = read(tmp_path)
    if not remade(tmp_path, drawn=False):
        assert "jobs" not in record
        assert (folder / "summary.md").exists()
        return
    told = (tmp_path / "summary.md").read_text()
    assert told.startswith("# ")
    for one in modern(record)["jobs"] if "jobs" in record else ():
        assert one["tool"] in told


# --- profiles -----------------------------------------------------------------------------------


def test_stages_name_code_that_there_is() -> None:
    for keys in STAGES.values():
        for key in keys:
            name, _, function = key.partition(":")
            path = ROOT / "structural" / name
            module = path if name.endswith("/") else path.with_suffix(".py")
            assert module.exists() or path.is_dir(), key
            if function:
                tree = ast.parse(module.read_text())
                assert function in {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}, (
                    key
                )


def test_the_narrowest_key_decides_the_stage() -> None:
    watch = Watch("/s")
    for path, function, stage in (
        ("/s/syntax/parse.py", "_tree", "parse"),
        ("/s/syntax/parse.py", "_near", "candidates"),
        ("/s/pattern/matcher.py", "run", "match"),
        ("/s/pattern/ladder.py", "run", "compile"),
        ("/s/search/index/build.py", "run", "index"),
        ("/s/pattern/ladder.py", "<module>", ""),
        ("<frozen importlib._bootstrap>", "_load", "start-up"),
        ("/elsewhere.py", "run", ""),
    ):
        assert watch.stage_of(path, function) == stage


def test_a_profile_tells_stages(tmp_path: Path) -> None:
    made = bench("profile", "selective", str(small_tree(tmp_path)), "--rounds", "1")
    assert made.returncode == 0, made.stderr
    assert "`raise NotImplementedError($X)`, astgrep, one process" in made.stdout
    assert "| start-up |" in made.stdout
    assert "search 0." in made.stdout
