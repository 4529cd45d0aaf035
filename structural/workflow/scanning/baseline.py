"""What was known before: findings by rule, tokens and context, and which of today's are new.

A baseline is a bag of entries.  Today's findings are taken out of it in rounds, from the surest on:

1. the same file, rule, content and context;
2. the same file, rule and content: the definition around it has another name now;
3. the same rule, content and context in another file: it was moved, or its file was renamed;
4. the same, where only the innermost name of the context is the same;
5. the same rule and content anywhere: it was moved and has another name.

From round 2 on an entry counts only if the place that it names is gone: the file, or the definition in
it.  Where that is still there the finding was mended, and one like it elsewhere is new.  Line numbers
have no part in any of it.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from structural.errors import UsageError
from structural.workflow.scanning.keys import APART, Key

VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A finding that is known.  ``name`` is its file, relative to the configuration's folder."""

    name: str
    rule: str
    context: str
    content: str


def entry(name: str, rule: str, key: Key) -> Entry:
    """The entry of a finding."""
    return Entry(name, rule, key.context, key.content)


Place = Callable[[str], "frozenset[str] | None"]
"""Name of a file → the contexts that it has now; None if there is no such file any more."""


def known_of(found: Sequence[Entry], known: Mapping[Entry, int], place: Place) -> list[bool]:
    """For each of today's findings, in the order of an answer, whether the baseline has it."""
    left = Counter(known)
    result = [False] * len(found)
    for number, one in enumerate(found):
        if left[one] > 0:
            left[one] -= 1
            result[number] = True
    rest = Counter({one: count for one, count in left.items() if count > 0})
    if not rest or all(result):
        return result
    had = {one.name for one in known}
    gone = _Gone(place)
    rounds: tuple[Callable[[Entry], tuple[str, ...]], ...] = (
        lambda one: (one.name, one.rule, one.content),
        lambda one: (one.rule, one.content, one.context),
        lambda one: (one.rule, one.content, _innermost(one.context)),
        lambda one: (one.rule, one.content),
    )
    for number, by in enumerate(rounds):
        elsewhere = number > 0
        waiting: dict[tuple[str, ...], deque[int]] = defaultdict(deque)
        for at, one in enumerate(found):
            if not result[at]:
                waiting[by(one)].append(at)
        for old in sorted(rest):
            places = waiting.get(by(old))
            if not places or not gone.left(old, elsewhere=elsewhere):
                continue
            for _ in range(len(places)):
                if rest[old] <= 0:
                    break
                at = places.popleft()
                # What is in no definition could be from anywhere: only a file that is new can be what
                # became of another.
                if elsewhere and not old.context and found[at].name in had:
                    places.append(at)
                    continue
                rest[old] -= 1
                result[at] = True
    return result


class _Gone:
    """Whether the places that entries name are gone, asked once a file."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._files: dict[str, frozenset[str] | None] = {}

    def left(self, one: Entry, *, elsewhere: bool) -> bool:
        if one.name not in self._files:
            self._files[one.name] = self._place(one.name)
        contexts = self._files[one.name]
        if contexts is None:
            return True
        if not one.context:
            return not elsewhere  # the file itself is there; in it, it went into a definition
        return one.context not in contexts


def _innermost(context: str) -> str:
    return context.rpartition(APART)[2]


# --- as a file --------------------------------------------------------------------------------------------


def read_baseline(path: str) -> Counter[Entry]:
    """The entries of a baseline file.  UsageError if it is none."""
    try:
        with open(path, "rb") as file:
            data = json.loads(file.read())
    except FileNotFoundError:
        raise UsageError(
            f"there is no baseline {path!r}", hint="--update-baseline writes one with what is found now"
        ) from None
    except (OSError, ValueError, RecursionError) as problem:
        raise UsageError(f"the baseline {path!r} cannot be read: {problem}") from None
    return _entries(path, data)


def _entries(path: str, data: Any) -> Counter[Entry]:
    wrong = UsageError(f"{path!r} is no baseline of astgrep", hint="--update-baseline writes one")
    if not isinstance(data, dict) or not isinstance(data.get("findings"), list):
        raise wrong
    if data.get("version") != VERSION:
        raise UsageError(f"the baseline {path!r} is of another version of astgrep")
    found: Counter[Entry] = Counter()
    for one in data["findings"]:
        try:
            context = APART.join(one["in"])
            made = Entry(one["path"], one["rule"], context, one["content"])
            count = one.get("count", 1)
        except (KeyError, TypeError, AttributeError):
            raise wrong from None
        if not all(isinstance(part, str) for part in (made.name, made.rule, made.content)) or (
            not isinstance(count, int) or count < 1
        ):
            raise wrong
        found[made] += count
    return found


def baseline_text(entries: Mapping[Entry, int]) -> bytes:
    """The file: one entry a line, in order, so that two branches merge well."""
    lines = []
    for one in sorted(entries):
        value: dict[str, Any] = {"path": one.name, "rule": one.rule}
        value["in"] = one.context.split(APART) if one.context else []
        value["content"] = one.content
        if entries[one] > 1:
            value["count"] = entries[one]
        lines.append(json.dumps(value))
    body = ",\n".join(lines)
    return f'{{"version": {VERSION}, "findings": [\n{body}{chr(10) * bool(lines)}]}}\n'.encode()


def updated(
    before: Mapping[Entry, int], now: Iterable[Entry], still: Callable[[Entry], bool]
) -> Counter[Entry]:
    """The entries after an update: those of today, and of the old ones those that this scan could not see
    (*still*)."""
    made = Counter(now)
    for one, count in before.items():
        if still(one) and one not in made:
            made[one] = count
    return made


def write_baseline(path: str, entries: Mapping[Entry, int]) -> None:
    """Write the file, wholly or not at all."""
    from structural.workflow.scanning.writing import write_whole

    write_whole(path, baseline_text(entries))


def is_file(name: str) -> bool:
    """Whether what was named as a baseline is a file, and not a revision."""
    return os.path.isfile(name) or name.endswith(".json")
