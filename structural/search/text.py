"""Searching one text that is already at hand: no file is read, nothing is printed.

The readings of the pattern are used in the order of the ladder, until one finds
something; if none does, the near misses of the first reading that has any are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from structural.pattern.compile import Pattern, Reading, compile_pattern
from structural.pattern.values import Match, ReadingInfo
from structural.search.near import near_misses, tally
from structural.search.source import SourceResult, search_source
from structural.search.values import NearMiss, Relation
from structural.syntax import registry


@dataclass(frozen=True, slots=True)
class Matches:
    """The answer of ``search_text``: iterate over it for the matches, in order.

    Spans are bytes of ``source``.  ``reading`` is the rung that was used and
    ``info`` says more about it.
    """

    matches: tuple[Match, ...]
    source: bytes
    reading: str
    info: ReadingInfo
    syntax_errors: int = 0
    near_misses: tuple[NearMiss, ...] = ()
    exhausted: bool = False
    """Matching was given up, as it asked for too many choices: there may be more."""

    def __iter__(self) -> Iterator[Match]:
        return iter(self.matches)

    def __len__(self) -> int:
        return len(self.matches)

    def __bool__(self) -> bool:
        return bool(self.matches)


def search_text(
    pattern: str,
    source: str | bytes,
    language: str,
    *,
    rung: str | None = None,
    strictness: str = "smart",
    equivalences: Sequence[str] = (),
    without: Sequence[str] = (),
    where: Sequence[str] = (),
    kind: str | None = None,
    relations: Sequence[Relation] = (),
    host: str | None = None,
) -> Matches:
    """All matches of *pattern* in *source*, a text of *language*.

    *host* names the language of the text if the pattern's language is only
    embedded in it (``javascript`` in ``html``).  Raises PatternError if the pattern
    is no code in the language, and other UsageErrors for what else was wrong.
    """
    text = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else bytes(source)
    compiled = compile_pattern(
        pattern,
        language,
        rung=rung,
        strictness=strictness,
        equivalences=tuple(equivalences),
        without=tuple(without),
        kind=kind,
        where=tuple(where),
        relations=tuple(relations),
    )
    return search_one(compiled, text, registry.resolve(host) if host else compiled.language)


def search_one(pattern: Pattern, source: bytes, host: str, path: str = "") -> Matches:
    """Search *source*, a text of the language *host*, with the readings of *pattern* in order."""
    errors, exhausted = 0, False
    for at, reading in enumerate(pattern.readings):
        found = _search(source, host, reading)
        errors, exhausted = max(errors, found.syntax_errors), exhausted or found.exhausted
        if found.matches:
            used = pattern.readings[at].info()
            return Matches(found.matches, source, used.rung, used, found.syntax_errors, (), found.exhausted)
    near: list[NearMiss] = []
    for reading in pattern.readings:
        missed = _search(source, host, reading, near=True)
        errors = max(errors, missed.syntax_errors)
        near = near_misses([tally(path, source, missed.mismatches)])
        if near:
            break
    return Matches((), source, pattern.first.rung, pattern.first.info(), errors, tuple(near), exhausted)


def info(pattern: Pattern, at: int) -> ReadingInfo:
    """What is said of reading number *at* of *pattern*, with the rungs of those that come after it."""
    made = pattern.readings[at].info()
    rungs = dict.fromkeys(other.rung for other in pattern.readings[at + 1 :])
    return replace(made, alternatives=tuple(rungs))


def _search(source: bytes, host: str, reading: Reading, near: bool = False) -> SourceResult:
    return search_source(source, host, {reading.language: reading}, near=near)
