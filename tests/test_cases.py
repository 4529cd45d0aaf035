"""Every file under ``tests/cases/`` is one test; see ``cases_format`` for how it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.errors import StructuralError
from tests.cases_format import read_case
from tests.cases_runner import run_case

CASES = Path(__file__).parent / "cases"


def _files() -> list[Path]:
    return sorted(CASES.rglob("*.md"))


@pytest.mark.parametrize(
    "path", _files(), ids=lambda path: path.relative_to(CASES).with_suffix("").as_posix()
)
def test_case(path: Path, update_cases: bool) -> None:
    case = read_case(path)
    if case.reserved:
        pytest.skip(f"this version has no {' and no '.join(case.reserved)}")
    try:
        problems = run_case(case, update=update_cases)
    except StructuralError as error:
        problems = [f"the search is refused: {error}\n{error.hint}"]
    if problems:
        shown = "\n".join(problems)
        pytest.fail(f"{case.title}\n{path}\n{shown}", pytrace=False)


def test_there_are_cases() -> None:
    assert _files()


def test_no_two_cases_say_the_same() -> None:
    titles: dict[str, Path] = {}
    for path in _files():
        title = read_case(path).title
        folder = path.parent.relative_to(CASES).as_posix()
        other = titles.setdefault(f"{folder}: {title}", path)
        assert other == path, f"{path.name} and {other.name} have the same heading: {title}"
