"""Rows: tokens that follow each other in every match.  A file with a match has each of them.

The rows of all cases are held against the matches of the slow way.  Then pieces of the
corpus are taken as patterns, and their files are written anew with comments, line ends,
parentheses, marks and adornments between the tokens of a match: whatever the slow way
still finds, the rows must let through.  ``python -m tests.test_filters_rows ROUNDS`` does
the same at length.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from structural.errors import StructuralError
from structural.pattern import compile_pattern
from structural.pattern.compile import Reading
from structural.pattern.tables import Options, tables
from structural.search import source as searching
from structural.search.source import search_source
from structural.syntax import registry
from structural.syntax.candidates import may_begin_with, may_go_on_with
from structural.syntax.grammar import load_named
from structural.syntax.parse import parse
from tests.campaigns.fuzz import COMMENTS, Corpus, piece_pattern, relaid
from tests.cases_format import read_case
from tests.cases_runner import options

pytestmark = pytest.mark.usefixtures("filtered_from_the_start")

CASES = Path(__file__).parent / "cases"
CORPUS = Path(__file__).parent.parent / "corpus"

BETWEEN = (" ", "\n", "\t", "\r\n", "\\\n", "(", ")", ",", ";", "\f", "()", ": int", "@x ", "static ", "é ")
"""What is put between tokens, beside comments; mostly it makes other code of it."""


def _held_back(source: bytes, reading: Reading) -> list[bytes]:
    """The rows that hold *source* back though the slow way finds a match of their language there."""
    found = search_source(source, reading.language, {reading.language: reading}, prefilter=False).matches
    if not found:
        return []
    return [row.pattern for row in reading.rows if not row.search(source)]


FOLDERS = sorted({path.parent for path in CASES.rglob("*.md")})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_rows_let_every_case_through(folder: Path) -> None:
    for path in sorted(folder.glob("*.md")):
        case = read_case(path)
        if case.reserved or case.one("error"):
            continue
        for pattern in case.every("pattern"):
            try:
                readings = compile_pattern(pattern.body, pattern.searched_as, **options(case)).readings
            except StructuralError:
                continue
            for before in case.every("before"):
                host = registry.resolve(before.searched_as)
                for reading in readings:
                    if reading.language == host:
                        assert not _held_back(before.source(), reading), path


def test_rows_are_looked_for_when_enough_was_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = compile_pattern("raise E($X)", "python").first
    beside = b"raise F\nE\n"
    one = {"python": reading}
    monkeypatch.setattr(searching, "ROWS_BYTES", 10)
    assert search_source(beside, "python", one).parsed
    monkeypatch.setattr(searching, "ROWS_BYTES", 0)
    assert not search_source(beside, "python", one).parsed
    assert search_source(b"raise \\\n (E)(1)\n", "python", one).matches
    assert search_source(b"raise ( # why\n E)(1)\n", "python", one).matches


@pytest.mark.parametrize(
    ("language", "pattern", "row"),
    [
        ("python", "raise E($X)", "raise E"),
        ("python", "$X.f().g()", ". f ( ) . g ( )"),
        ("python", "f(self, $X)", "f ( self ,"),
        # A parameter may have a type.
        ("python", "def f(self): $$$B", ""),
        # One argument may bring its own parentheses.
        ("python", "f($X)", ""),
        ("c", "BUG_ON(!$X)", "BUG_ON ( !"),
        ("c", "f($A, FLAG)", ", FLAG )"),
        # Attributes may stand before a parameter.
        ("rust", "f(a)", ""),
        ("go", "$X.Close()", ". Close ( )"),
        # Keywords may be written in any case.
        ("php", "new Foo($X)", ""),
    ],
)
def test_rows_of_a_pattern(language: str, pattern: str, row: str) -> None:
    rows = compile_pattern(pattern, language).first.rows
    assert any(found.fullmatch(row.encode()) for found in rows) if row else not rows


def test_a_language_that_does_not_tell_its_comments_has_no_rows() -> None:
    assert compile_pattern("# f", "markdown").first.rows == ()


def _rounds(rounds: int, seed: int) -> Iterator[tuple[str, str, bytes, list[bytes]]]:
    """Language, pattern, text and the rows that hold it back: drawn pieces, their texts written anew."""
    rng = random.Random(seed)
    corpus = Corpus.of([CORPUS])
    languages = sorted({path.name for path in CORPUS.iterdir()} & set(registry.names()))
    for _ in range(rounds):
        language = rng.choice(languages)
        source = corpus.text(rng, language)
        pattern = piece_pattern(rng, source, language)
        try:
            readings = compile_pattern(pattern, language).readings if pattern else ()
        except StructuralError:
            continue
        for reading in readings[:3]:
            if not reading.rows:
                continue
            one = {reading.language: reading}
            if reading.language != language:
                continue
            found = search_source(source, language, one, prefilter=False).matches
            yield language, pattern, source, _held_back(source, reading)
            for match in found[:2]:
                for _ in range(6):
                    text = _written_anew(source, match.span.start, match.span.end, language, rng)
                    yield language, pattern, text, _held_back(text, reading)
            moved = relaid(parse(source, language), rng) if language in COMMENTS else None
            if moved is not None:
                yield language, pattern, moved, _held_back(moved, reading)


def _written_anew(source: bytes, start: int, end: int, language: str, rng: random.Random) -> bytes:
    """The match at [start, end) alone in its text, with something between some of its tokens."""
    columns = parse(source, language)
    lines = registry.get(language).line_comments
    comments = [f"{text} note\n" for text in lines] + [f"{text} a \\ b\r\n" for text in lines]
    comments += [COMMENTS[language]] if COMMENTS.get(language) else []
    places = sorted(
        {columns.start[i] for i, n in enumerate(columns.size) if n == 1 and start < columns.start[i] < end}
    )
    text, at = b"", start if rng.random() < 0.5 else 0
    for place in rng.sample(places, min(len(places), rng.choice((1, 1, 2, 4)))) if places else ():
        if place < at:
            continue
        text += source[at:place] + rng.choice((*BETWEEN, *comments, *comments)).encode()
        at = place
    return text + source[at:]


@pytest.mark.parametrize("seed", range(12))
def test_rows_let_through_what_is_written_otherwise(seed: int) -> None:
    for language, pattern, text, held in _rounds(12, seed):
        assert not held, (language, pattern, held, text)


@pytest.mark.parametrize("language", sorted(path.name for path in CORPUS.iterdir()))
def test_comments_begin_as_the_language_says(language: str) -> None:
    told = registry.get(language)
    if not (told.line_comments or told.comment_starts):
        return
    grammar = load_named(language)
    assert grammar.language is told
    for path in sorted((CORPUS / language).rglob("*")):
        if not path.is_file():
            continue
        columns = parse(path.read_bytes(), language)
        for start, end in (*columns.comments, *columns.layout):
            text = columns.source[start:end].strip()
            lines = tuple(mark.encode() for mark in told.line_comments)
            others = tuple(mark.encode() for mark in (*told.comment_starts, "\\"))
            if not text or text.startswith(others):
                continue
            assert text.startswith(lines) if lines else False, (path, text)
            assert b"\n" not in text, (path, text)


@pytest.mark.parametrize("language", registry.names())
def test_what_rows_take_for_granted(language: str) -> None:
    """Redundant parentheses are ``(`` and ``)``, and hold no declaration with its adornments."""
    told = registry.get(language)
    if not (told.line_comments or told.comment_starts):
        return
    made = tables(language, Options())
    for kind in made.parens:
        assert not may_begin_with(language, kind, made.adorned)
        assert not may_go_on_with(language, kind, made.adorned)
    lists = made.parens | made.parameter_lists
    for path in sorted((CORPUS / language).rglob("*")) if (CORPUS / language).exists() else ():
        columns = parse(path.read_bytes() if path.is_file() else b"", language)
        for i in range(len(columns)):
            if columns.kind[i] in lists:
                kids = columns.children(i)
                assert (columns.text(kids[0]), columns.text(kids[-1])) in ((b"(", b")"), (b"(", b"")), path


if __name__ == "__main__":
    number = 0
    for made in _rounds(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        number += 1
        if made[3]:
            print(*made, sep="\n")
    print(number, "texts")
