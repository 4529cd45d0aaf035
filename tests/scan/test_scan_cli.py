"""``astgrep scan`` and ``astgrep rules`` as they are called: exit codes, texts, ends that come early."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.scan.conftest import ROOT, RULES, Project


def test_exit_codes_go_by_severity(project: Project) -> None:
    project.put("a.py", "pass\n")
    project.run("scan", code=0)
    project.put("a.py", "x == x\n")
    project.run("scan", code=0)
    project.run("scan", "--fail-on", "warning", code=1)
    project.run("scan", "--fail-on", "hint", code=1)
    project.put("a.py", "eval(x)\n")
    project.run("scan", code=1)
    project.run("scan", "--fail-on", "never", code=0)
    project.configure('fail-on = "never"\n')
    project.run("scan", code=0)
    project.run("scan", "--fail-on", "error", code=1)


def test_a_mistake_in_a_rule_is_told_and_ends_with_2(project: Project) -> None:
    project.put("a.py", "eval(x)\n")
    project.put("rules/bad.yml", "id: bad\nlanguage: python\nrule: {patern: x}\n")
    made = project.run("scan", code=2)
    assert b"a.py:1:1: error" in made.stdout, "the others run"
    assert b"rules/bad.yml:3:8: error: " in made.stderr
    made = project.run("scan", "--skip-broken", code=1)
    assert b"rules/bad.yml:3:8" in made.stderr


def test_strict_tells_what_is_missing(project: Project) -> None:
    project.put("a.py", b"\0")
    assert b"1 skipped (1 binary)" in project.run("scan", code=0).stderr
    made = project.run("scan", "--strict", code=3)
    assert b"skipped a.py: binary (a NUL byte near the start)" in made.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--rules", "nowhere"], "there are no rules at 'nowhere'"),
        (["--rules", "catalogue/nowhere"], "the catalogue"),
        (["--rule", "no-evil"], "did you mean no-eval?"),
        (["--tag", "securty"], "did you mean security?"),
        (["--config", "none.toml"], "there is no configuration 'none.toml'"),
        (["no/such/path"], "there is no 'no/such/path'"),
        (["--update-baseline"], "no baseline is named"),
        (["--baseline", "none.json"], "there is no baseline 'none.json'"),
        (["--severity", "bad"], "is not one of"),
    ],
)
def test_wrong_calls(project: Project, arguments: list[str], text: str) -> None:
    assert text in project.run("scan", *arguments, code=2).stderr.decode()


def test_without_rules_it_says_how_to_name_them(tmp_path: Path) -> None:
    made = Project(tmp_path)
    assert b"no rules are named" in made.run("scan", code=2).stderr
    made.put("rules/note.yml", "")
    assert made.run("scan", "--rules", "rules", code=2).stderr


def test_rules_can_be_chosen(project: Project) -> None:
    project.put("a.py", "print(eval(x == x))\n")

    def rules(*arguments: str) -> set[str]:
        out = project.run("scan", "--format", "concise", *arguments).stdout.decode()
        return {line.rsplit("[", 1)[1].rstrip("]") for line in out.splitlines()}

    assert rules() == {"no-eval", "self-comparison", "no-print"}
    assert rules("--rule", "no-eval", "--rule", "no-print") == {"no-eval", "no-print"}
    assert rules("--tag", "security,correctness") == {"no-eval", "self-comparison"}
    assert rules("--severity", "warning") == {"no-eval", "self-comparison"}
    project.configure('[scan.severity]\nno-eval = "off"\n"tag:correctness" = "hint"\n')
    assert rules() == {"self-comparison", "no-print"}
    assert rules("--severity", "info") == {"no-print"}


def test_what_people_see(project: Project) -> None:
    project.put("a.py", "def f():\n\tx = '日本'; eval(x)\n\n\teval(\n\t\ty\n\t)\n")
    made = project.run("scan", code=1)
    assert made.stdout.decode() == (
        "a.py:2:12: error: `eval` of `x` [no-eval]\n"
        "  2 | \tx = '日本'; eval(x)\n"
        "    | \t            ^^^^^^^\n"
        "  note: It runs whatever it is given.\n"
        "  see: https://example.org/eval\n"
        "\n"
        "a.py:4:2: error: `eval` of `y` [no-eval]\n"
        "  4 | \teval(\n"
        "  5 | \t\ty\n"
        "  6 | \t)\n"
    )
    assert made.stderr.decode() == "2 findings (2 errors) in 1 of 1 file scanned with 3 rules\n"


def test_colours_switch_off(project: Project) -> None:
    project.put("a.py", "eval(x)\n")
    assert b"\x1b[" in project.run("scan", "--color", "always").stdout
    assert b"\x1b[" not in project.run("scan", "--color", "never").stdout
    assert b"\x1b[" not in project.run("scan").stdout


def test_a_file_cannot_move_the_cursor(project: Project) -> None:
    project.put("\x1b[2J.py", "eval('\x1b[2J')\n")
    made = project.run("scan", code=1)
    assert b"\x1b" not in made.stdout + made.stderr


def test_a_rule_cannot_move_the_cursor(project: Project) -> None:
    project.put("a.py", "eval(x)\n")
    texts = '"a\\e[31mb\\a"'
    project.put(
        "rules/odd.yml",
        f"id: odd\nlanguage: python\nmessage: {texts}\nnote: {texts}\nurl: {texts}\ntags: [{texts}]\n"
        f"rule: {{pattern: eval($X)}}\nrewrite: [{{rewrite: f($X), title: {texts}}}]\n"
        f"examples: {{matching: [f(1)]}}\n---\nid: {texts}\nlanguage: python\nrule: {{pattern: a}}\n",
    )
    for call in (["scan", "-v"], ["scan", "--format", "github"], ["rules"], ["test"]):
        made = project.run(*call, code=None)
        assert b"odd" in made.stdout
        assert b"\x1b" not in made.stdout + made.stderr
        assert b"\a" not in made.stdout + made.stderr


def test_a_very_long_line_is_cut(project: Project) -> None:
    project.put("a.py", "x = [" + "1, " * 100_000 + "]; eval(y)\n")
    made = project.run("scan", code=1)
    assert len(made.stdout) < 1500


PASSES = "id: no-pass\nlanguage: [python, java]\nmessage: pass\nrule: {pattern: pass}\nrewrite: ...\n"


def test_rules_that_are_in_no_file(project: Project) -> None:
    project.put("a.py", "pass\nx == x\n")
    made = project.run("scan", "--rule-text", PASSES, "--format", "concise", code=0)
    assert made.stdout == b"a.py:1:1: warning: pass [no-pass]\n", "those of the configuration do not run"
    both = "--rule-text", PASSES, "--rules", "rules", "--fail-on", "warning"
    assert b"2 warning" in project.run("scan", *both, code=1).stderr
    wrong = project.run("scan", "--rule-text", PASSES.replace("pattern", "patern"), code=2)
    assert b"--rule-text:4:8: error: " in wrong.stderr
    nowhere = PASSES.replace("[python, java]", "java").replace("pass}", "'foo('}")
    assert b"--rule-text:4:17: error: " in project.run("scan", "--rule-text", nowhere, code=2).stderr
    assert b"no-pass" in project.run("rules", "--rule-text", PASSES, code=0).stdout


def test_rules_from_standard_input(project: Project) -> None:
    project.put("a.py", "pass\n")
    code = "import sys; from structural.cli.main import {0}; sys.exit({0}())"

    def run(program: str, *arguments: str, rules: bytes) -> subprocess.CompletedProcess[bytes]:
        call = [sys.executable, "-c", code.format(program), *arguments, "--rules", "-"]
        return subprocess.run(
            call, input=rules, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )

    assert b"[no-pass]" in run("astgrep", "scan", rules=PASSES.encode()).stdout
    assert b"<stdin>:1:1: error" in run("astgrep", "scan", rules=b"- a\n").stderr
    assert b"not UTF-8" in run("astgrep", "scan", rules=b"\xff").stderr
    assert b"no-pass  1 match" in run("astedit", "stage", rules=PASSES.encode()).stdout


def test_rules_are_listed(project: Project) -> None:
    made = project.run("rules", code=0)
    assert made.stdout.decode().splitlines()[:2] == [
        "no-eval  error  python, javascript  [security]",
        "    `eval` of `$X`",
    ]
    assert project.run("rules", "--tag", "security", code=0).stdout.count(b"\n") == 2
    project.put("rules/bad.yml", "id: bad\nlanguage: python\nrule: {pattern: 'def (('}\n")
    made = project.run("rules", code=2)
    assert b"bad (broken)" in made.stdout
    assert b"rules/bad.yml:3:17: error" in made.stderr


def test_globs_of_rules_are_relative_to_the_configuration(project: Project, tmp_path: Path) -> None:
    project.put("rules/all.yml", RULES + "files: ['src/*.py']\nignores: ['**/gen.py']\n")
    for name in ("src/a.py", "src/gen.py", "other.py"):
        project.put(name, "print(x)\n")
    assert [path for path, _, _ in project.found()] == ["src/a.py"]
    inner = Project(project.folder / "src")
    assert inner.run("scan", "--format", "concise").stdout.startswith(b"a.py:1:1")


def test_ignores_of_the_configuration(project: Project) -> None:
    project.configure('ignores = ["vendor/", "!vendor/ours.py"]\n')
    for name in ("vendor/a.py", "vendor/ours.py", "b.py"):
        project.put(name, "eval(x)\n")
    assert [path for path, _, _ in project.found()] == ["b.py", "vendor/ours.py"]
    assert [path for path, _, _ in project.found("vendor/a.py")] == ["vendor/a.py"], "named, so it is meant"


def test_a_glob_of_a_rule_that_cannot_be_read_is_a_problem_of_that_rule(project: Project) -> None:
    project.put("rules/all.yml", RULES + "files: ['[a']\n")
    project.put("a.py", "print(eval(x))\n")
    _, summary = project.scan()
    assert [problem.rule for problem in summary.problems] == ["no-print"]
    assert summary.by_rule == {"no-eval": 1}


def test_two_rules_with_one_id(project: Project) -> None:
    project.put("rules/b.yml", "id: no-eval\nlanguage: python\nrule: {pattern: foo()}\n")
    project.put("a.py", "foo()\neval(x)\n")
    made = project.run("scan", "--format", "concise", code=2)
    assert b"no-eval" in made.stderr
    assert made.stdout.count(b"\n") == 1


def many(project: Project, count: int = 1200) -> None:
    for number in range(count):
        project.put(f"src/f{number:04}.py", f"eval(x{number})\n" * 20)


def test_a_reader_that_goes_away_ends_it(project: Project) -> None:
    many(project)
    command = [sys.executable, "-m", "structural.cli.main", "scan", "--no-cache"]
    with subprocess.Popen(
        command,
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(100)
        running.stdout.close()
        told = running.stderr.read()
        assert running.wait(20) == 1
    assert told == b""


@pytest.mark.parametrize("style", ["concise", "json", "sarif", "junit"])
def test_an_interrupt_ends_it_and_closes_the_report(project: Project, style: str) -> None:
    many(project)
    # Of JUnit nothing is written before the end, so it goes to a file, and the other format is the sign.
    formats = [style] if style != "junit" else ["concise", "junit:report.xml"]
    command = [sys.executable, "-m", "structural.cli.main", "scan", "--no-cache"]
    command += [f"--format={one}" for one in formats]
    with subprocess.Popen(
        command,
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    ) as running:
        assert running.stdout is not None
        running.stdout.read(1)
        running.send_signal(signal.SIGINT)
        rest, told = running.communicate(timeout=30)
    if b"cut: interrupted" not in told:
        pytest.fail(f"it was done before it was interrupted: {told!r}") if style == "concise" else None
    else:
        assert running.returncode == 130
    if style in ("json", "sarif"):
        import json

        json.loads(b"{" + rest)
    if style == "junit":
        from xml.etree import ElementTree

        ElementTree.parse(project.folder / "report.xml")


def test_an_interrupt_while_the_report_is_ended_waits_for_its_end(project: Project) -> None:
    project.put("a.py", "eval(x)\n")
    (project.folder / "interrupting.py").write_text(
        "import os, signal, sys\n"
        "from structural.workflow.reports import junit\n"
        "before = junit.JUnit.finish\n"
        "def finish(self, *given):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    before(self, *given)\n"
        "junit.JUnit.finish = finish\n"
        "from structural.cli.main import astgrep\n"
        "sys.exit(astgrep())\n"
    )
    made = subprocess.run(
        [sys.executable, "interrupting.py", "scan", "--no-cache", "--format=junit", "a.py"],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    from xml.etree import ElementTree

    assert ElementTree.fromstring(made.stdout).get("failures") == "1"
    assert made.returncode == 130


def test_processes_and_one_give_the_same(project: Project) -> None:
    many(project, 300)
    one = project.run("scan", "--format", "json", "--no-cache", "--jobs", "1").stdout
    assert project.run("scan", "--format", "json", "--no-cache", "--jobs", "3").stdout == one
    assert project.run("scan", "--format", "json", "--jobs", "3").stdout == one
    assert project.run("scan", "--format", "json", "--jobs", "1").stdout == one


def test_a_process_that_is_killed_loses_only_its_file(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from structural.search import work
    from structural.workflow.scanning import Wish
    from structural.workflow.scanning import raw as raws
    from structural.workflow.scanning import work as files

    for number in range(30):
        project.put(f"f{number:02}.py", f"eval(x{number})\n")
    monkeypatch.setattr(work, "SERIAL_SECONDS", 0.0)
    monkeypatch.setattr(work, "WORTH_SECONDS", -1.0)
    monkeypatch.setattr("structural.search.pool.CHUNK_FILES", 3)
    here = os.getpid()

    def dying(rules: object, source: bytes, *rest: object, **more: object) -> raws.Raw:
        if b"x7)" in source and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return raws.raw_of(rules, source, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "raw_of", dying)
    _, summary = project.scan(wish=Wish(jobs=2, cache=False))
    assert [one.path for one in summary.failed] == ["f07.py"]
    assert "signal 9" in summary.failed[0].error
    assert summary.findings == 29


def test_an_exception_in_one_file_fails_that_file(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from structural.workflow.scanning import work as files

    project.put("a.py", "eval(x)\n")
    project.put("b.py", "eval(y)\n")
    good = files.raw_of

    def bad(rules: object, source: bytes, *rest: object, **more: object) -> object:
        if b"eval(x)" in source:
            raise RecursionError("too deep")
        return good(rules, source, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "raw_of", bad)
    _, summary = project.scan()
    assert (summary.findings, summary.failed[0].path) == (1, "a.py")
    assert "RecursionError: too deep" in summary.failed[0].error
    assert summary.incomplete


def test_very_many_rules(project: Project) -> None:
    project.put(
        "rules/many.yml",
        "---\n".join(
            f"id: r{number}\nlanguage: python\nmessage: m\nrule: {{pattern: 'call_{number}($X, 1)'}}\n"
            for number in range(1_500)
        ),
    )
    for number in range(20):
        project.put(f"f{number}.py", f"call_{number * 70}(x, 1)\nother(y)\n")
    began = time.monotonic()
    made = project.run("scan", "--format", "concise", "--no-cache", code=0)
    assert made.stdout.count(b"\n") == 20
    assert time.monotonic() - began < 60
