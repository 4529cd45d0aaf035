"""Texts without which a regular expression matches nowhere.

Of ``^foo(\\.bar|baz)+[0-9]`` the texts ``foo`` and one of ``.bar`` and ``baz`` stand wherever it matches.  A
filter: what is not understood asks for nothing, so that it never holds back what matches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Clause = frozenset[bytes]
"""Texts of which one stands wherever something holds."""

Clauses = frozenset[Clause]
"""All of these hold."""

NOTHING: Clauses = frozenset()

_MOST_TEXTS = 60
"""Of one clause; more say little."""

_MOST_NESTED = 50

_CLASS_ESCAPES = frozenset("dDwWsSbBAZ")
_COUNTED = re.compile(r"\{(?P<least>[0-9]*)(?:,[0-9]*)?\}")
_OPENING = re.compile(r"\((?:\?(?:(?P<kept>:|>|P?<[A-Za-z_][A-Za-z0-9_]*>)|(?P<looking><?[=!])))?(?![?*])")
_SET_OPERATORS = ("--", "&&", "||", "~~")


class _UnknownError(ValueError):
    """What the expression asks for is not understood."""


def required(regex: str) -> Clauses:
    """What stands in every text in which *regex*, without flags, matches."""
    reader = _Reader(regex)
    try:
        found = reader.alternatives(0)
    except _UnknownError:
        return NOTHING
    return found if reader.at == len(regex) else NOTHING


def either(of_each: Sequence[Clauses]) -> Clauses:
    """What stands where one of several things holds: what all of them ask for, and one of the best that
    each of them asks for."""
    if not all(of_each):
        return NOTHING
    common = of_each[0].intersection(*of_each[1:])
    joined = Clause().union(*(max(those, key=worth) for those in of_each))
    return common | {joined} if len(joined) <= _MOST_TEXTS else common


def worth(clause: Clause) -> tuple[int, int, list[bytes]]:
    """How much *clause* holds back: more, the longer and the fewer its texts are."""
    return min(map(len, clause)), -len(clause), sorted(clause)


class _Reader:
    """Reads an expression once, from left to right."""

    def __init__(self, regex: str) -> None:
        self.regex = regex
        self.at = 0

    def alternatives(self, depth: int) -> Clauses:
        """Branches up to the end or to a closing parenthesis."""
        if depth > _MOST_NESTED:
            raise _UnknownError
        branches = [self._branch(depth)]
        while self._takes("|"):
            branches.append(self._branch(depth))
        return either(branches) if len(branches) > 1 else branches[0]

    def _branch(self, depth: int) -> Clauses:
        found: set[Clause] = set()
        runs: list[str] = [""]
        while self.at < len(self.regex) and self.regex[self.at] not in "|)":
            text, clauses = self._piece(depth)
            least, once = self._times()
            if text is None or not least:
                found |= clauses if least else NOTHING
                runs.append("")
            else:
                runs[-1] += text
                if not once:
                    runs.append("")
        texts = {run.encode() for run in runs if run}
        found |= {Clause({text}) for text in texts if len(text) > 1 or len(texts) == 1}
        return frozenset(found)

    def _piece(self, depth: int) -> tuple[str | None, Clauses]:
        """The next thing that a repetition could follow: the character that it is, else none and what it
        asks for."""
        char = self.regex[self.at]
        if char == "(":
            return None, self._group(depth)
        self.at += 1
        if char == "[":
            self._set()
            return None, NOTHING
        if char in ".^$":
            return None, NOTHING
        if char == "\\":
            char = self.regex[self.at : self.at + 1]
            self.at += 1
            if char in _CLASS_ESCAPES:
                return None, NOTHING
            if not char or char.isalnum() or not char.isascii():
                raise _UnknownError
        elif char in "*+?{":
            raise _UnknownError
        # Bytes that are no text are read as U+FFFD.
        if char == "\ufffd" or "\ud800" <= char <= "\udfff":
            raise _UnknownError
        return char, NOTHING

    def _group(self, depth: int) -> Clauses:
        opening = _OPENING.match(self.regex, self.at)
        if opening is None:
            raise _UnknownError
        self.at = opening.end()
        inside = self.alternatives(depth + 1)
        if not self._takes(")"):
            raise _UnknownError
        return NOTHING if opening["looking"] else inside

    def _set(self) -> None:
        """Read over the rest of a set of characters."""
        self._takes("^")
        begun = self.at
        while self.at < len(self.regex):
            if self.regex[self.at] == "]" and self.at > begun:
                self.at += 1
                return
            if self.regex[self.at] == "[" or self.regex.startswith(_SET_OPERATORS, self.at):
                break  # A set in a set is none in every dialect.
            self.at += 2 if self.regex[self.at] == "\\" else 1
        raise _UnknownError

    def _times(self) -> tuple[bool, bool]:
        """Whether what was read must be there at all, and whether it is there once."""
        if self.at >= len(self.regex) or self.regex[self.at] not in "*+?{":
            return True, True
        counted = _COUNTED.match(self.regex, self.at)
        if counted is not None and counted[0] != "{}" and counted[0] != "{,}":
            least = bool(counted["least"].strip("0"))
            self.at = counted.end()
        elif self.regex[self.at] == "{":
            raise _UnknownError  # A brace, or in some dialects errors that are allowed.
        else:
            least = self.regex[self.at] == "+"
            self.at += 1
        if self.at < len(self.regex) and self.regex[self.at] in "?+":
            self.at += 1
        if self.at < len(self.regex) and self.regex[self.at] in "*+?{":
            raise _UnknownError
        return least, False

    def _takes(self, char: str) -> bool:
        taken = self.regex.startswith(char, self.at)
        self.at += taken
        return taken
