"""Rewriting one text that is already at hand."""

from __future__ import annotations

from collections.abc import Sequence

from structural.pattern.compile import Reading, compile_pattern
from structural.rewrite.parts import Run
from structural.rewrite.source import rewrite_source
from structural.rewrite.template import compile_template
from structural.rewrite.values import Rewritten
from structural.syntax import registry


def rewrite_text(
    pattern: str,
    rewrite: str,
    source: str | bytes,
    language: str,
    *,
    rung: str | None = None,
    strictness: str = "smart",
    equivalences: Sequence[str] = (),
    without: Sequence[str] = (),
    where: Sequence[str] = (),
    kind: str | None = None,
    relations: Sequence[object] = (),
    host: str | None = None,
    until_stable: bool = False,
    transforms: Sequence[str] = (),
) -> Rewritten:
    """Rewrite every match of *pattern* in *source*, a text of *language*, by *rewrite*.

    The options are those of ``search_text``.  Raises PatternError if the pattern is no code in the
    language, RewriteError if the rewrite is none in the pattern's category or names a metavariable
    that the pattern does not bind.
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
    where_from = registry.resolve(host) if host else compiled.language
    made = Rewritten(text, text)
    at = 0
    reading: Reading | None = compiled.first
    while reading is not None and not made.matches:
        run = Run(reading, compile_template(rewrite, compiled, reading, transforms))
        made = rewrite_source(text, where_from, {reading.language: run}, until_stable=until_stable)
        at += 1
        reading = compiled.reading(at)
    return made
