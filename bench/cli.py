"""The command line of the bench: ``python -m bench``."""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path

import click

from bench.cases import CASES, TOOLS, named
from bench.generated import FILES
from bench.trees import CORPUS, TreeError, chosen

OTHERS = {
    "memory": "Searches in one process that keeps what it parsed.",
    "server": "The server for agents: its start, and calls once it is warm.",
    "tasks": "Ten tasks of an agent, end to end, by several kinds of agents.",
}
"""Measurements of another kind, each with options of its own."""

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=_CONTEXT)
def main() -> None:
    """Measure this project beside the tools that one would take instead: the same files, answers compared.

    \b
    python -m bench list                                what there is
    python -m bench run                                 all cases over the small files of this project
    python -m bench run --tree my=~/project --rounds 3  over a tree of yours
    python -m bench report FOLDER                       the summary of a run once more
    python -m bench profile dense corpus/python         where the time of a case goes
    """


@main.command("list")
def list_() -> None:
    """The cases, the tools, and the trees that are at hand."""
    from bench.suite import found_tools

    click.echo("cases:")
    for case in CASES:
        usual = "" if case.usual else "  (only where it is named, or all are)"
        click.echo(f"  {case.name:10} {case.says}; {', '.join(case.tools)}{usual}")
    tools, missing = found_tools(TOOLS, {})
    click.echo("tools:")
    for name in TOOLS:
        click.echo(f"  {name:10} {missing.get(name) or tools[name].version()}")
    click.echo("trees:")
    for tree in chosen("", (), CORPUS):
        click.echo(f"  {tree.name} (used where none is named)")
    for folder in sorted(CORPUS.glob("*/*")):
        if folder.is_dir():
            click.echo(f"  {folder.relative_to(CORPUS)}")


@main.command()
@click.option("--trees", default="", metavar="A,B", help="Folders below --corpus, as python/sympy.")
@click.option("--tree", "given", multiple=True, metavar="NAME=PATH", help="A folder. Repeatable.")
@click.option("--corpus", type=click.Path(path_type=Path), default=CORPUS, help="Where --trees are.")
@click.option("--language", help="What is searched in every tree; else what most of it is written in.")
@click.option(
    "--cases", default="", metavar="A,B", help="Which cases; all for all (default: the usual ones)."
)
@click.option("--only", default="", metavar="TEXT", help="Only patterns that hold the text.")
@click.option("--patterns", default=10, help="So many of the ten patterns.")
@click.option("--rules", default=50, help="So many of the fifty rules.")
@click.option("--files", default=FILES, help="Files of the trees that are rewritten.")
@click.option("--tools", default=",".join(TOOLS), help="Which tools.")
@click.option("--program", "programs", multiple=True, metavar="TOOL=PATH", help="Where a tool is.")
@click.option("--rounds", default=5, help="Timed rounds.")
@click.option("--jobs", default=2, help="Processors for every tool.")
@click.option("--revision", help="The revision that is measured, if it is not this checkout's.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where the run is written (default: a new folder, which is said).",
)
def run(
    trees: str,
    given: tuple[str, ...],
    corpus: Path,
    language: str | None,
    cases: str,
    only: str,
    patterns: int,
    rules: int,
    files: int,
    tools: str,
    programs: tuple[str, ...],
    rounds: int,
    jobs: int,
    revision: str | None,
    out: Path | None,
) -> None:
    """Measure cases × tools × trees; write raw.json, summary.md and times.svg."""
    from bench import plot, suite, summary  # noqa: F401  # before the run: it may be long, and files change
    from bench.plans import Plan

    names = [name.strip() for name in tools.split(",")]
    told = dict(one.partition("=")[::2] for one in programs)
    unknown = [name for name in (*names, *told) if name not in TOOLS]
    if unknown:
        raise click.UsageError(f"no tool is called {unknown[0]}; there are: {', '.join(TOOLS)}")
    try:
        wanted = named(cases)
        over = chosen(trees, given, corpus, language) if any(case.tree for case in wanted) else []
    except KeyError as problem:
        known = ", ".join(case.name for case in CASES)
        raise click.UsageError(f"no case is called {problem.args[0]}; there are: {known}") from None
    except TreeError as problem:
        raise click.UsageError(str(problem)) from None
    found, missing = suite.found_tools(names, told)
    for name, why in missing.items():
        suite.say(f"{name} is missing: {why}")
    out = out or Path(tempfile.mkdtemp(prefix="bench-"))
    with tempfile.TemporaryDirectory(prefix="bench-work-") as scratch:
        plan = Plan(found, Path(scratch).resolve(), jobs, rounds, patterns, rules, files)
        made = suite.run(plan, wanted, over, out, missing=missing, revision=revision, only=only)
    remade(out)
    click.echo(f"written to {out}")
    bad = suite.failed(made)
    for job in bad:
        suite.say(f"{job.side} did not end well: {' '.join(job.command)}")
    sys.exit(1 if bad else 0)


@main.command()
@click.argument(
    "folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--table", is_flag=True, help="Print the table for the README, of all runs together.")
@click.option(
    "--into",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --table: put it into this file, in place of the one that is there.",
)
@click.option(
    "--plot", "drawn", type=click.Path(path_type=Path), help="Draw all runs together into this file."
)
def report(folders: tuple[Path, ...], table: bool, into: Path | None, drawn: Path | None) -> None:
    """Make summary and plot of runs once more from their raw figures. Earlier forms are read as well."""
    from bench.plot import plot
    from bench.record import read
    from bench.summary import compact, put_into

    if not table and drawn is None and into is None:
        for folder in folders:
            said = "written to" if remade(folder) else "no run of the bench, left as it is:"
            click.echo(f"{said} {folder}")
        return
    suites = [read(folder) for folder in folders]
    if any(_kind(record) or "jobs" not in record for record in suites):
        raise click.UsageError("a table is made of runs of the suite only")
    lines = compact(suites, [folder.resolve().name for folder in folders])
    if into is not None:
        into.write_text(put_into(into.read_text("utf-8"), lines), "utf-8")
    elif table:
        click.echo("\n".join(lines))
    if drawn is not None and plot(suites, drawn):
        click.echo(f"drawn into {drawn}", err=True)


@main.command()
@click.argument("case")
@click.argument("tree")
@click.option("--corpus", type=click.Path(path_type=Path), default=CORPUS, help="Where TREE may be.")
@click.option("--language", help="What is searched; else what most of the tree is written in.")
@click.option(
    "--only", default="", metavar="TEXT", help="Of the questions of the case the first that holds the text."
)
@click.option("--rounds", default=3, help="How often; the median is shown.")
@click.option(
    "--with",
    "how",
    type=click.Choice(["stages", "cprofile", "pyinstrument"]),
    default="stages",
    help="Stages by samples (default), or what one of these profilers tells.",
)
@click.option("--lines", default=40, help="Lines of the profiler's answer.")
def profile(
    case: str, tree: str, corpus: Path, language: str | None, only: str, rounds: int, how: str, lines: int
) -> None:
    """Where the time of a CASE goes over TREE (a folder, or a name below --corpus), in one process."""
    from bench.profiling.profile import profiled

    here = (corpus / tree).is_dir() and not Path(tree).is_dir()
    try:
        wanted = named(case)
        over = chosen(tree if here else "", () if here else (tree,), corpus, language)
    except KeyError:
        known = ", ".join(one.name for one in CASES)
        raise click.UsageError(f"no case is called {case}; there are: {known}") from None
    except TreeError as problem:
        raise click.UsageError(str(problem)) from None
    click.echo(profiled(wanted[0], over[0], only=only, rounds=rounds, how=how, lines=lines), nl=False)


def _other(name: str, says: str) -> None:
    @main.command(name, help=says, add_help_option=False, context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> None:
        sys.argv[0] = f"python -m bench {name}"
        sys.exit(import_module(f"bench.{name}").main(list(arguments)))


for _name, _says in OTHERS.items():
    _other(_name, _says)


def remade(folder: Path, *, drawn: bool = True) -> bool:
    """Write summary and plot of the run in *folder*; False for figures that only its own page explains."""
    from bench.plot import plot
    from bench.record import PLOT, SUMMARY, read
    from bench.summary import summary

    record = read(folder)
    kind = _kind(record)
    if not kind and "jobs" not in record:
        return False
    (folder / SUMMARY).write_text(
        import_module(f"bench.{kind}").summary(record) if kind else summary(record), "utf-8"
    )
    if drawn and not kind:
        plot([record], folder / PLOT)
    return True


def _kind(record: dict[str, object]) -> str:
    """What made a run of another kind; empty for the suite."""
    marks = {"runs": "tasks", "starts": "server", "fill": "memory"}
    return next((name for mark, name in marks.items() if mark in record), "")
