"""Edits: what a list of them must be, what it makes of a text, and how it is taken back."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structural.text import Edit, Span
from structural.text.edits import apply, checked, inverse

steady = settings(deadline=None, derandomize=True, database=None, max_examples=80)


def edit(start: int, end: int, new: bytes) -> Edit:
    return Edit(Span(start, end), new)


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[bytes, tuple[Edit, ...]]:
    source = draw(st.binary(max_size=30))
    cuts = sorted(draw(st.lists(st.integers(0, len(source)), max_size=8)))
    news = draw(st.lists(st.binary(max_size=4), min_size=4, max_size=4))
    found: list[Edit] = []
    for at, new in zip(range(0, len(cuts) - 1, 2), news, strict=False):
        start, end = cuts[at], cuts[at + 1]
        if not found or found[-1].span.end < start or (found[-1].span.end == start and start < end):
            found.append(edit(start, end, new))
    return source, tuple(found)


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([], b"abcdef"),
        ([edit(0, 0, b"x")], b"xabcdef"),
        ([edit(6, 6, b"x")], b"abcdefx"),
        ([edit(0, 6, b"")], b""),
        ([edit(1, 2, b"BB"), edit(2, 3, b"")], b"aBBdef"),
        ([edit(1, 1, b"x"), edit(1, 3, b"y")], b"axydef"),
        ([edit(4, 5, b"E"), edit(1, 2, b"B")], b"aBcdEf"),
    ],
)
def test_edits_are_put_in_order_and_applied(edits: list[Edit], after: bytes) -> None:
    ordered = checked(edits, 6)
    assert list(ordered) == sorted(edits)
    assert apply(b"abcdef", ordered) == after


@pytest.mark.parametrize(
    ("edits", "part"),
    [
        ([edit(0, 3, b""), edit(2, 4, b"")], "overlap at byte 2"),
        ([edit(0, 3, b""), edit(1, 1, b"x")], "overlap at byte 1"),
        ([edit(2, 2, b"x"), edit(2, 2, b"y")], "overlap at byte 2"),
        ([edit(5, 7, b"")], "leaves the text at byte 5"),
        ([edit(7, 7, b"x")], "leaves the text at byte 7"),
        ([edit(3, 2, b"")], "leaves the text at byte 3"),
        ([edit(-1, 2, b"")], "at byte -1"),
    ],
)
def test_edits_that_do_not_go_together_are_a_fault(edits: list[Edit], part: str) -> None:
    with pytest.raises(ValueError, match=part):
        checked(edits, 6)


def test_the_inverse_of_the_inverse_is_the_edit() -> None:
    source = b"one two three"
    edits = (edit(0, 3, b"1"), edit(4, 7, b"second"), edit(13, 13, b"!"))
    after = apply(source, edits)
    back = inverse(source, edits)
    assert after == b"1 second three!"
    assert apply(after, back) == source
    assert inverse(after, back) == edits


@given(texts_with_edits())
@steady
def test_an_inverse_takes_every_list_of_edits_back(drawn: tuple[bytes, tuple[Edit, ...]]) -> None:
    source, edits = drawn
    edits = checked(edits, len(source))
    after = apply(source, edits)
    assert apply(after, inverse(source, edits)) == source


@given(texts_with_edits())
@steady
def test_bytes_outside_of_edits_are_the_same(drawn: tuple[bytes, tuple[Edit, ...]]) -> None:
    source, edits = drawn
    after = apply(source, edits)
    kept = b""
    at = 0
    for one in edits:
        kept += source[at : one.span.start]
        at = one.span.end
    kept += source[at:]
    left = after
    for one in reversed(inverse(source, edits)):
        left = left[: one.span.start] + left[one.span.end :]
    assert left == kept


@given(texts_with_edits(), st.integers())
@steady
def test_the_order_in_which_edits_are_given_does_not_count(
    drawn: tuple[bytes, tuple[Edit, ...]], seed: int
) -> None:
    source, edits = drawn
    mixed = list(edits)
    random.Random(seed).shuffle(mixed)
    assert checked(mixed, len(source)) == checked(edits, len(source))
