"""The JSON Schema of rule files is current, and says of forms what the reader says."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from structural.rules.keys import TABLES
from structural.rules.reading_forms import Problems, Signs, check
from structural.rules.schema import dumped
from structural.rules.yaml import documents

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / "docs" / "rules-json-schema.json"
CASES = sorted((Path(__file__).parent / "reading").glob("*.yml"))
VALIDATOR = jsonschema.Draft202012Validator(json.loads(dumped()))


def test_the_schema_in_the_documentation_is_current() -> None:
    assert FILE.read_text(encoding="utf-8") == dumped(), (
        "python -m structural.rules.schema > docs/rules-json-schema.json"
    )


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)


OF_RULES = (
    "rule",
    "utility",
    "condition",
    "constraint",
    "relation",
    "pattern",
    "nth-child",
    "range",
    "rewrite",
)
OF_RULES += (
    "also",
    "ensure",
    "examples",
    "example",
    "replace",
    "rewriting",
    "local-utility",
    "glob",
    "place",
)


@pytest.mark.parametrize("name", OF_RULES)
def test_every_key_is_in_the_reference(name: str) -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    code = " ".join(re.findall(r"`([^`\n]*)`", text))
    words = set(re.findall(r"[A-Za-z][A-Za-z-]*", code))
    assert [key.name for key in TABLES[name].keys if not key.theirs and key.name not in words] == []


def refused_by_form(value: Any) -> list[str]:
    """What the reader says of the form of a document."""
    problems = Problems("x.yml")
    shared = isinstance(value, dict) and ("params" in value or "arguments" in value)
    read = documents(json.dumps(value).encode())
    assert not read.faults
    signs = Signs()
    check(read.nodes[0], "utility" if shared else "rule", problems, signs)
    return [str(problem) for problem in problems.found] + [key.text for key, _ in signs.unknown]


def values_of(text: str) -> list[Any]:
    """The documents of a case, if they are values of JSON."""
    try:
        found = [one for one in yaml.safe_load_all(text) if one is not None]
        json.dumps(found)
    except (yaml.YAMLError, ValueError):
        return []
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_schema_and_reader_agree_on_the_cases(case: Path) -> None:
    text = case.read_text(encoding="utf-8")
    if re.search(r"[*&]\w|<<|: (on|yes)\b", text):
        return  # what YAML 1.1 makes of it is something else
    for value in values_of(text):
        said = refused_by_form(value)
        assert VALIDATOR.is_valid(value) == (not said), said


KEYS = sorted({name for one in VALIDATOR.schema["$defs"].values() for name in one["properties"]})
ODD: list[Any] = [
    "",
    " ",
    "x",
    "$A",
    "A",
    "end",
    "smart",
    "cst",
    0,
    1,
    -1,
    2.5,
    True,
    None,
    [],
    {},
    [""],
    ["x"],
]


def mutated(value: Any, random_: random.Random) -> Any:
    """*value* with something in it changed."""
    if not isinstance(value, (dict, list)) or not value or random_.random() < 0.2:
        return random_.choice(ODD)
    if isinstance(value, list):
        made = list(value)
        at = random_.randrange(len(made))
        made[at] = mutated(made[at], random_)
        return made
    made = dict(value)
    key = random_.choice(list(made))
    way = random_.random()
    if way < 0.15:
        del made[key]
    elif way < 0.3:
        made[random_.choice(KEYS)] = made.pop(key)
    elif way < 0.45:
        made[random_.choice(KEYS)] = random_.choice(ODD)
    else:
        made[key] = mutated(made[key], random_)
    return made


def test_schema_and_reader_agree_on_what_is_broken() -> None:
    random_ = random.Random(7)
    good = [value for case in CASES for value in values_of(case.read_text(encoding="utf-8"))]
    good = [value for value in good if isinstance(value, dict) and not re.search("<<", str(value))]
    refused = 0
    for number in range(1500):
        value = mutated(good[number % len(good)], random_)
        said = refused_by_form(value)
        refused += bool(said)
        assert VALIDATOR.is_valid(value) == (not said), (value, said)
    assert 300 < refused < 1500
