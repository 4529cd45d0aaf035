"""What the tools share between calls: the root, what is kept in memory, and who looks on.

Everything that is kept is only there to be fast: a new workbench over the same tree
gives the same answers.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from structural.agent.confine import Confined
from structural.agent.observers import Observer
from structural.agent.tool import Arguments, Call
from structural.workflow import config
from structural.workflow.searching import PatternSpec, Relation, Selection

if TYPE_CHECKING:
    from structural.workflow.changes import OpenTree, Recovered
    from structural.workflow.remembering import Memory
    from structural.workflow.scanning.remembered import Remembered

RELATIONS = ("inside", "has", "follows", "precedes")

ANSWERS = 8
"""How many answers are kept, so that their next pages cost nothing."""


_SCANS = 8
"""Of the memory an eighth is for what rules found."""


class Workbench:
    """One root with what is known of it.  Threads may share it."""

    def __init__(
        self, root: str, *, jobs: int = 0, memory: int = 0, observers: Sequence[Observer] = ()
    ) -> None:
        self.inside = Confined(root)
        self.jobs = jobs
        self.observers = tuple(observers)
        config.load(self.inside.root)
        self._limit = memory
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()

    def narrowed(self, roots: Sequence[str]) -> Workbench:
        """The same, for a client that offers *roots*."""
        inside = self.inside.narrowed(roots)
        if inside is self.inside:
            return self
        _ = self.memory, self.findings  # made once, for all
        other = copy(self)
        other.inside = inside
        return other

    @cached_property
    def memory(self) -> Memory | None:
        """Sources, trees and patterns of earlier calls, always fresh, and what an index of the root knows;
        None if nothing is to be kept."""
        from structural.workflow.remembering import memory_for

        return memory_for(str(self.inside.root), self._limit) if self._limit else None

    @cached_property
    def findings(self) -> Remembered | None:
        """Compiled rules and findings of earlier scans, always fresh; None if nothing is to be kept."""
        from structural.workflow.scanning.remembered import Remembered

        return Remembered(self._limit // _SCANS) if self._limit else None

    def tree(self, call: Call) -> OpenTree:
        """The tree with its store; recovers first what a crash left, and says so."""
        from structural.workflow.changes import open_tree

        tree = open_tree(str(self.inside.root))
        call.remarks += _recovered(tree.recovered)
        if tree.trouble:
            call.remarks.append(tree.trouble)
        return tree

    def kept(self, key: str) -> Any:
        """What was kept under *key*, else None."""
        key = self._own(key)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: str, value: object) -> None:
        """Keep *value*; the one that was not used longest goes."""
        key = self._own(key)
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > ANSWERS:
                self._kept.popitem(last=False)

    def _own(self, key: str) -> str:
        """A key that clients with other roots do not share."""
        return "\0".join((key, *self.inside.within))

    def selection(self, arguments: Arguments) -> Selection:
        """Which files a call means."""
        return Selection(
            paths=self.inside.selected(arguments.get("paths", ())),
            globs=tuple(arguments.get("globs", ())),
            hidden=arguments.get("hidden", False),
            no_ignore=arguments.get("no_ignore", False),
        )


def _recovered(found: Recovered) -> list[str]:
    """What became of a commit that was interrupted."""
    if not found.found:
        return []
    if found.id:
        how = "finished: it is written" if found.finished else "taken back: its files are as before"
        said = [f"the interrupted commit of {found.id} was {how}"]
    elif found.unsure:
        said = ["a commit was interrupted, and what it did could not be found out"]
    else:
        said = ["a commit was interrupted before it began: every file is as before"]
    said += [f"{one.path} {one.why}, and was left so" for one in found.left]
    said += [f"what stood in {one.path} is kept in {one.kept}" for one in found.rescued]
    return said + list(found.unsure)


def spec_of(arguments: Arguments) -> PatternSpec:
    """The pattern of a call with its constraints."""
    relations = tuple(
        Relation(name, text, negated=negated)
        for name in RELATIONS
        for negated in (False, True)
        for text in arguments.get(f"not_{name}" if negated else name, ())
    )
    return PatternSpec(
        arguments["pattern"],
        tuple(arguments.get("languages", ())),
        arguments.get("as"),
        arguments.get("strictness", "smart"),
        tuple(arguments.get("equivalences", ())),
        tuple(arguments.get("without", ())),
        arguments.get("kind"),
        tuple(arguments.get("where", ())),
        relations,
    )
