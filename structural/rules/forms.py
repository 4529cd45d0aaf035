"""How a file's keys are described: forms of values, keys, tables of keys.  Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """A text.  ``one_of``: it is one of these; ``like``: all of it fits this expression, which is told
    as ``such``."""

    one_of: tuple[str, ...] = ()
    like: str = ""
    such: str = ""
    empty: bool = False
    """It may be empty, or blank."""
    also: tuple[str, ...] = ()
    """Words that ast-grep has in the place of those of ``one_of``."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a value may be: what is not None is allowed.  ``records`` are names in ``TABLES``; of several
    the first one is meant unless a key stands there that only a later one has."""

    text: Text | None = None
    number: int | None = None
    """A whole number, not below this."""
    flag: bool = False
    items: Form | None = None
    """A list of these."""
    least: int = 0
    """How many a list or a mapping has at least."""
    records: tuple[str, ...] = ()
    names: Form | None = None
    """A mapping with any names."""
    named: Text | None = None
    """What such a name looks like."""
    anything: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a mapping."""

    name: str
    form: Form
    means: str
    aliases: tuple[str, ...] = ()
    required: bool = False
    ours: bool = False
    """Only our files have it: a file with it is none of ast-grep."""
    theirs: bool = False
    """It is read for files of ast-grep alone."""


@dataclass(frozen=True, slots=True)
class Table:
    """The keys of one mapping.  ``what`` it is, in a sentence with "of"."""

    what: str
    keys: tuple[Key, ...]
    by_name: Mapping[str, Key]
    least: int = 1
    """How many of them stand there at least."""


def camel(name: str) -> str:
    """``stop-by`` as ``stopBy``."""
    first, *rest = name.split("-")
    return first + "".join(word.capitalize() for word in rest)


def table(what: str, *keys: Key, least: int = 1) -> Table:
    """A table of *keys*."""
    by_name: dict[str, Key] = {}
    for key in keys:
        for name in (key.name, camel(key.name), *key.aliases):
            by_name[name] = key
    return Table(what, keys, by_name, least)
