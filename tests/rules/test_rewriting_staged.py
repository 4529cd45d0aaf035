"""``astedit stage --rules``: the rewrites of rules from the command line to the disk and back."""

from __future__ import annotations

import json
import py_compile
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from structural.search.values import Selection
from structural.syntax.parse import parse
from structural.syntax.registry import language_of_path
from structural.workflow.ruledstaging import from_texts, stage_rules
from structural.workflow.trees import open_tree
from tests.test_astedit import answer, edit, staged, text
from tests.test_cli import put

RULES = """
id: fast-json
language: python
rule: {pattern: "json.loads($X)"}
rewrite:
  - rewrite: orjson.loads($X)
    title: faster
    also:
      - ensure: import orjson
      - {rule: {pattern: import json}, rewrite: "", unless: {pattern: json}}
---
id: none
language: python
rule: {pattern: "$A == None"}
rewrite: $A is None
---
id: no-eval
language: [python, javascript]
rule: {pattern: "eval($A)"}
rewrite: safe($A)
safety: suspicious
---
id: only-found
language: python
rule: {pattern: "exec($A)"}
"""

A = (
    '"""D."""\nimport json\n\n\ndef f(a):\n    if a == None:\n        return json.loads("1")\n'
    "    return json.loads(a)\n"
)
A_AFTER = (
    '"""D."""\nimport orjson\n\n\ndef f(a):\n    if a is None:\n        return orjson.loads("1")\n'
    "    return orjson.loads(a)\n"
)
B = "import json\nx = json.loads(y) or json.dumps(z == None)  # why\neval(x)\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    put(tmp_path, "rules/all.yml", RULES)
    put(tmp_path, "src/a.py", A)
    put(tmp_path, "src/b.py", B)
    put(tmp_path, "src/c.js", "eval(x)\n")
    return tmp_path


def _all(tree: Path, *more: str, code: int = 0) -> dict[str, Any]:
    return answer(tree, "stage", "--rules", "rules", "src", *more, code=code)


def test_the_whole_way(tree: Path) -> None:
    done = edit(tree, "stage", "--rules", "rules", "src")
    assert done.returncode == 0, done.stderr
    assert "4 sites (5 matches) in 2 files, +6 -5" in done.stdout
    assert "  fast-json  3 matches (faster)\n" in done.stdout
    assert "rewrites of no-eval are suspicious; --suspicious stages them too" in done.stderr
    assert text(tree, "src/a.py") == A
    shown = edit(tree, "show").stdout
    assert "rules fast-json, none" in shown
    assert "+import orjson" in shown
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "src/a.py") == A_AFTER
    assert text(tree, "src/b.py") == B.replace("json.loads", "orjson.loads").replace("==", "is").replace(
        "import json\n", "import json\nimport orjson\n"
    )
    for name in ("src/a.py", "src/b.py"):
        py_compile.compile(str(tree / name), doraise=True)
    assert edit(tree, "undo").returncode == 0
    assert (text(tree, "src/a.py"), text(tree, "src/b.py")) == (A, B)


def test_the_answer_for_programs(tree: Path) -> None:
    value = _all(tree)
    by_id = {one["id"]: one for one in value["rules"]}
    assert (by_id["fast-json"]["files"], by_id["fast-json"]["sites"], by_id["fast-json"]["matches"]) == (
        2,
        2,
        3,
    )
    assert value["not_staged"] == {"suspicious": ["no-eval"]}
    titles = {site["title"] for file in value["files"] for site in file["sites"]}
    assert titles == {"fast-json: faster", "none"}
    assert value["again"] == 0
    assert answer(tree, "show", value["id"])["rules"] == value["rules"]


def test_what_is_dropped_takes_its_import_along(tree: Path) -> None:
    value = _all(tree)
    (number,) = {
        site["number"]
        for file in value["files"]
        for site in file["sites"]
        if file["path"] == "src/a.py" and site["title"] == "fast-json: faster"
    }
    assert edit(tree, "drop", "--site", str(number)).returncode == 0
    assert edit(tree, "resolve", "--accept").returncode == 0
    assert text(tree, "src/a.py") == A.replace("==", "is")


def test_which_rules(tree: Path) -> None:
    assert [one["id"] for one in _all(tree, "--rule", "none")["rules"]] == ["none"]
    assert {one["id"] for one in _all(tree, "--suspicious")["rules"]} == {"fast-json", "none", "no-eval"}
    done = edit(tree, "stage", "--rules", "rules", "--rule", "no-eval", "src")
    assert (done.returncode, "--suspicious" in done.stderr) == (2, True)
    done = edit(tree, "stage", "--rules", "rules", "--rule", "only-found", "src")
    assert (done.returncode, "has a rewrite" in done.stderr) == (2, True)
    assert [one["id"] for one in _all(tree, "--rewrite-title", "faster")["rules"]] == ["fast-json"]
    assert edit(tree, "stage", "--rules", "rules", "--rewrite-title", "other", "src").returncode == 2
    assert edit(tree, "stage", "--rules", "nowhere").returncode == 2


@pytest.mark.parametrize(
    "wrong",
    [
        ("--rules", "rules", "--rewrite", "x"),
        ("--rules", "rules", "--max-count", "3"),
        ("--rules", "rules", "--where", "X=~/a/"),
        ("foo($A)", "--rewrite", "bar($A)", "--rule", "none"),
        ("foo($A)", "--rewrite", "bar($A)", "--suspicious"),
    ],
)
def test_what_does_not_go_together(tree: Path, wrong: tuple[str, ...]) -> None:
    assert edit(tree, "stage", *wrong).returncode == 2


def test_the_rules_of_the_configuration(tree: Path) -> None:
    assert edit(tree, "stage", "--rule", "none", "src").returncode == 2
    put(tree, "structural.toml", '[scan]\nrules = ["rules"]\nseverity = { fast-json = "off" }\n')
    assert [one["id"] for one in answer(tree, "stage", "--rule", "none", "src")["rules"]] == ["none"]
    value = answer(tree, "stage", "--suspicious", "src")
    assert [one["id"] for one in value["rules"]] == ["no-eval", "none"]


def test_rebase_computes_it_again_with_the_rules_as_they_were(tree: Path) -> None:
    name = _all(tree)["id"]
    (tree / "rules/all.yml").unlink()
    put(tree, "src/a.py", A.replace("def f(a):\n", "def f(a):\n    b = json.loads(c)\n"))
    assert edit(tree, "resolve", "--accept", name).returncode == 4
    again = answer(tree, "rebase", name)
    assert again["rebased"]
    assert {one["id"]: one["matches"] for one in again["rules"]} == {"fast-json": 4, "none": 2}
    assert edit(tree, "resolve", "--accept", name).returncode == 0
    assert "    b = orjson.loads(c)\n" in text(tree, "src/a.py")


def test_comments_suppress(tree: Path) -> None:
    put(tree, "src/b.py", "x = y == None  # astgrep-ignore: none -- as it is\n")
    value = _all(tree)
    assert value["suppressed"] == 1
    assert [file["path"] for file in value["files"]] == ["src/a.py"]


def test_files_of_a_rule(tree: Path) -> None:
    put(tree, "rules/all.yml", RULES.replace("id: none\n", "id: none\nfiles: ['src/a.py']\n"))
    by_id = {one["id"]: one for one in _all(tree)["rules"]}
    assert by_id["none"]["files"] == 1


def test_a_rule_that_cannot_be_used_is_told(tree: Path) -> None:
    put(tree, "rules/wrong.yml", "id: wrong\nlanguage: python\nrule: {pattern: 'f($A)'}\nrewrite: g($B)\n")
    done = edit(tree, "stage", "--rules", "rules", "src")
    assert done.returncode == 3
    assert "wrong.yml" in done.stderr
    assert "staged" in done.stdout
    assert edit(tree, "stage", "--rules", "rules/wrong.yml", "src").returncode == 2


def test_refused_and_strict(tree: Path) -> None:
    put(
        tree,
        "rules/one.yml",
        "id: swap\nlanguage: javascript\nrule: {pattern: 'f($A, $B)'}\nrewrite: g($A)\n",
    )
    put(tree, "src/c.js", "f(a, h(/* why */ b));\nf(c, d)\n")
    value = _all(tree, code=3)
    assert [(one["path"], one["reason"]) for one in value["refused"]] == [
        ("src/c.js", "swap: a comment would be lost")
    ]
    assert answer(tree, "stage", "--rules", "rules", "src", "--strict", code=3)["staged"] is False


def test_nothing_to_stage(tree: Path) -> None:
    put(tree, "src/a.py", "a\n")
    put(tree, "src/b.py", "b\n")
    done = edit(tree, "stage", "--rules", "rules", "src")
    assert (done.returncode, "the rules find nothing; nothing was staged" in done.stdout) == (1, True)


def test_until_stable(tree: Path) -> None:
    put(tree, "rules/all.yml", RULES.replace("$A is None", "is_none($A)"))
    put(tree, "src/a.py", "x = (a == None) == None\n")
    assert _all(tree, "--until-stable")["again"] == 0
    edit(tree, "resolve", "--accept", _all(tree, "--until-stable")["id"])
    assert text(tree, "src/a.py") == "x = is_none((is_none(a)))\n"


def test_one_process_and_several_say_the_same(tree: Path) -> None:
    for n in range(40):
        put(tree, f"src/m{n:02}.py", A * (n % 3 + 1))
    one, two = (_all(tree, "--jobs", jobs) for jobs in ("1", "2"))
    for value in (one, two):
        value.pop("id")
        value.pop("summary")
    assert json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)


def test_rules_as_texts(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    recipe = from_texts({"given": RULES}, Selection(("src",)), ids=("none",))
    done = stage_rules(open_tree(str(tree)), recipe)
    assert done.change is not None
    assert done.change.sites == 2


IMPORTS = """
id: js
language: javascript
rule: {pattern: "assert($A === $B)"}
rewrite:
  - rewrite: strictEqual($A, $B)
    also: [{ensure: "import {strictEqual} from 'node:assert'"}]
---
id: go
language: go
rule: {pattern: "len($S) == 0", inside: {pattern: "func $F($$$) bool { $$$ }", stop-by: end}}
rewrite:
  - rewrite: strings.TrimSpace($S) == ""
    also: [{ensure: 'import "strings"'}]
---
id: java
language: java
rule: {pattern: new ArrayList<>()}
rewrite:
  - rewrite: new LinkedList<>()
    also:
      - ensure: import java.util.LinkedList;
      - {rule: {pattern: import java.util.ArrayList;}, rewrite: "", unless: {pattern: ArrayList}}
---
id: rust
language: rust
rule: {pattern: "HashMap::new()"}
rewrite:
  - rewrite: "BTreeMap::new()"
    also: [{ensure: "use std::collections::BTreeMap;"}]
---
id: php
language: php
rule: {pattern: "new \\\\DateTime($X)"}
rewrite:
  - rewrite: new DateTimeImmutable($X)
    also: [{ensure: use DateTimeImmutable;}]
---
id: csharp
language: csharp
rule: {pattern: new List<int>()}
rewrite:
  - rewrite: ImmutableList<int>.Empty
    also: [{ensure: using System.Collections.Immutable;}]
---
id: kotlin
language: kotlin
rule: {pattern: Date()}
rewrite:
  - rewrite: Instant.now()
    also: [{ensure: import java.time.Instant}]
---
id: typescript
language: typescript
rule: {pattern: "assert($A === $B)"}
rewrite:
  - rewrite: strictEqual($A, $B)
    also: [{ensure: "import { strictEqual } from 'node:assert'"}]
"""


@pytest.mark.parametrize(
    ("name", "before", "after", "tool"),
    [
        (
            "a.mjs",
            "#!/usr/bin/env node\n'use strict';\n\nassert(1 + 1 === 2);\n",
            (
                "#!/usr/bin/env node\n'use strict';\n\nimport {strictEqual} from 'node:assert'\n\n"
                "strictEqual(1 + 1, 2);\n"
            ),
            ("node", "--check"),
        ),
        (
            "a.go",
            'package a\n\nimport "fmt"\n\nfunc f(s string) bool { fmt.Print(s); return len(s) == 0 }\n',
            (
                'package a\n\nimport "fmt"\nimport "strings"\n\nfunc f(s string) bool { fmt.Print(s); '
                'return strings.TrimSpace(s) == "" }\n'
            ),
            ("gofmt", "-e"),
        ),
        (
            "A.java",
            (
                "package a;\n\nimport java.util.ArrayList;\nimport java.util.List;\n\n"
                "class A { List<String> f() { return new ArrayList<>(); } }\n"
            ),
            (
                "package a;\n\nimport java.util.List;\nimport java.util.LinkedList;\n\n"
                "class A { List<String> f() { return new LinkedList<>(); } }\n"
            ),
            ("javac", "-proc:none"),
        ),
        (
            "a.rs",
            (
                "//! A.\nuse std::fmt::Debug;\n\n"
                "pub fn f() -> impl Debug { let mut m = HashMap::new(); m.insert(1, 2); m }\n"
            ),
            (
                "//! A.\nuse std::fmt::Debug;\nuse std::collections::BTreeMap;\n\n"
                "pub fn f() -> impl Debug { let mut m = BTreeMap::new(); m.insert(1, 2); m }\n"
            ),
            ("rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "-o", "a.rmeta"),
        ),
        (
            "a.php",
            "<?php\nnamespace A;\n\nuse B\\C;\n\nfunction f() { return new \\DateTime('now'); }\n",
            (
                "<?php\nnamespace A;\n\nuse B\\C;\nuse DateTimeImmutable;\n\n"
                "function f() { return new DateTimeImmutable('now'); }\n"
            ),
            ("php", "-l"),
        ),
        (
            "A.cs",
            "using System;\n\nclass A { object F() => new List<int>(); }\n",
            (
                "using System;\nusing System.Collections.Immutable;\n\n"
                "class A { object F() => ImmutableList<int>.Empty; }\n"
            ),
            (),
        ),
        (
            "a.kt",
            "package a\n\nfun f() = Date()\n",
            "package a\n\nimport java.time.Instant\n\nfun f() = Instant.now()\n",
            (),
        ),
        (
            "a.ts",
            "import { a } from './a'\n\nconst b: number = a\nassert(b === 2)\n",
            (
                "import { a } from './a'\nimport { strictEqual } from 'node:assert'\n\n"
                "const b: number = a\nstrictEqual(b, 2)\n"
            ),
            (),
        ),
    ],
)
def test_an_import_in_other_languages(
    tmp_path: Path, name: str, before: str, after: str, tool: tuple[str, ...]
) -> None:
    put(tmp_path, "rules.yml", IMPORTS)
    put(tmp_path, f"src/{name}", before)
    staged(tmp_path, "--rules", "rules.yml", "src")
    assert edit(tmp_path, "resolve", "--accept").returncode == 0
    assert text(tmp_path, f"src/{name}") == after
    host = language_of_path(name)
    assert host is not None
    assert not parse(after.encode(), host).errors
    if tool and shutil.which(tool[0]):
        subprocess.run([*tool, tmp_path / "src" / name], check=True, capture_output=True, cwd=tmp_path)
    assert edit(tmp_path, "undo").returncode == 0
    assert text(tmp_path, f"src/{name}") == before
