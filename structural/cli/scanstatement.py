"""What a scan says on standard error: how much was found, what was not scanned, what is wrong with rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from structural.cli.colour import Palette
from structural.cli.human import clean_path
from structural.cli.lines import clean_text
from structural.cli.statement import counted, left_out, listed
from structural.workflow.scanning import Problem, ScanSummary

_SEVERITIES = ("error", "warning", "info", "hint")
_MOST_RULES = 10
_MOST_PROBLEMS = 20


def statement(summary: ScanSummary, c: Palette, *, verbose: bool, stats: bool) -> str:
    """The lines of the statement, each with its line ending."""
    out = list(problem_lines(summary.problems, c))
    if len(summary.by_rule) > 1:
        ranked = sorted(summary.by_rule.items(), key=lambda item: (-item[1], item[0]))
        width = len(f"{ranked[0][1]:,}")
        out += [f"{count:>{width + 2},}  {name}\n" for name, count in ranked[:_MOST_RULES]]
        if len(ranked) > _MOST_RULES:
            rest = sum(count for _, count in ranked[_MOST_RULES:])
            out.append(f"{rest:>{width + 2},}  of {len(ranked) - _MOST_RULES} more rules\n")
    out.append(f"{_found(summary)}{_more(summary)}\n")
    out += [
        f"{c.error}failed{c.off} on {clean_path(failed.path)}: {clean_text(failed.error)} "
        "(this is a bug of this program)\n"
        for failed in summary.failed[:8]
    ]
    if verbose:
        for skipped in summary.skipped_paths:
            detail = f" ({skipped.detail})" if skipped.detail else ""
            out.append(f"skipped {clean_path(skipped.path)}: {skipped.reason}{detail}\n")
        out += [
            f"given up {clean_path(path)}: the rule {rule} leaves too many choices there\n"
            for path, rule in summary.exhausted
        ]
    if stats:
        stages = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in summary.stages.items())
        out.append(
            f"{summary.bytes:,} bytes read, {counted(summary.parsed, 'file')} parsed, "
            f"{summary.recalled:,} from the cache, {summary.seconds:.3f} s in all\n  {stages}\n"
            f"  left out: {summary.ignored} ignored, {summary.hidden} hidden, {summary.links} links, "
            f"{summary.other_languages} that no rule is for\n"
        )
    return "".join(out)


def problem_lines(problems: Iterable[Problem], c: Palette) -> Iterator[str]:
    """What is wrong with rules, those first because of which one does not run."""
    told = sorted(problems, key=lambda problem: problem.warning)
    for problem in told[:_MOST_PROBLEMS]:
        word = "warning" if problem.warning else f"{c.error}error{c.off}"
        rule = f" [{clean_text(problem.rule)}]" if problem.rule else ""
        place = f"{clean_path(problem.path)}:{problem.at.line}:{problem.at.column}"
        yield f"{place}: {word}: {clean_text(problem.message)}{rule}\n"
        if problem.hint:
            yield f"    hint: {clean_text(problem.hint)}\n"
    if len(told) > _MOST_PROBLEMS:
        more = counted(len(told) - _MOST_PROBLEMS, "more mistake")
        yield f"and {more} in rules; `astgrep rules` lists all\n"


def _found(summary: ScanSummary) -> str:
    rules = counted(summary.rules, "rule")
    where = f"{counted(summary.scanned, 'file')} scanned with {rules}"
    if not summary.files and not summary.unchanged:
        return f"no file that a rule is for was found ({rules})"
    if not summary.findings:
        return f"no {'new ' * bool(summary.known or summary.unchanged)}finding in {where}"
    parts = [
        counted(summary.by_severity[name], name) for name in _SEVERITIES if summary.by_severity.get(name)
    ]
    found = counted(summary.findings, "finding")
    return f"{found} ({', '.join(parts)}) in {summary.with_findings} of {where}"


def _more(summary: ScanSummary) -> str:
    parts = []
    if summary.suppressed:
        parts.append(f"{summary.suppressed:,} suppressed")
    if summary.known:
        parts.append(f"{summary.known:,} known from the baseline")
    if summary.unchanged:
        parts.append(f"{counted(summary.unchanged, 'file')} as before, not scanned")
    text = "".join(f"; {part}" for part in parts) + left_out(_Left(summary))
    if summary.exhausted:
        names = dict.fromkeys(rule for _, rule in summary.exhausted)
        text += f"; {len(summary.exhausted)} given up ({listed(names)})"
    return text + (f"; cut: {summary.cut}" if summary.cut else "")


class _Left:
    """A summary as ``statement.left_out`` asks for it."""

    def __init__(self, summary: ScanSummary) -> None:
        self.skipped = summary.skipped
        self.failed = summary.failed
        self.syntax_error_files = len(summary.syntax_error_files)
        self.ignored = summary.ignored
