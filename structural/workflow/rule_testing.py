"""``astgrep test``: the examples of rules, their test files and their snapshots.

In order: files are found and told apart (rules, shared utilities, tests), rules are read and compiled, every
example is run, and what was found in test files is compared with snapshots beside them, or kept with
*update*.  Nothing else is written.  A mistake in a file is a problem, never an exception.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from structural.errors import UsageError
from structural.rules.cases import (
    Cases,
    Snapshots,
    TheirSnapshot,
    are_cases,
    read_cases,
    read_snapshots,
    written,
)
from structural.rules.compile import compile_rules
from structural.rules.examples import (
    ExampleResult,
    Snapshot,
    check,
    compared,
    difference,
    same_text,
    snapshot,
)
from structural.rules.reading import Source, read_set
from structural.rules.values import At, Problem, Rule
from structural.search.globs import Globs
from structural.workflow.collecting import seldom
from structural.workflow.scanning import catalogue
from structural.workflow.scanning.rulebook import rule_files
from structural.workflow.scanning.settings import Settings

__all__ = ["CaseResult", "RuleTest", "TestReport", "run_tests"]

SNAPSHOTS = "__snapshots__"
_LEVELS = 10
"""Folders above a test in which snapshots of ast-grep are looked for."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One example with the file that it stands in."""

    path: str
    result: ExampleResult


@dataclass(frozen=True, slots=True)
class RuleTest:
    """One rule with what became of its examples."""

    rule: Rule
    cases: tuple[CaseResult, ...]
    new: int = 0
    """Cases of test files of which there is no snapshot."""
    stale: int = 0
    """Snapshots of which there is no case any more."""

    @property
    def failed(self) -> tuple[CaseResult, ...]:
        """Those in which something is wrong."""
        return tuple(one for one in self.cases if one.result.fault)

    @property
    def lacks(self) -> tuple[str, ...]:
        """``matching`` and ``not-matching``, where the rule has no such example."""
        sides = {one.result.matching for one in self.cases}
        return tuple(
            name for name, side in (("matching", True), ("not-matching", False)) if side not in sides
        )


@dataclass(frozen=True, slots=True)
class TestReport:
    """Everything that was tested, by id of the rule.  ``broken`` and ``warnings`` are problems in files."""

    __test__ = False

    rules: tuple[RuleTest, ...]
    problems: tuple[Problem, ...] = ()
    updated: tuple[str, ...] = ()
    """Snapshot files that were written."""
    change: str = ""
    """The commit that wrote them."""

    @property
    def broken(self) -> tuple[Problem, ...]:
        """Problems because of which something was not tested."""
        return tuple(one for one in self.problems if not one.warning)

    @property
    def examples(self) -> int:
        return sum(len(one.cases) for one in self.rules)

    @property
    def failures(self) -> int:
        return sum(len(one.failed) for one in self.rules)

    def lacking(self, side: str) -> tuple[str, ...]:
        """Ids of the rules that have no example of this side."""
        return tuple(one.rule.id for one in self.rules if side in one.lacks)


@dataclass(slots=True)
class _Files:
    """The files of one call, told apart."""

    sources: list[Source] = field(default_factory=list)
    cases: list[Cases] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@seldom()
def run_tests(
    names: Sequence[str], settings: Settings, *, ids: Sequence[str] = (), update: bool = False
) -> TestReport:
    """Test the rules of *names*, folders and files (those of the configuration without), or only those with
    *ids*.  UsageError if there are none."""
    given = tuple(names) or settings.rules
    if not given:
        raise UsageError(
            "no rules are named",
            hint="name them, as `astgrep test rules/`, or under [scan] in structural.toml",
        )
    # Tests of the configuration are run with rules that were named too, if they are there.
    tests = [one for one in settings.tests if not names or os.path.exists(one)]
    files = _gathered((*given, *tests), settings)
    read = read_set(files.sources)
    problems = [*files.problems, *read.problems]
    wanted = [rule for rule in read.rules if not ids or rule.id in ids]
    for name in ids:
        if not any(rule.id == name for rule in read.rules) and not any(one.rule == name for one in problems):
            raise UsageError(f"no rule has the id {name!r}", hint=_near(name, [one.id for one in read.rules]))
    rules, late = compile_rules(wanted, read.utilities)
    problems += late
    by_id: dict[str, list[Cases]] = {}
    for one in files.cases:
        by_id.setdefault(one.id, []).append(one)
    known = {rule.id for rule in read.rules} | {one.rule for one in problems}
    for name, those in by_id.items():
        if name not in known:
            problems += [
                Problem(one.path, one.at, f"there is no rule {name!r} to test", _near(name, known))
                for one in those
            ]
    tested: list[RuleTest] = []
    writes: dict[str, bytes] = {}
    for rule in sorted(rules.rules.values(), key=lambda rule: rule.id):
        admits = _admits(rule)
        cases = [CaseResult(rule.path, one) for one in check(rule, rules, None, read.utilities, admits)]
        made = RuleTest(rule, tuple(cases))
        for folder, those in _by_folder(by_id.get(rule.id, ())).items():
            results = [
                CaseResult(one.path, result)
                for one in those
                for result in check(rule, rules, one.examples, read.utilities, admits)
            ]
            made = _with_snapshots(made, results, folder, update, writes, problems)
        tested.append(made)
    report = TestReport(tuple(tested), tuple(dict.fromkeys(problems)))
    if writes:
        from structural.workflow.rule_files import put

        report = replace(report, updated=tuple(sorted(writes)), change=put(writes, replace=True))
    return report


def _admits(rule: Rule) -> Callable[[str], bool]:
    """Whether the globs of *rule* take a path in.  Globs that are wrong take in everything."""
    try:
        return Globs.compile([*rule.files, *(f"!{one}" for one in rule.ignores)]).admits
    except UsageError:
        return lambda path: True


def _near(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""


# --- files ------------------------------------------------------------------------------------------------


def _gathered(names: Sequence[str], settings: Settings) -> _Files:
    found = _Files()
    utilities = list(rule_files(settings.utils, named_in=settings.path))
    seen = {os.path.realpath(path) for path in utilities}
    for path in utilities:
        _add(path, found, settings.dialect, utilities=True)
    for path in _others(names, seen):
        _add(path, found, settings.dialect)
    return found


def _others(names: Iterable[str], seen: set[str]) -> Iterator[str]:
    for path in rule_files(names):
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield path


def _add(path: str, found: _Files, dialect: str, *, utilities: bool = False) -> None:
    shown = catalogue.shown(path)
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as problem:
        found.problems.append(Problem(shown, At(), f"the file cannot be read: {problem.strerror or problem}"))
        return
    if not utilities and are_cases(text):
        cases, problems = read_cases(text, shown)
        found.cases += cases
        found.problems += problems
    else:
        found.sources.append(Source(shown, text, utilities, dialect))


def _by_folder(cases: Iterable[Cases]) -> dict[str, list[Cases]]:
    """Tests by the folder that they are in, where their snapshots are."""
    found: dict[str, list[Cases]] = {}
    for one in cases:
        found.setdefault(os.path.dirname(one.path), []).append(one)
    return found


# --- snapshots --------------------------------------------------------------------------------------------


def _with_snapshots(
    made: RuleTest,
    results: list[CaseResult],
    folder: str,
    update: bool,
    writes: dict[str, bytes],
    problems: list[Problem],
) -> RuleTest:
    """*made* with *results*, compared with the snapshots in *folder*; *writes* gets what is to be written."""
    base = os.path.join(folder, SNAPSHOTS, _file_name(made.rule.id))
    path = f"{base}.yml"
    ours = _read(path, problems)
    theirs = _theirs(folder, _file_name(made.rule.id), problems)
    now: dict[tuple[str, str], Snapshot] = {}
    new = 0
    told: list[CaseResult] = []
    for one in results:
        if not one.result.matching or not one.result.findings:
            told.append(one)
            continue
        taken = snapshot(made.rule, one.result)
        key = taken.language, taken.code
        now[key] = taken
        kept = ours.ours.get(key)
        differs = compared(kept, taken) if kept is not None and not update else ""
        known = theirs.get(one.result.example.code)
        if known is not None and not differs:
            differs = _differs(known, one.result)
        new += kept is None and known is None
        if differs and not one.result.fault:
            said = "finds something else than its snapshot has"
            one = CaseResult(
                one.path, replace(one.result, fault="snapshot", message=said, difference=differs)
            )
        told.append(one)
    stale = len(ours.ours.keys() - now.keys())
    if update:
        text = written(made.rule.id, now.values())
        if now and (new or stale or any(ours.ours.get(key) != one for key, one in now.items())):
            writes[path] = text
            new = stale = 0
    return RuleTest(made.rule, (*made.cases, *told), made.new + new, made.stale + stale)


def _file_name(name: str) -> str:
    """The id of a rule as the name of a file."""
    flat = name.replace("/", "__")
    return f"_{flat}" if flat.startswith(".") else flat


def _theirs(folder: str, name: str, problems: list[Problem]) -> Mapping[str, TheirSnapshot]:
    """The snapshots of ast-grep, which are in the folder of the configuration, so perhaps above the test."""
    for _ in range(_LEVELS):
        path = os.path.join(folder, SNAPSHOTS, f"{name}-snapshot.yml")
        if os.path.isfile(path) or not folder or folder == os.path.dirname(folder):
            return _read(path, problems).theirs
        folder = os.path.dirname(folder)
    return {}


def _read(path: str, problems: list[Problem]) -> Snapshots:
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return Snapshots()
    except OSError as problem:
        problems.append(Problem(path, At(), f"the file cannot be read: {problem.strerror or problem}"))
        return Snapshots()
    read = read_snapshots(text, path)
    problems += read.problems
    return read


def _differs(kept: TheirSnapshot, result: ExampleResult) -> str:
    """What is other than a snapshot of ast-grep says: the place of its first finding, its fix."""
    if kept.span is not None and kept.span not in [(one.span.start, one.span.end) for one in result.findings]:
        source = result.example.code.encode()
        first = result.findings[0].span.text(source)
        return difference(source[slice(*kept.span)].decode("utf-8", "replace"), first)
    made = result.rewritten
    if kept.fixed is not None and made is not None and not same_text(kept.fixed, made):
        return difference(kept.fixed, made)
    return ""
