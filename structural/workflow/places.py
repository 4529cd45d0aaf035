"""Places in texts, for surfaces that show them: spans, lines and columns, and nothing else."""

from __future__ import annotations

from structural.text import LineIndex, Position, Span

__all__ = ["LineIndex", "Position", "Span"]
