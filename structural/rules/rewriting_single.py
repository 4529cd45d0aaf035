"""What one rule makes of its findings in one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from structural.errors import RewriteError, StructuralError
from structural.pattern.compile import compile_pattern
from structural.pattern.metavariables import cut
from structural.pattern.values import Match
from structural.rewrite.apart import Within
from structural.rewrite.given import Beside, Given
from structural.rewrite.parts import Run
from structural.rewrite.remarks import given_comments
from structural.rewrite.source import rewrite_source
from structural.rewrite.template import compile_template
from structural.rewrite.values import Refused, Rewritten
from structural.rules.engine import find
from structural.rules.rewriting_rules import BEFORE, BEHIND, REWRITER, Prepared, far, helper
from structural.rules.values import Finding, RegexAtom, Relation, Rewriter, Rule, Transform
from structural.syntax import registry
from structural.syntax.parse import parse
from structural.text import Edit, Span
from structural.text.edits import apply
from structural.text.regexes import Bounded


@dataclass(frozen=True, slots=True)
class Single:
    """What a rule makes of a text.  ``rewritten``: the findings that are part of a site or unchanged."""

    made: Rewritten
    rewritten: tuple[Finding, ...] = ()


def rewrite_findings(
    prepared: Prepared, rule: str, findings: Sequence[Finding], source: bytes, host: str
) -> Single:
    """The sites of *findings*, all of *rule*, in *source*."""
    return SingleRule(prepared, prepared.rule_of(rule), source, host).rewritten(findings)


class SingleRule:
    """One rule in one text."""

    def __init__(self, prepared: Prepared, rule: Rule, source: bytes, host: str) -> None:
        self.prepared = prepared
        self.rule = rule
        self.source = source
        self.host = host
        self._inside: dict[str, list[Finding]] = {}
        self._beside: dict[str, frozenset[Span]] = {}

    def rewritten(self, findings: Sequence[Finding]) -> Single:
        chosen = self.prepared.rewrite_of(self.rule.id)
        comments = [one for one in findings if one.match.reading == "comment"]
        groups: dict[str, list[Given]] = {}
        for one in findings:
            if one.match.reading == "comment":
                continue
            groups.setdefault(one.match.language, []).append(self._given(one))
        runs: dict[str, Run] = {}
        lefts: list[list[Given]] = []
        refused: list[Refused] = []
        for language, given in groups.items():
            try:
                template = self.prepared.template(
                    self.rule.id, language, chosen.text, self.rule.condition, self.rule, chosen.target or ""
                )
            except StructuralError as problem:
                refused += [Refused(one.span, problem.message) for one in given]
                continue
            runs[language], left = template.run(given)
            lefts.append(left)
        made = rewrite_source(self.source, self.host, runs) if runs else Rewritten(self.source, self.source)
        refused += [Refused(one.span, "no code of its own stands there") for left in lefts for one in left]
        if comments:
            made = self._with_comments(made, comments)
        if refused:
            everything = sorted([*made.refused, *refused], key=lambda one: one.span)
            made = replace(made, refused=tuple(everything), matches=made.matches + len(refused))
        not_done = {one.span for one in made.refused}
        spans = Within(site.span for site in made.sites)
        done = [
            one
            for one in findings
            if (place := place_of(one, chosen.target)) not in not_done and place in spans
        ]
        return Single(made, tuple(done))

    def _with_comments(self, made: Rewritten, findings: Sequence[Finding]) -> Rewritten:
        """*made* with the comments *findings*, which become texts."""
        eol = b"\r\n" if b"\r\n" in self.source else b"\n"
        own = [one for one in findings if one.match.language == self.host]
        pieces = cut(self.prepared.rewrite_of(self.rule.id).text).pieces
        wanted = []
        for one in own:
            texts, _ = self.texts(one)
            texts |= {b.name: self.source[b.span.start : b.span.end] for b in one.match.bindings}
            new = b"".join(
                piece.encode().replace(b"\n", eol) if isinstance(piece, str) else texts.get(piece.name, b"")
                for piece in pieces
            )
            wanted.append(Edit(one.match.span, new))
        sites, refused = given_comments(parse(self.source, self.host), wanted)
        inner = "a comment in code of another language is not rewritten"
        refused += [Refused(one.match.span, inner) for one in findings if one not in own]
        everything = tuple(sorted((*made.sites, *sites), key=lambda site: site.edits[0].span))
        return replace(
            made,
            text=apply(self.source, [edit for site in everything for edit in site.edits]),
            sites=everything,
            refused=(*made.refused, *refused),
            matches=made.matches + len(findings),
            unchanged=made.unchanged + len(own) - len(sites) - len(refused) + len(findings) - len(own),
        )

    def _given(self, finding: Finding) -> Given:
        match = finding.match
        chosen = self.prepared.rewrite_of(self.rule.id)
        texts, refused = self.texts(finding)
        self._end_once(chosen.text, texts, match)
        span, kind = match.span, match.kind
        if chosen.target is not None:
            target = match.binding(chosen.target)
            if target is None or target.span.start == target.span.end:
                refused = refused or f"nothing is bound to ${chosen.target} here"
            else:
                span, kind = target.span, ""
        return Given(
            span,
            kind,
            match.bindings,
            texts,
            whole=chosen.target is not None,
            before=self._sibling(BEFORE, chosen.expand_start),
            behind=self._sibling(BEHIND, chosen.expand_end),
            refused=refused,
        )

    def _end_once(self, rewrite: str, texts: dict[str, bytes], match: Match) -> None:
        """Where a made text ends the rewrite, and the file has what ends a statement there, the text is to
        do without."""
        last = rewrite.rstrip().rpartition("$")[2]
        made = texts.get(last, b"").rstrip()
        ends = [text.encode() for text in registry.get(match.language).terminator_tokens if text.strip()]
        here = self.source[match.span.start : match.span.end + 1]
        for end in ends:
            if made.endswith(end) and (here.endswith(end) or here[:-1].endswith(end)):
                texts[last] = made.removesuffix(end)

    def _sibling(self, what: str, relation: Relation | None) -> Beside | None:
        if relation is None:
            return None
        condition = relation.condition
        if condition is None:
            return Beside(lambda span, text: True, far(relation))
        if isinstance(condition, RegexAtom):
            regex = Bounded(condition.regex)
            return Beside(lambda span, text: regex.finds(text.decode("utf-8", "replace")), far(relation))
        if what not in self._beside:
            name = helper(self.rule.id, what)
            found = find(self.prepared.helpers, self.source, self.host, only=frozenset({name}))
            self._beside[what] = frozenset(one.match.span for one in found.findings)
        spans = self._beside[what]
        return Beside(lambda span, text: span in spans, far(relation))

    # --- texts that are made ------------------------------------------------------------------------------

    def texts(self, finding: Finding) -> tuple[dict[str, bytes], str]:
        """What the transformations of the rule make, and why one of them could not."""
        return self.made(self.rule.transforms, finding.match)

    def made(self, transforms: Sequence[Transform], match: Match) -> tuple[dict[str, bytes], str]:
        """What *transforms* make of the bindings of *match*, and why one of them could not."""
        spans = {binding.name: binding.span for binding in match.bindings}
        texts: dict[str, bytes] = {}
        refused = ""
        for one in transforms:
            try:
                texts[one.name] = self._text(one, spans, texts, match)
            except StructuralError as problem:
                texts[one.name] = b""
                refused = refused or problem.message
        return texts, refused

    def _text(
        self, made: Transform, spans: Mapping[str, Span], texts: Mapping[str, bytes], match: Match
    ) -> bytes:
        if made.rewriters:
            span = spans.get(made.source)
            if span is None:
                return texts.get(made.source, b"")
            return self._rewritten_inside(made, span, match.span.start)
        (one,) = self.prepared.transformations(self.rule.id, made, [*spans, *texts, _source_of(made.text)])
        span = spans.get(one.source)
        if one.how == "rewrite" and span is not None:
            return self._by_pattern(
                str(one.arguments["pattern"]), str(one.arguments["rewrite"]), span, match.language
            )
        before = texts.get(one.source, b"")
        if span is not None:
            before = self.source[span.start : span.end]
        after = one.function(before.decode("utf-8", "surrogateescape"))
        return after.encode("utf-8", "surrogateescape")

    def _by_pattern(self, pattern: str, rewrite: str, span: Span, language: str) -> bytes:
        """The code at *span* after the rewrite of one pattern."""
        compiled = compile_pattern(pattern, language)
        run = Run(compiled.first, compile_template(rewrite, compiled, compiled.first))
        made = rewrite_source(self.source, self.host, {language: run})
        return self._applied(made.edits, span)

    def _applied(self, edits: Sequence[Edit], span: Span) -> bytes:
        inside = [
            Edit(Span(edit.span.start - span.start, edit.span.end - span.start), edit.new)
            for edit in edits
            if span.holds(edit.span)
        ]
        return apply(self.source[span.start : span.end], inside)

    def _rewritten_inside(self, made: Transform, span: Span, start: int) -> bytes:
        """The code at *span* with what the rewriters of *made* do inside of it; with ``join_by`` only what
        they made, joined; lines that come so are indented as the one of byte *start*."""
        found: list[tuple[Finding, str]] = []
        for name in made.rewriters:
            found += [(one, name) for one in self._found_by(name) if span.holds(one.match.span)]
        rank = {name: at for at, name in enumerate(made.rewriters)}
        found.sort(key=lambda pair: (pair[0].match.span.start, -pair[0].match.span.end, rank[pair[1]]))
        tops: list[tuple[Finding, str]] = []
        for one, name in found:
            if not tops or one.match.span.start >= tops[-1][0].match.span.end:
                tops.append((one, name))
        edits: list[Edit] = []
        for name in made.rewriters:
            own = [one for one, by in tops if by == name]
            if own:
                edits += self._edits_of(name, own)
        edits.sort(key=lambda edit: (edit.span.start, edit.span.end))
        if made.join_by is None:
            return self._applied(edits, span)
        by = made.join_by.encode().replace(b"\n", self._line_end(start))
        return by.join(self._applied(edits, one.match.span) for one, _ in tops)

    def _line_end(self, start: int) -> bytes:
        """A line end of the file with the indentation of the line of byte *start*."""
        head = self.source.rfind(b"\n", 0, start) + 1
        line = self.source[head:start]
        eol = b"\r\n" if b"\r\n" in self.source else b"\n"
        return eol + line[: len(line) - len(line.lstrip(b" \t"))]

    def _found_by(self, name: str) -> list[Finding]:
        if name not in self._inside:
            rule = helper(self.rule.id, REWRITER, name)
            found = find(self.prepared.helpers, self.source, self.host, only=frozenset({rule}))
            self._inside[name] = list(found.findings)
        return self._inside[name]

    def _edits_of(self, name: str, findings: Sequence[Finding]) -> list[Edit]:
        """What a rewriter does at *findings*.  What is no code where it stands, as it is to be joined for
        another place, is written as text: all of it is parsed in the end."""
        rewriter = self.rule.rewriters[name]
        key = helper(self.rule.id, REWRITER, name)
        runs: dict[str, Run] = {}
        for language in {one.match.language for one in findings}:
            try:
                template = self.prepared.template(
                    key, language, rewriter.rewrite, rewriter.condition, self.rule
                )
            except RewriteError:
                return [self._as_text(rewriter, one) for one in findings]
            given = []
            for one in findings:
                if one.match.language == language:
                    texts, refused = self.made(rewriter.transforms, one.match)
                    given.append(
                        Given(one.match.span, one.match.kind, one.match.bindings, texts, refused=refused)
                    )
            runs[language], _ = template.run(given)
        made = rewrite_source(self.source, self.host, runs)
        return [self._as_text(rewriter, one) for one in findings] if made.refused else list(made.edits)

    def _as_text(self, rewriter: Rewriter, finding: Finding) -> Edit:
        match = finding.match
        texts, refused = self.made(rewriter.transforms, match)
        if refused:
            raise RewriteError(refused)
        texts |= {b.name: self.source[b.span.start : b.span.end] for b in match.bindings}
        pieces = cut(rewriter.rewrite).pieces
        new = [piece.encode() if isinstance(piece, str) else texts.get(piece.name, b"") for piece in pieces]
        return Edit(match.span, b"".join(new))


def place_of(finding: Finding, target: str | None) -> Span:
    """The code that is rewritten: the match, or what the metavariable *target* stands for."""
    found = finding.match.binding(target) if target is not None else None
    return finding.match.span if found is None else found.span


def _source_of(text: str) -> str:
    """The name that a transformation is made from, which may be bound in another alternative only."""
    start = text.find("($")
    name = text[start + 2 :].lstrip("$")
    stop = next((n for n, char in enumerate(name) if not (char.isalnum() or char == "_")), len(name))
    return name[:stop]
