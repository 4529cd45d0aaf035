"""``astedit list``, ``show`` and ``log``: what is open, what a change does, what was committed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from structural.cli.edit.frame import Frame, damaged_lines
from structural.cli.edit.texts import (
    ago,
    amount,
    clean,
    count,
    counts_of,
    diff_lines,
    refused_lines,
    skipped_note_lines,
    stale_lines,
    stat_lines,
)
from structural.cli.options import Options
from structural.errors import UsageError
from structural.workflow.changes import Damaged, FileView, StagedChange, Stale, State, find, listed, views
from structural.workflow.recipes import describe


def list_changes(options: Options) -> int:
    """The open changes, oldest first."""
    frame = Frame(options, looks=True)
    c = frame.colours
    changes, damaged = frame.tree.store.survey()
    code = 3 if damaged or frame.tree.trouble else 0
    stale = {change.id: frame.tree.store.stale(change.id) for change in changes}
    if frame.as_json:
        from structural.cli.edit.jsonout import list_value, write

        write(frame.output, list_value(frame.tree, changes, stale, damaged))
        frame.output.flush()
        return code
    for change in changes:
        old = f"  {c.error}stale{c.off}" if stale[change.id] else ""
        size = f"{count(change.sites, 'site')} in {count(len(change.files), 'file')}"
        frame.output.write(
            f"{c.strong}{change.id}{c.off}  {size}  {ago(change.created)}{old}  "
            f"{clean(describe(change.origin))}\n"
        )
    frame.write(_damaged(frame, damaged))
    frame.output.flush()
    frame.say(*damaged_lines(damaged))
    if not changes and not damaged:
        frame.say("no change is open")
    return code


def _damaged(frame: Frame, damaged: Iterable[Damaged]) -> Iterator[str]:
    c = frame.colours
    for one in damaged:
        yield f"{c.strong}{clean(one.id)}{c.off}  {c.error}damaged{c.off}  {one.path} {one.why}"


def show(name: str | None, options: Options) -> int:
    """One change, in one of its forms."""
    form = options["form"] or "diff"
    if sum((bool(options["form"]), options["as_json"], options["html"] is not None)) > 1:
        raise UsageError(
            "--diff, --stat, --patch, --json and --html do not go together", hint="give one of them"
        )
    frame = Frame(options, looks=True)
    change = find(frame.tree, name)
    if form == "patch":
        for view in views(frame.tree, change):
            frame.output.write_bytes(view.diff(options["context"]))
        frame.output.flush()
        return 0
    stale = frame.tree.store.stale(change.id) if change.state is State.OPEN else ()
    shown = list(views(frame.tree, change))
    if frame.as_json:
        from structural.cli.edit.jsonout import show_value, write

        write(frame.output, show_value(frame.tree, change, shown, stale, options["context"]))
    elif options["html"] is not None:
        return _page(frame, change, shown, stale, options)
    else:
        frame.write(_text(frame, change, shown, stale, form, options["context"]))
    frame.output.flush()
    return 0


def log(options: Options) -> int:
    """What was committed, the last first."""
    frame = Frame(options, looks=True)
    c = frame.colours
    history = frame.tree.store.history()
    damaged = [one for one in frame.tree.store.damaged() if one.maybe_committed]
    code = 3 if damaged else 0
    if frame.as_json:
        from structural.cli.edit.jsonout import log_value, write

        write(frame.output, log_value(frame.tree, history, damaged))
        frame.output.flush()
        return code
    for done in history:
        state = f"  undone by {done.undone_by}" if done.undone_by else ""
        what = f"undo of {done.undoes}" if done.undoes else describe(done.origin)
        names = ", ".join(clean(file.path) for file in done.files[:3])
        more = f" and {len(done.files) - 3:,} more" if len(done.files) > 3 else ""
        frame.output.write(
            f"{c.strong}{done.id}{c.off}  {done.when.astimezone():%Y-%m-%d %H:%M:%S}  "
            f"{count(len(done.files), 'file')}{state}  {clean(what)}\n    {c.path}{names}{c.off}{more}\n"
        )
    frame.write(_damaged(frame, damaged))
    frame.output.flush()
    frame.say(*damaged_lines(damaged))
    if not history and not damaged:
        frame.say("nothing was committed yet")
    return code


def _text(
    frame: Frame,
    change: StagedChange,
    shown: list[FileView],
    stale: tuple[Stale, ...],
    form: str,
    context: int,
) -> Iterator[str]:
    c = frame.colours
    diffs = {view.file.path: view.diff(context) for view in shown}
    counts = counts_of(diffs)
    added, removed = (sum(pair[at] for pair in counts.values()) for at in (0, 1))
    when = f"{change.state}, {ago(change.created)}"
    yield f"{c.strong}{change.id}{c.off}  {when}  {clean(describe(change.origin))}"
    yield amount(change, added, removed, c) + "".join(f"; {flag}" for flag in change.flags)
    if change.dropped:
        yield f"dropped: site {listed(change.dropped)}"
    if stale:
        yield f"{c.error}stale{c.off}: {count(len(stale), 'file')} moved on; `astedit rebase {change.id}`"
        yield from stale_lines(stale, c)
    yield from refused_lines(change.refused, c)
    left = list(skipped_note_lines(change.notes))
    if left:
        yield "not searched:"
        yield from left
    if form == "stat":
        yield from stat_lines(change, counts, c)
        return
    for view in shown:
        yield from diff_lines(view, diffs[view.file.path], c, terminal=frame.output.terminal)


def _page(
    frame: Frame, change: StagedChange, shown: list[FileView], stale: tuple[Stale, ...], options: Options
) -> int:
    from structural.cli.edit.page import page

    text = page(change, shown, stale, frame.tree.root, options["context"])
    if options["html"] == "-":
        frame.output.write(text)
        frame.output.flush()
        return 0
    target = Path(options["html"])
    try:
        target.write_text(text, encoding="utf-8", errors="replace")
    except OSError as problem:
        raise UsageError(f"{os.fspath(target)!r} cannot be written: {problem.strerror}") from None
    frame.say(f"wrote {target}")
    return 0
