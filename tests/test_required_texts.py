"""Texts without which a regular expression matches nowhere."""

from __future__ import annotations

import warnings

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from structural.text.required import NOTHING, required


@pytest.mark.parametrize(
    ("expression", "clauses"),
    [
        ("foo bar", [{"foo bar"}]),
        ("^foo$", [{"foo"}]),
        (r"\bself\b", [{"self"}]),
        ("foo|bar", [{"foo", "bar"}]),
        ("^(foo|bar)$", [{"foo", "bar"}]),
        ("^foo|bar$", [{"foo", "bar"}]),
        (r"^foo(\.bar|baz)+[0-9]", [{"foo"}, {".bar", "baz"}]),
        ("(?:foo|)bar", [{"bar"}]),
        ("a(?:bc|d)*ef", [{"ef"}]),
        ("(?P<n>abc)x", [{"abc"}, {"x"}]),
        ("(?>abc)(?<n>de)", [{"abc"}, {"de"}]),
        ("(?<=abc)def(?!ghi)(?=jkl)", [{"def"}]),
        ("ab+cd", [{"ab"}, {"cd"}]),
        ("ab*cd?ef", [{"ef"}]),
        ("fo{2}bar{0,3}x{,4}y{1,}?", [{"fo"}, {"ba"}]),
        ("[^]a]bc[\\]d]", [{"bc"}]),
        (r"\.\(\+", [{".(+"}]),
        ("é", [{"é"}]),
        (".", []),
        ("", []),
        ("()", []),
        ("foo|", []),
        ("foo|.*", []),
    ],
)
def test_what_is_required(expression: str, clauses: list[set[str]]) -> None:
    assert required(expression) == {frozenset(text.encode() for text in clause) for clause in clauses}


@pytest.mark.parametrize(
    "expression",
    [
        "(?i)foo",
        "(?x) f o o",
        "foo(?i:bar)",
        r"\x66oo",
        r"\u0066oo",
        r"(f)\1oo",
        r"\p{Lu}oo",
        "(?:foo){e<=1}",
        "foo{bar",
        "[[:alpha:]]oo",
        "[a&&b]oo",
        "(?P<n>f)(?P=n)oo",
        "foo(?#bar)",
        "(?(1)foo|bar)",
        "foo(*SKIP)bar",
        "foo)bar",
        "(foo",
        "[foo",
        "foo\\",
        "\ufffd",
        "(" * 100 + "foo" + ")" * 100,
    ],
)
def test_what_is_not_understood_asks_for_nothing(expression: str) -> None:
    assert required(expression) == NOTHING


_CHARACTERS = st.sampled_from(
    [*"abcé-]}", r"\.", r"\(", ".", "[ab]", "[^a]", "[]-]", r"\w", r"\s", "^", "$", r"\b"]
)
_TIMES = st.sampled_from(
    ["", "", "", "", "?", "*", "+", "{2}", "{0}", "{,2}", "{1,3}", "*?", "++", "{2}+", "{", "{e}"]
)
_GROUPS = st.sampled_from(["(", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?i:"])


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=4)
    group = st.tuples(_GROUPS, several.map("".join), _TIMES).map(lambda got: f"{got[0]}{got[1]}){got[2]}")
    return several.map("".join) | several.map("|".join) | group


_EXPRESSIONS = st.recursive(st.tuples(_CHARACTERS, _TIMES).map("".join), _larger, max_leaves=12)


@given(_EXPRESSIONS, st.lists(st.text("aabbccé-].( \n}{e", max_size=12), min_size=8, max_size=20))
def test_they_stand_wherever_it_matches(expression: str, texts: list[str]) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = regex.compile(expression)
    except regex.error:
        return
    clauses = required(expression)
    for text in texts:
        if compiled.search(text):
            assert all(any(one in text.encode() for one in clause) for clause in clauses)
