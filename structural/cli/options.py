"""The options of the commands, and what they mean as values.

Each option is declared once and used by every command that has it.  ``spec_of`` and
``selection_of`` turn what ``click`` read into the values of a search.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import click

from structural.errors import UsageError

if TYPE_CHECKING:
    from structural.workflow.searching import PatternSpec, Selection

    _ParamType = click.ParamType[int]
else:
    _ParamType = click.ParamType  # generic only since 8.2

RELATIONS = ("inside", "has", "follows", "precedes")

_F = TypeVar("_F", bound=Callable[..., Any])
Options = dict[str, Any]


class Size(_ParamType):
    """A number of bytes, such as ``10M``; ``0`` is no limit."""

    name = "size"
    _UNITS: ClassVar = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+)\s*([kmg]?)b?", value.strip().lower())
        if not found:
            self.fail(f"{value!r} is no size: write it as 500k, 10M or 1G", param, ctx)
        return int(found[1]) * self._UNITS[found[2]]


class Number(_ParamType):
    """A whole number, 0 or more."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if not str(value).isdecimal():
            self.fail(f"{value!r} is no number", param, ctx)
        return int(value)


class Sections(click.Command):
    """A command that shows its options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _SECTIONS.values()}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(_SECTIONS.get(param.name or "", "Options"), []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


_SECTIONS = {
    name: heading
    for heading, names in {
        "The rules": "rules rule_texts ids tags severity config rewrite_title suspicious",
        "What is new": "baseline update_baseline since staged",
        "The pattern": "languages rung strictness equivalences without",
        "What must hold of a match": (
            "kind where inside not_inside has not_has follows not_follows precedes not_precedes"
        ),
        "The definitions": "depth sorts match",
        "The files": "outlined globs hidden no_ignore follow max_size stdin",
        "The answer": (
            "after before context count_only paths_only bindings formats output as_json as_lines verbose"
            " max_count color"
        ),
        "About the search": "fail_on skip_broken no_cache stats jobs cluster strict explain",
    }.items()
    for name in names.split()
}
"""Name of an option → the heading it stands under."""


def pattern_options(command: _F) -> _F:
    """What decides the meaning of a pattern."""
    return _apply(
        command,
        click.option(
            "--lang",
            "languages",
            metavar="NAME[,NAME]",
            multiple=True,
            help="Only these languages. Without it the pattern is read in every language of the files.",
        ),
        click.option(
            "--as", "rung", metavar="RUNG", help="Read the pattern by this rung of the ladder only."
        ),
        click.option(
            "--strictness",
            type=click.Choice(["exact", "smart", "loose"]),
            default="smart",
            show_default=True,
            help="Which differences do not count.",
        ),
        click.option(
            "--equivalence", "equivalences", metavar="NAME", multiple=True, help="Switch an equivalence on."
        ),
        click.option(
            "--no-equivalence", "without", metavar="NAME", multiple=True, help="Switch an equivalence off."
        ),
        click.option("--kind", metavar="KIND", help="Only matches whose node is of this kind."),
        click.option(
            "--where",
            metavar="CONSTRAINT",
            multiple=True,
            help="What a metavariable must be: X=~/re/, X!~/re/, X==Y, X!=Y, X:kind, X!:kind, #X>=2.",
        ),
        *(
            click.option(
                f"--{prefix}{name}",
                metavar="PATTERN",
                multiple=True,
                help=f"Only matches {_RELATION_HELP[name].format(no)}",
            )
            for name in RELATIONS
            for prefix, no in (("", "a"), ("not-", "no"))
        ),
    )


_RELATION_HELP = {
    "inside": "with {} match of PATTERN around them.",
    "has": "with {} match of PATTERN in them.",
    "follows": "with {} match of PATTERN before them in the same block.",
    "precedes": "with {} match of PATTERN behind them in the same block.",
}


def file_options(command: _F) -> _F:
    """Which files are looked at."""
    return _apply(
        command,
        click.option(
            "--glob",
            "globs",
            metavar="GLOB",
            multiple=True,
            help="Only files that fit, written as in .gitignore; !GLOB leaves out. The last one decides.",
        ),
        click.option("--hidden", is_flag=True, help="Also files and folders whose name begins with a dot."),
        click.option("--no-ignore", is_flag=True, help="Also what ignore files leave out."),
        click.option("--follow", is_flag=True, help="Follow symbolic links."),
        click.option(
            "--max-size",
            type=Size(),
            default="10M",
            show_default=True,
            help="Skip larger files, and say so; 0 for no limit.",
        ),
    )


def rule_options(command: _F) -> _F:
    """Which rules are run."""
    return _apply(
        command,
        click.option(
            "--rules",
            metavar="DIR|FILE",
            multiple=True,
            help="Folders and files of rules, catalogue[/PART], or - for standard input. Without it those of "
            "the configuration.",
        ),
        click.option(
            "--rule-text",
            "rule_texts",
            metavar="YAML",
            multiple=True,
            help="A rule itself, with id, language and rule. Repeatable.",
        ),
        click.option("--rule", "ids", metavar="ID", multiple=True, help="Only this rule. Repeatable."),
        click.option(
            "--tag", "tags", metavar="TAG[,TAG]", multiple=True, help="Only rules with one of these tags."
        ),
        click.option(
            "--severity",
            type=click.Choice(["error", "warning", "info", "hint"]),
            help="Only rules of this severity or above.",
        ),
        click.option(
            "--config",
            metavar="FILE",
            type=click.Path(),
            help="The configuration (default: the nearest structural.toml, structural.yml or sgconfig.yml).",
        ),
    )


def output_options(command: _F) -> _F:
    """How the answer is shown."""
    count = Number()
    return _apply(
        command,
        click.option("-A", "after", metavar="N", type=count, help="Show N lines after each match."),
        click.option("-B", "before", metavar="N", type=count, help="Show N lines before each match."),
        click.option("-C", "context", metavar="N", type=count, help="Show N lines before and after."),
        click.option("-c", "--count", "count_only", is_flag=True, help="Only the number of matches a file."),
        click.option("-l", "--files-with-matches", "paths_only", is_flag=True, help="Only the paths."),
        click.option("--bindings", is_flag=True, help="Show what the metavariables stand for."),
        click.option("--json", "as_json", is_flag=True, help="One JSON object (docs/json.md)."),
        click.option("--jsonl", "as_lines", is_flag=True, help="One JSON object a line, the summary last."),
        click.option("--stats", is_flag=True, help="Sizes and times; every skipped file by name."),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colours; NO_COLOR and FORCE_COLOR are honoured.",
        ),
    )


def spec_of(pattern: str, options: Options) -> PatternSpec:
    """The pattern with its options as one value."""
    from structural.workflow.searching import PatternSpec, Relation

    relations = tuple(
        Relation(name, text, negated=negated)
        for name in RELATIONS
        for negated in (False, True)
        for text in options.get(f"not_{name}" if negated else name, ())
    )
    return PatternSpec(
        pattern,
        languages_of(options.get("languages", ())),
        options.get("rung"),
        options.get("strictness", "smart"),
        tuple(options.get("equivalences", ())),
        tuple(options.get("without", ())),
        options.get("kind"),
        tuple(options.get("where", ())),
        relations,
    )


def languages_of(given: tuple[str, ...]) -> tuple[str, ...]:
    """Names of languages from options that each may hold several, parted by commas."""
    return tuple(name for text in given for name in (part.strip() for part in text.split(",")) if name)


def selection_of(paths: tuple[str, ...], options: Options) -> Selection:
    """The files as one value."""
    from structural.workflow.searching import Selection

    return Selection(
        paths or (".",),
        tuple(options["globs"]),
        options["hidden"],
        options["no_ignore"],
        options["follow"],
        options["max_size"],
    )


def rules_of(options: Options) -> tuple[list[str], dict[str, str]]:
    """The names of rule files and folders, and the texts that are rules themselves, each by the name that its
    mistakes are told with.  Reads standard input if it is named."""
    from structural.cli.output import standard_input

    given = options["rule_texts"]
    texts = {f"--rule-text {at}" if len(given) > 1 else "--rule-text": one for at, one in enumerate(given, 1)}
    if "-" in options["rules"]:
        try:
            texts["<stdin>"] = standard_input().decode()
        except UnicodeDecodeError:
            raise UsageError("standard input is not UTF-8", hint="rules are written in UTF-8") from None
    return [name for name in options["rules"] if name != "-"], texts


def place_of(text: str) -> tuple[str, int]:
    """``FILE:LINE`` as its parts; line 0 where none is given."""
    path, colon, number = text.rpartition(":")
    if colon and number.isdigit():
        return path, int(number)
    return text, 0


def exclusive(options: Options, *names: str) -> None:
    """A UsageError if more than one of the flags *names* is set."""
    shown = {
        "count_only": "--count",
        "paths_only": "--files-with-matches",
        "as_json": "--json",
        "as_lines": "--jsonl",
    }
    given = [shown[name] for name in names if options[name]]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} do not go together", hint="give one of them")


def _apply(command: _F, *decorators: Callable[[Any], Any]) -> _F:
    for decorator in reversed(decorators):
        command = decorator(command)
    return command
