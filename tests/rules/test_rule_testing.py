"""``astgrep test`` and ``astgrep new rule`` as people and programs run them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.test_cli import put, run

RULE = """\
id: no-eval
language: js
message: no eval of `$X`
rule: {pattern: eval($X)}
rewrite: safe($X)
examples:
  matching:
    - {code: eval(a), rewritten: safe(a), count: 1}
  not-matching: [f(a)]
"""
THEIR_TEST = """\
id: no-eval
valid: [f(b)]
invalid: ['eval(b); eval(c)']
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    put(tmp_path, "rules/no-eval.yml", RULE)
    return tmp_path


def test_examples_that_are_as_they_should_be(tree: Path) -> None:
    done = run(tree, "test", "rules")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "passed: 1 rule, 2 examples\n"
    assert run(tree, "test", "rules", "-v").stdout == "no-eval: 2 of 2 examples as they should be\n"


def test_every_fault_is_told_with_its_place(tree: Path) -> None:
    put(
        tree,
        "rules/no-eval.yml",
        RULE.replace("count: 1", "count: 2")
        .replace("[f(a)]", "[eval(b)]")
        .replace("  matching:\n", "  matching:\n    - g()\n    - {code: eval(z), rewritten: zz}\n"),
    )
    done = run(tree, "test", "rules")
    assert done.returncode == 1
    assert done.stdout == (
        "rules/no-eval.yml:8:7: no-eval finds nothing here\n"
        "    g()\n"
        "rules/no-eval.yml:9:7: no-eval is rewritten to something else\n"
        "    eval(z)\n"
        "  expected (-) and found (+):\n"
        "    @@ -1 +1 @@\n"
        "    -zz\n"
        "    +safe(z)\n"
        "rules/no-eval.yml:10:7: no-eval finds 1 place (line 1, column 1), and should find 2 places\n"
        "    eval(a)\n"
        "rules/no-eval.yml:11:18: no-eval finds 1 place (line 1, column 1), and should find nothing\n"
        "    eval(b)\n"
    )
    assert done.stderr == "FAILED: 1 rule, 4 of 4 examples failed\n"


def test_an_example_with_a_path_asks_the_globs_of_its_rule(tree: Path) -> None:
    examples = "  matching:\n    - {code: eval(c), path: lib/a.js}\n    - {code: eval(d), path: src/a.js}\n"
    put(
        tree,
        "rules/no-eval.yml",
        RULE.replace("rule:", "files: ['src/**']\nrule:")
        .replace("  matching:\n", examples)
        .replace("[f(a)]", "[{code: eval(b), path: lib/a.js}]"),
    )
    done = run(tree, "test", "rules")
    assert done.returncode == 1
    assert done.stdout == (
        "rules/no-eval.yml:9:7: no-eval finds nothing here: its `files` or `ignores` leave out lib/a.js\n"
        "    eval(c)\n"
    )


def test_a_rule_that_cannot_be_used_fails(tree: Path) -> None:
    put(tree, "rules/b.yml", "id: b\nlanguage: js\nrule: {patern: f()}\n")
    put(tree, "rules/c.yml", "id: c\nlanguage: js\nrule: {pattern: 'f('}\n")
    done = run(tree, "test", "rules")
    assert done.returncode == 1
    assert "rules/b.yml:3:8: a condition has no key 'patern' [error] (b)\n" in done.stdout
    assert "    hint: did you mean `pattern`?\n" in done.stdout
    assert "rules/c.yml:3:17: 'f(' is no code in javascript [error] (c)\n" in done.stdout


def test_rules_without_examples_of_both_sorts_are_named(tree: Path) -> None:
    put(tree, "rules/b.yml", "id: b\nlanguage: js\nrule: {pattern: f()}\nexamples: {matching: f()}\n")
    put(tree, "rules/c.yml", "id: c\nlanguage: js\nrule: {pattern: f()}\n")
    done = run(tree, "test", "rules")
    assert done.returncode == 0
    assert "1 rule has no matching example: c\n" in done.stderr
    assert "2 rules have no not-matching example: b, c\n" in done.stderr
    assert run(tree, "test", "rules", "--strict").returncode == 1
    assert run(tree, "test", "rules", "--strict", "--rule", "no-eval").returncode == 0


def test_only_some_rules(tree: Path) -> None:
    put(tree, "rules/b.yml", "id: b\nlanguage: js\nrule: {pattern: f()}\nexamples: {matching: g()}\n")
    assert run(tree, "test", "rules", "--rule", "no-eval").returncode == 0
    assert run(tree, "test", "rules", "--rule", "b").returncode == 1
    done = run(tree, "test", "rules", "--rule", "no-evil")
    assert done.returncode == 2
    assert "no rule has the id 'no-evil'" in done.stderr
    assert "did you mean no-eval?" in done.stderr


def test_snapshots_are_written_and_compared(tree: Path) -> None:
    put(tree, "tests/no-eval-test.yml", THEIR_TEST)
    done = run(tree, "test", "rules", "tests")
    assert done.returncode == 0
    assert "1 case has no snapshot; --update writes them\n" in done.stderr
    assert run(tree, "test", "rules", "tests", "--strict").returncode == 1
    done = run(tree, "test", "rules", "tests", "--update")
    assert done.returncode == 0
    assert "wrote 1 snapshot file" in done.stderr
    kept = (tree / "tests/__snapshots__/no-eval.yml").read_text()
    assert kept == (
        "# Written by `astgrep test --update`.\n"
        "id: no-eval\n"
        "snapshots:\n"
        "  - code: eval(b); eval(c)\n"
        "    language: javascript\n"
        "    findings:\n"
        "      - at: 1:1-1:8\n"
        "        text: eval(b)\n"
        "        message: no eval of `b`\n"
        "      - at: 1:10-1:17\n"
        "        text: eval(c)\n"
        "        message: no eval of `c`\n"
        "    rewritten: safe(b); safe(c)\n"
    )
    assert run(tree, "test", "rules", "tests", "--strict").returncode == 0
    put(tree, "rules/no-eval.yml", RULE.replace("no eval of", "never eval"))
    done = run(tree, "test", "rules", "tests")
    assert done.returncode == 1
    assert "    -1:1-1:8 no eval of `b`\n    +1:1-1:8 never eval `b`\n" in done.stdout
    assert run(tree, "test", "rules", "tests", "--update").returncode == 0
    assert run(tree, "test", "rules", "tests").returncode == 0


def test_snapshots_without_a_case_are_told(tree: Path) -> None:
    put(tree, "tests/no-eval-test.yml", THEIR_TEST)
    run(tree, "test", "rules", "tests", "--update")
    put(tree, "tests/no-eval-test.yml", THEIR_TEST.replace("eval(b); ", ""))
    done = run(tree, "test", "rules", "tests")
    assert done.returncode == 0
    assert "1 snapshot is of no case; --update takes them out\n" in done.stderr
    run(tree, "test", "rules", "tests", "--update")
    assert "eval(b)" not in (tree / "tests/__snapshots__/no-eval.yml").read_text()


def test_a_project_of_ast_grep_is_tested_as_it_is(tmp_path: Path) -> None:
    put(tmp_path, "sgconfig.yml", "ruleDirs: [rules]\ntestConfigs: [{testDir: rule-tests}]\n")
    put(
        tmp_path,
        "rules/a.yml",
        "id: no-eval\nlanguage: JavaScript\nrule: {pattern: eval($X)}\nfix: safe($X)\n",
    )
    put(tmp_path, "rule-tests/js/a-test.yml", THEIR_TEST)
    put(
        tmp_path,
        "rule-tests/__snapshots__/no-eval-snapshot.yml",
        "id: no-eval\nsnapshots:\n  eval(b); eval(c):\n    fixed: safe(b); safe(c)\n    labels:\n"
        "    - {source: eval(b), style: primary, start: 0, end: 7}\n",
    )
    done = run(tmp_path, "test")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "passed: 1 rule, 2 examples\n"
    put(
        tmp_path,
        "rules/a.yml",
        "id: no-eval\nlanguage: JavaScript\nrule: {pattern: eval($X)}\nfix: other($X)\n",
    )
    done = run(tmp_path, "test")
    assert done.returncode == 1
    assert "    -safe(b); safe(c)\n    +other(b); other(c)\n" in done.stdout


def test_tests_of_no_rule_are_told(tree: Path) -> None:
    put(tree, "tests/x.yml", THEIR_TEST.replace("no-eval", "no-evil"))
    done = run(tree, "test", "rules", "tests")
    assert done.returncode == 1
    assert "tests/x.yml:1:1: there is no rule 'no-evil' to test [error]\n" in done.stdout


def test_the_answer_for_programs(tree: Path) -> None:
    put(tree, "rules/no-eval.yml", RULE.replace("[f(a)]", "[eval(b)]"))
    done = run(tree, "test", "rules", "--json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["version"] == 1
    assert answer["passed"] is False
    (rule,) = answer["rules"]
    assert [(one["line"], one["fault"], one["found"]) for one in rule["examples"]] == [
        (8, "", 1),
        (9, "noisy", 1),
    ]
    assert answer["summary"]["failed"] == 1


def test_without_rules_the_call_is_wrong(tmp_path: Path) -> None:
    assert run(tmp_path, "test").returncode == 2
    assert run(tmp_path, "test", "nowhere").returncode == 2


# --- new rule -----------------------------------------------------------------------------------------------


def test_a_new_rule_has_its_examples_with_what_they_become(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "new",
        "rule",
        "team/no-eval",
        *("--lang", "js", "--pattern", "eval($X)", "--rewrite", "safe($X)", "--message", "no: $X"),
        *("--example", "eval(a)", "--not-example", "f(a)"),
    )
    assert (done.returncode, done.stdout) == (0, "rules/team/no-eval.yml\n")
    assert (tmp_path / "rules/team/no-eval.yml").read_text() == (
        "id: team/no-eval\n"
        "language: js\n"
        "severity: warning\n"
        "message: 'no: $X'\n"
        "rule:\n"
        "  pattern: eval($X)\n"
        "rewrite: safe($X)\n"
        "examples:\n"
        "  matching:\n"
        "    - code: eval(a)\n"
        "      rewritten: safe(a)\n"
        "  not-matching:\n"
        "    - f(a)\n"
    )
    assert run(tmp_path, "test", "rules", "--strict").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x", "--pattern", "eval($X"], "'eval($X' is no code in javascript"),
        (["x", "--pattern", "eval($X)", "--example", "f()"], "the rule finds nothing here in 'f()'"),
        (["x", "--pattern", "eval($X)", "--not-example", "eval(b)"], "should find nothing"),
        (["x", "--pattern", "eval($X)", "--rewrite", "f($Y)"], "the rewrite uses $Y, which nothing binds"),
        (["../x", "--pattern", "eval($X)"], "is no path below the folder of rules"),
        (["a b", "--pattern", "eval($X)"], "`id` is 'a b'"),
    ],
)
def test_a_new_rule_that_is_wrong_is_not_written(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = run(tmp_path, "new", "rule", *arguments, "--lang", "js")
    assert done.returncode == 2
    assert said in done.stderr
    assert "nothing was written" in done.stderr
    assert not (tmp_path / "rules").exists()


def test_a_new_rule_is_never_written_over_a_file(tree: Path) -> None:
    done = run(tree, "new", "rule", "no-eval", "--lang", "js", "--pattern", "x($A)")
    assert done.returncode == 2
    assert "is there already; nothing was written" in done.stderr
    assert (tree / "rules/no-eval.yml").read_text() == RULE


def test_a_new_rule_can_be_shown_only(tmp_path: Path) -> None:
    done = run(tmp_path, "new", "rule", "x", "--lang", "js", "--pattern", "eval($X)", "--show")
    assert done.returncode == 0
    assert done.stdout.startswith("id: x\n")
    assert "there is no matching example yet" in done.stderr
    assert not (tmp_path / "rules").exists()
