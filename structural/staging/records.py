"""A staged change as bytes and back: the formats of the files in a change's folder.

A change is three files.  ``change.json`` has everything but long texts.  ``before.N``
has the bytes of the files before, one after the other; ``after.N`` has the new bytes of
the edits, each different one once.  The JSON points into both with an offset and a
length.  ``docs/staging.md`` is the description for people.

Pure: no files here.  Nothing read from disk is believed: a broken record is a StoreError.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from structural.errors import StoreError
from structural.staging.paths import Misplaced, check_path
from structural.staging.values import (
    Action,
    Committed,
    CommittedFile,
    FileChange,
    Refused,
    Site,
    StagedChange,
    State,
)
from structural.text import Edit, Span

FORMAT = 1
"""The version of everything in the store.  A reader refuses a greater one."""

Place = tuple[int, int]
"""Offset and length in a file of texts, in bytes."""


@dataclass(slots=True)
class Texts:
    """New bytes of edits, each different one once, as they will lie in a file."""

    data: bytearray = field(default_factory=bytearray)
    _places: dict[bytes, Place] = field(default_factory=dict)

    def place(self, text: bytes) -> Place:
        """Where *text* lies; it is added if it is new."""
        known = self._places.get(text)
        if known is None:
            known = self._places[text] = (len(self.data), len(text))
            self.data += text
        return known


@dataclass(frozen=True, slots=True)
class Record:
    """A change with the places of its texts: what a change's folder holds."""

    change: StagedChange
    last: int
    """The greatest number that a site ever had."""
    generation: int
    """Which ``before.N`` and ``after.N`` belong to it."""
    places: Mapping[str, Place]
    """Path → its bytes before in ``before.N``; not of new files."""


@dataclass(frozen=True, slots=True)
class Status:
    """The small file of a change that says where it stands; replaced at every step of its life."""

    id: str
    state: State
    created: datetime
    closed: datetime | None = None
    sequence: int = 0
    undoes: str | None = None
    undone_by: str | None = None
    reverts: bool = False
    """Whether it is an undo; an undo of an undo is none."""
    files: tuple[CommittedFile, ...] = ()
    folders: tuple[str, ...] = ()
    """Folders that the commit made, outermost first."""
    origin: Mapping[str, Any] = field(default_factory=dict)

    def committed(self) -> Committed:
        """As an entry of the history."""
        return Committed(
            self.id,
            self.state,
            self.closed or self.created,
            self.files,
            self.sequence,
            undoes=self.undoes,
            undone_by=self.undone_by,
            undoable=self.state is State.COMMITTED,
            origin=self.origin,
        )


def encode_change(record: Record, texts: Texts) -> bytes:
    """``change.json``; the new bytes are put into *texts*."""
    change = record.change
    value = {
        "format": FORMAT,
        "id": change.id,
        "created": change.created.isoformat(),
        "generation": record.generation,
        "last": record.last,
        "flags": list(change.flags),
        "unchanged": change.unchanged,
        "dropped": list(change.dropped),
        "origin": dict(change.origin),
        "notes": dict(change.notes),
        "refused": [[r.path, r.start, r.end, r.line, r.reason] for r in change.refused],
        "files": [_encode_file(file, record.places.get(file.path), texts) for file in change.files],
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode_change(value: Mapping[str, Any], after: bytes, status: Status) -> Record:
    """The record in a ``change.json``, as ``loaded``; *after* are the bytes of its ``after.N``."""
    try:
        files = tuple(_decode_file(entry, after) for entry in value["files"])
        change = StagedChange(
            id=value["id"],
            state=status.state,
            created=datetime.fromisoformat(value["created"]),
            files=files,
            refused=tuple(Refused(*row) for row in value["refused"]),
            origin=value["origin"],
            notes=value["notes"],
            flags=tuple(value["flags"]),
            unchanged=value["unchanged"],
            dropped=tuple(value["dropped"]),
            closed=status.closed,
        )
        places = {
            entry["path"]: (int(entry["at"][0]), int(entry["at"][1]))
            for entry in value["files"]
            if entry["at"] is not None
        }
        return Record(change, value["last"], value["generation"], places)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _damaged(error) from error


def generation_of(value: Mapping[str, Any]) -> int:
    """Which ``after.N`` a ``change.json``, as ``loaded``, needs."""
    try:
        return int(value["generation"])
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(error) from error


def encode_status(status: Status) -> bytes:
    """``state.json``."""
    value = {
        "format": FORMAT,
        "id": status.id,
        "state": status.state.value,
        "created": status.created.isoformat(),
        "closed": status.closed.isoformat() if status.closed else None,
        "sequence": status.sequence,
        "undoes": status.undoes,
        "undone_by": status.undone_by,
        "reverts": status.reverts,
        "files": [[f.path, f.action.value, f.before, f.after] for f in status.files],
        "folders": list(status.folders),
        "origin": dict(status.origin),
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode_status(data: bytes) -> Status:
    """The status in ``state.json`` *data*."""
    value = loaded(data)
    try:
        for folder in value["folders"]:
            check_path(folder)
        return Status(
            id=value["id"],
            state=State(value["state"]),
            created=datetime.fromisoformat(value["created"]),
            closed=datetime.fromisoformat(value["closed"]) if value["closed"] else None,
            sequence=value["sequence"],
            undoes=value["undoes"],
            undone_by=value["undone_by"],
            reverts=value["reverts"],
            files=tuple(CommittedFile(row[0], Action(row[1]), row[2], row[3]) for row in value["files"]),
            folders=tuple(value["folders"]),
            origin=value["origin"],
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _damaged(error) from error


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def closed(status: Status, state: State, **fields: Any) -> Status:
    """*status* in its last *state*, with the time."""
    return replace(status, state=state, closed=now(), **fields)


def _encode_file(file: FileChange, at: Place | None, texts: Texts) -> dict[str, Any]:
    place = texts.place
    return {
        "path": file.path,
        "action": file.action.value,
        "before": file.before,
        "after": file.after,
        "executable": file.executable,
        "at": at,
        "sites": [
            [
                site.number,
                site.line,
                site.span.start,
                site.span.end,
                site.count,
                site.title,
                [[edit.span.start, edit.span.end, *place(edit.new)] for edit in site.edits],
            ]
            for site in file.sites
        ],
    }


def _decode_file(entry: Mapping[str, Any], after: bytes) -> FileChange:
    check_path(entry["path"])
    known: dict[Place, bytes] = {}

    def text(offset: int, length: int) -> bytes:
        found = known.get((offset, length))
        if found is None:
            found = known[offset, length] = after[offset : offset + length]
            if len(found) != length or offset < 0:
                raise ValueError("a text is missing")
        return found

    return FileChange(
        entry["path"],
        Action(entry["action"]),
        entry["before"],
        entry["after"],
        tuple(
            Site(
                number,
                tuple(Edit(Span(first, last), text(offset, size)) for first, last, offset, size in edits),
                Span(start, end),
                line,
                count,
                title,
            )
            for number, line, start, end, count, title, edits in entry["sites"]
        ),
        entry["executable"],
    )


def loaded(data: bytes) -> dict[str, Any]:
    """The JSON of a file of the store.  StoreError if it is damaged or of a newer version."""
    try:
        value = json.loads(data)
        version = int(value["format"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(error) from error
    check_version(version)
    assert isinstance(value, dict)
    return value


def check_version(version: int) -> None:
    """StoreError if a newer program wrote this."""
    if version > FORMAT:
        raise StoreError(
            f"the store is of version {version}; this program knows {FORMAT}",
            hint="use a newer version of it",
        )


def _damaged(error: Exception) -> StoreError:
    what = str(error) if isinstance(error, Misplaced) else f"{type(error).__name__}: {error}"
    return StoreError(f"a record in the store is damaged ({what}); nothing was changed")
