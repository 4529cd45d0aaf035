"""What a finding is known by when lines move: its rule, its tokens, and the definitions around it.

The tokens are the code of the finding without layout and comments; the context is the path of the names of
the definitions that it lies in.  Equal findings of one place are counted, in the order of the file.
Line numbers are never part of a key.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from structural.errors import StructuralError
from structural.syntax.columns import Columns
from structural.syntax.outline import Definition, outline
from structural.syntax.parsed import Parsed
from structural.text import Span

APART = "\x1f"
"""Between the names of a context: no name has it."""


@dataclass(frozen=True, slots=True)
class Key:
    """``content`` is a digest of the tokens, ``context`` the names of the definitions around, and ``number``
    counts what has the same rule, content and context in one file, from 0."""

    content: str
    context: str
    number: int = 0

    def fingerprint(self, rule: str, name: str) -> str:
        """A digest of all of it, with the file's name."""
        return _digest((rule, name, self.content, self.context, str(self.number)))


def keys_of(
    source: bytes, host: str, found: Sequence[tuple[str, Span]], text: Parsed | None = None
) -> tuple[Key, ...]:
    """The keys of findings, each a rule and a span, that are in the order of the file.  *text*: the file, if
    it has been parsed."""
    if not found:
        return ()
    try:
        text = text or Parsed(source, host)
        columns: Columns | None = text.enclosing([(span.start, span.end) for _, span in found])
        definitions = outline(source, host, columns=columns, heads=False).definitions
    except StructuralError:
        columns, definitions = None, ()
    contexts = Contexts(definitions)
    seen: Counter[tuple[str, str, str]] = Counter()
    made = []
    for rule, span in found:
        content = _content(source, columns, span)
        context = contexts.of(span)
        one = (rule, content, context)
        made.append(Key(content, context, seen[one]))
        seen[one] += 1
    return tuple(made)


class Contexts:
    """The definitions of a file, by which places have names."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions
        self._starts = [one.span.start for one in definitions]
        self._paths: list[str] = []
        for one in definitions:
            name = f"{one.owner}.{one.name}" if one.owner else one.name
            self._paths.append(f"{self._paths[one.parent]}{APART}{name}" if one.parent >= 0 else name)

    @property
    def names(self) -> frozenset[str]:
        """All the contexts there are but that of the file itself, which is empty."""
        return frozenset(self._paths)

    def of(self, span: Span) -> str:
        """The names of the definitions that *span* lies in and is not all of."""
        at = bisect_right(self._starts, span.start) - 1
        while at >= 0:
            one = self._definitions[at]
            if one.span.holds(span) and one.span != span:
                return self._paths[at]
            at = one.parent
        return ""


def _content(source: bytes, columns: Columns | None, span: Span) -> str:
    if columns is None:
        return _digest([" ".join(span.text(source).split())])
    tokens: list[bytes] = []
    at = span.start
    start, end, size = columns.start, columns.end, columns.size
    comments = columns.comments
    for i in range(bisect_left(start, span.start), bisect_left(start, span.end)):
        if size[i] > 1 or end[i] > span.end or end[i] <= at:
            continue
        tokens += _between(source, at, start[i], comments)
        # A leaf that goes over lines is text or code of another language: its indentation is layout.
        leaf = source[start[i] : end[i]]
        tokens.append(b" ".join(leaf.split()) if b"\n" in leaf else leaf)
        at = end[i]
    tokens += _between(source, at, span.end, comments)
    return _digest(tokens)


def _between(source: bytes, start: int, end: int, comments: list[tuple[int, int]]) -> list[bytes]:
    """The words that are in no node, without those of comments."""
    if start >= end:
        return []
    words: list[bytes] = []
    number = bisect_left(comments, (start, 0))
    while number < len(comments) and comments[number][0] < end:
        low, high = comments[number]
        words += source[start:low].split()
        start = max(start, high)
        number += 1
    words += source[start:end].split()
    return words


def _digest(parts: Sequence[str] | Sequence[bytes]) -> str:
    made = hashlib.blake2b(digest_size=10)
    for part in parts:
        made.update(part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part)
        made.update(b"\0")
    return made.hexdigest()


def text_digest(text: str) -> str:
    """The content of what is no code."""
    return _digest([text])
