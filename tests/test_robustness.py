"""Texts and patterns that nobody should write: each gets an answer or an error that says why, soon."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress

import pytest

from structural import search_text
from structural.errors import PatternError, StructuralError
from structural.pattern import compile_pattern
from structural.pattern.describe import equivalences
from structural.pattern.metavariables import cut
from structural.search.source import search_source
from tests.campaigns.fuzz import ODD_PATTERNS

LANGUAGES = ("c", "java", "javascript", "python")

SECONDS = 5.0
"""Processor time that a single step may take."""


def spent(began: float) -> float:
    return time.process_time() - began


@pytest.mark.parametrize("language", LANGUAGES)
def test_odd_patterns_compile_or_are_refused(language: str) -> None:
    for pattern in ODD_PATTERNS:
        if len(pattern) > 300:
            continue
        began = time.process_time()
        with suppress(StructuralError):
            compile_pattern(pattern, language)
        assert spent(began) < SECONDS, pattern


@pytest.mark.parametrize(
    "pattern",
    [
        "f(" + "$A, " * 400 + ")",
        "$A;\n" * 300,
        " ".join(f"$V{n}" for n in range(100)),
        "(" * 300 + "$A" + ")" * 300,
        "'" + "$A " * 200 + "'",
    ],
    ids=["arguments", "statements", "names", "parens", "string"],
)
@pytest.mark.parametrize("language", ["c", "javascript", "swift"])
def test_a_long_pattern_is_compiled_or_refused_soon(pattern: str, language: str) -> None:
    began = time.process_time()
    with suppress(StructuralError):
        compile_pattern(pattern, language)
    assert spent(began) < SECONDS


@pytest.mark.parametrize("pattern", ["", " ", "\n\n", "\t"])
def test_an_empty_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        compile_pattern(pattern, "javascript")


@pytest.mark.parametrize("pattern", ["\udc80", "foo(\udfff, $A)", "'\ud800'"])
def test_a_lone_surrogate_is_no_code(pattern: str) -> None:
    with pytest.raises(StructuralError):
        compile_pattern(pattern, "javascript")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("$", ()),
        ("$$", ()),
        ("$$$", ()),
        ("$$$$A", ("A",)),
        ("$A$B", ("A", "B")),
        ("\\$A", ()),
        ("$$$A $$$B $A", ("A", "B")),
        ("$a $1 ${A} $(A)", ()),
        ("$Ab $É", ()),
        ("$_ $__", ("__",)),
    ],
)
def test_names_are_cut_out_of_odd_places(pattern: str, names: tuple[str, ...]) -> None:
    assert cut(pattern).names == names


def test_names_like_stand_ins_are_names() -> None:
    source = "f(qz0zq, a);\nf(b, a);\nqzz0zq(a);\n"
    assert len(search_text("f(qz0zq, $A)", source, "javascript")) == 1
    assert len(search_text("$F(qz0zq, $A)", source, "javascript")) == 1
    assert len(search_text("f($A, a)", source, "javascript")) == 2
    assert len(search_text("qzz0zq($A)", source, "javascript")) == 1


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"\xef\xbb\xbf",
        b"\0",
        b"\0" * 1000,
        b"\xff\xfe\x00",
        b"\r\r\r",
        b"f(",
        b"\xed\xa0\x80",
        b"\\" * 999,
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_without_code_have_no_matches(source: bytes, language: str) -> None:
    assert not search_text("foo($A)", source, language).matches


@pytest.mark.parametrize(
    ("language", "source", "pattern"),
    [
        ("javascript", "(" * 5_000 + "x" + ")" * 5_000, "($A)"),
        ("javascript", "f(" * 5_000 + "x" + ")" * 5_000, "f($A)"),
        ("javascript", "[" * 5_000, "[$A]"),
        ("javascript", "x = " + "a + " * 4_000 + "b", "$A + $B"),
        ("javascript", "a" + ".b()" * 5_000, "$A.b()"),
        ("javascript", "if (x) { y } else " * 5_000 + "z", "if ($A) { $$$B } else $C"),
        ("javascript", "`${" * 5_000 + "x" + "}`" * 5_000, "`${$A}`"),
        ("python", "x = " + "not " * 5_000 + "y", "not $A"),
        ("python", "x = " + "[" * 5_000 + "]" * 5_000, "[$A]"),
        ("c", "void f() " + "{" * 5_000 + "}" * 5_000, "{ $$$ }"),
        ("go", "package p\nfunc f() " + "{" * 4_000 + "}" * 4_000, "{ $$$ }"),
        ("java", "class A { " * 5_000 + "}" * 5_000, "class $A { $$$ }"),
        ("html", "<div>" * 4_000 + "x" + "</div>" * 4_000, "<div>$$$</div>"),
        ("json", "[" * 5_000 + "]" * 5_000, "[$A]"),
    ],
)
def test_deep_nesting_is_searched(language: str, source: str, pattern: str) -> None:
    began = time.process_time()
    reading = compile_pattern(pattern, language).first
    quick = search_source(source.encode(), language, {language: reading})
    slow = search_source(source.encode(), language, {language: reading}, prefilter=False)
    assert quick.matches == slow.matches
    assert spent(began) < 3 * SECONDS


def test_a_text_that_kills_its_grammar_does_not_kill_the_search() -> None:
    code = (
        "from structural import search_text\n"
        "from structural.errors import StructuralError\n"
        "try:\n"
        "    search_text('a: $A', b'- ' * 2000 + b'x\\n', 'yaml')\n"
        "except StructuralError:\n"
        "    pass\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_many_ellipses_over_a_long_list_are_polynomial() -> None:
    source = "f(" + ", ".join(map(str, range(1000))) + ");"
    began = time.process_time()
    assert not search_text("f(" + "$$$, 7, " * 10 + "x)", source, "javascript").matches
    assert search_text("f(" + "$$$, " * 10 + "999)", source, "javascript").matches
    assert spent(began) < SECONDS


def test_what_is_given_up_is_said() -> None:
    source = ("f(" + ", ".join(map(str, range(5000))) + ");").encode()
    reading = compile_pattern("f($$$, $X, $$$, $X, $$$, $X)", "javascript").first
    began = time.process_time()
    found = search_source(source, "javascript", {"javascript": reading})
    assert not found.matches
    assert spent(began) < 6 * SECONDS


def test_a_run_that_is_all_of_another_run_is_found_once() -> None:
    found = search_text("$$$", "def t\nd\nensure", "ruby").matches
    assert [(one.span.start, one.span.end) for one in found] == [(0, 14), (6, 7), (8, 14)]


def test_what_stands_for_nothing_is_inside_of_the_match() -> None:
    found = search_text("$$$A; $$$B", "o>{{,e'f'},\n", "tsx").matches
    assert found
    assert all(match.span.holds(bound.span) for match in found for bound in match.bindings)


def test_a_pattern_with_more_orders_than_can_be_tried_is_looked_for_as_written_at_once() -> None:
    began = time.process_time()
    pattern = "({" + ", ".join(f"{outer}: {{a: 1, b: 2, c: 3, d: 4}}" for outer in "vwxyz") + "})"
    reading = compile_pattern(pattern, "javascript", strictness="loose").first
    assert spent(began) < SECONDS / 5
    assert "order" not in equivalences(reading)
    few = compile_pattern("({a: 1, b: 2})", "javascript", strictness="loose").first
    assert "order" in equivalences(few)


def test_a_node_without_text_is_no_match() -> None:
    found = search_text("$X", '<script src="a.js"></script>\n', "html").matches
    assert found
    assert all(match.span.start < match.span.end for match in found)


def test_a_filter_by_shape_knows_of_adornments_of_twins() -> None:
    source = b'package p\n\ntype T struct {\n\tId uint32 `json:"id"`\n\tD  uint32\n}\n'
    reading = compile_pattern("$A $B", "go", rung="parameter").first
    found, every = (
        search_source(source, "go", {"go": reading}, prefilter=prefilter).matches
        for prefilter in (True, False)
    )
    assert found == every
    assert len(found) == 2
