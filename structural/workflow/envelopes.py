"""Staging an envelope: files that come, go, are updated and moved, all or none.

Order of things: read all of it, find every file that it names, fit every hunk and gather
what is wrong with any of them, then hand everything to the store in one call.  Each hunk is a
site, numbered as it is given; so is each file that comes or goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import count, pairwise

from structural.errors import DiffError, UsageError
from structural.staging import CreateFile, DeleteFile, EditFile, ProposedFile, Site
from structural.text import LineIndex, Span
from structural.text.edits import apply
from structural.text.envelope import (
    AddFile,
    AnchoredHunk,
    RemoveFile,
    Section,
    UpdateFile,
    is_envelope,
    read_envelope,
)
from structural.text.fitting import FittedHunk, fit_hunks
from structural.text.lines import Lines, collide
from structural.text.patches import read_patch
from structural.workflow.proposals import Guard, stage_patch, stage_proposals
from structural.workflow.recipes import ENVELOPE
from structural.workflow.staging import Staged
from structural.workflow.targets import Problems, Targets, WrongError, encoded, named
from structural.workflow.trees import Misplaced, OpenTree

__all__ = ["stage_diff_or_envelope", "stage_envelope"]


def stage_diff_or_envelope(
    tree: OpenTree,
    text: str | bytes,
    name: str = "the diff",
    *,
    digests: Mapping[str, str] | None = None,
    ignored: bool = False,
    strict: bool = False,
    guard: Guard = nullcontext,
) -> Staged:
    """Stage *text*, which is an envelope if it begins like one, else a unified diff; *name* is where
    it is from.  The rest is as for ``stage_envelope``."""
    data = _data(text)
    if is_envelope(data):
        return stage_envelope(tree, data, digests=digests, ignored=ignored, strict=strict, guard=guard)
    targets = Targets(tree)
    problems = Problems("")
    _compare(targets, digests or {}, problems)
    if not ignored:
        found: list[str] = []
        for patch in read_patch(data):
            for path in (patch.old, patch.new):
                try:
                    found += [targets.locate(path)] if path else []
                except (WrongError, Misplaced):
                    continue  # the diff itself is refused for it
        targets.refuse_ignored(found, problems)
    problems.refuse(UsageError)
    return stage_patch(tree, data, name, strict=strict, guard=guard)


def stage_envelope(
    tree: OpenTree,
    text: str | bytes,
    *,
    digests: Mapping[str, str] | None = None,
    ignored: bool = False,
    strict: bool = False,
    guard: Guard = nullcontext,
) -> Staged:
    """Stage an envelope, from ``*** Begin Patch`` to ``*** End Patch``.

    DiffError with all that cannot be read, or with every hunk and file that does not fit.  *digests*
    are those that files must have, by path; StaleError if one has another.  *ignored* lets ignored
    files be written; *strict* stages nothing if there would be new syntax errors.
    """
    sections = read_envelope(_data(text))
    targets = Targets(tree)
    problems = Problems("read the files again, and take their lines as they are")
    _compare(targets, digests or {}, problems)
    plan: dict[str, _File] = {}
    for section in sections:
        try:
            path = targets.locate(section.path)
            _take_in(plan.setdefault(path, _File(path)), section)
        except (WrongError, Misplaced) as problem:
            problems.wrong.append(f"{section.path!r} {problem} (line {section.at} of the envelope)")
    proposals: list[ProposedFile] = []
    moved: dict[str, bytes] = {}
    numbers = count(1)
    for file in plan.values():
        try:
            proposals += _proposals(file, targets, numbers, moved, problems)
        except (WrongError, Misplaced) as problem:
            problems.wrong.append(f"{file.path} {problem}")
    paths = [str(one.path) for one in proposals]
    for path in dict.fromkeys(path for path in paths if paths.count(path) > 1):
        problems.wrong.append(f"{path} comes from two sections of the envelope")
    if not ignored:
        targets.refuse_ignored({*plan, *paths}, problems)
    problems.refuse(DiffError)
    origin = {"from": ENVELOPE, "name": named(plan)}
    return stage_proposals(tree, proposals, origin, strict, guard, moved=moved)


@dataclass(slots=True)
class _File:
    """What an envelope says of one file, whose path is below the root."""

    path: str
    other: AddFile | RemoveFile | None = None
    updates: list[UpdateFile] = field(default_factory=list)
    moved: str | None = None


def _take_in(file: _File, section: Section) -> None:
    """Add a section.  A file may be updated by several, which all speak of it as it is now."""
    if file.other is not None or (file.updates and not isinstance(section, UpdateFile)):
        raise WrongError("is named by two sections, and not both are updates")
    if not isinstance(section, UpdateFile):
        file.other = section
        return
    if section.moved is not None and file.moved not in (None, section.moved):
        raise WrongError("is moved to two places")
    file.moved = section.moved if section.moved is not None else file.moved
    file.updates.append(section)


def _proposals(
    file: _File, targets: Targets, numbers: count[int], moved: dict[str, bytes], problems: Problems
) -> list[ProposedFile]:
    path = file.path
    if isinstance(file.other, AddFile):
        if targets.find(path) is not None:
            raise WrongError("is there already: update it, or delete it by a change of its own")
        return [CreateFile(path, file.other.content, number=next(numbers))]
    before = targets.text(path)
    if file.other is not None:
        return [DeleteFile(path, before, number=next(numbers))]
    fitted, wrong = _fitted(file, before)
    problems.wrong += wrong
    new = targets.locate(file.moved) if file.moved is not None else path
    if new != path and targets.find(new) is not None:
        raise WrongError(f"would be moved to {new}, which is there already")
    if wrong:
        return []
    if new != path:
        after = apply(before, sorted(edit for one in fitted for edit in one.edits))
        moved[new] = before
        return [
            DeleteFile(path, before, number=next(numbers)),
            CreateFile(new, after, targets.executable(path), number=next(numbers)),
        ]
    index = LineIndex(before)
    sites = []
    for one in fitted:
        span = Span(one.edits[0].span.start, one.edits[-1].span.end)
        sites.append(Site(next(numbers), one.edits, span, index.line(span.start)))
    return [EditFile(path, before, tuple(sites))]


def _fitted(file: _File, before: bytes) -> tuple[list[FittedHunk], list[str]]:
    """The hunks of a file with their edits, and what is wrong with any of them."""
    lines = Lines(before)
    fitted: list[FittedHunk] = []
    wrong: list[str] = []
    for update in file.updates:
        found, misfits = fit_hunks(update.hunks, lines)
        fitted += found
        wrong += [f"{_name(file, one.hunk)} does not fit: {one.why}" for one in misfits]
    idle = [one.hunk for one in fitted if not one.edits]
    wrong += [f"{_name(file, hunk)} changes nothing: its new lines are the old ones" for hunk in idle]
    if not wrong:
        wrong += _overlaps(file.path, fitted, before)
    return fitted, wrong


def _name(file: _File, hunk: AnchoredHunk) -> str:
    return f"hunk {hunk.number} of {file.path} (line {hunk.at} of the envelope)"


def _overlaps(path: str, fitted: list[FittedHunk], before: bytes) -> Iterator[str]:
    """The hunks that change the same lines; between the edits of one there may be those of another
    only if these are all in one gap."""
    ordered = sorted(fitted, key=lambda one: one.edits)
    index = LineIndex(before)
    for one, other in pairwise(ordered):
        if collide(one.edits[-1].span, other.edits[0].span, before):
            yield (
                f"the hunks in lines {one.hunk.at} and {other.hunk.at} of the envelope overlap in {path}, "
                f"line {index.line(other.edits[0].span.start)}"
            )


def _compare(targets: Targets, digests: Mapping[str, str], problems: Problems) -> None:
    for path, expected in digests.items():
        try:
            targets.compare(targets.locate(path), expected, problems)
        except (WrongError, Misplaced) as problem:
            problems.wrong.append(f"{path!r} {problem}")


def _data(text: str | bytes) -> bytes:
    try:
        return encoded(text, "the text")
    except WrongError as problem:
        raise DiffError(f"{problem}; nothing was staged") from None
