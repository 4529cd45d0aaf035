"""Recipes: what a staged rewrite was computed from, as JSON, so that it can be computed again.

A recipe is the ``origin`` of a staged change.  Its selection is relative to the root.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from structural.errors import StoreError
from structural.staging import Site

if TYPE_CHECKING:  # a change can be looked at without what it was computed with
    from structural.search.values import Selection
    from structural.workflow.rewriting import RewriteSpec

REWRITE, REWRITES, PATCH, EDITS = "rewrite", "rewrites", "patch", "edits"
RULES = "rules"
WRITE, REPLACEMENTS, ENVELOPE = "write", "replacements", "envelope"
"""What a change can come from."""

PARTIAL = "partial"
"""The flag of a change whose search was cut: there may be more."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A rewrite and where it is applied.  ``selection`` is relative to the root."""

    spec: RewriteSpec
    selection: Selection
    max_count: int = 0


def encode(recipe: Recipe) -> dict[str, Any]:
    """The recipe as an origin."""
    return {
        "from": REWRITE,
        "pattern": asdict(recipe.spec.pattern),
        "rewrite": recipe.spec.rewrite,
        "transforms": list(recipe.spec.transforms),
        "until_stable": recipe.spec.until_stable,
        "selection": asdict(recipe.selection),
        "max_count": recipe.max_count,
    }


def decode(origin: Mapping[str, Any]) -> Recipe | None:
    """The recipe in an origin; None if the change does not come from a rewrite."""
    if origin.get("from") != REWRITE:
        return None
    from structural.search.values import PatternSpec, Relation, Selection
    from structural.workflow.rewriting import RewriteSpec

    try:
        pattern = dict(origin["pattern"])
        relations = tuple(Relation(**one) for one in pattern.pop("relations"))
        spec = PatternSpec(**_tuples(pattern))
        return Recipe(
            RewriteSpec(
                replace(spec, relations=relations),
                origin["rewrite"],
                transforms=tuple(origin["transforms"]),
                until_stable=origin["until_stable"],
            ),
            Selection(**_tuples(origin["selection"])),
            origin["max_count"],
        )
    except (KeyError, TypeError, AttributeError) as problem:
        raise StoreError(f"the recipe of this change cannot be read: {problem}") from problem


def encode_all(recipes: Sequence[Recipe]) -> dict[str, Any]:
    """Several recipes as one origin."""
    return {"from": REWRITES, "recipes": [encode(recipe) for recipe in recipes]}


def decode_all(origin: Mapping[str, Any]) -> list[Recipe]:
    """The recipes in an origin; none if the change does not come from rewrites."""
    several = origin["recipes"] if origin.get("from") == REWRITES else [origin]
    return [recipe for one in several if (recipe := decode(one)) is not None]


def describe(origin: Mapping[str, Any]) -> str:
    """A few words for lists: what the change does."""
    kind = origin.get("from")
    if kind == REWRITE:
        pattern = origin.get("pattern", {})
        text = pattern.get("pattern", "") if isinstance(pattern, Mapping) else ""
        return f"{_line(text)} → {_line(origin.get('rewrite', '')) or '(nothing)'}"
    if kind == RULES:
        names = origin.get("found") or origin.get("ids", ())
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"{'rule' if len(names) == 1 else 'rules'} {', '.join(map(str, names[:3]))}{more}"
    if kind == REWRITES:
        several = origin.get("recipes", ())
        first = describe(several[0]) if several else ""
        return f"{first} and {len(several) - 1} more" if len(several) > 1 else first
    if "undo" in origin:
        return f"undo of {origin['undo']}"
    return f"{kind} {origin.get('name', '')}".strip() if kind else ""


def mark(text: bytes) -> str:
    """A short digest of the code of a site, by which it is known again on another day."""
    return hashlib.blake2b(text, digest_size=6).hexdigest()


def marks_of(before: bytes, sites: tuple[Site, ...]) -> list[list[Any]]:
    """Number and mark of every site of a file, in order, for the notes of a change."""
    return [[site.number, mark(before[site.span.start : site.span.end])] for site in sites]


def plain(value: Any) -> Any:
    """A JSON value in which bytes of names that are no UTF-8 are written as ``\\xff``."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, Mapping):
        return {plain(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def _line(text: object) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= 60 else line[:59] + "…"


def _tuples(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
