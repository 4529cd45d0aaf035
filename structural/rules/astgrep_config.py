"""``sgconfig.yml``: bytes to a value, with what is wrong or cannot be carried over as problems.

Paths are as the file has them, relative to its folder.  Nothing is raised over what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from structural.errors import LanguageError
from structural.rules.reading_forms import Problems, Record, Signs, Values, check
from structural.rules.values import At, Problem
from structural.rules.yaml import Scalar, documents
from structural.syntax import registry

__all__ = ["CustomLanguage", "SgConfig", "TestFolder", "read_sgconfig"]


@dataclass(frozen=True, slots=True)
class TestFolder:
    """A folder with tests, and that of their snapshots, which is in it."""

    __test__ = False

    folder: str
    snapshots: str = "__snapshots__"


@dataclass(frozen=True, slots=True)
class CustomLanguage:
    """A grammar in a shared library.  ``libraries``: target triple → path; "" for any target."""

    name: str
    libraries: Mapping[str, str]
    suffixes: tuple[str, ...]
    symbol: str = ""
    at: At = field(default=At(), compare=False)


@dataclass(frozen=True, slots=True)
class SgConfig:
    """What the file says."""

    rules: tuple[str, ...] = ()
    utilities: tuple[str, ...] = ()
    tests: tuple[TestFolder, ...] = ()
    globs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Canonical name of a language → globs of files that are read as this language."""
    languages: tuple[CustomLanguage, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_sgconfig(text: bytes, path: str) -> SgConfig:
    """The configuration of ast-grep in *text*; never raises."""
    problems = Problems(path)
    read = documents(text)
    for fault in read.faults:
        problems.tell(fault.at, fault.message, fault.hint)
    record = check(read.nodes[0], "sgconfig", problems, Signs()) if read.nodes else None
    if record is None:
        if not problems.found:
            problems.tell(At(), "the file is empty", "it names folders under `ruleDirs`")
        return SgConfig(problems=problems.all())
    if "languageInjections" in record.keys:
        problems.warn(
            record.place("languageInjections"),
            "`languageInjections` is not carried over",
            "code in other files is found as `astgrep languages` says",
        )
    custom = _languages(record, problems)
    return SgConfig(
        tuple(one.text for one in record.texts("ruleDirs")),
        tuple(one.text for one in record.texts("utilDirs")),
        tuple(
            TestFolder(one.text("testDir"), one.text("snapshotDir") or "__snapshots__")
            for one in record.several("testConfigs")
            if isinstance(one, Record) and one.text("testDir")
        ),
        _globs(record, {one.name for one in custom}, problems),
        custom,
        problems.all(),
    )


def _globs(record: Record, custom: set[str], problems: Problems) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, value in record.named("languageGlobs"):
        try:
            language = name.text if name.text in custom else registry.resolve(name.text)
        except LanguageError as problem:
            problems.tell(name.at, problem.message, problem.hint)
            continue
        items = value.items if isinstance(value, Values) else [value]
        globs = [one.text for one in items if isinstance(one, Scalar)]
        found[language] = (*found.get(language, ()), *globs)
    return found


def _languages(record: Record, problems: Problems) -> tuple[CustomLanguage, ...]:
    found: list[CustomLanguage] = []
    for name, value in record.named("customLanguages"):
        if not isinstance(value, Record):
            continue
        for key, why in (
            ("expandoChar", "names that stand in for metavariables are chosen for each pattern"),
            ("outlineRules", "a language says under `defines` what it defines"),
        ):
            if key in value.keys:
                problems.warn(value.place(key), f"`{value.spelled[key]}` is not carried over", why)
        library = value.values.get("libraryPath")
        libraries = {"": library.text} if isinstance(library, Scalar) else {}
        for target, one in value.named("libraryPath"):
            if isinstance(one, Scalar):
                libraries[target.text] = one.text
        if libraries:
            suffixes = tuple("." + one.text.removeprefix(".") for one in value.texts("extensions"))
            symbol = value.text("languageSymbol")
            found.append(CustomLanguage(name.text, libraries, suffixes, symbol, name.at))
    return tuple(found)
