"""The tool ``ast_explain``: how a pattern is read, and why a place does not match."""

from __future__ import annotations

from typing import Any

from structural.agent import statement
from structural.agent.budget import Room, clip, listed, trim
from structural.agent.explaining_rules import RULES_GIVEN, explain_rules
from structural.agent.ruling import PROBLEMS, RULES
from structural.agent.schema import (
    BUDGET,
    BUDGET_DEFAULT,
    CODE_LONGEST,
    CONSTRAINTS,
    PATH,
    answer,
    flag,
    number,
    record,
    several,
    text,
)
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench, spec_of
from structural.errors import UsageError
from structural.workflow.explaining import Explanation, Place, explain, explain_at
from structural.workflow.scanning import stopping
from structural.workflow.searching import LineIndex, Match, Mismatch, present_languages

_LINE = 200


def ast_explain(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool."""
    if {"rule", "rules"} & set(arguments):
        with stopping(call.pause):
            return explain_rules(bench, arguments, call)
    if "pattern" not in arguments:
        raise UsageError("ast_explain needs pattern, or rule: a rule as text")
    alone = sorted({"ids", "tags"} & set(arguments))
    if alone:
        raise UsageError(f"{', '.join(alone)} goes with rule or rules")
    budget = arguments.get("budget", BUDGET_DEFAULT)
    spec = spec_of(arguments)
    place: Answer | None = None
    if "line" in arguments and "path" not in arguments:
        raise UsageError("line needs path: the file that it is a line of")
    names = spec.languages
    if "path" in arguments:
        path = bench.inside.file(arguments["path"])
        if "line" in arguments:
            found = explain_at(spec, bench.inside.full(path), arguments["line"])
            place = _place(found, path)
            names = names or (found.language,)
        else:
            names = names or present_languages(bench.selection({"paths": [path]}))
    names = names or present_languages(bench.selection({}))
    if not names:
        raise UsageError(
            "no file of a known language is in scope, so there is no grammar to read the pattern by",
            hint="name the language with `languages`",
        )
    explained = explain(spec, names)
    code = [one for one in explained if _is_code(one)]
    value: Answer = {"ok": True, "summary": _said(explained, place), "languages": []}
    if place is not None:
        value["place"] = place
    if not code:
        value["remarks"] = ["it is no code in any of these languages: see what stopped each rung"]
    trim(value, budget // 2)
    room = Room(budget, value, reserve=100)
    ordered = [*code, *(one for one in explained if not _is_code(one))]
    for one in ordered:
        call.tick()
        full = _language(one)
        least = {name: full[name] for name in ("language", "code", "error")}
        for shown in (full, {**full, "tree": full["tree"][:12]}, {**full, "tree": [], "rungs": []}, least):
            if room.take(shown, must=shown is least and not value["languages"]):
                value["languages"].append({name: part for name, part in shown.items() if part != []})
                break
        else:
            break
    left = len(ordered) - len(value["languages"])
    if left:
        rest = listed([one.language for one in ordered[len(value["languages"]) :]])
        value.setdefault("remarks", []).append(f"not shown, for the budget: {rest}; ask with `languages`")
    return value


def _is_code(one: Explanation) -> bool:
    return bool(one.readings) and not one.prose


def _said(explained: list[Explanation], place: Answer | None) -> str:
    code = [one.language for one in explained if _is_code(one)]
    head = f"code in {listed(code)}" if code else "no code in " + listed([one.language for one in explained])
    if place is None:
        return head
    if place["matches"]:
        return f"{head}; line {place['line']} of {place['path']} matches"
    return f"{head}; line {place['line']} of {place['path']} does not match"


def _language(one: Explanation) -> dict[str, Any]:
    return {
        "language": one.language,
        "code": _is_code(one),
        "error": "only running text there" if one.prose else clip(statement.worded(one.error), _LINE),
        "readings": [
            {
                "rung": info.rung,
                "kinds": list(info.kinds)[:6],
                "literals": [clip(x, 60) for x in info.literals[:8]],
            }
            for info in one.readings
        ],
        "unmentioned": list(one.unmentioned)[:12],
        "equivalences": list(one.equivalences),
        "tree": [clip(line, _LINE) for line in one.tree[:200]],
        "rungs": [
            {
                "rung": attempt.rung,
                "accepted": attempt.accepted,
                "reason": clip(attempt.reason, _LINE),
                "column": attempt.column,
            }
            for attempt in one.attempts
        ],
    }


def _place(found: Place, path: str) -> Answer:
    lines = LineIndex(found.source)
    value: Answer = {
        "path": path,
        "line": found.line,
        "language": found.language,
        "rung": found.reading,
        "matches": bool(found.matches),
        "found": [match_of(one, found.source, lines) for one in found.matches[:5]],
        "parts": [parts_of(one, found.source, lines) for one in found.mismatches[:5]],
    }
    if not found.matches and not found.mismatches:
        value["why"] = f"nothing on this line begins like the pattern, read as {found.reading}"
    return value


def match_of(one: Match, source: bytes, lines: LineIndex) -> Answer:
    start = lines.position(one.span.start)
    return {
        "line": start.line,
        "column": start.column,
        "text": clip(one.span.text(source), _LINE),
        "bindings": {b.name: clip(b.span.text(source), _LINE) for b in one.bindings if b.name},
    }


def parts_of(one: Mismatch, source: bytes, lines: LineIndex) -> Answer:
    at = lines.position(one.at)
    return {
        "text": clip(one.span.text(source), _LINE),
        "line": at.line,
        "column": at.column,
        "agreed": one.agreed,
        "expected": clip(one.expected, _LINE),
        "found": clip(one.found, _LINE),
    }


PLACE = record(
    {
        "path": text(),
        "line": number(),
        "language": text(),
        "rung": text(),
        "matches": flag(),
        "why": text(),
        "found": several({"type": "object"}, "The matches that touch the line."),
        "parts": several(
            {"type": "object"},
            "Places on the line that begin like the pattern, the nearest first: how many parts agreed, what "
            "was expected then, and what was found.",
        ),
    },
    "path",
    "line",
    "matches",
)

_READ_BY = ("languages", "as", "strictness", "equivalences", "without", "kind", "where")
_SIGNATURE = {name: CONSTRAINTS[name] for name in _READ_BY}

TOOL = Tool(
    "ast_explain",
    "How a pattern is read",
    told(
        """
        Say how a pattern is read in each language (as an expression, a statement, a member, a type …),
        as which tree, and, with path and line, why that line matches or where it parts from the
        pattern.

        Use it when ast_grep finds nothing or too much, or says that a pattern is no code; with `rule`
        (or `rules` and `ids`) in the place of pattern when ast_scan does: it says how each pattern of the
        rule is read, and which parts of the rule do not hold on the line. Do not use it to search: it
        looks at one line.

        Example: {"pattern": "if ($X != null) $X.dispose()", "path": "src/a.js", "line": 12}.
        """
    ),
    record(
        {
            "pattern": text("Code with metavariables.", longest=CODE_LONGEST, shortest=1),
            "path": PATH,
            "line": number("A line of the file at `path`, from 1.", least=1),
            **_SIGNATURE,
            **RULES,
            "budget": BUDGET,
        },
    ),
    answer(
        {
            "languages": several(
                record(
                    {
                        "language": text(),
                        "code": flag("Whether the pattern is code there."),
                        "error": text(),
                        "readings": several(
                            record(
                                {"rung": text(), "kinds": several(text()), "literals": several(text())},
                                "rung",
                                "kinds",
                                "literals",
                            ),
                            "In the order of their use: a later one is used if those before find nothing.",
                        ),
                        "unmentioned": several(
                            text(), "What a match may have though the pattern has it not."
                        ),
                        "equivalences": several(text()),
                        "tree": several(text(), "The pattern as the first reading understands it."),
                        "rungs": several(
                            record(
                                {"rung": text(), "accepted": flag(), "reason": text(), "column": number()},
                                "rung",
                                "accepted",
                                "reason",
                                "column",
                            )
                        ),
                    },
                    "language",
                    "code",
                )
            ),
            "rules": RULES_GIVEN,
            "problems": PROBLEMS,
            "place": PLACE,
        },
    ),
    ast_explain,
)
