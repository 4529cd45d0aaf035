"""The project's configuration: ``structural.toml`` (or ``.yml``) in the folder of the call or above it.

    [languages.mylang]
    module = "tree_sitter_mylang"      # a grammar wheel; or
    library = "grammars/mylang.so"     # a shared library, relative to the configuration
    suffixes = [".my"]
    comments = ["comment"]
    skeletons = [{ rung = "statement" }, { rung = "expression", before = "x = ", after = ";" }]

Every field of ``structural.syntax.language.Language`` may be given.  Read once, at
the start of a command; a mistake is an error that names the file and the key.  The table
``[scan]`` is read by ``scanning.settings``, where it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from structural.errors import UsageError
from structural.syntax import registry
from structural.syntax.language import RUNGS, SORTS, Defines, Embedding, Grammar, Language, Skeleton

NAMES = ("structural.toml", "structural.yml", "structural.yaml")

_TABLES = ("languages", "scan")

_GRAMMAR = ("module", "function", "pack", "library", "symbol")


def load(start: Path | None = None) -> Path | None:
    """Read the nearest configuration at or above *start* (the current folder) and add its languages.

    Gives the file, None if there is none.  Raises UsageError for a file that cannot be
    read, an unknown key or a value of another type."""
    path = find(start)
    if path is not None:
        _apply(path)
    return path


def find(start: Path | None = None) -> Path | None:
    """The nearest configuration at or above *start*, no further than the top of a work tree of git.
    UsageError if there are two in one folder."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        found = [path for name in NAMES if (path := folder / name).is_file()]
        if len(found) > 1:
            raise UsageError(
                f"{folder} has two configurations: {' and '.join(path.name for path in found)}",
                hint="put all of it in one of them",
            )
        if found:
            return found[0]
        if (folder / ".git").exists():
            break
    return None


def read(path: Path) -> dict[str, Any]:
    """The tables of a configuration."""
    try:
        text = path.read_bytes()
        data = _toml(text) if path.suffix == ".toml" else _yaml(text)
    except (OSError, ValueError) as problem:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise UsageError(f"{path}: {problem}") from problem
    for key in data:
        if key not in _TABLES:
            raise UsageError(
                f"{path}: unknown key {key!r}", hint="the tables are [languages.NAME] and [scan]"
            )
    return data


def _toml(text: bytes) -> dict[str, Any]:
    import tomllib  # most calls find no file to read

    return tomllib.loads(text.decode())


def _yaml(text: bytes) -> dict[str, Any]:
    from structural.rules.yaml import documents

    found = documents(text)
    if found.faults:
        fault = found.faults[0]
        raise ValueError(f"line {fault.at.line}: {fault.message}")
    if len(found.nodes) > 1:
        raise ValueError("it is more than one document")
    data = _plain(found.nodes[0]) if found.nodes else {}
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ValueError("it is no mapping")
    return data


def _plain(node: Any) -> Any:
    """A node of YAML as what TOML would give."""
    from structural.rules.yaml import Mapping, Sequence

    if isinstance(node, Mapping):
        return {key.text: _plain(value) for key, value in node.entries}
    if isinstance(node, Sequence):
        return [_plain(one) for one in node.items]
    return node.value


def _apply(path: Path) -> None:
    data = read(path)
    languages = data.get("languages", {})
    if not isinstance(languages, dict):
        raise UsageError(f"{path}: languages is no table", hint="write [languages.NAME]")
    for name, table in languages.items():
        if not isinstance(table, dict):
            raise UsageError(f"{path}: languages.{name} is no table")
        registry.add(_language(path, name, table))


def add_language(path: Path, name: str, table: Mapping[str, Any]) -> None:
    """Make the language of a table of the configuration at *path* known."""
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
