"""One change written in every way makes the same bytes, and hostile input never ends in a crash."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from structural.errors import StructuralError
from structural.staging import open_store
from structural.text import digest
from structural.text.differences import line_edits
from structural.text.edits import apply
from structural.text.endings import ending_of, split
from structural.text.lines import Lines
from structural.text.nearby import nearest
from structural.workflow.changes import views
from structural.workflow.staging import Staged
from structural.workflow.trees import OpenTree
from structural.workflow.writing import (
    LineReplacement,
    Replacement,
    TextReplacement,
    stage_diff_or_envelope,
    stage_envelope,
    stage_replacements,
    stage_write,
)
from tests.writing.trees import files

steady = settings(deadline=None, derandomize=True, database=None, max_examples=25)


@dataclass(frozen=True)
class Change:
    """A file of lines that differ from one another, and runs of them with what they become."""

    lines: tuple[str, ...]
    runs: tuple[tuple[int, int, tuple[str, ...]], ...]
    ending: str
    open: bool

    def text(self, lines: list[str], ending: str) -> str:
        """As the file has it: without a last ending, if that is its way and the last line is there."""
        whole = "".join(line + ending for line in lines)
        kept = self.open and lines and not self.loses_its_end
        return whole.removesuffix(ending) if kept or (self.open and lines == list(self.lines)) else whole

    @property
    def loses_its_end(self) -> bool:
        """Whether the last line goes and nothing comes for it."""
        return bool(self.runs) and self.runs[-1][1] == len(self.lines) and not self.runs[-1][2]

    @property
    def before(self) -> bytes:
        whole = "".join(line + self.ending for line in self.lines)
        return (whole.removesuffix(self.ending) if self.open else whole).encode()

    def after(self, ending: str) -> bytes:
        found: list[str] = []
        at = 0
        for first, end, new in self.runs:
            found += [*self.lines[at:first], *new]
            at = end
        return self.text([*found, *self.lines[at:]], ending).encode()


_ODD = st.sampled_from(
    ["", " ", "\t", "é", "*** End Patch", "@@", "-", "+", "\\n", "“", "\x0c", "\x85", "&lt;"]
)


@st.composite
def changes(draw: st.DrawFn) -> Change:
    size = draw(st.integers(1, 12))
    lines = tuple(f"{draw(_ODD)}line {number}{draw(_ODD)};" for number in range(size))
    cuts = sorted(draw(st.sets(st.integers(0, size), min_size=2, max_size=6)))
    runs: list[tuple[int, int, tuple[str, ...]]] = []
    for first, end in zip(cuts[::2], cuts[1::2], strict=False):
        count = draw(st.integers(0, 3))
        new = tuple(f"{draw(_ODD)}new {first} {step}{draw(_ODD)}" for step in range(count))
        runs.append((first, end, new))
    return Change(lines, tuple(runs), draw(st.sampled_from(["\n", "\r\n"])), draw(st.booleans()))


def as_whole(tree: OpenTree, change: Change) -> Staged:
    return stage_write(tree, "f", change.after("\n").decode(), expected=digest(change.before)[:12])


def as_lines(tree: OpenTree, change: Change) -> Staged:
    wanted = [
        LineReplacement("f", first + 1, end, "\n".join(change.lines[first:end]), "\n".join(new))
        for first, end, new in change.runs
    ]
    return stage_replacements(tree, wanted)


def as_texts(tree: OpenTree, change: Change) -> Staged:
    wanted: list[Replacement] = []
    for first, end, new in change.runs:
        old = "\n".join(change.lines[first:end])
        if not new and not (change.open and end == len(change.lines)):
            old += "\n"
        wanted.append(TextReplacement("f", old, "\n".join(new)))
    return stage_replacements(tree, wanted)


def as_envelope(tree: OpenTree, change: Change) -> Staged:
    rows = ["*** Begin Patch", "*** Update File: f"]
    for first, end, new in change.runs:
        rows += ["@@", *(f" {line}" for line in change.lines[max(first - 1, 0) : first])]
        rows += [*(f"-{line}" for line in change.lines[first:end]), *(f"+{line}" for line in new)]
    return stage_envelope(tree, "\n".join([*rows, "*** End Patch", ""]))


WAYS: tuple[Callable[[OpenTree, Change], Staged], ...] = (as_whole, as_lines, as_texts, as_envelope)


@steady
@given(changes())
def test_every_way_makes_the_same_bytes_and_is_taken_back(change: Change) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "f").write_bytes(change.before)
        tree = OpenTree(root, open_store(root))
        wanted = change.after(change.ending)
        if len(change.lines) == 1 and change.open:
            wanted = change.after("\n")  # a file without any line ending tells none
        for way in WAYS:
            staged = way(tree, change)
            assert staged.change is not None
            tree.store.commit(staged.change.id)
            assert files(tree) == {"f": wanted}, way
            tree.store.undo()
            assert files(tree) == {"f": change.before}, way


@settings(steady, max_examples=300)
@given(
    st.binary(max_size=60), st.binary(max_size=60), st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"a"]))
)
def test_line_edits_make_the_text_after(before: bytes, after: bytes, rows: list[bytes]) -> None:
    texts = [before, after, b"".join(rows), b"".join(reversed(rows)), b"".join(rows[::2])]
    for one in texts:
        for other in texts:
            edits = line_edits(one, other)
            assert apply(one, edits) == other
            for left, right in pairwise(edits):
                assert left.span.end < right.span.start


@settings(steady, max_examples=300)
@given(st.text("ab \n\r“\t", max_size=40), st.lists(st.text("ab “\t", max_size=5), max_size=5))
def test_lines_and_the_nearest_place_are_always_told(text: str, wanted: list[str]) -> None:
    source = text.encode()
    lines = Lines(source)
    rows = [line.encode() for line in wanted]
    assert lines.contents == split(source)
    assert ending_of(source) in (None, b"\n", b"\r\n")
    for partly in (False, True):
        near = nearest(lines.contents, rows, partly=partly)
        if near is not None:
            assert 1 <= near.line <= near.last <= max(lines.count, 1)
            assert str(near)
    if rows:
        places = [at for at in range(lines.count) if lines.contents[at : at + len(rows)] == rows]
        assert lines.find(rows) == places


_ROWS = st.sampled_from(
    [
        *("*** Begin Patch", "*** End Patch", "*** Update File: f", "*** Update File: n", "*** Add File: n"),
        *(
            "*** Delete File: f",
            "*** Move to: m",
            "*** End of File",
            "@@",
            "@@ a",
            "@@ -1 +1 @@",
            "",
            " ",
            " a",
        ),
        *(
            "-a",
            "+a",
            "-b",
            "+b",
            "+\0",
            "-\x85",
            "+\r",
            "***",
            "-\ufeffa",
            "--- a/f",
            "+++ b/f",
            "@@ -1 +1 @@ a",
        ),
    ]
)


@settings(steady, max_examples=60)
@given(
    st.one_of(
        st.binary(max_size=20), st.sampled_from([b"", b"a\n", b"a\nb", b"a\r\nb\r\n", b"\xef\xbb\xbf"])
    ),
    st.lists(_ROWS, max_size=9),
    st.text(max_size=8),
    st.integers(-1, 3),
    st.integers(-1, 3),
)
def test_hostile_input_is_refused_or_exact(
    before: bytes, rows: list[str], odd: str, first: int, last: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "f").write_bytes(before)
        tree = OpenTree(root, open_store(root))
        body = "\n".join(rows)
        sure = digest(before)
        calls: list[Callable[[], Staged]] = [
            lambda: stage_envelope(tree, f"*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch"),
            lambda: stage_envelope(tree, f"*** Begin Patch\n*** Update File: f\n@@\n-{odd}\n*** End Patch"),
            lambda: stage_diff_or_envelope(tree, body),
            lambda: stage_diff_or_envelope(tree, odd),
            lambda: stage_replacements(tree, [TextReplacement("f", odd, body, None)]),
            lambda: stage_replacements(tree, [TextReplacement("f", "a", odd + "\ud800", None)]),
            lambda: stage_replacements(tree, [LineReplacement("f", first, last, odd, body, sure)]),
            lambda: stage_write(tree, odd, body, expected=None),
            lambda: stage_write(tree, "f", odd, expected=sure),
        ]
        for call in calls:
            with suppress(StructuralError):
                staged = call()
                for view in views(tree, staged.change) if staged.change else ():
                    assert apply(view.before, view.file.edits) == view.after
        data = odd.encode("utf-8", "replace") + b"\n\0\xff"
        exact = stage_write(tree, "f", data, expected=sure)
        assert exact.change is not None
        assert [view.after for view in views(tree, exact.change)] == [data]
        assert files(tree) == {"f": before}
