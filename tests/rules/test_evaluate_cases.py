"""The cases ``find_*`` of ``tests/cases/rules``: what rules find in a file, or what is wrong with them.

Each is also asked without filters, and as a worker process gets the rules.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.reading import read_rules
from structural.rules.values import Finding
from structural.text import LineIndex
from tests.cases_format import Block, Case, Expected, read_case, read_expected, replace_bodies

CASES = Path(__file__).parents[1] / "cases" / "rules"
FILES = sorted(CASES.glob("find_*.md"))


def _line(finding: Finding, source: bytes, lines: LineIndex) -> Expected:
    place = lines.position(finding.span.start)
    bindings = tuple((one.name, one.span.text(source)) for one in finding.match.bindings)
    return Expected("", place.line, place.column, finding.span.text(source), bindings)


def _found(case: Case, block: Block) -> list[Expected]:
    read = read_rules(block.body.encode(), "rules.yml")
    rules, problems = compile_rules(read.rules, read.utilities)
    told = [f"{one.at.line}:{one.at.column}: {one.message}" for one in (*read.problems, *problems)]
    wrong = case.one("error")
    assert told == ([] if wrong is None else wrong.body.split("\n"))
    before = case.one("before")
    if before is None:
        return []
    source = before.source()
    made = find(pickle.loads(pickle.dumps(rules)), source, before.searched_as)
    assert made.findings == find(rules, source, before.searched_as, prefilter=False).findings
    lines = LineIndex(source)
    return [_line(one, source, lines) for one in made.findings]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case(path: Path, update_cases: bool) -> None:
    case = read_case(path)
    block, matches = case.one("rule"), case.one("matches")
    assert block is not None
    found = _found(case, block)
    if matches is None:
        assert case.one("error") is not None
        return
    wanted = read_expected(case, matches)
    agree = len(wanted) == len(found) and all(a.agrees(b) for a, b in zip(wanted, found, strict=True))
    shown = [one.printed() for one in found]
    if not agree and update_cases:
        text = path.read_text(encoding="utf-8")
        path.write_text(replace_bodies(text, [(matches, shown)]), encoding="utf-8")
        return
    assert agree, f"{case.title}\nfound:\n" + "\n".join(shown)


def test_there_are_cases() -> None:
    assert len(FILES) > 15
