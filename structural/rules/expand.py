"""A rule's condition with its utilities written out and its metavariables counted.

Knows no grammar.  ``expand`` gives the same ``Raw`` for the same utility with the same arguments, however
often it is used, so that the result is no larger than what was written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from structural.pattern.metavariables import cut
from structural.rules.values import (
    All,
    AnyOf,
    At,
    Condition,
    Matches,
    Not,
    NthChildAtom,
    PatternAtom,
    RangeAtom,
    Relation,
    SameAs,
    Utility,
)

MOST_LEVELS = 100
"""Conditions in conditions; what is deeper is refused rather than risk the interpreter's stack."""


MOST_CONDITIONS = 10_000
"""Conditions that a utility may stand for, those of the utilities that it uses written out at each use; and
utilities that are written out for one rule.  What looks at all of a condition takes time for each."""


@dataclass(frozen=True, slots=True)
class On:
    """``Raw.parts[0]`` holds of what ``name`` stands for."""

    name: str
    at: At


@dataclass(frozen=True, slots=True)
class Nothing:
    """In place of what is wrong, which was told."""


@dataclass(slots=True, eq=False)
class Raw:
    """A condition and those in it.  ``names``: what its metavariables are called in the rule, where that is
    different.  ``counts``: how often each metavariable of the rule is bound or asked for in it."""

    condition: Condition | On | Nothing
    parts: tuple[Raw, ...] = ()
    until: Raw | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    size: int = 1
    """Conditions in it, itself too; what stands in it at several places counts at each."""

    def name(self, written: str) -> str:
        return self.names.get(written, written)


Tell = Callable[[At, str, str], None]
"""Takes a problem: where, what, hint."""


def expand(condition: Condition, utilities: Mapping[str, Utility], tell: Tell) -> Raw:
    """*condition* with the *utilities* that it uses."""
    return Expansion(utilities, tell).raw(condition, {})


def on(name: str, inner: Raw, at: At) -> Raw:
    """The condition that *inner* holds of what *name* stands for."""
    return Raw(On(name, at), (inner,), counts=inner.counts + Counter({name: 1}), size=inner.size + 1)


def together(parts: tuple[Raw, ...]) -> Raw:
    """All of *parts*."""
    return parts[0] if len(parts) == 1 else _sum(Raw(All(()), parts))


def _sum(raw: Raw) -> Raw:
    for part in (*raw.parts, *(() if raw.until is None else (raw.until,))):
        raw.counts.update(part.counts)
        raw.size += part.size
    return raw


class Expansion:
    """Of one rule."""

    def __init__(self, utilities: Mapping[str, Utility], tell: Tell) -> None:
        self.utilities = utilities
        self.tell = tell
        self.made: dict[tuple[str, tuple[tuple[str, str], ...]], Raw] = {}
        self.within: list[str] = []
        self.locals = 0
        self.written = 0
        self.grown = False
        self.level = 0

    def raw(self, condition: Condition, names: Mapping[str, str]) -> Raw:
        if self.level >= MOST_LEVELS:
            self.tell(condition.at, "conditions are nested too deeply", f"at most {MOST_LEVELS} levels")
            return Raw(Nothing())
        self.level += 1
        try:
            return self._raw(condition, names)
        finally:
            self.level -= 1

    def _raw(self, condition: Condition, names: Mapping[str, str]) -> Raw:
        if isinstance(condition, PatternAtom):
            used = Counter({names.get(name, name): 1 for name in cut(condition.text).names})
            return Raw(condition, names=names, counts=used)
        if isinstance(condition, SameAs):
            name = names.get(condition.name, condition.name)
            return Raw(condition, names=names, counts=Counter({name: 1}))
        if isinstance(condition, All | AnyOf):
            return _sum(Raw(condition, tuple(self.raw(one, names) for one in condition.conditions)))
        if isinstance(condition, Not):
            return _sum(Raw(condition, (self.raw(condition.condition, names),)))
        if isinstance(condition, NthChildAtom):
            of = () if condition.of is None else (self.raw(condition.of, names),)
            return _sum(Raw(condition, of))
        if isinstance(condition, Relation):
            inner = () if condition.condition is None else (self.raw(condition.condition, names),)
            until = None if isinstance(condition.until, str) else self.raw(condition.until, names)
            return _sum(Raw(condition, inner, until))
        if isinstance(condition, Matches):
            return self._utility(condition, names)
        return Raw(condition)

    def _utility(self, use: Matches, names: Mapping[str, str]) -> Raw:
        utility = self.utilities.get(use.utility)
        if utility is None:
            known = ", ".join(sorted(self.utilities)) or "none"
            self.tell(use.at, f"no utility is called {use.utility!r}", f"there are {known}")
            return Raw(Nothing())
        if use.utility in self.within:
            circle = " → ".join([*self.within[self.within.index(use.utility) :], use.utility])
            self.tell(use.at, f"the utility {use.utility!r} uses itself ({circle})", "")
            return Raw(Nothing())
        inner_names = {name: outer for name, outer in names.items() if name not in utility.parameters}
        asked: list[Raw] = []
        for parameter in utility.parameters:
            argument = use.arguments.get(parameter)
            if isinstance(argument, str):
                plain = argument.lstrip("$")
                inner_names[parameter] = names.get(plain, plain)
                continue
            self.locals += 1
            inner_names[parameter] = f"{parameter}@{self.locals}"
            if argument is None:
                self.tell(
                    use.at,
                    f"{use.utility!r} is not told what ${parameter} stands for",
                    "every parameter is given",
                )
            else:
                asked.append(on(inner_names[parameter], self.raw(argument, names), use.at))
        for given in use.arguments:
            if given not in utility.parameters:
                takes = ", ".join("$" + name for name in utility.parameters) or "nothing"
                self.tell(use.at, f"{use.utility!r} has no parameter ${given}", f"it takes {takes}")
        key = (use.utility, tuple(sorted(inner_names.items())))
        made = self.made.get(key)
        if made is None:
            self.written += 1
            if self.written > MOST_CONDITIONS:
                return self._too_much(use)
            self.within.append(use.utility)
            made = self.made[key] = self.raw(utility.condition, inner_names)
            self.within.pop()
            if made.size > MOST_CONDITIONS:
                made = self.made[key] = self._too_much(use)
        return together((made, *asked))

    def _too_much(self, use: Matches) -> Raw:
        if not self.grown:
            self.grown = True
            self.tell(
                use.at,
                f"the utility {use.utility!r} stands for more than {MOST_CONDITIONS:,} conditions",
                "utilities that use others at several places grow with each level",
            )
        return Raw(Nothing())


def walk(raw: Raw, positive: bool = True) -> list[tuple[Raw, bool]]:
    """Every part once for each sign, with whether it is asked for what there is."""
    seen: set[tuple[int, bool]] = set()
    found: list[tuple[Raw, bool]] = []
    pending = [(raw, positive)]
    while pending:
        one, sign = pending.pop()
        if (id(one), sign) in seen:
            continue
        seen.add((id(one), sign))
        found.append((one, sign))
        inner = sign and not isinstance(one.condition, Not | NthChildAtom)
        pending += [(part, inner) for part in reversed(one.parts)]
        if one.until is not None:
            pending.append((one.until, False))
    return found


def bound_names(raw: Raw) -> dict[str, bool]:
    """The metavariables that *raw* binds, in the order in which they are written → whether an ellipsis."""
    found: dict[str, bool] = {}
    for one, positive in walk(raw):
        if positive and isinstance(one.condition, PatternAtom):
            for m in cut(one.condition.text).metavariables:
                if m.name:
                    found[one.name(m.name)] = found.get(one.name(m.name), False) or m.ellipsis
    return found


def of_nodes(raw: Raw) -> bool:
    """Whether a condition of a binding depends on nothing but its code: no metavariable, no place."""
    placed = (Relation, NthChildAtom, RangeAtom)
    return not raw.counts and not any(isinstance(one.condition, placed) for one, _ in walk(raw))
