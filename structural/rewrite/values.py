"""What a rewrite gives, as values."""

from __future__ import annotations

from dataclasses import dataclass

from structural.text import Edit, Span
from structural.text.edits import in_order


@dataclass(frozen=True, slots=True)
class RewriteSite:
    """One place that is rewritten: what can be kept or dropped as a whole.

    ``span`` is the match in the text before; ``edits`` are in order, disjoint, and
    disjoint from those of all other sites.  ``matches`` counts the matches in it: more than
    one where a match stands inside code that another one moves.
    """

    span: Span
    edits: tuple[Edit, ...]
    matches: int = 1


@dataclass(frozen=True, slots=True)
class Refused:
    """One match that is left as it is, because its edit could not be made safely."""

    span: Span
    reason: str
    detail: str = ""
    """What is known beyond the reason: where the result cannot be read, that no way was tried."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The answer for one text.  Iterate over ``sites`` for what changes.

    ``text`` is the source after all edits.  ``unchanged`` counts matches whose rewrite is the
    code that is there; ``overlapping`` those that were left, as they overlap a match that
    is rewritten; ``again`` those that the pattern finds in ``text`` beside what was refused or is
    unchanged.
    """

    source: bytes
    text: bytes
    sites: tuple[RewriteSite, ...] = ()
    refused: tuple[Refused, ...] = ()
    matches: int = 0
    unchanged: int = 0
    overlapping: int = 0
    again: int = 0
    passes: int = 1
    """How often the pattern was run; more than once only where that was asked for."""
    cycle: bool = False
    """Runs were ended because a text came back, or because there were too many."""

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits, in order and disjoint."""
        return in_order(edit for site in self.sites for edit in site.edits)
