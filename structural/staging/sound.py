"""JSON of the store that is whole, or told as damaged.

A record ends with the digest of all before it (``seal``), so that one flipped byte is
noticed wherever it is; one without it, from before there was such a thing or edited by
hand, is taken as it is.  What is read is still not believed: every value has the type
and the range that it should have, or the record is ``Unsound``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from structural.text import digest

FORMAT = 1
"""The version of everything in the store.  A reader refuses a greater one."""

_SEAL = re.compile(rb',"seal":"([0-9a-f]{64})"\}\s*\Z')
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ID = re.compile(r"[a-z0-9-]{4,40}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST = 1 << 62


class Unsound(ValueError):  # noqa: N818 - a reason, which the caller puts into an error
    """A record that is damaged; the message goes on from its name, as ``is no JSON``."""


class Missing(Unsound):
    """The texts that a record points to are not there; the message goes on from their file."""


def sealed(value: Mapping[str, Any]) -> bytes:
    """The bytes of a record."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return text[:-1] + b',"seal":"' + digest(text).encode() + b'"}\n'


def opened(data: bytes) -> dict[str, Any]:
    """The record in *data*.  ``Unsound`` if it is not whole, or of another version."""
    if not data.strip(b"\0\n "):
        raise Unsound("is empty")
    seal = _SEAL.search(data)
    if seal and digest(data[: seal.start()] + b"}").encode() != seal[1]:
        raise Unsound("was altered: it does not fit its digest")
    try:
        value = json.loads(data)
        if _HALF.search(data):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Unsound(f"is no JSON ({_first_line(error)})") from None
    if not isinstance(value, dict):
        raise Unsound("is no JSON object")
    version = value.get("format")
    if type(version) is not int or version < 1:
        raise Unsound(f"has no version: its format is {_short(version)}")
    if version > FORMAT:
        raise Unsound(f"is of version {version}, and this program knows {FORMAT}")
    return value


def whole(value: Any, least: int = 0) -> int:
    """A whole number, not less than *least*."""
    if type(value) is not int or not least <= value < _MOST:
        raise Unsound(f"has {_short(value)} where a number should be")
    return value


def wholes(values: Sequence[Any]) -> None:
    """Make sure that *values* are whole numbers, none less than zero."""
    if values and not (set(map(type, values)) == {int} and min(values) >= 0 and max(values) < _MOST):
        for value in values:
            whole(value)


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise Unsound(f"has {_short(value)} where a text should be")
    return value


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Unsound(f"has {_short(value)} where true or false should be")
    return value


def rows(value: Any) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise Unsound(f"has {_short(value)} where a list should be")
    return value


def table(value: Any) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise Unsound(f"has {_short(value)} where an object should be")
    return value


def is_id(name: str) -> bool:
    """Whether *name* can be that of a change."""
    return bool(_ID.fullmatch(name))


def identity(value: Any) -> str:
    """The id of a change."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise Unsound(f"has {_short(value)} where an id should be")
    return value


def maybe_digest(value: Any) -> str | None:
    """A digest, or none for no file."""
    if value is not None and not (isinstance(value, str) and _DIGEST.fullmatch(value)):
        raise Unsound(f"has {_short(value)} where a digest should be")
    return value


def moment(value: Any) -> datetime:
    """A time with its zone."""
    try:
        found = datetime.fromisoformat(text(value))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise Unsound(f"has {_short(value)} where a time should be")
    return found


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:39] + "…"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
