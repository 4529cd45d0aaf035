"""Files of a tree → blocks on disk, and a row for each file.

A file is read between two looks at its signature, so that the row is of what was read.  What reads
as its row says keeps its place; of the others whole trees are made into columns, a block for about
``BLOCK_BYTES`` of source.  Nothing fails for a file: it gets a row without columns, or none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from structural.errors import StructuralError
from structural.search.freshness import SIZE, look, settled
from structural.search.index.encode import Flat, encode, flat
from structural.search.index.folder import BLOCKS, write
from structural.search.index.manifest import (
    BLOCK,
    DIGEST,
    LANGUAGE,
    PROBLEM,
    SETTLED,
    SIGNATURE,
    Row,
    digest_of,
)
from structural.search.memory import NOT_TEXT
from structural.search.read import read_file
from structural.syntax.parse import parse

BLOCK_BYTES = 2_000_000
"""Source bytes of a block: its columns are unpacked together, in some thousandths of a second."""

LARGEST = 4_000_000
"""A larger file gets no columns."""

File = tuple[str, str, str]
"""Name in the tree, path, language."""


@dataclass(slots=True)
class Made:
    """Rows by name, None for a file that is gone or cannot be read; the blocks that were written."""

    rows: dict[str, Row | None] = field(default_factory=dict)
    blocks: dict[str, tuple[str, int, int, int]] = field(default_factory=dict)
    parsed: int = 0


def make(
    folder: str,
    files: Iterable[File],
    known: Callable[[str], Row | None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Made:
    """Rows for *files*, until *stop* says so.  *known* are rows whose blocks are good.  OSError if a
    block cannot be written."""
    made = Made()
    pending: dict[str, list[tuple[str, Row, Flat]]] = {}
    size: dict[str, int] = {}
    for name, path, language in files:
        if stop():
            break
        read = _read(path, language)
        if read is None:
            made.rows[name] = None
            continue
        row, data = read
        before = known(name)
        if (
            row[DIGEST]
            and before is not None
            and (before[DIGEST], before[LANGUAGE]) == (row[DIGEST], language)
        ):
            made.rows[name] = (row[SIGNATURE], row[SETTLED], *before[DIGEST:])
            continue
        packed = _flat(data, language) if row[PROBLEM] is None and row[DIGEST] else None
        made.parsed += packed is not None
        if packed is None:
            made.rows[name] = row
            continue
        pending.setdefault(language, []).append((name, row, packed))
        size[language] = size.get(language, 0) + len(data)
        if size[language] >= BLOCK_BYTES:
            _seal(folder, language, pending.pop(language), made)
            size[language] = 0
    for language, rows in pending.items():
        _seal(folder, language, rows, made)
    return made


def _read(path: str, language: str) -> tuple[Row, bytes] | None:
    seen = look(path)
    when = time.time_ns()
    if seen is not None and seen[SIZE] > LARGEST:
        return (seen, settled(seen, when), b"", language, "", 0, None), b""
    data = read_file(path)
    if seen is None or look(path) != seen:
        return None
    if not isinstance(data, bytes):
        if data.reason not in NOT_TEXT:
            return None
        return (seen, settled(seen, when), b"", language, "", 0, (data.reason, data.detail)), b""
    if len(data) != seen[SIZE]:
        return None
    return (seen, settled(seen, when), digest_of(data), language, "", 0, None), data


def _flat(data: bytes, language: str) -> Flat | None:
    try:
        return flat(parse(data, language))
    except StructuralError:
        return None  # whoever searches it will be told
    except Exception:
        return None


def _seal(folder: str, language: str, rows: list[tuple[str, Row, Flat]], made: Made) -> None:
    data = encode(language, [packed for _, _, packed in rows])
    name = blake2b(data, digest_size=16).hexdigest()
    write(os.path.join(folder, BLOCKS, name), data)  # also where it is: that one may be damaged
    made.blocks[name] = (language, len(rows), sum(len(packed.source) for _, _, packed in rows), len(data))
    for slot, (of, row, _) in enumerate(rows):
        made.rows[of] = (*row[:BLOCK], name, slot, None)
