"""What every match must have, drawn from a program: literals, tokens in a row, size, shape.

Each is a filter: it may let through what does not match, never hold back what
does.  They are sound because the matcher compares the texts of tokens, enters
nodes by their kind, and steps over nothing but what ``layers`` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from structural.pattern.operations import Code, Operation
from structural.pattern.tables import Tables
from structural.pattern.tree import CLOSERS
from structural.syntax.candidates import Anchor, Probe, Shape, may_begin_with, may_go_on_with


def literals(operations: list[Operation]) -> tuple[bytes, ...]:
    """Texts that stand in every match, longest first.

    Sound because the matcher compares the texts of tokens: a word of a token or a
    string body must be in the file.  Left out: single punctuation marks, and what
    is part of another literal.
    """
    texts: set[bytes] = set()
    sole_until = -1
    for at, op in enumerate(operations):
        if op.sole:
            sole_until = max(sole_until, op.jump)
        if at < sole_until and op.code is Code.TOKEN:
            continue
        if (op.code is Code.TOKEN and op.check_text) or (op.code is Code.STRING and op.regex is None):
            texts.update(_solid_words(op))
        for piece in op.pieces:
            texts.update(piece.split())
    useful = [t for t in texts if len(t) > 1 or t.isalnum()]
    useful.sort(key=lambda t: (-len(t), t))
    kept: list[bytes] = []
    for text in useful:
        if not any(text in longer for longer in kept):
            kept.append(text)
    return tuple(kept)


def _solid_words(op: Operation) -> list[bytes]:
    """The parts of a token's text that stand together in every file: ``#define`` may be written
    ``# define``, so only its word does."""
    if op.text[:1] in (b"#", b"@") and op.text[1:].isalpha():
        return [op.text[1:]]
    return op.text.split()


# --- tokens in a row ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Step:
    """A token of a row, and what lies between it and the one before.

    Kinds of nodes of the match: in those of ``heads`` it is before the first child, in those of
    ``inner`` behind a child, in those of ``edges`` behind what may be the first.  ``ends``: a
    separator may stand there, as a node ends or is closed."""

    text: bytes
    heads: frozenset[int] = frozenset()
    inner: frozenset[int] = frozenset()
    edges: frozenset[int] = frozenset()
    ends: bool = False


def rows(operations: list[Operation], tables: Tables) -> tuple[re.Pattern[bytes], ...]:
    """Expressions that each occur in the source of every match: tokens that follow each other.

    Between two tokens of a match stand only layout, what ``layers`` steps over or goes
    into, and texts in no node, which the end of a node compares.  So two tokens are in a
    row if between their operations nodes only begin and end, and in those nodes nothing
    can be left out: then parentheses, separators, terminators and comments are all that
    can stand there.  Where a comment can begin, an expression says "maybe".

    That no adornment can stand there is asked of the grammar.
    """
    language = tables.grammar.language
    marks = [tables.names[kind] for kind in tables.separators | tables.terminators]
    if not (language.line_comments or language.comment_starts) or any(_wordy(mark) for mark in marks):
        return ()
    kept: list[list[_Step]] = []
    for row in _rows(operations, tables):
        part: list[_Step] = []
        for step in row:
            if part and _bare(step, tables):
                part.append(step)
            else:
                kept.append(part)
                part = [step]
        kept.append(part)
    told = [row for row in kept if len(row) > 1 and any(_wordy(step.text.decode()) for step in row)]
    told.sort(key=lambda row: -sum(len(step.text) for step in row))
    return tuple(dict.fromkeys(_expression(row, tables) for row in told))


def _wordy(text: str) -> bool:
    return any(letter.isalnum() or letter == "_" for letter in text)


def _rows(operations: list[Operation], tables: Tables) -> Iterable[list[_Step]]:
    """Fixed tokens between whose operations nodes only begin and end."""
    row: list[_Step] = []
    around: list[Operation | None] = []
    """The nodes around the operation at hand; None where more may stand than the pattern names."""
    children: list[int] = []
    """How many children each of them has at least, up to there."""
    heads: set[int] = set()
    inner: set[int] = set()
    edges: set[int] = set()
    broken, ends = True, False
    at = 0
    while at < len(operations):
        op = operations[at]
        parent = around[-1] if around else None
        if parent is None:
            broken = True
        elif operations[at - 1] is parent:
            heads |= parent.kinds
        else:
            inner |= parent.kinds
            if children[-1] <= 1:
                edges |= parent.kinds
        if op.code is Code.NODE and (op.sole or op.slot or op.hollow):
            # Something else may stand in its place, or nothing.
            broken = True
            at = op.jump
            continue
        if op.code is Code.NODE:
            _count_one(children)
            around.append(op if _closed(op, operations[op.jump - 1], tables) else None)
            children.append(0)
        elif op.code is Code.EXIT:
            around.pop()
            children.pop()
            ends = True
        elif op.code is Code.TOKEN and _fixed(op, tables):
            _count_one(children)
            text = op.text.strip()
            if broken and row:
                yield row
                row = []
            ends = ends or text in CLOSERS
            row.append(
                _Step(text, frozenset(heads), frozenset(inner), frozenset(edges), ends)
                if row
                else _Step(text)
            )
            for kinds in (heads, inner, edges):
                kinds.clear()
            broken, ends = False, False
        else:
            if op.code in (Code.TOKEN, Code.META, Code.TEMPLATE, Code.STRING):
                _count_one(children)
            broken = True
        at += 1
    if row:
        yield row


def _count_one(children: list[int]) -> None:
    if children:
        children[-1] += 1


def _fixed(op: Operation, tables: Tables) -> bool:
    """Whether the token has this text in every file, in one piece."""
    return (
        op.check_text
        and not op.kinds & tables.blank
        and len(op.text.split()) == 1
        and _solid_words(op) == [op.text.strip()]
    )


def _closed(op: Operation, end: Operation, tables: Tables) -> bool:
    """Whether nothing stands among the children of the node but what the pattern names, adornments
    and what is at its end."""
    if op.bare or op.optional is not None or end.gaps or end.loose_gaps or op.kinds & tables.bodies:
        return False
    return not _takes_more(op, tables)


def _takes_more(op: Operation, tables: Tables) -> bool:
    """Whether a node that *op* stands for, of whichever of its kinds, may hold adornments."""
    return any(frame.runs or frame.skip for frame in map(tables.frame, op.kinds))


def _bare(step: _Step, tables: Tables) -> bool:
    """Whether no adornment can stand before the token: neither among the children of the nodes
    there, nor in a declaration with its adornments around it that would stand in one's place."""
    language = tables.grammar.language.name
    adornments = tables.adornments
    # Such a declaration is an item of a block or a parameter, whose list is a layer where it is alone.
    declarations = (
        tables.adorned | tables.blocks | tables.parameter_lists if tables.adorned else tables.adorned
    )
    return not (
        any(may_go_on_with(language, kind, adornments | declarations) for kind in step.inner)
        or any(may_begin_with(language, kind, declarations) for kind in step.edges)
        or any(may_begin_with(language, kind, adornments | declarations) for kind in step.heads)
    )


_OF_A_LINE = rb"[^\n\r\\\x80-\xff]*"
"""The rest of a line comment, up to its line's end or what might end it earlier or later."""


def _expression(row: list[_Step], tables: Tables) -> re.Pattern[bytes]:
    language = tables.grammar.language
    lines = _one_of(language.line_comments)
    # A comment that may end anywhere, and a letter that may be white space: "maybe".
    maybe = [re.escape(text.encode()) for text in language.comment_starts] + [rb"[\x80-\xff]"]
    if lines:
        maybe.append(lines + _OF_A_LINE + rb"(?:[\\\x80-\xff]|\r(?!\n))")
    parens = "()" if tables.parens or tables.parameter_parens else ""
    marks = "".join(tables.names[kind] for kind in tables.terminators) + parens
    separators = "".join(tables.names[kind] for kind in tables.separators)
    expression = b""
    for step in reversed(row[1:]):
        letters = "".join(sorted(set(marks + separators * step.ends)))
        layout = rb"[\s\\" + re.escape(letters.encode()) + b"]*"
        if lines:
            layout += b"(?:" + lines + _OF_A_LINE + rb"\r?\n" + layout + b")*"
        expression = layout + b"(?:" + b"|".join([re.escape(step.text) + expression, *maybe]) + b")"
    return re.compile(re.escape(row[0].text) + expression)


def _one_of(texts: tuple[str, ...]) -> bytes:
    one_of = b"|".join(re.escape(text.encode()) for text in texts)
    return b"(?:" + one_of + b")" if len(texts) > 1 else one_of


def least(operations: list[Operation]) -> int:
    """How many nodes a match has at the least."""
    number, at = 0, 0
    while at < len(operations):
        op = operations[at]
        if op.code in (Code.NODE, Code.TOKEN, Code.META, Code.TEMPLATE, Code.STRING):
            number += 1
        elif op.code is Code.ELLIPSIS:
            number += op.least
        if op.hollow or op.slot:
            number -= 1
        at = op.jump if op.code is Code.NODE and (op.sole or op.bare) else at + 1
    return max(1, number)


def probe(kinds: frozenset[int], operations: list[Operation], tables: Tables) -> Probe:
    """Anchors with their depth, and the number of children of one inner node if that is telling."""
    anchors: dict[bytes, Anchor] = {}
    depth = 0
    sole_until = -1
    for at, op in enumerate(operations):
        if op.sole:
            sole_until = max(sole_until, op.jump)
        text = b""
        if op.code is Code.TOKEN and op.check_text and at >= sole_until:
            words = _solid_words(op)
            text = words[0] if len(words) == 1 else b""
        elif op.code is Code.STRING and op.regex is None and op.text.split():
            text = max(op.text.split(), key=len)
        elif op.pieces:
            text = max((word for piece in op.pieces for word in piece.split()), key=len, default=b"")
        if len(text) > 1:
            whole = op.code is Code.TOKEN and not op.kinds & tables.blank and text == op.text
            anchors.setdefault(text, Anchor(text, depth, whole))
        depth += (op.code is Code.NODE) - (op.code is Code.EXIT)
    return Probe(
        kinds,
        tuple(anchors.values()),
        replace(_shape(operations, 0, tables), musts=_musts(operations)),
        tables.parens | tables.adorned | tables.braces | tables.parameter_lists,
        tables.strings,
        tables.separators | tables.terminators,
        tables.grammar.trivia | tables.adornments,
    )


def _musts(operations: list[Operation]) -> tuple[frozenset[int], ...]:
    """Kinds of the children that the root must have, whatever else stands among them."""
    found: list[frozenset[int]] = []
    if operations[0].code is not Code.NODE:
        return ()
    at = 1
    while at < operations[0].jump - 1:
        op = operations[at]
        free = op.slot or op.parens or op.braces or op.sole or op.bare or op.hollow or op.optional is not None
        if op.code in (Code.NODE, Code.TOKEN, Code.TEMPLATE, Code.STRING) and not free:
            found.append(op.kinds)
        at = op.jump if op.code is Code.NODE else at + 1
    return tuple(dict.fromkeys(found))


_LEVELS = 3
"""How deep shapes are compared: deeper levels seldom rule out more than they cost."""


def _may_hold_blank_text(op: Operation, tables: Tables) -> bool:
    """Whether text that is all blank, and does not count, can be a child of what *op* matches: what is
    between two elements, where a grammar does not leave it out."""
    language = tables.grammar.language.name
    blank = tables.blank
    return bool(blank) and any(
        may_begin_with(language, kind, blank) or may_go_on_with(language, kind, blank) for kind in op.kinds
    )


def _shape(operations: list[Operation], at: int, tables: Tables, level: int = 0) -> Shape:
    """The shape that operation *at* asks for.  Where anything may be left out or taken along, the
    children are not told."""
    op = operations[at]
    if op.code is Code.META:
        return Shape(name=op.name if op.repeated and not op.parens else -1)
    if op.slot or op.parens or op.braces or op.sole or op.bare or op.hollow or op.optional is not None:
        return Shape(op.kinds) if level == 0 else Shape()
    if op.code is Code.TOKEN and op.check_text:
        return Shape(op.kinds, text=op.text)
    if op.code is not Code.NODE or level == _LEVELS or op.frame is None or _takes_more(op, tables):
        return Shape(op.kinds)
    if tables.tails or not tables.lenient or _may_hold_blank_text(op, tables):
        return Shape(op.kinds)
    children: list[Shape] = []
    free: list[int] = []
    inner = at + 1
    while inner < op.jump - 1:
        step = operations[inner]
        if step.code in (Code.ELLIPSIS, Code.SOFT, Code.BRACE) or step.hollow:
            return Shape(op.kinds)
        if step.kinds & tables.adornments:
            # Which of several adornments is the one that is mentioned, only the matcher can tell.
            return Shape(op.kinds)
        if step.code is Code.META and not step.repeated and not step.parens:
            free.append(len(children))
        children.append(_shape(operations, inner, tables, level + 1))
        inner = step.jump if step.code is Code.NODE else inner + 1
    telling = tuple(
        (i, child) for i, child in enumerate(children) if child.kinds is not None or child.name >= 0
    )
    return Shape(op.kinds, wanted=len(children), telling=telling, free=tuple(free))
