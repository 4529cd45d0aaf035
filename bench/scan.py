"""Many rules at once: ``astgrep scan`` beside ``ast-grep scan`` with the same rules over one tree.

``python bench/scan.py TREE --language python --out bench/runs/NAME``

The rules are in ``bench/rules``, one file a language, in words that both tools read.  Order of things as in
``run.py``: a round that is not timed looks at memory and keeps the findings, which are compared by rule and
place; then the tools take turns.  Nothing is remembered from run to run (``--no-cache``), no rule file is
compiled before.  Written are ``raw.json`` and ``summary.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from answers import Agreement, agreement
from cases import AST_GREP, ASTGREP, NATIVE
from measure import sampled
from report import summary
from run import LIMIT, Job, machine, public, revision, timed_rounds
from tools import Place, Tool, environment, find

RULES = Path(__file__).resolve().parent / "rules"
BETWEEN = "\n---\n"
FORMS = ("text", "JSON")
FOUND = (0, 1)
"""Exit codes of a scan that went well, without and with findings that make it fail."""

Found = dict[str, set[Place]]
"""Rule → where it found something."""


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    tree = asked.tree.resolve()
    out: Path = asked.out
    out.mkdir(parents=True, exist_ok=True)
    tools: dict[str, Tool] = {}
    for name in asked.tools.split(","):
        tool = find(name, getattr(asked, name.replace("-", "_")))
        if tool is None:
            print(f"{name} is not installed and left out", file=sys.stderr)
        else:
            tools[name] = tool
    record: dict[str, Any] = {
        "machine": machine(),
        "versions": {name: tool.version() for name, tool in tools.items()},
        "revision": asked.revision or revision(),
        "began": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "processors_used": asked.jobs,
    }
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        rules = chosen(asked.language, asked.rules)
        made = jobs(tools, tree, work, rules, asked.jobs, asked.rounds)
        agreements = first_round(made, work, len(rules))
        timed_rounds(made)
        shown = [public(asdict(job), tools, tree, work) for job in made]
    files = [path for path in tree.rglob("*") if path.is_file() and not path.is_symlink()]
    size = sum(path.stat().st_size for path in files)
    record |= {"language": asked.language, "rules": len(rules), "jobs": shown}
    record |= {"agreements": [asdict(one) for one in agreements]}
    record |= {"corpus": {tree.name: {"files": len(files), "bytes": size}}}
    record |= {"ended": time.strftime("%Y-%m-%d %H:%M:%S %z")}
    (out / "raw.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (out / "summary.md").write_text(summary(record), "utf-8")
    print(f"written to {out}")
    failed = [job for job in made for sample in job.samples if sample.exit_code not in FOUND]
    for job in failed:
        print(f"{job.tool} did not end well: {' '.join(job.command)}", file=sys.stderr)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path, help="the folder that is scanned")
    parser.add_argument("--language", default="python", choices=[path.stem for path in RULES.glob("*.yml")])
    parser.add_argument("--rules", type=int, default=50, help="so many of the rules, the first ones")
    parser.add_argument("--tools", default=",".join(NATIVE))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--revision", help="the revision that is measured, if it is not this checkout's")
    parser.add_argument("--jobs", type=int, default=2, help="processors for every tool")
    parser.add_argument("--out", type=Path, required=True)
    for name in NATIVE:
        parser.add_argument(f"--{name}", metavar="PROGRAM", help=f"where {name} is")
    return parser


def chosen(language: str, number: int) -> list[str]:
    """The first *number* rules for *language*, each the text of one document."""
    return (RULES / f"{language}.yml").read_text("utf-8").strip().split(BETWEEN)[:number]


def jobs(
    tools: dict[str, Tool], tree: Path, work: Path, rules: list[str], processors: int, rounds: int
) -> list[Job]:
    """Every form of the report for every tool; the rules are written for each as it reads them."""
    (work / "rules").mkdir()
    for number, text in enumerate(rules):
        (work / "rules" / f"{number}.yml").write_text(text + "\n", "utf-8")
    (work / "sgconfig.yml").write_text("ruleDirs: [rules]\n", "utf-8")
    group = f"{len(rules)} rules"
    made = []
    for form in FORMS:
        for name, tool in tools.items():
            command = commands(name, tool, tree, work, processors, form)
            made.append(Job(group, form, name, command, rounds, command if form == "JSON" else []))
    return made


def commands(name: str, tool: Tool, tree: Path, work: Path, processors: int, form: str) -> list[str]:
    if name == ASTGREP:
        own = ["--rules", str(work / "rules"), "--jobs", str(processors), "--no-cache", "--no-ignore"]
        return [*tool.program, "scan", *own, *(["--jsonl"] if form == "JSON" else []), str(tree)]
    assert name == AST_GREP
    own = ["--config", str(work / "sgconfig.yml"), "--threads", str(processors), "--color", "never"]
    for kind in ("dot", "exclude", "global", "parent", "vcs"):
        own += ["--no-ignore", kind]
    return [*tool.program, "scan", *own, *(["--json=stream"] if form == "JSON" else []), str(tree)]


def first_round(made: list[Job], work: Path, number: int) -> list[Agreement]:
    """The round that is not timed: memory of the process tree, and the findings compared."""
    answers: dict[str, Found] = {}
    for job in made:
        print(f"first round: {job.name}, {job.tool}", flush=True)
        output = work / "output"
        _, job.tree_mib = sampled(job.command, output, environment(), LIMIT)
        job.output_bytes = output.stat().st_size
        if job.asking:
            found: Found = {}
            for rule, place in findings(job.tool, output):
                found.setdefault(rule, set()).add(place)
            answers[job.tool] = found
        output.unlink()
    for job in made:
        if job.tool in answers:
            job.matches = sum(map(len, answers[job.tool].values()))
    rules = sorted(set().union(*answers.values()))
    return [
        agreement(f"{number} rules", rule, {tool: found.get(rule, set()) for tool, found in answers.items()})
        for rule in rules
    ]


def findings(tool: str, output: Path) -> Iterator[tuple[str, Place]]:
    """What a tool told as JSON, line by line."""
    with output.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            item = json.loads(line)
            if tool == AST_GREP:
                at = item["range"]["byteOffset"]
                yield item["ruleId"], (item["file"], at["start"], at["end"])
            elif item["type"] == "finding":
                at = item["range"]
                yield item["rule"], (item["path"], at["start"]["byte"], at["end"]["byte"])


if __name__ == "__main__":
    sys.exit(main())
