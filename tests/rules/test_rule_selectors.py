"""The selector of a pattern: the node of this kind in it, or around all of it, is what is looked for."""

from __future__ import annotations

import pytest

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
