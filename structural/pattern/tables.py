"""A language's data as kind numbers, ready for the matcher.

Made once for a grammar and a set of options; everything the matcher asks about
a kind is a look-up here.  Under the strictness ``exact`` nearly all sets are empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from structural.errors import UsageError
from structural.syntax.grammar import LoadedGrammar, load_named

EQUIVALENCES: dict[str, str] = {
    "quotes": "string literals that differ only in their quotes",
    "parens": "redundant parentheses around an expression, a single parameter or arguments",
    "braces": "a body that is one statement, and a block that holds just that statement",
    "twins": "one construct whose kind depends on its place (function declaration and expression)",
    "optional-chain": "an optional member access and a plain one (changes meaning)",
    "order": "attributes and keyword arguments in another order, up to five in a list (changes meaning)",
}
"""Name → meaning.  The first four are on under ``smart``, all under ``loose``, none under ``exact``."""

_SMART = frozenset({"quotes", "parens", "braces", "twins"})
STRICTNESS = ("exact", "smart", "loose")


@dataclass(frozen=True, slots=True)
class Options:
    """How freely the matcher compares.  ``lenient`` is False only under ``exact``: then
    adornments, trailing separators and terminators are compared like every token."""

    equivalences: frozenset[str] = _SMART
    lenient: bool = True


def options(strictness: str, equivalences: tuple[str, ...], without: tuple[str, ...]) -> Options:
    """Options by the names a user gives; a UsageError for a name that does not exist."""
    if strictness not in STRICTNESS:
        raise UsageError(f"no strictness is called {strictness!r}", hint=f"one of {', '.join(STRICTNESS)}")
    for name in (*equivalences, *without):
        if name not in EQUIVALENCES:
            raise UsageError(f"no equivalence is called {name!r}", hint=f"one of {', '.join(EQUIVALENCES)}")
    base = {"exact": frozenset[str](), "smart": _SMART, "loose": frozenset(EQUIVALENCES)}[strictness]
    return Options((base | set(equivalences)) - set(without), strictness != "exact")


Run = tuple[tuple[str, int | frozenset[int]], ...]
"""Steps of an adornment run: ("kind", ids), ("field", id) or ("any", 0)."""


class Frame:
    """What may be stepped over among the children of one kind of node."""

    __slots__ = ("adornments", "any", "fields", "first", "kind", "runs", "skip")

    def __init__(
        self, kind: int, skip: frozenset[int], adornments: frozenset[int], runs: tuple[Run, ...]
    ) -> None:
        self.kind = kind
        self.skip = skip
        """Tokens that never count here."""
        self.adornments = adornments
        self.runs = runs
        self.any = bool(skip or adornments or runs)
        self.first: frozenset[int] = skip | adornments
        """Kinds with which something that may be stepped over can begin."""
        self.fields: frozenset[int] = frozenset()
        """The same as fields; 0 stands for any."""
        for run in runs:
            wanted = run[0][1]
            if isinstance(wanted, frozenset):
                self.first |= wanted
            else:
                self.fields |= {wanted}


class Tables:
    """All sets of one language under one set of options."""

    def __init__(self, grammar: LoadedGrammar, options: Options) -> None:
        language = grammar.language
        lenient = options.lenient
        on = options.equivalences
        ids = grammar.ids
        none: frozenset[int] = frozenset()
        self.grammar = grammar
        self.options = options
        self.named = grammar.named
        self.names = grammar.names
        self.blank = grammar.blank
        self.whole = ids(language.whole)
        self.blocks = ids(language.blocks)
        self.clauses = ids(language.clauses)
        self.flat_lists = ids(language.flat_lists)
        self.slots = ids(language.slots)
        self.marked = ids(language.marked)
        self.strings = frozenset(k for k in ids(language.strings) if grammar.named[k])
        self.token_trees = ids(language.token_trees)
        self.tails: dict[int, frozenset[int]] = {
            k: ids(tail) for kind, tail in language.tails.items() for k in ids((kind,))
        }
        self.terminators = ids(language.terminator_tokens)
        self.separators = ids(language.separators)
        self.lenient = lenient
        self.parens = ids(language.parens) if "parens" in on else none
        self.braces = ids(language.blocks) if "braces" in on else none
        self.bodies = ids(language.bodies) if "braces" in on else none
        self.adornments = ids(language.adornments) if lenient else none
        self.adorned = ids(language.adorned) if lenient else none
        self.quotes = language.quotes
        self.same_quotes = "quotes" in on
        self.case_insensitive = language.case_insensitive
        self.parameter_parens: dict[int, frozenset[int]] = {}
        if "parens" in on:
            for parent, inner in language.parameter_parens.items():
                for k in ids((parent,)):
                    self.parameter_parens[k] = ids((inner,))
        self.parameter_lists: frozenset[int] = frozenset().union(*self.parameter_parens.values())
        self.optional_tokens: dict[int, frozenset[int]] = {}
        if "parens" in on:
            for parent, tokens in language.optional_tokens.items():
                for k in ids((parent,)):
                    self.optional_tokens[k] = ids(tokens)
        self.sole_arguments: dict[int, frozenset[int]] = {}
        for parent, kinds in language.sole_arguments.items():
            for k in ids((parent,)):
                self.sole_arguments[k] = ids(kinds)
        self.runs: dict[int, tuple[Run, ...]] = {}
        if lenient:
            for parent, runs in language.adornment_runs.items():
                steps = tuple(tuple(self._step(step) for step in run) for run in runs)
                for k in ids((parent,)):
                    self.runs[k] = steps
        self.twins: dict[int, frozenset[int]] = {}
        if "twins" in on:
            for group in language.twins:
                members = ids(group)
                for k in members:
                    self.twins[k] = self.twins.get(k, frozenset()) | members
        self.ellipsis_twins: dict[int, frozenset[int]] = {
            k: ids(group) for group in language.ellipsis_twins for k in ids(group)
        }
        self.significant: frozenset[bytes] = frozenset(word.encode() for word in language.significant_words)
        self.optional_chains: dict[int, frozenset[int]] = {}
        if "optional-chain" in on:
            for token, plain in language.optional_chains.items():
                both = ids((token, plain))
                for k in both:
                    self.optional_chains[k] = self.optional_chains.get(k, frozenset()) | both
        self.unordered = ids(language.unordered) if "order" in on else none
        self.member_names: frozenset[tuple[int, int]] = frozenset(
            (parent, grammar.field(name)) for kind, name in language.member_names for parent in ids((kind,))
        )
        self._frames: dict[int, Frame] = {}

    def frame(self, kind: int) -> Frame:
        """What may be skipped among the children of *kind*."""
        found = self._frames.get(kind)
        if found is None:
            skip = self.optional_tokens.get(kind, frozenset())
            if self.lenient and kind in self.blocks:
                skip |= self.terminators
            found = Frame(kind, skip, self.adornments, self.runs.get(kind, ()))
            self._frames[kind] = found
        return found

    def _step(self, step: str) -> tuple[str, int | frozenset[int]]:
        if step == "*":
            return ("any", 0)
        if step.startswith("@") and self.grammar.field(step[1:]):
            return ("field", self.grammar.field(step[1:]))
        return ("kind", self.grammar.ids((step,)))


@cache
def tables(language: str, options: Options) -> Tables:
    """The tables of *language*, made once a process."""
    return Tables(load_named(language), options)
