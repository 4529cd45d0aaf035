"""A reading in words, for people who ask how their pattern is understood."""

from __future__ import annotations

from structural.pattern.compile import Reading
from structural.pattern.metavariables import Metavariable
from structural.pattern.operations import Code, Operation
from structural.pattern.program import Program
from structural.pattern.tables import EQUIVALENCES


def tree_lines(reading: Reading) -> list[str]:
    """The pattern as a tree, one node a line, indented by its depth.  Alternatives stand one behind
    the other, parted by an empty line."""
    if reading.comment is not None:
        text = "".join(str(p) if isinstance(p, Metavariable) else p.decode() for p in reading.comment)
        return [f"comment {text!r}"]
    lines: list[str] = []
    for program in reading.programs:
        if lines:
            lines.append("")
        lines += _program_lines(program)
    return lines


def unmentioned(reading: Reading) -> list[str]:
    """Kinds that a match may have though the pattern does not mention them."""
    tables = reading.tables
    names = {tables.names[kind] for kind in tables.adornments}
    for program in reading.programs:
        for op in program.operations:
            if op.code is Code.NODE and op.frame is not None:
                for run in op.frame.runs:
                    names.add(" ".join(_step(step, wanted, reading) for step, wanted in run))
    return sorted(names)


def equivalences(reading: Reading) -> list[str]:
    """Names of the equivalences that are on, in the order in which they are documented."""
    there = reading.options.equivalences - ({"order"} if reading.in_order else set())
    return [name for name in EQUIVALENCES if name in there]


def _program_lines(program: Program) -> list[str]:
    depth = 0
    lines = []
    for op in program.operations:
        if op.code is Code.EXIT:
            depth -= 1
        elif op.code is not Code.DONE:
            lines.append("  " * depth + _line(op))
            if op.code is Code.NODE:
                depth += 1
    return lines


def _line(op: Operation) -> str:
    notes = []
    if op.parens:
        notes.append("parentheses may be left out")
    if op.braces or op.bare:
        notes.append("braces may be left out")
    if op.code is Code.SOFT:
        notes.append("only between two elements")
    if op.code is Code.STRING:
        notes.append("string")
    if op.code is Code.TEMPLATE:
        notes.append("text with metavariables")
    return op.shown + (f"  ({', '.join(notes)})" if notes else "")


def _step(step: str, wanted: int | frozenset[int], reading: Reading) -> str:
    grammar = reading.tables.grammar
    if isinstance(wanted, frozenset):
        return " or ".join(sorted({grammar.name(kind) for kind in wanted})) or "?"
    if step == "field":
        return f"<{grammar.field_name(wanted)}>"
    return "<any>"
