"""Answers for programs: one JSON object, or one a line.  ``docs/json.md`` is the contract.

Matches are written as they come and not kept.  The object of ``--json`` therefore
has its summary last; it is closed properly also when the search is interrupted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from typing import Any

from structural.cli.output import Output
from structural.errors import (
    DamagedError,
    JournalError,
    StaleError,
    StructuralError,
    UnknownChangeError,
    UnwritableError,
)
from structural.workflow.searching import (
    Attempt,
    LineIndex,
    Match,
    NearMiss,
    Refusal,
    Searched,
    Span,
    Summary,
)

VERSION = 1

Value = dict[str, Any]


class OneObject:
    """``--json``: ``{version, pattern, matches, readings, summary}``."""

    def __init__(self, output: Output, pattern: str, *, stats: bool) -> None:
        self._output, self._stats = output, stats
        self._any = False
        output.write(f'{{"version": {VERSION}, "pattern": {dumps(pattern)}, "matches": [')

    def file(self, result: Searched) -> None:
        """Write the matches of one file."""
        for value in match_values(result):
            self._output.write(f"{',' * self._any}\n{dumps(value)}")
            self._any = True

    def finish(self, summary: Summary) -> None:
        """Close the object."""
        line = "\n" if self._any else ""
        readings = dumps(reading_values(summary))
        self._output.write(
            f'{line}], "readings": {readings}, "summary": {dumps(summary_value(summary, self._stats))}}}\n'
        )


class Lines:
    """``--jsonl``: a line a match, then a line with the readings and the summary."""

    def __init__(self, output: Output, pattern: str, *, stats: bool) -> None:
        self._output, self._stats, self._pattern = output, stats, pattern

    def file(self, result: Searched) -> None:
        """Write the matches of one file."""
        for value in match_values(result):
            self._output.write(f"{dumps({'type': 'match', **value})}\n")

    def finish(self, summary: Summary) -> None:
        """Write the last line."""
        value = {
            "type": "summary",
            "version": VERSION,
            "pattern": self._pattern,
            "readings": reading_values(summary),
            "summary": summary_value(summary, self._stats),
        }
        self._output.write(f"{dumps(value)}\n")


def match_values(result: Searched) -> list[Value]:
    """The matches of a file as JSON values."""
    if result.source is None:
        return []
    lines = LineIndex(result.source)
    return [_match(result.path, match, result.source, lines) for match in result.matches]


def reading_values(summary: Summary) -> Value:
    """Language → how the pattern was read there."""
    return {
        reading.language: {
            "rung": reading.rung,
            "kinds": list(reading.kinds),
            "literals": list(reading.literals),
            "alternatives": list(reading.alternatives),
        }
        for reading in summary.readings
    }


def summary_value(summary: Summary, stats: bool) -> Value:
    """The completeness statement."""
    value: Value = {
        "files": summary.files,
        "searched": summary.searched,
        "matched": summary.matched,
        "matches": summary.matches,
        "skipped": summary.skipped,
        "skipped_paths": [asdict(skipped) for skipped in summary.skipped_paths],
        "failed": [asdict(failed) for failed in summary.failed],
        "exhausted": summary.exhausted,
        "syntax_error_files": summary.syntax_error_files,
        "ignored": summary.ignored,
        "hidden": summary.hidden,
        "links": summary.links,
        "other_languages": summary.other_languages,
        "not_code": summary.not_code,
        "equivalences": summary.equivalences,
        "cut": summary.cut,
        "complete": not summary.incomplete and not summary.cut,
        "near_misses": [_near(near) for near in summary.near_misses],
    }
    if stats:
        value["stats"] = {
            "parsed": summary.parsed,
            "bytes": summary.bytes,
            "seconds": round(summary.seconds, 6),
            "stages": {name: round(seconds, 6) for name, seconds in summary.stages.items()},
        }
    return value


def error_value(error: StructuralError) -> Value:
    """An error as the one JSON object of an answer."""
    value: Value = {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "attempts": [value for attempt in getattr(error, "attempts", ()) for value in _attempts(attempt)],
    }
    if isinstance(error, StaleError):
        value["files"] = [
            asdict(one) for one in error.files if is_dataclass(one) and not isinstance(one, type)
        ]
    elif isinstance(error, UnwritableError):
        value["files"] = [{"path": path, "why": why} for path, why in error.files]
    elif isinstance(error, UnknownChangeError):
        value["known"] = list(error.known)
    elif isinstance(error, DamagedError):
        value |= {"id": error.change, "path": error.path}
    elif isinstance(error, JournalError):
        value["path"] = error.path
    return {"version": VERSION, "error": value}


def write_error(output: Output, error: StructuralError) -> None:
    """The error instead of an answer."""
    output.write(f"{dumps(error_value(error))}\n")
    output.flush()


def _match(path: str, match: Match, source: bytes, lines: LineIndex) -> Value:
    return {
        "path": path,
        "language": match.language,
        "reading": match.reading,
        "kind": match.kind,
        "range": range_value(match.span, lines),
        "text": match.span.text(source),
        "bindings": {
            binding.name: [
                {"range": range_value(part, lines), "text": part.text(source)} for part in binding.parts
            ]
            for binding in match.bindings
        },
        "equivalences": list(match.equivalences),
    }


def range_value(span: Span, lines: LineIndex) -> Value:
    """A span as its two places."""
    return {"start": _position(span.start, lines), "end": _position(span.end, lines)}


def _position(byte: int, lines: LineIndex) -> Value:
    place = lines.position(byte)
    return {"byte": place.byte, "line": place.line, "column": place.column}


def _near(near: NearMiss) -> Value:
    return {
        "count": near.count,
        "path": near.path,
        "line": near.line,
        "text": near.text,
        "expected": near.mismatch.expected,
        "found": near.mismatch.found,
        "kind": near.kind,
        "byte": near.mismatch.at,
    }


def _attempts(attempt: object) -> list[Value]:
    if isinstance(attempt, Refusal):
        return [{"language": attempt.language, **asdict(one)} for one in attempt.attempts]
    return [asdict(attempt)] if isinstance(attempt, Attempt) else []


def dumps(value: object) -> str:
    """*value* on one line, as UTF-8 where it can be."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    # A byte of a path that is no UTF-8 can only be written as an escape.
    return text if text.isascii() or _encodes(text) else json.dumps(value, separators=(", ", ": "))


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
