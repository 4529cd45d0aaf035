"""The JSON Schema of rule files, made from the tables by which they are read.

What the schema refuses the reader refuses, and the reader refuses nothing by its form that the schema
takes.  Beyond forms the reader knows more: names that nothing binds, languages, regular expressions.

    python -m structural.rules.schema > docs/rules-json-schema.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

from structural.rules.forms import Form, Key, Text, camel
from structural.rules.keys import TABLES

Schema = dict[str, Any]

TITLE = "A rule file"


def schema() -> Schema:
    """The schema (draft 2020-12) of one document of a rule file."""
    wanted = ["rule", "utility"]
    definitions: dict[str, Schema] = {}
    while wanted:
        name = wanted.pop()
        if name not in definitions:
            definitions[name] = _table(name)
            wanted += _used(name)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": TITLE,
        "description": "One document of a rule file: a rule, or a shared utility. docs/rules.md tells more.",
        "if": {"type": "object", "anyOf": [{"required": ["params"]}, {"required": ["arguments"]}]},
        "then": {"$ref": "#/$defs/utility"},
        "else": {"$ref": "#/$defs/rule"},
        "$defs": dict(sorted(definitions.items())),
    }


def dumped() -> str:
    """The schema as the file in ``docs`` has it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _table(name: str) -> Schema:
    table = TABLES[name]
    properties: dict[str, Schema] = {}
    alternatives: list[Schema] = []
    for key in table.keys:
        properties[key.name] = _form(key.form) | {"description": key.means}
        others = spellings(key)[1:]
        for other in others:
            properties[other] = _form(key.form) | {"description": f"The same as `{key.name}`."}
        if others:
            alternatives.append(_once(key.required, (key.name, *others)))
        elif key.required:
            alternatives.append({"required": [key.name]})
    made: Schema = {
        "type": "object",
        "description": f"{table.what[0].upper()}{table.what[1:]}.",
        "properties": properties,
        "additionalProperties": False,
    }
    required = [one["required"][0] for one in alternatives if set(one) == {"required"}]
    rest = [one for one in alternatives if set(one) != {"required"}]
    if required:
        made["required"] = required
    if rest:
        made["allOf"] = rest
    if table.least and not any(key.required for key in table.keys):
        made["minProperties"] = table.least
    return made


def spellings(key: Key) -> tuple[str, ...]:
    """A key's names: its own, in camelCase, its others."""
    return tuple(dict.fromkeys((key.name, camel(key.name), *key.aliases)))


def _once(required: bool, names: tuple[str, ...]) -> Schema:
    """One of *names* stands there, and no two."""
    each: list[Schema] = [{"required": [name]} for name in names]
    if required:
        return {"oneOf": each}
    pairs = [{"required": [a, b]} for i, a in enumerate(names) for b in names[i + 1 :]]
    return {"not": pairs[0] if len(pairs) == 1 else {"anyOf": pairs}}


def _form(form: Form) -> Schema:
    """What a value may be."""
    if form.anything:
        return {}
    ways: list[Schema] = []
    if form.text is not None:
        ways.append(_text(form.text))
    if form.number is not None:
        ways.append({"type": "integer", "minimum": form.number})
    if form.flag:
        ways.append({"type": "boolean"})
    if form.items is not None:
        several: Schema = {"type": "array", "items": _form(form.items)}
        if form.least:
            several["minItems"] = form.least
        ways.append(several)
    ways += [{"$ref": f"#/$defs/{name}"} for name in form.records]
    if form.names is not None and not form.records:
        names: Schema = {"type": "object", "additionalProperties": _form(form.names)}
        if form.named is not None:
            names["propertyNames"] = _text(form.named)
        if form.least:
            names["minProperties"] = form.least
        ways.append(names)
    return ways[0] if len(ways) == 1 else {"anyOf": ways}


def _text(text: Text) -> Schema:
    made: Schema = {"type": "string"}
    if text.one_of:
        made["enum"] = [*text.one_of, *text.also]
    elif text.like:
        made["pattern"] = f"^(?:{text.like})$"
    elif not text.empty:
        made["pattern"] = r"\S"
    return made


def _used(name: str) -> list[str]:
    """The tables that a table names."""
    found: list[str] = []
    forms = [key.form for key in TABLES[name].keys]
    while forms:
        form = forms.pop()
        found += form.records
        forms += [one for one in (form.items, form.names) if one is not None]
    return found


if __name__ == "__main__":
    sys.stdout.write(dumped())
