"""Commits that are killed at random instants, and commits among writers that know nothing of them.

    python -m tests.campaigns.crash --kills 500 --files 200 [--commits 200] [--folder DIR] [--seed N]

Kills: a process that commits a change of all files, some made and some deleted, gets SIGKILL at a
random instant.  After ``recover`` the tree must be wholly old or wholly new, as the store says,
with nothing left behind.

Writers: while changes of all files are staged and committed, other processes save files by rename,
in place, and in place through a file that they opened a while before.  A refused commit must leave
nothing of its own, and the last write to every file must be in the tree, or, where it went into a
file that was swapped out meanwhile, be reported and kept.

Exits with 1 at the first thing that does not hold, and leaves the tree there to be looked at.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path

from structural.errors import StagingError, StaleError
from structural.staging import CreateFile, DeleteFile, EditFile, ProposedFile, Site, State, open_store
from structural.text import Edit, Span

fork = multiprocessing.get_context("fork")


class ViolationError(Exception):
    """Something that was promised does not hold."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=None, help="where to work; tells the file system")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    root = Path(tempfile.mkdtemp(prefix="crash-", dir=options.folder))
    try:
        if options.kills:
            (root / "kills").mkdir()
            kills(root / "kills", options.kills, options.files, rng)
        if options.commits:
            (root / "writers").mkdir()
            writers(root / "writers", options.commits, options.files, rng)
    except ViolationError as violation:
        print(f"VIOLATION: {violation}\nthe tree is in {root}")
        return 1
    shutil.rmtree(root)
    return 0


def content(number: int, version: int) -> bytes:
    return b"file %d\nversion %d\n" % (number, version) + b"some more text\n" * (number % 40)


def path_of(number: int) -> str:
    return f"d{number % 17}/f{number}.py"


def tree(root: Path) -> dict[str, bytes]:
    """Path → bytes of everything but the store."""
    found = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".structural"]
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = file.read()
    return found


def expected(files: int, version: int) -> dict[str, bytes]:
    """The tree at *version*: every tenth file comes and goes with the version."""
    return {path_of(n): content(n, version) for n in range(files) if n % 10 or version % 2 == n // 10 % 2}


def proposals(before: dict[str, bytes], after: dict[str, bytes]) -> list[ProposedFile]:
    found: list[ProposedFile] = []
    for path, text in before.items():
        if path in after:
            whole = Span(0, len(text))
            found.append(EditFile(path, text, (Site(0, (Edit(whole, after[path]),), whole, 1),)))
        else:
            found.append(DeleteFile(path, text))
    found += [CreateFile(path, text) for path, text in after.items() if path not in before]
    return found


def _commit(root: Path, name: str) -> None:
    open_store(root).commit(name)
    os._exit(0)


def kills(root: Path, count: int, files: int, rng: random.Random) -> None:
    version = 0
    for path, text in expected(files, 0).items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(text)
    store = open_store(root)
    ends: Counter[str] = Counter()
    usual = 0.0
    done = 0
    recovering: list[float] = []
    start = time.monotonic()
    while done < count:
        old, new = expected(files, version), expected(files, version + 1)
        opened = store.open_changes()
        name = opened[0].id if opened else store.stage(proposals(old, new), origin={}).id
        process = fork.Process(target=_commit, args=(root, name))
        begin = time.monotonic()
        process.start()
        if usual:
            time.sleep(rng.random() * usual)
            assert process.pid
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        killed = process.exitcode == -signal.SIGKILL
        if not killed:
            usual = usual * 0.7 + (time.monotonic() - begin) * 0.3 if usual else time.monotonic() - begin
        before_recovery = tree(root)
        torn = before_recovery not in (old, new)
        begin = time.monotonic()
        store.recover()
        recovering.append(time.monotonic() - begin)
        now = tree(root)
        if now not in (old, new):
            raise ViolationError(f"after kill {done} the tree is neither old nor new")
        state = store.load(name).state
        if (state is State.COMMITTED) != (now == new):
            raise ViolationError(f"after kill {done} the change is {state}, the tree is not")
        if now == new:
            version += 1
        if killed:
            done += 1
            usual *= 1.02 if now == old and not torn else 1
            ends[("half done, then " if torn else "") + ("new" if now == new else "old")] += 1
        else:
            ends["finished before the kill"] += 1
        if version % 20 == 0:
            store.gc(keep=2, older_than=timedelta(0))
        leftovers = {entry.name for entry in store.path.iterdir()} - {
            *(".gitignore", "format", "lock", "changes", "kept", "aside")
        }
        if leftovers:
            raise ViolationError(f"left behind in the store: {leftovers}")
    print(
        f"{count} kills of commits of {files} files in {time.monotonic() - start:.0f} s: "
        + ", ".join(f"{number} {end}" for end, number in sorted(ends.items()))
    )
    recovering.sort()
    middle = recovering[len(recovering) // 2]
    print(
        f"a commit took about {usual * 1000:.0f} ms, a recovery {middle * 1000:.0f} ms in the middle "
        f"and {recovering[-1] * 1000:.0f} ms at most; versions committed: {version}"
    )


TOKEN = 12
"""Bytes of a writer's mark, at the start of a file."""


def _write(root: Path, numbers: list[int], seed: int, stop: Connection, results: Connection) -> None:
    """Write to the files *numbers* until told to stop; then send path → (mark, how) of the last writes."""
    rng = random.Random(seed)
    last: dict[str, tuple[bytes, str]] = {}
    turn = 0
    while not stop.poll():
        turn += 1
        path = path_of(rng.choice(numbers))
        mark = b"%03d-%07d\n" % (seed % 1000, turn)
        how = rng.choice(["rename", "in place", "late"])
        full = root / path
        if how == "rename":
            beside = root / f"saving{seed}"
            beside.write_bytes(mark + b"theirs\n")
            os.replace(beside, full)
        elif how == "in place":
            full.write_bytes(mark + b"theirs\n")
        else:
            with full.open("r+b", buffering=0) as file:
                time.sleep(rng.random() * 0.01)
                file.write(mark)
        last[path] = (mark, how)
        time.sleep(rng.choice([0.0, 0.002, 0.05, 0.3]) * rng.random())
    results.send((last, turn))


def writers(root: Path, commits: int, files: int, rng: random.Random) -> None:
    for number in range(files):
        path = root / path_of(number)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"000-0000000\nours\n")
    processes, stops, results = [], [], []
    for seed in (1, 2):
        stop, ours = fork.Pipe()
        result, sending = fork.Pipe(duplex=False)
        mine = [number for number in range(files) if number % 2 == seed % 2]
        process = fork.Process(target=_write, args=(root, mine, seed, stop, sending))
        process.start()
        processes.append(process)
        stops.append(ours)
        results.append(result)
    store = open_store(root)
    ends: Counter[str] = Counter()
    start = time.monotonic()
    tag = 0
    try:
        while sum(ends.values()) < commits:
            tag += 1
            ends[_one_commit(root, files, b"tag %d.\n" % tag, rng)] += 1
    finally:
        for stop in stops:
            stop.send(None)
    last: dict[str, tuple[bytes, str]] = {}
    turns = 0
    for result, process in zip(results, processes, strict=True):
        found, count = result.recv()
        last |= found
        turns += count
        process.join()
    seconds = time.monotonic() - start
    now = tree(root)
    missing = {path: how for path, (mark, how) in last.items() if not now[path].startswith(mark)}
    late = store.gc(keep=0, older_than=timedelta(0)).late
    rescued = {entry.read_bytes()[:TOKEN] for entry in store.path.glob("rescued/*")}
    for path, how in missing.items():
        if how != "late" or last[path][0] not in rescued:
            raise ViolationError(f"the write {last[path]} to {path} is lost; it has {now[path]!r}")
    if stray := [path for path in now if ".structural" in path]:
        raise ViolationError(f"left behind: {stray}")
    print(
        f"{commits} commits of {files} files among 2 writers in {seconds:.0f} s, {turns} writes: "
        + ", ".join(f"{number} {end}" for end, number in sorted(ends.items()))
    )
    print(
        f"last writes that are in the tree: {len(last) - len(missing)} of {len(last)}; the others went into "
        f"files that were swapped out and are kept; late writes reported: {len(late)}"
    )


def _one_commit(root: Path, files: int, tag: bytes, rng: random.Random) -> str:
    """Append *tag* to some files.  What became of it."""
    store = open_store(root)
    share = rng.choice([0.02, 0.1, 0.3, 1.0])
    chosen = [path_of(number) for number in range(files) if rng.random() < share]
    sites = []
    for path in chosen:
        text = (root / path).read_bytes()
        end = Span(len(text), len(text))
        sites.append(EditFile(path, text, (Site(0, (Edit(end, tag),), end, 1),)))
    if not sites:
        return "empty"
    name = store.stage(sites, origin={}).id
    try:
        store.commit(name)
    except StaleError as error:
        left = set(re.findall(r"[^ ,;:]+", error.message.partition("left so: ")[2]))
        ours = {path for path, text in tree(root).items() if tag in text}
        if ours - left:  # those left were written to by others while they had our text
            raise ViolationError(f"a refused commit left its text in {ours - left}") from error
        with contextlib.suppress(StagingError):
            store.discard(name)
        if left:
            return "taken back but for files that others had written over"
        return "taken back" if "during the commit" in error.message else "refused at the check"
    return "committed"


if __name__ == "__main__":
    sys.exit(main())
