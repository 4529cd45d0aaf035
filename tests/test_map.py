"""The map of the program and the list of its modules: short enough to be read, and true."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "structural"


def _said() -> dict[str, str]:
    """Every module by its path, with the first sentences of its docstring; the languages are one."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        if relative.name == "__init__.py":
            relative = relative.parent
            if not relative.parts:
                continue
        elif relative.parts[:2] == ("syntax", "languages"):
            continue
        found[str(relative.with_suffix(""))] = " ".join(told.split("\n\n")[0].split())
    return found


def test_the_list_of_modules_says_what_the_modules_say() -> None:
    listed: dict[str, str] = {}
    package = ""
    for line in (ROOT / "docs" / "modules.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            package = line.strip("# `")
        elif line.startswith("- "):
            name, said = re.fullmatch(r"- `([\w/]+?)/?`: (.*)", line).groups()  # type: ignore[union-attr]
            name = name if name == package else f"{package}/{name}"
            assert name not in listed, f"{name} is listed twice"
            listed[name] = said
        elif package and line and package not in listed:
            listed[package] = line
    said = _said()
    assert sorted(listed) == sorted(said), "a module came or went: list it where one meets it"
    assert listed == said


def test_the_map_is_short() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) < 200
