"""What the matcher may step over or step into, in the columns of one file.

Everything that makes matching more than token-by-token comparison is decided
here, from the language's tables: layers around a node that the pattern does not
show, adornments and trailing marks that it does not mention.
"""

from __future__ import annotations

from structural.pattern.operations import Operation
from structural.pattern.tables import Frame, Run, Tables
from structural.pattern.tree import CLOSERS, OPENERS
from structural.syntax.columns import Columns
from structural.syntax.gaps import hidden_texts

QUOTES, PARENS, BRACES, TWINS, CHAIN, ORDER = 1, 2, 4, 8, 16, 32
EQUIVALENCE_BITS = {
    "quotes": QUOTES,
    "parens": PARENS,
    "braces": BRACES,
    "twins": TWINS,
    "optional-chain": CHAIN,
    "order": ORDER,
}


class Layers:
    """Questions about the nodes of one file.  ``f`` is always the node whose children are
    walked, ``stop`` the end of its children, ``prev`` the child before (-1 at the first)."""

    __slots__ = ("columns", "named", "tables")

    def __init__(self, columns: Columns, tables: Tables) -> None:
        self.columns = columns
        self.tables = tables
        self.named = tables.grammar.is_named

    # --- into ------------------------------------------------------------------------------------

    def peel(self, x: int, kinds: frozenset[int], f: int, wrote_parens: bool) -> tuple[int, int]:
        """Go into layers around *x* until a kind of *kinds* is reached.

        Layers: a node whose only child (beside a terminator) it wraps; redundant
        parentheses; a block around one statement; a declaration inside its adornments.
        Gives (node, equivalence bits), node -1 if no layer fits."""
        columns, tables = self.columns, self.tables
        kind, size = columns.kind, columns.size
        bits, parens = 0, False
        while kind[x] not in kinds:
            k, n = kind[x], size[x]
            if n == 1:
                return -1, 0
            inner = x + 1
            rest = n - 1 - size[inner]
            if rest == 0:
                if not self.adds_no_text(x, inner):
                    return -1, 0
                x = inner
                continue
            if not tables.lenient:
                return -1, 0
            if self._parenthesised(x, f):
                x += 2
                parens = True
                continue
            if f >= 0 and k in tables.braces and kind[f] in tables.bodies:
                x = self.only_statement(x)
                if x < 0:
                    return -1, 0
                bits |= BRACES
                continue
            if rest == 1 and kind[x + n - 1] in tables.terminators:
                x = inner
                continue
            if k in tables.adorned:
                x = self.adorned(x)
                if x < 0:
                    return -1, 0
                continue
            return -1, 0
        if parens != wrote_parens:
            bits |= PARENS
        return x, bits

    def entering(self, op: Operation, x: int) -> int:
        """The equivalences that entering node *x* needs."""
        bits = 0
        if op.optional is not None and op.optional != self.has_optional_tokens(x):
            bits |= PARENS
        if len(op.kinds) > 1 and op.frame is not None and self.columns.kind[x] != op.frame.kind:
            bits |= TWINS
        return bits

    def _parenthesised(self, x: int, f: int) -> bool:
        """Whether *x* is ``( X )`` with parentheses that may be left out."""
        columns, tables = self.columns, self.tables
        kind, size = columns.kind, columns.size
        k = kind[x]
        if k not in tables.parens and (f < 0 or k not in tables.parameter_parens.get(kind[f], ())):
            return False
        return size[x] > 3 and size[x + 1] == 1 and size[x] == size[x + 2] + 3

    def adds_no_text(self, x: int, inner: int) -> bool:
        """Whether the layer *x* adds no text to its only child *inner*."""
        columns = self.columns
        if columns.start[x] == columns.start[inner] and columns.end[x] == columns.end[inner]:
            return True
        return not hidden_texts(columns, x, self.tables.strings)

    def only_statement(self, x: int) -> int:
        """The one statement of the braced block *x*, -1 if it holds none or several."""
        columns = self.columns
        kids = columns.children(x)
        if len(kids) < 3 or columns.size[kids[0]] != 1 or columns.size[kids[-1]] != 1:
            return -1
        inside = [
            k for k in kids[1:-1] if columns.kind[k] not in self.tables.terminators or columns.size[k] > 1
        ]
        return inside[0] if len(inside) == 1 else -1

    def adorned(self, x: int) -> int:
        """The child of *x* that is no adornment, -1 if that is not exactly one."""
        columns, tables = self.columns, self.tables
        frame = tables.frame(columns.kind[x])
        j, stop = x + 1, x + columns.size[x]
        core = -1
        while j < stop:
            behind = self.skippable(j, stop, frame)
            if not behind and columns.kind[j] in tables.terminators:
                behind = j + columns.size[j]
            if not behind:
                if core >= 0:
                    return -1
                core = j
                behind = j + columns.size[j]
            j = behind
        return core

    def inside_parens(self, j: int, wrote: int) -> tuple[int, int]:
        """The node that ``$X`` stands for where the pattern wrote *wrote* pairs of parentheses around
        it: what is inside the file's, if it has them.  Negative *wrote*: a single parameter
        without any.  Gives (node, equivalence bits), node -1 if it is no single node."""
        columns, tables = self.columns, self.tables
        kind, size = columns.kind, columns.size
        x, peeled = j, 0
        while kind[x] in tables.parens or kind[x] in tables.parameter_lists:
            if size[x] < 4 or size[x] != size[x + 2] + 3:
                return (-1, 0) if kind[x] in tables.parameter_lists else (x, 0)
            if peeled == abs(wrote):
                break
            x += 2
            peeled += 1
        return x, (0 if peeled or wrote < 0 else PARENS)

    def sole_argument(self, x: int) -> tuple[int, int]:
        """First and last node between the brackets of *x*, a construct that is an argument list itself."""
        kids = self.columns.children(x)
        return kids[1], kids[-2]

    # --- over ---------------------------------------------------------------------------------------

    def skippable(self, j: int, stop: int, frame: Frame) -> int:
        """If node *j* is something the pattern need not mention: the node behind it, else 0."""
        k = self.columns.kind[j]
        if k in frame.skip:
            return j + self.columns.size[j]
        if k in frame.adornments:
            words = self.tables.significant
            if words and not words.isdisjoint(self.columns.text(j).split()):
                return 0
            return j + self.columns.size[j]
        for run in frame.runs:
            behind = self._run_at(run, j, stop)
            if behind:
                return behind
        return 0

    def _run_at(self, run: Run, j: int, stop: int) -> int:
        columns = self.columns
        for step, wanted in run:
            if j >= stop:
                return 0
            if isinstance(wanted, frozenset):
                if columns.kind[j] not in wanted:
                    return 0
            elif step == "field":
                if columns.field[j] != wanted:
                    return 0
            elif not self.named(columns.kind[j]):
                return 0
            j += columns.size[j]
        return j

    def trailing(self, j: int, stop: int, prev: int, closer: bytes) -> int:
        """If *j* is a trailing separator or terminator before the token *closer*: the node behind
        it, else 0."""
        columns, tables = self.columns, self.tables
        k = columns.kind[j]
        behind = j + columns.size[j]
        if behind >= stop or columns.text(behind) != closer:
            return 0
        if k in tables.terminators and columns.size[j] == 1:
            return behind
        if k in tables.separators and prev >= 0 and columns.kind[prev] not in tables.separators:
            if self.named(columns.kind[prev]) or columns.text(prev) not in OPENERS:
                return behind
        return 0

    def skip_to_end(self, j: int, stop: int, f: int, frame: Frame | None, prev: int) -> int:
        """Step over what may stand at the end of a node without being mentioned.

        A separator only behind two children or more: ``a,`` alone is a tuple in Python."""
        columns, tables = self.columns, self.tables
        kind, size = columns.kind, columns.size
        separator = False
        while j < stop:
            behind = self.skippable(j, stop, frame) if frame is not None else 0
            if not behind and kind[j] in tables.terminators and size[j] == 1:
                behind = j + 1
            if not behind and j in columns.missing:
                behind = j + size[j]
            if not behind and not separator and kind[j] in tables.separators and prev > f + 1:
                separator = True
                behind = j + size[j]
            if not behind:
                return j
            j = behind
        return j

    def may_be_absent(self, op: Operation, j: int, stop: int, prev: int) -> bool:
        """Whether a separator beside an ellipsis may be absent here: where no element stands on one
        of its sides."""
        columns = self.columns
        kind = columns.kind
        if prev >= 0 and kind[prev] in op.kinds:
            return True
        if op.may_start:
            if prev < 0 or (op.open_kinds is not None and kind[prev] in op.open_kinds):
                return True
            if columns.text(prev) in OPENERS:  # a bracket in a node of its own
                return True
        if not op.may_end:
            return False
        if j >= stop or (op.close_kinds is not None and kind[j] in op.close_kinds):
            return True
        return columns.text(j) in CLOSERS

    # --- what a node is -----------------------------------------------------------------------------------

    def is_value_word(self, j: int, prev: int, stop: int) -> bool:
        """Whether the anonymous token *j* is a value of its own: ``this``, ``null`` in some grammars.

        A word that is a field of its parent, or all that stands between two separators,
        brackets or ends."""
        columns, tables = self.columns, self.tables
        if not columns.text(j).isalpha():
            return False
        if columns.field[j]:
            return True
        edges = tables.separators
        behind = j + columns.size[j]
        before = prev < 0 or columns.kind[prev] in edges or columns.text(prev) in OPENERS
        return before and (behind >= stop or columns.kind[behind] in edges or columns.text(behind) in CLOSERS)

    def is_operator(self, j: int) -> bool:
        """Whether the token *j* can be an operator: no bracket, separator or colon."""
        columns, tables = self.columns, self.tables
        if columns.kind[j] in tables.separators or columns.kind[j] in tables.terminators:
            return False
        if columns.size[j] > 1 and self.named(columns.kind[j]) and columns.size[j] != 2:
            return False
        text = columns.text(j)
        return text != b":" and text not in OPENERS - {b"<", b"|"} and text not in CLOSERS - {b">", b"|"}

    def is_member_name(self, i: int) -> bool:
        """Whether the identifier *i* names a member, key or label, and so is no expression."""
        columns = self.columns
        parent = columns.parent[i]
        if parent < 0 or (columns.start[parent], columns.end[parent]) == (columns.start[i], columns.end[i]):
            return False
        return (columns.kind[parent], columns.field[i]) in self.tables.member_names

    def opens_block(self, i: int) -> bool:
        return self.columns.size[i] == 1 and self.columns.text(i) in BLOCK_OPENERS

    def closes_block(self, j: int, stop: int) -> bool:
        columns = self.columns
        return columns.size[j] == 1 and j + 1 >= stop and columns.text(j) in (b"}", b"end")

    def has_optional_tokens(self, x: int) -> bool:
        """Whether *x* has the tokens that may be left out in its kind."""
        columns = self.columns
        optional = self.tables.optional_tokens.get(columns.kind[x], frozenset())
        return any(columns.kind[c] in optional for c in columns.children(x))


BLOCK_OPENERS = frozenset({b"{", b"do", b"then", b"begin", b":"})
