"""Compiled rules, kept between scans: compiling them takes longer than scanning a few files.

They are pickled, and read by an unpickler that makes nothing but the values of the engine: whatever bytes
there are, nothing else is called.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from structural.rules.packed import packed, unpacked
from structural.rules.terms import RuleSet
from structural.rules.values import Problem
from structural.workflow.scanning.cache import MOST_RULES, Cache
from structural.workflow.scanning.rulebook import Rulebook, compiled


def compiled_once(
    book: Rulebook, languages: Iterable[str], cache: Cache | None
) -> tuple[RuleSet, tuple[Problem, ...]]:
    """The rules compiled for *languages*, with their problems; from the cache if they are there."""
    wanted = sorted(languages)
    if cache is None:
        return compiled(book, wanted)
    key = cache.rules_key(wanted)
    data = cache.get_bytes(key)
    if data is not None:
        known = thawed(data)
        if known is not None:
            cache.touch([key])
            return known
    made = compiled(book, wanted)
    cache.put([(key, zlib.compress(packed(made), 1))], MOST_RULES)
    return made


def thawed(data: bytes) -> tuple[RuleSet, tuple[Problem, ...]] | None:
    """What was kept; None if it is anything else."""
    try:
        found = unpacked(data)
        rules, problems = found
    except Exception:  # whatever such bytes can bring about
        return None
    if not isinstance(rules, RuleSet) or not all(isinstance(one, Problem) for one in problems):
        return None
    return rules, tuple(problems)
