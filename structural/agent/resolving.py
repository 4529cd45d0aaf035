"""The tools ``drop``, ``rebase``, ``resolve`` and ``undo``: what one does with a staged change."""

from __future__ import annotations

from typing import Any

from structural.agent import changing, statement
from structural.agent.budget import Room, clip, count, dumps, listed, trim
from structural.agent.schema import (
    BUDGET,
    BUDGET_DEFAULT,
    ID,
    Schema,
    answer,
    flag,
    maybe,
    number,
    record,
    several,
    text,
)
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench
from structural.workflow.changes import (
    Action,
    Committed,
    CommittedFile,
    OpenTree,
)
from structural.workflow.changes import (
    drop as drop_sites,
)

_NUMBERS = several(number(least=1), "Numbers of sites, as show lists them.", most=10_000)
_GLOBS = several(text(longest=1_000), "Files by path or glob, such as 'src/*.py'.", most=1_000)

_EVENTS = 10
"""Commits that status lists."""


# --- drop, rebase ----------------------------------------------------------------------------------------


def drop(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``drop``."""
    tree = bench.tree(call)
    change = changing.load(bench, tree, arguments["id"])
    new = drop_sites(tree, change, sites=arguments.get("sites", ()), globs=arguments.get("files", ()))
    gone = sorted(set(new.dropped) - set(change.dropped))
    value: Answer = {
        "ok": True,
        "summary": f"{count(len(gone), 'site')} taken out of {change.id}; {count(new.sites, 'site')} left "
        f"in {count(len(new.files), 'file')}",
        "id": new.id,
        "dropped": gone,
        "sites_total": new.sites,
        "files_total": len(new.files),
        "next": changing.accept_calls(new, show=True) if new.files else [changing.discard_call(new.id)],
    }
    _shorten(value, "dropped", arguments)
    return value


DROP = Tool(
    "drop",
    "Take sites out of a staged change",
    told(
        """
        Take sites out of an open staged change, by number or by file; the others stay as they are.

        Use it where a change is right but for some places. Do not use it to forget all of it: that is
        resolve with discard.

        Example: {"id": "qkzvbn", "sites": [3, 7]}.
        """
    ),
    record({"id": ID, "sites": _NUMBERS, "files": _GLOBS, "budget": BUDGET}, "id"),
    answer(
        {
            "id": text(),
            "dropped": several(number(), "Numbers of the sites that went now."),
            "sites_total": number("Sites that are left."),
            "files_total": number(),
        },
        "id",
        "dropped",
        "sites_total",
        "files_total",
    ),
    drop,
    changes=True,
)


def rebase(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``rebase``."""
    from structural.workflow.rebasing import rebase as compute_again
    from structural.workflow.scanning import stopping

    tree = bench.tree(call)
    change = changing.load(bench, tree, arguments["id"])
    with stopping(call.pause):
        done = compute_again(tree, change, jobs=bench.jobs, tick=call.tick)
    new = done.change or change
    if done.change is None:
        summary = f"nothing is left to change; {change.id} is as it was"
        steps = [changing.discard_call(change.id)]
    else:
        summary = (
            f"{change.id} was computed again: {count(done.same, 'site')} as before, {len(done.added)} new, "
            f"{len(done.gone)} gone"
        )
        steps = changing.accept_calls(new, show=True)
    value: Answer = {
        "ok": True,
        "summary": summary,
        "id": change.id,
        "rebased": done.change is not None,
        "same": done.same,
        "added_total": len(done.added),
        "added": [{"path": one.path, "line": one.line, "site": one.number} for one in done.added[:200]],
        "gone_total": len(done.gone),
        "gone": [{"path": one.path, "line": one.line, "site": one.number} for one in done.gone[:200]],
        "stay_dropped": done.dropped,
        "sites_total": new.sites,
        "files_total": len(new.files),
        "refused_total": len(new.refused),
        "next": steps,
    }
    if done.edited:
        value["remarks"] = [f"edits of a review were lost at {listed([str(one) for one in done.edited])}"]
    _shorten(value, "added", arguments)
    _shorten(value, "gone", arguments)
    return value


_MOVED = several(record({"path": text(), "line": number(), "site": number()}, "path", "line", "site"))

REBASE = Tool(
    "rebase",
    "Compute a stale change again",
    told(
        """
        Compute an open staged change again on the files as they are now, under the same id: sites that
        are known again keep their numbers, and what was dropped stays dropped.

        Use it when resolve says that files changed since the change was staged; look at it again before
        you accept. Do not use it for another pattern: stage that anew.

        Example: {"id": "qkzvbn"}.
        """
    ),
    record({"id": ID, "budget": BUDGET}, "id"),
    answer(
        {
            "id": text(),
            "rebased": flag("False: nothing is left to change, and the change is as it was."),
            "same": number("Sites that were known again."),
            "added_total": number(),
            "added": _MOVED,
            "gone_total": number(),
            "gone": _MOVED,
            "stay_dropped": number(),
            "sites_total": number(),
            "files_total": number(),
            "refused_total": number(),
        },
        "id",
        "rebased",
        "same",
        "sites_total",
        "files_total",
    ),
    rebase,
    changes=True,
)


# --- resolve, undo ---------------------------------------------------------------------------------------


def resolve(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``resolve``."""
    tree = bench.tree(call)
    if bench.inside.within:
        changing.load(bench, tree, arguments["id"])
    if arguments["action"] == "discard":
        gone = tree.store.discard(arguments["id"])
        return {
            "ok": True,
            "summary": f"{gone.id} is forgotten; no file was changed",
            "id": gone.id,
            "state": gone.state.value,
        }
    return committed(bench, tree, tree.store.commit(arguments["id"]), arguments)


def undo(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``undo``."""
    tree = bench.tree(call)
    if bench.inside.within:
        changing.load(bench, tree, arguments["id"])
    return committed(bench, tree, tree.store.undo(arguments["id"]), arguments)


def committed(bench: Workbench, tree: OpenTree, done: Committed, arguments: Arguments) -> Answer:
    """The answer for what was just written."""
    what = f"{done.undoes} is taken back" if done.undoes else f"{done.id} is written"
    value: Answer = {
        "ok": True,
        "summary": f"{what}: {count(len(done.files), 'file')}",
        "id": done.id,
        "state": done.state.value,
        "already": done.already,
        "files_total": len(done.files),
        "files": [_written(one) for one in done.files[:LISTED]],
    }
    if done.undoes:
        value["undoes"] = done.undoes
    if done.already:
        value["summary"] = f"{done.id} was committed before; nothing was changed now"
    said = remarks(bench, tree, done)
    if said:
        value["remarks"] = said
    if done.undoable and not done.already:
        value["next"] = [changing.undo_call(done.id)]
    _shorten(value, "files", arguments)
    return value


def remarks(bench: Workbench, tree: OpenTree, done: Committed) -> list[str]:
    """What else is to be known of a commit."""
    said = [f"another program wrote into the old {one.path}: see {one.kept}" for one in done.late]
    if done.unfinished:
        said.append(f"the files are written; tidying up waits for the next call: {done.unfinished}")
    if bench.observers and not done.already:
        said += changing.observed(bench, tree, tree.store.load(done.id), committed=True)
    return [clip(bench.inside.said(one), 500) for one in said[:20]]


def _written(one: CommittedFile) -> Answer:
    value: Answer = {"path": one.path, "digest": statement.digest(one.after)}
    if one.action is not Action.MODIFY:
        value["action"] = one.action.value
    return value


LISTED = 8
"""Files of a commit that are listed, for the next edit of them; the others are counted: `show` lists all."""

COMMITTED: dict[str, Schema] = {
    "id": text(),
    "state": text(one_of=("committed", "undone", "discarded")),
    "already": flag("It was committed before this call, which did nothing."),
    "undoes": text("The change that this one took back."),
    "files_total": number(),
    "files": several(
        record(
            {
                "path": text(),
                "action": text("Left out where the file is modified.", one_of=("create", "delete")),
                "digest": maybe(text("Of the file now, for the next edit; null if it is deleted.")),
            },
            "path",
            "digest",
        ),
        "The first of them; `files_total` counts all, and show lists them.",
    ),
}

RESOLVE = Tool(
    "resolve",
    "Accept or discard a staged change",
    told(
        """
        Accept a staged change, which writes all of its files or none, or discard it, which writes
        nothing. It is refused whole if any of its files is no longer what it was when the change was
        staged: rebase then.

        Use it after you have looked at the change with show. Do not use it without the id of the change
        that you mean: others may have changes open too.

        Example: {"id": "qkzvbn", "action": "accept"}.
        """
    ),
    record(
        {"id": ID, "action": text(one_of=("accept", "discard")), "budget": BUDGET},
        "id",
        "action",
    ),
    answer(COMMITTED, "id", "state"),
    resolve,
    changes=True,
    destroys=True,
)

UNDO = Tool(
    "undo",
    "Take a committed change back",
    told(
        """
        Take a committed change back: its files become what they were before it. Refused whole if one of
        them was changed since.

        Use it when a change that was accepted was wrong. Do not use it for a change that is still open:
        that is resolve with discard. What it gives is a change too, so an undo can be undone by its id.

        Example: {"id": "qkzvbn"}.
        """
    ),
    record({"id": ID, "budget": BUDGET}, "id"),
    answer(COMMITTED, "id", "state"),
    undo,
    changes=True,
    destroys=True,
    repeats=False,
)


def _shorten(value: dict[str, Any], name: str, arguments: Arguments) -> None:
    """Keep the first elements of a list, as many as the budget allows; a count is beside it."""
    budget = arguments.get("budget", BUDGET_DEFAULT)
    whole = value[name]
    over = len(dumps(value)) - budget
    if over <= 0 or not whole:
        return
    room = Room(budget, {**value, name: []})
    value[name] = room.fill(whole)
    trim(value, budget)
