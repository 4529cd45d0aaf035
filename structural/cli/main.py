"""Entry points of the commands.  Each returns the exit code and never raises.

``--version`` is answered before anything else is imported; everything heavy is
imported by the command that needs it.
"""

from __future__ import annotations

import os
import sys


def astgrep() -> int:
    """The command ``astgrep``."""
    _hold_descriptors()
    arguments = sys.argv[1:]
    if arguments[:1] in (["--version"], ["-V"]):
        return _version("astgrep")
    try:
        from structural.cli.commands import run

        return run(arguments)
    except KeyboardInterrupt:
        return 130


def astedit() -> int:
    """The command ``astedit``."""
    _hold_descriptors()
    arguments = sys.argv[1:]
    if arguments[:1] in (["--version"], ["-V"]):
        return _version("astedit")
    try:
        from structural.cli.edit.commands import run

        return run(arguments)
    except KeyboardInterrupt:
        return 130


def _hold_descriptors() -> None:
    """Give what was closed a descriptor that cannot be written: else the next file that is opened gets
    its number, and the answer would go into that file."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


def _version(program: str) -> int:
    from structural.workflow.version import VERSION

    try:
        sys.stdout.write(f"{program} {VERSION}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(astgrep())
