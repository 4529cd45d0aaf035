"""What a project says of its scans: the table ``[scan]`` of its configuration.

    [scan]
    rules = ["rules", "catalogue/python"]     # folders and files, relative to the configuration
    utils = ["rules/utils"]
    tests = ["rules/tests"]
    ignores = ["vendor/"]
    fail-on = "warning"
    baseline = "scan-baseline.json"
    unused-suppressions = "error"
    require-reason = true

    [scan.severity]
    no-eval = "error"
    "tag:style" = "off"

The same keys stand under ``scan`` in ``structural.yml``.  Where there is neither, an ``sgconfig.yml`` of
ast-grep is read.  Nothing here reads a rule.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from structural.errors import UsageError
from structural.rules.values import Problem, Severity
from structural.workflow import config

FAIL_ON = ("error", "warning", "info", "hint", "never")

TAG = "tag:"
"""Before a key of ``severity`` that is a tag."""

SGCONFIG = ("sgconfig.yml", "sgconfig.yaml")


@dataclass(frozen=True, slots=True)
class Settings:
    """The table with its folders as they are seen from the current folder.

    ``folder`` is that of the configuration, absolute; globs are relative to it.  ``path`` is the
    configuration, empty if there is none.
    """

    folder: str
    path: str = ""
    rules: tuple[str, ...] = ()
    utils: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    """Id of a rule, or ``tag:`` and a tag → what it counts as."""
    fail_on: str = "error"
    """The least severity of which a finding makes the exit code 1."""
    baseline: str = ""
    unused: Severity = Severity.WARNING
    """Of a suppression that suppresses nothing."""
    require_reason: bool = False
    dialect: str = ""
    """Whose rule files these are, if not ours (``rules.reading``)."""
    languages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Language → globs of files that are in it, whatever their names say."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with the configuration and does not keep it from being used."""

    def severity_of(self, rule: str, tags: tuple[str, ...], own: Severity) -> Severity:
        """What a rule counts as: as its id says, else the first of its tags, else as it says itself."""
        named = self.severity.get(rule)
        if named is not None:
            return named
        for tag in tags:
            if (named := self.severity.get(TAG + tag)) is not None:
                return named
        return own


def read_settings(path: str | None = None, start: Path | None = None) -> Settings:
    """The settings of the configuration at *path*, else of the nearest at or above *start* (the current
    folder).  UsageError names the file and the key of a mistake."""
    here = (start or Path.cwd()).resolve()
    if path is not None:
        if not os.path.isfile(path):
            raise UsageError(f"there is no configuration {path!r}")
        found: Path | None = Path(path)
    else:
        found = config.find(here) or _sgconfig(here)
    if found is None:
        return Settings(str(here))
    shown = os.path.relpath(found)
    folder = os.path.realpath(found.parent)
    if found.name in SGCONFIG:
        from structural.workflow.scanning.sgconfig import settings_of

        return settings_of(found, shown, folder)
    table = config.read(found).get("scan", {})
    return _settings(shown, folder, table)


def seen(folder: str, name: str) -> str:
    """A name of the configuration as it is seen from the current folder; the catalogue stays itself."""
    if name == "catalogue" or name.startswith("catalogue/"):
        return name
    return os.path.relpath(os.path.join(folder, name))


def _sgconfig(here: Path) -> Path | None:
    for folder in (here, *here.parents):
        for name in SGCONFIG:
            if (folder / name).is_file():
                return folder / name
        if (folder / ".git").exists():
            break
    return None


def _settings(path: str, folder: str, table: Any) -> Settings:
    if not isinstance(table, dict):
        raise UsageError(f"{path}: scan is no table", hint="write [scan]")
    values: dict[str, Any] = {}
    for key, value in table.items():
        reader = _KEYS.get(key)
        if reader is None:
            close = get_close_matches(str(key), _KEYS, n=1)
            raise UsageError(
                f"{path}: scan has no key {key!r}",
                hint=f"did you mean {close[0]}?" if close else f"one of {', '.join(_KEYS)}",
            )
        try:
            name, made = reader(value)
        except ValueError as problem:
            raise UsageError(f"{path}: scan.{key} {problem}") from None
        values[name] = made
    for name in ("rules", "utils", "tests"):
        values[name] = tuple(seen(folder, one) for one in values.get(name, ()))
    if values.get("baseline"):
        values["baseline"] = seen(folder, values["baseline"])
    return dataclasses.replace(Settings(folder, path), **values)


def _texts(name: str) -> Callable[[Any], tuple[str, Any]]:
    def read(value: Any) -> tuple[str, Any]:
        given = [value] if isinstance(value, str) else value
        if not isinstance(given, list) or not all(isinstance(one, str) and one for one in given):
            raise ValueError("is no list of texts")
        return name, tuple(given)

    return read


def _text(name: str) -> Callable[[Any], tuple[str, Any]]:
    def read(value: Any) -> tuple[str, Any]:
        if not isinstance(value, str):
            raise ValueError("is no text")
        return name, value

    return read


def _flag(name: str) -> Callable[[Any], tuple[str, Any]]:
    def read(value: Any) -> tuple[str, Any]:
        if not isinstance(value, bool):
            raise ValueError("is neither true nor false")
        return name, value

    return read


def _severity(value: Any) -> Severity:
    try:
        return Severity(value)
    except ValueError:
        raise ValueError(f"is no severity: {value!r}; one of {', '.join(Severity)}") from None


def _fail_on(value: Any) -> tuple[str, Any]:
    if value not in FAIL_ON:
        raise ValueError(f"is {value!r}, and must be one of {', '.join(FAIL_ON)}")
    return "fail_on", value


def _severities(value: Any) -> tuple[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("is no table of ids of rules, or `tag:NAME`, with severities")
    return "severity", {str(name): _severity(one) for name, one in value.items()}


_KEYS: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "rules": _texts("rules"),
    "utils": _texts("utils"),
    "tests": _texts("tests"),
    "ignores": _texts("ignores"),
    "severity": _severities,
    "fail-on": _fail_on,
    "baseline": _text("baseline"),
    "unused-suppressions": lambda value: ("unused", _severity(value)),
    "require-reason": _flag("require_reason"),
}
