"""The files that are about to be written: where they are, what they hold, what may not be.

Each file is read once, and a change is staged against the bytes that were read, so what was
compared is what the change is guarded by.  What is wrong is gathered and told at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from structural.errors import StaleError, StructuralError
from structural.staging import Stale
from structural.staging.look import look, read
from structural.text import digest
from structural.text.digests import digest_fits, is_digest_prefix, short_digest
from structural.workflow.trees import OpenTree, Tree

__all__ = ["Problems", "Targets", "WrongError", "encoded", "named"]

_MOST = 10
"""Faults that one message tells."""


class WrongError(ValueError):
    """What is wrong with one file or one change of it; goes on from its name."""


@dataclass(slots=True)
class Problems:
    """What is wrong with a call, in sentences without an end."""

    hint: str
    """What to do about them, if nothing better is known."""
    wrong: list[str] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)

    def refuse(self, kind: type[StructuralError]) -> None:
        """Raise what was gathered, if there is any: StaleError if a file has another digest than it
        should, else *kind*."""
        told = [*(one.why for one in self.stale), *self.wrong]
        if not told:
            return
        more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
        message = f"{'; '.join(told[:_MOST])}{more}; nothing was staged"
        hints = list(dict.fromkeys(self.hints))
        if self.stale:
            hints.insert(0, "read the file again, and give the digest that it has then")
            raise StaleError(message, hint="; ".join(hints), files=tuple(self.stale))
        raise kind(message, hint="; ".join(hints) or self.hint)


class Targets:
    """The files below the root that one call is about."""

    def __init__(self, tree: OpenTree) -> None:
        self._root = tree.root
        self._tree = Tree(tree.root)
        self._texts: dict[str, bytes | None] = {}

    def locate(self, path: str) -> str:
        """The path below the root.  ``Misplaced`` if it may not be written."""
        if not path:
            raise WrongError("the path is empty")
        return self._tree.locate(path)

    def find(self, path: str) -> bytes | None:
        """The bytes of the file at a located path; None if nothing is there.  WrongError if what is
        there is no file, or cannot be read."""
        if path not in self._texts:
            try:
                content = read(self._tree.full(path))[1]
            except (FileNotFoundError, NotADirectoryError):
                self._texts[path] = None
                return None
            except OSError as problem:
                raise WrongError(f"cannot be read: {problem.strerror or problem}") from None
            if content is None:
                there = look(self._tree.full(path))
                raise WrongError(f"is {there.kind if there else 'no file'}")
            self._texts[path] = content
        return self._texts[path]

    def text(self, path: str) -> bytes:
        """The bytes of the file at a located path.  WrongError if there is none."""
        found = self.find(path)
        if found is None:
            raise WrongError("is not there")
        return found

    def executable(self, path: str) -> bool:
        """Whether the file at a located path may be run by its owner."""
        there = look(self._tree.full(path))
        return there is not None and bool(there.stat.st_mode & 0o100)

    def compare(self, path: str, expected: str, problems: Problems) -> None:
        """Add to *problems* if the file has not the digest *expected*, or a beginning of it."""
        if not is_digest_prefix(expected):
            raise WrongError(f"{expected!r} is no digest: 12 to 64 hexadecimal digits")
        before = self.find(path)
        found = None if before is None else digest(before)
        if found is None:
            problems.stale.append(
                Stale(path, expected, None, f"{path} is not there, but its digest should be {expected}")
            )
        elif not digest_fits(expected, found):
            why = f"{path} was edited: its digest is {short_digest(found)}, not {expected}"
            problems.stale.append(Stale(path, expected, found, why))

    def refuse_ignored(self, paths: Iterable[str], problems: Problems) -> None:
        """Add to *problems* each of the located *paths* that the rules of the tree ignore."""
        from structural.workflow.ignoring import ignored_of

        for path in sorted(ignored_of(self._root, paths)):
            problems.wrong.append(f"{path} is ignored by the rules of this tree")
            problems.hints.append("say that ignored files may be written (`ignored`), if that is meant")


def encoded(text: str | bytes, what: str) -> bytes:
    """The bytes of a text.  WrongError if it has half of a character."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError as problem:
        raise WrongError(f"{what} is no Unicode at character {problem.start + 1}") from None


def named(paths: Iterable[str]) -> str:
    """A few words for a list of changes: the file, or how many."""
    found = list(dict.fromkeys(paths))
    return found[0] if len(found) == 1 else f"{len(found)} files"
