"""What languages do not allow though their grammars do: the data names what the grammars have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from structural.syntax import registry
from structural.syntax.grammar import load_named
from structural.syntax.language import Language


def kinds(language: Language) -> Iterator[str]:
    """Kinds that the rules of *language* name."""
    yield from (kind.partition(" ")[0] for kind in language.weak_receivers)
    for above, _, below in language.ungrouped:
        yield above
        yield below.partition(" ")[0]
    for above, _, below, _ in language.barred:
        yield from filter(None, (above, below))
    for (above, _), below_ in language.only.items():
        yield from (above, *below_)
    for kind, homes in language.homes.items():
        yield from (kind, *homes)
    for above, rules in (*language.leads.items(), *language.last.items()):
        yield above
        for kind, behind in rules.items():
            yield from (kind, *behind)
    for kind, behind in language.header_literals.items():
        yield from (kind, *behind)
    yield from (kind for kind, _, _ in language.apart)
    yield from (*language.commands, *language.quoting, *language.flowing, *language.weak_operands)


def fields(language: Language) -> Iterator[str]:
    yield from (name for _, name, _ in language.ungrouped if name)
    yield from (name for _, name, _, _ in language.barred if name)
    yield from (name for _, name in language.only if name)


@pytest.mark.parametrize("name", registry.kept())
def test_rules_name_what_the_grammar_has(name: str) -> None:
    grammar = load_named(name)
    missing = sorted({kind for kind in kinds(grammar.language) if not grammar.has(kind)})
    assert missing == []
    assert sorted({field for field in fields(grammar.language) if not grammar.field(field)}) == []


@pytest.mark.parametrize("name", registry.kept())
def test_soft_words_are_keywords(name: str) -> None:
    grammar = load_named(name)
    words = set(grammar.language.soft_words.split())
    assert words <= {word.decode() for word in grammar.keywords}


def test_hidden_kinds_are_no_keywords() -> None:
    assert b"return" in load_named("javascript").keywords
    assert b"pattern" not in load_named("javascript").keywords
