"""How the patterns of compiled rules were read."""

from __future__ import annotations

from dataclasses import dataclass

from structural.rules.terms import RuleSet


@dataclass(frozen=True, slots=True)
class RuleReading:
    """A pattern of a rule, and the rung by which it is read in these languages."""

    rule: str
    pattern: str
    rung: str
    languages: tuple[str, ...]


def rule_readings(rules: RuleSet) -> list[RuleReading]:
    """The patterns of *rules*, by rule and in the order in which they are asked."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for language in sorted({name for inside in rules.within.values() for name in inside}):
        for one in sorted(rules.of(language).rules, key=lambda rule: rule.id):
            if one.comments is not None:
                found.setdefault((one.id, "", "comment"), []).append(language)
                continue
            for atom in one.atoms:
                found.setdefault((one.id, atom.reading.text, atom.reading.rung), []).append(language)
    made = [RuleReading(*key, tuple(dict.fromkeys(languages))) for key, languages in found.items()]
    return sorted(made, key=lambda one: one.rule)
