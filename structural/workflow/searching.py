"""What a surface needs to search and to show the answer, in one place.

A surface (the command line, an agent's tools) imports from the workflow only.  The
search itself is ``structural.search``; its values are passed on as they are.
"""

from __future__ import annotations

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
    "present_languages",
    "read_file",
    "search_paths",
    "search_stream",
    "short_digest",
]
