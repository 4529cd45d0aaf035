"""Structural search: patterns are code, read by the grammar of the files they are searched in.

What users of the library need is re-exported here and imported when it is first
named, so that ``import structural`` costs nothing.  No module inside the package
imports from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from structural.errors import (
        ConstraintError,
        LanguageError,
        PatternError,
        RewriteError,
        StructuralError,
        UsageError,
    )
    from structural.pattern.compile import Pattern, Reading, compile_pattern
    from structural.pattern.values import Attempt, Binding, Match, Mismatch, ReadingInfo
    from structural.rewrite.text import rewrite_text
    from structural.rewrite.values import Refused, RewriteSite, Rewritten
    from structural.search.scan import Results, search_paths
    from structural.search.text import Matches, search_text
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
    from structural.text import Edit, LineIndex, Position, Span
    from structural.workflow.rewriting import FileRewrite, Plans, PlanSummary, RewriteSpec, plan_paths

    __version__: str

__all__ = [
    "Attempt",
    "Binding",
    "ConstraintError",
    "Edit",
    "Failed",
    "FileResult",
    "FileRewrite",
    "LanguageError",
    "LineIndex",
    "Match",
    "Matches",
    "Mismatch",
    "NearMiss",
    "Pattern",
    "PatternError",
    "PatternSpec",
    "PlanSummary",
    "Plans",
    "Position",
    "Reading",
    "ReadingInfo",
    "Refusal",
    "Refused",
    "Relation",
    "Results",
    "RewriteError",
    "RewriteSite",
    "RewriteSpec",
    "Rewritten",
    "Searched",
    "Selection",
    "Skipped",
    "Span",
    "StructuralError",
    "Summary",
    "UsageError",
    "__version__",
    "compile_pattern",
    "plan_paths",
    "rewrite_text",
    "search_paths",
    "search_text",
]

_HOMES = {
    "structural.errors": "ConstraintError LanguageError PatternError RewriteError StructuralError UsageError",
    "structural.pattern.compile": "Pattern Reading compile_pattern",
    "structural.pattern.values": "Attempt Binding Match Mismatch ReadingInfo",
    "structural.search.scan": "Results search_paths",
    "structural.search.text": "Matches search_text",
    "structural.search.values": (
        "Failed FileResult NearMiss PatternSpec Refusal Relation Searched Selection Skipped Summary"
    ),
    "structural.rewrite.text": "rewrite_text",
    "structural.rewrite.values": "Refused RewriteSite Rewritten",
    "structural.text": "Edit LineIndex Position Span",
    "structural.workflow.rewriting": "FileRewrite Plans PlanSummary RewriteSpec plan_paths",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "__version__":
        return import_module("structural.workflow.version").VERSION
    for home, names in _HOMES.items():
        if name in names.split():
            found: object = getattr(import_module(home), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
