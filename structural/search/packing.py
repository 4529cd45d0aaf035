"""Searching as work for a pool: answers and matches as plain tuples, for the pipe, and back.

A value of a dataclass costs twenty times as much to pickle as a tuple of numbers,
and a search can find hundreds of thousands of matches.  Nothing is left out:
``unpack(pack(matches)) == matches``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from structural.pattern.values import Binding, Match
from structural.search.near import Tally
from structural.search.values import Failed, FileResult, Searched, Skipped
from structural.search.work import add_languages
from structural.search.worker import Choice, Task, near_file, search_file
from structural.syntax.language import Language
from structural.text import Span

Answer = FileResult | Tally
"""What a worker has to say of one file."""

Packed = tuple[tuple[object, ...], ...]

How = tuple[Choice, bool]
"""The readings in use, and whether near misses are looked for instead of matches."""


@dataclass(frozen=True, slots=True)
class Searching:
    """A search, as ``work.Work`` and ``shard.Spread``."""

    task: Task

    def prepare(self) -> None:
        add_languages(self.task.languages)

    def do(self, at: int, how: How) -> Answer:
        choice, near = how
        return near_file(self.task, at, choice) if near else search_file(self.task, at, choice)

    def lost(self, at: int, how: How, why: str) -> Answer:
        return {} if how[1] else Failed(self.task.files[at], f"the process that searched it died ({why})")

    def pack(self, answers: list[Answer]) -> list[object]:
        return pack_answers(self.task, answers)

    def unpack(self, files: Iterable[int], packed: list[Any]) -> list[Answer]:
        return unpack_answers(self.task, files, packed)

    @property
    def languages(self) -> tuple[Language, ...]:
        return self.task.languages

    def path(self, at: int) -> str:
        return self.task.files[at]

    def part(self, files: Sequence[int], folder: str) -> Searching:
        task = self.task
        hosts = [task.hosts[at] for at in files]
        serving = {host: task.serving[host] for host in sorted(set(hosts))}
        needed = {name for names in serving.values() for name in names}
        patterns = {name: pattern for name, pattern in task.patterns.items() if name in needed}
        paths = [task.files[at] for at in files]
        return Searching(
            Task(paths, hosts, serving, patterns, task.max_size, task.languages, task.further, folder)
        )

    def unseen(self, at: int, how: How, why: str) -> Answer:
        return {} if how[1] else Skipped(self.task.files[at], "unreadable", why)


def pack_answers(task: Task, answers: Iterable[Answer]) -> list[object]:
    """Answers for the pipe.  What the other side knows, path and language, is not sent."""
    further = task.further
    return [
        (
            pack(answer.matches),
            further.pack(answer.made) if further is not None and answer.made is not None else None,
            answer.source,
            answer.syntax_errors,
            answer.parsed,
            answer.size,
            answer.exhausted,
        )
        if isinstance(answer, Searched)
        else answer
        for answer in answers
    ]


def unpack_answers(task: Task, files: Iterable[int], packed: list[Any]) -> list[Answer]:
    """The answers that ``pack_answers`` was given, for these *files*."""
    return [
        _searched(task, at, *answer) if isinstance(answer, tuple) else answer
        for at, answer in zip(files, packed, strict=True)
    ]


def _searched(task: Task, at: int, matches: Packed, made: object, source: Any, *rest: Any) -> Searched:
    if made is not None and task.further is not None:
        made = task.further.unpack(source, made)
    errors, parsed, size, exhausted = rest
    return Searched(
        task.files[at], task.hosts[at], unpack(matches), source, errors, parsed, size, exhausted, made
    )


def pack(matches: tuple[Match, ...]) -> Packed:
    """*matches* as tuples of numbers and texts."""
    return tuple(
        (
            match.span.start,
            match.span.end,
            match.kind,
            match.language,
            match.reading,
            match.lead,
            match.equivalences,
            tuple(
                (
                    binding.name,
                    binding.span.start,
                    binding.span.end,
                    binding.ellipsis,
                    # One node is its own only part, which needs no second copy.
                    None
                    if binding.parts == (binding.span,)
                    else tuple((part.start, part.end) for part in binding.parts),
                )
                for binding in match.bindings
            ),
        )
        for match in matches
    )


def unpack(packed: Packed) -> tuple[Match, ...]:
    """The matches that ``pack`` was given."""
    found = []
    for start, end, kind, language, reading, lead, equivalences, bindings in packed:
        made = tuple(_binding(*binding) for binding in bindings)  # type: ignore[attr-defined]
        found.append(
            Match(Span(start, end), kind, language, reading, made, equivalences, lead)  # type: ignore[arg-type]
        )
    return tuple(found)


def _binding(
    name: str, start: int, end: int, ellipsis: bool, parts: tuple[tuple[int, int], ...] | None
) -> Binding:
    span = Span(start, end)
    inner = (span,) if parts is None else tuple(Span(*part) for part in parts)
    return Binding(name, span, inner, ellipsis)
