"""What a rule of semgrep says, as values: the old keys (``patterns``, ``pattern-either``) and the new ones
(``match`` with ``all``, ``any``) become the same.

A formula is a closed union.  What is not known becomes ``Other`` with its name, for a remark or a refusal:
nothing is left out here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from structural.rules.imports.document import Items, Keys, Node, Text, scalars
from structural.rules.values import At


@dataclass(frozen=True, slots=True)
class Code:
    """``pattern``."""

    text: str
    at: At


@dataclass(frozen=True, slots=True)
class Regex:
    """``pattern-regex``."""

    text: str
    at: At


@dataclass(frozen=True, slots=True)
class Inside:
    """``pattern-inside``, ``inside``: the place lies in what it holds of, or is that."""

    formula: Formula
    at: At


@dataclass(frozen=True, slots=True)
class Negated:
    """``pattern-not``, ``pattern-not-inside``, ``not``."""

    formula: Formula
    at: At
    key: str = "pattern-not"


@dataclass(frozen=True, slots=True)
class Every:
    """``patterns``, ``all``."""

    items: tuple[Formula, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Either:
    """``pattern-either``, ``any``."""

    items: tuple[Formula, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Named:
    """``metavariable-regex`` (``regex``) or ``metavariable-pattern`` (``formula``). ``name`` has no
    dollar sign."""

    name: str
    at: At
    regex: str | None = None
    formula: Formula | None = None
    language: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """``metavariable-comparison``."""

    text: str
    at: At
    name: str = ""
    strip: bool = False


@dataclass(frozen=True, slots=True)
class Focus:
    """``focus-metavariable``: one of them, or several."""

    names: tuple[str, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Other:
    """What has no counterpart.  ``why`` goes on from the name."""

    key: str
    at: At
    why: str = ""


Formula = Code | Regex | Inside | Negated | Every | Either | Named | Compared | Focus | Other

FORMULAS = (
    "pattern",
    "patterns",
    "pattern-either",
    "pattern-regex",
    "pattern-inside",
    "pattern-not",
    "pattern-not-inside",
    "pattern-not-regex",
)
_LISTS = frozenset({"patterns", "all", "pattern-either", "any"})
_NEGATED = {
    "pattern-not": "pattern",
    "pattern-not-inside": "pattern-inside",
    "pattern-not-regex": "pattern-regex",
}
_CONDITIONS = frozenset(
    {
        "metavariable-regex",
        "metavariable-pattern",
        "metavariable-comparison",
        "focus-metavariable",
        "metavariable",
    }
)
_BESIDE = frozenset({"where", "as", "metavariable", "language", "languages", "constant-propagation"})


def of_rule(rule: Keys) -> Formula | None:
    """The formula of a rule: under ``match`` or its own keys; None if it has none."""
    match = rule.get("match")
    if match is not None:
        return focused(read(match, rule.places["match"]))
    found = [_keyed(key, rule.values[key], rule.places[key]) for key in FORMULAS if key in rule.values]
    if not found:
        return None
    return focused(found[0] if len(found) == 1 else Every(tuple(found), rule.at))


def read(node: Node, at: At) -> Formula:
    """A formula: a text is a pattern, a mapping has one key that says what it is."""
    if isinstance(node, Text):
        return Code(node.value, at)
    if isinstance(node, Items):
        return Every(tuple(read(item, item.at) for item in node.items), at)
    found: list[Formula] = []
    for key, value in node.values.items():
        if key not in _BESIDE:
            found.append(_keyed(key, value, node.places[key]))
    where = node.get("where")
    if isinstance(where, Items):
        found += [item for one in where.items for item in _where(one)]
    elif where is not None:
        found.append(Other("where", node.places["where"], "is no list"))
    if "as" in node.values:
        found.append(
            Other("as", node.places["as"], "names a whole match, for which there is no metavariable")
        )
    if not found:
        return Other("a condition", at, "says nothing")
    return found[0] if len(found) == 1 else Every(tuple(found), at)


def focused(formula: Formula) -> Formula:
    """``pattern: $X`` beside what binds ``$X`` is where the match is: of two the smaller counts in
    semgrep."""
    if isinstance(formula, Either):
        return Either(tuple(focused(item) for item in formula.items), formula.at)
    if isinstance(formula, Inside):
        return Inside(focused(formula.formula), formula.at)
    if not isinstance(formula, Every):
        return formula
    items: list[Formula] = []
    for item in formula.items:
        bare = _BARE.fullmatch(item.text.strip()) if isinstance(item, Code) else None
        others = [one for one in formula.items if one is not item]
        if bare and any(binds(one, bare[1]) for one in others):
            items.append(Focus((bare[1],), item.at))
        else:
            items.append(focused(item))
    return Every(tuple(items), formula.at)


_BARE = re.compile(r"\$([A-Z_][A-Z0-9_]*)")


def binds(formula: Formula, name: str) -> bool:
    """Whether a pattern that says what there is has the metavariable."""
    if isinstance(formula, Every | Either):
        return any(binds(item, name) for item in formula.items)
    if isinstance(formula, Inside):
        return binds(formula.formula, name)
    return isinstance(formula, Code) and bool(
        re.search(rf"\$(\.\.\.)?{re.escape(name)}(?![A-Za-z0-9_])", formula.text)
    )


def _keyed(key: str, value: Node, at: At) -> Formula:
    if key in _LISTS:
        if not isinstance(value, Items):
            return Other(key, at, "is no list")
        items = tuple(read(item, item.at) for item in value.items)
        return Every(items, at) if key in {"patterns", "all"} else Either(items, at)
    if key in {"pattern", "match"}:
        return read(value, at)
    if key in {"pattern-regex", "regex"} and isinstance(value, Text):
        return Regex(value.value, at)
    if key in {"pattern-inside", "inside"}:
        return Inside(read(value, at), at)
    if key == "not":
        inner = read(value, at)
        return Negated(inner, at, "pattern-not-inside" if isinstance(inner, Inside) else key)
    if key in _NEGATED:
        return Negated(_keyed(_NEGATED[key], value, at), at, key)
    if key in {"focus-metavariable", "focus"}:
        return Focus(tuple(_name(text) for text in scalars(value)), at)
    if key in _CONDITIONS and isinstance(value, Keys):
        return _condition(key, value, at)
    if key == "comparison" and isinstance(value, Text):
        return Compared(value.value, at)
    return Other(key, at, _WHY.get(key, "is not known"))


_WHY = {
    "metavariable-analysis": "measures texts (entropy, expressions that take long), which no condition does",
    "metavariable-type": "asks for a type, and types are not known here",
    "metavariable-name": "asks what a name means, and that is not known here",
    "analyzer": "measures texts, which no condition does",
    "type": "asks for a type, and types are not known here",
    "types": "asks for a type, and types are not known here",
    "semgrep-internal-pattern-anywhere": "is not documented",
}


def _condition(key: str, value: Keys, at: At) -> Formula:
    name = _name(value.text("metavariable"))
    if key == "metavariable-regex":
        return Named(name, at, regex=value.text("regex"))
    if key == "metavariable-comparison":
        return Compared(
            value.text("comparison"),
            at,
            name,
            value.text("strip").lower() == "true" or "base" in value.values,
        )
    inner = Keys(
        {k: v for k, v in value.values.items() if k not in {"metavariable", "language"}},
        {k: v for k, v in value.places.items() if k not in {"metavariable", "language"}},
        value.at,
    )
    return Named(name, at, formula=read(inner, at), language=value.text("language"))


def _where(node: Node) -> Iterator[Formula]:
    """One condition of the new form, under ``where``."""
    if not isinstance(node, Keys):
        yield Other("where", node.at, "holds what is no condition")
        return
    name = _name(node.text("metavariable"))
    for key, value in node.values.items():
        at = node.places[key]
        if key in {"metavariable", "language"}:
            continue
        if key == "focus":
            yield Focus(tuple(_name(text) for text in scalars(value)), at)
        elif key == "comparison" and isinstance(value, Text):
            yield Compared(value.value, at, name)
        elif key == "regex" and isinstance(value, Text) and name:
            yield Named(name, at, regex=value.value)
        elif name and key in {"pattern", "all", "any", "patterns", "pattern-either", "not", "inside"}:
            yield Named(name, at, formula=_keyed(key, value, at), language=node.text("language"))
        else:
            yield Other(key, at, _WHY.get(key, "is not known"))


def _name(text: str) -> str:
    """``$X`` → ``X``; ``$...X`` too."""
    return text.strip().removeprefix("$").removeprefix("...")


def walk(formula: Formula) -> Iterator[Formula]:
    """*formula* and everything in it."""
    yield formula
    inner: tuple[Formula, ...] = ()
    if isinstance(formula, Every | Either):
        inner = formula.items
    elif isinstance(formula, Inside | Negated | Named) and formula.formula is not None:
        inner = (formula.formula,)
    for one in inner:
        yield from walk(one)
