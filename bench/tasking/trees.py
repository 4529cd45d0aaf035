"""Trees, and how the checks know what should have come out.

Nothing here uses the engine: what is expected of Python comes from the parser of CPython, the
rest from texts that were planted, and from compilers.
"""

from __future__ import annotations

import ast
import io
import shutil
import subprocess
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Snapshot = dict[str, bytes]


def copy(corpus: Path, trees: Iterable[str], root: Path) -> None:
    """A fresh copy of *trees* below *root*."""
    for name in trees:
        shutil.copytree(corpus / name, root / name.rsplit("/", 1)[-1], symlinks=True)


def snapshot(root: Path) -> Snapshot:
    """Every file below *root* but those of the store."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink() and ".structural" not in path.parts
    }


def differing(before: Snapshot, after: Snapshot) -> list[str]:
    """Paths that are not the same in both."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


# --- Python, by the parser of CPython ------------------------------------------------------------


def parsed(source: bytes) -> ast.Module | None:
    """The tree, or None if it is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError):
            return None


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Every call, but those inside of f-strings, whose places CPython 3.11 does not know."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        if isinstance(node, ast.Call):
            yield node
        todo.extend(ast.iter_child_nodes(node))


def names_of_methods(source: bytes, name: str) -> list[int]:
    """Where the name of a called method begins: in ``x.name(…)``, the offset of ``name``."""
    tree = parsed(source)
    if tree is None:
        return []
    starts = _starts(source)
    found = [
        starts[call.func.end_lineno - 1] + call.func.end_col_offset - len(name)
        for call in calls(tree)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == name
        and call.func.end_lineno
        and call.func.end_col_offset is not None
    ]
    return sorted(at for at in set(found) if source[at : at + len(name)] == name.encode())


def names_of_functions(source: bytes, name: str) -> list[int]:
    """The same for ``name(…)``."""
    tree = parsed(source)
    if tree is None:
        return []
    starts = _starts(source)
    return sorted(
        starts[call.func.lineno - 1] + call.func.col_offset
        for call in calls(tree)
        if isinstance(call.func, ast.Name) and call.func.id == name
    )


def _starts(source: bytes) -> list[int]:
    """Offsets of the beginnings of lines, as CPython counts lines."""
    starts, at = [0], 0
    for line in source.replace(b"\r\n", b" \n").replace(b"\r", b"\n").split(b"\n"):
        at += len(line) + 1
        starts.append(at)
    if source.startswith(b"\xef\xbb\xbf"):
        starts[0] = 3
    return starts


def renamed(source: bytes, places: Iterable[int], old: str, new: str) -> bytes:
    """*source* with *new* for *old* at *places*."""
    for at in sorted(places, reverse=True):
        source = source[:at] + new.encode() + source[at + len(old) :]
    return source


def comments(source: bytes) -> list[str]:
    """The comments of a Python source, in order."""
    try:
        return [
            token.string
            for token in tokenize.tokenize(io.BytesIO(source).readline)
            if token.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return []


def dumped(source: bytes) -> str:
    """The tree as a text without places; empty if it is no Python."""
    tree = parsed(source)
    return "" if tree is None else ast.dump(tree)


# --- others ---------------------------------------------------------------------------------------


def missing(before: Iterable[str], after: bytes) -> list[str]:
    """Texts of *before* that do not stand in *after*, each as often as it is too few."""
    return [
        text
        for text, number in Counter(before).items()
        for _ in range(number - after.count(text.encode("utf-8", "surrogateescape")))
    ]


def broken_javascript(root: Path, paths: Iterable[str]) -> list[str]:
    """The files that Node does not take; none are looked at where there is no Node."""
    node = shutil.which("node")
    if node is None:
        return []
    bad = []
    for path in paths:
        made = subprocess.run([node, "--check", str(root / path)], capture_output=True, check=False)
        if made.returncode:
            bad.append(path)
    return bad


def edited(root: Path, path: str, change: Callable[[str], str]) -> None:
    """Change a file, as somebody else would."""
    place = root / path
    place.write_bytes(change(place.read_bytes().decode()).encode())
