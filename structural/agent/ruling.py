"""Rules that a call names, by their text or by the files that they are in, never out of the root."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from structural.agent.budget import clip, count
from structural.agent.schema import PATH_LONGEST, Schema, number, record, several, text
from structural.agent.tool import Answer, Arguments
from structural.agent.workbench import Workbench
from structural.errors import UsageError
from structural.workflow.rewriting import Ruled, RuleTally
from structural.workflow.ruledplans import RuleRecipe
from structural.workflow.ruledstaging import recipe_of
from structural.workflow.scanning import (
    Choice,
    Problem,
    Rulebook,
    Settings,
    Severity,
    gather,
    read_settings,
)
from structural.workflow.scanning.catalogue import is_catalogue
from structural.workflow.scanning.rulebook import rule_files

NAME = "rule"
"""What the text of a call is called where its mistakes are told."""

LONGEST = 100_000
"""Characters of rules that are given as a text."""

MOST_RULES = 5_000
"""Rules of one call: reading the patterns of more takes longer than anyone waits."""

_LISTED = 40
"""Rules that are listed at most."""

_SEVERITIES = ("error", "warning", "info", "hint")


class RuleError(UsageError):
    """Rules of which none can be used.  ``problems`` are what is wrong with them."""

    code = "rule"

    def __init__(self, message: str, hint: str = "", problems: Sequence[Answer] = ()) -> None:
        super().__init__(message, hint=hint)
        self.problems = tuple(problems)


def settings_of(bench: Workbench) -> Settings:
    """What the project says of its scans.  A baseline has no part in what is answered here."""
    return replace(read_settings(start=bench.inside.root), baseline="")


def book_of(bench: Workbench, arguments: Arguments) -> tuple[Rulebook, Settings]:
    """The rules of a call.  RuleError if none of them can be used."""
    if "rule" in arguments and "rules" in arguments:
        raise UsageError("rule and rules do not go together", hint="rule is a text, rules are names of files")
    settings = settings_of(bench)
    settings = replace(settings, utils=tuple(_files(bench, _configured(settings.utils))))
    least = arguments.get("severity")
    choice = Choice(
        tuple(arguments.get("ids", ())),
        tuple(arguments.get("tags", ())),
        Severity(least) if least is not None else None,
    )
    if "rule" in arguments:
        book = gather((), settings, choice, texts={NAME: arguments["rule"]})
    else:
        names = tuple(_files(bench, arguments.get("rules", ())))
        if not names:
            settings = replace(settings, rules=tuple(_files(bench, _configured(settings.rules))))
        if not names and not settings.rules:
            raise UsageError(
                "no rules are named, and the project's configuration names none",
                hint="give `rule`, a rule as YAML, or `rules`, such as ['catalogue/python']",
            )
        book = gather(names, settings, choice)
    check(bench, book, book.problems)
    return book, settings


def check(bench: Workbench, book: Rulebook, problems: Iterable[Problem], *, left: bool = True) -> None:
    """RuleError if no rule of *book* is *left*, or none can be used."""
    if book.rules and left:
        if len(book.rules) > MOST_RULES:
            raise UsageError(
                f"these are {count(len(book.rules), 'rule')}, and a call takes at most {MOST_RULES}",
                hint="choose some with ids, tags or severity",
            )
        return
    wrong = [problem for problem in problems if not problem.warning]
    if wrong:
        first = wrong[0]
        more = f", and {count(len(wrong) - 1, 'more mistake')}" if len(wrong) > 1 else ""
        hint = first.hint or "mend the rule and call again"
        if first.path == NAME and first.message.startswith("a rule has no"):
            hint = "it has at least `id: x`, `language: python` and `rule: {pattern: f($X)}`"
        raise RuleError(
            f"no rule can be used: {clip(bench.inside.said(str(first)), 600)}{more}",
            hint,
            list(told(bench, wrong)),
        )
    if book.others:
        raise RuleError(
            "none of these rules runs",
            "they are switched off, or ids, tags and severity choose none of them",
        )
    raise RuleError("there is no rule in it", "a rule has at least id, language and rule")


def told(bench: Workbench, problems: Iterable[Problem]) -> Iterator[Answer]:
    """Mistakes of rules, those first because of which one does not run."""
    for one in sorted(problems, key=lambda problem: problem.warning):
        value: Answer = {
            "rule": clip(one.rule, 100),
            "path": clip(bench.inside.shown(one.path), 200),
            "line": one.at.line,
            "column": one.at.column,
            "message": clip(bench.inside.said(one.message), 300),
            "hint": clip(one.hint, 300),
            "warning": one.warning,
        }
        yield {name: part for name, part in value.items() if part not in ("", False)}


def recipe(bench: Workbench, arguments: Arguments) -> RuleRecipe:
    """The rewrites of the rules of a call."""
    book, settings = book_of(bench, arguments)
    made = recipe_of(
        book,
        settings,
        bench.selection(arguments),
        {NAME: arguments["rule"]} if "rule" in arguments else None,
        title=arguments.get("title", ""),
        suspicious=arguments.get("suspicious", False),
        until_stable=arguments.get("until_stable", False),
    )
    # What is kept with the change names no folder of this machine.
    return replace(
        made, sources=tuple(replace(one, path=bench.inside.shown(one.path)) for one in made.sources)
    )


def tallies(bench: Workbench, ruled: Ruled) -> Answer:
    """What came of each rule."""
    ranked = sorted(ruled.rules.items(), key=lambda item: (-item[1].sites, item[0]))
    value: Answer = {"by_rule": [_tally(name, one) for name, one in ranked[:_LISTED]]}
    left = [
        {"why": why, "ids": [clip(one, 100) for one in ids[:20]], "rules": len(ids)}
        for why, ids in ruled.left.items()
    ]
    if left:
        value["not_staged"] = left
    counts = {"suppressed": ruled.suppressed, "broken_rules": ruled.broken}
    value |= {name: one for name, one in counts.items() if one}
    if ruled.problems:
        value["problems"] = [_placed(bench, *one) for one in ruled.problems[:10]]
    return value


def _tally(name: str, one: RuleTally) -> Answer:
    value: Answer = {
        "rule": clip(name, 100),
        "sites": one.sites,
        "matches": one.matches,
        "refused": one.refused,
    }
    if one.title:
        value["title"] = clip(one.title, 100)
    return value


def _placed(bench: Workbench, place: str, message: str, hint: str) -> Answer:
    path, line, column = place.rsplit(":", 2)
    value: Answer = {
        "path": clip(bench.inside.shown(path), 200),
        "line": int(line),
        "column": int(column),
        "message": clip(bench.inside.said(message), 300),
    }
    return value | ({"hint": clip(hint, 300)} if hint else {})


def _files(bench: Workbench, names: Iterable[str]) -> Iterator[str]:
    """The rule files of *names*: each in the root, without links out of it, or in the catalogue."""
    inside = bench.inside
    for name in names:
        if is_catalogue(name):
            yield name
            continue
        (full,) = inside.selected([name])
        for path in rule_files([full]):
            (real,) = inside.selected([path])
            if not os.path.isfile(real):
                raise UsageError(f"{inside.shown(path)!r} is no file")
            yield path


def _configured(names: Iterable[str]) -> Iterator[str]:
    """Names of the configuration, which are as they are seen from the current folder."""
    for name in names:
        yield name if is_catalogue(name) else os.path.abspath(name)


RULES: dict[str, Schema] = {
    "rule": text(
        "A rule as YAML or JSON text with id, language and rule (see the example); several documents apart "
        "by `---` are several rules.",
        longest=LONGEST,
        shortest=1,
    ),
    "rules": several(
        text(longest=PATH_LONGEST, shortest=1),
        "Rule files and folders below the root, or catalogue, catalogue/python (rules that come with the "
        "program).",
        least=1,
        most=100,
    ),
    "ids": several(text(longest=500), "Only the rules with these ids.", most=1_000),
    "tags": several(text(longest=200), "Only rules with one of these tags.", most=100),
}
"""Which rules a call means."""

PROBLEMS = several(
    record(
        {
            "rule": text("The id of the rule, where it is known."),
            "path": text("Its file; `rule` is the text of the call."),
            "line": number("Of the rule's text, from 1."),
            "column": number(),
            "message": text(),
            "hint": text(),
            "warning": {"type": "boolean", "description": "The rule is used all the same."},
        },
        "path",
        "line",
        "column",
        "message",
    ),
    "What is wrong with rules (the first of it).",
)

TALLIES: dict[str, Schema] = {
    "by_rule": several(
        record(
            {
                "rule": text(),
                "sites": number(),
                "matches": number(),
                "refused": number(),
                "title": text("Which of its rewrites."),
            },
            "rule",
            "sites",
            "matches",
            "refused",
        ),
        "Of rules: what each of them changes.",
    ),
    "not_staged": several(
        record(
            {
                "why": text(one_of=("no rewrite", "other title", "suspicious", "display")),
                "ids": several(text()),
                "rules": number(),
            },
            "why",
            "ids",
            "rules",
        ),
        "Rules whose rewrites are not staged.",
    ),
    "suppressed": number("Findings that comments in the code set aside; they are not rewritten."),
    "broken_rules": number("Rules that could not be used."),
    "problems": PROBLEMS,
}
"""What is said of the rules that were staged."""

SEVERITY = text("Only rules of this severity and above.", one_of=_SEVERITIES)
