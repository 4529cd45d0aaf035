"""What a surface that lives long keeps between calls.  By itself, as a single search needs none of it."""

from structural.search.index.folder import around
from structural.search.memory import LIMIT, Memory

__all__ = ["LIMIT", "Memory", "memory_for"]


def memory_for(root: str, limit: int = LIMIT) -> Memory:
    """The memory of a process that serves the tree at *root*, a real path: with its index, if there is
    one."""
    try:
        if around((root,)) is None:
            return Memory(limit)
    except (OSError, ValueError):
        return Memory(limit)
    from structural.search.index.served import memory_for

    return memory_for(root, limit)
