"""Globs as people give them on the command line, in the syntax of ignore files.

``Globs`` is compiled once and asked once a path.  It only ever narrows: what the
ignore rules left out stays out.  Knows nothing of the file system.

The meaning is that of git's ignore files, read the other way round: a plain glob
takes files in, a leading ``!`` takes them out, and the last one that fits decides.
With at least one plain glob, a file that none of them fits is out.  Beyond git,
``{a,b}`` stands for either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from structural.errors import UsageError
from structural.text.regexes import Bounded


@dataclass(frozen=True, slots=True)
class Globs:
    """Compiled globs in their order: what says that a path fits, and whether it takes in."""

    rules: tuple[tuple[Callable[[str], bool], bool], ...]

    @classmethod
    def compile(cls, globs: Iterable[str]) -> Globs:
        """Read *globs*; a UsageError names one that cannot be read."""
        rules = []
        for glob in globs:
            takes_in = not glob.startswith("!")
            body = glob if takes_in else glob[1:]
            if not body.strip("/"):
                raise UsageError(f"the glob {glob!r} names nothing", hint="write it as in .gitignore: '*.py'")
            try:
                rules.append((_compiled(to_regex(body), body.count("*") + body.count("{") > FEW), takes_in))
            except (re.error, ValueError) as problem:
                raise UsageError(
                    f"the glob {glob!r} cannot be read: {problem}",
                    hint="a '[' begins a set such as [a-z]; write \\[ for the bracket itself",
                ) from None
        return cls(tuple(rules))

    def admits(self, path: str) -> bool:
        """Whether the file *path* (relative, parted by ``/``) is in."""
        for rule, takes_in in reversed(self.rules):
            if rule(path):
                return takes_in
        return not any(takes_in for _, takes_in in self.rules)


FEW = 3
"""Stars and braces: with no more, no name makes an expression take long; with more it is bounded in time."""


def _compiled(body: str, bounded: bool) -> Callable[[str], bool]:
    """Whether a path fits *body*."""
    plain = re.compile(body, re.DOTALL)
    return Bounded(body, re.DOTALL).matches if bounded else lambda path: plain.match(path) is not None


def to_regex(glob: str) -> str:
    """A regular expression for file paths that *glob* fits, or that lie in a folder it fits.

    A slash at the start or in the middle ties the glob to the root; without one it
    fits at any depth.  A slash at the end fits folders only.
    """
    folder = glob.endswith("/")
    body = glob.rstrip("/")
    tied = "/" in body
    body = body.lstrip("/")
    below = r"/." if folder else r"(?:/.|\Z)"
    return ("" if tied else r"(?:.*/)?") + _translate(body) + below


def _translate(glob: str) -> str:
    out: list[str] = []
    braces = 0
    at = 0
    while at < len(glob):
        char = glob[at]
        if glob.startswith("**", at) and (at == 0 or glob[at - 1] == "/"):
            rest = at + len(glob[at:]) - len(glob[at:].lstrip("*"))
            if rest == len(glob):
                out.append(r".+")
                at = rest
                continue
            if glob[rest] == "/":
                out.append(r"(?:.*/)?")
                at = rest + 1
                continue
        if char == "*":
            out.append(r"[^/]*")
        elif char == "?":
            out.append(r"[^/]")
        elif char == "[":
            piece, at = _set(glob, at)
            out.append(piece)
            continue
        elif char == "{" and "}" in glob[at:]:
            out.append("(?:")
            braces += 1
        elif char == "}" and braces:
            out.append(")")
            braces -= 1
        elif char == "," and braces:
            out.append("|")
        elif char == "\\":
            at += 1
            if at == len(glob):
                raise ValueError("it ends in a backslash")
            out.append(re.escape(glob[at]))
        else:
            out.append(re.escape(char))
        at += 1
    if braces:
        raise ValueError("a brace is not closed")
    return "".join(out)


def _set(glob: str, at: int) -> tuple[str, int]:
    """The regular expression of the set that begins at *at*, and where it ends."""
    end = at + 1
    negated = glob[end : end + 1] in ("!", "^")
    end += negated
    members: list[str] = []
    while end < len(glob) and (glob[end] != "]" or not members):
        if glob[end] == "\\" and end + 1 < len(glob):
            end += 1
            members.append(re.escape(glob[end]))
        elif glob[end] == "-":
            members.append("-")  # a range, as in a regular expression
        else:
            members.append(re.escape(glob[end]))
        end += 1
    if end >= len(glob):
        raise ValueError("a set is not closed")
    return f"(?!/)[{'^' if negated else ''}{''.join(members)}]", end + 1
