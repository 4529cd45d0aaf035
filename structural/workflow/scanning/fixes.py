"""What the rewrites of rules would make of their findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from structural.rules.values import Finding
from structural.workflow.scanning.values import Fix

if TYPE_CHECKING:
    from structural.rules.terms import RuleSet


def fixes_of(
    rules: RuleSet, source: bytes, host: str, findings: Sequence[Finding], only: frozenset[str] | None
) -> Mapping[int, tuple[Fix, ...]]:
    """Number of a finding → what its rewrites would make of it."""
    return {}
