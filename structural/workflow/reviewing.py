"""A review: sites one by one, a decision for each, and what becomes of the change.

Holds no terminal.  ``save`` puts the decisions into the change; it may be called at any time
and again, best after each, and a decision that was saved can still be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from structural.errors import StagingError
from structural.staging import (
    Action,
    CreateFile,
    DeleteFile,
    EditFile,
    ProposedFile,
    Site,
    StagedChange,
    State,
)
from structural.text import Edit, LineIndex, Span
from structural.text.edits import apply
from structural.text.patches import unified
from structural.workflow.changes import FileView, find, site_diff, views
from structural.workflow.soundness import applied, partner, without, worse
from structural.workflow.trees import OpenTree

__all__ = ["DROP", "EDITED", "KEEP", "Item", "Review"]

KEEP, DROP, EDITED = "keep", "drop", "edit"


@dataclass(frozen=True, slots=True)
class Item:
    """One site to decide on, with its file."""

    view: FileView
    site: Site


class Review:
    """The decisions on an open change.  ``items`` are the sites in the order of their files."""

    def __init__(self, tree: OpenTree, change: StagedChange, *, again: bool = False) -> None:
        if change.state is not State.OPEN:
            raise StagingError(f"{change.id} is {change.state}; there is nothing to review")
        self._tree = tree
        self.change = change
        self._views = {view.file.path: view for view in views(tree, change)}
        seen = frozenset() if again else frozenset(change.notes.get("reviewed", ()))
        every = [Item(view, site) for view in self._views.values() for site in view.file.sites]
        self.items = [item for item in every if item.site.number not in seen]
        self.before = len(every) - len(self.items)
        """How many sites were decided in an earlier review."""
        self._decided: dict[int, str] = {}
        self._sites: dict[int, Site] = {}
        self._history: list[tuple[tuple[int, str | None, Site | None], ...]] = []
        self._saved: dict[int, str] = {}
        self._saved_sites: dict[int, Site] = {}

    # --- looking -----------------------------------------------------------------------------------

    def decision(self, number: int) -> str | None:
        """What was decided on a site; None if nothing yet."""
        return self._decided.get(number)

    def count(self, decision: str | None) -> int:
        """How many sites were decided so; with None: on how many nothing was."""
        return sum(self._decided.get(item.site.number) == decision for item in self.items)

    def diff(self, item: Item, context: int) -> bytes:
        """What the site does, as it is decided now."""
        site = self._now(item)
        if site is item.site:
            return site_diff(item.view, site, context)
        view = item.view
        after = apply(view.before, site.edits)
        return unified(view.file.path, view.before, after, edits=site.edits, context=context)

    def editable(self, item: Item) -> bool:
        """Whether the text of the site can be edited: not of a file that comes or goes."""
        return item.view.file.action is Action.MODIFY

    def text(self, item: Item) -> bytes:
        """The new text of the site: its match, or what of it no other site changes too."""
        region = self._region(item)
        site = self._now(item)
        moved = [
            Edit(Span(e.span.start - region.start, e.span.end - region.start), e.new) for e in site.edits
        ]
        return apply(item.view.before[region.start : region.end], moved)

    # --- deciding ----------------------------------------------------------------------------------

    def keep(self, items: Iterable[Item]) -> None:
        """Keep these sites as they are staged; an edited one stays edited."""
        self._decide([(item, EDITED if item.site.number in self._sites else KEEP, None) for item in items])

    def drop(self, items: Iterable[Item]) -> None:
        """Drop these sites."""
        self._decide([(item, DROP, None) for item in items])

    def edit(self, item: Item, text: bytes) -> None:
        """Give a site another text."""
        region = self._region(item)
        old = item.view.before[region.start : region.end]
        head = 0
        while head < min(len(old), len(text)) and old[head] == text[head]:
            head += 1
        tail = 0
        while tail < min(len(old), len(text)) - head and old[-1 - tail] == text[-1 - tail]:
            tail += 1
        new = text[head : len(text) - tail]
        change = Edit(Span(region.start + head, region.end - tail), new)
        self._decide([(item, EDITED, replace(item.site, edits=(change,)))])

    def undo(self) -> Item | None:
        """Take the last decision back; gives its site, None if there is none."""
        if not self._history:
            return None
        first = 0
        for number, decision, site in self._history.pop():
            first = first or number
            _put(self._decided, number, decision)
            _put(self._sites, number, site)
        return next(item for item in self.items if item.site.number == first)

    def breaks(self, item: Item, text: bytes) -> bool:
        """Whether the file would have new syntax errors with this text for the site."""
        region = self._region(item)
        one = replace(item.site, edits=(Edit(region, text),))
        sites = [one if site.number == item.site.number else site for site in self._left(item.view)]
        view = item.view
        return worse(view.file.path, view.before, view.after, applied(view.before, sites), self.change.notes)

    def hangs(self, items: Sequence[Item]) -> Item | None:
        """The site without which these of one file cannot be dropped; one of themselves if there is
        no single one, and None if they can be."""
        if not items or items[0].view.file.action is not Action.MODIFY:
            return None
        view, notes = items[0].view, self.change.notes
        file = view.file
        gone = {number for number, decision in self._decided.items() if decision == DROP}
        gone |= {item.site.number for item in items}
        here = frozenset(site.number for site in file.sites) & gone
        if len(here) == len(file.sites):
            return None
        if not worse(file.path, view.before, view.after, without(file, view.before, here), notes):
            return None
        other = partner(file, view.before, here, notes)
        return next((one for one in self.items if one.site.number == other), items[0])

    # --- storing -----------------------------------------------------------------------------------

    def save(self) -> StagedChange:
        """Put the decisions into the change, also those that were taken back since the last time.
        StagingError if another process changed it so that this cannot be done."""
        if self._decided == self._saved and self._sites == self._saved_sites:
            return self.change
        store, name = self._tree.store, self.change.id
        gone = {number for number, decision in self._decided.items() if decision == DROP}
        before = {number for number, decision in self._saved.items() if decision == DROP}
        if gone - before:
            self.change = store.drop(name, sites=sorted(gone - before))
        back = before - gone
        if back or self.change.files:
            self.change = find(self._tree, name)
            notes = self._notes()
            if back or self._sites != self._saved_sites:
                self.change = store.replace(
                    name,
                    self._proposals(back),
                    refused=self.change.refused,
                    notes=notes,
                    dropped=set(self.change.dropped) - back,
                )
            elif notes != dict(self.change.notes):
                self.change = store.note(name, notes)
        self._saved, self._saved_sites = dict(self._decided), dict(self._sites)
        return self.change

    def _notes(self) -> dict[str, Any]:
        """The notes with the sites that are decided and edited; those of which that was taken back here
        are not."""
        notes = dict(self.change.notes)
        kept = {number for number, decision in self._decided.items() if decision != DROP}
        reviewed = ({*notes.get("reviewed", ())} - set(self._saved)) | kept
        edited = ({*notes.get("edited", ())} - set(self._saved_sites)) | set(self._sites)
        found = {"reviewed": reviewed, "edited": edited}
        return notes | {name: sorted(numbers) for name, numbers in found.items() if numbers or name in notes}

    def _proposals(self, back: set[int]) -> list[ProposedFile]:
        """The change as it is in the store now, with the sites that were edited here and those that
        come back."""
        there = {site.number for file in self.change.files for site in file.sites} | back
        found: list[ProposedFile] = []
        for view in self._views.values():
            file = view.file
            sites = [site for site in file.sites if site.number in there]
            if not sites:
                continue
            number = sites[0].number
            if file.action is Action.CREATE:
                found.append(CreateFile(file.path, view.after, file.executable, number=number))
            elif file.action is Action.DELETE:
                found.append(DeleteFile(file.path, view.before, number=number))
            else:
                now = tuple(self._sites.get(site.number, site) for site in sites)
                found.append(EditFile(file.path, view.before, now))
        return found

    # --- inside ------------------------------------------------------------------------------------

    def _decide(self, decisions: list[tuple[Item, str, Site | None]]) -> None:
        old = []
        for item, decision, site in decisions:
            number = item.site.number
            old.append((number, self._decided.get(number), self._sites.get(number)))
            self._decided[number] = decision
            if decision == DROP:
                self._sites.pop(number, None)
            elif site is not None:
                self._sites[number] = site
        if old:
            self._history.append(tuple(old))

    def _now(self, item: Item) -> Site:
        return self._sites.get(item.site.number, item.site)

    def _left(self, view: FileView) -> list[Site]:
        return [
            self._sites.get(site.number, site)
            for site in view.file.sites
            if self._decided.get(site.number) != DROP
        ]

    def _region(self, item: Item) -> Span:
        """The bytes of the file before that the text of a site stands for: whole lines of its match, as
        far as no other site changes something there."""
        site, before = item.site, item.view.before
        low = min(site.span.start, site.edits[0].span.start)
        high = max(site.span.end, site.edits[-1].span.end)
        lines = LineIndex(before)
        wide = Span(
            lines.line_span(lines.line(low)).start,
            max(high, lines.line_span(lines.line(max(low, high - 1))).end),
        )
        others = [e.span for other in item.view.file.sites if other is not site for e in other.edits]
        for region in (wide, Span(low, high)):
            if not any(one.start < region.end and one.end > region.start for one in others):
                return region
        return Span(site.edits[0].span.start, site.edits[-1].span.end)


def _put(table: dict[int, Any], number: int, value: Any) -> None:
    if value is None:
        table.pop(number, None)
    else:
        table[number] = value
