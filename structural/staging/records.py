"""A staged change as bytes and back: the formats of the files in a change's folder.

A change is three files.  ``change.json`` has everything but long texts.  ``before.N``
has the bytes of the files before, one after the other; ``after.N`` has the new bytes of
the edits, each different one once.  The JSON points into both with an offset and a
length.  ``docs/staging.md`` is the description for people.

Pure: no files here.  Nothing read from disk is believed: a broken record is ``Unsound``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from structural.staging.paths import Misplaced, check_path
from structural.staging.sound import (
    FORMAT,
    Missing,
    Unsound,
    flag,
    identity,
    maybe_digest,
    moment,
    opened,
    rows,
    sealed,
    table,
    text,
    whole,
    wholes,
)
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
from structural.text import Edit, Span, digest
from structural.text.edits import checked

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
class Head:
    """Where a change stands, without its files: all that is needed to find one among many."""

    id: str
    state: State
    created: datetime
    closed: datetime | None = None
    sequence: int = 0
    undoes: str | None = None
    undone_by: str | None = None
    reverts: bool = False
    """Whether it is an undo; an undo of an undo is none."""


@dataclass(frozen=True, slots=True)
class Status(Head):
    """The small file of a change that says where it stands; replaced at every step of its life."""

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
    files = [_encode_file(file, record.places.get(file.path), texts) for file in change.files]
    return sealed(
        {
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
            "files": files,
            "texts": digest(bytes(texts.data)),
        }
    )


def decode_change(value: Mapping[str, Any], after: bytes, status: Status) -> Record:
    """The record in a ``change.json``, as ``opened``; *after* are the bytes of its ``after.N``, of which
    ``Missing`` tells."""
    try:
        if value["id"] != status.id:
            raise Unsound(f"is of another change, {value['id']!r}")
        if value.get("texts", digest(after)) != digest(after):
            raise Missing("was altered: it does not fit its digest")
        places: dict[str, Place] = {}
        texts: dict[Place, bytes] = {}
        change = StagedChange(
            id=status.id,
            state=status.state,
            created=moment(value["created"]),
            files=tuple(_decode_file(entry, after, texts, places) for entry in rows(value["files"])),
            refused=tuple(_decode_refused(row) for row in rows(value["refused"])),
            origin=table(value["origin"]),
            notes=table(value["notes"]),
            flags=tuple(text(name) for name in rows(value["flags"])),
            unchanged=whole(value["unchanged"]),
            dropped=tuple(whole(number) for number in rows(value["dropped"])),
            closed=status.closed,
        )
        return Record(change, whole(value["last"]), generation_of(value), places)
    except Exception as error:
        raise _unsound(error) from error


def generation_of(value: Mapping[str, Any]) -> int:
    """Which ``after.N`` a ``change.json``, as ``opened``, needs."""
    return whole(value.get("generation"), 1)


def encode_status(status: Status) -> bytes:
    """``state.json``."""
    return sealed(
        {
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
    )


def decode_head(data: bytes, name: str) -> Head:
    """Where the change *name* stands, by ``state.json`` *data*, whose files are not looked at."""
    value = opened(data)
    try:
        return Head(**_head(value, name))
    except Exception as error:
        raise _unsound(error) from error


def decode_status(data: bytes, name: str) -> Status:
    """The status of the change *name* in ``state.json`` *data*."""
    value = opened(data)
    try:
        folders = [text(folder) for folder in rows(value["folders"])]
        for folder in folders:
            check_path(folder)
        return Status(
            **_head(value, name),
            files=tuple(_decode_committed(row) for row in rows(value["files"])),
            folders=tuple(folders),
            origin=table(value["origin"]),
        )
    except Exception as error:
        raise _unsound(error) from error


def _head(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The fields of a ``Head``."""
    if value["id"] != name:
        raise Unsound(f"is of another change, {value['id']!r}")
    undoes, undone_by, closed_at = value["undoes"], value["undone_by"], value["closed"]
    return {
        "id": identity(name),
        "state": State(value["state"]),
        "created": moment(value["created"]),
        "closed": moment(closed_at) if closed_at is not None else None,
        "sequence": whole(value["sequence"]),
        "undoes": identity(undoes) if undoes is not None else None,
        "undone_by": identity(undone_by) if undone_by is not None else None,
        "reverts": flag(value["reverts"]),
    }


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


def _decode_file(entry: Any, after: bytes, texts: dict[Place, bytes], places: dict[str, Place]) -> FileChange:
    path = text(table(entry)["path"])
    check_path(path)
    action = Action(entry["action"])
    before, wanted = maybe_digest(entry["before"]), maybe_digest(entry["after"])
    if (before is None) != (action is Action.CREATE) or (wanted is None) != (action is Action.DELETE):
        raise Unsound(f"has the wrong digests for {path}")
    length = 0
    if before is not None:
        offset, length = entry["at"]
        places[path] = whole(offset), whole(length)

    sites = _decode_sites(rows(entry["sites"]), after, texts)
    if not sites or (action is Action.MODIFY and not all(site.edits for site in sites)):
        raise Unsound(f"has no edits for {path}")
    checked((edit for site in sites for edit in site.edits), length)
    return FileChange(path, action, before, wanted, sites, flag(entry["executable"]))


def _decode_sites(entries: list[Any], after: bytes, texts: dict[Place, bytes]) -> tuple[Site, ...]:
    """The sites of one file.  Their numbers are checked together, which takes a fraction of the time."""
    numbers: list[Any] = []
    for number, line, start, end, count, _, edits in entries:
        numbers += (number, line, start, end, count)
        for edit in rows(edits):
            numbers += edit
    wholes(numbers)
    return tuple(
        Site(
            whole(number, 1),
            tuple(
                Edit(_span(first, last), _text(after, (offset, size), texts))
                for first, last, offset, size in edits
            ),
            _span(start, end),
            line,
            count,
            text(title),
        )
        for number, line, start, end, count, title, edits in entries
    )


def _text(after: bytes, place: Place, texts: dict[Place, bytes]) -> bytes:
    """The new bytes at *place*, once for all edits that have them."""
    found = texts.get(place)
    if found is None:
        offset, size = place
        found = texts[place] = after[offset : offset + size]
        if len(found) != size:
            raise Missing("ends too early")
    return found


def _span(start: int, end: int) -> Span:
    if end < start:
        raise Unsound(f"has {end} where a number should be that is not less than {start}")
    return Span(start, end)


def _decode_refused(row: Any) -> Refused:
    path, start, end, line, reason = rows(row)
    return Refused(text(path), whole(start), whole(end), whole(line), text(reason))


def _decode_committed(row: Any) -> CommittedFile:
    path, action, before, after = rows(row)
    check_path(text(path))
    return CommittedFile(path, Action(action), maybe_digest(before), maybe_digest(after))


def _unsound(error: Exception) -> Unsound:
    """What is wrong, told on behalf of the record."""
    if isinstance(error, Unsound):
        return error
    if isinstance(error, Misplaced):
        return Unsound(f"names a file that {error}")
    if isinstance(error, KeyError):
        return Unsound(f"has no {error.args[0]}")
    return Unsound(f"does not hold what it should ({type(error).__name__}: {error})")
