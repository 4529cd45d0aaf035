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
    """Another text of the pattern, the imports, one of which must stand in the file, and ``also``, which
    all must."""

    text: str
    imports: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


ROOTS = {"python": "module", "java": "program", "rust": "source_file"}
"""The kind of a whole file."""


MOST_PARTS = 6
_OWN = frozenset({"self", "cls", "request", "app", "this", "super", "args", "kwargs", "os.environ"})
_DOTTED = re.compile(
    r"(?<![\w$.\"'@])(?P<at>@?)(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.\$?[A-Za-z_]\w*)(?![\w$])"
)


def spellings(text: str, language: str, aliases: dict[str, str]) -> Iterator[Spelling]:
    """Other spellings of qualified names in *text*. *aliases*: name → the metavariable of its other
    name."""
    if language == "python":
        yield from _statements(text)
        yield from _python(text, aliases)
    elif language == "java":
        yield from _java(text)
    elif language == "rust":
        yield from _rust(text)


def _statements(text: str) -> Iterator[Spelling]:
    """Other imports that a statement of import stands for."""
    if found := re.fullmatch(r"import ([\w.]+)", text):
        name = found[1]
        yield Spelling(f"import $$$, {name}, $$$")
        yield Spelling(f"import $$$, {name} as $_, $$$")
        yield Spelling(f"from {name} import $$$")
    elif found := re.fullmatch(r"from ([\w.]+) import (\w+)", text):
        yield Spelling(f"from {found[1]} import $$$, {found[2]}, $$$")
        yield Spelling(f"from {found[1]} import $$$, {found[2]} as $_, $$$")


def _python(text: str, aliases: dict[str, str]) -> Iterator[Spelling]:
    if re.match(r"(from|import)\b", text):
        return
    names = [found for found in _DOTTED.finditer(_blank(text)) if _module(found["name"])]
    if not names:
        return
    first, *others = names
    start, end = first.span("name")
    alias = aliases.setdefault(first["name"], f"AS{len(aliases) + 1}")
    for name, imports in _names(first["name"].split("."), alias):
        yield Spelling(f"{text[:start]}{name}{text[end:]}", imports)
    if others:
        # Of several names all are imported, each from its module.
        made, needed = text, []
        for found in reversed(names):
            package, _, name = found["name"].rpartition(".")
            made = f"{made[: found.start('name')]}{name}{made[found.end('name') :]}"
            needed.append(f"from {package} import $$$, {name}, $$$")
        yield Spelling(made, (needed[0],), tuple(dict.fromkeys(needed[1:])))


def _module(name: str) -> bool:
    parts = name.split(".")
    return parts[0] not in _OWN and name not in _OWN and len(parts) <= MOST_PARTS


def _names(parts: list[str], alias: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What may stand for a qualified name, with the imports that make it so."""
    for at in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[at:]), (f"from {'.'.join(parts[:at])} import $$$, {parts[at]}, $$$",)
    for at in range(len(parts) - 1, -1, -1):
        imports: tuple[str, ...] = ()
        if at:
            imports = (f"from {'.'.join(parts[:at])} import $$$, {parts[at]} as ${alias}, $$$",)
        if at < len(parts) - 1:
            imports += (f"import $$$, {'.'.join(parts[: at + 1])} as ${alias}, $$$",)
        yield ".".join([f"${alias}", *parts[at + 1 :]]), imports


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
    )


_PATH = re.compile(r"(?<![\w$:])[a-z_]\w*(?:::[A-Za-z_]\w*)+")


def _rust(text: str) -> Iterator[Spelling]:
    found = _PATH.search(_blank(text))
    if found is None or re.match(r"use\b", text):
        return
    parts = found[0].split("::")
    for at in range(len(parts) - 1, 0, -1):
        package, name = "::".join(parts[:at]), parts[at]
        yield Spelling(
            f"{text[: found.start()]}{'::'.join(parts[at:])}{text[found.end() :]}",
            (f"use {package}::{name};", f"use {package}::{{$$$, {name}, $$$}};", f"use {package}::*;"),
        )


def _blank(text: str) -> str:
    """*text* with what stands in quotes as blanks."""
    return re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", lambda found: " " * len(found[0]), text)
