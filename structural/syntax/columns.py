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


@dataclasses.dataclass(slots=True)
class Columns:
    """The nodes of one file in one language; see the module's head for the layout.

    ``start`` and ``end`` are bytes of ``source``.  ``field`` is the field id under
    the parent, 0 for none.  ``comments`` holds (start, end) in file order.
    ``missing`` are the indices of MISSING tokens, ``errors`` counts ERROR and
    MISSING nodes of the whole tree, also where only a forest was kept.
    """

    language: str
    source: bytes
    kind: list[int] = dataclasses.field(default_factory=list)
    field: list[int] = dataclasses.field(default_factory=list)
    start: list[int] = dataclasses.field(default_factory=list)
    end: list[int] = dataclasses.field(default_factory=list)
    size: list[int] = dataclasses.field(default_factory=list)
    comments: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    missing: frozenset[int] = frozenset()
    errors: int = 0
    _parent: list[int] | None = None
    _hash: npt.NDArray[np.uint64] | None = None

    def __len__(self) -> int:
        return len(self.kind)

    def text(self, i: int) -> bytes:
        """The source of node *i*."""
        return self.source[self.start[i] : self.end[i]]

    def children(self, i: int) -> list[int]:
        """Indices of the children of *i*, in order."""
        size = self.size
        found = []
        j, end = i + 1, i + size[i]
        while j < end:
            found.append(j)
            j += size[j]
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

    def hashes(self) -> npt.NDArray[np.uint64]:
        """A 64-bit hash of every subtree: equal code has equal hashes.

        Kinds, subtree sizes and the texts of leaves count; layout and comments do
        not.  Every node gets a mixed number x; with an odd base B the hash of a
        subtree is ``(S[end] - S[i]) * B**-i`` where S is the running sum of
        ``x[i] * B**i``, all modulo 2**64 (a polynomial rolling hash over preorder).
        """
        if self._hash is None:
            self._hash = _subtree_hashes(self)
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
            self.missing,
            self.errors,
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
            "missing",
            "errors",
        )
        for name, value in zip(names, state, strict=True):
            setattr(self, name, value)
        self._parent = None
        self._hash = None


_BASE = 0x9E3779B97F4A7C15  # odd, so it has an inverse modulo 2**64
_INVERSE = pow(_BASE, -1, 1 << 64)


def _subtree_hashes(columns: Columns) -> npt.NDArray[np.uint64]:
    from hashlib import blake2b

    import numpy as np

    n = len(columns)
    if n == 0:
        return np.zeros(0, dtype=np.uint64)
    source, start, end = columns.source, columns.start, columns.end
    size = np.array(columns.size, dtype=np.uint64)
    x = np.array(columns.kind, dtype=np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F) + size * np.uint64(
        0x165667B19E3779F9
    )
    texts: dict[bytes, int] = {}
    leaf = np.flatnonzero(size == 1)
    numbers = np.empty(len(leaf), dtype=np.uint64)
    for at, i in enumerate(leaf.tolist()):
        text = source[start[i] : end[i]]
        number = texts.get(text)
        if number is None:
            number = texts[text] = int.from_bytes(blake2b(text, digest_size=8).digest(), "little")
        numbers[at] = number
    x[leaf] += numbers
    with np.errstate(over="ignore"):
        x ^= x >> np.uint64(33)
        x *= np.uint64(0xFF51AFD7ED558CCD)
        x ^= x >> np.uint64(33)
        powers = np.full(n, np.uint64(_BASE))
        powers[0] = 1
        powers = np.multiply.accumulate(powers)
        inverses = np.full(n, np.uint64(_INVERSE))
        inverses[0] = 1
        inverses = np.multiply.accumulate(inverses)
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(x * powers, dtype=np.uint64)])
        ends = np.arange(n, dtype=np.int64) + size.astype(np.int64)
        result: npt.NDArray[np.uint64] = (sums[ends] - sums[:-1]) * inverses
    return result
