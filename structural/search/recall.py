"""One search with a memory: which files need no look, and where in the others matches may begin.

Literals are asked of the words of whole blocks, shapes of their columns; the matcher looks at
what both let through.  A file without a place in a block is searched as usual, and the second
time it is parsed whole and its columns are kept.  The answers are those of ``worker``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from structural.errors import UnsearchableError
from structural.pattern.compile import Reading
from structural.pattern.search import Effort, Places, matches, near
from structural.pattern.values import Match
from structural.search.batches import Batch
from structural.search.block import Block, Numbers
from structural.search.freshness import SIZE, Seen
from structural.search.kept import Kept, alive
from structural.search.near import Tally, tally
from structural.search.read import too_large
from structural.search.source import ROWS_BYTES, may_match, rows_may_match, search_source
from structural.search.values import Failed, FileResult, Searched, Skipped
from structural.search.worker import Choice, Task, answer_of, describe
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.parse import parse

if TYPE_CHECKING:
    from structural.search.memory import Memory

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
        self._paths = paths
        self._kept = kept
        self._seen = seen
        self._call = call
        self._blocks = alive(kept)
        self._batches: dict[tuple[int, int], Batch] = {}
        self._silent_for: tuple[Choice, list[FileResult | None]] | None = None
        self._readings: list[Reading] = []  # so that an id stays that of one of them

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
        holding: dict[Block, str] = {}
        found: list[FileResult | None] = [None] * len(files)
        last, held = None, ""
        for at, kept in enumerate(self._kept):
            place = None if kept is None else kept.place
            if kept is None or place is None:
                continue
            block, slot = place
            if block is not last:
                last = block
                known = holding.get(block)
                if known is None:
                    own = plain.get(block.language)
                    mask = self._batch(own, block).holding if own is not None else -1
                    # The lowest bit first; what is beyond the highest one is not held.
                    known = f"{mask:b}"[::-1].ljust(len(block), "0") if mask >= 0 else ""
                    holding[block] = known
                held = known
            if not held or hosts[at] != block.language:
                continue  # another search took it for another language
            if held[slot] == "0" and not (max_size and kept.signature[SIZE] > max_size):
                silent = kept.silent
                if silent is None or silent.path != files[at] or silent.language != hosts[at]:
                    silent = self._silent(files[at], hosts[at], kept)
                found[at] = silent
        self._silent_for = dict(choice), found
        return found

    def end(self) -> None:
        """The search is over: what it parsed can be used by others."""
        self._memory.shelf.seal()

    def source(self, task: Task, at: int) -> bytes | Skipped:
        """The bytes of file number *at*, as ``read_file`` gives them."""
        kept = self._kept[at]
        path = task.files[at]
        if kept is None:
            data, kept = self._memory.read(self._paths[at], self._seen[at], task.max_size, self._call)
            self._kept[at] = kept
            return data if isinstance(data, bytes) else Skipped(path, data.reason, data.detail)
        if task.max_size and kept.signature[SIZE] > task.max_size:
            return too_large(path, kept.signature[SIZE], task.max_size)
        return kept.source if kept.problem is None else Skipped(path, *kept.problem)

    # --- one file --------------------------------------------------------------------------------

    def search(self, task: Task, at: int, choice: Choice) -> FileResult:
        """Search file number *at*; answers as ``worker.search_file`` does."""
        path, host = task.files[at], task.hosts[at]
        try:
            source = self.source(task, at)
            if isinstance(source, Skipped):
                return source
            readings = task.readings(host, choice)
            own, kept = readings.get(host), self._kept[at]
            if own is None or kept is None or (len(readings) > 1 and registry.get(host).embedded):
                return answer_of(path, host, source, search_source(source, host, readings))
            place = kept.place
            if place is not None and kept.language == host:
                return self._from_block(path, host, own, kept, *place)
            if kept.parses > 0:
                return self._whole(path, host, own, kept, at)
            found = search_source(source, host, readings)
            kept.parses += found.parsed
            return answer_of(path, host, source, found)
        except UnsearchableError as problem:
            return Skipped(path, "unsearchable", problem.message)
        except Exception as problem:  # whatever it is, the other files must be searched
            return Failed(path, describe(problem))

    def near(self, task: Task, at: int, choice: Choice) -> Tally:
        """The near misses of file number *at*; answers as ``worker.near_file`` does."""
        path, host = task.files[at], task.hosts[at]
        try:
            source = self.source(task, at)
            if isinstance(source, Skipped):
                return {}
            readings = task.readings(host, choice)
            own, columns = readings.get(host), self._columns(at, host)
            if own is None or columns is None or (len(readings) > 1 and registry.get(host).embedded):
                return tally(path, source, search_source(source, host, readings, near=True).mismatches)
            return tally(path, source, near(own, columns))
        except Exception:
            return {}

    def matches_also(self, task: Task, at: int, reading: Reading) -> bool:
        """Whether *reading*, of the language of file number *at*, matches in it."""
        source, kept = self.source(task, at), self._kept[at]
        assert isinstance(source, bytes)
        host = task.hosts[at]
        if kept is not None and kept.place is not None and kept.language == host:
            answer = self._from_block(task.files[at], host, reading, kept, *kept.place)
            return isinstance(answer, Searched) and bool(answer.matches)
        return bool(search_source(source, host, {host: reading}).matches)

    def lacking(self, task: Task, choice: Choice) -> list[float | None]:
        """For every file the share of literals that it lacks, of the reading of which it lacks least;
        None if blocks do not tell."""
        of_blocks: dict[Block, list[float]] = {}
        found: list[float | None] = [None] * len(task.files)
        for at, kept in enumerate(self._kept):
            if kept is None or kept.place is None or kept.language != task.hosts[at]:
                continue
            block, slot = kept.place
            shares = of_blocks.get(block)
            if shares is None:
                least = np.ones(len(block))
                readings = task.readings(block.language, choice).values()
                told = [reading.literals for reading in readings if reading.literals]
                for literals in told:
                    lacks = sum(1 - _flags(block.holding(one), len(block)) for one in literals)
                    least = np.minimum(least, lacks / len(literals))
                shares = of_blocks[block] = (least if told else np.zeros(len(block))).tolist()
            found[at] = shares[slot]
        return found

    def _columns(self, at: int, host: str) -> Columns | None:
        kept = self._kept[at]
        if kept is None or kept.place is None or kept.language != host:
            return None
        block, slot = kept.place
        return block.columns(slot, len(block.sources[slot]))

    def _whole(self, path: str, host: str, own: Reading, kept: Kept, at: int) -> FileResult:
        """Search a file that is parsed once more, and whole, to be kept."""
        source = kept.source
        if not may_match(source, own) or not rows_may_match(source, own):
            return Searched(path, host, size=len(source))
        columns = parse(source, host)
        effort = Effort()
        found = tuple(matches(own, columns, effort))
        self._memory.shelf.pack(self._paths[at], kept, host, columns)
        return self._answer(path, host, own, kept, columns, found, effort)

    def _from_block(
        self, path: str, host: str, own: Reading, kept: Kept, block: Block, slot: int
    ) -> FileResult:
        batch = self._batch(own, block)
        source = kept.source
        if not batch.holding >> slot & 1:
            return self._silent(path, host, kept)
        known = batch.answers.get(slot)
        if known is not None and known.path == path:
            own.parsed += known.size  # its rows are there, so they need not be looked for
            return known
        if slot in batch.empty:
            return self._nothing(path, host, own, kept, block, slot)
        places: Places = [None if one is None else one.get(slot, ()) for one in batch.places]
        number = sum(len(source) if one is None else len(one) for one in places)
        if number:
            columns, effort = block.columns(slot, number), Effort()
            made = tuple(matches(own, columns, effort, places))
            if made or effort.spent > _MOST_SPENT:
                own.parsed += len(source)
                answer = self._answer(path, host, own, kept, columns, made, effort)
                if effort.spent <= _MOST_SPENT:
                    self._memory.answered(batch, slot, answer)
                return answer
        batch.empty.add(slot)
        return self._nothing(path, host, own, kept, block, slot)

    def _nothing(self, path: str, host: str, own: Reading, kept: Kept, block: Block, slot: int) -> Searched:
        """The answer for a file that has the literals and no match."""
        size = len(kept.source)
        if own.parsed < ROWS_BYTES:
            own.parsed += size
        else:
            batch = self._batch(own, block)
            known = batch.rows.get(slot)
            if known is None:
                known = batch.rows[slot] = rows_may_match(kept.source, own)
            if not known:
                return self._silent(path, host, kept)
        return Searched(path, host, (), None, int(block.errors[slot] > 0), True, size)

    def _answer(
        self,
        path: str,
        host: str,
        own: Reading,
        kept: Kept,
        columns: Columns,
        found: tuple[Match, ...],
        effort: Effort,
    ) -> Searched:
        source = kept.source
        if effort.spent > _MOST_SPENT:
            return answer_of(path, host, source, search_source(source, host, {host: own}))
        errors = int(columns.errors > 0)
        return Searched(path, host, found, source if found else None, errors, True, len(source))

    def _silent(self, path: str, host: str, kept: Kept) -> Searched:
        """The answer for a file that holds no match, as its text alone tells."""
        known = kept.silent
        if known is None or known.path != path or known.language != host:
            known = kept.silent = Searched(path, host, size=len(kept.source))
        return known

    # --- many files ----------------------------------------------------------------------------

    def _batch(self, own: Reading, block: Block) -> Batch:
        key = (id(own), id(block))
        known = self._batches.get(key)
        if known is None:
            self._readings.append(own)
            known = self._memory.batch(own.programs, block, lambda: self._made(own, block))
            self._batches[key] = known
        return known

    def _made(self, own: Reading, block: Block) -> Batch:
        holding = (1 << len(block)) - 1
        for literal in own.literals:
            holding &= block.holding(literal)
            if not holding:
                return Batch(0, [])
        slots = np.flatnonzero(_flags(holding, len(block)))
        places: list[dict[int, list[int]] | None] = []
        for program in own.programs:
            sieve = self._memory.sieve(program)
            if program.run or not sieve.tells:
                places.append(None)
                continue
            places.append(_by_file(block, sieve.candidates(block, slots)))
        return Batch(holding, places if own.programs else [None])


def _flags(mask: int, number: int) -> Numbers:
    """The lowest so many bits of *mask*, each a number."""
    data = np.frombuffer(mask.to_bytes((number + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, count=number, bitorder="little")


def _by_file(block: Block, nodes: Numbers) -> dict[int, list[int]]:
    if not len(nodes):
        return {}
    slots = np.searchsorted(block.offsets, nodes, side="right") - 1
    firsts = np.flatnonzero(np.diff(slots, prepend=-1))
    inside = (nodes - block.offsets[slots]).tolist()
    stops = [*firsts[1:].tolist(), len(inside)]
    return {
        slot: inside[low:high]
        for slot, low, high in zip(slots[firsts].tolist(), firsts.tolist(), stops, strict=True)
    }
