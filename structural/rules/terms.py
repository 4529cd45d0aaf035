"""Conditions of a rule, compiled for one grammar.

A ``Term`` is a condition in which names are numbers: kinds are ids, patterns are programs, utilities
are written out.  Terms that are equal are one object, within a rule and between rules, so that what is
found out about one in a file is found out once.

``open``: a metavariable in the term is bound or asked for outside of it too.  Whether an open term holds
of a node depends on bindings; of a term that is not open it is a matter of the node alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from structural.pattern.compile import Reading
from structural.rules.comments import CommentRule
from structural.rules.packed import packed, unpacked
from structural.rules.values import Rule
from structural.syntax.partial import Questions

if TYPE_CHECKING:
    from structural.rules.literals import Literals


@dataclass(slots=True, eq=False)
class Atom:
    """A pattern.  ``names``: number of a name in the reading → metavariable of the rule.  ``shared``: numbers
    of names that are bound or asked for elsewhere too.  ``checks``: number → what must hold of it at once."""

    reading: Reading
    names: tuple[str, ...]
    shared: tuple[int, ...] = ()
    checks: tuple[tuple[int, Term], ...] = ()
    number: int = -1
    """Of its probe in the language's questions."""


@dataclass(slots=True, eq=False)
class Term:
    """What all terms have.  ``binds``: metavariables that the term may bind for others to see."""

    open: bool = field(default=False, kw_only=True)
    binds: frozenset[str] = field(default=frozenset(), kw_only=True)


@dataclass(slots=True, eq=False)
class Anything(Term):
    """Any node."""


@dataclass(slots=True, eq=False)
class Never(Term):
    """No node: what the grammar cannot build."""


@dataclass(slots=True, eq=False)
class PatternTerm(Term):
    atom: Atom


@dataclass(slots=True, eq=False)
class KindTerm(Term):
    kinds: frozenset[int]
    comments: bool = False
    """Comments are of one of these kinds."""


@dataclass(slots=True, eq=False)
class RegexTerm(Term):
    """``whole``: of all siblings of a run."""

    regex: str
    whole: bool = False


@dataclass(slots=True, eq=False)
class NthTerm(Term):
    step: int
    offset: int
    reverse: bool
    of: Term | None


@dataclass(slots=True, eq=False)
class RangeTerm(Term):
    start: tuple[int, int | None] | None
    end: tuple[int, int | None] | None
    whole: bool = False


@dataclass(slots=True, eq=False)
class RelationTerm(Term):
    """``until`` is None for ``neighbor``, ``Never`` for ``end``."""

    name: str
    inner: Term
    until: Term | None
    field: int = 0


@dataclass(slots=True, eq=False)
class AllTerm(Term):
    """In the order in which they are asked."""

    terms: tuple[Term, ...]


@dataclass(slots=True, eq=False)
class AnyTerm(Term):
    terms: tuple[Term, ...]


@dataclass(slots=True, eq=False)
class NotTerm(Term):
    inner: Term


@dataclass(slots=True, eq=False)
class OnTerm(Term):
    """``inner`` holds of what ``name`` stands for; it does if the name stands for nothing.  Of the parts
    of ``inner`` some are of the whole binding, the others of each of its nodes (``Evaluation.on``)."""

    name: str
    inner: Term


@dataclass(slots=True, eq=False)
class SameTerm(Term):
    """Of a binding: it is the same code as ``name``."""

    name: str


@dataclass(slots=True, eq=False)
class CountTerm(Term):
    """Of the binding of an ellipsis."""

    operator: str
    number: int


Needs = tuple[frozenset[bytes], ...]
"""Of each at least one text stands in every source in which a term holds."""


@dataclass(slots=True, eq=False)
class CompiledRule:
    """A rule in one grammar.  ``names``: its metavariables in the order in which they are written."""

    id: str
    term: Term
    names: tuple[str, ...]
    focus: str | None
    needs: Needs = ()
    off: bool = False
    kinds: frozenset[int] = frozenset()
    """Kinds of which the rule must see every node; ``probes``: numbers of its patterns in the
    language's questions; ``whole``: it must see the whole tree."""
    probes: tuple[int, ...] = ()
    whole: bool = True
    deep: frozenset[int] = frozenset()
    """Kinds of which it must see every node with all that is in it."""
    gates: tuple[tuple[int, ...], ...] = ()
    """Of the probes of each something must stand in the file."""
    needed: tuple[frozenset[int], ...] = ()
    """Of the kinds of each a node must stand in the file."""
    atoms: tuple[Atom, ...] = ()
    comments: CommentRule | None = None
    """Of a rule about comments: what is asked of them, in place of ``term``."""


@dataclass(slots=True, eq=False)
class OfGrammar:
    """The rules in one grammar, and what they ask of trees and of bytes."""

    rules: tuple[CompiledRule, ...]
    questions: Questions
    literals: Literals


@dataclass(slots=True, eq=False)
class RuleSet:
    """Rules that run together.  Pickles; what is of a grammar is unpacked when it is asked for."""

    rules: Mapping[str, Rule]
    within: Mapping[str, tuple[str, ...]]
    """Host → the grammars of rules that may find something in its files."""
    languages: frozenset[str]
    """Hosts in whose files something can be found, as embedded code too."""
    _made: dict[str, OfGrammar] = field(default_factory=dict)
    _packed: dict[str, bytes] = field(default_factory=dict)

    def of(self, grammar: str) -> OfGrammar:
        """The rules in *grammar*, one of those that ``within`` names."""
        found = self._made.get(grammar)
        if found is None:
            found = self._made[grammar] = unpacked(self._packed[grammar])
        return found

    def __getstate__(self) -> tuple[object, ...]:
        for grammar, made in self._made.items():
            if grammar not in self._packed:
                self._packed[grammar] = packed(made)
        return self.rules, self.within, self.languages, self._packed

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.rules, self.within, self.languages, self._packed = state
        self._made = {}
