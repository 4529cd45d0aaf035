"""Every case, searched with a memory: in the tree of all files of its folder, as without one.

The files of a folder of cases make one tree.  Each pattern of the folder is searched in it
when its files are cold, when they are parsed again and kept, and when they are warm.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.errors import StructuralError
from structural.search.memory import Memory
from structural.search.values import PatternSpec, Selection
from structural.syntax import registry
from tests.cases_format import Case, read_case
from tests.cases_runner import options
from tests.memory_checks import put, same, settle

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted({path.parent for path in CASES.rglob("*.md")})

MOST = 60
"""Patterns of a folder that are tried; of more, every second or third."""


def _tree(cases: list[Case], root: Path) -> None:
    for number, case in enumerate(cases):
        for at, before in enumerate(case.every("before")):
            host = registry.get(registry.resolve(before.searched_as))
            suffix = min(host.suffixes, default="")
            put(root, f"{number:03}_{at}{suffix}", before.source())


def _spec(case: Case) -> PatternSpec:
    pattern = case.one("pattern")
    assert pattern is not None
    asked = options(case)
    return PatternSpec(
        pattern.body,
        (pattern.searched_as,),
        rung=asked["rung"],
        strictness=asked["strictness"],
        equivalences=asked["equivalences"],
        without=asked["without"],
        kind=asked["kind"],
        where=asked["where"],
        relations=asked["relations"],
    )


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_every_pattern_is_answered_as_without_a_memory(folder: Path, tmp_path: Path) -> None:
    cases = [case for case in map(read_case, sorted(folder.glob("*.md"))) if not case.reserved]
    cases = [case for case in cases if case.one("pattern") is not None and not case.one("error")]
    _tree(cases, tmp_path)
    settle()
    selection = Selection((str(tmp_path),))
    cold, warm = Memory(), Memory()
    warm.warm(selection)
    matches = 0
    for at, case in enumerate(cases[:: 1 + len(cases) // MOST]):
        spec = _spec(case)
        try:
            results = same(spec, selection, warm)
        except StructuralError:
            continue
        matches += results.summary.matches
        if at % 4 == 0:
            for _ in range(2):
                same(spec, selection, cold)
    assert matches or not cases
