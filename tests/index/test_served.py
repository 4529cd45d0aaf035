"""The index in a process that lives on: no parse for what it knows, and always the tree as it is now."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from structural.agent import Toolbox
from structural.search import recall
from structural.search.index.build import build
from structural.search.index.folder import folder_of
from structural.search.index.indexed import Indexed
from structural.search.index.mapped import Room
from structural.search.index.served import ServedIndex
from structural.search.memory import Memory
from structural.search.values import PatternSpec, Selection
from structural.workflow.remembering import memory_for
from tests.memory_checks import put, same_with_index, settle

SPECS = (
    PatternSpec("f($X)", ("python", "javascript")),
    PatternSpec("$A == $A", ("python",)),
    PatternSpec("no_such($X)", ("python",)),
)


@pytest.fixture(params=["arrays", "no arrays"])
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A tree with an index; searched with arrays and without."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(recall, "arrays_are_here", lambda: request.param == "arrays")
    root = tmp_path / "tree"
    for number in range(8):
        put(root, f"a{number}.py", f"f({number})\nx == x\n")
    put(root, "sub/b.js", "f(1); g(2)\n")
    put(root, "sub/binary.py", b"f(1)\0")
    settle()
    build(str(root), jobs=1)
    settle()
    return root


def searched(memory: Memory, root: Path) -> None:
    """Searches of all of the tree and of parts of it, compared with those without a memory."""
    for spec in SPECS:
        for part in ("", "sub", "a1.py"):
            if (root / part).exists():
                same_with_index(spec, Selection((str(root / part),)), memory)


def found_on_disk(memory: Memory, root: Path) -> int:
    """Files that are answered from the index as they are."""
    view = memory.recall(SPECS[0], Selection((str(root),)))[1]
    return sum(isinstance(kept, Indexed) for kept in view._kept)


def test_what_the_index_knows_is_not_kept_twice(tree: Path) -> None:
    searched(memory_for(str(tree)), tree)
    memory = memory_for(str(tree))
    assert isinstance(memory, ServedIndex)
    assert found_on_disk(memory, tree) == 10
    memory.warm(Selection((str(tree),)))
    assert not memory.shelf.files


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda root: put(root, "a1.py", "g(1); f(2)\n"),
    "touched": lambda root: os.utime(root / "a1.py"),
    "new": lambda root: put(root, "sub/new.py", "f(11)\n"),
    "deleted": lambda root: (root / "a1.py").unlink(),
    "a folder moved": lambda root: (root / "sub").rename(root / "other"),
    "replaced by a link": lambda root: ((root / "a1.py").unlink(), (root / "a1.py").symlink_to("a2.py")),
    "index built anew": lambda root: build(str(root), jobs=1),
    "index gone": lambda root: shutil.rmtree(folder_of(str(root)) or "?"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("warmed", [False, True])
def test_every_search_sees_the_tree_as_it_is(tree: Path, change: str, warmed: bool) -> None:
    memory = memory_for(str(tree))
    searched(memory, tree)
    CHANGES[change](tree)
    searched(memory, tree)
    if warmed:
        settle()
        memory.warm(Selection((str(tree),)))
    searched(memory, tree)
    put(tree, "a3.py", "f(1)\nf(2)\n")
    searched(memory, tree)


def test_an_edit_costs_one_file(tree: Path) -> None:
    memory = memory_for(str(tree))
    put(tree, "a1.py", "g(1); f(2)\n")
    settle()
    searched(memory, tree)
    assert found_on_disk(memory, tree) == 9


def test_a_block_that_is_damaged_or_gone_is_done_without(tree: Path) -> None:
    for wrong in (lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-30])):
        memory = memory_for(str(tree))
        for block in Path(folder_of(str(tree)) or "?", "blocks").iterdir():
            wrong(block)
        searched(memory, tree)
        searched(memory, tree)
        build(str(tree), jobs=1)


def test_a_damaged_manifest_is_no_index(tree: Path) -> None:
    Path(folder_of(str(tree)) or "?", "manifest").write_bytes(b"x")
    memory = memory_for(str(tree))
    assert not isinstance(memory, ServedIndex)
    searched(memory, tree)


def test_the_index_of_a_tree_around_it_serves(tree: Path) -> None:
    memory = memory_for(str(tree / "sub"))
    assert isinstance(memory, ServedIndex)
    same_with_index(SPECS[0], Selection((str(tree / "sub"),)), memory)


def test_threads_share_it_while_there_is_no_room(tree: Path) -> None:
    memory = memory_for(str(tree))
    assert isinstance(memory, ServedIndex)
    memory._room = Room(0)
    wrong: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                searched(memory, tree)
        except BaseException as problem:
            wrong.append(problem)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(10):
        os.utime(tree / f"a{number % 8}.py")
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_toolbox_begins_with_it_and_never_writes_it(tree: Path) -> None:
    folder = Path(folder_of(str(tree)) or "?")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    box = Toolbox(str(tree), jobs=1)
    first = box.call("ast_grep", {"pattern": "f($X)"})
    assert first["matches"] == 9
    assert isinstance(box._bench.memory, ServedIndex)
    put(tree, "a1.py", "g(1)\n")
    assert box.call("ast_grep", {"pattern": "f($X)"})["matches"] == 8
    assert Toolbox(str(tree), memory=0).call("ast_grep", {"pattern": "f($X)"})["matches"] == 8
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
