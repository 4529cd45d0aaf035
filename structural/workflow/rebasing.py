"""Rebase: a staged change is computed again on the files as they are now.

A change from a rewrite is planned again by its recipe.  Sites are known again by the code
that they match and by their order in the file: they keep their numbers, and what was
dropped or edited stays so.  A change from a diff or from edits has no recipe: each of
its sites must still fit, with its lines of context, to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import count, pairwise
from typing import Any

from structural.errors import DiffError, NothingToStageError, StagingError
from structural.staging import (
    Action,
    CreateFile,
    DeleteFile,
    EditFile,
    FileChange,
    ProposedFile,
    Site,
    StagedChange,
    State,
)
from structural.staging.look import read
from structural.text import Edit, LineIndex, Span, digest
from structural.text.edits import apply
from structural.text.patches import fit, read_patch
from structural.workflow.changes import FileView, site_diff, views
from structural.workflow.collecting import seldom
from structural.workflow.recipes import PARTIAL, RULES, decode_all, mark, plain
from structural.workflow.rewriting import Plans
from structural.workflow.several import plan_all
from structural.workflow.staging import Planned, notes_of
from structural.workflow.trees import OpenTree, Tree

__all__ = ["Moved", "Rebased", "rebase"]


@dataclass(frozen=True, slots=True)
class Moved:
    """A site that is new, or that is gone: its file, line and number."""

    path: str
    line: int
    number: int


@dataclass(frozen=True, slots=True)
class Rebased:
    """What came of a rebase.  ``change`` is None if nothing is left to change: it stays as it was.

    ``edited`` are sites whose edits of a review could not be carried over.
    """

    change: StagedChange | None
    same: int = 0
    added: tuple[Moved, ...] = ()
    gone: tuple[Moved, ...] = ()
    dropped: int = 0
    """Sites that were dropped before and were found again: they stay dropped."""
    edited: tuple[int, ...] = ()
    planned: Planned | None = None


@seldom()
def rebase(
    tree: OpenTree,
    change: StagedChange,
    *,
    jobs: int = 0,
    tick: Callable[[], None] | None = None,
    started: Callable[[Plans], None] | None = None,
) -> Rebased:
    """Compute an open change again.  StagingError, with nothing changed, if it is not open, or if
    a site of a diff or of edits does not fit any more."""
    if change.state is not State.OPEN:
        raise StagingError(f"{change.id} is {change.state}; nothing was changed")
    planned = _planned(tree, change, jobs=jobs, tick=tick, started=started)
    if planned is None:
        return _refit(tree, change)
    if planned.summary.cut and PARTIAL not in change.flags:
        raise StagingError(
            f"the search of {change.id} is cut now, and was not before; nothing was changed",
            hint="stage it anew",
        )
    known = _Known(change)
    ready: list[ProposedFile] = [file for one in planned.files if (file := known.file(one)).sites]
    notes = plain(notes_of(planned, ()) | {"marks": known.marks} | known.kept_notes())
    flags = (PARTIAL,) if planned.summary.cut else ()
    answer = Rebased(
        None,
        known.same,
        tuple(known.added),
        tuple(known.gone()),
        known.dropped,
        tuple(known.lost),
        planned,
    )
    try:
        new = tree.store.replace(change.id, ready, refused=planned.refused, flags=flags, notes=notes)
    except NothingToStageError:
        return answer
    return replace(answer, change=new)


def _planned(
    tree: OpenTree,
    change: StagedChange,
    *,
    jobs: int,
    tick: Callable[[], None] | None,
    started: Callable[[Any], None] | None,
) -> Planned | None:
    """What the recipe of a change gives now; None if it has none."""
    if change.origin.get("from") == RULES:
        from structural.workflow.ruledplans import decode_rules
        from structural.workflow.ruledstaging import plan_rules

        by_rules = decode_rules(change.origin)
        assert by_rules is not None
        return plan_rules(tree, by_rules, jobs=jobs, tick=tick, started=started)
    recipes = decode_all(change.origin)
    return plan_all(tree, recipes, jobs=jobs, tick=tick, started=started) if recipes else None


class _Known:
    """What a change knew of its sites, and what of it was found again."""

    def __init__(self, change: StagedChange) -> None:
        self._change = change
        self._old: dict[str, list[list[Any]]] = dict(change.notes.get("marks", {}))
        self._sites = {site.number: (file, site) for file in change.files for site in file.sites}
        self._edited = {int(number) for number in change.notes.get("edited", ())}
        self._found: set[int] = set()
        numbers = {entry[0] for entries in self._old.values() for entry in entries}
        self._fresh = count(max([*numbers, *self._sites, *change.dropped, 0]) + 1)
        self.added: list[Moved] = []
        self.marks: dict[str, list[list[Any]]] = {}
        self.same = 0
        self.dropped = 0
        self.lost: list[int] = []

    def file(self, planned: EditFile) -> EditFile:
        """The file with known numbers, without what was dropped."""
        path = str(planned.path)
        before = planned.before
        new = [mark(before[site.span.start : site.span.end]) for site in planned.sites]
        numbers = [number or -next(self._fresh) for number in _aligned(self._old.get(path, []), new)]
        self.marks[path] = [[abs(number), text] for number, text in zip(numbers, new, strict=True)]
        sites: list[Site] = []
        for site, number in zip(planned.sites, numbers, strict=True):
            if number < 0:
                sites.append(replace(site, number=-number))
                self.added.append(Moved(path, site.line, -number))
            elif number in self._sites:
                self.same += 1
                self._found.add(number)
                sites.append(self._as_edited(replace(site, number=number), number))
            else:
                self.dropped += 1
        return replace(planned, sites=_without_overlap(sites))

    def gone(self) -> Iterator[Moved]:
        """Sites that are not there any more."""
        for number, (file, site) in sorted(self._sites.items()):
            if number not in self._found:
                yield Moved(file.path, site.line, number)

    def kept_notes(self) -> dict[str, Any]:
        """What a review wrote down of sites that are still there."""
        notes = self._change.notes
        left = sorted((self._edited & self._found) - set(self.lost))
        seen = [number for number in notes.get("reviewed", ()) if number in self._found]
        return {name: value for name, value in (("edited", left), ("reviewed", seen)) if value}

    def _as_edited(self, site: Site, number: int) -> Site:
        """The site with the edits that a person gave it, if it is one of those."""
        if number not in self._edited:
            return site
        old = self._sites[number][1]
        if not all(old.span.holds(edit.span) for edit in old.edits):
            self.lost.append(number)
            return site
        by = site.span.start - old.span.start
        edits = tuple(Edit(Span(e.span.start + by, e.span.end + by), e.new) for e in old.edits)
        return replace(site, edits=edits)


def _aligned(old: list[list[Any]], new: list[str]) -> list[int]:
    """For every new mark the number of the old site that it is, 0 for none."""
    numbers = [0] * len(new)
    texts = [entry[1] for entry in old]
    for low, at, size in SequenceMatcher(None, texts, new, autojunk=False).get_matching_blocks():
        for step in range(size):
            numbers[at + step] = old[low + step][0]
    return numbers


def _without_overlap(sites: list[Site]) -> tuple[Site, ...]:
    """The sites but those that run into what a person wrote at another."""
    ordered = sorted(sites, key=lambda site: (site.edits[0].span, site.span))
    kept: list[Site] = []
    end = -1
    for site in ordered:
        if site.edits[0].span.start < end:
            continue
        kept.append(site)
        end = max(end, site.edits[-1].span.end)
    return tuple(kept)


# --- without a recipe ----------------------------------------------------------------------------------


def _refit(tree: OpenTree, change: StagedChange) -> Rebased:
    wrong: list[str] = []
    files: list[ProposedFile] = []
    inside = Tree(tree.root)
    for view in views(tree, change):
        now = _bytes(inside, view.file.path)
        try:
            files.append(_fitted(view, now))
        except DiffError as problem:
            wrong.append(problem.message)
    if wrong:
        raise StagingError(
            f"{change.id} no longer fits: {'; '.join(wrong[:10])}; nothing was changed",
            hint="drop these sites or files, or make the change again",
        )
    try:
        new = tree.store.replace(change.id, files, refused=change.refused)
    except NothingToStageError:
        return Rebased(None)
    return Rebased(new, new.sites)


def _fitted(view: FileView, now: bytes | None) -> ProposedFile:
    file = view.file
    if file.action is Action.CREATE:
        if now is not None:
            raise DiffError(f"{file.path} is there already")
        return CreateFile(file.path, view.after, file.executable, number=file.sites[0].number)
    if now is None:
        raise DiffError(f"{file.path} is not there any more")
    if file.action is Action.DELETE:
        if digest(now) != file.before:
            raise DiffError(f"{file.path} was edited, and is to be deleted")
        return DeleteFile(file.path, now, number=file.sites[0].number)
    if digest(now) == file.before:
        return EditFile(file.path, now, file.sites)
    lines = LineIndex(now)
    sites = []
    for site in file.sites:
        edits = _fit(view, site, file, now)
        span = Span(edits[0].span.start, edits[-1].span.end)
        sites.append(replace(site, edits=edits, span=span, line=lines.line(span.start)))
    edits = tuple(sorted(edit for site in sites for edit in site.edits))
    for one, other in pairwise(edits):
        if other.span.start < one.span.end or other.span == one.span:
            raise DiffError(f"{file.path}: two of its sites would change the same lines")
    apply(now, edits)
    return EditFile(file.path, now, tuple(sites))


def _fit(view: FileView, site: Site, file: FileChange, now: bytes) -> tuple[Edit, ...]:
    (patch,) = read_patch(site_diff(view, site))
    try:
        return fit(patch, now)
    except DiffError:
        raise DiffError(
            f"site {site.number} ({file.path}:{site.line}): its lines are not there, or not only once"
        ) from None


def _bytes(tree: Tree, path: str) -> bytes | None:
    try:
        return read(tree.full(path))[1]
    except OSError:
        return None
