"""The ladder: find a place of the grammar in which a fragment is code.

The fragment, its metavariables written as stand-ins, is put into one skeleton
after another and parsed.  A rung accepts when nodes cover the fragment exactly,
nothing in the whole skeleton is an ERROR, and only terminators at the fragment's
end are MISSING.  Knows the language's data and the parser; knows nothing of
matching.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from structural.pattern.metavariables import Fragment
from structural.pattern.standins import Forms
from structural.pattern.trials import Accepted, DeadEnds, Refused, Trials
from structural.pattern.values import Attempt, Attempts
from structural.syntax.grammar import LoadedGrammar, load_named
from structural.syntax.language import Skeleton

_MOST_BYTES = 12_000
_MOST_BYTES_IN_ALL = 80_000
"""Bytes of skeletons parsed for one rung and for one pattern, beyond which only the first form is
tried: what is no code at all must be refused in a moment, however many metavariables it has."""

_UNPARSED = 8
"""How many bytes of a trial that is refused by a known dead end cost as much as one that is parsed."""

_MOST_BYTES_AT_ALL = 300_000
"""Bytes beyond which no more rungs are tried: each says so."""

_TOO_MUCH = "was not tried, as the pattern is too long or could be too many things"

_STAND_IN_BYTES = 8
"""About what a metavariable takes once it is written as a stand-in."""


def climb(
    fragment: Fragment,
    grammar: LoadedGrammar,
    rung: str | None,
    attempts: Attempts,
    *,
    quick: bool = False,
    dead_ends: DeadEnds | None = None,
) -> Iterator[Accepted]:
    """Every reading of *fragment*, one a rung, in the order of the ladder.

    Readings with an unlikely kind come after all others.  What each rung did is
    added to *attempts*.  Forms of stand-ins for ``$$$`` alone are tried last, on
    rungs that gave no likely reading with plain ones.  *quick* tries the first forms only.
    Where several fragments of one pattern are tried, they share *dead_ends*.
    """
    language = grammar.language
    late: list[Accepted] = []
    budget = _Budget(quick=quick)
    trials = Trials(fragment, grammar, DeadEnds() if dead_ends is None else dead_ends)
    accepted: set[str] = set()
    for extra in (False, True) if language.ellipsis_stand_ins else (False,):
        if extra and not any(m.ellipsis for m in fragment.metavariables):
            break
        for name in language.rungs:
            if name in accepted or (rung is not None and name != rung):
                continue
            if budget.over or trials.over:
                attempts.append(Attempt(name, "", False, _TOO_MUCH))
                continue
            found = _try_rung(trials, name, extra, attempts, budget)
            if found is None:
                continue
            if found.likely or rung is not None:
                accepted.add(name)
                yield found
            else:
                late.append(found)
    if not trials.over:
        # Else a likely reading may be among what was not tried.
        yield from late


@dataclass(slots=True)
class _Budget:
    """Bytes that were parsed so far, for one rung and for the whole pattern."""

    of_rung: int = 0
    in_all: int = 0
    quick: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing more should be tried."""
        return self.in_all > _MOST_BYTES_AT_ALL

    def spend(self, number: int) -> bool:
        """Add *number*; whether no more than the first forms should be tried."""
        self.of_rung += number
        self.in_all += number
        return self.over or self.of_rung > _MOST_BYTES or self.in_all > _MOST_BYTES_IN_ALL


def _try_rung(trials: Trials, rung: str, extra: bool, attempts: Attempts, budget: _Budget) -> Accepted | None:
    why = _Why(trials.fragment, trials.grammar.language.name, rung, extra, budget.in_all, budget.quick)
    fallback: Accepted | None = None
    for skeleton, terminator, forms in _places(trials, rung, extra, budget):
        found = trials.accepted(skeleton, terminator, forms)
        if found is not None:
            if found.likely:
                attempts.append(Attempt(rung, _shown(skeleton), True))
                return found
            fallback = fallback or found
        if trials.over:
            break
    if fallback is not None:
        attempts.append(Attempt(rung, "", True, "holds a kind that is unlikely here; later rungs go first"))
    else:
        attempts.append(why)
    return fallback


def _places(trials: Trials, rung: str, extra: bool, budget: _Budget) -> Iterator[tuple[Skeleton, str, Forms]]:
    """All that is tried on a rung, in order: skeleton, terminator, forms of the stand-ins."""
    language, fragment = trials.grammar.language, trials.fragment
    budget.of_rung = 0
    length = len(fragment.text) + _STAND_IN_BYTES * len(fragment.metavariables)
    for skeleton in language.skeletons:
        if skeleton.rung != rung:
            continue
        size = length + len(skeleton.before) + len(skeleton.after)
        for terminator in ("", *language.terminators):
            if terminator and fragment.text.endswith(terminator):
                continue
            for forms in trials.writer.mixes(extra, budget.quick):
                before = trials.parsed
                yield skeleton, terminator, forms
                if budget.spend(trials.parsed - before + size // _UNPARSED):
                    break


@dataclass(frozen=True, slots=True)
class _Why:
    """Finds out why a rung refused a fragment: the trial that came furthest says it, of several the
    first.  ``in_all`` are the bytes that were spent before."""

    fragment: Fragment
    language: str
    rung: str
    extra: bool
    in_all: int
    quick: bool

    def __call__(self) -> Attempt:
        trials = Trials(self.fragment, load_named(self.language), DeadEnds())
        budget = _Budget(in_all=self.in_all, quick=self.quick)
        furthest, shown = Refused("", 0), ""
        for skeleton, terminator, forms in _places(trials, self.rung, self.extra, budget):
            found = trials.refused(skeleton, terminator, forms, furthest.column)
            if found is not None:
                furthest, shown = found, _shown(skeleton)
            if trials.over:
                break
        return Attempt(self.rung, shown, False, furthest.reason, furthest.column)


def _shown(skeleton: Skeleton) -> str:
    return f"{skeleton.before}…{skeleton.after}".replace("\n", " ").strip()
