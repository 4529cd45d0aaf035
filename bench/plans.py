"""From cases, tools and trees to jobs: the commands that are run, and what has to be there before them.

One function a case, found by its name in ``PLANNERS``.  Nothing is run here but what a job asks for itself
before it is measured: a copy of the tree, its index, a file that changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.cases import (
    ACCEPT,
    AST_GREP,
    ASTGREP,
    FRESH,
    GENERATED,
    INDEXED,
    PLAIN,
    SEMGREP,
    STAGE,
    Case,
)
from bench.generated import FILES, REWRITTEN
from bench.measure import Sample
from bench.patterns import LINE, LONG_LINE, LONG_LINE_PEER_JSON, PATTERNS, TINY
from bench.tools import Astgrep, Place, Tool, environment
from bench.trees import Tree, everything
from structural.syntax.registry import language_of_path

RULES = Path(__file__).resolve().parent / "rules"
BETWEEN = "\n---\n"

ROUNDS_OF = {SEMGREP: 2}
"""Fewer rounds for a tool that takes ten to a hundred times as long as the others."""

Answer = dict[str, set[Place]]
"""What was asked for (a rule; nothing for a search) → where it was found."""


@dataclass
class Job:
    """One case for one side: the command, what comes before it, its figures, its answer."""

    tree: str
    case: str
    name: str
    """The pattern, or what else there is of a case."""
    side: str
    """The tool, and in which state it was."""
    tool: Tool
    command: list[str]
    rounds: int
    asking: list[str] = field(default_factory=list)
    """The command whose output is read for the answer; empty if none is.  Memory is that of this one."""
    rules: frozenset[str] | None = None
    """The ids of the rules that are asked for; None for a search."""
    environment: dict[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    ready: Callable[[], None] | None = None
    """Called once before anything of the job is run."""
    before: Callable[[], None] | None = None
    """Called before every run, and not timed."""
    moved: tuple[Path, Path] | None = None
    """The files are a copy: where it is, and where the files are that it is a copy of."""
    note: str = ""
    samples: list[Sample] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    """Load average of the machine before each sample."""
    tree_mib: float = 0.0
    output_bytes: int = 0
    matches: int = -1
    """-1: not asked."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.tree, self.case, self.name

    def answer(self, output: Path) -> Answer:
        """What was found, by *output*."""
        found: Answer = {}
        if self.rules is not None:
            for rule, place in self.tool.findings(output):
                found.setdefault(rule, set()).add(self._home(place))
        else:
            found[""] = {self._home(place) for place in self.tool.places(output)}
        return found

    def _home(self, place: Place) -> Place:
        if self.moved is None:
            return place
        path = Path(place[0]).relative_to(self.moved[0])
        return str(self.moved[1] / path), place[1], place[2]


@dataclass(frozen=True)
class Plan:
    """What a run is made of."""

    tools: Mapping[str, Tool]
    work: Path
    processors: int
    rounds: int
    patterns: int = 10
    """So many of the ten patterns."""
    rules: int = 50
    files: int = FILES
    """Of a tree that is rewritten."""

    def times(self, case: Case, side: str) -> int:
        return min(self.rounds * case.more, case.most, ROUNDS_OF.get(side, 1_000))

    def cold(self) -> dict[str, str]:
        """A cache folder in which no index is."""
        return {"XDG_CACHE_HOME": str(self.work / "cache" / "cold")}


def jobs(plan: Plan, cases: Sequence[Case], trees: Sequence[Tree], left_out: list[str]) -> list[Job]:
    """Every case for every tree and tool, the tools of one case side by side.

    What could not be asked of a tree goes to *left_out*, in words.
    """
    made: list[Job] = []
    indexes = {tree.name: Indexed(plan, tree) for tree in trees}
    for case in cases:
        planner = PLANNERS[case.name]
        for tree in trees if case.tree else (Tree(GENERATED, plan.work, ""),):
            found = list(planner(plan, case, tree, indexes.get(tree.name)))
            if not found:
                left_out.append(f"{case.name} over {tree.name}: nothing is known to ask in {tree.language}")
            made += found
    return made


# --- searches -----------------------------------------------------------------------------


def _asked(plan: Plan, case: Case, tree: Tree, patterns: Iterable[str]) -> Iterator[Job]:
    for pattern in patterns:
        for side in case.tools:
            if side in plan.tools:
                yield _search(plan, case, tree, pattern, side, plan.tools[side], tree.path)


def _search(plan: Plan, case: Case, tree: Tree, pattern: str, side: str, tool: Tool, at: Path) -> Job:
    command, asking = (
        tool.search(tool.spelled(pattern), tree.language, [str(at)], plan.processors, answers=answers)
        for answers in (False, True)
    )
    rounds = plan.times(case, side)
    return Job(tree.name, case.name, pattern, side, tool, command, rounds, asking, environment=plan.cold())


def _patterns_of(which: str) -> Planner:
    def planned(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
        known = PATTERNS.get(tree.language)
        yield from _asked(plan, case, tree, getattr(known, which) if known else ())

    return planned


def _version(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    for side, tool in plan.tools.items():
        yield Job(
            tree.name, case.name, "--version", side, tool, tool.version_command(), plan.times(case, side)
        )


def _tiny(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    language, pattern, text = TINY
    folder = plan.work / "tiny"
    folder.mkdir(exist_ok=True)
    (folder / "tiny.py").write_text(text)
    yield from _asked(plan, case, Tree(tree.name, folder / "tiny.py", language), [pattern])


def _line(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    """Many matches on one line: is the cost linear, and is the answer?"""
    language, pattern, text = LINE
    sizes = [("text", size, case.tools) for size in LONG_LINE]
    sizes += [("JSON", size, (ASTGREP,)) for size in LONG_LINE]
    sizes += [("JSON", size, case.tools) for size in LONG_LINE_PEER_JSON]
    for form, size, sides in sizes:
        path = plan.work / f"line{size}.js"
        path.write_text(text * size + "\n")
        for side in sides:
            if side in plan.tools:
                job = _search(
                    plan, case, Tree(tree.name, path, language), pattern, side, plan.tools[side], path
                )
                command = job.asking if form == "JSON" else job.command
                yield replace(job, name=f"{size} matches, {form}", command=command, asking=[])


# --- with an index ------------------------------------------------------------------------


class Indexed:
    """A copy of a tree, with an index in a cache folder of its own.

    It is a copy since a file in it changes; it is made when the first job asks for it.
    """

    def __init__(self, plan: Plan, tree: Tree) -> None:
        place = tree.name.replace("/", "-")
        self.plan = plan
        self.tree = tree
        self.root = plan.work / "copy" / place
        self.cache = plan.work / "cache" / place
        self.environment = {"XDG_CACHE_HOME": str(self.cache)}
        self.moved = (self.root, tree.path)
        self._file: Path | None = None

    def copied(self) -> None:
        if not self.root.exists():
            shutil.copytree(self.tree.path, self.root, symlinks=True)

    def built(self) -> None:
        """Make copy and index, if they are not there."""
        from bench.measure import timed
        from bench.suite import LIMIT
        from bench.tools import environment

        self.copied()
        if not self.cache.exists():
            command = self.build()
            made = timed(command, None, {**environment(), **self.environment}, LIMIT)
            if made.exit_code:
                raise RuntimeError(
                    f"the index was not built: {' '.join(command)} ended with {made.exit_code}"
                )

    def build(self) -> list[str]:
        tool = self.plan.tools[ASTGREP]
        assert isinstance(tool, Astgrep)
        return tool.index("build", str(self.root), self.plan.processors)

    def dropped(self) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)

    def changed(self) -> None:
        """Change one file of the tree: of the language, and of middle size."""
        if self._file is None:
            own = [path for path in everything(self.root) if language_of_path(path) == self.tree.language]
            own.sort(key=lambda path: (Path(path).stat().st_size, path))
            self._file = Path(own[len(own) // 2])
        with self._file.open("ab") as opened:
            opened.write(b"\n")


def _on_copy(plan: Plan, case: Case, pattern: str, side: str, indexed: Indexed) -> Job:
    job = _search(plan, case, indexed.tree, pattern, side, plan.tools[ASTGREP], indexed.root)
    return replace(job, environment=indexed.environment, ready=indexed.built, moved=indexed.moved)


def _ten(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    known = PATTERNS.get(tree.language)
    assert indexed is not None
    for pattern in known.ten[: plan.patterns] if known else ():
        if ASTGREP in plan.tools:
            yield _on_copy(plan, case, pattern, INDEXED, indexed)
        yield from _asked(plan, case, tree, [pattern])


def _build(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    known = PATTERNS.get(tree.language)
    assert indexed is not None
    if known and ASTGREP in plan.tools:
        tool = plan.tools[ASTGREP]
        pattern = known.selective[0]
        job = Job(tree.name, case.name, pattern, ASTGREP, tool, indexed.build(), plan.times(case, ASTGREP))
        yield replace(
            job,
            environment=indexed.environment,
            ready=indexed.copied,
            before=indexed.dropped,
            note="building the index",
        )
        if AST_GREP in plan.tools:
            yield replace(
                _search(plan, case, tree, pattern, AST_GREP, plan.tools[AST_GREP], tree.path), note="a search"
            )


def _refresh(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    known = PATTERNS.get(tree.language)
    assert indexed is not None
    if known and ASTGREP in plan.tools:
        pattern = known.selective[0]
        yield replace(_on_copy(plan, case, pattern, FRESH, indexed), before=indexed.changed)
        yield _on_copy(plan, case, pattern, INDEXED, indexed)
        if AST_GREP in plan.tools:
            yield _search(plan, case, tree, pattern, AST_GREP, plan.tools[AST_GREP], tree.path)


# --- rules --------------------------------------------------------------------------------


def chosen_rules(language: str, number: int) -> list[str]:
    """The first *number* rules for *language*, each the text of one document; none where there are none."""
    path = RULES / f"{language}.yml"
    return path.read_text("utf-8").strip().split(BETWEEN)[:number] if path.exists() else []


def _rules(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    """Every form of the report for every tool; the rules are written for each as it reads them."""
    rules = chosen_rules(tree.language, plan.rules)
    for form in ("text", "JSON") if rules else ():
        for side in case.tools:
            if side not in plan.tools or (side == SEMGREP and form == "text"):
                continue
            tool = plan.tools[side]
            folder = plan.work / "rules" / tree.language / side
            written = tool.write_rules(rules, folder)
            asks = form == "JSON"
            command = tool.scan(folder, str(tree.path), plan.processors, answers=asks)
            job = Job(tree.name, case.name, form, side, tool, command, plan.times(case, side))
            note = f"{len(written)} of {len(rules)} rules" if len(written) < len(rules) else ""
            yield replace(
                job, asking=command if asks else [], rules=written, environment=plan.cold(), note=note
            )


# --- staging and committing ---------------------------------------------------------------


def _staging(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    """What it costs to stage a rewrite, beside the search for the same pattern over the same files.

    The store is removed before every run.
    """
    tool = plan.tools.get(ASTGREP)
    if tool is None:
        return
    assert isinstance(tool, Astgrep)
    for number, made in enumerate(REWRITTEN):
        folder = plan.work / "staging" / str(number)

        def ready(folder: Path = folder, number: int = number) -> None:
            if not folder.exists():
                REWRITTEN[number].write(folder, plan.files)

        def before(folder: Path = folder) -> None:
            shutil.rmtree(folder / ".structural", ignore_errors=True)

        for processors in sorted({1, plan.processors}):
            name = f"{made.name}, {processors} process{'es' if processors > 1 else ''}"
            search = tool.search(made.pattern, made.language, ["."], processors, answers=False)
            stage = tool.stage(made.pattern, made.rewrite, processors)
            for side, command in ((ASTGREP, search), (STAGE, stage)):
                job = Job(tree.name, case.name, name, side, tool, command, plan.times(case, side))
                yield replace(job, environment=plan.cold(), cwd=folder, ready=ready, before=before)


def _accepting(plan: Plan, case: Case, tree: Tree, indexed: Indexed | None) -> Iterator[Job]:
    """What it costs to commit a rewrite, beside writing and syncing the same bytes plainly.

    Before every commit the files are made and the rewrite is staged anew.
    """
    tool = plan.tools.get(ASTGREP)
    if tool is None:
        return
    assert isinstance(tool, Astgrep)
    plainly = [sys.executable, str(Path(__file__).with_name("plainly.py"))]
    for number, made in enumerate(REWRITTEN):
        folder = plan.work / "accept" / str(number)
        stage = tool.stage(made.pattern, made.rewrite, plan.processors)

        def before(folder: Path = folder, number: int = number, stage: list[str] = stage) -> None:
            shutil.rmtree(folder, ignore_errors=True)
            REWRITTEN[number].write(folder, plan.files)
            subprocess.run(
                stage,
                cwd=folder,
                env={**environment(), **plan.cold()},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
            os.sync()  # what was written here is not waited for by the command

        for side, command in ((ACCEPT, tool.accept()), (PLAIN, plainly)):
            job = Job(tree.name, case.name, made.name, side, tool, command, plan.times(case, side))
            yield replace(job, environment=plan.cold(), cwd=folder, before=before)


Planner = Callable[[Plan, Case, Tree, "Indexed | None"], Iterator[Job]]

PLANNERS: dict[str, Planner] = {
    "version": _version,
    "tiny": _tiny,
    "selective": _patterns_of("selective"),
    "common": _patterns_of("common"),
    "dense": _patterns_of("dense"),
    "rules": _rules,
    "build": _build,
    "ten": _ten,
    "refresh": _refresh,
    "staging": _staging,
    "accept": _accepting,
    "line": _line,
}

KEPT = ("tree", "case", "name", "rounds", "note", "tree_mib", "output_bytes", "matches", "loads")


def public(job: Job, trees: Sequence[Tree], work: Path) -> dict[str, Any]:
    """What is kept of *job*: figures, and commands without the paths of this machine."""
    swaps = [(str(work), "WORK")]
    swaps += [(str(tree.path), tree.name) for tree in sorted(trees, key=lambda one: -len(str(one.path)))]
    swaps.append((f"{Path(__file__).resolve().parent.parent}{os.sep}", ""))
    programs = {job.tool.program[0], job.command[0]}

    def clean(command: list[str]) -> list[str]:
        said = [Path(part).name if part in programs else part for part in command]
        for old, new in swaps:
            said = [part.replace(old, new) for part in said]
        return said

    samples = [
        {
            "wall": one.wall,
            "user": one.user,
            "system": one.system,
            "peak_mib": one.peak_mib,
            "exit_code": one.exit_code,
            "cut": one.cut,
        }
        for one in job.samples
    ]
    kept = {name: getattr(job, name) for name in KEPT}
    asking = [] if job.asking == job.command else clean(job.asking)
    return {**kept, "tool": job.side, "command": clean(job.command), "asking": asking, "samples": samples}
