"""A journal that was cut or altered is noticed, no command commits over it, and ``recover`` finds
out what it said: the tree is wholly old or wholly new, and nothing of anyone is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from structural.errors import JournalError, StagingError
from structural.staging import CreateFile, State, open_store
from structural.staging.disk import Disk

from .disks import Dead, Killed, Plain
from .trees import Snapshot, five_files, snapshot, staged, substitution, write

Damage = Callable[[bytes], bytes]


def lines(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line]


DAMAGES: dict[str, Damage] = {
    "empty": lambda data: b"",
    "zeros": lambda data: b"\0" * len(data),
    "cut in the plan": lambda data: data[:100],
    "cut in half": lambda data: data[: len(data) // 2],
    "cut behind the plan": lambda data: b"\n" + lines(data)[0],
    "cut by a line": lambda data: b"\n" + b"\n\n".join(lines(data)[:-1]),
    "cut by a byte": lambda data: data.rstrip()[:-1],
    "a plan that was altered": lambda data: data.replace(b"a.py", b"z.py", 1),
    "garbage": lambda data: b"\x89PNG garbage\n" * 9,
    "no plan": lambda data: b"\n".join(lines(data)[1:]) or b"no plan",
}


@pytest.fixture(scope="module")
def crashes(in_memory: Path) -> Iterator[list[tuple[Path, Snapshot, Snapshot, str]]]:
    """Trees of five files in which the commit was killed at every third operation, and how it was."""
    folder = in_memory / "crashes"
    template = folder / "template"
    template.mkdir(parents=True)
    _, name = staged(template, five_files(template))
    old = snapshot(template)
    done = folder / "done"
    shutil.copytree(template, done)
    open_store(done).commit(name)
    new = snapshot(done)
    found = []
    for kind in (Dead, Plain):
        for at in range(1, 200, 3):
            root = folder / f"{kind.__name__}{at}"
            shutil.copytree(template, root)
            try:
                open_store(root, disk=kind(at)).commit(name)
            except Killed:
                if (root / ".structural/journal").exists():
                    found.append((root, old, new, name))
            else:
                break
    yield found
    shutil.rmtree(folder)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_the_tree_is_wholly_old_or_new_whatever_became_of_the_journal(
    crashes: list[tuple[Path, Snapshot, Snapshot, str]], damage: Damage, memory: Path
) -> None:
    refused = 0
    for number, (crashed, old, new, name) in enumerate(crashes):
        root = memory / f"{number}"
        shutil.copytree(crashed, root, copy_function=shutil.copy2)
        journal = root / ".structural/journal"
        journal.write_bytes(damage(journal.read_bytes()))
        before = snapshot(root)
        store = open_store(root)
        try:
            store.recover()
        except JournalError:
            refused += 1
            assert snapshot(root) == before, "nothing is touched before recover is asked for"
            with pytest.raises(JournalError):
                store.commit(name)
            with pytest.raises(JournalError):
                store.discard(name)
            assert journal.exists()
            store.open_changes()
            found = store.recover(mend=True)
            assert found.found
            assert found.journal is not None
            assert found.journal.exists()
            assert not found.unsure
        now = snapshot(root)
        folders = {place for place in now if place.endswith("/")} - {*old, *new}
        assert not folders
        # Which folders a commit made is only in its journal: one that is left is empty.
        files = {place: what for place, what in now.items() if not place.endswith("/")}
        wanted = [{p: w for p, w in one.items() if not p.endswith("/")} for one in (old, new)]
        assert files in wanted, (crashed.name, sorted(files))
        state = store.load(name).state
        assert state is (State.COMMITTED if files == wanted[1] else State.OPEN)
        assert not journal.exists()
        if state is State.OPEN:
            store.commit(name)
        else:
            store.undo(name)
        shutil.rmtree(root)
    assert len(crashes) > 30
    name = next(known for known, what in DAMAGES.items() if what is damage)
    assert (refused == 0) == (name == "cut behind the plan")
    assert (refused == len(crashes)) == (name in ("garbage", "no plan"))


def test_a_recovery_without_a_journal_can_be_killed_and_begun_again(
    crashes: list[tuple[Path, Snapshot, Snapshot, str]], memory: Path
) -> None:
    for number, (crashed, old, new, name) in enumerate(crashes[::4]):
        root = memory / f"{number}"
        shutil.copytree(crashed, root)
        (root / ".structural/journal").write_bytes(b"garbage")
        at = 1
        while True:
            try:
                open_store(root, disk=Dead(at)).recover(mend=True)
                break
            except Killed:
                at += 1
        files = {place: what for place, what in snapshot(root).items() if not place.endswith("/")}
        assert files in [{p: w for p, w in one.items() if not p.endswith("/")} for one in (old, new)]
        assert open_store(root).load(name).state in (State.OPEN, State.COMMITTED)
        shutil.rmtree(root)


def crash(root: Path, at: int, disk: type[Dead] = Dead) -> str:
    write(root, {"a.py": b"x\n", "b.py": b"x\n"})
    _, name = staged(root, [substitution(path, b"x\n", b"x", b"y") for path in ("a.py", "b.py")])
    with pytest.raises(Killed):
        open_store(root, disk=disk(at)).commit(name)
    return name


def both_new(root: Path) -> str:
    """Kill a commit when both names are exchanged, and before the old files are in the store."""
    for at in range(1, 60):
        folder = root / f"at{at}"
        folder.mkdir()
        name = crash(folder, at)
        if all((folder / path).read_bytes() == b"y\n" for path in ("a.py", "b.py")):
            shutil.copytree(folder, root / "crashed")
            return name
    raise AssertionError("it never came so far")


def test_what_others_wrote_after_the_crash_stays(tmp_path: Path) -> None:
    name = both_new(tmp_path)
    root = tmp_path / "crashed"
    (root / ".structural/journal").write_bytes(b"garbage")
    (root / "a.py").write_bytes(b"theirs\n")
    found = open_store(root).recover(mend=True)
    assert (root / "a.py").read_bytes() == b"theirs\n"
    assert (root / "b.py").read_bytes() == b"x\n"
    assert (found.id, found.finished, found.files) == (name, False, 2)
    assert [(one.path, one.why) for one in found.left] == [("a.py", "was edited")]
    (rescued,) = found.rescued
    assert rescued.kept.read_bytes() == b"x\n"


def test_a_cut_journal_does_not_cost_the_old_files(tmp_path: Path) -> None:
    """With only its plan it says that nothing was exchanged, while old files are beside the new."""
    name = both_new(tmp_path)
    root = tmp_path / "crashed"
    journal = root / ".structural/journal"
    journal.write_bytes(b"\n" + lines(journal.read_bytes())[0] + b"\n")
    found = open_store(root).recover()
    assert (found.id, found.finished, found.left) == (name, False, ())
    assert {(root / path).read_bytes() for path in ("a.py", "b.py")} == {b"x\n"}


def test_new_files_alone_are_taken_back(tmp_path: Path) -> None:
    for at in range(1, 60):
        root = tmp_path / f"{at}"
        root.mkdir()
        _, name = staged(root, [CreateFile("a.py", b"a"), CreateFile("b.py", b"b")])
        try:
            open_store(root, disk=Dead(at)).commit(name)
        except Killed:
            journal = root / ".structural/journal"
            if journal.exists():
                journal.write_bytes(b"\n" + b"\n\n".join(lines(journal.read_bytes())[:1]) + b"\n")
            open_store(root).recover(mend=True)
            there = {path.name for path in root.iterdir()} - {".structural"}
            committed = open_store(root).load(name).state is State.COMMITTED
            assert there == ({"a.py", "b.py"} if committed else set()), at


def test_an_unknown_change_is_said_and_its_files_are_kept(tmp_path: Path) -> None:
    name = both_new(tmp_path)
    root = tmp_path / "crashed"
    (root / ".structural/journal").write_bytes(b"garbage")
    (root / ".structural/changes" / name / "change.json").write_bytes(b"{")
    store = open_store(root)
    found = store.recover(mend=True)
    (said,) = found.unsure
    assert name in said
    assert {write.kept.read_bytes() for write in found.rescued} == {b"x\n"}
    assert {write.path.rpartition("-")[0].partition("-")[0] for write in found.rescued} == {".structural"}
    assert store.recover() == type(found)()


def test_garbage_without_a_commit_is_said_too(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": b"x\n"})
    store, name = staged(tmp_path, [substitution("a.py", b"x\n", b"x", b"y")])
    (store.path / "journal").write_bytes(b"garbage")
    with pytest.raises(JournalError, match="journal"):
        store.commit(name)
    found = store.recover(mend=True)
    assert (found.id, found.found, found.unsure, found.left) == ("", True, (), ())
    assert found.journal is not None
    assert found.journal.read_bytes() == b"garbage"
    store.commit(name)


def test_the_beginning_of_a_journal_is_what_a_crash_leaves(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": b"x\n"})
    store, name = staged(tmp_path, [substitution("a.py", b"x\n", b"x", b"y")])
    with pytest.raises(Killed):
        open_store(tmp_path, disk=Dead(3)).commit(name)
    for size in (0, 1, 9, 18, 24, 70):
        (store.path / "journal").write_bytes((b"\n0123456789abcdef " + b'{"format":1,"plan":' * 9)[:size])
        found = store.recover()
        assert (found.found, found.id, found.journal) == (True, "", None)
        assert not (store.path / "journal").exists()


def test_a_commit_that_is_in_the_history_is_not_taken_back(tmp_path: Path) -> None:
    """The line that says ``committed`` is lost, and all else was done."""
    write(tmp_path, {"a.py": b"x\n"})
    store, name = staged(tmp_path, [substitution("a.py", b"x\n", b"x", b"y")])

    class Stops(Disk):
        def unlink(self, path: str) -> None:
            if path.endswith("journal"):
                raise Killed
            super().unlink(path)

    with pytest.raises(Killed):
        open_store(tmp_path, disk=Stops()).commit(name)
    journal = store.path / "journal"
    for kept in (2, 1):
        journal.write_bytes(b"\n" + b"\n\n".join(lines(journal.read_bytes())[:kept]) + b"\n")
        copy = journal.read_bytes()
        found = store.recover()
        assert found.finished
        assert (tmp_path / "a.py").read_bytes() == b"y\n"
        journal.write_bytes(copy)
    journal.write_bytes(b"garbage")
    assert not store.recover(mend=True).left
    assert (tmp_path / "a.py").read_bytes() == b"y\n"
    assert store.load(name).state is State.COMMITTED


def test_a_journal_that_is_a_folder_is_no_silence(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": b"x\n"})
    store, name = staged(tmp_path, [substitution("a.py", b"x\n", b"x", b"y")])
    (store.path / "journal").mkdir()
    with pytest.raises(StagingError, match="journal"):
        store.commit(name)
    with pytest.raises(StagingError, match="journal"):
        store.recover(mend=True)
    assert (tmp_path / "a.py").read_bytes() == b"x\n"
