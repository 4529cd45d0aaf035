"""``astedit resolve``, ``undo`` and ``recover``: what writes to files, and what takes it back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from structural.cli.edit.frame import Frame, late_lines, recovered_lines
from structural.cli.edit.texts import MOST, clean, count, stale_lines
from structural.cli.interrupts import Interrupts
from structural.cli.options import Options
from structural.errors import StaleError, UsageError
from structural.workflow.changes import Committed, Recovered, Stale, find


def resolve(name: str | None, options: Options) -> int:
    """Accept or discard."""
    if options["answer"] is None:
        raise UsageError("accept or discard?", hint="add --accept or --discard")
    frame = Frame(options)
    change_id = name or frame.tree.store.only_open_id()
    if options["answer"] == "discard":
        gone = frame.tree.store.discard(change_id)
        said = f"discarded {clean(gone.id)}"
        with frame.telling(said):
            if frame.as_json:
                from structural.cli.edit.jsonout import discarded_value, write

                write(frame.output, discarded_value(frame.tree, gone))
            elif gone.sites or gone.dropped:
                frame.write([f"{said}: {count(gone.sites, 'site')} in {count(len(gone.files), 'file')}"])
            else:
                from structural.cli.edit.changing import forgotten_lines

                frame.write(forgotten_lines(gone))
        return 0
    try:
        done = _to_the_end(lambda: frame.tree.store.commit(change_id))
    except StaleError as problem:
        raise _told(frame, problem, find(frame.tree, change_id).id) from None
    _committed(frame, done)
    return 0


def undo(name: str | None, options: Options) -> int:
    """Take a committed change back."""
    frame = Frame(options)
    try:
        done = _to_the_end(lambda: frame.tree.store.undo(name))
    except StaleError as problem:
        raise _told(frame, problem, "") from None
    _committed(frame, done)
    return 0


def recover(options: Options) -> int:
    """Say what was recovered; the frame has done it already, unless someone was writing."""
    frame = Frame(options, quiet=True)
    found = frame.tree.recovered if frame.tree.recovered.found else frame.tree.store.recover(mend=True)
    lines = recovered_lines(found) or ["there was nothing to recover\n"]
    with frame.telling("".join(lines).rstrip("\n")):
        if frame.as_json:
            from structural.cli.edit.jsonout import recovered_value, write

            write(frame.output, recovered_value(frame.tree, found))
        else:
            frame.output.write("".join(lines))
    return 3 if found.left or found.unsure else 0


def _to_the_end(work: Callable[[], Committed]) -> Committed:
    """The answer of *work*, which an interrupt does not stop but for a second one: then the next
    command finishes it or takes it back."""
    done: Committed | None = None
    with Interrupts() as interrupts:
        try:
            with interrupts.shielded():
                done = work()
        except KeyboardInterrupt:
            if done is None:
                raise
    return done


def _told(frame: Frame, problem: StaleError, name: str) -> StaleError:
    """The error with the digests of every file, and what to type."""
    stale = [one for one in problem.files if isinstance(one, Stale)]
    hint = f"`astedit rebase {name}` computes it again on the files as they are now" if name else problem.hint
    if name and all(one.found is None and "deleted" in one.why for one in stale):
        hint = f"all of its files are gone: `astedit resolve --discard {name}` forgets it"
    lines = "".join(f"\n{line}" for line in stale_lines(stale, frame.notes))
    told = StaleError(problem.message, hint=hint, files=problem.files)
    told.message += "" if frame.as_json else lines
    return told


def _committed(frame: Frame, done: Committed) -> None:
    c = frame.colours
    if done.already:
        state = f", and undone by {done.undone_by}" if done.undone_by else ""
        what = f"already committed: {done.id}, {done.when.astimezone():%Y-%m-%d %H:%M:%S}{state}"
    else:
        what = f"undid {done.undoes} by {done.id}" if done.undoes else f"committed {done.id}"
        what += f": {count(len(done.files), 'file')}"
    with frame.telling(what):
        if frame.as_json:
            from structural.cli.edit.jsonout import committed_value, write

            write(frame.output, committed_value(frame.tree, done))
        else:
            frame.write([what, *(() if done.already else _files(done, c.path, c.off))])
    if frame.as_json:
        return
    notes = [line.rstrip("\n") for line in late_lines(done.late)]
    if done.unfinished:
        notes.append(f"the next command tidies up: {done.unfinished}")
    if done.undone_by:
        notes.append(f"to do it again: `astedit undo {done.undone_by}`")
    elif not done.already:
        again = f"to do {done.undoes} again" if done.undoes else "to take it back"
        notes.append(f"{again}: `astedit undo {done.id}`")
    frame.say(*notes)


def _files(done: Committed, on: str, off: str) -> Sequence[str]:
    lines = [f"  {file.action:<6}  {on}{clean(file.path)}{off}" for file in done.files[:MOST]]
    if len(done.files) > MOST:
        lines.append(f"  and {count(len(done.files) - MOST, 'more file')}")
    return lines


__all__ = ["Recovered", "recover", "resolve", "undo"]
