"""Staging: a rewrite, a diff or a list of edits becomes an open change in the store of the tree.

Order of things: plan (nothing is written), set aside what lies outside of the root or may
never be written, number the sites, then hand everything to the store in one call.
Nothing to stage is an answer, no error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from structural.errors import NothingToStageError, StagingError
from structural.rewrite.values import Refused as NotRewritten
from structural.search.values import Failed, Selection, Skipped
from structural.staging import CreateFile, EditFile, ProposedFile, Refused, Site, StagedChange
from structural.staging.paths import STORE
from structural.syntax import registry
from structural.text import Edit, LineIndex
from structural.workflow.collecting import seldom
from structural.workflow.recipes import PARTIAL, Recipe, encode, marks_of, plain
from structural.workflow.rewriting import FileRewrite, Plans, PlanSummary, RewriteSpec, Ruled, plan_paths
from structural.workflow.trees import Misplaced, OpenTree, Tree, below, located, seen

if TYPE_CHECKING:
    from structural.workflow.remembering import Memory

__all__ = [
    "PARTIAL",
    "PlanSummary",
    "Planned",
    "Recipe",
    "Refused",
    "RewriteSpec",
    "Staged",
    "Trouble",
    "plan_recipe",
    "stage_rewrite",
]


class _Planned(Protocol):
    """What is planned for one file."""

    @property
    def path(self) -> str: ...
    @property
    def language(self) -> str: ...


_Result = TypeVar("_Result", bound=_Planned)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file that would have more syntax errors than before."""

    path: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Planned:
    """A rewrite over files, before it is staged.  Sites have no numbers yet."""

    files: tuple[EditFile, ...]
    """In order of their paths, which are relative to the root."""
    refused: tuple[Refused, ...]
    skipped: tuple[Skipped, ...]
    summary: PlanSummary
    languages: Mapping[str, str] = field(default_factory=dict)
    """Path → language, where its name alone would not tell so."""


@dataclass(frozen=True, slots=True)
class Staged:
    """What came of a call to stage.  ``change`` is None where nothing was staged; ``strict`` says
    that this is only because something was refused or could not be searched."""

    root: Path
    change: StagedChange | None
    refused: tuple[Refused, ...] = ()
    plan: PlanSummary | None = None
    """Of a rewrite only."""
    skipped: tuple[Skipped, ...] = ()
    strict: bool = False
    troubles: tuple[Trouble, ...] = ()
    """Of a diff or edits only: a rewrite with such sites is refused."""
    origin: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    """What was done beyond what was asked for, such as line endings that were kept."""
    befores: Mapping[str, bytes] = field(default_factory=dict)
    """Path → bytes before of the files of the change that are there now."""

    @property
    def incomplete(self) -> bool:
        """Whether a site was refused, a file in scope could not be searched, or passes were ended before
        they came to rest."""
        plan = self.plan
        broken = plan is not None and plan.ruled is not None and plan.ruled.broken
        unfinished = plan is not None and (plan.search.incomplete or plan.cycles)
        return bool(self.refused or self.skipped or broken or unfinished)


@seldom()
def stage_rewrite(
    tree: OpenTree,
    spec: RewriteSpec,
    selection: Selection,
    *,
    jobs: int = 0,
    max_count: int = 0,
    partial: bool = False,
    strict: bool = False,
    tick: Callable[[], None] | None = None,
    memory: Memory | None = None,
    started: Callable[[Plans], None] | None = None,
    guard: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Staged:
    """Plan a rewrite and stage it.  No file of the user's is written.

    *strict* stages nothing if a match was refused or a file could not be searched; without
    *partial* nothing is staged of a search that was cut at *max_count* (StagingError).
    *started* is given the plans before the first file.  The change is stored inside of *guard*; if
    leaving that raises, the change is discarded.
    """
    inside = Tree(tree.root)
    paths = tuple(dict.fromkeys(below(inside, path) for path in selection.paths))
    recipe = Recipe(spec, replace(selection, paths=paths), max_count)
    planned = plan_recipe(
        tree, recipe, paths=selection.paths, jobs=jobs, tick=tick, memory=memory, started=started
    )
    summary = planned.summary
    if summary.cut and not partial:
        raise StagingError(
            f"the search was cut at --max-count {max_count}, so there may be more; nothing was staged",
            hint="add --partial to stage a part, or leave --max-count out",
        )
    origin = encode(recipe)
    answer = Staged(tree.root, None, planned.refused, summary, planned.skipped, origin=origin)
    if strict and answer.incomplete:
        return replace(answer, strict=True)
    files = numbered(planned.files)
    change = store(
        tree,
        files,
        guard,
        origin=origin,
        refused=planned.refused,
        flags=(PARTIAL,) if summary.cut else (),
        notes=notes_of(planned, files),
    )
    return replace(answer, change=change, befores=befores_of(files))


def befores_of(files: Iterable[ProposedFile]) -> dict[str, bytes]:
    """The bytes before of *files*, by path; a new one has none."""
    return {str(file.path): file.before for file in files if not isinstance(file, CreateFile)}


def store(
    tree: OpenTree,
    files: Sequence[ProposedFile],
    guard: Callable[[], AbstractContextManager[None]],
    *,
    origin: Mapping[str, Any],
    refused: Iterable[Refused] = (),
    flags: Iterable[str] = (),
    notes: Mapping[str, Any] | None = None,
) -> StagedChange | None:
    """Hand *files* to the store; None if they would change nothing."""
    change: StagedChange | None = None
    try:
        with guard():
            change = tree.store.stage(
                files, origin=plain(origin), refused=refused, flags=flags, notes=plain(notes or {})
            )
    except NothingToStageError:
        return None
    except BaseException:
        if change is not None:
            tree.store.discard(change.id)
        raise
    return change


def plan_recipe(
    tree: OpenTree,
    recipe: Recipe,
    *,
    paths: tuple[str, ...] = (),
    jobs: int = 0,
    tick: Callable[[], None] | None = None,
    memory: Memory | None = None,
    started: Callable[[Plans], None] | None = None,
) -> Planned:
    """Compute a rewrite over the files as they are now.  *paths* are those of the selection as seen
    from the current folder, if they are at hand."""
    if not paths:
        paths = tuple(seen(tree.root, path) for path in recipe.selection.paths)
    selection = replace(recipe.selection, paths=paths)
    plans = plan_paths(
        recipe.spec, selection, jobs=jobs, max_count=recipe.max_count, tick=tick, memory=memory
    )
    if started is not None:
        started(plans)
    return collected(tree, plans, plans.summary, _proposal)


def collected(
    tree: OpenTree,
    plans: Iterable[_Result | Skipped | Failed],
    summary: PlanSummary,
    proposal: Callable[[str, _Result], tuple[EditFile, list[Refused]]],
) -> Planned:
    """What *plans* give for the files of the tree that may be written: of each what *proposal* makes of
    its path below the root and its result."""
    inside = Tree(tree.root)
    files: dict[str, EditFile] = {}
    refused: list[Refused] = []
    skipped: list[Skipped] = []
    languages: dict[str, str] = {}
    folders: dict[str, str] = {}
    for result in plans:
        if isinstance(result, Skipped | Failed):
            continue  # the summary of the search has them
        if f"{STORE}/" in result.path:
            continue  # our own files are nobody's code
        try:
            path = located(inside, result.path, folders)
        except Misplaced as problem:
            skipped.append(Skipped(result.path, "not writable", str(problem)))
            continue
        if path in files:
            continue
        file, left = proposal(path, result)
        refused += left
        if registry.language_of_path(path, file.before[:256]) != result.language:
            languages[path] = result.language
        if file.sites:
            files[path] = file
    for path, reason in tree.store.obstacles(files).items():
        skipped.append(Skipped(path, "not writable", reason))
        del files[path]
    ordered = tuple(file for _, file in sorted(files.items()))
    return Planned(ordered, tuple(refused), tuple(skipped), summary, languages)


def numbered(files: Iterable[EditFile], first: int = 1) -> list[ProposedFile]:
    """The same files, with numbers for sites that have none, from *first* on."""
    found: list[ProposedFile] = []
    for file in files:
        sites = []
        for site in file.sites:
            if not site.number:
                site = Site(first, site.edits, site.span, site.line, site.count, site.title)
                first += 1
            sites.append(site)
        found.append(replace(file, sites=tuple(sites)))
    return found


def notes_of(planned: Planned, files: Sequence[ProposedFile]) -> dict[str, Any]:
    """What is kept beside a change: its sites by their code, and what its search left out."""
    summary = planned.summary
    search = summary.search
    return {
        "marks": {
            str(file.path): marks_of(file.before, file.sites) for file in files if isinstance(file, EditFile)
        },
        "search": {
            "files": search.files,
            "searched": search.searched,
            "matched": search.matched,
            "matches": search.matches,
        },
        "readings": [[reading.language, reading.rung] for reading in search.readings],
        "skipped": [[one.path, one.reason, one.detail] for one in (*search.skipped_paths, *planned.skipped)],
        "failed": [[one.path, one.error] for one in search.failed],
        "exhausted": list(search.exhausted),
        "overlapping": summary.overlapping,
        "again": summary.again,
        "cycles": list(summary.cycles),
    } | ({} if summary.ruled is None else {"rules": tallies(summary.ruled)})


def tallies(ruled: Ruled) -> list[dict[str, Any]]:
    """What came of every rule, as JSON."""
    return [{"id": name, **asdict(tally)} for name, tally in sorted(ruled.rules.items())]


def _proposal(path: str, planned: FileRewrite) -> tuple[EditFile, list[Refused]]:
    made = planned.rewritten
    before = made.source
    lines = LineIndex(before)
    sites = [
        Site(0, site.edits, site.span, lines.line(site.span.start), site.matches)
        for site in made.sites
        if any(_differs(before, edit) for edit in site.edits)
    ]
    sites.sort(key=lambda site: (site.edits[0].span, site.span))
    refused = [
        Refused(path, one.span.start, one.span.end, lines.line(one.span.start), _said(one))
        for one in made.refused
    ]
    return EditFile(path, before, tuple(sites)), refused


def _said(refused: NotRewritten) -> str:
    return f"{refused.reason}: {refused.detail}" if refused.detail else refused.reason


def _differs(before: bytes, edit: Edit) -> bool:
    return before[edit.span.start : edit.span.end] != edit.new
