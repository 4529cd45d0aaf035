"""A metavariable in an operator's place, as in ``$A $OP $B``.

A grammar has no place for a name there: the metavariable is written as one operator of the
language after another, and the token becomes the metavariable afterwards.
"""

from __future__ import annotations

from structural.pattern.ladder import climb
from structural.pattern.metavariables import Fragment, Metavariable
from structural.pattern.tables import Tables
from structural.pattern.tree import PatternNode, build, shape
from structural.pattern.trials import Accepted, DeadEnds
from structural.pattern.values import Attempts
from structural.syntax.grammar import LoadedGrammar

_MOST_PIECES = 12
"""Pieces of a pattern in which a metavariable is tried as an operator."""

Trees = list[tuple[Accepted, list[PatternNode]]]


def three_in_a_row(fragment: Fragment) -> bool:
    """Whether the fragment is ``$A $OP $B`` and nothing else."""
    pieces = fragment.pieces
    return (
        len(pieces) == 5
        and all(isinstance(piece, Metavariable) and not piece.ellipsis for piece in pieces[::2])
        and all(isinstance(piece, str) and piece.strip(" \t") == "" for piece in pieces[1::2])
    )


def operator_trees(
    fragment: Fragment, rung: str | None, made: Tables, dead_ends: DeadEnds
) -> tuple[Metavariable, Trees] | None:
    """The metavariable that is an operator and the readings of one rung, one for each shape; None if
    no metavariable can be one.

    Where the ladder reads the fragment with an operator, its token becomes the metavariable."""
    grammar, pieces = made.grammar, fragment.pieces
    for at, piece in enumerate(pieces):
        if not isinstance(piece, Metavariable) or piece.ellipsis or not 0 < at < len(pieces) - 1:
            continue
        before, behind = pieces[at - 1], pieces[at + 1]
        if not isinstance(before, str) or not isinstance(behind, str):
            continue
        if not before[-1].isspace() or not behind[0].isspace() or len(pieces) > _MOST_PIECES:
            continue
        by_rung: dict[str, Trees] = {}
        seen: set[tuple[str, ...]] = set()
        for operator in grammar.language.operators:
            changed = Fragment(fragment.text, (*pieces[:at], operator, *pieces[at + 1 :]))
            for accepted in climb(changed, grammar, rung, Attempts(), quick=True, dead_ends=dead_ends):
                roots = build(accepted, made)
                for root in roots:
                    _replace_operator(root, operator, piece, grammar)
                key = tuple(shape(root) for root in roots)
                if _mentions(roots, piece) and key not in seen:
                    seen.add(key)
                    by_rung.setdefault(accepted.rung, []).append((accepted, roots))
                break
        for trees in by_rung.values():
            return piece, trees
    return None


def _replace_operator(node: PatternNode, operator: str, m: Metavariable, grammar: LoadedGrammar) -> None:
    for at, child in enumerate(node.children):
        if child.text is not None and child.text.decode() == operator and not child.children:
            # In a command of a shell ``+`` is a word like any other.
            if not grammar.is_named(child.kind) or "operator" in grammar.name(child.kind):
                node.children[at] = PatternNode(
                    child.kind, child.field, metavariable=m, any_token=True, span=child.span
                )
            return
        _replace_operator(child, operator, m, grammar)


def _mentions(roots: list[PatternNode], m: Metavariable) -> bool:
    return any(r.metavariable is m or _mentions(r.children, m) for r in roots)
