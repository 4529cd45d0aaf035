"""How the lines of a text end, and texts brought to the endings of another.

A line ends at ``\\n``; ``\\r\\n`` is the other way to end it, and a ``\\r`` alone ends none.
Pure: bytes in, bytes out.
"""

from __future__ import annotations

import re

LF, CRLF = b"\n", b"\r\n"
BOM = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, which some editors write before a text."""

_BARE = re.compile(rb"(?<!\r)\n")


def ending_of(text: bytes) -> bytes | None:
    """``LF`` or ``CRLF``, if all lines of *text* end so; None where there are both or none."""
    all_of_them = text.count(LF)
    windows = text.count(CRLF)
    if not all_of_them or windows not in (0, all_of_them):
        return None
    return CRLF if windows else LF


def ending_at(text: bytes, start: int, end: int) -> bytes:
    """How a line ends that stands at these bytes: as the first one there, else the next one, else
    the one before; ``LF`` where there is none."""
    at = text.find(LF, start)
    if at < 0:
        at = text.rfind(LF, 0, start)
    return CRLF if at > 0 and text[at - 1] == 0x0D else LF


def bare_to(text: bytes, ending: bytes) -> bytes:
    """*text* with *ending* for every ``\\n`` that has no ``\\r`` before it."""
    return text if ending == LF else _BARE.sub(CRLF, text)


def all_to(text: bytes, ending: bytes) -> bytes:
    """*text* with every line ending as *ending*."""
    plain = text.replace(CRLF, LF)
    return plain if ending == LF else plain.replace(LF, CRLF)


def content(line: bytes) -> bytes:
    """A line without its ending."""
    return line.removesuffix(LF).removesuffix(b"\r") if line.endswith(LF) else line


def split(text: bytes) -> list[bytes]:
    """The lines without their endings; what is behind the last ending counts if it is not empty."""
    lines = [line.removesuffix(b"\r") for line in text.split(LF)]
    if text.endswith(b"\r"):
        lines[-1] += b"\r"  # ends no line
    if not lines[-1]:
        lines.pop()
    return lines
