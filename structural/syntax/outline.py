"""The definitions of a source text, from its columns: what is defined, where, and what it lies in.

Order of things: every node whose kind has a rule of the language (``defining``) is looked at in
preorder, with a stack of the definitions around it; its span grows over what goes with it (a
decorator, an export); definitions that are one in several pieces are joined.  What is embedded
in the file is gone through in the same way, and all are nested in the end by their spans.

Pure, and does not fail on broken code: what is not in an ERROR is there as ever, and what is,
as far as the grammar made nodes of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress, count
from typing import NamedTuple

from structural.errors import LanguageError
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.defining import Definers, Rule, Trail, definers, follow
from structural.syntax.embed import regions
from structural.syntax.grammar import load_named
from structural.syntax.heads import bare, head, shown
from structural.syntax.parse import parse
from structural.text import Span
from structural.text.regexes import Bounded

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


def outline(source: bytes, language: str, *, columns: Columns | None = None, heads: bool = True) -> Outline:
    """The definitions of *source*, a text of *language*, those in embedded code too.  *columns* are those
    of all of it, if it has been parsed; where some are left out, definitions in them are too.  ``head`` is
    empty without *heads*.

    Raises UnsearchableError for a text that the grammar cannot take, LanguageError for a grammar
    that is not installed.
    """
    if columns is None:
        columns = parse(source, language)
    errors = columns.errors
    rules = definers(language)
    general = {language} if rules.general else set()
    found = _definitions(columns, rules, heads)
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
            more = _definitions(inside, inner, heads)
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
    match: Bounded | None = None,
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
            or (match and not match.finds(one.name))
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


def _definitions(columns: Columns, rules: Definers, heads: bool) -> list[_Found]:
    by_kind, size = rules.rules, columns.size
    wanted = frozenset(by_kind)
    levelled = frozenset(kind for kind, row in by_kind.items() if all(rule.level for rule in row))
    found: list[_Found] = []
    trail = Trail(columns, rules)
    stack: list[_Around] = [_Around(-1, -1, len(columns), "")]  # the file itself first
    closed = levelled == wanted
    beyond = 0  # what lies before it is in a node that nothing is defined in
    once: set[tuple[int, str]] = set()
    last_in: dict[int, _Found] = {}
    for node in compress(count(), map(wanted.__contains__, columns.kind)):
        if node < beyond:
            continue
        kind = columns.kind[node]
        while stack[-1].end <= node:
            stack.pop()
        around = stack[-1]
        if kind in levelled and around.sort in FUNCTIONS:
            continue
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
        start, end = trail.start(outer), _end(columns, trail.path[outer])
        owner = ""
        if rule.owner is not None:
            owners = follow(rule.owner, columns, node)
            owner = shown(columns.text(owners[0])) if owners else ""
        added, line = False, ""
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
            # Several names of one declaration have its head in common.
            if heads and not line:
                line = head(columns, trail, outer, rule, (low, high), rules)
            made = _Found(
                own, name, kind, columns.language, start, end, (low, high), line, owner,
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
            name = ".".join(shown(bare(source, columns.start[i], columns.end[i])[0]) for i in nodes)
            return [(name, low, high)]
        spans = [(low, high)]
    else:
        spans = [(columns.start[i], columns.end[i]) for i in nodes]
    found = []
    for low, high in spans:
        text, low, high = bare(source, low, high)
        if text.strip():
            found.append((shown(text), low, high))
    return found


def _sort(rule: Rule, around: str) -> str:
    if around in HOMES:
        if rule.sort == "function":
            return "method"
        if rule.sort == "variable":
            return "field"
    return rule.sort


_WHITE = frozenset(b" \t\r\n\f\v")


def _end(columns: Columns, node: int) -> int:
    """Where *node* ends, without white space and comments at its end: some grammars take those in."""
    start, end, comments = columns.start[node], columns.end[node], columns.comments
    source = columns.source
    while True:
        while end > start and source[end - 1] in _WHITE:
            end -= 1
        at = bisect_left(comments, (end, 0)) - 1
        if at < 0 or not start < comments[at][0] or comments[at][1] < end:
            return end
        end = comments[at][0]


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
