"""The tools as the schemas that model APIs take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from structural.agent.tool import Tool

FORMATS = ("mcp", "openai", "anthropic")


def exported(tools: Iterable[Tool], style: str) -> list[dict[str, Any]]:
    """The tools in one of FORMATS."""
    make = {"mcp": as_mcp, "openai": _as_openai, "anthropic": _as_anthropic}[style]
    return [make(tool) for tool in tools]


def as_mcp(tool: Tool) -> dict[str, Any]:
    """As ``tools/list`` of the Model Context Protocol gives it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.takes,
        "outputSchema": tool.gives,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": not tool.changes,
            "destructiveHint": tool.destroys,
            "idempotentHint": tool.repeats,
            "openWorldHint": False,
        },
    }


def _as_openai(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.takes}
    return {"type": "function", "function": function}


def _as_anthropic(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.takes}
