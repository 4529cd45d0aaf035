"""``astgrep index``: build, show, check and drop the index of a tree."""

from __future__ import annotations

from datetime import datetime

from structural.cli.options import Options
from structural.cli.output import Output, error_text
from structural.workflow.indexing import Status, build, drop, status, verify

NONE, DAMAGED = 1, 3
"""Exit codes."""


def index(action: str, path: str, options: Options) -> int:
    """The command; gives the exit code.  Raises StructuralError for a wrong call."""
    output = Output()
    code = _ACTIONS[action](path, options, output)
    output.flush()
    return code


def _build(path: str, options: Options, output: Output) -> int:
    made = build(path, jobs=options["jobs"])
    share = made.size / made.source if made.source else 0.0
    output.write(
        f"{made.root}: {made.files:,} files, {made.made:,} of them parsed, in {made.seconds:.1f} s\n"
        f"{_bytes(made.size)} for {_bytes(made.source)} of source ({share:.2f} bytes a byte)\n"
        f"in {made.folder}\n"
    )
    for root in made.removed:
        output.write(f"removed the index of {root or 'a tree of another version'}, which was not used\n")
    return 0


def _status(path: str, options: Options, output: Output) -> int:
    told = status(path)
    if told is None:
        return _no_index(path)
    output.write(_lines(told))
    return DAMAGED if told.problem else 0


def _verify(path: str, options: Options, output: Output) -> int:
    told, problems = verify(path)
    if told is None:
        return _no_index(path)
    output.write(_lines(told))
    for problem in problems:
        output.write(f"wrong: {problem}\n")
    if not problems:
        output.write("everything in it is as the files are\n")
    return DAMAGED if problems else 0


def _drop(path: str, options: Options, output: Output) -> int:
    root = drop(path)
    if root is None:
        return _no_index(path)
    output.write(f"removed the index of {root}\n")
    return 0


def _no_index(path: str) -> int:
    error_text(f"there is no index of {path}\nhint: astgrep index build {path}\n")
    return NONE


def _lines(told: Status) -> str:
    if told.problem:
        return f"{told.root}: {told.problem} ({told.folder})\n"
    when = f"{datetime.fromtimestamp(told.built / 1e9):%Y-%m-%d %H:%M}" if told.built else "never as a whole"
    share = told.size / told.source if told.source else 0.0
    return (
        f"{told.root}: {told.files:,} files, {told.columns:,} with columns in {told.blocks:,} blocks\n"
        f"{_bytes(told.size)} for {_bytes(told.source)} of source ({share:.2f} bytes a byte)\n"
        f"in {told.folder}\n"
        f"built {when}; changed or new since it was written: {told.stale:,}; gone: {told.gone:,}\n"
    )


def _bytes(number: int) -> str:
    return f"{number / 1e6:.1f} MB" if number >= 100_000 else f"{number / 1e3:.1f} kB"


_ACTIONS = {"build": _build, "status": _status, "verify": _verify, "drop": _drop}
