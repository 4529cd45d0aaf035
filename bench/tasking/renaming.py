"""Tasks 1 to 3: the same change in many places."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from bench.tasking.contest import AgentTask, Ours, Peer, Verdict
from bench.tasking.trees import (
    Snapshot,
    broken_javascript,
    comments,
    differing,
    dumped,
    missing,
    names_of_methods,
    parsed,
    renamed,
    snapshot,
)


def python_sources(files: Snapshot) -> dict[str, bytes]:
    return {path: source for path, source in files.items() if path.endswith(".py")}


# --- 1 ----------------------------------------------------------------------------------------------


class Rename(AgentTask):
    """``x.subs(…)`` becomes ``x.substitute(…)`` everywhere, but for two places."""

    number = 1
    title = "rename a method, two places left out"
    trees = ("python/sympy",)

    def plant(self, root: Path) -> None:
        self.before = snapshot(root)
        places = {
            path: found
            for path, source in python_sources(self.before).items()
            if (found := names_of_methods(source, "subs"))
        }
        self.expected = dict(self.before)
        self.kept = [self._alone(path, places) for path in self._two(sorted(places), places)]
        for path, found in places.items():
            kept = [at for name, _, at in self.kept if name == path]
            left = [at for at in found if at not in kept]
            self.expected[path] = renamed(self.before[path], left, "subs", "substitute")
        self.files, self.sites = len(places), sum(map(len, places.values())) - 2

    def _two(self, paths: list[str], places: dict[str, list[int]]) -> list[str]:
        """Two files in which a place stands alone on its line."""
        fit = [path for path in paths if self._alone(path, places)[1]]
        return [fit[len(fit) // 3], fit[2 * len(fit) // 3]]

    def _alone(self, path: str, places: dict[str, list[int]]) -> tuple[str, int, int]:
        """Path, line (0 if there is none) and offset of the first place that stands alone."""
        source = self.before[path]
        lines = [source.count(b"\n", 0, at) + 1 for at in places[path]]
        for line, at in zip(lines, places[path], strict=True):
            if source.split(b"\n")[line - 1].count(b"subs") == 1:
                return path, line, at
        return path, 0, 0

    def ours(self, agent: Ours) -> object:
        pattern = "$X.subs($$$A)"
        agent.good("ast_grep", pattern=pattern, show="count")
        staged = agent.good("ast_edit", pattern=pattern, rewrite="$X.substitute($$$A)")
        paths = [path for path, _, _ in self.kept]
        numbers: list[int] = []
        asked: dict[str, Any] = {"id": staged["id"], "what": "sites", "files": paths}
        while asked:
            page = agent.good("show", **asked)
            numbers += [
                one["site"]
                for one in page["sites"]
                if any((one["path"], one["line"]) == (path, line) for path, line, _ in self.kept)
            ]
            asked = page["next"][0]["arguments"] if "cut" in page else {}
        agent.good("drop", id=staged["id"], sites=numbers)
        agent.good("resolve", id=staged["id"], action="accept")
        return agent.good("ast_grep", pattern=pattern)["matches"]

    def careful(self, agent: Peer) -> object:
        rule = (
            "{id: r, language: python, rule: {kind: identifier, regex: ^subs$, inside: {kind: attribute, "
            "field: attribute, inside: {kind: call, field: function}}}, fix: substitute}"
        )
        agent.shell(f"ast-grep scan --inline-rules '{rule}' --json=stream . | wc -l")
        agent.shell(f"ast-grep scan --inline-rules '{rule}' --json=stream . | head -5")
        agent.shell(f"ast-grep scan --inline-rules '{rule}' --update-all .")
        return self._put_back(agent, f"ast-grep scan --inline-rules '{rule}' --json=stream . | wc -l")

    def straight(self, agent: Peer) -> object:
        run = "ast-grep run -l python -p '$X.subs($$$A)'"
        agent.shell(f"{run} --json=stream . | wc -l")
        agent.shell(f"{run} -r '$X.substitute($$$A)' --update-all .")
        return self._put_back(agent, f"{run} --json=stream . | wc -l")

    def _put_back(self, agent: Peer, counting: str) -> int:
        for path, line, _ in self.kept:
            agent.shell(f"sed -n {line}p {path}")
            agent.shell(f"sed -i '{line}s/substitute/subs/' {path}")
        return int(agent.shell(counting).strip() or 0)

    def judge(self, root: Path, answer: object) -> Verdict:
        after = snapshot(root)
        verdict = Verdict(notes=[f"{self.sites} sites in {self.files} files"])
        for path in differing(self.expected, after):
            if dumped(after.get(path, b"")) != dumped(self.expected.get(path, b"")):
                verdict.wrong.append(f"{path} is not what it should be")
                verdict.damaged += not dumped(after.get(path, b""))
            else:
                verdict.layout += 1
            gone = missing(comments(self.before[path]), after.get(path, b""))
            verdict.lost += sum(len(one.encode()) for one in gone)
        if answer != 2:
            verdict.wrong.append(f"{answer} calls are left, not 2")
        return verdict


# --- 2 ----------------------------------------------------------------------------------------------

GUARDS: tuple[tuple[str, str], ...] = (
    ("if (menu != null) menu.dispose();", "menu?.dispose();"),
    ("if (menu != null) {\n    menu.dispose();\n}", "menu?.dispose();"),
    ("if (null != menu) menu.dispose();", "if (null != menu) menu.dispose();"),
    ("if (this.a.b != null) this.a.b.dispose();", "this.a.b?.dispose();"),
    ("if (menu != null) { // @ why\n    menu.dispose();\n}", "// @ why\nmenu?.dispose();"),
    ("if (menu != null) {\n    // @ before\n    menu.dispose();\n}", "// @ before\nmenu?.dispose();"),
    ("if (menu != null) {\n    menu.dispose(); // @ after\n}", "menu?.dispose(); // @ after"),
    ("if (menu != null) menu.dispose(); // @ beside", "menu?.dispose(); // @ beside"),
    ("if (menu != null) /* @ within */ menu.dispose();", "/* @ within */ menu?.dispose();"),
    (
        "if (menu != null) menu.dispose(); else other();",
        "if (menu != null) menu.dispose(); else other();",
    ),
    ("if (menu != null) tool.dispose();", "if (menu != null) tool.dispose();"),
    ("// if (menu != null) menu.dispose();", "// if (menu != null) menu.dispose();"),
    ("log(`if (menu != null) menu.dispose();`);", "log(`if (menu != null) menu.dispose();`);"),
)
"""A statement and what it should become; ``@`` in a comment stands for a number, so that each is known."""


class Guards(AgentTask):
    """Guards become optional chaining, in all ways in which people write them."""

    number = 2
    title = "guards to optional chaining"
    trees = ("javascript/eslint",)
    files = 40
    """Files that get guards."""

    def plant(self, root: Path) -> None:
        self.planted: dict[str, tuple[str, str, list[str]]] = {}
        chosen = [path for path in sorted(root.rglob("*.js")) if "rules" in path.parts][: self.files]
        for place, path in enumerate(chosen or sorted(root.rglob("*.js"))[: self.files]):
            old, new, marks = [], [], []
            for number, (guard, wanted) in enumerate(GUARDS):
                mark = f"keep {place}-{number}:"
                old.append(guard.replace("@", mark))
                new.append(wanted.replace("@", mark))
                marks += [mark] if "@" in guard else []
            start = path.read_text()
            path.write_text(f"{start}\nfunction planted(menu, tool, other, log) {{\n{_block(old)}\n}}\n")
            name = path.relative_to(root).as_posix()
            self.planted[name] = (start, "\n".join(new), marks)
        self.before = snapshot(root)

    def ours(self, agent: Ours) -> object:
        rule = {"pattern": "if ($X != null) $X.dispose()"}
        agent.good("ast_grep", **rule)
        staged = agent.good("ast_edit", **rule, rewrite="$X?.dispose()")
        if staged["refused_total"]:
            agent.good("show", id=staged["id"], what="refused")
        agent.good("resolve", id=staged["id"], action="accept")
        return agent.good("ast_grep", **rule, show="count")["matches"]

    def careful(self, agent: Peer) -> object:
        """Two shapes by one rule without ``else`` and comments; what is left is looked at, and done by a
        script with regular expressions."""
        plain = "not: {any: [{has: {kind: else_clause}}, {has: {kind: comment, stopBy: end}}]}"
        shapes = ("if ($X != null) $X.dispose();", "if ($X != null) { $X.dispose(); }")
        patterns = ", ".join(f"{{pattern: '{shape}'}}" for shape in shapes)
        rule = f"{{id: r, language: js, rule: {{any: [{patterns}], {plain}}}, fix: $X?.dispose();}}"
        left = (
            "{id: r, language: js, rule: {kind: if_statement, not: {has: {kind: else_clause}}, all: [{has: "
            "{field: condition, has: {pattern: $X != null}}}, {has: {pattern: $X.dispose(), stopBy: end}}]}}"
        )
        texts = "--json=stream . | jq -r .text | sort | uniq -c"
        agent.shell(f'ast-grep scan --inline-rules "{_sh(rule)}" {texts}')
        agent.shell(f'ast-grep scan --inline-rules "{_sh(rule)}" --update-all .')
        agent.shell(f'ast-grep scan --inline-rules "{_sh(left)}" {texts}')
        agent.shell(f"ast-grep scan --inline-rules '{left}' --json=stream . | jq -r .file | sort -u > .left")
        agent.shell('xargs python3 -c "$(cat)" < .left; rm .left', _LEFT)
        return int(agent.shell(f"ast-grep scan --inline-rules '{left}' --json=stream . | wc -l"))

    def straight(self, agent: Peer) -> object:
        left = 0
        for pattern in ("if ($X != null) $X.dispose();", "if ($X != null) { $X.dispose(); }"):
            run = f"ast-grep run -l js -p '{pattern}'"
            agent.shell(f"{run} --json=stream . | wc -l")
            agent.shell(f"{run} -r '$X?.dispose();' --update-all .")
            left += int(agent.shell(f"{run} --json=stream . | wc -l"))
        return left

    def judge(self, root: Path, answer: object) -> Verdict:
        after = snapshot(root)
        sites = sum(old != new for old, new in GUARDS) * len(self.planted)
        verdict = Verdict(notes=[f"{sites} sites in {len(self.planted)} files"])
        touched = differing(self.before, after)
        verdict.wrong += [f"{path} was touched" for path in touched if path not in self.planted]
        for path, (start, wanted, marks) in self.planted.items():
            text = after[path].decode()
            if not text.startswith(start):
                verdict.wrong.append(f"{path}: code outside of the guards is not the same")
            found = text[len(start) :]
            verdict.lost += sum(len(mark) for mark in marks if mark not in found)
            body = found.split("{", 1)[-1].rsplit("}", 1)[0]
            if _plain(body) != _plain(wanted):
                verdict.wrong.append(f"{path}: the guards are not what they should be")
        verdict.damaged = len(broken_javascript(root, [path for path in touched if path in self.planted]))
        return verdict


def _block(statements: list[str]) -> str:
    return "\n".join("    " + line for one in statements for line in one.split("\n"))


def _sh(text: str) -> str:
    return text.replace("$", "\\$")


_LEFT = r"""
import re, sys
guard, call = r"^( *)if \(([\w.]+) != null\) ", r"\2\.dispose\(\);"
shapes = [
    (guard + r"{\s*(// .*)\n\s*" + call + r"\n\s*}", r"\1\3\n\1\2?.dispose();"),
    (guard + r"{\n\s*" + call + r"( // .*)\n\s*}", r"\1\2?.dispose();\3"),
    (guard + r"(/\*.*\*/) " + call, r"\1\3 \2?.dispose();"),
]
for path in sys.argv[1:]:
    text = open(path).read()
    for old, new in shapes:
        text = re.sub(old, new, text, flags=re.M)
    open(path, "w").write(text)
"""
"""The script of the careful agent for guards with comments."""


def _plain(text: str) -> list[str]:
    """Code without white space and comments with a number; those are looked for by their numbers."""
    kept = []
    for line in text.split("\n"):
        if "/* keep" in line:
            line = line[: line.index("/*")] + line[line.index("*/") + 2 :]
        if "// keep" in line:
            line = line[: line.index("// keep")]
        kept.append("".join(line.split()))
    return "".join(kept).split(";")


# --- 3 ----------------------------------------------------------------------------------------------

AWKWARD = """
def planted(args, kwargs, x, many):
    sympify()
    sympify(x,)
    sympify(*args, **kwargs)
    sympify(sympify(x), sympify(x, strict=True))
    sympify(
        x,  # keep: first
        strict=True,  # keep: last
    )
    sympify(
        x  # keep: alone
    )
    sympify(each for each in many)
    return sympify  (x), other.sympify(x), "sympify(x)"
"""
"""Calls of all forms, put at the end of one file."""


class AddParameter(AgentTask):
    """Every call ``sympify(…)`` gets a last argument ``origin=None``."""

    number = 3
    title = "a new argument in every call of a function"
    trees = ("python/sympy",)

    def plant(self, root: Path) -> None:
        path = sorted(root.rglob("*.py"))[0]
        path.write_text(path.read_text() + AWKWARD)
        self.before = snapshot(root)

    def ours(self, agent: Ours) -> object:
        rule = {"pattern": "sympify($$$A)"}
        agent.good("ast_grep", **rule, show="count")
        staged = agent.good("ast_edit", **rule, rewrite="sympify($$$A, origin=None)")
        agent.good("resolve", id=staged["id"], action="accept")
        for one in staged["refused"]:
            agent.need("edit")
            shown = agent.good("read", path=one["path"], first=one["line"], last=one["line"])
            text = shown["text"].split("\t", 1)[1]
            edits = [{"first": one["line"], "last": one["line"], "expected": text, "new": _by_hand(text)}]
            agent.good("edit", path=one["path"], digest=shown["digest"], edits=edits, commit=True)
        left = agent.good("ast_grep", **rule, where=["A!~/origin=None/"])
        return [text["text"] for one in left["results"] for text in one["matches"]]

    def careful(self, agent: Peer) -> object:
        """Rules for calls with and without arguments, again while there are calls inside of others; those
        with comments or a comma at the end, and what is left, by hand."""
        call = "kind: call, has: {field: function, regex: ^sympify$}"
        done = "{has: {field: arguments, has: {kind: keyword_argument, regex: ^origin=None$}}}"
        rule = "{{id: r, language: python, rule: {{all: [{{{}}}, {{{}not: {}}}]}}{}}}"
        unfit = f"{{any: [{done}, {{has: {{kind: comment, stopBy: end}}}}, {{regex: ',[ ]*[)]$'}}]}}"
        some = rule.format(call, "pattern: sympify($$$A), ", unfit, ", fix: 'sympify($$$A, origin=None)'")
        some = some.replace("'", '"')
        left = rule.format(call, "", done, "")
        empty = "{id: e, language: python, rule: {pattern: sympify()}, fix: sympify(origin=None)}"
        agent.shell(f"ast-grep scan --inline-rules '{left}' --json=stream . | wc -l")
        agent.shell(f"ast-grep scan --inline-rules '{empty}' --update-all .")
        for _ in range(5):
            agent.shell(f"ast-grep scan --inline-rules '{some}' --update-all .")
            if agent.shell(f"ast-grep scan --inline-rules '{some}' --json=stream . | wc -l").strip() == "0":
                break
        for line in agent.shell(f"ast-grep scan --inline-rules '{left}' --json=stream .").splitlines():
            found = json.loads(line)
            agent.replace(found["file"], found["text"], _by_hand(found["text"]))
        return []

    def straight(self, agent: Peer) -> object:
        run = "ast-grep run -l python -p 'sympify($$$A)'"
        agent.shell(f"{run} --json=stream . | wc -l")
        agent.shell(f"{run} -r 'sympify($$$A, origin=None)' --update-all .")
        return []

    def judge(self, root: Path, answer: object) -> Verdict:
        after = snapshot(root)
        verdict = Verdict()
        sites = files = 0
        for path, source in self.before.items():
            wanted, number = _with_argument(source) if path.endswith(".py") else (None, 0)
            sites, files = sites + number, files + bool(number)
            if not number:
                if after.get(path) != source:
                    verdict.wrong.append(f"{path} was touched")
                continue
            found = dumped(after[path])
            if not found:
                verdict.damaged += 1
            if found != wanted:
                verdict.wrong.append(f"{path}: not every call is what it should be")
            elif after[path].count(b"\n") != source.count(b"\n"):
                verdict.layout += 1
            gone = missing(comments(source), after[path])
            verdict.lost += sum(len(one.encode()) for one in gone)
        verdict.notes.append(f"{sites} sites in {files} files")
        if answer:
            verdict.wrong.append(f"{answer} were said to be left")
        return verdict


def _by_hand(text: str) -> str:
    """A call with a comment, a comma at the end, or a generator, as a person would write it."""
    if "#" in text:
        return re.sub(r"(\w),?(  # [^\n]*)(\n *)\)$", r"\1,\2\3    origin=None\3)", text)
    if re.search(r",\s*\)$", text):
        return re.sub(r",(\s*)\)$", r", origin=None,\1)", text)
    return re.sub(r"sympify\(([^()]* for [^()]*)\)", r"sympify((\1), origin=None)", text)


def _with_argument(source: bytes) -> tuple[str, int]:
    """The tree as it should be, as a text, and how many calls there are."""
    tree = parsed(source)
    if tree is None:
        return "", 0
    number = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sympify":
            node.keywords.append(ast.keyword("origin", ast.Constant(None)))
            number += 1
    return ast.dump(tree), number
