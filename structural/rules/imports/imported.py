"""Names that a file imports: ``os.path.join($X)`` is also found as ``join($X)`` behind ``from os.path
import join``.

Semgrep knows what imported names stand for. Here every other spelling is an alternative that asks for
its import.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Mapping = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spelling:
    """Another text of the pattern, and the imports, one of which must stand in the file."""

    text: str
    imports: tuple[str, ...]
    root: str
    """The kind of a whole file."""


MOST_PARTS = 6
_OWN = frozenset({"self", "cls", "request", "app", "this", "super", "args", "kwargs", "os.environ"})
_DOTTED = re.compile(r"(?<![\w$.\"'@])(?P<at>@?)(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?![\w$])")


def spellings(text: str, language: str, counter: list[int]) -> Iterator[Spelling]:
    """Other spellings of the first qualified name in *text*; *counter* numbers the metavariables that
    are made."""
    if language == "python":
        yield from _python(text, counter)
    elif language == "java":
        yield from _java(text)


def _python(text: str, counter: list[int]) -> Iterator[Spelling]:
    if re.match(r"(from|import)\b", text):
        return
    found = _DOTTED.search(_blank(text))
    if found is None:
        return
    parts = found["name"].split(".")
    if parts[0] in _OWN or found["name"] in _OWN or len(parts) > MOST_PARTS:
        return
    start, end = found.span("name")

    def spelled(name: str) -> str:
        return f"{text[:start]}{name}{text[end:]}"

    root = "module"
    for at in range(len(parts) - 1, 0, -1):
        package, name = ".".join(parts[:at]), parts[at]
        yield Spelling(spelled(".".join(parts[at:])), (f"from {package} import $$$, {name}, $$$",), root)
    counter[0] += 1
    alias = f"AS{counter[0]}"
    for at in range(len(parts) - 1, -1, -1):
        imports: tuple[str, ...] = ()
        if at:
            imports = (f"from {'.'.join(parts[:at])} import $$$, {parts[at]} as ${alias}, $$$",)
        if at < len(parts) - 1:
            imports += (f"import $$$, {'.'.join(parts[: at + 1])} as ${alias}, $$$",)
        yield Spelling(spelled(".".join([f"${alias}", *parts[at + 1 :]])), imports, root)


def _java(text: str) -> Iterator[Spelling]:
    found = _DOTTED.search(_blank(text))
    if found is None or re.match(r"(import|package)\b", text):
        return
    parts = found["name"].split(".")
    at = next((at for at, part in enumerate(parts) if part[:1].isupper()), 0)
    if not at:
        return
    start, end = found.span("name")
    package = ".".join(parts[:at])
    yield Spelling(
        f"{text[:start]}{'.'.join(parts[at:])}{text[end:]}",
        (f"import {package}.{parts[at]};", f"import {package}.*;"),
        "program",
    )


def _blank(text: str) -> str:
    """*text* with what stands in quotes as blanks."""
    return re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", lambda found: " " * len(found[0]), text)
