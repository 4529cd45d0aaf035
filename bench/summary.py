"""From raw figures to tables that a person can read.  Both are made from the record that is kept as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from bench.cases import AST_GREP, ASTGREP, CASES, GENERATED, INDEXED, OURS, SEMGREP
from bench.figures import (
    Figures,
    Head,
    base_of,
    ended_badly,
    heads,
    modern,
    processors,
    questions,
    ratio,
    walls,
)
from bench.record import Record, told

_SHOWN = 2
"""Places that only one tool found, shown of each pair."""

_NOTE = """Seconds are medians of the rounds, in brackets the least and the most. The ratio is that of the
median to ast-grep's (where it was not asked, to astgrep's without an index): below 1 is quicker. CPU is
user and system time of the process and its children. Memory is the largest sum that was seen of all
processes, in MiB. Load is the median of the machine's load average before the samples: figures under a
load far above the processors in use are only good for ratios."""


def summary(record: Record) -> str:
    """The run as Markdown."""
    record = modern(record)
    lines = [
        f"# Run of {record['began']}",
        "",
        *told(record),
        f"Every tool may use {record.get('processors_used', '?')} processors.",
        "",
        *(f"- {name}: {version}" for name, version in record.get("versions", {}).items()),
        *(f"- {name}: missing ({why}), so nothing is said of it" for name, why in _missing(record)),
        f"- revision measured: {record.get('revision') or 'unknown'}",
        *(f"- stopped {record[key]}" for key in ("stopped",) if key in record),
        *(f"- left out: {text}" for text in record.get("left_out", ())),
        "",
        "## Cases",
        "",
        *table(heads([record])),
        "",
        "## Every question",
        "",
        _NOTE,
        "",
        "| tree | case | | tool | found | wall s | ratio | CPU s | ratio | MiB | load |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    bad: list[str] = []
    for (tree, case, name), jobs in questions(record).items():
        for job in jobs:
            lines.append(_row(tree, case, name, job, base_of(jobs)))
            if ended_badly(job):
                codes = ", ".join(map(str, sorted(ended_badly(job))))
                bad.append(f"- {tree}, {case} `{name}`: {job['tool']} ended with {codes}: {_command(job)}")
    lines += ["", "## Commands that failed", "", *bad] if bad else []
    lines += ["", "## Answers", "", *_answers(record), "", "## Trees", ""]
    lines += ["| tree | language | files | MB |", "| --- | --- | ---: | ---: |"]
    for name, note in record["trees"].items():
        lines.append(
            f"| {name} | {note.get('language', '')} | {note['files']:,} | {note['bytes'] / 1e6:.1f} |"
        )
    return "\n".join(lines) + "\n"


def _missing(record: Record) -> list[tuple[str, str]]:
    return list(record.get("missing", {}).items())


def _row(tree: str, case: str, name: str, job: Figures, base: Figures) -> str:
    head = f"| {tree} | {case} | {_code(name)} | {job['tool']}"
    if job.get("note"):
        head += f" ({job['note']})"
    if not job["samples"]:
        return f"{head} | | | | | | | |"
    wall, cpu = walls(job), processors(job)
    found = "" if job["matches"] < 0 else f"{job['matches']:,}"
    cut = " (cut)" if any(sample["cut"] for sample in job["samples"]) else ""
    spans = [f"{median(of):.3f} [{min(of):.3f}–{max(of):.3f}]" for of in (wall, cpu)]
    ratios = [shown_ratio(ratio(job, base, of)) for of in (walls, processors)]
    load = f"{median(job['loads']):.1f}" if job["loads"] else ""
    figures = f"{spans[0]}{cut} | {ratios[0]} | {spans[1]} | {ratios[1]} | {job['tree_mib']:.0f}"
    return f"{head} | {found} | {figures} | {load} |"


def _code(name: str) -> str:
    return f"`{name}`".replace("|", "\\|") if name else ""


def _command(job: Figures) -> str:
    return f"`{' '.join(job.get('command', ()))}`"


def shown_ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


# --- answers ----------------------------------------------------------------------------------


def _answers(record: Record) -> list[str]:
    """What the tools found alike, in one line; and every difference, with some of the places."""
    lines: list[str] = []
    alike = alone = 0
    for made in record["agreements"]:
        counts = made["counts"]
        differs = [pair for pair in made["pairs"] if pair["only_first"] or pair["only_second"]]
        if not differs:
            alike += len(counts) > 1
            alone += len(counts) == 1
            continue
        what = " ".join(part for part in (made["case"], _code(made["name"])) if part)
        numbers = ", ".join(f"{tool} {number:,}" for tool, number in counts.items())
        lines.append(f"- {made['tree']}, {what}: {numbers}")
        for pair in differs:
            lines.append(
                f"  - {pair['first']} and {pair['second']}: {pair['both']:,} in both, "
                f"{pair['only_first']:,} only in the first, {pair['only_second']:,} only in the second"
            )
            for side in ("first", "second"):
                shown = [text.replace("`", " ") for text in pair[f"samples_{side}"][:_SHOWN]]
                lines += [f"    - only {pair[side]}: `{text}`" for text in shown]
    counted = [f"{alike:,} questions were answered alike by all tools that were asked them, to the byte."]
    if alone:
        counted.append(f"{alone:,} were asked of one tool only: nothing was compared.")
    if lines:
        counted.append("These were answered otherwise:")
    return [*counted, "", *lines] if lines else counted


# --- the table of a run --------------------------------------------------------------------------------


def table(made: Sequence[Head]) -> list[str]:
    """One line a case, tree and state of this project: Markdown."""
    other = any(SEMGREP in head.sides for head in made)
    names = ["case", "tree", "", "s", "ast-grep s", "ratio", "CPU ratio", "MiB", "ast-grep MiB"]
    if other:
        names += ["semgrep s"]
    lines = [f"| {' | '.join(names)} |", f"| --- | --- | --- |{' ---: |' * (len(names) - 3)}"]
    for head in made:
        says = f"{head.says} ({head.questions})" if head.questions > 1 else head.says
        peer, third = head.sides.get(AST_GREP), head.sides.get(SEMGREP)
        for side in (side for side in OURS if side in head.sides):
            mine = head.sides[side]
            cells = [says, head.tree, side, _seconds(mine.wall), _seconds(peer.wall) if peer else ""]
            cells += [shown_ratio(mine.wall_ratio), shown_ratio(mine.processor_ratio), f"{mine.mib:.0f}"]
            cells += [f"{peer.mib:.0f}" if peer else ""]
            if other:
                cells.append(_seconds(third.wall) if third else "")
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _seconds(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


# --- the README ---------------------------------------------------------------------------------


def compact(records: Sequence[dict[str, Any]], names: Sequence[str]) -> list[str]:
    """The table for the README: a line a case, a column a tree; and what else is to be known of it.

    *names* are those of the folders of the runs.
    """
    made = heads(records)
    trees = list(dict.fromkeys(head.tree for head in made if head.tree != GENERATED))
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for head in made:
        if head.tree in trees:
            for (side, peer), cell in _cells(head):
                if (head.case, side) in _UNTOLD:
                    continue
                rows.setdefault((head.case, side, peer), {})[head.tree] = cell
    lines = [f"| | {' | '.join(trees)} |", f"| --- |{' ---: |' * len(trees)}"]
    for (case, side, peer), cells in rows.items():
        says = _named(case, side, peer)
        lines.append(f"| {says} | {' | '.join(cells.get(tree, '') for tree in trees)} |")
    lines.append(
        f"| most memory, MiB (ast-grep's) | {' | '.join(_most_memory(made, tree) for tree in trees)} |"
    )
    return [*lines, "", *_said(records, made, names)]


_UNTOLD = (("ten", ASTGREP), ("refresh", INDEXED))
"""Left to the table of the run: what says little beside the lines around it."""


def _cells(head: Head) -> Iterator[tuple[tuple[str, str], str]]:
    """For every side of ours beside every other tool: the ratio, and in brackets our seconds."""
    for side in (side for side in OURS if side in head.sides):
        mine = head.sides[side]
        by_processor = any(case.by_processor for case in CASES if case.name == head.case)
        seconds = mine.processor if by_processor else mine.wall
        if head.base == AST_GREP:
            ratio_of = mine.processor_ratio if by_processor else mine.wall_ratio
            yield (side, AST_GREP), f"{shown_ratio(ratio_of)} ({_seconds(seconds)} s)"
        if SEMGREP in head.sides:
            yield (side, SEMGREP), f"{shown_ratio(mine.wall / head.sides[SEMGREP].wall)}"


def _named(case: str, side: str, peer: str) -> str:
    says = next((one.says for one in CASES if one.name == case), case)
    state = side[len(ASTGREP) :].strip(" ()") if side.startswith(ASTGREP) else side
    words = [says, {"": "", "one file changed": "", "index": "with an index"}.get(state, state)]
    if peer == SEMGREP:
        words.append("beside semgrep")
    return ", ".join(word for word in words if word)


def _most_memory(made: Sequence[Head], tree: str) -> str:
    mine = [one.mib for head in made if head.tree == tree for side, one in head.sides.items() if side in OURS]
    peer = [head.sides[AST_GREP].mib for head in made if head.tree == tree and AST_GREP in head.sides]
    return f"{max(mine, default=0):.0f}" + (f" ({max(peer):.0f})" if peer else "")


def _said(records: Sequence[Record], made: Sequence[Head], names: Sequence[str]) -> list[str]:
    where = modern(records[-1])
    host, processors_used = where["machine"], where.get("processors_used", "?")
    told_by = {name: text for record in records for name, text in record.get("versions", {}).items()}
    versions = [
        text if name in text else f"{name} {text}" for name, text in told_by.items() if name != ASTGREP
    ]
    started = ""
    for head in made:
        if head.case == "tiny" and AST_GREP in head.sides:
            mine, peer = (_seconds(head.sides[side].wall) for side in (ASTGREP, AST_GREP))
            started = f" One file of three lines: {mine} s, ast-grep {peer} s."
    loads = [load for record in records for job in modern(record)["jobs"] for load in job["loads"]]
    load = f" (load {median(loads):.1f})" if loads else ""
    host_said = f"{host['processor']}, {processors_used} processors{load}, {', '.join(versions)}"
    revision = ", ".join(dict.fromkeys(record.get("revision") or "unknown" for record in records))
    return [
        "Wall time to ast-grep's (building: processor time), of several patterns the worst; in brackets s.",
        f"{host_said}, revision {revision}.{started}",
        f"[How it was measured](bench/README.md); raw figures: {', '.join(_linked(name) for name in names)}.",
    ]


def _linked(name: str) -> str:
    return f"[{name}](bench/runs/{name})"


HEADING = "## How fast"
"""The section of the README that holds the table, and nothing else."""


def put_into(text: str, lines: Sequence[str]) -> str:
    """*text* with *lines* as the section of the table; it has to be there."""
    head, found, rest = text.partition(f"{HEADING}\n")
    if not found:
        raise ValueError(f"no heading {HEADING!r}")
    _, heading, behind = rest.partition("\n## ")
    body = "\n".join(lines)
    return f"{head}{found}\n{body}\n{heading}{behind}"
