"""The examples of ``docs/rewriting.md`` are cases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cases_format import Case, parse_case
from tests.cases_runner import identity_problems, run_case

PAGE = Path(__file__).parent.parent / "docs" / "rewriting.md"


def examples() -> list[Case]:
    """Every pattern of the page with the blocks that follow it; their lines are those of the page."""
    text = PAGE.read_text(encoding="utf-8")
    starts = [found.start() for found in re.finditer(r"^```\S+ pattern$", text, re.MULTILINE)]
    found = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line = text.count("\n", 0, start)
        body = re.sub(r"^#+ .*$", "", text[start:end], flags=re.MULTILINE)
        found.append(parse_case(PAGE, f"# Line {line + 1}" + "\n" * line + body))
    return found


@pytest.mark.parametrize("case", examples(), ids=lambda case: case.title)
def test_an_example_holds(case: Case) -> None:
    problems = run_case(case) + identity_problems(case)
    if problems:
        pytest.fail(f"{PAGE}: {case.title}\n" + "\n".join(problems), pytrace=False)


def test_the_page_is_short() -> None:
    assert PAGE.read_text(encoding="utf-8").count("\n") <= 150
