"""What happens when: the scenarios that people meet, one by one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from structural.errors import (
    CommitError,
    LockedError,
    NothingToStageError,
    StagingError,
    StaleError,
    StoreError,
    UnknownChangeError,
    UnwritableError,
)
from structural.staging import (
    CreateFile,
    DeleteFile,
    EditFile,
    Refused,
    Site,
    State,
    Store,
    find_root,
    open_store,
)
from structural.staging.disk import Disk
from structural.staging.lock import locked
from structural.text import Edit, Span, digest

from .disks import Dead, Killed, Plain
from .trees import assert_tidy, five_files, snapshot, staged, substitution, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@contextlib.contextmanager
def mounted(*options: str) -> Iterator[None]:
    """A file system mounted at the last of *options* for a while; the test is skipped if that cannot be."""
    try:
        done = subprocess.run(["mount", *options], capture_output=True, check=False).returncode
    except FileNotFoundError:
        done = 1
    if done:
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", options[-1]], check=True)


def stage_abc(root: Path, disk: Disk | None = None) -> tuple[Store, str]:
    """Three files in which x becomes y."""
    files = dict.fromkeys(("a", "b", "c"), b"x = 1\n")
    write(root, files)
    return staged(root, [substitution(name, text, b"x", b"y") for name, text in files.items()], disk)


class Interrupted(Disk):
    """Calls someone in just before an exchange, a move or a sync."""

    def __init__(self, act: Callable[[], None], on: str = "exchange", ending: str = "") -> None:
        self.act, self.on, self.ending = act, on, ending

    def exchange(self, one: str, other: str) -> None:
        if self.on == "exchange" and "trial" not in other:
            self._once()
        super().exchange(one, other)
        if self.on == "exchanged" and "trial" not in other and other.endswith(self.ending):
            self._once()

    def move(self, old: str, new: str) -> None:
        if self.on == "move":
            self._once()
        super().move(old, new)

    def _once(self) -> None:
        act, self.act = self.act, lambda: None
        act()


# Between stage and accept


def test_a_file_is_edited_between_stage_and_accept(root: Path) -> None:
    store, name = stage_abc(root)
    (root / "b").write_bytes(b"x = 2\n")
    (root / "c").unlink()
    old = snapshot(root)
    with pytest.raises(StaleError, match="b was edited; c was deleted; nothing was changed") as caught:
        store.commit(name)
    assert caught.value.exit_code == 4
    assert [(stale.path, stale.found) for stale in store.stale(name)] == [
        ("b", digest(b"x = 2\n")),
        ("c", None),
    ]
    assert caught.value.files == store.stale(name)
    assert snapshot(root) == old
    assert store.load(name).state is State.OPEN


@pytest.mark.parametrize("becomes", ["deleted", "folder", "link", "link out", "pipe", "folder is a link out"])
def test_a_file_was_deleted_or_is_now_something_else(root: Path, tmp_path: Path, becomes: str) -> None:
    write(root, {"d/b": b"x"})
    (tmp_path / "out").mkdir()
    write(tmp_path / "out", {"b": b"x"})
    store, name = staged(root, [substitution("d/b", b"x", b"x", b"y")])
    path = root / "d/b"
    path.unlink()
    match becomes:
        case "folder":
            path.mkdir()
        case "link":
            write(root, {"other": b"x"})
            path.symlink_to("../other")
        case "link out":
            path.symlink_to(tmp_path / "out/b")
        case "pipe":
            os.mkfifo(path)
        case "folder is a link out":
            (root / "d").rmdir()
            (root / "d").symlink_to(tmp_path / "out")
    with pytest.raises(StaleError, match="nothing was changed"):
        store.commit(name)
    assert (tmp_path / "out/b").read_bytes() == b"x"
    assert_tidy(root)


def test_the_same_content_under_a_new_inode_and_time_is_accepted(root: Path) -> None:
    store, name = stage_abc(root)
    (root / "copy").write_bytes((root / "a").read_bytes())
    os.replace(root / "copy", root / "a")
    os.utime(root / "a", (1, 1))
    store.commit(name)
    assert (root / "a").read_bytes() == b"y = 1\n"


def test_two_changes_touch_one_file(root: Path) -> None:
    store, one = stage_abc(root)
    _, two = staged(root, [substitution("a", b"x = 1\n", b"1", b"2")])
    store.commit(one)
    assert [stale.path for stale in store.stale(two)] == ["a"]
    with pytest.raises(StaleError, match="a was edited"):
        store.commit(two)
    assert [change.id for change in store.open_changes()] == [two]


# During the commit


@pytest.mark.parametrize("in_place", [True, False])
def test_a_file_is_edited_during_accept_after_the_check(root: Path, in_place: bool) -> None:
    def write_c() -> None:
        if in_place:
            (root / "c").write_bytes(b"theirs")
        else:
            (root / "new").write_bytes(b"theirs")
            os.replace(root / "new", root / "c")

    _, name = stage_abc(root)
    store = open_store(root, disk=Interrupted(write_c))
    with pytest.raises(StaleError, match="c was edited during the commit"):
        store.commit(name)
    assert {path: (root / path).read_bytes() for path in "abc"} == {
        "a": b"x = 1\n",
        "b": b"x = 1\n",
        "c": b"theirs",
    }
    assert store.load(name).state is State.OPEN
    assert_tidy(root)


@pytest.mark.parametrize(
    ("act", "part"),
    [
        (lambda root: os.chmod(root / "c", 0o755), "got another mode"),
        (lambda root: os.link(root / "c", root / "second"), "got a second name"),
    ],
    ids=["mode", "link"],
)
def test_a_file_gets_another_mode_or_name_during_accept(
    root: Path, act: Callable[[Path], None], part: str
) -> None:
    _, name = stage_abc(root)
    with pytest.raises(StaleError, match=f"c {part}.* during the commit"):
        open_store(root, disk=Interrupted(lambda: act(root))).commit(name)
    assert {(root / path).read_bytes() for path in "abc"} == {b"x = 1\n"}
    assert (root / "c").stat().st_nlink + (root / "c").stat().st_mode % 2 == 2
    assert_tidy(root)


@pytest.mark.parametrize("in_place", [True, False])
def test_what_others_write_over_a_new_file_stays_when_the_commit_is_taken_back(
    root: Path, in_place: bool
) -> None:
    def write_both() -> None:
        (root / "c").write_bytes(b"theirs, before")  # so that the commit is taken back
        if in_place:
            (root / "a").write_bytes(b"theirs, over ours")
        else:
            (root / "new").write_bytes(b"theirs, over ours")
            os.replace(root / "new", root / "a")

    _, name = stage_abc(root)
    store = open_store(root, disk=Interrupted(write_both, "exchanged", "/a"))
    with pytest.raises(StaleError, match="left so: a"):
        store.commit(name)
    assert (root / "a").read_bytes() == b"theirs, over ours"
    assert (root / "b").read_bytes() == b"x = 1\n"
    assert (root / "c").read_bytes() == b"theirs, before"
    (rescued,) = (root / ".structural/rescued").iterdir()
    assert rescued.read_bytes() == b"x = 1\n"


def test_a_new_file_was_made_by_someone_else_meanwhile(root: Path) -> None:
    write(root, {"a": b"x"})
    _, name = staged(root, [substitution("a", b"x", b"x", b"y"), CreateFile("n/new", b"ours")])
    store = open_store(
        root, disk=Interrupted(lambda: (root / "n/new").write_bytes(b"theirs") and None, "move")
    )
    with pytest.raises(StaleError, match="n/new was made by someone else"):
        store.commit(name)
    assert (root / "n/new").read_bytes() == b"theirs"
    assert (root / "a").read_bytes() == b"x"


def test_a_deleted_file_was_edited_meanwhile(root: Path) -> None:
    write(root, {"a": b"x"})
    _, name = staged(root, [DeleteFile("a", b"x")])
    store = open_store(root, disk=Interrupted(lambda: (root / "a").write_bytes(b"theirs") and None, "move"))
    with pytest.raises(StaleError, match="a was edited during"):
        store.commit(name)
    assert (root / "a").read_bytes() == b"theirs"


class ReadOnly(Disk):
    """Says that a file or folder may not be written, as for a user who is not the superuser."""

    def __init__(self, name: str) -> None:
        self.name = name

    def may_write(self, path: str) -> bool:
        return not path.endswith(self.name) and super().may_write(path)


def test_the_second_of_three_files_is_read_only(root: Path) -> None:
    store, name = stage_abc(root)
    os.chmod(root / "b", 0o444)
    old = snapshot(root)
    with pytest.raises(UnwritableError, match="b is read-only; nothing was changed") as caught:
        store.commit(name)
    assert caught.value.files == (("b", "is read-only"),)
    assert snapshot(root) == old
    os.chmod(root / "b", 0o644)
    with pytest.raises(UnwritableError, match="a is read-only"):
        open_store(root, disk=ReadOnly("/a")).commit(name)
    with pytest.raises(UnwritableError, match="a is in a folder that is read-only"):
        open_store(root, disk=ReadOnly("/tree")).commit(name)
    assert snapshot(root)["a"] == old["a"]
    assert_tidy(root)


def test_the_disk_fills(root: Path) -> None:
    with mounted("-t", "tmpfs", "-o", "size=1m", "none", str(root)):
        before = b"x" * 100_000
        write(root, {"a": before, "b": before, "c": before})
        site = Site(0, (Edit(Span(0, 0), b"y" * 20),), Span(0, 0), 1)
        store, name = staged(root, [EditFile(path, before, (site,)) for path in "abc"])
        old = snapshot(root)
        room = os.statvfs(root).f_bavail * os.statvfs(root).f_frsize
        (root / "filler").write_bytes(b"f" * (room - 150_000))
        with pytest.raises(CommitError, match=r"No space left.*every file is as it was"):
            store.commit(name)
        with pytest.raises(StagingError, match="No space left"):
            staged(root, [CreateFile("new", b"n" * 400_000)])
        (root / "filler").unlink()
        assert snapshot(root) == old
        store.commit(name)
        assert_tidy(root)


def test_too_many_open_files(root: Path) -> None:
    resource = pytest.importorskip("resource")
    files = {f"f{n}": b"x" for n in range(60)}
    write(root, files)
    store, name = staged(root, [substitution(path, text, b"x", b"y") for path, text in files.items()])
    old = snapshot(root)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 20
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, hard))
    try:
        with pytest.raises(CommitError, match="Too many open files"):
            store.commit(name)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert snapshot(root) == old
    assert_tidy(root)


def test_an_interrupt_from_the_keyboard_takes_the_commit_back(root: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    _, name = stage_abc(root)
    old = snapshot(root)
    with pytest.raises(KeyboardInterrupt):
        open_store(root, disk=Interrupted(interrupt, "exchanged", "/b")).commit(name)
    assert snapshot(root) == old
    assert_tidy(root)


def test_tidying_up_that_fails_does_not_undo_the_commit(root: Path) -> None:
    _, name = stage_abc(root)
    count = Dead()
    trial = root.parent / "trial"
    subprocess.run(["cp", "-r", str(root), str(trial)], check=True)
    open_store(trial, disk=count).commit(name)
    disk = Dead(count.count - 2, errno.EIO, times=1000)
    done = open_store(root, disk=disk).commit(name)
    assert done.unfinished
    assert (root / "a").read_bytes() == b"y = 1\n"
    assert open_store(root).load(name).state is State.COMMITTED
    assert_tidy(root)


# Which file is meant


def test_one_file_is_reached_by_two_paths(root: Path) -> None:
    write(root, {"d/a": b"x"})
    (root / "link").symlink_to("d/a")
    (root / "dirlink").symlink_to("d")
    edit = substitution("d/a", b"x", b"x", b"y")
    files = [edit, EditFile("link", b"x", edit.sites), EditFile(root / "dirlink/a", b"x", edit.sites)]
    store, name = staged(root, files)
    assert [file.path for file in store.load(name).files] == ["d/a"]
    store.commit(name)
    assert (root / "d/a").read_bytes() == b"y"
    assert (root / "link").is_symlink()
    with pytest.raises(StagingError, match="are one file, but are to be changed differently"):
        staged(root, [substitution("d/a", b"y", b"y", b"1"), substitution("link", b"y", b"y", b"2")])


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("../out", "goes upwards"),
        ("d/../a", "goes upwards"),
        ("/etc/passwd", "is outside of the root"),
        ("link", "is a link out of the root"),
        ("linked/out", "is outside of the root"),
        ("circle", "is a link that leads in a circle"),
        (".git/config", "is inside of .git"),
        ("sub/.GIT/config", "is inside of .GIT"),
        (".structural/format", "is inside of .structural"),
        ("d", "is a folder"),
        ("pipe", "is not a regular file"),
        ("hard", r"has 2 names \(hard links\)"),
        ("read", "is read-only"),
        ("none", "is not there"),
        ("a/b", "is not there"),
        ("\udcff", "has a name that is not UTF-8"),
        ("a\0", "has a NUL"),
        (".", "is the root itself"),
        ("x" * 300, "too long"),
    ],
)
def test_a_file_that_may_never_be_written_is_not_staged(
    root: Path, tmp_path: Path, name: str, part: str
) -> None:
    write(tmp_path, {"out": b"x"})
    write(
        root, {"a": b"x", "d/b": b"x", "h": b"x", "read": b"x", ".git/config": b"x", "sub/.GIT/config": b"x"}
    )
    (root / "link").symlink_to(tmp_path / "out")
    (root / "linked").symlink_to(tmp_path)
    (root / "circle").symlink_to("circle")
    os.link(root / "h", root / "hard")
    os.mkfifo(root / "pipe")
    os.chmod(root / "read", 0o444)
    store = open_store(root)
    with pytest.raises(UnwritableError, match=part) as caught:
        store.stage([substitution(name, b"x", b"x", b"y"), substitution("a", b"x", b"x", b"y")], origin={})
    assert len(caught.value.files) == 1
    str(caught.value).encode()  # can be printed
    assert not store.path.exists()


def test_new_files_stand_in_nobodys_way(root: Path) -> None:
    write(root, {"a": b"x", "Readme": b""})
    store = open_store(root)
    for path, part in [("a", "is there already"), ("a/b", "needs a folder where a is something else")]:
        with pytest.raises(UnwritableError, match=part):
            store.stage([CreateFile(path, b"")], origin={})
    with pytest.raises(UnwritableError, match="differs from Readme, which is there, only in the case"):
        store.stage([CreateFile("README", b"")], origin={})
    with pytest.raises(UnwritableError, match="only in the case of letters"):
        store.stage([CreateFile("n/new", b""), CreateFile("N/new", b"")], origin={})


def test_two_names_that_a_file_system_takes_for_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"a": b"x", "A": b"x"})
    files = [substitution("a", b"x", b"x", b"y"), substitution("A", b"x", b"x", b"y")]
    staged(root, files)
    monkeypatch.setattr(os.path, "samestat", lambda one, other: True)
    with pytest.raises(UnwritableError, match="is the same file as"):
        staged(root, files)


def test_a_hard_link_made_after_staging_is_not_broken(root: Path) -> None:
    store, name = stage_abc(root)
    os.link(root / "a", root / "other")
    with pytest.raises(UnwritableError, match="hard links"):
        store.commit(name)
    assert os.path.samefile(root / "a", root / "other")


def test_a_network_without_exchange_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, name = stage_abc(root)
    old = snapshot(root)
    monkeypatch.setattr("structural.staging.trial.is_network", lambda folder: True)
    with pytest.raises(UnwritableError, match="network file system"):
        open_store(root, disk=Plain()).commit(name)
    assert snapshot(root) == old
    assert_tidy(root)


def test_another_file_system_inside_the_root_is_refused(root: Path) -> None:
    write(root, {"mnt/keep": b""})
    with mounted("-t", "tmpfs", "none", str(root / "mnt")):
        write(root, {"mnt/a": b"x"})
        with pytest.raises(UnwritableError, match="another file system"):
            staged(root, [substitution("mnt/a", b"x", b"x", b"y")])


def test_a_mount_of_the_same_file_system_is_noticed_before_anything_is_written(root: Path) -> None:
    write(root, {"mnt/keep": b"", "real/a": b"x", "b": b"x"})
    with mounted("--bind", str(root / "real"), str(root / "mnt")):
        store, name = staged(root, [substitution(path, b"x", b"x", b"y") for path in ("b", "mnt/a")])
        with pytest.raises(UnwritableError, match="mnt/a cannot be exchanged"):
            store.commit(name)
        assert (root / "b").read_bytes() == b"x"
        _, name = staged(root, [DeleteFile("mnt/a", b"x")])
        with pytest.raises(CommitError, match="every file is as it was"):
            store.commit(name)
        assert (root / "mnt/a").read_bytes() == b"x"
        assert_tidy(root)


# What is kept


def test_the_rewrite_equals_the_source(root: Path) -> None:
    write(root, {"a": b"x x"})
    same = Site(0, (Edit(Span(0, 1), b"x"),), Span(0, 1), 1)
    other = Site(0, (Edit(Span(2, 3), b"y"),), Span(2, 3), 1)
    store = open_store(root)
    with pytest.raises(NothingToStageError, match="every file would stay as it is"):
        store.stage([EditFile("a", b"x x", (same,))], origin={})
    assert not store.path.exists()
    change = store.stage([EditFile("a", b"x x", (same, other))], origin={})
    assert (change.sites, change.unchanged) == (1, 1)


def test_a_limit_was_reached_and_is_flagged_for_ever(root: Path) -> None:
    write(root, {"a": b"x x"})
    store = open_store(root)
    change = store.stage(
        [substitution("a", b"x x", b"x", b"y")],
        origin={"pattern": "x", "limit": 2},
        flags=["partial"],
        refused=[Refused("a", 0, 1, 1, "no")],
        notes={"skipped": [["big", "too large"]]},
    )
    store.drop(change.id, sites=[1])
    store.replace(change.id, [substitution("a", b"x x", b"x", b"z")])
    loaded = store.load(change.id)
    assert loaded.flags == ("partial",)
    assert loaded.origin == {"pattern": "x", "limit": 2}
    assert loaded.notes == {"skipped": [["big", "too large"]]}
    assert [site.number for site in loaded.files[0].sites] == [3, 4]
    store.commit(change.id)
    assert store.load(change.id).flags == ("partial",)


def test_sites_are_dropped_and_keep_their_numbers(root: Path) -> None:
    store, name = staged(root, five_files(root))
    change = store.load(name)
    assert [site.number for file in change.files for site in file.sites] == list(range(1, 9))
    rest = store.drop(name, sites=[1, 4], globs=["*gone*", "n/e/*"])
    assert rest == store.load(name)
    assert [site.number for file in rest.files for site in file.sites] == [2, 3, 5, 6]
    assert rest.dropped == (1, 4, 7, 8)
    with pytest.raises(StagingError, match="has no site 99"):
        store.drop(name, sites=[99])
    with pytest.raises(StagingError, match=r"has no file \*\.rs"):
        store.drop(name, globs=["*.rs"])
    store.drop(name, sites=[1])
    for file, before, after in store.texts(name):
        assert digest(before) == file.before
        assert digest(after) == file.after
    store.commit(name)
    assert (root / "a.py").read_bytes() == b"one x two long\n"
    assert (root / "d/gone.py").exists()
    assert not (root / "n").exists()


def test_all_sites_dropped_leaves_a_change_that_can_only_be_discarded(root: Path) -> None:
    store, name = stage_abc(root)
    assert store.drop(name, sites=[1, 2, 3]).files == ()
    with pytest.raises(StagingError, match="has no sites left"):
        store.commit(name)
    store.discard(name)
    assert store.open_changes() == ()


def test_accept_a_second_time(root: Path) -> None:
    store, name = stage_abc(root)
    first = store.commit(name)
    again = store.commit(name)
    assert (first.already, again.already) == (False, True)
    assert again.files == first.files
    with pytest.raises(StagingError, match="is committed"):
        store.drop(name, sites=[1])


def test_discard_of_an_id_that_does_not_exist(root: Path) -> None:
    store = open_store(root)
    with pytest.raises(UnknownChangeError, match="there is no staged change"):
        store.discard("zzzzzz")
    assert not store.path.exists()
    store, name = stage_abc(root)
    with pytest.raises(UnknownChangeError, match="no staged change 000") as caught:
        store.discard("000")
    assert caught.value.known == (name,)
    assert name in caught.value.hint
    store.discard(name[:4])
    with pytest.raises(UnknownChangeError, match="was discarded"):
        store.commit(name)
    with pytest.raises(UnknownChangeError, match="no change is open"):
        store.only_open()


def test_an_id_may_be_shortened_and_the_only_open_one_needs_none(root: Path) -> None:
    store, name = stage_abc(root)
    assert store.only_open() == store.load(name[:2]) == store.load(name)
    _, other = staged(root, [CreateFile("n", b"")])
    with pytest.raises(UnknownChangeError, match="several changes are open") as caught:
        store.only_open()
    assert set(caught.value.known) == {name, other}


# Undo


def test_undo_after_a_further_edit(root: Path) -> None:
    store, name = stage_abc(root)
    store.commit(name)
    (root / "b").write_bytes(b"y = 1 + 1\n")
    old = snapshot(root)
    with pytest.raises(StaleError, match=f"the undo of {name} is stale: b was edited"):
        store.undo()
    assert snapshot(root) == old
    assert_tidy(root)
    assert store.load(name).state is State.COMMITTED


def test_an_undo_is_a_change_that_can_be_undone(root: Path) -> None:
    store, name = staged(root, five_files(root))
    old = snapshot(root)
    store.commit(name)
    new = snapshot(root)
    back = store.undo()
    assert (back.undoes, snapshot(root)) == (name, old)
    with pytest.raises(StagingError, match=f"was undone by {back.id}"):
        store.undo(name)
    with pytest.raises(UnknownChangeError, match="nothing to undo"):
        store.undo()
    store.undo(back.id)
    assert snapshot(root) == new
    store.undo()
    assert snapshot(root) == old
    assert [entry.sequence for entry in store.history()] == [4, 3, 2, 1]


def test_undo_keeps_the_mode_that_a_file_got_since(root: Path) -> None:
    store, name = stage_abc(root)
    store.commit(name)
    os.chmod(root / "a", 0o700)
    store.undo()
    assert (root / "a").stat().st_mode & 0o777 == 0o700


def test_a_write_into_an_old_file_is_found_and_kept(root: Path) -> None:
    store, name = stage_abc(root)
    with (root / "a").open("r+b") as writer:
        store.commit(name)
        writer.write(b"late")
    done = store.undo()
    (late,) = done.late
    assert (late.change, late.path, late.kept.read_bytes()) == (name, "a", b"late1\n")
    assert (root / "a").read_bytes() == b"x = 1\n"
    collected = store.gc(keep=0, older_than=timedelta(0))
    assert collected.removed == (name, done.id)
    (late,) = collected.late
    assert late.kept.read_bytes() == b"late1\n"
    assert store.history() == ()


def test_what_is_old_is_collected_and_what_is_open_is_not(root: Path) -> None:
    write(root, {"a": b"x"})
    store = open_store(root)
    text = b"x"
    for _ in range(4):
        change = store.stage([substitution("a", text, text, text + b"x")], origin={})
        store.commit(change.id)
        text += b"x"
    opened = store.stage([substitution("a", text, text, b"")], origin={})
    assert store.gc(keep=2, older_than=timedelta(days=1)).removed == ()
    assert len(store.gc(keep=2, older_than=timedelta(0)).removed) == 2
    assert [entry.sequence for entry in store.history()] == [4, 3]
    assert store.only_open() == opened
    assert_tidy(root)
    store.undo()
    assert (root / "a").read_bytes() == b"xxxx"


# Crashes, locks, formats


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_process_is_killed_between_two_swaps(root: Path) -> None:
    _, name = stage_abc(root)
    old = snapshot(root)
    child = os.fork()
    if not child:
        open_store(root, disk=Interrupted(lambda: os._exit(9), "exchanged", "/b")).commit(name)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert snapshot(root) != old
    assert [change.id for change in open_store(root).open_changes()] == [name]  # any command recovers
    assert snapshot(root) == old
    assert_tidy(root)


def test_a_folder_is_removed_between_a_crash_and_the_recovery(root: Path) -> None:
    write(root, {"d/a": b"x", "b": b"x"})
    _, name = staged(root, [substitution(path, b"x", b"x", b"y") for path in ("d/a", "b")])
    count = Dead()
    shutil.copytree(root, root.parent / "trial")
    open_store(root.parent / "trial", disk=count).commit(name)
    last = max(number for number, line in enumerate(count.log, 1) if line.startswith("move"))
    with pytest.raises(Killed):
        open_store(root, disk=Dead(last + 1)).commit(name)
    shutil.rmtree(root / "d")
    done = open_store(root).recover()
    assert [stale.why for stale in done.left] == ["was deleted with its folder"]
    assert done.rescued[0].kept.read_bytes() == b"x"
    assert (root / "b").read_bytes() == b"x"


def test_the_example_in_the_documentation(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(__file__).parents[2] / "docs/staging.md"
    example = page.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    write(root, {"a.py": b"old = 1\n"})
    monkeypatch.chdir(root)
    exec(compile(example, str(page), "exec"), {})
    assert [entry.state for entry in open_store(root).history()] == ["committed", "undone"]


def test_a_large_file_and_many_files(memory: Path) -> None:
    large = b"some text, x, and more of it\n" * 700_000
    files = {f"d{n // 100}/f{n}": b"a x b x\n" * 2 for n in range(2000)} | {"large": large}
    write(memory, files)
    at = large.index(b"x", len(large) // 2)
    proposals = [substitution(path, text, b"x", b"yy") for path, text in files.items() if path != "large"]
    site = Site(0, (Edit(Span(at, at + 1), b"y"),), Span(at, at + 1), 1)
    store, name = staged(memory, [*proposals, EditFile("large", large, (site,))])
    assert store.load(name).sites == 8_001
    store.commit(name)
    assert (memory / "d19/f1999").read_bytes() == files["d19/f1999"].replace(b"x", b"yy")
    store.undo()
    assert {path: (memory / path).read_bytes() for path in files} == files


def test_a_look_writes_nothing(root: Path) -> None:
    store, name = stage_abc(root)
    disk = Dead()
    store = open_store(root, disk=disk)
    store.load(name)
    store.text(name, "a")
    store.stale(name)
    store.open_changes()
    store.history()
    store.recover()
    assert disk.count == 0


def test_the_lock_says_who_holds_it(root: Path) -> None:
    store, name = stage_abc(root)
    with locked(Disk(), str(store.path / "lock"), 0):
        with pytest.raises(LockedError, match=rf"process {os.getpid()} on .*, since 20"):
            store.commit(name, wait=0.05)
        assert store.open_changes()  # a look needs no lock
    store.commit(name)


def test_a_store_of_a_newer_version_is_refused(root: Path) -> None:
    store, name = stage_abc(root)
    (store.path / "format").write_bytes(b"2\n")
    with pytest.raises(StoreError, match="version 2; this program knows 1"):
        store.commit(name)
    with pytest.raises(StoreError, match="version 2"):
        store.open_changes()


def test_a_damaged_store_is_told_from_a_bug(root: Path) -> None:
    store, name = stage_abc(root)
    folder = store.path / "changes" / name
    content = (folder / "before.1").read_bytes()
    (folder / "before.1").write_bytes(content.replace(b"x", b"z"))
    with pytest.raises(StoreError, match="damaged"):
        store.commit(name)
    assert (root / "a").read_bytes() == b"x = 1\n"
    (folder / "change.json").write_bytes(b"{}")
    with pytest.raises(StoreError, match="damaged"):
        store.load(name)


@pytest.mark.parametrize("path", ["../out", "/etc/passwd", ".git/hooks/x", "a/../../b", "."])
def test_a_journal_that_came_with_a_tree_cannot_reach_out_of_it(root: Path, path: str) -> None:
    from structural.staging.journal import Journal, Plan, Step
    from structural.staging.values import Action

    store, _ = stage_abc(root)
    step = Step(0, path, Action.CREATE, None, digest(b""))
    Journal(Disk(), str(store.path / "journal")).begin(Plan("bcdfgh", "0" * 16, (step,), 1, 1))
    with pytest.raises(StoreError, match="journal"):
        store.recover()


def test_a_store_that_is_a_link_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / ".structural").symlink_to(tmp_path / "elsewhere")
    write(root, {"a": b"x"})
    with pytest.raises(StoreError, match="in the way"):
        staged(root, [substitution("a", b"x", b"x", b"y")])
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["changes", "changes/bcdfgh", "changes/.bcdfgh", "kept/bcdfgh", "rescued", "aside"]
)
def test_a_link_in_a_store_is_not_followed(root: Path, tmp_path: Path, name: str) -> None:
    write(tmp_path, {"elsewhere/precious": b"x"})
    store, change = stage_abc(root)
    link = store.path / name
    if link.exists():
        link.rename(tmp_path / "real")
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "elsewhere")
    for act in (store.gc, store.open_changes, store.undo, lambda: store.commit(change)):
        with pytest.raises(StoreError, match="is a link"):
            act()
    assert os.listdir(tmp_path / "elsewhere") == ["precious"]


def test_the_root_is_found_upwards(root: Path) -> None:
    deep = root / "a/b"
    deep.mkdir(parents=True)
    write(deep, {"f": b"x"})
    (root / ".git").mkdir()
    assert find_root(deep / "f") == root.resolve()
    staged(root / "a", [substitution("b/f", b"x", b"x", b"y")])
    assert find_root(deep) == (root / "a").resolve()


def test_git_does_not_see_the_store(root: Path) -> None:
    stage_abc(root)
    try:
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    listed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, capture_output=True, check=True
    ).stdout
    assert b".structural" not in listed
