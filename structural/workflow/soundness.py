"""Whether a text would parse worse than before: asked before sites are dropped or edited.

Counts ERROR and MISSING nodes of the file and of the code that is embedded in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from structural.errors import LanguageError, UnsearchableError
from structural.staging import Action, FileChange, Site
from structural.syntax import registry
from structural.text.edits import apply

_TRIED = 40
"""Sites that are tried, one after another, as the one that must go too."""


def language_of(path: str, source: bytes, notes: Mapping[str, Any] | None = None) -> str | None:
    """The language of a file: as the search took it, else by its name and first line."""
    known = (notes or {}).get("languages", {})
    named = known.get(path) if isinstance(known, Mapping) else None
    return named or registry.language_of_path(path, source[:256])


def errors_in(source: bytes, language: str | None) -> int | None:
    """ERROR and MISSING nodes; None where nobody can tell."""
    if language is None:
        return None
    from structural.syntax.embed import regions
    from structural.syntax.parse import parse

    try:
        columns = parse(source, language)
        count = columns.errors
        for region in regions(columns):
            count += parse(source, region.language, region.ranges).errors
    except (UnsearchableError, LanguageError):
        return None
    return count


def worse(path: str, before: bytes, now: bytes, after: bytes, notes: Mapping[str, Any]) -> bool:
    """Whether *after* has more errors than the file *before* and than what is staged *now*."""
    language = language_of(path, before, notes)
    errors = errors_in(after, language)
    if not errors:
        return False
    allowed = [errors_in(text, language) for text in (before, now)]
    return all(count is not None and errors > count for count in allowed)


def partner(file: FileChange, before: bytes, gone: frozenset[int], notes: Mapping[str, Any]) -> int | None:
    """The site without which those of *gone* could go, the nearest first; None if no single one."""
    if file.action is not Action.MODIFY:
        return None
    now = apply(before, file.edits)
    lines = [site.line for site in file.sites if site.number in gone]
    rest = [site for site in file.sites if site.number not in gone]
    rest.sort(key=lambda site: min(abs(site.line - line) for line in lines))
    for site in rest[:_TRIED]:
        if not worse(file.path, before, now, without(file, before, gone | {site.number}), notes):
            return site.number
    return None


def without(file: FileChange, before: bytes, gone: Iterable[int]) -> bytes:
    """The text with all sites of *file* but those of *gone*."""
    left = frozenset(gone)
    return applied(before, (site for site in file.sites if site.number not in left))


def applied(before: bytes, sites: Iterable[Site]) -> bytes:
    """The text with these sites."""
    return apply(before, sorted(edit for site in sites for edit in site.edits))
