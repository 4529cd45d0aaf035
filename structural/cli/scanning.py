"""``astgrep scan`` and ``astgrep rules``: gather the rules, scan, show findings as they come.

Findings go to standard output in one format, and to files in others; what was scanned and what was not is
said on standard error.  Whatever ends a scan early ends it in order, as with a search.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol, TypeGuard

from structural.cli.colour import palette
from structural.cli.lines import clean_text
from structural.cli.options import Options, exclusive, rules_of, selection_of
from structural.cli.output import Output, ReaderGoneError, error_text
from structural.cli.progress import Progress
from structural.cli.scanstatement import problem_lines, statement
from structural.cli.showing import show
from structural.errors import UsageError
from structural.workflow.collecting import seldom
from structural.workflow.reports import FORMATS, WITH_FIXES, WITH_KEYS
from structural.workflow.scanning import (
    Choice,
    Rulebook,
    Scan,
    Scanned,
    ScanSummary,
    Selection,
    Settings,
    Severity,
    Wish,
    exit_code,
    gather,
    read_settings,
    scan_paths,
    write_whole,
)


class Printer(Protocol):
    """Shows files with findings, one after another, and then the end."""

    def file(self, scanned: Scanned) -> None: ...
    def finish(self, summary: ScanSummary, code: int) -> None: ...


@seldom()
def scan(paths: tuple[str, ...], options: Options) -> int:
    """The command; gives the exit code.  Raises StructuralError for a wrong call."""
    exclusive(options, "as_json", "as_lines")
    targets = _targets(options)
    settings, book = _rules(options)
    formats = {name for name, _ in targets}
    if not formats & {"json", "jsonl"} and not any(not problem.warning for problem in book.problems):
        _check_any(book)
    update = bool(options["update_baseline"])
    wish = Wish(
        options["jobs"],
        not options["no_cache"],
        bool(formats & WITH_KEYS),
        bool(formats & WITH_FIXES) or options["verbose"],
        options["baseline"] or "",
        update,
        options["since"],
        options["staged"],
        bool(options["rule_texts"]) or "-" in options["rules"],
    )
    progress = Progress()
    results = scan_paths(book, settings, _selection(paths, options), wish, tick=progress.tick)
    progress.counts = lambda: (results.summary.files, f"{results.summary.findings:,} findings")
    return _run(results, settings, options, [] if update else targets, progress)


def _run(
    results: Scan, settings: Settings, options: Options, targets: list[tuple[str, str]], progress: Progress
) -> int:
    fail_on = options["fail_on"] or settings.fail_on
    output = Output()
    files: list[tuple[str, list[str]]] = []
    printers: list[Printer] = []
    for name, path in targets:
        if path:
            pieces: list[str] = []
            files.append((path, pieces))
            printers.append(_printer(name, pieces.append, results, settings, options, fail_on, file=True))
        else:
            printers.append(_printer(name, output.write, results, settings, options, fail_on, output=output))
    summary = results.summary

    def ending() -> int:
        # What was found has just been accepted; a rule with a mistake has not.
        return _code(summary, "never" if results.updated else fail_on, options)

    def file(answer: Scanned) -> None:
        for printer in printers:
            printer.file(answer)

    def end(code: int) -> None:
        for printer in printers:
            printer.finish(summary, code or ending())
        output.flush()
        for path, pieces in files:
            write_whole(path, "".join(pieces).encode("utf-8", "surrogateescape"))
        _say(results, options)

    try:
        code = show(results, summary, output, progress, wanted=_found, file=file, finish=end)
    except ReaderGoneError:
        code = 0
    return code or ending()


def _found(answer: object) -> TypeGuard[Scanned]:
    return isinstance(answer, Scanned) and bool(answer.findings)


def _say(results: Scan, options: Options) -> None:
    """On standard error: the new baseline, and what the whole scan came to."""
    colours = palette(options["color"], sys.stderr is not None and sys.stderr.isatty())
    if results.updated:
        written, number = results.updated
        error_text(f"{written} has {number:,} finding{'s' * (number != 1)} now\n")
    verbose = options["stats"] or options["strict"]
    error_text(statement(results.summary, colours, verbose=verbose, stats=options["stats"]))


def _code(summary: ScanSummary, fail_on: str, options: Options) -> int:
    return exit_code(summary, fail_on, strict=options["strict"], skip_broken=options["skip_broken"])


def _rules(options: Options) -> tuple[Settings, Rulebook]:
    settings = read_settings(options["config"])
    least = options.get("severity")
    choice = Choice(
        tuple(options["ids"]), _listed(options["tags"]), Severity(least) if least is not None else None
    )
    names, texts = rules_of(options)
    return settings, gather(names, settings, choice, texts=texts)


def _check_any(book: Rulebook) -> None:
    if not book.rules:
        where = f"{len(book.files)} rule file{'s' * (len(book.files) != 1)}"
        raise UsageError(
            f"none of the rules in {where} runs" if book.others else f"there is no rule in {where}",
            hint="they are switched off, or none of them was chosen" if book.others else "",
        )


def _listed(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for text in given for name in (part.strip() for part in text.split(",")) if name)


def _selection(paths: tuple[str, ...], options: Options) -> Selection:
    return selection_of(paths, options)


def _targets(options: Options) -> list[tuple[str, str]]:
    """Each format with the file that it goes to; empty for standard output, to which one goes."""
    found: list[tuple[str, str]] = []
    for text in options["formats"]:
        name, colon, path = text.partition(":")
        if name not in FORMATS:
            raise UsageError(f"there is no format {name!r}", hint=f"one of {', '.join(FORMATS)}")
        if colon and not path:
            raise UsageError(f"--format {text} names no file", hint=f"write {name}:FILE, or {name} alone")
        found.append((name, path))
    found += [("json", "")] * options["as_json"] + [("jsonl", "")] * options["as_lines"]
    if options["output"]:
        bare = [at for at, (_, path) in enumerate(found) if not path]
        if len(bare) > 1:
            raise UsageError("--output is for one format", hint="write --format NAME:FILE for each")
        name = found.pop(bare[0])[0] if bare else "text"
        found.append((name, options["output"]))
    if sum(not path for _, path in found) > 1:
        raise UsageError("standard output takes one format", hint="write --format NAME:FILE for the others")
    if not found or all(path for _, path in found):
        found.insert(0, ("text", ""))
    return found


def _printer(
    name: str,
    write: Callable[[str], Any],
    results: Scan,
    settings: Settings,
    options: Options,
    fail_on: str,
    *,
    output: Output | None = None,
    file: bool = False,
) -> Printer:
    from structural.workflow.scanning import about

    if name in ("text", "concise"):
        from structural.cli.findings import Concise, Framed

        terminal = output is not None and output.terminal
        colours = palette("never" if file else options["color"], terminal)
        notes = {rule.id: about(rule) for rule in results.rules}
        if name == "concise":
            return Concise(write, colours)
        return Framed(write, colours, notes, verbose=options["verbose"])
    from structural.workflow.reports import report
    from structural.workflow.reports.common import Frame, root_of
    from structural.workflow.version import VERSION

    rules = {rule.id: about(rule) for rule in results.rules}
    return report(
        name, Frame(rules, root_of(settings.folder), VERSION, fail_on, stats=options["stats"]), write
    )


def rules(options: Options) -> int:
    """``astgrep rules``: list them, and what is wrong with them."""
    from structural.workflow.scanning import about, compiled

    _, book = _rules(options)
    _, problems = compiled(book)
    told = list(dict.fromkeys((*book.problems, *problems)))
    broken = {problem.rule for problem in told if problem.rule and not problem.warning}
    output = Output()
    found = sorted((*book.rules, *book.others), key=lambda rule: rule.id)
    if (
        not options["rules"]
        and not options["rule_texts"]
        and not options["ids"]
        and not options["tags"]
        and options.get("severity") is None
    ):
        listed = found
    else:
        listed = list(book.rules)
    try:
        if options["json"]:
            from structural.workflow.reports.common import dumps
            from structural.workflow.reports.json import VERSION, about_value, problem_values

            values = [
                {"id": rule.id, **about_value(about(rule)), "broken": rule.id in broken} for rule in listed
            ]
            output.write(
                f"{dumps({'version': VERSION, 'rules': values, 'problems': problem_values(told)})}\n"
            )
        else:
            c = palette(options["color"], output.terminal)
            for rule in listed:
                marks = " (broken)" if rule.id in broken else ""
                tags = f"  [{clean_text(', '.join(rule.tags))}]" if rule.tags else ""
                rewrite = "  rewrites" if rule.rewrites else ""
                output.write(
                    f"{c.strong}{rule.id}{c.off}{marks}  {rule.severity}  {', '.join(rule.languages)}"
                    f"{rewrite}{c.dim}{tags}{c.off}\n"
                )
                if rule.message:
                    output.write(f"    {clean_text(rule.message)}\n")
        output.flush()
    except ReaderGoneError:
        return 0
    error_text("".join(problem_lines(told, palette(options["color"], False))))
    error_text(f"{len(listed):,} rule{'s' * (len(listed) != 1)} in {len(book.files):,} files\n")
    return 2 if any(not problem.warning for problem in told) else 0
