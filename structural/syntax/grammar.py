"""Grammars: load one, and turn its names into numbers.

``load_named`` gives the ``LoadedGrammar`` of a language; it is made once a process.
Nothing outside ``structural.syntax`` sees tree-sitter's own objects.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import re
from collections.abc import Iterable
from functools import cache

import tree_sitter

from structural.errors import LanguageError
from structural.syntax.language import Grammar, Language

ERROR_KIND = 65535
"""The kind id of an ERROR node in every grammar."""


class LoadedGrammar:
    """A language with its grammar at hand.

    ``names[k]`` and ``named[k]`` describe kind ``k``; ``nodes[k]`` says whether queries of tree-sitter
    take its name for that of a node.  ``ids(names)`` are the kinds
    with those names, named nodes and anonymous tokens alike.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self.ts = _load_ts(language.grammar, language.name)
        count = self.ts.node_kind_count
        self.names: list[str] = [self.ts.node_kind_for_id(k) or "" for k in range(count)]
        self.nodes: list[bool] = [self.ts.node_kind_is_named(k) for k in range(count)]
        self.named = [
            node or name in language.named_tokens for node, name in zip(self.nodes, self.names, strict=True)
        ]
        self._by_name: dict[str, set[int]] = {}
        for k, name in enumerate(self.names):
            self._by_name.setdefault(name, set()).add(k)
        self.trivia: frozenset[int] = self.ids(language.comments | language.layout)
        self.comments: frozenset[int] = self.ids(language.comments)
        self.blank: frozenset[int] = self.ids(language.blank_text)
        self.unsafe = re.compile(language.unsafe.encode(), re.MULTILINE) if language.unsafe else None
        starts = [re.escape(text.encode()) for text in (*language.line_comments, *language.comment_starts)]
        self.comment_start = re.compile(b"|".join(starts)) if starts else None
        """What a comment or layout can begin with, but for a backslash; None if that is not told."""
        self.keywords: frozenset[bytes] = frozenset(
            name.encode()
            for k, name in enumerate(self.names)
            # Kinds of hidden nodes have no tokens: a name may be called `pattern`.
            if not self.named[k] and name.replace("_", "").isalpha() and self.ts.node_kind_is_visible(k)
        ) | frozenset(language.hard_words.encode().split())
        """Words that are tokens of their own."""
        self.reserved: frozenset[bytes] = self.keywords - set(language.soft_words.encode().split())
        """Those of them that are no names."""

    def ids(self, names: Iterable[str]) -> frozenset[int]:
        """Kind ids of *names*; a name that the grammar lacks adds nothing."""
        found: set[int] = set()
        for name in names:
            found |= self._by_name.get(name, set())
        return frozenset(found)

    def has(self, name: str) -> bool:
        """Whether the grammar knows a kind or token *name*."""
        return name in self._by_name

    def is_visible(self, name: str) -> bool:
        """Whether every kind *name* is a node in a tree."""
        kinds = self._by_name.get(name)
        return kinds is not None and all(map(self.ts.node_kind_is_visible, kinds))

    def field(self, name: str) -> int:
        """The id of a field, 0 if the grammar has none of that name."""
        return self.ts.field_id_for_name(name) or 0

    def field_name(self, field: int) -> str:
        """The name of a field id, empty for 0."""
        return (self.ts.field_name_for_id(field) or "") if field else ""

    @property
    def field_names(self) -> list[str]:
        """The names of all fields, sorted."""
        return sorted(filter(None, map(self.field_name, range(1, self.ts.field_count + 1))))

    def name(self, kind: int) -> str:
        return "ERROR" if kind == ERROR_KIND else self.names[kind]

    def is_named(self, kind: int) -> bool:
        return kind == ERROR_KIND or self.named[kind]


@cache
def load_named(name: str) -> LoadedGrammar:
    """The grammar of the language *name*, made once a process; a LanguageError if it is not installed."""
    from structural.syntax import registry

    return LoadedGrammar(registry.get(name))


def origin(name: str) -> str:
    """What the columns of a text of language *name* depend on beside the text: the grammar's file, the
    parser's, and the code that makes columns, as sizes and times.  Empty if the grammar is not there."""
    from structural.syntax import registry

    language = registry.get(name)
    grammar = language.grammar
    files: list[tuple[str, int, int]] = []
    if grammar.module and (found := _binaries(grammar.module)):
        files = found
    elif grammar.library and (about := _about(grammar.library)):
        files = [about]
    elif grammar.pack:
        packs = _binaries("tree_sitter_language_pack/bindings")
        files = [one for one in packs if one[0].split(".")[0] == grammar.pack]
    if not files:
        return ""
    trivia = [sorted(language.comments), sorted(language.layout), sorted(language.blank_text)]
    return repr((files, _machinery(), grammar, trivia, language.unsafe))


@cache
def _machinery() -> tuple[tuple[str, int, int], ...]:
    """The parser's library, and the modules of this package."""
    here = os.path.dirname(os.path.abspath(__file__))
    own = sorted(entry.path for entry in os.scandir(here) if entry.name.endswith(".py"))
    return (*_binaries("tree_sitter"), *(one for path in own if (one := _about(path))))


def _binaries(package: str) -> list[tuple[str, int, int]]:
    """The compiled files of an installed package or of a folder in it."""
    top, _, inner = package.partition("/")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return []
    found = []
    for place in (spec.submodule_search_locations or []) if spec is not None else []:
        folder = os.path.join(place, inner)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        paths = [os.path.join(folder, name) for name in names if name.endswith(_COMPILED)]
        found += [one for path in paths if (one := _about(path))]
    return found


_COMPILED = (".so", ".pyd", ".dylib")


def _about(path: str) -> tuple[str, int, int] | None:
    try:
        about = os.stat(path)
    except OSError:
        return None
    return os.path.basename(path), about.st_size, about.st_mtime_ns


def _load_ts(grammar: Grammar, name: str) -> tree_sitter.Language:
    problems: list[str] = []
    if grammar.module:
        try:
            module = importlib.import_module(grammar.module)
            return tree_sitter.Language(getattr(module, grammar.function)())
        except (ImportError, AttributeError, ValueError) as problem:
            problems.append(f"{grammar.module}: {problem}")
    if grammar.library:
        try:
            library = ctypes.CDLL(grammar.library)
            entry = getattr(library, f"tree_sitter_{grammar.symbol or name}")
            entry.restype = ctypes.c_void_p
            return tree_sitter.Language(_capsule(entry()))
        except (OSError, AttributeError, ValueError) as problem:
            problems.append(f"{grammar.library}: {problem}")
    if grammar.pack:
        try:
            pack = importlib.import_module("tree_sitter_language_pack")
            return tree_sitter.Language(pack.get_binding(grammar.pack))
        except (ImportError, AttributeError, LookupError, ValueError) as problem:
            problems.append(f"tree_sitter_language_pack: {problem}")
    raise LanguageError(
        f"the grammar of {name} cannot be loaded ({'; '.join(problems) or 'no source given'})",
        hint="install the extra: pip install 'structural[languages]'",
    )


def _capsule(pointer: int) -> object:
    """A PyCapsule as the official wheels return it, around a grammar's pointer."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule: object = new(pointer, b"tree_sitter.Language", None)
    return capsule
