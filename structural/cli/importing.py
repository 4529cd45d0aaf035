"""``astgrep import``: rules of semgrep as rule files, on standard output or below a folder.

What could not be carried over is said on standard error, one line each: path, line, column, rule, reason.
"""

from __future__ import annotations

import sys

from structural.cli.colour import palette
from structural.cli.human import clean_path
from structural.cli.jsonout import VERSION, Value, dumps
from structural.cli.lines import clean_text
from structural.cli.options import Options
from structural.cli.output import Output, ReaderGoneError, error_text
from structural.cli.statement import counted
from structural.errors import UsageError
from structural.workflow.importing import FileImport, ImportedRule, Problem, Written, import_paths, write

_NAMES = 200
"""Lines of problems that are shown; ``--json`` has all."""


def import_rules(paths: tuple[str, ...], options: Options) -> int:
    """The command; gives the exit code.  Raises StructuralError for a wrong call."""
    if not paths:
        raise UsageError("no file is named", hint="name rule files of semgrep, or folders that hold them")
    imports = list(import_paths(paths))
    folder = options["output"]
    written = write(imports, folder) if folder else Written()
    rules = sum(len(one.result.rules) for one in imports)
    refused = sum(len(one.result.refused) for one in imports)
    output = Output()
    try:
        if options["as_json"]:
            output.write(f"{dumps(_value(imports, written, bool(folder)))}\n")
        elif not folder:
            output.write("---\n".join(one.result.text for one in imports if one.result.rules))
        output.flush()
    except ReaderGoneError:
        pass
    _say(imports, options, folder, written)
    if not rules and not refused:
        return 1
    return 3 if refused else 0


def _say(imports: list[FileImport], options: Options, folder: str | None, written: Written) -> None:
    c = palette(options["color"], sys.stderr is not None and sys.stderr.isatty())
    refused = [problem for one in imports for problem in one.result.refused]
    remarked = [rule for one in imports for rule in one.result.rules if rule.remarks]
    lines = [
        f"{c.path}{_place(one)}{c.off}: {c.error}not carried over{c.off}: {_told(one)}\n" for one in refused
    ]
    lines += [
        f"{c.path}{_place(remark)}{c.off}: {_told(remark)}\n" for rule in remarked for remark in rule.remarks
    ]
    more = f"… and {len(lines) - _NAMES} more (--json has all)\n" if len(lines) > _NAMES else ""
    rules = sum(len(one.result.rules) for one in imports)
    where = f" into {counted(len(written.paths), 'file', 'files')} below {folder}" if folder else ""
    total = (
        f"{counted(rules, 'rule', 'rules')} of {sum(one.result.total for one in imports)} carried over{where}"
        f", {len(remarked)} with a difference; {len(refused)} not\n"
    )
    undo = f"undo: astedit undo {written.commit}\n" if written.commit else ""
    error_text("".join(lines[:_NAMES]) + more + total + undo)


def _place(problem: Problem) -> str:
    return f"{clean_path(problem.path)}:{problem.at.line}:{problem.at.column}"


def _told(problem: Problem) -> str:
    return clean_text(f"{problem.rule}: {problem.message}" if problem.rule else problem.message)


def _value(imports: list[FileImport], written: Written, to_folder: bool) -> Value:
    return {
        "version": VERSION,
        "rules": [_rule(rule, one, text=not to_folder) for one in imports for rule in one.result.rules],
        "refused": [_problem(problem) for one in imports for problem in one.result.refused],
        "written": list(written.paths),
        "commit": written.commit,
        "total": sum(one.result.total for one in imports),
    }


def _rule(rule: ImportedRule, one: FileImport, *, text: bool) -> Value:
    value: Value = {
        "id": rule.id,
        "path": one.result.path,
        "line": rule.at.line,
        "languages": list(rule.languages),
        "target": one.target,
        "remarks": [_problem(remark) for remark in rule.remarks],
    }
    if text:
        value["text"] = rule.text
    return value


def _problem(problem: Problem) -> Value:
    return {
        "rule": problem.rule,
        "path": problem.path,
        "line": problem.at.line,
        "column": problem.at.column,
        "message": problem.message,
    }
