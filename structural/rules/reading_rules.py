"""One rule: its record to a ``Rule``.

Everything but names is read at once (``Draft``); whether names stand for something is asked in
``finish``, when the utilities of the whole file are there.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from structural.errors import LanguageError
from structural.rules import astgrep
from structural.rules.reading_conditions import Reader, bare, condition
from structural.rules.reading_forms import Anything, Checked, Problems, Record, damaged
from structural.rules.reading_lifting import renamed
from structural.rules.reading_names import (
    Bound,
    Scope,
    bound,
    check_bound,
    check_calls,
    check_constraints,
    check_text,
    cycles,
    positive,
    tell_comments,
    tell_cycles,
)
from structural.rules.reading_rewrites import constraints, rewriters, rewrites, transforms
from structural.rules.values import (
    Also,
    At,
    Condition,
    Ensure,
    Example,
    Rewriter,
    Rule,
    RuleRewrite,
    Severity,
    Transform,
    Utility,
)
from structural.rules.yaml import Node, Scalar
from structural.rules.yaml import Sequence as Items
from structural.syntax import registry


class Draft:
    """A rule of which everything but its names was read.  Utilities of the whole file must be there
    before names are looked up."""

    def __init__(self, name: str, record: Record, reader: Reader, before: int) -> None:
        """*before* is how many faults there were before this rule."""
        self.record, self.reader = record, reader
        problems = reader.problems
        self.id = name
        self.path = problems.path
        self.languages = languages(record, reader, problems)
        middle = problems.faults
        rule = record.record("rule")
        self.condition = condition(rule, reader) if rule is not None else None
        self.constraints = constraints(record, reader)
        self.utilities = local_utilities(record, reader, self.path)
        self.unbound = problems.faults > 0 and any(
            damaged(record.values.get(key)) for key in ("rule", "constraints", "utils")
        )
        self.unsure = self.unbound or problems.faults > middle
        self.transforms = transforms(record, reader)
        self.rewriters = rewriters(record, reader)
        for name, (rewriter, inside) in list(self.rewriters.items()):
            self.rewriters[name] = (self._lifted(rewriter, inside, reader, self.path), inside)
        self.rewrites = rewrites(record, reader)
        self.examples = _examples(record, reader, self.languages)
        self.globs = _globs(record, "files", reader), _globs(record, "ignores", reader)
        if "labels" in record.keys:
            problems.warn(record.place("labels"), "`labels` is not carried over: only the match is marked")
        self.faults = problems.faults - before

    def _lifted(self, rewriter: Rewriter, inside: Record, reader: Reader, path: str) -> Rewriter:
        """*rewriter* with its own utilities among those of the rule, under names of their own."""
        own = local_utilities(inside, reader, path)
        if not own:
            return rewriter
        names = {name: f"{rewriter.name}/{name}" for name in own}
        for name, utility in own.items():
            self.utilities[names[name]] = dataclasses.replace(
                utility, name=names[name], condition=renamed(utility.condition, names)
            )
        return dataclasses.replace(
            rewriter,
            condition=renamed(rewriter.condition, names),
            constraints={key: renamed(one, names) for key, one in rewriter.constraints.items()},
        )

    def finish(self, shared: Scope) -> Rule | None:
        """The rule; None if it cannot be used."""
        problems = self.reader.problems
        problems.rule = self.id
        before = problems.faults
        if self.condition is not None:
            self._check(self.condition, shared.under(self.utilities))
        problems.rule = ""
        if self.condition is None or self.faults or problems.faults > before:
            return None
        return self._rule(self.condition)

    def _check(self, rule: Condition, scope: Scope) -> None:
        problems, record = self.reader.problems, self.record
        others = [one.condition for one in self.utilities.values()] + list(self.constraints.values())
        others += [one.condition for one, _ in self.rewriters.values()]
        for rewrite in self.rewrites:
            others += _conditions(rewrite)
        check_calls([rule, *others], scope, problems)
        if self.languages:
            kinds = [registry.get(language).comments for language in self.languages]
            tell_comments([rule, *others], kinds[0].intersection(*kinds[1:]), problems)
        if self.utilities:
            tell_cycles(cycles(scope.utilities), scope.utilities, self.utilities, problems)
        if not self.unsure and not positive(rule, scope):
            problems.tell(
                record.place("rule"),
                "the rule only says what there is not",
                "add a `pattern` or a `kind` of what is looked for",
            )
        there = bound(rule, scope)
        there.any |= self.unbound  # what was not read may bind anything
        for one in self.constraints.values():
            there.add(bound(one, scope))
        check_constraints(self.constraints, _places(record), there, problems)
        focus = bare(record.text("focus"))
        if focus:
            check_bound(focus, record.values["focus"].at, "`focus`", there, problems)
        made = _check_transforms(self.transforms, there, self.rewriters, problems)
        check_text(
            record.text("message"),
            record.place("message"),
            "the message",
            there,
            made,
            problems,
            message=True,
            warning=self.reader.theirs,
        )
        for rewrite in self.rewrites:
            _check_rewrite(rewrite, there, made, scope, problems)
        for rewriter, inside in self.rewriters.values():
            self._check_rewriter(rewriter, inside, scope)
        self._check_circle()

    def _check_rewriter(self, rewriter: Rewriter, inside: Record, scope: Scope) -> None:
        problems = self.reader.problems
        there = bound(rewriter.condition, scope)
        for one in rewriter.constraints.values():
            there.add(bound(one, scope))
        check_constraints(rewriter.constraints, _places(inside), there, problems)
        made = _check_transforms(rewriter.transforms, there, self.rewriters, problems)
        where = f"the rewriter {rewriter.name!r}"
        check_text(rewriter.rewrite, inside.place("rewrite"), where, there, made, problems)

    def _check_circle(self) -> None:
        """Rewriters that use one another."""
        uses = {
            name: [used for one in rewriter.transforms for used in one.rewriters]
            for name, (rewriter, _) in self.rewriters.items()
        }
        ready: set[str] = set()
        while True:
            more = {
                name
                for name in uses
                if name not in ready and all(u in ready or u not in uses for u in uses[name])
            }
            if not more:
                break
            ready |= more
        left = [name for name in uses if name not in ready]
        if left:
            shown = ", ".join(repr(name) for name in left[:8])
            self.reader.problems.tell(
                self.rewriters[left[0]][0].at, f"these rewriters use one another in a circle: {shown}"
            )

    def _rule(self, rule: Condition) -> Rule:
        record = self.record
        severity = record.text("severity")
        default = Severity.HINT if self.reader.theirs else Severity.WARNING
        metadata = record.named("metadata")
        return Rule(
            id=self.id,
            languages=self.languages,
            condition=rule,
            message=record.text("message"),
            severity=Severity(severity) if severity else default,
            note=record.text("note"),
            url=record.text("url"),
            tags=tuple(one.text for one in record.texts("tags")),
            files=self.globs[0],
            ignores=self.globs[1],
            constraints=self.constraints,
            focus=bare(record.text("focus")) or None,
            utilities=self.utilities,
            transforms=self.transforms,
            rewriters={name: rewriter for name, (rewriter, _) in self.rewriters.items()},
            rewrites=self.rewrites,
            examples=self.examples,
            metadata={name.text: _plain(value) for name, value in metadata},
            path=self.path,
            at=record.at,
            places=dict(record.keys),
        )


# --- parts of a rule --------------------------------------------------------------------------------------


def languages(record: Record, reader: Reader, problems: Problems) -> tuple[str, ...]:
    """The canonical names of the languages."""
    found: dict[str, None] = {}
    for one in record.texts("language"):
        try:
            found[registry.resolve(one.text)] = None
        except LanguageError as problem:
            problems.tell(one.at, problem.message, problem.hint)
    return tuple(found)


def utility(name: str, record: Record, reader: Reader, path: str) -> Utility | None:
    """A utility with ``rule`` and ``params``."""
    rule = record.record("rule")
    made = condition(rule, reader) if rule is not None else None
    if made is None:
        return None
    parameters = [bare(one.text) for one in record.texts("params")]
    if len(set(parameters)) < len(parameters):
        reader.problems.tell(record.place("params"), f"the utility {name!r} has a parameter twice")
    return Utility(name, made, tuple(parameters), (), path, record.at)


def local_utilities(record: Record, reader: Reader, path: str) -> dict[str, Utility]:
    """The utilities under ``utils``."""
    made: dict[str, Utility] = {}
    for name, value in record.named("utils"):
        if not isinstance(value, Record):
            continue
        if value.table == "local-utility":
            one = utility(name.text, value, reader, path)
        else:
            inside = condition(value, reader)
            one = None if inside is None else Utility(name.text, inside, path=path, at=name.at)
        if one is not None:
            made[name.text] = one
    return made


def _conditions(rewrite: RuleRewrite) -> list[Condition]:
    """Every condition of a rewrite."""
    found: list[Condition] = [one for one in (rewrite.expand_start, rewrite.expand_end) if one is not None]
    for also in rewrite.also:
        if isinstance(also, Also):
            found.append(also.condition)
            if also.unless is not None:
                found.append(also.unless)
    return found


def _check_transforms(
    transforms: Sequence[Transform],
    there: Bound,
    known: Mapping[str, object],
    problems: Problems,
) -> list[str]:
    """Tells of sources that nothing binds and of rewriters that are not there; gives the new names."""
    made = [one.name for one in transforms]
    for one in transforms:
        if one.source not in made:
            check_bound(one.source, one.at, f"the transformation ${one.name}", there, problems)
        if one.name in there.names:
            problems.tell(
                one.at, f"the transformation makes ${one.name}, which the rule binds", "choose another name"
            )
        for name in one.rewriters:
            if name not in known:
                hint = problems.near(name, known) or "rewriters are defined under `rewriters`"
                problems.tell(one.at, f"no rewriter is called {name[:60]!r}", hint)
    return made


def _check_rewrite(
    rewrite: RuleRewrite, there: Bound, made: list[str], scope: Scope, problems: Problems
) -> None:
    check_text(rewrite.text, rewrite.at, "the rewrite", there, made, problems)
    if rewrite.target:
        check_bound(rewrite.target, rewrite.at, "`target`", there, problems)
    for also in rewrite.also:
        if isinstance(also, Ensure):
            check_text(also.code, also.at, "`ensure`", there, made, problems)
        else:
            inside = bound(also.condition, scope)
            check_text(also.rewrite, also.at, "the rewrite under `also`", inside, (), problems)
            if not positive(also.condition, scope):
                problems.tell(also.at, "the condition under `also` only says what there is not")


def _examples(record: Record, reader: Reader, known: tuple[str, ...]) -> tuple[Example, ...]:
    inside = record.record("examples")
    if inside is None:
        return ()
    made = examples_of(inside, reader.problems)
    for one in made:
        if one.language and known and one.language not in known:
            reader.problems.tell(
                one.at, f"the rule is not for {one.language}", f"its languages are {', '.join(known)}"
            )
    return made


def examples_of(record: Record, problems: Problems) -> tuple[Example, ...]:
    """The examples under ``matching`` and ``not-matching``."""
    found = [
        _example(value, key == "matching", problems)
        for key in ("matching", "not-matching")
        for value in record.several(key)
    ]
    return tuple(one for one in found if one is not None)


def _example(value: Checked, matching: bool, problems: Problems) -> Example | None:
    if isinstance(value, Scalar):
        return Example(value.text, None if matching else 0, at=value.at)
    if not isinstance(value, Record) or "code" not in value.values:
        return None
    count = value.values.get("count")
    number = count.value if isinstance(count, Scalar) and isinstance(count.value, int) else None
    language = value.text("language")
    if language:
        try:
            language = registry.resolve(language)
        except LanguageError as problem:
            problems.tell(value.place("language"), problem.message, problem.hint)
            language = ""
    return Example(
        value.text("code"),
        number if matching else 0,
        value.text("rewritten") if "rewritten" in value.values else None,
        language or None,
        value.text("path"),
        value.at,
    )


def _globs(record: Record, key: str, reader: Reader) -> tuple[str, ...]:
    found: list[str] = []
    for value in record.several(key):
        insensitive = False
        if isinstance(value, Record):
            flag = value.values.get("case-insensitive")
            insensitive = isinstance(flag, Scalar) and flag.value is True
            text = value.text("glob")
        else:
            text = value.text if isinstance(value, Scalar) else ""
        body = text.removeprefix("!")
        if not body:
            continue
        if re.match(r"[/\\~]|[A-Za-z]:", body):
            reader.problems.tell(
                value.at,
                f"the glob {text[:60]!r} is no path below the folder of the configuration",
                "write it relative to that folder: `src/**/*.py`; `./*.py` are files of that folder itself",
            )
            continue
        if ".." in re.split(r"[/\\]", body):
            reader.problems.tell(
                value.at, f"the glob {text[:60]!r} leads out of the folder of the configuration"
            )
            continue
        bodies = [body.removeprefix(".") if body.startswith("./") else body]
        if reader.theirs:
            several, remark = astgrep.globs(body)
            bodies = list(several)
            if remark:
                reader.problems.warn(value.at, remark)
        mark = "!" if text.startswith("!") else ""
        found += [mark + (astgrep.without_case(one) if insensitive else one) for one in bodies]
    return tuple(found)


def _places(record: Record) -> dict[str, At]:
    return {bare(name.text): name.at for name, _ in record.named("constraints")}


def _plain(value: Checked) -> object:
    """What may be anything, as plain values."""
    return _plain_node(value.node) if isinstance(value, Anything) else None


def _plain_node(node: Node) -> object:
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Items):
        return [_plain_node(item) for item in node.items]
    return {key.text: _plain_node(value) for key, value in node.entries}
