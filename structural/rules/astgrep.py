"""What means something else in the rule files of ast-grep, and what it is here.

Facts from its reference (astgrep.com) as of 0.39 and later.  What cannot be carried over is
told by those who call this, with its place.
"""

from __future__ import annotations

import re

from structural.rules.reading_forms import position
from structural.rules.values import (
    All,
    AnyOf,
    At,
    Condition,
    KindAtom,
    Not,
    NthChildAtom,
    Relation,
)

STRICTNESS: dict[str, tuple[str, str]] = {
    "cst": ("exact", ""),
    "ast": (
        "smart",
        "the strictness `ast` is read as `smart`: words and marks that are no nodes of their own still count",
    ),
    "relaxed": ("smart", ""),
    "signature": (
        "loose",
        "the strictness `signature` is read as `loose`: texts of names and literals still count",
    ),
    "template": ("smart", "the strictness `template` is read as `smart`: kinds of nodes still count"),
}
"""Theirs → ours, and what differs.  ``smart`` here never counts comments, as their ``relaxed``."""

_DOLLARS = re.compile(r"(\$+)(_[A-Z0-9_]+)?([A-Z][A-Z0-9_]*)?(?![A-Za-z0-9])")


def pattern(text: str) -> tuple[str, tuple[str, ...]]:
    """A pattern in our spelling, and what differs: ``$_NAME`` binds nothing, ``$$NAME`` stands for a
    token that is no named node."""
    remarks: list[str] = []

    def ours(found: re.Match[str]) -> str:
        dollars, unbound, name = found[1], found[2], found[3]
        if unbound:
            return "$_" if len(dollars) < 3 else "$$$"
        if name and len(dollars) == 2:
            remarks.append(f"`$${name}`, also a token that is no named node, is read as `${name}`")
            return f"${name}"
        return found[0]

    made = _DOLLARS.sub(ours, text)
    return made, tuple(dict.fromkeys(remarks))


def regex(text: str) -> str:
    """An expression of Rust's library in the spelling of ours."""
    return re.sub(
        r"(\\\\)|\\x\{([0-9A-Fa-f]{1,8})\}|\\u\{([0-9A-Fa-f]{1,8})\}",
        lambda m: m[1] or f"\\U{int(m[2] or m[3], 16):08x}",
        text,
    )


def replacement(text: str) -> str:
    """A replacement of Rust's library in the spelling of ours: groups by name stand in braces."""
    return re.sub(r"\$\$|\$([A-Za-z_]\w*)", lambda m: f"${{{m[1]}}}" if m[1] else m[0], text)


# --- selectors --------------------------------------------------------------------------------------

_TOKEN = re.compile(r"\s*([>+~,()]|:[a-z-]+|\w+)|(\s+)")


def is_selector(kind: str) -> bool:
    """Whether *kind* is more than the name of a kind: ``call_expression > identifier``."""
    return re.fullmatch(r"\s*\w+\s*", kind) is None and re.search(r"[\s>+~,:()]", kind.strip()) is not None


def selector(text: str, at: At) -> Condition:
    """The condition that a selector says; ValueError with what cannot be read."""
    if len(text) > 1_000:
        raise ValueError("it is too long")
    made, rest = _choice(text.strip(), at, 0)
    if rest:
        raise ValueError(f"{rest[:20]!r} is not understood")
    return made


def _choice(text: str, at: At, depth: int) -> tuple[Condition, str]:
    """Selectors apart by commas."""
    if depth > 20:
        raise ValueError("it is nested too deeply")
    made, rest = _chain(text, at, depth)
    several = [made]
    while rest.startswith(","):
        made, rest = _chain(rest[1:].lstrip(), at, depth)
        several.append(made)
    return (several[0] if len(several) == 1 else AnyOf(tuple(several), at)), rest


_RELATIONS = {
    ">": ("inside", "neighbor"),
    " ": ("inside", "end"),
    "+": ("follows", "neighbor"),
    "~": ("follows", "end"),
}


def _chain(text: str, at: At, depth: int) -> tuple[Condition, str]:
    """``a > b c``: the last is what is found, the others stand around or before it."""
    made, rest = _compound(text, at, depth)
    while rest and not rest.lstrip().startswith((",", ")")):
        mark = rest.lstrip()[:1]
        if mark in "+~>":
            rest = rest.lstrip()[1:].lstrip()
        elif rest[0].isspace():
            mark, rest = " ", rest.lstrip()
        else:
            raise ValueError(f"{rest[:20]!r} is not understood")
        name, until = _RELATIONS[mark]
        before = made
        made, rest = _compound(rest, at, depth)
        made = All((made, Relation(name, before, until, at=at)), at)
    return made, rest.lstrip()


def _compound(text: str, at: At, depth: int) -> tuple[Condition, str]:
    """A kind with conditions behind it, such as ``pair:not(:has(string))``."""
    parts: list[Condition] = []
    found = re.match(r"\w+", text)
    if found:
        parts.append(KindAtom((found[0],), at))
        text = text[found.end() :]
    while found := re.match(r":([a-z-]+)\(", text):
        name, text = found[1], text[found.end() :].lstrip()
        if name in ("nth-child", "nth-last-child"):
            inner, closed, text = text.partition(")")
            read = position(inner)
            if read is None or not closed:
                raise ValueError(f"{inner[:20]!r} is no number of a child")
            parts.append(NthChildAtom(read[0], read[1], name == "nth-last-child", None, at))
            continue
        until = "end"
        if name == "has" and text.startswith(">"):
            until, text = "neighbor", text[1:].lstrip()
        made, text = _choice(text, at, depth + 1)
        if not text.startswith(")"):
            raise ValueError("a parenthesis is not closed")
        text = text[1:]
        if name == "has":
            parts.append(Relation("has", made, until, at=at))
        elif name == "not":
            parts.append(Not(made, at))
        elif name == "is":
            parts.append(made)
        else:
            raise ValueError(f"`:{name}` is not known")
    if not parts:
        raise ValueError(f"{text[:20]!r} is not understood" if text else "it ends too early")
    return (parts[0] if len(parts) == 1 else All(tuple(parts), at)), text


# --- globs ------------------------------------------------------------------------------------------


MOST_STARS = 4
"""Stars of a glob for which all that they may stand for is written out."""


def globs(text: str) -> tuple[tuple[str, ...], str]:
    """A glob of theirs as globs of ours, one of which must fit, and what differs.

    Theirs fits a whole path, and ``*`` stands for slashes too; ours are those of ignore files."""
    text = text.removeprefix("./")
    remark = ""
    if not re.search(r"[.*?\[{]", text.rpartition("/")[2]):
        remark = f"{text[:60]!r} also fits what is in a folder of this name"
    if "/" not in text and text.startswith("*") and text.count("*") == 1:
        return (text,), remark
    parts = re.split(r"(?<!\*)\*(?!\*)", text)
    if len(parts) - 1 > MOST_STARS:
        return (f"/{text}",), f"a star in {text[:60]!r} stands for no slash here"
    made = [parts[0]]
    for part in parts[1:]:
        made = [left + star + part for left in made for star in ("*", "*/**/*")]
    return tuple(f"/{one}" for one in made), remark


def without_case(text: str) -> str:
    """A glob that fits whatever the case of letters is."""
    return re.sub(r"\[(!?)([^\]]*)\]|[^\W\d_]", _both_cases, text)


def _both_cases(found: re.Match[str]) -> str:
    if found[2] is not None:
        return f"[{found[1]}{found[2]}{found[2].swapcase()}]"
    letter = found[0]
    return letter if letter.lower() == letter.upper() else f"[{letter.lower()}{letter.upper()}]"
