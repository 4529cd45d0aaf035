"""``astedit stage --rules``: the rewrites of rules as one change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from structural.cli.colour import Palette
from structural.cli.edit.frame import Frame
from structural.cli.edit.texts import MOST, clean, count
from structural.cli.interrupts import Interrupts
from structural.cli.options import Options, languages_of, rules_of, selection_of
from structural.cli.progress import Progress
from structural.errors import UsageError
from structural.workflow.rewriting import Ruled, RuleTally
from structural.workflow.ruledstaging import Choice, gathered, read_settings, stage_rules
from structural.workflow.scanning import Severity
from structural.workflow.staging import Staged

_OF_A_PATTERN = {
    "transforms": "--transform",
    "max_count": "--max-count",
    "partial": "--partial",
    "languages": "--lang",
    "rung": "--as",
    "equivalences": "--equivalence",
    "without": "--no-equivalence",
    "kind": "--kind",
    "where": "--where",
    **{
        f"{prefix}{name}": f"--{prefix.replace('_', '-')}{name}"
        for name in ("inside", "has", "follows", "precedes")
        for prefix in ("", "not_")
    },
}

_WHY = {
    "suspicious": "rewrites of {} are suspicious; --suspicious stages them too",
    "display": "rewrites of {} are for display",
    "other title": "{} have no rewrite with that title",
    "no rewrite": "{} have no rewrite",
}


def check(given: Sequence[str], options: Options) -> None:
    """UsageError for what says nothing of rules."""
    if given:
        name = f"--{given[0].replace('_', '-')}"
        raise UsageError(f"{name} and rules do not go together", hint="give one of them")
    for option, shown in _OF_A_PATTERN.items():
        if options[option]:
            raise UsageError(
                f"{shown} says nothing of --rules",
                hint="a rule says itself what it is for, and what must hold",
            )


def stage_by_rules(frame: Frame, interrupts: Interrupts, paths: tuple[str, ...], options: Options) -> Staged:
    """The staged rewrites of rules."""
    settings = read_settings(options["config"])
    severity = options["severity"]
    choice = Choice(
        tuple(options["ids"]), languages_of(options["tags"]), Severity(severity) if severity else None
    )
    names, texts = rules_of(options)
    recipe = gathered(
        names,
        settings,
        selection_of(paths, options),
        choice,
        texts=texts,
        title=options["rewrite_title"] or "",
        suspicious=options["suspicious"],
        until_stable=options["until_stable"],
    )
    progress = Progress()
    try:
        return stage_rules(
            frame.tree,
            recipe,
            jobs=options["jobs"],
            strict=options["strict"],
            tick=progress.tick,
            started=progress.watch,
            guard=interrupts.shielded,
        )
    finally:
        progress.clear()


def rule_lines(ruled: Ruled, c: Palette) -> Iterator[str]:
    """What came of every rule that found something."""
    tallies = sorted(ruled.rules.items())
    wide = max((len(name) for name, _ in tallies), default=0)
    for name, tally in tallies:
        title = f" ({clean(tally.title)})" if tally.title else ""
        yield f"  {c.strong}{clean(name):{wide}}{c.off}  {_amount(tally)}{title}"


def _amount(tally: RuleTally) -> str:
    parts = [count(tally.matches, "match", "matches")]
    if tally.refused:
        parts.append(f"{tally.refused:,} refused")
    if tally.overlapping:
        parts.append(f"{tally.overlapping:,} left in others")
    if tally.unchanged:
        parts.append(f"{tally.unchanged:,} unchanged")
    return ", ".join(parts)


def ruled_lines(ruled: Ruled) -> list[str]:
    """What else is to be known of the rules."""
    lines = []
    for place, message, hint in ruled.problems[:MOST]:
        lines.append(f"{clean(place)}: {message}{f'; {hint}' if hint else ''}")
    if len(ruled.problems) > MOST:
        lines.append(f"and {count(len(ruled.problems) - MOST, 'more mistake')} in rules")
    if ruled.broken:
        lines.append(f"not used, as something is wrong with them: {count(ruled.broken, 'rule')}")
    if ruled.suppressed:
        lines.append(f"suppressed by comments: {count(ruled.suppressed, 'match', 'matches')}")
    for why, ids in ruled.left.items():
        if why == "no rewrite":
            continue
        names = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
        lines.append(_WHY[why].format(names))
    return lines
