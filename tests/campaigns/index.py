"""Random changes of a tree with an index: after each, a search with it answers as one without.

    python -m tests.campaigns.index --rounds 2000 [--seed N] [--folder DIR]

A round changes files (edits, new ones, deletions, moves of files and folders, touches, other contents
of the same size with the times set back, ignore rules), and at times the index itself (a bit of a file
flipped, a file cut short or removed, no room on the disk, another process that is killed while it
writes).  Then a random pattern is searched with the index as a new process would have it, and without;
the index is brought up to date as after every search, and every so often several processes search and
write at the same time.

Exits with 1 at the first difference, and leaves the tree there to be looked at.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from structural.errors import StructuralError
from structural.search import recall
from structural.search.index import folder as folders
from structural.search.index.build import build, verify
from structural.search.index.indexed import open_index
from structural.search.scan import search_paths
from structural.search.values import PatternSpec, Searched, Selection
from tests.campaigns import filter_from_the_start

REPOSITORY = Path(__file__).resolve().parent.parent.parent

PATTERNS = (
    "$A == $A",
    "$F($X, $X)",
    "$F($X)",
    "return $X",
    "import $X",
    "self.$X",
    "if $X is None: $$$B",
    "no_such_name($X)",
    "len($X)",
    "$X.append($Y)",
    "raise $E($$$)",
    '"$T"',
    "x = $V",
    "f($A, $$$)",
    "console.log($X)",
    "# $$$",
)
LANGUAGES: tuple[tuple[str, ...], ...] = (
    *[("python",)] * 8,
    *[("javascript",)] * 3,
    *[("python", "html", "markdown")] * 2,
    (),
)

LINES = (
    b"x = y == y\n",
    b"f(a, a)\n",
    b"if x is None: return y\n",
    b"def (:\n",
    b"# a comment\n",
    b"x = 'a == a'\n",
    b"\xff\xfe\x00",
    b"console.log(x, x)\n",
    b"```python\nf(1)\n```\n",
    b"f(\n  b, # c\n  b)\n",
    b"'''\n",
)


class DifferenceError(Exception):
    """A search with the index answered otherwise."""


def main(arguments: Sequence[str] | None = None) -> int:
    filter_from_the_start()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=None, help="where to work; tells the file system")
    options = parser.parse_args(arguments)
    top = Path(tempfile.mkdtemp(prefix="index-", dir=options.folder)).resolve()
    os.environ["XDG_CACHE_HOME"] = str(top / "cache")
    os.environ["HOME"] = str(top / "home")
    (top / "home").mkdir()
    done: Counter[str] = Counter()
    try:
        rounds(top, options.rounds, random.Random(options.seed), done)
    except DifferenceError as problem:
        print(f"{problem}\nthe tree is at {top}; {dict(done)}")
        return 1
    shutil.rmtree(top)
    print(f"no difference in {options.rounds} rounds; {dict(sorted(done.items()))}")
    return 0


def rounds(top: Path, number: int, rng: random.Random, done: Counter[str]) -> None:
    root = plant(top / "tree", rng)
    os.chdir(root)
    build(str(root), jobs=1)
    began = time.monotonic()
    for at in range(number):
        names = [act(root, rng) for _ in range(rng.choice((0, 1, 1, 1, 2, 4)))]
        if rng.random() < 0.1:
            time.sleep(0.15)  # what was written is settled then
        if rng.random() < 0.12:
            names.append(harm(top, rng))
        if rng.random() < 0.04:
            names.append(side_by_side(root, rng))
        done.update(names)
        compare(root, rng, f"round {at} ({', '.join(names)})", done)
        if rng.random() < 0.01:
            with contextlib.suppress(StructuralError):
                build(str(root), jobs=rng.choice((1, 2)))
                done["built"] += 1
        if at % 100 == 99:
            told, problems = verify(str(root))
            wrong = [problem for problem in problems if "columns" in problem or "otherwise" in problem]
            if wrong:
                raise DifferenceError(f"round {at}: {wrong}")
            stale = "no index" if told is None else f"{told.files} files, {told.stale} stale"
            print(f"round {at + 1}: {time.monotonic() - began:.0f} s, {stale}", flush=True)


def plant(root: Path, rng: random.Random) -> Path:
    """A tree of files as they are here."""
    root.mkdir()
    found = sorted((REPOSITORY / "structural").rglob("*.py")) + sorted((REPOSITORY / "tests").glob("*.py"))
    for number, path in enumerate(rng.sample(found, 40)):
        to = root / f"d{number % 5}" / f"{number}_{path.name}"
        to.parent.mkdir(exist_ok=True)
        to.write_bytes(path.read_bytes()[: rng.choice((500, 2000, 6000))])
    for number in range(6):
        (root / f"page{number}.html").write_bytes(
            b"<p>x</p><script>f(a, a); console.log(x)</script>\n" * (number + 1)
        )
        (root / f"s{number}.js").write_bytes(b"f(a, a);\nif (a == a) { console.log(x) }\n" * (number + 1))
        (root / f"n{number}.md").write_bytes(b"# T\n\n```python\nx = y == y\n```\n" * (number + 1))
    if rng.random() < 0.7:
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def files_of(root: Path) -> list[Path]:
    return [path for path in sorted(root.rglob("*")) if path.is_file() and ".git/" not in f"{path}/"]


def act(root: Path, rng: random.Random) -> str:
    """Change something in the tree; gives its name."""
    files = files_of(root)
    path = rng.choice(files) if files else root / "new.py"
    name = rng.choice(list(ACTS))
    with contextlib.suppress(OSError):
        ACTS[name](root, path, rng)
    return name


def _edit(_: Path, path: Path, rng: random.Random) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    for _number in range(rng.choice((1, 1, 3))):
        at = rng.randrange(len(lines) + 1)
        lines[at : at + rng.choice((0, 1, 1, 5))] = [rng.choice(LINES)] * rng.choice((0, 1))
    path.write_bytes(b"".join(lines))


def _swap_in(root: Path, path: Path, rng: random.Random) -> None:
    other = path.with_name(path.name + ".tmp")
    other.write_bytes(path.read_bytes() + rng.choice(LINES))
    other.replace(path)


def _same_size(_: Path, path: Path, rng: random.Random) -> None:
    """Other contents of the same size, with the times of the contents set back."""
    before, data = path.stat(), bytearray(path.read_bytes())
    places = [at for at, letter in enumerate(data) if letter in b"abxy"]
    for at in rng.sample(places, min(3, len(places))):
        data[at] = rng.choice(b"abxy")
    with path.open("r+b") as file:
        file.write(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _touch(_: Path, path: Path, rng: random.Random) -> None:
    os.utime(path, ns=(0, rng.randrange(2**60)))


def _copy(root: Path, path: Path, rng: random.Random) -> None:
    shutil.copy2(path, root / f"d{rng.randrange(5)}" / f"c{rng.randrange(1000)}{path.suffix}")


def _move(root: Path, path: Path, rng: random.Random) -> None:
    path.rename(root / f"d{rng.randrange(5)}" / f"m{rng.randrange(1000)}{path.suffix}")


def _exchange(root: Path, path: Path, rng: random.Random) -> None:
    other = rng.choice(files_of(root))
    between = path.with_name("between")
    path.rename(between)
    other.rename(path)
    between.rename(other)


def _new(root: Path, _: Path, rng: random.Random) -> None:
    suffix = rng.choice((".py", ".py", ".js", ".html", ".md", "", ".h"))
    text = b"#!/usr/bin/env python3\n" if not suffix else b""
    (root / f"d{rng.randrange(5)}" / f"n{rng.randrange(1000)}{suffix}").write_bytes(
        text + rng.choice(LINES) * 3
    )


def _delete(root: Path, path: Path, rng: random.Random) -> None:
    if len(files_of(root)) > 30:
        path.unlink()


def _move_folder(root: Path, _: Path, rng: random.Random) -> None:
    folder = root / f"d{rng.randrange(5)}"
    folder.rename(root / "between")
    (root / f"d{rng.randrange(5)}").mkdir(exist_ok=True)
    folder.mkdir(exist_ok=True)
    for path in (root / "between").iterdir():
        path.rename(folder / f"f{rng.randrange(10_000)}{path.suffix}")
    (root / "between").rmdir()


def _rules(root: Path, path: Path, rng: random.Random) -> None:
    rule = rng.choice((path.name, f"d{rng.randrange(5)}/", "*.js", "", "!*.md"))
    (root / rng.choice((".gitignore", ".ignore", "d1/.gitignore"))).write_text(f"{rule}\n")


def _unreadable(_: Path, path: Path, rng: random.Random) -> None:
    path.chmod(rng.choice((0o644, 0o600, 0o000)))


def _link(root: Path, path: Path, rng: random.Random) -> None:
    (root / f"l{rng.randrange(100)}.py").symlink_to(path)


ACTS: dict[str, Callable[[Path, Path, random.Random], None]] = {
    "edit": _edit,
    "edit again": _edit,
    "swap in": _swap_in,
    "same size": _same_size,
    "same size again": _same_size,
    "touch": _touch,
    "copy": _copy,
    "move": _move,
    "exchange": _exchange,
    "new": _new,
    "delete": _delete,
    "move folder": _move_folder,
    "rules": _rules,
    "mode": _unreadable,
    "link": _link,
}


# --- the index itself ---------------------------------------------------------------------------


def harm(top: Path, rng: random.Random) -> str:
    """Do something to the files of the index; gives its name."""
    files = [path for path in sorted((top / "cache").rglob("*")) if path.is_file()]
    path = rng.choice(files) if files else None
    name = rng.choice(("flip", "cut", "remove", "empty", "kill"))
    if name == "kill":
        kill(rng)
        return name
    with contextlib.suppress(OSError):
        data = bytearray(path.read_bytes()) if path is not None else bytearray()
        if path is None or not data:
            return "nothing to harm"
        if name == "flip":
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            path.write_bytes(data)
        elif name == "cut":
            path.write_bytes(data[: rng.randrange(len(data))])
        elif name == "empty":
            path.write_bytes(b"")
        else:
            path.unlink()
    return name


def kill(rng: random.Random) -> None:
    """A process that writes the index is killed at some instant."""
    child = os.fork()
    if child == 0:
        os.setsid()
        with contextlib.suppress(BaseException):
            build(".", jobs=1)
        os._exit(0)
    time.sleep(rng.random() * rng.choice((0.05, 0.3)))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def side_by_side(root: Path, rng: random.Random) -> str:
    """Several processes search and write at the same time, while files change."""
    children = []
    for number in range(3):
        child = os.fork()
        if child == 0:
            own = random.Random(rng.random() + number)
            code = 1
            with contextlib.suppress(BaseException):
                for _ in range(4):
                    index = open_index(Selection((str(root),)))
                    list(
                        search_paths(
                            PatternSpec(own.choice(PATTERNS), ("python",)),
                            Selection((str(root),)),
                            memory=index,
                        )
                    )
                    if index is not None:
                        index.save()
                code = 0
            os._exit(code)
        children.append(child)
    for _ in range(5):
        act(root, rng)
        time.sleep(0.01)
    for child in children:
        _, status = os.waitpid(child, 0)
        if status:
            raise DifferenceError("a search that ran beside others failed")
    return "side by side"


@contextlib.contextmanager
def full_disk(rng: random.Random) -> Iterator[None]:
    """Meanwhile some writes fail."""
    write = folders.write

    def failing(path: str, data: bytes, *, sync: bool = True) -> None:
        if rng.random() < 0.5:
            raise OSError(28, "No space left on device")
        write(path, data, sync=sync)

    from structural.search.index import making, manifest, walks

    for module in (making, manifest, walks):
        module.write = failing  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module in (making, manifest, walks):
            module.write = write  # type: ignore[attr-defined]


# --- the comparison -----------------------------------------------------------------------------


def compare(root: Path, rng: random.Random, when: str, done: Counter[str]) -> None:
    spec = PatternSpec(rng.choice(PATTERNS), rng.choice(LANGUAGES))
    selection = rng.choice(
        (
            Selection((".",)),
            Selection((".",)),
            Selection((str(root),)),
            Selection(("d1", "d2")),
            Selection((".",), globs=("*.py",)),
            Selection((".",), hidden=True, no_ignore=True),
            Selection((".",), max_size=3000),
        )
    )
    light = rng.random() < 0.3
    recall.arrays_are_here = lambda: not light
    index = open_index(selection)
    if index is None:
        done["no index"] += 1
        with contextlib.suppress(StructuralError):
            build(".", jobs=1)
        return
    found = _answer(spec, selection, index)
    plain = _answer(spec, selection, None)
    if found != plain:
        raise DifferenceError(f"{when}: {spec} {selection}\n{_parting(found, plain)}")
    done["compared"] += 1
    done["with matches"] += any(isinstance(one, Searched) and one.matches for one in found[0])
    if rng.random() < 0.05:
        with full_disk(rng):
            index.save()
    else:
        done["written"] += index.save()


def _answer(spec: PatternSpec, selection: Selection, index: object) -> tuple[list[object], object]:
    try:
        results = search_paths(spec, selection, memory=index)  # type: ignore[arg-type]
    except StructuralError as problem:
        return [], str(problem)
    found = [replace(one, parsed=False) if isinstance(one, Searched) else one for one in results]
    return list(found), replace(results.summary, parsed=0, seconds=0.0, stages={})


def _parting(found: tuple[list[object], object], plain: tuple[list[object], object]) -> str:
    for one, other in zip(found[0], plain[0], strict=False):
        if one != other:
            return f"with the index {one}\nwithout {other}"
    return f"with the index {found[1]}\nwithout {plain[1]}"


if __name__ == "__main__":
    sys.exit(main())
