"""Every error this program raises on purpose, in one tree.

An error says what is wrong, where, and what to do about it (``hint``).  It
knows the exit code that a command ends with, and the ``code`` by which programs
know its kind.
"""

from __future__ import annotations

from collections.abc import Sequence


class StructuralError(Exception):
    """The root of the tree.  ``hint`` is one sentence, or empty."""

    exit_code = 2
    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(StructuralError):
    """The call was wrong: an option, a path, a name that does not exist."""

    code = "usage"


class LanguageError(UsageError):
    """A language is not known, or its grammar cannot be loaded."""

    code = "language"


class PatternError(UsageError):
    """The pattern is no code in the language: ``attempts`` says why, rung by rung."""

    code = "pattern"

    def __init__(self, message: str, *, hint: str = "", attempts: Sequence[object] = ()) -> None:
        super().__init__(message, hint=hint)
        self.attempts = attempts


class RewriteError(PatternError):
    """The rewrite does not fit its pattern, or is no code where the pattern is."""

    code = "rewrite"


class UnsearchableError(StructuralError):
    """A source text that cannot be parsed in safety or in time."""


class ConstraintError(UsageError):
    """A constraint cannot be read, or names a metavariable that the pattern does not bind."""

    code = "constraint"


class ClusterError(StructuralError):
    """A cluster cannot be reached, is not fit for the work, or was lost during it."""

    code = "cluster"


class StagingError(StructuralError):
    """A staged change cannot be made, changed or committed; the files of the user are as before."""

    code = "staging"


class StaleError(StagingError):
    """Files are no longer what a change was computed against: ``files`` has each with its path, the
    digest it should have, the one it has, and why."""

    code = "stale"
    exit_code = 4

    def __init__(self, message: str, *, hint: str = "", files: tuple[object, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.files = files


class UnwritableError(StagingError):
    """Files that a change may not or cannot be written to: ``files`` has (path, reason) of each."""

    code = "unwritable"

    def __init__(self, message: str, *, hint: str = "", files: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.files = files


class NothingToStageError(StagingError):
    """What was to be staged would change nothing."""


class UnknownChangeError(StagingError):
    """No change has this id, several begin with it, or none was named where several are open:
    ``known`` has the ids that would do."""

    code = "unknown-change"

    def __init__(self, message: str, *, hint: str = "", known: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.known = known


class LockedError(StagingError):
    """Another process holds the lock of the tree."""

    code = "locked"


class CommitError(StagingError):
    """The disk failed during a commit, which was taken back, or will be by the next command."""

    code = "commit"


class StoreError(StagingError):
    """The store itself is damaged, or of a newer version than this program."""

    code = "store"


class DamagedError(StoreError):
    """A change in the store is damaged: ``change`` is its id, ``path`` the file that is, or where it
    should be (``missing``), and ``why`` goes on from that.  Other changes are as they were."""

    def __init__(
        self, message: str, *, hint: str, change: str, path: str, why: str, missing: bool = False
    ) -> None:
        super().__init__(message, hint=hint)
        self.change = change
        self.path = path
        self.why = why
        self.missing = missing


class JournalError(StoreError):
    """The journal of an interrupted commit is damaged, so that only ``recover``, which says what it
    does, may deal with it.  ``path`` is that of the journal."""

    def __init__(self, message: str, *, hint: str = "", path: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


class DiffError(UsageError):
    """A unified diff cannot be read, or does not fit the file it is for."""

    code = "diff"
