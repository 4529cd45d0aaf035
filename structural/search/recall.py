"""One search with a memory: which files need no look, and where in the others matches may begin.

Literals are asked of the words of whole blocks, shapes of their columns; the matcher looks at
what both let through.  A file without a place in a block is searched as usual, and the second
time it is parsed whole and its columns are kept.  The answers are those of ``worker``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from structural.errors import UnsearchableError
from structural.pattern.compile import Reading
from structural.pattern.search import Effort, Places, matches, near
from structural.pattern.values import Match
from structural.search.batches import Batch
from structural.search.blocks import AnyBlock, MovedError, UnusableError, bits
from structural.search.freshness import SIZE, Seen
from structural.search.kept import Kept, alive
from structural.search.near import Tally, tally
from structural.search.read import read_file, too_large
from structural.search.source import may_match, rows_are_asked, rows_may_match, search_source
from structural.search.values import Failed, FileResult, Searched, Skipped
from structural.search.worker import Choice, Task, answer_of, describe, near_file, search_file
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.parse import parse

if TYPE_CHECKING:
    from structural.search.memory import Memory

LIGHT_BYTES = 600_000
"""What is parsed rather than looked at as arrays, which a process has to import first."""

LIGHT_NEAR = 150_000
"""The same where whole trees are needed."""

_MOST_SPENT = 50_000
"""Choices taken back in one file from which on it is searched as usual, which may give up sooner."""


class View:
    """What one search knows of its files; ``kept`` and ``seen`` run beside the files of its plan."""

    def __init__(
        self,
        memory: Memory,
        paths: list[str],
        kept: list[Kept | None],
        seen: list[Seen],
        fingerprint: str,
        call: int,
    ) -> None:
        self.fingerprint = fingerprint
        self._memory = memory
        self.paths = paths
        self._kept = kept
        self.seen = seen
        self._call = call
        self._blocks = alive(kept)
        self._batches: dict[tuple[int, int], Batch] = {}
        self._silent_for: tuple[Choice, list[FileResult | None]] | None = None
        self._readings: list[Reading] = []  # so that an id stays that of one of them
        self._masks: dict[tuple[int, int], int] = {}
        self._light = False
        """Whether what the index lets through is so little that it is searched as without one."""
        self._slots: dict[AnyBlock, dict[int, Kept]] = {}
        self._unsure: dict[int, Reading] = {}
        """Files that hold all literals of a reading; whether they hold its rows too was not asked."""

    def warm(self, at: int) -> bool:
        """Whether file number *at* needs no parse."""
        kept = self._kept[at]
        return kept is not None and (kept.place is not None or kept.problem is not None)

    def filling(self, at: int) -> bool:
        """Whether the columns of file number *at* will be kept once it is parsed here."""
        kept = self._kept[at]
        return kept is not None and kept.parses > 0

    def silent(self, task: Task, choice: Choice) -> list[FileResult | None]:
        """For every file its answer, where blocks tell that it lacks a literal; else None."""
        if self._silent_for is not None and self._silent_for[0] == choice:
            return self._silent_for[1]
        files, hosts, max_size = task.files, task.hosts, task.max_size
        plain: dict[str, Reading | None] = {}
        for host in set(hosts):
            readings = task.readings(host, choice)
            embeds = len(readings) > 1 and registry.get(host).embedded
            plain[host] = None if embeds else readings.get(host)
        holding: dict[AnyBlock, str] = {}
        found: list[FileResult | None] = [None] * len(files)
        last, held = None, ""
        left = 0
        for at, kept in enumerate(self._kept):
            place = None if kept is None else kept.place
            if kept is None or place is None:
                continue
            block, slot = place
            if block is not last:
                last = block
                known = holding.get(block)
                if known is None:
                    known = holding[block] = self._held(plain.get(block.language), block)
                held = known
            if not held or hosts[at] != block.language:
                continue  # another search took it for another language
            if held[slot] == "0" and not (max_size and kept.signature[SIZE] > max_size):
                silent = kept.silent
                if silent is None or silent.path != files[at] or silent.language != hosts[at]:
                    silent = self._silent(files[at], hosts[at], kept)
                found[at] = silent
            else:
                left += 0 if kept.exact else kept.size
        self._silent_for = dict(choice), found
        self._light = left <= LIGHT_BYTES and not arrays_are_here()
        return found

    def _held(self, own: Reading | None, block: AnyBlock) -> str:
        """For every file of a block a 1 if it holds the literals, else a 0; empty if that is not told."""
        try:
            mask = self._mask(own, block) if own is not None else -1
        except UnusableError as problem:
            self._lose(block, problem)
            return ""
        return _digits(mask, len(block)) if mask >= 0 else ""

    def _lose(self, block: AnyBlock, problem: UnusableError) -> None:
        """Go on without a block that cannot be used."""
        self._memory.lost(block, problem)
        for at, kept in enumerate(self._kept):
            if kept is not None and kept.place is not None and kept.place[0] is block:
                self._kept[at] = None

    def _lost(self, at: int, problem: UnusableError) -> None:
        """Go on without what is kept of a file, or of its block, as it cannot be used."""
        kept = self._kept[at]
        if not isinstance(problem, MovedError) and kept is not None and kept.place is not None:
            self._lose(kept.place[0], problem)
        self._kept[at] = None

    def end(self) -> None:
        """The search is over: what it parsed can be used by others."""
        self._memory.shelf.seal()

    def source(self, task: Task, at: int) -> bytes | Skipped:
        """The bytes of file number *at*, as ``read_file`` gives them."""
        told = self._told(task, at)
        if told is not None:
            return told
        kept = self._kept[at]
        if kept is None:
            path = task.files[at]
            data, kept = self._memory.read(self.paths[at], self.seen[at], task.max_size, self._call)
            self._kept[at] = kept
            return data if isinstance(data, bytes) else Skipped(path, data.reason, data.detail)
        try:
            return kept.source
        except UnusableError as problem:
            self._lost(at, problem)
            return read_file(task.files[at], task.max_size)

    def _told(self, task: Task, at: int) -> Skipped | None:
        """Why file number *at* is not searched, as far as that is known without reading it."""
        kept = self._kept[at]
        if kept is None:
            return None
        if task.max_size and kept.signature[SIZE] > task.max_size:
            return too_large(task.files[at], kept.signature[SIZE], task.max_size)
        return None if kept.problem is None else Skipped(task.files[at], *kept.problem)

    def size(self, task: Task, at: int) -> int | None:
        """How many bytes file number *at* has; None if it is not known, or cannot be searched."""
        kept = self._kept[at]
        return None if kept is None or self._told(task, at) is not None else kept.size

    # --- one file --------------------------------------------------------------------------------

    def search(self, task: Task, at: int, choice: Choice) -> FileResult:
        """Search file number *at*; answers as ``worker.search_file`` does."""
        path = task.files[at]
        try:
            return self._search(task, at, choice)
        except UnusableError as problem:
            self._lost(at, problem)
            return search_file(task, at, choice)
        except UnsearchableError as problem:
            return Skipped(path, "unsearchable", problem.message)
        except Exception as problem:  # whatever it is, the other files must be searched
            return Failed(path, describe(problem))

    def _search(self, task: Task, at: int, choice: Choice) -> FileResult:
        path, host = task.files[at], task.hosts[at]
        readings = task.readings(host, choice)
        own, kept = readings.get(host), self._kept[at]
        embeds = len(readings) > 1 and bool(registry.get(host).embedded)
        if own is not None and kept is not None and not embeds:
            place = kept.place
            if place is not None and kept.language == host:
                told = self._told(task, at)
                if told is not None:
                    return told
                if self._light and not kept.exact:
                    text = kept.source
                    return answer_of(path, host, text, search_source(text, host, readings))
                return self._from_block(path, host, own, kept, at, *place)
        source = self.source(task, at)
        if isinstance(source, Skipped):
            return source
        kept = self._kept[at]
        if own is None or kept is None or embeds:
            return answer_of(path, host, source, search_source(source, host, readings))
        if kept.parses > 0:
            return self._whole(path, host, own, kept, at)
        found = search_source(source, host, readings)
        kept.parses += found.parsed
        return answer_of(path, host, source, found)

    @property
    def total(self) -> int:
        """Of all files together, as far as they are there."""
        return sum(seen[SIZE] for seen in self.seen if seen is not None)

    def before_near(self, files: list[int]) -> None:
        """Told which files are looked at for near misses."""
        sizes = [seen[SIZE] for at in files if (seen := self.seen[at]) is not None]
        self._light = self._light and sum(sizes) <= LIGHT_NEAR

    def near(self, task: Task, at: int, choice: Choice) -> Tally:
        """The near misses of file number *at*; answers as ``worker.near_file`` does."""
        path, host = task.files[at], task.hosts[at]
        try:
            source = self.source(task, at)
            if isinstance(source, Skipped):
                return {}
            readings = task.readings(host, choice)
            own, columns = readings.get(host), self._columns(at, host, source)
            if own is None or columns is None or (len(readings) > 1 and registry.get(host).embedded):
                return tally(path, source, search_source(source, host, readings, near=True).mismatches)
            return tally(path, source, near(own, columns))
        except UnusableError as problem:
            self._lost(at, problem)
            return near_file(task, at, choice)
        except Exception:
            return {}

    def surely(self, parsed: list[int], most: int) -> list[int]:
        """The first so many of the files *parsed* that would have been parsed without a memory."""
        if not self._unsure:
            return parsed
        found: list[int] = []
        for at in parsed:
            own = self._unsure.get(at)
            kept = self._kept[at]
            if own is None or kept is None or rows_may_match(self._source_of(kept), own):
                found.append(at)
                if len(found) == most:
                    break
        return found

    def _source_of(self, kept: Kept) -> bytes:
        try:
            return kept.source
        except UnusableError:
            return b""

    def matches_also(self, task: Task, at: int, reading: Reading) -> bool:
        """Whether *reading*, of the language of file number *at*, matches in it."""
        source, kept = self.source(task, at), self._kept[at]
        assert isinstance(source, bytes)
        host = task.hosts[at]
        if kept is not None and kept.place is not None and kept.language == host and not self._light:
            try:
                answer = self._from_block(task.files[at], host, reading, kept, at, *kept.place)
                return isinstance(answer, Searched) and bool(answer.matches)
            except UnusableError as problem:
                self._lost(at, problem)
        return bool(search_source(source, host, {host: reading}).matches)

    def lacking(self, task: Task, choice: Choice) -> list[float | None]:
        """For every file the share of literals that it lacks, of the reading of which it lacks least;
        None if blocks do not tell."""
        of_blocks: dict[AnyBlock, list[float]] = {}
        found: list[float | None] = [None] * len(task.files)
        for at, kept in enumerate(self._kept):
            if kept is None or kept.place is None or kept.language != task.hosts[at]:
                continue
            block, slot = kept.place
            shares = of_blocks.get(block)
            if shares is None:
                try:
                    shares = of_blocks[block] = self._shares(task, choice, block)
                except UnusableError as problem:
                    self._lose(block, problem)
                    continue
            found[at] = shares[slot]
        return found

    def _shares(self, task: Task, choice: Choice, block: AnyBlock) -> list[float]:
        least = [1.0] * len(block)
        readings = task.readings(block.language, choice).values()
        told = [reading.literals for reading in readings if reading.literals]
        for literals in told:
            lacks = [0] * len(block)
            for one in literals:
                for slot, holds in enumerate(_digits(self._holding(block, one), len(block))):
                    lacks[slot] += holds == "0"
            least = [min(share, number / len(literals)) for share, number in zip(least, lacks, strict=True)]
        return least if told else [0.0] * len(block)

    def _columns(self, at: int, host: str, source: bytes) -> Columns | None:
        kept = self._kept[at]
        if kept is None or kept.place is None or kept.language != host or (self._light and not kept.exact):
            return None
        block, slot = kept.place
        return block.columns(slot, len(source), source)

    def _whole(self, path: str, host: str, own: Reading, kept: Kept, at: int) -> FileResult:
        """Search a file that is parsed once more, and whole, to be kept."""
        source = kept.source
        if not may_match(source, own) or not rows_may_match(source, own):
            return Searched(path, host, size=len(source))
        columns = parse(source, host)
        effort = Effort()
        found = tuple(matches(own, columns, effort))
        self._memory.shelf.pack(self.paths[at], kept, host, columns)
        return self._answer(path, host, own, columns, found, effort)

    def _from_block(
        self, path: str, host: str, own: Reading, kept: Kept, at: int, block: AnyBlock, slot: int
    ) -> FileResult:
        batch = self._batch(own, block)
        if not batch.holding >> slot & 1:
            return self._silent(path, host, kept)
        known = batch.answers.get(slot)
        if known is not None and known.path == path:
            own.parsed += known.size  # its rows are there, so they need not be looked for
            return known
        if slot in batch.empty:
            return self._nothing(path, host, own, kept, at, block, slot)
        places: Places = [None if one is None else one.get(slot, ()) for one in batch.places]
        number = sum(kept.size if one is None else len(one) for one in places)
        if number:
            source = kept.source
            columns, effort = block.columns(slot, number, source), Effort()
            made = tuple(matches(own, columns, effort, places))
            if made or effort.spent > _MOST_SPENT:
                own.parsed += len(source)
                answer = self._answer(path, host, own, columns, made, effort)
                if effort.spent <= _MOST_SPENT:
                    self._memory.answered(batch, slot, answer)
                return answer
        batch.empty.add(slot)
        return self._nothing(path, host, own, kept, at, block, slot)

    def _nothing(
        self, path: str, host: str, own: Reading, kept: Kept, at: int, block: AnyBlock, slot: int
    ) -> Searched:
        """The answer for a file that has the literals and no match."""
        size, errors = kept.size, int(block.errors[slot] > 0)
        if rows_are_asked(own, size):
            if not (kept.exact or errors):
                self._unsure[at] = own  # that it was parsed is all that its rows could change
                return Searched(path, host, (), None, errors, True, size)
            batch = self._batch(own, block)
            known = batch.rows.get(slot)
            if known is None:
                known = batch.rows[slot] = rows_may_match(kept.source, own)
            if not known:
                return self._silent(path, host, kept)
        return Searched(path, host, (), None, errors, True, size)

    def _answer(
        self,
        path: str,
        host: str,
        own: Reading,
        columns: Columns,
        found: tuple[Match, ...],
        effort: Effort,
    ) -> Searched:
        source = columns.source
        if effort.spent > _MOST_SPENT:
            return answer_of(path, host, source, search_source(source, host, {host: own}))
        errors = int(columns.errors > 0)
        return Searched(path, host, found, source if found else None, errors, True, len(source))

    def _silent(self, path: str, host: str, kept: Kept) -> Searched:
        """The answer for a file that holds no match, as its text alone tells."""
        known = kept.silent
        if known is None or known.path != path or known.language != host:
            known = kept.silent = Searched(path, host, size=kept.size)
        return known

    # --- many files ----------------------------------------------------------------------------

    def _batch(self, own: Reading, block: AnyBlock) -> Batch:
        key = (id(own), id(block))
        known = self._batches.get(key)
        if known is None:
            self._readings.append(own)
            known = self._memory.batch(own.programs, block, lambda: self._made(own, block))
            self._batches[key] = known
        return known

    def _holding(self, block: AnyBlock, literal: bytes) -> int:
        return block.holding(literal, lambda slot: self._source_at(block, slot))

    def _source_at(self, block: AnyBlock, slot: int) -> bytes | None:
        known = self._slots.get(block)
        if known is None:
            known = self._slots[block] = {
                kept.place[1]: kept
                for kept in self._kept
                if kept is not None and kept.place is not None and kept.place[0] is block
            }
        kept = known.get(slot)
        try:
            return None if kept is None else kept.source
        except UnusableError:
            return None

    def _mask(self, own: Reading, block: AnyBlock) -> int:
        """The files of a block that hold all literals of a reading, a bit each."""
        key = (id(own), id(block))
        holding = self._masks.get(key)
        if holding is None:
            self._readings.append(own)
            holding = (1 << len(block)) - 1
            for literal in own.literals:
                holding &= self._holding(block, literal)
                if not holding:
                    break
            self._masks[key] = holding
        return holding

    def _made(self, own: Reading, block: AnyBlock) -> Batch:
        holding = self._mask(own, block)
        if not holding:
            return Batch(0, [])
        places: list[dict[int, list[int]] | None] = []
        for program in own.programs:
            sieve = self._memory.sieve(program)
            known = None if program.run or not sieve.tells else sieve.places(block, bits(holding))
            places.append(known)
        return Batch(holding, places if own.programs else [None])


def arrays_are_here() -> bool:
    """Whether to look at arrays needs no import any more."""
    return "numpy" in sys.modules


def _digits(mask: int, number: int) -> str:
    """The lowest so many bits of *mask*, the lowest first."""
    return f"{mask:b}"[::-1].ljust(number, "0")
