"""What a tool is, and what a call is given beside its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from structural.agent.schema import Schema
from structural.errors import StructuralError

if TYPE_CHECKING:
    from structural.agent.workbench import Workbench

Arguments = Mapping[str, Any]
Answer = dict[str, Any]


class CancelledCallError(StructuralError):
    """The caller took the call back."""

    code = "cancelled"


def _never() -> bool:
    return False


def _ignored(done: int, total: int) -> None:
    pass


@dataclass(slots=True)
class Call:
    """One call under way.  ``tick`` is called after every file: it tells how far the call is, and
    raises CancelledCallError once ``cancelled`` says so, as ``pause`` does."""

    cancelled: Callable[[], bool] = _never
    progress: Callable[[int, int], None] = _ignored
    done: int = 0
    total: int = 0
    """How many files there are, 0 while nobody knows."""
    roots: tuple[str, ...] = ()
    """Real paths to which the client narrows the root; empty if it does not."""
    remarks: list[str] = field(default_factory=list)
    """What happened on the way, for the answer."""

    def pause(self) -> None:
        """A place where the call can end, though no file is done."""
        if self.cancelled():
            raise CancelledCallError("the call was cancelled; nothing was changed", hint="make it again")

    def tick(self) -> None:
        self.done += 1
        self.pause()
        # A file may be looked at once more, with another reading of the pattern.
        self.progress(min(self.done, self.total) if self.total else self.done, self.total)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what a model is told of it, what it takes and gives, and what runs it.

    ``changes`` says whether it can write files or the store of staged changes; ``destroys``
    whether what it does can overwrite or delete; ``repeats`` whether a second call of the
    same arguments does no more than the first.
    """

    name: str
    title: str
    description: str
    takes: Schema
    gives: Schema
    run: Callable[[Workbench, Arguments, Call], Answer] = field(repr=False)
    changes: bool = False
    destroys: bool = False
    repeats: bool = True


def told(text: str) -> str:
    """A description as it is sent: each paragraph on a line, without the layout of the source."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
