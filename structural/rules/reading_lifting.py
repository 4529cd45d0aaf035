"""A condition with other names of utilities: for what is put beside utilities of the same names."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from structural.rules.values import All, AnyOf, Condition, Matches, Not, NthChildAtom, Relation


def renamed(condition: Condition, names: Mapping[str, str]) -> Condition:
    """*condition* with every use of a utility in *names* by its new name."""
    if isinstance(condition, (All, AnyOf)):
        inside = tuple(renamed(one, names) for one in condition.conditions)
        return dataclasses.replace(condition, conditions=inside)
    if isinstance(condition, Not):
        return dataclasses.replace(condition, condition=renamed(condition.condition, names))
    if isinstance(condition, Relation):
        until = condition.until if isinstance(condition.until, str) else renamed(condition.until, names)
        below = None if condition.condition is None else renamed(condition.condition, names)
        return dataclasses.replace(condition, condition=below, until=until)
    if isinstance(condition, NthChildAtom) and condition.of is not None:
        return dataclasses.replace(condition, of=renamed(condition.of, names))
    if isinstance(condition, Matches):
        arguments = {
            name: value if isinstance(value, str) else renamed(value, names)
            for name, value in condition.arguments.items()
        }
        return Matches(names.get(condition.utility, condition.utility), arguments, condition.at)
    return condition
