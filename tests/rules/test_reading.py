"""What the reader says of rule files: one file a case, with what it says as comments at its end.

    #= 3:5 a condition has no key 'patern'
    #? did you mean `pattern`?

``#=`` is a fault, ``#~`` a warning, ``#?`` the hint of the line before it.  A case without such lines is
read without a word, and gives a rule for each document.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from structural.rules.compile import compile_rules
from structural.rules.examples import check
from structural.rules.reading import RuleFile, Source, read_rules, read_set
from structural.rules.values import (
    All,
    AnyOf,
    At,
    KindAtom,
    Matches,
    Not,
    NthChildAtom,
    PatternAtom,
    RangeAtom,
    RegexAtom,
    Relation,
    Safety,
    Severity,
)

HERE = Path(__file__).parent
CASES = sorted((HERE / "reading").glob("*.yml"))
DOCUMENT = HERE.parent.parent / "docs" / "rules.md"


def read(text: str, **options: object) -> RuleFile:
    return read_rules(text.encode(), "rule.yml", **options)  # type: ignore[arg-type]


def told(file: RuleFile) -> list[str]:
    """The problems, as the comments of cases have them."""
    lines = []
    for problem in file.problems:
        mark = "#~" if problem.warning else "#="
        lines.append(f"{mark} {problem.at.line}:{problem.at.column} {problem.message}")
        if problem.hint:
            lines.append(f"#? {problem.hint}")
    return lines


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_is_said_of_a_file(case: Path) -> None:
    text = case.read_text(encoding="utf-8")
    expected = [line for line in text.splitlines() if re.match(r"#[=~?] ", line)]
    found = read_rules(text.encode(), case.name, shared=())
    assert told(found) == expected
    if not found.faulty:
        parts = re.split(r"^---\n", text, flags=re.MULTILINE)
        documents = [part for part in parts if re.sub(r"^#.*", "", part, flags=re.MULTILINE).strip()]
        assert len(found.rules) + len(found.utilities) == len(documents)


def test_the_examples_of_the_reference_are_rules() -> None:
    blocks = re.findall(
        r"^```yaml\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert blocks
    for block in blocks:
        found = read_rules(block.encode(), "rules.md", shared=())
        assert not found.problems
        assert found.rules
        rules, problems = compile_rules(found.rules)
        assert not problems
        for rule in rules.rules.values():
            assert [one.message for one in check(rule, rules) if one.fault] == []
            assert {one.count == 0 for one in rule.examples} == {True, False}, rule.id


def test_a_rule_has_everything_that_its_file_says() -> None:
    (rule,) = read(
        """\
id: team/all-of-it
language: [js, TypeScript]
message: "$A"
severity: error
note: why
url: https://example.org
tags: [one, two]
files: ['src/**', './*.js', '!x.js']
ignores: {glob: 'a.[jt]s', case-insensitive: true}
rule: {pattern: 'f($A, $$$B)'}
constraints: {$A: {regex: '^x'}}
focus: $A
rewrite:
  - g($A)
  - {rewrite: '', title: drop it, target: A, safety: suspicious}
safety: display
examples:
  matching: f(x)
  not-matching: [{code: 'g(x)', path: a.js}]
metadata: {cwe: [1, {a: on}]}
""",
    ).rules
    assert (rule.id, rule.languages, rule.message) == ("team/all-of-it", ("javascript", "typescript"), "$A")
    assert (rule.severity, rule.note, rule.url, rule.tags) == (
        Severity.ERROR,
        "why",
        "https://example.org",
        ("one", "two"),
    )
    assert rule.files == ("src/**", "/*.js", "!x.js")
    assert rule.ignores == ("[aA].[jtJT][sS]",)
    assert rule.condition == PatternAtom("f($A, $$$B)")
    assert rule.constraints == {"A": RegexAtom("^x")}
    assert rule.focus == "A"
    first, second = rule.rewrites
    assert (first.text, first.safety) == ("g($A)", Safety.DISPLAY)
    assert (second.text, second.title, second.target, second.safety) == (
        "",
        "drop it",
        "A",
        Safety.SUSPICIOUS,
    )
    matching, other = rule.examples
    assert (matching.code, matching.count) == ("f(x)", None)
    assert (other.code, other.count, other.path) == ("g(x)", 0, "a.js")
    assert rule.metadata == {"cwe": [1, {"a": "on"}]}
    assert rule.at == At(1, 1)
    assert rule.places["rule"] == At(10, 1)


def condition_of(text: str) -> object:
    (rule,) = read(f"id: a\nlanguage: js\nrule:\n  {text}\n").rules
    return rule.condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pattern: f()", PatternAtom("f()")),
        (
            "pattern: {code: f(), as: expression, strictness: exact}",
            PatternAtom("f()", "expression", "exact"),
        ),
        (
            "pattern: {code: f(), equivalences: [order], without: quotes, selector: x}",
            PatternAtom("f()", equivalences=("order",), without=("quotes",), selector="x"),
        ),
        ("kind: a", KindAtom(("a",))),
        ("kind: [a, b]", KindAtom(("a", "b"))),
        ("regex: ^a", RegexAtom("^a")),
        ("nth-child: 2", NthChildAtom(0, 2)),
        ("nth-child: -n + 3", NthChildAtom(-1, 3)),
        ("nth-child: odd", NthChildAtom(2, 1)),
        (
            "nth-child: {position: 1, reverse: true, of-rule: {kind: a}}",
            NthChildAtom(0, 1, True, KindAtom(("a",))),
        ),
        (
            "range: {start: {line: 2, column: 3}, end: {line: 4}}",
            RangeAtom((2, 3), (4, None)),
        ),
        ("inside: {kind: a}", Relation("inside", KindAtom(("a",)))),
        (
            "has: {kind: a, stop-by: {kind: b}, field: c}",
            Relation("has", KindAtom(("a",)), KindAtom(("b",)), "c"),
        ),
        ("follows: {stop-by: end, kind: a}", Relation("follows", KindAtom(("a",)), "end")),
        ("has: {field: c}", Relation("has", None, "neighbor", "c")),
        ("all: [{kind: a}, {not: {kind: b}}]", All((KindAtom(("a",)), Not(KindAtom(("b",)))))),
        ("any: [{kind: a}, {kind: b}]", AnyOf((KindAtom(("a",)), KindAtom(("b",))))),
        ("{kind: a, regex: b}", All((KindAtom(("a",)), RegexAtom("b")))),
        ("matches: u", Matches("u")),
        (
            "matches: {u: {A: $X, B: {kind: k}}}",
            Matches("u", {"A": "X", "B": KindAtom(("k",))}),
        ),
    ],
)
def test_a_condition_is_what_it_says(text: str, expected: object) -> None:
    assert condition_of(text) == expected


def test_utilities_of_other_files_may_bind_anything_while_they_are_not_known() -> None:
    text = "id: a\nlanguage: js\nrule: {matches: shared}\nmessage: $A\n"
    assert read(text).rules
    assert [str(problem) for problem in read(text, shared=()).problems] == [
        "rule.yml:3:17: no utility is called 'shared'",
        "rule.yml:4:1: the message uses $A, which nothing binds",
    ]


def test_a_set_shares_utilities_and_has_each_id_once() -> None:
    rule = b"id: %s\nlanguage: js\nrule: {matches: {cleared: {T: $X}}}\nmessage: $X\n"
    found = read_set(
        [
            Source("a.yml", rule % b"one"),
            Source("b.yml", rule % b"two"),
            Source("c.yml", rule % b"one"),
            Source("u/cleared.yml", b"id: cleared\nparams: [T]\nrule: {pattern: 'clear($T)'}\n", True),
            Source("u/other.yml", b"id: cleared\nrule: {kind: x}\n", True),
        ]
    )
    assert [one.id for one in found.rules] == ["one", "two"]
    assert [one.name for one in found.utilities] == ["cleared"]
    assert [str(problem) for problem in found.problems] == [
        "c.yml:1:1: a rule called 'one' is there already",
        "u/other.yml:1:1: a utility called 'cleared' is there already",
    ]


def test_utilities_are_shared_whatever_the_order_of_files_is() -> None:
    files = [
        Source("a.yml", b"id: a\nlanguage: js\nrule: {matches: {u: {X: $Y}}}\nmessage: $Y\n"),
        Source("b.yml", b"id: u\nparams: [X]\nrule: {matches: inner}\nutils: {inner: {pattern: f($X)}}\n"),
    ]
    for order in (files, files[::-1]):
        found = read_set(order)
        assert not found.problems
        assert [one.id for one in found.rules] == ["a"]
        assert [one.name for one in found.utilities] == ["u", "u/inner"]


def test_a_rule_with_a_utility_that_has_mistakes_says_so_once() -> None:
    found = read_set(
        [
            Source("a.yml", b"id: a\nlanguage: js\nrule: {matches: u}\nmessage: $Y\n"),
            Source("u/u.yml", b"id: u\nrule: {patern: f($Y)}\n", True),
        ]
    )
    assert not found.rules
    assert [str(problem) for problem in found.problems] == [
        "a.yml:3:17: the utility 'u' has mistakes",
        "u/u.yml:2:8: a condition has no key 'patern'",
    ]


def test_shared_utilities_are_looked_at_too() -> None:
    found = read_set(
        [
            Source("u/a.yml", b"id: a\nrule: {matches: b}\n", True),
            Source("u/b.yml", b"id: b\nrule: {any: [{matches: a}, {matches: c}]}\n", True),
        ]
    )
    assert [str(problem) for problem in found.problems] == [
        "u/a.yml:1:1: these utilities use one another in a circle: 'a' → 'b' → 'a'",
        "u/b.yml:1:1: these utilities use one another in a circle: 'a' → 'b' → 'a'",
        "u/b.yml:2:38: no utility is called 'c'",
    ]


def test_the_file_of_a_folder_of_utilities_is_no_rule() -> None:
    text = "id: u\nlanguage: js\nrule: {kind: x}\n"
    assert [one.name for one in read(text, utilities=True).utilities] == ["u"]
    assert [one.id for one in read(text).rules] == ["u"]
