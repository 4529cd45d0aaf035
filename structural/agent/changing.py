"""What answers say of a staged change: its files, refused sites, its diff in pages.

The unit of a page is the line of the diff: a cursor says how many lines of the whole diff were
given, so that any diff can be read to its end, however long a hunk is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

from structural.agent import statement
from structural.agent.budget import Room, clip, clip_json, count, dumps
from structural.agent.observers import Proposal
from structural.agent.schema import Schema, maybe, number, record, several, text
from structural.agent.tool import Answer, Call
from structural.agent.workbench import Workbench
from structural.workflow.changes import (
    Action,
    FileView,
    OpenTree,
    Refused,
    StagedChange,
    Stale,
    counted,
    listed,
    site_lines,
    views,
)

_LINE = 400
"""Characters of a line of a diff that are shown."""

_REASON = 200


def load(bench: Workbench, tree: OpenTree, name: str) -> StagedChange:
    """The change called *name*.  ConfinedError if it is of files that the client does not offer."""
    change = tree.store.load(name)
    bench.inside.check(file.path for file in change.files)
    return change


def files(tree: OpenTree, change: StagedChange, call: Call) -> list[Answer]:
    """Every file of a change with its counts."""
    found = []
    for view in views(tree, change):
        call.tick()
        found.append(file_entry(view))
    return found


def file_entry(view: FileView, diff: bytes | None = None) -> Answer:
    """One file of a change.  *diff* is its diff, if it is at hand."""
    added, removed = view.counts() if diff is None else counted(diff)
    value: Answer = {
        "path": view.file.path,
        "sites": len(view.file.sites),
        "added": added,
        "removed": removed,
    }
    if view.file.action is not Action.MODIFY:
        value["action"] = view.file.action.value
    return value


def totals(entries: Iterable[Answer]) -> tuple[int, int]:
    """Lines added and removed over all files."""
    entries = list(entries)
    return sum(one["added"] for one in entries), sum(one["removed"] for one in entries)


def refused(found: Iterable[Refused]) -> Iterator[Answer]:
    """Matches that stay as they are."""
    for one in found:
        yield {"path": one.path, "line": one.line, "reason": clip(one.reason, _REASON)}


def amount(change: StagedChange, added: int, removed: int) -> str:
    """As ``12 sites in 3 files, +12 -12``."""
    return f"{count(change.sites, 'site')} in {count(len(change.files), 'file')}, +{added} -{removed}"


_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def diff_rows(shown: Iterable[FileView], call: Call, context: int = 3) -> Iterator[str]:
    """The lines of a diff, as text.  A hunk names its sites where a diff may say what it is in."""
    for view in shown:
        call.tick()
        yield from diff_lines(view, view.diff(context))


def diff_lines(view: FileView, diff: bytes) -> Iterator[str]:
    """The lines of the diff of one file."""
    places = site_lines(view)
    for line in diff.split(b"\n")[:-1]:
        row = clip(line.decode("utf-8", "replace"), _LINE)
        hunk = _HUNK.fullmatch(line)
        if hunk:
            first, length = int(hunk[1]), int(hunk[2] or 1)
            here = [number_of for number_of, at in places if first <= at < first + max(length, 1)]
            row += f" site {listed(here)}" if here else ""
        yield row


def diff_page(rows: Iterable[str], room: Room, offset: int = 0) -> tuple[str, int, int]:
    """The lines from *offset* on that there is room for, as one text; how many these are, and how
    many come behind them."""
    page: list[str] = []
    total = 0
    full = False
    for row in rows:
        total += 1
        if total <= offset or full:
            continue
        if page and len(dumps(row)) > room.left:
            full = True
            continue
        if not page:
            row = clip_json(row, max(40, room.left))
        room.take(row, must=True)
        page.append(row)
    return "\n".join(page) + ("\n" if page else ""), len(page), max(0, total - offset - len(page))


def moved_entry(one: Stale) -> Answer:
    """A file that is no longer what a change was computed against."""
    return {
        "path": one.path,
        "why": one.why,
        "expected": statement.digest(one.expected),
        "found": statement.digest(one.found),
    }


def state_of(change: StagedChange) -> str:
    """A short digest of what a change is now: another one after drop and rebase."""
    made = hashlib.blake2b(digest_size=5)
    for file in change.files:
        made.update(f"{file.path}\0{file.before}\0{file.after}\0".encode("utf-8", "surrogateescape"))
    return made.hexdigest()


def observed(bench: Workbench, tree: OpenTree, change: StagedChange, *, committed: bool = False) -> list[str]:
    """The remarks of the observers on a change."""
    said: list[str] = []
    for observer in bench.observers:
        proposals = (_proposal(change.id, view) for view in views(tree, change))
        made = observer.committed(proposals) if committed else observer.proposed(proposals)
        said += [str(one) for one in made]
    return said


def _proposal(name: str, view: FileView) -> Proposal:
    action = view.file.action
    return Proposal(
        name,
        view.file.path,
        None if action is Action.CREATE else view.before,
        None if action is Action.DELETE else view.after,
    )


def accept_calls(change: StagedChange, *, show: bool) -> list[Answer]:
    """What one does with an open change."""
    steps: list[Answer] = []
    if show:
        steps.append({"why": "see the diff", "tool": "show", "arguments": {"id": change.id}})
    return [
        *steps,
        {
            "why": "write it to the files, all or nothing",
            "tool": "resolve",
            "arguments": {"id": change.id, "action": "accept"},
        },
        discard_call(change.id),
    ]


def discard_call(name: str) -> Answer:
    """The call that forgets an open change."""
    return {"why": "forget it", "tool": "resolve", "arguments": {"id": name, "action": "discard"}}


def undo_call(name: str) -> Answer:
    """The call that takes a committed change back."""
    return {"why": "take it back", "tool": "undo", "arguments": {"id": name}}


FILES: Schema = several(
    record(
        {
            "path": text(),
            "sites": number(),
            "added": number("Lines of the diff."),
            "removed": number(),
            "action": text("Left out where the file is modified.", one_of=("create", "delete")),
        },
        "path",
        "sites",
        "added",
        "removed",
    ),
    "The files that change (the first of them; `files_total` counts all).",
)

STALE: Schema = several(
    record(
        {"path": text(), "why": text(), "expected": maybe(text()), "found": maybe(text())},
        "path",
        "why",
    ),
    "Files that are no longer what the change was computed against.",
)

DIFF: Schema = text("Unified diff, in whole lines; long lines are cut and say so.")
