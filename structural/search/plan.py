"""What a search will look at: the files that take part, and the pattern in their languages.

Order of things: walk; give every file its language; find the languages that are
present, those embedded in other files too; compile the pattern in each.  A pattern
that is code in none of them is an error that says why for each; code in some is
enough.  No file is searched here, and of files only heads are read, and the whole
of those that name the languages of the code in them (fences in Markdown).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from structural.errors import LanguageError, PatternError, UsageError
from structural.pattern.compile import Pattern, compile_pattern
from structural.pattern.values import Attempts
from structural.search.read import read_file, read_head
from structural.search.source import hosts_of
from structural.search.values import PatternSpec, Refusal, Selection, Skipped
from structural.search.walk import Walk, walk
from structural.syntax import registry


@dataclass(slots=True)
class Plan:
    """``hosts[i]`` is the language of ``files[i]``; ``serving[h]`` are the languages whose
    patterns are searched for in files of language ``h``."""

    walk: Walk
    files: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    patterns: dict[str, Pattern] = field(default_factory=dict)
    serving: dict[str, tuple[str, ...]] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    other_languages: int = 0
    stages: dict[str, float] = field(default_factory=dict)


def plan(spec: PatternSpec, selection: Selection) -> Plan:
    """Walk and compile.  Raises UsageError, LanguageError, PatternError, ConstraintError."""
    asked = languages_asked(spec)
    began = time.perf_counter()
    made = Plan(walk(selection))
    walked = time.perf_counter()
    found = languages_of(made.walk, asked, selection)
    named = time.perf_counter()
    made.patterns, made.refusals = compile_all(spec, found.wanted, asked=bool(asked))
    made.serving = serving(found, made.patterns)
    share_out(made, found)
    made.stages = {
        "walk": walked - began,
        "languages": named - walked,
        "compile": time.perf_counter() - named,
    }
    return made


@dataclass(slots=True)
class Found:
    """The language of every file, and those in which the pattern is wanted.  ``looked`` are files
    whose contents were asked."""

    files: list[tuple[str, str | None]]
    hosts: frozenset[str]
    wanted: tuple[str, ...]
    looked: list[str]


def languages_asked(spec: PatternSpec) -> tuple[str, ...]:
    """The canonical names of the languages that a search is for; a LanguageError for another name."""
    return tuple(dict.fromkeys(registry.resolve(name) for name in spec.languages))


def languages_of(walked: Walk, asked: tuple[str, ...], selection: Selection) -> Found:
    """Give every file of a walk its language."""
    looked: list[str] = []
    files = _languages(walked, asked, looked)
    wanted = asked or _present(files, selection, looked)
    return Found(files, frozenset(host for _, host in files if host), wanted, looked)


def serving(found: Found, patterns: dict[str, Pattern]) -> dict[str, tuple[str, ...]]:
    """For every language of the files the languages whose patterns are searched for in them."""
    made = {}
    for name in found.hosts:
        names = tuple(other for other in patterns if other == name or name in _hosts(other))
        if names:
            made[name] = names
    return made


def share_out(made: Plan, found: Found) -> None:
    """Fill in which files are searched, which cannot be, and how many do not take part."""
    missing = {refusal.language: refusal.message for refusal in made.refusals if refusal.no_grammar}
    for path, host in found.files:
        if host is not None and host in made.serving:
            made.files.append(path)
            made.hosts.append(host)
        elif host is not None and host in missing:
            made.skipped.append(Skipped(path, "no grammar", missing[host]))
        else:
            made.other_languages += 1


def compile_all(
    spec: PatternSpec, languages: Iterable[str], *, asked: bool
) -> tuple[dict[str, Pattern], list[Refusal]]:
    """The pattern in each of *languages* in which it is code, and why it is none in the others.

    If there are only others, the error is raised that tells most.  Where languages
    are *asked* for by name, a grammar that is not installed is an error.
    """
    patterns: dict[str, Pattern] = {}
    refusals: list[Refusal] = []
    errors: list[UsageError] = []
    for language in languages:
        try:
            made = _compile(spec, language)
            if not asked and made.first.prose:
                raise PatternError(
                    f"the pattern is only running text in {language}",
                    hint=f"to search text: --lang {language}",
                )
            patterns[language] = made
        except LanguageError as problem:
            if asked:
                raise
            refusals.append(Refusal(language, problem.message, no_grammar=True))
        except UsageError as problem:
            attempts = problem.attempts if isinstance(problem, PatternError) else ()
            kept = attempts if isinstance(attempts, Attempts) else ()
            refusals.append(Refusal(language, problem.message, kept))
            errors.append(problem)
    if errors and not patterns:
        raise _none(spec, errors, tuple(refusals))
    return patterns, refusals


def present_languages(selection: Selection) -> tuple[str, ...]:
    """The languages of the files of *selection* and of the code embedded in them, sorted."""
    return languages_of(walk(selection), (), selection).wanted


def files_of(selection: Selection, languages: tuple[str, ...]) -> tuple[Walk, list[tuple[str, str | None]]]:
    """The walk of *selection*, and its files with their languages where no pattern decides what takes
    part.  *languages* are canonical names that were asked for."""
    found = walk(selection)
    return found, _languages(found, languages, [])


def compile_one(spec: PatternSpec, language: str) -> Pattern:
    """The pattern of *spec* in one language."""
    patterns, _ = compile_all(spec, (registry.resolve(language),), asked=True)
    return next(iter(patterns.values()))


def _compile(spec: PatternSpec, language: str) -> Pattern:
    return compile_pattern(
        spec.pattern,
        language,
        rung=spec.rung,
        strictness=spec.strictness,
        equivalences=spec.equivalences,
        without=spec.without,
        kind=spec.kind,
        where=spec.where,
        relations=spec.relations,
    )


def _none(spec: PatternSpec, errors: list[UsageError], refusals: tuple[Refusal, ...]) -> UsageError:
    # A wrong option is told before a pattern that is no code: it is wrong in every language.
    for error in errors:
        if not isinstance(error, PatternError):
            return error
    if len({error.message for error in errors}) == 1 and not any(one.attempts for one in refusals):
        return errors[0]  # Nothing to do with a language, as an empty pattern.
    if len(errors) == 1:
        return PatternError(errors[0].message, hint=errors[0].hint, attempts=refusals)
    shown = " ".join(spec.pattern.split())
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    names = ", ".join(refusal.language for refusal in refusals)
    return PatternError(
        f"{shown!r} is no code in any language of these files ({names})",
        hint="name the language with --lang, and see `astgrep explain` for what stopped each reading",
        attempts=refusals,
    )


def _languages(found: Walk, asked: tuple[str, ...], looked: list[str]) -> list[tuple[str, str | None]]:
    """Every file with its language.

    A file that was given by name and tells nothing takes the language that was asked for.
    """
    result: list[tuple[str, str | None]] = []
    for path in found.files:
        language = registry.language_of_path(path)
        if language is None and registry.needs_head(path):
            looked.append(path)
            language = registry.language_of_path(path, read_head(path))
        if language is None and len(asked) == 1 and path in found.named:
            language = asked[0]
        result.append((path, language))
    return _with_shared_suffixes(result, asked)


def _with_shared_suffixes(
    found: list[tuple[str, str | None]], asked: tuple[str, ...]
) -> list[tuple[str, str | None]]:
    """*found* with the headers of C++ as C++ where they are that."""
    for name in registry.names():
        suffixes = registry.get(name).shared_suffixes
        if not suffixes or (asked and name not in asked):
            continue
        others = {host for path, host in found if path.endswith(suffixes)} - {name, None}
        if asked:
            taken = others - set(asked)
        else:
            present = {host for path, host in found if not path.endswith(suffixes)}
            taken = others - present if name in present else set()
        if taken:
            found = [
                (path, name if host in taken and path.endswith(suffixes) else host) for path, host in found
            ]
    return found


def _present(found: list[tuple[str, str | None]], selection: Selection, looked: list[str]) -> tuple[str, ...]:
    """The languages of the files and of the code embedded in them, sorted."""
    present = {host for _, host in found if host}
    pending = list(present)
    while pending:
        host = pending.pop()
        inner = {embedding.language for embedding in registry.get(host).embedded if embedding.language}
        if any(embedding.named_by for embedding in registry.get(host).embedded):
            for path, other in found:
                if other == host:
                    looked.append(path)
                    inner |= named_languages(path, selection.max_size)
        inner = {name for name in inner if not registry.get(name).hidden}
        pending += inner - present
        present |= inner
    return tuple(sorted(present))


_FENCE = re.compile(rb"(?:```|~~~)[ \t]*[{.]*[ \t]*([A-Za-z][\w+#.-]*)")


def named_languages(path: str, max_size: int) -> set[str]:
    """Languages that the fences of a file name; empty for a file that cannot be read."""
    data = read_file(path, max_size)
    if isinstance(data, Skipped):
        return set()
    return {name for word in set(_FENCE.findall(data)) if (name := _resolved(word))}


@lru_cache(maxsize=1024)
def _resolved(word: bytes) -> str:
    try:
        return registry.resolve(word.decode("utf-8", "replace"))
    except LanguageError:
        return ""


@lru_cache(maxsize=256)
def _hosts(language: str) -> tuple[str, ...]:
    return hosts_of(language)
