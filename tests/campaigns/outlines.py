"""Outlines of real files: what holds for all of them, what they cost, and what ctags has beside them.

    python -m tests.campaigns.outlines ROOT... [--lang python] [--files 100] [--ctags] [--show 4]

Every file is parsed, then outlined (which parses it again); the ratio of both times is
printed for each language, with the number of definitions of each sort.  A file that has an
invariant broken is a fault, and so is one that ends with an exception.  ``--ctags`` runs
universal-ctags over the same files and lists what only one of the two has, by name and line.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from structural.errors import StructuralError
from structural.syntax import registry
from structural.syntax.outline import Outline, outline
from structural.syntax.parse import parse
from structural.text import LineIndex
from tests.campaigns import filter_from_the_start
from tests.test_outline import check

_LARGEST = 2_000_000
"""Bytes of a file that is looked at."""

Places = dict[tuple[str, int], str]
"""(name, line) → sort."""


@dataclass
class Tally:
    """What was found in the files of one language."""

    files: int = 0
    parsing: float = 0.0
    outlining: float = 0.0
    sorts: Counter[str] = field(default_factory=Counter)
    ours: dict[str, Places] = field(default_factory=dict)
    """Path → definitions."""


def main() -> int:
    filter_from_the_start()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--lang", default="")
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--ctags", action="store_true")
    parser.add_argument("--show", type=int, default=4)
    given = parser.parse_args()
    faults = 0
    for root in given.roots:
        tallies: dict[str, Tally] = defaultdict(Tally)
        for path, language in _files(root, given.lang, given.files):
            faults += _one(path, language, tallies[language])
        for language, tally in sorted(tallies.items()):
            ratio = tally.outlining / max(tally.parsing, 1e-9)
            print(
                f"{root.name}: {language}: {tally.files} files, {tally.outlining:.2f} s, {ratio:.2f} × parse"
            )
            print("  " + ", ".join(f"{sort} {count}" for sort, count in tally.sorts.most_common()))
            if given.ctags:
                _compare(tally, given.show)
    return 1 if faults else 0


def _files(root: Path, language: str, most: int) -> list[tuple[Path, str]]:
    found = []
    for path in sorted(p for p in root.rglob("*") if p.is_file() and not p.is_symlink()):
        name = registry.language_of_path(str(path))
        if name and (not language or name == language) and path.stat().st_size < _LARGEST:
            found.append((path, name))
    return found[:: max(1, len(found) // most)]


def _one(path: Path, language: str, tally: Tally) -> int:
    """Look at one file; gives the number of faults."""
    source = path.read_bytes()
    try:
        source.decode()
        if not tally.files:
            outline(b"", language)  # what is made once is no part of the times
        began = time.process_time()
        parse(source, language)
        parsed = time.process_time()
        found = outline(source, language)
        ended = time.process_time()
        check(found)
    except (UnicodeDecodeError, StructuralError):
        return 0
    except Exception as problem:
        print(f"FAULT {path}: {type(problem).__name__}: {problem}")
        return 1
    tally.files += 1
    tally.parsing += parsed - began
    tally.outlining += ended - parsed
    tally.sorts.update(one.sort for one in found.definitions)
    tally.ours[str(path)] = _places(found, source)
    return 0


def _places(found: Outline, source: bytes) -> Places:
    lines = LineIndex(source)
    return {(one.name, lines.line(one.name_span.start)): one.sort for one in found.definitions}


def _compare(tally: Tally, show: int) -> None:
    theirs: dict[str, Places] = defaultdict(dict)
    command = ["ctags", "--output-format=json", "--fields=+nK", "-o", "-", "-L", "-"]
    done = subprocess.run(command, input="\n".join(tally.ours), capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") == "tag":
            theirs[tag["path"]][tag["name"], tag["line"]] = tag["kind"]
    for whose, one, other in (("ours", tally.ours, theirs), ("ctags", theirs, tally.ours)):
        only: dict[str, list[str]] = defaultdict(list)
        for path, places in one.items():
            for (name, number), sort in places.items():
                if (name, number) not in other.get(path, {}):
                    only[sort].append(f"{Path(path).name}:{number} {name}")
        for sort, names in sorted(only.items(), key=lambda item: -len(item[1])):
            print(f"  only {whose}: {len(names)} {sort}: {'; '.join(names[:show])}")


if __name__ == "__main__":
    sys.exit(main())
