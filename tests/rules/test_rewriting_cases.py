"""The cases of ``tests/cases/rules``: what rules make of a file.

Each is also run on its text with other line ends, and twice: what came out is changed again only where
the case says so.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from structural.rules.compile import compile_rules
from structural.rules.reading import read_rules
from structural.rules.rewriting import RuleRewriter, RulesRewritten, choose
from structural.syntax.parse import parse
from structural.text import LineIndex
from structural.text.edits import apply, checked, inverse
from tests.cases_format import Case, Refusal, read_case, read_refusals

CASES = Path(__file__).parents[1] / "cases" / "rules"
FILES = sorted(CASES.glob("rewrite_*.md"))


def _rewriter(case: Case) -> RuleRewriter:
    block = case.one("rule")
    assert block is not None
    read = read_rules(block.body.encode(), "rules.yml")
    rules, problems = compile_rules(read.rules, read.utilities)
    assert not [*map(str, (*read.problems, *problems))]
    title, suspicious = block.option("title"), block.option("suspicious") == "yes"
    made = RuleRewriter(
        rules, choose(rules.rules.values(), title=title, suspicious=suspicious), read.utilities
    )
    assert not made.problems, [str(one) for one in made.problems]
    again: RuleRewriter = pickle.loads(pickle.dumps(made))
    return again


def _refusals(made: RulesRewritten) -> list[Refusal]:
    lines = LineIndex(made.source)
    places = [(lines.position(one.refused.span.start), one.refused.reason) for one in made.refused]
    return [Refusal("", place.line, place.column, reason) for place, reason in places]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = read_case(path)
    rewriter = _rewriter(case)
    block, refused = case.one("rule"), case.one("refused")
    assert block is not None
    stable = block.option("until-stable") == "yes"
    found: list[Refusal] = []
    for before, after in zip(case.every("before"), case.every("after"), strict=True):
        source = before.source()
        made = rewriter.rewrite(source, before.language, until_stable=stable)
        assert made.text.decode() == after.source().decode()
        found += _refusals(made)
        _holds(made, before.language)
        again = rewriter.rewrite(made.text, before.language, until_stable=stable)
        asked = block.option("again") == "yes"
        told = any(counts.again for counts in made.counts.values())
        assert (bool(again.sites) or told) == asked
        windows = rewriter.rewrite(source.replace(b"\n", b"\r\n"), before.language, until_stable=stable)
        assert windows.text == made.text.replace(b"\n", b"\r\n")
    wanted = [] if refused is None else read_refusals(case, refused)
    assert sorted(map(str, found)) == sorted(map(str, wanted))


def _holds(made: RulesRewritten, language: str) -> None:
    """What holds for every rewrite."""
    edits = checked(made.edits, len(made.source))
    assert apply(made.source, edits) == made.text
    assert apply(made.text, inverse(made.source, edits)) == made.source
    assert parse(made.text, language).errors <= parse(made.source, language).errors
    assert sum(counts.sites for counts in made.counts.values()) >= len(made.sites)
    for one in made.sites:
        assert one.rules
        # Each can be dropped: what is left is code.
        rest = [edit for other in made.sites if other is not one for edit in other.site.edits]
        left = apply(made.source, sorted(rest))
        assert parse(left, language).errors <= parse(made.source, language).errors


def test_there_are_cases() -> None:
    assert len(FILES) > 20
