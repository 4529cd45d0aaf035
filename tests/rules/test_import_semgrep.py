"""Rules of semgrep: what becomes of each part, what the result finds, and what is told."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import pytest
import yaml

from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.imports.semgrep import Imported, import_semgrep
from structural.rules.reading import read_rules
from structural.text import LineIndex


def imported(text: str) -> Imported:
    return import_semgrep(textwrap.dedent(text).encode(), "rules.yaml")


def rule(body: str, language: str = "python", **more: str) -> str:
    """A rule file of semgrep with the keys *body*."""
    head = f"rules:\n- id: a\n  languages: [{language}]\n  severity: ERROR\n  message: m\n"
    return head + textwrap.indent(textwrap.dedent(body).strip("\n"), "  ") + "\n"


def made(body: str, language: str = "python") -> dict[str, Any]:
    """The only rule that *body* becomes, as plain values."""
    result = imported(rule(body, language))
    assert not result.refused, [str(one) for one in result.refused]
    (one,) = result.rules
    value = yaml.safe_load(one.text)
    assert isinstance(value, dict)
    return value


def lines(body: str, source: str, language: str = "python") -> list[int]:
    """The lines in which the imported rule finds something."""
    result = imported(rule(body, language))
    assert not result.refused, [str(one) for one in result.refused]
    read = read_rules(result.text.encode(), "rules.yml")
    assert not read.problems, [str(one) for one in read.problems]
    compiled, problems = compile_rules(read.rules, read.utilities)
    assert not problems, [str(one) for one in problems]
    text = textwrap.dedent(source).encode()
    index = LineIndex(text)
    host = read.rules[0].languages[0]
    return [index.line(one.span.start) for one in find(compiled, text, host).findings]


def remarks(body: str, language: str = "python") -> list[str]:
    return [str(one) for found in imported(rule(body, language)).rules for one in found.remarks]


def refusal(body: str, language: str = "python") -> str:
    result = imported(rule(body, language))
    assert not result.rules
    (one,) = result.refused
    assert one.rule == "a"
    return str(one)


# --- patterns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "ours", "language"),
    [
        ("go(...)", "go($$$)", "python"),
        ("go($X, ...)", "go($X, $$$)", "python"),
        ("go($...ARGS)", "go($$$ARGS)", "python"),
        ('go("...")', 'go("$$$")', "python"),
        ('go("$X")', 'go("$X")', "python"),
        ("if (...) { ... }", ["if ($_) { $$$ }", "if ($_) { $$$ } else $_"], "c"),
        ("$X == ...", "$X == $_", "python"),
        ("return ...", "return $$$", "python"),
        ("f(...spread)", "f(...spread)", "javascript"),
        ("f(xs...)", "f(xs...)", "go"),
        ("$_GET[...]", "\\$_GET[$$$]", "php"),
        ("foo($_, 1)", "foo($_, 1)", "python"),
        ('f("cost: $X")', 'f("cost: \\$X")', "python"),
        ("f(`a ${$X} ...`)", "f(`a ${$X} $$$`)", "javascript"),
        ("lambda ...: $X", "lambda $$$: $X", "python"),
        ("for $X in ...: ...", "for $X in $_: $$$", "python"),
        ("for ... { ... }", "for $$$ { $$$ }", "go"),
    ],
)
def test_a_pattern_is_written_with_our_metavariables(theirs: str, ours: object, language: str) -> None:
    condition = made(f"pattern: |\n  {theirs}", language)["rule"]
    if isinstance(ours, list):
        assert [one["pattern"] for one in condition["any"]] == ours
    else:
        assert condition == {"pattern": ours}


def test_arguments_without_order() -> None:
    condition = made("pattern: 'f($X, a=1, b=2, ...)'")["rule"]
    assert condition["pattern"] == {"code": "f($X, $$$, a=1, $$$, b=2, $$$)", "equivalences": ["order"]}
    assert lines("pattern: 'f($X, a=1, b=2, ...)'", "f(0, c=3, b=2, a=1)\nf(0, a=1)\n") == [1]


def test_pairs_of_an_object_stand_among_others_in_any_order() -> None:
    source = "f({b: 2, c: 3, a: 1});\nf({a: 1});\n"
    assert lines("pattern: 'f({a: 1, b: 2})'", source, "javascript") == [1]


def test_an_assignment_is_also_a_declaration() -> None:
    source = "x = make();\nconst y = make();\nlet z = 1, w = make();\nconst v = other();\n"
    assert lines("pattern: $X = make(...)", source, "javascript") == [1, 2, 3]
    assert lines("pattern: var $X = make(...)", source, "javascript") == [2, 3]
    java = "class A { int a = make(); void m() { int b = make(); b = make(); } }"
    assert len(lines("pattern: $X = make(...);", java, "java")) == 3


def test_a_function_may_be_async_an_arrow_a_method() -> None:
    source = "on(function (e) { a(); });\non(async (e) => { a(); });\non((e, f) => { a(); });\n"
    assert lines("pattern: 'on(function ($E) { ... })'", source, "javascript") == [1, 2]
    assert lines("pattern: |\n  def $F(...): ...", "async def f(): pass\ndef g(a): pass\n") == [1, 2]
    go = "package p\nfunc (r R) M() { }\nfunc f() { }\n"
    assert lines("pattern: 'func $F(...) { ... }'", go, "go") == [2, 3]


def test_deep() -> None:
    source = "f(x)\nf(1 + g(x))\nf(y)\n"
    assert lines("pattern: 'f(<... x ...>)'", source) == [1, 2]
    assert lines("pattern: '<... f($A) ...>'", source) == [1, 2, 3]


def test_links_of_a_chain() -> None:
    source = "a.z()\na.b.c(1).z()\nb.z()\n"
    assert lines("pattern: a. ... .z()", source) == [1, 2]
    assert made("pattern: $A. ... .z()")["rule"] == {"pattern": "$A.z()"}


def test_a_text_with_an_expression() -> None:
    assert lines('pattern: |\n  f("=~/^se/")', 'f("secret")\nf("no")\nf(x)\n') == [1]


def test_imported_names() -> None:
    body = "pattern: os.path.join(...)"
    assert lines(body, "from os.path import join\njoin(a)\n") == [2]
    assert lines(body, "from os import path as p\np.join(a)\n") == [2]
    assert lines(body, "import os.path as o\no.join(a)\nos.path.join(b)\n") == [2, 3]
    assert lines(body, "from elsewhere import join\njoin(a)\n") == []
    rust = "use std::{env, fs};\nfn f() { env::args(); std::env::args(); }\n"
    assert len(lines("pattern: std::env::args()", rust, "rust")) == 2
    java = "import a.b.C;\nclass D { void m() { C.go(1); a.b.C.go(2); } }"
    assert len(lines("pattern: a.b.C.go(...)", java, "java")) == 2


def test_a_name_of_an_import_is_not_searched_for_in_a_text() -> None:
    assert made("pattern: \"f('os.path')\"")["rule"] == {"pattern": "f('os.path')"}


# --- statements -----------------------------------------------------------------------------------

OPENED = """\
    use(h)
    h = start()
    use(h)
    if c:
        use(h)
    stop(h)
    use(h)
"""


def test_inside_statements_is_behind_the_first() -> None:
    body = "patterns:\n  - pattern: use($H)\n  - pattern-inside: |\n      $H = start()\n      ..."
    assert lines(body, OPENED) == [3, 5, 7]


def test_inside_statements_is_between_them() -> None:
    body = "patterns:\n- pattern: use($H)\n- pattern-inside: |\n    $H = start()\n    ...\n    stop($H)"
    assert lines(body, OPENED) == [3, 5]


def test_not_inside_statements() -> None:
    body = "patterns:\n- pattern: use($H)\n- pattern-not-inside: |\n    $H = start()\n    ..."
    assert lines(body, OPENED) == [1]


def test_statements_in_a_row_are_reported_at_the_first() -> None:
    body = "pattern: |\n  $H = start()\n  ...\n  stop($H)"
    assert lines(body, OPENED) == [2]
    assert lines(body, "h = start()\nif h:\n    x = stop(h)\n") == [1]
    assert remarks(body) == [
        "rules.yaml:6:3: of statements with `...` between them the first is reported, not all of them"
    ]


def test_a_body_with_a_statement_among_others() -> None:
    body = "pattern: |\n  def $F(...):\n      ...\n      use($X)\n      ..."
    source = "def f():\n    if a:\n        use(1)\ndef g():\n    pass\n"
    assert lines(body, source) == [1]


def test_inside_may_be_the_place_itself() -> None:
    body = "patterns:\n- pattern: f(...)\n- pattern-inside: 'f(1, ...)'"
    assert lines(body, "f(1, 2)\nf(2)\nf(1, f(3))\n") == [1, 3, 3]


# --- conditions -----------------------------------------------------------------------------------


def test_conditions_of_metavariables_become_constraints() -> None:
    value = made(
        """
        patterns:
          - pattern: f($X, $Y, $Z)
          - metavariable-regex: {metavariable: $X, regex: a|b}
          - metavariable-pattern: {metavariable: $Y, pattern: g(...)}
          - metavariable-comparison: {metavariable: $Z, comparison: $Z < 20}
        """
    )
    assert value["constraints"] == {
        "X": {"regex": "^(?:a|b)"},
        "Y": {"any": [{"pattern": "g($$$)"}, {"has": {"pattern": "g($$$)", "stop-by": "end"}}]},
        "Z": {"regex": r"^(?:-\d+|\d|1\d)$"},
    }


def test_a_condition_in_one_alternative_stays_there() -> None:
    body = """
        pattern-either:
          - patterns:
              - pattern: f($X)
              - metavariable-regex: {metavariable: $X, regex: a}
          - pattern: g($X)
        """
    assert lines(body, "f(a)\nf(b)\ng(b)\n") == [1, 3]


def test_negations() -> None:
    body = "patterns:\n- pattern: f($X)\n- pattern-not: f(1)\n- pattern-not: f(2)\n- pattern-not-regex: x"
    assert lines(body, "f(1)\nf(2)\nf(3)\nf(x)\n") == [3]


def test_a_text_beside_a_pattern() -> None:
    assert lines("patterns:\n- pattern: f(...)\n- pattern-regex: sec.et", "f(secret)\nf(a)\n") == [1]


def test_focus_and_fix() -> None:
    value = made("patterns:\n- pattern: f($X)\n- focus-metavariable: $X\nfix: g($X)")
    assert value["focus"] == "X"
    assert value["rewrite"] == [{"rewrite": "g($X)", "target": "X", "safety": "suspicious"}]
    value = made("pattern: f($...X)\nfix: g($...X)")
    assert (value["rewrite"], value["safety"]) == ("g($$$X)", "suspicious")


def test_the_new_syntax() -> None:
    body = """
        match:
          all:
            - f($X)
            - not: f(1)
            - inside: |
                def $F(...): ...
          where:
            - metavariable: $X
              regex: \\d+
        """
    assert lines(body, "def g():\n    f(1)\n    f(2)\n    f(a)\nf(3)\n") == [3]


# --- what is told ---------------------------------------------------------------------------------


def test_what_goes_along() -> None:
    value = made(
        """
        pattern: f($X)
        metadata:
          category: security
          technology: [flask]
          references: ["https://example.org/why"]
          cwe: ["CWE-1: x"]
        paths:
          include: ["*.tpl.py", "src/"]
          exclude: [/tests]
        """
    )
    assert value["tags"] == ["security", "flask"]
    assert value["url"] == "https://example.org/why"
    assert value["files"] == ["**/*.tpl.py", "**/src/"]
    assert value["ignores"] == ["tests"]
    assert value["metadata"]["cwe"] == ["CWE-1: x"]
    assert value["severity"] == "error"


def test_messages() -> None:
    text = rule("pattern: f($X, $...Y)").replace("message: m", "message: $X $...Y $1 $ENV")
    (one,) = imported(text).rules
    assert yaml.safe_load(one.text)["message"] == "$X $$$Y $1 \\$ENV"


@pytest.mark.parametrize(
    ("body", "language", "line", "reason"),
    [
        ("mode: taint\npattern-sources: [{pattern: f()}]", "python", 6, "mode `taint` follows data"),
        ("mode: join\njoin: {}", "python", 6, "mode `join` joins"),
        ("patterns:\n- pattern-not: f()", "python", 6, "nothing but negations"),
        ("pattern: (String $X).go(...)", "java", 6, "the metavariable $X has a type"),
        ("pattern: '($X : int).go(...)'", "go", 6, "the metavariable $X has a type"),
        ("pattern: 'f('", "python", 6, "is no code in python"),
        ("pattern: f($X)\nmetavariable-analysis: {}", "python", 0, ""),
        (
            "patterns:\n- pattern: f($X)\n- metavariable-analysis: {analyzer: entropy}",
            "python",
            8,
            "measures",
        ),
        (
            "patterns:\n- pattern: f($X)\n- metavariable-comparison: {comparison: $X ** 2 > 1}",
            "python",
            8,
            "has no counterpart",
        ),
        (
            (
                "patterns:\n- pattern: f($X)\n"
                "- metavariable-pattern: {metavariable: $X, language: json, pattern: a}"
            ),
            "python",
            8,
            "as json",
        ),
        (
            "patterns:\n- pattern: f($X)\n- metavariable-regex: {metavariable: $X, regex: '('}",
            "python",
            8,
            "cannot be read",
        ),
        ("pattern-regex: x", "regex", 3, "any text"),
        ("pattern: x", "cobol", 3, "there is no language 'cobol'"),
    ],
)
def test_a_rule_that_cannot_be_carried_over_is_named(
    body: str, language: str, line: int, reason: str
) -> None:
    if not reason:
        assert remarks(body, language) == [
            "rules.yaml:7:3: `metavariable-analysis` is not known and was left out"
        ]
        return
    told = refusal(body, language)
    assert told.startswith(f"rules.yaml:{line}:")
    assert reason in told


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (
            "pattern-either:\n- pattern: f()\n- pattern: 'g('",
            "finds less than in semgrep: an alternative is left out",
        ),
        (
            "patterns:\n- pattern: f()\n- pattern-not: 'g('",
            "finds more than in semgrep: `pattern-not` is left out",
        ),
        ("pattern: f()\nfix-regex: {regex: a, replacement: b}", "`fix-regex` is left out"),
        ("pattern: f()\noptions: {ac_matching: false}", "the option `ac_matching` is left out"),
        ("pattern-regex: sec.et", "finds less than in semgrep: `pattern-regex`"),
        ("patterns:\n- pattern: f($X, $Y)\n- focus-metavariable: [$X, $Y]", "the whole match is reported"),
    ],
)
def test_what_a_rule_finds_otherwise_stands_in_it(body: str, part: str) -> None:
    (one,) = imported(rule(body)).rules
    assert any(part in remark.message for remark in one.remarks)
    comments = " ".join(re.findall(r"^#\s+(.*)$", one.text, re.MULTILINE))
    assert part[1:40] in comments


def test_a_language_in_which_a_pattern_is_no_code_is_left_out() -> None:
    (one,) = imported(rule("pattern: 'const $X: $T = 1'", "javascript, typescript")).rules
    assert one.languages == ("typescript", "tsx")
    assert "no code in javascript" in one.remarks[0].message


def test_rules_of_one_file_become_one_file() -> None:
    text = "rules:\n" + "".join(
        f"- {{id: r{n}, languages: [python], severity: INFO, message: m, pattern: f({n})}}\n"
        for n in range(3)
    )
    result = imported(text)
    read = read_rules(result.text.encode(), "x.yml")
    assert [one.id for one in read.rules] == ["r0", "r1", "r2"]
    assert not read.problems


def test_an_id_twice() -> None:
    one = "- {id: a, languages: [python], severity: INFO, message: m, pattern: f()}\n"
    result = imported("rules:\n" + one + one)
    assert len(result.rules) == 1
    assert "has the id 'a' too" in str(result.refused[0])


# --- what only some grammars read -----------------------------------------------------------------


def test_a_pattern_that_is_a_metavariable_says_where_the_match_is() -> None:
    body = "patterns:\n- pattern-inside: f($X, ...)\n- pattern: $X"
    assert made(body)["focus"] == "X"
    assert lines(body, "f(\n  a, b)\n") == [2]


def test_an_alternative_without_the_metavariable_that_is_asked_of_never_holds() -> None:
    body = """
        patterns:
          - pattern-either: [{pattern: f($X)}, {pattern: g()}]
          - metavariable-regex: {metavariable: $X, regex: a}
        """
    assert lines(body, "f(a)\nf(b)\ng()\n") == [1]


def test_a_name_as_the_pattern_of_a_metavariable_is_any_name() -> None:
    body = "patterns:\n- pattern: os.$F(...)\n- metavariable-pattern: {metavariable: $F, pattern: chmod}"
    assert lines(body, "os.chmod(1)\nos.stat(1)\n") == [1]


def test_a_dictionary_with_an_entry_among_others() -> None:
    assert lines("pattern: '{..., \"a\": $X, ...}'", "x = {'b': 1, 'a': 2}\ny = {'b': 1}\n") == [1]
    assert lines("pattern: 'f({..., \"a\": 1, ...})'", "f({'b': 1, 'a': 1})\nf({'a': 2})\n") == [1]


def test_an_import_of_go_in_brackets() -> None:
    body = 'patterns:\n- pattern: md5.New()\n- pattern-inside: |\n    import "crypto/md5"\n    ...'
    source = 'package p\nimport (\n\t"fmt"\n\t"crypto/md5"\n)\nfunc f() { md5.New() }\n'
    assert lines(body, source, "go") == [6]
    assert lines(body, source.replace("crypto/", ""), "go") == []


def test_annotations_and_typed_parameters_of_java() -> None:
    body = "pattern: |\n  @Path(..., value = $V, ...)\n  $T $M(..., Request $R, ...) { ... }"
    source = (
        "class A {\n @Path(a = 1, value = 2) void m(int a, Request r) { }\n"
        " @Path(a = 1) void k(Request r) { }\n}\n"
    )
    assert lines(body, source, "java") == [2]


def test_a_statement_of_a_call_is_found_within_another() -> None:
    assert lines("pattern: f(1);", "int m() { f(1); return g(f(1)); }", "c") == [1, 1]
    body = "patterns:\n- pattern: run($X)\n- pattern-inside: |\n    require('vm');\n    ..."
    assert lines(body, "const {run} = require('vm');\nrun(a);\n", "javascript") == [2]


def test_an_import_stands_for_other_imports() -> None:
    body = "patterns:\n- pattern: run(...)\n- pattern-inside: |\n    import flask\n    ..."
    assert lines(body, "from flask import Flask\nrun(1)\n") == [2]
    assert lines(body, "import os\nrun(1)\n") == []


def test_statements_on_one_line() -> None:
    body = "patterns:\n- pattern: $R.add($C);\n- pattern-not-inside: $C.set(...); ..."
    assert lines(body, "class A { void m() { c.set(1);\n r.add(c);\n r.add(d); } }", "java") == [3]


def test_a_branch_of_python_with_any_other_branches() -> None:
    body = "patterns:\n- pattern: f()\n- pattern-inside: |\n    if a:\n      ..."
    source = "if a:\n    f()\nelif b:\n    f()\nelse:\n    f()\nif c:\n    f()\n"
    assert 2 in lines(body, source)
    assert 8 not in lines(body, source)


def test_a_member_that_is_a_metavariable_may_be_imported() -> None:
    source = "from os import chmod\nimport os\nchmod(1)\nos.stat(1)\nother(1)\n"
    assert lines("pattern: os.$F(...)", source) == [3, 4]


def test_blocks_of_terraform_hold_what_they_name_in_any_order() -> None:
    body = 'pattern: |\n  resource "a" "..." {\n    ...\n    x = 1\n    ...\n    b {\n      y = 2\n    }\n  }'
    source = (
        'resource "a" "n" {\n  b {\n    z = 1\n    y = 2\n  }\n  x = 1\n}\nresource "a" "m" {\n  x = 1\n}\n'
    )
    assert lines(body, source, "hcl") == [1]


def test_attributes_of_an_element_stand_among_others() -> None:
    source = "a = <X b={1} c={2} />;\nd = <X c={2}>text</X>;\ne = <X b={1} />;\nf = <X {...g} />;\n"
    assert lines("pattern: '<$T c={2} />'", source, "javascript") == [1, 2]
    assert lines("pattern: '<X ... b={$V} ... />'", source, "javascript") == [1, 3]
    assert lines("pattern: '<$T {...$P} />'", source, "javascript") == [4]
    assert lines("pattern: '<X c={2} b={1} />'", source, "javascript") == [1]


def test_a_rule_that_could_never_hold_is_not_written() -> None:
    assert "cannot be used" in refusal("patterns:\n- pattern: f($X)\n- pattern: g($X) + 1")
