"""Patterns as people write them, and pitfalls of structural search, from the shared folder.

``natural.jsonl`` says how many matches are meant; ``pitfalls.jsonl`` says every
match with its bytes and bindings, and some of them what a rewrite makes of the
source.  The folder is found through ``STRUCTURAL_SHARED``, or lies beside
the repository as ``shared``; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from structural.errors import StructuralError
from structural.pattern.values import Match
from structural.text import LineIndex

KNOWN_WRONG: dict[str, str] = {}
"""Row id → why the answer differs.  A row that is right may not stand here."""

Row = dict[str, Any]


def _folder() -> Path:
    beside = Path(__file__).resolve().parent.parent.parent / "shared"
    return Path(os.environ.get("STRUCTURAL_SHARED") or beside) / "cases"


def _rows(name: str) -> list[Any]:
    """The rows of a file as parameters; one skipped parameter where the file is missing."""
    path = _folder() / name
    if not path.is_file():
        reason = f"no shared cases: {name} is neither below STRUCTURAL_SHARED nor in ../shared/cases"
        return [pytest.param({}, id=name, marks=pytest.mark.skip(reason=reason))]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [pytest.param(row, id=row["id"]) for row in rows]


def _is_rewritten(param: Any) -> bool:
    """Whether a row says what a rewrite makes, or stands for rows that are missing."""
    (row,) = param.values
    return not row or "rewrite" in row


def _check(row: Row, problem: str) -> None:
    """Fail with *problem*, unless the row is known to be wrong; and the other way round."""
    reason = KNOWN_WRONG.get(row["id"])
    if reason is None and problem:
        shown = f"{row['lang']}: {row['pattern']!r}\nin {row['source']!r}\n{problem}"
        pytest.fail(f"{shown}\n{row['why']}" if "why" in row else shown, pytrace=False)
    if reason is not None and not problem:
        pytest.fail(f"{row['id']} is right now: take it out of KNOWN_WRONG ({reason})", pytrace=False)
    if reason is not None:
        pytest.xfail(reason)


def _search(row: Row) -> tuple[tuple[Match, ...], bytes, str]:
    """The matches of a row in order, the source, and what was wrong with the pattern."""
    from structural import search_text

    try:
        found = search_text(row["pattern"], row["source"], row["lang"])
    except StructuralError as error:
        return (), row["source"].encode(), f"the search is refused: {error}"
    return found.matches, found.source, ""


@pytest.mark.parametrize("row", _rows("natural.jsonl"))
def test_natural(row: Row) -> None:
    matches, source, problem = _search(row)
    if not problem and len(matches) != row["want"]:
        texts = [match.span.text(source) for match in matches]
        problem = f"{len(matches)} matches instead of {row['want']}: {texts}"
    _check(row, problem)


@pytest.mark.parametrize("row", _rows("pitfalls.jsonl"))
def test_pitfall(row: Row) -> None:
    matches, source, problem = _search(row)
    if not problem:
        lines = LineIndex(source)
        wanted = row["expect"]["matches"]
        found = [
            {
                "text": match.span.text(source),
                "line": lines.line(match.span.start),
                "start": match.span.start,
                "end": match.span.end,
                "vars": {binding.name: binding.span.text(source) for binding in match.bindings},
            }
            for match in sorted(matches, key=lambda match: (match.span.start, -match.span.end))
        ]
        if len(found) != len(wanted) or not all(
            _agrees(want, have) for want, have in zip(wanted, found, strict=True)
        ):
            problem = "expected:\n" + _shown(wanted) + "\nfound:\n" + _shown(found)
    _check(row, problem)


@pytest.mark.parametrize("row", [param for param in _rows("pitfalls.jsonl") if _is_rewritten(param)])
def test_pitfall_of_a_rewrite(row: Row) -> None:
    from structural.rewrite.text import rewrite_text

    wanted = row.get("rewritten_any") or [row["rewritten"]]
    try:
        made = rewrite_text(row["pattern"], row["rewrite"], row["source"], row["lang"]).text.decode()
    except StructuralError as error:
        made = f"the rewrite is refused: {error}"
    problem = "" if made in wanted else f"rewritten: {made!r}\nwanted: {' or '.join(map(repr, wanted))}"
    _check(row, problem)


def test_known_wrong_names_rows_with_reasons() -> None:
    assert all(KNOWN_WRONG.values())
    if not _folder().is_dir():
        pytest.skip("no shared cases")
    ids = {param.id for name in ("natural.jsonl", "pitfalls.jsonl") for param in _rows(name)}
    assert set(KNOWN_WRONG) <= ids, f"no such rows: {sorted(set(KNOWN_WRONG) - ids)}"


def _agrees(want: dict[str, Any], have: dict[str, Any]) -> bool:
    """Whether a match is the wanted one; a row may name only some of the bindings."""
    return all(want[key] == have[key] for key in ("text", "line", "start", "end")) and all(
        have["vars"].get(name) == text for name, text in want.get("vars", {}).items()
    )


def _shown(matches: list[dict[str, Any]]) -> str:
    return "\n".join(f"  {json.dumps(match, ensure_ascii=False)}" for match in matches) or "  (nothing)"
