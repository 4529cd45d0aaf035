"""The definitions of a source text, from its columns: what is defined, where, and what it lies in.

Order of things: every node whose kind has a rule of the language (``defining``) is looked at in
preorder, with a stack of the definitions around it; its span grows over what goes with it (a
decorator, an export); definitions that are one in several pieces are joined.  What is embedded
in the file is gone through in the same way, and all are nested in the end by their spans.

Pure, and does not fail on broken code: what is not in an ERROR is there as ever, and what is,
as far as the grammar made nodes of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from structural.errors import LanguageError
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.defining import Definers, Rule, definers, follow
from structural.syntax.embed import regions
from structural.syntax.grammar import load_named
from structural.syntax.parse import parse
from structural.text import Span

HOMES = frozenset(
    {
        "class",
        "interface",
        "trait",
        "struct",
        "union",
        "enum",
        "object",
        "contract",
        "impl",
        "extension",
    }
)
"""Sorts whose functions are methods, and whose variables are fields."""

FUNCTIONS = frozenset({"function", "method", "constructor", "macro", "modifier", "test"})
"""Sorts that hold code: what is named in it belongs to it alone."""

_ONCE = frozenset({"variable", "constant", "field"})
"""Sorts of names that can be given a value again."""

_CUT = 160
"""Characters of a head, and of a name, that are kept."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition.  Invariants, in the tuple of an outline: order is that of the spans; ``parent``
    is the index of the definition that it lies in, -1 for none, and ``depth`` how many it lies in.

    ``sort`` is one of ``language.SORTS``, ``kind`` the grammar's kind.  ``span`` takes in decorators
    and the like, ``name_span`` lies in it, and ``name`` is without quotes.  ``owner`` is what it
    belongs to although it does not lie in it (the receiver of a method in Go).  ``head`` is what stands
    before the body, on one line.
    """

    sort: str
    name: str
    kind: str
    language: str
    span: Span
    name_span: Span
    head: str
    owner: str = ""
    depth: int = 0
    parent: int = -1


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions of one text.  ``general`` are languages of it that have no rules of their own."""

    language: str
    definitions: tuple[Definition, ...]
    syntax_errors: int = 0
    general: tuple[str, ...] = ()


def outline(source: bytes, language: str) -> Outline:
    """The definitions of *source*, a text of *language*, those in embedded code too.

    Raises UnsearchableError for a text that the grammar cannot take, LanguageError for a grammar
    that is not installed.
    """
    columns = parse(source, language)
    errors = columns.errors
    rules = definers(language)
    general = {language} if rules.general else set()
    found = _definitions(columns, rules)
    if registry.get(language).embedded:
        pending = regions(columns)
        while pending:
            region = pending.pop()
            if registry.get(region.language).hidden:
                continue
            try:
                inner = definers(region.language)
            except LanguageError:
                continue  # the host is all the same what it is
            inside = parse(source, region.language, region.ranges)
            errors += inside.errors
            more = _definitions(inside, inner)
            if more and inner.general:
                general.add(region.language)
            found += more
            if registry.get(region.language).embedded:
                pending += [deeper for deeper in regions(inside) if deeper.ranges != region.ranges]
    return Outline(language, _nested(found), errors, tuple(sorted(general)))


def narrowed(
    found: Sequence[Definition],
    *,
    depth: int = 0,
    sorts: frozenset[str] = frozenset(),
    match: re.Pattern[str] | None = None,
    languages: frozenset[str] = frozenset(),
) -> tuple[Definition, ...]:
    """Those of an outline that lie at most *depth* levels deep (0: any), are one of *sorts* (empty: any),
    of one of *languages* (the same), and whose name *match* finds something in.  ``parent`` is the
    nearest that is left; ``depth`` stays."""
    if not (depth or sorts or match or languages):
        return tuple(found)
    kept: list[Definition] = []
    place: list[int] = []
    for one in found:
        above = place[one.parent] if one.parent >= 0 else -1
        if (
            (depth and one.depth >= depth)
            or (sorts and one.sort not in sorts)
            or (languages and one.language not in languages)
            or (match and not match.search(one.name))
        ):
            place.append(above)
            continue
        place.append(len(kept))
        kept.append(one if one.parent == above else replace(one, parent=above))
    return tuple(kept)


# --- one tree ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Found:
    """A definition before it is nested.  Those with one ``node`` are siblings, as ``a, b = 1, 2``."""

    sort: str
    name: str
    kind: int
    language: str
    start: int
    end: int
    name_span: tuple[int, int]
    head: str
    owner: str
    node: tuple[str, int]
    joined: tuple[int, str, int]


def _definitions(columns: Columns, rules: Definers) -> list[_Found]:
    by_kind, size = rules.rules, columns.size
    wanted = by_kind.keys()
    found: list[_Found] = []
    trail = Trail(columns, rules)
    stack: list[_Around] = [_Around(-1, -1, len(columns), "")]  # the file itself first
    closed = all(rule.level for row in by_kind.values() for rule in row)
    beyond = 0  # what lies before it is in a node that nothing is defined in
    once: set[tuple[int, str]] = set()
    last_in: dict[int, _Found] = {}
    for node, kind in enumerate(columns.kind):
        if kind not in wanted or node < beyond:
            continue
        while stack[-1].end <= node:
            stack.pop()
        around = stack[-1]
        trail.go(node)
        for rule in by_kind[kind]:
            names = _names(rule, columns, trail, around, len(stack))
            if names:
                break
        else:
            if closed and kind not in rules.levels:
                beyond = node + size[node]
            continue
        sort = _sort(rule, around.sort)
        outer = _outer(columns, trail, around.level, rules)
        start, end = trail.start(outer), columns.end[trail.path[outer]]
        owner = ""
        if rule.owner is not None:
            owners = follow(rule.owner, columns, node)
            owner = _shown(columns.text(owners[0])) if owners else ""
        added = False
        for name, low, high in names:
            if low < start or high > end:
                start, end = min(start, low), max(end, high)
            if rule.level and sort in _ONCE:
                if name == "_" or (around.node, name) in once:
                    continue
                once.add((around.node, name))
            own = "constructor" if name in rules.constructors and sort == "method" else sort
            key = (-1, "", 0)
            if rule.joined is not None:
                lists = follow(rule.joined, columns, node) if rule.joined else []
                key = (around.node, name, len(columns.children(lists[0])) if lists else 0)
                before = last_in.get(around.node)
                if before is not None and before.joined == key:
                    before.end = max(before.end, end)
                    added = True
                    continue
            head = _head(columns, trail, outer, rule, (low, high), rules)
            made = _Found(
                own, name, kind, columns.language, start, end, (low, high), head, owner,
                (columns.language, node), key,
            )  # fmt: skip
            found.append(made)
            last_in[around.node] = made
            added = True
        if added:
            stack.append(_Around(node, len(trail.path) - 1, node + size[node], sort))
    return found


class _Around(NamedTuple):
    """A definition that is gone through: its node, the place of that in the trail, and where it ends."""

    node: int
    level: int
    end: int
    sort: str


class Trail:
    """The way from the root to a node, for nodes in preorder.

    Only what lies beside the way is stepped over, as a whole: the parents of all nodes need not be
    known.  ``path[0]`` is the root, ``path[-1]`` the node.
    """

    def __init__(self, columns: Columns, rules: Definers) -> None:
        self._kind, self._size, self._start = columns.kind, columns.size, columns.start
        self._levels, self._annotations = rules.levels, rules.annotations
        self.path = [0]
        self._runs = [int(columns.kind[0] in rules.levels)]
        self._marks = [-1]
        self._at = [1]
        self._pending = [-1]

    def go(self, node: int) -> None:
        """Go on to *node*, which comes behind the last one."""
        kind, size, path = self._kind, self._size, self.path
        runs, marks, at, pending = self._runs, self._marks, self._at, self._pending
        while node >= path[-1] + size[path[-1]]:
            for stack in (path, runs, marks, at, pending):
                stack.pop()
        annotations = self._annotations
        while path[-1] != node:
            j, mark = at[-1], pending[-1]
            while j + size[j] <= node:
                if annotations:
                    mark = (mark if mark >= 0 else j) if kind[j] in annotations else -1
                j += size[j]
            at[-1], pending[-1] = j, mark
            path.append(j)
            runs.append(runs[-1] + 1 if kind[j] in self._levels else 0)
            marks.append(mark)
            at.append(j + 1)
            pending.append(-1)

    def on_level(self, above: int) -> bool:
        """Whether only ``levels`` lie between place *above* of the path and its last."""
        last = len(self.path) - 1
        return last == 0 or self._runs[last - 1] >= last - 1 - above

    def start(self, place: int) -> int:
        """Where the node at *place* begins with the annotations that stand before it as siblings."""
        mark = self._marks[place]
        return self._start[mark if mark >= 0 else self.path[place]]


def _names(
    rule: Rule, columns: Columns, trail: Trail, around: _Around, depth: int
) -> list[tuple[str, int, int]]:
    """The names that *rule* finds at the end of the trail, with their spans; none if it does not hold
    there."""
    path = trail.path
    node = path[-1]
    if rule.inside and (len(path) < 2 or columns.kind[path[-2]] not in rule.inside):
        return []
    if rule.deepest and depth > rule.deepest:
        return []
    if rule.level and (around.sort in FUNCTIONS or not trail.on_level(around.level)):
        return []
    at = node
    if rule.words:
        said = [i for i in follow(rule.word, columns, node, path) if columns.text(i) in rule.words]
        if not said:
            return []
        if rule.from_word:
            at = said[0]
    if rule.where is not None and not follow(rule.where, columns, node, path):
        return []
    nodes = follow(rule.name, columns, at, path)
    if not nodes:
        return []
    how = rule.name[-1].how if rule.name else ""
    source = columns.source
    if how in ("+", "&"):
        low, high = columns.start[nodes[0]], columns.end[nodes[-1]]
        if how == "&" and len(nodes) > 1:
            name = ".".join(_shown(_bare(source, columns.start[i], columns.end[i])[0]) for i in nodes)
            return [(name, low, high)]
        spans = [(low, high)]
    else:
        spans = [(columns.start[i], columns.end[i]) for i in nodes]
    found = []
    for low, high in spans:
        text, low, high = _bare(source, low, high)
        if text.strip():
            found.append((_shown(text), low, high))
    return found


def _sort(rule: Rule, around: str) -> str:
    if around in HOMES:
        if rule.sort == "function":
            return "method"
        if rule.sort == "variable":
            return "field"
    return rule.sort


# --- what goes with a definition ----------------------------------------------------------------------


def _outer(columns: Columns, trail: Trail, above: int, rules: Definers) -> int:
    """The place in the trail of the outermost node that is this one definition with what goes with it."""
    kind, size, path = columns.kind, columns.size, trail.path
    place = len(path) - 1
    while place - 1 > above and kind[path[place - 1]] in rules.wrappers:
        up = path[place - 1]
        same = 0
        j, end = up + 1, up + size[up]
        while j < end and same < 2:
            same += kind[j] in rules.rules
            j += size[j]
        if same > 1:
            break
        place -= 1
    return place


def _head(
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
    end = min(opened if cut else end, start + 8 * _CUT)
    text = _without_comments(columns, start, end)
    if not cut:
        text = _first_line(text, name[1] - start)
    return _line(lead + text, cut=cut)


def _line(text: bytes, *, cut: bool) -> str:
    line = " ".join(text.decode("utf-8", "replace").split())
    if cut or line.endswith(("{", "[", "=", ":")):
        before = ""
        while line != before:
            before = line
            for opens in _OPENS:
                line = line.removesuffix(opens)
            line = line.rstrip()
    line = line.rstrip(" ;,")
    return line if len(line) <= _CUT else line[: _CUT - 1] + "…"


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


def _first_line(text: bytes, name_end: int) -> bytes:
    """*text* up to the end of the line on which its parentheses are closed behind the name."""
    depth = text.count(b"(", 0, name_end) - text.count(b")", 0, name_end)
    for at in range(max(0, name_end), len(text)):
        byte = text[at]
        if byte == 0x28:
            depth += 1
        elif byte == 0x29:
            depth -= 1
        elif byte == 0x0A and (depth <= 0 or text[:at].rstrip().endswith(b"{")):
            return text[:at]
    return text


_QUOTES = (b"'''", b'"""', b'"', b"'", b"`")


def _bare(source: bytes, low: int, high: int) -> tuple[bytes, int, int]:
    """A name without the white space and the quotes around it."""
    text = source[low:high]
    low, high = low + len(text) - len(text.lstrip()), high - len(text) + len(text.rstrip())
    text = source[low:high]
    for quote in _QUOTES:
        size = len(quote)
        if len(text) > 2 * size and text.startswith(quote) and text.endswith(quote):
            return text[size:-size], low + size, high - size
    return text, low, high


def _shown(text: bytes) -> str:
    line = " ".join(text[: 8 * _CUT].decode("utf-8", "replace").split())
    return line if len(line) <= _CUT else line[: _CUT - 1] + "…"


# --- all of a file --------------------------------------------------------------------------------------


def _nested(found: Iterable[_Found]) -> tuple[Definition, ...]:
    """The definitions in the order of their spans, each with the one it lies in."""
    rows = sorted(found, key=_by_place)
    made: list[Definition] = []
    stack: list[int] = []
    for row in rows:
        while stack and _parts(rows[stack[-1]], row):
            stack.pop()
        made.append(
            Definition(
                row.sort,
                row.name,
                load_named(row.language).name(row.kind),
                row.language,
                Span(row.start, row.end),
                Span(*row.name_span),
                row.head,
                row.owner,
                len(stack),
                stack[-1] if stack else -1,
            )
        )
        stack.append(len(made) - 1)
    return tuple(made)


def _parts(before: _Found, row: _Found) -> bool:
    """Whether *row* is not inside of *before*."""
    return before.end < row.end or before.end <= row.start or before.node == row.node


def _by_place(row: _Found) -> tuple[int, int]:
    return (row.start, -row.end)
