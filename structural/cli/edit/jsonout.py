"""Answers of ``astedit`` for programs: one JSON object a call.  ``docs/astedit-json.md`` is the contract.

A ``range`` is ``[start, end]`` in bytes of the file before, as it may be given back in
``--edits``.  Paths are relative to ``root``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from structural.cli.jsonout import dumps, reading_values, summary_value
from structural.cli.output import Output
from structural.workflow.changes import (
    Action,
    Collected,
    Committed,
    Damaged,
    FileView,
    LateWrite,
    OpenTree,
    Recovered,
    Refused,
    Site,
    Span,
    StagedChange,
    Stale,
    counted,
    site_lines,
    staged_views,
    views,
)
from structural.workflow.recipes import PARTIAL, describe

if TYPE_CHECKING:
    from structural.workflow.rebasing import Moved, Rebased
    from structural.workflow.rewriting import Ruled
    from structural.workflow.staging import Staged

VERSION = 1

Value = dict[str, Any]


def write(output: Output, value: Value) -> None:
    """One object on a line."""
    output.write(f"{dumps(value)}\n")


def staged_value(tree: OpenTree, done: Staged, code: int) -> Value:
    """The answer of ``stage``."""
    change, plan = done.change, done.plan
    value = _head(tree, "stage") | {"id": change.id if change else None, "staged": change is not None}
    value["why"] = why(done)
    value |= _files(staged_views(change, done.befores) if change else ())
    value |= {
        "refused": [_refused(one) for one in done.refused],
        "skipped": _skipped(done),
        "failed": [{"path": one.path, "error": one.error} for one in plan.search.failed] if plan else [],
        "unchanged": (plan.unchanged if plan else 0) + (change.unchanged if change else 0),
        "overlapping": plan.overlapping if plan else 0,
        "again": plan.again if plan else 0,
        "cycles": list(plan.cycles) if plan else [],
        "cut": plan.cut if plan else "",
        "flags": list(change.flags) if change else [],
        "syntax": [{"path": one.path, "before": one.before, "after": one.after} for one in done.troubles],
        "complete": not done.incomplete and not (plan and plan.cut),
        "exit": code,
    }
    if plan is not None:
        if plan.ruled is not None:
            value |= _ruled(plan.ruled)
        value["readings"] = reading_values(plan.search)
        value["summary"] = summary_value(plan.search, stats=False)
    return value


def _ruled(ruled: Ruled) -> Value:
    """What is told of rules beside their sites."""
    from structural.workflow.staging import tallies

    return {
        "rules": tallies(ruled),
        "not_staged": {why: list(ids) for why, ids in ruled.left.items()},
        "suppressed": ruled.suppressed,
        "problems": [
            {"place": place, "message": message, "hint": hint} for place, message, hint in ruled.problems
        ],
    }


def why(done: Staged) -> str:
    """Why nothing was staged, as one word; empty if something was."""
    if done.change is not None:
        return ""
    if done.strict:
        return "strict"
    if done.plan is not None and not done.plan.search.matches:
        return "no match"
    if done.refused:
        return "refused"
    return "not writable" if done.skipped else "unchanged"


def list_value(
    tree: OpenTree,
    changes: Sequence[StagedChange],
    stale: Mapping[str, Sequence[Stale]],
    damaged: Iterable[Damaged] = (),
) -> Value:
    """The answer of ``list``."""
    listed = [
        {
            **_about(change),
            "files": [file.path for file in change.files],
            "sites": change.sites,
            "matches": change.matches,
            "refused": len(change.refused),
            "stale": [_stale(one) for one in stale[change.id]],
        }
        for change in changes
    ]
    return _head(tree, "list") | {"changes": listed, "damaged": [_damaged(one) for one in damaged]}


def show_value(
    tree: OpenTree, change: StagedChange, shown: Iterable[FileView], stale: Sequence[Stale], context: int
) -> Value:
    """The answer of ``show``: everything about a change, with its diffs."""
    return _head(tree, "show") | change_value(change, shown, stale, context)


def change_value(
    change: StagedChange, shown: Iterable[FileView], stale: Sequence[Stale], context: int = 3
) -> Value:
    """A whole change."""
    notes = change.notes
    return {
        **_about(change),
        **_files(shown, context),
        "refused": [_refused(one) for one in change.refused],
        "skipped": [
            {"path": path, "reason": reason, "detail": detail}
            for path, reason, detail in notes.get("skipped", ())
        ],
        "failed": [{"path": path, "error": error} for path, error in notes.get("failed", ())],
        "unchanged": change.unchanged,
        "overlapping": notes.get("overlapping", 0),
        "again": notes.get("again", 0),
        "cycles": list(notes.get("cycles", ())),
        **({"rules": notes["rules"]} if "rules" in notes else {}),
        "dropped": list(change.dropped),
        "cut": "max-count" if PARTIAL in change.flags else "",
        "stale": [_stale(one) for one in stale],
    }


def log_value(tree: OpenTree, history: Iterable[Committed], damaged: Iterable[Damaged] = ()) -> Value:
    """The answer of ``log``."""
    return _head(tree, "log") | {
        "commits": [_commit(done) for done in history],
        "damaged": [_damaged(one) for one in damaged],
    }


def committed_value(tree: OpenTree, done: Committed) -> Value:
    """The answer of ``resolve --accept`` and of ``undo``."""
    command = "undo" if done.undoes and not done.already else "resolve"
    return (
        _head(tree, command)
        | _commit(done)
        | {
            "already": done.already,
            "late": [_late(one) for one in done.late],
            "unfinished": done.unfinished,
        }
    )


def discarded_value(tree: OpenTree, change: StagedChange, command: str = "resolve") -> Value:
    """The answer of ``resolve --discard``, and of ``drop`` for a damaged change."""
    return _head(tree, command) | {
        "id": change.id,
        "state": change.state.value,
        "rescued": list(change.notes.get("rescued", ())),
        "files": [{"path": file.path, "action": file.action.value} for file in change.files],
    }


def recovered_value(tree: OpenTree, found: Recovered) -> Value:
    """The answer of ``recover``."""
    return _head(tree, "recover") | {
        "id": found.id or None,
        "found": found.found,
        "finished": found.finished,
        "files": found.files,
        "journal": str(found.journal) if found.journal else None,
        "unsure": list(found.unsure),
        "left": [_stale(one) for one in found.left],
        "rescued": [_late(one) for one in found.rescued],
    }


def collected_value(tree: OpenTree, found: Collected) -> Value:
    """The answer of ``gc``."""
    return _head(tree, "gc") | {
        "removed": list(found.removed),
        "bytes": found.bytes,
        "late": [_late(one) for one in found.late],
        "damaged": [_damaged(one) for one in found.damaged],
    }


def _head(tree: OpenTree, command: str) -> Value:
    return {"version": VERSION, "command": command, "root": str(tree.root)}


def _about(change: StagedChange) -> Value:
    return {
        "id": change.id,
        "state": change.state.value,
        "created": change.created.isoformat(),
        "title": describe(change.origin),
        "flags": list(change.flags),
    }


def _files(shown: Iterable[FileView], context: int | None = None) -> Value:
    files: list[Value] = []
    for view in shown:
        file = view.file
        diff = view.diff(0 if context is None else context)
        added, removed = counted(diff)
        value: Value = {
            "path": file.path,
            "action": file.action.value,
            "before": file.before,
            "after": file.after,
            "added": added,
            "removed": removed,
            "sites": _sites(view, texts=context is not None),
        }
        if context is not None:
            value["diff"] = diff.decode("utf-8", "replace")
        files.append(value)
    return {
        "files": files,
        "sites": sum(len(file["sites"]) for file in files),
        "matches": sum(site["matches"] for file in files for site in file["sites"]),
        "added": sum(file["added"] for file in files),
        "removed": sum(file["removed"] for file in files),
    }


def _sites(view: FileView, *, texts: bool) -> list[Value]:
    lines = dict(site_lines(view)) if view.file.action is not Action.MODIFY else {}
    found: list[Value] = []
    for site in view.file.sites:
        value: Value = {
            "number": site.number,
            "range": [site.span.start, site.span.end],
            "line": lines.get(site.number) or site.line,
            "matches": site.count,
        }
        if texts:
            value |= {"title": site.title, "text": _text(site.span, view.before), "edits": _edits(site)}
        elif site.title:
            value["title"] = site.title
        found.append(value)
    return found


def _edits(site: Site) -> list[Value]:
    return [
        {"range": [edit.span.start, edit.span.end], "text": edit.new.decode("utf-8", "replace")}
        for edit in site.edits
    ]


def _text(span: Span, source: bytes) -> str:
    return span.text(source)


def _refused(one: Refused) -> Value:
    return {"path": one.path, "range": [one.start, one.end], "line": one.line, "reason": one.reason}


def _skipped(done: Staged) -> list[Value]:
    found = [*(done.plan.search.skipped_paths if done.plan else ()), *done.skipped]
    return [{"path": one.path, "reason": one.reason, "detail": one.detail} for one in found]


def _stale(one: Stale) -> Value:
    return {"path": one.path, "expected": one.expected, "found": one.found, "why": one.why}


def _damaged(one: Damaged) -> Value:
    return {"id": one.id, "state": "damaged", "path": str(one.path), "why": one.why}


def _late(one: LateWrite) -> Value:
    return {"change": one.change, "path": one.path, "kept": str(one.kept)}


def _commit(done: Committed) -> Value:
    return {
        "id": done.id,
        "state": done.state.value,
        "when": done.when.isoformat(),
        "sequence": done.sequence,
        "title": describe(done.origin),
        "undoes": done.undoes,
        "undone_by": done.undone_by,
        "undoable": done.undoable,
        "files": [
            {"path": file.path, "action": file.action.value, "before": file.before, "after": file.after}
            for file in done.files
        ],
    }


def dropped_value(tree: OpenTree, old: StagedChange, new: StagedChange) -> Value:
    """The answer of ``drop``: the change as it is now; ``gone`` are the numbers that went."""
    value = _head(tree, "drop") | change_value(new, views(tree, new), ())
    return value | {"gone": sorted(set(new.dropped) - set(old.dropped))}


def rebased_value(tree: OpenTree, old: StagedChange, done: Rebased) -> Value:
    """The answer of ``rebase``: the change as it is now, and what is different."""
    change = done.change or old
    stale = tree.store.stale(change.id)
    value = _head(tree, "rebase") | change_value(change, views(tree, change), stale)
    return value | {
        "rebased": done.change is not None,
        "same": done.same,
        "added_sites": [_moved(one) for one in done.added],
        "gone_sites": [_moved(one) for one in done.gone],
        "stay_dropped": done.dropped,
        "lost_edits": list(done.edited),
    }


def _moved(one: Moved) -> Value:
    return {"path": one.path, "line": one.line, "number": one.number}
