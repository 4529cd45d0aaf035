"""What callers write who know other tools, and what is meant here: names of arguments, and ways to write
patterns.

A pattern with such a slip can be code all the same, so that it finds nothing and is no error: then the answer
says what it may be.  Data, not guesses: nothing is read otherwise because of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "query": ("pattern",),
    "replacement": ("rewrite", "new"),
    "replace": ("rewrite", "new"),
    "fix": ("rewrite",),
    "language": ("languages",),
    "lang": ("languages",),
    "file": ("path", "paths"),
    "file_path": ("path", "paths"),
    "filename": ("path", "paths"),
    "directory": ("paths",),
    "include": ("globs",),
    "glob": ("globs",),
    "offset": ("cursor",),
    "limit": ("budget",),
    "max_results": ("budget",),
    "text": ("content", "pattern"),
    "old_string": ("old",),
    "new_string": ("new",),
    "diff": ("patch",),
    "input": ("patch",),
    "change": ("id",),
    "reason": ("match",),
}
"""Name of an argument elsewhere → its name here, the first that the tool has."""

_LINES = ("first", "first and last are numbers of lines")
_PAIRS = ("edits", 'old and new go into edits, as [{"old": "…", "new": "…"}]')

_ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "commit": ("rewrite", "this tool only stages: `resolve` with accept writes"),
    "accept": ("action", 'say "action": "accept"'),
    "dry_run": ("rewrite", "nothing is written before `resolve` accepts it"),
    **dict.fromkeys(("start", "end", "offset", "limit", "lines"), _LINES),
    **dict.fromkeys(("old", "new", "old_string", "new_string"), _PAIRS),
}
"""Name of an argument elsewhere → an argument that the tool must have for it, and what is to be said."""

_SLIPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\$\{\w+\}"), "a metavariable is written $X, without braces"),
    (re.compile(r"\$[A-Z_]\w*\s*\.\.\."), "any number of siblings is $$$NAME, with three dollar signs"),
    (re.compile(r"(?<![\w$])\.\.\.(?!\w)"), "`...` is code; any number of siblings is $$$"),
    (re.compile(r"\$[a-z]\w*"), "a name such as $x is code; a metavariable is in upper case, as $X"),
    (re.compile(r"\.[*+]|\\[wsdb]|\[\^"), "a pattern is code; regular expressions go in `where`, as X=~/re/"),
    (re.compile(r"^\s*(?:def|fn|func|function|class)\s+\$?\w+\s*(?:\([^()]*\))?\s*$"),
     "a definition goes on with its body, as `def $F($$$): $$$` or `class $C { $$$ }`"),
    (re.compile(r"\)\s*\|\s*[\w$.]+\("), "for one of several shapes use ast_scan with `any`"),
    (re.compile(r"^\s*\w+\s*$"), "words in comments and strings do not match: look for them as text"),
)  # fmt: skip


_QUOTED = re.compile(r"""(["'`])(?:\\.|(?!\1).)*\1""")


def in_pattern(pattern: str) -> list[str]:
    """What may be meant by a pattern that finds nothing, or is no code."""
    code = _QUOTED.sub('""', pattern)
    return [said for form, said in _SLIPS if form.search(code)][:2]


def argument(name: str, known: Mapping[str, Any]) -> str:
    """What may be meant by an argument that the tool does not have; empty if nobody knows."""
    meant = next((one for one in ARGUMENTS.get(name.lower(), ()) if one in known), "")
    if meant:
        return f"{name} is called {meant}"
    needed, said = _ELSEWHERE.get(name.lower(), ("", ""))
    return said if needed in known else ""


def typed(place: str, schema: Mapping[str, Any], value: Any) -> str:
    """What is wrong with a value of another type, and how it is written."""
    kind = schema.get("type")
    names = {"array": "a list", "string": "a text", "integer": "a whole number", "boolean": "true or false"}
    said = f"{place}must be {names.get(str(kind), 'an object')}"
    if kind == "array" and isinstance(value, str | dict) and _short(value):
        return f"{said}, as {json.dumps([value], ensure_ascii=False)}"
    if kind == "integer" and isinstance(value, str) and value.strip().isdigit() and len(value) < 12:
        return f"{said}, as {int(value)}"
    if kind == "boolean" and isinstance(value, str) and value.lower() in {"true", "false"}:
        return f"{said}, as {value.lower()}"
    if kind == "string" and isinstance(value, dict | list):
        return f"{said}: write the {'object' if isinstance(value, dict) else 'list'} as JSON in a string"
    return said


def _short(value: object) -> bool:
    return len(str(value)) <= 100


def in_path(path: str) -> Iterator[str]:
    """What may be meant by a path that is not there."""
    if any(one in path for one in "*?["):
        yield "a glob goes in `globs`"
    if "\\" in path:
        yield "folders are parted by /"
    if "://" in path:
        yield "give a path, not a URI"
    yield "paths are relative to the root"
