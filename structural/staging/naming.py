"""Which change a name means, and errors that list those it could mean.  Only reads."""

from __future__ import annotations

from structural.errors import UnknownChangeError
from structural.staging.records import Status
from structural.staging.shelf import Shelf
from structural.staging.values import State


def find(shelf: Shelf, name: str) -> Status:
    """The change of this id, or of the only id that begins so: of the open ones, else of all."""
    statuses = shelf.statuses()
    for status in statuses:
        if status.id == name:
            return status
    fitting = [status for status in statuses if name and status.id.startswith(name)]
    narrowed = [status for status in fitting if status.state is State.OPEN] or fitting
    if len(narrowed) > 1:
        ids = tuple(status.id for status in narrowed)
        raise UnknownChangeError(
            f"{len(ids)} changes begin with {name}: {', '.join(ids)}", hint="give more of the id", known=ids
        )
    if not narrowed:
        raise unknown(shelf, name)
    return narrowed[0]


def unknown(shelf: Shelf, name: str) -> UnknownChangeError:
    """The error for a name that means nothing."""
    ids = _open(shelf)
    what = f"there is no staged change {name}" if name else "there is no staged change"
    return UnknownChangeError(f"{what}; nothing was changed", hint=_open_hint(ids), known=ids)


def refuse_discarded(shelf: Shelf, status: Status) -> None:
    """UnknownChangeError if the change was discarded."""
    if status.state is State.DISCARDED:
        ids = _open(shelf)
        raise UnknownChangeError(
            f"{status.id} was discarded; nothing was changed", hint=_open_hint(ids), known=ids
        )


def only_open(shelf: Shelf) -> Status:
    """The only open change."""
    ids = _open(shelf)
    if len(ids) != 1:
        what = "several changes are open" if ids else "no change is open"
        raise UnknownChangeError(f"{what}; nothing was changed", hint=_open_hint(ids), known=ids)
    return shelf.status(ids[0])


def last_committed(shelf: Shelf) -> Status:
    """The last change that is in the tree and is no undo."""
    found = [status for status in shelf.statuses() if status.state is State.COMMITTED and not status.reverts]
    if not found:
        raise UnknownChangeError("there is nothing to undo; nothing was changed")
    return max(found, key=lambda status: status.sequence)


def _open(shelf: Shelf) -> tuple[str, ...]:
    """The ids of the open changes, oldest first."""
    found = [status for status in shelf.statuses() if status.state is State.OPEN]
    return tuple(status.id for status in sorted(found, key=lambda status: (status.created, status.id)))


def _open_hint(ids: tuple[str, ...]) -> str:
    return f"open: {', '.join(ids)}" if ids else "stage one first"
