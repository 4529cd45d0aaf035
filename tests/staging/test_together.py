"""Several processes at once: over one change, over one file, and with writers that know nothing of us."""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
import time
from pathlib import Path

import pytest

from structural.errors import StagingError, StaleError
from structural.staging import State, open_store
from structural.staging.disk import Disk

from .trees import assert_tidy, snapshot, staged, substitution, write

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

fork = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else None)


def _accept(root: Path, name: str, go: object, answers: object) -> None:
    go.wait()  # type: ignore[attr-defined]
    try:
        done = open_store(root).commit(name)
        answers.put((name, "already" if done.already else "won"))  # type: ignore[attr-defined]
    except StaleError:
        answers.put((name, "stale"))  # type: ignore[attr-defined]


def race(root: Path, names: list[str]) -> list[tuple[str, str]]:
    """Each of *names* accepted by a process of its own, all at once."""
    go, answers = fork.Event(), fork.Queue()
    processes = [fork.Process(target=_accept, args=(root, name, go, answers)) for name in names]
    for process in processes:
        process.start()
    go.set()
    found = [answers.get(timeout=30) for _ in names]
    for process in processes:
        process.join()
    return found


def test_two_processes_accept_the_same_id(memory: Path) -> None:
    for turn in range(5):
        text = b"%d" % turn
        write(memory, {"f": text})
        _, name = staged(memory, [substitution("f", text, text, b"done")])
        answers = [answer for _, answer in race(memory, [name] * 3)]
        assert sorted(answers) == ["already", "already", "won"]
        assert (memory / "f").read_bytes() == b"done"
    assert_tidy(memory)


def test_two_commits_at_once_over_the_same_files(memory: Path) -> None:
    for _ in range(5):
        files = {f"f{n}": b"x" for n in range(20)}
        write(memory, files)
        names = [
            staged(memory, [substitution(path, text, b"x", new) for path, text in files.items()])[1]
            for new in (b"one", b"two")
        ]
        answers = dict(race(memory, names))
        assert sorted(answers.values()) == ["stale", "won"]
        winner = next(name for name, answer in answers.items() if answer == "won")
        expected = b"one" if winner == names[0] else b"two"
        assert {(memory / path).read_bytes() for path in files} == {expected}
        assert [c.id for c in open_store(memory).open_changes() if c.id in names] == [
            n for n in names if n != winner
        ]


def test_threads_take_turns(memory: Path) -> None:
    write(memory, {f"f{n}": b"x" for n in range(8)})
    names = [staged(memory, [substitution(f"f{n}", b"x", b"x", b"y")])[1] for n in range(8)]
    store = open_store(memory)
    threads = [threading.Thread(target=store.commit, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {(memory / f"f{n}").read_bytes() for n in range(8)} == {b"y"}
    assert [entry.sequence for entry in store.history()] == list(range(8, 0, -1))


def test_a_process_waits_for_the_one_before_it(memory: Path) -> None:
    class Slow(Disk):
        def exchange(self, one: str, other: str) -> None:
            time.sleep(0.05)
            super().exchange(one, other)

    write(memory, {"a": b"x", "b": b"x"})
    _, slow = staged(memory, [substitution("a", b"x", b"x", b"y")])
    _, fast = staged(memory, [substitution("b", b"x", b"x", b"y")])
    thread = threading.Thread(target=open_store(memory, disk=Slow()).commit, args=(slow,))
    thread.start()
    time.sleep(0.02)
    open_store(memory).commit(fast)
    thread.join()
    assert {(memory / name).read_bytes() for name in "ab"} == {b"y"}


@pytest.mark.parametrize("seed", [1, 2])
def test_no_write_of_others_is_lost(memory: Path, seed: int) -> None:
    """A writer saves a file again and again, by rename and in place.  What it wrote last is in the
    tree, or the commit, which it then allowed, stands over exactly that."""
    rng = random.Random(seed)
    paths = [f"f{n}" for n in range(6)]
    write(memory, dict.fromkeys(paths, b"0 x"))
    stop = threading.Event()
    written: dict[str, bytes] = {}

    def save() -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            path = rng.choice(paths[3:])
            content = b"%d x" % turn
            if rng.random() < 0.5:
                beside = memory / "save"
                beside.write_bytes(content)
                os.replace(beside, memory / path)
            else:
                with open(memory / path, "wb") as file:
                    file.write(content)
            written[path] = content
            time.sleep(rng.choice([0, 0.001, 0.02]) * rng.random())

    thread = threading.Thread(target=save)
    thread.start()
    done = refused = 0
    try:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            store = open_store(memory)
            files = {path: (memory / path).read_bytes() for path in paths}
            try:
                name = store.stage(
                    [substitution(path, text, b"x", b"x x") for path, text in files.items() if b"x" in text],
                    origin={},
                ).id
                store.commit(name)
                done += 1
            except StagingError:
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert done
    assert refused
    for path, content in written.items():
        now = (memory / path).read_bytes()
        assert now.split(b" ")[0] == content.split(b" ")[0], (path, now, content)
    assert open_store(memory).recover().id == ""
    assert not [path for path in snapshot(memory) if path.startswith(".structural-")]
    assert {c.state for c in open_store(memory).open_changes()} <= {State.OPEN}
