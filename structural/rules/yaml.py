"""YAML as nodes that know where they stand.

Bytes in, documents out, with what is wrong as problems; nothing here raises.  libyaml reads the
syntax, event by event, so that depth and size are bounded while it reads; scalars are
resolved here, by the core schema of YAML 1.2: ``yes``, ``on`` and ``0777`` are texts and numbers
as they look, not what YAML 1.1 made of them.  After a fault in the syntax reading goes on with
the next document.

An alias is the node that it names.  ``weight`` counts nodes as often as they are visited, so that a
few lines that stand for millions of nodes are refused before anybody walks them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from structural.rules.values import At

MOST_BYTES = 8_000_000
MOST_NODES = 1_000_000
"""Of one file, those that aliases stand for counted each time."""
MOST_DEPTH = 200
_MOST_RESTARTS = 100

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text, a number, true or false, or nothing; ``text`` is what stands there."""

    at: At
    text: str
    value: Value
    weight: int = 1


@dataclass(slots=True)
class Sequence:
    """A list."""

    at: At
    items: list[Node] = field(default_factory=list)
    weight: int = 1


@dataclass(slots=True)
class Mapping:
    """Keys with values, in their order; keys are texts, each once."""

    at: At
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)
    weight: int = 1


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the YAML itself."""

    at: At
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of a file that could be read, and what is wrong."""

    nodes: tuple[Node, ...]
    faults: tuple[Fault, ...]


class _WrongError(Exception):
    """A fault that ends the reading of a document."""

    def __init__(self, at: At, message: str, hint: str = "", *, final: bool = False) -> None:
        super().__init__(message)
        self.fault = Fault(at, message, hint)
        self.final = final


def documents(text: bytes) -> Documents:
    """The documents of the YAML *text*; never raises."""
    if len(text) > MOST_BYTES:
        size = f"{len(text):,} bytes, more than {MOST_BYTES:,}"
        return Documents((), (Fault(At(), f"the file has {size}", "part it into several files"),))
    try:
        whole = text.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = text.count(b"\n", 0, problem.start) + 1
        return Documents((), (Fault(At(line, 1), "the file is not UTF-8", "save it as UTF-8"),))
    found: list[Node] = []
    faults: list[Fault] = []
    first, start, weight = 1, 0, 0
    for _ in range(_MOST_RESTARTS):
        reader = _Reader(first, faults, weight)
        try:
            found.extend(reader.read(whole[start:]))
        except _WrongError as problem:
            faults.append(problem.fault)
            if problem.final:
                break
            # A line that begins with three hyphens begins a document, wherever it stands.
            following = _next_document(whole, start, problem.fault.at.line - first)
            if following < 0:
                break
            first += whole.count("\n", start, following)
            start = following
            weight = reader.weight
            continue
        break
    faults.sort(key=lambda fault: (fault.at.line, fault.at.column))
    return Documents(tuple(found), tuple(faults))


_DOCUMENT = re.compile(r"^---(?=\s|$)", re.MULTILINE)


def _next_document(text: str, start: int, lines: int) -> int:
    """Where the first document begins that is behind so many *lines* behind *start*; -1 if none does."""
    at = start
    for _ in range(max(lines, 0)):
        at = text.find("\n", at) + 1
        if not at:
            return -1
    found = _DOCUMENT.search(text, max(at, start + 1))
    return found.start() if found else -1


class _Reader:
    """Events to nodes.  Anchors are those of one document."""

    def __init__(self, first: int, faults: list[Fault], weight: int) -> None:
        self.first = first
        self.faults = faults
        self.weight = weight

    def read(self, text: str) -> Iterator[Node]:
        """The documents of *text*."""
        import yaml  # only who reads rules waits for it

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            yield from self._documents(yaml.parse(text, Loader=loader))
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            at = self._at(mark) if mark is not None else At(self.first, 1)
            told = problem.problem or "it cannot be read"
            context = f" ({problem.context})" if problem.context else ""
            raise _WrongError(at, f"the YAML is wrong: {told}{context}", _hint(told)) from None
        except yaml.YAMLError as problem:
            told = str(problem).partition("\n")[0]
            offset = getattr(problem, "position", None)
            line = self.first + (text.count("\n", 0, offset) if isinstance(offset, int) else 0)
            raise _WrongError(At(line, 1), f"the YAML is wrong: {told}", final=True) from None

    def _documents(self, events: Iterator[object]) -> Iterator[Node]:
        anchors: dict[str, Node | None] = {}
        stack: list[_Open] = []
        for event in events:
            name = type(event).__name__
            made: Node | None = None
            anchor = ""
            if name == "ScalarEvent":
                at = self._at(event.start_mark)  # type: ignore[attr-defined]
                made = self._scalar(at, event)
                anchor = event.anchor or ""  # type: ignore[attr-defined]
                self._count(at, 1)
            elif name in ("SequenceStartEvent", "MappingStartEvent"):
                at = self._at(event.start_mark)  # type: ignore[attr-defined]
                self._tag(at, event.tag, name)  # type: ignore[attr-defined]
                if len(stack) >= MOST_DEPTH:
                    raise _WrongError(at, f"this is nested more than {MOST_DEPTH} levels deep")
                self._count(at, 1)
                node = Sequence(at) if name == "SequenceStartEvent" else Mapping(at)
                stack.append(_Open(node, event.anchor or ""))  # type: ignore[attr-defined]
                if stack[-1].anchor:
                    anchors[stack[-1].anchor] = None
                continue
            elif name in ("SequenceEndEvent", "MappingEndEvent"):
                done = stack.pop()
                made, anchor = done.node, done.anchor
            elif name == "AliasEvent":
                at = self._at(event.start_mark)  # type: ignore[attr-defined]
                made = self._alias(at, event.anchor, anchors)  # type: ignore[attr-defined]
            else:
                if name == "DocumentStartEvent":
                    anchors, stack = {}, []
                continue
            if anchor:
                anchors[anchor] = made
            if not stack:
                yield made
            else:
                self._into(stack[-1], made)

    def _into(self, parent: _Open, made: Node) -> None:
        node = parent.node
        node.weight += made.weight
        if isinstance(node, Sequence):
            node.items.append(made)
        elif parent.key is None:
            parent.key = made
        else:
            key, parent.key = parent.key, None
            if not isinstance(key, Scalar):
                self.faults.append(Fault(key.at, "a key is a text, not a list or a mapping"))
            elif key.text in parent.seen:
                first = parent.seen[key.text]
                self.faults.append(
                    Fault(
                        key.at,
                        f"the key {_shown(key.text)} stands here a second time",
                        f"the first one is in line {first.line}; a list under `all` holds several conditions",
                    )
                )
            else:
                parent.seen[key.text] = key.at
                node.entries.append((key, made))

    def _alias(self, at: At, name: str, anchors: dict[str, Node | None]) -> Node:
        if name not in anchors:
            raise _WrongError(at, f"the alias *{name} has no anchor &{name} before it")
        node = anchors[name]
        if node is None:
            raise _WrongError(at, f"the alias *{name} stands in what it stands for")
        self._count(at, node.weight)
        return node

    def _count(self, at: At, weight: int) -> None:
        self.weight += weight
        if self.weight > MOST_NODES:
            raise _WrongError(
                at, f"the file stands for more than {MOST_NODES:,} nodes", "part it into several", final=True
            )

    def _scalar(self, at: At, event: object) -> Scalar:
        text: str = event.value  # type: ignore[attr-defined]
        tag: str | None = event.tag  # type: ignore[attr-defined]
        plain = not event.style and event.implicit[0]  # type: ignore[attr-defined]
        if tag in (None, "!"):
            return Scalar(at, text, resolved(text) if plain else text)
        self._tag(at, tag, "ScalarEvent")
        value = text if tag == f"{_TAG}str" else resolved(text)
        return Scalar(at, text, value)

    def _tag(self, at: At, tag: str | None, event: str) -> None:
        if tag is not None and tag not in _TAGS[event]:
            self.faults.append(Fault(at, f"the tag {_shown(tag)} means nothing here", "leave it out"))

    def _at(self, mark: object) -> At:
        line: int = mark.line  # type: ignore[attr-defined]
        return At(self.first + line, mark.column + 1)  # type: ignore[attr-defined]


@dataclass(slots=True)
class _Open:
    """A list or a mapping of which the end was not read yet."""

    node: Sequence | Mapping
    anchor: str
    key: Node | None = None
    seen: dict[str, At] = field(default_factory=dict)


_TAG = "tag:yaml.org,2002:"
_TAGS = {
    "ScalarEvent": {"!"} | {f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "null")},
    "SequenceStartEvent": {"!", f"{_TAG}seq"},
    "MappingStartEvent": {"!", f"{_TAG}map"},
}

_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_BASED = re.compile(r"0o[0-7]{1,18}|0x[0-9a-fA-F]{1,15}")
_FLOAT = re.compile(
    r"[-+]?(\.[0-9]{1,40}|[0-9]{1,40}(\.[0-9]{0,40})?)([eE][-+]?[0-9]{1,4})?|[-+]?\.(inf|Inf|INF)"
    r"|\.(nan|NaN|NAN)"
)


def resolved(text: str) -> Value:
    """What a plain scalar stands for, by the core schema of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


def _hint(problem: str) -> str:
    """What people usually did where libyaml says *problem*."""
    if "mapping values are not allowed" in problem:
        return "a text that holds `: ` is written in quotes, or below `|`"
    if "cannot start any token" in problem:
        return "a text that begins with this character is written in quotes"
    if "tab" in problem:
        return "YAML is indented by blanks"
    if "did not find expected alphabetic or numeric" in problem:
        return "a text that begins with `*` or `&` is written in quotes"
    if "did not find expected key" in problem or "while parsing a block" in problem:
        return "look at the indentation, and whether quotes are closed"
    return ""


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")
