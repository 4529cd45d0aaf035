"""What a rule does elsewhere in the file when it rewrites something there: an import that comes, another
that goes.

It belongs to the rule's sites: all of them and what goes with them are one site, so that nobody can drop
one and keep the other.  Where nothing goes with them, as what is wanted is there, they stay apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from structural.errors import RewriteError
from structural.pattern.metavariables import cut
from structural.rewrite.embedded import inner_code
from structural.rewrite.ensuring import Statement, ensured, essence, has
from structural.rewrite.given import Given
from structural.rewrite.parts import Run
from structural.rewrite.source import rewrite_source
from structural.rewrite.stable import joined
from structural.rewrite.values import RewriteSite, Rewritten
from structural.rules.engine import find
from structural.rules.rewriting_rules import ALSO, UNLESS, Prepared, helper
from structural.rules.rewriting_single import SingleRule
from structural.rules.values import Also, Ensure, Finding
from structural.syntax.columns import Columns
from structural.syntax.parse import parse
from structural.text import Edit, Span
from structural.text.edits import apply


@dataclass(frozen=True, slots=True)
class Accompanied:
    """Sites with what goes with them, and the text after.

    What of it depends on other rules: ``needs`` are statements that these added or took away, ``freed``
    places of the file as it was that still needed what goes now."""

    sites: tuple[RewriteSite, ...]
    text: bytes
    needs: tuple[bytes, ...] = ()
    freed: tuple[Span, ...] = ()


def with_also(
    prepared: Prepared,
    rule: str,
    sites: Sequence[RewriteSite],
    findings: Sequence[Finding],
    before: bytes,
    after: bytes,
    host: str,
    original: bytes,
) -> Accompanied:
    """*sites*, which take *before* to *after*, with what the rewrite of *rule* does beside them.

    *original* is the file before any rule.  RewriteError if that cannot be done."""
    work = _Also(prepared, rule, findings, before, host, original)
    text = after
    all_sites = list(sites)
    added = False
    for number, also in enumerate(prepared.rewrite_of(rule).also):
        made = work.ensured(also, text) if isinstance(also, Ensure) else work.rewritten(number, also, text)
        if not made.sites:
            continue
        added = True
        groups = joined(before, text, all_sites, made.sites)
        all_sites = [site for site, _ in groups]
        text = made.text
    if not added:
        return Accompanied(tuple(sites), text, tuple(work.needs), tuple(work.freed))
    edits = tuple(sorted((edit for site in all_sites for edit in site.edits), key=lambda e: e.span.start))
    one = RewriteSite(sites[0].span, edits, sum(site.matches for site in sites))
    return Accompanied((one,), text, tuple(work.needs), tuple(work.freed))


class _Also:
    def __init__(
        self,
        prepared: Prepared,
        rule: str,
        findings: Sequence[Finding],
        before: bytes,
        host: str,
        original: bytes,
    ) -> None:
        self.prepared = prepared
        self.rule = prepared.rule_of(rule)
        self.findings = findings
        self.before = before
        self.host = host
        self.original = original
        self.needs: list[bytes] = []
        self.freed: list[Span] = []
        self._texts = SingleRule(prepared, self.rule, before, host)

    # --- statements that have to be there -------------------------------------------------------------------

    def ensured(self, also: Ensure, text: bytes) -> Rewritten:
        """The text with the statements of *also* where the rule rewrites something."""
        places = _places(text, self.host)
        edits: list[Edit] = []
        for number, findings in self._by_place(places).items():
            place = places[number]
            wanted = self._wanted(also, findings, place.columns.language)
            edits += ensured(place.columns, wanted, place.low)
            self._note_needs(number, place, wanted, len(places))
        if not edits:
            return Rewritten(text, text)
        edits.sort(key=lambda edit: edit.span.start)
        made = apply(text, edits)
        again = _places(made, self.host)
        if [place.columns.errors for place in again] != [place.columns.errors for place in places]:
            raise RewriteError("what is added at the head of the file would not parse")
        span = Span(edits[0].span.start, edits[-1].span.end)
        return Rewritten(text, made, (RewriteSite(span, tuple(edits), 0),))

    def _by_place(self, places: Sequence[_Place]) -> dict[int, list[Finding]]:
        """The findings by the number of the code of the file in which they are."""
        found: dict[int, list[Finding]] = {}
        if len(places) == 1:
            return {0: list(self.findings)}
        before = _places(self.before, self.host)
        if len(before) != len(places):
            raise RewriteError("the code in the file would be another")
        for one in self.findings:
            holding = [
                n
                for n, place in enumerate(before)
                if place.columns.language == one.match.language
                and place.low <= one.match.span.start < place.high
            ]
            if not holding:
                raise RewriteError("there is no place for it in the file")
            found.setdefault(holding[-1], []).append(one)
        return found

    def _wanted(self, also: Ensure, findings: Sequence[Finding], language: str) -> list[Statement]:
        """The statements for these findings, each once."""
        codes: dict[str, None] = {}
        pieces = cut(also.code).pieces
        for one in findings:
            texts = self._names(one)
            codes[
                "".join(
                    piece if isinstance(piece, str) else texts.get(piece.name, b"").decode("utf-8", "replace")
                    for piece in pieces
                )
            ] = None
        return [one for code in codes for one in self.prepared.statements(code, language)]

    def _names(self, finding: Finding) -> dict[str, bytes]:
        """What the names of the rule stand for in *finding*."""
        made, _ = self._texts.texts(finding)
        bound = {b.name: self.before[b.span.start : b.span.end] for b in finding.match.bindings}
        return bound | made

    def _note_needs(self, number: int, place: _Place, wanted: Sequence[Statement], many: int) -> None:
        if self.original == self.before:
            return
        first = _places(self.original, self.host)
        for one in wanted:
            before = len(first) == many and has(first[number].columns, one, first[number].low)
            if before != has(place.columns, one, place.low):
                self.needs.append(essence(one))

    # --- other places --------------------------------------------------------------------------

    def rewritten(self, number: int, also: Also, text: bytes) -> Rewritten:
        """The text with the matches of *also* rewritten, but for those that are still needed."""
        name = helper(self.rule.id, ALSO, number)
        found = find(self.prepared.helpers, text, self.host, only=frozenset({name})).findings
        bound = [self._names(one) for one in self.findings]
        pairs = [(one, names) for one in found if (names := _agreeing(one, text, bound)) is not None]
        made = self._also(name, also, pairs, text)
        if not pairs or also.unless is None:
            return made
        unless = helper(self.rule.id, UNLESS, number)
        still = find(
            self.prepared.helpers,
            made.text,
            self.host,
            only=frozenset({unless}),
        ).findings
        needed = [
            {b.name: _plain(b.span.text(made.text).encode()) for b in one.match.bindings} for one in still
        ]
        free = [pair for pair in pairs if not any(_same(pair[0], text, names) for names in needed)]
        if len(free) < len(pairs):
            made = self._also(name, also, free, text)
        if made.sites and self.original != self.before:
            was = find(self.prepared.helpers, self.original, self.host, only=frozenset({unless})).findings
            self.freed += [one.match.span for one in was]
        return made

    def _also(
        self, key: str, also: Also, pairs: Sequence[tuple[Finding, Mapping[str, bytes]]], text: bytes
    ) -> Rewritten:
        groups: dict[str, list[Given]] = {}
        for one, names in pairs:
            match = one.match
            known = {binding.name for binding in match.bindings}
            texts = {name: made for name, made in names.items() if name not in known}
            groups.setdefault(match.language, []).append(Given(match.span, match.kind, match.bindings, texts))
        if not groups:
            return Rewritten(text, text)
        runs: dict[str, Run] = {}
        for language, given in groups.items():
            template = self.prepared.template(key, language, also.rewrite, also.condition, self.rule)
            runs[language], _ = template.run(given)
        made = rewrite_source(text, self.host, runs)
        if made.refused:
            raise RewriteError(made.refused[0].reason)
        return made


@dataclass(frozen=True, slots=True)
class _Place:
    """Code of one language in a file, and where it begins and ends."""

    columns: Columns
    low: int
    high: int


def _places(text: bytes, host: str) -> list[_Place]:
    columns = parse(text, host)
    found = [_Place(columns, 0, len(text))]
    for region, inside in inner_code(columns):
        found.append(_Place(inside, region.ranges[0][0], region.ranges[-1][1]))
    return found


def _agreeing(
    finding: Finding, text: bytes, bound: Sequence[Mapping[str, bytes]]
) -> Mapping[str, bytes] | None:
    """The names of the first of *bound* with which *finding* agrees; None if there is none."""
    return next((names for names in bound if _same(finding, text, names)), None)


def _same(finding: Finding, text: bytes, names: Mapping[str, bytes]) -> bool:
    """Whether names that both have stand for the same code."""
    return all(
        _plain(text[b.span.start : b.span.end]) == _plain(names[b.name])
        for b in finding.match.bindings
        if b.name in names
    )


def _plain(code: bytes) -> bytes:
    return b" ".join(code.split())
