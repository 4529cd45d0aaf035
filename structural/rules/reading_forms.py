"""Whether a document has the form of the tables in ``keys``.

Nodes of YAML become records whose keys are known, with their places.  What has the wrong form is told
and left out, so that those who make values of the rest need not ask again; a record of which something
was left out is ``damaged``, and what may follow from that is not told too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from structural.rules.forms import Form, Table, Text
from structural.rules.keys import TABLES
from structural.rules.values import At, Problem
from structural.rules.yaml import Mapping, Node, Scalar, Sequence

MOST_PROBLEMS = 200
"""Of one file; then only their number is told."""


@dataclass(slots=True)
class Problems:
    """Collects what is wrong in one file."""

    path: str
    found: list[Problem] = field(default_factory=list)
    rule: str = ""
    faults: int = 0
    """Those that are no warnings."""
    left: int = 0
    """How many were not kept."""
    looked: int = 0
    """How often it was looked what a name may be meant for."""

    def tell(self, at: At, message: str, hint: str = "", *, warning: bool = False) -> None:
        """One problem."""
        self.faults += not warning
        if len(self.found) >= MOST_PROBLEMS:
            self.left += 1
            return
        self.found.append(Problem(self.path, at, message, hint, self.rule, warning))

    def warn(self, at: At, message: str, hint: str = "") -> None:
        """One warning: the rule can be used all the same."""
        self.tell(at, message, hint, warning=True)

    def all(self) -> tuple[Problem, ...]:
        """Everything that was told, by place."""
        found = sorted(self.found, key=lambda one: (one.at.line, one.at.column))
        if self.left:
            found.append(Problem(self.path, found[-1].at, f"{self.left} further problems are not told"))
        return tuple(found)

    def near(self, name: str, known: Iterable[str]) -> str:
        """A hint with what *name* may be meant for; else what is known."""
        known = list(known)
        self.looked += 1
        if len(self.found) >= MOST_PROBLEMS or self.looked > 2 * MOST_PROBLEMS:
            return ""
        close = get_close_matches(name[:60], known, n=2, cutoff=0.6)
        if close:
            return f"did you mean {' or '.join(f'`{one}`' for one in close)}?"
        return f"one of {listed(known)}" if known else ""


@dataclass(slots=True)
class Values:
    """A list whose items have their form."""

    at: At
    items: list[Checked] = field(default_factory=list)
    damaged: bool = False


@dataclass(slots=True)
class Named:
    """A mapping with names of its own."""

    at: At
    entries: list[tuple[Scalar, Checked]] = field(default_factory=list)
    damaged: bool = False


@dataclass(slots=True)
class Anything:
    """What may be anything."""

    at: At
    node: Node


@dataclass(slots=True)
class Record:
    """A mapping with known keys.  ``keys`` are the places of the keys, ``spelled`` how they are written."""

    at: At
    table: str
    values: dict[str, Checked] = field(default_factory=dict)
    keys: dict[str, At] = field(default_factory=dict)
    spelled: dict[str, str] = field(default_factory=dict)
    damaged: bool = False

    def text(self, key: str) -> str:
        """The text under *key*; empty without it."""
        value = self.values.get(key)
        return value.text if isinstance(value, Scalar) else ""

    def record(self, key: str) -> Record | None:
        """The record under *key*."""
        value = self.values.get(key)
        return value if isinstance(value, Record) else None

    def several(self, key: str) -> list[Checked]:
        """What stands under *key*, one or a list."""
        value = self.values.get(key)
        if value is None:
            return []
        return value.items if isinstance(value, Values) else [value]

    def texts(self, key: str) -> list[Scalar]:
        """Those of ``several`` that are texts."""
        return [one for one in self.several(key) if isinstance(one, Scalar)]

    def named(self, key: str) -> list[tuple[Scalar, Checked]]:
        """The names under *key* with what they stand for."""
        value = self.values.get(key)
        return value.entries if isinstance(value, Named) else []

    def place(self, key: str) -> At:
        """Where *key* stands; the record's place without it."""
        return self.keys.get(key, self.at)


Checked = Scalar | Values | Named | Record | Anything


@dataclass(slots=True)
class Signs:
    """What in a document only one of the two languages has."""

    ours: bool = False
    theirs: bool = False
    unknown: list[tuple[Scalar, Record]] = field(default_factory=list)
    """Keys that neither has, where ast-grep reads over such keys."""


def damaged(value: Checked | None) -> bool:
    """Whether something was left out in *value*, or in what is in it."""
    if isinstance(value, Record):
        return value.damaged or any(damaged(one) for one in value.values.values())
    if isinstance(value, Values):
        return value.damaged or any(damaged(one) for one in value.items)
    if isinstance(value, Named):
        return value.damaged or any(damaged(one) for _, one in value.entries)
    return False


def check(node: Node, table: str, problems: Problems, signs: Signs) -> Record | None:
    """The document *node* as a record of *table*; None if it is no mapping."""
    if not isinstance(node, Mapping):
        problems.tell(
            node.at,
            f"{TABLES[table].what} is a mapping with keys, not {_kind(node)}",
            "begin with `id: …`; several rules are apart by `---`",
        )
        return None
    return _record(node, table, problems, signs)


_LENIENT = ("rule", "listed-rewriter", "relation", "nth-child")
"""Where ast-grep reads over keys that it does not know."""


def _record(node: Mapping, name: str, problems: Problems, signs: Signs) -> Record:
    table = TABLES[name]
    made = Record(node.at, name)
    meant: set[str] = set()
    for key, value in node.entries:
        known = table.by_name.get(key.text)
        if known is None and name in _LENIENT:
            signs.unknown.append((key, made))
            meant.update(_meant_keys(key_hint(key, table, problems), table))
            continue
        if known is None:
            made.damaged = True
            meant.update(_meant_keys(unknown(key, table, problems), table))
            continue
        if known.name in made.keys:
            made.damaged = True
            problems.tell(
                key.at,
                f"`{key.text}` says the same as `{made.spelled[known.name]}`, which stands here too",
                "leave one of them out",
            )
            continue
        signs.ours |= known.ours or ("-" in known.name and key.text == known.name)
        signs.theirs |= known.theirs or key.text != known.name
        made.keys[known.name] = key.at
        made.spelled[known.name] = key.text
        checked = _value(value, known.form, f"`{key.text}`", problems, signs)
        if checked is None:
            made.damaged = True
        else:
            made.values[known.name] = checked
    missing = [key for key in table.keys if key.required and key.name not in made.keys]
    for lacking in missing:
        made.damaged = True
        if lacking.name not in meant:
            problems.tell(node.at, f"{table.what} has no `{lacking.name}`", lacking.means)
    if not missing and len(made.keys) < table.least and not made.damaged:
        problems.tell(node.at, f"{table.what} is empty", f"it has {listed(k.name for k in table.keys)}")
        made.damaged = True
    return made


def unknown(key: Scalar, table: Table, problems: Problems) -> str:
    """Tells of a key that *table* has not; gives the hint."""
    hint = key_hint(key, table, problems)
    problems.tell(key.at, f"{table.what} has no key {_shown(key.text)}", hint)
    return hint


def key_hint(key: Scalar, table: Table, problems: Problems) -> str:
    names = [name for one in table.keys for name in (one.name, *one.aliases)]
    hint = problems.near(key.text, names)
    if key.text == "<<":
        hint = "YAML 1.2 has no merge keys; write the keys out"
    elif not re.fullmatch(r"[\w-]+", key.text):
        hint = "in `{…}` a comma ends a value: put code with one in quotes"
    elsewhere = [one for one in ("rule", "rewrite", "relation", "pattern") if key.text in TABLES[one].by_name]
    if elsewhere and not hint.startswith("did you mean"):
        hint = f"it is a key of {TABLES[elsewhere[0]].what}; look at the indentation"
    return hint


def _meant_keys(hint: str, table: Table) -> list[str]:
    """The keys that a hint names."""
    return [key.name for key in table.keys if f"`{key.name}`" in hint]


def _value(node: Node, form: Form, where: str, problems: Problems, signs: Signs) -> Checked | None:
    if form.anything:
        return Anything(node.at, node)
    if isinstance(node, Scalar):
        return _scalar(node, form, where, problems)
    if isinstance(node, Sequence):
        if form.items is None:
            _misfit(node, form, where, problems)
            return None
        if len(node.items) < form.least:
            problems.tell(node.at, f"{where} is an empty list", "leave the key out, or fill the list")
            return None
        values = Values(node.at)
        for item in node.items:
            checked = _value(item, form.items, f"an item of {where}", problems, signs)
            if checked is None:
                values.damaged = True
            else:
                values.items.append(checked)
        return values if values.items or not values.damaged else None
    if form.records:
        return _record(node, _meant(node, form.records), problems, signs)
    if form.names is None:
        _misfit(node, form, where, problems)
        return None
    if len(node.entries) < form.least:
        problems.tell(node.at, f"{where} is an empty mapping", "leave the key out, or name something")
        return None
    named = Named(node.at)
    for key, value in node.entries:
        if form.named is not None and not _fits(key, form.named, f"in {where}, {_shown(key.text)}", problems):
            named.damaged = True
            continue
        checked = _value(value, form.names, f"{_shown(key.text)} in {where}", problems, signs)
        if checked is None:
            named.damaged = True
        else:
            named.entries.append((key, checked))
    return named


def _meant(node: Mapping, records: tuple[str, ...]) -> str:
    """Which of *records* the mapping is."""
    first, *later = records
    for name in later:
        known = TABLES[name].by_name.keys() - TABLES[first].by_name.keys()
        if any(key.text in known for key, _ in node.entries):
            return name
    return first


def _scalar(node: Scalar, form: Form, where: str, problems: Problems) -> Checked | None:
    value = node.value
    if isinstance(value, bool):
        if form.flag:
            return node
    elif isinstance(value, int):
        if form.number is not None:
            if value >= form.number:
                return node
            problems.tell(node.at, f"{where} is {value}", f"the least is {form.number}")
            return None
    elif isinstance(value, str):
        if form.text is not None:
            return node if _fits(node, form.text, where, problems) else None
    elif value is None and node.text == "" and form.text is not None:
        problems.tell(node.at, f"{where} has no value", "an empty text is written ''")
        return None
    _misfit(node, form, where, problems)
    return None


def _fits(node: Scalar, form: Text, where: str, problems: Problems) -> bool:
    """Whether the text fits; what is wrong is told."""
    text = node.text
    if not form.empty and not text.strip():
        problems.tell(node.at, f"{where} is empty")
        return False
    if form.one_of and text not in form.one_of and text not in form.also:
        problems.tell(
            node.at, f"{where} is {_shown(text)}, which is none of them", _one_of(text, form, problems)
        )
        return False
    if form.like and not re.fullmatch(form.like, text):
        problems.tell(node.at, f"{where} is {_shown(text)}", f"it is {form.such}")
        return False
    return True


def _one_of(text: str, form: Text, problems: Problems) -> str:
    near = problems.near(text.lower(), form.one_of)
    return (
        near if len(form.one_of) > 9 or not near.startswith("did") else f"{near} One of {listed(form.one_of)}"
    )


def _misfit(node: Node, form: Form, where: str, problems: Problems) -> None:
    hint = ""
    if isinstance(node, Scalar) and not isinstance(node.value, str) and form.text is not None:
        hint = f"in quotes it is a text: '{node.text[:40]}'"
    elif isinstance(node, Mapping) and form.text is not None:
        hint = "a text that holds `: ` or begins with `{` is written in quotes, or below `|`"
    elif isinstance(node, Sequence) and form.text is not None:
        hint = "a text that begins with `[` or `- ` is written in quotes, or below `|`"
    elif isinstance(node, Scalar) and form.items is not None:
        hint = "each item of a list stands on a line of its own behind `- `"
    problems.tell(node.at, f"{where} is {_kind(node)}, not {_expected(form)}", hint)


def _expected(form: Form) -> str:
    """What *form* allows, in words."""
    words = []
    if form.text is not None:
        words.append("a text")
    if form.number is not None:
        words.append("a number")
    if form.flag:
        words.append("true or false")
    if form.items is not None:
        words.append("a list")
    if form.records or form.names is not None:
        words.append("a mapping")
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _kind(node: Node) -> str:
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node.value, bool):
        return f"the word {node.text}"
    if node.value is None:
        return "nothing"
    return "a text" if isinstance(node.value, str) else f"the number {_shown(node.text)[1:-1]}"


def listed(names: Iterable[str]) -> str:
    """Names in a row, each as code."""
    return ", ".join(f"`{name}`" for name in names)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")


_STEPS = re.compile(r"([+-]?\s*\d{0,9})\s*[nN]\s*(?:([+-])\s*(\d{1,9}))?")
_EVEN_ODD = {"even": "2n", "odd": "2n+1"}


def position(text: str) -> tuple[int, int] | None:
    """Step and offset of ``2``, ``2n+1``, ``-n+3``, ``odd``; None for what is none of them."""
    text = text.strip()
    text = _EVEN_ODD.get(text.lower(), text)
    if re.fullmatch(r"[+-]?\s*\d{1,9}", text):
        return 0, int(re.sub(r"\s", "", text))
    found = _STEPS.fullmatch(text)
    if found is None:
        return None
    step = re.sub(r"\s", "", found[1])
    number = int(step + "1" if step in ("", "+", "-") else step)
    return number, int(found[2] + found[3]) if found[3] else 0
