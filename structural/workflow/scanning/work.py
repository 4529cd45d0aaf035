"""Scanning one file of many, in whatever process: the work that a pool is given.

Order of things for a file: read it; ask the cache; run the rules; judge.  Whatever goes wrong with one file
is a value, and the others are scanned all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from structural.errors import UnsearchableError
from structural.rules.values import Rule, Safety, Severity
from structural.search.packing import pack, unpack
from structural.search.read import check_text, read_file, too_large
from structural.search.values import Failed, Skipped
from structural.search.work import add_languages
from structural.search.worker import describe
from structural.syntax import registry
from structural.syntax.language import Language
from structural.text import Edit, Span
from structural.workflow.scanning.judging import Judge
from structural.workflow.scanning.keys import Key
from structural.workflow.scanning.raw import Raw, pack_raw, raw_of, unpack_raw
from structural.workflow.scanning.values import Aside, FileAnswer, Fix, Found, Scanned

if TYPE_CHECKING:
    from structural.rules.terms import RuleSet
    from structural.workflow.scanning.cache import Cache
    from structural.workflow.scanning.fixes import Fixers
    from structural.workflow.scanning.revisions import Blobs

Fresh = tuple[bytes, bytes]
"""Key and value of what is to be kept in the cache; without a value it was there."""

Answer = tuple[FileAnswer, Fresh | None]


@dataclass(slots=True)
class Job:
    """The files of a scan and its rules; pickles.  ``sets`` are the sets of rules by which files differ,
    ``use`` the number of the set of every file; None in it is all rules.  ``objects``: where the contents
    come from git, the name of each."""

    files: list[str]
    names: list[str]
    hosts: list[str]
    rules: RuleSet
    about: Mapping[str, Rule]
    judge: Judge
    use: list[int]
    sets: list[frozenset[str] | None]
    max_size: int = 0
    keys: bool = False
    fixers: Fixers | None = None
    cache: Cache | None = None
    blobs: Blobs | None = None
    objects: list[str] = field(default_factory=list)
    languages: tuple[Language, ...] = field(default_factory=registry.added)

    # --- as search.work.Work ------------------------------------------------------------------------

    def prepare(self) -> None:
        add_languages(self.languages)

    def do(self, at: int, how: None) -> Answer:
        path, host = self.files[at], self.hosts[at]
        try:
            source = self._source(at)
            if isinstance(source, Skipped):
                return source, None
            only = self.sets[self.use[at]]
            raw, fresh, recalled = self._raw(source, host, self.use[at], only)
            return self._told(at, source, raw, only, recalled), fresh
        except UnsearchableError as problem:
            return Skipped(path, "unsearchable", problem.message), None
        except Exception as problem:  # whatever it is, the other files must be scanned
            return Failed(path, describe(problem)), None

    def lost(self, at: int, how: None, why: str) -> Answer:
        return Failed(self.files[at], f"the process that scanned it died ({why})"), None

    def pack(self, answers: list[Answer]) -> list[object]:
        return [(_packed(answer), fresh) for answer, fresh in answers]

    def unpack(self, files: Iterable[int], packed: list[Any]) -> list[Answer]:
        return [
            (self._unpacked(at, answer), fresh) for at, (answer, fresh) in zip(files, packed, strict=True)
        ]

    # --- one file -------------------------------------------------------------------------------------

    def _source(self, at: int) -> bytes | Skipped:
        path = self.files[at]
        if self.blobs is None:
            return read_file(path, self.max_size)
        size = self.blobs.size(self.objects[at])
        if self.max_size and size > self.max_size:
            return too_large(path, size, self.max_size)
        data = self.blobs.read(self.objects[at])
        return check_text(path, data, self.max_size) or data

    def _raw(
        self, source: bytes, host: str, use: int, only: frozenset[str] | None
    ) -> tuple[Raw, Fresh | None, bool]:
        if self.cache is None:
            return raw_of(self.rules, source, host, only, keys=self.keys), None, False
        key = self.cache.key(source, host, use, keys=self.keys)
        known = self.cache.get(key)
        if known is not None:
            try:
                return unpack_raw(known), (key, b""), True
            except (TypeError, ValueError, KeyError):
                pass  # whoever wrote that, it is of no use
        raw = raw_of(self.rules, source, host, only, keys=self.keys)
        return raw, (key, self.cache.value(pack_raw(raw))), False

    def _told(self, at: int, source: bytes, raw: Raw, only: frozenset[str] | None, recalled: bool) -> Scanned:
        host = self.hosts[at]
        fixes: Mapping[int, tuple[Fix, ...]] = {}
        if self.fixers is not None and raw.findings:
            fixes = self.fixers.fixes_of(source, host, raw.findings)
        told = self.judge(raw, source, host, self.about, only, fixes)
        return Scanned(
            self.files[at],
            self.names[at],
            host,
            told,
            source if told else None,
            raw.syntax_errors,
            raw.parsed,
            len(source),
            raw.exhausted,
            recalled=recalled,
        )

    def _unpacked(self, at: int, answer: Any) -> FileAnswer:
        if not isinstance(answer, tuple):
            assert isinstance(answer, Skipped | Failed)
            return answer
        findings, *rest = answer
        told = tuple(_found(*one) for one in findings)
        source, errors, parsed, size, exhausted, recalled = rest
        return Scanned(
            self.files[at],
            self.names[at],
            self.hosts[at],
            told,
            source,
            errors,
            parsed,
            size,
            exhausted,
            recalled=recalled,
        )


def _packed(answer: FileAnswer) -> object:
    if not isinstance(answer, Scanned):
        return answer
    return (
        tuple(
            (
                one.rule,
                one.severity.value,
                one.message,
                one.span.start,
                one.span.end,
                one.language,
                None if one.match is None else pack((one.match,)),
                None if one.aside is None else (one.aside.line, one.aside.reason),
                None if one.key is None else (one.key.content, one.key.context, one.key.number),
                tuple(
                    (
                        fix.title,
                        fix.safety.value,
                        tuple((edit.span.start, edit.span.end, edit.new) for edit in fix.edits),
                        fix.refused,
                    )
                    for fix in one.fixes
                ),
            )
            for one in answer.findings
        ),
        answer.source,
        answer.syntax_errors,
        answer.parsed,
        answer.size,
        answer.exhausted,
        answer.recalled,
    )


def _found(
    rule: str,
    severity: str,
    message: str,
    start: int,
    end: int,
    language: str,
    match: Any,
    aside: Any,
    key: Any,
    fixes: Any,
) -> Found:
    return Found(
        rule,
        Severity(severity),
        message,
        Span(start, end),
        language,
        None if match is None else unpack(match)[0],
        None if aside is None else Aside(*aside),
        None if key is None else Key(*key),
        tuple(
            Fix(title, Safety(safety), tuple(Edit(Span(low, high), new) for low, high, new in edits), refused)
            for title, safety, edits, refused in fixes
        ),
    )
