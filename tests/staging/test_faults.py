"""Every operation of a commit fails in turn, and is the last one in turn, also during recovery and
with what was not synced lost.  The tree is wholly old or wholly new, and nothing is left behind."""

from __future__ import annotations

import contextlib
import errno
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from structural.errors import StagingError
from structural.staging import open_store
from structural.staging.disk import Disk

from .disks import Dead, Killed, Lossy, Plain
from .trees import Snapshot, assert_tidy, assert_whole, five_files, snapshot, staged


class Trial:
    """One change of five files, committed again and again on fresh copies of one tree."""

    def __init__(self, folder: Path, template: Path, name: str, old: Snapshot, new: Snapshot) -> None:
        self.folder, self.template, self.name, self.old, self.new = folder, template, name, old, new
        self._count = 0

    def fresh(self) -> Path:
        self._count += 1
        root = self.folder / f"run{self._count}"
        shutil.copytree(self.template, root)
        return root

    def settled(self, root: Path) -> bool:
        """Recover, check, and go on: an old tree can be committed, a new one undone."""
        open_store(root).recover()
        done = assert_whole(root, self.name, self.old, self.new)
        store = open_store(root)
        if done:
            store.undo(self.name)
            assert snapshot(root) == self.old
        else:
            store.commit(self.name)
            assert snapshot(root) == self.new
        assert_tidy(root)
        shutil.rmtree(root)
        return done


@pytest.fixture(scope="module")
def trial(in_memory: Path) -> Iterator[Trial]:
    folder = Path(tempfile.mkdtemp(dir=in_memory))
    template = folder / "template"
    template.mkdir()
    _, name = staged(template, five_files(template))
    old = snapshot(template)
    done = folder / "done"
    shutil.copytree(template, done)
    open_store(done).commit(name)
    yield Trial(folder, template, name, old, snapshot(done))
    shutil.rmtree(folder)


def operations(trial: Trial, kind: Callable[[], Dead] = Dead) -> int:
    """How many operations a commit takes."""
    root = trial.fresh()
    disk = kind()
    open_store(root, disk=disk).commit(trial.name)
    shutil.rmtree(root)
    return disk.count


def killed(root: Path, disk: Disk, name: str) -> bool:
    """Commit until the disk kills the process.  Whether it did."""
    try:
        open_store(root, disk=disk).commit(name)
    except Killed:
        return True
    return False


@pytest.mark.parametrize(
    ("kind", "error"),
    [(Dead, errno.ENOSPC), (Dead, errno.EACCES), (Plain, errno.EMFILE), (Plain, errno.EIO)],
)
def test_a_failure_of_any_operation_restores_everything(trial: Trial, kind: type[Dead], error: int) -> None:
    ends = set()
    for at in range(1, operations(trial, kind) + 1):
        root = trial.fresh()
        try:
            done = open_store(root, disk=kind(at, error)).commit(trial.name)
        except StagingError:
            assert snapshot(root) == trial.old
            assert not (root / ".structural/journal").exists()
        else:
            assert snapshot(root) == trial.new
            assert done.state == "committed"
        ends.add(trial.settled(root))
    assert ends == {False, True}


@pytest.mark.parametrize("kind", [Dead, Plain])
def test_a_disk_that_goes_on_failing_loses_nothing(trial: Trial, kind: type[Dead]) -> None:
    for at in range(1, operations(trial, kind) + 1):
        root = trial.fresh()
        with contextlib.suppress(StagingError):
            open_store(root, disk=kind(at, errno.EIO, times=10_000)).commit(trial.name)
        trial.settled(root)


class FailsThenDies(Dead):
    """The operation ``at`` fails when it is done, and ``later`` operations on, the process ends."""

    def __init__(self, at: int, later: int) -> None:
        super().__init__()
        self._at, self._later = at, at + later

    def step(self, name: str, args: tuple[object, ...]) -> None:
        super().step(name, args)
        if self.count >= self._later:
            raise Killed
        if self.count == self._at:
            if name == "write":
                getattr(Disk(), name)(*args)
            raise OSError(errno.EIO, "failed")


def test_a_kill_on_the_way_back_from_a_failure(trial: Trial) -> None:
    for at in range(4, operations(trial) + 1, 3):
        for later in range(1 + at % 5, 60, 5):
            root = trial.fresh()
            with contextlib.suppress(StagingError, Killed):
                open_store(root, disk=FailsThenDies(at, later)).commit(trial.name)
            trial.settled(root)


@pytest.mark.parametrize("kind", [Dead, Plain])
def test_a_kill_at_any_operation_leaves_the_tree_old_or_new(trial: Trial, kind: type[Dead]) -> None:
    ends = set()
    for at in range(1, operations(trial, kind) + 1):
        root = trial.fresh()
        assert killed(root, kind(at), trial.name)
        ends.add(trial.settled(root))
    assert ends == {False, True}


@pytest.mark.parametrize("kind", [Dead, Plain])
def test_a_kill_at_any_operation_of_the_recovery(trial: Trial, kind: type[Dead]) -> None:
    last = operations(trial, kind)
    for at in range(1, last + 1, 3):
        crashed = trial.fresh()
        killed(crashed, kind(at), trial.name)
        again = 1 + at % 3
        while True:
            root = trial.folder / "recovering"
            shutil.copytree(crashed, root)  # other inodes, so that digests have to tell too
            try:
                open_store(root, disk=kind(again)).recover()
            except Killed:
                trial.settled(root)
                again += 3
                continue
            trial.settled(root)
            break
        while True:  # and again and again on the same tree, each time a little further
            try:
                open_store(crashed, disk=kind(again)).recover()
                break
            except Killed:
                again += 1
        trial.settled(crashed)


@pytest.mark.parametrize("seed", range(3))
def test_a_kill_with_unsynced_writes_lost(trial: Trial, seed: int) -> None:
    rng = random.Random(seed)
    last = operations(trial)
    ends = set()
    for at in range(1, last + 1):
        root = trial.fresh()
        disk = Lossy(trial.folder / "limbo", at)
        killed(root, disk, trial.name)
        disk.lose(rng)
        again = Lossy(trial.folder / "limbo", rng.randint(1, 40))
        try:
            open_store(root, disk=again).recover()
        except Killed:
            again.lose(rng)
        else:
            again.lose(rng)
        ends.add(trial.settled(root))
    assert ends == {False, True}


def test_what_was_answered_survives_the_loss_of_power(trial: Trial) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        root = trial.fresh()
        disk = Lossy(trial.folder / "limbo")
        open_store(root, disk=disk).commit(trial.name)
        disk.lose(rng)
        assert trial.settled(root)

        root = trial.folder / "fresh"
        root.mkdir()
        disk = Lossy(trial.folder / "limbo")
        _, name = staged(root, five_files(root), disk)
        disk.lose(rng)
        assert [change.id for change in open_store(root).open_changes()] == [name]
        shutil.rmtree(root)


def test_a_kill_at_any_operation_of_staging_dropping_and_discarding(memory: Path) -> None:
    def run(root: Path, disk: Disk) -> None:
        store = open_store(root, disk=disk)
        change = store.stage(five_files(root), origin={})
        store.drop(change.id, sites=[1])
        store.discard(change.id)

    root = memory / "count"
    root.mkdir()
    disk = Dead()
    run(root, disk)
    for at in range(1, disk.count + 1):
        root = memory / f"run{at}"
        root.mkdir()
        files = five_files(root)
        old = snapshot(root)
        with pytest.raises(Killed):
            run(root, Dead(at))
        assert snapshot(root) == old
        store = open_store(root)
        for change in store.open_changes():
            assert len(change.files) == 5
        other = store.stage(files, origin={})
        store.commit(other.id)
        assert_tidy(root)


def test_a_kill_at_any_operation_of_an_undo(trial: Trial) -> None:
    committed = trial.fresh()
    open_store(committed).commit(trial.name)
    root = trial.folder / "undo"
    shutil.copytree(committed, root)
    disk = Dead()
    open_store(root, disk=disk).undo()
    assert snapshot(root) == trial.old
    shutil.rmtree(root)
    for at in range(1, disk.count + 1):
        shutil.copytree(committed, root)
        with pytest.raises(Killed):
            open_store(root, disk=Dead(at)).undo()
        store = open_store(root)
        store.recover()
        state = store.load(trial.name).state
        assert snapshot(root) == (trial.old if state == "undone" else trial.new)
        if state != "undone":
            store.undo()
            assert snapshot(root) == trial.old
        assert_tidy(root)
        shutil.rmtree(root)
    shutil.rmtree(committed)
