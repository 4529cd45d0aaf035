"""What is shown of a definition: its head on one line, and its name without quotes.

The head is the text from the first token that is in no annotation to the body, or to the end of
the line where there is none; comments are left out, and lists over several lines are joined.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from structural.syntax.columns import Columns
from structural.syntax.defining import Definers, Rule, Trail, follow

CUT = 160
"""Characters of a head, and of a name, that are kept."""


def head(
    columns: Columns, trail: Trail, place: int, rule: Rule, name: tuple[int, int], rules: Definers
) -> str:
    """What stands before the body, without annotations and comments, on one line."""
    outer, node = trail.path[place], trail.path[-1]
    start, end = _first_token(columns, outer, rules), columns.end[outer]
    lead = b"" if outer != node else _shared(columns, trail, rules)
    bodies = follow(rule.body, columns, node)
    body = bodies[0] if bodies else -1
    if body == node:
        opened = -1
    elif body >= 0 and columns.end[body] <= name[0]:
        # A body before the name: `typedef struct { … } name`.
        text = _without_comments(columns, start, columns.start[body]) + " { … }".encode()
        return _line(text + b" " + _without_comments(columns, columns.end[body], end), cut=False)
    elif body >= 0 and columns.start[body] >= name[1]:
        opened = columns.start[body]
    else:
        opened = _block(columns, node, rules)
    cut = opened >= name[1]
    end = min(opened if cut else end, start + 8 * CUT)
    text = _without_comments(columns, start, end)
    if not cut:
        text = _first_line(text, name[1] - start, value=rule.level)
    return _line(lead + text, cut=cut)


def _line(text: bytes, *, cut: bool) -> str:
    text = text.strip()
    if b"\n" in text:
        text = _LISTED.sub(b"", text)
    line = " ".join(text.decode("utf-8", "ignore").split())
    if cut or line.endswith(("{", "[", "=", ":")):
        while line.endswith(_OPENS):
            for opens in _OPENS:
                line = line.removesuffix(opens)
            line = line.rstrip()
    line = line.rstrip(" ;,\\")
    return line if len(line) <= CUT else line[: CUT - 1] + "…"


def _shared(columns: Columns, trail: Trail, rules: Definers) -> bytes:
    """What stands before the first of several definitions in one declaration, and is about all of
    them: a type, modifiers.  Nothing if it is not on one line with the first."""
    kind, path = columns.kind, trail.path
    place = len(path) - 2
    if place < 0 or kind[path[place]] not in rules.wrappers:
        return b""
    first = path[place] + 1
    while kind[first] not in rules.rules:
        first += columns.size[first]
    while place > 0 and kind[path[place - 1]] in rules.wrappers:
        place -= 1
    text = _without_comments(columns, _first_token(columns, path[place], rules), columns.start[first])
    return b"" if b"\n" in text or text.rstrip().endswith((b"(", b"{")) else text


_LISTED = re.compile(rb"(?<=[(\[{])\s*\n\s*|,?\s*\n\s*(?=[)\]}])")
"""The line ends at both ends of a list that is written over several lines."""

_OPENS = ("{", "[", ":", ";", ",", " =", " do", " begin", " where", " then")
"""What opens a body, at the end of a head."""


def _first_token(columns: Columns, node: int, rules: Definers) -> int:
    """The first byte of *node* that is in no annotation."""
    at, end = node, node + columns.size[node]
    while at < end:
        if columns.kind[at] in rules.annotations:
            at += columns.size[at]
        elif columns.size[at] == 1:
            return columns.start[at]
        else:
            at += 1
    return columns.start[node]


def _block(columns: Columns, node: int, rules: Definers) -> int:
    """Where the first block among the children of *node*, or theirs, begins; -1 if there is none."""
    for child in columns.children(node):
        if columns.kind[child] in rules.blocks:
            return columns.start[child]
        if child + 1 < child + columns.size[child] and columns.kind[child + 1] in rules.blocks:
            return columns.start[child]
    return -1


def _without_comments(columns: Columns, start: int, end: int) -> bytes:
    pieces = []
    at = start
    for low, high in columns.comments[bisect_left(columns.comments, (start, start)) :]:
        if low >= end:
            break
        pieces += [columns.source[at:low], b" " * (high - max(at, low))]
        at = max(at, high)
    pieces.append(columns.source[at:end])
    return b"".join(pieces)


def _first_line(text: bytes, name_end: int, *, value: bool) -> bytes:
    """*text* up to the end of the line on which its parentheses are closed behind the name; of a
    *value*, what opens a brace at the end of a line ends it too."""
    depth, at = 0, 0
    end = text.find(b"\n", max(0, name_end))
    while end >= 0:
        depth += text.count(b"(", at, end) - text.count(b")", at, end)
        if depth <= 0 or (value and text[at:end].rstrip().endswith(b"{")):
            return text[:end]
        at, end = end, text.find(b"\n", end + 1)
    return text


_QUOTED = frozenset({b'"', b"'", b"`"})
_QUOTES = (b"'''", b'"""', b'"', b"'", b"`")


def bare(source: bytes, low: int, high: int) -> tuple[bytes, int, int]:
    """A name without the white space and the quotes around it."""
    text = source[low:high]
    low, high = low + len(text) - len(text.lstrip()), high - len(text) + len(text.rstrip())
    text = source[low:high]
    for quote in _QUOTES if text[:1] in _QUOTED else ():
        size = len(quote)
        if len(text) > 2 * size and text.startswith(quote) and text.endswith(quote):
            return text[size:-size], low + size, high - size
    return text, low, high


def shown(text: bytes) -> str:
    line = " ".join(text[: 8 * CUT].decode("utf-8", "replace").split())
    return line if len(line) <= CUT else line[: CUT - 1] + "…"
