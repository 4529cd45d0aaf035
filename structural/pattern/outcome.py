"""What an attempt to match ends with: the place that was found, or how far it got."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from structural.pattern.bindings import Bindings
from structural.pattern.operations import Operation


@dataclass(frozen=True, slots=True)
class Found:
    """A match in columns: first and last root node, bytes, bindings by number, equivalence bits."""

    first: int
    last: int
    start: int
    end: int
    bindings: Bindings
    equivalences: int
    lead: int = -1
    """First byte of the first token that the pattern mentions, -1 if it begins with an ellipsis."""
    steps: Any = None
    """If they were recorded: (steps before, operation, node in the walk, first node, last node), the
    last step outside.  An ellipsis that stands for nothing has -2 and the byte where it would be."""


@dataclass(slots=True)
class Trace:
    """The place where an attempt got furthest: operation, node (-1 at the end of a node), byte."""

    agreed: int = -1
    node: int = -1
    byte: int = -1
    operation: Operation | None = None
    bindings: Bindings = ()

    def note(self, pc: int, node: int, byte: int, operation: Operation, bindings: Bindings) -> None:
        if pc > self.agreed:
            self.agreed, self.node, self.byte, self.operation = pc, node, byte, operation
            self.bindings = bindings
