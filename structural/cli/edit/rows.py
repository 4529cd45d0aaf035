"""A diff as rows: what stands left and right, line by line, for a view side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from structural.workflow.changes import Action, FileView, site_lines

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Row:
    """One row; a line is 0 where there is none.  ``changed`` rows differ."""

    left: int
    right: int
    changed: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that follow each other, and the numbers of the sites in them."""

    rows: tuple[Row, ...]
    sites: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """The bytes that change, as (start, end): of the text before and of the one after."""

    before: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]


def blocks(view: FileView, context: int) -> Iterator[Block]:
    """The hunks of a file."""
    places = site_lines(view)
    rows: list[Row] = []
    gone: list[int] = []
    made: list[int] = []
    left = right = 0
    first = length = 0

    def settle() -> None:
        rows.extend(Row(old, new, True) for old, new in zip_longest(gone, made, fillvalue=0))
        gone.clear()
        made.clear()

    def block() -> Block:
        here = tuple(number for number, line in places if first <= line < first + max(length, 1))
        return Block(tuple(rows), here)

    for line in view.diff(context).split(b"\n")[:-1]:
        hunk = _HUNK.match(line)
        if hunk:
            settle()
            if rows:
                yield block()
            rows.clear()
            first, length = int(hunk[1]), int(hunk[2]) if hunk[2] is not None else 1
            left = first + (length == 0)
            right = int(hunk[3]) + (hunk[4] == b"0")
        elif left or right:
            mark = line[:1]
            if mark == b"-":
                if made:
                    settle()
                gone.append(left)
                left += 1
            elif mark == b"+":
                made.append(right)
                right += 1
            elif mark != b"\\":
                settle()
                rows.append(Row(left, right, False))
                left += 1
                right += 1
    settle()
    if rows:
        yield block()


def marks(view: FileView) -> Marks:
    """What changes within the lines; nothing for a file that comes or goes as a whole."""
    if view.file.action is not Action.MODIFY:
        return Marks((), ())
    before, after = [], []
    moved = 0
    for edit in view.file.edits:
        start, end = edit.span.start, edit.span.end
        if end > start:
            before.append((start, end))
        if edit.new:
            after.append((start + moved, start + moved + len(edit.new)))
        moved += len(edit.new) - (end - start)
    return Marks(tuple(before), tuple(after))
