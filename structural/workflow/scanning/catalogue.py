"""Where the rules are that come with the program.

In a checkout they lie in ``patterns/`` beside the package; a wheel has them inside of it.
"""

from __future__ import annotations

import os
from pathlib import Path

NAME = "catalogue"

_PACKAGE = Path(__file__).resolve().parents[2]

_PLACES = (_PACKAGE / "_patterns", _PACKAGE.parent / "patterns")


def is_catalogue(name: str) -> bool:
    """Whether *name*, of a folder or file of rules, means the catalogue or a part of it."""
    return name == NAME or name.startswith(NAME + "/")


def located(name: str) -> str | None:
    """The folder or file that ``catalogue`` or ``catalogue/part`` means; None if it is not there."""
    for place in _PLACES:
        if place.is_dir():
            parts = name.split("/")[1:]
            if any(part in ("", ".", "..") for part in parts):
                return None
            found = place.joinpath(*parts)
            for one in (found, found.with_name(found.name + ".yml")):
                if one.exists():
                    return os.fspath(one)
            return None
    return None


def parts() -> tuple[str, ...]:
    """The folders of the catalogue, for a hint."""
    for place in _PLACES:
        if place.is_dir():
            return tuple(sorted(one.name for one in place.iterdir() if one.is_dir()))
    return ()


def shown(path: str) -> str:
    """A path in the catalogue under the name by which it is asked for; another path as it is."""
    for place in _PLACES:
        inside = os.fspath(place) + os.sep
        if path.startswith(inside):
            return f"{NAME}/{path[len(inside) :].replace(os.sep, '/')}"
    return path
