"""What a scan answers, as values: files with what was found in them, and the summary."""

from __future__ import annotations

from dataclasses import dataclass, field

from structural.pattern.values import Match
from structural.rules.values import Problem, Rule, Safety, Severity
from structural.search.values import Failed, Skipped
from structural.text import Edit, Span
from structural.workflow.scanning.keys import Key

UNUSED = "unused-suppression"
NO_REASON = "suppression-without-reason"


@dataclass(frozen=True, slots=True)
class Aside:
    """The comment that sets a finding aside."""

    line: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """One rewrite of a finding: the edits of its file, or why there are none."""

    title: str
    safety: Safety
    edits: tuple[Edit, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A finding with all that is told of it.  ``match`` is None for what is told of a comment.  ``key`` and
    ``fixes`` are there if they were asked for."""

    rule: str
    severity: Severity
    message: str
    span: Span
    language: str
    match: Match | None = None
    aside: Aside | None = None
    key: Key | None = None
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class Scanned:
    """A file that was looked at.  ``path`` is as it was found, ``name`` relative to the configuration's
    folder.  ``source`` is given where there are findings."""

    path: str
    name: str
    language: str
    findings: tuple[Found, ...] = ()
    source: bytes | None = None
    syntax_errors: int = 0
    parsed: bool = False
    size: int = 0
    exhausted: tuple[str, ...] = ()
    """Rules that gave up: there may be more."""
    known: int = 0
    """Findings that the baseline has, and that are not among these."""
    recalled: bool = False
    """It was looked at before, and not again."""


FileAnswer = Scanned | Skipped | Failed


@dataclass(slots=True)
class ScanSummary:
    """The completeness statement of a scan.  Filled while the answers stream."""

    files: int = 0
    """Files in scope whose language some rule is for: scanned, skipped and failed."""
    scanned: int = 0
    parsed: int = 0
    recalled: int = 0
    with_findings: int = 0
    findings: int = 0
    by_severity: dict[str, int] = field(default_factory=dict)
    by_rule: dict[str, int] = field(default_factory=dict)
    suppressed: int = 0
    known: int = 0
    """Findings that the baseline has."""
    unchanged: int = 0
    """Files that were not looked at since they are what they were at the revision."""
    rules: int = 0
    """Rules that ran."""
    problems: list[Problem] = field(default_factory=list)
    """Of the rules."""
    skipped: dict[str, int] = field(default_factory=dict)
    skipped_paths: list[Skipped] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    exhausted: list[tuple[str, str]] = field(default_factory=list)
    """Path and rule."""
    syntax_error_files: list[str] = field(default_factory=list)
    ignored: int = 0
    hidden: int = 0
    links: int = 0
    other_languages: int = 0
    """Files of no known language, or of one that no rule is for."""
    bytes: int = 0
    cut: str = ""
    """Why the answer is not whole (``interrupted``), else empty."""
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)

    def add(self, answer: FileAnswer) -> None:
        """Count one more file."""
        if isinstance(answer, Skipped):
            self.skipped[answer.reason] = self.skipped.get(answer.reason, 0) + 1
            self.skipped_paths.append(answer)
            return
        if isinstance(answer, Failed):
            self.failed.append(answer)
            return
        self.scanned += 1
        self.parsed += answer.parsed
        self.recalled += answer.recalled
        self.bytes += answer.size
        self.known += answer.known
        if answer.syntax_errors:
            self.syntax_error_files.append(answer.path)
        self.exhausted += [(answer.path, rule) for rule in answer.exhausted]
        told = [one for one in answer.findings if one.aside is None]
        self.suppressed += len(answer.findings) - len(told)
        self.findings += len(told)
        self.with_findings += bool(told)
        for one in told:
            self.by_severity[one.severity] = self.by_severity.get(one.severity, 0) + 1
            self.by_rule[one.rule] = self.by_rule.get(one.rule, 0) + 1

    @property
    def incomplete(self) -> bool:
        """Whether some file or folder in scope could not be scanned, or not to its end."""
        return bool(self.skipped_paths or self.failed or self.exhausted or self.cut)


@dataclass(frozen=True, slots=True)
class About:
    """What is told of a rule beside its findings."""

    id: str
    severity: Severity
    message: str = ""
    note: str = ""
    url: str = ""
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    metadata: dict[str, object] = field(default_factory=dict)
    path: str = ""
    line: int = 0
    rewrites: int = 0


def about(rule: Rule) -> About:
    """What is told of *rule*."""
    return About(
        rule.id,
        rule.severity,
        rule.message,
        rule.note,
        rule.url,
        rule.tags,
        rule.languages,
        dict(rule.metadata),
        rule.path,
        rule.at.line,
        len(rule.rewrites),
    )
