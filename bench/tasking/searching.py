"""Tasks 9 and 10: answers that are wrong at first, or long."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from bench.tasking.contest import AgentTask, Ours, Peer, Verdict
from bench.tasking.trees import calls, differing, edited, parsed, snapshot

# --- 9 ----------------------------------------------------------------------------------------------

_EQUALS = re.compile(r"^\s*public (?:static |final )*boolean equals\([^)]*\)\s*\{", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class ReadWrongly(AgentTask):
    """Count the methods ``equals`` of each file.  Without a body the pattern is an abstract method."""

    number = 9
    title = "a pattern that finds nothing at first"
    trees = ("java/commons-lang3",)
    first = "public boolean equals($$$P)"

    def plant(self, root: Path) -> None:
        self.before = snapshot(root)
        found = {
            path: len(_EQUALS.findall(_COMMENT.sub("", source.decode())))
            for path, source in self.before.items()
            if path.endswith(".java")
        }
        self.expected = {path: number for path, number in found.items() if number}

    def ours(self, agent: Ours) -> object:
        answer = agent.good("ast_grep", pattern=self.first)
        assert answer["matches"] == 0
        near = next(
            one for one in answer["near_misses"] if "equals" in one["text"] or "end of" in one["expected"]
        )
        said = json.dumps(near)
        if "block" not in said:
            told = agent.good("ast_explain", pattern=self.first, path=near["path"], line=near["line"])
            said = json.dumps(told)
        assert "block" in said, said
        found: dict[str, int] = {}
        asked: dict[str, Any] = {"pattern": self.first + " { $$$B }", "show": "files"}
        while asked:
            page = agent.good("ast_grep", **asked)
            found |= {one["path"]: one["count"] for one in page["results"]}
            asked = page["next"][0]["arguments"] if "cut" in page else {}
        return found

    def careful(self, agent: Peer) -> object:
        """Nothing, then a pattern in a class, then the kind and the name of the node."""
        agent.shell(f"ast-grep run -l java -p '{self.first}' --json=stream . | wc -l")
        agent.shell(f"ast-grep run -l java -p '{self.first} {{ $$$B }}' --debug-query=ast . | head -20")
        context = f"{{context: 'class A {{ {self.first} {{ $$$B }} }}', selector: method_declaration}}"
        rule = f"{{id: r, language: java, rule: {{pattern: {context}}}}}"
        counting = "--json=stream . | jq -r .file | sort | uniq -c"
        agent.shell(f'ast-grep scan --inline-rules "{rule}" {counting}'.replace("$", "\\$"))
        named = "kind: method_declaration, all: [{has: {field: name, regex: ^equals$}}"
        rule = f"{{id: r, language: java, rule: {{{named}]}}}}"
        heads = "jq -r '.text|split(\"{\")[0]' | sort | uniq -c"
        agent.shell(f"ast-grep scan --inline-rules '{rule}' --json=stream . | {heads}")
        more = "{has: {field: type, regex: ^boolean$}}, {has: {field: body, kind: block}}"
        public = "{has: {kind: modifiers, regex: public}}"
        rule = f"{{id: r, language: java, rule: {{{named}, {more}, {public}]}}}}"
        out = agent.shell(f"ast-grep scan --inline-rules '{rule}' {counting}")
        rows = [line.split(None, 1) for line in out.splitlines()]
        return {path.removeprefix("./"): int(number) for number, path in rows}

    def judge(self, root: Path, answer: object) -> Verdict:
        verdict = Verdict(notes=[f"{sum(self.expected.values())} methods in {len(self.expected)} files"])
        if answer != self.expected:
            verdict.wrong.append(f"found {answer}"[:300])
        verdict.wrong += [f"{path} was touched" for path in differing(self.before, snapshot(root))]
        return verdict


# --- 10 ---------------------------------------------------------------------------------------------

Place = tuple[str, int, int]
"""Path, line, column in characters from 1."""


class Pages(AgentTask):
    """List every call of the tree once, in pages; then a change of many files, and back."""

    number = 10
    title = "100,000 matches in pages; a big change taken back"
    trees = ("python/sympy",)
    folders: tuple[str, ...] = tuple(
        f"sympy/sympy/{name}" for name in ("core", "solvers", "functions", "matrices")
    )
    budget = 100_000
    kept = "# keep: not committed yet\n"
    changed = 0
    """Files that the change touched before it was taken back."""

    def plant(self, root: Path) -> None:
        if shutil.which("git"):
            quiet = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.c"]
            for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
                subprocess.run([*quiet, *words], check=True, capture_output=True)
        paths = sorted(path for folder in self.folders for path in (root / folder).rglob("*.py"))
        using = [path for path in paths if b"isinstance(" in path.read_bytes()]
        edited(root, using[0].relative_to(root).as_posix(), lambda text: text + self.kept)
        self.before = {path: one for path, one in snapshot(root).items() if not path.startswith(".git/")}
        self.expected: Counter[Place] = Counter()
        self.strings: dict[str, set[int]] = {}
        for path in paths:
            self._count(path.relative_to(root).as_posix())

    def _count(self, path: str) -> None:
        source = self.before[path]
        tree = parsed(source)
        if tree is None:
            return
        lines = source.split(b"\n")
        for call in calls(tree):
            column = len(lines[call.lineno - 1][: call.col_offset].decode()) + 1
            self.expected[path, call.lineno, column] += 1
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                span = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                self.strings.setdefault(path, set()).update(span)

    def ours(self, agent: Ours) -> object:
        found: Counter[Place] = Counter()
        asked: dict[str, Any] = {
            "pattern": "$F($$$A)",
            "paths": list(self.folders),
            "bindings": False,
            "text_limit": 20,
            "budget": self.budget,
        }
        while asked:
            page = agent.good("ast_grep", **asked)
            for one in page["results"]:
                found.update((one["path"], row["line"], row["column"]) for row in one["matches"])
            asked = page["next"][0]["arguments"] if "cut" in page else {}
        rule = {
            "pattern": "isinstance($A, $B)",
            "rewrite": "is_instance($A, $B)",
            "paths": list(self.folders),
        }
        staged = agent.good("ast_edit", **rule)
        agent.good("resolve", id=staged["id"], action="accept")
        self._was_changed(agent.root)
        agent.good("undo", id=staged["id"])
        return found

    def careful(self, agent: Peer) -> object:
        """The matches through a file, in pages by lines; a copy of the tree is kept to go back."""
        rule = "{id: r, language: python, rule: {kind: call}}"
        found = self._pages(agent, f"ast-grep scan --inline-rules '{rule}'")
        folders = " ".join(self.folders)
        agent.shell(f"mkdir .kept && cp -a --parents {folders} .kept/")
        self._change(agent)
        agent.shell("cp -a .kept/. . && rm -r .kept")
        return found

    def straight(self, agent: Peer) -> object:
        found = self._pages(agent, "ast-grep run -l python -p '$F($$$A)'")
        self._change(agent)
        agent.shell("git checkout -- .")
        return found

    def _pages(self, agent: Peer, search: str) -> Counter[Place]:
        picked = "jq -r '[.file,.range.start.line+1,.range.start.column+1]|@tsv'"
        run = f"{search} --json=stream {' '.join(self.folders)} | {picked}"
        total = int(agent.shell(f"{run} > .git/matches; wc -l < .git/matches"))
        found: Counter[Place] = Counter()
        for first in range(1, total + 1, 2_000):
            for row in agent.shell(f"sed -n {first},{first + 1_999}p .git/matches").splitlines():
                path, line, column = row.split("\t")
                found[path, int(line), int(column)] += 1
        agent.meanwhile(lambda: (agent.root / ".git/matches").unlink())
        return found

    def _change(self, agent: Peer) -> None:
        run = "ast-grep run -l python -p 'isinstance($A, $B)' -r 'is_instance($A, $B)' --update-all"
        agent.shell(f"{run} {' '.join(self.folders)}")
        self._was_changed(agent.root)

    def _was_changed(self, root: Path) -> None:
        self.changed = len(differing(self.before, self._now(root)))

    def _now(self, root: Path) -> dict[str, bytes]:
        return {path: one for path, one in snapshot(root).items() if not path.startswith(".git/")}

    def judge(self, root: Path, answer: object) -> Verdict:
        assert isinstance(answer, Counter)
        verdict = Verdict(notes=[f"{answer.total():,} matches; {self.changed} files changed and back"])
        gone = self.expected - answer
        more = [one for one in answer - self.expected if one[1] not in self.strings.get(one[0], ())]
        if gone or more:
            verdict.wrong.append(f"{gone.total():,} calls are missing, {len(more):,} places are no calls")
        if not self.changed:
            verdict.wrong.append("nothing was changed")
        after = self._now(root)
        verdict.wrong += [f"{path} is not what it was" for path in differing(self.before, after)]
        if not any(self.kept.encode() in source for source in after.values()):
            verdict.lost += len(self.kept)
        return verdict
