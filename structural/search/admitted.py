"""What ignore files let through, and where they have a say at all.

The only importer of ``rignore``, which reads them as git does: nested and negated
ones, those of folders above, the global ones, ``.git/info/exclude``; and ``.ignore``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import rignore

Admitted = dict[str, set[str]]
"""Names that are let through, by the path of their folder."""

RULES = frozenset({".git", ".ignore"})
"""What makes ignore rules count.  A ``.gitignore`` outside of a work tree is none to git either."""


def admitted(folder: str, *, hidden: bool) -> Admitted:
    """What is let through in *folder* and below.

    A path that is not UTF-8 is missing here; problems with folders are left to
    whoever lists them, who meets them too.
    """
    found: Admitted = {}
    walker = rignore.walk(Path(folder), ignore_hidden=not hidden, overrides=["!.git"], follow_links=False)
    while True:
        try:
            path = str(next(walker))
        except StopIteration:
            return found
        except (OSError, ValueError):
            continue
        above, _, name = path.rpartition("/")
        names = found.get(above)
        if names is None:
            found[above] = {name}
        else:
            names.add(name)


def rules_above(folder: str) -> set[str]:
    """Which of ``RULES`` stand in *folder* or in one above it."""
    at = os.path.realpath(folder)
    found: set[str] = set()
    while True:
        found |= {name for name in RULES if os.path.lexists(os.path.join(at, name))}
        above = os.path.dirname(at)
        if above == at:
            return found
        at = above


def has_rules(entries: Iterable[os.DirEntry[str]]) -> bool:
    """Whether one of ``RULES`` is among the entries of a folder."""
    return any(entry.name in RULES for entry in entries)
