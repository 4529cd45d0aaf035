"""``astedit drop``, ``rebase`` and ``gc``: what changes a staged change, or forgets it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta

from structural.cli.edit.frame import Frame, damaged_lines, late_lines
from structural.cli.edit.texts import MOST, amount, clean, count, counts_of, refused_lines, set_aside_lines
from structural.cli.options import Options
from structural.cli.progress import Progress
from structural.errors import DamagedError, UsageError
from structural.workflow.changes import StagedChange, find, listed, views
from structural.workflow.changes import drop as drop_sites
from structural.workflow.rebasing import Moved, Rebased
from structural.workflow.rebasing import rebase as compute_again


def drop(name: str | None, options: Options) -> int:
    """Take sites out."""
    numbers = numbers_of(options["sites"])
    if not numbers and not options["globs"]:
        return _forget(name, options)
    frame = Frame(options)
    old = find(frame.tree, name)
    new = drop_sites(frame.tree, old, sites=numbers, globs=options["globs"])
    gone = len(set(new.dropped) - set(old.dropped))
    with frame.telling(f"dropped {count(gone, 'site')} of {old.id}"):
        if frame.as_json:
            from structural.cli.edit.jsonout import dropped_value, write

            write(frame.output, dropped_value(frame.tree, old, new))
        else:
            frame.write(_dropped(frame, old, new))
    return 0


def _forget(name: str | None, options: Options) -> int:
    """Without sites: only a damaged change can be dropped as a whole."""
    which = UsageError("which sites?", hint="name them with --site N[,N-M] or --file GLOB")
    if name is None:
        raise which
    frame = Frame(options)
    try:
        find(frame.tree, name)
    except DamagedError as error:
        gone = frame.tree.store.discard(error.change)
    else:
        raise which
    with frame.telling(f"forgot {clean(gone.id)}"):
        if frame.as_json:
            from structural.cli.edit.jsonout import discarded_value, write

            write(frame.output, discarded_value(frame.tree, gone, "drop"))
        else:
            frame.write(forgotten_lines(gone))
    return 0


def forgotten_lines(gone: StagedChange) -> Iterator[str]:
    """A damaged change that was forgotten."""
    yield f"forgot {clean(gone.id)}, which was damaged"
    for path in gone.notes.get("rescued", ()):
        yield f"  an old file that it kept is now {path}"


def rebase(name: str | None, options: Options) -> int:
    """Compute a change again."""
    frame = Frame(options)
    old = find(frame.tree, name)
    progress = Progress()
    try:
        done = compute_again(
            frame.tree,
            old,
            jobs=options["jobs"],
            tick=progress.tick,
            started=progress.watch,
        )
    finally:
        progress.clear()
    became = f"{old.id} stays as it was" if done.change is None else f"rebased {old.id}"
    with frame.telling(became):
        if frame.as_json:
            from structural.cli.edit.jsonout import rebased_value, write

            write(frame.output, rebased_value(frame.tree, old, done))
        else:
            frame.write(_rebased(frame, old, done))
    if done.change is not None:
        frame.say(f"next: `astedit show {old.id}`, then `astedit resolve --accept {old.id}`")
    return 1 if done.change is None else 0


def gc(options: Options) -> int:
    """Forget old closed changes."""
    frame = Frame(options)
    found = frame.tree.store.gc(keep=options["keep"], older_than=timedelta(days=options["older_than"]))
    said = f"forgot {count(len(found.removed), 'change')}, {found.bytes:,} bytes"
    with frame.telling(said):
        if frame.as_json:
            from structural.cli.edit.jsonout import collected_value, write

            write(frame.output, collected_value(frame.tree, found))
        else:
            frame.write([said])
    frame.say(*(line.rstrip("\n") for line in late_lines(found.late)), *damaged_lines(found.damaged))
    return 3 if found.damaged else 0


def numbers_of(texts: Iterable[str]) -> list[int]:
    """Numbers from ``3``, ``3,5`` and ``3-7``."""
    found: list[int] = []
    for text in texts:
        for part in text.replace(" ", "").split(","):
            run = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
            low, high = (int(run[1]), int(run[2] or run[1])) if run else (1, 0)
            if low > high or high - low > 1_000_000:
                raise UsageError(f"{part!r} is no number of a site", hint="write --site 3 or --site 3,5-8")
            found.extend(range(low, high + 1))
    return found


def _dropped(frame: Frame, old: StagedChange, new: StagedChange) -> Iterator[str]:
    gone = sorted(set(new.dropped) - set(old.dropped))
    if not gone:
        yield f"nothing to drop: {old.id} is as it was"
    else:
        yield f"dropped {count(len(gone), 'site')} ({listed(gone)})"
    yield from left_lines(frame, new)


def left_lines(frame: Frame, change: StagedChange) -> Iterator[str]:
    """What is left of a change."""
    if not change.files:
        yield f"{change.id} has no sites left: `astedit resolve --discard {change.id}`"
        return
    counts = counts_of({view.file.path: view.diff(0) for view in views(frame.tree, change)})
    added, removed = (sum(pair[at] for pair in counts.values()) for at in (0, 1))
    yield f"{change.id}: {amount(change, added, removed, frame.colours)}"


def _rebased(frame: Frame, old: StagedChange, done: Rebased) -> Iterator[str]:
    if done.change is None:
        yield f"nothing is left to change on the files as they are now; {old.id} stays as it was"
        yield f"to forget it: `astedit resolve --discard {old.id}`"
        return
    parts = [f"{count(done.same, 'site')} as before", f"{len(done.added):,} new", f"{len(done.gone):,} gone"]
    if done.dropped:
        parts.append(f"{done.dropped:,} stay dropped")
    yield f"rebased {frame.colours.strong}{old.id}{frame.colours.off}: {', '.join(parts)}"
    yield from _moved(frame, "new", done.added)
    yield from _moved(frame, "gone", done.gone)
    if done.edited:
        yield f"edits of a review could not be carried over: site {listed(done.edited)} is as computed"
    if done.planned is not None:
        yield from refused_lines(done.planned.refused, frame.colours, MOST)
        yield from set_aside_lines(done.planned.skipped)
    yield from left_lines(frame, done.change)


def _moved(frame: Frame, what: str, moved: tuple[Moved, ...]) -> Iterator[str]:
    c = frame.colours
    for one in moved[:MOST]:
        yield f"  {what:<4}  {c.path}{clean(one.path)}{c.off}:{c.line}{one.line}{c.off}  site {one.number}"
    if len(moved) > MOST:
        yield f"  and {len(moved) - MOST:,} more {what}"
