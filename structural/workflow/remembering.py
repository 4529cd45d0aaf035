"""What a surface that lives long keeps between calls.  By itself, as a single search needs none of it."""

from structural.search.index.folder import around
from structural.search.memory import LIMIT, Memory

__all__ = ["LIMIT", "Memory", "memory_for"]


def memory_for(root: str, limit: int = LIMIT) -> Memory:
    """The memory of a process that serves the tree at *root*, a real path: with its index, if there is
    one."""
    try:
        found = around((root,))
    except (OSError, ValueError):
        found = None
    if found is None:
        return Memory(limit)
    from structural.search.index.served import served  # and with it what reads indexes

    return served(*found, limit)
