"""What was found in a text before, by the digest of the text: in the user's cache folder, bounded.

The key is a digest of all that decides the answer: the text, its language, the rules, the versions of this
program and of the grammars.  So nothing in it is ever wrong, only old, and any of it may be thrown
away.  One SQLite file holds it, which several processes may use at once; one that is damaged is deleted, and
one that cannot be used is done without.  Values are JSON with a check sum, and compiled rules are read by
``frozen``: nothing that is read can run.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from structural.search.caches import cache_folder
from structural.syntax import registry

VERSION = 1

MOST_BYTES = 200_000_000
"""Of all values; beyond it those that were not used for longest go."""

MOST_DAYS = 30
"""What was not used for so long goes."""

MOST_VALUE = 4_000_000
"""A larger value is not kept."""

MOST_RULES = 40_000_000
"""The same of compiled rules."""

_GROWS = 32
"""A value that becomes more than so many times its size when it is opened is not believed."""

_DAY = 86_400

_INHERITED: list[sqlite3.Connection] = []
"""Connections of the process that this one was forked from; here they are only kept from being closed."""

_WAIT = 5.0
"""Seconds that a process waits for another that writes."""


@dataclass(slots=True)
class Cache:
    """The cache of one set of rules.  Pickles; every process has a connection of its own."""

    path: str
    salt: bytes
    """A digest of the program and the rules."""
    languages: tuple[str, ...] = ()
    """Those that the rules are for."""
    choices: tuple[bytes, ...] = ()
    """For every set of rules by which files differ, a digest of it."""
    _connection: sqlite3.Connection | None = None
    _owner: int = 0
    _dead: bool = False
    _hosts: dict[str, bytes] = field(default_factory=dict)

    def __reduce__(self) -> tuple[Any, ...]:
        return Cache, (self.path, self.salt, self.languages, self.choices)

    def choose(self, sets: Sequence[frozenset[str] | None]) -> None:
        """Say by which sets of rules files differ."""
        self.choices = tuple(b"*" if one is None else "\0".join(sorted(one)).encode() for one in sets)

    def key(self, source: bytes, host: str, use: int, *, keys: bool) -> bytes:
        """The key of a text."""
        return _key(self.salt, self._host(host), self.choices[use], b"keys" if keys else b"", source)

    def rules_key(self, languages: Iterable[str]) -> bytes:
        """The key of the rules as they are compiled for *languages*."""
        versions = "\0".join(grammar_versions(sorted(languages)))
        return _key(self.salt, b"rules", versions.encode())

    def _host(self, host: str) -> bytes:
        """What tells that something is read otherwise in files of a language: its grammar, and those of the
        languages that may be in it."""
        known = self._hosts.get(host)
        if known is None:
            inside = {host}
            pending = [host]
            while pending:
                for one in registry.get(pending.pop()).embedded:
                    more = {one.language} if one.language else set(self.languages)
                    pending += more - inside
                    inside |= more
            known = self._hosts[host] = "\0".join([host, *grammar_versions(sorted(inside))]).encode()
        return known

    def get(self, key: bytes) -> Any:
        """What was kept under *key*; None if there is nothing, or nothing that can be read."""
        data = self.get_bytes(key)
        try:
            return None if data is None else json.loads(data)
        except ValueError:
            return None

    def get_bytes(self, key: bytes) -> bytes | None:
        """The same as bytes."""
        connection = self._open(make=False)
        if connection is None:
            return None
        try:
            row = connection.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        except sqlite3.DatabaseError as problem:
            self._trouble(problem)
            return None
        try:
            return None if row is None else _opened(row[0], key)
        except (ValueError, TypeError, zlib.error):
            return None

    @staticmethod
    def value(packed: object) -> bytes:
        """What is kept of *packed*."""
        return zlib.compress(json.dumps(packed, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1)

    def put(self, fresh: Iterable[tuple[bytes, bytes]], most: int = MOST_VALUE) -> None:
        """Keep these, each under its key."""
        today = int(time.time()) // _DAY
        rows = [
            (key, _sum(key, value) + value, len(value), today) for key, value in fresh if len(value) <= most
        ]
        connection = self._open(make=True) if rows else None
        if connection is None:
            return
        try:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", rows)
        except sqlite3.DatabaseError as problem:
            self._trouble(problem)

    def close(self, recalled: Sequence[bytes] = ()) -> None:
        """Note what was of use, throw away what is too old or too much, and let go."""
        connection = self._open(make=False)
        if connection is not None:
            try:
                with connection:
                    self._tidy(connection)
            except sqlite3.DatabaseError as problem:
                self._trouble(problem)
        self._let_go()

    def touch(self, keys: Sequence[bytes]) -> None:
        """Note that these were of use today."""
        connection = self._open(make=False) if keys else None
        if connection is None:
            return
        today = int(time.time()) // _DAY
        try:
            with connection:
                connection.executemany(
                    "UPDATE kept SET day = ? WHERE key = ? AND day < ?", ((today, key, today) for key in keys)
                )
        except sqlite3.DatabaseError as problem:
            self._trouble(problem)

    def _tidy(self, connection: sqlite3.Connection) -> None:
        today = int(time.time()) // _DAY
        connection.execute("DELETE FROM kept WHERE day < ? OR day > ?", (today - MOST_DAYS, today + 1))
        total = connection.execute("SELECT COALESCE(SUM(size), 0) FROM kept").fetchone()[0]
        if total <= MOST_BYTES:
            return
        # A little more than needed, so that not every scan has to do it.
        left, gone = total - MOST_BYTES * 9 // 10, []
        for key, size in connection.execute("SELECT key, size FROM kept ORDER BY day, rowid"):
            if left <= 0:
                break
            gone.append((key,))
            left -= size
        connection.executemany("DELETE FROM kept WHERE key = ?", gone)

    def _open(self, *, make: bool) -> sqlite3.Connection | None:
        if self._dead:
            return None
        if self._connection is not None and self._owner == os.getpid():
            return self._connection
        if self._connection is not None:
            _INHERITED.append(self._connection)  # not ours to close: it is of the process we were forked from
            self._connection = None
        if not make and not os.path.exists(self.path):
            return None
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=_WAIT, check_same_thread=False)
        except (OSError, sqlite3.Error):
            self._dead = True
            return None
        try:
            # A cache may lose what it was told last: nothing waits for the disk.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS kept"
                " (key BLOB PRIMARY KEY, value BLOB NOT NULL, size INTEGER NOT NULL, day INTEGER NOT NULL)"
            )
        except sqlite3.DatabaseError as problem:
            connection.close()
            self._trouble(problem)
            return None
        self._connection, self._owner = connection, os.getpid()
        return connection

    def _trouble(self, problem: sqlite3.DatabaseError) -> None:
        """A file that is no database goes; whatever else it is, this scan does without."""
        self._let_go()
        self._dead = True
        busy = isinstance(problem, sqlite3.OperationalError)
        if busy and "malformed" not in str(problem) and "disk image" not in str(problem):
            return
        for name in (self.path, f"{self.path}-wal", f"{self.path}-shm"):
            with suppress(OSError):
                os.unlink(name)

    def _let_go(self) -> None:
        if self._connection is not None and self._owner == os.getpid():
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None


def cache_of(rules: str, languages: Iterable[str]) -> Cache | None:
    """The cache of the rules with the digest *rules*, which are for *languages*; None for a user without a
    cache folder."""
    folder = cache_folder()
    if folder is None:
        return None
    salt = _key(str(VERSION).encode(), rules.encode(), _program().encode())
    return Cache(os.path.join(folder, f"scan-{VERSION}.sqlite"), salt, tuple(sorted(languages)))


def _key(*parts: bytes) -> bytes:
    made = hashlib.blake2b(digest_size=20)
    for part in parts:
        made.update(len(part).to_bytes(8, "big"))
        made.update(part)
    return made.digest()


def grammar_versions(languages: Iterable[str]) -> Iterable[str]:
    """For every language what tells that its grammar or what is known of it changed."""
    from importlib.metadata import PackageNotFoundError, version

    for name in languages:
        language = registry.get(name)
        source = language.grammar
        yield _stable(language)
        module = source.module or ("tree_sitter_language_pack" if source.pack else "")
        if source.library:
            with suppress(OSError):
                about = os.stat(source.library)
                yield f"{source.library} {about.st_size} {about.st_mtime_ns}"
        elif module:
            try:
                yield f"{module} {version(module.replace('_', '-'))}"
            except PackageNotFoundError:
                yield _signature(module)


def _stable(value: Any) -> str:
    """*value* as a text that is the same in every process: sets have no order of their own."""
    if is_dataclass(value) and not isinstance(value, type):
        return f"({','.join(f'{one.name}={_stable(getattr(value, one.name))}' for one in fields(value))})"
    if isinstance(value, set | frozenset):
        return f"{{{','.join(sorted(map(_stable, value)))}}}"
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{_stable(key)}:{_stable(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_stable, value))}]"
    return repr(value)


def _signature(module: str) -> str:
    """What tells one build of a module from another, where nobody says its version."""
    from importlib.util import find_spec

    with suppress(ImportError, OSError, ValueError):
        spec = find_spec(module)
        if spec is not None and spec.origin:
            about = os.stat(spec.origin)
            return f"{spec.origin} {about.st_size} {about.st_mtime_ns}"
    return module


def _program() -> str:
    """What tells one state of this program from another: its version, and its files, which may change."""
    from structural.workflow import version

    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    made = hashlib.blake2b(digest_size=16)
    made.update(f"{version.VERSION} {sys.version}".encode())
    for top, folders, files in os.walk(package):
        folders[:] = sorted(one for one in folders if one not in ("__pycache__", "_patterns", "cli", "agent"))
        for name in sorted(files):
            if name.endswith(".py"):
                about = os.stat(os.path.join(top, name))
                made.update(f"{name} {about.st_size} {about.st_mtime_ns}\n".encode())
    return made.hexdigest()


def _sum(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, key=key, digest_size=8).digest()


def _opened(row: Any, key: bytes) -> bytes:
    if not isinstance(row, bytes) or _sum(key, row[8:]) != row[:8]:
        raise ValueError("what was kept is damaged")
    opener = zlib.decompressobj()
    data = opener.decompress(row[8:], _GROWS * len(row) + 1_000_000)
    if opener.unconsumed_tail:
        raise ValueError("what was kept is too large")
    return data
