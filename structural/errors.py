"""Every error this program raises on purpose, in one tree.

An error says what is wrong, where, and what to do about it (``hint``).  It
knows the exit code that a command ends with.
"""

from __future__ import annotations


class StructuralError(Exception):
    """The root of the tree.  ``hint`` is one sentence, or empty."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(StructuralError):
    """The call was wrong: an option, a path, a name that does not exist."""


class LanguageError(UsageError):
    """A language is not known, or its grammar cannot be loaded."""


class PatternError(UsageError):
    """The pattern is no code in the language: ``attempts`` says why, rung by rung."""

    def __init__(self, message: str, *, hint: str = "", attempts: tuple[object, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.attempts = attempts


class UnsearchableError(StructuralError):
    """A source text that cannot be parsed in safety or in time."""


class ConstraintError(UsageError):
    """A constraint cannot be read, or names a metavariable that the pattern does not bind."""
