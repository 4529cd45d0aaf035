"""Searching a text that comes from elsewhere than a file, such as standard input.

It is answered like a search over one file, so that whoever shows answers needs to
know one form only.
"""

from __future__ import annotations

import time

from structural.errors import UnsearchableError
from structural.search.plan import compile_all
from structural.search.read import check_text
from structural.search.text import search_one
from structural.search.values import FileResult, PatternSpec, Searched, Skipped, Summary
from structural.syntax import registry


def search_stream(
    spec: PatternSpec, source: bytes, language: str, path: str, *, max_size: int = 0, max_count: int = 0
) -> tuple[FileResult, Summary]:
    """Search *source*, a text of *language* that is called *path*; give *max_count* matches at most.

    Raises UsageError, LanguageError, PatternError or ConstraintError.
    """
    began = time.perf_counter()
    name = registry.resolve(language)
    patterns, _ = compile_all(spec, (name,), asked=True)
    summary = Summary(files=1)
    result: FileResult | None = check_text(path, source, max_size)
    found = None
    try:
        if result is None:
            found = search_one(patterns[name], source, name, path)
    except UnsearchableError as problem:
        result = Skipped(path, "unsearchable", problem.message)
    if found is not None:
        kept = found.matches[: max_count or None]
        if len(kept) < len(found.matches):
            summary.cut = "max-count"
        result = Searched(
            path,
            name,
            kept,
            source if found.matches else None,
            found.syntax_errors,
            parsed=True,
            size=len(source),
            exhausted=found.exhausted,
        )
        summary.readings = [found.info]
        summary.near_misses = list(found.near_misses)
    assert result is not None
    summary.add(result)
    summary.seconds = time.perf_counter() - began
    return result, summary
