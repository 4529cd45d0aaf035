"""What the shipped rules find in real code, and how much of it is right.

    python bench/catalogue.py small [ROOT]                      counts over the small corpus, then the table
    python bench/catalogue.py count FOLDER... [--only RULE,...] writes bench/catalogue/found.csv
    python bench/catalogue.py show RULE FOLDER... [--sample N]  findings of one rule, with the code around
    python bench/catalogue.py table                             writes docs/catalogue.md

``bench/catalogue/judged.csv`` holds what people said of a sample of the findings: rule, how many were
looked at, how many of them were true (the message is right, and the code deserves it), a remark.
The sample is the same for the same findings: those with the lowest digests of rule and place.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import multiprocessing
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from structural.errors import UnsearchableError
from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.messages import message
from structural.rules.reading import read_rules
from structural.rules.terms import RuleSet
from structural.rules.values import Rule
from structural.syntax.registry import language_of_path

ROOT = Path(__file__).resolve().parent.parent
PATTERNS = ROOT / "patterns"
DATA = ROOT / "bench" / "catalogue"
FOUND = DATA / "found.csv"
PAGE = ROOT / "docs" / "catalogue.md"
LARGEST = 2_000_000
SMALL = "~/.cache/structural-corpus"
LEFT_OUT = ("c/linux", "typescript/typescript/tests")
"""Of the small corpus: too much of one kind, and code that is wrong on purpose."""
LINUX = (
    "kernel", "lib", "mm", "fs", "net", "tools", "scripts", "sound",
    "drivers/net", "drivers/usb", "drivers/staging",
)  # fmt: skip
"""What of the kernel is looked at all the same."""


class Place(NamedTuple):
    """One finding: the rule, the file below its folder, bytes, the line from 1, what is said."""

    rule: str
    path: str
    start: int
    end: int
    line: int
    message: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self.rule}:{self.path}:{self.start}".encode()).hexdigest()


def read(only: str = "") -> list[Rule]:
    """The shipped rules, or those of some names, with commas between them."""
    rules: list[Rule] = []
    for path in sorted(PATTERNS.rglob("*.yml")):
        if not only or path.stem in only.split(","):
            rules += read_rules(path.read_bytes(), str(path.relative_to(PATTERNS))).rules
    return rules


def files(folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Folder and path of every file below the folders, sorted, links not followed."""
    for folder in folders:
        for base, below, names in os.walk(folder):
            below.sort()
            for name in sorted(names):
                path = os.path.join(base, name)
                if not os.path.islink(path) and os.path.getsize(path) <= LARGEST and not _minified(path):
                    yield folder, path


def small(root: str) -> list[str]:
    """The folders of the small corpus that are counted over."""
    base = Path(root).expanduser()
    if not base.is_dir():
        raise SystemExit(f"there is no corpus at {base}")
    found = [
        part
        for language in sorted(base.iterdir())
        if language.is_dir() and not language.name.startswith(".")
        for package in sorted(language.iterdir())
        for part in (
            sorted(package.iterdir())
            if any(one.startswith(f"{language.name}/{package.name}/") for one in LEFT_OUT)
            else [package]
        )
    ]
    kept = [one for one in found if str(one.relative_to(base)) not in LEFT_OUT]
    kept += [one for name in LINUX if (one := base / "c/linux" / name).is_dir()]
    return [str(one) for one in kept]


def _minified(path: str) -> bool:
    """Whether a program packed it: nobody wrote it like that, and nobody judges it."""
    if ".min." in os.path.basename(path):
        return True
    with open(path, "rb") as file:
        return any(len(line) > 5000 for line in file)


_rules: RuleSet


def _begin(only: str) -> None:
    global _rules
    _rules, problems = compile_rules(read(only))
    for problem in problems:
        print(problem, file=sys.stderr)


def _look(file: tuple[str, str]) -> list[Place]:
    folder, path = file
    language = language_of_path(path)
    if language is None:
        return []
    source = Path(path).read_bytes()
    try:
        found = find(_rules, source, language)
    except UnsearchableError:
        return []
    below = os.path.join(os.path.basename(folder.rstrip("/")), os.path.relpath(path, folder))
    made = []
    for one in found.findings:
        rule = _rules.rules[one.rule]
        if rule.files and not any(_fits(glob, below) for glob in rule.files):
            continue
        if any(_fits(glob, below) for glob in rule.ignores):
            continue
        line = source.count(b"\n", 0, one.span.start) + 1
        made.append(Place(one.rule, path, one.span.start, one.span.end, line, message(rule, one, source)))
    return made


def _fits(glob: str, path: str) -> bool:
    return _regex(glob).fullmatch(path) is not None


@cache
def _regex(glob: str) -> re.Pattern[str]:
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.compile(
        "".join(parts.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*\*|\*)", glob))
    )


def run(folders: Sequence[str], only: str = "", jobs: int = 2) -> list[Place]:
    """All findings in the files below the folders, by path and place."""
    places: list[Place] = []
    with multiprocessing.Pool(jobs, _begin, (only,)) as pool:
        for found in pool.imap(_look, files(folders), chunksize=32):
            places += found
    return places


def count(folders: Sequence[str], only: str, places: str, jobs: int) -> None:
    found = run(folders, only, jobs)
    if places:
        Path(places).write_text("".join(json.dumps(one) + "\n" for one in found), encoding="utf-8")
    new = Counter(one.rule for one in found)
    asked = {rule.id for rule in read(only)}
    numbers = {**(numbers_found() if only else {}), **{name: new[name] for name in asked}}
    DATA.mkdir(exist_ok=True)
    with FOUND.open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["rule", "findings"])
        table.writerows((rule.id, numbers.get(rule.id, 0)) for rule in sorted(read(), key=lambda one: one.id))


def numbers_found() -> dict[str, int]:
    if not FOUND.exists():
        return {}
    with FOUND.open(encoding="utf-8") as file:
        return {row["rule"]: int(row["findings"]) for row in csv.DictReader(file)}


def show(rule: str, folders: Sequence[str], sample: int, jobs: int) -> None:
    found = run(folders, rule, jobs)
    print(len(found), "findings")
    for one in sorted(found, key=lambda place: place.digest)[:sample]:
        lines = Path(one.path).read_text("utf-8", "replace").splitlines()
        print(f"--- {one.path}:{one.line}: {one.message}")
        print("\n".join(lines[max(0, one.line - 4) : one.line + 3]))


def table() -> None:
    numbers = numbers_found()
    total = sum(numbers.values())
    with (DATA / "judged.csv").open(encoding="utf-8") as file:
        judged = {row["rule"]: row for row in csv.DictReader(file)}
    rules = read()
    languages = {one for rule in rules for one in rule.languages}
    sampled = {name for name, row in judged.items() if int(row["judged"])}
    with_findings = [rule.id for rule in rules if numbers.get(rule.id) or rule.id in sampled]
    lines = [
        _HEAD.format(
            rules=len(rules),
            languages=len(languages),
            findings=f"{total:,}",
            some=sum(1 for rule in rules if numbers.get(rule.id)),
            sampled=len(sampled),
            examples=len(rules) - len(with_findings),
        )
    ]
    looked = right = 0
    for rule in rules:
        row = judged.get(rule.id)
        seen, true = (int(row["judged"]), int(row["true"])) if row else (0, 0)
        looked, right = looked + seen, right + true
        share = f"{round(100 * true / seen)} %" if seen else ""
        cells = [
            f"[{rule.id}](../patterns/{rule.path})",
            ", ".join(rule.languages),
            rule.severity.value,
            str(numbers.get(rule.id, 0)),
            str(seen or ""),
            str(true if seen else ""),
            share,
            row["remark"] if row else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    if looked:
        lines.append(
            f"\nOf {looked} findings that were judged, {right} are true: {100 * right / looked:.1f} %."
        )
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


_HEAD = """# The shipped rules

{rules} rules for {languages} languages, in the folder `patterns/`; `--rules catalogue` uses all of them.

*findings*: in the small corpus of real code ({findings} of {some} rules). *judged*: how many somebody
looked at, with the code around, at most 15 a rule and search, chosen by digest; there, and in some forty
public applications, so they can be more than the findings ({sampled} rules). *true*: the message is right,
and the code deserves it. The other {examples} rules have their examples only: at least two in which they
find something, three that they leave alone.

This page is made by `python bench/catalogue.py small`, which counts again, from what people said in
`bench/catalogue/judged.csv`. A rule that was narrowed after it was judged keeps what was said of it.

| rule | languages | severity | findings | judged | true | precision | remark |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    counting = commands.add_parser("count")
    counting.add_argument("folders", nargs="+")
    counting.add_argument("--only", default="", help="only these rules; the numbers of others stay")
    counting.add_argument("--places", default="", help="a file for all findings, one JSON list a line")
    showing = commands.add_parser("show")
    showing.add_argument("rule")
    showing.add_argument("folders", nargs="+")
    showing.add_argument("--sample", type=int, default=15)
    all_of_it = commands.add_parser("small")
    all_of_it.add_argument("root", nargs="?", default=SMALL)
    for one in (counting, showing, all_of_it):
        one.add_argument("--jobs", type=int, default=2)
    commands.add_parser("table")
    chosen = parser.parse_args()
    if chosen.command == "small":
        count(small(chosen.root), "", "", chosen.jobs)
        table()
    elif chosen.command == "count":
        count(chosen.folders, chosen.only, chosen.places, chosen.jobs)
    elif chosen.command == "show":
        show(chosen.rule, chosen.folders, chosen.sample, chosen.jobs)
    else:
        table()


if __name__ == "__main__":
    main()
