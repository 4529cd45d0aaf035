"""What every answer says of the search behind it: readings, scope, near misses, errors."""

from __future__ import annotations

import re
from dataclasses import is_dataclass
from typing import Any

from structural.agent.budget import clip, count
from structural.agent.confine import Confined
from structural.agent.tool import Answer
from structural.errors import StaleError, StructuralError, UnknownChangeError, UnwritableError
from structural.workflow.searching import (
    Attempt,
    NearMiss,
    ReadingInfo,
    Refusal,
    Skipped,
    Summary,
    short_digest,
)

NAMED = 5
"""Skipped files, failed files and near misses that are named; the others are counted."""

_TEXT = 160
"""Characters of a message or a line of code in such a list."""


def readings(infos: list[ReadingInfo]) -> list[Answer]:
    """How the pattern was read in each language."""
    found = []
    for info in infos:
        value: Answer = {"language": info.language, "rung": info.rung, "kinds": list(info.kinds)[:6]}
        if info.alternatives:
            value["also"] = list(info.alternatives)
        found.append(value)
    return found


def scope(summary: Summary, inside: Confined, more: tuple[Skipped, ...] = ()) -> Answer:
    """What was searched and what was not.  Names that say nothing (a zero, an empty list) are left
    out, but for the first."""
    skipped = [*summary.skipped_paths, *more]
    reasons = dict(summary.skipped)
    for one in more:
        reasons[one.reason] = reasons.get(one.reason, 0) + 1
    value: Answer = {
        "files": summary.files,
        "searched": summary.searched,
        "complete": not summary.incomplete and not summary.cut and not more,
    }
    said: Answer = {
        "skipped": reasons,
        "skipped_paths": [
            {
                "path": clip(inside.shown(one.path), _TEXT),
                "reason": one.reason,
                "detail": clip(inside.said(one.detail), _TEXT),
            }
            for one in skipped[:NAMED]
        ],
        "failed_files": len(summary.failed),
        "failed": [
            {"path": clip(inside.shown(one.path), _TEXT), "error": clip(inside.said(one.error), _TEXT)}
            for one in summary.failed[:NAMED]
        ],
        "exhausted": len(summary.exhausted),
        "syntax_error_files": summary.syntax_error_files,
        "ignored": summary.ignored,
        "hidden": summary.hidden,
        "links": summary.links,
        "other_languages": summary.other_languages,
        "not_code": summary.not_code,
        "cut": summary.cut,
    }
    value.update({name: one for name, one in said.items() if one})
    return value


def searched(summary: Summary) -> str:
    """The end of a line of summary: what the counts are of."""
    left = sum(summary.skipped.values()) + len(summary.failed)
    skipped = f", {left} could not be searched" if left else ""
    return f"{count(summary.searched, 'file')} searched{skipped}"


def near(found: list[NearMiss], inside: Confined) -> list[Answer]:
    """The places that came closest."""
    return [
        {
            "path": inside.shown(one.path),
            "line": one.line,
            "text": clip(one.text, _TEXT),
            "expected": clip(one.mismatch.expected, _TEXT),
            "found": clip(one.mismatch.found, _TEXT),
            "places": one.count,
        }
        for one in found[:NAMED]
    ]


def error(problem: StructuralError, inside: Confined) -> Answer:
    """An error as the answer of a call."""
    value: Answer = {
        "code": problem.code,
        "message": clip(worded(inside.said(problem.message)), 1_000),
        "hint": clip(worded(inside.said(problem.hint)), 500),
    }
    rungs = [one for attempt in getattr(problem, "attempts", ()) for one in _rungs(attempt)]
    if rungs:
        value["rungs"] = rungs[:20]
    problems = getattr(problem, "problems", ())
    if problems:
        value["problems"] = list(problems)[:20]
    if isinstance(problem, StaleError):
        value["files"] = [_moved(one) for one in problem.files[:20]]
    elif isinstance(problem, UnwritableError):
        value["files"] = [{"path": path, "why": clip(why, _TEXT)} for path, why in problem.files[:20]]
    elif isinstance(problem, UnknownChangeError):
        value["known"] = list(problem.known)[:20]
    return {"ok": False, "error": value}


_OPTIONS = {
    "lang": "languages",
    "max_count": "max_matches",
    "equivalence": "equivalences",
    "glob": "globs",
    "tag": "tags",
}
"""Options of the command line whose arguments have other names."""

_EXPLAINED = re.compile(r"`astgrep explain [^`]* --lang (\w+)`")

_PROGRAM = re.compile(
    r"`?\bast(?:grep|edit) (search|scan|rules|explain|stage|show|drop|rebase|undo|recover)\b(?: \$?ID)?`?"
)
_TOOLS = {
    "search": "ast_grep",
    "scan": "ast_scan",
    "rules": "ast_scan",
    "explain": "ast_explain",
    "stage": "ast_edit",
    "recover": "status",
}
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)(?: [A-Z]+\b)?")


def worded(text: str) -> str:
    """A message with the words of the tools in the place of those of the command line."""
    text = _EXPLAINED.sub(r'ast_explain with {"languages": ["\1"]}', text)
    text = _PROGRAM.sub(lambda found: _TOOLS.get(found[1], found[1]), text)
    return _OPTION.sub(lambda found: _argument(found[1]), text)


def _argument(option: str) -> str:
    name = option.replace("-", "_")
    return f"`{_OPTIONS.get(name, name)}`"


def digest(full: str | None) -> str | None:
    """The beginning of a digest, long enough to be given back."""
    return short_digest(full) if full else None


def _moved(one: object) -> Answer:
    value: Answer = {"path": getattr(one, "path", ""), "why": getattr(one, "why", "")}
    if is_dataclass(one):
        value["expected"] = digest(getattr(one, "expected", None))
        value["found"] = digest(getattr(one, "found", None))
    return value


def _rungs(attempt: object) -> list[dict[str, Any]]:
    if isinstance(attempt, Refusal):
        # The rung that got furthest tells most; the first one is what was meant, mostly.
        stopped = [one for one in attempt.attempts if not one.accepted]
        stopped.sort(key=lambda one: -one.column)
        return [_rung(attempt.language, one) for one in stopped[:2]]
    if isinstance(attempt, Attempt) and not attempt.accepted:
        return [_rung("", attempt)]
    return []


def _rung(language: str, attempt: Attempt) -> dict[str, Any]:
    return {
        "language": language,
        "rung": attempt.rung,
        "reason": clip(attempt.reason, _TEXT),
        "column": attempt.column,
    }
