"""Staged changes: find one, look at it, take sites out, commit it, take it back.

What is only a call of the store is that: ``OpenTree.store`` is for the surface too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from structural.errors import StagingError
from structural.staging import (
    Action,
    Collected,
    Committed,
    CommittedFile,
    Damaged,
    FileChange,
    LateWrite,
    Recovered,
    Refused,
    Site,
    StagedChange,
    Stale,
    State,
    Store,
)
from structural.text import Edit, LineIndex, Span
from structural.text.edits import apply
from structural.text.patches import changed_lines, unified
from structural.workflow.trees import OpenTree, open_tree

__all__ = [
    "Action",
    "Collected",
    "Committed",
    "CommittedFile",
    "Damaged",
    "Edit",
    "FileChange",
    "FileView",
    "LateWrite",
    "LineIndex",
    "OpenTree",
    "Recovered",
    "Refused",
    "Site",
    "Span",
    "StagedChange",
    "Stale",
    "State",
    "Store",
    "apply",
    "counted",
    "drop",
    "find",
    "language_of",
    "listed",
    "matching",
    "open_tree",
    "site_diff",
    "site_lines",
    "staged_counts",
    "staged_views",
    "views",
]


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a change with its bytes.  ``before`` is empty for a new file, ``after`` for one
    that goes."""

    file: FileChange
    before: bytes
    after: bytes

    def diff(self, context: int = 3) -> bytes:
        """The unified diff, with git's header."""
        file = self.file
        return unified(
            file.path,
            None if file.action is Action.CREATE else self.before,
            None if file.action is Action.DELETE else self.after,
            edits=file.edits,
            context=context,
            mode=0o100755 if file.executable else 0o100644,
        )

    def counts(self) -> tuple[int, int]:
        """Lines that are added and removed, as the diff shows them."""
        if self.file.action is Action.MODIFY:
            return changed_lines(self.before, self.file.edits)
        return counted(self.diff(0))


def counted(diff: bytes) -> tuple[int, int]:
    """Lines that a diff of one file adds and removes."""
    at = diff.find(b"\n@@ ")
    body = diff[at:] if at >= 0 else b""
    return body.count(b"\n+"), body.count(b"\n-")


def find(tree: OpenTree, name: str | None) -> StagedChange:
    """The change of this id or beginning of one; without it the only open one."""
    return tree.store.load(name) if name else tree.store.only_open()


def views(tree: OpenTree, change: StagedChange) -> Iterator[FileView]:
    """The files of a change with their bytes, in order of path, one at a time."""
    for file, before, after in tree.store.texts(change.id):
        yield FileView(file, before, after)


def staged_counts(change: StagedChange, befores: Mapping[str, bytes]) -> dict[str, tuple[int, int]]:
    """Path → lines added and removed, of the files of a change that was staged just now with *befores*."""
    return {
        file.path: changed_lines(befores[file.path], file.edits)
        if file.action is Action.MODIFY
        else FileView(
            file, befores.get(file.path, b""), apply(befores.get(file.path, b""), file.edits)
        ).counts()
        for file in change.files
    }


def staged_views(change: StagedChange, befores: Mapping[str, bytes]) -> Iterator[FileView]:
    """The same of a change that was staged just now, with the bytes before that it was staged with."""
    for file in change.files:
        before = b"" if file.before is None else befores[file.path]
        yield FileView(file, before, apply(before, file.edits))


def language_of(path: str, source: bytes, notes: Mapping[str, Any]) -> str | None:
    """The language of a file of a change with these notes."""
    from structural.workflow.soundness import language_of as known

    return known(path, source, notes)


def site_diff(view: FileView, site: Site, context: int = 3) -> bytes:
    """The diff that one site alone makes."""
    if view.file.action is not Action.MODIFY:
        return view.diff(context)
    after = apply(view.before, site.edits)
    return unified(view.file.path, view.before, after, edits=site.edits, context=context)


def site_lines(view: FileView) -> list[tuple[int, int]]:
    """Number and line of every site: the line of its first edit, as this is where the diff shows it."""
    if view.file.action is not Action.MODIFY:
        return [(site.number, 0 if view.file.action is Action.CREATE else 1) for site in view.file.sites]
    lines = LineIndex(view.before)
    found = []
    for site in view.file.sites:
        at = min(site.edits[0].span.start, max(len(view.before) - 1, 0))
        found.append((site.number, lines.line(at)))
    return found


def drop(
    tree: OpenTree, change: StagedChange, *, sites: Iterable[int] = (), globs: Sequence[str] = ()
) -> StagedChange:
    """Take sites out of an open change.

    StagingError, and nothing is dropped, if what is left of a file would have syntax errors that
    neither the file nor the change has now: it says which sites hang together.
    """
    wanted = frozenset(sites)
    gone = wanted | {site.number for file in _files_of(change, globs) for site in file.sites}
    broken = [text for view in views(tree, change) if (text := _hanging(view, gone, change.notes))]
    if broken:
        raise StagingError(
            f"{'; '.join(text for text, _ in broken)}; nothing was dropped",
            hint="; ".join(dict.fromkeys(hint for _, hint in broken)),
        )
    return tree.store.drop(change.id, sites=sorted(wanted), globs=globs)


def _hanging(view: FileView, gone: frozenset[int], notes: Any) -> tuple[str, str] | None:
    """What goes wrong in a file without the sites of *gone*, and what to do; None if all is well."""
    file = view.file
    here = frozenset(site.number for site in file.sites) & gone
    if not here or len(here) == len(file.sites) or file.action is not Action.MODIFY:
        return None
    from structural.workflow.soundness import partner, without, worse

    if not worse(file.path, view.before, view.after, without(file, view.before, gone), notes):
        return None
    names = listed(here)
    other = partner(file, view.before, here, notes)
    what = f"without site {names} the rest of {file.path} would have new syntax errors"
    if other is None:
        return what, f"the sites of {file.path} hang together: --file {file.path} drops all of them"
    return what, f"site {other} hangs together with it: --site {listed({*here, other})} drops both"


def listed(numbers: Iterable[int]) -> str:
    """As ``1-3,7``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{low}" if low == high else f"{low}-{high}" for low, high in runs)


def matching(change: StagedChange, globs: Sequence[str]) -> frozenset[str]:
    """The paths of the files of a change that fit a glob."""
    return frozenset(file.path for file in _files_of(change, globs))


def _files_of(change: StagedChange, globs: Sequence[str]) -> list[FileChange]:
    """The files that fit a glob, as the store reads them."""
    return [
        file
        for file in change.files
        if any(
            fnmatchcase(file.path, glob)
            or ("/" not in glob and fnmatchcase(file.path.rsplit("/", 1)[-1], glob))
            for glob in globs
        )
    ]
