"""What the rules say of one source: findings with their keys, comments, errors; packed for pipes and caches.

This is all that costs time, and depends on nothing but the source, its language and the rules.  What is made
of it (messages, suppressions) is made anew each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from structural.rules.values import Finding
from structural.search.packing import pack, unpack
from structural.text import Span
from structural.workflow.scanning.keys import Key, keys_of
from structural.workflow.scanning.suppressions import MARKER

if TYPE_CHECKING:
    from structural.rules.terms import RuleSet


@dataclass(frozen=True, slots=True)
class Raw:
    """``keys``: one a finding, or none at all if they were not asked for.  ``comments``: those that hold the
    marker of suppressions."""

    findings: tuple[Finding, ...] = ()
    comments: tuple[Span, ...] = ()
    syntax_errors: int = 0
    parsed: bool = False
    exhausted: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()


def raw_of(rules: RuleSet, source: bytes, host: str, only: frozenset[str] | None, *, keys: bool) -> Raw:
    """What *rules*, or *only* some of them, find.  UnsearchableError as from parsing."""
    from structural.rules.engine import find

    found = find(rules, source, host, only=only, marker=MARKER, keep=keys)
    named: tuple[Key, ...] = ()
    if keys and found.findings:
        named = keys_of(source, host, [(one.rule, one.span) for one in found.findings], found.text)
    return Raw(
        tuple(found.findings),
        tuple(found.comments),
        int(found.syntax_errors),
        bool(found.parsed),
        tuple(found.exhausted),
        named,
    )


Packed = tuple[Any, ...]


def pack_raw(raw: Raw) -> Packed:
    """*raw* as tuples of numbers and texts, which JSON can hold."""
    return (
        tuple((one.rule, one.span.start, one.span.end, pack((one.match,))[0]) for one in raw.findings),
        tuple((one.start, one.end) for one in raw.comments),
        raw.syntax_errors,
        raw.parsed,
        raw.exhausted,
        tuple((one.content, one.context, one.number) for one in raw.keys),
    )


def unpack_raw(packed: Any) -> Raw:
    """What ``pack_raw`` was given, also after JSON made lists of the tuples."""
    findings, comments, errors, parsed, exhausted, keys = packed
    matches = unpack(tuple(match for _, _, _, match in findings))
    return Raw(
        tuple(
            Finding(rule, Span(start, end), _tidy(match))
            for (rule, start, end, _), match in zip(findings, matches, strict=True)
        ),
        tuple(Span(*one) for one in comments),
        errors,
        parsed,
        tuple(exhausted),
        tuple(Key(*one) for one in keys),
    )


def _tidy(match: Any) -> Any:
    from dataclasses import replace

    return (
        match
        if isinstance(match.equivalences, tuple)
        else replace(match, equivalences=tuple(match.equivalences))
    )
