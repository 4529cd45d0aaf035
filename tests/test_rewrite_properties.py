"""Properties of every rewrite, on pieces of real files and on drawn templates.

A piece of a file becomes a pattern by replacing nodes by metavariables; the rewrite is
that pattern with its metavariables in another order, doubled or dropped, or in a call.
What holds of every rewrite then holds, or the site is refused; nothing else is raised
than ``StructuralError``.  Rounds are numbered, so a failure can be repeated.
"""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structural.errors import StructuralError
from structural.rewrite.text import rewrite_text
from structural.syntax.parse import parse
from tests.campaigns.fuzz import Corpus
from tests.campaigns.pieces import cut_piece
from tests.cases_rewrites import consistent, kept

pytestmark = pytest.mark.usefixtures("filtered_from_the_start")

CORPUS = Path(__file__).parent.parent / "corpus"
LANGUAGES = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
ROUNDS = 1
PIECES = 2

steady = settings(deadline=None, derandomize=True, database=None, max_examples=25)

SOURCES = {
    "javascript": b"f(a, b + c, /* x */ d); // y\nif (a) g(`\n  ${h}`); else {\n  i(j)\n}\n",
    "python": b"f(a, b + c, d)  # y\nif a:\n    g('''\n  h''')\nelse:\n    i(j)\n",
    "go": b"package m\n\nfunc k() {\n\tf(a, b+c, d) // y\n\tif a {\n\t\tg(`h`)\n\t}\n}\n",
    "rust": b"fn k() {\n    f(a, b + c, d); // y\n    if a { g(h) } else { i(j) }\n}\n",
    "c": b"void k(void) {\n  f(a, b + c, d); // y\n  if (a)\n    g(h);\n  else\n    i(j);\n}\n",
}
"""Files in which ``f($A, $B, $C)`` and ``$F($X)`` are found."""

_WORDS = [
    "$A",
    "$B",
    "$C",
    "f",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ";",
    "\n",
    " ",
    "-",
    "+",
    "x",
    '"',
    "//",
    ":",
]
TEMPLATES = st.lists(st.sampled_from(_WORDS), max_size=10).map("".join)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.of([CORPUS])


def rewrites(pattern: str, rng: random.Random) -> list[str]:
    """Rewrites of *pattern*: its metavariables exchanged, doubled and dropped, and all of it in a call."""
    return [
        pattern.replace("$A", "$\0").replace("$B", "$A").replace("$\0", "$B") if "$B" in pattern else pattern,
        pattern.replace("$B", "$A"),
        pattern.replace("$A", rng.choice(["x", "0", "a + b"])),
        f"wrap({pattern})",
        "$A" if "$A" in pattern else "",
    ]


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_piece_is_rewritten_or_refused(language: str, number: int, corpus: Corpus) -> None:
    rng = random.Random(f"{language} {number}")
    source = corpus.text(rng, language)
    columns = parse(source, language)
    done = 0
    for _ in range(6 * PIECES):
        piece = cut_piece("", columns, rng)
        if piece is None or done >= PIECES or piece.pattern.strip() == "$A":
            continue
        done += 1
        for rewrite in rewrites(piece.pattern, rng):
            try:
                made = rewrite_text(piece.pattern, rewrite, source, language)
            except StructuralError:
                continue
            except Exception as error:
                error.add_note(f"{piece.pattern!r} => {rewrite!r} in {language}")
                raise
            faults = [*consistent(made), *kept(made, language)]
            assert not faults, f"{piece.pattern!r} => {rewrite!r}\n{made.text.decode()}\n{faults}"
            if rewrite == piece.pattern:
                assert not made.sites, f"{piece.pattern!r} rewritten to itself is an edit"


@given(TEMPLATES, st.sampled_from(sorted(SOURCES)), st.sampled_from(["f($A, $B, $C)", "$A($B)"]))
@steady
def test_any_template_is_written_or_refused(template: str, language: str, pattern: str) -> None:
    with suppress(StructuralError):
        made = rewrite_text(pattern, template, SOURCES[language], language)
        assert not [*consistent(made), *kept(made, language)]


@given(st.text(max_size=30), st.sampled_from(sorted(SOURCES)))
@steady
def test_any_text_as_a_template_is_written_or_refused(template: str, language: str) -> None:
    with suppress(StructuralError):
        made = rewrite_text("f($A, $B, $C)", template, SOURCES[language], language)
        assert not [*consistent(made), *kept(made, language)]


@given(st.binary(max_size=120), st.sampled_from(sorted(SOURCES)))
@steady
def test_any_bytes_are_rewritten(source: bytes, language: str) -> None:
    with suppress(StructuralError):
        made = rewrite_text("$A($B)", "g($B, $A)", source + b"\nf(x)\n", language)
        assert not [*consistent(made), *kept(made, language)]
