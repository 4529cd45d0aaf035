"""What an index knows of the files of its tree: a row for each, and the blocks that hold their columns.

A row says how the file looked to ``stat``, the digest of what it read then, and where its columns
are.  The manifest is one file with a checksum; it names blocks by their digests, which never change.
"""

from __future__ import annotations

import marshal
import os
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

import zstandard

from structural.search.blocks import UnusableError
from structural.search.freshness import Signature
from structural.search.index.folder import MANIFEST, write

_MAGIC = b"structural index\n"
VERSION = 1
_BEGIN = len(_MAGIC) + 4 + 16

Row = tuple[Signature, bool, bytes, str, str, int, "tuple[str, str] | None"]
"""Signature; whether it alone tells that the file has not changed; digest of the contents; language;
name of a block, empty where there are no columns, and the slot in it; why the file is no text."""

SIGNATURE: Final = 0
SETTLED: Final = 1
DIGEST: Final = 2
LANGUAGE: Final = 3
BLOCK: Final = 4
SLOT: Final = 5
PROBLEM: Final = 6


class BrokenError(UnusableError):
    """The manifest does not hold what was written."""


@dataclass(slots=True)
class Manifest:
    """``blocks``: name → language, number of files, bytes of their source, bytes of the block.
    ``grammars``: language → what its columns were made with."""

    root: str
    rows: dict[str, Row] = field(default_factory=dict)
    blocks: dict[str, tuple[str, int, int, int]] = field(default_factory=dict)
    grammars: dict[str, str] = field(default_factory=dict)
    built: int = 0
    """When all of the tree was last read, in nanoseconds; 0 for never."""
    stamp: tuple[int, ...] = ()
    """By which it is seen that another one was written since."""


def load(folder: str) -> Manifest | None:
    """The manifest in *folder*; None if there is none that this version reads.  BrokenError if it is
    damaged."""
    path = os.path.join(folder, MANIFEST)
    stamp = stamp_of(folder)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    begin, packed = data[: len(_MAGIC) + 4], data[_BEGIN:]
    if data[len(begin) : _BEGIN] != _digest(begin + packed) or not begin.startswith(_MAGIC):
        raise BrokenError(path)
    if int.from_bytes(begin[len(_MAGIC) :], "little") != VERSION:
        return None
    try:
        told: dict[str, Any] = marshal.loads(zstandard.ZstdDecompressor().decompress(packed))
    except (zstandard.ZstdError, ValueError, EOFError, TypeError) as problem:
        raise BrokenError(path) from problem
    return Manifest(told["root"], told["rows"], told["blocks"], told["grammars"], told["built"], stamp)


def save(folder: str, made: Manifest) -> None:
    """Write *made* in place of what is there; OSError if that fails."""
    told = {
        "root": made.root,
        "rows": made.rows,
        "blocks": made.blocks,
        "grammars": made.grammars,
        "built": made.built,
    }
    packed = zstandard.ZstdCompressor(level=1).compress(marshal.dumps(told, 4))
    begin = _MAGIC + VERSION.to_bytes(4, "little")
    write(os.path.join(folder, MANIFEST), begin + _digest(begin + packed) + packed)
    made.stamp = stamp_of(folder)


def stamp_of(folder: str) -> tuple[int, ...]:
    """What tells one manifest in *folder* from another; empty if there is none."""
    try:
        about = os.stat(os.path.join(folder, MANIFEST))
    except OSError:
        return ()
    return (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)


def digest_of(data: bytes) -> bytes:
    """By which equal contents are known."""
    return blake2b(data, digest_size=20).digest()


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
