"""Every file under ``tests/cases/`` is one test; see ``cases_format`` for how it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.errors import StructuralError
from tests.cases_format import read_case
from tests.cases_runner import identity_problems, run_case

CASES = Path(__file__).parent / "cases"
FILES = sorted(path for path in CASES.rglob("*.md") if path.parent.name != "rules")


def _files() -> list[Path]:
    return sorted(CASES.rglob("*.md"))


KNOWN_WRONG: dict[str, str] = {
    "search/comment_in_pattern_is_required": "a comment with other white space is another comment",
}
"""Case → why its pattern rewritten to itself is an edit.  A case that is right may not stand here."""

every_case = pytest.mark.parametrize(
    "path", FILES, ids=lambda path: path.relative_to(CASES).with_suffix("").as_posix()
)


@every_case
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


@every_case
def test_a_pattern_rewritten_to_itself_is_no_edit(path: Path) -> None:
    name = path.relative_to(CASES).with_suffix("").as_posix()
    case = read_case(path)
    problems = [] if case.reserved else identity_problems(case)
    if problems and name in KNOWN_WRONG:
        pytest.xfail(KNOWN_WRONG[name])
    if problems:
        shown = "\n".join(problems)
        pytest.fail(f"{case.title}\n{path}\n{shown}", pytrace=False)
    assert name not in KNOWN_WRONG, f"{name} is right now: take it out of KNOWN_WRONG"


def test_there_are_cases() -> None:
    assert FILES


def test_no_two_cases_say_the_same() -> None:
    titles: dict[str, Path] = {}
    for path in FILES:
        title = read_case(path).title
        folder = path.parent.relative_to(CASES).as_posix()
        other = titles.setdefault(f"{folder}: {title}", path)
        assert other == path, f"{path.name} and {other.name} have the same heading: {title}"
