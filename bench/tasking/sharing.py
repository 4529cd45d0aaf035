"""Tasks 5, 6 and 8: others change the same files at the same time."""

from __future__ import annotations

import re
from pathlib import Path

from bench.tasking.contest import AgentTask, Ours, Peer, Verdict
from bench.tasking.trees import differing, dumped, edited, names_of_functions, renamed, snapshot

_JAVA = re.compile(
    rb"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(Validate\.notNull)(?=\s*\()""", re.DOTALL
)


# --- 5 ----------------------------------------------------------------------------------------------

_LINE = "\n    // keep: the other agent was here\n"


class TwoAgents(AgentTask):
    """One agent renames ``Validate.notNull`` everywhere, another edits one of the files meanwhile."""

    number = 5
    title = "two agents in one file"
    trees = ("java/commons-lang3",)

    def plant(self, root: Path) -> None:
        self.before = snapshot(root)
        self.expected = {path: self._changed(source) for path, source in self.before.items()}
        self.shared = differing(self.before, self.expected)[0]
        source = self.before[self.shared].decode()
        self.anchor = next(line for line in source.split("\n") if re.match(r"public .*\bclass ", line))
        at = self.anchor.encode()
        self.expected[self.shared] = self.expected[self.shared].replace(at, at + _LINE.encode(), 1)

    def _changed(self, source: bytes) -> bytes:
        return _JAVA.sub(lambda found: b"Validate.nonNull" if found[1] else found[0], source)

    def ours(self, agent: Ours) -> object:
        other = agent.other()
        agent.need("edit")
        rename = agent.good(
            "ast_edit", pattern="Validate.notNull($$$A)", rewrite="Validate.nonNull($$$A)", languages=["java"]
        )
        read = other.good("read", path=self.shared, budget=4_000)
        insert = {"old": self.anchor, "new": self.anchor + _LINE}
        mine = other.good("edit", path=self.shared, digest=read["digest"], edits=[insert])
        agent.good("resolve", id=rename["id"], action="accept")
        other.fails("resolve", "stale", id=mine["id"], action="accept")
        other.good("rebase", id=mine["id"])
        other.good("resolve", id=mine["id"], action="accept")
        return None

    def _rename(self, agent: Peer) -> None:
        run = "ast-grep run -l java -p 'Validate.notNull($$$A)'"
        agent.shell(f"{run} --json=stream . | wc -l")
        agent.shell(f"{run} -r 'Validate.nonNull($$$A)' --update-all .")

    def careful(self, agent: Peer) -> object:
        """The other agent replaces a text, which reads the file again at that moment."""
        other = agent.other()
        other.read(self.shared, 1, 80)
        self._rename(agent)
        other.replace(self.shared, self.anchor, self.anchor + _LINE)
        return None

    def straight(self, agent: Peer) -> object:
        """The other agent writes the whole file, as it read it and changed it."""
        other = agent.other()
        text = other.read(self.shared)
        self._rename(agent)
        other.write(self.shared, text.replace(self.anchor, self.anchor + _LINE, 1))
        return None

    def judge(self, root: Path, answer: object) -> Verdict:
        after = snapshot(root)
        verdict = Verdict()
        for path in differing(self.expected, after):
            if b"".join(after[path].split()) == b"".join(self.expected[path].split()):
                verdict.layout += 1
            else:
                verdict.wrong.append(f"{path} is not what it should be")
        names = [b"Validate.nonNull", _LINE.encode()]
        for name in names:
            wanted = sum(source.count(name) for source in self.expected.values())
            verdict.lost += len(name) * max(0, wanted - sum(source.count(name) for source in after.values()))
        return verdict


# --- 6 ----------------------------------------------------------------------------------------------

_BADLY = """
def planted( text ):
    return force_str( text,strings_only = True ) # keep: badly formatted
"""


def formatted(text: str) -> str:
    """What a formatter makes of a file."""
    text = re.sub(r"\( (?=\S)", "(", text)
    text = re.sub(r"(?<=\S) \)", ")", text)
    text = re.sub(r",(?=[a-z])", ", ", text).replace("strings_only = True", "strings_only=True")
    return "# keep: formatted\n" + text.replace(") #", ")  #")


class Formatter(AgentTask):
    """A formatter runs over half of the files after the change was staged or looked at."""

    number = 6
    title = "a formatter runs before the change is accepted"
    trees = ("python/django",)

    def plant(self, root: Path) -> None:
        for place in sorted(root.rglob("*.py")):
            if names_of_functions(place.read_bytes(), "force_str"):
                place.write_bytes(place.read_bytes() + _BADLY.encode())
                break
        self.before = snapshot(root)
        self.using = [
            path
            for path, source in self.before.items()
            if path.endswith(".py") and names_of_functions(source, "force_str")
        ]
        self.expected = dict(self.before)
        for number, path in enumerate(self.using):
            source = self.before[path]
            if not number % 2:
                source = formatted(source.decode()).encode()
            self.expected[path] = renamed(
                source, names_of_functions(source, "force_str"), "force_str", "to_text"
            )

    def _format(self, root: Path) -> None:
        for path in self.using[::2]:
            edited(root, path, formatted)

    def ours(self, agent: Ours) -> object:
        staged = agent.good("ast_edit", pattern="force_str($$$A)", rewrite="to_text($$$A)")
        agent.meanwhile(lambda: self._format(agent.root))
        agent.fails("resolve", "stale", id=staged["id"], action="accept")
        agent.good("rebase", id=staged["id"])
        agent.good("resolve", id=staged["id"], action="accept")
        return None

    def careful(self, agent: Peer) -> object:
        """Written is what is found then; nobody is told that it is not what was looked at."""
        run = "ast-grep run -l python -p 'force_str($$$A)' -r 'to_text($$$A)'"
        agent.shell(f"{run} .")
        agent.meanwhile(lambda: self._format(agent.root))
        agent.shell(f"{run} --update-all .")
        return None

    def judge(self, root: Path, answer: object) -> Verdict:
        after = snapshot(root)
        verdict = Verdict(notes=[f"{len(self.using)} files"])
        for path in differing(self.expected, after):
            if dumped(after.get(path, b"")) == dumped(self.expected.get(path, b"")):
                verdict.layout += 1
            else:
                verdict.wrong.append(f"{path} is not what it should be")
        for path, source in self.expected.items():
            lines = [line for line in source.split(b"\n") if b"# keep:" in line]
            verdict.lost += sum(len(line) for line in lines if line[line.index(b"#") :] not in after[path])
        return verdict


# --- 8 ----------------------------------------------------------------------------------------------

_THEIRS = "// keep: a line of somebody else\n"


class Outlined(AgentTask):
    """Find a definition, read it, edit it; the lines before it change in between."""

    number = 8
    title = "find, read and edit a function that moves meanwhile"
    trees = ("java/commons-lang3",)
    file = "commons-lang3/src/main/java/org/apache/commons/lang3/StringUtils.java"
    name = "abbreviateMiddle"
    old = "final int targetSting = length-middle.length();"
    new = "final int targetSting = length - middle.length();"

    def plant(self, root: Path) -> None:
        self.before = snapshot(root)
        self.expected = dict(self.before)
        wanted = self._theirs(self.before[self.file].decode())
        self.expected[self.file] = wanted.replace(self.old, self.new, 1).encode()

    def _theirs(self, text: str) -> str:
        first, rest = text.split("\n", 1)
        return f"{first}\n{_THEIRS * 3}{rest}"

    def ours(self, agent: Ours) -> object:
        agent.need("edit")
        moved = False
        while True:
            found = agent.good("outline", paths=["."], match=f"^{self.name}$", sorts=["method"])
            path, line = found["results"][0]["path"], found["results"][0]["definitions"][0].strip()
            first, last = re.findall(r"\d+", line)[:2]
            shown = agent.good("read", path=path, first=int(first), last=int(last))
            assert self.old in shown["text"]
            if not moved:
                agent.meanwhile(lambda: edited(agent.root, self.file, self._theirs))
            edit = {"path": path, "digest": shown["digest"], "edits": [{"old": self.old, "new": self.new}]}
            if moved:
                agent.good("edit", **edit, commit=True)
                return None
            agent.fails("edit", "stale", **edit, commit=True)
            moved = True

    def _look(self, agent: Peer) -> int:
        found = agent.shell(f"grep -rn --include=*.java ' {self.name}(' . | grep static")
        line = int(found.split(":")[1])
        shown = agent.read(self.file, line, line + 13)
        agent.meanwhile(lambda: edited(agent.root, self.file, self._theirs))
        return line + shown.split("\n").index(next(one for one in shown.split("\n") if self.old in one))

    def careful(self, agent: Peer) -> object:
        """A text is replaced wherever it stands by then."""
        self._look(agent)
        agent.replace(self.file, self.old, self.new)
        return None

    def straight(self, agent: Peer) -> object:
        """The line is written by its number."""
        line = self._look(agent)
        agent.run("sed", "-i", f"{line}c\\        {self.new}", self.file)
        return None

    def judge(self, root: Path, answer: object) -> Verdict:
        after = snapshot(root)
        verdict = Verdict()
        verdict.wrong = [f"{path} is not what it should be" for path in differing(self.expected, after)]
        wanted = self.expected[self.file].decode().replace(self.new, self.old).split("\n")
        found = after[self.file].decode().replace(self.new, self.old).split("\n")
        left = {line: found.count(line) for line in wanted}
        for line in wanted:
            if left[line] <= 0:
                verdict.lost += len(line.encode())
            left[line] -= 1
        return verdict
