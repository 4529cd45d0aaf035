"""Comments in patterns.

Comments are not among the nodes that the matcher sees.  A pattern that is nothing
but a comment is a text with metavariables, compared with the comments of a file.
Comments beside the code of a pattern are required: each must stand within the
match, in order.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from structural.pattern.metavariables import Fragment
from structural.pattern.tree import Template
from structural.pattern.trials import Accepted
from structural.syntax.columns import Columns
from structural.syntax.grammar import LoadedGrammar
from structural.syntax.parse import parse


def comment_template(fragment: Fragment, grammar: LoadedGrammar) -> Template | None:
    """The fragment as the text of one comment, None if it is anything else."""
    if not fragment.pieces or not isinstance(fragment.pieces[0], str):
        return None
    written = b"".join(p.encode("utf-8", "replace") if isinstance(p, str) else b"qz" for p in fragment.pieces)
    begins = grammar.comment_start
    if begins is not None and not begins.match(written) and not written.startswith(b"\\"):
        return None
    for skeleton in grammar.language.skeletons[:3]:
        before = skeleton.before.encode()
        columns = parse(before + written + b"\n" + skeleton.after.encode(), grammar.language.name)
        start, end = len(before), len(before) + len(written)
        if columns.errors:
            continue
        for low, high in columns.comments:
            if low == start and high in (end, end + 1):
                return tuple(p.encode() if isinstance(p, str) else p for p in fragment.pieces)
    return None


def mentioned(accepted: Accepted) -> tuple[bytes, ...]:
    """Regular expressions of the comments inside the fragment, in order.  White space in them counts
    as any white space; a metavariable in one stands for any text and binds nothing."""
    columns = accepted.columns
    first, last = accepted.roots[0], accepted.roots[-1]
    markers = [re.escape(s.marker) for s in accepted.stand_ins]
    cut = re.compile(b"(?:" + b"|".join(markers) + b")") if markers else None
    found = []
    for start, end in columns.comments:
        if start >= columns.start[first] and end <= columns.end[last]:
            pieces = (
                cut.split(columns.source[start:end].strip()) if cut else [columns.source[start:end].strip()]
            )
            words = [rb"\s+".join(re.escape(word) for word in piece.split()) for piece in pieces]
            found.append(b".*".join(words))
    return tuple(found)


def all_stand(regexes: tuple[bytes, ...], columns: Columns, start: int, end: int) -> bool:
    """Whether a comment for each of *regexes* stands in [start, end), in order."""
    comments = columns.comments
    at = bisect_left(comments, (start, start))
    for regex in regexes:
        while True:
            if at >= len(comments) or comments[at][0] >= end:
                return False
            text = columns.source[comments[at][0] : comments[at][1]].strip()
            at += 1
            if re.fullmatch(regex, text, re.DOTALL):
                break
    return True
