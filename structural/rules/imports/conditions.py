"""A formula of semgrep as the condition, the constraints and the focus of a rule of ours.

Conditions of metavariables that hold for all of the rule become its constraints. In one alternative, or
under a negation, they stand as ``has: {pattern: $X, …}`` where the metavariable stands: what is the same
code fulfils the same conditions.

What cannot be said: an alternative or an exclusion is left out, with a remark that the rule finds less
or more; anything else refuses the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from structural.rules.imports import comparison, sequences
from structural.rules.imports.ellipses import UntranslatableError
from structural.rules.imports.formula import (
    Code,
    Compared,
    Either,
    Every,
    Focus,
    Formula,
    Inside,
    Named,
    Negated,
    Other,
    Regex,
    binds,
    walk,
)
from structural.rules.imports.languages import TEXT, ours
from structural.rules.imports.patterns import Context, Made, Mapping, anywhere, around, either, joined
from structural.rules.values import At

_WORD = re.compile(r"[A-Za-z_]\w*")


class RefusedError(ValueError):
    """The formula cannot be carried over.  ``at`` is the place of the part that is to blame."""

    def __init__(self, message: str, at: At) -> None:
        super().__init__(message)
        self.at = at


@dataclass(slots=True)
class Whole:
    """The parts of a rule. ``remarks``: what it finds more or less than in semgrep, each with its place."""

    condition: Mapping = field(default_factory=dict)
    constraints: Mapping = field(default_factory=dict)
    focus: str | None = None
    remarks: list[tuple[str, At]] = field(default_factory=list)


def of_formula(formula: Formula, context: Context) -> Whole:
    """The rule's condition.  RefusedError if it cannot be said."""
    whole = Whole()
    maker = _Maker(context, whole)
    made = maker.made(formula, None, top=True)
    whole.condition = made.condition
    maker.focus(formula)
    whole.remarks += [(remark, formula.at) for remark in context.remarks]
    return whole


@dataclass(slots=True)
class _Maker:
    context: Context
    whole: Whole

    def made(
        self, formula: Formula, kinds: frozenset[str] | None, *, top: bool = False, inner: bool = False
    ) -> Made:
        """The condition of *formula*.  *kinds*: those of the place, if something else says what it is.
        *inner*: it is asked of what a metavariable stands for, which is there already."""
        if isinstance(formula, Code) and inner and _WORD.fullmatch(formula.text.strip()):
            # A name alone is also one that is no expression, such as that of a method.
            return Made({"regex": f"^{formula.text.strip()}$"})
        if isinstance(formula, Code):
            return self._tried(formula.at, lambda: sequences.pattern(formula.text, self.context))
        if isinstance(formula, Regex):
            return Made(self._regex(formula, alone=not inner), None)
        if isinstance(formula, Inside):
            return Made(self._inside(formula.formula, kinds), None)
        if isinstance(formula, Either):
            return self._either(formula, kinds, inner=inner)
        if isinstance(formula, Every):
            return self._every(formula, kinds, top=top, inner=inner)
        if isinstance(formula, Negated):
            raise RefusedError("nothing but a negation says what there is", formula.at)
        if isinstance(formula, Other):
            raise RefusedError(f"`{formula.key}` {formula.why}", formula.at)
        raise RefusedError("a condition of a metavariable stands where a pattern is needed", formula.at)

    def _tried(self, at: At, make: object) -> Made:
        try:
            made = make()  # type: ignore[operator]
        except UntranslatableError as problem:
            raise RefusedError(str(problem), at) from None
        assert isinstance(made, Made)
        return made

    def _remark(self, text: str, at: At) -> None:
        if (text, at) not in self.whole.remarks:
            self.whole.remarks.append((text, at))

    # --- alternatives and conjunctions ----------------------------------------------------------

    def _either(self, formula: Either, kinds: frozenset[str] | None, *, inner: bool) -> Made:
        found: list[Made] = []
        blamed: list[RefusedError] = []
        for item in formula.items:
            try:
                found.append(self.made(item, kinds, inner=inner))
            except RefusedError as problem:
                blamed.append(problem)
        if not found:
            raise blamed[0] if blamed else RefusedError("there is no alternative", formula.at)
        for one in blamed:
            self._remark(f"finds less than in semgrep: an alternative is left out, since {one}", one.at)
        every = [one.kinds for one in found]
        known = [one for one in every if one is not None]
        return Made(
            self.context.merged(either([one.condition for one in found])),
            frozenset().union(*known) if len(known) == len(every) else None,
        )

    def _every(self, formula: Every, kinds: frozenset[str] | None, *, top: bool, inner: bool) -> Made:
        items = _bound_everywhere(_flat(formula.items))
        positive: list[Formula] = [
            item for item in items if isinstance(item, Code | Either | Every) and not _only_around(item)
        ]
        regexes = [item for item in items if isinstance(item, Regex)]
        insides = [Inside(_bare(item), item.at) for item in items if _only_around(item)]
        condition: Mapping = {}
        if not positive and insides and not inner and kinds is None:
            chosen = self._place(insides, items)
            positive = [_bare(chosen.formula)]
            insides = [one for one in insides if one is not chosen]
        if not positive and not inner and kinds is None and not regexes:
            raise RefusedError("nothing but negations says what there is", formula.at)
        for place in sorted(positive, key=lambda item: not isinstance(item, Code)):
            part = self.made(place, kinds)
            condition = joined(condition, part.condition)
            kinds = part.kinds if kinds is None else kinds
        if len([one for one in positive if isinstance(one, Code)]) > 1:
            self._remark(
                "two patterns are asked of the same place; semgrep takes one that lies in the other too",
                formula.at,
            )
        for regex in regexes:
            condition = joined(
                condition, self._regex(regex, alone=not positive and not inner and not condition)
            )
        for inside in insides:
            condition = joined(condition, self._inside(inside.formula, kinds))
        for item in items:
            if isinstance(item, Named | Compared):
                condition = self._of_metavariable(item, condition, top=top)
            elif isinstance(item, Other):
                raise RefusedError(f"`{item.key}` {item.why}", item.at)
        for item in items:
            if isinstance(item, Negated):
                condition = self._negated(item, condition, kinds)
        return Made(condition, kinds)

    def _place(self, insides: Sequence[Inside], items: Iterable[Formula]) -> Inside:
        """Which of several ``pattern-inside`` says what the place is: the last that binds the focus."""
        names = [name for item in items if isinstance(item, Focus) for name in item.names]
        for one in reversed(insides):
            if any(binds(one.formula, name) for name in names):
                return one
        return insides[-1]

    def _inside(self, formula: Formula, kinds: frozenset[str] | None) -> Mapping:
        if isinstance(formula, Code):
            made = self._tried(formula.at, lambda: Made(sequences.inside(formula.text, self.context, kinds)))
            return made.condition
        if isinstance(formula, Either):
            items = tuple(Inside(_bare(item), item.at) for item in formula.items)
            return self._either(Either(items, formula.at), kinds, inner=True).condition
        part = self.made(_bare(formula), None)
        if kinds and part.kinds is not None and not kinds & part.kinds:
            return {"inside": {**part.condition, "stop-by": "end"}}
        return around(part.condition)

    def _negated(self, item: Negated, condition: Mapping, kinds: frozenset[str] | None) -> Mapping:
        try:
            if item.key == "pattern-not-inside" or _only_around(item.formula):
                inner = item.formula
                no = self._inside(inner.formula if isinstance(inner, Inside) else inner, kinds)
            elif isinstance(item.formula, Regex):
                no = self._regex(item.formula, alone=False)
            else:
                no = self.made(item.formula, kinds, inner=True).condition
        except RefusedError as problem:
            self._remark(f"finds more than in semgrep: `{item.key}` is left out, since {problem}", problem.at)
            return condition
        known = condition.pop("not", None)
        return {**condition, "not": no if known is None else self.context.merged(either([known, no]))}

    # --- regular expressions and metavariables --------------------------------------------------

    def _regex(self, formula: Regex, *, alone: bool) -> Mapping:
        regex = _checked(formula.text, formula.at)
        if not alone:
            return {"regex": regex}
        self._remark(
            "finds less than in semgrep: `pattern-regex` is asked of nodes, so not of comments, and the"
            " smallest node that holds a match is what is reported",
            formula.at,
        )
        return {"regex": regex, "not": {"has": {"regex": regex}}}

    def _of_metavariable(self, item: Named | Compared, condition: Mapping, *, top: bool) -> Mapping:
        try:
            found = self._constraints(item)
        except UntranslatableError as problem:
            raise RefusedError(str(problem), item.at) from None
        for name, one in found.items():
            if top:
                known = self.whole.constraints.get(name)
                self.whole.constraints[name] = joined(known, one) if known else one
            elif set(one) == {"same-as"}:
                raise RefusedError("two metavariables are compared in one of several alternatives", item.at)
            else:
                condition = joined(
                    condition, {"has": {"pattern": f"${name}", **_beside(one), "stop-by": "end"}}
                )
        return condition

    def _constraints(self, item: Named | Compared) -> Mapping:
        if isinstance(item, Compared):
            if item.strip:
                raise UntranslatableError("`strip` and `base` change the number before it is compared")
            return dict(comparison.constraints(item.text))
        if not item.name:
            raise UntranslatableError("no metavariable is named")
        if item.regex is not None:
            return {item.name: {"regex": _checked(comparison.anchored(item.regex), item.at)}}
        assert item.formula is not None
        language = item.language.strip().lower()
        textual = language in TEXT and all(
            isinstance(one, Regex | Either | Every | Negated) for one in walk(item.formula)
        )
        if language and not textual and not set(ours(language)) & set(self.context.languages):
            raise UntranslatableError(
                f"`metavariable-pattern` reads what `${item.name}` is as {item.language}"
            )
        made = self.made(item.formula, None, inner=True).condition
        positive = any(isinstance(one, Code) for one in _positive(item.formula))
        return {item.name: anywhere(made) if positive else made}

    def focus(self, formula: Formula) -> None:
        """The focus of the rule: what is named for all of it, or in every alternative."""
        found = [one for one in walk(formula) if isinstance(one, Focus)]
        if not found:
            return
        names = {name for one in found for name in one.names}
        if len(names) == 1 and _everywhere(formula):
            self.whole.focus = names.pop()
            return
        shown = ", ".join(f"`${name}`" for name in sorted(names))
        self._remark(f"the whole match is reported, and not {shown} alone: a rule has one focus", found[0].at)


def _everywhere(formula: Formula) -> bool:
    """Whether every way in which the formula can hold has a focus."""
    if isinstance(formula, Focus):
        return True
    if isinstance(formula, Either):
        return all(_everywhere(item) for item in formula.items)
    if isinstance(formula, Every):
        return any(_everywhere(item) for item in formula.items)
    return False


def _flat(items: Iterable[Formula]) -> list[Formula]:
    """The items, with those of a ``patterns`` in a ``patterns``."""
    found: list[Formula] = []
    for item in items:
        found += _flat(item.items) if isinstance(item, Every) else [item]
    return found


def _bound_everywhere(items: list[Formula]) -> list[Formula]:
    """The items without alternatives that lack a metavariable of which something is asked."""
    asked = {item.name for item in items if isinstance(item, Named) and item.name}
    found: list[Formula] = []
    for item in items:
        if isinstance(item, Either):
            others = [one for one in items if one is not item]
            needed = {name for name in asked if not any(binds(one, name) for one in others)}
            kept = tuple(one for one in item.items if all(binds(one, name) for name in needed))
            found.append(Either(kept or item.items, item.at))
        else:
            found.append(item)
    return found


def _only_around(formula: Formula) -> bool:
    """Whether the formula says nothing but what is around a place."""
    if isinstance(formula, Either):
        return bool(formula.items) and all(_only_around(item) for item in formula.items)
    return isinstance(formula, Inside)


def _bare(formula: Formula) -> Formula:
    """What the place lies in, as what the place is."""
    if isinstance(formula, Either):
        return Either(tuple(_bare(item) for item in formula.items), formula.at)
    return formula.formula if isinstance(formula, Inside) else formula


def _positive(formula: Formula) -> Iterable[Formula]:
    """The parts that say what there is."""
    if isinstance(formula, Every | Either):
        for item in formula.items:
            yield from _positive(item)
    elif not isinstance(formula, Negated):
        yield formula


def _beside(one: Mapping) -> Mapping:
    """The condition as it may stand beside ``pattern: $X``."""
    return {"all": [one]} if "pattern" in one or "has" in one else one


def _checked(regex: str, at: At) -> str:
    from structural.text.regexes import Bounded

    try:
        Bounded(regex)
    except ValueError as problem:
        raise RefusedError(f"the regular expression cannot be read: {problem}", at) from None
    return regex
