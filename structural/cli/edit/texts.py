"""Lines of text about a staged change: counts, files, refused sites, the diff."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from structural.cli.colour import Palette
from structural.cli.lines import text_of
from structural.workflow.changes import (
    FileView,
    Refused,
    StagedChange,
    Stale,
    counted,
    listed,
    site_lines,
)

MOST = 20
"""Files or refused sites that are listed where more can be asked for."""

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+")


def count(number: int, one: str, many: str = "") -> str:
    """As ``1,696 sites``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def amount(change: StagedChange, added: int, removed: int, c: Palette) -> str:
    """How much a change is."""
    sites = count(change.sites, "site")
    more = f" ({count(change.matches, 'match', 'matches')})" if change.matches != change.sites else ""
    return f"{sites}{more} in {count(len(change.files), 'file')}, {plus_minus(added, removed, c)}"


def plus_minus(added: int, removed: int, c: Palette) -> str:
    """As ``+3 -2``."""
    return f"{c.added}+{added:,}{c.off} {c.removed}-{removed:,}{c.off}"


def stat_lines(
    change: StagedChange, counts: Mapping[str, tuple[int, int]], c: Palette, most: int = 0
) -> Iterator[str]:
    """One line a file; of more than *most* only the first."""
    shown = change.files[:most] if most and len(change.files) > most else change.files
    width = min(max((len(clean(file.path)) for file in shown), default=0), 60)
    for file in shown:
        what = {"create": "new file", "delete": "deleted"}.get(file.action, count(len(file.sites), "site"))
        name = clean(file.path)
        space = " " * (width - len(name))
        yield f"  {c.path}{name}{c.off}{space}  {what:>9}  {plus_minus(*counts[file.path], c)}"
    if len(shown) < len(change.files):
        yield f"  and {count(len(change.files) - len(shown), 'more file')}"


def refused_lines(refused: Sequence[Refused], c: Palette, most: int = 0) -> Iterator[str]:
    """Every refused match with its place and reason."""
    if not refused:
        return
    yield f"{c.error}refused{c.off} {count(len(refused), 'match', 'matches')}, left as before:"
    shown = refused[:most] if most and len(refused) > most else refused
    for one in shown:
        yield f"  {c.path}{clean(one.path)}{c.off}:{c.line}{one.line}{c.off}: {one.reason}"
    if len(shown) < len(refused):
        yield f"  and {len(refused) - len(shown):,} more"


def set_aside_lines(skipped: Sequence[Any]) -> list[str]:
    """Files with matches that may not be written, with the reason, and how many there are."""
    if not skipped:
        return []
    shown = [f"  {clean(one.path)}: {one.reason}, {one.detail}" for one in skipped[:MOST]]
    more = [f"  and {len(skipped) - MOST:,} more"] if len(skipped) > MOST else []
    return [f"set aside: {count(len(skipped), 'file')} with matches that may not be written", *shown, *more]


def skipped_note_lines(notes: Mapping[str, Any]) -> Iterator[str]:
    """What the search of a staged change could not look at."""
    for path, reason, detail in notes.get("skipped", ()):
        yield f"  skipped {clean(path)}: {reason}{f' ({detail})' if detail else ''}"
    for path, error in notes.get("failed", ()):
        yield f"  failed on {clean(path)}: {error} (this is a bug of this program)"
    for path in notes.get("exhausted", ()):
        yield f"  given up {clean(path)}: the pattern leaves too many choices there"


def stale_lines(stale: Iterable[Stale], c: Palette) -> Iterator[str]:
    """Every file that moved on, with the digests."""
    for one in stale:
        digests = f"expected {short(one.expected)}, found {short(one.found)}"
        yield f"  {c.path}{clean(one.path)}{c.off} {one.why}: {digests}"


def diff_lines(
    view: FileView, diff: bytes, c: Palette, *, terminal: bool, numbers: bool = True
) -> Iterator[str]:
    """A diff for people: coloured, with the numbers of the sites of each hunk."""
    places = site_lines(view) if numbers else []
    inside = False
    for line in diff.split(b"\n")[:-1]:
        text = text_of(line, terminal)
        hunk = _HUNK.match(line)
        if hunk:
            inside = True
            first, length = int(hunk[1]), int(hunk[2]) if hunk[2] is not None else 1
            here = [number for number, at in places if first <= at < first + max(length, 1)]
            sites = f" {c.strong}site {listed(here)}{c.off}" if here else ""
            yield f"{c.hunk}{text}{c.off}{sites}"
        elif not inside:
            yield f"{c.strong}{text}{c.off}"
        elif line[:1] == b"+":
            yield f"{c.added}{text}{c.off}"
        elif line[:1] == b"-":
            yield f"{c.removed}{text}{c.off}"
        elif line[:1] == b"\\":
            yield f"{c.dim}{text}{c.off}"
        else:
            yield text


def counts_of(diffs: Mapping[str, bytes]) -> dict[str, tuple[int, int]]:
    """Lines added and removed of every file, from its diff."""
    return {path: counted(diff) for path, diff in diffs.items()}


def short(digest: str | None) -> str:
    """The beginning of a digest, for people."""
    return digest[:12] if digest else "no file"


def ago(then: datetime) -> str:
    """How long ago, in one word or two."""
    seconds = max(0, int((datetime.now(UTC) - then).total_seconds()))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{count(seconds // size, unit)} ago"
    return "just now"


def clean(path: str) -> str:
    """A path without what could move the cursor."""
    if path.isprintable():
        return path
    return "".join(ch if ch.isprintable() or "\udc80" <= ch <= "\udcff" else "\ufffd" for ch in path)
