"""What of a tree must be there so that a term can be asked as of the whole.

Only some nodes of a file are flattened (``syntax.partial``): those of kinds and at patterns that rules ask
for, each with its children, and what is around them.  ``scope_of`` says which a term needs, or that it
needs the whole tree, as one that asks of nodes of any kind what is in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from structural.rules.build import root_kinds
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


@dataclass(slots=True)
class Scope:
    """``kinds`` of which every node must be there, ``atoms`` at whose candidates everything must."""

    kinds: set[int] = field(default_factory=set)
    atoms: dict[Atom, None] = field(default_factory=dict)
    deep: set[int] = field(default_factory=set)
    """Kinds of which every node must be there with all that is in it."""
    whole: bool = False


def scope_of(term: Term) -> Scope:
    scope = Scope()
    _capture(term, scope)
    _visit(term, True, scope, root_kinds(term))
    scope.kinds |= scope.deep
    return scope


def _capture(term: Term, scope: Scope) -> None:
    """Every node of which *term* may hold is there, with its children."""
    if isinstance(term, KindTerm):
        scope.kinds |= term.kinds
    elif isinstance(term, PatternTerm):
        _atom(term.atom, scope)
    elif isinstance(term, AllTerm):
        told = [one for one in term.terms if root_kinds(one) is not None]
        if not told:
            scope.whole = True
            return
        _capture(next((one for one in told if isinstance(one, PatternTerm)), told[0]), scope)
    elif isinstance(term, AnyTerm):
        for one in term.terms:
            _capture(one, scope)
    elif not isinstance(term, Never):
        scope.whole = True


def _atom(atom: Atom, scope: Scope) -> None:
    if atom in scope.atoms:
        return
    reading = atom.reading
    if reading.run or not reading.programs or any(p.probe is None for p in reading.programs):
        scope.whole = True
    scope.atoms[atom] = None
    for _, check in atom.checks:
        _visit(check, True, scope)


def _visit(
    term: Term, is_open: bool, scope: Scope, here: frozenset[int] | None = None, *, filled: bool = False
) -> None:
    """What *term* needs where it is asked of a node that is there.  *is_open*: with its children; *filled*:
    with all that is in it.  *here*: the node is of one of these kinds, if that is told."""
    if isinstance(term, PatternTerm):
        _atom(term.atom, scope)
        return
    if not is_open and not filled and not _flat(term):
        _capture(term, scope)
        is_open = True
    if isinstance(term, AllTerm | AnyTerm):
        own = root_kinds(term) if isinstance(term, AllTerm) else None
        for one in term.terms:
            _visit(one, is_open, scope, here if own is None else own, filled=filled)
    elif isinstance(term, NotTerm):
        _visit(term.inner, is_open, scope, here, filled=filled)
    elif isinstance(term, OnTerm):
        _visit(term.inner, True, scope, filled=True)
    elif isinstance(term, NthTerm):
        if term.of is not None:
            _visit(term.of, False, scope)
    elif isinstance(term, RelationTerm):
        _visit_relation(term, scope, here, filled)


def _visit_relation(term: RelationTerm, scope: Scope, here: frozenset[int] | None, filled: bool) -> None:
    until = None if isinstance(term.until, Never) else term.until
    if term.name == "inside":
        _visit(term.inner, True, scope)
        if until is not None:
            _visit(until, True, scope)
        return
    if term.name == "has":
        if not filled and here is not None and not _captured(term.inner) and not _seen(term):
            # All that is in such a node is kept, rather than all of the file.
            scope.deep |= here
            filled = True
        if filled or _seen(term):
            _visit(term.inner, False, scope, filled=filled)
        else:
            _capture(term.inner, scope)
            _visit(term.inner, True, scope, root_kinds(term.inner))
        if until is not None:
            _visit(until, True, scope, filled=filled)
        return
    _capture(term.inner, scope)
    _visit(term.inner, True, scope, root_kinds(term.inner))
    if until is not None:
        _capture(until, scope)
        _visit(until, True, scope, root_kinds(until))


def _seen(term: RelationTerm) -> bool:
    """Whether ``has`` asks of children only what can be asked of them as they are."""
    return term.until is None and _flat(term.inner)


def _captured(term: Term) -> bool:
    """Whether it is told at which nodes *term* may hold."""
    scope = Scope()
    _capture(term, scope)
    return not scope.whole


def _flat(term: Term) -> bool:
    """Whether *term* can be asked of a node whose children are not there."""
    if isinstance(term, AllTerm | AnyTerm):
        return all(map(_flat, term.terms))
    if isinstance(term, NotTerm):
        return _flat(term.inner)
    if isinstance(term, RelationTerm):
        return term.name == "inside"
    return isinstance(
        term,
        KindTerm | RegexTerm | RangeTerm | NthTerm | Anything | Never | PatternTerm | SameTerm | CountTerm,
    )


def gates_of(term: Term) -> tuple[tuple[int, ...], ...]:
    """Numbers of probes; of each group one must stand in a file for *term* to hold there.  Asked once the
    atoms are numbered."""
    if isinstance(term, PatternTerm):
        return ((term.atom.number,),) if term.atom.number >= 0 else ()
    if isinstance(term, AllTerm):
        return tuple(dict.fromkeys(gate for one in term.terms for gate in gates_of(one)))
    if isinstance(term, AnyTerm):
        of_each = [gates_of(one) for one in term.terms]
        if not all(of_each):
            return ()
        return (tuple(sorted({number for gates in of_each for number in gates[0]})),)
    if isinstance(term, RelationTerm):
        return gates_of(term.inner)
    return ()


def needed_kinds(term: Term) -> tuple[frozenset[int], ...]:
    """Kinds of nodes; of each group one must stand in a file for *term* to hold there."""
    if isinstance(term, KindTerm):
        return () if term.comments else (term.kinds,)
    if isinstance(term, AllTerm):
        return tuple(dict.fromkeys(group for one in term.terms for group in needed_kinds(one)))
    if isinstance(term, AnyTerm):
        of_each = [needed_kinds(one) for one in term.terms]
        return (frozenset[int]().union(*(groups[0] for groups in of_each)),) if all(of_each) else ()
    if isinstance(term, RelationTerm):
        return needed_kinds(term.inner)
    return ()
