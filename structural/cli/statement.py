"""The completeness statement: what was searched, what was not and why, how the pattern was read.

It goes to standard error, in one or two lines, so that the answer itself stays
clean.  With nothing found it also shows the near misses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from structural.cli.colour import Palette
from structural.workflow.searching import NearMiss, Summary

_NAMES = 8
"""Names that a list shows before it only counts."""


def statement(summary: Summary, c: Palette) -> str:
    """The lines of the statement, each with its line ending."""
    out = [f"{_found(summary)}{left_out(summary, len(summary.exhausted))}{_cut(summary)}\n"]
    reading = _readings(summary)
    if reading:
        out.append(f"{reading}\n")
    if not summary.matches and summary.near_misses:
        out.append("closest:\n")
        out += [line for near in summary.near_misses for line in _near(near, c)]
    out += [
        f"{c.error}failed{c.off} on {failed.path}: {failed.error} (this is a bug of this program)\n"
        for failed in summary.failed[:_NAMES]
    ]
    return "".join(out)


def skipped_lines(summary: Summary) -> Iterator[str]:
    """One line for every file or folder that was not searched."""
    for skipped in summary.skipped_paths:
        detail = f" ({skipped.detail})" if skipped.detail else ""
        yield f"skipped {skipped.path}: {skipped.reason}{detail}\n"
    for path in summary.exhausted:
        yield f"given up {path}: the pattern leaves too many choices there\n"


def stats_lines(summary: Summary) -> Iterator[str]:
    """For ``--stats``: sizes and times."""
    yield (
        f"{summary.bytes:,} bytes read, {counted(summary.parsed, 'file')} parsed, "
        f"{summary.seconds:.3f} s in all\n"
    )
    if summary.stages:
        yield "  " + ", ".join(f"{name} {seconds:.3f} s" for name, seconds in summary.stages.items()) + "\n"
    yield (
        f"  left out: {summary.ignored} ignored, {summary.hidden} hidden, {summary.links} links, "
        f"{summary.other_languages} of other languages\n"
    )


def _found(summary: Summary) -> str:
    if not summary.files and not summary.skipped:
        names = listed(reading.language for reading in summary.readings)
        others = counted(summary.other_languages, "file of another language", "files of other languages")
        left = f"; {others} left out" if summary.other_languages else ""
        return f"no file of {names or 'a known language'} was found{left}"
    where = f"{counted(summary.searched, 'file')} searched"
    if not summary.matches:
        held = (
            f"; {summary.parsed:,} of them with all of its texts"
            if summary.parsed and _texts(summary)
            else ""
        )
        return f"no match in {where}{held}"
    return f"{counted(summary.matches, 'match', 'matches')} in {summary.matched} of {where}"


def _texts(summary: Summary) -> bool:
    """Whether every reading asks for some text, so that parsed files are those that hold it."""
    return all(reading.literals for reading in summary.readings)


class _LeftOut(Protocol):
    """What a summary, of whatever was done with the files, says of those that were not looked at."""

    @property
    def skipped(self) -> Mapping[str, int]: ...
    @property
    def failed(self) -> Sequence[object]: ...
    @property
    def syntax_error_files(self) -> int: ...
    @property
    def ignored(self) -> int: ...


def left_out(summary: _LeftOut, given_up: int = 0) -> str:
    """The end of a sentence on what was looked at: what was not, and what had syntax errors."""
    parts: list[str] = []
    if summary.skipped:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(summary.skipped.items()))
        parts.append(f"{sum(summary.skipped.values())} skipped ({reasons})")
    if summary.failed:
        parts.append(f"{len(summary.failed)} failed")
    if given_up:
        parts.append(f"{given_up} given up (too many choices for `$$$`)")
    if summary.syntax_error_files:
        parts.append(f"{summary.syntax_error_files} with syntax errors")
    if summary.ignored:
        parts.append(f"{counted(summary.ignored, 'ignored entry', 'ignored entries')} left out")
    return "".join(f"; {part}" for part in parts)


def _cut(summary: Summary) -> str:
    if summary.cut == "max-count":
        return "; cut at --max-count: there may be more"
    return f"; cut: {summary.cut}" if summary.cut else ""


def _readings(summary: Summary) -> str:
    by_rung: dict[str, list[str]] = {}
    for reading in summary.readings:
        by_rung.setdefault(reading.rung, []).append(reading.language)
    parts = [f"{rung} ({listed(names)})" for rung, names in by_rung.items()]
    text = f"read as {', '.join(parts)}" if parts else ""
    also = dict.fromkeys(rung for reading in summary.readings for rung in reading.alternatives)
    if also:
        text += f"; also found as {listed(also)}, not listed: --as {next(iter(also))}"
    if summary.not_code:
        text += f"{'; ' if text else ''}no code in {listed(summary.not_code)}"
    if summary.equivalences:
        needed = ", ".join(f"{name} {count}" for name, count in sorted(summary.equivalences.items()))
        text += f"; matches that needed an equivalence: {needed}"
    return text


def _near(near: NearMiss, c: Palette) -> Iterator[str]:
    place = f"{c.path}{near.path}{c.off}:{near.line}" if near.path else f"line {near.line}"
    count = f" ({near.count} places)" if near.count > 1 else ""
    yield f"  {place}: {near.text}\n"
    yield f"    expected {near.mismatch.expected}, found {near.mismatch.found}{count}\n"


def listed(names: Iterable[str]) -> str:
    """Names parted by commas; of many only the number."""
    shown = list(names)
    if len(shown) <= _NAMES:
        return ", ".join(shown)
    return f"{', '.join(shown[: _NAMES - 1])} and {len(shown) - _NAMES + 1} more"


def counted(number: int, one: str, many: str = "") -> str:
    """*number* with the word for what is counted."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
