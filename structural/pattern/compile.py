"""From the text of a pattern to something that can be searched with.

``compile_pattern`` → ``Pattern``, whose ``readings`` are made when they are asked
for: the first rung that accepts is usually all that is needed.  A ``Reading``
pickles; it is what goes to the processes that search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from threading import RLock

from structural.errors import PatternError, UsageError
from structural.pattern import constraints, filters
from structural.pattern.bindings import Check
from structural.pattern.comments import comment_template, mentioned
from structural.pattern.constraints import Constraint
from structural.pattern.ladder import climb
from structural.pattern.metavariables import Fragment, cut
from structural.pattern.operators import operator_trees, three_in_a_row
from structural.pattern.orders import orders, too_many
from structural.pattern.program import Program, emit
from structural.pattern.tables import Options, Tables, options, tables
from structural.pattern.tree import PatternNode, Template, build, selected, shape
from structural.pattern.trials import Accepted, DeadEnds
from structural.pattern.values import Attempt, Attempts, ReadingInfo
from structural.syntax import registry
from structural.syntax.candidates import Probe
from structural.syntax.grammar import load_named

MOST_METAVARIABLES = 300
"""Of one pattern; what has more was not written by anyone who wants an answer."""


@dataclass(slots=True)
class Reading:
    """One way to read a pattern in a language.

    ``programs`` are alternatives of one shape each (``$A $OP $B`` has several);
    a place that any of them matches is a match.  ``comment`` is given instead for
    a pattern that is a comment.
    """

    language: str
    rung: str
    options: Options
    programs: tuple[Program, ...] = ()
    comment: Template | None = None
    names: tuple[str, ...] = ()
    where: tuple[Constraint, ...] = ()
    kind: str | None = None
    relations: tuple[CompiledRelation, ...] = ()
    text: str = ""
    mentioned: tuple[bytes, ...] = ()
    """Comments beside the code of the pattern, as regular expressions: each must stand in the match."""
    shapes: tuple[str, ...] = ()
    likely: bool = True
    """Whether it holds no kind that the language finds unlikely."""
    in_order: bool = False
    """Elements that could change places are looked for as they are written: there are too many orders."""
    parsed: int = 0
    """Bytes that were searched with it, as far as that is counted."""
    _literals: tuple[bytes, ...] | None = None
    _rows: tuple[re.Pattern[bytes], ...] | None = None

    @property
    def prose(self) -> bool:
        """Whether the pattern is nothing but running text here, which any words are."""
        prose = registry.get(self.language).prose
        names = [name for program in self.programs for name in program.root_names]
        return bool(names) and all(name in prose for name in names)

    @property
    def tables(self) -> Tables:
        return tables(self.language, self.options)

    @property
    def literals(self) -> tuple[bytes, ...]:
        """Texts that every match contains; with alternatives those that all of them share."""
        if self._literals is None:
            if self.programs:
                first, *others = (program.literals for program in self.programs)
                self._literals = tuple(text for text in first if all(text in other for other in others))
            else:
                pieces = [piece for piece in self.comment or () if isinstance(piece, bytes)]
                self._literals = tuple(piece for piece in pieces if len(piece) > 1)
        return self._literals

    @property
    def rows(self) -> tuple[re.Pattern[bytes], ...]:
        """Expressions that each occur in the source of every match: tokens that follow each other.
        Only where the source is a whole file of the language.  Drawing them takes some milliseconds."""
        if self._rows is None:
            self._rows = (
                filters.rows(self.programs[0].operations, self.tables) if len(self.programs) == 1 else ()
            )
        return self._rows

    @property
    def kinds(self) -> frozenset[int] | None:
        """Kinds that a match can begin with, None for any."""
        found: frozenset[int] = frozenset()
        for program in self.programs:
            if program.kinds is None:
                return None
            found |= program.kinds
        return found

    @property
    def run(self) -> bool:
        return any(program.run for program in self.programs)

    @property
    def probe(self) -> Probe | None:
        """What can be asked of a file's tree before it is flattened; None if the places around a
        match matter, so that the whole tree is needed."""
        if self.relations or self.comment is not None or not self.programs:
            return None
        if any(p.probe is None or p.lone_identifier for p in self.programs):
            return None
        if len(self.programs) == 1:
            return self.programs[0].probe
        kinds = self.kinds
        return None if kinds is None else Probe(kinds)

    @property
    def shallow(self) -> bool:
        """Whether nothing looks into a node that stands for a metavariable alone, nor asks whether it is a
        token."""
        if self.where or self.mentioned or any(p.root_parens for p in self.programs):
            return False
        return not any(one.any_token for p in self.programs for one in p.operations)

    def checks(self, program: Program) -> list[Check | None]:
        return constraints.checks(self.where, program.names, program.ellipses, self.tables)

    def info(self) -> ReadingInfo:
        kinds = tuple(dict.fromkeys(name for program in self.programs for name in program.root_names))
        return ReadingInfo(
            self.language,
            self.rung,
            kinds or (("comment",) if self.comment is not None else ("any node",)),
            tuple(lit.decode("utf-8", "replace") for lit in self.literals),
        )


@dataclass(slots=True)
class CompiledRelation:
    """A relation with every reading of its pattern."""

    name: str
    negated: bool
    readings: tuple[Reading, ...]


@dataclass(slots=True)
class Pattern:
    """A pattern in one language.  ``language`` is the canonical name."""

    text: str
    language: str
    fragment: Fragment
    attempts: Attempts = field(default_factory=Attempts)
    relations: tuple[CompiledRelation, ...] = ()
    _made: list[Reading] = field(default_factory=list)
    _more: Iterator[Reading] | None = None

    @property
    def first(self) -> Reading:
        return self._made[0]

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Every reading, in the order in which they are used."""
        while self._more is not None:
            self.reading(len(self._made))
        return tuple(self._made)

    def reading(self, at: int) -> Reading | None:
        """Reading number *at*, None if there are fewer."""
        while len(self._made) <= at and self._more is not None:
            found = next(self._more, None)
            if found is None:
                self._more = None
            else:
                found.relations = self.relations
                self._made.append(found)
        return self._made[at] if at < len(self._made) else None

    def fresh(self, lock: RLock) -> Pattern:
        """This pattern for one more search: its readings count from nothing what is searched with them.

        Later readings are made when one of these patterns asks for them, behind *lock*."""

        def later() -> Iterator[Reading]:
            for at in count(len(made)):
                with lock:
                    found = self.reading(at)
                if found is None:
                    return
                yield replace(found, parsed=0)

        with lock:
            made = [replace(reading, parsed=0) for reading in self._made]
        return Pattern(self.text, self.language, self.fragment, self.attempts, self.relations, made, later())

    @property
    def metavariables(self) -> tuple[str, ...]:
        return self.fragment.names

    def __getstate__(self) -> tuple[object, ...]:
        return (self.text, self.language, self.fragment, self.attempts, self.relations, list(self.readings))

    def __setstate__(self, state: tuple[object, ...]) -> None:
        self.text, self.language, self.fragment, self.attempts, self.relations, self._made = state  # type: ignore[assignment]
        self._more = None


def compile_pattern(
    pattern: str,
    language: str,
    *,
    rung: str | None = None,
    strictness: str = "smart",
    equivalences: Sequence[str] = (),
    without: Sequence[str] = (),
    kind: str | None = None,
    where: Sequence[str] = (),
    relations: Sequence[object] = (),
    selector: str | None = None,
    compared: Sequence[str] = (),
) -> Pattern:
    """Compile *pattern* for *language* (any of its names).

    *selector*: the first node of this kind is the pattern, and the rest of the text is only read.
    *compared* are names whose bindings are asked for beside the pattern, so that each choice counts.

    Raises PatternError if no rung reads it (``attempts`` says why), ConstraintError,
    UsageError for a rung, strictness or equivalence that does not exist.
    """
    name = registry.resolve(language)
    opts = options(strictness, tuple(equivalences), tuple(without))
    fragment = cut(pattern)
    _check_text(fragment, "the pattern", PatternError)
    if not fragment.text:
        raise PatternError("the pattern is empty", hint="write code, with $NAME for what may vary")
    many = len(fragment.metavariables)
    if many > MOST_METAVARIABLES:
        raise PatternError(
            f"the pattern has {many} metavariables, at most {MOST_METAVARIABLES} are read",
            hint="let $$$ stand for many, or search for a part of it",
        )
    found = [constraints.read(text) for text in where]
    spec = _Spec(fragment, rung, opts, tuple(found), kind, selector, frozenset(compared))
    made = Pattern(pattern, name, fragment)
    languages = [name, *registry.get(name).parts]
    if rung is not None and not any(rung in registry.get(n).rungs or rung == "comment" for n in languages):
        raise UsageError(f"{name} has no rung {rung!r}", hint=f"it has {', '.join(registry.get(name).rungs)}")
    made._more = _distinct(reading for n in languages for reading in _readings(spec, n, made.attempts))
    if made.reading(0) is None:
        if selector is not None and any(attempt.accepted for attempt in made.attempts):
            raise PatternError(
                f"nothing in {_cut_text(pattern)} is of the kind {selector!r} in {name}",
                hint="`astgrep tree` shows the kinds of a text",
                attempts=made.attempts,
            )
        raise PatternError(
            f"{_cut_text(pattern)} is no code in {name}",
            hint=_escaped(pattern)
            or _way_out(fragment, name, spec.dead_ends(name))
            or spec.dead_ends(name).hint(len(fragment.text))
            or "`astgrep explain` shows what each rung of the ladder made of it",
            attempts=made.attempts,
        )
    made.relations = tuple(_relation(relation, name, opts) for relation in relations)
    made.first.relations = made.relations
    # Constraints are checked against the first reading, so that a mistake is told at once.
    for program in made.first.programs:
        made.first.checks(program)
    _check_names(found, fragment)
    if kind is not None and not load_named(made.first.language).has(kind):
        raise UsageError(f"{name} has no kind {kind!r}", hint="`astgrep tree FILE` shows the kinds of a file")
    return made


def _escaped(pattern: str) -> str:
    """A hint for ``\\$X -> $X + 1``, where the backslash is meant."""
    if re.search(r"\\\$[A-Z_]", pattern) is None:
        return ""
    return "`\\$` is a dollar sign: put a space between a backslash and a metavariable"


@dataclass(frozen=True, slots=True)
class _Spec:
    fragment: Fragment
    rung: str | None
    options: Options
    where: tuple[Constraint, ...]
    kind: str | None
    selector: str | None = None
    compared: frozenset[str] = frozenset()
    ends: dict[str, DeadEnds] = field(default_factory=dict)

    def dead_ends(self, language: str) -> DeadEnds:
        """Where what was tried of the pattern in *language* stopped being code; shared by all its trials."""
        return self.ends.setdefault(language, DeadEnds())


_BODIES = (" { $$$ }", "\n    $$$", "\n  $$$\nend")
"""Bodies that people leave out behind the head of a function, a class or a loop."""


def _way_out(fragment: Fragment, language: str, dead_ends: DeadEnds) -> str:
    """A hint if the fragment is the head of a construct: it is code with a body."""
    grammar = load_named(language)
    for body in _BODIES:
        if (
            next(climb(cut(fragment.text + body), grammar, None, Attempts(), dead_ends=dead_ends), None)
            is not None
        ):
            shown = body.replace("\n", "⏎") if "\n" in body else body
            return f"it is code with a body behind it: …{shown}"
    return ""


def _cut_text(pattern: str) -> str:
    line = " ".join(pattern.split())
    return repr(line if len(line) <= 60 else line[:57] + "…")


def _check_text(fragment: Fragment, what: str, error: type[PatternError | UsageError]) -> None:
    """Raises *error* unless *fragment* can be written as UTF-8."""
    try:
        fragment.text.encode()
    except UnicodeEncodeError as problem:
        raise error(f"{what} is no Unicode text: character {problem.start + 1} is a lone surrogate") from None


def _check_names(found: list[Constraint], fragment: Fragment) -> None:
    from structural.errors import ConstraintError

    for constraint in found:
        for name in constraint.names:
            if name not in fragment.names:
                raise ConstraintError(f"the pattern binds no ${name}")


def _relation(relation: object, language: str, opts: Options) -> CompiledRelation:
    text, name, negated = relation.pattern, relation.name, relation.negated  # type: ignore[attr-defined]
    fragment = cut(text)
    _check_text(fragment, f"the pattern after {name}", UsageError)
    attempts = Attempts()
    spec = _Spec(fragment, None, opts, (), None)
    readings = tuple(_distinct(_readings(spec, language, attempts)))
    if not readings:
        # Not a PatternError: the pattern is code, so this language was meant.
        raise UsageError(
            f"{_cut_text(text)} (after {name}) is no code in {language}",
            hint="`astgrep explain` shows what each rung of the ladder made of it",
        )
    return CompiledRelation(name, negated, readings)


def _distinct(readings: Iterator[Reading]) -> Iterator[Reading]:
    """Readings without those that mean the same as an earlier one."""
    seen: set[tuple[str, ...]] = set()
    for reading in readings:
        if reading.shapes in seen:
            continue
        seen.add(reading.shapes)
        yield reading


def _readings(spec: _Spec, language: str, attempts: Attempts) -> Iterator[Reading]:
    grammar = load_named(language)
    made = tables(language, spec.options)
    fragment = spec.fragment
    comment = comment_template(fragment, grammar)
    if comment is not None:
        if spec.rung in (None, "comment"):
            attempts.append(Attempt("comment", "", True))
            yield Reading(
                language,
                "comment",
                spec.options,
                comment=comment,
                names=fragment.names,
                where=spec.where,
                kind=spec.kind,
                text=fragment.text,
                shapes=(language, "comment"),
            )
        return
    any_found = False
    if three_in_a_row(fragment) and spec.selector is None:
        # Juxtaposition is code in some languages (a command, an application), but who writes
        # ``$A $OP $B`` means an operator.
        for reading in _operator_readings(spec, language, made, attempts):
            any_found = True
            yield reading
    for accepted in climb(fragment, grammar, spec.rung, attempts, dead_ends=spec.dead_ends(language)):
        if spec.selector is not None:
            chosen = selected(accepted, made.grammar.ids((spec.selector,)))
            if chosen is None:
                continue
            accepted = chosen
        roots = build(accepted, made)
        if not roots:
            continue
        any_found = True
        reading = _reading(spec, language, accepted, orders(roots, made.unordered), made)
        reading.in_order = too_many(roots, made.unordered)
        reading.mentioned = mentioned(accepted)
        reading.likely = accepted.likely
        yield reading
    if not any_found and spec.selector is None:
        for reading in _operator_readings(spec, language, made, attempts):
            any_found = True
            yield reading
    if not any_found and fragment.text.endswith(",") and spec.selector is None:
        # A line that was copied from a list: its trailing separator does not count.
        yield from _readings(replace(spec, fragment=cut(fragment.text[:-1])), language, attempts)


def _reading(
    spec: _Spec, language: str, accepted: Accepted, trees: list[list[PatternNode]], made: Tables
) -> Reading:
    names = spec.fragment.names
    compared = spec.compared.union(*(c.names for c in spec.where))
    programs = tuple(emit(roots, names, made, compared) for roots in trees)
    for program in programs:
        program.accepted = accepted
    return Reading(
        language,
        accepted.rung,
        spec.options,
        programs=programs,
        names=names,
        where=spec.where,
        kind=spec.kind or spec.selector,
        text=spec.fragment.text,
        shapes=(language, *(shape(root) for roots in trees for root in roots)),
    )


def _operator_readings(spec: _Spec, language: str, made: Tables, attempts: Attempts) -> Iterator[Reading]:
    """``$A $OP $B``: a metavariable in an operator's place."""
    found = operator_trees(spec.fragment, spec.rung, made, spec.dead_ends(language))
    if found is None:
        return
    metavariable, trees = found
    accepted = trees[0][0]
    attempts.append(Attempt(accepted.rung, f"{metavariable} as an operator", True))
    reading = _reading(spec, language, accepted, [roots for _, roots in trees], made)
    for program, (one, _) in zip(reading.programs, trees, strict=True):
        program.accepted = one
    yield reading
