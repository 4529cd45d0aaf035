"""The project's configuration: ``structural.toml`` in the folder of the call or above it.

    [languages.mylang]
    module = "tree_sitter_mylang"      # a grammar wheel; or
    library = "grammars/mylang.so"     # a shared library, relative to the configuration
    suffixes = [".my"]
    comments = ["comment"]
    skeletons = [{ rung = "statement" }, { rung = "expression", before = "x = ", after = ";" }]

Every field of ``structural.syntax.language.Language`` may be given.  Read once, at
the start of a command; a mistake is an error that names the file and the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from structural.errors import UsageError
from structural.syntax import registry
from structural.syntax.language import RUNGS, SORTS, Defines, Embedding, Grammar, Language, Skeleton

NAME = "structural.toml"

_GRAMMAR = ("module", "function", "pack", "library", "symbol")


def load(start: Path | None = None) -> Path | None:
    """Read the nearest configuration at or above *start* (the current folder) and add its languages.

    Gives the file, None if there is none.  Raises UsageError for a file that cannot be
    read, an unknown key or a value of another type."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        path = folder / NAME
        if path.is_file():
            _apply(path)
            return path
        if (folder / ".git").exists():
            break
    return None


def _apply(path: Path) -> None:
    import tomllib  # most calls find no file to read

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UsageError(f"{path}: {problem}") from problem
    for key in data:
        if key != "languages":
            raise UsageError(f"{path}: unknown key {key!r}", hint="the only table so far is [languages.NAME]")
    languages = data.get("languages", {})
    if not isinstance(languages, dict):
        raise UsageError(f"{path}: languages is no table", hint="write [languages.NAME]")
    for name, table in languages.items():
        if not isinstance(table, dict):
            raise UsageError(f"{path}: languages.{name} is no table")
        registry.add(_language(path, name, table))


def _language(path: Path, name: str, table: Mapping[str, Any]) -> Language:
    known = {field.name for field in fields(Language)} - {"name", "grammar"}
    values: dict[str, Any] = {}
    source = {key: table[key] for key in _GRAMMAR if key in table}
    if not source.keys() & {"module", "library", "pack"}:
        raise UsageError(
            f"{path}: languages.{name} names no grammar",
            hint='give module = "tree_sitter_…" or library = "….so"',
        )
    if "library" in source:
        source["library"] = str((path.parent / str(source["library"])).resolve())
    for key, value in table.items():
        if key in _GRAMMAR:
            continue
        if key not in known:
            raise UsageError(
                f"{path}: languages.{name} has no key {key!r}", hint=f"one of {', '.join(sorted(known))}"
            )
        values[key] = _value(path, f"languages.{name}.{key}", key, value)
    return Language(name=name, grammar=Grammar(**source), **values)


def _value(path: Path, where: str, key: str, value: Any) -> Any:
    """A value of the type that the field of a language has."""
    kind = str({field.name: field.type for field in fields(Language)}[key])
    try:
        if key == "skeletons":
            made = tuple(Skeleton(**one) for one in value)
            for skeleton in made:
                if skeleton.rung not in RUNGS:
                    raise UsageError(
                        f"{path}: {where}: no rung is called {skeleton.rung!r}", hint=", ".join(RUNGS)
                    )
            return made
        if key == "embedded":
            return tuple(Embedding(**one) for one in value)
        if key == "defines":
            rules = tuple(Defines(**one) for one in value)
            for rule in rules:
                if rule.sort not in SORTS:
                    raise UsageError(
                        f"{path}: {where}: no sort is called {rule.sort!r}", hint=", ".join(SORTS)
                    )
            return rules
        if kind == "bool" or kind == "str":
            expected = bool if kind == "bool" else str
            if not isinstance(value, expected):
                raise TypeError
            return value
        if kind.startswith("Mapping[str, frozenset"):
            return {parent: frozenset(_texts(inner)) for parent, inner in value.items()}
        if kind.startswith("Mapping[str, tuple"):
            return {parent: tuple(tuple(_texts(run)) for run in runs) for parent, runs in value.items()}
        if kind.startswith("Mapping"):
            return {str(one): str(other) for one, other in value.items()}
        if kind.startswith("tuple[frozenset"):
            return tuple(frozenset(_texts(group)) for group in value)
        if kind.startswith("frozenset[tuple"):
            return frozenset((_texts(pair)[0], _texts(pair)[1]) for pair in value)
        return frozenset(_texts(value)) if kind.startswith("frozenset") else tuple(_texts(value))
    except (TypeError, AttributeError, IndexError) as problem:
        raise UsageError(f"{path}: {where} is not of the type {kind}") from problem


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise TypeError
    return value
