"""Test files of rules and snapshots: bytes to values, and values to bytes.

A test file has examples of a rule beside its file, as ``matching`` and ``not-matching``, or as ast-grep
has them, ``invalid`` and ``valid``.  A snapshot file has what a rule found in each piece of code; ours is
``ID.yml``, that of ast-grep ``ID-snapshot.yml``, which is only read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from structural.rules.examples import Shown, Snapshot
from structural.rules.reading_forms import Problems, Record, Signs, check
from structural.rules.reading_rules import examples_of
from structural.rules.values import At, Example, Problem
from structural.rules.yaml import Scalar, documents
from structural.rules.yaml_writing import dumped

__all__ = ["Cases", "Snapshots", "TheirSnapshot", "are_cases", "read_cases", "read_snapshots", "written"]


@dataclass(frozen=True, slots=True)
class Cases:
    """Examples of the rule ``id`` in a test file."""

    id: str
    examples: tuple[Example, ...]
    path: str
    at: At = field(default=At(), compare=False)


@dataclass(frozen=True, slots=True)
class TheirSnapshot:
    """One snapshot of ast-grep: the bytes of the first finding, and the code after its fix."""

    code: str
    span: tuple[int, int] | None
    fixed: str | None


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The snapshots of one rule, by language and code; ``theirs`` by code."""

    id: str = ""
    ours: Mapping[tuple[str, str], Snapshot] = field(default_factory=dict)
    theirs: Mapping[str, TheirSnapshot] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


_CASES = re.compile(rb"^(?:valid|invalid|matching|not-matching|notMatching) *:", re.MULTILINE)
_RULE = re.compile(rb"^rule *:", re.MULTILINE)


def are_cases(text: bytes) -> bool:
    """Whether a file holds tests and no rules, by its first look."""
    return _CASES.search(text) is not None and _RULE.search(text) is None


def read_cases(text: bytes, path: str) -> tuple[tuple[Cases, ...], tuple[Problem, ...]]:
    """The tests of one file, a document a rule; and what is wrong with it."""
    problems = Problems(path)
    read = documents(text)
    for fault in read.faults:
        problems.tell(fault.at, fault.message, fault.hint)
    found: list[Cases] = []
    for node in read.nodes:
        if isinstance(node, Scalar) and node.value is None:
            continue
        record = check(node, "test-case", problems, Signs())
        if record is not None and record.text("id"):
            found.append(Cases(record.text("id"), examples_of(record, problems), path, record.at))
    return tuple(found), problems.all()


# --- snapshots --------------------------------------------------------------------------------------------


def read_snapshots(text: bytes, path: str) -> Snapshots:
    """The snapshots of one file, ours or those of ast-grep."""
    problems = Problems(path)
    read = documents(text)
    for fault in read.faults:
        problems.tell(fault.at, fault.message, fault.hint)
    if not read.nodes:
        return Snapshots(problems=problems.all())
    record = check(read.nodes[0], "snapshots", problems, Signs())
    if record is None:
        return Snapshots(problems=problems.all())
    ours: dict[tuple[str, str], Snapshot] = {}
    for one in record.several("snapshots"):
        if isinstance(one, Record):
            made = _ours(one)
            ours[made.language, made.code] = made
    theirs = {
        code.text: _theirs(code.text, one)
        for code, one in record.named("snapshots")
        if isinstance(one, Record)
    }
    return Snapshots(record.text("id"), ours, theirs, problems.all())


def _ours(record: Record) -> Snapshot:
    findings = tuple(
        Shown(one.text("at"), one.text("text"), one.text("message"))
        for one in record.several("findings")
        if isinstance(one, Record)
    )
    rewritten = record.text("rewritten") if "rewritten" in record.values else None
    return Snapshot(record.text("code"), record.text("language"), findings, rewritten)


def _theirs(code: str, record: Record) -> TheirSnapshot:
    span = None
    for one in record.several("labels"):
        if isinstance(one, Record) and one.text("style").lower() == "primary":
            start, end = one.values.get("start"), one.values.get("end")
            if isinstance(start, Scalar) and isinstance(end, Scalar):
                span = int(start.text), int(end.text)
            break
    return TheirSnapshot(code, span, record.text("fixed") if "fixed" in record.values else None)


def written(name: str, snapshots: Iterable[Snapshot]) -> bytes:
    """The snapshot file of the rule *name*; always the same for the same snapshots."""
    rows = []
    for one in sorted(snapshots, key=lambda one: (one.language, one.code)):
        row: dict[str, object] = {"code": one.code, "language": one.language}
        row["findings"] = [
            {"at": shown.at, "text": shown.text, "message": shown.message} for shown in one.findings
        ]
        if one.rewritten is not None:
            row["rewritten"] = one.rewritten
        rows.append(row)
    made = dumped({"id": name, "snapshots": rows})
    return f"# Written by `astgrep test --update`.\n{made}".encode()
