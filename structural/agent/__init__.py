"""The engine as tools for agents: JSON in, JSON out, complete, bounded, confined to a root.

    from structural.agent import Toolbox

Everything else is imported when it is first needed.
"""

from structural.agent.tool import Call
from structural.agent.toolbox import Toolbox

__all__ = ["Call", "Toolbox"]
