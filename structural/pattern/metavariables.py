"""The text of a pattern, cut into code and metavariables.

``$NAME`` one node, ``$_`` one node unbound, ``$$$NAME`` and ``$$$`` any number of
siblings, ``\\$`` a dollar sign.  Everything else, lower-case ``$x`` included, is code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_METAVARIABLE = re.compile(
    r"""
      (?P<escape> \\\$ )
    | \$\$\$ (?P<ellipsis> [A-Z_][A-Z0-9_]* (?![A-Za-z0-9_]) )?
    | \$ (?P<single> [A-Z_][A-Z0-9_]* (?![A-Za-z0-9_]) )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Metavariable:
    """One occurrence.  ``name`` is ``""`` if it does not bind (``$_``, ``$$$``)."""

    name: str
    ellipsis: bool
    offset: int
    """Characters from the start of the pattern."""

    def __str__(self) -> str:
        return ("$$$" if self.ellipsis else "$") + (self.name or ("" if self.ellipsis else "_"))


@dataclass(frozen=True, slots=True)
class Fragment:
    """A pattern as written: code and metavariables in order, outer white space and common
    indentation taken off.  ``text`` is what was cut, for messages about columns."""

    text: str
    pieces: tuple[str | Metavariable, ...]
    indent: str = ""
    """What was taken off every line; lines inside of string literals get it back."""

    @property
    def metavariables(self) -> tuple[Metavariable, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece, Metavariable))

    @property
    def names(self) -> tuple[str, ...]:
        """Names that bind, each once, in the order in which they first stand."""
        return tuple(dict.fromkeys(m.name for m in self.metavariables if m.name))


def cut(pattern: str) -> Fragment:
    """Cut *pattern*; never fails, since everything that is no metavariable is code."""
    text, indent = _dedented(pattern.replace("\r\n", "\n").rstrip())
    pieces: list[str | Metavariable] = []
    code: list[str] = []
    at = 0
    for found in _METAVARIABLE.finditer(text):
        code.append(text[at : found.start()])
        at = found.end()
        if found["escape"]:
            code.append("$")
            continue
        if any(code):
            pieces.append("".join(code))
        code = []
        ellipsis = found["single"] is None
        name = found["ellipsis"] if ellipsis else found["single"]
        pieces.append(Metavariable("" if name in (None, "_") else name, ellipsis, found.start()))
    code.append(text[at:])
    if any(code):
        pieces.append("".join(code))
    return Fragment(text, tuple(pieces), indent)


def _dedented(text: str) -> tuple[str, str]:
    """*text* without blank lines at its head and without the indentation that all its lines
    share, and that indentation.  Blank lines stay as they are."""
    lines = text.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    filled = [line for line in lines if line.strip()]
    if not filled:
        return "", ""
    indents = [line[: len(line) - len(line.lstrip(" \t"))] for line in filled]
    low, high = min(indents), max(indents)
    indent = low[: next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]
    if not indent:
        return "\n".join(lines).lstrip(), ""
    return "\n".join(line[len(indent) :] if line.strip() else line for line in lines).lstrip(), indent
