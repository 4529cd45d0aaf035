"""Metavariables of a rewrite that stand where an operator does.

A grammar knows no name there, so that the rewrite is read with an operator in its place, which gets
the name again when the rewrite has been read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from structural.pattern.metavariables import Fragment, Metavariable
from structural.pattern.program import Program
from structural.pattern.standins import in_quotes
from structural.rewrite.written import Item, Written

_MOST = 24
"""Ways to put operators into a rewrite that are tried."""


def operators_of(program: Program) -> dict[str, str]:
    """Name → the operator with which *program* was read, for those that stand for one."""
    accepted = program.accepted
    if accepted is None:
        return {}
    return {
        program.names[op.name]: accepted.columns.source[op.span[0] : op.span[1]].decode()
        for op in program.operations
        if op.any_token and op.name >= 0
    }


def with_operators(
    fragment: Fragment, known: Mapping[str, str], operators: Sequence[str]
) -> Iterator[tuple[Fragment, dict[bytes, str]]]:
    """*fragment* with an operator in the place of each metavariable that is *known* to stand for one,
    then of one more, and the names by operator.  The first is as it is, if none is known."""
    quoted = in_quotes(fragment)
    there = {m.name: m for m, inside in zip(fragment.metavariables, quoted, strict=True) if not inside}
    sure = [name for name in there if name in known]
    others = [name for name in _between_words(fragment) if name in there and name not in known]
    fixed = {word for piece in fragment.pieces if isinstance(piece, str) for word in piece.split()}

    def filled(names: list[str], first: str = "") -> Iterator[tuple[Fragment, dict[bytes, str]]]:
        texts: dict[str, str] = {}
        for name in names:
            choices = [known.get(name, first), *known.values(), *operators]
            taken = fixed | set(texts.values())
            free = [text for text in choices if text and text not in taken]
            if not free:
                return
            texts[name] = free[0]
        yield _put(fragment, texts, quoted), {text.encode(): name for name, text in texts.items()}

    def every() -> Iterator[tuple[Fragment, dict[bytes, str]]]:
        yield from filled(sure)
        for first in dict.fromkeys([*known.values(), *operators]):
            for name in others if first not in fixed else ():
                yield from filled([*sure, name], first)

    return islice(every(), _MOST)


def _between_words(fragment: Fragment) -> Iterator[str]:
    """Names of metavariables with white space on both sides, where an operator may stand."""
    pieces = fragment.pieces
    for before, piece, behind in zip(pieces, pieces[1:], pieces[2:], strict=False):
        if isinstance(piece, Metavariable) and piece.name and not piece.ellipsis:
            parted = isinstance(before, str) and isinstance(behind, str)
            if parted and str(before)[-1:].isspace() and str(behind)[:1].isspace():
                yield piece.name


def _put(fragment: Fragment, texts: Mapping[str, str], quoted: Sequence[bool]) -> Fragment:
    pieces: list[str | Metavariable] = []
    inside = iter(quoted)
    for piece in fragment.pieces:
        if isinstance(piece, Metavariable) and not next(inside) and piece.name in texts:
            piece = texts[piece.name]
        if isinstance(piece, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return Fragment(fragment.text, tuple(pieces), fragment.indent)


def with_names(made: Written, names: Mapping[bytes, str]) -> Written:
    """*made* with the *names* of metavariables in the place of their operators."""
    if not names:
        return made
    items = tuple(
        Item(item.span, item.text, name=names[item.text]) if item.text in names else item
        for item in made.items
    )
    return replace(made, items=items)
