"""The parts of the import: numbers as expressions, YAML for people, brackets, and texts of any kind."""

from __future__ import annotations

import contextlib
import random
import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from structural.rules.imports import comparison, layout, pairs
from structural.rules.imports.document import UnreadableError, documents
from structural.rules.imports.ellipses import UntranslatableError
from structural.rules.imports.layout import Comment
from structural.rules.imports.semgrep import import_semgrep

_SIGNS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(_SIGNS)),
    st.integers(-12000, 12000),
    st.lists(st.integers(-30000, 30000), min_size=1),
)
def test_a_comparison_of_numbers_as_an_expression(sign: str, bound: int, numbers: list[int]) -> None:
    expression = re.compile(comparison.number_expression(sign, bound))
    for number in [*numbers, bound, bound - 1, bound + 1, -bound, bound * 10]:
        assert bool(expression.search(str(number))) == _SIGNS[sign](number, bound), number


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(_SIGNS)), st.integers(0, 70000), st.lists(st.integers(0, 140000), min_size=1))
def test_a_comparison_of_numbers_in_other_bases(sign: str, bound: int, numbers: list[int]) -> None:
    expression = re.compile(comparison.number_expression(sign, bound, (10, 8, 16)))
    for number in [*numbers, bound, bound + 1, bound * 16]:
        for written in (f"{number:#o}", f"{number:#x}", f"{number:#X}"):
            assert bool(expression.search(written)) == _SIGNS[sign](number, bound), written


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("$A == $B", {"A": {"same-as": "B"}}),
        ("str($A) != str($B)", {"A": {"not": {"same-as": "B"}}}),
        ("5 < $A", {"A": {"regex": comparison.number_expression(">", 5)}}),
        ("not $A == 'x'", {"A": {"not": {"regex": "^[\"'`]?x[\"'`]?$"}}}),
        ("re.match('a', $A)", {"A": {"regex": "^a"}}),
        ("$A in ['x', 'y']", {"A": {"regex": "^(?:[\"'`]?x[\"'`]?|[\"'`]?y[\"'`]?)$"}}),
    ],
)
def test_comparisons(text: str, made: object) -> None:
    assert comparison.constraints(text) == made


@pytest.mark.parametrize(
    "text", ["", "$A +", "$A < $B", "f($A)", "$A ** 2 == 4", "1 == 1", "$A or $B", "(" * 500]
)
def test_comparisons_that_have_no_counterpart(text: str) -> None:
    with pytest.raises(UntranslatableError):
        comparison.constraints(text)


@pytest.mark.parametrize(
    ("regex", "made"),
    [("a", "^a"), ("^a", "^a"), ("a|b", "^(?:a|b)"), ("(?i)a|b", "(?i)^(?:a|b)"), ("^a|b", "^(?:^a|b)")],
)
def test_expressions_hold_at_the_start(regex: str, made: str) -> None:
    assert comparison.anchored(regex) == made


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.sampled_from(["yes", "1e3", "a: b", "# x", "|", "- a", "a\nb\n"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(min_size=1), _VALUES, min_size=1, max_size=4))
def test_a_layout_says_what_the_values_say(value: dict[str, object]) -> None:
    assert yaml.safe_load(layout.document({Comment("why"): None, **value})) == value


def test_a_layout_is_for_people() -> None:
    value = {
        Comment("a remark"): None,
        "id": "x",
        "message": "word " * 30 + "end",
        "tags": ["a", "b"],
        "rule": {"pattern": "def $F():\n    $$$", "any": [{"pattern": "f($A)", "regex": "a: b"}]},
    }
    assert layout.document(value) == (
        "# a remark\n"
        "id: x\n"
        "message: >-\n"
        "  word word word word word word word word word word word word word word word word word word word\n"
        "  word word word word word word word word word word word end\n"
        "tags: [a, b]\n"
        "rule:\n"
        "  pattern: |-\n"
        "    def $F():\n"
        "        $$$\n"
        "  any:\n"
        "    - pattern: f($A)\n"
        '      regex: "a: b"\n'
    )


@pytest.mark.parametrize(
    ("text", "language", "made"),
    [
        ("{a: $X}", "javascript", ("{ $$$, a: $X, $$$ }", False)),
        ("{a: $X, ...}", "javascript", ("{ $$$, a: $X, ... }", False)),
        ("f() { default: x }", "javascript", ("f() { default: x }", False)),
        ("f(a=1, b=2)", "python", ("f(a=1, b=2)", True)),
        ("f($X, a=1, $$$)", "python", ("f($X, $$$, a=1, $$$)", False)),
        ("f({a: '}'}, [1, 2])", "javascript", ("f({ $$$, a: '}', $$$ }, [1, 2])", False)),
    ],
)
def test_pairs(text: str, language: str, made: tuple[str, bool]) -> None:
    if "..." in text and "$$$" not in text:
        text, made = text.replace("...", "$$$"), (made[0].replace("...", "$$$"), made[1])
    assert pairs.loosened(text, language) == made


# --- any text -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"rules:",
        b"rules: 3",
        b"rules: [1, a, {}]",
        b"\xff\xfe",
        b"rules: [",
        b"rules: [{id: [a]}]",
        b"rules:\n- id: a\n  languages: {}\n  pattern: []\n",
        b"rules: &a [*a]",
        b"rules: " + b"[" * 5000,
        (
            b"a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\n"
            b"d: &d [*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d]\nrules: [*e,*e,*e,*e,*e,*e,*e,*e]"
        ),
        b"!!python/object/apply:os.system [x]",
        b"rules: [{id: a, languages: [python], pattern: '<... <... x'}]",
        b"rules: [{id: a, languages: [python], pattern: '. ... .x'}]",
    ],
)
def test_any_text_is_told_and_not_raised(text: bytes) -> None:
    result = import_semgrep(text, "x.yaml")
    assert not result.rules
    assert result.refused or b"rules" not in text


def test_yaml_that_goes_too_deep() -> None:
    with pytest.raises(UnreadableError):
        documents(b"a: " + b"[" * 100 + b"]" * 100)


_RULE = """\
rules:
- id: one
  languages: [python, js, go]
  severity: ERROR
  message: $X is used
  metadata: {category: security, references: [https://example.org]}
  paths: {include: ["*.py"]}
  patterns:
    - pattern-either:
        - pattern: |
            $X = open(...)
            ...
            $X.read(<... $Y ...>)
        - pattern: a.b.$F("...", $...ARGS). ... .g({k: $X, ...})
        - patterns: [{pattern: "def $F(...):\\n  ..."}, {focus-metavariable: $F}]
    - pattern-inside: "class $C { ... }"
    - pattern-not-inside: "if (...) { ... }"
    - metavariable-regex: {metavariable: $X, regex: "a|b"}
    - metavariable-comparison: {metavariable: $X, comparison: "$X < 7 and $X != 3"}
    - metavariable-pattern: {metavariable: $X, pattern-either: [{pattern: f()}, {pattern-regex: x}]}
  fix: g($X)
"""
_PIECES = [
    "...",
    "$X",
    "$...A",
    "<...",
    "...>",
    '"',
    "'",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ":",
    "- ",
    "\n",
    "  ",
    "#",
    "|",
    "&a",
    "*a",
    "!!x ",
    "é",
    "\\",
    "pattern",
    "$$$",
]


@pytest.mark.parametrize("seed", range(30))
def test_a_rule_that_was_changed_by_chance_never_raises(seed: int) -> None:
    chance = random.Random(seed)
    text = _RULE
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(text))
        what = chance.randrange(3)
        if what == 0:
            text = text[:at] + chance.choice(_PIECES) + text[at:]
        elif what == 1:
            text = text[:at] + text[at + chance.randint(1, 12) :]
        else:
            end = min(at + chance.randint(1, 30), len(text))
            to = chance.randrange(len(text))
            text = text[:to] + text[at:end] + text[to:]
    result = import_semgrep(text.encode(), "x.yaml")
    for one in result.rules:
        assert isinstance(yaml.safe_load(one.text), dict)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from([*_PIECES, "f", "x = ", ", ", "a.b", ". ... .", "return "]), max_size=14),
    st.sampled_from(["python", "javascript", "java", "go", "c", "ruby"]),
)
def test_a_pattern_of_any_text_never_raises(pieces: list[str], language: str) -> None:
    from structural.rules.imports.conditions import RefusedError, of_formula
    from structural.rules.imports.formula import Code
    from structural.rules.imports.patterns import Context
    from structural.rules.values import At

    with contextlib.suppress(RefusedError):
        of_formula(Code("".join(pieces), At()), Context([language]))
