"""What every search with a memory must hold: it answers as one without."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from structural.search.freshness import FINE
from structural.search.memory import Memory
from structural.search.scan import Results, search_paths
from structural.search.values import FileResult, PatternSpec, Searched, Selection, Summary


def settle() -> None:
    """Let the clock of the file system move on, so that what was written counts as written before."""
    time.sleep(FINE / 1e9 * 1.3)


def answer(
    spec: PatternSpec, selection: Selection, memory: Memory | None = None, **options: object
) -> tuple[list[FileResult], Summary, Results]:
    """All results, the summary without its times, and where they came from."""
    results = search_paths(spec, selection, memory=memory, **options)  # type: ignore[arg-type]
    found = list(results)
    return found, replace(results.summary, seconds=0.0, stages={}), results


def same(spec: PatternSpec, selection: Selection, memory: Memory, **options: object) -> Results:
    """Search with and without *memory* and compare everything that is said."""
    found, summary, results = answer(spec, selection, memory, **options)
    plain, plain_summary, _ = answer(spec, selection, **options)
    assert found == plain, f"other results for {spec.pattern!r}"
    assert summary == plain_summary, f"another summary for {spec.pattern!r}"
    return results


def same_with_index(spec: PatternSpec, selection: Selection, memory: Memory, **options: object) -> Results:
    """The same for an index, with which one count may differ: of the files that were parsed."""
    found, summary, results = answer(spec, selection, memory, **options)
    plain, plain_summary, _ = answer(spec, selection, **options)
    assert [_unparsed(one) for one in found] == [_unparsed(one) for one in plain], f"{spec.pattern!r}"
    assert replace(summary, parsed=0) == replace(plain_summary, parsed=0), (
        f"another summary: {spec.pattern!r}"
    )
    return results


def _unparsed(result: FileResult) -> FileResult:
    return replace(result, parsed=False) if isinstance(result, Searched) else result


def put(root: Path, name: str, text: str | bytes) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
