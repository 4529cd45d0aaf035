"""The tools of one root, called by name with JSON arguments: the same for MCP, the command
line and Python.

    box = Toolbox("path/of/the/project")
    answer = box.call("ast_grep", {"pattern": "print($X)"})

Order of things: the tool is known, its arguments fit its schema, it runs, its answer fits
the budget.  ``call`` gives an answer in any case: what goes wrong is one with ``ok`` false.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

from structural.agent import slips, statement
from structural.agent.budget import clip, listed, squeeze
from structural.agent.observers import Observer
from structural.agent.schema import BUDGET_DEFAULT, BUDGET_LEAST, BUDGET_MOST
from structural.agent.tool import Answer, Call, Tool
from structural.agent.workbench import Workbench
from structural.errors import PatternError, StructuralError, UsageError
from structural.workflow.searching import describe

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

__all__ = ["MEMORY", "Toolbox"]

MEMORY = 400_000_000
"""Bytes of sources and trees that a toolbox keeps, unless it is told otherwise."""


class ArgumentsError(UsageError):
    """Arguments that do not fit the schema of their tool."""

    code = "arguments"


class UnknownToolError(UsageError):
    """There is no tool of this name, or it is not offered here."""

    code = "unknown-tool"


class Toolbox:
    """The tools over the files below *root*.

    *read_only* leaves out the tools that can change files.  *jobs* processes search, 0 means as
    many as there are processors.  *memory* is the number of bytes that are kept between calls, 0
    for none.  Threads may share a toolbox.  Raises UsageError if the root is no folder.
    """

    def __init__(
        self,
        root: str = ".",
        *,
        read_only: bool = False,
        jobs: int = 0,
        memory: int = MEMORY,
        observers: Sequence[Observer] = (),
    ) -> None:
        import os

        if not os.path.isdir(root):
            raise UsageError(f"the root {root!r} is no folder")
        self._bench = Workbench(root, jobs=jobs, memory=memory, observers=observers)
        self._read_only = read_only
        self._running = 0
        self._counting = threading.Lock()

    @property
    def root(self) -> str:
        """The root, without links."""
        return str(self._bench.inside.root)

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The tools that are offered, by name."""
        from structural.agent.catalogue import TOOLS

        return {tool.name: tool for tool in TOOLS if not (self._read_only and tool.changes)}

    def call(self, name: str, arguments: Mapping[str, Any] | None = None, call: Call | None = None) -> Answer:
        """Run a tool.  Never raises for what a caller can do wrong, nor for faults of ours."""
        given = {} if arguments is None else arguments
        call = call or Call()
        with self._counting:
            self._running += 1
        try:
            tool = self._tool(name)
            self._check(tool, given)
            answer = tool.run(self._bench.narrowed(call.roots), given, call)
        except StructuralError as problem:
            answer = statement.error(problem, self._bench.inside)
            if isinstance(problem, PatternError) and isinstance(given.get("pattern"), str):
                found = slips.in_pattern(given["pattern"])
                if found:
                    answer["error"]["hint"] = clip("; ".join([*found, answer["error"]["hint"]]), 500)
        except RecursionError:
            answer = self._fault("RecursionError: nested too deeply")
        except Exception as problem:
            answer = self._fault(describe(problem))
        finally:
            with self._counting:
                self._running -= 1
        if call.remarks and answer["ok"]:
            inside = self._bench.inside
            said = [clip(inside.said(statement.worded(one)), 300) for one in call.remarks[:10]]
            answer["remarks"] = [*answer.get("remarks", ()), *said]
        if self._read_only and "next" in answer:
            answer["next"] = [step for step in answer["next"] if step["tool"] in self.tools]
        squeeze(answer, _budget(given))
        return answer

    def refused(self, problem: StructuralError) -> Answer:
        """The answer of a call that is not made."""
        return statement.error(problem, self._bench.inside)

    def warm(self, stop: Callable[[], bool]) -> None:
        """Read and parse the files of the root ahead of the calls, until *stop* says so or the memory is
        full.  For a thread in the background: it rests while a call runs."""

        def stopped() -> bool:
            while self._running and not stop():
                time.sleep(0.02)
            return stop()

        if self._bench.memory is not None:
            with suppress(StructuralError, OSError):  # a call that needs these files will tell
                self._bench.memory.warm(self._bench.selection({}), stopped)

    def _tool(self, name: str) -> Tool:
        tool = self.tools.get(name)
        if tool is not None:
            return tool
        from structural.agent.catalogue import TOOLS

        if any(tool.name == name for tool in TOOLS):
            raise UnknownToolError(f"{name} can change files, and this server only reads")
        close = get_close_matches(name, self.tools, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(self.tools)}"
        raise UnknownToolError(f"there is no tool {clip(name, 60)!r}", hint=hint)

    def _check(self, tool: Tool, arguments: Any) -> None:
        """ArgumentsError with everything that does not fit the schema of *tool*."""
        errors = list(self._validator(tool).iter_errors(arguments))
        problems = [_problem(error, tool) for error in errors]
        if problems:
            hint = f"it takes {', '.join(_signature(tool))}"
            first = errors[0]
            if first.absolute_path and all(one.validator == "type" for one in errors):
                name = str(first.absolute_path[0])
                hint = f"{name}: {tool.takes['properties'][name].get('description', 'see the schema')}"
            raise ArgumentsError(f"{tool.name}: {listed(sorted(problems), 5)}", hint=hint)

    def _validator(self, tool: Tool) -> Validator:
        found = self._validators.get(tool.name)
        if found is None:
            from jsonschema import Draft202012Validator

            found = self._validators[tool.name] = Draft202012Validator(tool.takes)
        return found

    @cached_property
    def _validators(self) -> dict[str, Validator]:
        return {}

    def _fault(self, what: str) -> Answer:
        return {
            "ok": False,
            "error": {
                "code": "internal",
                "message": f"this program failed, which is a fault of its own: {clip(what, 400)}",
                "hint": "nothing was committed unless `status` says so; try narrower paths",
            },
        }


def _budget(arguments: object) -> int:
    asked = arguments.get("budget") if isinstance(arguments, Mapping) else None
    if not isinstance(asked, int):
        return BUDGET_DEFAULT
    return min(max(asked, BUDGET_LEAST), BUDGET_MOST)


def _signature(tool: Tool) -> list[str]:
    """The names of a tool's arguments; those that may be left out in brackets."""
    required = tool.takes.get("required", ())
    return [name if name in required else f"[{name}]" for name in tool.takes["properties"]]


def _problem(error: Any, tool: Tool) -> str:
    """One sentence of what is wrong with the arguments."""
    place = ".".join(str(part) for part in error.absolute_path)
    where = f"{place} " if place else ""
    rule, limit = error.validator, error.validator_value
    if rule == "additionalProperties":
        known = list(error.schema.get("properties", ()))
        extra = [name for name in error.instance if name not in known]
        said = [slips.argument(name, error.schema.get("properties", {})) for name in extra]
        close = get_close_matches(extra[0], known, n=1) if extra else []
        meant = f" (did you mean {close[0]}?)" if close else ""
        told = list(dict.fromkeys(one for one in said if one))
        meant = f" ({listed(told, 3)})" if told else meant
        return f"{where}has no {clip(listed(extra), 100)}{meant}"
    if rule == "required":
        missing = [name for name in limit if name not in error.instance]
        return f"{where}needs {listed(missing)}"
    if rule == "type":
        return slips.typed(where or "the arguments ", error.schema, error.instance)
    if rule == "enum":
        return f"{where}must be one of {listed([str(one) for one in limit], 12)}"
    if rule in {"minimum", "maximum"}:
        return f"{where}must be at {'least' if rule == 'minimum' else 'most'} {limit}"
    if rule in {"minLength", "minItems"}:
        return f"{where}must have at least {limit} {'characters' if rule == 'minLength' else 'elements'}"
    if rule in {"maxLength", "maxItems"}:
        return f"{where}must have at most {limit} {'characters' if rule == 'maxLength' else 'elements'}"
    return f"{where}does not fit {rule}"
