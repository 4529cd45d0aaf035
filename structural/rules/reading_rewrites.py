"""From records to rewrites: what the match becomes, other places, transformations and rewriters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from structural.errors import RewriteError
from structural.rewrite.transform import read as read_transforms
from structural.rules import astgrep
from structural.rules.reading_conditions import Reader, bare, condition, relation, wrong_regex
from structural.rules.reading_forms import Checked, Named, Record, Values
from structural.rules.values import (
    Also,
    At,
    Condition,
    Ensure,
    Relation,
    Rewriter,
    RuleRewrite,
    Safety,
    Transform,
)
from structural.rules.yaml import Scalar


def rewrites(record: Record, reader: Reader) -> tuple[RuleRewrite, ...]:
    """The rewrites of a rule, in their order."""
    given = record.several("rewrite")
    safety = Safety(record.text("safety") or Safety.SAFE)
    if "safety" in record.keys and not given:
        reader.problems.tell(record.place("safety"), "`safety` is of a rewrite, and there is none")
    made: list[RuleRewrite] = []
    titles: dict[str, At] = {}
    for one in given:
        read = _rewrite(one, safety, reader)
        if read is None:
            continue
        if len(given) > 1 and not read.title and reader.theirs:
            reader.problems.tell(read.at, "each of several rewrites has a `title`")
        if read.title and read.title in titles:
            reader.problems.tell(
                read.at, f"the title {read.title!r} stands here a second time", "rewrites are chosen by title"
            )
        titles[read.title] = read.at
        made.append(read)
    return tuple(made)


def _rewrite(value: Checked, safety: Safety, reader: Reader) -> RuleRewrite | None:
    if isinstance(value, Scalar):
        return RuleRewrite(_code(value.text, value.at, reader), safety=safety, at=value.at)
    if not isinstance(value, Record) or "rewrite" not in value.values:
        return None
    text = value.values["rewrite"]
    also = [made for one in value.several("also") if (made := _also(one, reader)) is not None]
    return RuleRewrite(
        _code(value.text("rewrite"), text.at, reader),
        title=value.text("title"),
        target=bare(value.text("target")) or None,
        also=tuple(also),
        safety=Safety(value.text("safety") or safety),
        expand_start=_expansion("follows", value.record("expand-start"), reader),
        expand_end=_expansion("precedes", value.record("expand-end"), reader),
        at=text.at,
    )


def _code(text: str, at: At, reader: Reader) -> str:
    if reader.theirs and re.search(r"(?<![\\$])\$\$[A-Z]", text):
        text = re.sub(r"(?<![\\$])\$\$(?=[A-Z])", "$", text)
    return text


def _expansion(name: str, record: Record | None, reader: Reader) -> Relation | None:
    return None if record is None else relation(name, record, reader)


def _also(value: Checked, reader: Reader) -> Ensure | Also | None:
    if not isinstance(value, Record):
        return None
    if value.table == "ensure":
        code = value.text("ensure")
        return Ensure(code, value.at) if code else None
    rule, unless = value.record("rule"), value.record("unless")
    made = condition(rule, reader) if rule is not None else None
    if made is None or "rewrite" not in value.values:
        return None
    return Also(
        made, value.text("rewrite"), condition(unless, reader) if unless is not None else None, value.at
    )


# --- transformations --------------------------------------------------------------------------------


def transforms(record: Record, reader: Reader) -> tuple[Transform, ...]:
    """The transformations, each behind those that it uses."""
    made: dict[str, Transform] = {}
    for name, value in record.named("transform"):
        known = bare(name.text)
        if known in made:
            reader.problems.tell(name.at, f"the transformation ${known} stands here a second time")
            continue
        read = _transform(known, value, reader)
        if read is not None:
            made[known] = read
    return _in_order(made, reader)


def _in_order(made: Mapping[str, Transform], reader: Reader) -> tuple[Transform, ...]:
    """*made* with sources first; those that make one another are told."""
    order: dict[str, Transform] = {}
    for name in made:
        chain: list[str] = []
        while name in made and name not in order and name not in chain:
            chain.append(name)
            name = made[name].source
        if name in chain:
            cycle = chain[chain.index(name) :]
            shown = " → ".join(f"${one}" for one in [*cycle, cycle[0]][:8])
            reader.problems.tell(
                made[cycle[0]].at, f"these transformations are made from one another: {shown}"
            )
        for one in reversed(chain):
            order[one] = made[one]
    return tuple(order.values())


def _transform(name: str, value: Checked, reader: Reader) -> Transform | None:
    if isinstance(value, Scalar):
        return _of_text(name, value, reader)
    if not isinstance(value, Record):
        return None
    if len(value.keys) > 1:
        told = " and ".join(f"`{key}`" for key in value.keys)
        reader.problems.tell(
            value.at, f"${name} is made in several ways: {told}", "make one name in each step"
        )
        return None
    how = next(iter(value.values), "")
    inner = value.record(how)
    if inner is None or inner.damaged:
        return None
    source = bare(inner.text("source"))
    if how == "rewrite":
        names = tuple(one.text for one in inner.texts("rewriters"))
        join = inner.text("join-by") if "join-by" in inner.values else None
        return Transform(name, "", source, names, join, value.at)
    parts = [inner.text("source")]
    for key, (spelled, quoted) in _ARGUMENTS[how].items():
        given = inner.values.get(key)
        if isinstance(given, Values):
            parts.append(
                f"{spelled}=[{', '.join(one.text for one in given.items if isinstance(one, Scalar))}]"
            )
        elif isinstance(given, Scalar):
            text = given.text
            if key == "replace" and reader.theirs:
                text = astgrep.regex(text)
            if key == "by" and reader.theirs:
                text = astgrep.replacement(text)
            shown = _quoted(text) if quoted else text
            if shown is None:
                reader.problems.tell(given.at, "the text ends in a backslash that is not doubled")
                return None
            parts.append(f"{spelled}={shown}")
    return _checked(Transform(name, f"{name}={how}({', '.join(parts)})", source, at=value.at), reader)


_ARGUMENTS = {
    "replace": {"replace": ("replace", True), "by": ("by", True)},
    "substring": {"start-char": ("startChar", False), "end-char": ("endChar", False)},
    "convert": {"to-case": ("toCase", True), "separated-by": ("separatedBy", False)},
}


def _quoted(text: str) -> str | None:
    """*text* in quotes, as transformations are written; None if that cannot be."""
    if (len(text) - len(text.rstrip("\\"))) % 2:
        return None
    for quote in ("'", '"'):
        if quote not in text:
            return quote + text + quote
    return "'" + re.sub(r"(\\.)|'", lambda m: m[1] or "\\'", text, flags=re.DOTALL) + "'"


_HEAD = re.compile(
    r"\s*(?P<how>[A-Za-z]+)\s*\(\s*(?P<source>\$(?:\$\$)?[A-Z_][A-Z0-9_]*)\s*(?P<rest>.*)\)\s*", re.DOTALL
)
_REWRITERS = re.compile(r",\s*rewriters\s*=\s*\[([^\]]*)\]")
_JOIN = re.compile(r""",\s*join(?:By|-by)\s*=\s*(?:'([^']*)'|"([^"]*)"|([^\s,)]+))""")


def _of_text(name: str, value: Scalar, reader: Reader) -> Transform | None:
    """``replace($A, replace='^get_', by='')``."""
    head = _HEAD.fullmatch(value.text)
    if head is None:
        reader.problems.tell(
            value.at,
            f"cannot read how ${name} is made",
            "write `replace($A, replace='^get_', by='')`, `convert`, `substring` or `rewrite`",
        )
        return None
    source = bare(head["source"])
    if head["how"] == "rewrite" and (found := _REWRITERS.match(head["rest"])):
        names = tuple(word.strip().strip("'\"") for word in found[1].split(",") if word.strip())
        rest = head["rest"][found.end() :]
        join = _JOIN.fullmatch(rest.strip())
        if rest.strip() and join is None:
            reader.problems.tell(value.at, f"cannot read {rest.strip()[:60]!r}", "`rewrite` has `joinBy='…'`")
            return None
        by = None if join is None else next(one for one in join.groups() if one is not None)
        if by is not None:
            by = by.replace("\\n", "\n").replace("\\t", "\t")
        return Transform(name, "", source, names, by, value.at)
    return _checked(Transform(name, f"{name}={value.text.strip()}", source, at=value.at), reader)


def _checked(made: Transform, reader: Reader) -> Transform | None:
    try:
        (read,) = read_transforms([made.text], [made.source])
    except RewriteError as problem:
        reader.problems.tell(made.at, problem.message, problem.hint)
        return None
    expression = read.arguments.get("replace") if read.how == "replace" else None
    wrong = wrong_regex(str(expression)) if expression is not None else ""
    if wrong:
        reader.problems.tell(made.at, f"the regular expression is wrong: {wrong}")
        return None
    return made


# --- rewriters --------------------------------------------------------------------------------------


def rewriters(record: Record, reader: Reader) -> dict[str, tuple[Rewriter, Record]]:
    """By name, each with its record."""
    value = record.values.get("rewriters")
    given: list[tuple[str, At, Checked]] = []
    if isinstance(value, Named):
        given = [(name.text, name.at, one) for name, one in value.entries]
    elif isinstance(value, Values):
        given = [(one.text("id"), one.at, one) for one in value.items if isinstance(one, Record)]
    made: dict[str, tuple[Rewriter, Record]] = {}
    for name, at, one in given:
        if name in made:
            reader.problems.tell(at, f"the rewriter {name[:60]!r} stands here a second time")
        elif isinstance(one, Record) and (read := _rewriter(name, one, reader)) is not None:
            made[name] = (read, one)
    return made


def _rewriter(name: str, record: Record, reader: Reader) -> Rewriter | None:
    rule = record.record("rule")
    made = condition(rule, reader) if rule is not None else None
    value = record.values.get("rewrite")
    if made is None or value is None:
        return None
    text = _rewriter_text(value, reader)
    return Rewriter(name, made, text, constraints(record, reader), transforms(record, reader), record.at)


def _rewriter_text(value: Checked, reader: Reader) -> str:
    if isinstance(value, Record):
        for key in ("title", "target", "also", "expand-start", "expand-end"):
            if key in value.keys:
                reader.problems.warn(value.place(key), f"`{key}` of a rewriter is not carried over")
        return _code(value.text("rewrite"), value.at, reader)
    return _code(value.text, value.at, reader) if isinstance(value, Scalar) else ""


def constraints(record: Record, reader: Reader) -> dict[str, Condition]:
    """Metavariable → what must hold of what it stands for."""
    made: dict[str, Condition] = {}
    for name, value in record.named("constraints"):
        known = bare(name.text)
        if known in made:
            reader.problems.tell(name.at, f"${known} has constraints in two places", "put them below one key")
        elif isinstance(value, Record) and (read := condition(value, reader)) is not None:
            made[known] = read
    return made


def used_rewriters(made: Sequence[Transform]) -> list[tuple[str, At]]:
    """The names of rewriters that transformations use."""
    return [(name, one.at) for one in made for name in one.rewriters]
