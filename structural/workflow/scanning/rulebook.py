"""From names of folders and files to the rules that are run.

Order of things: the names become files; each is read; ids that come twice are told; severities
are those of the configuration; those that were asked for stay.  Compiling, which costs most, is done for
the languages that are there (``compiled``).  A mistake in a rule is a ``Problem``, never an exception.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from structural.errors import UsageError
from structural.rules.values import At, Problem, Rule, Severity, Utility
from structural.search.globs import Globs
from structural.workflow.collecting import seldom
from structural.workflow.scanning import catalogue
from structural.workflow.scanning.settings import Settings

if TYPE_CHECKING:
    from structural.rules.terms import RuleSet

SUFFIXES = (".yml", ".yaml")

MOST_FILES = 100_000
"""Rule files of one call: a folder that was named by mistake ends here."""

MOST_BYTES = 20_000_000
"""Of one rule file."""

ORDER = (Severity.HINT, Severity.INFO, Severity.WARNING, Severity.ERROR)
"""Severities from the least on."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the rules are run; empty is all."""

    ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    least: Severity | None = None

    @property
    def all(self) -> bool:
        return not (self.ids or self.tags or self.least)

    def takes(self, rule: Rule) -> bool:
        if self.ids and rule.id not in self.ids:
            return False
        if self.tags and not set(self.tags) & set(rule.tags):
            return False
        return self.least is None or (
            rule.severity in ORDER and ORDER.index(rule.severity) >= ORDER.index(self.least)
        )


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Rules with the severities of the configuration, by id.  ``rules`` are those that run, ``known`` all
    ids, ``others`` the rules that do not run: switched off, or not asked for."""

    rules: tuple[Rule, ...]
    utilities: tuple[Utility, ...] = ()
    problems: tuple[Problem, ...] = ()
    others: tuple[Rule, ...] = ()
    files: tuple[str, ...] = ()
    digest: str = ""
    """Of the rule files and of what was chosen: two rulebooks with the same find the same."""
    known: frozenset[str] = field(default_factory=frozenset)
    whole: bool = True
    """Whether all the rules of the configuration run."""

    @property
    def broken(self) -> tuple[Problem, ...]:
        """The problems because of which a rule does not run."""
        return tuple(problem for problem in self.problems if not problem.warning)


@seldom()
def gather(
    names: Sequence[str],
    settings: Settings,
    choice: Choice | None = None,
    *,
    utils: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
) -> Rulebook:
    """Read the rules of *names*, folders and files as they are seen from the current folder, or
    ``catalogue``, and those in *texts*, by the names that their mistakes are told with; without either those
    of the configuration.  *utils* are more folders with shared utilities, beside those of the configuration.

    UsageError if there are no rules at all, if a name is nothing, or if a rule that was asked for is not
    there.
    """
    given = tuple(names) or (() if texts else settings.rules)
    if not given and not texts:
        raise UsageError(
            "no rules are named",
            hint="name them with --rules DIR, --rules catalogue, or under [scan] in structural.toml",
        )
    tests = tuple(os.path.realpath(one) for one in settings.tests)
    named_in = "" if utils else settings.path
    shared = list(rule_files((*settings.utils, *utils), leave_out=tests, named_in=named_in))
    left_out = (*tests, *map(os.path.realpath, (*settings.utils, *utils)))
    files = list(rule_files(given, left_out, named_in="" if names else settings.path))
    return _read(shared, files, texts or {}, settings, choice or Choice(), whole=not (names or texts))


def _read(
    shared: Sequence[str],
    files: Sequence[str],
    texts: Mapping[str, str],
    settings: Settings,
    wanted: Choice,
    *,
    whole: bool,
) -> Rulebook:
    from structural.rules.reading import Source, read_set

    problems: list[Problem] = list(settings.problems)
    sources: list[Source] = []
    for path in (*shared, *files):
        shown = catalogue.shown(path)
        try:
            text = _content(path)
        except OSError as problem:
            problems.append(Problem(shown, At(), f"the file cannot be read: {problem.strerror or problem}"))
            continue
        sources.append(Source(shown, text, len(sources) < len(shared), settings.dialect))
    sources += [Source(path, text.encode("utf-8", "surrogatepass")) for path, text in texts.items()]
    total = hashlib.sha256()
    for source in sources:
        total.update(hashlib.sha256(source.text).digest())
    found = read_set(sources)
    problems += found.problems
    rules: dict[str, Rule] = {}
    for rule in found.rules:
        wrong = _wrong_glob(rule)
        if wrong is not None:
            problems.append(wrong)
            continue
        severity = settings.severity_of(rule.id, rule.tags, rule.severity)
        rules[rule.id] = rule if severity is rule.severity else replace(rule, severity=severity)
    _check_asked(wanted, rules, problems)
    chosen = [one for one in rules.values() if one.severity is not Severity.OFF and wanted.takes(one)]
    chosen.sort(key=lambda rule: rule.id)
    taken = {rule.id for rule in chosen}
    total.update("\0".join(rule.id for rule in chosen).encode())
    return Rulebook(
        tuple(chosen),
        found.utilities,
        tuple(problems),
        tuple(sorted((one for one in rules.values() if one.id not in taken), key=lambda rule: rule.id)),
        (*shared, *files),
        total.hexdigest(),
        frozenset(rules) | {problem.rule for problem in problems if problem.rule},
        wanted.all and whole,
    )


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise OSError(f"it has more than {MOST_BYTES:,} bytes")
    return text


def rule_files(names: Iterable[str], leave_out: Iterable[str] = (), *, named_in: str = "") -> Iterable[str]:
    """The rule files of folders and files, each once, in a stable order; not those below *leave_out*.

    UsageError for a name that is nothing; it says that the name is that of the configuration *named_in*."""
    seen: set[str] = set()
    left_out = tuple(leave_out)
    for name in names:
        path = catalogue.located(name) if catalogue.is_catalogue(name) else name
        if path is None or not os.path.exists(path):
            raise _missing(name, named_in)
        for file in _below(path):
            real = os.path.realpath(file)
            if real in seen or any(real.startswith(folder + os.sep) for folder in left_out):
                continue
            seen.add(real)
            if len(seen) > MOST_FILES:
                raise UsageError(
                    f"{name} has more than {MOST_FILES:,} rule files", hint="name a smaller folder"
                )
            yield file


def _below(path: str) -> Iterable[str]:
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(one for one in folders if not one.startswith((".", "__")))
        for name in sorted(files):
            path = os.path.join(folder, name)
            # Nobody waits for what a pipe may say; one that is named is read (``<(…)`` of a shell).
            no_file = os.path.exists(path) and not os.path.isfile(path)
            if name.endswith(SUFFIXES) and not name.startswith(".") and not no_file:
                yield path


def _wrong_glob(rule: Rule) -> Problem | None:
    """What is wrong with the globs of a rule: only files can be told by them, so it is seen here."""
    for key, globs in (("files", rule.files), ("ignores", rule.ignores)):
        try:
            Globs.compile(globs)
        except UsageError as problem:
            return Problem(rule.path, rule.places.get(key, rule.at), problem.message, problem.hint, rule.id)
    return None


def _missing(name: str, named_in: str) -> UsageError:
    if catalogue.is_catalogue(name):
        there = catalogue.parts()
        if not there:
            return UsageError("the catalogue is not installed", hint="name a folder of rules instead")
        return UsageError(
            f"the catalogue has no part {name.partition('/')[2]!r}", hint=f"it has {', '.join(there)}"
        )
    hint = "it is neither a folder nor a file"
    if named_in:
        hint += f"; {named_in} names it: make it, or take it out there"
    return UsageError(f"there are no rules at {name!r}", hint=hint)


def _check_asked(wanted: Choice, rules: dict[str, Rule], problems: list[Problem]) -> None:
    from difflib import get_close_matches

    for name in wanted.ids:
        if name in rules or any(problem.rule == name for problem in problems):
            continue
        close = get_close_matches(name, rules, n=1)
        raise UsageError(
            f"no rule has the id {name!r}",
            hint=f"did you mean {close[0]}?" if close else "`astgrep rules` lists them",
        )
    tags = {tag for rule in rules.values() for tag in rule.tags}
    for tag in wanted.tags:
        if tag not in tags:
            close = get_close_matches(tag, tags, n=3)
            raise UsageError(
                f"no rule has the tag {tag!r}",
                hint=f"did you mean {close[0]}?"
                if close
                else f"there are {', '.join(sorted(tags)) or 'none'}",
            )


def compiled(book: Rulebook, languages: Iterable[str] | None = None) -> tuple[RuleSet, tuple[Problem, ...]]:
    """The rules that run, for *languages* (None: all of theirs), and the problems that came up."""
    from structural.rules.compile import compile_rules

    return compile_rules(book.rules, book.utilities, languages)
