"""The tools ``show`` and ``status``: look at what is staged and at what was committed."""

from __future__ import annotations

from collections.abc import Iterator

from structural.agent import changing
from structural.agent import cursor as cursors
from structural.agent.budget import Room, clip, clip_json, count, dumps, trim
from structural.agent.changing import DIFF, FILES, STALE
from structural.agent.schema import (
    BUDGET,
    BUDGET_DEFAULT,
    CURSOR,
    CUT,
    ID,
    REFUSED,
    answer,
    flag,
    number,
    record,
    several,
    text,
)
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench
from structural.workflow.changes import (
    FileView,
    OpenTree,
    Site,
    StagedChange,
    State,
    matching,
    site_diff,
    views,
)
from structural.workflow.recipes import describe

_NUMBERS = several(number(least=1), "Numbers of sites, as show lists them.", most=10_000)
_GLOBS = several(text(longest=1_000), "Files by path or glob, such as 'src/*.py'.", most=1_000)

_EVENTS = 10
"""Commits that status lists."""


# --- show ------------------------------------------------------------------------------------------------


def show(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``show``."""
    key = cursors.key_of("show", arguments)
    at = cursors.read(arguments["cursor"], key) if "cursor" in arguments else None
    tree = bench.tree(call)
    change = changing.load(bench, tree, arguments["id"])
    state = changing.state_of(change)
    if at is not None and at.state != state:
        raise cursors.moved()
    offset = at.offset if at else 0
    what = arguments.get("what", "diff")
    value: Answer = {
        "ok": True,
        "summary": f"{change.id} is {change.state.value}: {clip(describe(change.origin), 200)}",
        "id": change.id,
        "state": change.state.value,
        "sites_total": change.sites,
        "files_total": len(change.files),
        "refused_total": len(change.refused),
    }
    if change.dropped:
        value["dropped"] = len(change.dropped)
    if change.flags:
        value["flags"] = list(change.flags)
    stale = list(tree.store.stale(change.id)) if not offset else []
    if stale:
        value["stale_total"] = len(stale)
        value["stale"] = [changing.moved_entry(one) for one in stale[:10]]
        value["summary"] += f"; {count(len(stale), 'file')} changed since it was staged"
    budget = arguments.get("budget", BUDGET_DEFAULT)
    frame = {**value, "cut": {"shown": 0, "left": 0, "cursor": "-" * 40}}
    trim(value, budget // 2)
    room = Room(budget, frame, reserve=min(700, budget // 3))
    shown = _chosen(tree, change, arguments)
    if what == "diff":
        rows = changing.diff_rows(shown, call, arguments.get("context", 3))
        value["diff"], given, left = changing.diff_page(rows, room, offset)
    else:
        entries = {"sites": _site_entries, "files": _file_entries, "refused": _refused_entries}[what]
        value[what], given, left = _page(entries(shown, change, call), room, offset)
    if left:
        cursor = str(cursors.Cursor(key, state, offset + given))
        value["cut"] = {"shown": given, "left": left, "cursor": cursor}
        whole = {name: one for name, one in arguments.items() if name != "cursor"} | {"cursor": cursor}
        if len(dumps(whole)) <= 500:
            value["next"] = [{"why": "the rest of this answer", "tool": "show", "arguments": whole}]
    elif change.state is State.OPEN:
        value["next"] = _steps(change, stale=bool(stale))
    trim(value, budget)
    return value


def _chosen(tree: OpenTree, change: StagedChange, arguments: Arguments) -> Iterator[FileView]:
    """The files of a change that are asked for.  Of a file in which only some sites are, these."""
    paths = matching(change, arguments["files"]) if "files" in arguments else None
    numbers = frozenset(arguments["sites"]) if "sites" in arguments else None
    for view in views(tree, change):
        if paths is not None and view.file.path not in paths:
            continue
        if numbers is not None and not any(site.number in numbers for site in view.file.sites):
            continue
        yield view


def _page(entries: Iterator[Answer], room: Room, offset: int) -> tuple[list[Answer], int, int]:
    """The entries from *offset* on that there is room for, how many these are, and how many are left."""
    page: list[Answer] = []
    total, full = 0, False
    for entry in entries:
        total += 1
        if total <= offset or full:
            continue
        if not room.take(entry):
            if page:
                full = True
                continue
            entry = _small(entry, room.left)
            room.take(entry, must=True)
        page.append(entry)
    return page, len(page), max(0, total - offset - len(page))


def _small(entry: Answer, most: int) -> Answer:
    """An entry that has to fit, whatever it is."""
    share = max(24, most // (2 + sum(isinstance(one, str) for one in entry.values())))
    return {name: clip_json(one, share) if isinstance(one, str) else one for name, one in entry.items()}


def _site_entries(shown: Iterator[FileView], change: StagedChange, call: Call) -> Iterator[Answer]:
    for view in shown:
        call.tick()
        for site in view.file.sites:
            yield _site(view, site)


def _site(view: FileView, site: Site) -> Answer:
    lines = site_diff(view, site, 0).decode("utf-8", "replace").split("\n")
    start = next((at for at, line in enumerate(lines) if line.startswith("@@")), len(lines) - 1)
    changed = "\n".join(line for line in lines[start + 1 :] if line[:1] in "+-")
    value: Answer = {
        "site": site.number,
        "path": view.file.path,
        "line": site.line,
        "diff": clip(changed, 1_000),
    }
    if site.count != 1:
        value["matches"] = site.count
    if site.title:
        value["title"] = clip(site.title, 100)
    return value


def _file_entries(shown: Iterator[FileView], change: StagedChange, call: Call) -> Iterator[Answer]:
    for view in shown:
        call.tick()
        yield changing.file_entry(view)


def _refused_entries(shown: Iterator[FileView], change: StagedChange, call: Call) -> Iterator[Answer]:
    yield from changing.refused(change.refused)


def _steps(change: StagedChange, *, stale: bool) -> list[Answer]:
    if not stale:
        return changing.accept_calls(change, show=False)
    return [
        {
            "why": "compute it again on the files as they are now",
            "tool": "rebase",
            "arguments": {"id": change.id},
        },
        changing.discard_call(change.id),
    ]


SHOW = Tool(
    "show",
    "Look at a staged change",
    told(
        """
        Show a staged change: its diff, or its sites, files or refused matches as lists, a page at a
        time.

        Use it after ast_edit, before you accept: the diff is what will be written. The hunks name their
        sites, which drop takes out by number. Do not use it to read files: it shows only what changes.

        Example: {"id": "qkzvbn", "what": "diff", "files": ["src/app.py"]}.
        """
    ),
    record(
        {
            "id": ID,
            "what": text("What to list (default diff).", one_of=("diff", "sites", "files", "refused")),
            "files": _GLOBS,
            "sites": several(number(least=1), "Only files that hold these sites.", most=10_000),
            "context": number("Lines around a change in the diff (default 3).", most=50),
            "budget": BUDGET,
            "cursor": CURSOR,
        },
        "id",
    ),
    answer(
        {
            "id": text(),
            "state": text(one_of=("open", "committed", "undone")),
            "sites_total": number(),
            "files_total": number(),
            "refused_total": number(),
            "dropped": number("Sites that were taken out."),
            "flags": several(text(), "`partial`: the search was cut, so there may be more."),
            "stale_total": number(),
            "stale": STALE,
            "diff": DIFF,
            "sites": several(
                record(
                    {
                        "site": number(),
                        "path": text(),
                        "line": number(),
                        "diff": text("The lines that go and that come."),
                        "matches": number(),
                        "title": text(),
                    },
                    "site",
                    "path",
                    "line",
                    "diff",
                )
            ),
            "files": FILES,
            "refused": REFUSED,
            "cut": CUT,
        },
        "id",
        "state",
        "sites_total",
        "files_total",
        "refused_total",
    ),
    show,
)


# --- status ----------------------------------------------------------------------------------------------


def status(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``status``."""
    tree = bench.tree(call)
    opened, damaged = tree.store.survey()
    history = tree.store.history()
    value: Answer = {
        "ok": True,
        "summary": f"{count(len(opened), 'change')} open, {count(len(history), 'commit')} in the log",
        "root": str(bench.inside.root),
        "open_total": len(opened),
        "open": [],
        "committed_total": len(history),
        "committed": [],
    }
    if damaged:
        value["damaged"] = [
            {"id": one.id, "state": one.state.value if one.state else "unknown", "why": clip(one.why, 200)}
            for one in damaged[:10]
        ]
        value["summary"] += f", {count(len(damaged), 'change')} damaged"
    budget = arguments.get("budget", BUDGET_DEFAULT)
    room = Room(budget, value, reserve=min(400, budget // 3))
    for change in opened:
        call.tick()
        stale = tree.store.stale(change.id)
        entry: Answer = {
            "id": change.id,
            "title": clip(describe(change.origin), 160),
            "created": change.created.isoformat(timespec="seconds"),
            "sites": change.sites,
            "files": len(change.files),
            "stale": len(stale),
        }
        if not room.take(entry):
            break
        value["open"].append(entry)
    for done in history[:_EVENTS]:
        entry = {
            "id": done.id,
            "title": clip(describe(done.origin), 160),
            "when": done.when.isoformat(timespec="seconds"),
            "files": len(done.files),
            "state": done.state.value,
            "undoable": done.undoable,
        }
        if not room.take(entry):
            break
        value["committed"].append(entry)
    steps = [_step(entry) for entry in value["open"][:3]]
    if room.take(steps):
        value["next"] = steps
    trim(value, budget)
    return value


def _step(entry: Answer) -> Answer:
    if entry["stale"]:
        return {
            "why": f"{entry['id']} is stale: compute it again",
            "tool": "rebase",
            "arguments": {"id": entry["id"]},
        }
    return {"why": f"look at {entry['id']}", "tool": "show", "arguments": {"id": entry["id"]}}


STATUS = Tool(
    "status",
    "What is open and what was committed",
    told(
        """
        List the staged changes that are open, whether files changed under them, and what was committed
        last.

        Use it to find an id again, or after an interruption: it finishes or takes back a commit that
        was cut off. Do not use it to see a diff: that is show.

        Example: {}.
        """
    ),
    record({"budget": BUDGET}),
    answer(
        {
            "root": text("The folder that all paths are relative to."),
            "open_total": number(),
            "open": several(
                record(
                    {
                        "id": text(),
                        "title": text(),
                        "created": text(),
                        "sites": number(),
                        "files": number(),
                        "stale": number("Files that changed since."),
                    },
                    "id",
                    "title",
                    "created",
                    "sites",
                    "files",
                    "stale",
                ),
                "Oldest first.",
            ),
            "damaged": several(
                record({"id": text(), "state": text(), "why": text()}, "id", "state", "why"),
                "Changes that the store cannot read whole: drop or discard them.",
            ),
            "committed_total": number(),
            "committed": several(
                record(
                    {
                        "id": text(),
                        "title": text(),
                        "when": text(),
                        "files": number(),
                        "state": text(),
                        "undoable": flag(),
                    },
                    "id",
                    "title",
                    "when",
                    "files",
                    "state",
                    "undoable",
                ),
                "The last first.",
            ),
        },
        "root",
        "open_total",
        "open",
        "committed_total",
        "committed",
    ),
    status,
)
