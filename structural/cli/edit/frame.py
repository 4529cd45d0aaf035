"""What every command of ``astedit`` begins with: the tree, what was recovered, colours, output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from structural.cli.colour import Palette, palette
from structural.cli.edit.texts import clean, count
from structural.cli.options import Options
from structural.cli.output import Output, ReaderGoneError, UntoldError, error_text
from structural.errors import StructuralError
from structural.workflow.changes import Damaged, LateWrite, OpenTree, Recovered, open_tree


class Frame:
    """One call: its tree, where it writes, and the colours for that.  *looks* is of a command that
    writes nothing, and so goes on where an interrupted commit could not be recovered."""

    def __init__(self, options: Options, *, quiet: bool = False, looks: bool = False) -> None:
        self.tree: OpenTree = open_tree(options.get("root"))
        self.output = Output()
        self.as_json: bool = options.get("as_json", False)
        self.colours: Palette = palette(options["color"], self.output.terminal)
        self.notes: Palette = palette(options["color"], sys.stderr is not None and sys.stderr.isatty())
        said = recovered_lines(self.tree.recovered)
        if said and not quiet:
            error_text("".join(said))
        if looks and self.tree.trouble:
            self.say(self.tree.trouble)

    def say(self, *lines: str) -> None:
        """Lines for standard error."""
        error_text("".join(f"{line}\n" for line in lines))

    def write(self, lines: Iterable[str]) -> None:
        """Lines of the answer."""
        for line in lines:
            self.output.write(f"{line}\n")

    @contextmanager
    def telling(self, done: str) -> Iterator[None]:
        """While the answer is written that says that something was *done*: if that cannot be told on
        standard output, it is on standard error, and the exit code is not that of a failure."""
        try:
            yield
            self.output.flush()
        except ReaderGoneError:
            self.say(f"{done}; whoever read the answer was gone")
        except StructuralError as problem:
            raise UntoldError(
                f"{done}, but the answer could not be given: {problem.message}",
                hint="what is said to be done is done, and lasts",
            ) from None


def recovered_lines(found: Recovered) -> list[str]:
    """What a recovery did; nothing if there was none to do."""
    if not found.found:
        return []
    lines = []
    if found.id:
        became = ("finished", "written") if found.finished else ("taken back", "as before")
        rest = found.files - len({one.path for one in found.left})
        files = (
            f"{rest:,} of its {count(found.files, 'file')}"
            if found.left
            else f"{'its one file' if found.files == 1 else f'all of its {found.files:,} files'}"
        )
        is_ = "is" if rest == 1 else "are"
        but = ", and these are not:" if found.left else ""
        lines.append(
            f"recovered: the interrupted commit of {found.id} was {became[0]}: "
            f"{files} {is_} {became[1]}{but}\n"
        )
    elif not found.unsure:
        lines.append("recovered: a commit was interrupted before it began; every file is as before\n")
    else:
        lines.append("a commit was interrupted, and what it did could not be found out\n")
    lines += [f"  {clean(one.path)} {one.why} meanwhile, and was left so\n" for one in found.left]
    lines += [f"  {clean(one.path)}: another text of it is kept in {one.kept}\n" for one in found.rescued]
    if found.journal is not None:
        lines.append(f"  its journal was damaged, and is kept in {found.journal}\n")
    return lines + [f"  not known: {one}\n" for one in found.unsure]


def late_lines(late: Iterable[LateWrite]) -> list[str]:
    """Where the bytes are that a program wrote into a file that was swapped out."""
    return [
        f"  {clean(one.path)} was written by another program meanwhile: that is kept in {one.kept}\n"
        for one in late
    ]


def damaged_lines(damaged: Iterable[Damaged]) -> list[str]:
    """What to do about damaged changes."""
    return [f"{clean(one.id)} is damaged: `astedit drop {clean(one.id)}` forgets it" for one in damaged]
