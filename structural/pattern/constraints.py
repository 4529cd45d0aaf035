"""Constraints on bindings, as written on a command line or in a rule.

    X=~/re/      the text of the binding holds a match of the regular expression
    X!~/re/      it does not
    X==Y  X!=Y   the two stand for the same code, or not
    X:kind       the node is of this kind; of ``$$$X`` every element is
    X!:kind      it is not; of ``$$$X`` no element is
    #X>=2        how many elements ``$$$X`` has (``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``)

``$X`` and ``$$$X`` may be written for ``X``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from structural.errors import ConstraintError
from structural.pattern.bindings import Bound, Check, innermost, same_code
from structural.pattern.tables import Tables
from structural.syntax.columns import Columns
from structural.text.regexes import Bounded

_NAME = r"\$?(?:\$\$)?([A-Z_][A-Z0-9_]*)"
_FORMS = (
    ("regex", re.compile(rf"{_NAME}\s*(=~|!~)\s*(.*)", re.DOTALL)),
    ("same", re.compile(rf"{_NAME}\s*(==|!=)\s*{_NAME}\s*")),
    ("kind", re.compile(rf"{_NAME}\s*(!?:)\s*([A-Za-z_][\w.-]*)\s*")),
    ("count", re.compile(rf"#\s*{_NAME}\s*(==|!=|<=|>=|<|>)\s*(\d+)\s*")),
)
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint: ``form`` is ``regex``, ``same``, ``kind`` or ``count``."""

    form: str
    name: str
    operator: str
    value: str
    flags: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, self.value) if self.form == "same" else (self.name,)


def read(text: str) -> Constraint:
    """The constraint that *text* says; a ConstraintError if it says none."""
    for form, pattern in _FORMS:
        found = pattern.fullmatch(text.strip())
        if found is None:
            continue
        name, how, value = found.groups()
        if form != "regex":
            return Constraint(form, name, how, value)
        body, flags = _regex(value)
        try:
            Bounded(body, flags)
        except ValueError as problem:
            raise ConstraintError(f"the regular expression in {text!r} is wrong: {problem}") from problem
        return Constraint(form, name, how, body, flags)
    raise ConstraintError(
        f"cannot read the constraint {text!r}",
        hint="write X=~/re/, X!~/re/, X==Y, X!=Y, X:kind, X!:kind or #X>=2",
    )


def _regex(value: str) -> tuple[str, int]:
    if len(value) >= 2 and value.startswith("/"):
        end = value.rfind("/")
        letters = value[end + 1 :]
        if end > 0 and set(letters) <= set("imsx"):
            flags = 0
            for letter in letters:
                flags |= {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}[letter]
            return value[1:end], flags
    return value, 0


def checks(
    constraints: Sequence[Constraint], names: tuple[str, ...], ellipses: frozenset[str], tables: Tables
) -> list[Check | None]:
    """One check a name, made when that name is bound; None where nothing is asked."""
    table: list[list[Check]] = [[] for _ in names]
    for constraint in constraints:
        for name in constraint.names:
            if name not in names:
                raise ConstraintError(
                    f"the pattern binds no ${name}",
                    hint=f"it binds {', '.join('$' + n for n in names)}"
                    if names
                    else "it has no metavariables that bind",
                )
        at = names.index(constraint.name)
        if constraint.form == "same":
            other = names.index(constraint.value)
            wanted = constraint.operator == "=="
            table[at].append(_same(other, wanted, tables))
            table[other].append(_same(at, wanted, tables))
        elif constraint.form == "regex":
            table[at].append(_matches(_compiled(constraint), constraint.operator == "=~"))
        elif constraint.form == "kind":
            if not tables.grammar.has(constraint.value):
                raise ConstraintError(
                    f"{tables.grammar.language.name} has no kind {constraint.value!r}",
                    hint="`astgrep tree FILE` shows the kinds of a file",
                )
            table[at].append(
                _kind(tables.grammar.ids((constraint.value,)), constraint.operator == ":", tables)
            )
        else:
            table[at].append(_count(COMPARE[constraint.operator], int(constraint.value), tables))
    return [_all(those) for those in table]


def _all(those: list[Check]) -> Check | None:
    if len(those) < 2:
        return those[0] if those else None
    return lambda columns, bound, env: all(check(columns, bound, env) for check in those)


def _compiled(constraint: Constraint) -> Bounded:
    return Bounded(constraint.value, constraint.flags)


def _matches(regex: Bounded, wanted: bool) -> Check:
    def check(columns: Columns, bound: Bound, env: Sequence[Bound | None]) -> bool:
        text = columns.source[bound[0] : bound[1]].decode("utf-8", "replace")
        return regex.finds(text) == wanted

    return check


def _same(other: int, wanted: bool, tables: Tables) -> Check:
    def check(columns: Columns, bound: Bound, env: Sequence[Bound | None]) -> bool:
        second = env[other]
        return second is None or same_code(columns, bound, second, tables.strings) == wanted

    return check


def _kind(kinds: frozenset[int], wanted: bool, tables: Tables) -> Check:
    def check(columns: Columns, bound: Bound, env: Sequence[Bound | None]) -> bool:
        if bound[2] < 0:
            return bound[2] == -2 or not wanted
        return all(
            (columns.kind[i] in kinds or _layers(columns, i, kinds)) == wanted
            for i in elements(columns, bound, tables)
        )

    return check


def _layers(columns: Columns, i: int, kinds: frozenset[int]) -> bool:
    """Whether a layer of the same span inside of node *i* is of *kinds*."""
    last = innermost(columns, i)
    while i < last:
        i += 1
        if columns.kind[i] in kinds:
            return True
    return False


def _count(compare: Callable[[int, int], bool], wanted: int, tables: Tables) -> Check:
    def check(columns: Columns, bound: Bound, env: Sequence[Bound | None]) -> bool:
        return compare(len(elements(columns, bound, tables)), wanted)

    return check


def elements(columns: Columns, bound: Bound, tables: Tables) -> list[int]:
    """The nodes of a binding without separators, terminators and what is missing there."""
    if bound[2] < 0:
        return []
    found = []
    i, stop = bound[2], bound[3] + columns.size[bound[3]]
    while i < stop:
        k = columns.kind[i]
        there = columns.end[i] > columns.start[i]
        if there and k not in tables.separators and not (k in tables.terminators and columns.size[i] == 1):
            found.append(i)
        i += columns.size[i]
    return found
