"""Bytes and places in them: spans, lines, columns.  Knows nothing of code."""

from structural.text.spans import LineIndex, Position, Span

__all__ = ["LineIndex", "Position", "Span"]
