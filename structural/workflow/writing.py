"""Staging what an agent's tools write: whole files, replacements, envelopes.

Here is the whole file, and the front door to the others.  Nothing is written before the
change is committed, and each change is guarded by the digest of the bytes that were read.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Literal

from structural.errors import StaleError, UsageError
from structural.staging import CreateFile, EditFile, ProposedFile, Site, Stale
from structural.text import LineIndex, digest
from structural.text.differences import line_edits
from structural.text.digests import digest_fits, short_digest
from structural.text.endings import BOM, CRLF, LF, all_to, ending_of
from structural.workflow.envelopes import stage_diff_or_envelope, stage_envelope
from structural.workflow.ignoring import is_ignored
from structural.workflow.proposals import Guard, stage_proposals
from structural.workflow.recipes import WRITE
from structural.workflow.replacing import (
    LineReplacement,
    Replacement,
    TextReplacement,
    stage_replacements,
)
from structural.workflow.staging import Staged
from structural.workflow.targets import Problems, Targets, WrongError, encoded
from structural.workflow.trees import Misplaced, OpenTree

__all__ = [
    "LineReplacement",
    "Replacement",
    "Staged",
    "TextReplacement",
    "digest",
    "digest_fits",
    "is_ignored",
    "short_digest",
    "stage_diff_or_envelope",
    "stage_envelope",
    "stage_replacements",
    "stage_write",
]

LineEndings = Literal["keep", "as-is"]
"""``keep``: a text gets the line endings and the byte order mark of the file that it replaces."""

_NAMES = {LF: "LF", CRLF: "CRLF"}


def stage_write(
    tree: OpenTree,
    path: str,
    content: str | bytes,
    *,
    expected: str | None,
    executable: bool | None = None,
    line_endings: LineEndings = "keep",
    ignored: bool = False,
    strict: bool = False,
    guard: Guard = nullcontext,
) -> Staged:
    """Stage a whole file.  Each run of lines that differ is a site.

    *expected* is the digest of the file as the caller last saw it, or its first 12 digits or more;
    None says that there is no file.  StaleError if it is otherwise.  *executable* is of a new file:
    the mode of one that is there is kept.  Folders that are missing are made by the commit.

    With *line_endings* ``keep`` a text gets the endings of the file that it replaces, if these are
    all the same, and its byte order mark; what was done so is told in ``remarks``.  What holds a NUL
    is no text, and is put in as it is.  An ignored file is written only with *ignored*; *strict*
    stages nothing if there would be new syntax errors.
    """
    targets = Targets(tree)
    problems = Problems("paths are relative to the root")
    try:
        located = targets.locate(path)
        before = targets.find(located)
        if expected is not None:
            targets.compare(located, expected, problems)
        if not ignored:
            targets.refuse_ignored([located], problems)
        data = encoded(content, "has a content that")
        if before is not None and executable not in (None, targets.executable(located)):
            raise WrongError("is there, and the mode of a file that is there cannot be changed")
    except (WrongError, Misplaced) as problem:
        raise UsageError(f"{path!r} {problem}; nothing was staged") from None
    if expected is None and before is not None:
        found = digest(before)
        why = f"{located} is there already: its digest is {short_digest(found)}"
        raise StaleError(
            f"{why}; nothing was staged",
            hint="read it, and give its digest to replace it",
            files=(Stale(located, None, found, why),),
        )
    problems.refuse(UsageError)
    remarks: tuple[str, ...] = ()
    if before is not None:
        data, remarks = _as_the_file(before, data, keep=line_endings == "keep")
        proposal: ProposedFile = EditFile(located, before, line_sites(before, data))
    else:
        proposal = CreateFile(located, data, bool(executable), number=1)
    origin = {"from": WRITE, "name": located}
    return stage_proposals(tree, [proposal], origin, strict, guard, remarks=remarks)


def line_sites(before: bytes, after: bytes) -> tuple[Site, ...]:
    """A site for each run of lines that differ, numbered from 1."""
    lines = LineIndex(before)
    return tuple(
        Site(number, (edit,), edit.span, lines.line(edit.span.start))
        for number, edit in enumerate(line_edits(before, after), 1)
    )


def _as_the_file(before: bytes, data: bytes, *, keep: bool) -> tuple[bytes, tuple[str, ...]]:
    """The content with the endings and the byte order mark of the file, and what is to be told."""
    if not before or not data or b"\0" in before or b"\0" in data:
        return data, ()
    remarks: list[str] = []
    if before.startswith(BOM) and not data.startswith(BOM):
        if keep:
            data = BOM + data
            remarks.append("the byte order mark of the file was kept")
        else:
            remarks.append("the file has a byte order mark, the new content has none")
    ending = ending_of(before)
    if ending is not None and (other := _others(data, ending)):
        name = _NAMES[ending]
        if keep:
            data = all_to(data, ending)
            remarks.append(f"{other} line endings of the new content were made {name}, as in all of the file")
        else:
            remarks.append(f"all lines of the file end with {name}, but {other} of the new content do not")
    return data, tuple(remarks)


def _others(data: bytes, ending: bytes) -> int:
    """How many lines of *data* end otherwise."""
    windows = data.count(CRLF)
    return windows if ending == LF else data.count(LF) - windows
