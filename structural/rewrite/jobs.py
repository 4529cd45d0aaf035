"""Jobs: matches that are to be rewritten, and what is done so that they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from structural.pattern.outcome import Found
from structural.pattern.program import Program
from structural.rewrite.places import Place, Places


@dataclass(frozen=True, slots=True)
class Mend:
    """What is done beyond the template so that a site holds: numbers of items of the rewrite whose
    binding gets parentheses, parentheses or braces around all of it, a terminator behind it, and
    whether new text goes to the other end of a gap that has other things in it."""

    parens: frozenset[int] = frozenset()
    braced: frozenset[int] = frozenset()
    """Items whose binding, a statement, gets braces."""
    whole: bool = False
    braces: bool = False
    terminator: bytes = b""
    leading: bytes = b""
    """A terminator before it, so that the line before does not go on."""
    other_end: bool = False
    spaced: bool = False
    """A space where operators meet."""
    bare: bool = False
    """Parentheses that the pattern does not show go."""
    joined: bool = False
    """Lines go on where those of the rewrite do."""
    explicit: bool = False
    """Tokens that the file leaves out, such as the parentheses of a single argument, are written."""
    tolerant: frozenset[int] = frozenset()
    """Items whose binding may become another kind of node, as parentheses did not help."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """What the rewrite of a match may use beside what its pattern binds."""

    places: Mapping[str, Place] = field(default_factory=dict)
    """Name → code of the file, in the match or elsewhere."""
    ellipses: frozenset[str] = frozenset()
    """Those of them that stand for any number of nodes."""
    texts: Mapping[str, bytes] = field(default_factory=dict)
    """Name → text that was made from something."""


NOTHING = Beyond()


@dataclass(slots=True)
class Job:
    """One match to rewrite.  ``inner`` are matches inside its bindings; ``site`` is its number."""

    found: Found
    program: Program
    site: int
    inner: list[Job] = field(default_factory=list)
    mend: Mend = Mend()
    hidden: list[Job] = field(default_factory=list)
    """Matches inside of it that its rewrite does not keep: they are rewritten only if it is refused."""
    refused: str = ""
    detail: str = ""
    """What is to be said beside the reason why it is refused."""
    taken: tuple[int, int] | None = None
    """Of a match that goes as a whole: the bytes that go with it."""
    beyond: Beyond = NOTHING
    places: Places | None = None
    """Where the items of its pattern stand, if that is known without looking."""

    @property
    def span(self) -> tuple[int, int]:
        return (self.found.start, self.found.end)


class Occurrence(NamedTuple):
    """A metavariable of a rewrite that was written out: the item's number and what it is bound to."""

    job: int
    item: int
    place: Place
    nested: bool
    ellipsis: bool
