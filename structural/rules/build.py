"""Terms of one grammar from expanded conditions.  Equal terms become one object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from structural.errors import PatternError, StructuralError
from structural.pattern.compile import Reading, compile_pattern
from structural.pattern.operations import Code
from structural.pattern.values import Attempt
from structural.rules.expand import Nothing, On, Raw
from structural.rules.stopping import pause
from structural.rules.terms import (
    AllTerm,
    AnyTerm,
    Anything,
    Atom,
    CountTerm,
    KindTerm,
    Never,
    NotTerm,
    NthTerm,
    OnTerm,
    PatternTerm,
    RangeTerm,
    RegexTerm,
    RelationTerm,
    SameTerm,
    Term,
)
from structural.rules.values import (
    All,
    AnyOf,
    At,
    Count,
    KindAtom,
    Not,
    NthChildAtom,
    PatternAtom,
    RangeAtom,
    RegexAtom,
    Relation,
    SameAs,
)
from structural.syntax.grammar import ERROR_KIND, load_named
from structural.text.regexes import Bounded

T = TypeVar("T", bound=Term)

Tell = Callable[[At, str, str, bool], None]
"""Takes a problem: where, what, hint, and whether it is one of this language alone."""

_NONE: frozenset[str] = frozenset()


class Builder:
    """Makes the terms of all rules in one grammar."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.grammar = load_named(language)
        self.terms: dict[Any, Term] = {}
        self.atoms: dict[Any, Atom] = {}
        self.readings: dict[Any, Reading | PatternError | StructuralError] = {}
        self.anything = Anything()
        self.never = Never()

    def term(
        self,
        raw: Raw,
        totals: Counter[str],
        checks: Mapping[str, Raw],
        tell: Tell,
    ) -> Term:
        """The term of *raw* in a rule in which names are used *totals* times; *checks* hold of names."""
        return _Scope(self, totals, checks, tell).term(raw, True)

    def one(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        found = self.terms.get(key)
        if found is None:
            found = self.terms[key] = make()
        return found  # type: ignore[return-value]

    def reading(self, atom: PatternAtom, compared: frozenset[str]) -> Reading | StructuralError:
        key = (
            atom.text,
            atom.rung,
            atom.strictness,
            atom.equivalences,
            atom.without,
            atom.selector,
            compared,
        )
        found = self.readings.get(key)
        if found is None:
            pause()
            try:
                pattern = compile_pattern(
                    atom.text,
                    self.language,
                    rung=atom.rung,
                    strictness=atom.strictness,
                    equivalences=atom.equivalences,
                    without=atom.without,
                    selector=atom.selector,
                    compared=sorted(compared),
                )
                found = pattern.first
                for program in found.programs:
                    program.accepted = None
            except StructuralError as problem:
                found = problem
            self.readings[key] = found
        return found


class _Scope:
    """One rule."""

    def __init__(self, builder: Builder, totals: Counter[str], checks: Mapping[str, Raw], tell: Tell) -> None:
        self.builder = builder
        self.grammar = builder.grammar
        self.totals = totals
        self.checks = checks
        self.tell = tell
        self.made: dict[tuple[int, bool], Term] = {}

    def term(self, raw: Raw, positive: bool) -> Term:
        key = (id(raw), positive)
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = self._term(raw, positive)
        return found

    def _open(self, raw: Raw) -> bool:
        return any(number < self.totals[name] for name, number in raw.counts.items())

    def _term(self, raw: Raw, positive: bool) -> Term:
        c = raw.condition
        one, never = self.builder.one, self.builder.never
        if isinstance(c, Nothing):
            return never
        if isinstance(c, PatternAtom):
            return self._pattern(raw, c, positive)
        if isinstance(c, KindAtom):
            kinds = self._kinds(c)
            return one(("kind", kinds), lambda: KindTerm(kinds)) if kinds else never
        if isinstance(c, RegexAtom):
            try:
                Bounded(c.regex)
            except ValueError as problem:
                self.tell(c.at, f"the regular expression {c.regex!r} is wrong: {problem}", "", False)
                return never
            return one(("regex", c.regex), lambda: RegexTerm(c.regex))
        if isinstance(c, RangeAtom):
            return one(("range", c.start, c.end), lambda: RangeTerm(c.start, c.end))
        if isinstance(c, NthChildAtom):
            of = self.term(raw.parts[0], False) if raw.parts else None
            return one(
                ("nth", c.step, c.offset, c.reverse, id(of)),
                lambda: NthTerm(c.step, c.offset, c.reverse, of, open=of is not None and of.open),
            )
        if isinstance(c, SameAs):
            name = raw.name(c.name)
            return one(("same", name), lambda: SameTerm(name, open=True))
        if isinstance(c, Count):
            return one(("count", c.operator, c.number), lambda: CountTerm(c.operator, c.number))
        if isinstance(c, On):
            inner = self.term(raw.parts[0], positive)
            return one(("on", c.name, id(inner)), lambda: OnTerm(c.name, inner, open=True, binds=inner.binds))
        if isinstance(c, Relation):
            return self._relation(raw, c, positive)
        if isinstance(c, Not):
            inner = self.term(raw.parts[0], False)
            if isinstance(inner, Never):
                return self.builder.anything
            is_open = self._open(raw)
            return one(("not", id(inner), is_open), lambda: NotTerm(inner, open=is_open))
        if isinstance(c, AnyOf):
            return self._any(raw, positive)
        assert isinstance(c, All)
        return self._all(raw, c, positive)

    # --- leaves -----------------------------------------------------------------------------------

    def _pattern(self, raw: Raw, c: PatternAtom, positive: bool) -> Term:
        builder = self.builder
        outer = {raw.name(name): name for name in raw_names(c)}
        shared = {written for name, written in outer.items() if self.totals[name] > 1}
        reading = builder.reading(c, frozenset(shared))
        if isinstance(reading, StructuralError):
            attempts = reading.attempts if isinstance(reading, PatternError) else ()
            told = "; ".join(
                f"as {a.rung}: {a.reason}" for a in attempts if isinstance(a, Attempt) and not a.accepted
            )
            self.tell(c.at, reading.message, "; ".join(x for x in (reading.hint, told) if x), bool(attempts))
            return builder.never
        if reading.language != builder.language:
            self.tell(c.at, f"{c.text!r} is no code in {builder.language}", "", True)
            return builder.never
        names = tuple(raw.name(name) for name in reading.names)
        numbers = tuple(at for at, name in enumerate(reading.names) if name in shared)
        checks = tuple(
            (at, self.term(self.checks[name], True))
            for at, name in enumerate(names)
            if positive and name in self.checks
        )
        # What a run takes along is told to the conditions beside it.
        is_open = self._open(raw) or reading.run
        key = ("pattern", id(reading), names, numbers, tuple((at, id(t)) for at, t in checks), is_open)

        def make() -> PatternTerm:
            atom = Atom(reading, names, numbers, checks)
            return PatternTerm(atom, open=is_open, binds=frozenset(names))

        return builder.one(key, make)

    def _kinds(self, c: KindAtom) -> frozenset[int]:
        grammar = self.grammar
        found: set[int] = set()
        for name in c.kinds:
            if name == "ERROR":
                found.add(ERROR_KIND)
                continue
            ids = grammar.ids((name,))
            named = {k for k in ids if grammar.named[k]}
            if not ids:
                known = sorted({n for k, n in enumerate(grammar.names) if grammar.named[k]})
                close = get_close_matches(name, known, n=3, cutoff=0.6)
                self.tell(
                    c.at,
                    f"{self.builder.language} has no kind {name!r}",
                    f"did you mean {' or '.join(close)}?"
                    if close
                    else "`astgrep tree FILE` shows the kinds of a file",
                    True,
                )
            found |= named or ids
        return frozenset(found)

    # --- compounds --------------------------------------------------------------------------------

    def _relation(self, raw: Raw, c: Relation, positive: bool) -> Term:
        builder = self.builder
        inner = self.term(raw.parts[0], positive) if raw.parts else builder.anything
        until: Term | None = None
        if raw.until is not None:
            until = self.term(raw.until, False)
        elif c.until == "end":
            until = builder.never
        field = 0
        if c.field is not None:
            field = self.grammar.field(c.field)
            if not field:
                known = self.grammar.field_names
                close = get_close_matches(c.field, known, n=3, cutoff=0.6)
                self.tell(
                    c.at,
                    f"{builder.language} has no field {c.field!r}",
                    f"did you mean {' or '.join(close)}?" if close else f"it has {', '.join(known)}",
                    True,
                )
                return builder.never
        if isinstance(inner, Never):
            return builder.never
        is_open = self._open(raw)
        return builder.one(
            ("relation", c.name, id(inner), id(until), field, is_open),
            lambda: RelationTerm(c.name, inner, until, field, open=is_open, binds=inner.binds),
        )

    def _any(self, raw: Raw, positive: bool) -> Term:
        terms: list[Term] = []
        for part in raw.parts:
            made = self.term(part, positive)
            if not isinstance(made, Never) and made not in terms:
                terms.append(made)
        if len(terms) < 2:
            return terms[0] if terms else self.builder.never
        is_open = self._open(raw)
        return self.builder.one(
            ("any", *map(id, terms), is_open),
            lambda: AnyTerm(tuple(terms), open=is_open, binds=_NONE.union(*(t.binds for t in terms))),
        )

    def _all(self, raw: Raw, c: All, positive: bool) -> Term:
        flat: list[Term] = []
        parts = [self.term(part, positive) for part in raw.parts]
        for made in parts:
            for term in made.terms if isinstance(made, AllTerm) else (made,):
                if isinstance(term, Never):
                    return self.builder.never
                if term not in flat and not isinstance(term, Anything):
                    flat.append(term)
        if any(isinstance(term, PatternTerm) and term.atom.reading.run for term in flat):
            flat = [self._of_run(term) for term in flat]
        flat.sort(key=_rank)
        if len(flat) < 2:
            return flat[0] if flat else self.builder.anything
        kinds: frozenset[int] | None = None
        for term in flat:
            own = root_kinds(term)
            if own is not None:
                if kinds is not None and own and not kinds & own:
                    self.tell(
                        c.at if c.at != At() else raw.parts[0].condition.at,  # type: ignore[union-attr]
                        f"this can never hold: one node would be {self._shown(kinds)} and {self._shown(own)}",
                        "put one of the two under `has` or `inside`",
                        True,
                    )
                    return self.builder.never
                kinds = own if kinds is None else kinds & own
        is_open = self._open(raw)
        return self.builder.one(
            ("all", *map(id, flat), is_open),
            lambda: AllTerm(tuple(flat), open=is_open, binds=_NONE.union(*(t.binds for t in flat))),
        )

    def _of_run(self, term: Term) -> Term:
        """*term* beside a pattern of several siblings, of whose text it is asked."""
        if isinstance(term, RegexTerm):
            body = term.regex
            return self.builder.one(("regex", body, "run"), lambda: RegexTerm(body, whole=True, open=True))
        if isinstance(term, RangeTerm):
            start, end = term.start, term.end
            return self.builder.one(
                ("range", start, end, "run"), lambda: RangeTerm(start, end, whole=True, open=True)
            )
        return term

    def _shown(self, kinds: frozenset[int]) -> str:
        names = sorted({self.grammar.name(k) for k in kinds})
        return " or ".join(names[:3]) + (" …" if len(names) > 3 else "")


def raw_names(c: PatternAtom) -> tuple[str, ...]:
    from structural.pattern.metavariables import cut

    return cut(c.text).names


def root_kinds(term: Term) -> frozenset[int] | None:
    """The kinds that a node can have of which *term* holds, None for any."""
    if isinstance(term, KindTerm):
        return term.kinds
    if isinstance(term, PatternTerm):
        reading = term.atom.reading
        if reading.run or reading.comment is not None:
            return None
        if reading.kind is not None:
            return reading.tables.grammar.ids((reading.kind,))
        return reading.kinds
    if isinstance(term, AnyTerm):
        found: frozenset[int] = frozenset()
        for one in term.terms:
            kinds = root_kinds(one)
            if kinds is None:
                return None
            found |= kinds
        return found
    if isinstance(term, AllTerm):
        told: frozenset[int] | None = None
        for one in term.terms:
            kinds = root_kinds(one)
            if kinds is not None:
                told = kinds if told is None else told & kinds
        return told
    return None


def negates(term: Term) -> bool:
    """Whether a negation in *term* depends on bindings made outside of it."""
    if isinstance(term, NotTerm):
        return term.open
    if isinstance(term, AllTerm | AnyTerm):
        return any(map(negates, term.terms))
    if isinstance(term, RelationTerm):
        return negates(term.inner)
    return False


def _rank(term: Term) -> int:
    """Filters first, then what stands at the place, what stands around it, and negations.  What is near comes
    before what is far: with what it binds the far is found without asking all nodes on the way."""
    if isinstance(term, OnTerm):
        return 8 if negates(term.inner) else 5
    if isinstance(term, NotTerm):
        return 7 if term.open else 2
    if negates(term):
        return 6
    if isinstance(term, RelationTerm):
        return 4 if _is_far(term) else 3
    if isinstance(term, NthTerm):
        return 2
    if isinstance(term, AnyTerm) and all(_rank(one) in (3, 4) for one in term.terms):
        return max(map(_rank, term.terms))
    return 0 if isinstance(term, KindTerm) else 1


def _is_far(term: Term) -> bool:
    """Whether a relation that goes further than to the next node stands in *term*."""
    if isinstance(term, RelationTerm):
        return term.until is not None or _is_far(term.inner)
    return isinstance(term, AllTerm | AnyTerm) and any(map(_is_far, term.terms))


def binds_by_code(reading: Reading) -> frozenset[str]:
    """Names that a match of *reading* binds."""
    found: set[str] = set()
    for program in reading.programs:
        for op in program.operations:
            if op.code in (Code.META, Code.ELLIPSIS) and op.name >= 0:
                found.add(program.names[op.name])
            if (op.sole or op.hollow or op.slot) and op.sole_name >= 0:
                found.add(program.names[op.sole_name])
            found.update(program.names[n] for n in op.names)
    if reading.comment is not None:
        found.update(reading.names)
    return frozenset(found)
