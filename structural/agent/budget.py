"""Answers that keep to a number of characters, whatever they are made of.

An answer is one JSON object.  Its size is the number of characters of that object as it
is written, so what is promised to the caller is what the caller counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def dumps(value: object) -> str:
    """*value* as it is sent: on one line, as UTF-8 where it can be."""
    made = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if made.isascii():
        return made
    try:
        made.encode()
    except UnicodeEncodeError:  # a byte of a path that is no UTF-8 can only be written as an escape
        return json.dumps(value, separators=(",", ":"))
    return made


class Room:
    """What is left of a budget while the lists of an answer are filled.

    Start with the answer as it is without their items; ``take`` says whether one more fits.
    """

    def __init__(self, budget: int, answer: object, reserve: int = 0) -> None:
        self.left = budget - len(dumps(answer)) - reserve

    def take(self, value: object, *, must: bool = False) -> bool:
        """Count *value* in if it fits, or in any case if it *must*."""
        cost = len(dumps(value)) + 1
        if cost > self.left and not must:
            return False
        self.left -= cost
        return True

    def fill(self, values: Iterable[Any], most: int = 1_000_000) -> list[Any]:
        """The first of *values* that fit, at most *most*."""
        kept: list[Any] = []
        for value in values:
            if len(kept) >= most or not self.take(value):
                break
            kept.append(value)
        return kept


def clip(text: str, most: int) -> str:
    """*text* with at most *most* characters; what was cut is counted at its end."""
    if len(text) <= most:
        return text
    tail = f"… [{len(text) - most} more characters]"
    return text[: max(0, most - len(tail))] + tail


def clip_json(text: str, most: int) -> str:
    """*text* so that it takes at most about *most* characters once it is written as JSON."""
    cut = clip(text, most)
    while len(cut) > 16 and len(dumps(cut)) > most + 2:
        cut = clip(text, max(16, len(cut) // 2))
    return cut


def listed(values: Sequence[str], most: int = 8) -> str:
    """As ``a, b and 3 more``."""
    if len(values) <= most:
        return ", ".join(values)
    return f"{', '.join(values[:most])} and {len(values) - most} more"


def count(number: int, one: str, many: str = "") -> str:
    """As ``1 match``, ``12 matches``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


_FIRST_TO_GO = (
    ("scope", "skipped_paths"),
    ("scope", "failed"),
    ("near_misses",),
    ("scope", "not_code"),
    ("error", "rungs"),
    ("error", "problems"),
    ("error", "files"),
    ("edits",),
    ("remarks",),
    ("next",),
    ("readings",),
    ("not_staged",),
    ("by_rule",),
    ("problems",),
)
"""What an answer can do without where even its frame is more than the budget: names of it are
counted elsewhere in the answer, or can be asked for."""


def trim(answer: dict[str, Any], budget: int) -> None:
    """Take out of *answer* what it can do without, until it is at most *budget* characters."""
    for way in _FIRST_TO_GO:
        place: Any = answer
        for name in way[:-1]:
            place = place.get(name, {})
        values = place.get(way[-1])
        while values and len(dumps(answer)) > budget:
            values.pop()
            if not values:
                del place[way[-1]]


def squeeze(answer: dict[str, Any], budget: int) -> None:
    """Cut the longest strings of *answer*, marked as cut, until it is at most *budget* characters: what is
    left to do where a path or a name alone is longer than the caller wants the whole to be."""
    trim(answer, budget)
    over = len(dumps(answer)) - budget
    while over > 0:
        size, holder, name = max(_strings(answer), key=lambda one: one[0], default=(0, answer, ""))
        if size <= _SHORT:
            return
        holder[name] = clip_json(holder[name], max(_SHORT - 2, size - over - 2))
        over = len(dumps(answer)) - budget


_SHORT = 50
"""Characters of a string that is not worth cutting."""


def _strings(value: Any) -> Iterator[tuple[int, Any, Any]]:
    """Every string in *value*: its size as it is written, what holds it, and where in that."""
    for name, one in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(one, str) and len(one) > 16:  # clip_json cuts no further
            yield len(dumps(one)), value, name
        elif isinstance(one, dict | list):
            yield from _strings(one)
