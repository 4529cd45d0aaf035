"""Unified diffs, written and read.  Bytes all the way: no encoding, no guess at line endings.

Writing makes what ``git apply`` and ``patch -p1`` take.  With the edits at hand the cost is
that of finding line breaks, however large the file is.

Reading takes what they write.  A hunk fits where every line of it stands, to the byte: at
its line, else at the only other place that has these lines.  There is no fuzz.

A line ends at ``\\n`` only.  Pure: no files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from structural.errors import DiffError
from structural.text.edits import Edit, apply
from structural.text.spans import Span

_REGULAR = 0o100644
_COMPARED = 2_000
"""Lines of a changed stretch up to which lines that stay inside of it are looked for."""

_NO_NEWLINE = b"\\ No newline at end of file\n"
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


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


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines that are replaced: a byte range of the text before, and the lines for it."""

    start: int
    end: int
    new: tuple[bytes, ...]


def unified(
    path: str,
    before: bytes | None,
    after: bytes | None,
    *,
    edits: Sequence[Edit] | None = None,
    context: int = 3,
    mode: int = _REGULAR,
) -> bytes:
    """The diff of one file, with git's header; empty if nothing differs.

    None stands for no file.  *edits*, if given, must take *before* to *after*.  *mode* is told
    where the file is made or goes.
    """
    if before == after:
        return b""
    old, new = _name("a/" + path), _name("b/" + path)
    head = b"diff --git " + old + b" " + new + b"\n"
    if before is None:
        head += b"new file mode %o\n" % mode
    elif after is None:
        head += b"deleted file mode %o\n" % mode
    left, right = before or b"", after or b""
    body = b"".join(_hunks(left, _changes(left, right, edits), context))
    if body:
        head += b"--- " + (b"/dev/null" if before is None else old + _end(old)) + b"\n"
        head += b"+++ " + (b"/dev/null" if after is None else new + _end(new)) + b"\n"
    return head + body


def read_patch(data: bytes) -> tuple[FilePatch, ...]:
    """The files of a diff, in its order.  DiffError tells what cannot be read, and in which line.

    Text before, between and behind the files is passed over, as in a mail.
    """
    return tuple(_Reader(data).files())


def fit(patch: FilePatch, source: bytes) -> tuple[Edit, ...]:
    """The edits that *patch* makes to *source*.  DiffError names the first hunk that does not fit."""
    edits: list[Edit] = []
    starts = _line_starts(source)
    done = 0
    for hunk in patch.hunks:
        at = _place(patch, hunk, source, starts, done)
        for start, end, new in _runs(hunk, at):
            edits.append(Edit(Span(start, end), new))
        done = at + len(hunk.before)
    return tuple(edits)


def _changes(before: bytes, after: bytes, edits: Sequence[Edit] | None) -> Iterator[_Change]:
    if edits is None:
        yield from _compared(0, before, after)
        return
    for start, end, inside in _stretches(before, edits):
        moved = [Edit(Span(e.span.start - start, e.span.end - start), e.new) for e in inside]
        old = before[start:end]
        yield from _compared(start, old, apply(old, moved))


def _stretches(before: bytes, edits: Sequence[Edit]) -> Iterator[tuple[int, int, list[Edit]]]:
    """Whole lines that hold edits, and the edits; stretches do not touch one another."""
    start = end = -1
    inside: list[Edit] = []
    for edit in edits:
        first = before.rfind(b"\n", 0, edit.span.start) + 1
        last = edit.span.end
        whole = edit.new.endswith(b"\n") or (not edit.new and edit.span.start == first)
        if not whole or (last and before[last - 1] != 0x0A):
            last = before.find(b"\n", last) + 1 or len(before)
        if inside and first <= end:
            end = max(end, last)
        else:
            if inside:
                yield start, end, inside
            start, end, inside = first, last, []
        inside.append(edit)
    if inside:
        yield start, end, inside


def _compared(at: int, before: bytes, after: bytes) -> Iterator[_Change]:
    """What differs between two texts of whole lines; *at* is where *before* stands in the file."""
    if before == after:
        return
    old, new = _lines(before), _lines(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    at += sum(map(len, old[:head]))
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not old or not new or max(len(old), len(new)) > _COMPARED:
        yield _Change(at, at + sum(map(len, old)), tuple(new))
        return
    offsets = [at]
    for line in old:
        offsets.append(offsets[-1] + len(line))
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield _Change(offsets[i], offsets[j], tuple(new[k:m]))


def _hunks(before: bytes, changes: Iterator[_Change], context: int) -> Iterator[bytes]:
    """The text of every hunk.  Changes so near that their contexts meet share one."""
    group: list[_Change] = []
    line, counted, shift = 1, 0, 0
    for change in [*changes, None]:
        if change and group:
            between = before.count(b"\n", group[-1].end, change.start)
            if between <= 2 * context:
                group.append(change)
                continue
        if group:
            start = _back(before, group[0].start, context)
            line += before.count(b"\n", counted, start)
            counted = start
            text, shift = _hunk(before, group, start, line, shift, context)
            yield text
        group = [change] if change else []


def _hunk(
    before: bytes, group: list[_Change], start: int, line: int, shift: int, context: int
) -> tuple[bytes, int]:
    """One hunk, and by how many lines the text behind it has moved."""
    pieces: list[bytes] = []
    old = new = 0
    at = start
    for change in group:
        same = _lines(before[at : change.start])
        gone = _lines(before[change.start : change.end])
        pieces += [_marked(b" ", text) for text in same]
        pieces += [_marked(b"-", text) for text in gone]
        pieces += [_marked(b"+", text) for text in change.new]
        old += len(same) + len(gone)
        new += len(same) + len(change.new)
        at = change.end
    same = _lines(before[at : _forth(before, at, context)])
    pieces += [_marked(b" ", text) for text in same]
    old += len(same)
    new += len(same)
    head = b"@@ -%s +%s @@\n" % (_range(line, old), _range(line + shift, new))
    return head + b"".join(pieces), shift + new - old


def _range(line: int, count: int) -> bytes:
    if count == 1:
        return b"%d" % line
    return b"%d,%d" % (line if count else line - 1, count)


def _marked(mark: bytes, line: bytes) -> bytes:
    return mark + line if line.endswith(b"\n") else mark + line + b"\n" + _NO_NEWLINE


def _back(text: bytes, at: int, lines: int) -> int:
    """The start of the line *lines* before the one that begins at *at*."""
    for _ in range(lines):
        if not at:
            break
        at = text.rfind(b"\n", 0, at - 1) + 1
    return at


def _forth(text: bytes, at: int, lines: int) -> int:
    for _ in range(lines):
        at = text.find(b"\n", at) + 1 or len(text)
    return at


def _lines(text: bytes) -> list[bytes]:
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


def _place(patch: FilePatch, hunk: Hunk, source: bytes, starts: list[int], done: int) -> int:
    """The byte at which *hunk* stands."""
    wanted = hunk.before
    line = hunk.start - 1 if wanted else hunk.start
    if line < 0:
        line = 0
    if line < len(starts):
        at = starts[line]
        if at >= done and _stands(wanted, source, at):
            return at
    elif not wanted and line == len(starts) and not source.endswith(b"\n"):
        raise _misfit(patch, hunk, "it adds a line behind one that has no end")
    found: list[int] = []
    at = source.find(wanted, done) if wanted else -1
    while at >= 0 and len(found) < 2:
        if (at == 0 or source[at - 1] == 0x0A) and _stands(wanted, source, at):
            found.append(at)
        at = source.find(wanted, at + 1)
    if len(found) == 1:
        return found[0]
    why = "its lines stand at several places" if found else "its lines are not there"
    raise _misfit(patch, hunk, why)


def _stands(wanted: bytes, source: bytes, at: int) -> bool:
    """Whether whole lines *wanted* are what *source* has at *at*."""
    if not source.startswith(wanted, at):
        return False
    end = at + len(wanted)
    return not wanted or wanted.endswith(b"\n") or end == len(source)


def _misfit(patch: FilePatch, hunk: Hunk, why: str) -> DiffError:
    return DiffError(
        f"hunk {hunk.number} of {patch.path} (line {hunk.at} of the diff) does not fit: {why}; "
        "nothing was changed",
        hint="make the diff again from the files as they are",
    )


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
        self._lines = _lines(data)
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
        lambda found: chr(
            int(found[1], 8) & 255 if found[1][0] in "01234567" else _ESCAPES.get(found[1], 63)
        ),
        text,
    )
    return plain.encode("latin-1").decode("utf-8", "surrogateescape")


def _name(path: str) -> bytes:
    """A path for a header: in quotes, with escapes, if it has characters that would confuse."""
    raw = path.encode("utf-8", "surrogateescape")
    try:
        raw.decode("utf-8")
        odd = re.search(rb'[\x00-\x1f\x7f"\\]', raw) is not None
    except UnicodeDecodeError:
        odd = True
    if not odd:
        return raw
    letters = {value: letter for letter, value in _ESCAPES.items()}
    quoted = [
        b"\\" + letters[byte].encode()
        if byte in letters
        else (b"\\%03o" % byte if byte < 32 or byte > 126 else bytes([byte]))
        for byte in raw
    ]
    return b'"' + b"".join(quoted) + b'"'


def _end(name: bytes) -> bytes:
    """What git puts behind a name with a blank, so that nobody takes the rest for a date."""
    return b"\t" if b" " in name else b""
