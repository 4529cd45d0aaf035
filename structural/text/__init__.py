"""Bytes and places in them: spans, lines, columns, edits, digests.  Knows nothing of code."""

from structural.text.digests import Digest, digest
from structural.text.edits import Edit
from structural.text.spans import LineIndex, Position, Span

__all__ = ["Digest", "Edit", "LineIndex", "Position", "Span", "digest"]
