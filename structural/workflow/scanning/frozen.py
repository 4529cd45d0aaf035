"""Compiled rules, kept between scans: compiling them takes longer than scanning a few files.

They are pickled, and read by an unpickler that makes nothing but the values of the engine: whatever bytes
there are, nothing else is called.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Iterable
from typing import Any

from structural.rules.terms import RuleSet
from structural.rules.values import Problem
from structural.workflow.scanning.cache import MOST_RULES, Cache
from structural.workflow.scanning.rulebook import Rulebook, compiled

_PACKAGES = ("structural.rules.", "structural.pattern.", "structural.syntax.", "structural.text.")

_BUILTIN = frozenset({"frozenset", "set", "complex", "bytearray"})


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
    cache.put([(key, zlib.compress(pickle.dumps(made, protocol=5), 1))], MOST_RULES)
    return made


def thawed(data: bytes) -> tuple[RuleSet, tuple[Problem, ...]] | None:
    """What was kept; None if it is anything else."""
    try:
        found = _Reader(io.BytesIO(data)).load()
        rules, problems = found
    except Exception:  # whatever such bytes can bring about
        return None
    if not isinstance(rules, RuleSet) or not all(isinstance(one, Problem) for one in problems):
        return None
    return rules, tuple(problems)


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _BUILTIN:
            return super().find_class(module, name)
        if module.startswith(_PACKAGES) and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no value of the engine")
