"""What every match must have, drawn from a program: literals, size, shape.

Each is a filter: it may let through what does not match, never hold back what
does.  They are sound because the matcher compares the texts of tokens, enters
nodes by their kind, and steps over nothing but what ``layers`` names.
"""

from __future__ import annotations

from structural.pattern.operations import Code, Operation
from structural.pattern.tables import Tables
from structural.syntax.candidates import Anchor, Probe, Shape


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
        _shape(operations, 0, tables),
        tables.parens | tables.adorned | tables.braces | tables.parameter_lists,
        tables.strings,
        tables.separators | tables.terminators,
        tables.grammar.trivia | tables.adornments,
    )


_LEVELS = 3
"""How deep shapes are compared: deeper levels seldom rule out more than they cost."""


def _shape(operations: list[Operation], at: int, tables: Tables, level: int = 0) -> Shape:
    """The shape that operation *at* asks for.  Where anything may be left out or taken along, the
    children are not told."""
    op = operations[at]
    if op.code is Code.META:
        return Shape(name=op.name if op.repeated and not op.parens else -1)
    if op.slot or op.parens or op.braces or op.sole or op.bare or op.hollow or op.optional is not None:
        return Shape(op.kinds) if level == 0 else Shape()
    if op.code is not Code.NODE or level == _LEVELS or op.frame is None or op.frame.runs or op.frame.skip:
        return Shape(op.kinds)
    if tables.tails or not tables.lenient:
        return Shape(op.kinds)
    children: list[Shape] = []
    inner = at + 1
    while inner < op.jump - 1:
        step = operations[inner]
        if step.code in (Code.ELLIPSIS, Code.SOFT, Code.BRACE) or step.hollow:
            return Shape(op.kinds)
        if step.kinds & tables.adornments:
            # Which of several adornments is the one that is mentioned, only the matcher can tell.
            return Shape(op.kinds)
        children.append(_shape(operations, inner, tables, level + 1))
        inner = step.jump if step.code is Code.NODE else inner + 1
    telling = tuple(
        (i, child) for i, child in enumerate(children) if child.kinds is not None or child.name >= 0
    )
    return Shape(op.kinds, wanted=len(children), telling=telling)
