"""Parts of a rewrite by themselves: what stays of two rows of tokens, white space, and runs put together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structural.rewrite.align import align
from structural.rewrite.layout import Layout, level, step_of, would_glue
from structural.rewrite.stable import MOST_PASSES, until_stable
from structural.rewrite.text import rewrite_text
from structural.rewrite.values import RewriteSite, Rewritten
from structural.rewrite.written import Item
from structural.syntax.parse import parse
from structural.text import Edit, Span
from structural.text.edits import apply, checked

steady = settings(deadline=None, derandomize=True, database=None, max_examples=80)


# --- what stays ------------------------------------------------------------------------------------------


def items(text: str) -> list[Item]:
    """Words parted by spaces as items; ``$A`` is a metavariable."""
    found = []
    for at, word in enumerate(text.split()):
        name = word[1:] if word.startswith("$") else None
        found.append(Item((at, at + 1), word.encode(), name=name))
    return found


def staying(pattern: str, rewrite: str) -> str:
    left, right = items(pattern), items(rewrite)
    return " ".join(left[i].text.decode() for i, j in align(left, right) if left[i].key == right[j].key)


@pytest.mark.parametrize(
    ("pattern", "rewrite", "stays"),
    [
        ("f ( $A )", "f ( $A )", "f ( $A )"),
        ("f ( $A )", "g ( $A )", "( $A )"),
        ("if ( $A ) { $B }", "if ( ! $A ) { $B }", "if ( $A ) { $B }"),
        ("f ( $A )", "g ( x , $A )", "( $A )"),
        ("f ( $A )", "$A", "$A"),
        ("$A", "f ( $A )", "$A"),
        ("a", "b", ""),
        ("", "b", ""),
    ],
)
def test_what_stays(pattern: str, rewrite: str, stays: str) -> None:
    assert staying(pattern, rewrite) == stays


@given(
    st.lists(st.sampled_from(["$A", "$B", "f", "x", "(", ")", ","]), max_size=9).map(" ".join),
    st.lists(st.sampled_from(["$A", "$B", "f", "x", "(", ")", ","]), max_size=9).map(" ".join),
)
@steady
def test_pairs_rise_in_both(pattern: str, rewrite: str) -> None:
    pairs = align(items(pattern), items(rewrite))
    for side in (0, 1):
        numbers = [pair[side] for pair in pairs]
        assert numbers == sorted(set(numbers))
    if pattern == rewrite:
        assert pairs == [(n, n) for n in range(len(items(pattern)))]


# --- white space ------------------------------------------------------------------------------------------


def layout(source: bytes, language: str = "javascript") -> Layout:
    from structural.pattern.tables import Options, tables

    made = tables(language, Options())
    return Layout(parse(source, language), made.strings, made.blank)


@pytest.mark.parametrize(
    ("source", "unit"),
    [
        (b"a;\n", b""),
        (b"{\n  a;\n  {\n    b;\n  }\n}\n", b"  "),
        (b"{\n    a;\n}\n", b"    "),
        (b"{\n\ta;\n\t{\n\t\tb;\n\t}\n}\n", b"\t"),
        (b"{\n\ta;\n}\n/*\n  one\n*/\n{\n\tb;\n}\n", b"\t"),
    ],
)
def test_the_unit_of_a_file(source: bytes, unit: bytes) -> None:
    assert layout(source).unit == unit


def test_a_new_line_ends_like_those_beside_it() -> None:
    made = layout(b"a;\r\nb;\nc;\r\nd;")
    assert [made.eol(at) for at in (0, 4, 7, 11)] == [b"\r\n", b"\n", b"\r\n", b"\r\n"]
    assert layout(b"a;").eol(0) == b"\n"


def test_indentation_is_that_of_the_line() -> None:
    made = layout(b"\xef\xbb\xbf  a;\n\tb; c;\n")
    assert made.indent(5) == b"  "
    assert made.indent(9) == b"\t"
    assert made.indent(12) == b"\t"


def test_lines_in_strings_and_comments_are_not_free() -> None:
    source = b"f(`\n  a\n${\n  b}`,\n  /* c\n  d */\n  e);\n"
    found = layout(source).free_line_starts(0, len(source))
    lines = [source[at:].split(b"\n")[0] for at in found]
    assert b"  a" not in lines
    assert b"  d */" not in lines
    assert {b"  /* c", b"  e);"} <= set(lines)


def test_a_shift_changes_what_lines_begin_with() -> None:
    source = b"{\n  a;\n\n    b;\n c;\n}\n"
    made = layout(source).shifted(1, len(source), (b"  ", b"\t"))
    assert apply(source, [Edit(Span(a, b), new) for a, b, new in made]) == b"{\n\ta;\n\n\t  b;\n c;\n}\n"
    assert layout(source).shifted(1, len(source), (b"  ", b"  ")) == []


def test_levels_of_a_template() -> None:
    assert step_of(b"\n    ", b"\n  ", b" ") == b"  "
    assert step_of(b"\n\t\t", b"\n\t") == b"\t"
    assert step_of(b" ", b"") == b""
    assert level(b"      ", b"  ") == 3
    assert level(b"  ", b"") == 0


@pytest.mark.parametrize(
    ("before", "after", "words", "operators"),
    [
        (b"return", b"a", True, True),
        (b"return", b"(", False, False),
        (b"a", b"1", True, True),
        (b"$", b"a", True, True),
        ("é".encode(), b"a", True, True),
        (b"-", b"-1", False, True),
        (b"/", b"*p", False, True),
        (b"&", b"&a", False, True),
        (b"(", b"-", False, False),
        (b"", b"a", False, False),
        (b"\xef\xbb\xbf", b"a", False, False),
    ],
)
def test_what_would_become_one_token(before: bytes, after: bytes, words: bool, operators: bool) -> None:
    assert would_glue(before, after) is words
    assert would_glue(before, after, operators=True) is operators


# --- runs put together ---------------------------------------------------------------------------------


@st.composite
def some_edits(draw: st.DrawFn, source: bytes) -> tuple[RewriteSite, ...]:
    """Sites over *source*, of one or two edits each."""
    cuts = sorted(draw(st.lists(st.integers(0, len(source)), min_size=2, max_size=8)))
    found: list[Edit] = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        new = draw(st.binary(max_size=4))
        free = not found or found[-1].span.end < start
        if free and source[start:end] != new:
            found.append(Edit(Span(start, end), new))
    sites = []
    while found:
        taken = draw(st.integers(1, 2))
        edits, found = tuple(found[:taken]), found[taken:]
        sites.append(RewriteSite(Span(edits[0].span.start, edits[-1].span.end), edits))
    return tuple(sites)


def rewritten(source: bytes, sites: tuple[RewriteSite, ...]) -> Rewritten:
    text = apply(source, sorted(edit for site in sites for edit in site.edits))
    return Rewritten(source, text, sites, matches=len(sites))


@given(st.data())
@steady
def test_runs_put_together_are_the_runs_one_after_the_other(data: st.DataObject) -> None:
    source = data.draw(st.binary(min_size=1, max_size=24))
    first = rewritten(source, data.draw(some_edits(source)))
    following: list[Rewritten] = []

    def once(text: bytes) -> Rewritten:
        if len(following) >= 3:
            return Rewritten(text, text)
        following.append(rewritten(text, data.draw(some_edits(text))))
        return following[-1]

    made = until_stable(first, once)
    last = [run for run in (first, *following) if run.sites][-1:]
    if not made.cycle:
        assert made.text == (last[0].text if last else source)
    edits = checked(made.edits, len(source))
    assert apply(source, edits) == made.text
    counted = sum(site.matches for site in made.sites)
    assert counted <= sum(len(run.sites) for run in (first, *following))


def test_sites_whose_edits_meet_become_one() -> None:
    first = rewritten(b"f(1) g(2)", (RewriteSite(Span(0, 4), (Edit(Span(0, 1), b"h"),)),))
    runs = iter(
        [
            rewritten(
                b"h(1) g(2)",
                (
                    RewriteSite(Span(0, 4), (Edit(Span(0, 2), b"i["),)),
                    RewriteSite(Span(5, 9), (Edit(Span(5, 6), b"k"),)),
                ),
            )
        ]
    )
    made = until_stable(first, lambda text: next(runs, Rewritten(text, text)))
    assert made.text == b"i[1) k(2)"
    assert [(site.edits, site.matches) for site in made.sites] == [
        ((Edit(Span(0, 2), b"i["),), 2),
        ((Edit(Span(5, 6), b"k"),), 1),
    ]
    assert made.passes == 2


def test_a_text_that_comes_back_ends_the_runs() -> None:
    made = rewrite_text("f($A, $B)", "f($B, $A)", "f(1, 2)", "javascript", until_stable=True)
    assert made.cycle


def test_a_text_that_only_grows_ends_the_runs() -> None:
    made = rewrite_text("f($A)", "f(f($A))", "f(1)", "javascript", until_stable=True)
    assert made.cycle
    assert made.passes <= MOST_PASSES
    assert len(made.text) < 1_000_000
    assert apply(made.source, checked(made.edits, len(made.source))) == made.text


def test_no_depth_of_matches_is_too_much() -> None:
    source = "f(" * 1_000 + "1" + ")" * 1_000
    made = rewrite_text("f($A)", "g($A)", source, "javascript")
    assert sum(site.matches for site in made.sites) + made.overlapping + len(made.refused) == 1_000
    whole = rewrite_text("f($A)", "g($A)", source, "javascript", until_stable=True)
    assert whole.text == source.replace("f", "g").encode()


def test_two_passes_are_the_second_after_the_first() -> None:
    source = "add(add(add(1, 2), 3), x); add(add(y, add(add(4, 5), 6)), z);"
    pattern, rewrite = "add(add($A, $B), $C)", "add($A, add($B, $C))"
    made = rewrite_text(pattern, rewrite, source, "javascript", until_stable=True)
    text = source.encode()
    for _ in range(made.passes):
        text = rewrite_text(pattern, rewrite, text, "javascript").text
    assert made.text == text
    assert made.passes > 1
    assert not made.again
