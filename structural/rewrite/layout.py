"""White space: indentation, line endings, and what may stand between two tokens.

Levels of a template are written in the template's own unit and come out in the file's.
Nothing here knows a language; which line starts are inside of strings and comments is
told by the columns.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property

from structural.syntax.columns import Columns

Shift = tuple[bytes, bytes]
"""Indentation that lines have, and what they get instead."""


class Layout:
    """Answers about the white space of one file."""

    def __init__(
        self,
        columns: Columns,
        strings: frozenset[int],
        blank: frozenset[int],
        verbatim: frozenset[int] = frozenset(),
    ) -> None:
        self.source = columns.source
        self.columns = columns
        self._strings = strings | verbatim
        self._verbatim = verbatim
        self._blank = blank

    def eol(self, byte: int) -> bytes:
        """The line ending nearest to *byte*: in a file of mixed endings, that of its own line."""
        at = self.source.find(b"\n", byte)
        if at < 0:
            at = self.source.rfind(b"\n", 0, byte)
        return b"\r\n" if at > 0 and self.source[at - 1] == 0x0D else b"\n"

    def line_start(self, byte: int) -> int:
        """The first byte of the line that holds *byte*."""
        return self.source.rfind(b"\n", 0, byte) + 1

    def indent(self, byte: int) -> bytes:
        """The white space at the head of the line that holds *byte*."""
        start = self.line_start(byte)
        if start == 0 and self.source.startswith(b"\xef\xbb\xbf"):
            start = 3
        at = start
        while at < len(self.source) and self.source[at] in b" \t":
            at += 1
        return self.source[start : min(at, byte) if byte >= start else at]

    def gap_start(self, byte: int) -> int:
        """The end of the last thing before *byte* that is no white space."""
        while byte > 0 and self.source[byte - 1] in b" \t\r\n\f":
            byte -= 1
        return byte

    def gap_end(self, byte: int) -> int:
        """The start of the first thing from *byte* on that is no white space."""
        while byte < len(self.source) and self.source[byte] in b" \t\r\n\f":
            byte += 1
        return byte

    @cached_property
    def unit(self) -> bytes:
        """One level of indentation of the file: a tab, or as many spaces as most steps have."""
        tabs = spaces = 0
        steps: Counter[int] = Counter()
        before = 0
        for line in self.source.split(b"\n", 20_000)[:20_000]:
            width = len(line) - len(line.lstrip(b" "))
            if line[:1] == b"\t":
                tabs += 1
                continue
            if not line.strip():
                continue
            spaces += width > 0
            if width > before:
                steps[width - before] += 1
            before = width
        if tabs > spaces:
            return b"\t"
        common = [step for step, _ in steps.most_common() if step in (2, 4, 8, 3, 1)]
        return b" " * common[0] if common else b""

    def free_line_starts(self, start: int, end: int) -> list[int]:
        """Starts of lines in (start, end] whose indentation is layout: not inside of a string, a
        comment or another token of several lines, and not blank."""
        found = []
        at = self.source.find(b"\n", start, end)
        while at >= 0:
            byte = at + 1
            if byte < end and self.source[byte : byte + 1] not in (b"\n", b"\r") and self._is_free(byte):
                found.append(byte)
            at = self.source.find(b"\n", byte, end)
        return found

    def _is_free(self, byte: int) -> bool:
        columns = self.columns
        at = bisect_right(columns.comments, (byte, -1)) - 1
        if at >= 0 and columns.comments[at][0] < byte < columns.comments[at][1]:
            return False
        i = bisect_left(columns.start, byte)
        if i < len(columns) and columns.start[i] == byte and self.source[byte] in b" \t":
            return False  # White space that is part of a token.
        if self._verbatim and i < len(columns) and not self.source[byte : columns.start[i]].strip():
            k = i
            while k < len(columns) and columns.start[k] == columns.start[i]:
                if columns.kind[k] in self._verbatim:
                    return False
                k += 1
        i -= 1
        # The node before may be a token, or the last token of something, that goes on past the byte.
        while i >= 0:
            if columns.start[i] < byte < columns.end[i]:
                if columns.size[i] == 1 and columns.kind[i] not in self._blank:
                    return False
                if columns.kind[i] in self._strings:
                    return False
            i = columns.parent[i]
        return True

    def shifted(self, start: int, end: int, shift: Shift) -> list[tuple[int, int, bytes]]:
        """(start, end, new) of the indentation of every line that begins in (start, end]."""
        old, new = shift
        if old == new:
            return []
        return [
            (byte, byte + len(old), new)
            for byte in self.free_line_starts(start, end)
            if self.source.startswith(old, byte)
        ]


def step_of(*texts: bytes) -> bytes:
    """The unit in which templates are indented: their least indentation, a tab if it has one."""
    found = {line[: len(line) - len(line.lstrip(b" \t"))] for text in texts for line in text.split(b"\n")[1:]}
    found.discard(b"")
    if not found:
        return b""
    return b"\t" if any(b"\t" in indent for indent in found) else min(found, key=len)


def level(indent: bytes, step: bytes) -> int:
    """How many levels *indent* is, in units of *step*."""
    return len(indent) // len(step) if step else 0


def is_word(byte: int) -> bool:
    """Whether a token of letters goes on over this byte."""
    return chr(byte).isalnum() or byte in b"_$" or byte >= 0x80


_OPERATOR = re.compile(rb"[-+*/<>=!&|^%~?:.@#]")


def would_glue(
    before: bytes,
    after: bytes,
    *,
    operators: bool = False,
    signs: bool = False,
    comments: frozenset[bytes] = frozenset(),
) -> bool:
    """Whether two texts that meet become one token: words do, and what makes one of *comments* (marks of
    two bytes); *operators* may; *signs*: two signs that are alike."""
    if not before or not after or before.endswith(b"\xef\xbb\xbf"):
        return False
    a, b = before[-1], after[0]
    if (is_word(a) and is_word(b)) or bytes((a, b)) in comments or (signs and a == b and a in b"+-"):
        return True
    return operators and bool(_OPERATOR.match(before[-1:]) and _OPERATOR.match(after))
