"""Which languages there are, and which one a file or a name means.

The modules below ``languages`` are imported when the first question is asked.
"""

from __future__ import annotations

import fnmatch
import importlib
import importlib.util
import pkgutil
import re
from difflib import get_close_matches
from functools import cache

from structural.errors import LanguageError
from structural.syntax.language import Language

_PACK = "tree_sitter_language_pack"
"""The package with the grammars of the long tail; without it those languages are not there."""

_extra: dict[str, Language] = {}


def add(language: Language) -> None:
    """Add a language from configuration; it replaces one of the same name."""
    _extra[language.name] = language
    for cached in (_all, _aliases, _suffixes, _filenames, _interpreters):
        cached.cache_clear()


def added() -> tuple[Language, ...]:
    """The languages that were added from configuration."""
    return tuple(_extra.values())


def get(name: str) -> Language:
    """The language with this canonical name."""
    return _all()[name]


def kept() -> tuple[str, ...]:
    """Names of the languages that come with the program, each with cases of its own, sorted."""
    return tuple(name for name in names() if get(name).grammar.module)


def names() -> tuple[str, ...]:
    """Canonical names of all languages that a file can have, sorted."""
    return tuple(sorted(name for name, language in _all().items() if not language.hidden))


def resolve(name: str) -> str:
    """The canonical name behind a usual name or suffix (``js``, ``.tsx``, ``C++``)."""
    wanted = name.strip().lower()
    found = _aliases().get(wanted) or _aliases().get(wanted.removeprefix("."))
    if found is None and wanted in _long_tail_names():
        raise LanguageError(
            f"the grammar of {name} is not installed",
            hint="install the extra: pip install 'structural[languages]'",
        )
    if found is None:
        close = get_close_matches(wanted, _aliases(), n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(close)}?" if close else "`astgrep languages` lists them"
        raise LanguageError(f"no language is called {name!r}", hint=hint)
    return found


def language_of_path(path: str, head: bytes | None = None) -> str | None:
    """The language of a file by its name, else by the ``#!`` line in *head*; None if unknown."""
    base = path.rsplit("/", 1)[-1]
    found = _filenames()[0].get(base)
    if found:
        return found
    dot = base.find(".", 1)
    while dot >= 0:
        found = _suffixes().get(base[dot:].lower())
        if found:
            return found
        dot = base.find(".", dot + 1)
    for glob, name in _filenames()[1]:
        if fnmatch.fnmatchcase(base, glob):
            return name
    if head and head.startswith(b"#!"):
        return _by_shebang(head)
    return None


def needs_head(path: str) -> bool:
    """Whether only the first line of the file can tell: its name has no suffix and is not known."""
    base = path.rsplit("/", 1)[-1]
    return "." not in base[1:] and language_of_path(path) is None


def _by_shebang(head: bytes) -> str | None:
    line = head.split(b"\n", 1)[0][2:].decode("utf-8", "replace").split()
    if not line:
        return None
    word = line[0].rsplit("/", 1)[-1]
    if word == "env":
        rest = [part for part in line[1:] if not part.startswith("-") and "=" not in part]
        if not rest:
            return None
        word = rest[0].rsplit("/", 1)[-1]
    return _interpreters().get(word) or _interpreters().get(re.sub(r"[\d.]+$", "", word))


@cache
def _all() -> dict[str, Language]:
    from structural.syntax import languages

    found: dict[str, Language] = {}
    modules = (info.name for info in pkgutil.iter_modules(languages.__path__))
    for module in sorted(name for name in modules if not name.startswith("_")):
        loaded = importlib.import_module(f"{languages.__name__}.{module}")
        for language in getattr(loaded, "LANGUAGES", None) or (loaded.LANGUAGE,):
            found[language.name] = language
    if importlib.util.find_spec(_PACK) is not None:
        from structural.syntax.languages._pack import LANGUAGES

        found = {language.name: language for language in LANGUAGES} | found
    found.update(_extra)
    return found


@cache
def _long_tail_names() -> frozenset[str]:
    """Names of the languages whose grammars come with the extra."""
    from structural.syntax.languages._pack import LANGUAGES

    return frozenset(name for language in LANGUAGES for name in (language.name, *language.aliases))


@cache
def _aliases() -> dict[str, str]:
    table: dict[str, str] = {}
    for language in _all().values():
        for suffix in language.suffixes:
            table.setdefault(suffix.removeprefix("."), language.name)
    for language in _all().values():
        for alias in language.aliases:
            table[alias] = language.name
    return table | {name: name for name in _all()}


@cache
def _suffixes() -> dict[str, str]:
    return {suffix: language.name for language in _all().values() for suffix in language.suffixes}


@cache
def _filenames() -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    plain: dict[str, str] = {}
    globs: list[tuple[str, str]] = []
    for language in _all().values():
        for filename in language.filenames:
            if "*" in filename:
                globs.append((filename, language.name))
            else:
                plain[filename] = language.name
    return plain, tuple(globs)


@cache
def _interpreters() -> dict[str, str]:
    return {word: language.name for language in _all().values() for word in language.interpreters}
