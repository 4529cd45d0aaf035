"""Tasks 4 and 7: texts and patches that do not fit as they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bench.tasking.contest import AgentTask, Ours, Peer, Verdict
from bench.tasking.trees import Snapshot, differing, edited, snapshot


def _sources(root: Path, ending: str) -> list[str]:
    found = (path.relative_to(root).as_posix() for path in root.rglob("*" + ending))
    return sorted(path for path in found if "_test." not in path)


class _Exact(AgentTask):
    """A task after which every byte of the tree is known."""

    kept: tuple[str, ...] = ()
    """Texts of others that have to be there at the end."""

    expected: Snapshot

    def judge(self, root: Path, answer: object) -> Verdict:
        after = snapshot(root)
        verdict = Verdict()
        verdict.wrong = [f"{path} is not what it should be" for path in differing(self.expected, after)]
        whole = b"\n".join(after.values()).decode(errors="replace")
        verdict.lost = sum(len(text.encode()) for text in self.kept if text not in whole)
        return verdict


# --- 4 ----------------------------------------------------------------------------------------------

_FUNCTION = """
func planted{name}() int {{
	// seconds
	base := 10
	factor := {factor}
	return base * factor
}}
"""

_KEPT = "4 // keep: raised last week"

_PATCH = (
    "--- a/{first}\n+++ b/{first}\n@@ -{line},6 +{line},6 @@\n func plantedTimeout() int {{\n \t// seconds\n"
    "-\tbase := 10\n+\tbase := 20\n \tfactor := {factor}\n \treturn base * factor\n }}\n"
    "--- a/{second}\n+++ b/{second}\n@@ -{other},3 +{other},3 @@\n func plantedTries() int {{\n"
    "-\treturn 1\n+\treturn 2\n }}\n"
)


class StalePatch(_Exact):
    """A patch of two files, one of which was changed since; a function like the changed one is near."""

    number = 4
    title = "a patch that no longer fits"
    trees = ("go/gin",)
    kept = (_KEPT,)

    def plant(self, root: Path) -> None:
        self.first, self.second = _sources(root, ".go")[:2]
        blocks = [_FUNCTION.format(name=n, factor=f) for n, f in (("Delay", "3"), ("Timeout", _KEPT))]
        edited(root, self.first, lambda text: text + "".join(blocks))
        edited(root, self.second, lambda text: text + "\nfunc plantedTries() int {\n\treturn 1\n}\n")
        self.before = snapshot(root)
        self.expected = dict(self.before)
        one = self.before[self.first].decode()
        head, tail = one.split("func plantedTimeout", 1)
        self.expected[self.first] = f"{head}func plantedTimeout{tail.replace('10', '20')}".encode()
        two = self.before[self.second].decode()
        self.expected[self.second] = two[: -len("1\n}\n")].encode() + b"2\n}\n"
        self.numbers: dict[str, Any] = {
            "first": self.first,
            "second": self.second,
            "line": head.count("\n") + 1,
            "other": two.count("\n", 0, two.index("func plantedTries")) + 1,
        }

    def _patch(self, factor: str) -> str:
        return _PATCH.format(**self.numbers, factor=factor)

    def ours(self, agent: Ours) -> object:
        agent.need("apply_patch")
        answer = agent.call("apply_patch", patch=self._patch("3"), commit=True)
        if answer["ok"]:
            raise AssertionError("the patch was applied though it does not fit")
        told = f"{answer['error']['message']}\n{answer['error']['hint']}"
        found = re.search(r"factor := (4[^\n'\"]*)", told)
        if found is None:
            line = self.numbers["line"]
            shown = agent.good("read", path=self.first, first=line, last=int(line) + 6)
            found = re.search(r"factor := (4.*)", shown["text"])
        assert found is not None
        agent.good("apply_patch", patch=self._patch(found[1]), commit=True)
        return None

    def careful(self, agent: Peer) -> object:
        said = agent.shell("git apply --check -", self._patch("3"))
        if "error" in said:
            line = int(self.numbers["line"])
            found = re.search(r"factor := (4.*)", agent.read(self.first, line, line + 6))
            assert found is not None
            agent.shell("git apply -", self._patch(found[1]))
        return None

    def straight(self, agent: Peer) -> object:
        agent.shell("patch -p1", self._patch("3"))
        return None


# --- 7 ----------------------------------------------------------------------------------------------

_TWICE = """
func plantedOne() int {
	limit := 30
	return limit
}

func plantedTwo() int {
	limit := 30
	return limit
}
"""


class NotUnique(_Exact):
    """One edit in each of three files; the text of the last stands there twice, and the second is meant."""

    number = 7
    title = "exact texts, one not unique"
    trees = ("go/cobra",)

    def plant(self, root: Path) -> None:
        self.paths = _sources(root, ".go")[:3]
        for path in self.paths[:2]:
            edited(
                root, path, lambda text: text + "\nfunc planted() int {\n\tlimit := 30\n\treturn limit\n}\n"
            )
        edited(root, self.paths[2], lambda text: text + _TWICE)
        self.before = snapshot(root)
        self.expected = dict(self.before)
        for path in self.paths:
            head, tail = self.before[path].rsplit(b"limit := 30", 1)
            self.expected[path] = head + b"limit := 60" + tail

    def ours(self, agent: Ours) -> object:
        agent.need("edit")
        edits = [{"path": path, "old": "limit := 30", "new": "limit := 60"} for path in self.paths]
        refused = agent.call("edit", edits=edits, commit=True)
        if refused["ok"]:
            raise AssertionError("a text that stands twice was replaced")
        told = re.search(r"in lines? ([\d, ]+)", refused["error"]["message"])
        assert told is not None, refused
        lines = [int(one) for one in re.findall(r"\d+", told[1])]
        near = agent.good("read", path=self.paths[2], first=max(1, lines[0] - 1), last=lines[-1])
        rows = dict(row.split("\t", 1) for row in near["text"].split("\n"))
        line = next(one for one in lines if "plantedTwo" in rows.get(str(one - 1), ""))
        edits[2] = {"path": self.paths[2], "old": "plantedTwo() int {\n\tlimit := 30", "new": ""}
        edits[2]["new"] = edits[2]["old"].replace("30", "60")
        assert rows[str(line)] == "\tlimit := 30"
        agent.good("edit", edits=edits, commit=True)
        return None

    def careful(self, agent: Peer) -> object:
        """Look first how often each text stands there."""
        agent.run("grep", "-n", "-F", "limit := 30", *self.paths)
        for path in self.paths[:2]:
            agent.replace(path, "limit := 30", "limit := 60")
        agent.run("grep", "-n", "-B1", "-F", "limit := 30", self.paths[2])
        old = "plantedTwo() int {\n\tlimit := 30"
        agent.replace(self.paths[2], old, old.replace("30", "60"))
        return None

    def straight(self, agent: Peer) -> object:
        for path in self.paths:
            agent.replace(path, "limit := 30", "limit := 60")
        return None
