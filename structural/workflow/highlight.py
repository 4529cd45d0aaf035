"""Which stretches of a source text are keywords, strings, comments, numbers and types.

Modest on purpose: it looks at what kind of token a leaf of the tree is, and knows no
language by name.  Where a file cannot be parsed nothing is classified.
"""

from __future__ import annotations

from structural.errors import LanguageError, UnsearchableError

LARGEST = 1_000_000
"""Bytes of a text above which nothing is classified."""

KEYWORD, STRING, COMMENT, NUMBER, TYPE = "k", "s", "c", "n", "t"

Classified = tuple[int, int, str]
"""Start and end in bytes, and the class."""

_CONSTANTS = frozenset({"true", "false", "null", "none", "nil", "undefined", "this", "self", "super"})
_NUMBERS = ("number", "integer", "float", "decimal", "int_lit", "numeric")
_STRINGS = ("string", "char", "regex", "heredoc", "template_char")
_TYPES = ("type_identifier", "primitive_type", "predefined_type", "builtin_type", "integral_type")


def classify(source: bytes, language: str | None) -> list[Classified]:
    """The classified stretches, in order and disjoint; what is none of these is left out."""
    if language is None or len(source) > LARGEST:
        return []
    from structural.syntax import registry
    from structural.syntax.grammar import load_named
    from structural.syntax.parse import parse

    try:
        columns = parse(source, language)
        grammar = load_named(language)
    except (UnsearchableError, LanguageError):
        return []
    strings = grammar.ids(registry.get(language).strings)
    found: list[Classified] = [(start, end, COMMENT) for start, end in columns.comments]
    skip = 0
    for at, kind in enumerate(columns.kind):
        if at < skip:
            continue
        start, end = columns.start[at], columns.end[at]
        if kind in strings:
            found.append((start, end, STRING))
            skip = at + columns.size[at]
        elif columns.size[at] == 1 and end > start:
            name = _class(grammar.name(kind), named=grammar.is_named(kind))
            if name:
                found.append((start, end, name))
    return _disjoint(sorted(found))


def _class(kind: str, *, named: bool) -> str:
    if not named:
        return KEYWORD if kind.replace("_", "").replace(" ", "").isalpha() else ""
    if kind in _CONSTANTS:
        return KEYWORD
    if any(part in kind for part in _NUMBERS):
        return NUMBER
    if any(part in kind for part in _STRINGS):
        return STRING
    return TYPE if kind in _TYPES else ""


def _disjoint(found: list[Classified]) -> list[Classified]:
    kept: list[Classified] = []
    done = 0
    for start, end, name in found:
        if start >= done:
            kept.append((start, end, name))
            done = end
    return kept
