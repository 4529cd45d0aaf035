"""Places that were found by something else than one pattern, and are rewritten all the same."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from structural.errors import RewriteError
from structural.pattern.compile import compile_pattern
from structural.pattern.values import Binding
from structural.rewrite.given import Given, GivenTemplate
from structural.rewrite.source import rewrite_source
from structural.rewrite.values import Rewritten
from structural.text import Span


def _span(source: str, text: str) -> Span:
    start = source.index(text)
    return Span(start, start + len(text))


def _rewritten(
    language: str,
    source: str,
    place: str,
    rewrite: str,
    *patterns: str,
    kind: str = "",
    target: str = "",
    bound: Mapping[str, str] | None = None,
    texts: Mapping[str, bytes] | None = None,
) -> Rewritten:
    compiled = [compile_pattern(pattern, language) for pattern in patterns]
    template = GivenTemplate(rewrite, language, [(one, one.first) for one in compiled], target)
    spans = {name: _span(source, text) for name, text in (bound or {}).items()}
    bindings = tuple(Binding(name, span, (span,)) for name, span in spans.items())
    given = Given(_span(source, place), kind, bindings, texts or {}, whole=bool(target))
    return rewrite_source(source.encode(), language, {language: template.run([given])[0]})


def _after(*args: str, **options: object) -> str:
    return _rewritten(*args, **options).text.decode()  # type: ignore[arg-type]


def test_a_pattern_at_the_place_says_what_stays() -> None:
    source = "if (a) { f(/* c */ x, y) }"
    made = _rewritten(
        "javascript",
        source,
        "f(/* c */ x, y)",
        "g($X, $Y, $Z)",
        "f($X, $Y)",
        bound={"X": "x", "Y": "y", "Z": "a"},
    )
    assert made.text == b"if (a) { g(/* c */ x, y, a) }"
    assert [edit.new for edit in made.edits] == [b"g", b", a"]


def test_only_the_places_that_were_given() -> None:
    assert _after("javascript", "f(1); f(2); f(3)", "f(2)", "g($X)", "f($X)") == "f(1); f(2); f(3)"
    made = _after("javascript", "f(1); f(2); f(3)", "f(2)", "g($X)", "f($X)", bound={"X": "2"})
    assert made == "f(1); g(2); f(3)"


def test_without_a_pattern_the_node_is_written_anew() -> None:
    made = _after(
        "javascript", "h(f(x, y + 1)) - 1", "f(x, y + 1)", "$Y * $X", bound={"X": "x", "Y": "y + 1"}
    )
    assert made == "h((y + 1) * x) - 1"


def test_a_comment_in_what_is_written_anew_is_never_lost() -> None:
    made = _rewritten("javascript", "f(/* c */ x)", "f(/* c */ x)", "g($X)", bound={"X": "x"})
    assert [one.reason for one in made.refused] == ["a comment would be lost"]


def test_what_ends_a_statement_stays() -> None:
    options: dict[str, object] = {"kind": "expression_statement", "bound": {"X": "x"}}
    assert _after("javascript", "f(x);\ng()", "f(x);", "h($X)", **options) == "h(x);\ng()"


def test_the_code_of_a_metavariable() -> None:
    made = _after("javascript", "f(x, y + 1)", "y + 1", "$Y * 2", target="Y", bound={"Y": "y + 1"})
    assert made == "f(x, (y + 1) * 2)"


def test_a_place_that_goes() -> None:
    assert _after("python", "def f():\n    b()\n", "b()", "", kind="call") == "def f():\n    pass\n"
    assert _after("python", "f(a, b, c)\n", "b", "", kind="identifier") == "f(a, c)\n"


def test_a_text_that_was_made() -> None:
    made = _after("python", "f(getName)\n", "f(getName)", "$N()", "f($A)", texts={"N": b"get_name"})
    assert made == "get_name()\n"


def test_a_name_that_is_not_bound_here_is_refused() -> None:
    made = _rewritten("python", "f(1)\n", "f(1)", "g($B)", "f($A)", bound={"A": "1"})
    assert [one.reason for one in made.refused] == ["nothing is bound to $B here"]


def test_blocks_of_lines() -> None:
    source = "def f():\n    if a:\n        b()\n        c()\n    return\n"
    place, body = "if a:\n        b()\n        c()", "b()\n        c()"
    made = _after(
        "python", source, place, "while $C:\n    $B", kind="if_statement", bound={"C": "a", "B": body}
    )
    assert made == "def f():\n    while a:\n        b()\n        c()\n    return\n"


def test_what_is_no_code_is_told_at_once() -> None:
    with pytest.raises(RewriteError):
        GivenTemplate("if (", "javascript")
