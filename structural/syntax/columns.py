"""A syntax tree as parallel arrays in preorder.

    i + 1                   first child of i (if size[i] > 1)
    j + size[j]             next sibling of j
    i <= d < i + size[i]    d is i or inside i

Comments and layout are not among the nodes: their spans stand in ``comments``
and nothing above has to step over them.  Columns may hold one whole tree or a
forest: the subtrees of some nodes, one behind the other in file order.

No tree-sitter object is kept; columns pickle.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


_WIDE = 64
"""Children of a node that is asked for them once: those of one with more are kept."""


@dataclasses.dataclass(slots=True)
class Columns:
    """The nodes of one file in one language; see the module's head for the layout.

    ``start`` and ``end`` are bytes of ``source``.  ``field`` is the field id under
    the parent, 0 for none.  ``comments`` holds (start, end) in file order, ``layout``
    those of line continuations and the like.
    ``missing`` are the indices of MISSING tokens, ``errors`` counts ERROR and
    MISSING nodes of the whole tree, also where only a forest was kept.
    ``shut`` are nodes that are kept without what is inside of them: kind, bytes, how many nodes they
    have, and the state in which the parser was before them.
    """

    language: str
    source: bytes
    kind: list[int] = dataclasses.field(default_factory=list)
    field: list[int] = dataclasses.field(default_factory=list)
    start: list[int] = dataclasses.field(default_factory=list)
    end: list[int] = dataclasses.field(default_factory=list)
    size: list[int] = dataclasses.field(default_factory=list)
    comments: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    layout: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    missing: frozenset[int] = frozenset()
    errors: int = 0
    shut: list[tuple[int, int, int, int]] = dataclasses.field(default_factory=list)
    _parent: list[int] | None = None
    _hash: npt.NDArray[np.uint64] | None = None
    _wide: dict[int, list[int]] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.kind)

    def text(self, i: int) -> bytes:
        """The source of node *i*."""
        return self.source[self.start[i] : self.end[i]]

    def children(self, i: int) -> list[int]:
        """Indices of the children of *i*, in order."""
        if i in self._wide:
            return self._wide[i].copy()
        size = self.size
        found = []
        j, end = i + 1, i + size[i]
        while j < end:
            found.append(j)
            j += size[j]
        if len(found) > _WIDE:
            self._wide[i] = found.copy()
        return found

    @property
    def parent(self) -> list[int]:
        """Index of each node's parent, -1 for a root; made on first use."""
        if self._parent is None:
            size = self.size
            parent = [-1] * len(size)
            stack: list[tuple[int, int]] = []
            for i, n in enumerate(size):
                while stack and stack[-1][1] <= i:
                    stack.pop()
                if stack:
                    parent[i] = stack[-1][0]
                if n > 1:
                    stack.append((i, i + n))
            self._parent = parent
        return self._parent

    def parents_are(self, parents: list[int]) -> None:
        """Take *parents*, if they are known already."""
        self._parent = parents

    def hashes(self) -> npt.NDArray[np.uint64]:
        """A 64-bit hash of every subtree, made on first use: the same code has the same hash."""
        if self._hash is None:
            from structural.syntax.grammar import load_named
            from structural.syntax.hashes import subtree_hashes

            grammar = load_named(self.language)
            self._hash = subtree_hashes(self, grammar.ids(grammar.language.strings))
        return self._hash

    def __getstate__(self) -> tuple[object, ...]:
        return (
            self.language,
            self.source,
            self.kind,
            self.field,
            self.start,
            self.end,
            self.size,
            self.comments,
            self.layout,
            self.missing,
            self.errors,
            self.shut,
        )

    def __setstate__(self, state: tuple[object, ...]) -> None:
        names = (
            "language",
            "source",
            "kind",
            "field",
            "start",
            "end",
            "size",
            "comments",
            "layout",
            "missing",
            "errors",
            "shut",
        )
        for name, value in zip(names, state, strict=True):
            setattr(self, name, value)
        self._parent = None
        self._hash = None
        self._wide = {}
