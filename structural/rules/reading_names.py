"""Whether the names in a rule stand for something: utilities, rewriters, metavariables.

``Scope`` is the utilities that a rule may use.  Where a shared utility is not known, since not all files were
read, it may bind anything, and nothing is told that may hang on it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from structural.pattern.metavariables import cut
from structural.rules.reading_conditions import told
from structural.rules.reading_forms import Problems
from structural.rules.values import (
    All,
    AnyOf,
    At,
    Condition,
    Count,
    KindAtom,
    Matches,
    Not,
    NthChildAtom,
    PatternAtom,
    Relation,
    SameAs,
    Utility,
)

_SINGLE, _ELLIPSIS = 1, 2


@dataclass(slots=True)
class Bound:
    """Names that may be bound, each with how (as one node, as several).  ``any``: others too."""

    names: dict[str, int] = field(default_factory=dict)
    any: bool = False

    def add(self, other: Bound) -> None:
        """Those of *other* too."""
        for name, how in other.names.items():
            self.names[name] = self.names.get(name, 0) | how
        self.any |= other.any


@dataclass(slots=True)
class Scope:
    """The utilities there are.  ``whole``: there are no others."""

    utilities: Mapping[str, Utility]
    whole: bool
    broken: frozenset[str] = frozenset()
    """Utilities that are there, but have mistakes."""
    made: dict[str, Bound] = field(default_factory=dict)

    def under(self, local: Mapping[str, Utility]) -> Scope:
        """The same with the utilities of a rule before them."""
        return self if not local else Scope({**self.utilities, **local}, self.whole, self.broken)


def inner(condition: Condition) -> Iterator[Condition]:
    """Every condition in *condition*, itself first, also what is only asked and binds nothing."""
    stack = [condition]
    while stack:
        one = stack.pop()
        yield one
        stack += reversed(_below(one))


def _below(one: Condition) -> list[Condition]:
    if isinstance(one, (All, AnyOf)):
        return list(one.conditions)
    if isinstance(one, Not):
        return [one.condition]
    if isinstance(one, Relation):
        until = [] if isinstance(one.until, str) else [one.until]
        return ([] if one.condition is None else [one.condition]) + until
    if isinstance(one, NthChildAtom):
        return [] if one.of is None else [one.of]
    if isinstance(one, Matches):
        return [argument for argument in one.arguments.values() if not isinstance(argument, str)]
    return []


# --- what is bound ------------------------------------------------------------------------------------


def bound(condition: Condition, scope: Scope) -> Bound:
    """The metavariables that *condition* can bind."""
    found = Bound()
    stack: list[Condition] = [condition]
    while stack:
        one = stack.pop()
        if isinstance(one, PatternAtom):
            for piece in cut(one.text).metavariables:
                if piece.name:
                    how = _ELLIPSIS if piece.ellipsis else _SINGLE
                    found.names[piece.name] = found.names.get(piece.name, 0) | how
        elif isinstance(one, Matches):
            found.add(_called(one, scope))
            stack += _below(one)
        elif isinstance(one, Relation):
            if one.condition is not None:
                stack.append(one.condition)
        elif not isinstance(one, (Not, NthChildAtom)):
            stack += _below(one)
    return found


def _called(call: Matches, scope: Scope) -> Bound:
    """What a use of a utility binds: its names, and the metavariables given for its parameters."""
    utility = scope.utilities.get(call.utility)
    if utility is None:
        return Bound(any=not scope.whole or call.utility in scope.broken)
    if call.utility not in scope.made:
        _make(call.utility, scope)
    inside = scope.made[call.utility]
    found = Bound(any=inside.any)
    for name, how in inside.names.items():
        given = call.arguments.get(name, "") if name in utility.parameters else name
        if isinstance(given, str) and given:
            found.names[given] = found.names.get(given, 0) | how
    return found


def _make(name: str, scope: Scope) -> None:
    """See that what the utility *name* binds is known; those that it uses come first."""
    waiting = [name]
    while waiting:
        one = waiting[-1]
        utility = scope.utilities.get(one)
        if utility is None or (one in scope.made and scope.made[one] is not _BEGUN):
            waiting.pop()
        elif one in scope.made:
            waiting.pop()
            scope.made[one] = Bound()  # for one that uses itself, which is told elsewhere
            scope.made[one] = bound(utility.condition, scope)
        else:
            scope.made[one] = _BEGUN
            waiting += [used for used in _uses(utility) if used not in scope.made]


_BEGUN = Bound()
"""Of a utility of which what it uses is being looked at."""


def positive(condition: Condition, scope: Scope, depth: int = 0) -> bool:
    """Whether *condition* says what there is, and not only what there is not."""
    if isinstance(condition, Not):
        return False
    if isinstance(condition, All):
        return any(positive(one, scope, depth) for one in condition.conditions)
    if isinstance(condition, AnyOf):
        return all(positive(one, scope, depth) for one in condition.conditions)
    if isinstance(condition, Matches):
        utility = scope.utilities.get(condition.utility)
        return utility is None or depth > 20 or positive(utility.condition, scope, depth + 1)
    return True


# --- utilities ----------------------------------------------------------------------------------------


def check_calls(conditions: Iterable[Condition], scope: Scope, problems: Problems) -> None:
    """Tells of utilities that are not there, and of parameters that are not theirs."""
    for condition in conditions:
        for one in inner(condition):
            if isinstance(one, Matches):
                _check_call(one, scope, problems)


def _check_call(call: Matches, scope: Scope, problems: Problems) -> None:
    utility = scope.utilities.get(call.utility)
    if utility is None:
        if call.utility in scope.broken:
            problems.tell(call.at, f"the utility {call.utility!r} has mistakes", "they are told at its place")
        elif scope.whole:
            hint = problems.near(call.utility, scope.utilities) or "utilities are defined under `utils`"
            problems.tell(call.at, f"no utility is called {call.utility[:60]!r}", hint)
        return
    missing = [name for name in utility.parameters if name not in call.arguments]
    if missing:
        whole = ", ".join(f"{name}: $X" for name in utility.parameters)
        problems.tell(
            call.at,
            f"the utility {call.utility!r} has the parameter {missing[0]}, which is not given",
            f"write `matches: {{{call.utility}: {{{whole}}}}}`",
        )
    for name in call.arguments:
        if name not in utility.parameters:
            known = ", ".join(utility.parameters) or "none"
            problems.tell(call.at, f"the utility {call.utility!r} has no parameter {name}", f"it has {known}")


def cycles(utilities: Mapping[str, Utility]) -> list[list[str]]:
    """Utilities that use one another in a circle; each circle once."""
    found: list[list[str]] = []
    done: set[str] = set()
    for start in utilities:
        trail: list[tuple[str, Iterator[str]]] = []
        on: dict[str, int] = {}
        if start in done:
            continue
        trail.append((start, _uses(utilities[start])))
        on[start] = 0
        while trail:
            name, uses = trail[-1]
            used = next(uses, None)
            if used is None:
                trail.pop()
                del on[name]
                done.add(name)
            elif used in on:
                found.append([one for one, _ in trail[on[used] :]])
            elif used in utilities and used not in done:
                on[used] = len(trail)
                trail.append((used, _uses(utilities[used])))
    return found


def _uses(utility: Utility) -> Iterator[str]:
    return (one.utility for one in inner(utility.condition) if isinstance(one, Matches))


def tell_cycles(
    circles: Iterable[list[str]], utilities: Mapping[str, Utility], mine: Container[str], problems: Problems
) -> None:
    """Tells of those *circles* in which at least one utility is *mine*."""
    for circle in circles:
        first = next((name for name in circle if name in mine), None)
        if first is not None:
            shown = " → ".join(repr(name) for name in [*circle, circle[0]][:8])
            problems.tell(
                utilities[first].at,
                f"these utilities use one another in a circle: {shown}",
                "write out as many levels as are needed, or look with `has` and `stop-by: end`",
            )


def tell_comments(conditions: Iterable[Condition], comments: frozenset[str], problems: Problems) -> None:
    """Tells of comments that are looked for around a node: they are no nodes.  *comments* are their kinds."""
    for condition in conditions:
        for one in inner(condition):
            if not isinstance(one, Relation) or one.condition is None:
                continue
            below = one.condition
            for part in below.conditions if isinstance(below, All) else (below,):
                if isinstance(part, KindAtom) and set(part.kinds) <= comments:
                    problems.warn(
                        part.at,
                        f"comments are no nodes, so `{one.name}` finds none",
                        "a comment that stands in the code of a `pattern` must stand in the match",
                    )


# --- metavariables ------------------------------------------------------------------------------------


def check_bound(
    name: str, at: At, where: str, there: Bound, problems: Problems, *, warning: bool = False
) -> None:
    """Tells of a name that nothing binds."""
    if name in there.names or there.any:
        return
    hint = problems.near(f"${name}", [f"${one}" for one in there.names])
    if not hint.startswith("did"):
        hint = f"bound are {told(list(there.names))}"
    problems.tell(at, f"{where} uses ${name}, which nothing binds", hint, warning=warning)


def check_text(
    text: str,
    at: At,
    where: str,
    there: Bound,
    made: Iterable[str],
    problems: Problems,
    *,
    message: bool = False,
    warning: bool = False,
) -> None:
    """Tells of metavariables in a text that nothing binds, or that stand for something of another kind."""
    if "$" not in text:
        return
    known = Bound(dict(there.names), there.any)
    for name in made:
        known.names[name] = _SINGLE | _ELLIPSIS
    seen: set[str] = set()
    for piece in cut(text).metavariables:
        if str(piece) in seen:
            continue
        seen.add(str(piece))
        if not piece.name:
            if not message:
                kind = "$$$" if piece.ellipsis else "$"
                problems.tell(
                    at, f"{piece} in {where} stands for nothing in particular", f"name it, such as {kind}ARGS"
                )
            continue
        check_bound(piece.name, at, where, known, problems, warning=warning)
        how = known.names.get(piece.name, 0)
        if not message and how and not how & (_ELLIPSIS if piece.ellipsis else _SINGLE):
            other = ("$" if piece.ellipsis else "$$$") + piece.name
            problems.tell(at, f"{where} has {piece} where the rule has {other}", f"write {other}")


def check_constraints(
    constraints: Mapping[str, Condition],
    places: Mapping[str, At],
    there: Bound,
    problems: Problems,
) -> None:
    """Tells of constraints on what nothing binds, and of those that can hold of nothing."""
    for name, condition in constraints.items():
        at = places.get(name, At())
        if name not in there.names and not there.any:
            hint = problems.near(name, there.names)
            if not hint.startswith("did"):
                hint = f"bound are {told(list(there.names))}"
            problems.tell(at, f"`constraints` has ${name}, which nothing binds", hint)
        how = there.names.get(name, _SINGLE | _ELLIPSIS)
        for one in inner(condition):
            if isinstance(one, SameAs):
                check_bound(one.name, one.at, "`same-as`", there, problems)
                if one.name == name:
                    problems.tell(one.at, f"${name} is always the same as itself")
            elif isinstance(one, Count) and not how & _ELLIPSIS:
                problems.tell(
                    one.at,
                    f"${name} is one node, so it has no `count`",
                    f"only an ellipsis such as $$${name} has several elements",
                )
