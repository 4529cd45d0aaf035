"""Where a text comes closest that was expected in a file and is not there.

For messages only: nothing is ever changed at such a place.  Tried in order: the same lines
but for white space and for characters that look alike; the place where most of the lines
stand; the most similar line.

Pure: lines in, a value out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

__all__ = ["Near", "nearest", "shown"]

_VOTES = 50
"""Places of one line that are taken into account."""
_COMPARED = 4_000
"""Lines up to which the most similar one is looked for, and bytes up to which a line is compared."""
_SIMILAR = 0.6

_ALIKE = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u202f\u3000", " ")
    | dict.fromkeys("\ufeff\u200b\u200c\u200d\u2060", "")
)


@dataclass(frozen=True, slots=True)
class Near:
    """The nearest place: its line (from 1), and the first line there that differs."""

    line: int
    last: int
    how: str
    """In what the lines differ, as ``indentation``; empty where they are other lines."""
    differs: int
    """The line (from 1) of the file that differs first."""
    expected: bytes
    found: bytes

    def __str__(self) -> str:
        where = f"line {self.line}" if self.line == self.last else f"lines {self.line}-{self.last}"
        how = f"nearest is {where}"
        if self.how:
            how += f", which differs only in {self.how}"
        at = f", first in line {self.differs}" if self.line != self.last else ""
        return f"{how}{at}: expected {shown(self.expected)}, found {shown(self.found)}"


def nearest(
    have: Sequence[bytes], wanted: Sequence[bytes], *, partly: bool = False, about: int = 0
) -> Near | None:
    """Where *wanted* comes closest to standing in *have*; both are lines without endings.

    *partly* says that the first and the last line of *wanted* may be parts of lines.  Of places that are
    as close, the one nearest to the line *about* (from 0) is told.
    """
    if not any(line.strip() for line in wanted):
        return None
    return _but_for_blanks(have, wanted, partly) or _most_lines(have, wanted, about) or _similar(have, wanted)


def shown(line: bytes, most: int = 100) -> str:
    """A line for a message: in quotes, with escapes, cut."""
    text = line.decode("utf-8", "replace")
    return repr(text if len(text) <= most else text[: most - 1] + "…")


# --- the ways ----------------------------------------------------------------------------------------


def _but_for_blanks(have: Sequence[bytes], wanted: Sequence[bytes], partly: bool) -> Near | None:
    """The only place or the first one where the lines are the same but for white space."""
    kept = [(at, plain) for at, line in enumerate(have) if (plain := _plain(line))]
    sought = [plain for line in wanted if (plain := _plain(line))]
    text = b"\n" + b"".join(plain + b"\n" for _, plain in kept)
    needle = b"\n".join(sought)
    at = text.find(needle if partly else b"\n" + needle + b"\n")
    if at < 0:
        return None
    starts = list(accumulate((len(plain) + 1 for _, plain in kept), initial=1))
    first = bisect_right(starts, at if partly else at + 1) - 1
    line = kept[first][0]
    last = kept[first + len(sought) - 1][0]
    return _compared(have[line : last + 1], _without_blank_ends(wanted), line, partly)


def _compared(there: Sequence[bytes], wanted: Sequence[bytes], line: int, partly: bool) -> Near:
    """What differs between lines that are the same but for white space."""
    last = line + len(there)
    if len(there) != len(wanted):
        at = next((i for i, (a, b) in enumerate(zip(there, wanted, strict=False)) if bool(a) != bool(b)), 0)
        return Near(line + 1, last, "white space and empty lines", line + at + 1, wanted[at], there[at])
    pairs = list(zip(there, wanted, strict=True))
    if partly:  # what is before the first line and behind the last one is no difference
        pairs[0] = (_end_like(*pairs[0]), pairs[0][1])
        pairs[-1] = (_begin_like(*pairs[-1]), pairs[-1][1])
    differing = [(i, have, want) for i, (have, want) in enumerate(pairs) if have != want]
    if not differing:
        return Near(line + 1, last, "empty lines around it", line + 1, wanted[0], there[0])
    how = "white space"
    if any(b"".join(have.split()) != b"".join(want.split()) for _, have, want in differing):
        how = "white space or in characters that look alike"
        if all(len(_text(have)) == len(_text(want)) for _, have, want in differing):
            how = "characters that look alike"
    elif all(have.rstrip() == want.rstrip() for _, have, want in differing):
        how = "blanks at the ends of lines"
    elif all(have.strip() == want.strip() for _, have, want in differing):
        how = "indentation"
        if all(have.expandtabs(n) == want.expandtabs(n) for _, have, want in differing for n in (4,)):
            how = "indentation (tabs or blanks)"
    i, _, want = differing[0]
    return Near(line + 1, last, how, line + i + 1, want, there[i])


def _end_like(have: bytes, want: bytes) -> bytes:
    """The end of *have* that is *want* but for white space; all of it if none is."""
    if have.endswith(want):
        return want
    for at in range(len(have) if len(have) <= _COMPARED else 0):
        if not have[at : at + 1].isspace() and _plain(have[at:]) == _plain(want):
            indented = want[:1].isspace() and not have[:at].strip()
            return have if indented else have[at:]
    return have


def _begin_like(have: bytes, want: bytes) -> bytes:
    """The beginning of *have* that is *want* but for white space; all of it if none is."""
    if have.startswith(want):
        return want
    for at in range(len(have) if len(have) <= _COMPARED else 0):
        if _plain(have[: at + 1]) == _plain(want):
            return have[: at + 1]
    return have


def _without_blank_ends(lines: Sequence[bytes]) -> Sequence[bytes]:
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while first < last and not lines[last - 1].strip():
        last -= 1
    return lines[first:last]


def _most_lines(have: Sequence[bytes], wanted: Sequence[bytes], about: int) -> Near | None:
    """The place at which most of the lines stand where they should."""
    if len(wanted) < 2:
        return None
    places: dict[bytes, list[int]] = {}
    sought = [line.strip() for line in wanted]
    telling = {line for line in sought if len(line) > 2}
    for at, line in enumerate(have):
        if (bare := line.strip()) in telling:
            places.setdefault(bare, []).append(at)
    votes: Counter[int] = Counter()
    for step, line in enumerate(sought):
        votes.update(at - step for at in places.get(line, ())[:_VOTES])
    if not votes:
        return None
    best = max(votes.items(), key=lambda vote: (vote[1], -abs(vote[0] - about), -vote[0]))[0]
    for step, line in enumerate(wanted):
        at = best + step
        there = have[at] if 0 <= at < len(have) else b""
        if there != line:
            first = max(best, 0)
            return Near(first + 1, min(best + len(wanted), len(have)), "", max(at, 0) + 1, line, there)
    return None


def _similar(have: Sequence[bytes], wanted: Sequence[bytes]) -> Near | None:
    """The line that is most like the first one that is not blank."""
    if len(have) > _COMPARED:
        return None
    sought = next(line for line in wanted if line.strip())
    if len(sought) > _COMPARED:
        return None
    matcher = SequenceMatcher(None, b"", sought.strip(), autojunk=False)
    best, place = _SIMILAR, -1
    for at, line in enumerate(have):
        bare = line.strip()
        if not bare or len(bare) > _COMPARED:
            continue
        matcher.set_seq1(bare)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            ratio = matcher.ratio() if len(bare) * len(sought) <= 40_000 else matcher.quick_ratio()
            if ratio > best:
                best, place = ratio, at
    return None if place < 0 else Near(place + 1, place + 1, "", place + 1, sought, have[place])


def _plain(line: bytes) -> bytes:
    """A line without white space, with characters that look alike made one."""
    if line.isascii():
        return b"".join(line.split())
    return b"".join(_text(line).split()).replace(b" ", b"")


def _text(line: bytes) -> bytes:
    """Looking alike made the same."""
    return line.decode("utf-8", "surrogateescape").translate(_ALIKE).encode("utf-8", "surrogateescape")
