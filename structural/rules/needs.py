"""Texts that a source must hold for a rule to hold in it.

Drawn from what a rule says there is: of all conditions together every text, of alternatives one of each,
of a negation none.  A filter: it may let through what does not hold, never hold back what does.
"""

from __future__ import annotations

import re

from structural.rules.terms import (
    AllTerm,
    AnyTerm,
    Needs,
    OnTerm,
    PatternTerm,
    RegexTerm,
    RelationTerm,
    Term,
)

_MOST_CLAUSES = 12
_MOST_TEXTS = 60
"""Of one rule, and of one clause: more say little."""


def needs(term: Term) -> Needs:
    """Clauses, of each of which one text stands in every source in which *term* holds."""
    return tuple(sorted(_clauses(term, {}), key=_worth, reverse=True)[:_MOST_CLAUSES])


def _worth(clause: frozenset[bytes]) -> tuple[int, int, list[bytes]]:
    return (min(map(len, clause)), -len(clause), sorted(clause))


def _clauses(term: Term, known: dict[int, frozenset[frozenset[bytes]]]) -> frozenset[frozenset[bytes]]:
    found = known.get(id(term))
    if found is None:
        found = known[id(term)] = _of_term(term, known)
    return found


def _of_term(term: Term, known: dict[int, frozenset[frozenset[bytes]]]) -> frozenset[frozenset[bytes]]:
    none: frozenset[frozenset[bytes]] = frozenset()
    if isinstance(term, PatternTerm):
        return frozenset(frozenset({text}) for text in term.atom.reading.literals)
    if isinstance(term, RegexTerm):
        texts = words_of(term.regex)
        return frozenset({texts}) if texts else none
    if isinstance(term, AllTerm):
        return none.union(*(_clauses(one, known) for one in term.terms))
    if isinstance(term, AnyTerm):
        of_each = [_clauses(one, known) for one in term.terms]
        if not all(of_each):
            return none
        common = of_each[0].intersection(*of_each[1:])
        joined = frozenset[bytes]().union(*(max(those, key=_worth) for those in of_each))
        return common | {joined} if len(joined) <= _MOST_TEXTS else common
    if isinstance(term, RelationTerm):
        return _clauses(term.inner, known)
    if isinstance(term, OnTerm):
        return none
    return none


_PLAIN = re.compile(r"(?:[A-Za-z0-9_ :/=<>!@#%&,;'\"-]|\\[.$^*+?(){}|/\\\[\]-])+")
_GROUP = re.compile(r"\((?:\?:)?([^()]*)\)")


def words_of(regex: str) -> frozenset[bytes]:
    """Texts one of which stands wherever *regex* matches; empty if that is not told."""
    body = regex.removeprefix("^")
    if body.endswith("$") and not body.endswith("\\$"):
        body = body[:-1]
    body = body.removeprefix("\\b").removesuffix("\\b")
    anchored = body != regex
    group = _GROUP.fullmatch(body)
    if group is not None:
        body = group[1]
    elif anchored and "|" in body:
        return frozenset()
    found = set()
    for part in body.split("|"):
        if not _PLAIN.fullmatch(part):
            return frozenset()
        found.add(re.sub(r"\\(.)", r"\1", part).encode())
    return frozenset(text for text in found if text) if all(found) else frozenset()
