"""Code of one language inside files of another, in place.

``regions`` says which stretches of a host file are code of which language; a
search then parses each with the grammar of its own, in the offsets of the file.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from structural.errors import LanguageError
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.grammar import load_named
from structural.syntax.language import Embedding


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a host file, as byte ranges, that is code of *language*."""

    language: str
    ranges: tuple[tuple[int, int], ...]


def regions(columns: Columns) -> list[Region]:
    """The embedded code of a file, in file order."""
    language = registry.get(columns.language)
    grammar = load_named(columns.language)
    found: list[Region] = []
    for embedding in language.embedded:
        kinds = grammar.ids((embedding.kind,))
        inside = grammar.ids((embedding.inside,)) if embedding.inside else None
        for i, k in enumerate(columns.kind):
            if k not in kinds or columns.end[i] == columns.start[i]:
                continue
            parent = columns.parent[i]
            if inside is not None and (parent < 0 or columns.kind[parent] not in inside):
                continue
            name = _language_of(embedding, columns, i, parent)
            if name:
                found.append(Region(name, _without_layout(columns, columns.start[i], columns.end[i])))
    found.sort(key=lambda region: region.ranges)
    return found


def _without_layout(columns: Columns, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """[start, end) without the marks of the host in it, such as ``>`` before each line of a quote."""
    ranges = []
    at = bisect_left(columns.layout, (start, start))
    for low, high in columns.layout[at:]:
        if low >= end:
            break
        if low > start:
            ranges.append((start, low))
        start = max(start, high)
    if start < end:
        ranges.append((start, end))
    return tuple(ranges)


def hosts_of(language: str) -> tuple[str, ...]:
    """Languages whose files can hold code of *language*, in code of a third language too."""
    found: set[str] = set()
    pending = [language]
    while pending:
        inner = pending.pop()
        for host in registry.names():
            embeds = any(e.language == inner or e.named_by for e in registry.get(host).embedded)
            if embeds and host not in found and host != language:
                found.add(host)
                pending.append(host)
    return tuple(sorted(found))


def _language_of(embedding: Embedding, columns: Columns, i: int, parent: int) -> str:
    import re

    if embedding.unless and parent >= 0:
        kids = columns.children(parent)
        if kids and re.search(embedding.unless, columns.text(kids[0]).decode("utf-8", "replace").lower()):
            return ""
    if embedding.language:
        return embedding.language
    grammar = load_named(columns.language)
    wanted = grammar.ids((embedding.named_by,))
    if parent < 0:
        return ""
    for d in range(parent, parent + columns.size[parent]):
        if columns.kind[d] in wanted:
            words = columns.text(d).decode("utf-8", "replace").strip().lstrip("{.").split()
            word = re.split(r"[,}{ ]", words[0])[0] if words else ""
            try:
                return registry.resolve(word) if word else ""
            except LanguageError:
                return ""
    return ""
