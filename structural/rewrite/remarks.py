"""Rewriting comments: a pattern that is a comment, and a text to stand in its place."""

from __future__ import annotations

from collections.abc import Sequence

from structural.pattern.compile import Reading
from structural.pattern.search import matches
from structural.pattern.values import Match
from structural.rewrite.layout import Layout
from structural.rewrite.template import Template
from structural.rewrite.values import Refused, RewriteSite
from structural.syntax.columns import Columns
from structural.syntax.parse import parse
from structural.text import Edit
from structural.text.edits import apply


def rewrite_comments(
    columns: Columns, reading: Reading, template: Template, most: int = 0
) -> tuple[list[RewriteSite], list[Refused], int]:
    """The sites of a file's comments, those that are refused, and how many matched.

    A site is refused if the text would no longer be a comment, or would swallow code."""
    found = matches(reading, columns)
    found = found[:most] if most else found
    layout = Layout(columns, reading.tables.strings, reading.tables.blank)
    wanted = [
        Edit(match.span, _text(match, template, columns.source, layout.eol(match.span.start)))
        for match in found
    ]
    return *given_comments(columns, wanted), len(found)


def given_comments(columns: Columns, wanted: Sequence[Edit]) -> tuple[list[RewriteSite], list[Refused]]:
    """The sites of comments that are to become other texts, and those that are refused."""
    sites = [
        RewriteSite(edit.span, (edit,))
        for edit in wanted
        if edit.new != columns.source[edit.span.start : edit.span.end]
    ]
    refused: list[Refused] = []
    if sites and not _holds(columns, sites):
        for site in list(sites):
            if not _holds(columns, [site]):
                sites.remove(site)
                refused.append(Refused(site.span, "the result would be no comment"))
    return sites, refused


def _text(match: Match, template: Template, source: bytes, eol: bytes) -> bytes:
    assert template.pieces is not None
    made = b""
    for piece in template.pieces:
        if isinstance(piece, bytes):
            made += piece.replace(b"\n", eol)
        else:
            binding = match.binding(piece.name)
            made += source[binding.span.start : binding.span.end] if binding is not None else b""
    return made


def _holds(columns: Columns, sites: list[RewriteSite]) -> bool:
    """Whether the code is the same, and there are as many comments (of those that are not empty)."""
    edits = [edit for site in sites for edit in site.edits]
    after = parse(apply(columns.source, edits), columns.language)
    kept = sum(bool(edit.new.strip()) for edit in edits) - len(edits)
    return (
        after.kind == columns.kind
        and after.size == columns.size
        and len(after.comments) == len(columns.comments) + kept
    )
