"""The pattern as a tree of its own, with what does not count taken out.

From an accepted reading to ``PatternNode``: stand-ins become metavariables,
tokens that may be left out are dropped, parentheses and braces that the
equivalences make redundant are noted and peeled off.  The result no longer
depends on the skeleton it was read in.
"""

from __future__ import annotations

import dataclasses
import re

from structural.errors import PatternError
from structural.pattern.metavariables import Metavariable
from structural.pattern.standins import StandIn
from structural.pattern.tables import Tables
from structural.pattern.trials import Accepted
from structural.syntax.columns import Columns
from structural.syntax.gaps import hidden_texts, plain_string

OPENERS = frozenset({b"(", b"[", b"{", b"<", b"|", b"do", b"then", b"begin"})
CLOSERS = frozenset({b")", b"]", b"}", b">", b"|", b"end"})
"""Texts of tokens that open and close a list or a block, in any language."""

_DEEPEST = 200
"""Levels of a pattern; deeper ones are refused rather than risk the interpreter's stack."""

Template = tuple[bytes | Metavariable, ...]
"""Text with metavariables inside, in order."""


@dataclasses.dataclass(slots=True)
class PatternNode:
    """One node of a pattern.  Exactly one of these holds:

    - ``metavariable``: stands for one node, or for any number (ellipsis);
    - ``template``: a token with metavariables inside, or a string literal;
    - ``children`` or ``text``: an inner node, or a token compared as it is.
    """

    kind: int
    field: int = 0
    text: bytes | None = None
    children: list[PatternNode] = dataclasses.field(default_factory=list)
    metavariable: Metavariable | None = None
    template: Template | None = None
    string: bool = False
    """A string literal, compared by prefix and body."""
    gaps: tuple[bytes, ...] = ()
    """Texts between the children that are no node of their own."""
    parens: int = 0
    """Redundant parentheses peeled off around this node."""
    braces: int = 0
    """Braces around a single statement peeled off around this node."""
    soft: bool = False
    """A separator beside an ellipsis."""
    least: int = 0
    """Ellipsis: how many elements at least."""
    in_tokens: bool = False
    """Ellipsis that stands for one value in unparsed tokens: no separator inside."""
    any_token: bool = False
    """Metavariable in an operator's place: binds anonymous tokens too."""
    span: tuple[int, int] = (0, 0)
    """Where it stands in the source that it was read from, the skeleton's."""
    bare: bool = False
    """A braced body; a lone statement in its place matches too."""
    optional_tokens: bool = False
    """The pattern wrote the tokens that may be left out here (parentheses of arguments)."""


def selected(accepted: Accepted, kinds: frozenset[int]) -> Accepted | None:
    """*accepted* with its first node of one of *kinds* as the only root; None if it has none.

    A layer around all of it counts too: the statement that is nothing but this expression."""
    columns = accepted.columns
    for root in accepted.roots:
        for i in range(root, root + columns.size[root]):
            if columns.kind[i] in kinds:
                return dataclasses.replace(accepted, roots=(i,), terminated=False, selected=True)
    root = accepted.roots[0]
    i = columns.parent[root] if len(accepted.roots) == 1 else 0
    while i > 0 and (columns.start[i], columns.end[i]) == (columns.start[root], columns.end[root]):
        if columns.kind[i] in kinds:
            return dataclasses.replace(accepted, roots=(i,), terminated=False, selected=True)
        i = columns.parent[i]
    return None


def build(accepted: Accepted, tables: Tables) -> list[PatternNode]:
    """The roots of the pattern; a PatternError if it is nested too deeply."""
    builder = _Builder(accepted, tables)
    roots = [builder.node(i, -1, 0) for i in accepted.roots]
    if len(roots) > 1:
        roots = [r for r in roots if not (tables.lenient and r.kind in tables.terminators and not r.children)]
        return [builder.unwrapped(root) for root in roots]
    root = roots[0]
    if root.kind in tables.whole or accepted.selected:
        return [root]
    if tables.lenient and len(root.children) == 1 and not tables.named[root.children[0].kind]:
        return [root]  # A bare ``return`` is the statement, not the word in every other one.
    while tables.lenient and root.kind in tables.parens:
        inner = builder.inside_parens(root, -1)
        if inner is None or inner.metavariable is not None:
            break
        inner.parens = root.parens + 1
        root = inner
    if accepted.terminated or not tables.lenient:
        return [builder.unwrapped(root)] if tables.lenient else [root]
    return [root if builder.wrote_terminator(accepted.roots[0]) else builder.unwrapped(root)]


def shape(node: PatternNode) -> str:
    """A text that is equal for pattern trees that mean the same."""
    flags = f"{'s' * node.soft}{'b' * node.bare}{'t' * node.in_tokens}{node.least}{node.parens}{node.braces}"
    if node.metavariable is not None:
        return f"{node.metavariable}{flags}"
    if node.template is not None:
        return f"{node.kind}~{[str(p) for p in node.template]}{flags}"
    if node.text is not None and not node.children:
        return f"{node.kind}={node.text!r}{flags}"
    return f"{node.kind}{flags}({' '.join(map(shape, node.children))})"


class _Builder:
    def __init__(self, accepted: Accepted, tables: Tables) -> None:
        self.columns: Columns = accepted.columns
        self.tables = tables
        self.by_span: dict[tuple[int, int], StandIn] = {s.span: s for s in accepted.stand_ins}
        self.by_marker: dict[bytes, StandIn] = {s.marker: s for s in accepted.stand_ins}
        markers = sorted((re.escape(s.marker) for s in accepted.stand_ins), key=len, reverse=True)
        self.marker = re.compile(b"(" + b"|".join(markers) + b")") if markers else None
        self.indent = accepted.indent.encode()
        self.last = accepted.roots[-1] if accepted.terminated else -1
        self.single_root = accepted.roots[0] if len(accepted.roots) == 1 else -1

    # --- one node -----------------------------------------------------------------------------

    def node(self, i: int, parent_kind: int, depth: int) -> PatternNode:
        node = self._node(i, parent_kind, depth)
        node.span = (self.columns.start[i], self.columns.end[i])
        if node.metavariable is not None:
            found = self._stand_in(i)
            assert found is not None
            node.span = found.span
        return node

    def _node(self, i: int, parent_kind: int, depth: int) -> PatternNode:
        if depth > _DEEPEST:
            raise PatternError("the pattern is nested too deeply", hint=f"at most {_DEEPEST} levels")
        columns, tables = self.columns, self.tables
        kind = columns.kind[i]
        found = self._stand_in(i)
        if found is not None:
            return PatternNode(kind, columns.field[i], metavariable=found.metavariable)
        if kind in tables.strings:
            string = self._string(i)
            if string is not None:
                return string
        if columns.size[i] == 1:
            return self._token(i)
        node = PatternNode(kind, columns.field[i])
        kids = self._counted(i, node)
        node.children = [self.node(child, kind, depth + 1) for child in kids]
        if kind in tables.flat_lists:
            self._join_elements(node)
        node.gaps = hidden_texts(columns, i, tables.strings)
        if self.marker is not None and any(self.marker.search(gap) for gap in node.gaps):
            return self._hidden_template(i)
        self._ellipses(node)
        if tables.lenient:
            node.children = [self._peeled(child, node) for child in node.children]
        return node

    def _stand_in(self, i: int) -> StandIn | None:
        """The stand-in that node *i* is, if *i* is the topmost node that it may stand for."""
        columns, tables = self.columns, self.tables
        kind = columns.kind[i]
        found = self.by_span.get((columns.start[i], columns.end[i]))
        if found is None and kind in tables.blank and columns.size[i] == 1:
            found = self.by_marker.get(columns.text(i).strip())
        if found is None and tables.lenient and columns.size[i] > 1 and self.last != i:
            found = self._terminated_stand_in(i)
        if found is None:
            return None
        if found.metavariable.ellipsis:
            name_only = found.span[1] - found.span[0] == len(found.marker)
            return None if name_only and kind in tables.blocks and columns.size[i] > 1 else found
        if kind in tables.slots and columns.size[i] > 1:
            return None
        return found

    def _terminated_stand_in(self, i: int) -> StandIn | None:
        """``$A;`` inside a block stands for a whole statement, terminator and all."""
        columns = self.columns
        if i == self.single_root:
            return None
        kids = columns.children(i)
        if len(kids) < 2 or any(columns.kind[k] not in self.tables.terminators for k in kids[1:]):
            return None
        return self.by_span.get((columns.start[kids[0]], columns.end[kids[0]]))

    def _token(self, i: int) -> PatternNode:
        columns = self.columns
        text = self._text(i)
        node = PatternNode(columns.kind[i], columns.field[i], text=text)
        if self.marker is not None and self.marker.search(text):
            node.text = None
            node.template = self._template(text)
        return node

    def _text(self, i: int) -> bytes:
        """The text of a token as it stood in the pattern before its lines were dedented."""
        text = self.columns.text(i)
        if not self.indent or b"\n" not in text:
            return text
        first, *rest = text.split(b"\n")
        return b"\n".join([first, *(self.indent + line if line.strip() else line for line in rest)])

    def _hidden_template(self, i: int) -> PatternNode:
        node = PatternNode(self.columns.kind[i], self.columns.field[i])
        node.template = self._template(self.columns.text(i))
        return node

    def _template(self, text: bytes) -> Template:
        assert self.marker is not None
        return tuple(
            self.by_marker[piece].metavariable if piece in self.by_marker else piece
            for piece in self.marker.split(text)
            if piece
        )

    def _string(self, i: int) -> PatternNode | None:
        """A string literal as one token; None if it holds code of its own."""
        columns = self.columns
        for child in columns.children(i):
            if columns.size[child] > 1 and self._stand_in(child) is None:
                return None
        if not plain_string(columns, i) and not self.marker:
            return None
        node = PatternNode(columns.kind[i], columns.field[i], string=True)
        text = self._text(i)
        if self.marker is not None and self.marker.search(text):
            node.template = self._template(text)
        else:
            node.text = text
        return node

    # --- children ---------------------------------------------------------------------------------

    def _counted(self, i: int, node: PatternNode) -> list[int]:
        """Children of *i* without those that may be missing in a match."""
        columns, tables = self.columns, self.tables
        kids = [k for k in columns.children(i) if k not in columns.missing]
        if not tables.lenient:
            if self.last == i and kids and columns.kind[kids[-1]] in tables.terminators:
                kids.pop()
            return kids
        kind = columns.kind[i]
        frame = tables.frame(kind)
        optional = tables.optional_tokens.get(kind)
        if optional is not None:
            node.optional_tokens = any(columns.kind[k] in optional for k in kids)
        kids = [k for k in kids if columns.kind[k] not in frame.skip]
        while len(kids) > 1 and columns.kind[kids[-1]] in tables.terminators and columns.size[kids[-1]] == 1:
            kids.pop()
        if len(kids) > 4 and columns.kind[kids[-2]] in tables.separators and self._closes(kids[-1]):
            # Behind a single element it is kept: ``($A,)`` is a tuple, ``($A)`` is none.
            if columns.kind[kids[-3]] not in tables.separators:
                del kids[-2]
        elif len(kids) > 2 and columns.kind[kids[-1]] in tables.separators:
            kids.pop()
        return kids

    def _closes(self, i: int) -> bool:
        return self.columns.text(i) in CLOSERS

    def _join_elements(self, node: PatternNode) -> None:
        """In a flat list the nodes of an ellipsis become one."""
        for (low, high), stand_in in self.by_span.items():
            inside = [
                at for at, kid in enumerate(node.children) if low <= kid.span[0] and kid.span[1] <= high
            ]
            if stand_in.metavariable.ellipsis and len(inside) > 1:
                first = node.children[inside[0]]
                node.children[inside[0] : inside[-1] + 1] = [
                    PatternNode(first.kind, metavariable=stand_in.metavariable, span=(low, high))
                ]

    def _ellipses(self, node: PatternNode) -> None:
        """Mark separators beside an ellipsis; give single metavariables their reach."""
        tables = self.tables
        kids = node.children
        for at, child in enumerate(kids):
            m = child.metavariable
            if m is None:
                continue
            if m.ellipsis:
                for beside in (at - 1, at + 1):
                    if (
                        0 <= beside < len(kids)
                        and kids[beside].kind in tables.separators
                        and not kids[beside].children
                    ):
                        kids[beside].soft = True
            elif node.kind in tables.token_trees:
                child.in_tokens = True
                child.least = 1
        if tables.lenient and node.kind in tables.blocks:
            inner = [kid for kid in kids if not self._is_brace(kid)]
            if len(inner) == 1 and inner[0].metavariable and not inner[0].metavariable.ellipsis:
                inner[0].metavariable = Metavariable(
                    inner[0].metavariable.name, True, inner[0].metavariable.offset
                )
                inner[0].least = 1

    @staticmethod
    def _is_brace(node: PatternNode) -> bool:
        return node.text in (b"{", b"}", b"do", b"end", b"then", b"begin", b":")

    # --- what may be peeled off ----------------------------------------------------------------------

    def _peeled(self, child: PatternNode, parent: PatternNode) -> PatternNode:
        tables = self.tables
        while True:
            inner = self.inside_parens(child, parent.kind)
            if inner is not None:
                inner.parens = child.parens + 1
                inner.field = child.field
                child = inner
                continue
            if parent.kind in tables.bodies and child.kind in tables.braces and len(child.children) >= 2:
                if self._is_brace(child.children[0]) and self._is_brace(child.children[-1]):
                    inside = child.children[1:-1]
                    if len(inside) == 1 and inside[0].metavariable is None:
                        inside[0].braces = child.braces + 1
                        child = inside[0]
                        continue
                    child.bare = len(inside) == 1
            unwrapped = self.unwrapped(child)
            if unwrapped is child:
                break
            child = unwrapped
        if child.metavariable is not None and parent.kind in tables.parameter_parens and not child.parens:
            if child.kind in tables.parameter_lists or child.field:
                child.parens = -1 if self._first_parameter(child, parent) else 0
        return child

    @staticmethod
    def _first_parameter(child: PatternNode, parent: PatternNode) -> bool:
        """Whether *child* is what stands before the arrow."""
        for sibling in parent.children:
            if sibling is child or sibling.metavariable is child.metavariable:
                return True
            if sibling.text == b"=>" or sibling.text == b"->":
                return False
        return False

    def inside_parens(self, child: PatternNode, parent_kind: int) -> PatternNode | None:
        tables = self.tables
        allowed = child.kind in tables.parens or child.kind in tables.parameter_parens.get(parent_kind, ())
        if not allowed or child.metavariable is not None or len(child.children) != 3 or child.gaps:
            return None
        inner = child.children[1]
        if inner.metavariable is not None and inner.metavariable.ellipsis:
            return None
        return inner

    def unwrapped(self, node: PatternNode) -> PatternNode:
        """*node* without layers that add no token."""
        while (
            len(node.children) == 1
            and not node.gaps
            and node.metavariable is None
            and (node.children[0].metavariable is None or node.kind not in self.tables.slots)
            and not (node.children[0].metavariable is not None and node.children[0].metavariable.ellipsis)
            and node.kind not in self.tables.optional_tokens
            and node.kind not in self.tables.adornments
        ):
            inner = node.children[0]
            inner.field = node.field
            inner.parens += node.parens
            inner.braces += node.braces
            node = inner
        return node

    def wrote_terminator(self, i: int) -> bool:
        """Whether root *i* ends with a terminator that the user wrote."""
        columns = self.columns
        kids = columns.children(i)
        return (
            len(kids) > 1
            and columns.kind[kids[-1]] in self.tables.terminators
            and kids[-1] not in columns.missing
            and columns.end[kids[-1]] > columns.start[kids[-1]]
        )
