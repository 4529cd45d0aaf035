"""Which code belongs to which stage of the work: data.

A key is a module of ``structural``, a package (with ``/`` at its end), or a function of a module (behind
``:``).  A sample belongs to the innermost frame that a key names; the narrowest key counts.
"""

from __future__ import annotations

STARTING = "start-up"
"""The interpreter, and importing modules."""

OTHER = "other"

STAGES: dict[str, tuple[str, ...]] = {
    "walk": (
        "search/walk",
        "search/ignored",
        "search/globs",
        "search/admitted",
        "search/tracked",
        "search/trail",
        "search/freshness",
    ),
    "languages": ("syntax/registry", "syntax/language"),
    "grammars": ("syntax/grammar",),
    "compile": ("pattern/", "rules/", "workflow/scanning/frozen", "workflow/scanning/rulebook"),
    "read": ("search/read",),
    "literals": (
        "search/source:may_match",
        "search/source:rows_may_match",
        "search/source:may_hold",
        "rules/literals",
        "rules/needs",
    ),
    "parse": ("syntax/parse:_tree", "syntax/parse:_parse_in_time", "syntax/parse:_parser"),
    "candidates": ("syntax/candidates", "syntax/partial", "syntax/parse", "syntax/parsed"),
    "flatten": (
        "syntax/parse:_flatten",
        "syntax/parsed:_flatten_around",
        "syntax/partial:_flatten_marked",
        "syntax/columns",
        "syntax/gaps",
        "syntax/hashes",
    ),
    "match": (
        "pattern/matcher",
        "pattern/outcome",
        "pattern/layers",
        "pattern/bindings",
        "pattern/constraints",
        "pattern/search",
        "pattern/values",
    ),
    "evaluate": (
        "rules/engine",
        "rules/evaluate",
        "rules/atoms",
        "rules/relations",
        "rules/joins",
        "rules/scope",
        "rules/messages",
        "workflow/scanning/",
    ),
    "index": (
        "search/index/",
        "search/memory",
        "search/recall",
        "search/kept",
        "search/block",
        "search/blocks",
        "search/batches",
        "search/sieve",
    ),
    "near misses": ("search/near", "search/nearest"),
    "rewrite": ("rewrite/", "rules/rewriting"),
    "staging": ("staging/", "workflow/staging"),
    "output": ("cli/", "workflow/reports/"),
    OTHER: ("search/", "workflow/", "agent/"),
}
"""In the order in which the work is done."""

ORDER = (STARTING, *STAGES)
