"""Unified diffs, read, and fitted to a file.  Bytes all the way, as in ``patches``.

Takes what git and diff write.  A hunk fits where every line of it stands, to the byte: at
its line, else at the only other place that has these lines.  There is no fuzz.

A line ends at ``\\n`` only.  Pure: no files.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from structural.errors import DiffError
from structural.text.edits import Edit
from structural.text.nearby import nearest
from structural.text.spans import Span

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
"""Letter behind a backslash in a quoted name → byte."""
_TOLD = 10
"""Hunks of a file that a message names; the others are counted."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Some lines of a file before and after.  ``lines`` are (mark, line), with the mark one of
    `` ``, ``-``, ``+`` and the line with its break, if it has one."""

    start: int
    """The first line before, from 1; where there is none, the line behind which the new ones go."""
    lines: tuple[tuple[str, bytes], ...]
    number: int
    """Counts the hunks of the file from 1."""
    at: int
    """Line (from 1) of the diff, for messages."""

    @property
    def before(self) -> bytes:
        """The bytes that must be there."""
        return b"".join(line for mark, line in self.lines if mark != "+")


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a diff says of one file.  ``old`` is None where it is made, ``new`` where it goes; both
    are paths with ``/``, without the ``a/`` and ``b/`` of git."""

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]
    old_mode: int | None = None
    new_mode: int | None = None
    """As git gives it, such as 0o100755, if it does."""

    @property
    def path(self) -> str:
        """The path to name it by."""
        return self.new or self.old or ""


def read_patch(data: bytes) -> tuple[FilePatch, ...]:
    """The files of a diff, in its order.  DiffError tells what cannot be read, and in which line.

    Text before, between and behind the files is passed over, as in a mail.
    """
    return tuple(_Reader(data).files())


def fit(patch: FilePatch, source: bytes) -> tuple[Edit, ...]:
    """The edits that *patch* makes to *source*.  DiffError names every hunk that does not fit, and says
    what stands where it comes closest."""
    edits: list[Edit] = []
    wrong: list[str] = []
    starts = _line_starts(source)
    done = 0
    for hunk in patch.hunks:
        at = _place(hunk, source, starts, done)
        if isinstance(at, str):
            wrong.append(
                f"hunk {hunk.number} of {patch.path} (line {hunk.at} of the diff) does not fit: {at}"
            )
            continue
        for start, end, new in _runs(hunk, at):
            edits.append(Edit(Span(start, end), new))
        done = at + len(hunk.before)
    if wrong:
        more = f"; and {len(wrong) - _TOLD} more hunks of it" if len(wrong) > _TOLD else ""
        raise DiffError(
            f"{'; '.join(wrong[:_TOLD])}{more}; nothing was changed",
            hint="make the diff again from the files as they are",
        )
    return tuple(edits)


def lines_of(text: bytes) -> list[bytes]:
    """The lines with their breaks; ``splitlines`` would also break at others than ``\\n``."""
    found = [line + b"\n" for line in text.split(b"\n")]
    last = found.pop()[:-1]
    return [*found, last] if last else found


def _line_starts(text: bytes) -> list[int]:
    starts = [0]
    at = text.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find(b"\n", at + 1)
    return starts


def _place(hunk: Hunk, source: bytes, starts: list[int], done: int) -> int | str:
    """The byte at which *hunk* stands, else why it does not."""
    wanted = hunk.before
    line = hunk.start - 1 if wanted else hunk.start
    if line < 0:
        line = 0
    if line < len(starts):
        at = starts[line]
        if at >= done and _stands(wanted, source, at):
            return at
    elif not wanted and line == len(starts) and not source.endswith(b"\n"):
        return "it adds a line behind one that has no end"
    found: list[int] = []
    at = source.find(wanted, done) if wanted else -1
    while at >= 0 and len(found) < 2:
        if (at == 0 or source[at - 1] == 0x0A) and _stands(wanted, source, at):
            found.append(at)
        at = source.find(wanted, at + 1)
    if len(found) == 1:
        return found[0]
    if found:
        lines = [bisect_left(starts, at) + 1 for at in found]
        return f"its lines stand at several places, first in lines {lines[0]} and {lines[1]}"
    near = nearest([one.removesuffix(b"\n") for one in lines_of(source)], _expected(hunk), about=line)
    return "its lines are not there" + (f"; {near}" if near else "")


def _expected(hunk: Hunk) -> list[bytes]:
    """The lines that must be there, without line feeds; what else differs, as ``\\r``, is to be seen."""
    return [line.removesuffix(b"\n") for mark, line in hunk.lines if mark != "+"]


def _stands(wanted: bytes, source: bytes, at: int) -> bool:
    """Whether whole lines *wanted* are what *source* has at *at*."""
    if not source.startswith(wanted, at):
        return False
    end = at + len(wanted)
    return not wanted or wanted.endswith(b"\n") or end == len(source)


def _runs(hunk: Hunk, at: int) -> Iterator[tuple[int, int, bytes]]:
    """Byte range and new bytes of each run of lines that change."""
    end = start = at
    new: list[bytes] = []
    for mark, line in hunk.lines:
        if mark == " ":
            if new or end > start:
                yield start, end, b"".join(new)
                new = []
            start = end = end + len(line)
        elif mark == "-":
            end += len(line)
        else:
            new.append(line)
    if new or end > start:
        yield start, end, b"".join(new)


class _Reader:
    """Goes through the lines of a diff once."""

    def __init__(self, data: bytes) -> None:
        self._lines = lines_of(data)
        self._at = 0

    def files(self) -> Iterator[FilePatch]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(b"diff --git "):
                yield self._git(line)
            elif line.startswith(b"--- ") and self._peek(1).startswith(b"+++ "):
                old, new = self._names()
                yield FilePatch(old, new, self._hunks())
            elif _HUNK.match(line):
                raise self._error("a hunk without the name of a file")
            else:
                self._at += 1

    def _git(self, first: bytes) -> FilePatch:
        old, new = _git_names(first[len(b"diff --git ") :].rstrip(b"\r\n"))
        modes: dict[str, int] = {}
        gone = made = False
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip(b"\r\n")
            if line.startswith((b"rename from ", b"rename to ")):
                name = _unquoted(line.split(b" ", 2)[2])
                old, new = (name, new) if line.startswith(b"rename from ") else (old, name)
            elif found := re.match(rb"(new file|deleted file|old|new) mode ([0-7]+)$", line):
                kind, mode = found[1].decode(), int(found[2], 8)
                made, gone = made or kind == "new file", gone or kind == "deleted file"
                modes["old" if kind in ("old", "deleted file") else "new"] = mode
            elif line.startswith((b"copy from ", b"copy to ")):
                raise self._error("a copy of a file is not supported")
            elif line.startswith((b"GIT binary patch", b"Binary files ")):
                raise self._error("a binary file is not supported")
            elif not line.startswith((b"index ", b"similarity index ", b"dissimilarity index ")):
                break
            self._at += 1
        if self._peek(0).startswith(b"--- ") and self._peek(1).startswith(b"+++ "):
            left, right = self._names()
            old = left or old
            new = right or new
        hunks = self._hunks()
        return FilePatch(
            None if made else old, None if gone else new, hunks, modes.get("old"), modes.get("new")
        )

    def _names(self) -> tuple[str | None, str | None]:
        """The names of the lines ``---`` and ``+++``; None for ``/dev/null``."""
        names = []
        for _ in range(2):
            line = self._lines[self._at].rstrip(b"\r\n")[4:]
            quoted = _QUOTED.match(line)
            names.append(_unquoted(quoted[0] if quoted else line.split(b"\t")[0]))
            self._at += 1
        old, new = names
        if {old[:2], new[:2]} <= {"a/", "b/", "/d"}:
            old, new = (name if name == "/dev/null" else name[2:] for name in names)
        if old == new == "/dev/null":
            raise self._error("a file without a name")
        return (None if old == "/dev/null" else old), (None if new == "/dev/null" else new)

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        while found := _HUNK.match(self._peek(0)):
            at = self._at + 1
            old = int(found[2]) if found[2] is not None else 1
            new = int(found[4]) if found[4] is not None else 1
            self._at += 1
            hunks.append(Hunk(int(found[1]), self._body(old, new), len(hunks) + 1, at))
        return tuple(hunks)

    def _body(self, old: int, new: int) -> tuple[tuple[str, bytes], ...]:
        lines: list[tuple[str, bytes]] = []
        while old or new or self._peek(0).startswith(b"\\"):
            line = self._peek(0)
            if line in (b"\n", b"\r\n"):
                line = b" " + line  # a mailer took the blank of an empty line
            mark = line[:1].decode("latin-1")
            if mark == "\\" and lines:
                last, text = lines[-1]
                lines[-1] = (last, text.removesuffix(b"\n"))
            elif mark in (" ", "-", "+") and mark:
                old -= mark != "+"
                new -= mark != "-"
                lines.append((mark, line[1:]))
            else:
                raise self._error("a hunk ends too early")
            if old < 0 or new < 0:
                raise self._error("a hunk has more lines than it says")
            self._at += 1
        return tuple(lines)

    def _peek(self, ahead: int) -> bytes:
        return self._lines[self._at + ahead] if self._at + ahead < len(self._lines) else b""

    def _error(self, what: str) -> DiffError:
        return DiffError(f"line {self._at + 1} of the diff: {what}; nothing was changed")


def _git_names(text: bytes) -> tuple[str, str]:
    """The two names of a line ``diff --git``, of which the unquoted form is not unique."""
    if text.startswith(b'"'):
        end = _QUOTED.match(text)
        left = end[0] if end else text
        right = text[len(left) + 1 :]
    elif b' "' in text:
        left, _, right = text.partition(b' "')
        right = b'"' + right
    else:
        middle = len(text) // 2  # both names are the same, but for a rename, which has its own lines
        left, right = text[:middle], text[middle + 1 :]
    old, new = _unquoted(left), _unquoted(right)
    if old.startswith("a/") and new.startswith("b/"):
        return old[2:], new[2:]
    return old, new


def _unquoted(name: bytes) -> str:
    """A name as git writes it: as it is, or in quotes with escapes."""
    if len(name) < 2 or not (name.startswith(b'"') and name.endswith(b'"')):
        return name.decode("utf-8", "surrogateescape")
    text = name[1:-1].decode("latin-1")
    plain = re.sub(
        r"\\([0-7]{1,3}|.)",
        lambda found: chr(int(found[1], 8) & 255 if found[1][0] in "01234567" else ESCAPES.get(found[1], 63)),
        text,
    )
    return plain.encode("latin-1").decode("utf-8", "surrogateescape")
