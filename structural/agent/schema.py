"""JSON Schemas of what tools take and give, in few words.

Each function gives a plain dict (JSON Schema, draft 2020-12).  Only words that every client
and model API reads are used: type, properties, required, items, enum, limits, description.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def text(
    description: str = "", *, longest: int = 0, shortest: int = 0, one_of: tuple[str, ...] = ()
) -> Schema:
    """A string; *longest* in characters, 0 for no limit."""
    made: Schema = {"type": "string"}
    if one_of:
        made["enum"] = list(one_of)
    if shortest:
        made["minLength"] = shortest
    if longest:
        made["maxLength"] = longest
    return _described(made, description)


def number(description: str = "", *, least: int = 0, most: int | None = None) -> Schema:
    """An integer."""
    made: Schema = {"type": "integer", "minimum": least}
    if most is not None:
        made["maximum"] = most
    return _described(made, description)


def flag(description: str = "") -> Schema:
    """True or false."""
    return _described({"type": "boolean"}, description)


def several(items: Schema, description: str = "", *, least: int = 0, most: int = 0) -> Schema:
    """A list."""
    made: Schema = {"type": "array", "items": items}
    if least:
        made["minItems"] = least
    if most:
        made["maxItems"] = most
    return _described(made, description)


def record(properties: dict[str, Schema], *required: str, description: str = "") -> Schema:
    """An object with these names and no others."""
    made: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        made["required"] = list(required)
    return _described(made, description)


def mapping(values: Schema, description: str = "") -> Schema:
    """An object whose names are data."""
    return _described({"type": "object", "additionalProperties": values}, description)


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def _described(schema: Schema, description: str) -> Schema:
    if description:
        schema["description"] = description
    return schema


# --- what many tools take --------------------------------------------------------------------------------

BUDGET_LEAST, BUDGET_DEFAULT, BUDGET_MOST = 1_000, 8_000, 200_000

SAMPLE = 3_000
"""Characters of an answer that cannot hold everything, where the caller set no budget: enough to see what
was found.  Who wants all of it goes on with the cursor, and gets whole pages."""

PATH_LONGEST = 4_096
CODE_LONGEST = 20_000
"""Characters of a pattern or a rewrite."""

BUDGET = number(
    f"Most characters of the answer (default {BUDGET_DEFAULT}; where a list is longer than that, a sample of "
    f"{SAMPLE}). What does not fit is counted, and can be had with the cursor.",
    least=BUDGET_LEAST,
    most=BUDGET_MOST,
)

CURSOR = text("Go on where an answer was cut: its cursor, beside the same other arguments.", longest=200)

PATH = text("A path relative to the root.", longest=PATH_LONGEST, shortest=1)

ID = text(
    "The id of a staged change, as ast_edit, write, edit or apply_patch gave it.", longest=100, shortest=1
)

DIGEST = text(
    "What the file must be: the digest that read gave (the beginning of its SHA-256).",
    longest=64,
    shortest=12,
)

FILES: dict[str, Schema] = {
    "paths": several(PATH, "Files and folders to look in (default: the whole root).", most=1_000),
    "globs": several(
        text(longest=1_000),
        "Only files that fit, as in .gitignore: '*.py', 'src/**'; '!tests/**' leaves out. The last decides.",
        most=100,
    ),
    "hidden": flag("Also files and folders whose name begins with a dot."),
}
"""Which files are looked at."""

_CODE = text(longest=CODE_LONGEST)

CONSTRAINTS: dict[str, Schema] = {
    "languages": several(
        text(longest=100),
        "Only these languages (default: every language of the files in which the pattern is code).",
        most=100,
    ),
    "as": text(
        "Read the pattern by this rung only, such as expression, statement, member, type.", longest=100
    ),
    "strictness": text("Which differences do not count (default smart).", one_of=("exact", "smart", "loose")),
    "equivalences": several(text(longest=100), "Equivalences to switch on.", most=20),
    "without": several(text(longest=100), "Equivalences to switch off.", most=20),
    "kind": text("Only matches whose node is of this kind of the grammar.", longest=200),
    "where": several(
        text(longest=2_000),
        "What a metavariable must be: 'X=~/re/', 'X!~/re/', 'X==Y', 'X!=Y', 'X:kind', '#X>=2' (how many).",
        most=50,
    ),
    "inside": several(_CODE, "Only matches inside of a match of each of these patterns.", most=20),
    "not_inside": several(_CODE, "Only matches that are in no match of these.", most=20),
    "has": several(_CODE, "Only matches that hold a match of each of these.", most=20),
    "not_has": several(_CODE, "Only matches that hold no match of these.", most=20),
    "follows": several(_CODE, "Only matches behind a match of each of these in the same block.", most=20),
    "not_follows": several(
        _CODE, "Only matches with no match of these before them in the same block.", most=20
    ),
    "precedes": several(_CODE, "Only matches before a match of each of these in the same block.", most=20),
    "not_precedes": several(
        _CODE, "Only matches with no match of these behind them in the same block.", most=20
    ),
}
"""What a match must be, beside the pattern."""


# --- what many tools give --------------------------------------------------------------------------------

NEXT = several(
    record({"why": text(), "tool": text(), "arguments": {"type": "object"}}, "why", "tool", "arguments"),
    "Calls that go on from here, ready to be made.",
)

_SKIPPED = record({"path": text(), "reason": text(), "detail": text()}, "path", "reason", "detail")

SCOPE = record(
    {
        "files": number("Files in scope whose language takes part."),
        "searched": number(),
        "skipped": mapping(number(), "Reason → files that were not searched."),
        "skipped_paths": several(_SKIPPED, "The first of them."),
        "failed": several(
            record({"path": text(), "error": text()}, "path", "error"),
            "Files on which this program itself failed (the first of them).",
        ),
        "failed_files": number(),
        "exhausted": number("Files in which matching was given up, as the pattern leaves too many choices."),
        "syntax_error_files": number("Files with syntax errors; they are searched."),
        "ignored": number("Entries left out by ignore files; a folder is one entry."),
        "hidden": number("Entries left out because of a leading dot."),
        "links": number("Links that were not followed."),
        "other_languages": number("Files of no known language, or of none that was asked for."),
        "not_code": several(text(), "Languages of the files in which the pattern is no code."),
        "cut": text("Why the search ended early: max-count, interrupted; else empty."),
        "complete": flag("Whether everything in scope was searched."),
    },
    "files",
    "searched",
    "complete",
    description="What was searched and what was not.",
)

READINGS = several(
    record(
        {
            "language": text(),
            "rung": text("As what the pattern was read."),
            "kinds": several(text()),
            "also": several(text(), "Rungs by which it matches too; they are not listed: ask with `as`."),
        },
        "language",
        "rung",
        "kinds",
    ),
    "How the pattern was read, for each language.",
)

CUT = maybe(
    record(
        {
            "shown": number("What this answer holds."),
            "left": number("What it does not hold."),
            "cursor": text("Give it back for what is left."),
        },
        "shown",
        "left",
        "cursor",
        description="Set if the answer did not fit the budget.",
    )
)

REFUSED = several(
    record(
        {"path": text(), "line": number(), "reason": text()},
        "path",
        "line",
        "reason",
    ),
    "Matches that stay as they are, as they cannot be rewritten in safety.",
)

REMARKS = several(text(), "What else should be known.")

ERROR = record(
    {
        "code": text("A stable name of the kind of error."),
        "message": text("What is wrong; nothing was changed unless it says so."),
        "hint": text("What to do about it."),
        "rungs": several(
            record(
                {
                    "language": text(),
                    "rung": text(),
                    "reason": text(),
                    "column": number("Of the pattern, from 1; 0 if none."),
                },
                "language",
                "rung",
                "reason",
                "column",
            ),
            "For a pattern that is no code: what stopped each rung.",
        ),
        "problems": several(
            {"type": "object"},
            "For rules: each mistake with path, line, column, message and hint; the path `rule` is the text "
            "of the call.",
        ),
        "files": several(
            record(
                {
                    "path": text(),
                    "why": text(),
                    "expected": maybe(text("A digest; null for no file.")),
                    "found": maybe(text("A digest; null for no file.")),
                },
                "path",
                "why",
            ),
            "For stale or unwritable files: each of them.",
        ),
        "known": several(text(), "For an unknown id: those that would do."),
    },
    "code",
    "message",
    "hint",
)


def answer(properties: dict[str, Schema], *required: str) -> Schema:
    """The schema of a tool's answers: what it gives when it succeeds, or an error."""
    good = record(
        {
            "ok": {"const": True},
            "summary": text("The answer in one line."),
            **properties,
            "remarks": REMARKS,
            "next": NEXT,
        },
        "ok",
        "summary",
        *required,
    )
    bad = record({"ok": {"const": False}, "error": ERROR, "next": NEXT}, "ok", "error")
    return {"type": "object", "properties": {"ok": flag()}, "required": ["ok"], "anyOf": [good, bad]}
