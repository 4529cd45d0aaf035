"""Subtree hashes of a whole file without a loop over its nodes.

Every node gets a mixed number x; with an odd base B the hash of a subtree is
``(S[end] - S[i]) * B**-i`` where S is the running sum of ``x[i] * B**i``, all
modulo 2**64 (a polynomial rolling hash over the preorder).
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from structural.syntax.columns import Columns
from structural.syntax.gaps import hidden_texts

_BASE = 0x9E3779B97F4A7C15  # odd, so it has an inverse modulo 2**64
_INVERSE = pow(_BASE, -1, 1 << 64)
_SPACE = np.isin(np.arange(256), list(b" \t\r\n\f\v"))

Hashes = npt.NDArray[np.uint64]


def subtree_hashes(columns: Columns, strings: frozenset[int]) -> Hashes:
    """One hash a node.  Kinds, shape, texts of leaves and hidden texts count (those inside of
    string literals, kinds *strings*, with their white space); layout and comments do not."""
    n = len(columns)
    if n == 0:
        return np.zeros(0, dtype=np.uint64)
    size = np.array(columns.size, dtype=np.uint64)
    with np.errstate(over="ignore"):
        x = np.array(columns.kind, dtype=np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        x += size * np.uint64(0x165667B19E3779F9)
        leaves = np.flatnonzero(size == 1)
        x[leaves] += _leaf_numbers(columns, leaves)
        for i in _may_hide_text(columns, leaves, strings):
            if columns.kind[i] in strings:
                x[i] += np.uint64(_number(columns.text(i)))
                continue
            for at, text in enumerate(hidden_texts(columns, i, strings)):
                x[i] += np.uint64(_number(text)) * np.uint64(2 * at + 3)
        x ^= x >> np.uint64(33)
        x *= np.uint64(0xFF51AFD7ED558CCD)
        x ^= x >> np.uint64(33)
        powers = _powers(_BASE, n)
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(x * powers, dtype=np.uint64)])
        ends = np.arange(n, dtype=np.int64) + size.astype(np.int64)
        result: Hashes = (sums[ends] - sums[:-1]) * _powers(_INVERSE, n)
    return result


def _powers(base: int, n: int) -> Hashes:
    powers = np.full(n, np.uint64(base))
    powers[0] = 1
    return np.multiply.accumulate(powers)


def _leaf_numbers(columns: Columns, leaves: npt.NDArray[np.int64]) -> Hashes:
    """A number for the text of every leaf; each distinct text is hashed once."""
    source, start, end = columns.source, columns.start, columns.end
    texts: dict[bytes, int] = {}
    numbers = np.empty(len(leaves), dtype=np.uint64)
    for at, i in enumerate(leaves.tolist()):
        text = source[start[i] : end[i]]
        number = texts.get(text)
        if number is None:
            number = texts[text] = _number(text)
        numbers[at] = number
    return numbers


def _number(text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def _may_hide_text(columns: Columns, leaves: npt.NDArray[np.int64], strings: frozenset[int]) -> list[int]:
    """Inner nodes that hold text of no leaf and no comment, and all string literals.

    A node hides text if its span has more bytes that are no white space than its leaves have."""
    solid = ~_SPACE[np.frombuffer(columns.source, dtype=np.uint8)]
    for low, high in columns.comments:
        solid[low:high] = False
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(solid, dtype=np.int64)])
    start = np.array(columns.start, dtype=np.int64)
    end = np.array(columns.end, dtype=np.int64)
    size = np.array(columns.size, dtype=np.int64)
    own = before[end] - before[start]
    of_leaves = np.zeros(len(start) + 1, dtype=np.int64)
    of_leaves[leaves + 1] = own[leaves]
    of_leaves = np.cumsum(of_leaves)
    first = np.arange(len(start))
    hides = (own > of_leaves[first + size] - of_leaves[first]) & (size > 1)
    if strings:
        hides |= np.isin(np.array(columns.kind), list(strings)) & (size > 1)
    found: list[int] = np.flatnonzero(hides).tolist()
    return found
