"""Planning the rewrites of rules over files: the recipe, and what it gives now.

A recipe holds the text of the rules, so that it can be computed again on another day.  Order of things:
read and compile the rules; walk; for every file the rules that its path admits; find, leave out what comments
suppress, rewrite, in several processes; one answer for every file, in path order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from structural.errors import RewriteError, StoreError, UnsearchableError
from structural.rewrite.values import Refused as NotRewritten
from structural.rules.compile import compile_rules
from structural.rules.engine import FileFindings
from structural.rules.reading import Source, read_set
from structural.rules.rewriting import RuleRewriter, RulesRewritten, choose
from structural.rules.values import Finding, Problem, Rule, Safety
from structural.search.read import read_file
from structural.search.sharing import Sharing
from structural.search.values import Failed, Selection, Skipped, Summary
from structural.search.work import add_languages
from structural.search.worker import describe
from structural.syntax import registry
from structural.syntax.language import Language
from structural.text import LineIndex
from structural.workflow.recipes import RULES
from structural.workflow.rewriting import PlanSummary, Ruled, RuleTally
from structural.workflow.scanning.scope import Admitted, Names, scope_of
from structural.workflow.scanning.settings import Settings
from structural.workflow.scanning.suppressions import MARKER, read_suppressions


@dataclass(frozen=True, slots=True)
class RuleText:
    """One rule file: its name as it was given, and what it holds."""

    path: str
    text: str
    utilities: bool = False
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class RuleRecipe:
    """Rules and where they are applied.  ``ids``: those that are; ``others``: those that were asked for and
    are not, as none of their rewrites may be staged; ``title``: which of several rewrites;
    ``folder``: what their globs are relative to.  Paths are relative to the root."""

    sources: tuple[RuleText, ...]
    ids: tuple[str, ...]
    selection: Selection
    title: str = ""
    suspicious: bool = False
    until_stable: bool = False
    folder: str = "."
    ignores: tuple[str, ...] = ()
    languages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    others: tuple[str, ...] = ()


def encode_rules(recipe: RuleRecipe) -> dict[str, Any]:
    """The recipe as an origin."""
    return {"from": RULES, **asdict(recipe)}


def decode_rules(origin: Mapping[str, Any]) -> RuleRecipe | None:
    """The recipe in an origin; None if the change does not come from rules."""
    if origin.get("from") != RULES:
        return None
    try:
        values = {name: value for name, value in origin.items() if name not in ("from", "found")}
        chosen: dict[str, Any] = {
            name: tuple(one) if isinstance(one, list) else one for name, one in values["selection"].items()
        }
        return RuleRecipe(
            tuple(RuleText(**one) for one in values.pop("sources")),
            tuple(values.pop("ids")),
            Selection(**chosen),
            values["title"],
            values["suspicious"],
            values["until_stable"],
            values["folder"],
            tuple(values["ignores"]),
            {name: tuple(globs) for name, globs in values["languages"].items()},
            tuple(values["others"]),
        )
    except (KeyError, TypeError, AttributeError) as problem:
        raise StoreError(f"the recipe of this change cannot be read: {problem}") from problem


# --- one file -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileRuled:
    """What rules make of one file.  ``suppressed``: findings that comments set aside."""

    path: str
    language: str
    made: RulesRewritten
    found: int = 0
    suppressed: int = 0
    size: int = 0


RuledAnswer = FileRuled | Skipped | Failed


class _Unsuppressed:
    """Findings that no comment suppresses."""

    def __init__(self) -> None:
        self.suppressed = 0

    def __call__(self, source: bytes, found: FileFindings) -> Sequence[Finding]:
        if not found.comments:
            return found.findings
        lines = LineIndex(source)
        aside = read_suppressions(source, found.comments, lines)
        kept = [one for one in found.findings if aside.of(one.rule, lines.line(one.span.start)) is None]
        self.suppressed = max(self.suppressed, len(found.findings) - len(kept))
        return kept


@dataclass(slots=True)
class _Job:
    """The files and what is done with them; pickles (``search.work.Work``)."""

    files: list[str]
    hosts: list[str]
    rewriter: RuleRewriter
    use: list[int]
    sets: list[frozenset[str] | None]
    until_stable: bool
    max_size: int
    languages: tuple[Language, ...] = field(default_factory=registry.added)

    def prepare(self) -> None:
        add_languages(self.languages)

    def do(self, at: int, how: None) -> RuledAnswer:
        path, host = self.files[at], self.hosts[at]
        try:
            source = read_file(path, self.max_size)
            if isinstance(source, Skipped):
                return source
            keep = _Unsuppressed()
            made = self.rewriter.rewrite(
                source,
                host,
                only=self.sets[self.use[at]],
                until_stable=self.until_stable,
                keep=keep,
                marker=MARKER,
            )
        except UnsearchableError as problem:
            return Skipped(path, "unsearchable", problem.message)
        except Exception as problem:  # whatever it is, the other files must be rewritten
            return Failed(path, describe(problem))
        found, size = len(made.findings), len(source)
        if not (made.sites or made.refused):
            made = replace(made, source=b"", text=b"")  # Nobody asks for it.
        return FileRuled(path, host, replace(made, findings=()), found, keep.suppressed, size)

    def lost(self, at: int, how: None, why: str) -> RuledAnswer:
        return Failed(self.files[at], f"the process that rewrote it died ({why})")

    def pack(self, answers: list[RuledAnswer]) -> list[RuledAnswer]:
        return answers

    def unpack(self, files: Iterable[int], packed: list[RuledAnswer]) -> list[RuledAnswer]:
        return packed


# --- all files ----------------------------------------------------------------------------------------


class RuledPlans:
    """What a recipe gives now: iterate once.  ``summary`` fills meanwhile.

    RewriteError at once if none of the rules can be used."""

    def __init__(
        self,
        recipe: RuleRecipe,
        selection: Selection,
        folder: str,
        *,
        jobs: int = 0,
        tick: Callable[[], None] | None = None,
    ) -> None:
        """*selection* and *folder* are those of the recipe, as they are seen from the current folder."""
        self._tick = tick or _nothing
        read = read_set(
            [Source(one.path, one.text.encode(), one.utilities, one.dialect) for one in recipe.sources]
        )
        rules = [rule for rule in read.rules if rule.id in recipe.ids]
        settings = Settings(os.path.realpath(folder), ignores=recipe.ignores, languages=recipe.languages)
        scope = scope_of(selection, settings)
        walked, files, names = scope.walk, scope.files, Names(settings.folder)
        present = {host for _, host in files if host}
        compiled, problems = compile_rules(rules, read.utilities, {*scope.wanted, *present})
        chosen = choose(
            compiled.rules.values(), only=recipe.ids, title=recipe.title, suspicious=recipe.suspicious
        )
        self._rewriter = RuleRewriter(compiled, chosen, read.utilities)
        mistakes = [*read.problems, *problems, *self._rewriter.problems]
        self._check(rules, mistakes)
        admitted = Admitted(rule for rule in compiled.rules.values() if rule.id in chosen)
        mine = [(path, host) for path, host in files if host is not None and host in compiled.languages]
        self._job = _Job(
            [path for path, _ in mine],
            [host for _, host in mine],
            self._rewriter,
            [admitted.of(names.of(path)) for path, _ in mine],
            admitted.sets,
            recipe.until_stable,
            selection.max_size,
        )
        self._sharing: Sharing[None, RuledAnswer] = Sharing(self._job, jobs)
        summary = Summary(
            files=len(mine) + len(walked.skipped),
            ignored=walked.ignored,
            hidden=walked.hidden,
            links=walked.links,
            other_languages=len(files) - len(mine),
        )
        for skipped in walked.skipped:
            summary.add(skipped)
        ruled = Ruled(problems=[_told(one) for one in dict.fromkeys(mistakes)])
        ruled.broken = len({one.rule or str(one) for one in mistakes if not one.warning})
        for rule, number in chosen.items():
            ruled.rules[rule] = RuleTally(compiled.rules[rule].rewrites[number].title)
        ruled.left = _left([rule for rule in read.rules if rule.id in recipe.others], chosen)
        self.summary = PlanSummary(summary, ruled=ruled)

    def _check(self, rules: Sequence[Rule], mistakes: Sequence[Problem]) -> None:
        broken = [one for one in mistakes if not one.warning]
        if broken and not self._rewriter.prepared.usable:
            first = broken[0]
            raise RewriteError(str(first), hint=first.hint)

    def __iter__(self) -> Iterator[FileRuled | Skipped | Failed]:
        summary = self.summary
        ruled = summary.ruled
        assert ruled is not None
        try:
            for _, answer in self._sharing.run(range(len(self._job.files)), None):
                self._tick()
                if not isinstance(answer, FileRuled):
                    summary.search.add(answer)
                    yield answer
                    continue
                self._count(answer, ruled)
                if answer.made.sites or answer.made.refused:
                    yield answer
        finally:
            self._sharing.close()
        ruled.rules = {name: tally for name, tally in ruled.rules.items() if _found_something(tally)}

    def _count(self, answer: FileRuled, ruled: Ruled) -> None:
        summary, search, made = self.summary, self.summary.search, answer.made
        search.searched += 1
        search.bytes += answer.size
        search.parsed += made.parsed
        search.syntax_error_files += made.syntax_errors > 0
        search.matched += answer.found > 0
        search.matches += answer.found
        if made.exhausted:
            search.exhausted.append(answer.path)
        ruled.suppressed += answer.suppressed
        summary.files += bool(made.sites)
        summary.sites += len(made.sites)
        if made.cycle:
            summary.cycles.append(answer.path)
        for rule, counts in made.counts.items():
            tally = ruled.rules.setdefault(rule, RuleTally())
            tally.files += bool(counts.sites)
            for name in ("sites", "matches", "unchanged", "overlapping", "refused", "again"):
                setattr(tally, name, getattr(tally, name) + getattr(counts, name))
                if name != "sites":
                    setattr(summary, name, getattr(summary, name) + getattr(counts, name))


def _found_something(tally: RuleTally) -> bool:
    return any((tally.matches, tally.unchanged, tally.overlapping, tally.refused))


def _left(rules: Sequence[Rule], chosen: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Rules that are not staged, by the reason."""
    left: dict[str, list[str]] = {}
    for rule in rules:
        if rule.id in chosen:
            continue
        safeties = {one.safety for one in rule.rewrites}
        why = (
            "no rewrite"
            if not safeties
            else "other title"
            if Safety.SAFE in safeties
            else "suspicious"
            if Safety.SUSPICIOUS in safeties
            else "display"
        )
        left.setdefault(why, []).append(rule.id)
    return {why: tuple(sorted(ids)) for why, ids in sorted(left.items())}


def _told(problem: Problem) -> tuple[str, str, str]:
    return f"{problem.path}:{problem.at.line}:{problem.at.column}", problem.message, problem.hint


def refusal(rule: str, refused: NotRewritten) -> str:
    """A refused match of a rule, in words."""
    detail = f": {refused.detail}" if refused.detail else ""
    return f"{rule}: {refused.reason}{detail}"


def _nothing() -> None:
    pass
