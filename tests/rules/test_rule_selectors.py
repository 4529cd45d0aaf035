"""The selector of a pattern: the node of this kind in it, or around all of it, is what is looked for."""

from __future__ import annotations

import pytest

from structural.rules.compile import compile_rules
from structural.rules.reading import read_rules
from tests.rules.test_rule_comments import found


@pytest.mark.parametrize(
    ("rule", "source", "language", "expected"),
    [
        (
            "rule: {pattern: {code: 'class A { $F = $V }', selector: field_definition}}",
            "class B { x = 1; y() {} }\nz = 2",
            "javascript",
            ["x = 1"],
        ),
        (
            "rule: {pattern: {context: $X = $Y, selector: expression_statement}}",
            "a = 1\nif (b := 2): pass\nf(c=3)\n",
            "python",
            ["a = 1"],
        ),
        (
            "rule: {pattern: {code: $X = $Y, selector: expression_statement}, follows: {pattern: import m}}",
            "import m\na = 1\nb = 2\n",
            "python",
            ["a = 1"],
        ),
    ],
)
def test_what_is_selected_is_found(rule: str, source: str, language: str, expected: list[str]) -> None:
    assert found(rule, source, language) == expected
    assert found(rule, source, language, prefilter=False) == expected


def test_an_alternative_that_is_no_code_in_any_language_is_told() -> None:
    def told(language: str) -> list[str]:
        rule = "{any: [{pattern: 'f('}, {pattern: '$A && $B'}, {pattern: f()}]}"
        text = f"id: a\nlanguage: {language}\nrule: {rule}\n"
        read = read_rules(text.encode(), "a.yml")
        rules, problems = compile_rules(read.rules)
        assert list(rules.rules) == ["a"]
        assert all(problem.warning for problem in problems)
        return [str(problem) for problem in problems]

    assert told("python") == [
        "a.yml:3:24: 'f(' is no code in python",
        "a.yml:3:41: '$A && $B' is no code in python",
    ]
    assert told("[python, js]") == ["a.yml:3:24: 'f(' is no code in python"]
