"""Digests: by which it is known that a file is still what it was."""

from __future__ import annotations

import re

Digest = str
"""SHA-256 of a file's bytes, as 64 hexadecimal digits."""

SHORT = 16
"""Digits of a digest where it is shown; they are enough to know a file again."""

_PREFIX = re.compile(r"[0-9a-f]{12,64}\Z")


def digest(content: bytes) -> Digest:
    """The digest of *content*."""
    import hashlib  # a search, which needs none, waits for no library of ciphers

    return hashlib.sha256(content).hexdigest()


def short_digest(full: Digest) -> str:
    """The first ``SHORT`` digits of a digest."""
    return full[:SHORT]


def is_digest_prefix(text: str) -> bool:
    """Whether *text* is a digest or the first 12 digits of one or more; letters may be capitals."""
    return _PREFIX.match(text.lower()) is not None


def digest_fits(prefix: str, full: Digest) -> bool:
    """Whether *prefix* is *full* or begins it, and is long enough to say so."""
    return is_digest_prefix(prefix) and full.startswith(prefix.lower())
