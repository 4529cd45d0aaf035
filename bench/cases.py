"""What is measured: cases as data.

A case is one kind of work.  Most are done over a tree, with the patterns of its language (``patterns``); some
bring their own files.  How a case becomes commands is in ``plans``.
"""

from __future__ import annotations

from dataclasses import dataclass

ASTGREP, AST_GREP, SEMGREP, COMBY = "astgrep", "ast-grep", "semgrep", "comby"
TOOLS = (ASTGREP, AST_GREP, SEMGREP, COMBY)

INDEXED = "astgrep (index)"
"""This project over a tree whose index was built before."""

FRESH = "astgrep (one file changed)"
"""The same, after a file was changed."""

STAGE = "astedit stage"
ACCEPT = "astedit resolve --accept"

PLAIN = "write and sync"
"""The same bytes, written and synced by a few lines of Python (``plainly``)."""

OURS = (ASTGREP, FRESH, INDEXED, STAGE, ACCEPT)
"""The sides that are this project."""

GENERATED = "(generated)"
"""The tree of cases that bring their own files."""


@dataclass(frozen=True)
class Case:
    """One kind of work."""

    name: str
    says: str
    """What is measured, in a few words; for the table."""
    tools: tuple[str, ...]
    """Which tools can be asked."""
    tree: bool = True
    """Done over the trees of the run; else over files of its own."""
    more: int = 1
    """So many times as many rounds: for what takes no time."""
    most: int = 100
    """Rounds at most: for what takes long."""
    by_processor: bool = False
    """Processor time is what to compare; else wall time."""
    usual: bool = True
    """Part of a run that names no cases."""


_SEARCHERS = (ASTGREP, AST_GREP, SEMGREP, COMBY)

CASES = (
    Case("version", "start-up: `--version`", TOOLS, tree=False, more=3),
    Case("tiny", "one file of three lines", _SEARCHERS, tree=False, more=3),
    Case("selective", "selective patterns, cold", _SEARCHERS),
    Case("common", "a pattern with many matches, cold", _SEARCHERS),
    Case("dense", "dense patterns, cold", _SEARCHERS),
    Case("rules", "fifty rules at once, cold", (ASTGREP, AST_GREP, SEMGREP)),
    Case("build", "building the index, beside one search", (ASTGREP, AST_GREP), most=3, by_processor=True),
    Case("ten", "any of ten patterns", (ASTGREP, INDEXED, AST_GREP)),
    Case("refresh", "a search after one file changed", (FRESH, INDEXED, AST_GREP)),
    Case(
        "staging", "staging a rewrite, beside the search", (ASTGREP, STAGE), tree=False, most=5, usual=False
    ),
    Case(
        "accept",
        "committing a rewrite, beside writing the same bytes",
        (ACCEPT, PLAIN),
        tree=False,
        most=5,
        usual=False,
    ),
    Case("line", "many matches on one line", (ASTGREP, AST_GREP), tree=False, most=3, usual=False),
)
"""In the order in which they are told."""


def named(names: str) -> tuple[Case, ...]:
    """The cases of a list of names with commas; the usual ones of an empty list.  Raises KeyError."""
    if not names:
        return tuple(case for case in CASES if case.usual)
    if names == "all":
        return CASES
    known = {case.name: case for case in CASES}
    return tuple(known[name.strip()] for name in names.split(","))
