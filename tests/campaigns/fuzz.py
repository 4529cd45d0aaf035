"""Broken, strange and deep texts never crash, hang or mislead a search.

    python -m tests.campaigns.fuzz CORPUS... --rounds 20000 [--seed 1] [--lang go] [--only 17 42]

A round is one source text and one pattern, drawn from the seed and its number alone,
so ``--only`` repeats it.  Sources are files of the corpus, whole or damaged, random
bytes, and deep nesting; patterns are pieces of files with metavariables, and texts
nobody should write.  Each round runs in a child process with a limit of memory; a
step that takes too long is killed.  What is a fault:

- ``crash``, ``hang``, ``exception``: anything but an answer or a StructuralError;
- ``filter``: with its filters a search finds something else than without;
- ``order``: matches out of order, outside of the text, bindings outside of their match;
- ``layout``: comments or white space between tokens change what is found;
- ``strictness``: ``exact`` finds what ``smart`` does not, or ``smart`` what ``loose`` does not;
- ``again``: a pattern compiled twice, or pickled, finds something else;
- ``hash``: equal hashes of different code, or different hashes of equal code.

Order of things: ``draw`` makes a round, ``examine`` says what is wrong with it, the
rest runs many of them.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import pickle
import random
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path

from structural.errors import StructuralError, UnsearchableError
from structural.pattern.bindings import same_code
from structural.pattern.compile import Pattern, Reading, compile_pattern
from structural.pattern.tables import Options, Tables, tables
from structural.pattern.values import Match
from structural.search.source import search_source
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.gaps import solid_end
from structural.syntax.parse import parse
from tests.campaigns import filter_from_the_start
from tests.campaigns.pieces import cut_piece
from tests.cases_runner import order_problems

STEP_SECONDS = 5.0
"""A step (one compilation, one search) that takes more processor time is a fault."""

_PATIENCE = 20.0
"""Seconds by the clock after which a step is killed."""

MEMORY = 4 << 30
"""Bytes of address space of a child process."""

_LARGEST = 60_000
"""Bytes of a file that is read; a window of some of it is used."""

_WINDOW = 6_000
"""Bytes of a source, but for the deep ones."""

_MOST_READINGS = 3

_LONG = 300
"""Characters of a pattern that is drawn seldom."""

_DEEPEST_BYTES = 300_000
"""Bytes of a deep source."""

COMMENTS: dict[str, str] = dict.fromkeys(
    (
        "c",
        "cpp",
        "csharp",
        "css",
        "dart",
        "go",
        "java",
        "javascript",
        "kotlin",
        "php",
        "rust",
        "scala",
        "solidity",
        "swift",
        "tsx",
        "typescript",
    ),
    "/* note */",
) | {"lua": "--[[ note ]]", "json": "", "zig": "", "hcl": "/* note */"}
"""Languages where tokens may be moved apart, and a comment that may stand between them."""

ODD_PATTERNS = (
    "",
    " ",
    "\n",
    "\t\t\n  ",
    "$",
    "$$",
    "$$$",
    "$$$$",
    "$$$$A",
    "$$$$$A",
    "$A",
    "$A$B",
    "$A$B$C$D$E$F",
    "\\$A",
    "\\$",
    "\\\\$A",
    "$$$A $$$B",
    "$$$A, $$$B",
    "$$$A; $$$B",
    "$A.$$$B",
    "$$$A.$$$B",
    "$$$A.$B($$$C)",
    "$A($$$B)($$$C)",
    "$$$A$B",
    "$A$$$B",
    "$_",
    "$_ $_",
    "$___",
    "$A1 + $A_1",
    "$a",
    "$1",
    "${A}",
    "$(A)",
    '$"A"',
    "f($$$, $$$, $$$, $$$, $$$, $X, $$$, $X)",
    "$A $B $C",
    "$A\n$B",
    "$A\n$$$\n$A",
    "$$$\n$A",
    "{ $$$ }",
    "{ $A }",
    "($A)",
    "(($A))",
    "()",
    "[]",
    "{}",
    "[$$$]",
    "($$$)",
    ";",
    ";;",
    ",",
    "(",
    ")",
    "}",
    "{",
    "'",
    '"',
    "`",
    '"$A"',
    "'$A$B'",
    '"$$$A"',
    '"$A" + "$A"',
    "// $A",
    "# $A",
    "/* $$$A */",
    "//",
    "/*",
    "qz0zq",
    "$A + qz0zq",
    "qz0zq + qz1zq",
    "Qz0zq($A)",
    "qzqzz0zq($A, $A)",
    "'qz0zq' + $A",
    "f(qz0zq$A)",
    "a\0b",
    "\0",
    "$A\0",
    "a\rb",
    "$A = 1\r$B = 2\r",
    "$A = 1\r\n$B = 2\r\n",
    "\ufeff$A",
    "\ufefffoo($A)",
    "foo(\t$A\t,\v$B\f)",
    "foo(\u00a0$A\u2028)",
    "\udc80",
    "$A + '\ud800'",
    "foo(\udfff, $A)",
    "é($É)",
    "$Aé",
    "é$A",
    "变量 = $A",
    "'🙂$A🙂'",
    "$A 🙂",
    "𝔘($A)",
    "\u202e$A",
    "x" * 20_000,
    "f(" + "$A, " * 400 + ")",
    "f(" + "$$$A, " * 60 + "x)",
    "a" + " + $A" * 300,
    "(" * 300 + "$A" + ")" * 300,
    "if ($A) { " * 150 + "}" * 150,
    "$A;\n" * 300,
    "'" + "$A " * 200 + "'",
    " ".join(f"$V{n}" for n in range(100)),
)


@dataclass(frozen=True, slots=True)
class Round:
    """One text and one pattern.  ``host`` is the language of the text."""

    family: str
    host: str
    language: str
    pattern: str
    source: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    check: str
    detail: str


Step = Callable[[str], None]
"""Told the name of what begins now; a watchdog counts from there."""


@dataclass(slots=True)
class Corpus:
    """Files by language."""

    files: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, roots: Sequence[Path], language: str | None = None, most: int = 3000) -> Corpus:
        """The files below *roots*, at most *most* of a language."""
        made = cls()
        for root in roots:
            for folder, folders, names in os.walk(root):
                folders.sort()
                for name in sorted(names):
                    found = registry.language_of_path(name)
                    if not found or (language and found != language):
                        continue
                    known = made.files.setdefault(found, [])
                    if len(known) < most:
                        known.append(os.path.join(folder, name))
        made.files = {name: paths for name, paths in sorted(made.files.items()) if paths}
        return made

    def text(self, rng: random.Random, language: str) -> bytes:
        """A file of *language*, or a window of whole lines of it; empty if there is none."""
        paths = self.files.get(language)
        if not paths:
            return b""
        with open(rng.choice(paths), "rb") as file:
            source = file.read(_LARGEST)
        if len(source) <= _WINDOW or rng.random() < 0.02:
            return source
        at = rng.randrange(len(source) - _WINDOW)
        start = source.rfind(b"\n", 0, at) + 1
        end = source.rfind(b"\n", start, start + _WINDOW) + 1
        return source[start : end if end > start else start + _WINDOW]


# --- drawing ------------------------------------------------------------------------------


def draw(number: int, seed: int, corpus: Corpus) -> Round:
    """Round *number* of the campaign *seed*."""
    rng = random.Random(f"{seed}:{number}")
    languages = list(corpus.files) or list(registry.names())
    everywhere = list(registry.names())
    family = rng.choices(("whole", "cut", "bytes", "deep", "odd"), (36, 34, 6, 4, 20))[0]
    language = rng.choice(everywhere if family in ("bytes", "deep") else languages)
    source = corpus.text(rng, language)
    if family == "bytes":
        source = _random_bytes(rng)
    elif family == "deep":
        source = deep(rng, language)
    elif family == "cut":
        source = damaged(rng, source, corpus.text(rng, language))
    searched = language
    embedded = [e.language or "javascript" for e in registry.get(language).embedded]
    if embedded and rng.random() < 0.3:
        searched = rng.choice(embedded)
    if family == "odd" or (family == "bytes" and rng.random() < 0.7):
        pattern = odd_pattern(rng)
    elif family == "deep":
        pattern = rng.choice(_DEEP_PATTERNS)
    else:
        whole = source if family == "whole" or rng.random() < 0.5 else corpus.text(rng, language)
        pattern = piece_pattern(rng, whole, searched) or odd_pattern(rng)
    return Round(family, language, searched, pattern, source)


def _random_bytes(rng: random.Random) -> bytes:
    n = int(math.exp(rng.uniform(0, 8)))
    how = rng.randrange(4)
    if how == 0:
        return rng.randbytes(n)
    if how == 1:
        return bytes(rng.choice(b"(){}[]<>;:,.'\"`\\/*#$@!=+-&|%^~? \n\tabcifelse01\0\r") for _ in range(n))
    if how == 2:
        return "".join(
            chr(rng.choice((rng.randrange(128), rng.randrange(0x3000), 0x1F642, 0xFEFF))) for _ in range(n)
        ).encode("utf-8", "surrogatepass")
    return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) + rng.randbytes(n)


def damaged(rng: random.Random, source: bytes, other: bytes) -> bytes:
    """*source* cut, spliced with *other*, with bytes deleted, doubled or changed."""
    text = bytearray(source)
    for _ in range(rng.randrange(1, 4)):
        if not text:
            break
        a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        how = rng.randrange(8)
        if how == 0:
            del text[a:]
        elif how == 1:
            del text[:a]
        elif how == 2 and other:
            text = text[:a] + other[rng.randrange(len(other)) :]
        elif how == 3:
            del text[a : a + rng.randrange(1, 20)]
        elif how == 4:
            text[a:a] = text[a : min(b, a + 200)]
        elif how == 5:
            for _ in range(rng.randrange(1, 6)):
                text[rng.randrange(len(text))] = rng.choice(b"(){}[]<>;,.'\"`\\/*#$ \n\0\xff\x80a0")
        elif how == 6:
            text = bytearray(text.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" "))))
        else:
            text[:0] = rng.choice((b"\xef\xbb\xbf", b"\0", b"\xff", "é".encode()))
    return bytes(text)


_BRACKETS = (
    ("(", "x", ")"),
    ("[", "x", "]"),
    ("{", "x", "}"),
    ("<", "x", ">"),
    ("f(", "x", ")"),
    ("f(a, ", "x", ", b)"),
    ("if (x) { ", "y", " }"),
    ("if (x) { y } else ", "z", ""),
    ("if x {", "y", "}"),
    ("function f() { return ", "x", " }"),
    ("x => ", "y", ""),
    ("a + ", "b", ""),
    ("a.b().", "c", ""),
    ("a ? b : ", "c", ""),
    ("!", "x", ""),
    ("-", "x", ""),
    ("*", "x", ""),
    ("`${", "x", "}`"),
    ('"${', "x", '}"'),
    ('"#{', "x", '}"'),
    ('f"{', "x", '}"'),
    ("<div>", "x", "</div>"),
    ("<a b={", "x", "}/>"),
    ("a: {", "b: c", "}"),
    ("> ", "x", ""),
    ("- ", "x", ""),
    ("class A { ", "", " }"),
    ("/* ", "x", " */"),
    ("lambda: ", "x", ""),
    ("not ", "x", ""),
    ("begin\n", "x", "\nend"),
    ("$(", "x", ")"),
    ("'", "x", ""),
    ("x = ", "y", ""),
    ("case 1: ", "x", ""),
)

_DEEP_PATTERNS = (
    "$X",
    "f($A)",
    "f($$$)",
    "f($$$A, $B)",
    "($X)",
    "[$X]",
    "{ $$$ }",
    "$A + $A",
    "$A + $B",
    "$A.$B()",
    "!$A",
    "if ($A) { $$$B }",
    "if ($A) $B else $C",
    "$A ? $B : $C",
    "x",
    "foo(bar)",
    "$A\n$B",
    "$$$A\n$B",
    "<$A>$$$</$A>",
    "$A: $B",
    '"$A"',
)


def deep(rng: random.Random, language: str) -> bytes:
    """Nesting of up to 100,000 levels, closed, unclosed or cut, in a frame the language reads."""
    levels = int(math.exp(rng.uniform(math.log(50), math.log(100_000))))
    before, middle, after = rng.choice(_BRACKETS)
    levels = min(levels, _DEEPEST_BYTES // len(before + after))
    close = rng.choice((levels, levels, levels, 0, levels // 2, levels + 1))
    text = before * levels + middle + after * close
    skeletons = [s for s in registry.get(language).skeletons if s.rung in ("statement", "expression", "top")]
    if skeletons and rng.random() < 0.8:
        skeleton = rng.choice(skeletons)
        text = skeleton.before + text + skeleton.after
    if rng.random() < 0.2:  # left-recursive: long, and deep only in the tree
        link = rng.choice((" + a", ".a", "(a)", "[a]", " and a", " || a", "::a", " a"))
        text += "\nx = a" + link * min(levels, 30_000)
    return text.encode()


def odd_pattern(rng: random.Random) -> str:
    """A pattern nobody should write."""
    how = rng.randrange(6)
    if how < 3:
        pattern = rng.choice(ODD_PATTERNS)
        return pattern if len(pattern) < _LONG or rng.random() < 0.05 else rng.choice(ODD_PATTERNS[:40])
    if how == 3:
        return "".join(
            rng.choice("(){}[]<>;:,.'\"`\\/*#$@!=+-&|%^~? \n\tabAB01_") for _ in range(rng.randrange(1, 60))
        )
    words = (
        "$A",
        "$B",
        "$_",
        "$$$",
        "$$$A",
        "$$$B",
        "$OP",
        "if",
        "else",
        "for",
        "return",
        "x",
        "foo",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        "=",
        "==",
        "+",
        ".",
        "?.",
        ":",
        "=>",
        "1",
        "'s'",
        '"$A"',
        "\n",
        "async",
        "class",
        "function",
        "def",
        "é",
        "🙂",
    )
    joined = " " if how == 4 else ""
    return joined.join(rng.choice(words) for _ in range(rng.randrange(1, 14)))


def piece_pattern(rng: random.Random, source: bytes, language: str) -> str:
    """A piece of *source* with metavariables; empty if none was found."""
    columns = parse(source, language)
    for _ in range(12):
        piece = cut_piece("", columns, rng)
        if piece is None:
            continue
        pattern = piece.pattern
        if rng.random() < 0.3:
            pattern = _with_ellipsis(rng, pattern)
        if rng.random() < 0.15:
            pattern = pattern.replace("$B", "$A").replace("$C", "$A")
        if rng.random() < 0.1 and pattern:
            at = rng.randrange(len(pattern))
            pattern = pattern[:at] + rng.choice(("$A", "$$$", " ", "\n", "$$", "")) + pattern[at + 1 :]
        return pattern
    return ""


def _with_ellipsis(rng: random.Random, pattern: str) -> str:
    """*pattern* with ``$$$`` in place of what stands between some brackets, or of one line."""
    opened = [at for at, c in enumerate(pattern) if c in "([{"]
    if opened and rng.random() < 0.7:
        at = rng.choice(opened)
        close = {"(": ")", "[": "]", "{": "}"}[pattern[at]]
        level = 0
        for to in range(at, len(pattern)):
            level += (pattern[to] == pattern[at]) - (pattern[to] == close)
            if level == 0:
                inner = pattern[at + 1 : to].split(",")
                new = rng.choice(
                    ("$$$", "$$$A", "$$$, $Z", "$Z, $$$", f"{inner[0]}, $$$", f"$$$, {inner[-1]}")
                )
                return pattern[: at + 1] + new + pattern[to:]
    lines = pattern.split("\n")
    at = rng.randrange(len(lines))
    lines[at] = lines[at][: len(lines[at]) - len(lines[at].lstrip())] + "$$$"
    return "\n".join(lines)


# --- examining -----------------------------------------------------------------------------


def examine(drawn: Round, step: Step, rng: random.Random | None = None) -> list[Fault]:
    """Everything that is wrong with one round."""
    rng = rng or random.Random(0)
    faults: list[Fault] = []
    try:
        step("compile")
        pattern = compile_pattern(drawn.pattern, drawn.language)
        step("compile every reading")
        readings = pattern.readings
    except StructuralError:
        readings, pattern = (), None
    try:
        faults += _searched(drawn, readings[:_MOST_READINGS], step)
        if pattern is not None and drawn.family != "deep":
            faults += _again(drawn, pattern, step)
            faults += _strictness(drawn, readings[0], step)
        if drawn.family != "deep":
            step("parse")
            columns = parse(drawn.source, drawn.host)
            step("hashes")
            faults += _hashes(columns, tables(drawn.host, Options()), rng)
            if readings and drawn.host == drawn.language and drawn.host in COMMENTS and not columns.errors:
                step("layout")
                faults += _layout(columns, readings[:_MOST_READINGS], rng)
    except UnsearchableError:  # a text that no grammar can take in time is refused: an answer too
        pass
    return faults


def _searched(drawn: Round, readings: Sequence[Reading], step: Step) -> Iterator[Fault]:
    for reading in readings:
        one = {reading.language: reading}
        step(f"search as {reading.rung}")
        quick = search_source(drawn.source, drawn.host, one)
        step(f"search as {reading.rung} without filters")
        slow = search_source(drawn.source, drawn.host, one, prefilter=False)
        yield from _filters(reading, quick.matches, slow.matches)
        if quick.parsed and bool(quick.syntax_errors) != bool(slow.syntax_errors):
            yield Fault("filter", f"syntax errors: {quick.syntax_errors} and {slow.syntax_errors}")
        if quick.exhausted or slow.exhausted:
            yield Fault("exhausted", f"as {reading.rung}")
        yield from (Fault("order", problem) for problem in order_problems(slow.matches, drawn.source))
        if not slow.matches:
            step(f"near misses as {reading.rung}")
            search_source(drawn.source, drawn.host, one, near=True)


def _shown(matches: Sequence[Match]) -> str:
    return ", ".join(f"{m.span.start}-{m.span.end} {m.kind}" for m in matches[:5]) + (
        " …" if len(matches) > 5 else ""
    )


def _filters(reading: Reading, quick: Sequence[Match], slow: Sequence[Match]) -> Iterator[Fault]:
    if list(quick) != list(slow):
        lost = [m for m in slow if m not in quick]
        more = [m for m in quick if m not in slow]
        yield Fault("filter", f"as {reading.rung}: loses [{_shown(lost)}], adds [{_shown(more)}]")


def _again(drawn: Round, pattern: Pattern, step: Step) -> Iterator[Fault]:
    step("compile again")
    second = compile_pattern(drawn.pattern, drawn.language)
    step("pickle")
    third: Pattern = pickle.loads(pickle.dumps(pattern))
    first_reading = pattern.first
    found = search_source(drawn.source, drawn.host, {first_reading.language: first_reading}).matches
    for name, other in (("compiled twice", second), ("pickled", third)):
        if [r.rung for r in other.readings] != [r.rung for r in pattern.readings]:
            yield Fault("again", f"{name} it has other readings")
        step(f"search with the pattern {name}")
        again = search_source(drawn.source, drawn.host, {other.first.language: other.first}).matches
        if again != found:
            yield Fault("again", f"{name} it finds [{_shown(again)}] and not [{_shown(found)}]")


def _strictness(drawn: Round, reading: Reading, step: Step) -> Iterator[Fault]:
    """Every place that a stricter comparison finds, a looser one finds."""
    if reading.comment is not None or _begins_open(reading):
        return
    found: dict[str, list[Match]] = {}
    for strictness in ("exact", "smart", "loose"):
        step(f"compile and search {strictness}")
        try:
            made = compile_pattern(drawn.pattern, drawn.language, rung=reading.rung, strictness=strictness)
        except StructuralError as problem:
            yield Fault("strictness", f"under {strictness} it is no pattern: {problem}")
            return
        one = made.first
        if one.rung != reading.rung:
            return
        found[strictness] = list(
            search_source(drawn.source, drawn.host, {one.language: one}, prefilter=False).matches
        )
    for strict, free in (("exact", "smart"), ("smart", "loose")):
        spans = {(m.span.start, m.span.end) for m in found[free]}
        lost = [m for m in found[strict] if (m.span.start, m.span.end) not in spans]
        if reading.run:
            starts = {m.span.start for m in found[free]}
            lost = [m for m in lost if m.span.start not in starts]
        if lost:
            yield Fault("strictness", f"as {reading.rung}: {free} loses [{_shown(lost)}] of {strict}")


def _begins_open(reading: Reading) -> bool:
    """Whether a match begins with a metavariable: how far back an ellipsis reaches is no fact of a
    place, and ``$A`` alone stands for adornments only where every token counts."""
    return any(program.operations[0].code.name in ("META", "ELLIPSIS") for program in reading.programs)


def _solid(columns: Columns, i: int) -> bytes:
    """The text of node *i* without white space and comments at its end."""
    return columns.source[columns.start[i] : solid_end(columns, columns.start[i], columns.end[i])]


def _hashes(columns: Columns, made: Tables, rng: random.Random) -> Iterator[Fault]:
    """Equal hashes are the same code; the same code of the same kinds has equal hashes."""
    hashes = columns.hashes().tolist()
    by_hash: dict[int, list[int]] = {}
    by_text: dict[bytes, list[int]] = {}
    for i, value in enumerate(hashes):
        by_hash.setdefault(value, []).append(i)
        if columns.end[i] - columns.start[i] < 200:
            by_text.setdefault(b" ".join(columns.text(i).split()), []).append(i)
    pairs = [(group[0], rng.choice(group[1:])) for group in by_hash.values() if len(group) > 1]
    texts = [(group[0], rng.choice(group[1:])) for group in by_text.values() if len(group) > 1]
    rng.shuffle(pairs)
    rng.shuffle(texts)
    for a, b in pairs[:200] + texts[:200]:
        equal = same_code(columns, _bound(columns, a), _bound(columns, b), made.strings)
        alike = all(
            columns.kind[a + d] == columns.kind[b + d] and columns.size[a + d] == columns.size[b + d]
            for d in range(min(columns.size[a], columns.size[b]))
        )
        # Bindings end with their code; a node may have what is behind it, if its grammar says so.
        solid = equal or _solid(columns, a) == _solid(columns, b)
        if hashes[a] == hashes[b] and not (solid and alike):
            yield Fault("hash", f"{columns.text(a)[:60]!r} and {columns.text(b)[:60]!r} have one hash")
            return
        if hashes[a] != hashes[b] and equal and alike:
            yield Fault("hash", f"{columns.text(a)[:60]!r} and {columns.text(b)[:60]!r} have two hashes")
            return


def _bound(columns: Columns, i: int) -> tuple[int, int, int, int]:
    return (columns.start[i], columns.end[i], i, i)


def _layout(columns: Columns, readings: Sequence[Reading], rng: random.Random) -> Iterator[Fault]:
    moved = relaid(columns, rng)
    if moved is None:
        return
    changed = parse(moved, columns.language)
    if changed.hashes().tolist() != columns.hashes().tolist():
        yield Fault("hash", "comments or white space between tokens change hashes")
    for reading in readings:
        if reading.comment is not None or reading.mentioned:
            continue
        one = {reading.language: reading}
        for prefilter in (False, True):
            before = search_source(columns.source, columns.language, one, prefilter=prefilter).matches
            after = search_source(moved, columns.language, one, prefilter=prefilter).matches
            if len(before) != len(after):
                found = f"{len(before)} matches [{_shown(before)}], then {len(after)} [{_shown(after)}]"
                new = [line for line in moved.split(b"\n") if line not in columns.source]
                yield Fault("layout", f"as {reading.rung}: {found} with {b' | '.join(new)[:200]!r}")
                return


def relaid(columns: Columns, rng: random.Random) -> bytes | None:
    """The source with comments and white space put between some tokens, with the same tree;
    None if no such place was found."""
    source, size = columns.source, columns.size
    made = tables(columns.language, Options())
    closed: list[tuple[int, int]] = [
        (columns.start[i], columns.end[i])
        for i, k in enumerate(columns.kind)
        if k in made.strings
        or k in made.blank
        or "string" in made.grammar.name(k)
        or "template" in made.grammar.name(k)
    ]
    inside = bytearray(len(source) + 1)
    for low, high in closed:
        inside[low + 1 : high] = b"\1" * max(0, high - low - 1)
    for low, high in columns.comments:
        inside[low : high + 1] = b"\1" * (high + 1 - low)
    leaves = [i for i, n in enumerate(size) if n == 1 and columns.end[i] > columns.start[i]]
    places = sorted(
        {columns.end[a] for a, b in pairwise(leaves) if not source[columns.end[a] : columns.start[b]].strip()}
    )
    places = [place for place in places if not inside[place]]
    comment = COMMENTS[columns.language].encode()
    for number in (12, 5, 2, 1, 1):
        if not places:
            return None
        text, at = b"", 0
        for place in sorted(rng.sample(places, min(number, len(places)))):
            new = rng.choice((b" ", b"\n", b"\t", b"  \n ", b" " + comment + b" ", b"\n" + comment + b"\n"))
            text += source[at:place] + new
            at = place
        text += source[at:]
        other = parse(text, columns.language)
        if (
            not other.errors
            and other.kind == columns.kind
            and other.size == size
            and all(other.text(i) == columns.text(i) for i in leaves)
        ):
            return text
    return None


# --- running -------------------------------------------------------------------------------


def _child(pipe: Connection, corpus: Corpus, seed: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it lives as long as the process
    while (number := pipe.recv()) is not None:
        pipe.send(("done", _examined(number, seed, corpus, pipe)))


def _examined(number: int, seed: int, corpus: Corpus, pipe: Connection) -> list[Fault]:
    """The faults of round *number*; the pipe is told of every step."""
    faults: list[Fault] = []
    began, current = time.process_time(), "draw"

    def step(name: str) -> None:
        nonlocal began, current
        spent = time.process_time() - began
        if spent > STEP_SECONDS and current != "draw":
            faults.append(Fault("hang", f"{spent:.1f} s: {current}"))
        began, current = time.process_time(), name
        pipe.send(("step", name))

    step("draw")
    try:
        drawn = draw(number, seed, corpus)
        faults += examine(drawn, step, random.Random(f"{seed}:{number}:check"))
    except Exception as problem:
        frames = traceback.extract_tb(problem.__traceback__)
        place = " < ".join(f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in reversed(frames[-3:]))
        what = f"{type(problem).__name__}: {str(problem)[:200]}"
        faults.append(Fault("exception", f"{current}: {what} at {place}"))
    step("end")
    return faults


@dataclass(slots=True)
class Worker:
    """A child process that is replaced when it dies or hangs."""

    corpus: Corpus
    seed: int
    process: multiprocessing.process.BaseProcess | None = None
    pipe: Connection | None = None

    def run(self, number: int) -> list[Fault]:
        """The faults of round *number*."""
        if self.process is None:
            context = multiprocessing.get_context("fork")
            self.pipe, other = context.Pipe()
            self.process = context.Process(target=_child, args=(other, self.corpus, self.seed), daemon=True)
            self.process.start()
            other.close()
        assert self.pipe is not None
        self.pipe.send(number)
        at = "start"
        while True:
            try:
                if not self.pipe.poll(_PATIENCE):
                    self.stop()
                    return [Fault("hang", f"killed after {_PATIENCE:.0f} s: {at}")]
                message = self.pipe.recv()
            except (EOFError, ConnectionResetError):
                process = self.process
                process.join()
                self.process = None
                return [Fault("crash", f"exit {process.exitcode}: {at}")]
            if message[0] == "done":
                return list(message[1])
            at = message[1]

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None


def shrunk(drawn: Round, check: str, seconds: float = 20.0) -> Round:
    """*drawn* with as much of its source taken out as leaves a fault of the same *check*."""
    end = time.monotonic() + seconds

    def fails(source: bytes) -> bool:
        one = Round(drawn.family, drawn.host, drawn.language, drawn.pattern, source)
        try:
            return any(fault.check == check for fault in examine(one, lambda name: None))
        except Exception:
            return check == "exception"

    source = drawn.source
    for unit in ("line", "byte"):
        parts = (
            source.splitlines(keepends=True)
            if unit == "line"
            else [source[i : i + 1] for i in range(len(source))]
        )
        width = max(1, len(parts) // 2)
        while width and time.monotonic() < end:
            at = 0
            while at < len(parts) and time.monotonic() < end:
                rest = parts[:at] + parts[at + width :]
                if fails(b"".join(rest)):
                    parts = rest
                else:
                    at += width
            width //= 2
        source = b"".join(parts)
    return Round(drawn.family, drawn.host, drawn.language, drawn.pattern, source)


def main() -> int:
    filter_from_the_start()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lang")
    parser.add_argument("--only", type=int, nargs="+", help="these rounds alone, with a smaller source")
    parser.add_argument("--skip", nargs="+", default=[], help="kinds of faults to leave out")
    parser.add_argument("--log", type=Path, help="every fault as a line of JSON")
    asked = parser.parse_args()
    corpus = Corpus.of(asked.corpus, asked.lang)
    worker = Worker(corpus, asked.seed)
    totals: Counter[str] = Counter()
    began, done = time.monotonic(), 0
    for number in asked.only or range(asked.first, asked.first + asked.rounds):
        done += 1
        for fault in worker.run(number):
            if fault.check in asked.skip:
                continue
            totals[fault.check] += 1
            drawn = draw(number, asked.seed, corpus)
            place = f"{drawn.family} {drawn.language} in {drawn.host}"
            print(f"{fault.check:10} round {number} {place}: {fault.detail}")
            print(f"           pattern {drawn.pattern[:200]!r}", flush=True)
            if asked.only and fault.check not in ("hang", "crash"):
                print(f"           source  {shrunk(drawn, fault.check).source!r}", flush=True)
            if asked.log:
                entry = {"round": number, "seed": asked.seed, "check": fault.check, "detail": fault.detail}
                entry |= {"language": drawn.language, "host": drawn.host, "pattern": drawn.pattern}
                with asked.log.open("a") as log:
                    log.write(json.dumps(entry) + "\n")
    worker.stop()
    print(
        f"{done} rounds in {time.monotonic() - began:.0f} s; faults: {dict(sorted(totals.items())) or 'none'}"
    )
    return 1 if set(totals) - {"exhausted"} else 0


__all__ = ["ODD_PATTERNS", "Corpus", "Fault", "Round", "draw", "examine", "relaid", "shrunk"]


if __name__ == "__main__":
    sys.exit(main())
