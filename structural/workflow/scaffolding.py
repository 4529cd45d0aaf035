"""``astgrep new rule``: a rule file from a pattern and examples, checked before it is written.

The text is made, read, compiled and run over its examples in memory; only a rule that does what
they say is written.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from structural.errors import UsageError
from structural.rules.compile import compile_rules
from structural.rules.examples import ExampleResult, check
from structural.rules.reading import read_rules
from structural.rules.values import Problem, Rule
from structural.rules.yaml_writing import dumped
from structural.syntax import registry

__all__ = ["NewRule", "Scaffold", "scaffold", "write"]

TODO = "TODO: say what is wrong here, and what to do"


@dataclass(frozen=True, slots=True)
class NewRule:
    """What is known of a rule that is to be made."""

    id: str
    languages: tuple[str, ...]
    pattern: str
    message: str = ""
    severity: str = "warning"
    rewrite: str | None = None
    examples: tuple[str, ...] = ()
    counter_examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A rule file that does what its examples say."""

    path: str
    text: str
    rule: Rule
    remarks: tuple[str, ...] = ()


def scaffold(new: NewRule, folder: str) -> Scaffold:
    """The file of *new* in *folder*.  UsageError if it is wrong, or is not what its examples say."""
    if ".." in new.id.split("/") or new.id.startswith("/"):
        raise UsageError(
            f"the id {new.id!r} is no path below the folder of rules; nothing was written",
            hint="such as team/no-eval",
        )
    path = os.path.join(folder, f"{new.id}.yml")
    if os.path.lexists(path):
        raise UsageError(f"{path} is there already; nothing was written", hint="choose another id")
    for one in new.languages:
        registry.resolve(one)
    text = dumped(_value(new, {}))
    rule, results = _tried(text, path)
    rewritten = {one.example.code: one.rewritten for one in results if one.rewritten is not None}
    if rewritten:
        text = dumped(_value(new, rewritten))
        rule, results = _tried(text, path)
    remarks = [
        f"the example {_short(one.example.code)} has syntax errors" for one in results if one.syntax_errors
    ]
    if not new.examples:
        remarks.append("there is no matching example yet: add one, or give --example")
    if not new.counter_examples:
        remarks.append("there is no example yet in which nothing should be found: --not-example")
    return Scaffold(path, text, rule, tuple(remarks))


def write(made: Scaffold) -> str:
    """Write the file; gives the id of the commit."""
    from structural.workflow.rule_files import put

    return put({made.path: made.text.encode()})


def _value(new: NewRule, rewritten: dict[str, str]) -> dict[str, object]:
    """The file as a value, its keys in the order in which people read them."""
    value: dict[str, object] = {"id": new.id}
    value["language"] = new.languages[0] if len(new.languages) == 1 else list(new.languages)
    value["severity"] = new.severity
    value["message"] = new.message or TODO
    value["rule"] = {"pattern": new.pattern}
    if new.rewrite is not None:
        value["rewrite"] = new.rewrite
    examples: dict[str, object] = {}
    if new.examples:
        examples["matching"] = [
            {"code": code, "rewritten": rewritten[code]} if code in rewritten else code
            for code in new.examples
        ]
    if new.counter_examples:
        examples["not-matching"] = list(new.counter_examples)
    if examples:
        value["examples"] = examples
    return value


def _tried(text: str, path: str) -> tuple[Rule, tuple[ExampleResult, ...]]:
    """The rule that *text* is, and what it does in its examples, all of which are as they should be."""
    read = read_rules(text.encode(), path, shared=())
    _refuse(read.problems)
    rules, problems = compile_rules(read.rules)
    _refuse(problems)
    rule = rules.rules[read.rules[0].id]
    results = check(rule, rules)
    for one in results:
        if one.fault:
            raise UsageError(
                f"the rule {one.message} in {_short(one.example.code)}; nothing was written",
                hint="`astgrep explain PATTERN --lang L` shows how the pattern is read",
            )
    return rule, results


def _refuse(problems: Sequence[Problem]) -> None:
    for problem in problems:
        if not problem.warning:
            raise _WrongRuleError(f"{problem.message}; nothing was written", hint=problem.hint)


class _WrongRuleError(UsageError):
    """The rule is wrong."""

    code = "rule"


def _short(code: str) -> str:
    line = " ".join(code.split())
    return repr(line if len(line) <= 60 else line[:59] + "…")
