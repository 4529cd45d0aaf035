"""The tool ``ast_explain`` for rules: how each pattern is read, and which parts do not hold on a line."""

from __future__ import annotations

from structural.agent import ruling
from structural.agent.budget import Room, clip, count, listed, trim
from structural.agent.ruling import PROBLEMS
from structural.agent.schema import BUDGET_DEFAULT, Schema, flag, number, record, several, text
from structural.agent.tool import Answer, Arguments, Call
from structural.agent.workbench import Workbench
from structural.errors import UsageError
from structural.workflow.rule_explaining import (
    Candidate,
    RuleExplanation,
    RulePart,
    RulePlace,
    explain_rule,
    explain_rule_at,
)
from structural.workflow.searching import LineIndex

_LINE = 200

_MOST = 20
"""Rules of one call."""

_ALONE = ("pattern", "languages", "as", "strictness", "equivalences", "without", "kind", "where")
"""What is said of a pattern, and stands in the rule itself."""


def explain_rules(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """The answer of ``ast_explain`` for the rules of a call."""
    wrong = sorted(set(_ALONE) & set(arguments))
    if wrong:
        raise UsageError(
            f"{', '.join(wrong)} and rules do not go together", hint="what is searched stands in the rule"
        )
    if "line" in arguments and "path" not in arguments:
        raise UsageError("line needs path: the file that it is a line of")
    book, _ = ruling.book_of(bench, arguments)
    if len(book.rules) > _MOST:
        raise UsageError(
            f"these are {count(len(book.rules), 'rule')}, and a call explains at most {_MOST}",
            hint="choose some with ids",
        )
    at = None
    if "line" in arguments:
        at = bench.inside.full(bench.inside.file(arguments["path"])), arguments["line"]
    value: Answer = {"ok": True, "summary": "", "rules": []}
    room = Room(arguments.get("budget", BUDGET_DEFAULT), value, reserve=600)
    holds: list[str] = []
    for rule in book.rules:
        call.tick()
        explained = explain_rule(rule, book.utilities)
        full = _rule(bench, explained)
        if at is not None:
            full["place"] = _place(explain_rule_at(rule, *at, book.utilities))
            full["place"]["path"] = bench.inside.shown(at[0])
            holds += [rule.id] if full["place"]["matches"] else []
        least = {name: full[name] for name in ("rule", "languages", "place") if name in full}
        for shown in (full, {**full, "readings": [_untreed(one) for one in full["readings"]]}, least):
            if room.take(shown, must=shown is least and not value["rules"]):
                value["rules"].append(shown)
                break
        else:
            break
    value["summary"] = _said(len(book.rules), holds, arguments)
    left = [rule.id for rule in book.rules[len(value["rules"]) :]]
    if left:
        value["remarks"] = [f"not shown, for the budget: {clip(listed(left), 300)}; ask with `ids`"]
    problems = [one for one in book.problems if not one.warning]
    if problems:
        value["problems"] = list(ruling.told(bench, problems))[:10]
    trim(value, arguments.get("budget", BUDGET_DEFAULT))
    return value


def _said(number_of: int, holds: list[str], arguments: Arguments) -> str:
    head = count(number_of, "rule")
    if "line" not in arguments:
        return f"{head} explained"
    where = f"line {arguments['line']} of {clip(arguments['path'], 160)}"
    if number_of == 1:
        return f"the rule {'holds' if holds else 'does not hold'} on {where}"
    return f"{head} explained, of which {len(holds)} hold on {where}"


def _untreed(reading: Answer) -> Answer:
    return {name: one for name, one in reading.items() if name != "tree"}


def _rule(bench: Workbench, one: RuleExplanation) -> Answer:
    value: Answer = {
        "rule": clip(one.rule.id, 100),
        "languages": list(one.rule.languages),
        "one_of": one.one_of,
        "parts": [_part(part) for part in one.parts],
        "readings": [],
    }
    shown: set[str] = set()
    for reading in one.readings[:40]:
        entry: Answer = {
            "pattern": clip(reading.pattern, _LINE),
            "rung": reading.rung,
            "languages": list(reading.languages)[:12],
        }
        if reading.pattern not in shown and reading.pattern in one.trees:
            entry["tree"] = [clip(line, _LINE) for line in one.trees[reading.pattern][:60]]
        shown.add(reading.pattern)
        value["readings"].append(entry)
    problems = list(ruling.told(bench, one.problems))[:5]
    if problems:
        value["problems"] = problems
    return value


def _part(part: RulePart) -> Answer:
    value: Answer = {"what": clip(part.what, _LINE), "line": part.at.line}
    if part.holds is not None:
        value["holds"] = part.holds
    return value


def _place(found: RulePlace) -> Answer:
    from structural.agent.explaining import match_of, parts_of

    lines = LineIndex(found.source)
    value: Answer = {"line": found.line, "language": found.language, "matches": bool(found.found)}
    if found.why:
        value["why"] = clip(found.why, 600)
    if found.found:
        value["found"] = [match_of(one, found.source, lines) for one in found.found[:5]]
    if found.candidates:
        value["candidates"] = [_candidate(one, found.source, lines) for one in found.candidates]
    if found.near is not None and found.near.mismatches:
        value["parts"] = [parts_of(one, found.source, lines) for one in found.near.mismatches[:3]]
    return value


def _candidate(one: Candidate, source: bytes, lines: LineIndex) -> Answer:
    at = lines.position(one.span.start)
    return {
        "text": clip(one.span.text(source), _LINE),
        "line": at.line,
        "column": at.column,
        "parts": [_part(part) for part in one.parts],
    }


_PARTS: Schema = several(
    record(
        {
            "what": text("The part, as its key and what stands behind it."),
            "line": number("Of the rule's file, from 1."),
            "holds": flag("Left out where it cannot be asked by itself."),
        },
        "what",
        "line",
    )
)

RULES_GIVEN: Schema = several(
    record(
        {
            "rule": text(),
            "languages": several(text()),
            "one_of": flag("Whether one part is enough; else all must hold."),
            "parts": _PARTS,
            "readings": several(
                record(
                    {
                        "pattern": text(),
                        "rung": text("As what it is read."),
                        "languages": several(text()),
                        "tree": several(text(), "The pattern as the first language understands it."),
                    },
                    "pattern",
                    "rung",
                    "languages",
                )
            ),
            "problems": PROBLEMS,
            "place": record(
                {
                    "path": text(),
                    "line": number(),
                    "language": text(),
                    "matches": flag(),
                    "why": text("Why the rule finds nothing there."),
                    "found": several({"type": "object"}, "The matches that touch the line."),
                    "candidates": several(
                        record(
                            {"text": text(), "line": number(), "column": number(), "parts": _PARTS},
                            "text",
                            "line",
                            "column",
                            "parts",
                        ),
                        "Code that begins on the line and of which most parts hold, with what does not.",
                    ),
                    "parts": several({"type": "object"}, "Where the closest pattern parts from the code."),
                },
                "path",
                "line",
                "language",
                "matches",
            ),
        },
        "rule",
        "languages",
    ),
    "If rules were given: how each of them is read.",
)
