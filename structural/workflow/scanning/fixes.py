"""What the rewrites of rules would make of their findings, each finding for itself.

All findings of a rule in a file are rewritten at once; where a site is one finding's alone its edits are
the fix of that.  A rewrite that touches other places too, or a site that several share, is made anew for each
finding.  Nothing is staged here: who applies a fix of a report does so at their own risk, while
``astedit stage --rules`` checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from structural.errors import StructuralError
from structural.rules.engine import FileFindings
from structural.rules.rewriting import RuleRewriter
from structural.rules.terms import RuleSet
from structural.rules.values import Finding, Problem, Rule, Safety, Utility
from structural.text import Span
from structural.workflow.scanning.values import Fix

MOST_ALONE = 20
"""Findings of one file that are rewritten one by one; the others of that kind have no fix."""

MOST_REWRITES = 8
"""Rewrites of one rule that are tried."""


class Fixers:
    """The rewrites of rules.  Pickles; what is compiled stays in its process."""

    def __init__(self, rules: RuleSet, about: Mapping[str, Rule], utilities: Sequence[Utility]) -> None:
        self._rules = rules
        self._about = about
        self._utilities = tuple(utilities)
        self._made: dict[int, RuleRewriter] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Fixers, (self._rules, self._about, self._utilities)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with rewrites; their rules can be run all the same."""
        found = [one for number in range(self._most()) for one in self._rewriter(number).problems]
        return tuple(Problem(one.path, one.at, one.message, one.hint, one.rule, True) for one in found)

    def fixes_of(
        self, source: bytes, host: str, findings: Sequence[Finding]
    ) -> Mapping[int, tuple[Fix, ...]]:
        """Number of a finding → what its rewrites would make of it."""
        by_rule: dict[str, list[int]] = {}
        for at, one in enumerate(findings):
            if one.rule in self._about and self._about[one.rule].rewrites:
                by_rule.setdefault(one.rule, []).append(at)
        made: dict[int, list[Fix]] = {}
        left = MOST_ALONE
        for rule, places in by_rule.items():
            for number, rewrite in enumerate(self._about[rule].rewrites[:MOST_REWRITES]):
                if number and rewrite.safety is Safety.DISPLAY:
                    continue
                rest = (
                    places
                    if rewrite.also
                    else self._at_once(rule, number, source, host, findings, places, made)
                )
                for at in rest[:left]:
                    fix = self._alone(rule, number, source, host, findings[at])
                    if fix is not None:
                        made.setdefault(at, []).append(fix)
                left -= min(left, len(rest))
        return {at: tuple(fixes) for at, fixes in made.items()}

    def _at_once(
        self,
        rule: str,
        number: int,
        source: bytes,
        host: str,
        findings: Sequence[Finding],
        places: Sequence[int],
        made: dict[int, list[Fix]],
    ) -> list[int]:
        """Rewrite all of a rule's findings; gives those that have to be rewritten alone."""
        rewrite = self._about[rule].rewrites[number]
        try:
            found = self._rewriter(number).rewrite(source, host, only=frozenset({rule}))
        except StructuralError:
            return []
        refused = {one.refused.span: one.refused.reason for one in found.refused}
        sites = [one.site for one in found.sites]
        rest: list[int] = []
        for at in places:
            place = _place(findings[at], rewrite.target)
            if place is None:
                continue
            if place in refused:
                made.setdefault(at, []).append(Fix(rewrite.title, rewrite.safety, refused=refused[place]))
                continue
            own = [site for site in sites if site.span.holds(place)]
            if len(own) == 1 and own[0].span == place and own[0].matches == 1:
                made.setdefault(at, []).append(Fix(rewrite.title, rewrite.safety, own[0].edits))
            else:
                rest.append(at)
        return rest

    def _alone(self, rule: str, number: int, source: bytes, host: str, finding: Finding) -> Fix | None:
        rewrite = self._about[rule].rewrites[number]
        try:
            found = self._rewriter(number).rewrite(
                source, host, only=frozenset({rule}), keep=_only(source, finding)
            )
        except StructuralError as problem:
            return Fix(rewrite.title, rewrite.safety, refused=problem.message)
        if found.refused:
            return Fix(rewrite.title, rewrite.safety, refused=found.refused[0].refused.reason)
        return Fix(rewrite.title, rewrite.safety, found.edits) if found.edits else None

    def _most(self) -> int:
        return min(MOST_REWRITES, max((len(one.rewrites) for one in self._about.values()), default=0))

    def _rewriter(self, number: int) -> RuleRewriter:
        known = self._made.get(number)
        if known is None:
            chosen = {
                name: number
                for name in self._rules.rules
                if name in self._about and len(self._about[name].rewrites) > number
            }
            known = self._made[number] = RuleRewriter(self._rules, chosen, self._utilities)
        return known


def _only(source: bytes, finding: Finding) -> Callable[[bytes, FileFindings], Sequence[Finding]]:
    def keep(text: bytes, found: FileFindings) -> Sequence[Finding]:
        if text is not source and text != source:
            return ()
        return [one for one in found.findings if one == finding]

    return keep


def _place(finding: Finding, target: str | None) -> Span | None:
    """The code that is rewritten."""
    if target is None:
        return finding.match.span
    binding = finding.match.binding(target)
    return None if binding is None else binding.span
