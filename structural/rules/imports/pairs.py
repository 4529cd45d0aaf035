"""Brackets in the text of a pattern, and what stands in them in any order.

Semgrep takes the pairs of an object, the fields of a literal and keyword arguments in any order, among
others that the pattern does not name. In our patterns the elements of a list are what is written, so
``$$$`` is written between them.
"""

from __future__ import annotations

import re

from structural.rules.imports.ellipses import Translated
from structural.rules.imports.languages import forms

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = {close: open_ for open_, close in _OPEN.items()}


def closing(text: str, at: int) -> int:
    """Where the bracket closes that opens at *at*; -1 if it does not.  Brackets in texts do not count."""
    depth = 0
    for place in _outside(text, at):
        if text[place] in _OPEN:
            depth += 1
        elif text[place] in _CLOSE:
            depth -= 1
            if not depth:
                return place
    return -1


def opening(text: str, at: int) -> int:
    """Where the bracket opens that closes at *at*; -1 if it does not."""
    stack: list[int] = []
    for place in _outside(text, 0):
        if text[place] in _OPEN:
            stack.append(place)
        elif text[place] in _CLOSE:
            found = stack.pop() if stack else -1
            if place == at:
                return found
    return -1


def top_level(text: str, sign: str) -> bool:
    """Whether *sign*, one character, stands in *text* outside of brackets and texts."""
    depth = 0
    for place in _outside(text, 0):
        if text[place] in _OPEN:
            depth += 1
        elif text[place] in _CLOSE:
            depth -= 1
        elif text[place] == sign and not depth:
            return True
    return False


def split(text: str, sign: str = ",") -> list[str]:
    """*text* parted at every *sign* outside of brackets and texts."""
    parts: list[str] = []
    depth = begin = 0
    for place in _outside(text, 0):
        if text[place] in _OPEN:
            depth += 1
        elif text[place] in _CLOSE:
            depth -= 1
        elif text[place] == sign and not depth:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]


def loosened(text: str, language: str) -> tuple[str, bool]:
    """*text* with ``$$$`` around pairs that may stand among others, and whether two of them may change
    places."""
    brackets = forms(language).pairs
    unordered = False
    at = 0
    while at < len(text):
        if text[at] in brackets and (end := closing(text, at)) > 0:
            made = _loose(text[at + 1 : end], text[at], language)
            if made is not None:
                inside, several = made
                unordered |= several
                text = f"{text[: at + 1]}{inside}{text[end:]}"
        at += 1
    return text, unordered


_ELEMENT = re.compile(r"<(?P<tag>[\w$.]+)\s+(?P<attributes>[^<>]*\S)\s*/>", re.DOTALL)
_ATTRIBUTE = re.compile(r"\$\$\$|\{[^{}]*\}|[\w$:.-]+(?:=(?:\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}))?")


def element(text: str) -> tuple[str, str, bool] | None:
    """An element of JSX with ``$$$`` around its attributes, as the tag and what stands in it, and
    whether there are several; None if *text* is none."""
    found = _ELEMENT.fullmatch(text)
    if found is None:
        return None
    named = [one for one in _ATTRIBUTE.findall(found["attributes"]) if one != "$$$"]
    if re.sub(r"\s|\$\$\$", "", found["attributes"]) != re.sub(r"\s", "", "".join(named)):
        return None
    return found["tag"], " ".join(["$$$", *(f"{one} $$$" for one in named)]), len(named) > 1


def dictionaries(translated: Translated, counter: list[int]) -> dict[str, list[str]]:
    """Takes dictionaries with ``$$$`` out of a pattern of Python, in which the grammar reads none: the
    name that stands for each, and its entries."""
    found: dict[str, list[str]] = {}
    at = 0
    while at < len(translated.text):
        text = translated.text
        end = closing(text, at) if text[at] == "{" else -1
        if end > 0:
            parts = [part.strip() for part in split(text[at + 1 : end])]
            entries = [part for part in parts if part and part != "$$$"]
            if entries and len(entries) < len(parts) and all(top_level(part, ":") for part in entries):
                counter[0] += 1
                name = f"DICT{counter[0]}"
                found[name] = entries
                translated.text = f"{text[:at]}${name}{text[end + 1 :]}"
        at += 1
    return found


def looks_like_pairs(text: str) -> bool:
    """Whether *text*, what stands in braces, is pairs of an object and no statements."""
    parts = [part.strip() for part in split(text)]
    return len(parts) > 1 and any(_PAIR.match(part) for part in parts)


_PAIR = re.compile(r"(?!default\b)(?:[\w$]+|\"[^\"]*\"|'[^']*'|\[[^\]]*\])\s*:(?![:=])")
_KEYWORD = re.compile(r"[\w$]+\s*=(?![=~])")
_HASH = re.compile(r"[\w$]+:(?!:)\s|:?[\w$\"']+\s*=>")


def _loose(inside: str, bracket: str, language: str) -> tuple[str, bool] | None:
    parts = [part.strip() for part in split(inside)]
    shape = _PAIR if bracket == "{" else _HASH if language == "ruby" else _KEYWORD
    keyed = [bool(shape.match(part)) for part in parts]
    if not any(keyed):
        return None
    others = [part for part, is_pair in zip(parts, keyed, strict=True) if not is_pair]
    open_ended = any(part.startswith("$$$") for part in others)
    if bracket == "{":
        if any(not part.startswith(("$$$", "...")) and part for part in others):
            return None
    elif not open_ended:
        return (inside, True) if sum(keyed) > 1 else None
    if bracket == "(" and re.match(r"\s*\$_", inside):
        return None
    made: list[str] = []
    for part, is_pair in zip(parts, keyed, strict=True):
        if not part:
            continue
        if (is_pair or part == "$$$") and made[-1:] != ["$$$"]:
            made.append("$$$")
        if part != "$$$":
            made.append(part)
    if made[-1] != "$$$":
        made.append("$$$")
    pad = "\n" if "\n" in inside else " " if bracket == "{" else ""
    joiner = ",\n" if "\n" in inside else ", "
    return f"{pad}{joiner.join(made)}{pad}", sum(keyed) > 1


def _outside(text: str, at: int) -> list[int]:
    """The places of *text* from *at* that lie outside of texts in quotes."""
    places: list[int] = []
    quote = ""
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif char in "\"'`" and text.find(char, at + 1) > 0:
            quote = char
        else:
            places.append(at)
        at += 1
    return places
