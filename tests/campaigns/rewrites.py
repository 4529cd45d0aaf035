"""Rewrites over real files: what must hold of every one of them, checked from outside.

    python -m tests.campaigns.rewrites ROOT [--lang go,rust] [--only TEXT] [--show 3] [--tools]

``rewrites.txt`` holds the rewrites, a language's under its name.  ROOT has a folder for
each language.  For every file that a rewrite changes:

- edits and then their inverse give the file back, and bytes outside of edits are the same;
- there are no more ERROR and MISSING nodes than before, and every comment is still there;
- a second run changes nothing, unless the rewrite is marked ``again``;
- with ``--tools``: what the language's own checker accepted before it accepts after.

Every pattern is also rewritten to itself, which must be no edit at all.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

from structural.errors import StructuralError
from structural.pattern import compile_pattern
from structural.rewrite.source import Run, rewrite_source
from structural.rewrite.template import compile_template
from structural.rewrite.values import Rewritten
from structural.search.source import search_source
from structural.syntax import registry
from structural.syntax.parse import parse
from structural.text.edits import apply, checked, inverse
from tests.campaigns import filter_from_the_start

LIST = Path(__file__).with_name("rewrites.txt")

_LARGEST = 400_000
"""Bytes of a file."""

TOOLS: dict[str, list[str]] = {
    "python": [sys.executable, "-m", "py_compile"],
    "javascript": ["node", "--check"],
    "c": ["gcc", "-fsyntax-only", "-w"],
    "php": ["php", "-l"],
    "ruby": ["ruby", "-c"],
    "bash": ["bash", "-n"],
    "go": ["gofmt", "-l"],
    "lua": ["luac", "-p"],
}


@dataclass(frozen=True)
class Rewrite:
    """One line of the list."""

    language: str
    pattern: str
    rewrite: str
    again: bool = False
    folder: str = ""


@dataclass
class Tally:
    files: int = 0
    sites: int = 0
    matches: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)


def read_list(text: str) -> Iterator[Rewrite]:
    """The rewrites of the list: ``# language [folder]``, then ``PATTERN  =>  REWRITE`` lines; ``⏎`` is a
    line break, a leading ``again:`` says that the pattern may match its own output."""
    language, folder = "", ""
    for line in text.splitlines():
        if line.startswith("# "):
            name, folder = (line[2:].split() * 2)[:2]
            language = registry.resolve(name)
        elif "=>" in line:
            again = line.startswith("again: ")
            pattern, rewrite = line.removeprefix("again: ").split("  =>", 1)
            yield Rewrite(
                language,
                pattern.replace("⏎", "\n"),
                rewrite.strip().replace("⏎", "\n"),
                again,
                folder,
            )


def sources(root: Path, language: str, folder: str) -> Iterator[tuple[Path, bytes]]:
    """The files of a language below its folder, in order."""
    kept = registry.get(language)
    for path in sorted((root / folder).rglob("*")):
        if path.suffix.lower() in kept.suffixes + kept.shared_suffixes and path.is_file():
            source = path.read_bytes()
            if len(source) <= _LARGEST:
                yield path, source


def rewritten(source: bytes, item: Rewrite, runs: list[Run]) -> Rewritten | None:
    """What the rewrite makes of *source*, None if it holds no match."""
    for run in runs:
        if search_source(source, item.language, {run.reading.language: run.reading}).matches:
            return rewrite_source(source, item.language, {run.reading.language: run})
    return None


def faults(made: Rewritten, item: Rewrite) -> Iterator[str]:
    """What does not hold of one file."""
    edits = checked(made.edits, len(made.source))
    after = apply(made.source, edits)
    if after != made.text:
        yield "the edits do not make the text"
    if apply(after, inverse(made.source, edits)) != made.source:
        yield "the inverse does not give the file back"
    if made.matches < sum(site.matches for site in made.sites) + len(made.refused):
        yield "more sites than matches"
    before, behind = parse(made.source, item.language), parse(after, item.language)
    if behind.errors > before.errors:
        yield f"{behind.errors - before.errors} new syntax errors"
    lost = Counter(b" ".join(made.source[a:b].split()) for a, b in before.comments)
    lost -= Counter(b" ".join(after[a:b].split()) for a, b in behind.comments)
    if lost:
        yield f"comments are lost: {list(lost)[:2]}"
    if made.again and not item.again:
        yield f"{made.again} matches after"


def run(item: Rewrite, root: Path, tally: Tally, *, tools: bool, show: int) -> None:
    """One rewrite over all files of its language."""
    try:
        pattern = compile_pattern(item.pattern, item.language)
        readings = list(pattern.readings)
        runs = [Run(r, compile_template(item.rewrite, pattern, r)) for r in readings]
        same = [Run(r, compile_template(item.pattern, pattern, r)) for r in readings]
    except StructuralError as problem:
        tally.faults.append(f"{item}: {problem.message}")
        return
    used: Run | None = None
    for path, source in sources(root, item.language, item.folder):
        if used is None:
            hits = [
                k
                for k, r in enumerate(runs)
                if search_source(source, item.language, {r.reading.language: r.reading}).matches
            ]
            if not hits:
                continue
            used, kept = runs[hits[0]], same[hits[0]]
        elif not search_source(source, item.language, {used.reading.language: used.reading}).matches:
            continue
        made = rewrite_source(source, item.language, {used.reading.language: used})
        tally.matches += made.matches
        tally.refused += len(made.refused)
        for refused in made.refused:
            tally.reasons[f"{item.language}: {item.pattern!r} → {item.rewrite!r}: {refused.reason}"] += 1
            text = source[refused.span.start : refused.span.end].decode("utf-8", "replace")
            tally.examples.setdefault(
                f"{item.language}: {item.pattern!r} → {item.rewrite!r}: {refused.reason}",
                f"{path}\n{text[:600]}",
            )
        identity = rewrite_source(source, item.language, {kept.reading.language: kept})
        if identity.sites or identity.refused:
            first = [*identity.sites, *identity.refused][0]
            tally.faults.append(
                f"{path}: {item.pattern!r} to itself is an edit: {first} "
                f"{source[first.span.start : first.span.end][:200]!r}"
            )
        if not made.sites:
            continue
        tally.files += 1
        tally.sites += len(made.sites)
        tally.faults += [
            f"{path}: {item.pattern!r} → {item.rewrite!r}: {fault}" for fault in faults(made, item)
        ]
        if tools and item.language in TOOLS and which(TOOLS[item.language][0]):
            if accepted(source, path, item.language) and not accepted(made.text, path, item.language):
                tally.faults.append(
                    f"{path}: {item.pattern!r} → {item.rewrite!r}: refused by its own checker"
                )
        if show > 0:
            show -= 1
            print(difference(made, path), flush=True)


def accepted(text: bytes, path: Path, language: str) -> bool:
    """Whether the language's own checker takes *text*."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path.name
        file.write_bytes(text)
        done = subprocess.run([*TOOLS[language], str(file)], capture_output=True, timeout=60, check=False)
        return done.returncode == 0


def difference(made: Rewritten, path: Path) -> str:
    from difflib import unified_diff

    before = made.source.decode("utf-8", "replace").splitlines(keepends=True)
    after = made.text.decode("utf-8", "replace").splitlines(keepends=True)
    return "".join(list(unified_diff(before, after, str(path), str(path), n=1))[:30])


def main() -> int:
    filter_from_the_start()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--lang", default="")
    parser.add_argument("--only", default="", help="only rewrites whose pattern holds this text")
    parser.add_argument("--show", type=int, default=0, help="differences shown of each rewrite")
    parser.add_argument("--tools", action="store_true")
    given = parser.parse_args()
    wanted = set(filter(None, given.lang.split(",")))
    whole = Tally()
    count = 0
    for item in read_list(LIST.read_text("utf-8")):
        if (wanted and not wanted & {item.language, item.folder}) or given.only not in item.pattern:
            continue
        began, tally = time.perf_counter(), Tally()
        run(item, given.root, tally, tools=given.tools, show=given.show)
        count += 1
        seconds = time.perf_counter() - began
        print(
            f"{item.language:11} {tally.sites:6} sites {tally.files:4} files {tally.refused:4} refused "
            f"{len(tally.faults):3} faults {seconds:5.1f} s  {item.pattern!r} → {item.rewrite!r}",
            flush=True,
        )
        for fault in tally.faults[:5]:
            print("    FAULT", fault)
        for reason, number in tally.reasons.most_common():
            print(f"    {number} refused: {reason.rsplit(': ', 1)[1]}: {tally.examples[reason]!r}"[:500])
        whole.files += tally.files
        whole.sites += tally.sites
        whole.refused += tally.refused
        whole.faults += tally.faults
    print(
        f"{count} rewrites, {whole.sites} sites in {whole.files} files, {whole.refused} refused, "
        f"{len(whole.faults)} faults"
    )
    return 1 if whole.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
