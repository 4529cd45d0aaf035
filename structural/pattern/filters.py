"""What every match must have, drawn from a program: literals, size, shape.

Each is a filter: it may let through what does not match, never hold back what
does.  They are sound because the matcher compares the texts of tokens, enters
nodes by their kind, and steps over nothing but what ``layers`` names.
"""

from __future__ import annotations

from structural.pattern.operations import Code, Operation
from structural.pattern.tables import Tables
from structural.syntax.parse import Anchor, Probe


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
            texts.update(op.text.split())
        for piece in op.pieces:
            texts.update(piece.split())
    useful = [t for t in texts if len(t) > 1 or t.isalnum()]
    useful.sort(key=lambda t: (-len(t), t))
    kept: list[bytes] = []
    for text in useful:
        if not any(text in longer for longer in kept):
            kept.append(text)
    return tuple(kept)


def least(operations: list[Operation]) -> int:
    """How many nodes a match has at the least."""
    number, at = 0, 0
    while at < len(operations):
        op = operations[at]
        if op.code in (Code.NODE, Code.TOKEN, Code.META, Code.TEMPLATE, Code.STRING):
            number += 1
        elif op.code is Code.ELLIPSIS:
            number += op.least
        if op.hollow:
            number -= 1
        at = op.jump if op.code is Code.NODE and (op.sole or op.bare) else at + 1
    return max(1, number)


def probe(kinds: frozenset[int], operations: list[Operation], tables: Tables) -> Probe:
    """Anchors with their depth, and the number of children of one inner node if that is telling."""
    anchors: dict[bytes, Anchor] = {}
    depth = 0
    sole_until = -1
    child: frozenset[int] = frozenset()
    least, most, inner_nodes = 0, -1, 0
    for at, op in enumerate(operations):
        if op.sole:
            sole_until = max(sole_until, op.jump)
        text = b""
        if op.code is Code.TOKEN and op.check_text and at >= sole_until:
            text = op.text if len(op.text.split()) == 1 else b""
        elif op.code is Code.STRING and op.regex is None and op.text.split():
            text = max(op.text.split(), key=len)
        elif op.pieces:
            text = max((word for piece in op.pieces for word in piece.split()), key=len, default=b"")
        if len(text) > 1:
            whole = op.code is Code.TOKEN and not op.kinds & tables.blank
            anchors.setdefault(text, Anchor(text, depth, whole))
        if op.code is Code.NODE:
            if depth == 1:
                inner_nodes += 1
                if not op.sole and not op.bare and op.optional is None and not op.parens and not op.braces:
                    bounds = _named_children(operations, at, tables)
                    if bounds is not None:
                        child, (least, most) = op.kinds, bounds
            depth += 1
        elif op.code is Code.EXIT:
            depth -= 1
    thin = tables.parens | tables.adorned | tables.braces | tables.parameter_lists
    return Probe(
        kinds,
        tuple(anchors.values()),
        thin,
        tables.strings,
        child if inner_nodes == 1 else frozenset(),
        least,
        most,
        tables.grammar.trivia | tables.adornments,
    )


def _named_children(operations: list[Operation], at: int, tables: Tables) -> tuple[int, int] | None:
    """Bounds on the named children of the node that operation *at* enters, None if nothing is known."""
    op = operations[at]
    if op.frame is None or op.frame.runs or op.frame.skip:
        return None
    least, wrapped, bounded, depth = 0, 0, True, 0
    for inner in operations[at + 1 : op.jump - 1]:
        if depth == 0:
            if inner.code is Code.ELLIPSIS:
                bounded = False
                least += inner.least
            elif inner.code is Code.META:
                least += 1
                bounded = bounded and not inner.any_token
            elif inner.hollow:
                wrapped += 1
            elif inner.code in (Code.NODE, Code.STRING) or (
                inner.code in (Code.TOKEN, Code.TEMPLATE) and any(tables.named[k] for k in inner.kinds)
            ):
                least += 1
            elif inner.code is Code.BRACE:
                return None
            else:
                # A token without a name may stand in the file in a node of its own.
                wrapped += 1
        depth += (inner.code is Code.NODE) - (inner.code is Code.EXIT)
    return least, least + wrapped if bounded else -1
