"""Pieces of real files, taken as patterns, find where they came from.

    python -m tests.campaigns.pieces ROOT --samples 10000 [--lang python] [--seed 1] [--show 20]

A piece is a random node of a random file of ROOT; up to three of its inner nodes
are replaced by metavariables.  The pattern is compiled for the file's language.
What is counted:

- ``found``: some reading matches at the very place the piece was taken from;
- ``no code``: no rung reads the piece (it is no fragment that stands alone);
- ``other``: the piece alone is other code than it was in its place (the arguments ``(x)``
  are an expression in parentheses): the kinds it is read as are listed;
- ``filtered``: the matcher finds it, but a filter before it held the file or the node back;
- ``lost``: a reading of the piece's own kind was accepted but does not match there.  These
  are the faults.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from structural.errors import PatternError
from structural.pattern import compile_pattern
from structural.pattern.search import matches
from structural.pattern.tables import Options, tables
from structural.search.source import search_source
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.syntax.grammar import ERROR_KIND, load_named
from structural.syntax.parse import parse
from tests.campaigns import filter_from_the_start

_LONGEST = 600
"""Bytes of a piece."""


@dataclass(frozen=True)
class Piece:
    """A pattern made from a node, and where it must match."""

    path: str
    language: str
    kind: str
    pattern: str
    start: int
    end: int
    replaced: tuple[str, ...]
    inner: str
    """Kind of the node inside layers that add no token."""


@dataclass(frozen=True)
class Outcome:
    piece: Piece
    result: str
    detail: str = ""


def files(root: Path, language: str | None, rng: random.Random) -> list[tuple[str, str]]:
    """(path, language) of the files below *root*, in random order."""
    found = []
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        name = registry.language_of_path(str(path))
        if name and (language is None or name == language) and path.stat().st_size < 200_000:
            found.append((str(path), name))
    rng.shuffle(found)
    return found


def cut_piece(path: str, columns: Columns, rng: random.Random) -> Piece | None:
    """A random piece of a file, None if the node that was drawn does not serve."""
    if len(columns) < 4:
        return None
    grammar = load_named(columns.language)
    made = tables(columns.language, Options())
    i = rng.randrange(1, len(columns))
    start, end = columns.start[i], columns.end[i]
    end = solid_end(columns, start, end)
    n = columns.size[i]
    if not grammar.is_named(columns.kind[i]) or n < 2 or not 2 <= end - start <= _LONGEST:
        return None
    if any(columns.kind[d] == ERROR_KIND or d in columns.missing for d in range(i, i + n)):
        return None
    source = columns.source
    if b"$" in source[start:end] or not _utf8(source[start:end]):
        return None
    taken: list[int] = []
    for _ in range(rng.randrange(0, 4)):
        d = rng.randrange(i + 1, i + n)
        if _replaceable(columns, made, i, d) and all(
            columns.end[d] <= columns.start[t] or columns.start[d] >= columns.end[t] for t in taken
        ):
            taken.append(d)
    taken.sort(key=lambda d: columns.start[d])
    text, at = b"", start
    for number, d in enumerate(taken):
        text += source[at : columns.start[d]] + f"${'ABC'[number]}".encode()
        at = columns.end[d]
        if source[at : at + 1].isalnum() or source[at : at + 1] == b"_":
            return None
        if text[:-2][-1:].isalnum() or text[:-2][-1:] in (b"_", b"$"):
            return None
    text += source[at:end]
    if taken and not _stands(columns, i, taken):
        return None
    line = source.rfind(b"\n", 0, start) + 1
    indent = source[line:start] if source[line:start].isspace() else b""
    return Piece(
        path,
        columns.language,
        grammar.name(columns.kind[i]),
        (indent + text).decode(),
        start,
        end,
        tuple(grammar.name(columns.kind[d]) for d in taken),
        grammar.name(columns.kind[_unwrapped(columns, i)]),
    )


def _replaceable(columns: Columns, made: object, root: int, d: int) -> bool:
    kind = columns.kind[d]
    t = made
    parent = columns.parent[d]
    if not t.grammar.is_named(kind) or columns.start[d] == columns.end[d]:  # type: ignore[attr-defined]
        return False
    if (columns.start[d], columns.end[d]) == (columns.start[root], columns.end[root]):
        return False
    if (
        kind in t.marked
        or kind in t.adornments
        or kind in t.blank
        or kind in t.parameter_lists
        or kind in t.slots
    ):  # type: ignore[attr-defined]
        return False
    while parent >= root:
        if columns.kind[parent] in t.strings:  # type: ignore[attr-defined]
            return False
        parent = columns.parent[parent]
    return True


def _stands(columns: Columns, root: int, taken: list[int]) -> bool:
    """Whether a name can stand in the place of each node of *taken*: the file with names there
    has the same tree but for them."""
    source = columns.source
    text, at = b"", 0
    for d in taken:
        text += source[at : columns.start[d]] + b"qzname"
        at = columns.end[d]
    text += source[at:]
    other = parse(text, columns.language)
    if other.errors > columns.errors:
        return False
    pairs = [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        if a in taken:
            if other.text(b) != b"qzname":
                return False
            continue
        if columns.end[a] <= columns.start[root] or columns.start[a] >= columns.end[root]:
            continue
        if columns.kind[a] != other.kind[b]:
            return False
        kids, others = columns.children(a), other.children(b)
        if len(kids) != len(others):
            return False
        pairs += zip(kids, others, strict=True)
    return True


def _unwrapped(columns: Columns, i: int) -> int:
    while columns.size[i] > 1 and columns.size[i] == columns.size[i + 1] + 1:
        i += 1
    return i


def _utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def judge(piece: Piece, columns: Columns) -> Outcome:
    """Whether the piece finds its place."""
    try:
        pattern = compile_pattern(piece.pattern, piece.language)
    except PatternError as problem:
        return Outcome(piece, "no code", problem.message)
    rungs: list[str] = []
    read_as: list[str] = []
    own = False
    for reading in pattern.readings:
        if reading.language != columns.language:
            continue
        rungs.append(reading.rung)
        names = [name for program in reading.programs for name in program.root_names]
        if any(program.lone_identifier for program in reading.programs):
            continue
        own = own or (len(names) == 1 and names[0] in (piece.kind, piece.inner))
        read_as += names
        for match in matches(reading, columns):
            if match.span.start == piece.start and abs(match.span.end - piece.end) <= 1:
                fast = search_source(columns.source, columns.language, {columns.language: reading})
                return Outcome(piece, "found" if match in fast.matches else "filtered", reading.rung)
            low, high = min(match.span.start, piece.start), max(match.span.start, piece.start)
            if match.span.end == piece.end and columns.source[low:high].strip(b"( \n\t") == b"":
                return Outcome(piece, "found", reading.rung)
    if own:
        return Outcome(piece, "lost", ", ".join(rungs))
    return Outcome(piece, "other", ", ".join(dict.fromkeys(read_as)))


def campaign(root: Path, samples: int, language: str | None, seed: int) -> Iterator[Outcome]:
    """Outcomes of *samples* pieces, languages in turn."""
    rng = random.Random(seed)
    by_language: dict[str, list[str]] = {}
    for path, name in files(root, language, rng):
        by_language.setdefault(name, []).append(path)
    made = 0
    while made < samples and by_language:
        for name in sorted(by_language):
            path = rng.choice(by_language[name])
            source = Path(path).read_bytes()
            columns = parse(source, name)
            for _ in range(10):
                piece = cut_piece(path, columns, rng)
                if piece is not None:
                    yield judge(piece, columns)
                    made += 1
            if made >= samples:
                return


def main() -> int:
    filter_from_the_start()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", type=Path)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--lang")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    asked = parser.parse_args()
    totals: Counter[tuple[str, str]] = Counter()
    kinds: Counter[tuple[str, str, str]] = Counter()
    shown = 0
    for outcome in campaign(asked.root, asked.samples, asked.lang, asked.seed):
        piece = outcome.piece
        totals[piece.language, outcome.result] += 1
        if outcome.result != "found":
            note = f"{piece.kind} read as {outcome.detail}" if outcome.result == "other" else piece.kind
            kinds[piece.language, outcome.result, note] += 1
        if outcome.result in ("lost", "filtered") and shown < asked.show:
            shown += 1
            what = f"{piece.kind} replaced {piece.replaced} rungs {outcome.detail}"
            print(f"{outcome.result.upper()} {piece.path}:{piece.start} {what}")
            print("    " + piece.pattern.replace("\n", "\n    "))
    for (name, result), number in sorted(totals.items()):
        print(f"{name:12} {result:8} {number}")
    print("most often not found, by kind:")
    for (name, result, kind), number in kinds.most_common(60):
        print(f"  {name:12} {result:8} {kind:60} {number}")
    return 1 if any(result in ("lost", "filtered") for _, result in totals) else 0


if __name__ == "__main__":
    sys.exit(main())
