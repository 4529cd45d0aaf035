"""Staging replacements: texts and ranges of lines, in any number of files, all or none.

All of them speak of the files as they are now, not of what an earlier one makes of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import count

from structural.errors import UsageError
from structural.staging import EditFile, Site
from structural.text import Edit, LineIndex
from structural.text.endings import BOM, split
from structural.text.finding import OverlapError, ended_as, occurrences, why_missing
from structural.text.lines import Lines, collide
from structural.text.nearby import shown
from structural.workflow.proposals import Guard, stage_proposals
from structural.workflow.recipes import REPLACEMENTS
from structural.workflow.staging import Staged
from structural.workflow.targets import Problems, Targets, WrongError, encoded, named
from structural.workflow.trees import Misplaced, OpenTree

__all__ = ["LineReplacement", "Replacement", "TextReplacement", "stage_replacements"]

_SHOWN = 8
"""Lines of a file that a message shows."""


@dataclass(frozen=True, slots=True)
class TextReplacement:
    """The text *old*, which must stand *count* times in the file, becomes *new* everywhere.

    *count* None means: as often as it stands there, but at least once.  A line break of *old* is
    also found where the file has ``\\r\\n``, and those of *new* become the file's.  *digest* is that of
    the file, or its first 12 digits or more.
    """

    path: str
    old: str
    new: str
    count: int | None = 1
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class LineReplacement:
    """The lines from *first* to *last* (from 1, both included) become the lines of *new*.

    *expected* are the lines as they are now.  *last* may be ``first - 1``, to put lines before
    *first*; there is nothing to expect then, and *digest* must be given.  Whether *expected* and
    *new* end with a line break says nothing; an empty *new* takes the lines out.
    """

    path: str
    first: int
    last: int
    expected: str
    new: str
    digest: str | None = None


Replacement = TextReplacement | LineReplacement


@dataclass(frozen=True, slots=True)
class _Placed:
    """An edit of one replacement, which counts from 1."""

    edit: Edit
    number: int


def stage_replacements(
    tree: OpenTree,
    replacements: Sequence[Replacement],
    *,
    ignored: bool = False,
    strict: bool = False,
    guard: Guard = nullcontext,
) -> Staged:
    """Stage *replacements*; each place that changes is a site, numbered as they are given.

    UsageError with everything that is wrong, StaleError if a file has another digest; nothing is
    staged then.  *ignored* lets ignored files be written; *strict* stages nothing if there would be
    new syntax errors.
    """
    targets = Targets(tree)
    problems = Problems("read the files again if they changed since; paths are relative to the root")
    found: dict[str, list[_Placed]] = {}
    if not replacements:
        problems.wrong.append("there is no replacement")
    for number, one in enumerate(replacements, 1):
        try:
            path = targets.locate(one.path)
            if one.digest is not None:
                stale = len(problems.stale)
                targets.compare(path, one.digest, problems)
                if len(problems.stale) > stale:
                    continue
            found.setdefault(path, [])
            before = targets.text(path)
            edits = _texts(before, one) if isinstance(one, TextReplacement) else [_lines(before, one)]
            found[path] += [_Placed(edit, number) for edit in edits]
        except (WrongError, Misplaced) as problem:
            what = f"replacement {number} ({one.path!r}): {problem}"
            problems.wrong.append(what + _earlier(replacements, number))
    for path, placed in found.items():
        problems.wrong += _overlaps(path, placed, targets)
    if not ignored:
        targets.refuse_ignored(found, problems)
    problems.stale = list({one.path: one for one in problems.stale}.values())
    problems.refuse(UsageError)
    numbers = count(1)
    order = sorted((one.number, one.edit, path) for path, placed in found.items() for one in placed)
    sites: dict[str, list[Site]] = {path: [] for path in found}
    indexes = {path: LineIndex(targets.text(path)) for path in found}
    for _, edit, path in order:
        line = indexes[path].line(edit.span.start)
        sites[path].append(Site(next(numbers), (edit,), edit.span, line))
    proposals = [EditFile(path, targets.text(path), tuple(some)) for path, some in sites.items()]
    return stage_proposals(tree, proposals, {"from": REPLACEMENTS, "name": named(found)}, strict, guard)


# --- texts -------------------------------------------------------------------------------------------


def _texts(before: bytes, one: TextReplacement) -> list[Edit]:
    old, new = encoded(one.old, "the text to find"), encoded(one.new, "the new text")
    if not old:
        raise WrongError("the text to find is empty")
    if one.count is not None and one.count < 1:
        raise WrongError(f"a text cannot be replaced {one.count} times")
    if old == new:
        raise WrongError("the new text is the old one")
    lines = LineIndex(before)
    try:
        places = occurrences(before, old)
    except OverlapError as problem:
        raise WrongError(
            f"the text stands at places that overlap, in line {lines.line(problem.at)}: "
            "take a longer or a shorter one"
        ) from None
    if not places:
        near = why_missing(before, old, Lines(before))
        raise WrongError("the text is not there" + (f"; {near}" if near else ""))
    if one.count is not None and len(places) != one.count:
        wanted = "once" if one.count == 1 else f"{one.count} times"
        stands = "once" if len(places) == 1 else f"{len(places)} times"
        where = ("lines " if len(places) > 1 else "line ") + ", ".join(
            str(lines.line(place.start)) for place in places[:10]
        )
        raise WrongError(
            f"the text stands {stands}, not {wanted}, in {where}{' …' if len(places) > 10 else ''}: "
            "take lines around it with it, or say how often it stands"
        )
    return [Edit(place, ended_as(before, place, new)) for place in places]


def _earlier(replacements: Sequence[Replacement], number: int) -> str:
    """What to add where a text stands only in what an earlier replacement makes."""
    one = replacements[number - 1]
    if not isinstance(one, TextReplacement) or not one.old:
        return ""
    for at, other in enumerate(replacements[: number - 1], 1):
        if other.path == one.path and one.old in other.new:
            return f"; it stands in the new text of replacement {at}: make one of the two"
    return ""


# --- lines -------------------------------------------------------------------------------------------


def _lines(before: bytes, one: LineReplacement) -> Edit:
    lines = Lines(before)
    first, last = one.first, one.last
    if not 1 <= first <= lines.count + 1 or not first - 1 <= last <= lines.count:
        raise WrongError(f"lines {first}-{last} are not in the file, which has {lines.count}")
    expected = _given(encoded(one.expected, "the expected text"), last - first + 1, first == 1)
    new = encoded(one.new, "the new text")
    if last < first:
        if expected:
            raise WrongError(f"lines {first}-{last} are none, but some are expected")
        if one.digest is None:
            raise WrongError("to put lines before one the digest of the file must be given")
    there = lines.contents[first - 1 : last]
    if there != expected:
        raise WrongError(_unlike(lines, first, last, expected))
    fresh = split(new.removeprefix(BOM) if first == 1 else new)
    if there == fresh:
        raise WrongError("the new lines are the old ones")
    return lines.edit(first - 1, last, fresh)


def _given(text: bytes, size: int, top: bool) -> list[bytes]:
    """The lines of a text that should be *size* ones; only their number tells whether a line break
    at its end begins an empty line."""
    text = text.removeprefix(BOM) if top else text
    found = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    if not found[-1] and len(found) == size + 1:
        found.pop()
    return found


def _unlike(lines: Lines, first: int, last: int, expected: list[bytes]) -> str:
    there = lines.contents[first - 1 : last]
    named_lines = f"line {first} is" if first == last else f"lines {first}-{last} are"
    if len(there) == len(expected):
        at = next(i for i, (a, b) in enumerate(zip(there, expected, strict=True)) if a != b)
        what = f"{named_lines} not as expected: line {first + at} is {shown(there[at])}, "
        what += f"not {shown(expected[at])}"
    else:
        what = f"{named_lines} {len(there)} lines, but {len(expected)} are expected"
    places = lines.find(expected) if any(expected) else []
    if len(places) == 1:
        what += f"; the expected lines stand in {places[0] + 1}-{places[0] + len(expected)} now"
    elif len(there) > 1:
        cut = " …" if len(there) > _SHOWN else ""
        what += f"; there stands now: {' '.join(shown(line, 80) for line in there[:_SHOWN])}{cut}"
    return what


# --- all ---------------------------------------------------------------------------------------------


def _overlaps(path: str, placed: list[_Placed], targets: Targets) -> Iterator[str]:
    if len(placed) < 2:
        return
    before = targets.text(path)
    lines = LineIndex(before)
    ordered = sorted(placed, key=lambda one: (one.edit.span, one.number))
    widest = ordered[0]
    for other in ordered[1:]:
        if collide(widest.edit.span, other.edit.span, before):
            line = lines.line(other.edit.span.start)
            yield f"replacements {widest.number} and {other.number} overlap in {path}, line {line}"
        if other.edit.span.end >= widest.edit.span.end:
            widest = other
