"""Compiled rules as bytes, and back: nothing but the values of the engine is made from them.

Bytes come from other processes and from a cache on disk; whatever they are, nothing else is called.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

_PACKAGES = ("structural.rules.", "structural.pattern.", "structural.syntax.", "structural.text.")

_BUILTIN = frozenset({"frozenset", "set", "complex", "bytearray"})


def packed(value: object) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Any:
    """What ``packed`` made into *data*; an exception of any kind for anything else."""
    return _Reader(io.BytesIO(data)).load()


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _BUILTIN:
            return super().find_class(module, name)
        if (module, name) == ("re", "_compile"):
            return super().find_class(module, name)  # how regular expressions of templates are packed
        if module.startswith(_PACKAGES) and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no value of the engine")
