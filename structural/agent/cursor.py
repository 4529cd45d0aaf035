"""Cursors: where an answer that was cut goes on.

A cursor holds no state of the server: a short digest of the call that it belongs to, one of
what that call found, and how much of it was given.  So it outlasts the process, means the
same in another one, and is refused where the call or the tree is another.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from structural.agent.budget import dumps
from structural.errors import UsageError

_FORM = re.compile(r"([0-9a-f]{10})-([0-9a-f]{10})-([0-9]{1,15})")

_BESIDE = {"cursor", "budget"}
"""Arguments that may differ from page to page."""


class CursorError(UsageError):
    """A cursor that is none, belongs to another call, or to files that changed since."""

    code = "cursor"


@dataclass(frozen=True, slots=True)
class Cursor:
    """``offset`` counts what was given, in whatever unit the tool lists."""

    call: str
    state: str
    offset: int

    def __str__(self) -> str:
        return f"{self.call}-{self.state}-{self.offset}"


def key_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """A short digest of a call, whatever page of it is asked for."""
    kept = {name: value for name, value in sorted(arguments.items()) if name not in _BESIDE}
    return short(dumps([tool, kept]).encode("utf-8", "surrogatepass"))


def short(data: bytes) -> str:
    """Ten hexadecimal digits of a digest."""
    return hashlib.blake2b(data, digest_size=5).hexdigest()


def read(text: str, call: str) -> Cursor:
    """The cursor in *text*, which must belong to *call*."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise CursorError(f"{text[:40]!r} is no cursor", hint="give back the cursor of an answer as it is")
    cursor = Cursor(found[1], found[2], int(found[3]))
    if cursor.call != call:
        raise CursorError(
            "this cursor belongs to a call with other arguments",
            hint="repeat the arguments of that call beside its cursor, or leave the cursor out",
        )
    return cursor


def moved() -> CursorError:
    """The error for a cursor into what is no longer there."""
    return CursorError(
        "the files changed since this cursor was given, so what is left is not known",
        hint="call again without the cursor",
    )
