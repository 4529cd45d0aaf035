"""The commands of ``astedit``, as ``click`` reads them; the work is in the modules beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from structural.cli import running
from structural.cli.options import Number, Sections, file_options, pattern_options, rule_options
from structural.cli.running import CONTEXT, Commands
from structural.workflow.collecting import seldom
from structural.workflow.version import VERSION

PROGRAM = "astedit"

_F = TypeVar("_F", bound=Callable[..., Any])


class Edit(Commands):
    """The commands of ``astedit``."""

    program = PROGRAM
    offer = f"to stage a rewrite of it: {PROGRAM} stage {{}} --rewrite TEMPLATE"


def _ids(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """For a shell: the ids that begin so, of the open changes, or of what was committed for `undo`."""
    from structural.errors import StructuralError
    from structural.workflow.changes import open_tree

    try:
        store = open_tree().store
        found = (
            [done.id for done in store.history() if done.undoable]
            if context.info_name == "undo"
            else [change.id for change in store.open_changes()]
        )
    except StructuralError:
        return []
    return [name for name in found if name.startswith(incomplete)]


def change_id(command: _F) -> _F:
    """The change that is meant."""
    return click.argument("name", metavar="[ID]", required=False, shell_complete=_ids)(command)


def shared(command: _F) -> _F:
    """What every command has."""
    command = click.option(
        "--root",
        metavar="FOLDER",
        type=click.Path(),
        help="The tree that is meant; else the nearest folder upwards with staged changes, or under "
        "version control.",
    )(command)
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colours; NO_COLOR and FORCE_COLOR are honoured.",
    )(command)


def common(command: _F) -> _F:
    """What every command has that answers programs too."""
    command = click.option("--json", "as_json", is_flag=True, help="One JSON object (docs/astedit-json.md).")(
        command
    )
    return shared(command)


@click.group(cls=Edit, context_settings=CONTEXT, no_args_is_help=True)
@click.version_option(VERSION, "-V", "--version", message="%(prog)s %(version)s")
def astedit() -> None:
    """Rewrite code by its shape, in two steps: stage a change, look at it, then accept or discard it.

    Nothing but `resolve --accept` and `undo` writes to your files. Both write all files of a change
    or none, and none if one of them was edited since.
    """


@astedit.command(cls=Sections)
@click.argument("pattern", required=False)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--rewrite", metavar="TEMPLATE", help="What a match becomes; $NAME as in the pattern.")
@click.option(
    "--rewrite-file", metavar="FILE", type=click.Path(), help="The same from a file; - is standard input."
)
@click.option(
    "--diff",
    "diff",
    metavar="FILE",
    type=click.Path(),
    help="Stage a unified diff instead; - is standard input.",
)
@click.option(
    "--edits",
    metavar="FILE",
    type=click.Path(),
    help="Stage a JSON list of edits instead; - is standard input.",
)
@click.option(
    "--transform",
    "transforms",
    metavar="NAME=…",
    multiple=True,
    help="A new name in the rewrite: NEW=convert($X, toCase=snakeCase), replace, substring, rewrite.",
)
@click.option("--until-stable", is_flag=True, help="Run again over the result until nothing changes.")
@rule_options
@click.option(
    "--rewrite-title", metavar="TITLE", help="Of rules with several rewrites the one with this title."
)
@click.option("--suspicious", is_flag=True, help="Stage also rewrites of rules that someone has to look at.")
@pattern_options
@file_options
@click.option(
    "--max-count",
    metavar="N",
    type=Number(),
    default=0,
    help="End after N matches; needs --partial if that cuts.",
)
@click.option("--partial", is_flag=True, help="Stage also what --max-count has cut; the change is marked.")
@click.option(
    "--strict", is_flag=True, help="Stage nothing if a match is refused or a file cannot be searched."
)
@click.option(
    "--jobs", metavar="N", type=Number(), default=0, help="Processes that search; 0 is one a processor."
)
@click.option(
    "--show",
    type=click.Choice(["stat", "diff", "none"]),
    default="stat",
    show_default=True,
    help="What is shown of a staged change.",
)
@common
def stage(pattern: str | None, paths: tuple[str, ...], **options: Any) -> int:
    """Compute a change and keep it under an id. No file of yours is written.

    \b
    astedit stage 'if ($X != null) $X.dispose()' --rewrite '$X?.dispose()' src
    astedit stage --rules rules/ --rule no-dispose src
    astedit stage --diff fix.patch
    astedit stage --edits edits.json

    Exit codes: 0 staged, 1 nothing to stage, 2 the call was wrong, 3 matches were refused, or files set
    aside or not searched: the rest is staged (with --strict: nothing).
    """
    from structural.cli.edit.stage import stage as run_stage

    return run_stage(pattern, paths, options)


@astedit.command("list")
@common
def list_changes(**options: Any) -> int:
    """List the open changes."""
    from structural.cli.edit.looking import list_changes as run_list

    return run_list(options)


@astedit.command()
@change_id
@click.option("--diff", "form", flag_value="diff", help="The diff, with the numbers of sites (the default).")
@click.option("--stat", "form", flag_value="stat", help="Counts a file.")
@click.option(
    "--patch", "form", flag_value="patch", help="For git apply and patch -p1; nothing else is printed."
)
@click.option(
    "--html", metavar="FILE", type=click.Path(), help="Write one page, side by side; - is standard output."
)
@click.option("-U", "context", metavar="N", type=Number(), default=3, help="Lines of context in a diff.")
@common
def show(name: str | None, **options: Any) -> int:
    """Show what a change does. Without an ID: the only open one."""
    from structural.cli.edit.looking import show as run_show

    return run_show(name, options)


@astedit.command()
@change_id
@click.option("--accept", "answer", flag_value="accept", help="Write all of it.")
@click.option("--discard", "answer", flag_value="discard", help="Forget it.")
@common
def resolve(name: str | None, **options: Any) -> int:
    """Accept or discard a change. Without an ID: the only open one.

    Exit codes: 0 done, 2 the call was wrong or files cannot be written, 4 refused, as files changed
    since. Whatever fails, every file is as it was before.
    """
    from structural.cli.edit.resolving import resolve as run_resolve

    return run_resolve(name, options)


@astedit.command()
@change_id
@click.option("--all", "every", is_flag=True, help="Also the sites that were decided in an earlier review.")
@shared
def review(name: str | None, **options: Any) -> int:
    """Go through the sites one by one: keep, drop, edit. Without an ID: the only open one.

    Keys are read one by one from a terminal; elsewhere a line each. Decisions are kept however it
    ends. Edits open $VISUAL or $EDITOR.
    """
    from structural.cli.edit.review import review as run_review

    return run_review(name, options)


@astedit.command()
@change_id
@click.option("--site", "sites", metavar="N[,N-M]", multiple=True, help="These sites.")
@click.option("--file", "globs", metavar="GLOB", multiple=True, help="All sites of these files.")
@common
def drop(name: str | None, **options: Any) -> int:
    """Take sites out of an open change. Without an ID: the only open one.

    Refused if what is left of a file would have new syntax errors: such sites hang together.
    """
    from structural.cli.edit.changing import drop as run_drop

    return run_drop(name, options)


@astedit.command()
@change_id
@click.option(
    "--jobs", metavar="N", type=Number(), default=0, help="Processes that search; 0 is one a processor."
)
@common
def rebase(name: str | None, **options: Any) -> int:
    """Compute a change again on the files as they are now, and show what is different.

    What was dropped stays dropped, and what was edited in a review stays so. Exit code 1: nothing is
    left to change.
    """
    from structural.cli.edit.changing import rebase as run_rebase

    return run_rebase(name, options)


@astedit.command()
@click.option(
    "--keep", metavar="N", type=Number(), default=50, show_default=True, help="Closed changes that are kept."
)
@click.option(
    "--older-than", metavar="DAYS", type=Number(), default=30, show_default=True, help="Only older ones go."
)
@common
def gc(**options: Any) -> int:
    """Forget old closed changes. They can no longer be undone."""
    from structural.cli.edit.changing import gc as run_gc

    return run_gc(options)


@astedit.command()
@change_id
@common
def undo(name: str | None, **options: Any) -> int:
    """Take a committed change back. Without an ID: the last one.

    Exit code 4: refused, as files changed since.
    """
    from structural.cli.edit.resolving import undo as run_undo

    return run_undo(name, options)


@astedit.command()
@common
def recover(**options: Any) -> int:
    """Finish or take back what an interrupted commit left. Every other command does so first."""
    from structural.cli.edit.resolving import recover as run_recover

    return run_recover(options)


@astedit.command()
@common
def log(**options: Any) -> int:
    """List what was committed, the last first."""
    from structural.cli.edit.looking import log as run_log

    return run_log(options)


@astedit.command()
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the code that completes this command in a shell."""
    assert isinstance(astedit, Commands)
    return running.completion(astedit, shell)


def run(arguments: list[str]) -> int:
    """Read the arguments, run the command, tell errors; gives the exit code."""
    assert isinstance(astedit, Commands)
    with seldom():
        return running.run_group(
            astedit,
            arguments,
            instead="stage --rewrite TEMPLATE -- '- $X'",
            json_names=("--json",),
            interrupted="interrupted\n",
        )
