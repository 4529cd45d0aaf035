"""Columns of a text as far as the definitions around some places ask for them.

What those definitions are called depends on what stands beside them (of equal names the first defines), so
all of the tree is kept but the bodies of definitions that no place lies in: nothing outside of such a body
asks for what is in it.
"""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from structural.syntax.columns import Columns
from structural.syntax.defining import Definers
from structural.syntax.grammar import LoadedGrammar
from structural.syntax.parsed import Spans


def flatten_enclosing(
    columns: Columns, root: Node, grammar: LoadedGrammar, spans: Spans, rules: Definers
) -> None:
    """Append the nodes of *root* in preorder, without what is in bodies that touch none of *spans* (in order
    and disjoint).  A loop as in ``parse``, with the same reasons."""
    kind, field, start, end, size = columns.kind, columns.field, columns.start, columns.end, columns.size
    add_kind, add_field, add_start = kind.append, field.append, start.append
    add_end, add_size = end.append, size.append
    trivia, blank, comment_kinds = grammar.trivia, grammar.blank, grammar.comments
    special = trivia | blank
    source, comments = columns.source, columns.comments
    # What is on a level counts for what is around it, whether or not it has a name itself.
    owners, blocks = rules.rules.keys() - rules.levels, rules.blocks
    starts, ends = [*(s for s, _ in spans), len(source) + 1], [*(e for _, e in spans), len(source) + 1]
    at, low, high = 0, starts[0], ends[0]  # the first span that does not end before this node
    cursor = root.walk()
    down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    stack: list[int] = []
    while True:
        node: Any = cursor.node
        k = node.kind_id
        if k in special and (k in trivia or not source[node.start_byte : node.end_byte].strip()) and kind:
            if k in comment_kinds:
                comments.append((node.start_byte, node.end_byte))
            elif k in trivia:
                columns.layout.append((node.start_byte, node.end_byte))
        else:
            first, last = node.start_byte, node.end_byte
            add_kind(k)
            add_field(cursor.field_id or 0)
            add_start(first)
            add_end(last)
            add_size(1)
            enter = True
            if k in blocks and stack and kind[stack[-1]] in owners:
                while high < first:
                    at += 1
                    low, high = starts[at], ends[at]
                enter = last >= low
            if enter and down():
                stack.append(len(kind) - 1)
                continue
        while stack and not along():
            up()
            i = stack.pop()
            size[i] = len(kind) - i
        if not stack:
            break
    columns.errors = int(root.has_error)
