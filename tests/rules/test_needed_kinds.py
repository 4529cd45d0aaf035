"""Kinds without which a rule holds nowhere: of a file that lacks one nothing is asked for it."""

from __future__ import annotations

import pytest

from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.reading import read_rules
from structural.syntax.grammar import load_named

BOTH = "if x:\n    return 1\ntry:\n    f()\nexcept E:\n    return 2\n"
NONE = "if x:\n    return 1\n"


@pytest.mark.parametrize(
    ("condition", "needed", "both", "none"),
    [
        ("{kind: return_statement}", [{"return_statement"}], 2, 1),
        (
            "{kind: return_statement, inside: {kind: except_clause, stopBy: end}}",
            [{"except_clause"}, {"return_statement"}],
            1,
            0,
        ),
        (
            "{kind: return_statement, not: {inside: {kind: except_clause, stopBy: end}}}",
            [{"return_statement"}],
            1,
            1,
        ),
        (
            "{any: [{kind: except_clause}, {kind: if_statement}]}",
            [{"except_clause", "if_statement"}],
            2,
            1,
        ),
    ],
)
def test_what_a_condition_needs(condition: str, needed: list[set[str]], both: int, none: int) -> None:
    read = read_rules(f"id: r\nlanguage: python\nmessage: m\nrule: {condition}\n".encode(), "r.yml")
    rules, problems = compile_rules(read.rules, read.utilities)
    assert not read.problems
    assert not problems
    grammar = load_named("python")
    made = rules.of("python").rules[0]
    told = [{grammar.name(kind) for kind in group} for group in made.needed]
    assert sorted(told, key=sorted) == sorted(needed, key=sorted)
    for source, number in ((BOTH, both), (NONE, none)):
        quick = find(rules, source.encode(), "python").findings
        assert len(quick) == number
        assert quick == find(rules, source.encode(), "python", prefilter=False).findings
