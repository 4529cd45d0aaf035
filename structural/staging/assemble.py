"""From proposals to file changes: one for each file, sites checked, numbered and in order.

What is wrong with any of them is found for all of them before anything is kept.  Reads
the tree; writes nothing.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise

from structural.errors import NothingToStageError, StagingError, UnwritableError
from structural.staging.disk import Disk
from structural.staging.paths import Misplaced, Tree
from structural.staging.prepare import obstacle
from structural.staging.values import (
    Action,
    CreateFile,
    EditFile,
    FileChange,
    ProposedFile,
    Site,
)
from structural.text import Edit, Span, digest
from structural.text.edits import apply, checked


@dataclass(frozen=True, slots=True)
class Assembled:
    """File changes in order of path, and the bytes before of those that exist."""

    files: tuple[FileChange, ...]
    befores: dict[str, bytes]
    unchanged: int
    """Sites left out because they change nothing."""
    last: int
    """The greatest number given to a site."""


def assemble(tree: Tree, disk: Disk, proposals: Sequence[ProposedFile], last: int = 0) -> Assembled:
    """File changes for *proposals*; sites without a number get those after *last*.

    UnwritableError names every file that could never be committed, NothingToStageError says that
    all is as it should be already.
    """
    located = _located(tree, disk, proposals)
    files: list[FileChange] = []
    befores: dict[str, bytes] = {}
    unchanged = 0
    for path, proposal in located:
        file, same = _file_change(path, proposal)
        unchanged += same
        if file is None:
            continue
        files.append(file)
        if not isinstance(proposal, CreateFile):
            befores[path] = proposal.before
    if not files:
        raise NothingToStageError(
            "nothing to stage: every file would stay as it is" if located else "nothing to stage"
        )
    numbered, highest = _numbered(files, last)
    return Assembled(numbered, befores, unchanged, highest)


def with_sites(file: FileChange, before: bytes, sites: tuple[Site, ...]) -> FileChange | None:
    """*file* with only these of its sites; None if nothing would change."""
    if not sites:
        return None
    if file.action is not Action.MODIFY:
        return file
    after = digest(apply(before, _edits_of(file.path, sites, len(before))))
    return replace(file, sites=sites, after=after) if after != file.before else None


def _located(tree: Tree, disk: Disk, proposals: Sequence[ProposedFile]) -> list[tuple[str, ProposedFile]]:
    """Each file once, with its path below the root, in order."""
    troubles: list[tuple[str, str]] = []
    found: dict[str, ProposedFile] = {}
    for proposal in proposals:
        name = os.fspath(proposal.path)
        try:
            path = tree.locate(proposal.path)
        except Misplaced as error:
            troubles.append((name, str(error)))
            continue
        first = found.setdefault(path, proposal)
        if first is not proposal and replace(first, path="") != replace(proposal, path=""):
            raise StagingError(
                f"{name} and {os.fspath(first.path)} are one file, but are to be changed differently; "
                "nothing was staged",
                hint="name the file once",
            )
    troubles += _twins(tree, found)
    known = {path for path, _ in troubles}
    for path, proposal in found.items():
        action = Action.CREATE if isinstance(proposal, CreateFile) else Action.MODIFY
        if path not in known and (reason := obstacle(tree, disk, path, action)):
            troubles.append((path, reason))
    if troubles:
        raise UnwritableError(
            "nothing was staged: " + listed(troubles), files=tuple(troubles), hint="leave these files out"
        )
    return sorted(found.items())


def listed(troubles: Iterable[tuple[str, str]], most: int = 10) -> str:
    """As ``a.py is a folder; b.py …``, in order of path."""
    ordered = sorted(troubles)
    text = "; ".join(f"{_shown(path)} {reason}" for path, reason in ordered[:most])
    return text + (f"; and {len(ordered) - most} more" if len(ordered) > most else "")


def _shown(path: str) -> str:
    """A path that can be printed, whatever its bytes are."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _twins(tree: Tree, found: dict[str, ProposedFile]) -> Iterator[tuple[str, str]]:
    """Files that some file systems take for one, because their names differ only in case."""
    groups: dict[str, list[str]] = {}
    for path in found:
        groups.setdefault(folded(path), []).append(path)
    listing: dict[str, list[str]] = {}
    for group in groups.values():
        for one, other in pairwise(group):
            if isinstance(found[one], CreateFile) or isinstance(found[other], CreateFile):
                yield other, f"differs from {one} only in the case of letters"
            elif _same_file(tree.full(one), tree.full(other)):
                yield other, f"is the same file as {one}, under another name"
    for path, proposal in found.items():
        if not isinstance(proposal, CreateFile):
            continue
        folder, _, name = path.rpartition("/")
        if folder not in listing:
            try:
                listing[folder] = os.listdir(tree.full(folder) if folder else tree.root)
            except OSError:
                listing[folder] = []
        for other in listing[folder]:
            if other != name and folded(other) == folded(name):
                yield path, f"differs from {other}, which is there, only in the case of letters"


def folded(path: str) -> str:
    """*path* as a file system sees it that ignores case and composition of characters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except OSError:
        return False


def _file_change(path: str, proposal: ProposedFile) -> tuple[FileChange | None, int]:
    """The file change, or None if it would change nothing; and how many sites were left out."""
    if isinstance(proposal, EditFile):
        return _modification(path, proposal)
    if isinstance(proposal, CreateFile):
        content = proposal.content
        edits = (Edit(Span(0, 0), content),) if content else ()
        site = Site(proposal.number, edits, Span(0, 0), 1, 1, proposal.title)
        after = digest(content)
        return FileChange(path, Action.CREATE, None, after, (site,), proposal.executable), 0
    before = proposal.before
    whole = Span(0, len(before))
    edits = (Edit(whole, b""),) if before else ()
    site = Site(proposal.number, edits, whole, 1, 1, proposal.title)
    return FileChange(path, Action.DELETE, digest(before), None, (site,)), 0


def _modification(path: str, proposal: EditFile) -> tuple[FileChange | None, int]:
    before = proposal.before
    sites = tuple(site for site in proposal.sites if _changes(site, before))
    same = len(proposal.sites) - len(sites)
    sites = tuple(sorted(sites, key=lambda site: (site.edits[0].span, site.span)))
    after = apply(before, _edits_of(path, sites, len(before)))
    if after == before:
        return None, same + len(sites)
    return FileChange(path, Action.MODIFY, digest(before), digest(after), sites), same


def _changes(site: Site, before: bytes) -> bool:
    return any(before[edit.span.start : edit.span.end] != edit.new for edit in site.edits)


def _edits_of(path: str, sites: Iterable[Site], length: int) -> tuple[Edit, ...]:
    try:
        return checked((edit for site in sites for edit in site.edits), length)
    except ValueError as error:
        raise StagingError(f"{path}: {error}; nothing was staged") from None


def _numbered(files: list[FileChange], last: int) -> tuple[tuple[FileChange, ...], int]:
    given = [site.number for file in files for site in file.sites if site.number]
    if len(set(given)) != len(given):
        raise StagingError("two sites have the same number; nothing was staged")
    highest = max([last, *given])
    fresh = count(highest + 1)
    numbered = tuple(
        replace(
            file,
            sites=tuple(site if site.number else replace(site, number=next(fresh)) for site in file.sites),
        )
        for file in files
    )
    return numbered, next(fresh) - 1
