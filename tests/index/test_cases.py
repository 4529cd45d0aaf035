"""Every case, searched with an index of the tree of all files of its folder, as without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.errors import StructuralError
from structural.search import recall
from structural.search.index.build import build, verify
from structural.search.index.indexed import open_index
from structural.search.values import Selection
from tests.cases_format import read_case
from tests.memory_checks import same_with_index, settle
from tests.test_memory_cases import CASES, FOLDERS, _spec, _tree

MOST = 24
"""Patterns of a folder that are tried; of more, every second or third."""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_every_pattern_is_answered_as_without_an_index(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cases = [case for case in map(read_case, sorted(folder.glob("*.md"))) if not case.reserved]
    cases = [case for case in cases if case.one("pattern") is not None and not case.one("error")]
    root = tmp_path / "tree"
    root.mkdir()
    _tree(cases, root)
    settle()
    build(str(root), jobs=1)
    assert verify(str(root))[1] == []
    selection = Selection((str(root),))
    matches = 0
    for at, case in enumerate(cases[:: 1 + len(cases) // MOST]):
        monkeypatch.setattr(recall, "arrays_are_here", lambda at=at: at % 4 > 0)
        index = open_index(selection)
        assert index is not None
        try:
            results = same_with_index(_spec(case), selection, index)
        except StructuralError:
            continue
        matches += results.summary.matches
    assert matches or not cases
