"""``astgrep new rule``: a rule file from a pattern and examples."""

from __future__ import annotations

import os

from structural.cli.jsonout import VERSION, dumps
from structural.cli.options import Options, languages_of
from structural.cli.output import Output, error_text
from structural.errors import UsageError
from structural.workflow.scaffolding import NewRule, scaffold, write
from structural.workflow.scanning.settings import Settings, read_settings


def new_rule(name: str, options: Options) -> int:
    """The command; gives the exit code.  Raises UsageError if the rule does not do what its examples say."""
    languages = languages_of(options["languages"])
    if not languages:
        raise UsageError("which language is the rule for?", hint="add --lang NAME")
    settings = read_settings()
    folder = options["folder"] or _folder(settings)
    new = NewRule(
        name,
        languages,
        options["pattern"],
        options["message"] or "",
        options["severity"],
        options["rewrite"],
        options["examples"],
        options["counter_examples"],
    )
    made = scaffold(new, folder)
    change = "" if options["show"] else write(made)
    output = Output()
    if options["as_json"]:
        value = {"version": VERSION, "path": made.path, "text": made.text, "change": change}
        output.write(dumps(value | {"remarks": list(made.remarks)}) + "\n")
    elif options["show"]:
        output.write(made.text)
    else:
        output.write(f"{made.path}\n")
    output.flush()
    lines = list(made.remarks)
    if change:
        lines.append(
            f"written; `astgrep test {folder}` runs its examples, `astedit undo {change}` takes it back"
        )
        if not _is_named(folder, settings):
            lines.append(
                f"`astgrep scan --rules {folder}` uses it; without --rules, once {folder} is named as a"
                " folder of rules in structural.toml"
            )
    error_text("".join(f"{line}\n" for line in lines))
    return 0


def _is_named(folder: str, settings: Settings) -> bool:
    """Whether a scan without --rules reads what is in *folder*."""
    real = os.path.realpath(folder)
    return any(
        real == there or real.startswith(there + os.sep) for there in map(os.path.realpath, settings.rules)
    )


def _folder(settings: Settings) -> str:
    """The first folder of rules of the configuration, else ``rules``."""
    for one in settings.rules:
        if not one.startswith("catalogue") and (os.path.isdir(one) or not os.path.exists(one)):
            return one
    return "rules"
