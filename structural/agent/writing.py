"""The tools ``write``, ``edit`` and ``apply_patch``: texts of a caller through the staging door.

Each stages a change as ``ast_edit`` does.  With ``commit`` it is written at once, under the same
guard: all of it, and only if the files are what was staged against.
"""

from __future__ import annotations

from structural.agent import changing, resolving, statement
from structural.agent.budget import count, trim
from structural.agent.editing import STAGED, staged
from structural.agent.schema import (
    BUDGET,
    BUDGET_DEFAULT,
    DIGEST,
    PATH,
    Schema,
    answer,
    flag,
    mapping,
    maybe,
    number,
    record,
    several,
    text,
)
from structural.agent.tool import Answer, Arguments, Call, Tool, told
from structural.agent.workbench import Workbench
from structural.errors import StaleError, UsageError
from structural.workflow.changes import OpenTree
from structural.workflow.staging import Staged
from structural.workflow.writing import (
    LineReplacement,
    Replacement,
    TextReplacement,
    stage_diff_or_envelope,
    stage_replacements,
    stage_write,
)

_TEXT_LONGEST = 10_000_000
"""Characters of a file, a replacement or a patch."""


def write(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``write``."""
    tree = bench.tree(call)
    done = stage_write(
        tree,
        bench.inside.file(arguments["path"]),
        arguments["content"],
        expected=arguments.get("digest"),
        executable=arguments.get("executable"),
        line_endings=arguments.get("line_endings", "keep"),
        ignored=arguments.get("ignored", False),
        strict=arguments.get("strict", False),
    )
    return _answer(bench, tree, done, arguments, call)


def edit(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``edit``."""
    tree = bench.tree(call)
    done = stage_replacements(
        tree,
        [_replacement(bench, one, arguments, at) for at, one in enumerate(arguments["edits"], 1)],
        ignored=arguments.get("ignored", False),
        strict=arguments.get("strict", False),
    )
    return _answer(bench, tree, done, arguments, call)


def apply_patch(bench: Workbench, arguments: Arguments, call: Call) -> Answer:
    """Run the tool ``apply_patch``."""
    tree = bench.tree(call)
    done = stage_diff_or_envelope(
        tree,
        arguments["patch"],
        "the patch",
        digests={bench.inside.file(path): one for path, one in arguments.get("digests", {}).items()},
        ignored=arguments.get("ignored", False),
        strict=arguments.get("strict", False),
    )
    return _answer(bench, tree, done, arguments, call)


def _replacement(bench: Workbench, one: Arguments, arguments: Arguments, at: int) -> Replacement:
    """One of the edits of a call."""
    path = one.get("path", arguments.get("path"))
    if path is None:
        raise UsageError(f"edit {at} names no file; nothing was staged", hint="give path, to it or to all")
    path = bench.inside.file(path)
    digest = one.get("digest")
    if digest is None and path == _own(bench, arguments):
        digest = arguments.get("digest")
    if "old" in one:
        if {"first", "last", "expected"} & set(one):
            raise UsageError(
                f"edit {at} has old as well as lines; nothing was staged",
                hint="give old and new, or first, last, expected and new",
            )
        times = None if one.get("all") else one.get("count", 1)
        return TextReplacement(path, one["old"], one["new"], times, digest)
    missing = [name for name in ("first", "last", "expected") if name not in one]
    if missing:
        raise UsageError(
            f"edit {at} needs {', '.join(missing)}; nothing was staged",
            hint="give old and new, or first, last, expected and new",
        )
    return LineReplacement(path, one["first"], one["last"], one["expected"], one["new"], digest)


def _own(bench: Workbench, arguments: Arguments) -> str | None:
    """The file that a call names for all of its edits."""
    return bench.inside.file(arguments["path"]) if "path" in arguments else None


def _answer(bench: Workbench, tree: OpenTree, done: Staged, arguments: Arguments, call: Call) -> Answer:
    """The answer of a call that staged something, and committed it if that was asked for."""
    change = done.change
    if change is not None and bench.inside.within:  # a patch names its files itself
        try:
            bench.inside.check(file.path for file in change.files)
        except UsageError:
            tree.store.discard(change.id)
            raise
    value = staged(bench, tree, done, arguments, call)
    if change is None or not arguments.get("commit"):
        return value
    try:
        written = tree.store.commit(change.id)
    except StaleError:
        tree.store.discard(change.id)  # the caller asked for it now or not at all
        raise
    value["committed"] = True
    value["digests"] = {one.path: statement.digest(one.after) for one in written.files}
    remarks = resolving.remarks(bench, tree, written)
    if remarks:
        value["remarks"] = [*value.get("remarks", ()), *remarks]
    value["next"] = [changing.undo_call(written.id)]
    value.pop("cut", None)
    changes = f"{count(len(written.files), 'file')}, +{value['added']} -{value['removed']}"
    value["summary"] = f"{written.id} is written: {changes}"
    trim(value, arguments.get("budget", BUDGET_DEFAULT))
    return value


_COMMON: dict[str, Schema] = {
    "commit": flag("Write it at once (default false: stage it, and resolve later)."),
    "strict": flag("Stage nothing if a file would have new syntax errors (default false: tell them)."),
    "ignored": flag("Let files be written that ignore files leave out (default false)."),
    "budget": BUDGET,
}

_GIVES = answer(
    {
        **STAGED,
        "committed": flag("Whether it was written."),
        "digests": mapping(maybe(text()), "Path → digest of the file now, for the next edit."),
    },
    "id",
    "staged",
    "sites_total",
    "files_total",
    "diff",
)

WRITE = Tool(
    "write",
    "Write a whole file",
    told(
        """
        Stage the whole content of one file, or write it at once with commit. To replace a file, give the
        digest that read showed: if the file is another by now, nothing is written. Without a digest the
        file must be new. Line endings and a byte order mark stay those of the file.

        Use it for new files and for files that change nearly everywhere. Do not use it for small changes:
        that is edit; nor for the same change in many files: that is ast_edit.

        Example: {"path": "src/new.py", "content": "def f():\\n return 1\\n", "commit": true}.
        """
    ),
    record(
        {
            "path": PATH,
            "content": text("The whole text of the file.", longest=_TEXT_LONGEST),
            "digest": DIGEST,
            "executable": flag("Of a new file: whether it can be run."),
            "line_endings": text(
                "keep (default): those of the file that is replaced; as-is: as given.",
                one_of=("keep", "as-is"),
            ),
            **_COMMON,
        },
        "path",
        "content",
    ),
    _GIVES,
    write,
    changes=True,
    destroys=True,
)

_EDIT = record(
    {
        "path": PATH,
        "old": text("Text that stands in the file exactly once, to the byte.", longest=_TEXT_LONGEST),
        "count": number("How often old stands there (default 1).", least=1),
        "all": flag("Replace old wherever it stands."),
        "first": number("Instead of old: the first line that goes, from 1.", least=1),
        "last": number("The last line that goes; first - 1 to put lines before first."),
        "expected": text("These lines as they are now, without their numbers.", longest=_TEXT_LONGEST),
        "new": text("What comes there.", longest=_TEXT_LONGEST),
        "digest": DIGEST,
    },
    "new",
)

EDIT = Tool(
    "edit",
    "Replace text in files",
    told(
        """
        Stage exact replacements in one file or several, or write them at once with commit: all of them or
        none. An edit names text that stands exactly once (old), or lines with what they hold now (first,
        last, expected), and what comes there (new). If old does not stand there, the answer says where it
        nearly does.

        Use it to change a place that you have read; give the digest that read showed, so that nothing is
        overwritten that you have not seen. Do not use it for one change in many places: that is ast_edit.

        Example: {"path": "src/app.py", "edits": [{"old": "timeout=3", "new": "timeout=30"}], "commit":
        true}.
        """
    ),
    record(
        {
            "path": text("The file of all edits that name none.", longest=4_096, shortest=1),
            "digest": DIGEST,
            "edits": several(_EDIT, "All of them speak of the files as they are now.", least=1, most=1_000),
            **_COMMON,
        },
        "edits",
    ),
    _GIVES,
    edit,
    changes=True,
    destroys=True,
)

APPLY_PATCH = Tool(
    "apply_patch",
    "Apply a patch",
    told(
        """
        Stage a patch, or write it at once with commit: a unified diff, or the envelope from "*** Begin
        Patch" to "*** End Patch". Every hunk must fit to the byte, at one place only; if one does not,
        nothing is staged and each is told with what stands there instead.

        Use it for a patch that you have or that is easier to say as one, also to add, move and delete
        files. Do not use it for one replacement: that is edit.

        Example: {"patch": "*** Begin Patch\\n*** Update File: a.py\\n-x = 1\\n+x = 2\\n*** End
        Patch\\n"}.
        """
    ),
    record(
        {
            "patch": text(longest=_TEXT_LONGEST, shortest=1),
            "digests": mapping(DIGEST, "Path → the digest that the file must have."),
            **_COMMON,
        },
        "patch",
    ),
    _GIVES,
    apply_patch,
    changes=True,
    destroys=True,
)

TOOLS: tuple[Tool, ...] = (EDIT, WRITE, APPLY_PATCH)
