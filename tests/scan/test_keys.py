"""The keys of findings are the same whether all of a file is looked at or only what is around them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from structural.rules.compile import compile_rules
from structural.rules.reading import read_rules
from structural.syntax import registry
from structural.syntax.outline import outline
from structural.syntax.parsed import Parsed
from structural.text import Span
from structural.workflow.scanning.keys import Contexts, keys_of
from structural.workflow.scanning.raw import raw_of

CORPUS = Path(__file__).resolve().parent.parent.parent / "corpus"
FILES = sorted(
    path for path in CORPUS.rglob("*") if path.is_file() and registry.language_of_path(str(path)) is not None
)

NAMES_TWICE = b"""\
def f():
    x = 1
    y = g(1)

if z:
    y = 2
    def h():
        y = g(2)

y = g(3)

class C:
    y = 1
    y = g(4)

    def m(self):
        return g(5)  # the last

    def n(self):
        return 1
"""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CORPUS)))
def test_what_is_around_a_place_is_told_from_a_part_of_the_file(path: Path) -> None:
    source, host = path.read_bytes(), str(registry.language_of_path(str(path)))
    text = Parsed(source, host)
    whole = text.whole()
    of_all = Contexts(outline(source, host, columns=whole).definitions)
    chance = random.Random(path.name)
    for number in (1, 1, 2, 5):
        nodes = [chance.randrange(len(whole)) for _ in range(number)]
        spans = sorted({(whole.start[i], whole.end[i]) for i in nodes})
        part = text.enclosing(spans)
        of_part = Contexts(outline(source, host, columns=part, heads=False).definitions)
        for span in spans:
            assert of_part.of(Span(*span)) == of_all.of(Span(*span))


def test_bodies_without_a_place_are_left_out() -> None:
    at = NAMES_TWICE.index(b"g(3)")
    text = Parsed(NAMES_TWICE, "python")
    assert len(text.enclosing([(at, at + 4)])) < len(text.whole()) / 1.5


def test_a_name_that_was_given_before_defines_no_second_time() -> None:
    places = [NAMES_TWICE.index(b"g(%d)" % number) for number in range(1, 6)]
    spans = [Span(at, at + 4) for at in places]
    contexts = [keys_of(NAMES_TWICE, "python", [("r", span)])[0].context for span in spans]
    assert contexts == [key.context for key in keys_of(NAMES_TWICE, "python", [("r", s) for s in spans])]
    of_all = Contexts(outline(NAMES_TWICE, "python").definitions)
    assert contexts == [of_all.of(span) for span in spans]


def test_the_tree_of_the_engine_serves_the_keys() -> None:
    read = read_rules(b"id: r\nlanguage: python\nmessage: m\nrule: {pattern: g($X)}\n", "r.yml")
    rules, problems = compile_rules(read.rules)
    assert not read.problems
    assert not problems
    raw = raw_of(rules, NAMES_TWICE, "python", None, keys=True)
    assert len(raw.keys) == 5
    assert raw.keys == keys_of(NAMES_TWICE, "python", [(one.rule, one.span) for one in raw.findings])
