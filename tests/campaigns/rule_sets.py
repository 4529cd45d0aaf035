"""Campaign over the rule sets of others: the same rules in this engine and in the program they are of.

``python -m tests.campaigns.rule_sets RULES TARGETS --semgrep PATH`` imports every rule file of semgrep
below RULES; ``--ast-grep PATH`` reads those of ast-grep as they are. Both programs look at the files at
TARGETS, and the places are compared: rule, path and first line. What is said is how many rules there
are, load, compile, give the same places, and for each of the others how many places both find, only
they, only we.

Rules that share an id or name files of their own, and rules that the other program refuses, are left
out. A difference is no fault as such: ``docs/peers/rules.md`` says which
there are and why.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from structural.errors import UnsearchableError
from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.imports.semgrep import import_semgrep, is_semgrep
from structural.rules.reading import read_rules
from structural.rules.terms import RuleSet
from structural.rules.values import Rule
from structural.syntax import registry
from structural.text import LineIndex

Places = dict[str, set[tuple[str, int]]]
"""Rule → paths and lines."""


@dataclass(slots=True)
class Loaded:
    """The rules of a set: ``total`` of all, those that could be read, and why others could not."""

    total: int = 0
    rules: list[Rule] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


def of_semgrep(folder: Path) -> Loaded:
    """Every rule below *folder*, imported."""
    loaded = Loaded()
    for path in _files(folder):
        text = path.read_bytes()
        if not is_semgrep(text):
            continue
        imported = import_semgrep(text, str(path))
        loaded.total += imported.total
        loaded.rules += read_rules(imported.text.encode(), str(path)).rules if imported.rules else ()
        loaded.reasons.update(one.message for one in imported.refused)
    return loaded


def of_ast_grep(folder: Path) -> Loaded:
    """Every rule below *folder*, as it is."""
    loaded = Loaded()
    for path in _files(folder):
        found = read_rules(path.read_bytes(), str(path), dialect="ast-grep")
        broken = [one for one in found.problems if not one.warning]
        loaded.total += len(found.rules) + len({one.rule for one in broken})
        loaded.rules += found.rules
        loaded.reasons.update(one.message for one in broken)
    return loaded


def ours(rules: RuleSet, paths: Iterable[Path]) -> Places:
    """What we find."""
    places: Places = defaultdict(set)
    for path in paths:
        source = path.read_bytes()
        language = registry.language_of_path(str(path), source[:400])
        if language is None:
            continue
        try:
            found = find(rules, source, language)
        except UnsearchableError:
            continue
        lines = LineIndex(source)
        for one in found.findings:
            places[one.rule].add((str(path), lines.line(one.span.start)))
    return places


def from_semgrep(program: str, rules: Path, targets: list[str]) -> tuple[Places, list[Path]]:
    """What semgrep finds, and the files that it looked at without an error."""
    command = [program, "--metrics", "off", "--disable-version-check", "--no-git-ignore", "--json", "-q"]
    done = subprocess.run(
        [*command, "--config", str(rules), *targets], capture_output=True, text=True, check=False
    )
    answer = json.loads(done.stdout)
    places: Places = defaultdict(set)
    for one in answer["results"]:
        places[one["check_id"].split(".")[-1]].add((one["path"], one["start"]["line"]))
    failed = {one.get("path") for one in answer["errors"]}
    return places, [Path(path) for path in answer["paths"]["scanned"] if path not in failed]


def from_ast_grep(program: str, rules: Path, targets: list[str]) -> tuple[Places, list[Path]]:
    """What ast-grep finds, file of rules by file: it refuses them all for one that is wrong."""
    places: Places = defaultdict(set)
    for path in _files(rules):
        command = [program, "scan", "-r", str(path), "--json=compact", *targets]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        for one in json.loads(done.stdout or "[]"):
            places[one["ruleId"]].add((one["file"], one["range"]["start"]["line"] + 1))
    return places, [path for target in targets for path in sorted(Path(target).rglob("*")) if path.is_file()]


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".yml", ".yaml"} and ".test." not in path.name and path.is_file():
            yield path


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rules", type=Path)
    parser.add_argument("targets", nargs="+")
    peer = parser.add_mutually_exclusive_group(required=True)
    peer.add_argument("--semgrep", metavar="PATH")
    peer.add_argument("--ast-grep", metavar="PATH")
    options = parser.parse_args(arguments)
    if options.semgrep:
        loaded = of_semgrep(options.rules)
        theirs, paths = from_semgrep(options.semgrep, options.rules, options.targets)
    else:
        loaded = of_ast_grep(options.rules)
        theirs, paths = from_ast_grep(options.ast_grep, options.rules, options.targets)
    ids = Counter(rule.id for rule in loaded.rules)
    compiled, problems = compile_rules(rule for rule in loaded.rules if ids[rule.id] == 1)
    wrong = {one.rule for one in problems if not one.warning}
    compared = [
        rule.id
        for rule in loaded.rules
        if ids[rule.id] == 1 and rule.id not in wrong and not rule.files and not rule.ignores
    ]
    found = ours(compiled, paths)
    looked_at = {str(path) for path in paths}
    same = 0
    for name in compared:
        they = {place for place in theirs.get(name, ()) if place[0] in looked_at}
        we = found.get(name, set())
        same += they == we
        if they != we:
            print(f"{name}: both {len(they & we)}, only they {len(they - we)}, only we {len(we - they)}")
    for reason, times in loaded.reasons.most_common(20):
        print(f"not loaded, {times} times: {reason}")
    for one in problems:
        print(f"not compiled: {one}")
    print(
        f"{loaded.total} rules, {len(loaded.rules)} loaded, {len(compared)} compiled and compared over"
        f" {len(paths)} files; {same} find the same"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
