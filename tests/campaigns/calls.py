"""Mutated and hostile calls of the tools for agents.

    python -m tests.campaigns.calls TREE [--calls 1000] [--seed 1]

TREE is copied.  Each call is drawn from what a model might send: right ones, right ones with parts
changed, cut, swapped or of another type, huge and nested values, paths that lead out, ids
of others, patterns that explode, and calls that are cancelled on the way.  What must hold of
every call, or the run fails:

- an answer takes at most 30 seconds of the processor, fits the tool's schema and the budget, and
  is no fault of ours;
- no file changes but by an accepted change (none is accepted here), and nothing outside of the root;
- memory stays below a gigabyte.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema

from structural.agent import Call, Toolbox
from structural.agent.budget import dumps
from structural.agent.catalogue import TOOLS
from structural.agent.tool import Tool

SECONDS = 30.0
"""Over files of thirty languages: in each of them a hostile pattern is read anew."""
MEGABYTES = 1_000

PATTERNS = (
    "$X", "$$$", "$A == $A", "print($X)", "if ($X != null) $X.dispose()", "$F($$$A)", "def $F($$$): $$$",
    "foo(", ")", "", " ", "$", "$$", "$$$$", "\0", "\ud800", "é", "\u202e", "$X $Y $Z", "{" * 2_000,
    "(" * 5_000, "a" * 19_999, "$A," * 3_000, "f(" * 300 + "$X" + ")" * 300, "$$$A, $$$B, $$$C, $$$D",
    "--", "/*", '"', "// $X", "<a>$X</a>", "# $X", "x\r\ny", "\ufeffx", "$X;\n$X;\n$$$",
    "class $C { $$$ }", "import $X",
)  # fmt: skip

PATHS = (
    ".", "src", "..", "../..", "/", "/etc/passwd", "~", "", "a" * 300, "a/" * 1_000, ".git", ".git/config",
    ".structural", "\0", "\ud800", "con", "./.", "*", "-", "--help", "$HOME", "file:///etc/passwd",
    "link", "a\nb",
)  # fmt: skip

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**63, 1.5, float("1e308"), "", "x", [], {}, [None], {"a": 1}, [[]] * 3,
    "x" * 100_000, ["x"] * 5_000, {"pattern": "x"},
)  # fmt: skip

RULES = (
    "id: p\nlanguage: python\nmessage: say $X\nrule: {pattern: print($X)}\nrewrite: log($X)\n",
    "id: p\nlanguage: [python, javascript]\nrule: {any: [{pattern: $A == $A}, {pattern: f($A)}]}\nfocus: A\n",
    "id: a\nlanguage: python\nrule: {pattern: $X}\n---\nid: a\nlanguage: go\nrule: {kind: block}\n",
    "id: n\nlanguage: java\nrule: {not: {pattern: $X}}\n", "id: x", "rule: {pattern: x}", "[", "{}", "---",
    "- a",
    "id: c\nlanguage: python\nrule: {kind: comment, regex: '(a+)+$'}\n",
    "id: r\nlanguage: python\nrule: {pattern: $F($$$A)}\nrewrite: {rewrite: $F(), safety: suspicious}\n",
    "id: i\nlanguage: python\nrule: {pattern: $F($$$A), inside: {kind: block}}\n",
    "id: u\nlanguage: python\nrule: {matches: u}\nutils: {u: {matches: u}}\n",
    "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    '{"id": "j", "language": "js", "rule": {"pattern": "f($X)"}}',
    "id: s\nlanguage: python\nrule: {pattern: '\ud800'}\n",
    "id: t\nlanguage: python\nrule: " + "{not: " * 900,
    "id: e\nlanguage: python\nrule: {any: [{pattern: $X}, {pattern: $$$}]}\nmessage: $X $X\nrewrite: ''\n",
)  # fmt: skip

RULE_FILES = ("rules", "catalogue", "catalogue/python", "catalogue/nothing", "catalogue/../..", "hooks.yml")

RULED = ("ast_scan", "ast_edit", "ast_explain")
"""Tools that take rules."""

WHERE = ("X=~/a+/", "X=~/(a+)+$/", "X", "X==", "X=~/", "#X>=2", "Y=~/x/", "X:identifier", "X!:string", "=~//")


class Draw:
    """Draws calls."""

    def __init__(self, seed: int, ids: list[str]) -> None:
        self.random = random.Random(seed)
        self.ids = ids

    def call(self) -> tuple[str, Any]:
        """A tool and its arguments."""
        tool = self.random.choice(TOOLS)
        name = (
            tool.name if self.random.random() < 0.97 else self.random.choice(["", "x", "ast-grep", "a" * 500])
        )
        arguments: Any = self._object(tool.takes, wild=self.random.random() < 0.5)
        if tool.name in RULED and self.random.random() < 0.5:
            arguments = self._ruled(tool)
        if self.random.random() < 0.05:
            arguments = self.random.choice(ODD)
        return name, arguments

    def _object(self, schema: dict[str, Any], *, wild: bool) -> dict[str, Any]:
        required = set(schema.get("required", ()))
        made: dict[str, Any] = {}
        for name, inner in schema.get("properties", {}).items():
            if name in required or self.random.random() < 0.25:
                made[name] = self._value(name, inner, wild=wild)
        if wild and self.random.random() < 0.3 and made:
            del made[self.random.choice(list(made))]
        if wild and self.random.random() < 0.2:
            made["odd"] = copy.deepcopy(self.random.choice(ODD))
        return made

    def _value(self, name: str, schema: dict[str, Any], *, wild: bool) -> Any:
        pick = self.random
        if wild and pick.random() < 0.2:
            return copy.deepcopy(pick.choice(ODD))
        if "anyOf" in schema:
            return self._value(name, pick.choice(schema["anyOf"]), wild=wild)
        kind = schema.get("type")
        if "enum" in schema:
            return pick.choice(schema["enum"])
        if name == "commit":
            return False
        if kind == "boolean":
            return pick.random() < 0.5
        if kind == "integer":
            return pick.choice([schema.get("minimum", 0), 1, 2, 3, 50, 4_000, 10**9])
        if kind == "array":
            return [
                self._value(name, schema["items"], wild=wild) for _ in range(pick.choice([0, 1, 1, 2, 5]))
            ]
        if kind == "object":
            return self._object(schema, wild=wild)
        if kind == "string":
            return self._text(name)
        return None

    def _text(self, name: str) -> str:
        pick = self.random
        if name == "id":
            return pick.choice([*self.ids, "zzzzzz", "", "../x", "a" * 90, "*"])
        if name in {"path", "paths", "files", "globs", "move_to"}:
            return (
                pick.choice(PATHS)
                if pick.random() < 0.6
                else pick.choice(["**/*.py", "*.js", "src/**", "!x"])
            )
        if name == "rule":
            return self._rule()
        if name == "rules":
            return pick.choice(RULE_FILES if pick.random() < 0.7 else PATHS)
        if name in {"ids", "tags"}:
            return pick.choice(["p", "a", "bare-except", "correctness", "", "x" * 400])
        if name == "cursor":
            return pick.choice(["", "x", "0123456789-0123456789-5", "9" * 150])
        if name == "languages":
            return pick.choice(["python", "js", "javascript", "java", "odd", ""])
        if name == "where":
            return pick.choice(WHERE)
        if name == "digest":
            return pick.choice(["0" * 16, "x" * 12, hashlib.sha256(b"").hexdigest()])
        return pick.choice(PATTERNS)

    def _ruled(self, tool: Tool) -> dict[str, Any]:
        """Arguments that fit, most of the time: rules, and a few others."""
        pick = self.random
        made: dict[str, Any] = {"rule": self._rule()}
        if pick.random() < 0.3:
            made = {"rules": pick.choices(RULE_FILES, k=pick.choice([1, 1, 2]))}
        for name in (
            "budget",
            "ids",
            "path",
            "line",
            "severity",
            "show",
            "text_limit",
            "suspicious",
            "strict",
            "until_stable",
        ):
            if name in tool.takes["properties"] and pick.random() < 0.2:
                made[name] = self._value(name, tool.takes["properties"][name], wild=False)
        if made.get("budget", 1_000) > 200_000:
            made["budget"] = 1_000
        return made

    def _rule(self) -> str:
        """The text of a rule: as it is, with a part cut out or put in twice, or with another pattern."""
        pick, rule = self.random, self.random.choice(RULES)
        if pick.random() < 0.4:
            low, high = sorted(pick.randrange(len(rule) + 1) for _ in range(2))
            rule = rule[:low] + rule[high:] if pick.random() < 0.6 else rule[:high] + rule[low:]
        if pick.random() < 0.2:
            rule = rule.replace("print($X)", pick.choice(PATTERNS))
        return rule


def tree_digest(root: Path) -> str:
    """All files below *root* but those of the store, by name and content."""
    made = hashlib.sha256()
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name != ".structural")
        for name in sorted(files):
            path = Path(folder, name)
            made.update(f"{path.relative_to(root)}\0".encode("utf-8", "surrogateescape"))
            made.update(b"link" if path.is_symlink() else path.read_bytes())
    return made.hexdigest()


def faults(box: Toolbox, name: str, arguments: Any, call: Call) -> Iterator[str]:
    """What is wrong with the answer of one call."""
    began = time.process_time()
    try:
        answer = box.call(name, arguments, call)
    except Exception as problem:
        yield f"raised {problem!r}"
        return
    took = time.process_time() - began
    if took > SECONDS:
        yield f"took {took:.1f} s"
    budget = arguments.get("budget") if isinstance(arguments, dict) else None
    limit = budget if type(budget) is int and 1_000 <= budget <= 200_000 else 8_000
    if len(dumps(answer)) > limit:
        yield f"{len(dumps(answer))} characters, the budget is {limit}"
    if not answer["ok"] and answer["error"]["code"] == "internal":
        yield f"a fault of ours: {answer['error']['message']}"
    for tool in TOOLS:
        if tool.name == name:
            for problem in jsonschema.Draft202012Validator(tool.gives).iter_errors(answer):
                yield f"does not fit its schema: {problem.message[:200]}"
                break


def run(tree: Path, calls: int, seed: int, say: Callable[[str], None]) -> int:
    """Make the calls over a copy of *tree*; gives the number of faults."""
    count = 0
    with tempfile.TemporaryDirectory() as made:
        outer = Path(made)
        root = outer / "tree"
        shutil.copytree(tree, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        (outer / "secret.py").write_text("print('secret')\n")
        (root / "link").symlink_to(outer)
        (root / ".git").mkdir()
        (root / "rules").mkdir(exist_ok=True)
        for number, rule in enumerate(RULES):
            (root / f"rules/campaign{number}.yml").write_text(rule, "utf-8", "surrogatepass")
        before, around = tree_digest(root), sorted(os.listdir(outer))
        box = Toolbox(str(root), jobs=1)
        ids: list[str] = []
        draw = Draw(seed, ids)
        for number in range(calls):
            name, arguments = draw.call()
            if name == "undo" or (isinstance(arguments, dict) and arguments.get("action") == "accept"):
                arguments = {**arguments, "id": "zzzzzz"} if isinstance(arguments, dict) else arguments
            left = draw.random.choice([10**9] * 5 + [0, 1, 3, 20])
            call = Call(cancelled=_after(left))
            for fault in faults(box, name, arguments, call):
                count += 1
                say(f"call {number} {name} {str(arguments)[:300]}: {fault}")
            answer = box.call("status")
            ids[:] = [one["id"] for one in answer.get("open", ())]
            if number % 50 == 49 and tree_digest(root) != before:
                count += 1
                say(f"call {number} {name} {str(arguments)[:300]}: files changed")
                before = tree_digest(root)
        if sorted(os.listdir(outer)) != around:
            count += 1
            say(f"the folder around the root changed: {sorted(os.listdir(outer))}")
        if tree_digest(root) != before:
            count += 1
            say("files changed")
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024
    if used > MEGABYTES:
        count += 1
        say(f"memory: {used} MB")
    say(f"{calls} calls, {count} faults, at most {used} MB")
    return count


def _after(left: int) -> Callable[[], bool]:
    """True from the call number *left* on."""

    def cancelled() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    return cancelled


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    return 1 if run(asked.tree, asked.calls, asked.seed, lambda text: print(text, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(main())
