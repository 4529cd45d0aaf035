"""Transformations: a new name in a rewrite, made from what another one stands for.

    NAME=convert($X, toCase=snakeCase, separatedBy=[caseChange, dash])
    NAME=replace($X, replace='^get_(.*)', by='$1')
    NAME=substring($X, startChar=1, endChar=-1)
    NAME=rewrite($X, pattern='$A == null', rewrite='isNull($A)')

A transformation may use the name of one before it.  The keys are those of rule files.
Characters are counted as in Python, from the end if negative.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from structural.errors import RewriteError
from structural.text.regexes import Bounded

Value = str | int | tuple[str, ...]

_HEAD = re.compile(r"\$?(?P<name>[A-Z_][A-Z0-9_]*)\s*=\s*(?P<how>[a-zA-Z]+)\s*\((?P<rest>.*)\)\s*", re.DOTALL)
_SOURCE = re.compile(r"\s*\$(?:\$\$)?(?P<name>[A-Z_][A-Z0-9_]*)\s*(?:,|$)")
_ARGUMENT = re.compile(
    r"""\s* (?P<key>[a-zA-Z]+) \s* = \s* (?:
          '(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)"
        | \[(?P<list>[^\]]*)\] | (?P<bare>[^\s,]+) ) \s* (?:,|$)""",
    re.VERBOSE | re.DOTALL,
)

_KEYS: dict[str, tuple[str, ...]] = {
    "convert": ("toCase", "separatedBy"),
    "replace": ("replace", "by"),
    "substring": ("startChar", "endChar"),
    "rewrite": ("pattern", "rewrite"),
}
_NEEDED = {"convert": ("toCase",), "replace": ("replace", "by"), "rewrite": ("pattern", "rewrite")}


@dataclass(frozen=True)
class Transformation:
    """One transformation: ``name`` is made from what ``source`` stands for."""

    name: str
    how: str
    source: str
    arguments: Mapping[str, Value]

    @cached_property
    def function(self) -> Callable[[str], str]:
        """Text to text; of ``rewrite`` the identity, as it needs the file."""
        if self.how == "convert":
            name = str(self.arguments["toCase"])
            if name in _WHOLE:
                return _WHOLE[name]
            case = _CASES[name]
            separators = self.arguments.get("separatedBy", ())
            split = _splitter(separators if isinstance(separators, tuple) else (str(separators),))
            return lambda text: case(split(text))
        if self.how == "replace":
            regex = Bounded(str(self.arguments["replace"]))
            by = _replacement(str(self.arguments["by"]))
            return lambda text: regex.replace(by, text)
        if self.how == "substring":
            start, end = self.arguments.get("startChar"), self.arguments.get("endChar")
            low, high = (value if isinstance(value, int) else None for value in (start, end))
            return lambda text: text[low:high]
        return lambda text: text


def read(texts: Sequence[str], bound: Sequence[str]) -> tuple[Transformation, ...]:
    """The transformations that *texts* say, for a pattern that binds the names *bound*.

    Raises RewriteError for one that cannot be read, that uses a name nothing binds, or that makes
    a name that is taken."""
    known = list(bound)
    found = []
    for text in texts:
        made = _read(text)
        if made.source not in known:
            raise RewriteError(
                f"the transformation {text!r} uses ${made.source}, which nothing binds",
                hint=f"bound are {', '.join('$' + name for name in known) or 'none'}",
            )
        if made.name in known:
            raise RewriteError(
                f"the transformation {text!r} makes ${made.name}, which is taken", hint="choose another name"
            )
        known.append(made.name)
        found.append(made)
    return tuple(found)


def _read(text: str) -> Transformation:
    head = _HEAD.fullmatch(text.strip())
    if head is None or head["how"] not in _KEYS:
        raise RewriteError(
            f"cannot read the transformation {text!r}",
            hint="write NAME=convert($X, toCase=snakeCase), replace, substring or rewrite",
        )
    source = _SOURCE.match(head["rest"])
    if source is None:
        raise RewriteError(
            f"the transformation {text!r} does not say what it is made from",
            hint=f"{head['how']}($X, …)",
        )
    how, rest = head["how"], head["rest"][source.end() :]
    arguments: dict[str, Value] = {}
    while rest.strip():
        found = _ARGUMENT.match(rest)
        if found is None or found["key"] not in _KEYS[how]:
            raise RewriteError(
                f"cannot read {rest.strip()!r} in the transformation {text!r}",
                hint=f"{how} takes {', '.join(_KEYS[how])}",
            )
        arguments[found["key"]] = _value(found)
        rest = rest[found.end() :]
    missing = [key for key in _NEEDED.get(how, ()) if key not in arguments]
    if missing:
        raise RewriteError(f"the transformation {text!r} lacks {missing[0]}")
    _check(text, how, arguments)
    return Transformation(head["name"], how, source["name"], arguments)


def _value(found: re.Match[str]) -> Value:
    for form, quote in (("single", "'"), ("double", '"')):
        if found[form] is not None:
            return found[form].replace("\\" + quote, quote)
    if found["list"] is not None:
        return tuple(word.strip().strip("'\"") for word in found["list"].split(",") if word.strip())
    bare = found["bare"]
    return int(bare) if re.fullmatch(r"-?\d+", bare) else bare


def _check(text: str, how: str, arguments: Mapping[str, Value]) -> None:
    if how == "convert":
        if arguments["toCase"] not in _CASES.keys() | _WHOLE.keys():
            raise RewriteError(
                f"no case is called {arguments['toCase']!r} in {text!r}",
                hint=f"one of {', '.join([*_CASES, *_WHOLE])}",
            )
        separators = arguments.get("separatedBy", ())
        for name in separators if isinstance(separators, tuple) else (str(separators),):
            if name not in _SEPARATORS:
                raise RewriteError(
                    f"no separator is called {name!r} in {text!r}", hint=f"one of {', '.join(_SEPARATORS)}"
                )
    if how == "replace":
        try:
            Bounded(str(arguments["replace"]))
        except ValueError as problem:
            raise RewriteError(f"the regular expression in {text!r} is wrong: {problem}") from problem
    for key in ("startChar", "endChar"):
        if key in arguments and not isinstance(arguments[key], int):
            raise RewriteError(f"{key} is no number in {text!r}")


def _replacement(by: str) -> str:
    """``$1`` and ``${name}`` as Python writes them; other backslashes are plain."""
    escaped = by.replace("\\", "\\\\")
    escaped = re.sub(r"\\\\(\d)", r"\\g<\1>", escaped)
    return re.sub(r"\$(?:(\d+)|\{(\w+)\})", lambda m: f"\\g<{m[1] or m[2]}>", escaped)


# --- cases ----------------------------------------------------------------------------------------

_SEPARATORS = {
    "caseChange": r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])",
    "dash": "-",
    "dot": r"\.",
    "slash": "/",
    "space": r"\s+",
    "underscore": "_",
}


def _splitter(names: tuple[str, ...]) -> Callable[[str], list[str]]:
    wanted = names or tuple(_SEPARATORS)
    regex = re.compile("|".join(_SEPARATORS[name] for name in wanted))
    return lambda text: [word for word in regex.split(text) if word]


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:].lower()


_CASES: dict[str, Callable[[list[str]], str]] = {
    "camelCase": lambda words: "".join([w.lower() for w in words[:1]] + [_capital(w) for w in words[1:]]),
    "pascalCase": lambda words: "".join(map(_capital, words)),
    "snakeCase": lambda words: "_".join(word.lower() for word in words),
    "screamingSnakeCase": lambda words: "_".join(word.upper() for word in words),
    "kebabCase": lambda words: "-".join(word.lower() for word in words),
}
"""Cases that are made of words."""

_WHOLE: dict[str, Callable[[str], str]] = {
    "upperCase": str.upper,
    "lowerCase": str.lower,
    "capitalize": lambda text: text[:1].upper() + text[1:],
}
"""Cases of the text as it is."""
