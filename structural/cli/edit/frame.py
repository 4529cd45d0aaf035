"""What every command of ``astedit`` begins with: the tree, what was recovered, colours, output."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from structural.cli.colour import Palette, palette
from structural.cli.options import Options
from structural.cli.output import Output, error_text
from structural.workflow.changes import LateWrite, OpenTree, Recovered, open_tree


class Frame:
    """One call: its tree, where it writes, and the colours for that."""

    def __init__(self, options: Options, *, quiet: bool = False) -> None:
        self.tree: OpenTree = open_tree(options.get("root"))
        self.output = Output()
        self.as_json: bool = options.get("as_json", False)
        self.colours: Palette = palette(options["color"], self.output.terminal)
        self.notes: Palette = palette(options["color"], sys.stderr is not None and sys.stderr.isatty())
        said = recovered_lines(self.tree.recovered)
        if said and not quiet:
            error_text("".join(said))

    def say(self, *lines: str) -> None:
        """Lines for standard error."""
        error_text("".join(f"{line}\n" for line in lines))

    def write(self, lines: Iterable[str]) -> None:
        """Lines of the answer."""
        for line in lines:
            self.output.write(f"{line}\n")


def recovered_lines(found: Recovered) -> list[str]:
    """What a recovery did; nothing if there was none to do."""
    if not found.id:
        return []
    became = "finished: its files are written" if found.finished else "taken back: its files are as before"
    lines = [f"recovered: the interrupted commit of {found.id} was {became}\n"]
    lines += [f"  {one.path} {one.why} meanwhile, and was left so\n" for one in found.left]
    return lines + late_lines(found.rescued)


def late_lines(late: Iterable[LateWrite]) -> list[str]:
    """Where the bytes are that a program wrote into a file that was swapped out."""
    return [
        f"  {one.path} was written by another program meanwhile: that is kept in {one.kept}\n" for one in late
    ]
