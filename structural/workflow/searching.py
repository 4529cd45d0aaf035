"""What a surface needs to search and to show the answer, in one place.

A surface (the command line, an agent's tools) imports from the workflow only.  The
search itself is ``structural.search``; its values are passed on as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from structural.pattern.values import Attempt, Binding, Match, Mismatch, ReadingInfo
from structural.search.plan import present_languages
from structural.search.read import check_text, read_file
from structural.search.scan import Results, search_paths
from structural.search.stream import search_stream
from structural.search.values import (
    Failed,
    FileResult,
    NearMiss,
    PatternSpec,
    Refusal,
    Relation,
    Searched,
    Selection,
    Skipped,
    Summary,
)
from structural.search.worker import describe
from structural.text import LineIndex, Position, Span, digest
from structural.text.digests import short_digest

if TYPE_CHECKING:
    from structural.search.index.indexed import IndexMemory

__all__ = [
    "Attempt",
    "Binding",
    "Failed",
    "FileResult",
    "LineIndex",
    "Match",
    "Mismatch",
    "NearMiss",
    "PatternSpec",
    "Position",
    "ReadingInfo",
    "Refusal",
    "Relation",
    "Results",
    "Searched",
    "Selection",
    "Skipped",
    "Span",
    "Summary",
    "check_text",
    "describe",
    "digest",
    "index_for",
    "present_languages",
    "read_file",
    "search_paths",
    "search_stream",
    "short_digest",
]


def index_for(selection: Selection) -> IndexMemory | None:
    """The index to search *selection* with; None if there is none.  Where there are no indexes at all,
    that takes one look at a folder, and nothing is imported."""
    from structural.search.index.folder import around

    try:
        if selection.follow or around(selection.paths) is None:
            return None
    except (OSError, ValueError):
        return None  # whoever searches will tell
    from structural.search.index.indexed import open_index

    return open_index(selection)
