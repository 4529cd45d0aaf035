"""What is rewritten by what: a reading and the rewrite for it, and the code of one language in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from structural.pattern.compile import Reading
from structural.pattern.search import Placement
from structural.pattern.values import Match
from structural.rewrite.compose import Composer
from structural.rewrite.draft import Draft
from structural.rewrite.jobs import NOTHING, Beyond, Job
from structural.rewrite.nesting import every
from structural.rewrite.places import Places
from structural.rewrite.removal import Remover
from structural.rewrite.template import Template
from structural.rewrite.values import Rewritten
from structural.rewrite.verdicts import Verdicts
from structural.syntax.columns import Columns


@dataclass(frozen=True, slots=True)
class Chosen:
    """A place to rewrite that somebody else found."""

    placement: Placement
    beyond: Beyond = NOTHING
    places: Places | None = None
    refused: str = ""
    """Why it cannot be rewritten, if that is known."""


Chooser = Callable[[Columns], Sequence[Chosen]]
"""The places in these columns that are to be rewritten."""


@dataclass(frozen=True, slots=True)
class Run:
    """A reading of a pattern and the rewrite for it."""

    reading: Reading
    template: Template
    verdicts: Verdicts = field(default_factory=Verdicts, compare=False)
    """Sites that were found good, by what the checks look at."""
    chooser: Chooser | None = field(default=None, compare=False)
    """What says which places are rewritten, in place of the reading."""


@dataclass(slots=True)
class Part:
    """The code of one language in a file: the file itself, or a region of it."""

    columns: Columns
    run: Run
    composer: Composer
    region: int = -1
    jobs: list[Job] = field(default_factory=list)
    remover: Remover | None = None

    @property
    def template(self) -> Template:
        return self.run.template


def spans_of(part: Part) -> Callable[[Job], list[tuple[int, int]]]:
    """The bytes of a job's bindings in which other matches are rewritten with it."""
    return (lambda job: []) if part.template.empty else part.composer.bindings


def owner_of(site: int, draft: Draft, by_site: Mapping[int, tuple[Job, Part]]) -> int | None:
    """The site whose edits hold those of job *site*, None if it has none."""
    while site in draft.joined:
        site = draft.joined[site]
    if site in draft.edits:
        return site
    for other, (job, _) in by_site.items():
        if other in draft.edits and any(inner.site == site for inner in every(job)):
            return other
    return None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a file holds and what becomes of it.  ``found``: span, reading and equivalences of every
    match, as a search finds them, without bindings.  ``rewritten``: None if something would have to be
    mended or refused."""

    rewritten: Rewritten | None
    found: tuple[Match, ...]
    errors: int
    exhausted: bool


class UnsettledError(Exception):
    """Something does not hold, and is not to be mended."""
