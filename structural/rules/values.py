"""What a rule is, as values.  No YAML, no tree: anything in the package may import this.

Metavariables are named without their dollar signs, but in texts of patterns, messages and rewrites.
A condition is a closed union.  It holds of one place of a file, a node or, for a pattern of several
statements, a run of siblings; ``All`` holds of a place if each of its conditions does, with
bindings that agree.  ``at`` is where a thing stands in the rule's file and is never compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from structural.pattern.values import Match
from structural.text import Span


@dataclass(frozen=True, slots=True)
class At:
    """A place in a rule's file: line and column from 1, columns in characters."""

    line: int = 1
    column: int = 1


_NOWHERE = At()


class Severity(StrEnum):
    """How much a finding matters.  ``off``: the rule is read and checked, and not run."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"
    OFF = "off"


class Safety(StrEnum):
    """How far a rewrite can be trusted.  ``safe``: the code does the same; ``suspicious``: someone has to
    look; ``display``: it shows what is meant, and is never staged."""

    SAFE = "safe"
    SUSPICIOUS = "suspicious"
    DISPLAY = "display"


# --- conditions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PatternAtom:
    """The pattern stands at the place.  ``selector``: not all of it, but its first node of this kind;
    the rest is context that is only read."""

    text: str
    rung: str | None = None
    strictness: str = "smart"
    equivalences: tuple[str, ...] = ()
    """Switched on beyond the strictness."""
    without: tuple[str, ...] = ()
    """Switched off."""
    selector: str | None = None
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class KindAtom:
    """The node is of one of these kinds."""

    kinds: tuple[str, ...]
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RegexAtom:
    """The text of the place holds a match of the regular expression (``structural.text.regexes``)."""

    regex: str
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class NthChildAtom:
    """The node is number ``step * n + offset`` (n = 0, 1, …; the first is 1) of its parent's named
    children; from the end if ``reverse``.  ``of``: only children of which this holds are counted."""

    step: int
    offset: int
    reverse: bool = False
    of: Condition | None = None
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RangeAtom:
    """The node begins and ends at these places: line and column from 1, columns in characters, the
    end behind the last character.  None: anywhere."""

    start: tuple[int, int | None] | None = None
    end: tuple[int, int | None] | None = None
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Relation:
    """A node of which ``condition`` holds stands around, in, before or behind the place.

    ``name`` is ``inside``, ``has``, ``follows`` or ``precedes``.  ``until`` says how far is looked:
    ``neighbor`` (the parent, the children, the next sibling), ``end`` (as far as there is anything), or up
    to and with the first node of which a condition holds.  ``field``: of ``has`` that the node, or what
    holds it, is in this field of the place; of ``inside`` that the place, or what holds it, is in this
    field of the node.
    """

    name: str
    condition: Condition | None
    """None: any node."""
    until: str | Condition = "neighbor"
    field: str | None = None
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class All:
    """Each holds of the place, and metavariables that several bind stand for the same code."""

    conditions: tuple[Condition, ...]
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of them holds; the first that does gives the bindings."""

    conditions: tuple[Condition, ...]
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """It does not hold, with the bindings there are.  Binds nothing."""

    condition: Condition
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Matches:
    """The utility of this name holds.  ``arguments``: for each of its parameters the metavariable of
    the rule that stands in its place, or a condition of what the parameter binds."""

    utility: str
    arguments: Mapping[str, str | Condition] = dataclasses.field(default_factory=dict)
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class SameAs:
    """Only of a binding: it is the same code as the metavariable ``name`` stands for."""

    name: str
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Count:
    """Only of the binding of an ellipsis: how many elements it has.  ``operator`` is ``==``, ``!=``, ``<``,
    ``<=``, ``>`` or ``>=``."""

    operator: str
    number: int
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


Condition = (
    PatternAtom
    | KindAtom
    | RegexAtom
    | NthChildAtom
    | RangeAtom
    | Relation
    | All
    | AnyOf
    | Not
    | Matches
    | SameAs
    | Count
)


@dataclass(frozen=True, slots=True)
class Utility:
    """A condition with a name.  Its metavariables are those of the rule that uses it, but for
    ``parameters``, which each use gives anew.  ``languages``: of a shared one, empty for any."""

    name: str
    condition: Condition
    parameters: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    path: str = ""
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


# --- rewrites -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Transform:
    """A new name made from what another stands for: ``text`` as ``structural.rewrite.transform`` reads it,
    or, if ``rewriters`` are given, what these make of the nodes in ``source``, joined by ``join_by``."""

    name: str
    text: str = ""
    source: str = ""
    rewriters: tuple[str, ...] = ()
    join_by: str | None = None
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Rewriter:
    """A small rule for the inside of a binding: where it holds, ``rewrite`` stands."""

    name: str
    condition: Condition
    rewrite: str
    constraints: Mapping[str, Condition] = dataclasses.field(default_factory=dict)
    transforms: tuple[Transform, ...] = ()
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Ensure:
    """Another place of the file: ``code``, a statement such as an import, stands at its top, and is
    added behind the imports if it does not."""

    code: str
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Also:
    """Other places of the file: all matches of ``condition`` become ``rewrite`` (empty: they go).
    ``unless``: not where this still holds somewhere in the file afterwards."""

    condition: Condition
    rewrite: str
    unless: Condition | None = None
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RuleRewrite:
    """What the place becomes.  ``target``: the metavariable whose code is rewritten, None for the match.
    ``expand_start`` and ``expand_end``: siblings before and behind of which these hold go too."""

    text: str
    title: str = ""
    target: str | None = None
    also: tuple[Ensure | Also, ...] = ()
    safety: Safety = Safety.SAFE
    expand_start: Relation | None = None
    expand_end: Relation | None = None
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


# --- rules ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """Code in which the rule finds something, or nothing (``count`` 0).  ``count`` None: at least one.
    ``rewritten``: the code after the first rewrite of every finding."""

    code: str
    count: int | None = None
    rewritten: str | None = None
    language: str | None = None
    """None: the first language of the rule."""
    path: str = ""
    """The name that the code's file would have, for rules with ``files``."""
    at: At = dataclasses.field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.  Its ``id`` is unique in a set; ``languages`` are canonical names."""

    id: str
    languages: tuple[str, ...]
    condition: Condition
    message: str = ""
    severity: Severity = Severity.WARNING
    note: str = ""
    url: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    constraints: Mapping[str, Condition] = dataclasses.field(default_factory=dict)
    """Metavariable → what must hold of what it stands for; of an ellipsis, of every element."""
    focus: str | None = None
    """The metavariable whose code is what is reported, None for the match."""
    utilities: Mapping[str, Utility] = dataclasses.field(default_factory=dict)
    transforms: tuple[Transform, ...] = ()
    rewriters: Mapping[str, Rewriter] = dataclasses.field(default_factory=dict)
    rewrites: tuple[RuleRewrite, ...] = ()
    examples: tuple[Example, ...] = ()
    metadata: Mapping[str, object] = dataclasses.field(default_factory=dict, compare=False)
    """What the file says beside; handed on in JSON and SARIF."""
    path: str = ""
    """The rule's file as it was named."""
    at: At = dataclasses.field(default=_NOWHERE, compare=False)
    places: Mapping[str, At] = dataclasses.field(default_factory=dict, compare=False)
    """Key of the rule → where it stands, for problems that come up later."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a rule's file.  ``rule`` is its id where that is known."""

    path: str
    at: At
    message: str
    hint: str = ""
    rule: str = ""
    warning: bool = False
    """The rule can be used all the same."""

    def __str__(self) -> str:
        return f"{self.path}:{self.at.line}:{self.at.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One place at which a rule holds.  ``span`` is what is reported: the focus, or the match.
    ``match.bindings`` are all that were made, also those of relations."""

    rule: str
    span: Span
    match: Match
