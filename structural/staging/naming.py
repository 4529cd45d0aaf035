"""Ids: those of new changes, which change a name means, and errors that list those it could mean.

An id is drawn from what the change is, so the same change of the same tree gets the same id on
every machine.  Only reads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from structural.errors import UnknownChangeError
from structural.staging.records import Head, Status
from structural.staging.shelf import Shelf
from structural.staging.values import Damaged, FileChange, State

_LETTERS = "bcdfghjkmnpqrstvwxz"
"""No vowels, so that an id is no word; no digits, so that it is no number."""

_LENGTH = 6


def seed_of(files: Sequence[FileChange], origin: Mapping[str, Any]) -> bytes:
    """What the id of a change of these files is drawn from."""
    made = hashlib.blake2b(json.dumps(origin, sort_keys=True, default=str).encode(), digest_size=16)
    for file in files:
        made.update(f"\0{file.path}\0{file.before}\0{file.after}".encode())
    return made.digest()


def names_from(seed: bytes) -> Iterator[str]:
    """The ids that a change may get, in the order in which they are tried."""
    for number in count():
        rest = int.from_bytes(hashlib.blake2b(seed + b"%d" % number, digest_size=8).digest(), "big")
        letters = []
        for _ in range(_LENGTH):
            rest, at = divmod(rest, len(_LETTERS))
            letters.append(_LETTERS[at])
        yield "".join(letters)


def free_id(shelf: Shelf, seed: bytes) -> str:
    """The first of these ids that nothing has."""
    return next(name for name in names_from(seed) if shelf.is_free(name))


def find(shelf: Shelf, name: str) -> Status:
    """The change of this id, or of the only id that begins so: of the open ones, else of all.
    DamagedError if it is one of which the store cannot tell where it stands."""
    if name in shelf.names():
        return shelf.status(name)
    heads, damaged = shelf.heads()
    every = [*(head.id for head in heads), *(one.id for one in damaged)]
    open_ones = [head.id for head in heads if head.state is State.OPEN]
    open_ones += [one.id for one in damaged if one.maybe_open]
    fitting = sorted(one for one in every if name and one.startswith(name))
    narrowed = [one for one in fitting if one in set(open_ones)] or fitting
    if len(narrowed) > 1:
        raise UnknownChangeError(
            f"{len(narrowed)} changes begin with {name}: {', '.join(narrowed)}; nothing was changed",
            hint="give more of the id",
            known=tuple(narrowed),
        )
    if not narrowed:
        raise unknown(shelf, name)
    return shelf.status(narrowed[0])


def unknown(shelf: Shelf, name: str) -> UnknownChangeError:
    """The error for a name that means nothing."""
    ids = _open(shelf.heads()[0])
    what = f"there is no staged change {name}" if name else "there is no staged change"
    return UnknownChangeError(f"{what}; nothing was changed", hint=_open_hint(ids), known=ids)


def refuse_discarded(shelf: Shelf, status: Status) -> None:
    """UnknownChangeError if the change was discarded."""
    if status.state is State.DISCARDED:
        ids = _open(shelf.heads()[0])
        raise UnknownChangeError(
            f"{status.id} was discarded; nothing was changed", hint=_open_hint(ids), known=ids
        )


def only_open(shelf: Shelf) -> str:
    """The id of the only open change."""
    heads, damaged = shelf.heads()
    ids = _open(heads)
    unsure = [one for one in damaged if one.maybe_open]
    if unsure:
        raise UnknownChangeError(
            f"which change is the only open one cannot be told, as {_named(unsure)}; nothing was changed",
            hint=f"{_open_hint(ids)}; `astedit drop {unsure[0].id}` forgets the damaged one",
            known=ids,
        )
    if len(ids) != 1:
        what = "several changes are open" if ids else "no change is open"
        raise UnknownChangeError(f"{what}; nothing was changed", hint=_open_hint(ids), known=ids)
    return ids[0]


def last_committed(shelf: Shelf) -> Status:
    """The last change that is in the tree and is no undo."""
    heads, damaged = shelf.heads()
    unsure = [one for one in damaged if one.maybe_committed]
    if unsure:
        raise UnknownChangeError(
            f"which commit is the last cannot be told, as {_named(unsure)}; nothing was changed",
            hint="name the change: `astedit log` lists what was committed",
        )
    found = [head for head in heads if head.state is State.COMMITTED and not head.reverts]
    if not found:
        raise UnknownChangeError("there is nothing to undo; nothing was changed", hint=_redo_hint(heads))
    return shelf.status(max(found, key=lambda head: head.sequence).id)


def redo_hint(undo: str) -> str:
    """How to do again what the change *undo* took back."""
    return f"`astedit undo {undo}` does it again"


def _redo_hint(heads: Sequence[Head]) -> str:
    undone = [head for head in heads if head.state is State.COMMITTED and head.undoes]
    if not undone:
        return ""
    last = max(undone, key=lambda head: head.sequence)
    return f"the last that happened is that {last.undoes} was taken back: {redo_hint(last.id)}"


def _named(damaged: list[Damaged]) -> str:
    first = damaged[0]
    more = f" (and {len(damaged) - 1} more)" if len(damaged) > 1 else ""
    return f"{first.id} is damaged{more}: {first.path} {first.why}"


def _open(heads: Sequence[Head]) -> tuple[str, ...]:
    """The ids of the open changes, oldest first."""
    found = [head for head in heads if head.state is State.OPEN]
    return tuple(head.id for head in sorted(found, key=lambda head: (head.created, head.id)))


def _open_hint(ids: tuple[str, ...]) -> str:
    return f"open: {', '.join(ids)}" if ids else "stage one first"
