"""All tools, in the order in which they are listed."""

from __future__ import annotations

from structural.agent import (
    editing,
    explaining,
    looking,
    outlining,
    reading,
    resolving,
    scanning,
    searching,
    writing,
)
from structural.agent.tool import Tool

TOOLS: tuple[Tool, ...] = (
    searching.TOOL,
    scanning.TOOL,
    explaining.TOOL,
    outlining.TOOL,
    reading.TOOL,
    editing.TOOL,
    *writing.TOOLS,
    looking.SHOW,
    resolving.DROP,
    resolving.REBASE,
    resolving.RESOLVE,
    resolving.UNDO,
    looking.STATUS,
)
