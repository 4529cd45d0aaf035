"""From records to conditions: patterns, kinds, relations and what is made of them.

What a value means is decided here; whether it has the right form was decided before, and whether
names are bound and utilities are there comes after, when all of a rule is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from structural.rules import astgrep
from structural.rules.keys import TABLES
from structural.rules.reading_forms import Named, Problems, Record, listed, position
from structural.rules.values import (
    All,
    AnyOf,
    At,
    Condition,
    Count,
    KindAtom,
    Matches,
    Not,
    NthChildAtom,
    PatternAtom,
    RangeAtom,
    RegexAtom,
    Relation,
    SameAs,
)
from structural.rules.yaml import Scalar
from structural.text.regexes import Bounded

LONGEST_REGEX = 10_000
"""Characters of a regular expression."""


@dataclass(slots=True)
class Reader:
    """What those that make values of one document share."""

    problems: Problems
    theirs: bool = False
    """The document is one of ast-grep."""


def condition(record: Record, reader: Reader) -> Condition | None:
    """The condition that *record* says; None if nothing of it can be used."""
    parts = _parts(record, reader)
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else All(tuple(parts), record.at)


def _parts(record: Record, reader: Reader) -> list[Condition]:
    found: list[Condition] = []
    for key in TABLES["constraint"].keys:
        if key.name not in record.values:
            continue
        made = _part(key.name, record, reader)
        if made is not None:
            found.append(made)
    return found


def _part(key: str, record: Record, reader: Reader) -> Condition | None:
    value = record.values[key]
    at = value.at
    if key == "pattern":
        return pattern(value.text if isinstance(value, Scalar) else "", record.record(key), at, reader)
    if key == "kind":
        return kinds(record.texts(key), at, reader)
    if key == "regex":
        return regex(record.text(key), at, reader)
    if key == "nth-child":
        return _nth_child(record, reader)
    if key == "range":
        inner = record.record(key)
        return _range(inner, reader) if inner is not None else None
    if key in ("inside", "has", "follows", "precedes"):
        inner = record.record(key)
        return relation(key, inner, reader) if inner is not None else None
    if key in ("all", "any"):
        several = [made for one in record.several(key) if (made := _item(one, reader)) is not None]
        if not several:
            return None
        return All(tuple(several), at) if key == "all" else AnyOf(tuple(several), at)
    if key == "not":
        made = _item(value, reader)
        return None if made is None else Not(made, at)
    if key == "matches":
        return _matches(record, reader)
    if key == "same-as":
        return SameAs(bare(record.text(key)), at)
    return _count(record, reader)


def _item(value: object, reader: Reader) -> Condition | None:
    return condition(value, reader) if isinstance(value, Record) else None


def bare(name: str) -> str:
    """The name of a metavariable without its dollar signs."""
    return name.lstrip("$")


# --- atoms ------------------------------------------------------------------------------------------


def pattern(text: str, record: Record | None, at: At, reader: Reader) -> PatternAtom | None:
    """A pattern, given as a text or as *record*."""
    if record is None:
        return PatternAtom(_code(text, at, reader), at=at)
    code = record.values.get("code")
    if not isinstance(code, Scalar):
        return None
    strictness = record.text("strictness") or "smart"
    if reader.theirs or strictness in astgrep.STRICTNESS:
        strictness, remark = astgrep.STRICTNESS.get(strictness, (strictness, ""))
        if remark:
            reader.problems.warn(record.place("strictness"), remark)
    on, off = (tuple(one.text for one in record.texts(key)) for key in ("equivalences", "without"))
    for name in on:
        if name in off:
            reader.problems.tell(record.place("without"), f"the equivalence `{name}` is switched on and off")
    return PatternAtom(
        _code(code.text, code.at, reader),
        rung=record.text("as") or None,
        strictness=strictness,
        equivalences=on,
        without=off,
        selector=record.text("selector") or None,
        at=code.at,
    )


def _code(text: str, at: At, reader: Reader) -> str:
    if not reader.theirs:
        return text
    text, remarks = astgrep.pattern(text)
    for remark in remarks:
        reader.problems.warn(at, remark)
    return text


def kinds(names: Sequence[Scalar], at: At, reader: Reader) -> Condition | None:
    """One of these kinds.  A selector, as ast-grep has them, becomes the condition that it says."""
    plain = [one for one in names if not astgrep.is_selector(one.text)]
    made: list[Condition] = []
    if plain:
        made.append(KindAtom(tuple(dict.fromkeys(one.text.strip() for one in plain)), at))
    for one in names:
        if astgrep.is_selector(one.text):
            try:
                made.append(astgrep.selector(one.text, one.at))
            except ValueError as problem:
                reader.problems.tell(
                    one.at,
                    f"{one.text[:60]!r} is no kind, and no selector that can be carried over: {problem}",
                    "`astgrep tree FILE` shows the kinds of a file; write relations with `inside` and `has`",
                )
    if not made:
        return None
    return made[0] if len(made) == 1 else AnyOf(tuple(made), at)


def regex(text: str, at: At, reader: Reader) -> RegexAtom | None:
    """A regular expression that can be read."""
    if reader.theirs:
        text = astgrep.regex(text)
    wrong = wrong_regex(text)
    if wrong:
        reader.problems.tell(at, f"the regular expression is wrong: {wrong}")
        return None
    return RegexAtom(text, at)


def wrong_regex(text: str) -> str:
    """What is wrong with a regular expression; empty if nothing is."""
    if len(text) > LONGEST_REGEX:
        return f"it has more than {LONGEST_REGEX:,} characters"
    try:
        Bounded(text)
    except ValueError as problem:
        return str(problem)
    return ""


def _nth_child(record: Record, reader: Reader) -> NthChildAtom | None:
    value = record.values["nth-child"]
    inner = record.record("nth-child")
    number = value if inner is None else inner.values.get("position")
    if not isinstance(number, Scalar):
        return None
    read = position(number.text)
    if read is None:
        reader.problems.tell(
            number.at,
            f"{number.text[:60]!r} is no number of a child",
            "write `2`, `2n+1`, `-n+3`, `odd` or `even`",
        )
        return None
    step, offset = read
    if offset < 1 and step <= 0:
        reader.problems.tell(number.at, f"no child has the number {number.text}", "the first child is 1")
        return None
    of, reverse = None, False
    if inner is not None:
        flag = inner.values.get("reverse")
        reverse = isinstance(flag, Scalar) and flag.value is True
        of = _item(inner.values.get("of-rule"), reader)
    return NthChildAtom(step, offset, reverse, of, value.at)


def _range(record: Record, reader: Reader) -> RangeAtom | None:
    places: list[tuple[int, int | None] | None] = []
    for name in ("start", "end"):
        place = record.record(name)
        if place is None:
            places.append(None)
            continue
        line, column = (_number(place, key) for key in ("line", "column"))
        if line is None:
            return None
        if reader.theirs:
            line, column = line + 1, None if column is None else column + 1
        elif line == 0 or column == 0:
            reader.problems.tell(
                place.at,
                "lines and columns are counted from 1",
                "only in rule files of ast-grep, with `fix` or keys in camelCase, they are counted from 0",
            )
            return None
        places.append((line, column))
    start, end = places
    if start and end and (end[0], end[1] or 10**9) < (start[0], start[1] or 1):
        reader.problems.tell(record.place("end"), "the range ends before it begins")
        return None
    return RangeAtom(start, end, record.at)


def _number(record: Record, key: str) -> int | None:
    value = record.values.get(key)
    return value.value if isinstance(value, Scalar) and isinstance(value.value, int) else None


_COUNT = re.compile(r"(==|!=|<=|>=|<|>)?\s*(\d{1,9})")


def _count(record: Record, reader: Reader) -> Count | None:
    value = record.values["count"]
    found = _COUNT.fullmatch(value.text) if isinstance(value, Scalar) else None
    if found is None:
        return None
    made = Count(found[1] or "==", int(found[2]), value.at)
    if made.operator == "<" and made.number == 0:
        reader.problems.tell(
            value.at, "nothing has fewer than 0 elements", "`count: 0` says that there are none"
        )
    return made


# --- relations and utilities -----------------------------------------------------------------------


def relation(name: str, record: Record, reader: Reader) -> Relation:
    """``inside``, ``has``, ``follows`` or ``precedes``."""
    until: str | Condition = "neighbor"
    value = record.values.get("stop-by")
    if isinstance(value, Scalar):
        until = value.text
    elif isinstance(value, Record):
        until = condition(value, reader) or "neighbor"
    if name in ("follows", "precedes") and "field" in record.values:
        reader.problems.tell(
            record.place("field"), f"siblings are in no field of one another, so `{name}` has no `field`"
        )
    return Relation(name, condition(record, reader), until, record.text("field") or None, record.at)


def _matches(record: Record, reader: Reader) -> Condition | None:
    value = record.values["matches"]
    if isinstance(value, Scalar):
        return Matches(value.text, {}, value.at)
    if not isinstance(value, Named):
        return None
    calls: list[Condition] = []
    for name, given in value.entries:
        arguments: dict[str, str | Condition] = {}
        if isinstance(given, Named):
            for parameter, argument in given.entries:
                known = bare(parameter.text)
                if known in arguments:
                    reader.problems.tell(parameter.at, f"the parameter {known} is given twice")
                elif isinstance(argument, Scalar):
                    arguments[known] = bare(argument.text)
                elif (made := _item(argument, reader)) is not None:
                    arguments[known] = made
        calls.append(Matches(name.text, arguments, name.at))
    return calls[0] if len(calls) == 1 else All(tuple(calls), value.at)


def told(names: Sequence[str]) -> str:
    """Names of metavariables for a hint."""
    return listed(f"${name}" for name in sorted(names)) or "none"
