"""Staging the rewrites of rules, all of them as one change.

Rules come as names of folders and files (``gathered``), or as texts (``from_texts``); both become a recipe.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from structural.errors import UsageError
from structural.rules.reading import Source, read_set
from structural.rules.values import Rule, Safety
from structural.search.values import Selection
from structural.staging import EditFile, Refused, Site
from structural.text import LineIndex
from structural.workflow.collecting import seldom
from structural.workflow.ruledplans import (
    FileRuled,
    RuledPlans,
    RuleRecipe,
    RuleText,
    encode_rules,
    refusal,
)
from structural.workflow.scanning import Choice, Rulebook, Settings, gather, read_settings
from structural.workflow.scanning.catalogue import shown
from structural.workflow.scanning.rulebook import rule_files
from structural.workflow.staging import Planned, Staged, befores_of, collected, notes_of, numbered, store
from structural.workflow.trees import OpenTree, Tree, below, seen

__all__ = [
    "Choice",
    "Settings",
    "from_texts",
    "gathered",
    "plan_rules",
    "read_settings",
    "recipe_of",
    "stage_rules",
]


def gathered(
    names: Sequence[str],
    settings: Settings,
    selection: Selection,
    choice: Choice | None = None,
    *,
    texts: Mapping[str, str] | None = None,
    title: str = "",
    suspicious: bool = False,
    until_stable: bool = False,
) -> RuleRecipe:
    """The recipe of the rules at *names*, folders and files as they are seen from the current folder, or
    ``catalogue``, and in *texts*.  UsageError if none of them can be staged."""
    return recipe_of(
        gather(names, settings, choice, texts=texts),
        settings,
        selection,
        texts,
        title=title,
        suspicious=suspicious,
        until_stable=until_stable,
    )


def recipe_of(
    book: Rulebook,
    settings: Settings,
    selection: Selection,
    texts: Mapping[str, str] | None = None,
    *,
    title: str = "",
    suspicious: bool = False,
    until_stable: bool = False,
) -> RuleRecipe:
    """The recipe of the rules of *book*; *texts* are those that it has from no file.  UsageError if none of
    them can be staged."""
    if book.broken and not book.rules:
        first = book.broken[0]
        raise UsageError(f"no rule can be used: {first}", hint=first.hint)
    utilities = {os.path.realpath(path) for path in rule_files(settings.utils, named_in=settings.path)}
    paths = {rule.path for rule in book.rules if rule.rewrites} | {one.path for one in book.broken}
    sources: list[RuleText] = []
    for path in book.files:
        is_utility = os.path.realpath(path) in utilities
        if is_utility or shown(path) in paths or any(u.path == shown(path) for u in book.utilities):
            with open(path, encoding="utf-8", errors="replace") as file:
                sources.append(RuleText(shown(path), file.read(), is_utility, settings.dialect))
    sources += [RuleText(path, text) for path, text in (texts or {}).items()]
    ids, others = _ids(book.rules, title, suspicious)
    return RuleRecipe(
        tuple(sources),
        ids,
        selection,
        title,
        suspicious,
        until_stable,
        settings.folder,
        settings.ignores,
        settings.languages,
        others,
    )


def from_texts(
    texts: Mapping[str, str],
    selection: Selection,
    *,
    ids: Sequence[str] = (),
    title: str = "",
    suspicious: bool = False,
    until_stable: bool = False,
    folder: str = ".",
) -> RuleRecipe:
    """The recipe of rules in *texts*, by the names that their mistakes are told with."""
    read = read_set([Source(path, text.encode()) for path, text in texts.items()])
    wrong = [problem for problem in read.problems if not problem.warning]
    if wrong and not read.rules:
        raise UsageError(f"no rule can be used: {wrong[0]}", hint=wrong[0].hint)
    for name in ids:
        if name not in {rule.id for rule in read.rules}:
            raise UsageError(f"no rule has the id {name!r}")
    rules = [rule for rule in read.rules if not ids or rule.id in ids]
    sources = tuple(RuleText(path, text) for path, text in texts.items())
    chosen, others = _ids(rules, title, suspicious)
    return RuleRecipe(sources, chosen, selection, title, suspicious, until_stable, folder, others=others)


def _ids(rules: Sequence[Rule], title: str, suspicious: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of *rules* with a rewrite that is staged, and with others.  UsageError if none can be."""
    from structural.rules.rewriting import choose

    ids = tuple(rule.id for rule in rules if rule.rewrites)
    if not ids:
        raise UsageError(
            "none of these rules has a rewrite" if rules else "there is no rule",
            hint="a rule has one under the key `rewrite`",
        )
    chosen = tuple(choose(rules, only=ids, title=title, suspicious=suspicious))
    if chosen:
        return chosen, tuple(name for name in ids if name not in chosen)
    safeties = {one.safety for rule in rules for one in rule.rewrites}
    if title:
        titles = sorted({one.title for rule in rules for one in rule.rewrites if one.title})
        raise UsageError(
            f"no rewrite has the title {title!r}", hint=f"there are {', '.join(titles) or 'none'}"
        )
    if Safety.SUSPICIOUS in safeties and not suspicious:
        raise UsageError(
            "all rewrites of these rules are suspicious", hint="--suspicious stages them too: look at them"
        )
    raise UsageError("the rewrites of these rules are for display, and are never staged")


@seldom()
def stage_rules(
    tree: OpenTree,
    recipe: RuleRecipe,
    *,
    jobs: int = 0,
    strict: bool = False,
    tick: Callable[[], None] | None = None,
    started: Callable[[Any], None] | None = None,
    guard: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Staged:
    """Plan the rewrites of a recipe and stage them as one change.  No file of the user's is written.

    The paths of *recipe* are as seen from the current folder.  *strict*, *started* and *guard* as of
    ``stage_rewrite``.
    """
    inside = Tree(tree.root)
    selection = recipe.selection
    paths = tuple(dict.fromkeys(below(inside, path) for path in selection.paths))
    kept = replace(
        recipe,
        selection=replace(selection, paths=paths),
        folder=os.path.relpath(os.path.realpath(recipe.folder), tree.root).replace(os.sep, "/"),
    )
    planned = plan_rules(tree, kept, paths=selection.paths, jobs=jobs, tick=tick, started=started)
    found = planned.summary.ruled.rules if planned.summary.ruled is not None else {}
    origin = encode_rules(kept) | {"found": sorted(name for name, tally in found.items() if tally.sites)}
    answer = Staged(tree.root, None, planned.refused, planned.summary, planned.skipped, origin=origin)
    if strict and answer.incomplete:
        return replace(answer, strict=True)
    files = numbered(planned.files)
    change = store(tree, files, guard, origin=origin, refused=planned.refused, notes=notes_of(planned, files))
    return replace(answer, change=change, befores=befores_of(files))


def plan_rules(
    tree: OpenTree,
    recipe: RuleRecipe,
    *,
    paths: tuple[str, ...] = (),
    jobs: int = 0,
    tick: Callable[[], None] | None = None,
    started: Callable[[Any], None] | None = None,
) -> Planned:
    """Compute a recipe, whose paths are relative to the root, over the files as they are now.  *paths* are
    those of the selection as seen from the current folder, if they are at hand."""
    if not paths:
        paths = tuple(seen(tree.root, path) for path in recipe.selection.paths)
    plans = RuledPlans(
        recipe,
        replace(recipe.selection, paths=paths),
        seen(tree.root, recipe.folder),
        jobs=jobs,
        tick=tick,
    )
    if started is not None:
        started(plans)
    return collected(tree, plans, plans.summary, _proposal)


def _proposal(path: str, planned: FileRuled) -> tuple[EditFile, list[Refused]]:
    made = planned.made
    lines = LineIndex(made.source)
    sites = []
    for one in made.sites:
        name = ", ".join(one.rules)
        title = f"{name}: {one.title}" if one.title else name
        span = one.site.span
        sites.append(Site(0, one.site.edits, span, lines.line(span.start), one.site.matches, title))
    sites.sort(key=lambda site: (site.edits[0].span, site.span))
    refused = [
        Refused(
            path,
            one.refused.span.start,
            one.refused.span.end,
            lines.line(one.refused.span.start),
            refusal(one.rule, one.refused),
        )
        for one in made.refused
    ]
    return EditFile(path, made.source, tuple(sites)), refused
