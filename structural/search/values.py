"""What a search is asked and what it answers, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from structural.pattern.values import Attempt, Match, Mismatch, ReadingInfo


@dataclass(frozen=True, slots=True)
class Relation:
    """A second pattern near the match: ``inside``, ``has``, ``follows`` or ``precedes``."""

    name: str
    pattern: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class PatternSpec:
    """Everything that decides what matches, apart from the files."""

    pattern: str
    languages: tuple[str, ...] = ()
    """Names as given; empty: every language of the tree."""
    rung: str | None = None
    strictness: str = "smart"
    equivalences: tuple[str, ...] = ()
    """Switched on beyond the strictness."""
    without: tuple[str, ...] = ()
    """Switched off."""
    kind: str | None = None
    where: tuple[str, ...] = ()
    """Constraints as written, such as ``X=~/re/``."""
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files are looked at."""

    paths: tuple[str, ...] = (".",)
    globs: tuple[str, ...] = ()
    """gitignore-style; a leading ``!`` excludes."""
    hidden: bool = False
    no_ignore: bool = False
    follow: bool = False
    max_size: int = 10_000_000
    """Bytes; a larger file is skipped as ``too large``.  0: no limit."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A file that was parsed or proved to hold no match.

    ``source`` is given only where there are matches: it is the text they refer to.
    """

    path: str
    language: str
    matches: tuple[Match, ...] = ()
    source: bytes | None = None
    syntax_errors: int = 0
    """What was parsed, the file or a region of it, and has ERROR or MISSING nodes; 0 also for a file
    that needed no parse."""
    parsed: bool = False
    size: int = 0
    """Bytes of the file."""
    exhausted: bool = False
    """Matching was given up in this file, as it asked for too many choices: there may be more."""
    made: object = None
    """What was made of the file in the same go, where that was asked for (``worker.Further``)."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file in scope that was not searched.

    ``reason`` is one of ``binary``, ``too large``, ``encoding``, ``unreadable``,
    ``not a file``, ``no grammar``, ``unsearchable``; ``detail`` says more.  An unreadable folder is
    one of these too: nobody knows what it holds.
    """

    path: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A file on which this program itself failed: a bug of ours."""

    path: str
    error: str


FileResult = Searched | Skipped | Failed


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Candidates that agreed with the pattern longest: ``count`` places part the same way."""

    count: int
    path: str
    line: int
    mismatch: Mismatch
    kind: str
    text: str
    """First line of the first such place, cut."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A language in which the pattern is no code, and what stopped it, rung by rung."""

    language: str
    message: str
    attempts: Sequence[Attempt] = ()
    no_grammar: bool = False
    """The language's grammar is not installed, so nothing was tried."""


@dataclass(slots=True)
class Summary:
    """The completeness statement of an answer.  Filled while the results stream."""

    files: int = 0
    """Files in scope whose language takes part: searched, skipped and failed."""
    searched: int = 0
    parsed: int = 0
    matched: int = 0
    """Files with at least one match."""
    matches: int = 0
    ignored: int = 0
    """Entries left out by ignore rules; an ignored folder is one entry, whatever it holds."""
    hidden: int = 0
    """Entries left out because their name begins with a dot; a folder is one entry."""
    links: int = 0
    """Symbolic links that were not followed, or that led back to a folder above them."""
    other_languages: int = 0
    """Files of no known or no asked language."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Reason → files."""
    skipped_paths: list[Skipped] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    exhausted: list[str] = field(default_factory=list)
    """Files in which matching was given up."""
    syntax_error_files: int = 0
    bytes: int = 0
    """Bytes of the files that were read."""
    cut: str = ""
    """Why the answer is not whole (``max-count``, ``interrupted``), else empty."""
    readings: list[ReadingInfo] = field(default_factory=list)
    equivalences: dict[str, int] = field(default_factory=dict)
    """Name of an equivalence → matches that would be none without it."""
    not_code: list[str] = field(default_factory=list)
    """Languages of the tree in which the pattern is no code."""
    refusals: list[Refusal] = field(default_factory=list)
    """The same with what stopped it."""
    near_misses: list[NearMiss] = field(default_factory=list)
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    """Seconds by stage, for ``--stats``."""

    def add(self, result: FileResult) -> None:
        """Count one more result."""
        if isinstance(result, Searched):
            self.searched += 1
            self.bytes += result.size
            self.parsed += result.parsed
            self.syntax_error_files += result.syntax_errors > 0
            if result.exhausted:
                self.exhausted.append(result.path)
            if result.matches:
                self.matched += 1
                self.matches += len(result.matches)
                for match in result.matches:
                    for name in match.equivalences:
                        self.equivalences[name] = self.equivalences.get(name, 0) + 1
        elif isinstance(result, Skipped):
            self.skipped[result.reason] = self.skipped.get(result.reason, 0) + 1
            self.skipped_paths.append(result)
        else:
            self.failed.append(result)

    @property
    def incomplete(self) -> bool:
        """Whether some file or folder in scope could not be searched, or not to its end."""
        return bool(self.skipped_paths or self.failed or self.exhausted or self.cut == "interrupted")
