"""What a long-lived process keeps between scans: compiled rules, and what was found in files.

A file's answer holds as long as the file has the signature that it had before it was read, and that was
settled (``search.freshness``).  What decides an answer beside the file is in the digest that all is kept
under: rules, severities, and how the configuration has findings told.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from structural.rules.packed import packed
from structural.rules.terms import RuleSet
from structural.rules.values import Problem
from structural.search.freshness import Seen, look_at_all, settled
from structural.workflow.scanning.frozen import thawed
from structural.workflow.scanning.rulebook import Rulebook, compiled
from structural.workflow.scanning.settings import Settings
from structural.workflow.scanning.values import FileAnswer, Scanned

LIMIT = 60_000_000
"""Bytes that are kept at most of answers, if nothing else is said."""

_SETS = 8
"""Sets of compiled rules that are kept."""

_FINDING, _FILE = 1_500, 600
"""About the bytes of a finding, and of a file beside its source."""


class Remembered:
    """Answers and compiled rules of earlier scans; threads may share it."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._weight = 0
        self._answers: OrderedDict[tuple[str, str], tuple[Seen, int, Scanned]] = OrderedDict()
        self._rules: OrderedDict[tuple[str, ...], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def compiled(self, book: Rulebook, languages: Iterable[str]) -> tuple[RuleSet, tuple[Problem, ...]]:
        """The rules of *book* for *languages*.  Every call has its own, as searches write in them."""
        wanted = sorted(languages)
        key = (book.digest, *wanted)
        with self._lock:
            data = self._rules.get(key)
        known = thawed(data) if data is not None else None
        made = known or compiled(book, wanted)
        with self._lock:
            if known is None:
                self._rules[key] = packed(made)
            self._rules.move_to_end(key)
            while len(self._rules) > _SETS:
                self._rules.popitem(last=False)
        return made

    def view(self, book: Rulebook, settings: Settings, files: Sequence[str], about: object) -> View:
        """What is known of *files*; *about* is what else decides their answers."""
        made = hashlib.blake2b(digest_size=16)
        told = [(rule.id, rule.severity.value) for rule in book.rules]
        said = (settings.folder, settings.dialect, settings.unused.value, settings.require_reason)
        more = (sorted(settings.languages.items()), sorted(book.known), book.whole, about)
        made.update(repr((book.digest, told, said, more)).encode("utf-8", "surrogatepass"))
        return View(self, made.hexdigest(), files)

    def get(self, key: str, path: str, seen: Seen) -> Scanned | None:
        with self._lock:
            known = self._answers.get((key, path))
            if known is None or known[0] != seen:
                return None
            self._answers.move_to_end((key, path))
            return known[2]

    def put(self, key: str, path: str, seen: Seen, answer: Scanned) -> None:
        weight = _FILE + len(answer.source or b"") + _FINDING * len(answer.findings)
        if weight > self._limit // 4:
            return
        with self._lock:
            before = self._answers.pop((key, path), None)
            self._weight += weight - (before[1] if before else 0)
            self._answers[key, path] = seen, weight, answer
            while self._weight > self._limit:
                _, (_, gone, _) = self._answers.popitem(last=False)
                self._weight -= gone


class View:
    """What is known of the files of one scan.  Make it before any of them is read."""

    def __init__(self, memory: Remembered, key: str, files: Sequence[str]) -> None:
        self._memory, self._key, self._files = memory, key, files
        self._seen = look_at_all(files)
        self._when = time.time_ns()

    def known(self) -> dict[int, Scanned]:
        """Number of a file → its answer."""
        found: dict[int, Scanned] = {}
        for at, (path, seen) in enumerate(zip(self._files, self._seen, strict=True)):
            answer = self._memory.get(self._key, path, seen) if seen is not None else None
            if answer is not None:
                found[at] = answer
        return found

    def keep(self, at: int, answer: FileAnswer) -> None:
        """Keep the answer of file number *at*, if it is sure to hold."""
        seen = self._seen[at]
        if isinstance(answer, Scanned) and seen is not None and settled(seen, self._when):
            self._memory.put(self._key, self._files[at], seen, answer)
