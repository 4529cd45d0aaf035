"""Which paths the ignore rules of a tree leave out, also such as are not there yet.

Ignore files speak of what they find, so the question is put to the same reader as for a
search, in a folder for the moment that holds nothing but these paths, the folders above them
and their ignore files.  What git tracks is not ignored, whatever the rules say.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable

from structural.search import tracked
from structural.search.admitted import RULES, admitted, rules_above

__all__ = ["ignored"]


def ignored(root: str, paths: Iterable[str]) -> frozenset[str]:
    """Those of *paths*, which are relative to the folder *root*, that a search of *root* would leave
    out as ignored.  OSError if no folder for the moment can be made."""
    root = os.path.realpath(root)
    wanted = sorted(set(paths))
    folders = {folder for path in wanted for folder in _above(path)}
    there = [folder for folder in sorted(folders) if os.path.isdir(os.path.join(root, folder))]
    rules = rules_above(root)
    if not rules and not any(
        os.path.lexists(os.path.join(root, folder, name)) for folder in there for name in RULES
    ):
        return frozenset()
    with tempfile.TemporaryDirectory(prefix="structural-") as made:
        _imitate(made, root, there)
        top = made + root
        for path in wanted:
            full = os.path.join(top, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            if not os.path.lexists(full):
                with open(full, "xb"):
                    pass
        let_through = admitted(top, hidden=True)
        left_out = {
            path
            for path in wanted
            if os.path.basename(path) not in let_through.get(os.path.dirname(os.path.join(top, path)), ())
        }
    return frozenset(left_out - _tracked(root, left_out))


def _above(path: str) -> list[str]:
    """The folders above a path, from the root, which is empty."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]


def _imitate(made: str, root: str, folders: list[str]) -> None:
    """The folders from the top of the file system down, with what says which rules count."""
    levels = [root]
    while os.path.dirname(levels[-1]) != levels[-1]:
        levels.append(os.path.dirname(levels[-1]))
    levels.reverse()
    levels += [os.path.join(root, folder) for folder in folders if folder]
    # Where the folder for the moment lies is nobody's business: no rules from above it.
    os.mkdir(os.path.join(made, ".git"))
    inside_git: set[str] = set()
    for level in levels:
        copy = made + level
        os.makedirs(copy, exist_ok=True)
        mark = os.path.join(level, ".git")
        if os.path.lexists(mark) or os.path.dirname(level) in inside_git:
            inside_git.add(level)
        if os.path.isdir(mark):
            os.makedirs(os.path.join(copy, ".git", "info"), exist_ok=True)
            _copy(os.path.join(mark, "info", "exclude"), os.path.join(copy, ".git", "info", "exclude"))
        else:
            _copy(mark, os.path.join(copy, ".git"))
        _copy(os.path.join(level, ".ignore"), os.path.join(copy, ".ignore"))
        if level in inside_git:  # a .gitignore elsewhere is none to git either
            _copy(os.path.join(level, ".gitignore"), os.path.join(copy, ".gitignore"))


def _copy(path: str, to: str) -> None:
    if os.path.isfile(path) and not os.path.lexists(to):
        try:
            shutil.copyfile(path, to)
        except PermissionError:
            return  # whoever walks cannot read it either


def _tracked(root: str, paths: set[str]) -> set[str]:
    """Those of *paths* that git tracks."""
    found: set[str] = set()
    asked = {os.path.dirname(path) for path in paths if os.path.lexists(os.path.join(root, path))}
    for folder in sorted(asked):
        prefix = f"{folder}/" if folder else ""
        found |= {prefix + path for path in tracked.begin(os.path.join(root, folder)).paths()}
    return found & paths
