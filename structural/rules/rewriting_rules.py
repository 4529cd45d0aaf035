"""The rules of a rewrite made ready: the small rules in them become rules of a set of their own.

What is inside of a binding (``rewriters``), elsewhere in the file (``also``) and beside a match
(``expand-start``) is found as everything is: by a rule.  Such a rule has an id that nobody can write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from structural.errors import StructuralError
from structural.pattern.compile import Pattern, Reading, compile_pattern
from structural.pattern.metavariables import cut
from structural.rewrite import transform
from structural.rewrite.ensuring import Statement, statements
from structural.rewrite.given import GivenTemplate
from structural.rules.compile import compile_rules
from structural.rules.expand import bound_names, expand
from structural.rules.terms import RuleSet
from structural.rules.values import (
    All,
    Also,
    AnyOf,
    At,
    Condition,
    Ensure,
    Matches,
    PatternAtom,
    Problem,
    RegexAtom,
    Relation,
    Rule,
    RuleRewrite,
    Transform,
    Utility,
)
from structural.syntax import registry
from structural.text.regexes import Bounded

REWRITER, ALSO, UNLESS, BEFORE, BEHIND = "rewriter", "also", "unless", "before", "behind"


def helper(rule: str, what: str, which: object = "") -> str:
    """The id of a small rule of *rule*."""
    return f"{rule}\n{what}\n{which}"


@dataclass(slots=True)
class Prepared:
    """Rules with the rewrite that each uses.  ``helpers``: their small rules."""

    rules: RuleSet
    chosen: Mapping[str, int]
    utilities: tuple[Utility, ...]
    helpers: RuleSet
    usable: frozenset[str]
    problems: tuple[Problem, ...] = ()
    _templates: dict[tuple[str, str, str], GivenTemplate | StructuralError] = field(default_factory=dict)
    _transformations: dict[tuple[str, str], tuple[transform.Transformation, ...]] = field(
        default_factory=dict
    )
    _statements: dict[tuple[str, str], tuple[Statement, ...] | StructuralError] = field(default_factory=dict)

    @property
    def order(self) -> Iterator[str]:
        """The rules in the order in which they are done."""
        return iter(self.rules.rules)

    def rule_of(self, rule: str) -> Rule:
        return self.rules.rules[rule]

    def rewrite_of(self, rule: str) -> RuleRewrite:
        return self.rules.rules[rule].rewrites[self.chosen[rule]]

    def template(
        self, key: str, language: str, text: str, condition: Condition | None, rule: Rule, target: str = ""
    ) -> GivenTemplate:
        """The rewrite *text* of what *condition* finds, known as *key*.  RewriteError if it is no code."""
        known = self._templates.get((key, language, text))
        if known is None:
            try:
                known = GivenTemplate(text, language, self.patterns(condition, rule, language), target)
            except StructuralError as problem:
                known = problem
            self._templates[key, language, text] = known
        if isinstance(known, StructuralError):
            raise known
        return known

    def patterns(
        self, condition: Condition | None, rule: Rule, language: str
    ) -> list[tuple[Pattern, Reading]]:
        """The patterns that may stand at the place of *condition* itself, but for comments."""
        found = _compiled(condition, rule, self.utilities, language)
        return [pair for pair in found if pair[1].comment is None]

    def transformations(
        self, rule: str, made: Transform, names: Sequence[str]
    ) -> tuple[transform.Transformation, ...]:
        """*made* as text, for a rule that binds *names*."""
        key = (rule, made.text)
        if key not in self._transformations:
            self._transformations[key] = transform.read([made.text], names)
        return self._transformations[key]

    def statements(self, code: str, language: str) -> tuple[Statement, ...]:
        """The statements of ``ensure``.  RewriteError if they are none."""
        key = (code, language)
        known = self._statements.get(key)
        if known is None:
            try:
                known = statements(code, language)
            except StructuralError as problem:
                known = problem
            self._statements[key] = known
        if isinstance(known, StructuralError):
            raise known
        return known


def _compiled(
    condition: Condition | None, rule: Rule, utilities: Sequence[Utility], language: str
) -> list[tuple[Pattern, Reading]]:
    known = {u.name: u for u in utilities} | dict(rule.utilities)
    found = []
    for atom in _own_patterns(condition, known, {}, 0):
        try:
            made = compile_pattern(
                atom.text,
                language,
                rung=atom.rung,
                strictness=atom.strictness,
                equivalences=atom.equivalences,
                without=atom.without,
                selector=atom.selector,
            )
        except StructuralError:
            continue  # Not in this language: then it holds nowhere here.
        found.append((made, made.first))
    return found


def _own_patterns(
    condition: Condition | None, known: Mapping[str, Utility], names: Mapping[str, str], depth: int
) -> Iterator[PatternAtom]:
    """The patterns that hold of the place itself, with the metavariables that the rule calls *names*."""
    if isinstance(condition, PatternAtom):
        yield replace(condition, text=_renamed(condition.text, names)) if names else condition
    elif isinstance(condition, All | AnyOf):
        for one in condition.conditions:
            yield from _own_patterns(one, known, names, depth)
    elif isinstance(condition, Matches) and depth < 10:
        utility = known.get(condition.utility)
        given = {p: a.lstrip("$") for p, a in condition.arguments.items() if isinstance(a, str)}
        if utility is not None and given.keys() >= set(utility.parameters):
            inner = {parameter: names.get(name, name) for parameter, name in given.items()}
            kept = {old: new for old, new in names.items() if old not in utility.parameters}
            yield from _own_patterns(utility.condition, known, kept | inner, depth + 1)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A pattern with other names for its metavariables."""
    return "".join(
        piece if isinstance(piece, str) else str(replace(piece, name=names.get(piece.name, piece.name)))
        for piece in cut(text).pieces
    )


def prepare(rules: RuleSet, chosen: Mapping[str, int], utilities: Sequence[Utility]) -> Prepared:
    """*rules* with the rewrites that *chosen* numbers."""
    small: list[Rule] = []
    problems: list[Problem] = []
    usable: set[str] = set()
    for rule in rules.rules.values():
        number = chosen.get(rule.id)
        if number is None or not 0 <= number < len(rule.rewrites):
            continue
        wrong = _wrong(rule, rule.rewrites[number], utilities)
        problems += wrong
        if not wrong:
            usable.add(rule.id)
            small += _small_rules(rule, rule.rewrites[number])
    helpers, told = compile_rules(small, utilities)
    for problem in told:
        if not problem.warning:
            owner = problem.rule.split("\n", 1)[0]
            usable.discard(owner)
            problems.append(Problem(problem.path, problem.at, problem.message, problem.hint, owner))
    return Prepared(rules, dict(chosen), tuple(utilities), helpers, frozenset(usable), tuple(problems))


def _small_rules(rule: Rule, chosen: RuleRewrite) -> Iterator[Rule]:
    def small(what: str, which: object, condition: Condition, at: At, **more: object) -> Rule:
        return Rule(
            helper(rule.id, what, which),
            rule.languages,
            condition,
            utilities=rule.utilities,
            path=rule.path,
            at=at,
            **more,  # type: ignore[arg-type]
        )

    for name, one in rule.rewriters.items():
        yield small(REWRITER, name, one.condition, one.at, constraints=one.constraints)
    for number, also in enumerate(chosen.also):
        if isinstance(also, Also):
            yield small(ALSO, number, also.condition, also.at)
            if also.unless is not None:
                yield small(UNLESS, number, also.unless, also.at)
    for what, beside in ((BEFORE, chosen.expand_start), (BEHIND, chosen.expand_end)):
        if (
            beside is not None
            and beside.condition is not None
            and not isinstance(beside.condition, RegexAtom)
        ):
            yield small(what, "", beside.condition, beside.at)


def names_of(rule: Rule, utilities: Sequence[Utility] = ()) -> dict[str, bool]:
    """What a rule binds, constraints included; and whether it is an ellipsis."""
    names = _names_in(rule.condition, rule, utilities)
    for condition in rule.constraints.values():
        names = _names_in(condition, rule, utilities) | names
    return names


def _names_in(condition: Condition, rule: Rule, utilities: Sequence[Utility]) -> dict[str, bool]:
    known = {u.name: u for u in utilities} | dict(rule.utilities)
    found = bound_names(expand(condition, known, lambda at, message, hint: None))
    return {name: ellipsis for name, ellipsis in found.items() if "@" not in name}


def _wrong(rule: Rule, chosen: RuleRewrite, utilities: Sequence[Utility]) -> list[Problem]:
    """What is wrong with the rewrite of a rule, as far as one can tell without a file."""
    problems: list[Problem] = []

    def tell(at: At, message: str, hint: str = "") -> None:
        problems.append(Problem(rule.path, at, message, hint, rule.id))

    names = names_of(rule, utilities)
    known = dict(names)
    for one in rule.transforms:
        try:
            if one.rewriters:
                if one.source not in known:
                    tell(one.at, f"the transformation of ${one.name} uses ${one.source}, which nothing binds")
                for name in one.rewriters:
                    if name not in rule.rewriters:
                        tell(one.at, f"no rewriter is called {name!r}")
            else:
                transform.read([one.text], list(known))
        except StructuralError as problem:
            tell(one.at, problem.message, problem.hint)
        known[one.name] = False
    made = {one.name for one in rule.transforms}
    for text, at in _texts(rule, chosen):
        bound = known
        for m in cut(text).metavariables:
            if m.name in made:
                continue
            if m.name not in bound:
                shown = ", ".join("$$$" * e + "$" * (not e) + n for n, e in bound.items())
                tell(at, f"the rule binds no {m}", f"it binds {shown}" if shown else "")
            elif m.ellipsis != bound[m.name]:
                have = ("$$$" if bound[m.name] else "$") + m.name
                tell(at, f"{m} in the rewrite is {have} in the rule", f"write {have}")
    for also in chosen.also:
        if isinstance(also, Also):
            there = known | dict(_names_in(also.condition, rule, utilities))
            for m in cut(also.rewrite).metavariables:
                if m.name not in there and m.name not in made:
                    tell(also.at, f"neither the rule nor the condition binds {m}")
    for beside in (chosen.expand_start, chosen.expand_end):
        if beside is not None and isinstance(beside.condition, RegexAtom):
            try:
                Bounded(beside.condition.regex)
            except ValueError as mistake:
                tell(beside.at, f"the regular expression is wrong: {mistake}")
    if chosen.target is not None and chosen.target not in names:
        tell(chosen.at, f"the target ${chosen.target} is nothing that the rule binds")
    if not problems:
        _no_code(rule, chosen, utilities, tell)
    return problems


def _texts(rule: Rule, chosen: RuleRewrite) -> Iterator[tuple[str, At]]:
    yield chosen.text, chosen.at
    for also in chosen.also:
        if isinstance(also, Ensure):
            yield also.code, also.at


def _no_code(rule: Rule, chosen: RuleRewrite, utilities: Sequence[Utility], tell: object) -> None:
    """Tell of what is code in no language of the rule."""
    assert callable(tell)
    first: StructuralError | None = None
    for language in rule.languages:
        try:
            GivenTemplate(chosen.text, language)
            first = None
            break
        except StructuralError as problem:
            first = first or problem
    if first is not None and not any(
        reading.comment is not None
        for language in rule.languages
        for _, reading in _compiled(rule.condition, rule, utilities, language)
    ):
        tell(chosen.at, first.message, first.hint)
    for also in chosen.also:
        if isinstance(also, Ensure) and not any(registry.get(one).imports for one in rule.languages):
            tell(also.at, f"{rule.languages[0]} has no statements that stand at the head of a file")


def far(relation: Relation) -> bool:
    return relation.until != "neighbor"
