"""Rules about comments, which are no nodes."""

from __future__ import annotations

import pickle

import pytest

from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.reading import read_rules


def found(rule: str, source: str, language: str = "javascript", *, prefilter: bool = True) -> list[str]:
    """The texts that a rule finds."""
    read = read_rules(f"id: a\nlanguage: {language}\n{rule}\n".encode(), "a.yml", shared=())
    assert not read.problems
    rules, problems = compile_rules(read.rules)
    assert not problems
    text = source.encode()
    rules = pickle.loads(pickle.dumps(rules))
    return [one.span.text(text) for one in find(rules, text, language, prefilter=prefilter).findings]


SOURCE = """\
// TODO one
f("// TODO no comment");  // ok
/* TODO two */
function g() {
  // eslint-disable no-x
  return 1 // eslint-disable no-y
}
"""


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("rule: {kind: comment, regex: TODO}", ["// TODO one", "/* TODO two */"]),
        ("rule: {kind: comment, not: {regex: 'TODO|eslint'}}", ["// ok"]),
        ("rule: {pattern: // TODO $X}", ["// TODO one"]),
        (
            "rule: {any: [{pattern: // TODO $X}, {pattern: /* TODO $X */}]}\nconstraints: {X: {regex: two}}",
            ["/* TODO two */"],
        ),
        ("rule: {pattern: // eslint-disable $RULE}\nfocus: RULE", ["no-x", "no-y"]),
        (
            "rule: {all: [{pattern: // $A $B}, {pattern: // TODO $B}]}",
            ["// TODO one"],
        ),
        ("rule: {matches: todo}\nutils: {todo: {pattern: // TODO $X}}", ["// TODO one"]),
        ("rule: {pattern: // $A}\nconstraints: {A: {not: {regex: .}}}", []),
    ],
)
def test_comments_are_found(rule: str, expected: list[str]) -> None:
    assert found(rule, SOURCE) == expected
    assert found(rule, SOURCE, prefilter=False) == expected


def test_kinds_of_comments_are_told_by_their_beginning() -> None:
    source = "// a\n/* b */ int x;\n"
    assert found("rule: {kind: line_comment}", source, "java") == ["// a"]
    assert found("rule: {kind: block_comment}", source, "java") == ["/* b */"]
    assert found("rule: {kind: [line_comment, block_comment]}", source, "java") == ["// a", "/* b */"]


def test_comments_of_embedded_code_are_found() -> None:
    page = "<p>// no</p><script>\n// yes\n</script>"
    read = read_rules(b"id: a\nlanguage: js\nrule: {pattern: // yes}\n", "a.yml")
    rules, _ = compile_rules(read.rules)
    assert [one.span.text(page.encode()) for one in find(rules, page.encode(), "html").findings] == ["// yes"]


def test_what_cannot_be_asked_of_a_comment_is_told() -> None:
    read = read_rules(
        b"id: a\nlanguage: js\nrule: {kind: comment, inside: {kind: function_declaration}}\n", "a.yml"
    )
    rules, problems = compile_rules(read.rules)
    assert not rules.rules
    assert [str(problem) for problem in problems] == [
        "a.yml:3:31: the rule is about comments, and this cannot be asked of a comment"
    ]
