"""Staging what was written elsewhere: a unified diff, or a list of edits as JSON.

Order of things: read all of it, read every file that it names, check every hunk or edit
and gather what is wrong with any of them, then hand everything to the store in one call.

Each hunk and each edit is a site, numbered as it was given.  A text is put in as it is:
line endings are not guessed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from structural.errors import DiffError, StagingError, UsageError
from structural.staging import CreateFile, DeleteFile, EditFile, ProposedFile, Site
from structural.staging.look import look, read
from structural.text import Edit, LineIndex, Span, digest
from structural.text.edits import apply
from structural.text.patches import FilePatch, Hunk, fit, read_patch
from structural.workflow.recipes import EDITS, PATCH, marks_of
from structural.workflow.soundness import applied, errors_in, language_of
from structural.workflow.staging import Staged, Trouble, befores_of, store
from structural.workflow.trees import Misplaced, OpenTree, Tree

__all__ = ["Guard", "Staged", "in_sequence", "stage_edits", "stage_patch", "stage_proposals"]

Guard = Callable[[], AbstractContextManager[None]]

_KEYS = {"path", "range", "lines", "find", "text", "digest"}


def stage_patch(
    tree: OpenTree, data: bytes, name: str, *, strict: bool = False, guard: Guard = nullcontext
) -> Staged:
    """Stage a unified diff, whose paths are relative to the root.

    DiffError with every hunk that does not fit to the byte.  *name* is where the diff is from, for
    lists.  *strict* stages nothing if a file would have new syntax errors.
    """
    patches = read_patch(data)
    if not patches:
        raise DiffError(
            f"{name} holds no diff; nothing was staged", hint="it should be as `git diff` writes it"
        )
    files = _Files(tree)
    proposals: list[ProposedFile] = []
    wrong: list[str] = []
    for patch in patches:
        try:
            proposals += _patched(files, patch)
        except DiffError as problem:
            wrong.append(problem.message)
        except Misplaced as problem:
            wrong.append(f"{patch.path} {problem}")
    _twice(proposals, "the diff")
    if wrong:
        parts = [text.removesuffix("; nothing was changed") for text in wrong]
        raise DiffError(
            f"{'; '.join(parts[:10])}{f'; and {len(parts) - 10} more' if len(parts) > 10 else ''}; "
            "nothing was staged",
            hint="make the diff again from the files as they are; its paths are relative to the root",
        )
    return stage_proposals(tree, in_sequence(proposals), {"from": PATCH, "name": name}, strict, guard)


def stage_edits(
    tree: OpenTree, data: bytes, name: str, *, strict: bool = False, guard: Guard = nullcontext
) -> Staged:
    """Stage a JSON list of edits, each an object with ``path``, ``text`` and one of ``range``
    (``[start, end]``, bytes), ``lines`` (``[first, last]``, from 1, both included) or ``find`` (text
    that stands exactly once); ``digest`` is that of the file as it must be.

    UsageError with everything that is wrong; nothing is staged then.
    """
    wanted = _read_edits(data, name)
    files = _Files(tree)
    sites: dict[str, list[Site]] = {}
    wrong: list[str] = []
    for number, one in enumerate(wanted, 1):
        try:
            path, site = _edit(files, number, one)
        except (_WrongError, Misplaced) as problem:
            wrong.append(f"edit {number}{_of(one)}: {problem}")
            continue
        sites.setdefault(path, []).append(site)
    for path, found in sites.items():
        wrong += _overlaps(path, found)
    if wrong:
        more = f"; and {len(wrong) - 10} more" if len(wrong) > 10 else ""
        raise UsageError(
            f"{'; '.join(wrong[:10])}{more}; nothing was staged",
            hint="paths are relative to the root; read the files again if they changed since",
        )
    proposals = [EditFile(path, files.text(path), tuple(found)) for path, found in sites.items()]
    return stage_proposals(tree, proposals, {"from": EDITS, "name": name}, strict, guard)


class _WrongError(ValueError):
    """What is wrong with one edit."""


@dataclass(slots=True)
class _Files:
    """The files below the root, each read once."""

    open: OpenTree
    _tree: Tree = field(init=False)
    _texts: dict[str, bytes | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tree = Tree(self.open.root)

    def locate(self, path: str) -> str:
        return self._tree.locate(path)

    def find(self, path: str) -> bytes | None:
        """The bytes of the regular file at a located path; None if there is none."""
        if path not in self._texts:
            try:
                self._texts[path] = read(self._tree.full(path))[1]
            except OSError:
                self._texts[path] = None
        return self._texts[path]

    def text(self, path: str) -> bytes:
        found = self.find(path)
        if found is None:
            there = look(self._tree.full(path))
            raise _WrongError("is not there" if there is None else f"is {there.kind} that cannot be read")
        return found

    def executable(self, path: str) -> bool:
        there = look(self._tree.full(path))
        return there is not None and bool(there.stat.st_mode & 0o100)


def stage_proposals(
    tree: OpenTree,
    proposals: Sequence[ProposedFile],
    origin: dict[str, Any],
    strict: bool,
    guard: Guard,
    *,
    moved: Mapping[str, bytes] | None = None,
    remarks: tuple[str, ...] = (),
) -> Staged:
    """Hand *proposals* to the store, and say which files would have new syntax errors; *strict* stages
    nothing then.  *moved* has what a new file was before under another name."""
    troubles = tuple(_troubles(proposals, moved or {}))
    answer = Staged(tree.root, None, troubles=troubles, origin=origin, remarks=remarks)
    if strict and troubles:
        return replace(answer, strict=True)
    marks = {one.path: marks_of(one.before, one.sites) for one in proposals if isinstance(one, EditFile)}
    change = store(tree, proposals, guard, origin=origin, notes={"marks": marks})
    return replace(answer, change=change, befores=befores_of(proposals))


def _troubles(proposals: Iterable[ProposedFile], moved: Mapping[str, bytes]) -> Iterator[Trouble]:
    """The files that would have more syntax errors than now."""
    for one in proposals:
        if isinstance(one, DeleteFile):
            continue
        path = str(one.path)
        before = one.before if isinstance(one, EditFile) else moved.get(path, b"")
        after = applied(before, one.sites) if isinstance(one, EditFile) else one.content
        language = language_of(path, after)
        errors = errors_in(after, language)
        if errors:
            there = (errors_in(before, language) or 0) if before else 0
            if errors > there:
                yield Trouble(path, there, errors)


# --- a diff ------------------------------------------------------------------------------------------


def _patched(files: _Files, patch: FilePatch) -> list[ProposedFile]:
    if patch.old_mode and patch.new_mode and patch.old_mode != patch.new_mode:
        raise DiffError(f"{patch.path}: a change of its mode cannot be staged")
    executable = bool((patch.new_mode or 0) & 0o100)
    if patch.old is None:
        path = files.locate(patch.path)
        return [CreateFile(path, b"".join(_added(patch.hunks)), executable)]
    old = files.locate(patch.old)
    new = files.locate(patch.new) if patch.new is not None else None
    if new is not None and new != old and files.find(new) is not None:
        old = new  # not a rename: two names that a plain diff was made of
    before = files.find(old)
    if before is None:
        raise DiffError(f"{patch.old} is not there, or no file that can be read")
    edits = fit(patch, before)
    if new is None:
        if apply(before, edits):
            raise DiffError(f"{patch.old} would be deleted, but the diff has not all of its lines")
        return [DeleteFile(old, before)]
    if new != old:
        return [
            DeleteFile(old, before),
            CreateFile(new, apply(before, edits), executable or files.executable(old)),
        ]
    return [EditFile(old, before, tuple(_hunk_sites(patch, before, edits)))]


def _hunk_sites(patch: FilePatch, before: bytes, edits: tuple[Edit, ...]) -> Iterator[Site]:
    """One site for every hunk, with those of the edits that are its runs of changed lines."""
    lines = LineIndex(before)
    at = 0
    for hunk in patch.hunks:
        runs = _runs(hunk)
        here = edits[at : at + runs]
        at += runs
        if here:
            span = Span(here[0].span.start, here[-1].span.end)
            yield Site(0, here, span, lines.line(span.start))


def _runs(hunk: Hunk) -> int:
    """How many runs of changed lines a hunk has."""
    count, inside = 0, False
    for mark, _ in hunk.lines:
        count += mark != " " and not inside
        inside = mark != " "
    return count


def _added(hunks: Iterable[Hunk]) -> Iterator[bytes]:
    return (line for hunk in hunks for mark, line in hunk.lines if mark == "+")


def in_sequence(proposals: Sequence[ProposedFile]) -> list[ProposedFile]:
    """The same, their sites numbered from 1 in this order."""
    found: list[ProposedFile] = []
    number = 1
    for one in proposals:
        if isinstance(one, EditFile):
            sites = tuple(replace(site, number=number + at) for at, site in enumerate(one.sites))
            found.append(replace(one, sites=sites))
            number += len(sites)
        else:
            found.append(replace(one, number=number))
            number += 1
    return found


def _twice(proposals: list[ProposedFile], what: str) -> None:
    seen: set[str] = set()
    for one in proposals:
        path = str(one.path)
        if path in seen:
            raise StagingError(
                f"{what} names {path} twice; nothing was staged", hint="stage the two one after the other"
            )
        seen.add(path)


# --- edits -------------------------------------------------------------------------------------------


def _read_edits(data: bytes, name: str) -> list[dict[str, Any]]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"{name} is no JSON: {problem}; nothing was staged") from None
    if isinstance(value, dict) and set(value) <= {"version", "edits"}:
        value = value.get("edits")
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise UsageError(
            f"{name} is no list of edits; nothing was staged",
            hint='as [{"path": "a.py", "find": "old", "text": "new"}]',
        )
    return value


def _edit(files: _Files, number: int, one: dict[str, Any]) -> tuple[str, Site]:
    unknown = sorted(set(one) - _KEYS)
    if unknown:
        raise _WrongError(f"has an unknown name {unknown[0]!r}; there are {', '.join(sorted(_KEYS))}")
    for key in ("path", "text"):
        if not isinstance(one.get(key), str):
            raise _WrongError(f"needs {key!r}, a text")
    path = files.locate(one["path"])
    before = files.text(path)
    wanted = one.get("digest")
    if wanted is not None and wanted != digest(before):
        raise _WrongError(f"the file was edited: its digest is {digest(before)}")
    places = [key for key in ("range", "lines", "find") if one.get(key) is not None]
    if len(places) != 1:
        raise _WrongError("needs exactly one of 'range', 'lines' and 'find'")
    lines = LineIndex(before)
    text = _bytes(one["text"])
    if places == ["find"]:
        span = _found(before, lines, one["find"])
    else:
        first, last = _pair(places[0], one[places[0]])
        if places == ["range"]:
            span = _checked(Span(first, last), before)
        else:
            span, text = _lines(before, lines, first, last, text)
    return path, Site(number, (Edit(span, text),), span, lines.line(span.start))


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise _WrongError("has a text that is no Unicode") from None


def _found(before: bytes, lines: LineIndex, wanted: Any) -> Span:
    if not isinstance(wanted, str) or not wanted:
        raise _WrongError("'find' is no text")
    sought = _bytes(wanted)
    found: list[int] = []
    at = before.find(sought)
    while at >= 0 and len(found) < 4:
        found.append(at)
        at = before.find(sought, at + 1)
    if not found:
        near = " with these line endings" if b"\r\n" in before and b"\n" in sought else ""
        raise _WrongError(f"the text to find is not there{near}")
    if len(found) > 1:
        places = ", ".join(str(lines.line(one)) for one in found[:3])
        raise _WrongError(
            f"the text to find stands more than once, in line {places}{' …' if len(found) > 3 else ''}"
        )
    return Span(found[0], found[0] + len(sought))


def _pair(key: str, value: Any) -> tuple[int, int]:
    if (
        not isinstance(value, list)
        or len(value) != 2
        or not all(isinstance(one, int) and not isinstance(one, bool) for one in value)
    ):
        raise _WrongError(f"{key!r} is no pair of whole numbers")
    return value[0], value[1]


def _checked(span: Span, before: bytes) -> Span:
    if not 0 <= span.start <= span.end <= len(before):
        raise _WrongError(
            f"the range {span.start}-{span.end} is not in the file, which has {len(before)} bytes"
        )
    for at in (span.start, span.end):
        if at < len(before) and 0x80 <= before[at] < 0xC0:
            raise _WrongError(f"byte {at} is inside of a character")
    return span


def _lines(before: bytes, lines: LineIndex, first: int, last: int, text: bytes) -> tuple[Span, bytes]:
    """Whole lines with their ends; ``last`` may be ``first - 1``, to insert before ``first``."""
    count = lines.lines - (before.endswith(b"\n") or not before)
    if not 1 <= first <= count + 1 or not first - 1 <= last <= count:
        raise _WrongError(f"lines {first}-{last} are not in the file, which has {count}")
    start = lines.line_span(first).start if first <= lines.lines else len(before)
    end = lines.line_span(last + 1).start if last < lines.lines else len(before)
    end = max(start, end)
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    if text and not text.endswith(b"\n") and (before[start:end].endswith(b"\n") or end < len(before)):
        text += newline
    if start == len(before) and before and not before.endswith(b"\n"):
        text = newline + text
    return Span(start, end), text


def _overlaps(path: str, sites: list[Site]) -> Iterator[str]:
    ordered = sorted(sites, key=lambda site: (site.span, site.number))
    for one, other in pairwise(ordered):
        if other.span.start < one.span.end or other.span == one.span:
            yield f"edits {one.number} and {other.number} overlap in {path}"


def _of(one: dict[str, Any]) -> str:
    path = one.get("path")
    return f" ({path})" if isinstance(path, str) else ""
