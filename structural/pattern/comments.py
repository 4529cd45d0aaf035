"""Patterns that are comments.

Comments are not among the nodes that the matcher sees; a pattern that is nothing
but a comment is a text with metavariables, compared with the comments of a file.
"""

from __future__ import annotations

from structural.pattern.metavariables import Fragment, Metavariable
from structural.pattern.tree import Template
from structural.syntax.grammar import LoadedGrammar
from structural.syntax.parse import parse


def comment_template(fragment: Fragment, grammar: LoadedGrammar) -> Template | None:
    """The fragment as the text of one comment, None if it is anything else."""
    if not fragment.pieces or not isinstance(fragment.pieces[0], str):
        return None
    written = b"".join(p.encode() if isinstance(p, str) else b"qz" for p in fragment.pieces)
    for skeleton in grammar.language.skeletons[:2]:
        before = skeleton.before.encode()
        columns = parse(before + written + b"\n" + skeleton.after.encode(), grammar.language.name)
        start, end = len(before), len(before) + len(written)
        if columns.errors:
            continue
        for low, high in columns.comments:
            if low == start and high in (end, end + 1):
                return tuple(p.encode() if isinstance(p, str) else p for p in fragment.pieces)
    return None


def text_of(template: Template) -> str:
    return "".join(str(p) if isinstance(p, Metavariable) else p.decode() for p in template)
