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
from collections.abc import Iterable
from dataclasses import dataclass

from structural.rules.keys import TABLES
from structural.rules.reading_conditions import Reader
from structural.rules.reading_forms import Named, Problems, Record, Signs, Values, check, key_hint, unknown
from structural.rules.reading_names import Scope, check_calls, check_cycles
from structural.rules.reading_rules import Draft, languages, utility
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
    problems = Problems(path)
    reading = _File(problems, path, dialect)
    read = documents(text)
    for fault in read.faults:
        problems.tell(fault.at, fault.message, fault.hint)
    for node in read.nodes:
        reading.document(node, utilities)
    scope = Scope({one.name: one for one in shared or ()}, shared is not None)
    made = {one.name: one for one in reading.utilities}
    together = scope.under(made)
    for one in reading.utilities:
        check_calls([one.condition], together, problems)
    check_cycles(together.utilities, made.__contains__, problems)
    rules = tuple(rule for draft in reading.drafts if (rule := draft.finish(together)) is not None)
    return RuleFile(rules, tuple(reading.utilities), problems.all())


def read_set(sources: Iterable[Source]) -> RuleFile:
    """The rules of files that run together: utilities are shared, and each id stands once."""
    sources = list(sources)
    rules: list[Rule] = []
    utilities: dict[str, Utility] = {}
    problems: list[Problem] = []
    for source in sources:
        if source.utilities:
            read = read_rules(source.text, source.path, utilities=True, dialect=source.dialect)
            problems += read.problems
            for utility in read.utilities:
                first = utilities.setdefault(utility.name, utility)
                if first is not utility:
                    problems.append(
                        _second("utility", utility.name, utility.path, utility.at, first.path, first.at)
                    )
    told: dict[str, Problems] = {}
    shared = Scope(utilities, True)
    for utility in utilities.values():
        check_calls([utility.condition], shared, told.setdefault(utility.path, Problems(utility.path)))
    known: dict[str, Rule] = {}
    if utilities:
        first_path = next(iter(utilities.values())).path
        check_cycles(utilities, lambda name: True, told.setdefault(first_path, Problems(first_path)))
    for one in told.values():
        problems += one.all()
    for source in sources:
        if source.utilities:
            continue
        read = read_rules(source.text, source.path, shared=utilities.values(), dialect=source.dialect)
        problems += read.problems
        for utility in read.utilities:
            utilities.setdefault(utility.name, utility)
        for rule in read.rules:
            before = known.setdefault(rule.id, rule)
            if before is rule:
                rules.append(rule)
            else:
                problems.append(_second("rule", rule.id, rule.path, rule.at, before.path, before.at))
    unique = tuple(dict.fromkeys(problems))
    return RuleFile(tuple(rules), tuple(utilities.values()), unique)


def _second(what: str, name: str, path: str, at: At, first: str, there: At) -> Problem:
    return Problem(
        path,
        at,
        f"a {what} called {name!r} is there already",
        f"the first is in {first}, line {there.line}; rename one of them",
        name if what == "rule" else "",
    )


# --- one file ---------------------------------------------------------------------------------------------


class _File:
    """The documents of one file."""

    def __init__(self, problems: Problems, path: str, dialect: str) -> None:
        self.problems = problems
        self.path = path
        self.dialect = dialect
        self.drafts: list[Draft] = []
        self.utilities: list[Utility] = []
        self._ids: dict[str, At] = {}

    def document(self, node: Node, utilities: bool) -> None:
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
                self.drafts.append(Draft(self.id(record, reader), record, reader, before))
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
        made = utility(self.id(record, reader), record, reader, self.path)
        if record.named("utils"):
            reader.problems.tell(
                record.place("utils"),
                "a shared utility has no utilities of its own",
                "make each a shared utility",
            )
        if made is not None and reader.problems.faults == before:
            self.utilities.append(
                dataclasses.replace(made, languages=languages(record, reader, self.problems), at=record.at)
            )

    def id(self, record: Record, reader: Reader) -> str:
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
