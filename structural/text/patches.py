"""Unified diffs, written.  Bytes all the way: no encoding, no guess at line endings.

What is made is taken by ``git apply`` and ``patch -p1``, and read by ``patch_reading``.
With the edits at hand the cost is that of finding line breaks, however large the file is.

A line ends at ``\\n`` only.  Pure: no files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from structural.text.edits import Edit, apply
from structural.text.patch_reading import ESCAPES, FilePatch, Hunk, fit, lines_of, read_patch
from structural.text.spans import Span

__all__ = ["FilePatch", "Hunk", "changed_lines", "fit", "read_patch", "unified"]

_REGULAR = 0o100644
_COMPARED = 2_000
"""Lines of a changed stretch up to which lines that stay inside of it are looked for."""

_NO_NEWLINE = b"\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines that are replaced: a byte range of the text before, and the lines for it."""

    start: int
    end: int
    new: tuple[bytes, ...]


def unified(
    path: str,
    before: bytes | None,
    after: bytes | None,
    *,
    edits: Sequence[Edit] | None = None,
    context: int = 3,
    mode: int = _REGULAR,
) -> bytes:
    """The diff of one file, with git's header; empty if nothing differs.

    None stands for no file.  *edits*, if given, must take *before* to *after*.  *mode* is told
    where the file is made or goes.
    """
    if before == after:
        return b""
    old, new = _name("a/" + path), _name("b/" + path)
    head = b"diff --git " + old + b" " + new + b"\n"
    if before is None:
        head += b"new file mode %o\n" % mode
    elif after is None:
        head += b"deleted file mode %o\n" % mode
    left, right = before or b"", after or b""
    body = b"".join(_hunks(left, _changes(left, right, edits), context))
    if body:
        head += b"--- " + (b"/dev/null" if before is None else old + _end(old)) + b"\n"
        head += b"+++ " + (b"/dev/null" if after is None else new + _end(new)) + b"\n"
    return head + body


def changed_lines(before: bytes, edits: Sequence[Edit]) -> tuple[int, int]:
    """How many lines the diff of *edits*, which are of *before*, adds and removes."""
    added = removed = 0
    for start, end, inside in _stretches(before, edits):
        one = before.find(b"\n", start, end) == end - 1 and inside[-1].span.end < end
        if one and not any(b"\n" in edit.new for edit in inside):
            # One line for one line, as nearly always: nothing is to be compared but whether it is the same.
            here = sum(len(e.new) - (e.span.end - e.span.start) for e in inside)
            changed = here != 0 or not _same(before, inside)
            added, removed = added + changed, removed + changed
            continue
        for change in _changes(before[start:end], b"", [_moved(e, start) for e in inside]):
            added += len(change.new)
            removed += len(lines_of(before[start + change.start : start + change.end]))
    return added, removed


def _same(before: bytes, edits: Sequence[Edit]) -> bool:
    """Whether *edits* together leave what they touch as it is."""
    start, end = edits[0].span.start, edits[-1].span.end
    return apply(before[start:end], [_moved(edit, start) for edit in edits]) == before[start:end]


def _moved(edit: Edit, by: int) -> Edit:
    return Edit(Span(edit.span.start - by, edit.span.end - by), edit.new)


def _changes(before: bytes, after: bytes, edits: Sequence[Edit] | None) -> Iterator[_Change]:
    if edits is None:
        yield from _compared(0, before, after)
        return
    for start, end, inside in _stretches(before, edits):
        old = before[start:end]
        yield from _compared(start, old, apply(old, [_moved(edit, start) for edit in inside]))


def _stretches(before: bytes, edits: Sequence[Edit]) -> Iterator[tuple[int, int, list[Edit]]]:
    """Whole lines that hold edits, and the edits; stretches do not touch one another."""
    start = end = -1
    inside: list[Edit] = []
    for edit in edits:
        first = before.rfind(b"\n", 0, edit.span.start) + 1
        last = edit.span.end
        whole = edit.new.endswith(b"\n") or (not edit.new and edit.span.start == first)
        if not whole or (last and before[last - 1] != 0x0A):
            last = before.find(b"\n", last) + 1 or len(before)
        if inside and first <= end:
            end = max(end, last)
        else:
            if inside:
                yield start, end, inside
            start, end, inside = first, last, []
        inside.append(edit)
    if inside:
        yield start, end, inside


def _compared(at: int, before: bytes, after: bytes) -> Iterator[_Change]:
    """What differs between two texts of whole lines; *at* is where *before* stands in the file."""
    if before == after:
        return
    old, new = lines_of(before), lines_of(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    at += sum(map(len, old[:head]))
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not old or not new or max(len(old), len(new)) > _COMPARED or set(old).isdisjoint(new):
        yield _Change(at, at + sum(map(len, old)), tuple(new))
        return
    offsets = [at]
    for line in old:
        offsets.append(offsets[-1] + len(line))
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield _Change(offsets[i], offsets[j], tuple(new[k:m]))


def _hunks(before: bytes, changes: Iterator[_Change], context: int) -> Iterator[bytes]:
    """The text of every hunk.  Changes so near that their contexts meet share one."""
    group: list[_Change] = []
    line, counted, shift = 1, 0, 0
    for change in [*changes, None]:
        if change and group:
            between = before.count(b"\n", group[-1].end, change.start)
            if between <= 2 * context:
                group.append(change)
                continue
        if group:
            start = _back(before, group[0].start, context)
            line += before.count(b"\n", counted, start)
            counted = start
            text, shift = _hunk(before, group, start, line, shift, context)
            yield text
        group = [change] if change else []


def _hunk(
    before: bytes, group: list[_Change], start: int, line: int, shift: int, context: int
) -> tuple[bytes, int]:
    """One hunk, and by how many lines the text behind it has moved."""
    pieces: list[bytes] = []
    old = new = 0
    at = start
    for change in group:
        same = lines_of(before[at : change.start])
        gone = lines_of(before[change.start : change.end])
        pieces += [_marked(b" ", text) for text in same]
        pieces += [_marked(b"-", text) for text in gone]
        pieces += [_marked(b"+", text) for text in change.new]
        old += len(same) + len(gone)
        new += len(same) + len(change.new)
        at = change.end
    same = lines_of(before[at : _forth(before, at, context)])
    pieces += [_marked(b" ", text) for text in same]
    old += len(same)
    new += len(same)
    head = b"@@ -%s +%s @@\n" % (_range(line, old), _range(line + shift, new))
    return head + b"".join(pieces), shift + new - old


def _range(line: int, count: int) -> bytes:
    if count == 1:
        return b"%d" % line
    return b"%d,%d" % (line if count else line - 1, count)


def _marked(mark: bytes, line: bytes) -> bytes:
    return mark + line if line.endswith(b"\n") else mark + line + b"\n" + _NO_NEWLINE


def _back(text: bytes, at: int, lines: int) -> int:
    """The start of the line *lines* before the one that begins at *at*."""
    for _ in range(lines):
        if not at:
            break
        at = text.rfind(b"\n", 0, at - 1) + 1
    return at


def _forth(text: bytes, at: int, lines: int) -> int:
    for _ in range(lines):
        at = text.find(b"\n", at) + 1 or len(text)
    return at


def _name(path: str) -> bytes:
    """A path for a header: in quotes, with escapes, if it has characters that would confuse."""
    raw = path.encode("utf-8", "surrogateescape")
    try:
        raw.decode("utf-8")
        odd = re.search(rb'[\x00-\x1f\x7f"\\]', raw) is not None
    except UnicodeDecodeError:
        odd = True
    if not odd:
        return raw
    letters = {value: letter for letter, value in ESCAPES.items()}
    quoted = [
        b"\\" + letters[byte].encode()
        if byte in letters
        else (b"\\%03o" % byte if byte < 32 or byte > 126 else bytes([byte]))
        for byte in raw
    ]
    return b'"' + b"".join(quoted) + b'"'


def _end(name: bytes) -> bytes:
    """What git puts behind a name with a blank, so that nobody takes the rest for a date."""
    return b"\t" if b" " in name else b""
