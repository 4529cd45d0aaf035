"""What every search with a memory must hold: it answers as one without."""

from __future__ import annotations

import time
from dataclasses import fields, replace
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
    assert found == plain, _difference(spec, found, plain)
    assert summary == plain_summary, f"another summary for {spec.pattern!r}"
    return results


def same_with_index(spec: PatternSpec, selection: Selection, memory: Memory, **options: object) -> Results:
    """The same for an index, with which one count may differ: of the files that were parsed."""
    found, summary, results = answer(spec, selection, memory, **options)
    plain, plain_summary, _ = answer(spec, selection, **options)
    found, plain = [_unparsed(one) for one in found], [_unparsed(one) for one in plain]
    assert found == plain, _difference(spec, found, plain)
    assert replace(summary, parsed=0) == replace(plain_summary, parsed=0), (
        f"another summary: {spec.pattern!r}"
    )
    return results


def _difference(spec: PatternSpec, found: list[FileResult], plain: list[FileResult]) -> str:
    """The first result that differs, field by field."""
    lines = [f"other results for {spec.pattern!r}"]
    if len(found) != len(plain):
        return f"{lines[0]}: {len(found)} files with what is kept, {len(plain)} without"
    ours, theirs = next((a, b) for a, b in zip(found, plain, strict=True) if a != b)
    if type(ours) is not type(theirs):
        return f"{lines[0]}: {ours!r} with what is kept, {theirs!r} without"
    for field in fields(ours):
        mine, other = getattr(ours, field.name), getattr(theirs, field.name)
        if mine != other:
            lines.append(f"{ours.path}: {field.name}: {mine!r} with what is kept, {other!r} without")
    return "\n".join(lines)


def _unparsed(result: FileResult) -> FileResult:
    return replace(result, parsed=False) if isinstance(result, Searched) else result


def put(root: Path, name: str, text: str | bytes) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
