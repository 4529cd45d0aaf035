"""How often Python looks for cycles among its objects: seldom, where many are made that have none.

A plan over many files is hundreds of thousands of spans, edits and sites, all of which stay; each
look at all of them finds nothing, and together these looks cost more than matching.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def seldom() -> Iterator[None]:
    """Meanwhile cycles are looked for seldom."""
    before = gc.get_threshold()
    gc.set_threshold(500_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
