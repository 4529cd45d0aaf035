"""The trees that are measured over: folders with the language that is searched in them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.patterns import PATTERNS
from structural.syntax.registry import language_of_path

OWN = Path(__file__).resolve().parent.parent / "corpus"
"""The small files of this project: one folder a language."""

OWN_LANGUAGES = ("python", "typescript")
"""What of them is measured over if no tree is named."""

CORPUS = Path("~/.cache/structural-corpus").expanduser()
"""Where trees of real projects may lie: one folder a language, below it one a project."""


class TreeError(Exception):
    """A tree that is not there, or in whose language nothing is known to search for."""


@dataclass(frozen=True)
class Tree:
    """A folder, the name that tells of it, and the language that is searched in it."""

    name: str
    path: Path
    language: str

    def note(self) -> dict[str, object]:
        """What is kept of it: no path of this machine."""
        files = list(everything(self.path))
        sizes = sum(os.path.getsize(path) for path in files)
        own = [os.path.getsize(path) for path in files if language_of_path(path) == self.language]
        kept: dict[str, object] = {"language": self.language, "files": len(files), "bytes": sizes}
        return {**kept, "files_of_language": len(own), "bytes_of_language": sum(own)}


def everything(folder: Path) -> Iterator[str]:
    """Every regular file below *folder*; links are not followed."""
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def chosen(names: str, given: Sequence[str], corpus: Path, language: str | None = None) -> list[Tree]:
    """The trees of a run: *names* with commas below *corpus*, and *given* as NAME=PATH or PATH.

    Without either, small trees of this project.  Raises TreeError.
    """
    wanted = [(name, corpus / name) for name in (one.strip() for one in names.split(",")) if name]
    for one in given:
        name, parted, place = one.partition("=")
        wanted.append((name, Path(place)) if parted else (Path(one).resolve().name, Path(one)))
    if not wanted:
        return [Tree(f"corpus/{name}", OWN / name, name) for name in OWN_LANGUAGES]
    made = []
    for name, path in wanted:
        if not path.is_dir():
            raise TreeError(f"there is no folder {path} (for the tree {name})")
        root = path.resolve()
        made.append(Tree(name, root, language or main_language(root)))
    if len({tree.name for tree in made}) < len(made):
        raise TreeError("two trees have one name; say --tree NAME=PATH")
    return made


def main_language(folder: Path) -> str:
    """The language that most of the source below *folder* is written in, of those with patterns."""
    sizes: Counter[str] = Counter()
    for path in everything(folder):
        name = language_of_path(path)
        if name in PATTERNS:
            sizes[name] += os.path.getsize(path)
    if not sizes:
        raise TreeError(
            f"no file of a language with patterns is below {folder}; these are: {', '.join(PATTERNS)}"
        )
    return sizes.most_common(1)[0][0]
