"""Ten tasks of an agent, done end to end by scripted agents with different tools.

``contest`` holds the agents and what is counted, ``trees`` what the checks are made of; the
tasks are in ``renaming``, ``patching``, ``sharing`` and ``searching``.
"""

from __future__ import annotations

from bench.tasking.contest import AgentTask
from bench.tasking.patching import NotUnique, StalePatch
from bench.tasking.renaming import AddParameter, Guards, Rename
from bench.tasking.searching import Pages, ReadWrongly
from bench.tasking.sharing import Formatter, Outlined, TwoAgents

TASKS: tuple[AgentTask, ...] = (
    Rename(),
    Guards(),
    AddParameter(),
    StalePatch(),
    TwoAgents(),
    Formatter(),
    NotUnique(),
    Outlined(),
    ReadWrongly(),
    Pages(),
)
