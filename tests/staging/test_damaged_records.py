"""One damaged record: the others go on, it is named with its path, and it can be forgotten."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from structural.errors import DamagedError, StagingError, StoreError, UnknownChangeError
from structural.staging import CreateFile, DeleteFile, State, Store, open_store

from .trees import snapshot, substitution, write

Harm = Callable[[Path], None]


def stage(root: Path, letter: str) -> str:
    write(root, {f"{letter}.py": b"x = x\n", f"{letter}-gone.py": b"gone\n"})
    store = open_store(root)
    change = store.stage(
        [
            substitution(f"{letter}.py", b"x = x\n", b"x", letter.encode()),
            CreateFile(f"{letter}-new.py", b"new\n"),
            DeleteFile(f"{letter}-gone.py", b"gone\n"),
        ],
        origin={"from": "test", "name": letter},
        notes={"skipped": [["z.py", "binary", ""]]},
    )
    return change.id


def json_of(path: Path) -> dict[str, Any]:
    value = json.loads(path.read_bytes())
    value.pop("seal", None)
    return dict(value)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


HARMS: dict[str, Harm] = {
    "cut": cut,
    "empty": lambda path: path.write_bytes(b"") and None,
    "garbage": lambda path: path.write_bytes(b"\x00\xff garbage" * 20) and None,
    "flipped": flipped,
    "missing": Path.unlink,
    "a folder": folder_instead,
}


@pytest.mark.parametrize("part", ["state.json", "change.json", "before.1", "after.1"])
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_the_others_go_on(tmp_path: Path, part: str, harm: Harm) -> None:
    one, bad, other = (stage(tmp_path, letter) for letter in "abc")
    store = open_store(tmp_path)
    store.commit(other)
    harm(store.path / "changes" / bad / part)

    store.stage([substitution("a.py", b"x = x\n", b"x", b"z")], origin={})
    changes, damaged = store.survey()
    assert one in [change.id for change in changes]
    if (part, harm) not in (("before.1", flipped), ("before.1", HARMS["garbage"])):
        # What is only noticed by its digest is noticed when it is used.
        (named,) = damaged
        assert (named.id, named.path) == (bad, store.path / "changes" / bad / part)
        assert named.why
        with pytest.raises(DamagedError, match=f"{bad} is damaged: .*{part}"):
            store.load(bad)
    with pytest.raises(StoreError, match=f"{bad}|what b.py was to become"):
        store.commit(bad)
    assert store.load(one).state is State.OPEN
    assert store.load(other).state is State.COMMITTED
    assert [done.id for done in store.history()] == [other]
    assert (tmp_path / "b.py").read_bytes() == b"x = x\n"

    assert store.gc(older_than=timedelta(days=1)).removed == ()
    before = snapshot(tmp_path)
    assert store.discard(bad).state is State.DISCARDED
    assert snapshot(tmp_path) == before
    assert store.survey()[1] == ()
    with pytest.raises(UnknownChangeError):
        store.load(bad)
    store.commit(one)
    store.undo()
    assert (tmp_path / "a.py").read_bytes() == b"x = x\n"


@pytest.mark.parametrize("part", ["state.json", "change.json"])
def test_a_collection_forgets_what_was_damaged_long_ago(tmp_path: Path, part: str) -> None:
    one, bad = (stage(tmp_path, letter) for letter in "ab")
    store = open_store(tmp_path)
    folder = store.path / "changes" / bad
    (folder / part).write_bytes(b"{")
    (said,) = store.gc(older_than=timedelta(days=1)).damaged
    assert said.id == bad
    old = time.time() - 3 * 24 * 3600
    for path in (*folder.iterdir(), folder):
        os.utime(path, (old, old))
    found = store.gc(older_than=timedelta(days=1))
    assert (found.removed, found.damaged) == ((bad,), ())
    assert [change.id for change in store.open_changes()] == [one]
    assert not folder.exists()


def test_old_files_of_a_damaged_commit_are_rescued(tmp_path: Path) -> None:
    bad = stage(tmp_path, "b")
    store = open_store(tmp_path)
    store.commit(bad)
    (store.path / "changes" / bad / "state.json").write_bytes(b"{")
    (named,) = store.damaged()
    assert named.maybe_committed
    assert not named.maybe_open
    with pytest.raises(UnknownChangeError, match="cannot be told"):
        store.undo()
    with pytest.raises(DamagedError):
        store.undo(bad)
    gone = store.discard(bad)
    kept = [Path(path).read_bytes() for path in gone.notes["rescued"]]
    assert sorted(kept) == [b"gone\n", b"x = x\n"]
    assert not (store.path / "kept" / bad).exists()


def test_which_is_the_only_open_one_is_not_guessed(tmp_path: Path) -> None:
    one, bad = (stage(tmp_path, letter) for letter in "ab")
    store = open_store(tmp_path)
    (store.path / "changes" / bad / "state.json").write_bytes(b"{")
    with pytest.raises(UnknownChangeError, match="cannot be told") as error:
        store.only_open()
    assert one in error.value.hint
    assert bad in error.value.hint
    assert store.load(one[:4]).id == one
    with pytest.raises(DamagedError):
        store.load(bad[:5])


def variants(value: Any) -> Iterator[Any]:
    """*value* with each of its parts in turn replaced by what has another type or range."""
    odd: list[Any] = [None, -1, 1 << 70, 2.5, True, "x", "\ud800", [], {}, [[]], "../../x", [None]]
    for other in odd:
        if type(other) is not type(value) or other in (-1, 1 << 70, "../../x", "\ud800"):
            yield other
    if isinstance(value, dict):
        for key in value:
            for one in variants(value[key]):
                yield {**value, key: one}
            yield {name: part for name, part in value.items() if name != key}
    if isinstance(value, list):
        for at in range(len(value)):
            for one in variants(value[at]):
                yield [*value[:at], one, *value[at + 1 :]]
            yield [*value[:at], *value[at + 1 :]]


@pytest.mark.parametrize("part", ["state.json", "change.json"])
def test_no_value_of_the_wrong_type_gets_further(memory: Path, part: str) -> None:
    """Also without the digest at the end, as a forged record may come with a tree."""
    root = memory / "root"
    root.mkdir()
    one, bad = (stage(root, letter) for letter in "ab")
    store = open_store(root)
    if part == "state.json":
        store.commit(bad)
    path = store.path / "changes" / bad / part
    sound = json_of(path)
    sound.pop("notes", None)
    notes = json_of(path).get("notes")
    tried = 0
    for value in variants(sound):
        if isinstance(value, dict) and notes is not None:
            value.setdefault("notes", notes)
        path.write_text(json.dumps(value))
        tried += 1
        changes, _ = store.survey()
        assert one in [change.id for change in changes]
        try:
            list(store.texts(bad))
            store.history()
            store.stale(bad)
        except StagingError:
            pass
    assert tried > 300


def test_an_id_cannot_lead_out_of_the_store(tmp_path: Path) -> None:
    write(tmp_path, {"victim/precious.txt": b"mine\n"})
    bad = stage(tmp_path, "b")
    store = open_store(tmp_path)
    path = store.path / "changes" / bad / "state.json"
    value = {**json_of(path), "state": "discarded"}
    for name in ("../../victim", "../kept", "/", ""):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**value, "id": name}))
        store.gc(keep=0, older_than=timedelta(0))
        assert (tmp_path / "victim/precious.txt").read_bytes() == b"mine\n"


def test_strangers_among_the_changes(tmp_path: Path) -> None:
    one = stage(tmp_path, "a")
    store = open_store(tmp_path)
    changes = store.path / "changes"
    (changes / "README").write_text("who put this here?")
    (changes / ".DS_Store").write_bytes(b"\0")
    (changes / ("n" * 250)).mkdir()
    assert [change.id for change in store.open_changes()] == [one]
    assert {named.id for named in store.survey()[1]} == {"README", "n" * 250}
    store.discard("README")
    store.discard("n" * 250)
    assert sorted(entry.name for entry in changes.iterdir()) == [one]
    store.commit(one)


def test_a_record_from_before_there_were_digests_in_it_is_read(tmp_path: Path) -> None:
    one = stage(tmp_path, "a")
    store = open_store(tmp_path)
    for part in ("state.json", "change.json"):
        path = store.path / "changes" / one / part
        path.write_text(json.dumps(json_of(path)))
    assert store.commit(one).state is State.COMMITTED


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"2\n", "is of version 2; this program knows 1"),
        (b"  17  ", "is of version 17; this program knows 1"),
        (b"garbage", "format is damaged: it holds 'garbage'"),
        (b"1.5", "format is damaged"),
        (b"-1", "format is damaged"),
        (b"0", "format is damaged"),
        (b"9" * 5000, "format is damaged"),
        (b"\xff\xfe", "format is damaged"),
        ("²".encode(), "format is damaged"),
    ],
)
def test_a_newer_store_is_told_from_a_damaged_one(tmp_path: Path, content: bytes, said: str) -> None:
    one = stage(tmp_path, "a")
    store = open_store(tmp_path)
    (store.path / "format").write_bytes(content)
    for call in (lambda: store.load(one), lambda: store.commit(one), store.open_changes, store.history):
        with pytest.raises(StoreError, match=said):
            call()
    (store.path / "format").write_bytes(b"1\n")
    assert store.commit(one)


def test_an_empty_format_is_written_again(tmp_path: Path) -> None:
    one = stage(tmp_path, "a")
    store: Store = open_store(tmp_path)
    (store.path / "format").write_bytes(b"")
    store.commit(one)
    assert (store.path / "format").read_bytes() == b"1\n"
    shutil.rmtree(store.path)
