"""What rules make of one file: the sites of every rule, and what is refused, as edits of its bytes.

All rules are looked for at once.  What each makes of its findings is computed in the file as it is; of
sites that want the same bytes neither is kept, of those in each other the outermost.  Then the rules
are done one after another on what those before leave, and a site that is written otherwise there is
refused: so every site was checked in the text that it ends up in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from structural.errors import RewriteError
from structural.rewrite.again import count_again
from structural.rewrite.apart import Placed, Shifts, Within, apart
from structural.rewrite.stable import MOST_GROWTH, MOST_PASSES, Member, joined
from structural.rewrite.values import Refused, RewriteSite
from structural.rules.engine import FileFindings, find
from structural.rules.rewriting_also import Accompanied, with_also
from structural.rules.rewriting_rules import Prepared, prepare
from structural.rules.rewriting_single import Single, place_of, rewrite_findings
from structural.rules.terms import RuleSet
from structural.rules.values import Finding, Problem, Rule, Safety, Severity, Utility
from structural.text import Edit, Span
from structural.text.edits import apply, in_order

Keep = Callable[[bytes, FileFindings], Sequence[Finding]]
"""Which of the findings in a text are rewritten."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How rules are looked for: what is kept, and the marker of the comments that are told."""

    keep: Keep | None = None
    marker: bytes = b""

    def __call__(
        self, rules: RuleSet, source: bytes, host: str, only: frozenset[str]
    ) -> tuple[FileFindings, Sequence[Finding]]:
        found = find(rules, source, host, only=only, marker=self.marker)
        return found, found.findings if self.keep is None else self.keep(source, found)


@dataclass(frozen=True, slots=True)
class RuleSite:
    """A place that is rewritten, and by which rules: several where what goes with them cannot be parted."""

    rules: tuple[str, ...]
    site: RewriteSite
    title: str = ""
    needs: frozenset[bytes] = field(default=frozenset(), compare=False)
    """Statements that it counts on and that other sites added, or took away."""
    freed: frozenset[Span] = field(default=frozenset(), compare=False)
    """Places of the file as it was that needed what it takes away."""

    def counts_on(self, other: RuleSite, source: bytes, *, first: bool) -> bool:
        """Whether it is right only together with *other*, a site of *source*.  *first*: that is the file as
        it was; else it may be."""
        edits = other.site.edits
        if self.freed and not first:
            return True
        if any(
            span.start < edit.span.end and edit.span.start < span.end for span in self.freed for edit in edits
        ):
            return True
        return any(
            (needed in edit.new) != (needed in source[edit.span.start : edit.span.end])
            for needed in self.needs
            for edit in edits
        )


@dataclass(frozen=True, slots=True)
class RuleRefused:
    rule: str
    refused: Refused


@dataclass(slots=True)
class RuleCounts:
    """Of one rule in one file: as ``Rewritten`` counts."""

    sites: int = 0
    matches: int = 0
    unchanged: int = 0
    overlapping: int = 0
    refused: int = 0
    again: int = 0


@dataclass(frozen=True, slots=True)
class RulesRewritten:
    """The answer for one text: ``sites`` in order, which take ``source`` to ``text``."""

    source: bytes
    text: bytes
    sites: tuple[RuleSite, ...] = ()
    refused: tuple[RuleRefused, ...] = ()
    counts: Mapping[str, RuleCounts] = field(default_factory=dict)
    passes: int = 1
    cycle: bool = False
    findings: tuple[Finding, ...] = ()
    syntax_errors: int = 0
    parsed: bool = False
    exhausted: tuple[str, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        return in_order(edit for one in self.sites for edit in one.site.edits)


def choose(
    rules: Iterable[Rule],
    *,
    only: Sequence[str] = (),
    title: str = "",
    suspicious: bool = False,
) -> dict[str, int]:
    """For every rule that has a rewrite to be staged its number: the first that is safe, with *suspicious*
    also one that is not, or the one with this *title* (or number, from 1).  *only*: rules with these ids."""
    chosen: dict[str, int] = {}
    for rule in rules:
        if only and rule.id not in only:
            continue
        if not only and rule.severity is Severity.OFF:
            continue
        for at, one in enumerate(rule.rewrites):
            if title and title not in (one.title, str(at + 1)):
                continue
            if one.safety is Safety.SAFE or (suspicious and one.safety is Safety.SUSPICIOUS):
                chosen[rule.id] = at
                break
    return chosen


def rewrite(
    rules: RuleSet,
    source: bytes,
    host: str,
    chosen: Mapping[str, int],
    *,
    utilities: Sequence[Utility] = (),
    until_stable: bool = False,
) -> RulesRewritten:
    """What *rules* make of *source*, a file of language *host*: of each the rewrite that *chosen* numbers,
    from 0.  UnsearchableError as from a parse.  For many files make one ``RuleRewriter``."""
    return RuleRewriter(rules, chosen, utilities).rewrite(source, host, until_stable=until_stable)


class RuleRewriter:
    """Rules and which of their rewrites are used.  Pickles; what it compiles stays with it.

    ``problems``: rewrites that cannot be used.  Their rules find nothing here."""

    def __init__(self, rules: RuleSet, chosen: Mapping[str, int], utilities: Sequence[Utility] = ()) -> None:
        self.rules = rules
        self.chosen = dict(chosen)
        self.utilities = tuple(utilities)
        self._prepared: Prepared | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return RuleRewriter, (self.rules, self.chosen, self.utilities)

    @property
    def prepared(self) -> Prepared:
        if self._prepared is None:
            self._prepared = prepare(self.rules, self.chosen, self.utilities)
        return self._prepared

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.prepared.problems

    def rewrite(
        self,
        source: bytes,
        host: str,
        *,
        only: frozenset[str] | None = None,
        until_stable: bool = False,
        keep: Keep | None = None,
        marker: bytes = b"",
    ) -> RulesRewritten:
        """The sites of *source*.  *only*: of the chosen rules those with these ids.  *keep*: what of their
        findings is rewritten; it is told the comments that hold *marker*."""
        look = _Look(keep, marker)
        used = self.prepared.usable if only is None else self.prepared.usable & only
        if not used:
            return RulesRewritten(source, source)
        made = _Pass(self.prepared, source, host, used, look).rewritten()
        if until_stable and made.sites:
            made = self._until_stable(made, host, used, look)
        if not made.sites:
            return made
        return self._asked_again(made, host, used, look)

    def _until_stable(
        self, first: RulesRewritten, host: str, used: frozenset[str], look: _Look
    ) -> RulesRewritten:
        made, last = first, first
        seen = {first.source, first.text}
        while last.sites:
            if made.passes >= MOST_PASSES or len(made.text) > 2 * len(made.source) + MOST_GROWTH:
                return replace(made, cycle=True)
            last = _Pass(self.prepared, made.text, host, used, look, first.source).rewritten()
            if not last.sites:
                return replace(made, refused=made.refused or last.refused)
            if last.text in seen:
                return replace(made, cycle=True)
            seen.add(last.text)
            sites = _after(made.source, made.text, made.sites, last.sites)
            counts = dict(made.counts)
            for rule, more in last.counts.items():
                counts.setdefault(rule, RuleCounts()).matches += more.matches
            made = replace(made, text=last.text, sites=sites, counts=counts, passes=made.passes + 1)
        return made

    def _asked_again(
        self, made: RulesRewritten, host: str, used: frozenset[str], look: _Look
    ) -> RulesRewritten:
        """The same with what the rules find in their own result."""
        found = look(self.rules, made.text, host, used)[1]
        sites = [one.site for one in made.sites]
        for rule in {one.rule for one in found}:
            before = [(f.match.span.start, f.match.span.end) for f in made.findings if f.rule == rule]
            here = [one.match.span for one in found if one.rule == rule]
            counts = made.counts.get(rule)
            if counts is not None:
                counts.again = count_again(made.source, made.text, here, sites, before)
        for counts in made.counts.values():
            counts.sites = 0
        for one in made.sites:
            for rule in one.rules:
                if rule in made.counts:
                    made.counts[rule].sites += 1
        return made


def _after(
    source: bytes,
    middle: bytes,
    first: Sequence[RuleSite],
    second: Sequence[RuleSite],
    *,
    is_first: bool = True,
) -> tuple[RuleSite, ...]:
    """The sites of *first* and then of *second*, in the text that the first leave, as sites of *source*.
    Those that count on others are one with them."""
    ties: list[tuple[Member, Member]] = [
        ((0, n), (1, m))
        for m, late in enumerate(second)
        if late.needs or late.freed
        for n, early in enumerate(first)
        if late.counts_on(early, source, first=is_first)
    ]
    groups = joined(source, middle, [one.site for one in first], [one.site for one in second], ties)
    found = []
    for site, members in groups:
        those = [(first, second)[which][n] for which, n in members]
        rules = tuple(dict.fromkeys(rule for one in those for rule in one.rules))
        title = next((one.title for one in those if one.title), "")
        if len(members) == 1 and members[0][0] == 0:
            site = replace(site, span=those[0].site.span)
        needs = frozenset(needed for one in those for needed in one.needs)
        freed = frozenset(span for one in those for span in one.freed)
        found.append(RuleSite(rules, site, title, needs, freed))
    return tuple(found)


class _Pass:
    """One look at a text for all rules."""

    def __init__(
        self,
        prepared: Prepared,
        source: bytes,
        host: str,
        used: frozenset[str],
        look: _Look,
        original: bytes | None = None,
    ) -> None:
        """*original*: the file before the looks that came before this one."""
        self.prepared = prepared
        self.source = source
        self.original = source if original is None else original
        self.host = host
        self.used = used
        self.look = look
        self.counts: dict[str, RuleCounts] = {}
        self.refused: list[RuleRefused] = []

    def rewritten(self) -> RulesRewritten:
        found, findings = self.look(self.prepared.rules, self.source, self.host, self.used)
        told = {"syntax_errors": found.syntax_errors, "parsed": found.parsed, "exhausted": found.exhausted}
        if not findings:
            return RulesRewritten(self.source, self.source, **told)  # type: ignore[arg-type]
        by_rule: dict[str, list[Finding]] = {}
        for one in findings:
            by_rule.setdefault(one.rule, []).append(one)
        order = [rule for rule in self.prepared.order if rule in by_rule]
        first = {rule: self._single(rule, by_rule[rule], self.source) for rule in order}
        for rule, single in first.items():
            made = single.made
            self.counts[rule] = RuleCounts(
                matches=sum(site.matches for site in made.sites),
                unchanged=made.unchanged,
                overlapping=made.overlapping,
            )
            for refused in made.refused:
                self._refuse(rule, refused)
        kept = self._apart(order, first)
        text, sites = self._one_after_another(order, kept, first)
        for rule, counts in self.counts.items():
            counts.refused = sum(one.rule == rule for one in self.refused)
        return RulesRewritten(
            self.source,
            text,
            tuple(sites),
            tuple(sorted(self.refused, key=lambda one: (one.refused.span, one.rule))),
            self.counts,
            findings=tuple(findings),
            **told,  # type: ignore[arg-type]
        )

    def _single(self, rule: str, findings: Sequence[Finding], source: bytes) -> Single:
        return rewrite_findings(self.prepared, rule, findings, source, self.host)

    def _refuse(self, rule: str, refused: Refused) -> None:
        self.refused.append(RuleRefused(rule, refused))

    def _apart(self, order: Sequence[str], first: Mapping[str, Single]) -> dict[str, list[RewriteSite]]:
        """The sites of each rule that can be together with those of the others."""
        kept: dict[str, list[RewriteSite]] = {rule: list(first[rule].made.sites) for rule in order}
        if len(order) < 2:
            return kept
        placed = [Placed(site, n) for n, rule in enumerate(order) for site in kept[rule]]
        good, conflicts, inner = apart(placed)
        kept = {rule: [one.site for one in good if order[one.number] == rule] for rule in order}
        for one, other in conflicts:
            rule = order[one.number]
            self.counts[rule].matches -= one.site.matches
            self._refuse(rule, Refused(one.site.span, f"it conflicts with the rule {order[other]}"))
        for one in inner:
            counts = self.counts[order[one.number]]
            counts.matches -= one.site.matches
            counts.overlapping += one.site.matches
        return kept

    def _one_after_another(
        self, order: Sequence[str], kept: Mapping[str, list[RewriteSite]], first: Mapping[str, Single]
    ) -> tuple[bytes, list[RuleSite]]:
        text = self.source
        sites: tuple[RuleSite, ...] = ()
        done: tuple[Edit, ...] = ()
        for rule in order:
            own = kept[rule]
            if not own:
                continue
            single, here = first[rule], own
            if sites:
                single, here = self._again(rule, own, done, text)
                missing = len(own) - len(here)
                if missing:
                    self.counts[rule].matches -= missing
            if not here:
                continue
            title = self.prepared.rewrite_of(rule).title
            with_others = self._accompanied(rule, single, here, text)
            if with_others is None:
                continue
            needs, freed = frozenset(with_others.needs), frozenset(with_others.freed)
            local = [RuleSite((rule,), site, title, needs, freed) for site in with_others.sites]
            is_first = self.original == self.source
            sites = _after(self.source, text, sites, local, is_first=is_first) if sites else tuple(local)
            text = with_others.text
            done = in_order(edit for one in sites for edit in one.site.edits)
        return text, list(sites)

    def _again(
        self, rule: str, own: Sequence[RewriteSite], done: Sequence[Edit], text: bytes
    ) -> tuple[Single, list[RewriteSite]]:
        """What *rule* makes of the text that those before it leave, as far as it is what it made before."""
        _, findings = self.look(self.prepared.rules, text, self.host, frozenset({rule}))
        single = self._single(rule, findings, text)
        shifts = Shifts(done)
        by_edits = {frozenset(site.edits): site for site in single.made.sites}
        here: list[RewriteSite] = []
        for site in own:
            same = by_edits.get(frozenset(shifts.moved(site.edits)))
            if same is None:
                why = "it is another beside what other rules change: stage it by itself"
                self._refuse(rule, Refused(site.span, why))
            else:
                here.append(same)
        return single, here

    def _accompanied(
        self, rule: str, single: Single, here: Sequence[RewriteSite], text: bytes
    ) -> Accompanied | None:
        """The sites *here* of *text* with what the rule does elsewhere in the file; None if that cannot
        be done: then none of them is."""
        edits = in_order(edit for site in here for edit in site.edits)
        whole = len(here) == len(single.made.sites)
        made = single.made.text if whole else apply(text, edits)
        if not self.prepared.rewrite_of(rule).also:
            return Accompanied(tuple(here), made)
        spans = Within(site.span for site in here)
        target = self.prepared.rewrite_of(rule).target
        used = [one for one in single.rewritten if place_of(one, target) in spans]
        try:
            return with_also(self.prepared, rule, here, used, text, made, self.host, self.original)
        except RewriteError as problem:
            for site in here:
                self._refuse(rule, Refused(site.span, f"what goes with it cannot be done: {problem.message}"))
            self.counts[rule].matches -= sum(site.matches for site in here)
            return None


__all__ = [
    "RuleCounts",
    "RuleRefused",
    "RuleRewriter",
    "RuleSite",
    "RulesRewritten",
    "Span",
    "choose",
    "rewrite",
]
