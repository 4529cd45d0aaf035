"""Parts of a declaration that a pattern of ours cannot have where they stand, taken out and asked for
beside it.

An annotation before a method, typed parameters among ``$$$``, an import within brackets: each becomes a
condition of what the declaration holds.
"""

from __future__ import annotations

import re
from typing import Any

from structural.rules.imports import pairs

Mapping = dict[str, Any]


def taken_out(text: str, language: str) -> tuple[str, list[Mapping]]:
    """*text*, a pattern of semgrep, without such parts, and the conditions for them."""
    if language != "java":
        return text, []
    conditions: list[Mapping] = []
    while found := re.match(r"@([\w.$]+)\s*(?=[(@\w$])", text):
        end = found.end()
        code = f"@{found[1]}"
        ways: list[Mapping] = [{"pattern": {"code": code, "as": "attribute"}}]
        if text[end] == "(":
            close = pairs.closing(text, end)
            if close < 0:
                break
            inside = text[end + 1 : close].strip().replace("...", "$$$")
            listed = [one.strip() for one in pairs.split(inside)]
            named = [one for one in listed if re.match(r"\w+\s*=(?!=)", one)]
            shown = "$$$" if named and "$$$" in listed else inside
            with_them: Mapping = {"pattern": {"code": f"{code}({shown})", "as": "attribute"}}
            if shown != inside:
                for one in named:
                    pair: Mapping = {"has": {"pattern": {"code": one, "as": "pair"}, "stop-by": "end"}}
                    with_them = {"all": [with_them, pair]} if "has" in with_them else {**with_them, **pair}
            ways = [with_them, *ways] if inside == "$$$" else [with_them]
            end = close + 1
        rest = text[end:].strip()
        if not rest:
            break
        conditions.append({"has": {"kind": "modifiers", "has": ways[0] if len(ways) == 1 else {"any": ways}}})
        text = rest
    found = re.match(r"(?:[\w$<>\[\].,?]+\s+)*[\w$]+\s*(?=\()", text)
    if found and re.match(r"\s*(throws [\w., $]+)?\{", text[pairs.closing(text, found.end()) + 1 :]):
        close = pairs.closing(text, found.end())
        listed = [one.strip() for one in pairs.split(text[found.end() + 1 : close])]
        typed = [one for one in listed if re.search(r"[\w>\]]\s+\$?\w+$", one) and "..." not in one]
        if "..." in listed and typed:
            conditions += [
                {"has": {"pattern": {"code": one, "as": "parameter"}, "stop-by": "end"}} for one in typed
            ]
            text = f"{text[: found.end()]}(...){text[close + 1 :]}"
    return text, conditions


def block(text: str) -> tuple[str, list[str]] | None:
    """A block of HCL as its head with an empty body, and what stands in the body, in any order."""
    found = re.match(r"\$?\w+(?:[ \t]+(?:\"[^\"\n]*\"|\$?\w+))*[ \t]*(?=\{)", text)
    if found is None or pairs.closing(text, found.end()) != len(text) - 1:
        return None
    inside: list[str] = []
    for line in text[found.end() + 1 : -1].splitlines():
        if inside and any(inside[-1].count(a) > inside[-1].count(b) for a, b in ("{}", "()", "[]")):
            inside[-1] += f"\n{line}"
        elif line.strip() and line.strip() != "...":
            inside.append(line.strip())
    return (f"{found[0]}{{ ... }}", inside) if inside else None


def imported(text: str, language: str) -> Mapping | None:
    """The condition that a declaration of Go imports what ``import "x"`` says, alone or in brackets."""
    if language != "go":
        return None
    found = re.fullmatch(r"import\s+(?P<one>(?:[\w$.]+\s+)?\"[^\"]*\")", text) or re.fullmatch(
        r"import\s*\(\s*(?:\.\.\.\s*)?(?P<one>(?:[\w$.]+\s+)?\"[^\"]*\")\s*(?:\.\.\.\s*)?\)", text
    )
    if found is None:
        return None
    code = f"import {found['one']}".replace('"..."', '"$$$"')
    spec = {"pattern": {"code": code, "selector": "import_spec"}}
    return {"kind": "import_declaration", "has": {**spec, "stop-by": "end"}}
