"""Trials of a pattern that are not parsed are refused, and few are parsed."""

from __future__ import annotations

import contextlib
import itertools
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from structural.errors import PatternError
from structural.pattern import compile_pattern, ladder
from structural.pattern.metavariables import cut
from structural.pattern.trials import Accepted, DeadEnds, Refused, Trials, _Trial, reads_keyword_as_name
from structural.pattern.values import Attempts
from structural.syntax import deadends, registry
from structural.syntax.deadends import DeadEnd, parse_or_dead_end, parse_or_error
from structural.syntax.grammar import load_named
from structural.syntax.parse import _parse_in_time, parse

PATTERNS = (
    "for $K, $V in $D.items(): $$$",
    "if ($A) { $$$ }",
    "def $F($$$): $$$",
    "$A $OP $B",
    "$T $M($$$P) { $$$B }",
    "foo($X)",
    "case $X => $$$",
)
LANGUAGES = ("c", "dart", "elixir", "go", "haskell", "javascript", "lua", "python", "ruby", "rust", "tsx")
WHOLE = (("for $K, $V in $D.items(): $$$", "lua"), ("if ($A) { $$$ }", "ruby"), ("if ($A) { $$$ }", "go"))
"""Those of which every form is tried."""


def _rungs(pattern: str, language: str) -> Iterator[tuple[Trials, str, bool]]:
    trials = Trials(cut(pattern), load_named(language), DeadEnds())
    for extra, rung in itertools.product((False, True), trials.grammar.language.rungs):
        yield trials, rung, extra


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_not_parsed_is_refused(pattern: str, language: str) -> None:
    """Against the slow way: every trial parsed and judged."""
    quick = (pattern, language) not in WHOLE
    for trials, rung, extra in _rungs(pattern, language):
        for skeleton, terminator, forms in ladder._places(trials, rung, extra, ladder._Budget(quick=quick)):
            slow = _Trial(trials, skeleton, terminator, forms)
            judged = slow.judged(parse_or_error(slow.text, language))
            found = trials.accepted(skeleton, terminator, forms)
            if isinstance(judged, Refused):
                assert found is None, slow.text
            else:
                assert found is not None, slow.text
                assert (found.roots, found.stand_ins) == (judged.roots, judged.stand_ins)
                assert found.columns.kind == judged.columns.kind


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_furthest_refusal_is_told(pattern: str, language: str) -> None:
    """Against the slow way: the first of those with the highest column."""
    quick = (pattern, language) not in WHOLE
    for trials, rung, extra in _rungs(pattern, language):
        slow: Refused | None = None
        for place in ladder._places(trials, rung, extra, ladder._Budget(quick=quick)):
            trial = _Trial(trials, *place)
            judged = trial.judged(parse_or_error(trial.text, language))
            if isinstance(judged, Accepted):
                break
            if slow is None or judged.column > slow.column:
                slow = judged
        else:
            assert slow is not None
            told = ladder._Why(trials.fragment, language, rung, extra, 0, quick)()
            assert (told.reason, told.column) == (slow.reason, slow.column)


def test_a_dead_end_ends_behind_what_does_not_fit() -> None:
    found = parse_or_dead_end(b"x = [1, 2\ny = 3\nz = 4\n", "python", range(23))
    assert isinstance(found, DeadEnd)
    assert (found.begins, found.solid, found.at) == (b"x = [1, 2\ny ", 9, 10)
    assert parse_or_dead_end(b"x = [1, 2]\n", "python", []) == parse(b"x = [1, 2]\n", "python")
    # What is missing at the end of a text says nothing of longer ones.
    assert parse_or_dead_end(b"x = [1, 2", "python", range(9)) is None


@pytest.mark.parametrize(
    ("pattern", "language", "most"),
    [
        ("for $K, $V in $D.items(): $$$", "php", 250),
        ("for $K, $V in $D.items(): $$$", "csharp", 250),
        ("def $F($$$): $$$", "php", 250),
        ("if ($A) { $$$ }", "ruby", 100),
        ("$F($X, $X)", "toml", 50),
        ("$F($X, $X)", "python", 3),
        ("console.log($$$)", "javascript", 3),
    ],
)
def test_few_texts_are_parsed(
    pattern: str, language: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most of the thousands of forms of a pattern that is no code are not looked at."""
    parsed = 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal parsed
            parsed += 1
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr("structural.syntax.parse._parse_in_time", counted(_parse_in_time))
    monkeypatch.setattr(deadends, "_Record", counted(deadends._Record))
    with contextlib.suppress(PatternError):
        compile_pattern(pattern, language)
    assert 0 < parsed <= most


def test_attempts_are_found_out_when_they_are_looked_at() -> None:
    with pytest.raises(PatternError) as refused:
        compile_pattern("class $A($B): $$$", "rust")
    attempts = refused.value.attempts
    assert isinstance(attempts, Attempts)
    assert not any(isinstance(one, ladder.Attempt) for one in attempts._made)
    again = pickle.loads(pickle.dumps(attempts))
    assert not any(isinstance(one, ladder.Attempt) for one in again._made)
    assert list(attempts) == list(again) == list(attempts[:])
    assert all(one.reason and not one.accepted for one in attempts)


HOSTILE = {
    "brackets": "(" * 3000,
    "calls": "f(" * 3000,
    "minified": "!function(e,t){for(var n=e.a;n<t.length;)e.call(this,n[0])};" * 200,
    "nested": "(" * 5000 + "1" + ")" * 5000,
    "names": "[" + ", ".join(f"$A{i}" for i in range(200)) + "]",
    "ellipses": "$$$, " * 250,
    "words": "It's the quick (brown) fox. " * 2000,
    "quotes": "\"'`" * 500,
    "operators": " + ".join(f"$A{i}" for i in range(150)),
}


@pytest.mark.parametrize("language", ["c", "java", "javascript", "php", "python", "ruby", "rust"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_pattern_is_read_or_refused_soon(
    text: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the bytes that are parsed: the parser takes some microseconds for each."""
    parsed = 0

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(source: bytes, *args: Any) -> Any:
            nonlocal parsed
            found = function(source, *args)
            parsed += len(found.begins) if isinstance(found, DeadEnd) else len(source)
            return found

        return call

    monkeypatch.setattr("structural.pattern.trials.parse_or_error", counted(parse_or_error))
    monkeypatch.setattr("structural.pattern.trials.parse_or_dead_end", counted(parse_or_dead_end))
    with contextlib.suppress(PatternError):
        compile_pattern(text, language)
    assert 0 < parsed <= max(150_000, 20 * len(text))


def test_what_was_too_long_to_be_tried_is_told() -> None:
    with pytest.raises(PatternError) as refused:
        compile_pattern("(" * 3000, "java")
    assert "too long" in refused.value.hint
    assert any("too long" in attempt.reason for attempt in refused.value.attempts)


def test_a_long_method_is_still_read() -> None:
    """Many skeletons are tried before that of a class's member."""
    body = "const x = f(1, $S);\nif (x > 2) { g(x); }\n" * 250
    found = compile_pattern(f"private foo(a: number, b: string): void {{\n{body}}}", "typescript")
    assert found.first.rung == "member"


CORPUS = Path(__file__).resolve().parent.parent / "corpus"


@pytest.mark.parametrize("folder", sorted(path.name for path in CORPUS.iterdir() if path.is_dir()))
def test_a_keyword_that_code_has_as_a_name_is_one_in_patterns(folder: str) -> None:
    misread = set()
    for path in sorted(CORPUS.joinpath(folder).rglob("*")):
        language = registry.language_of_path(str(path)) if path.is_file() else None
        if language is None or not registry.get(language).soft_words:
            continue
        columns = parse(path.read_bytes(), language)
        if columns.errors:
            continue
        grammar = load_named(language)
        misread |= {
            f"{path.name}: {columns.text(i).decode()}"
            for i in range(len(columns))
            if reads_keyword_as_name(columns, i, grammar)
        }
    assert not misread
