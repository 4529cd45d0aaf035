"""A YAML text as mappings, lists and texts that know where they stand.

Every scalar is kept as it was written: a pattern ``1`` is the text ``1``. Aliases are followed, so what
a text may hold in all is bounded, as is how deep it may go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from structural.rules.values import At

MOST_NODES = 200_000
DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar. ``plain``: it stands without quotes, so that it may be a number, a truth value or
    nothing."""

    value: str
    at: At
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[Node, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Keys:
    """A mapping.  Keys that are no texts were left out; of a key that stands twice the last counts."""

    values: dict[str, Node]
    places: dict[str, At]
    at: At

    def get(self, key: str) -> Node | None:
        return self.values.get(key)

    def text(self, key: str) -> str:
        """The scalar under *key*, empty if there is none."""
        found = self.values.get(key)
        return found.value if isinstance(found, Text) else ""

    def texts(self, key: str) -> tuple[str, ...]:
        """The scalars under *key*: one, or a list of them."""
        return tuple(scalars(self.values.get(key)))


Node = Text | Items | Keys


class UnreadableError(ValueError):
    """The text is no YAML that can be read.  ``at`` says where."""

    def __init__(self, message: str, at: At) -> None:
        super().__init__(message)
        self.at = at


def documents(text: bytes) -> list[Node]:
    """Every document of *text*.  UnreadableError if it is no YAML, or too large in what it stands for."""
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = text.count(b"\n", 0, problem.start) + 1
        raise UnreadableError("it is no UTF-8 text", At(line)) from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        nodes = list(yaml.compose_all(decoded, Loader=loader))
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        at = At(mark.line + 1, mark.column + 1) if mark is not None else At()
        raise UnreadableError(f"it is no YAML: {problem.problem or problem.context}", at) from None
    except yaml.YAMLError as problem:
        raise UnreadableError(f"it is no YAML: {str(problem).splitlines()[0]}", At()) from None
    except (RecursionError, ValueError):
        raise UnreadableError("it is nested too deeply", At()) from None
    left = [MOST_NODES]
    return [_node(node, left, 0) for node in nodes]


def scalars(node: Node | None) -> Iterator[str]:
    """The texts that *node* is or lists."""
    if isinstance(node, Text):
        yield node.value
    elif isinstance(node, Items):
        for item in node.items:
            if isinstance(item, Text):
                yield item.value


def plain(node: Node) -> object:
    """*node* as values of the language: mappings, lists, texts, numbers, truth values."""
    if isinstance(node, Items):
        return [plain(item) for item in node.items]
    if isinstance(node, Keys):
        return {key: plain(value) for key, value in node.values.items()}
    return _scalar(node)


_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


def _scalar(node: Text) -> object:
    if not node.plain:
        return node.value
    if node.value in _NOTHING:
        return None
    if node.value in _TRUTH:
        return _TRUTH[node.value]
    for kind in (int, float):
        try:
            made = kind(node.value)
        except ValueError:
            continue
        if str(made) == node.value:  # what would be written otherwise (1_000, 010, nan) stays a text
            return made
    return node.value


def _node(node: yaml.Node, left: list[int], depth: int) -> Node:
    at = At(node.start_mark.line + 1, node.start_mark.column + 1)
    left[0] -= 1
    if left[0] < 0:
        raise UnreadableError(f"it stands for more than {MOST_NODES:,} values", at)
    if depth > DEEPEST:
        raise UnreadableError(f"it is nested more than {DEEPEST} levels deep", at)
    if isinstance(node, yaml.ScalarNode):
        return Text(node.value, at, node.style is None)
    if isinstance(node, yaml.SequenceNode):
        return Items(tuple(_node(item, left, depth + 1) for item in node.value), at)
    values: dict[str, Node] = {}
    places: dict[str, At] = {}
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode):
            values[key.value] = _node(value, left, depth + 1)
            places[key.value] = At(key.start_mark.line + 1, key.start_mark.column + 1)
    return Keys(values, places, at)
