"""One self-contained page that shows a staged change."""

from __future__ import annotations

from pathlib import Path

from structural.workflow.changes import FileView, StagedChange, Stale


def page(
    change: StagedChange, shown: list[FileView], stale: tuple[Stale, ...], root: Path, context: int
) -> str:
    """The page as HTML."""
    raise NotImplementedError
