"""From rules to a set that can be looked for: ``compile_rules``.

For every grammar that a rule is for: its utilities are written out, its metavariables counted, its
conditions become terms.  A rule that cannot be used is left out, with a problem that says where in its
file.  Of several languages some may lack a kind or not read a pattern: the condition then never holds
there, and only a rule that can hold in none of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from structural.errors import StructuralError
from structural.pattern.compile import Reading
from structural.rules.build import Builder
from structural.rules.comments import comment_rule
from structural.rules.expand import On, Raw, bound_names, expand, of_nodes, on, together, walk
from structural.rules.literals import literals_of
from structural.rules.needs import needs
from structural.rules.scope import gates_of, needed_kinds, scope_of
from structural.rules.stopping import pause
from structural.rules.terms import CompiledRule, Never, OfGrammar, RuleSet
from structural.rules.values import (
    At,
    Condition,
    Count,
    Problem,
    Rule,
    SameAs,
    Severity,
    Utility,
)
from structural.syntax import registry
from structural.syntax.candidates import Probe, can_be_asked
from structural.syntax.embed import hosts_of
from structural.syntax.partial import Questions


@dataclass(frozen=True, slots=True)
class _Told:
    at: At
    message: str
    hint: str


def compile_rules(
    rules: Iterable[Rule], utilities: Sequence[Utility] = (), languages: Iterable[str] | None = None
) -> tuple[RuleSet, tuple[Problem, ...]]:
    """The set of *rules*, and what is wrong with some of them.

    *utilities* are those that all rules may use.  *languages*: only for these grammars, as far as a
    rule is for them; the others are checked as far as no grammar is needed."""
    only = None if languages is None else frozenset(languages)
    kept: dict[str, Rule] = {}
    compiled: dict[str, list[CompiledRule]] = {}
    problems: list[Problem] = []
    builders: dict[str, Builder] = {}
    for rule in rules:
        if rule.id in kept:
            first = kept[rule.id]
            place = f"{first.path}:{first.at.line}" if first.path else "before"
            problems.append(
                Problem(
                    rule.path, _at(rule, "id"), f"a rule {rule.id!r} is there already ({place})", "", rule.id
                )
            )
            continue
        made, found = _compile(rule, utilities, only, builders)
        problems += found
        if any(not problem.warning for problem in found):
            continue
        kept[rule.id] = rule
        for language, one in made.items():
            compiled.setdefault(language, []).append(one)
    hosts = {host for language in compiled for host in (language, *hosts_of(language))}
    known = frozenset(registry.names())
    made_sets = {language: _of_grammar(language, tuple(those)) for language, those in compiled.items()}
    within: dict[str, tuple[str, ...]] = {}
    for language in compiled:
        for host in (language, *hosts_of(language)):
            within[host] = (*within.get(host, ()), language)
    return RuleSet(kept, within, known & hosts, made_sets), tuple(problems)


def _of_grammar(language: str, rules: tuple[CompiledRule, ...]) -> OfGrammar:
    asked = _questions(language, rules)
    anchors = (anchor.text for probe in asked.probes if probe is not None for anchor in probe.anchors)
    return OfGrammar(rules, asked, literals_of(rules, anchors))


def _questions(language: str, rules: Sequence[CompiledRule]) -> Questions:
    """What *rules* ask of the trees of a language; each rule is told which part is its own."""
    numbers: dict[int, int] = {}
    probes: list[Probe | None] = []
    for rule in rules:
        if rule.comments is not None:
            continue  # it asks of no tree
        scope = scope_of(rule.term)
        rule.kinds, rule.deep, rule.whole = frozenset(scope.kinds), frozenset(scope.deep), scope.whole
        for atom in scope.atoms:
            number = numbers.get(id(atom.reading))
            if number is None:
                number = numbers[id(atom.reading)] = len(probes)
                probes.append(_probe(atom.reading))
            atom.number = number if probes[number] is not None else -1
        rule.probes = tuple(sorted({atom.number for atom in scope.atoms if atom.number >= 0}))
        rule.gates, rule.atoms = gates_of(rule.term), tuple(scope.atoms)
        if rule.kinds:
            rule.needed = tuple(group for group in needed_kinds(rule.term) if can_be_asked(language, group))
    kinds = frozenset[int]().union(*(rule.kinds.union(*rule.needed) for rule in rules))
    return Questions(language, kinds, tuple(probes))


def _probe(reading: Reading) -> Probe | None:
    """What can be asked of a tree about *reading*."""
    if reading.run or not reading.programs or any(p.probe is None for p in reading.programs):
        return None
    kinds = reading.kinds
    if len(reading.programs) == 1 or kinds is None:
        return reading.programs[0].probe
    return Probe(kinds)


def _at(rule: Rule, key: str) -> At:
    return rule.places.get(key, rule.at)


def _compile(
    rule: Rule, utilities: Sequence[Utility], only: frozenset[str] | None, builders: dict[str, Builder]
) -> tuple[dict[str, CompiledRule], list[Problem]]:
    """The rule in each grammar, and its problems."""
    told: dict[_Told, None] = {}

    def tell(at: At, message: str, hint: str) -> None:
        told[_Told(at, message, hint)] = None

    known = {u.name: u for u in utilities if not u.languages or set(u.languages) & set(rule.languages)}
    known.update(rule.utilities)
    main = expand(rule.condition, known, tell)
    names = bound_names(main)
    early: dict[str, Raw] = {}
    late: list[Raw] = []
    asked: dict[str, Raw] = {}
    for name, condition in rule.constraints.items():
        inner = asked[name] = expand(condition, known, tell)
        _check_constraint(rule, name, condition, inner, names, tell)
        if of_nodes(inner):
            early[name] = inner
        else:
            late.append(on(name, inner, condition.at))
            for extra, ellipsis in bound_names(inner).items():
                names.setdefault(extra, ellipsis)
    _check_names(rule, main, late, names, tell)
    whole = together((main, *late))
    made: dict[str, CompiledRule] = {}
    never: dict[str, dict[_Told, None]] = {}
    heard: dict[str, dict[_Told, None]] = {}
    if not told:
        for language in _grammars(rule, only):
            pause()
            found: dict[_Told, None] = {}
            heard[language] = found

            def tell_of(
                at: At, message: str, hint: str, local: bool, found: dict[_Told, None] = found
            ) -> None:
                (found if local else told)[_Told(at, message, hint)] = None

            try:
                builder = builders.get(language)
                if builder is None:
                    builder = builders[language] = Builder(language)
            except StructuralError as problem:
                found[_Told(_at(rule, "language"), problem.message, problem.hint)] = None
                never[language] = found
                continue
            comments = comment_rule(main, asked, language, tell)
            if comments is not None:
                made[language] = CompiledRule(
                    rule.id,
                    Never(),
                    tuple(names),
                    rule.focus,
                    tuple(frozenset({text}) for text in comments.literals),
                    rule.severity is Severity.OFF,
                    comments=comments,
                )
                continue
            term = builder.term(whole, whole.counts, early, tell_of)
            if isinstance(term, Never):
                never[language] = found
            else:
                made[language] = CompiledRule(
                    rule.id,
                    term,
                    tuple(name for name in names if "@" not in name),
                    rule.focus,
                    needs(term),
                    rule.severity is Severity.OFF,
                )
    problems = [Problem(rule.path, one.at, one.message, one.hint, rule.id) for one in told]
    problems += _of_languages(rule, made, never, bool(told))
    if made and len(heard) == len(_grammars(rule, None)):
        problems += _of_alternatives(rule, heard, {problem.at for problem in problems})
    return made, problems


def _of_alternatives(rule: Rule, heard: Mapping[str, Mapping[_Told, None]], known: set[At]) -> list[Problem]:
    """Warnings of conditions that can hold in no language of a rule that can hold without them."""

    def said(one: _Told, language: str) -> tuple[At, str]:
        return one.at, one.message.replace(language, "")

    everywhere = set.intersection(
        *({said(one, language) for one in found} for language, found in heard.items())
    )
    first = next(iter(heard))
    return [
        Problem(rule.path, one.at, one.message, one.hint, rule.id, warning=True)
        for one in heard[first]
        if said(one, first) in everywhere and one.at not in known and one.at != At()
    ]


def _of_languages(
    rule: Rule, made: Mapping[str, CompiledRule], never: Mapping[str, Mapping[_Told, None]], told: bool
) -> list[Problem]:
    """Problems of languages in which the rule cannot hold: warnings if it can in another one.

    Of a language with parts, one of which is enough, the others say nothing."""
    problems: list[Problem] = []
    for language in rule.languages:
        those = [name for name in (language, *registry.get(language).parts) if name in made or name in never]
        if not those or any(name in made for name in those):
            continue
        found = never[those[0]]
        if not found and not told:
            found = {_Told(_at(rule, "rule"), f"this can never hold in {language}", ""): None}
        problems += [
            Problem(rule.path, one.at, one.message, one.hint, rule.id, warning=bool(made)) for one in found
        ]
    return problems


def _grammars(rule: Rule, only: frozenset[str] | None) -> list[str]:
    """The grammars of the rule's languages, with those of their parts."""
    found: dict[str, None] = {}
    for language in rule.languages:
        for name in (language, *registry.get(language).parts):
            if only is None or name in only:
                found[name] = None
    return list(found)


def _check_constraint(
    rule: Rule, name: str, condition: Condition, inner: Raw, names: Mapping[str, bool], tell: object
) -> None:
    assert callable(tell)
    if name not in names:
        tell(condition.at, f"nothing binds ${name}", _bound(names))
    for one, _ in walk(inner):
        if isinstance(one.condition, Count) and names.get(name) is False:
            tell(
                one.condition.at,
                f"${name} is one node: only of an ellipsis can elements be counted",
                f"write $$${name} in the pattern",
            )


def _check_names(rule: Rule, main: Raw, late: Sequence[Raw], names: Mapping[str, bool], tell: object) -> None:
    """Names that are asked for and that nothing binds."""
    assert callable(tell)
    for raw in (main, *late):
        for one, _ in walk(raw):
            c = one.condition
            if isinstance(c, SameAs) and one.name(c.name) not in names:
                tell(c.at, f"nothing binds ${c.name}", _bound(names))
            if isinstance(c, SameAs | Count) and raw is main and not _on_binding(main, one):
                tell(
                    c.at,
                    "this can only be asked of what a metavariable stands for",
                    "put it under `constraints`",
                )
    if rule.focus is not None and rule.focus not in names:
        tell(_at(rule, "focus"), f"nothing binds ${rule.focus}", _bound(names))
    if not _says_what_there_is(main):
        tell(_at(rule, "rule"), "the rule says only what there is not", "add a pattern or a kind")


def _bound(names: Mapping[str, bool]) -> str:
    shown = ", ".join(
        "$$$" * ellipsis + "$" * (not ellipsis) + name for name, ellipsis in names.items() if "@" not in name
    )
    return f"bound are {shown}" if shown else "the rule binds no metavariable"


def _on_binding(main: Raw, wanted: Raw) -> bool:
    """Whether *wanted* stands in a condition of a binding."""
    return any(
        isinstance(one.condition, On) and any(inner is wanted for inner, _ in walk(one.parts[0]))
        for one, _ in walk(main)
    )


def _says_what_there_is(raw: Raw) -> bool:
    return any(positive and not one.parts and one.until is None for one, positive in walk(raw))
