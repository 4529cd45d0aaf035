"""What a surface that lives long keeps between calls.  By itself, as a single search needs none of it."""

from structural.search.memory import LIMIT, Memory

__all__ = ["LIMIT", "Memory"]
