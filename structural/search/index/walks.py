"""Walks between processes: what a search looked at to find its files, and what it found.

A walk is kept for a selection, the current folder and what else decides what a walk finds.  Its
trail says whether it would find the same today, so nothing here has to be believed.
"""

from __future__ import annotations

import marshal
import os
from hashlib import blake2b
from typing import Any

import zstandard

from structural.search.index.folder import WALKS, drop_oldest, write
from structural.search.memory import Languages, Walked
from structural.search.plan import Found
from structural.search.trail import Trail
from structural.search.values import Skipped
from structural.search.walk import Walk

MOST = 8
"""Walks of a tree that are kept; those that were written first go."""

_VERSION = b"structural walk 1\n"


def load(folder: str, key: bytes) -> Walked | None:
    """The walk that was kept for *key*; None if there is none, or it cannot be read."""
    try:
        with open(_path(folder, key), "rb") as file:
            data = file.read()
        begin = len(_VERSION) + 16
        packed = data[begin:]
        if not data.startswith(_VERSION) or data[len(_VERSION) : begin] != _digest(key + packed):
            return None
        told: dict[str, Any] = marshal.loads(zstandard.ZstdDecompressor().decompress(packed))
    except (OSError, ValueError, EOFError, TypeError, zstandard.ZstdError):
        return None
    files, named, ignored, hidden, links, skipped, digest = told["walk"]
    walk = Walk(files, frozenset(named), ignored, hidden, links, [Skipped(*one) for one in skipped])
    trail = Trail(**told["trail"])
    found = Walked(walk, trail, digest, 0)
    for asked, max_size, hosts, wanted, looked, seen, sure, own in told["languages"]:
        pairs = list(zip(files, hosts, strict=True))
        of = Found(pairs, frozenset(host for host in hosts if host), wanted, looked)
        found.languages[(asked, max_size)] = Languages(of, seen, sure, own)
    return found


def save(folder: str, key: bytes, made: Walked) -> None:
    """Keep a walk; OSError if that fails."""
    walk, trail = made.walk, made.trail
    assert trail is not None
    skipped = [(one.path, one.reason, one.detail) for one in walk.skipped]
    told = {
        "walk": (walk.files, sorted(walk.named), walk.ignored, walk.hidden, walk.links, skipped, made.digest),
        "trail": {name: getattr(trail, name) for name in Trail.__dataclass_fields__},
        "languages": [(*key, *_told(of)) for key, of in list(made.languages.items())[-4:]],
    }
    packed = zstandard.ZstdCompressor(level=1).compress(marshal.dumps(told, 4))
    path = _path(folder, key)
    there = os.path.exists(path)
    write(path, _VERSION + _digest(key + packed) + packed, sync=False)
    if not there:
        drop_oldest(os.path.dirname(path), MOST)


def _told(of: Languages) -> tuple[object, ...]:
    found = of.found
    return [host for _, host in found.files], found.wanted, found.looked, of.seen, of.sure, of.digest


def _path(folder: str, key: bytes) -> str:
    return os.path.join(folder, WALKS, blake2b(key, digest_size=12).hexdigest())


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
