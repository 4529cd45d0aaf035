"""Asking rules of a text, for tests."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.terms import RuleSet
from structural.rules.values import Condition, Finding, Problem, Rule, Utility


def compiled(*rules: Rule, utilities: Sequence[Utility] = ()) -> RuleSet:
    """The set of *rules*, of which none is wrong, as a worker process gets it."""
    made, problems = compile_rules(rules, utilities)
    assert not problems, [str(problem) for problem in problems]
    again: RuleSet = pickle.loads(pickle.dumps(made))
    return again


def found(
    rule: Rule | Condition,
    source: str,
    language: str = "python",
    *,
    host: str = "",
    utilities: Sequence[Utility] = (),
) -> list[Finding]:
    """What a rule or a condition finds; with and without the filters it is the same."""
    if not isinstance(rule, Rule):
        rule = Rule("r", (language,), rule)
    made = compiled(rule, utilities=utilities)
    text = source.encode()
    quick = find(made, text, host or language)
    slow = find(made, text, host or language, prefilter=False)
    assert quick.findings == slow.findings
    assert not quick.exhausted
    return list(quick.findings)


def texts(
    rule: Rule | Condition,
    source: str,
    language: str = "python",
    *,
    host: str = "",
    utilities: Sequence[Utility] = (),
) -> list[str]:
    """The texts of what is reported."""
    those = found(rule, source, language, host=host, utilities=utilities)
    return [one.span.text(source.encode()) for one in those]


def bindings(rule: Rule | Condition, source: str, language: str = "python") -> list[dict[str, str]]:
    """What the metavariables of each finding stand for."""
    return [
        {binding.name: binding.span.text(source.encode()) for binding in one.match.bindings}
        for one in found(rule, source, language)
    ]


def problems(*rules: Rule, utilities: Sequence[Utility] = ()) -> list[Problem]:
    return list(compile_rules(rules, utilities)[1])
