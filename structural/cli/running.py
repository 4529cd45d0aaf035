"""Running a command line: arguments in, exit code out; errors become texts in one place.

Also what both programs share of ``click``: the group that tells a mistyped command from
a pattern in its place, and the code for completion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from structural.cli.errors import report
from structural.cli.output import ReaderGoneError, error_text
from structural.errors import StructuralError, UsageError

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """The group; a pattern in the place of a command is told apart from a mistyped command."""

    program = ""
    offer = ""
    """What to do with a pattern, with ``{}`` for it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and name not in self.commands and not name.startswith("-"):
            import shlex
            from difflib import get_close_matches

            close = get_close_matches(name, self.commands, n=1)
            to_do = (
                f"did you mean `{self.program} {close[0]}`?"
                if close
                else self.offer.format(shlex.quote(name))
            )
            raise UsageError(f"{name!r} is no command", hint=f"{to_do}; else see `{self.program} --help`")
        return super().resolve_command(ctx, args)


def run_group(
    group: Commands, arguments: list[str], *, instead: str, json_names: Sequence[str], interrupted: str = ""
) -> int:
    """Read the arguments, run the command, tell errors; gives the exit code.

    *instead* shows, in a hint, how a pattern that begins with a dash is written; *interrupted* is
    said where an interrupt ends the command.
    """
    as_json = any(name in arguments for name in json_names)
    try:
        from structural.workflow import config

        config.load()
        result = group.main(
            arguments or ["--help"],
            prog_name=group.program,
            complete_var=complete_var(group),
            standalone_mode=False,
            windows_expand_args=False,
        )
        return result if isinstance(result, int) else 0
    except StructuralError as problem:
        return report(problem, as_json=as_json)
    except click.ClickException as problem:
        return report(_usage(problem, arguments, instead), as_json=as_json)
    except (KeyboardInterrupt, click.Abort):
        error_text(interrupted)
        return 130
    except ReaderGoneError:
        return 0


def complete_var(group: Commands) -> str:
    """The variable by which a shell asks for completion."""
    return f"_{group.program.upper()}_COMPLETE"


def completion(group: Commands, shell: str) -> int:
    """Print the code that completes *group* in a shell."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise UsageError(f"there is no completion for {shell}")
    # Not source(): that would run the shell to ask for its version.
    maker = found(group, {}, group.program, complete_var(group))
    click.echo(maker.source_template % maker.source_vars())
    return 0


def _usage(problem: click.ClickException, arguments: list[str], instead: str) -> UsageError:
    context: Any = getattr(problem, "ctx", None)
    option = getattr(problem, "option_name", "")
    if isinstance(problem, click.NoSuchOption) and (" " in option or "$" in " ".join(arguments)):
        return UsageError(
            problem.format_message(), hint=f"a pattern that begins with - goes behind --: {instead}"
        )
    hint = f"`{context.command_path} --help` shows the options" if context else ""
    if isinstance(problem, click.NoSuchOption):
        hint += "; a pattern that begins with a dash goes behind --"
    return UsageError(" ".join(problem.format_message().split()), hint=hint)
