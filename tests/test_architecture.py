"""The layers of the program, as data, and the check that the code keeps them.

``MAY_IMPORT`` is the table of ARCHITECTURE.md.  Every module is read, not
imported, so an import inside a function or under ``TYPE_CHECKING`` counts too.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "structural"

_BELOW_WORKFLOW = frozenset(
    {
        "dap",
        "graph",
        "lsp",
        "pattern",
        "rewrite",
        "rules",
        "search",
        "staging",
        "syntax",
        "text",
        "verify",
        "wire",
    }
)

MAY_IMPORT: dict[str, frozenset[str]] = {
    "errors": frozenset(),
    "text": frozenset(),
    "syntax": frozenset({"text"}),
    "pattern": frozenset({"text", "syntax"}),
    "rewrite": frozenset({"text", "syntax", "pattern"}),
    "rules": frozenset({"text", "syntax", "pattern", "rewrite"}),
    "search": frozenset({"text", "syntax", "pattern"}),
    "staging": frozenset({"text"}),
    "wire": frozenset({"text"}),
    "lsp": frozenset({"text", "wire"}),
    "dap": frozenset({"text", "wire"}),
    "verify": frozenset({"text", "syntax", "wire", "lsp"}),
    "graph": frozenset({"text", "syntax", "search"}),
    "workflow": _BELOW_WORKFLOW,
    "agent": frozenset({"workflow"}),
    "cli": frozenset({"workflow", "agent"}),
}
"""Package → the packages it may import, besides itself, ``errors`` and the standard library."""

OWNERS: dict[str, frozenset[str]] = {
    "tree_sitter": frozenset({"syntax"}),
    "numpy": frozenset({"syntax", "pattern", "search"}),
    "rignore": frozenset({"search"}),
    "regex": frozenset({"text"}),
    "ahocorasick_rs": frozenset({"rules"}),
    "yaml": frozenset({"rules"}),
    "zstandard": frozenset({"search"}),
    "distributed": frozenset({"search"}),
    "click": frozenset({"cli"}),
    "rich": frozenset({"cli"}),
    "jsonschema": frozenset({"agent"}),
    "mcp": frozenset({"agent"}),
    "mcp_types": frozenset({"agent"}),
    "uvicorn": frozenset({"agent"}),
    "anyio": frozenset({"agent", "cli"}),
}
"""Other distributions → the packages that may import them.  Grammars are ``tree_sitter``."""

WRITERS: dict[str, str] = {
    "staging/disk.py": "the door that writes: every change of the user's files and of the store",
    "search/index/folder.py": "indexes, below the user's cache folder and nowhere else",
    "search/ignored.py": "a folder for the moment, in which ignore rules are asked",
    "workflow/scanning/cache.py": "what scans keep, below the user's cache folder",
    "cli/edit/looking.py": "the file that --html names",
    "cli/edit/review.py": "standard output",
    "cli/output.py": "standard output",
}
"""Modules that change a disk by themselves, by path below ``structural/``, and what they write."""

LONG_MODULES: dict[str, str] = {}
"""Modules over ``LONGEST`` lines, by path below ``structural/``, each with its reason."""

LONGEST = 500


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module, with dots, and the line it stands on."""

    module: str
    line: int


def imports_of(text: str, package: str, names: frozenset[str] = frozenset(MAY_IMPORT)) -> list[Import]:
    """Every module that *text* imports, wherever it stands.

    *package* is the dotted package of the module, for relative imports.  ``from
    structural import text`` is the package ``structural.text`` if *names* has it.
    """
    found: list[Import] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, package)
            if module == "structural":
                found += [
                    Import(f"structural.{alias.name}" if alias.name in names else module, node.lineno)
                    for alias in node.names
                ]
            else:
                found.append(Import(module, node.lineno))
        elif isinstance(node, ast.Call) and _called(node) in {"import_module", "__import__"}:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.append(Import(first.value, node.lineno))
    return found


def faults_of(relative: str, text: str) -> list[str]:
    """One sentence for every import of the module at *relative* that breaks a rule."""
    parts = Path(relative).with_suffix("").parts
    if parts == ("__init__",):
        return []  # the front door may show anything
    owner = parts[0]
    package = ".".join(("structural", *parts[:-1]))
    faults: list[str] = []
    for found in imports_of(text, package):
        place = f"structural/{relative}:{found.line}"
        reason = _wrong(owner, found.module)
        if reason:
            faults.append(f"{place} imports {found.module}, but {reason}.")
    return faults


def _wrong(owner: str, module: str) -> str:
    """Why a module of the package *owner* may not import *module*; empty if it may."""
    top, _, rest = module.partition(".")
    if top == "structural":
        target = rest.split(".")[0]
        if not target:
            return "the top package only re-exports: name the package that owns the thing"
        if target in {owner, "errors"}:
            return ""
        if owner not in MAY_IMPORT:
            return f"{owner!r} has no row in MAY_IMPORT"
        allowed = MAY_IMPORT[owner]
        if target in allowed:
            return ""
        return f"{owner!r} may import only {_listed(allowed)} (see ARCHITECTURE.md)"
    if top in sys.stdlib_module_names:
        return ""
    name = "tree_sitter" if top.startswith("tree_sitter") else top
    if name not in OWNERS:
        return "this distribution has no row in OWNERS"
    if owner in OWNERS[name]:
        return ""
    return f"only {_listed(OWNERS[name])} may use {name}"


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    base = package.split(".")
    kept = base[: len(base) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "errors and the standard library"


def _modules() -> list[str]:
    return sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def test_every_import_stays_in_its_layer() -> None:
    faults = [
        fault
        for relative in _modules()
        for fault in faults_of(relative, (PACKAGE / relative).read_text(encoding="utf-8"))
    ]
    assert not faults, "\n" + "\n".join(faults)


def test_every_package_has_a_row() -> None:
    tops = {Path(relative).with_suffix("").parts[0] for relative in _modules()} - {"__init__", "__main__"}
    missing = sorted(tops - set(MAY_IMPORT))
    assert not missing, f"these packages have no row in MAY_IMPORT: {', '.join(missing)}"


def test_the_table_has_no_cycle() -> None:
    done: set[str] = set()
    while len(done) < len(MAY_IMPORT):
        ready = {name for name, allowed in MAY_IMPORT.items() if name not in done and allowed <= done}
        assert ready, f"these rows import one another: {sorted(set(MAY_IMPORT) - done)}"
        done |= ready


_CHANGES = frozenset(
    [
        *("replace", "rename", "unlink", "remove", "mkdir", "makedirs", "rmdir", "link", "symlink"),
        *("truncate", "utime", "chmod", "rmtree", "move", "copyfile", "copy2", "write_bytes", "write_text"),
    ]
)


def _writes(text: str) -> bool:
    """Whether a module calls what changes a disk."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
            of = node.func.value
            if node.func.attr.startswith("write_") or (
                isinstance(of, ast.Name) and of.id in ("os", "shutil")
            ):
                return True
        if isinstance(node.func, ast.Name) and node.func.id == "open":
            modes = [*node.args[1:2], *(one.value for one in node.keywords if one.arg == "mode")]
            if any(isinstance(mode, ast.Constant) and set(str(mode.value)) & set("wax+") for mode in modes):
                return True
    return False


def test_only_named_modules_write() -> None:
    writers = {
        relative for relative in _modules() if _writes((PACKAGE / relative).read_text(encoding="utf-8"))
    }
    unnamed = sorted(writers - set(WRITERS))
    assert not unnamed, f"these change a disk and are not named in WRITERS: {', '.join(unnamed)}"
    stale = sorted(set(WRITERS) - writers)
    assert not stale, f"these no longer do, drop them from WRITERS: {', '.join(stale)}"
    assert all(WRITERS.values())


def test_long_modules_are_named_with_their_reason() -> None:
    lengths = {
        relative: len((PACKAGE / relative).read_text(encoding="utf-8").splitlines())
        for relative in _modules()
    }
    too_long = {relative for relative, lines in lengths.items() if lines > LONGEST}
    unnamed = [
        f"structural/{relative} has {lengths[relative]} lines"
        for relative in sorted(too_long - set(LONG_MODULES))
    ]
    assert not unnamed, (
        f"split these, or name them in LONG_MODULES with the reason: {', '.join(unnamed)} (limit {LONGEST})"
    )
    stale = sorted(set(LONG_MODULES) - too_long)
    assert not stale, f"these are no longer over {LONGEST} lines, drop them from LONG_MODULES: {stale}"
    assert all(LONG_MODULES.values())


def test_every_module_says_what_it_is() -> None:
    silent = [
        f"structural/{relative}"
        for relative in _modules()
        if (text := (PACKAGE / relative).read_text(encoding="utf-8")).strip()
        and not ast.get_docstring(ast.parse(text))
    ]
    assert not silent, f"these modules have no docstring: {', '.join(silent)}"


@pytest.mark.parametrize(
    ("relative", "text", "part"),
    [
        ("text/spans.py", "from structural.syntax import parse", "'text' may import only errors"),
        ("text/spans.py", "from structural import syntax", "imports structural.syntax"),
        ("text/spans.py", "from ..syntax import parse", "imports structural.syntax"),
        ("pattern/match.py", "def f():\n    from structural.search import walk", ":2 imports"),
        ("pattern/match.py", "if TYPE_CHECKING:\n    import structural.cli.main", ":2 imports"),
        ("pattern/match.py", "import tree_sitter", "only syntax may use tree_sitter"),
        ("search/scan.py", "import tree_sitter_python as p", "only syntax may use tree_sitter"),
        ("search/scan.py", "importlib.import_module('tree_sitter_go')", "only syntax"),
        ("search/scan.py", "import click", "only cli may use click"),
        ("cli/main.py", "import rignore", "only search may use rignore"),
        (
            "cli/main.py",
            "from structural.pattern.values import Match",
            "'cli' may import only agent, workflow",
        ),
        ("cli/main.py", "import requests", "no row in OWNERS"),
        ("cli/main.py", "from structural import search_text", "name the package that owns the thing"),
        ("odd/new.py", "import structural.text", "no row in MAY_IMPORT"),
    ],
)
def test_a_wrong_import_is_told_in_a_sentence(relative: str, text: str, part: str) -> None:
    (fault,) = faults_of(relative, text)
    assert part in fault
    assert fault.startswith(f"structural/{relative}:")


@pytest.mark.parametrize(
    ("relative", "text"),
    [
        ("__init__.py", "from structural.search import search_text"),
        ("pattern/match.py", "import re\nfrom structural.text import Span\nfrom structural import errors"),
        (
            "pattern/match.py",
            "from .values import Match\nfrom structural.syntax import columns\nimport numpy as np",
        ),
        ("syntax/grammars.py", "import tree_sitter, tree_sitter_language_pack"),
        (
            "cli/main.py",
            "import click\nfrom rich.console import Console\nfrom structural.workflow import search",
        ),
    ],
)
def test_a_right_import_is_no_fault(relative: str, text: str) -> None:
    assert faults_of(relative, text) == []
