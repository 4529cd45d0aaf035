"""A statement that has to stand at the head of a file, such as an import.

It is put behind the imports that are there, or where they would stand: behind what the language
has before them (``Imports``), and behind comments that are about the whole file.  It is not put there if the
file has the same code, also as one of several names of one statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from structural.errors import RewriteError
from structural.pattern.tables import Tables, options, tables
from structural.rewrite.layout import Layout
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.syntax.language import Imports
from structural.syntax.parse import parse
from structural.text import Edit, Span

_STAYS = re.compile(
    rb"#!|//!|/\*!|\W*(?:copyright|licen[cs]e|spdx|@license|@file|eslint|prettier|jshint|@ts-|@flow|@jsx"
    rb"|-\*-|vim?:|coding[:=]|frozen_string_literal|typed:|rubocop|go:build|\+build|pylint|flake8|mypy|ruff)"
    rb"|.*(?:copyright|\(c\) |spdx-license|generated)",
    re.IGNORECASE | re.DOTALL,
)
"""Comments that are about the file, and stay at its head."""

_BRACKETS = (b"(", b")", b"{", b"}", b"[", b"]")


@dataclass(frozen=True, slots=True)
class Statement:
    """Code that is to be there: its text, and the node that it is."""

    text: bytes
    columns: Columns
    node: int


def statements(code: str, language: str) -> tuple[Statement, ...]:
    """The statements in *code*.  RewriteError if it is no code of a file of *language*."""
    columns = parse((_imports(language).opening + code.strip("\r\n") + "\n").encode(), language)
    at = len(_imports(language).opening)
    nodes = [i for i in columns.children(0) if columns.start[i] >= at]
    if columns.errors or not nodes:
        raise RewriteError(f"{code!r} is no statement that can stand at the head of a {language} file")
    terminators = _tables(language).terminators
    found: list[Statement] = []
    for i in nodes:
        if columns.size[i] == 1 and columns.kind[i] in terminators and found:
            last = found.pop()
            found.append(Statement(last.text + columns.text(i), columns, last.node))
            continue
        end = solid_end(columns, columns.start[i], columns.end[i])
        found.append(Statement(columns.source[columns.start[i] : end], columns, i))
    return tuple(found)


def ensured(columns: Columns, wanted: Sequence[Statement], low: int = 0) -> list[Edit]:
    """The insertions after which all that is *wanted* stands at the head of the code in *columns*, which
    begins at byte *low*.  RewriteError if there is no place for it."""
    head = _Head(columns, low)
    missing = [one for one in wanted if not head.has(one)]
    places: dict[int, list[bytes]] = {}
    grouped: dict[int, list[bytes]] = {}
    for one in missing:
        at = head.index(one)
        inside = head.in_group(at, one)
        known = places.setdefault(at, []) if inside is None else grouped.setdefault(inside[0], [])
        text = one.text if inside is None else inside[1]
        if text not in known:
            known.append(text)
    edits = [head.insertion(at, found) for at, found in places.items()]
    edits += [Edit(Span(byte, byte), b"".join(sorted(found))) for byte, found in grouped.items()]
    return sorted(edits, key=lambda edit: edit.span.start)


def essence(statement: Statement) -> bytes:
    """What an edit holds that adds or removes *statement*: all of it, or what it is in a list of such."""
    language = statement.columns.language
    units = _tables(language).grammar.ids(_imports(language).units)
    named = _tables(language).named
    found = [
        i
        for i in range(statement.node, statement.node + statement.columns.size[statement.node])
        if statement.columns.kind[i] in units and named[statement.columns.kind[i]]
    ]
    return statement.columns.text(found[0]) if len(found) == 1 else statement.text


def has(columns: Columns, statement: Statement, low: int = 0) -> bool:
    """Whether *statement* stands at the head of the code in *columns*."""
    return _Head(columns, low).has(statement)


def _imports(language: str) -> Imports:
    return registry.get(language).imports or Imports()


@cache
def _tables(language: str) -> Tables:
    return tables(language, options("smart", (), ()))


class _Head:
    """The statements of a file, or of what is around all of it."""

    def __init__(self, columns: Columns, low: int) -> None:
        self.columns = columns
        self.source = columns.source
        self.low = low + 3 if columns.source.startswith(b"\xef\xbb\xbf", low) else low
        self.language = columns.language
        self.tables = _tables(columns.language)
        self.data = _imports(columns.language)
        ids = self.tables.grammar.ids
        self.kinds, self.before = ids(self.data.kinds), ids(self.data.before)
        self.units = ids(self.data.units)
        nodes = self._statements(columns.children(0) if len(columns) else [])
        inside = self._within(nodes[0]) if len(nodes) == 1 and self.data.around else []
        if inside:
            nodes = inside
            self.low = columns.start[inside[0]]
        self.nodes = nodes
        blank = self.tables.blank
        self.layout = Layout(columns, self.tables.strings, blank, frozenset())

    def _statements(self, nodes: Sequence[int]) -> list[int]:
        terminators, columns = self.tables.terminators, self.columns
        return [i for i in nodes if columns.size[i] > 1 or columns.kind[i] not in terminators]

    def _within(self, node: int) -> list[int]:
        """What stands in the node that is around everything, behind the words that it begins with."""
        named, columns = self.tables.named, self.columns
        kids = [node]
        for kind in self.data.around.split("/"):
            if not kids or columns.kind[kids[-1]] not in self.tables.grammar.ids((kind,)):
                return []
            kids = [i for i in columns.children(kids[-1]) if named[columns.kind[i]]]
        return self._statements([i for i in kids if columns.field[i] == 0])

    # --- is it there ----------------------------------------------------------------------------------

    def has(self, wanted: Statement) -> bool:
        """Whether the file has *wanted*, alone or as one of several."""
        paths = set(self._paths(wanted.text))
        unit = self._unit(wanted.columns, wanted.node)
        for i in self.nodes:
            if self._covers(i, wanted.columns, wanted.node):
                return True
            if unit >= 0 and any(self._covers(k, wanted.columns, unit) for k in self._units(self.columns, i)):
                return True
            if self.data.grouped and self._is_import(i) and paths <= set(self._paths(self.columns.text(i))):
                return True
        return False

    def _unit(self, columns: Columns, i: int) -> int:
        found = list(self._units(columns, i))
        return found[0] if len(found) == 1 else -1

    def _units(self, columns: Columns, i: int) -> Iterator[int]:
        for k in range(i, i + columns.size[i]):
            if columns.kind[k] in self.units and self.tables.named[columns.kind[k]]:
                yield k

    def _paths(self, text: bytes) -> list[bytes]:
        """All that a statement with groups brings in: ``use a::{b, c}`` as ``use a::b`` and ``use a::c``."""
        if not self.data.grouped:
            return []
        text = re.sub(rb"\s*([{},;:.\\])\s*", rb"\1", b" ".join(text.split())).rstrip(b";")
        found: list[bytes] = []
        pending = [text]
        while pending and len(found) < 1_000:
            one = pending.pop()
            start = one.find(b"{")
            if start < 0:
                own = self.data.grouped.encode()
                found.append(one[: -len(own)] if len(own) > 1 and one.endswith(own) else one)
                continue
            parts, behind = _group(one, start)
            pending += [one[:start] + part + behind for part in parts if part]
        return found

    def _covers(self, mine: int, other: Columns, theirs: int) -> bool:
        """Whether node *mine* of the file is the same code as *theirs*, or has more in its lists."""
        columns = self.columns
        if columns.kind[mine] != other.kind[theirs]:
            return False
        if columns.kind[mine] in self.tables.strings:
            return columns.text(mine).strip(b"\"'`") == other.text(theirs).strip(b"\"'`")
        if other.size[theirs] == 1 or columns.size[mine] == 1:
            return columns.text(mine).strip() == other.text(theirs).strip()
        separators, terminators = self.tables.separators, self.tables.terminators
        kids = [k for k in columns.children(mine) if columns.kind[k] not in terminators]
        left = list(kids)
        for wanted in other.children(theirs):
            kind = other.kind[wanted]
            if kind in terminators or kind in separators or other.text(wanted) in _BRACKETS:
                continue
            same = (k for k in left if columns.field[k] == other.field[wanted])
            found = next((k for k in same if self._covers(k, other, wanted)), -1)
            if found < 0:
                return False
            left.remove(found)
        return all(self._is_element(kids, k) for k in left)

    def _is_element(self, kids: list[int], i: int) -> bool:
        """Whether child *i* is one more of a list, or what parts and holds its elements."""
        columns, at = self.columns, kids.index(i)
        if columns.kind[i] in self.tables.separators or columns.text(i) in _BRACKETS:
            return True
        beside = [kids[n] for n in (at - 1, at + 1) if 0 <= n < len(kids)]
        named = self.tables.named[columns.kind[i]]
        return named and any(columns.kind[k] in self.tables.separators for k in beside)

    # --- where it goes --------------------------------------------------------------------------------

    def _is_import(self, i: int) -> bool:
        if self.columns.kind[i] in self.kinds:
            return True
        return bool(self.data.texts and self._starts(self.data.texts, i))

    def _is_before(self, i: int) -> bool:
        if self.columns.kind[i] in self.before:
            return True
        return bool(self.data.texts_before and self._starts(self.data.texts_before, i))

    def _starts(self, regex: str, i: int) -> bool:
        return re.match(regex.encode(), self.columns.text(i)[:2_000], re.DOTALL) is not None

    def index(self, wanted: Statement) -> int:
        """How many statements of the file stand before *wanted*."""
        first = self.data.first.encode()
        leads = bool(first) and re.match(first, wanted.text) is not None
        at = behind = 0
        for n, i in enumerate(self.nodes):
            is_first = bool(first) and self._starts(self.data.first, i)
            if self._is_import(i) and (is_first or not leads):
                behind = n + 1
            elif self._is_before(i):
                at = n + 1 if not behind else at
            else:
                break
        return max(at, behind)

    def in_group(self, at: int, wanted: Statement) -> tuple[int, bytes] | None:
        """Where *wanted* stands in the list of statement number *at* - 1, with a line for it; None if that
        is no list, one name a line.  Of the parts of the list, apart by empty lines, the last that has
        names like it; where they are sorted, in its place."""
        unit = self._unit(wanted.columns, wanted.node)
        if not at or unit < 0:
            return None
        columns, node = self.columns, self.nodes[at - 1]
        units = list(self._units(columns, node))
        if not units or columns.parent[units[-1]] == node:
            return None
        rows: list[list[int]] = [[]]
        for before, i in zip([-1, *units], units, strict=False):
            head = self.layout.line_start(columns.start[i])
            if head + len(self.layout.indent(columns.start[i])) != columns.start[i]:
                return None
            between = columns.source[columns.end[before] : head] if before >= 0 else b""
            if re.search(rb"\n[ \t\r]*\n", between):
                rows.append([])
            rows[-1].append(i)
        text = wanted.columns.text(unit)
        alike = [row for row in rows if (b"." in columns.text(row[0])) == (b"." in text)]
        row = (alike or rows)[-1]
        names = [_path(columns.text(i)) for i in row]
        is_sorted = names == sorted(names)
        later = [i for i, name in zip(row, names, strict=True) if name > _path(text)] if is_sorted else []
        own, eol = self.layout.indent(columns.start[row[0]]), self.layout.eol(columns.start[node])
        if later:
            byte = self.layout.line_start(columns.start[later[0]])
            return byte, own + text + eol
        end = self._line_end(columns.end[row[-1]], -1)
        return (end, eol + own + text) if end >= 0 else None

    def insertion(self, at: int, texts: Sequence[bytes]) -> Edit:
        """The edit that puts *texts* behind the first *at* statements."""
        source, eol = self.source, self.layout.eol(self.low)
        texts = [text.replace(b"\r\n", b"\n").replace(b"\n", eol) for text in texts]
        if at:
            i = self.nodes[at - 1]
            byte = solid_end(self.columns, self.columns.start[i], self.columns.end[i])
            line = self._line_end(byte, self.nodes[at] if at < len(self.nodes) else -1)
            if line < 0:
                return self._before_line(i, texts, eol)
            own = self.layout.indent(self.columns.start[i])
            if self._is_import(i):
                texts = [self._ended(text, byte) for text in texts]
            new = b"".join(eol + own + text for text in texts)
            if not self._is_import(i):
                joins = at < len(self.nodes) and self._is_import(self.nodes[at])
                new = eol + new + (b"" if joins else self._blank(line, eol))
            return Edit(Span(line, line), new)
        byte = self._behind_comments()
        if byte > self.low:
            new = eol + b"".join(eol + text for text in texts) + self._blank(byte, eol)
            return Edit(Span(byte, byte), new)
        indent = b""
        if self.nodes and self.low:
            start = self.columns.start[self.nodes[0]]
            indent = self.layout.indent(start)
            head = self.layout.line_start(start)
            if head >= self.low:
                byte = head
        new = b"".join(indent + text + eol for text in texts)
        parted = not source[byte:].strip() or re.match(rb"[ \t]*\r?\n", source[byte:])
        return Edit(Span(byte, byte), new + (b"" if parted else eol))

    def _ended(self, text: bytes, byte: int) -> bytes:
        """*text* with a terminator, if the statement that ends at *byte* has one that may be left out."""
        ends = [mark.encode() for mark in registry.get(self.language).terminator_tokens]
        mark = next((mark for mark in ends if mark == b";"), b"")
        if not mark or self.source[byte - 1 : byte] != mark or text.endswith(mark):
            return text
        return text + mark

    def _line_end(self, byte: int, behind: int) -> int:
        """The end of the line of *byte*, behind a terminator and comments; -1 if other code stands there."""
        source = self.source
        end = source.find(b"\n", byte)
        end = len(source) if end < 0 else end
        if source[end - 1 : end] == b"\r":
            end -= 1
        for a, b in self.columns.comments:
            if byte <= a < end < b:
                return -1
        if behind >= 0 and self.columns.start[behind] < end:
            return -1
        return end

    def _before_line(self, i: int, texts: Sequence[bytes], eol: bytes) -> Edit:
        start = self.columns.start[i]
        head = self.layout.line_start(start)
        own = self.layout.indent(start)
        if head + len(own) != start or not self._is_import(i):
            raise RewriteError("there is no line at the head of the file for what is added")
        return Edit(Span(head, head), b"".join(own + text + eol for text in texts))

    def _blank(self, byte: int, eol: bytes) -> bytes:
        """An empty line behind *byte*, if there is none and more comes."""
        rest = self.source[byte:]
        if not rest.strip() or re.match(rb"[ \t]*\r?\n[ \t]*\r?\n", rest):
            return b""
        return eol

    def _behind_comments(self) -> int:
        """The end of the comments that are about the whole file."""
        columns, source = self.columns, self.source
        first = columns.start[self.nodes[0]] if self.nodes else len(source)
        found = self.low
        for a, b in columns.comments:
            if a < self.low:
                continue
            if a >= first:
                break
            end = a + len(source[a:b].rstrip())
            parted = re.match(rb"[ \t]*\r?\n[ \t]*\r?\n", source[end:]) is not None
            if parted or not self.nodes or _STAYS.match(source[a:end]):
                found = end
        return found


def _path(unit: bytes) -> bytes:
    """What a list of imports is sorted by: another name stands before it."""
    return unit.split()[-1]


def _group(text: bytes, start: int) -> tuple[list[bytes], bytes]:
    """The parts between the brace at *start* and its partner, and what stands behind."""
    depth, parts, at = 0, [], start + 1
    for n in range(start, len(text)):
        byte = text[n : n + 1]
        if byte == b"{":
            depth += 1
        elif byte == b"}":
            depth -= 1
        if (byte == b"," and depth == 1) or depth == 0:
            parts.append(text[at:n])
            at = n + 1
        if depth == 0:
            return parts, text[n + 1 :]
    return [], b""
