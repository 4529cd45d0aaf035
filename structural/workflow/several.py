"""Several rewrites in one staged change: each is planned over the files as they are, then joined.

Two sites of different rewrites that want the same bytes are a conflict: both are refused.  Where one
lies in the other the outermost wins, and the other is counted as overlapping, as for matches of
one rewrite; of two over the same code the earlier rewrite wins.

A site was found good in the file as it is.  Where several rewrites change a file, each but the first
is computed once more on what those before it leave, and a site that is written otherwise
there, or not at all, is refused: so every site was checked in the text that it ends up in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from structural.errors import StagingError
from structural.rewrite.apart import Placed, Shifts, apart
from structural.search.values import Selection, Skipped, Summary
from structural.staging import EditFile, Refused, Site
from structural.text import Edit, LineIndex
from structural.text.edits import apply, in_order
from structural.workflow.recipes import Recipe, encode_all
from structural.workflow.rewriting import Again, PlanSummary, RewriteSpec
from structural.workflow.soundness import language_of
from structural.workflow.staging import Planned, Staged, notes_of, numbered, plan_recipe, store
from structural.workflow.trees import OpenTree, Tree, below

if TYPE_CHECKING:
    from structural.workflow.remembering import Memory

__all__ = ["Part", "plan_all", "stage_several"]


@dataclass(frozen=True, slots=True)
class Part:
    """What one of the rewrites found: what became of its matches is told for all together."""

    summary: PlanSummary
    refused: int


def stage_several(
    tree: OpenTree,
    specs: Sequence[RewriteSpec],
    selection: Selection,
    *,
    jobs: int = 0,
    strict: bool = False,
    tick: Callable[[], None] | None = None,
    memory: Memory | None = None,
    guard: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> tuple[Staged, list[Part]]:
    """Plan *specs* and stage them as one change; also what each of them found.

    Raises what ``stage_rewrite`` raises, for the first rewrite that is wrong.
    """
    inside = Tree(tree.root)
    paths = tuple(dict.fromkeys(below(inside, path) for path in selection.paths))
    recipes = [Recipe(spec, replace(selection, paths=paths)) for spec in specs]
    plans = [
        plan_recipe(tree, recipe, paths=selection.paths, jobs=jobs, tick=tick, memory=memory)
        for recipe in recipes
    ]
    parts = [Part(plan.summary, len(plan.refused)) for plan in plans]
    planned = _joined(recipes, plans)
    origin = encode_all(recipes)
    answer = Staged(tree.root, None, planned.refused, planned.summary, planned.skipped, origin=origin)
    if strict and answer.incomplete:
        return replace(answer, strict=True), parts
    files = numbered(planned.files)
    change = store(tree, files, guard, origin=origin, refused=planned.refused, notes=notes_of(planned, files))
    return replace(answer, change=change), parts


def plan_all(
    tree: OpenTree,
    recipes: Sequence[Recipe],
    *,
    jobs: int = 0,
    tick: Callable[[], None] | None = None,
    **options: Any,
) -> Planned:
    """Compute the rewrites of *recipes* over the files as they are now."""
    plans = [plan_recipe(tree, recipe, jobs=jobs, tick=tick, **options) for recipe in recipes]
    return plans[0] if len(plans) == 1 else _joined(recipes, plans)


# --- joining ---------------------------------------------------------------------------------------------


def _joined(recipes: Sequence[Recipe], plans: Sequence[Planned]) -> Planned:
    again = [
        Again(recipe.spec, plan.summary.search.readings) for recipe, plan in zip(recipes, plans, strict=True)
    ]
    before: dict[str, bytes] = {}
    placed: dict[str, list[Placed[Site]]] = {}
    languages: dict[str, str] = {}
    for number, plan in enumerate(plans, 1):
        languages |= plan.languages
        for file in plan.files:
            path = str(file.path)
            if before.setdefault(path, file.before) != file.before:
                raise StagingError(
                    f"{path} changed while its rewrites were computed; nothing was staged",
                    hint="stage them again",
                )
            placed.setdefault(path, []).extend(Placed(site, number) for site in file.sites)
    summary = _summed([plan.summary for plan in plans])
    refused = [one for plan in plans for one in plan.refused]
    files: list[EditFile] = []
    for path in sorted(placed):
        kept, conflicts, left = apart(placed[path])
        conflicts_of_file = [(one, f"conflicts with rewrite {other}") for one, other in conflicts]
        kept, unlike = _together(path, before[path], kept, languages, again)
        conflicts_of_file += unlike
        lines = LineIndex(before[path])
        for one, reason in conflicts_of_file:
            span = one.site.span
            why = f"rewrite {one.number} {reason}"
            refused.append(Refused(path, span.start, span.end, lines.line(span.start), why))
        summary.overlapping += len(left)
        summary.refused += len(conflicts_of_file)
        sites = sorted((one.site for one in kept), key=lambda site: (site.edits[0].span, site.span))
        if sites:
            files.append(EditFile(path, before[path], tuple(sites)))
    summary.sites = sum(len(file.sites) for file in files)
    summary.matches = sum(site.count for file in files for site in file.sites)
    summary.files = len(files)
    skipped = tuple({(one.path, one.reason): one for plan in plans for one in plan.skipped}.values())
    refused.sort(key=lambda one: (one.path, one.start))
    return Planned(tuple(files), tuple(refused), skipped, summary, languages)


def _together(
    path: str,
    before: bytes,
    kept: list[Placed[Site]],
    languages: Mapping[str, str],
    again: Sequence[Again],
) -> tuple[list[Placed[Site]], list[tuple[Placed[Site], str]]]:
    """The sites that are written the same on what the rewrites before theirs leave; the others, with
    the reason."""
    numbers = sorted({one.number for one in kept})
    if len(numbers) < 2:
        return kept, []
    language = language_of(path, before, {"languages": languages})
    good: list[Placed[Site]] = []
    bad: list[tuple[Placed[Site], str]] = []
    done: tuple[Edit, ...] = ()
    for number in numbers:
        own = [one for one in kept if one.number == number]
        if good:
            made = again[number - 1].rewritten(apply(before, done), language)
            found = {edit for site in made for edit in site.edits}
            reason = f"is another beside rewrite {numbers[0]}: stage it by itself"
            shifts = Shifts(done)
            bad += [(one, reason) for one in own if not shifts.moved(one.site.edits) <= found]
            own = [one for one in own if shifts.moved(one.site.edits) <= found]
        good += own
        done = in_order(edit for one in good for edit in one.site.edits)
    return good, bad


def _summed(summaries: Sequence[PlanSummary]) -> PlanSummary:
    """One summary for all: what was searched for any of them, and the sums of what was found."""
    widest = max((one.search for one in summaries), key=lambda search: search.files)
    search = replace(widest, skipped=dict(widest.skipped), skipped_paths=list(widest.skipped_paths))
    known = {(one.path, one.reason) for one in search.skipped_paths}
    for other in (one.search for one in summaries if one.search is not widest):
        _take_in(search, other, known)
    search.matches = sum(one.search.matches for one in summaries)
    made = PlanSummary(search)
    for one in summaries:
        made.unchanged += one.unchanged
        made.overlapping += one.overlapping
        made.refused += one.refused
        made.again += one.again
        made.cycles += [path for path in one.cycles if path not in made.cycles]
    return made


def _take_in(search: Summary, other: Summary, known: set[tuple[str, str]]) -> None:
    """What *other* could not search and *search* could, or did not look at."""
    for one in other.skipped_paths:
        if (one.path, one.reason) not in known:
            known.add((one.path, one.reason))
            search.skipped_paths.append(Skipped(one.path, one.reason, one.detail))
            search.skipped[one.reason] = search.skipped.get(one.reason, 0) + 1
    search.failed = [*search.failed, *(one for one in other.failed if one not in search.failed)]
    search.exhausted = sorted({*search.exhausted, *other.exhausted})
    search.cut = search.cut or other.cut
