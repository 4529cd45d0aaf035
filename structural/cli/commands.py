"""The commands of ``astgrep``, as ``click`` reads them; the work is in the modules beside."""

from __future__ import annotations

from typing import Any

import click

from structural.cli import running
from structural.cli.options import (
    Number,
    Sections,
    file_options,
    output_options,
    pattern_options,
    rule_options,
)
from structural.cli.running import CONTEXT, Commands
from structural.workflow.version import VERSION

PROGRAM = "astgrep"


class Search(Commands):
    """The commands of ``astgrep``."""

    program = PROGRAM
    offer = f"to search for it: {PROGRAM} search {{}}"


@click.group(cls=Search, context_settings=CONTEXT, no_args_is_help=True)
@click.version_option(VERSION, "-V", "--version", message="%(prog)s %(version)s")
def astgrep() -> None:
    """Search code by its shape: a pattern is code, with $NAME for what may vary.

    Exit codes: 0 something matched, 1 nothing matched, 2 the call was wrong,
    3 incomplete (with --strict).
    """


@astgrep.command(cls=Sections)
@click.argument("pattern")
@click.argument("paths", nargs=-1, type=click.Path())
@pattern_options
@file_options
@click.option(
    "--max-count", metavar="N", type=Number(), default=0, help="End after N matches; 0 is no limit."
)
@click.option("--stdin", is_flag=True, help="Search standard input, as the path - does; needs --lang.")
@output_options
@click.option(
    "--jobs",
    metavar="N",
    type=Number(),
    default=0,
    help="Processes that search; 0 is one a processor. The answer is the same for any number.",
)
@click.option("--strict", is_flag=True, help="Exit code 3 if some file could not be searched.")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Search on the workers of this Dask scheduler, such as tcp://host:8786 (docs/cluster.md).",
)
@click.option("--no-index", is_flag=True, help="Search as if the tree had no index (docs/index.md).")
@click.option("--explain", is_flag=True, help="Also say how the pattern was read in each language.")
def search(pattern: str, paths: tuple[str, ...], **options: Any) -> int:
    """Find PATTERN in files (default: the current folder).

    Output that is not a terminal gets one line a match, path:line:column: text.
    What was searched and what was not is said on standard error.

    \b
    $NAME     one node; the same name again must be the same code
    $$$NAME   any number of siblings, also none
    $_, $$$   the same, not remembered
    """
    from structural.cli.searching import search as run_search

    return run_search(pattern, paths, options)


@astgrep.command(cls=Sections)
@click.argument("paths", nargs=-1, type=click.Path())
@rule_options
@click.option(
    "--baseline",
    metavar="FILE|REV",
    help="Only what is new against a baseline file, or against a revision of git.",
)
@click.option("--update-baseline", is_flag=True, help="Write the baseline file with what is found now.")
@click.option(
    "--since", metavar="REV", help="Only files that changed since this branch left the revision REV."
)
@click.option("--staged", is_flag=True, help="Only what is staged in git, as it is staged.")
@file_options
@click.option(
    "--format",
    "formats",
    metavar="NAME[:FILE]",
    multiple=True,
    help="text, concise, json, jsonl, sarif, github, gitlab or junit; with FILE into that file. Repeatable.",
)
@click.option("--output", metavar="FILE", type=click.Path(), help="Where the format goes that names no file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object (docs/scan-json.md).")
@click.option("--jsonl", "as_lines", is_flag=True, help="One JSON object a line, the summary last.")
@click.option("-v", "--verbose", is_flag=True, help="Show what rewrites would make.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "hint", "never"]),
    help="The least severity that makes the exit code 1 (default: error, or what the configuration says).",
)
@click.option("--skip-broken", is_flag=True, help="Let rules with mistakes out, without the exit code 2.")
@click.option("--strict", is_flag=True, help="Exit code 3 if some file could not be scanned.")
@click.option("--no-cache", is_flag=True, help="Use no results of earlier scans, and keep none.")
@click.option("--stats", is_flag=True, help="Sizes and times; every skipped file by name.")
@click.option(
    "--jobs", metavar="N", type=Number(), default=0, help="Processes that scan; 0 is one a processor."
)
def scan(paths: tuple[str, ...], **options: Any) -> int:
    """Run rules over files (default: the current folder).

    The rules are those of structural.toml, or of --rules. Exit codes: 0 nothing that fails was found,
    1 something was, 2 the call or a rule is wrong, 3 incomplete (with --strict).

    \b
    astgrep scan --rules catalogue/python src
    astgrep scan --baseline origin/main --format sarif:scan.sarif
    """
    from structural.cli.scanning import scan as run_scan

    return run_scan(paths, options)


@astgrep.command(cls=Sections)
@rule_options
@click.option("--json", is_flag=True, help="As one JSON object (docs/scan-json.md).")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def rules(**options: Any) -> int:
    """List the rules, with severities, languages and tags, and what is wrong with them.

    Exit codes: 0 all can be used, 2 some cannot, or the call was wrong.
    """
    from structural.cli.scanning import rules as run_rules

    return run_rules(options)


@astgrep.command(cls=Sections)
@click.argument("pattern")
@pattern_options
@click.option("--at", metavar="FILE:LINE", help="Say why this line matches, or where it parts.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
def explain(pattern: str, **options: Any) -> int:
    """Show how PATTERN is read: the ladder, rung by rung."""
    from structural.cli.explaining import explain as run_explain

    return run_explain(pattern, options)


@astgrep.command(cls=Sections)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--depth", metavar="N", type=Number(), default=0, help="Only N levels; 1 is the top alone.")
@click.option(
    "--kind",
    "sorts",
    metavar="NAME[,NAME]",
    multiple=True,
    help="Only these: function, method, class, … (docs/outline.md lists them).",
)
@click.option(
    "--match", metavar="REGEX", help="Only definitions in whose name the expression finds something."
)
@click.option(
    "--lang", "outlined", metavar="NAME[,NAME]", multiple=True, help="Only definitions in these languages."
)
@file_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object (docs/json.md).")
@click.option("--jsonl", "as_lines", is_flag=True, help="One JSON object a file and line, the summary last.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("--strict", is_flag=True, help="Exit code 3 if some file could not be looked at.")
def outline(paths: tuple[str, ...], **options: Any) -> int:
    """Show what files define: each definition with its lines, indented.

    Exit codes are those of a search: 0 something was found, 1 nothing, 2 the call
    was wrong, 3 incomplete (with --strict).

    \b
    astgrep outline src/store.py
    astgrep outline --depth 1 --lang go,rust
    astgrep outline --kind class,function --match '^Test' tests
    """
    from structural.cli.outlining import outline as run_outline

    return run_outline(paths, options)


@astgrep.command()
@click.argument("names", metavar="[PATHS]...", nargs=-1)
@click.option("--rule", "ids", metavar="ID", multiple=True, help="Only this rule. Repeatable.")
@click.option("--update", is_flag=True, help="Write the snapshots of test files anew.")
@click.option("--strict", is_flag=True, help="Also fail on warnings, missing examples and missing snapshots.")
@click.option("--config", metavar="FILE", type=click.Path(), help="The configuration.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object (docs/rules-tests.md).")
@click.option("-v", "--verbose", is_flag=True, help="Also name the rules of which all is well.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def test(names: tuple[str, ...], **options: Any) -> int:
    """Run the examples of rules, and their test files.

    PATHS are folders and files with rules and tests, or catalogue[/PART]; without them those of the
    configuration. What is wrong comes on standard output, the summary on standard error.
    Exit codes: 0 all is as it should be, 1 something is not, 2 the call was wrong.

    \b
    astgrep test rules/
    astgrep test rules/ --rule team/no-eval --update
    """
    from structural.cli.testing import test as run_test

    return run_test(names, options)


@astgrep.group(no_args_is_help=False)
def new() -> None:
    """Make a file: `astgrep new rule`."""


@new.command("rule")
@click.argument("name", metavar="ID")
@click.option("--lang", "languages", metavar="NAME[,NAME]", multiple=True, required=True, help="Languages.")
@click.option("--pattern", metavar="PATTERN", required=True, help="What is looked for.")
@click.option("--rewrite", metavar="CODE", help="What it becomes.")
@click.option("--message", metavar="TEXT", help="What is said of a finding; $NAME is its code.")
@click.option(
    "--severity",
    type=click.Choice(["error", "warning", "info", "hint"]),
    default="warning",
    show_default=True,
    help="How much it matters.",
)
@click.option(
    "--example",
    "examples",
    metavar="CODE",
    multiple=True,
    help="Code in which it finds something. Repeatable.",
)
@click.option(
    "--not-example",
    "counter_examples",
    metavar="CODE",
    multiple=True,
    help="Code in which it finds nothing. Repeatable.",
)
@click.option(
    "--dir", "folder", metavar="DIR", help="The folder (default: that of the configuration, or rules)."
)
@click.option("--show", is_flag=True, help="Show the file, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def new_rule(name: str, **options: Any) -> int:
    """Write the rule ID to a file of its own, with examples.

    The rule is read and run first: it is written only if it does what its examples say, and never over
    a file that is there. What the examples become is filled in.

    \b
    astgrep new rule no-eval --lang js --pattern 'eval($X)' --example 'eval(a)' --not-example 'f(a)'
    """
    from structural.cli.scaffolding import new_rule as run_new_rule

    return run_new_rule(name, options)


@astgrep.command()
@click.argument("target", metavar="FILE[:LINE]")
@click.option("--lang", "language", metavar="NAME", help="The language, if the name does not tell.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
def tree(target: str, **options: Any) -> int:
    """Show the syntax tree of a file: kinds, fields and places."""
    from structural.cli.explaining import tree as run_tree

    return run_tree(target, options)


@astgrep.command()
@click.option(
    "--all", is_flag=True, help="Also the long tail, whose grammars come with the extra `languages`."
)
@click.option("--json", is_flag=True, help="As one JSON object.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
def languages(**options: Any) -> int:
    """List the languages, their files and their rungs."""
    from structural.cli.explaining import languages as run_languages

    return run_languages(options)


@astgrep.command()
@click.argument(
    "action", metavar="build|status|verify|drop", type=click.Choice(["build", "status", "verify", "drop"])
)
@click.argument("path", default=".", type=click.Path())
@click.option("--jobs", metavar="N", type=Number(), default=0, help="Processes; 0 is one a processor.")
def index(action: str, path: str, **options: Any) -> int:
    """Keep the trees of all files below PATH, so that a search parses only what changed.

    \b
    build    make the index, or bring it up to date; searches then use it and keep it fresh
    status   say what it holds, and what changed since
    verify   read all of it and compare it with the files
    drop     remove it

    It lies in the user's cache folder. Exit codes: 0 done, 1 there is no index, 2 the call
    was wrong or the index cannot be written, 3 it is damaged.
    """
    from structural.cli.indexing import index as run_index

    return run_index(action, path, options)


_ROOT = click.option(
    "--root", metavar="DIR", type=click.Path(), help="The folder that is served (default: the current one)."
)
_READ_ONLY = click.option("--read-only", is_flag=True, help="Only the tools that change nothing.")
_JOBS = click.option(
    "--jobs", metavar="N", type=Number(), default=0, help="Processes that search; 0 is one a processor."
)


@astgrep.command()
@_ROOT
@click.option(
    "--http",
    metavar="[HOST:]PORT",
    help="Serve over streamable HTTP on a loopback address; the token is STRUCTURAL_TOKEN, or is printed.",
)
@click.option(
    "--no-client-roots",
    is_flag=True,
    help="Reach all of the root, also where the client offers folders of its own.",
)
@_READ_ONLY
@_JOBS
def mcp(**options: Any) -> int:
    """Serve the tools for agents over the Model Context Protocol.

    On standard input and output, as clients start it; needs the extra `mcp`.
    How to set up the well-known clients: docs/agents.md.

    \b
    astgrep mcp --root ~/src/project
    astgrep mcp --http 127.0.0.1:8765
    """
    from structural.cli.agent import mcp as run_mcp

    return run_mcp(options)


@astgrep.command()
@click.option(
    "--format",
    "style",
    type=click.Choice(["mcp", "openai", "anthropic"]),
    default="mcp",
    show_default=True,
    help="The API whose form the schemas have.",
)
@_READ_ONLY
def tools(**options: Any) -> int:
    """Print the schemas of the tools for agents, as JSON."""
    from structural.cli.agent import tools as run_tools

    return run_tools(options)


@astgrep.command()
@click.argument("tool")
@click.argument("arguments", metavar="JSON", default="{}")
@_ROOT
@_READ_ONLY
@_JOBS
def call(tool: str, arguments: str, **options: Any) -> int:
    """Run one TOOL for agents and print its answer as JSON.

    JSON are the arguments; @FILE reads them from a file, - from standard input.
    Exit codes: 0 done, 2 an error, 4 refused because files changed.

    \b
    astgrep call ast_grep '{"pattern": "print($X)", "paths": ["src"]}'
    """
    from structural.cli.agent import call as run_call

    return run_call(tool, arguments, options)


@astgrep.command("import")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(),
    help="Write rule files there; none that is there is replaced.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object: rules, remarks, what was not carried over."
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
def import_(paths: tuple[str, ...], **options: Any) -> int:
    """Write rules of semgrep as rules of this program (docs/rules-import.md).

    PATHS are their rule files, or folders. What a rule finds otherwise stands in it as a
    comment; a rule that cannot be carried over is named with its line and the reason.
    Exit codes: 0 all were carried over, 1 there were none, 2 the call was wrong, 3 some were not.

    \b
    astgrep import rules/no-eval.yaml
    astgrep import semgrep-rules/python -o rules
    """
    from structural.cli.importing import import_rules

    return import_rules(paths, options)


@astgrep.command()
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the code that completes this command in a shell."""
    assert isinstance(astgrep, Commands)
    return running.completion(astgrep, shell)


def run(arguments: list[str]) -> int:
    """Read the arguments, run the command, tell errors; gives the exit code."""
    assert isinstance(astgrep, Commands)
    return running.run_group(astgrep, arguments, instead="search -- '- $X'", json_names=("--json", "--jsonl"))
