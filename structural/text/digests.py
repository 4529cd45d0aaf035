"""Digests: by which it is known that a file is still what it was."""

from __future__ import annotations

Digest = str
"""SHA-256 of a file's bytes, as 64 hexadecimal digits."""


def digest(content: bytes) -> Digest:
    """The digest of *content*."""
    import hashlib  # a search, which needs none, waits for no library of ciphers

    return hashlib.sha256(content).hexdigest()
