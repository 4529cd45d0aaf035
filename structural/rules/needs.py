"""Texts that a source must hold for a rule to hold in it.

Drawn from what a rule says there is: of all conditions together every text, of alternatives one of each,
of a negation none.  A filter: it may let through what does not hold, never hold back what does.
"""

from __future__ import annotations

from structural.rules.terms import (
    AllTerm,
    AnyTerm,
    Needs,
    PatternTerm,
    RegexTerm,
    RelationTerm,
    Term,
)
from structural.text.required import NOTHING, Clauses, either, required, worth

_MOST_CLAUSES = 12
"""Of one rule; more say little."""


def needs(term: Term) -> Needs:
    """Clauses, of each of which one text stands in every source in which *term* holds."""
    return tuple(sorted(_clauses(term, {}), key=worth, reverse=True)[:_MOST_CLAUSES])


def _clauses(term: Term, known: dict[int, Clauses]) -> Clauses:
    found = known.get(id(term))
    if found is None:
        found = known[id(term)] = _of_term(term, known)
    return found


def _of_term(term: Term, known: dict[int, Clauses]) -> Clauses:
    if isinstance(term, PatternTerm):
        found = frozenset(frozenset({text}) for text in term.atom.reading.literals)
        return found.union(*(_of_binding(check) for _, check in term.atom.checks))
    if isinstance(term, RegexTerm):
        return required(term.regex)
    if isinstance(term, AllTerm):
        return NOTHING.union(*(_clauses(one, known) for one in term.terms))
    if isinstance(term, AnyTerm):
        return either([_clauses(one, known) for one in term.terms])
    if isinstance(term, RelationTerm):
        return _clauses(term.inner, known)
    return NOTHING


def _of_binding(term: Term) -> Clauses:
    """What stands where *term* holds of a metavariable: expressions are asked of all that it stands for, the
    rest of elements, of which there may be none."""
    if isinstance(term, RegexTerm):
        return required(term.regex)
    if isinstance(term, AllTerm):
        return NOTHING.union(*map(_of_binding, term.terms))
    if isinstance(term, AnyTerm):
        return either([_of_binding(one) for one in term.terms])
    return NOTHING
