"""The envelope in which coding agents write changes of files, read.

    *** Begin Patch
    *** Add File: a.py
    +every line of the new file
    *** Update File: b.py
    *** Move to: c.py
    @@ class A
    @@ def f
     a line that stays
    -a line that goes
    +a line that comes
    *** Delete File: d.py
    *** End Patch

A hunk is placed by its lines and by *anchors*, lines that stand somewhere before it.
``*** End of File`` behind it says that the file ends there.

What cannot be misunderstood is passed over: blank lines around it and before a section, a fence
or a here-document around it, line numbers behind ``@@``, an empty line that lost its blank.
All else that is wrong is told at once, by line.  Pure: text in, values out; no files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from structural.errors import DiffError

__all__ = ["AddFile", "AnchoredHunk", "RemoveFile", "Section", "UpdateFile", "is_envelope", "read_envelope"]

_BEGIN, _END, _EOF = b"*** Begin Patch", b"*** End Patch", b"*** End of File"
_ADD, _DELETE, _UPDATE, _MOVE = b"*** Add File:", b"*** Delete File:", b"*** Update File:", b"*** Move to:"
_SECTIONS = (_ADD, _DELETE, _UPDATE)

_FENCE = re.compile(rb"```[\w+-]*\s*\Z")
_HEREDOC = re.compile(rb"(?:apply_patch\s*)?<<-?\s*(['\"]?)(\w+)\1\s*\Z")
_NUMBERS = re.compile(rb"@@+ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class AnchoredHunk:
    """Some lines before and after.  ``lines`` are (mark, line), with the mark one of `` ``, ``-``,
    ``+`` and the line without its ending.  Invariant: at least one mark is ``-`` or ``+``."""

    anchors: tuple[bytes, ...]
    """Outermost first, without blanks around them."""
    lines: tuple[tuple[str, bytes], ...]
    number: int
    """Counts the hunks of the section from 1."""
    at: int
    """Line (from 1) of the envelope, for messages."""
    last: bool = False
    """Whether the file ends behind it."""

    @property
    def before(self) -> tuple[bytes, ...]:
        """The lines that must be there."""
        return tuple(line for mark, line in self.lines if mark != "+")


@dataclass(frozen=True, slots=True)
class AddFile:
    """A new file with its bytes, as they stand behind the marks."""

    path: str
    content: bytes
    at: int


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """A file that goes."""

    path: str
    at: int


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """Hunks of a file, in its order, and its new name if it gets one.  Not both are empty."""

    path: str
    moved: str | None
    hunks: tuple[AnchoredHunk, ...]
    at: int


Section = AddFile | RemoveFile | UpdateFile


def is_envelope(text: bytes) -> bool:
    """Whether *text* is meant as an envelope, be it a sound one or not."""
    for line in text[:4096].split(b"\n")[:8]:
        line = line.strip()
        if line.startswith((_BEGIN, *_SECTIONS)):
            return True
        if line and not _FENCE.match(line) and not _HEREDOC.match(line):
            return False
    return False


def read_envelope(text: bytes) -> tuple[Section, ...]:
    """The sections of an envelope, in its order.  DiffError tells all that is wrong, by line."""
    raw = text.split(b"\n")
    lines = [line.removesuffix(b"\r") for line in raw]
    reader = _Reader(lines, [line.endswith(b"\r") for line in raw], *_unwrapped(lines))
    reader.read()
    if reader.wrong:
        more = f"; and {len(reader.wrong) - 10} more" if len(reader.wrong) > 10 else ""
        raise DiffError(
            f"{'; '.join(reader.wrong[:10])}{more}; nothing was staged",
            hint="in an update each line begins with ' ', '-' or '+', in a new file with '+'",
        )
    return tuple(reader.sections)


def _unwrapped(lines: list[bytes]) -> tuple[int, int]:
    """The lines between the first and the last line of the envelope, as indexes."""
    first, last = _trimmed(lines, 0, len(lines))
    for _ in range(2):
        if last - first > 1:
            heredoc = _HEREDOC.match(lines[first].strip())
            closing = heredoc[2] if heredoc else b"```" if _FENCE.match(lines[first].strip()) else None
            if closing is not None and lines[last - 1].strip() == closing:
                first, last = _trimmed(lines, first + 1, last - 1)
    if first == last or lines[first].rstrip() != _BEGIN:
        raise DiffError(
            f"line {min(first, len(lines) - 1) + 1} of the envelope is not {_BEGIN.decode()!r}; "
            "nothing was staged",
            hint=f"give the envelope alone, from {_BEGIN.decode()!r} to {_END.decode()!r}",
        )
    ends = next((at for at in range(first, last) if lines[at].rstrip() == _END), None)
    if ends is None:
        raise DiffError(
            f"the envelope has no {_END.decode()!r}, so it may have been cut; nothing was staged",
            hint=f"send all of it again; it ends with a line {_END.decode()!r}",
        )
    if ends != last - 1:
        raise DiffError(
            f"line {ends + 2} of the envelope is behind {_END.decode()!r}; nothing was staged",
            hint="give one envelope alone; it may hold any number of files",
        )
    return first + 1, ends


def _trimmed(lines: list[bytes], first: int, last: int) -> tuple[int, int]:
    while first < last and not lines[first].strip():
        first += 1
    while first < last and not lines[last - 1].strip():
        last -= 1
    return first, last


class _Reader:
    """Goes through the lines of an envelope once, and past what is wrong."""

    def __init__(self, lines: list[bytes], endings: list[bool], first: int, last: int) -> None:
        self.sections: list[Section] = []
        self.wrong: list[str] = []
        self._lines = lines
        self._endings = endings
        self._at = first
        self._last = last

    def read(self) -> None:
        while (line := self._peek()) is not None:
            at = self._at + 1
            self._at += 1
            if line.startswith(_ADD):
                self._add(self._path(line, _ADD, at), at)
            elif line.startswith(_DELETE):
                path = self._path(line, _DELETE, at)
                self._skip_blank()
                if (extra := self._peek()) is not None and not extra.startswith(b"***"):
                    self._fault(f"nothing may follow a file that goes, but there is {_shown(extra)}")
                    self._to_section()
                self.sections.append(RemoveFile(path, at))
            elif line.startswith(_UPDATE):
                self._update(self._path(line, _UPDATE, at), at)
            elif line.strip():
                self._at -= 1
                self._fault(f"{_shown(line)} begins no file: there are Add, Delete and Update File")
                self._at += 1
                self._to_section()
        if not self.sections and not self.wrong:
            self.wrong.append("the envelope names no file")

    def _add(self, path: str, at: int) -> None:
        content: list[bytes] = []
        while (line := self._peek()) is not None and not line.startswith(b"***"):
            if line.startswith(b"+"):
                content += [line[1:], b"\r\n" if self._endings[self._at] else b"\n"]
            elif line.strip() or not self._blank_to_the_end():
                self._fault(f"a line of the new file {path} has no '+'")
                self._to_section()
                break
            self._at += 1
        self.sections.append(AddFile(path, b"".join(content), at))

    def _update(self, path: str, at: int) -> None:
        moved: str | None = None
        line = self._peek()
        if line is not None and line.startswith(_MOVE):
            moved = self._path(line, _MOVE, self._at + 1)
            self._at += 1
        if (self._peek() or b"").startswith(b"--- ") and (self._peek(1) or b"").startswith(b"+++ "):
            self._fault("a header of a unified diff has no place in an envelope")
            self._at += 2
        hunks: list[AnchoredHunk] = []
        self._skip_blank()
        while (line := self._peek()) is not None and not line.startswith(_SECTIONS):
            start = self._at
            hunk = self._hunk(path, len(hunks) + 1)
            if hunk is not None:
                hunks.append(hunk)
            if self._at == start:
                self._at += 1
            self._skip_blank()
        if not hunks and moved is None and not self.wrong:
            self.wrong.append(f"line {at} of the envelope: the update of {path} has no hunk")
        self.sections.append(UpdateFile(path, moved, tuple(hunks), at))

    def _hunk(self, path: str, number: int) -> AnchoredHunk | None:
        start = self._at + 1
        anchors: list[bytes] = []
        while (line := self._peek()) is not None and line.startswith(b"@@"):
            anchor = b"" if _NUMBERS.match(line) else line[2:].strip()
            anchor = anchor.removesuffix(b" @@").rstrip()
            if anchor and anchor != b"@@":
                anchors.append(anchor)
            self._at += 1
        lines: list[tuple[str, bytes]] = []
        blank = 0
        last = False
        faults = len(self.wrong)
        while (line := self._peek()) is not None and not line.startswith((b"@@", *_SECTIONS)):
            mark = line[:1]
            if mark in (b" ", b"-", b"+") and mark:
                lines.append((mark.decode(), line[1:]))
                blank = 0
            elif not line:
                lines.append((" ", b""))
                blank += 1
            elif line.rstrip() == _EOF:
                last = True
                self._at += 1
                break
            else:
                self._bad(line, path)
            self._at += 1
        if blank and not last:
            del lines[-blank:]  # more likely there for the eye; as context they would change nothing
        if len(self.wrong) > faults:
            return None
        if all(mark == " " for mark, _ in lines):
            self.wrong.append(f"line {start} of the envelope: hunk {number} of {path} changes nothing")
            return None
        return AnchoredHunk(tuple(anchors), tuple(lines), number, start, last)

    def _bad(self, line: bytes, path: str) -> None:
        if line.startswith(_MOVE):
            self._fault(f"{_MOVE.decode()} must stand right behind {_UPDATE.decode()}, once")
        elif line.startswith(b"***"):
            self._fault(f"{_shown(line)} is no line of an envelope")
        else:
            self._fault(f"{_shown(line)}, of the update of {path}, begins with none of ' ', '-' and '+'")

    def _path(self, line: bytes, mark: bytes, at: int) -> str:
        path = line[len(mark) :].strip().decode("utf-8", "surrogateescape")
        if not path:
            self.wrong.append(f"line {at} of the envelope: {mark.decode()} names no file")
        return path

    def _peek(self, ahead: int = 0) -> bytes | None:
        return self._lines[self._at + ahead] if self._at + ahead < self._last else None

    def _skip_blank(self) -> None:
        while (line := self._peek()) is not None and not line.strip():
            self._at += 1

    def _blank_to_the_end(self) -> bool:
        """Whether there are only blank lines up to the next section."""
        at = self._at
        while at < self._last and not self._lines[at].strip():
            at += 1
        return at == self._last or self._lines[at].startswith(b"***")

    def _to_section(self) -> None:
        while (line := self._peek()) is not None and not line.startswith(_SECTIONS):
            self._at += 1

    def _fault(self, what: str) -> None:
        """Something is wrong with the line that is at hand."""
        self.wrong.append(f"line {self._at + 1} of the envelope: {what}")


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    return repr(text if len(text) <= 60 else text[:59] + "…")
