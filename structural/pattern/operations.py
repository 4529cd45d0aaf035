"""The steps of a compiled pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from structural.pattern.tables import Frame


class Code(IntEnum):
    """What an operation does with the node at hand."""

    NODE = 0
    """Enter a node of one of ``kinds``."""
    EXIT = 1
    """Leave it: nothing may be left but what never counts."""
    TOKEN = 2
    """A token (or a small piece) with this ``text``."""
    META = 3
    """Any one node; bind it."""
    ELLIPSIS = 4
    """Any number of siblings; bind them."""
    SOFT = 5
    """A separator beside an ellipsis: stands only between two elements."""
    TEMPLATE = 6
    """A token whose text fits ``regex``."""
    STRING = 7
    """A string literal with this prefix and body."""
    BRACE = 8
    """A brace of a body; nothing if the body is a lone statement."""
    DONE = 9


@dataclass(slots=True)
class Operation:
    """One step.  Which fields count depends on ``code``."""

    code: Code
    kinds: frozenset[int] = frozenset()
    text: bytes = b""
    check_text: bool = True
    """TOKEN: compare the text (always but for case-insensitive keywords)."""
    name: int = -1
    """Number of the name that META and ELLIPSIS bind, -1 for none."""
    repeated: bool = False
    """The name is bound or asked for elsewhere too, so the choice matters later."""
    parens: int = 0
    braces: int = 0
    frame: Frame | None = None
    gaps: tuple[bytes, ...] = ()
    loose_gaps: bool = False
    """EXIT: the node holds an ellipsis, which may take hidden tokens along."""
    regex: re.Pattern[bytes] | None = None
    names: tuple[int, ...] = ()
    """TEMPLATE and STRING: numbers of the names that the groups bind."""
    pieces: tuple[bytes, ...] = ()
    """TEMPLATE and STRING: the texts between the groups."""
    prefix: bytes = b""
    quote: bytes = b""
    open_kinds: frozenset[int] | None = None
    """SOFT: the token before the run of ellipses, None at the start of the node."""
    close_kinds: frozenset[int] | None = None
    """SOFT: the token behind the run of ellipses, None at the end of the node."""
    may_start: bool = False
    """SOFT: only ellipses stand before it in its list."""
    may_end: bool = False
    """SOFT: only ellipses stand behind it in its list."""
    least: int = 0
    one_value: bool = False
    ahead: int = -1
    """ELLIPSIS: number of the name that must stand behind it, if that is bound elsewhere too."""
    any_token: bool = False
    own_kind: int = -1
    """META: the kind its stand-in had."""
    bare: bool = False
    hollow: bool = False
    """NODE: a block without braces that holds nothing but an ellipsis; it may be absent.
    ``sole_name`` is then the name of the ellipsis."""
    slot: bool = False
    """NODE: it holds one metavariable and nothing else; where another kind of node stands in its
    place, that is bound.  ``sole_name`` is the metavariable's name."""
    sole: frozenset[int] = frozenset()
    sole_name: int = -1
    span: tuple[int, int] = (0, 0)
    """Where it stands in the source that the pattern was read from, the skeleton's."""
    jump: int = 0
    """NODE: the operation behind the matching EXIT."""
    optional: bool | None = None
    """NODE: whether the pattern wrote tokens that may be left out here."""
    shown: str = ""
    """For people: what is expected here."""
