"""``astedit stage``: compute, store, and say what would change and what was left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from structural.cli.edit.frame import Frame
from structural.cli.edit.texts import (
    MOST,
    amount,
    clean,
    count,
    diff_lines,
    refused_lines,
    set_aside_lines,
    stat_lines,
)
from structural.cli.interrupts import Interrupts
from structural.cli.options import Options, selection_of, spec_of
from structural.cli.output import standard_input
from structural.cli.progress import Progress
from structural.cli.statement import skipped_lines, statement
from structural.errors import UsageError
from structural.workflow.changes import StagedChange, staged_counts, staged_views
from structural.workflow.recipes import PARTIAL
from structural.workflow.staging import PlanSummary, RewriteSpec, Staged, stage_rewrite

_INTERRUPTED = 130


def stage(pattern: str | None, paths: tuple[str, ...], options: Options) -> int:
    """The command; gives the exit code.  Raises StructuralError for a wrong call."""
    _check(pattern, paths, options)
    frame = Frame(options)
    with Interrupts() as interrupts:
        try:
            if options["diff"] is not None or options["edits"] is not None:
                done = _written(frame, interrupts, options)
            elif _by_rules(options):
                from structural.cli.edit.ruled import stage_by_rules

                done = stage_by_rules(
                    frame, interrupts, paths if pattern is None else (pattern, *paths), options
                )
            else:
                done = _rewrite(frame, interrupts, pattern or "", paths, options)
        except KeyboardInterrupt:
            done = None
    if done is None:
        frame.say("interrupted; nothing was staged")
        return _INTERRUPTED
    code = exit_code(done)
    became = f"staged {done.change.id}" if done.change is not None else "nothing was staged"
    with frame.telling(became):
        if frame.as_json:
            from structural.cli.edit.jsonout import staged_value, write

            write(frame.output, staged_value(frame.tree, done, code))
        else:
            frame.write(_answer(frame, done, options["show"]))
    _say(frame, done)
    return code


def exit_code(done: Staged) -> int:
    """0 staged, 1 nothing to stage, 3 something was refused, set aside, not searched or did not come to
    rest, whether or not the rest was staged."""
    if done.strict or done.incomplete:
        return 3
    return 1 if done.change is None else 0


def _check(pattern: str | None, paths: tuple[str, ...], options: Options) -> None:
    given = [name for name in ("rewrite", "rewrite_file", "diff", "edits") if options[name] is not None]
    if _by_rules(options):
        from structural.cli.edit.ruled import check

        check(given, options)
        return
    names = {name: f"--{name.replace('_', '-')}" for name in given}
    if len(given) > 1:
        shown = "; `--show diff` shows what a rewrite would change" if "diff" in given else ""
        raise UsageError(
            f"{' and '.join(names.values())} do not go together", hint=f"give one of them{shown}"
        )
    if not given:
        raise UsageError(
            "what shall become of the matches?" if pattern else "there is nothing to stage",
            hint="add --rewrite TEMPLATE (an empty one removes them), or give --rules, --diff or --edits",
        )
    if given[0] in ("diff", "edits"):
        if pattern is not None or paths:
            raise UsageError(f"{names[given[0]]} takes no pattern and no paths", hint="leave them out")
        if options["max_count"] or options["until_stable"] or options["transforms"]:
            raise UsageError(f"--max-count, --until-stable and --transform say nothing of {names[given[0]]}")
    elif pattern is None:
        raise UsageError("there is no pattern", hint="astedit stage PATTERN --rewrite TEMPLATE [PATHS]")


def _by_rules(options: Options) -> bool:
    """Whether rules are to be staged: those that are named, or those of the configuration."""
    names = ("rules", "rule_texts", "ids", "tags", "severity", "config", "rewrite_title", "suspicious")
    return any(options[name] for name in names)


def _rewrite(
    frame: Frame, interrupts: Interrupts, pattern: str, paths: tuple[str, ...], options: Options
) -> Staged:
    """The staged rewrite."""
    rewrite = options["rewrite"]
    if rewrite is None:
        rewrite = read_input(options["rewrite_file"]).decode("utf-8", "surrogateescape")
        rewrite = rewrite.removesuffix("\n").removesuffix("\r")
    spec = RewriteSpec(
        spec_of(pattern, options),
        rewrite,
        transforms=tuple(options["transforms"]),
        until_stable=options["until_stable"],
    )
    progress = Progress()
    try:
        return stage_rewrite(
            frame.tree,
            spec,
            selection_of(paths, options),
            jobs=options["jobs"],
            max_count=options["max_count"],
            partial=options["partial"],
            strict=options["strict"],
            tick=progress.tick,
            started=progress.watch,
            guard=interrupts.shielded,
        )
    finally:
        progress.clear()


def _written(frame: Frame, interrupts: Interrupts, options: Options) -> Staged:
    """A staged diff or list of edits."""
    from structural.workflow.proposals import stage_edits, stage_patch

    path = options["diff"] if options["diff"] is not None else options["edits"]
    data = read_input(path)
    make = stage_patch if options["diff"] is not None else stage_edits
    name = "standard input" if path == "-" else path
    return make(frame.tree, data, name, strict=options["strict"], guard=interrupts.shielded)


def read_input(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``."""
    if path == "-":
        return standard_input()
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise UsageError(f"{path!r} cannot be read: {reason}; nothing was staged") from None


def _answer(frame: Frame, done: Staged, show: str) -> Iterator[str]:
    c, change = frame.colours, done.change
    if change is None:
        yield from refused_lines(done.refused, c, MOST)
        yield f"{_nothing(done)}; nothing was staged"
        return
    counts = staged_counts(change, done.befores)
    if show == "diff":
        for view in staged_views(change, done.befores):
            yield from diff_lines(view, view.diff(), c, terminal=frame.output.terminal)
    yield from refused_lines(done.refused, c, MOST)
    added, removed = (sum(pair[at] for pair in counts.values()) for at in (0, 1))
    yield f"staged {c.strong}{change.id}{c.off}: {amount(change, added, removed, c)}{_flags(change)}"
    if done.plan is not None and done.plan.ruled is not None and show != "none":
        from structural.cli.edit.ruled import rule_lines

        yield from rule_lines(done.plan.ruled, c)
    if show == "stat":
        yield from stat_lines(change, counts, c, MOST)


def _flags(change: StagedChange) -> str:
    return "; a part only: the search was cut" if PARTIAL in change.flags else ""


def _nothing(done: Staged) -> str:
    plan = done.plan
    if done.strict and done.troubles:
        return "--strict: a file would have syntax errors"
    if done.strict:
        return "--strict: a match was refused or a file could not be searched"
    if plan is None:
        return "every file would stay as it is"
    if not plan.search.matches:
        return "the rules find nothing" if plan.ruled is not None else "the pattern matches nothing"
    if done.refused:
        return "every match was refused"
    if done.skipped:
        return "no file with matches can be written"
    return "what the matches would become is what is there"


def _say(frame: Frame, done: Staged) -> None:
    lines: list[str] = []
    plan = done.plan
    if plan is not None:
        lines += statement(plan.search, frame.notes).splitlines()
        lines += [line.rstrip("\n") for line in skipped_lines(plan.search)]
        lines += remarks(plan, until_stable=bool(done.origin.get("until_stable")))
        if plan.ruled is not None:
            from structural.cli.edit.ruled import ruled_lines

            lines += ruled_lines(plan.ruled)
    lines += set_aside_lines(done.skipped)
    lines += [
        f"{clean(one.path)} would have syntax errors: {one.after} for {one.before} before"
        for one in done.troubles
    ]
    if done.change is not None:
        name = done.change.id
        lines.append(f"next: `astedit show {name}`, then `astedit resolve --accept {name}` or --discard")
        if Path.cwd() != frame.tree.root:
            lines.append(f"paths are relative to {frame.tree.root}")
    frame.say(*lines)


def remarks(plan: PlanSummary, *, until_stable: bool = False) -> list[str]:
    """What else is to be known of a rewrite."""
    found = [f"{message}; its matches there were refused" for message in plan.unfit.values()]
    if plan.unfit:
        fit = [one.language for one in plan.search.readings if one.language not in plan.unfit]
        langs = " ".join(f"--lang {language}" for language in fit)
        found.append(f"to leave them out: {langs}" if fit else "to leave them out: --lang")
    if plan.unchanged:
        found.append(f"already what they would become: {count(plan.unchanged, 'match', 'matches')}")
    if plan.overlapping:
        found.append(
            f"left, as they overlap others: {count(plan.overlapping, 'match', 'matches')}; stage again "
            f"after this{'' if until_stable else ', or use --until-stable'}"
        )
    again = plan.again - plan.refused - plan.unchanged
    if again > 0:
        who = "the pattern matches its" if plan.ruled is None else "rules match their"
        found.append(f"{who} result again: {count(again, 'match', 'matches')}")
    if plan.cycles:
        files = ", ".join(clean(path) for path in plan.cycles[:MOST])
        found.append(f"did not come to rest, and were ended: {files}")
    return found
