"""From what the rules found in a file to what is told of it: messages, severities, suppressions.

Also what is told of the comments themselves: those that suppress nothing, name no rule, or give no reason
where one is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from structural.rules.values import Rule, Severity
from structural.text import LineIndex, Span
from structural.workflow.scanning.keys import Key, text_digest
from structural.workflow.scanning.raw import Raw
from structural.workflow.scanning.suppressions import Suppression, Suppressions, read_suppressions
from structural.workflow.scanning.values import NO_REASON, UNUSED, Aside, Fix, Found


@dataclass(frozen=True, slots=True)
class Judge:
    """What decides how findings are told.

    ``known`` are the ids of all rules there are, ``running`` of those that run.  ``whole``: these are all
    that the project has, so that a comment without ids can be called unused, and an id unknown.
    """

    known: frozenset[str]
    running: frozenset[str]
    whole: bool = True
    unused: Severity = Severity.WARNING
    require_reason: bool = False

    def __call__(
        self,
        raw: Raw,
        source: bytes,
        host: str,
        rules: Mapping[str, Rule],
        only: frozenset[str] | None,
        fixes: Mapping[int, tuple[Fix, ...]],
    ) -> tuple[Found, ...]:
        """All findings of a file, suppressed ones too, in its order.  *fixes*: by number of the finding."""
        from structural.rules.messages import message

        if not raw.findings and not raw.comments:
            return ()
        lines = LineIndex(source)
        aside = read_suppressions(source, raw.comments, lines)
        told: list[Found] = []
        for number, one in enumerate(raw.findings):
            rule = rules[one.rule]
            by = aside.of(one.rule, lines.line(one.span.start))
            told.append(
                Found(
                    one.rule,
                    rule.severity,
                    message(rule, one, source) or one.rule,
                    one.span,
                    one.match.language,
                    one.match,
                    None if by is None else Aside(by.line, by.reason),
                    raw.keys[number] if raw.keys else None,
                    fixes.get(number, ()),
                )
            )
        more = self._of_comments(aside, raw, host, only)
        if more:
            told += self._keyed(more, source) if raw.keys or not raw.findings else more
            told.sort(key=lambda one: (one.span, one.rule))
        return tuple(told)

    def _of_comments(
        self, aside: Suppressions, raw: Raw, host: str, only: frozenset[str] | None
    ) -> list[Found]:
        made: list[Found] = []
        if self.require_reason:
            for one in aside.found:
                if not one.reason:
                    text = "this suppression gives no reason: write it behind ` -- `"
                    made.append(Found(NO_REASON, Severity.ERROR, text, one.span, host))
        if self.unused is Severity.OFF:
            return made
        made += [Found(UNUSED, self.unused, fault.message, fault.span, host) for fault in aside.faults]
        for one, idle in aside.unused():
            text = self._idle(one, idle, raw.exhausted, only)
            if text:
                made.append(Found(UNUSED, self.unused, text, one.span, host))
        return made

    def _idle(
        self, one: Suppression, idle: tuple[str, ...], exhausted: tuple[str, ...], only: frozenset[str] | None
    ) -> str:
        """What is told of a comment of which these ids were of no use; empty if it cannot be told: a rule
        that gave up might have found what is suppressed."""
        if not one.ids:
            return "nothing is suppressed here" if self.whole and not (one.foreign or exhausted) else ""
        unknown = [name for name in idle if name not in self.known] if self.whole and not one.foreign else []
        ran = [
            name
            for name in idle
            if name in self.running and name not in exhausted and (only is None or name in only)
        ]
        parts = []
        if unknown:
            names = ", ".join(f"`{name}`" for name in unknown)
            parts.append(f"no rule has the id {names}")
        if ran:
            names = ", ".join(f"`{name}`" for name in ran)
            parts.append(f"{names} {'finds' if len(ran) == 1 else 'find'} nothing to suppress here")
        return "; ".join(parts)

    @staticmethod
    def _keyed(found: list[Found], source: bytes) -> list[Found]:
        """The same with keys: of a comment its words."""
        seen: Counter[tuple[str, str]] = Counter()
        made = []
        for one in found:
            content = text_digest(_text(source, one.span))
            number = seen[one.rule, content]
            seen[one.rule, content] += 1
            made.append(
                Found(
                    one.rule, one.severity, one.message, one.span, one.language, key=Key(content, "", number)
                )
            )
        return made


def _text(source: bytes, span: Span) -> str:
    return " ".join(span.text(source).split())
