"""Rule files: bytes to rules, with every mistake and its place.

``read_rules`` reads one file, ``read_set`` those that run together.  In order: the YAML (``yaml``), the form
(``reading_forms``, by the tables in ``keys``), values (``reading_conditions``, ``reading_rewrites``), and
last whether names stand for something (``reading_names``).  Problems are collected, not told one at a time;
a rule with one that is no warning is left out.

What needs a grammar is not asked here: whether a pattern is code, whether a kind is there.  Nothing is
read from a disk, and nothing is raised over what a file holds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as ReadOnly
from dataclasses import dataclass

from structural.rules.keys import TABLES
from structural.rules.reading_conditions import Reader
from structural.rules.reading_forms import Named, Problems, Record, Signs, Values, check, key_hint, unknown
from structural.rules.reading_lifting import renamed
from structural.rules.reading_names import Scope, check_calls, cycles, tell_cycles
from structural.rules.reading_rules import Draft, languages, local_utilities, utility
from structural.rules.stopping import pause
from structural.rules.values import At, Problem, Rule, Utility
from structural.rules.yaml import Mapping, Node, Scalar, documents

__all__ = ["ASTGREP", "RuleFile", "Source", "read_rules", "read_set"]

ASTGREP = "ast-grep"
"""The dialect of files that only ast-grep has written: those that ``sgconfig.yml`` names."""


@dataclass(frozen=True, slots=True)
class RuleFile:
    """What one file, or several, say.  ``rules`` and ``utilities`` can be used; ``problems`` are in the
    order of files and places."""

    rules: tuple[Rule, ...] = ()
    utilities: tuple[Utility, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def faulty(self) -> bool:
        """Whether something could not be used."""
        return any(not problem.warning for problem in self.problems)


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a set: ``utilities`` says that it holds shared utilities and no rules."""

    path: str
    text: bytes
    utilities: bool = False
    dialect: str = ""


def read_rules(
    text: bytes,
    path: str,
    *,
    shared: Iterable[Utility] | None = None,
    utilities: bool = False,
    dialect: str = "",
) -> RuleFile:
    """The rules of one file.  *shared* are the utilities of other files; None: they are not known, and
    that a rule uses one which is not in this file is left to those who know.  *utilities*: the file
    holds shared utilities.  *dialect* is ``ASTGREP`` where that is certain."""
    file = _File(Source(path, text, utilities, dialect))
    own = {one.name: one for one in file.utilities}
    scope = Scope({one.name: one for one in shared or ()}, shared is not None, frozenset(file.broken))
    scope = scope.under(own)
    _check_utilities([file], scope, own)
    return RuleFile(tuple(file.rules(scope)), tuple(own.values()), file.problems.all())


def read_set(sources: Iterable[Source]) -> RuleFile:
    """The rules of files that run together: utilities are those of all files, and each id stands once."""
    files = [_File(source) for source in sources]
    utilities: dict[str, Utility] = {}
    for file in files:
        for one in file.utilities:
            first = utilities.setdefault(one.name, one)
            if first is not one:
                _second(file.problems, "utility", one.name, one.at, first.path, first.at)
    scope = Scope(utilities, True, frozenset(name for file in files for name in file.broken))
    _check_utilities(files, scope, utilities)
    rules: dict[str, Rule] = {}
    for file in files:
        for rule in file.rules(scope):
            before = rules.setdefault(rule.id, rule)
            if before is not rule:
                _second(file.problems, "rule", rule.id, rule.at, before.path, before.at)
    problems = tuple(problem for file in files for problem in file.problems.all())
    return RuleFile(tuple(rules.values()), tuple(utilities.values()), problems)


def _check_utilities(files: Iterable[_File], scope: Scope, utilities: ReadOnly[str, Utility]) -> None:
    """Tells of what is wrong among the *utilities* of *files*."""
    circles = cycles(utilities)
    for file in files:
        for one in file.utilities:
            check_calls([one.condition], scope, file.problems)
        own = {one.name for one in file.utilities if utilities.get(one.name) is one}
        tell_cycles(circles, utilities, own, file.problems)


def _second(problems: Problems, what: str, name: str, at: At, path: str, there: At) -> None:
    problems.rule = name if what == "rule" else ""
    problems.tell(
        at,
        f"a {what} called {name!r} is there already",
        f"the first is in {path}, line {there.line}; rename one of them",
    )
    problems.rule = ""


# --- one file ---------------------------------------------------------------------------------------------


class _File:
    """The documents of one file."""

    def __init__(self, source: Source) -> None:
        self.problems = Problems(source.path)
        self.path = source.path
        self.dialect = source.dialect
        self.utilities: list[Utility] = []
        self.broken: set[str] = set()
        """Utilities with mistakes."""
        self._drafts: list[Draft] = []
        self._ids: dict[str, At] = {}
        read = documents(source.text)
        for fault in read.faults:
            self.problems.tell(fault.at, fault.message, fault.hint)
        for node in read.nodes:
            pause()
            self._document(node, source.utilities)

    def rules(self, scope: Scope) -> Iterator[Rule]:
        """The rules that can be used with the utilities of *scope*."""
        for draft in self._drafts:
            pause()
            rule = draft.finish(scope)
            if rule is not None:
                yield rule

    def _document(self, node: Node, utilities: bool) -> None:
        """One document: a rule, or a utility."""
        if isinstance(node, Scalar) and node.value is None:
            return  # nothing but comments
        problems = self.problems
        problems.rule = _id_of(node)
        before = problems.faults
        signs = Signs()
        shared = utilities or _has(node, "params", "arguments")
        record = check(node, "utility" if shared else "rule", problems, signs)
        if record is not None:
            signs.ours |= isinstance(record.values.get("language"), Values)
            signs.theirs |= isinstance(record.values.get("rewriters"), Values)
            signs.ours |= isinstance(record.values.get("rewriters"), Named)
            theirs = signs.theirs and not signs.ours if not self.dialect else self.dialect == ASTGREP
            reader = Reader(problems, theirs)
            self._unknown(signs, theirs)
            if shared:
                self._utility(record, reader, before)
            else:
                self._drafts.append(Draft(self._id(record, reader), record, reader, before))
        problems.rule = ""

    def _unknown(self, signs: Signs, theirs: bool) -> None:
        """Keys that no rule has.  ast-grep reads over them."""
        for key, record in signs.unknown:
            if theirs:
                hint = key_hint(key, TABLES[record.table], self.problems)
                hint = hint if hint.startswith("did") else ""
                self.problems.warn(
                    key.at, f"{key.text[:60]!r} is no key of ast-grep, and is not carried over", hint
                )
            else:
                record.damaged = True
                unknown(key, TABLES[record.table], self.problems)

    def _utility(self, record: Record, reader: Reader, before: int) -> None:
        for key in ("constraints", "arguments"):
            if key in record.keys:
                reader.problems.tell(
                    record.place(key),
                    f"`{key}` of a utility of ast-grep is not carried over",
                    "give metavariables as `params`, and conditions of them in the rule",
                )
        name = self._id(record, reader)
        made = utility(name, record, reader, self.path)
        own = local_utilities(record, reader, self.path)
        known = languages(record, reader, self.problems)
        if made is None or reader.problems.faults > before:
            self.broken.add(name)
            return
        names = {one: f"{name}/{one}" for one in own}
        made = dataclasses.replace(
            made, condition=renamed(made.condition, names), languages=known, at=record.at
        )
        self.utilities.append(made)
        for one, local in own.items():
            inside = renamed(local.condition, names)
            self.utilities.append(
                dataclasses.replace(local, name=names[one], condition=inside, languages=known)
            )

    def _id(self, record: Record, reader: Reader) -> str:
        """The id of a document; that it stands once is seen to."""
        name = record.text("id")
        at = record.place("id")
        if name and name in self._ids:
            reader.problems.tell(
                at,
                f"the id {name!r} stands here a second time",
                f"the first is in line {self._ids[name].line}",
            )
        elif name:
            self._ids[name] = at
        return name


def _id_of(node: Node) -> str:
    if isinstance(node, Mapping):
        for key, value in node.entries:
            if key.text == "id" and isinstance(value, Scalar):
                return value.text[:200]
    return ""


def _has(node: Node, *names: str) -> bool:
    return isinstance(node, Mapping) and any(key.text in names for key, _ in node.entries)
