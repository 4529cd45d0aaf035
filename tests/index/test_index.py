"""An index: the answers of a search without it, always fresh, and in nobody's way when it cannot be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from structural.cli.main import astgrep
from structural.errors import UsageError
from structural.search import recall
from structural.search.index import build as building
from structural.search.index import indexed, making
from structural.search.index.build import build, clean, drop, status, verify
from structural.search.index.folder import GRACE, folder_of, sweep
from structural.search.index.indexed import IndexMemory, open_index
from structural.search.memory import Memory
from structural.search.values import PatternSpec, Selection
from tests.memory_checks import put, same_with_index, settle

SPEC = PatternSpec("f($X)", ("python", "javascript", "html", "markdown"))
PLAIN = PatternSpec("$A == $A", ("python",))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    return tmp_path / "cache"


@pytest.fixture(params=["arrays", "no arrays"])
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A tree with an index, as the current folder; searched with arrays and without."""
    monkeypatch.setattr(recall, "arrays_are_here", lambda: request.param == "arrays")
    root = tmp_path / "tree"
    root.mkdir()
    monkeypatch.chdir(root)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    for number in range(8):
        put(root, f"a{number}.py", f"f({number})\nx == x\n")
    put(root, "sub/b.py", "f(1); g(2)\n")
    put(root, "sub/c.js", "f(3); h()\n")
    put(root, "sub/deep/d.py", "g(4) == g(4)\n")
    put(root, "build/e.py", "f(5)\n")
    put(root, "script", "#!/usr/bin/env python3\nf(7)\n")
    put(root, "notes.md", "```python\nf(8)\n```\n")
    put(root, "page.html", "<script>f(9)</script>\n")
    put(root, "broken.py", "f(10)\ndef (:\n")
    put(root, "binary.py", b"f(1)\0")
    put(root, "latin.py", b"f('\xe9')")
    put(root, "empty.py", "")
    put(root, ".gitignore", "build/\n")
    settle()
    build(str(root), jobs=1)
    settle()
    return root


def searched(spec: PatternSpec = SPEC, selection: Selection | None = None) -> IndexMemory:
    """One search as a process makes it, compared with one without the index, and what it used."""
    chosen = selection or Selection()
    index = open_index(chosen)
    assert index is not None
    same_with_index(spec, chosen, index)
    return index


def known(index: IndexMemory) -> int:
    """The files of its search that were found in the index as they are."""
    assert index._search is not None
    return sum(isinstance(kept, indexed.Indexed) for kept in index._search[3]._kept)


def test_a_tree_that_did_not_change_is_parsed_no_more(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = searched()
    assert known(index) == 18
    assert not index.save()
    told = status()
    assert told is not None
    assert (told.stale, told.gone, told.problem) == (0, 0, "")
    assert verify()[1] == []
    monkeypatch.setattr(making, "parse", lambda *_: pytest.fail("parsed"))
    assert build(str(tree), jobs=1).made == 0


@pytest.mark.parametrize(
    "selection",
    [
        Selection(("sub",)),
        Selection(("sub/b.py", "a1.py")),
        Selection(("../tree",)),
        Selection((".",), globs=("*.js",)),
        Selection((".",), no_ignore=True, hidden=True),
        Selection((".",), max_size=9),
        Selection(("sub", "."), follow=False),
    ],
)
def test_a_selection(tree: Path, selection: Selection) -> None:
    for spec in (SPEC, PLAIN, PatternSpec("no_such($X)", ("python",)), PatternSpec("f($X)")):
        searched(spec, selection)
    absolute = Selection(tuple(os.path.abspath(path) for path in selection.paths), selection.globs)
    searched(SPEC, absolute)
    os.symlink(tree, tree.parent / "link")
    searched(SPEC, Selection((str(tree.parent / "link"),)))


# --- freshness ----------------------------------------------------------------------------------


def _same_size(root: Path) -> None:
    before = (root / "a1.py").stat()
    put(root, "a1.py", "g(1)\nx == x\n")
    os.utime(root / "a1.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def _swapped(root: Path) -> None:
    put(root, "new.tmp", "g(1)\nx == y\n").replace(root / "a1.py")


def _folder_moved(root: Path) -> None:
    (root / "sub").rename(root / "other")


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda root: put(root, "a1.py", "g(1); f(2)\n"),
    "same size": _same_size,
    "swapped in": _swapped,
    "touched": lambda root: os.utime(root / "a1.py"),
    "new": lambda root: put(root, "sub/new.py", "f(11)\n"),
    "deleted": lambda root: (root / "a1.py").unlink(),
    "renamed": lambda root: (root / "a1.py").rename(root / "z.py"),
    "folder moved": _folder_moved,
    "ignored": lambda root: put(root, ".gitignore", "a1.py\n"),
    "now binary": lambda root: put(root, "a1.py", b"f(1)\0"),
    "now text": lambda root: put(root, "binary.py", "f(1)\n"),
    "another language": lambda root: put(root, "script", "#!/usr/bin/env node\nf(7)\n"),
    "broken": lambda root: put(root, "a1.py", "def (:\n"),
    "a link": lambda root: ((root / "a1.py").unlink(), (root / "a1.py").symlink_to("a2.py")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_and_taken_in(tree: Path, name: str) -> None:
    searched().save()
    CHANGES[name](tree)
    searched()
    index = searched()
    index.save()
    settle()
    searched().save()
    searched(PLAIN)
    last = searched()
    assert not last.save()
    told, problems = verify()
    assert problems == []
    assert told is not None
    assert told.stale == 0


def test_a_file_that_may_have_changed_within_a_tick_is_read_again(tree: Path) -> None:
    put(tree, "a1.py", "f(11)\n")
    searched().save()  # at once: what is written is not settled
    _same_size(tree)
    put(tree, "a1.py", "g(11)\n")
    searched()


def test_many_edits_do_not_make_it_grow(tree: Path) -> None:
    for number in range(40):
        put(tree, "a1.py", f"f({number})\n" * 20)
        searched(SPEC).save()
    told = status()
    assert told is not None
    assert told.blocks < 15
    folder = Path(told.folder)
    for path in (folder / "blocks").iterdir():
        os.utime(path, (0, time.time() - 2 * GRACE))
    put(tree, "a1.py", "f()\n")
    searched(SPEC).save()
    assert len(list((folder / "blocks").iterdir())) == told.blocks


def test_a_search_takes_in_what_it_can_in_its_time(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        put(tree, f"new{number}.py", "f(1)\n")
    monkeypatch.setattr(indexed, "SECONDS", -1.0)
    settle()
    left = []
    for _ in range(7):
        searched().save()
        told = status()
        assert told is not None
        left.append(told.stale)
    assert left == [5, 4, 3, 2, 1, 0, 0]


# --- what may be wrong with it --------------------------------------------------------------------


def files(cache: Path) -> list[Path]:
    return [path for path in sorted(cache.rglob("*")) if path.is_file() and path.name not in ("lock", "used")]


def test_damage_changes_no_answer_and_is_mended(tree: Path, cache: Path) -> None:
    searched().save()
    whole = {path: path.read_bytes() for path in files(cache)}
    assert len(whole) > 5
    told = 0
    for path, data in whole.items():
        for at in range(0, len(data), max(1, len(data) // 5)):
            for other in (data[:at], data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]):
                path.write_bytes(other)
                index = searched(PLAIN)
                searched(SPEC)
                told += bool(index.problems)
                path.write_bytes(data)
    assert told > 5
    for path, data in whole.items():
        path.write_bytes(data[: len(data) // 2])
        for _ in range(3):
            searched(PLAIN).save()
            searched(SPEC).save()
        build(str(tree), jobs=1)
        assert verify()[1] == []
        assert not searched().problems


def test_damage_is_told(
    tree: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (manifest,) = cache.rglob("manifest")
    manifest.write_bytes(manifest.read_bytes()[:-1])
    monkeypatch.setattr(sys, "argv", ["astgrep", "search", "f($X)", "--lang", "python", "-c"])
    assert astgrep() == 0
    first = capfd.readouterr()
    assert f"warning: the index of {tree} is damaged, and is built anew" in first.err
    assert astgrep() == 0
    second = capfd.readouterr()
    assert "warning" not in second.err
    assert second.out == first.out


@pytest.mark.parametrize("what", ["gone", "read only", "full"])
def test_a_search_goes_on_where_nothing_can_be_written(
    tree: Path, cache: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tree, "a1.py", "f(12)\n")
    if what == "gone":
        shutil.rmtree(cache)
        assert open_index(Selection()) is None
        return

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30 if what == "read only" else 28, "no")

    monkeypatch.setattr(making, "write", refuse)
    index = searched()
    assert not index.save()
    searched()
    with pytest.raises(UsageError, match="cannot be written"):
        build(str(tree), jobs=1)


def test_without_a_home_there_is_no_index(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert open_index(Selection()) is None
    with pytest.raises(UsageError, match="no cache folder"):
        build(".")


def test_what_another_grammar_or_version_made_is_made_anew(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexed, "origin", lambda language: f"another {language}")
    index = searched()
    assert known(index) == 2  # what is no text, whatever the grammar
    index.save()
    assert known(searched()) == 18
    monkeypatch.setattr(indexed.manifests, "VERSION", 99)
    index = searched()
    assert known(index) == 0
    index.save()


def test_another_process_may_take_blocks_away_or_drop_it(tree: Path) -> None:
    selection = Selection()
    index = open_index(selection)
    assert index is not None
    sweep(index.folder, set())  # nothing is old enough
    for path in Path(index.folder, "blocks").iterdir():
        path.unlink()
    same_with_index(SPEC, selection, index)
    assert not index.problems
    index.save()
    index = open_index(selection)
    assert index is not None
    assert drop() == str(tree)
    same_with_index(SPEC, selection, index)
    assert not index.save()
    assert open_index(selection) is None


def test_a_file_that_changes_while_it_is_searched(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = open_index(Selection())
    assert index is not None
    files = Memory._files

    def then_changed(self: Memory, *rest: object) -> object:
        found = files(self, *rest)  # type: ignore[arg-type]
        put(tree, "a1.py", "g(1); g(2); f(12345)\n")
        return found

    monkeypatch.setattr(Memory, "_files", then_changed)
    same_with_index(SPEC, Selection(), index)


def test_writers_do_not_wait_for_each_other_in_a_search(tree: Path) -> None:
    put(tree, "a1.py", "f(12)\n")
    index = searched()
    with indexed.locked(index.folder) as taken:
        assert taken
        assert not index.save()
        other = folder_of(str(tree))
        assert other is not None
        with indexed.locked(other) as again:
            assert not again
    assert index.save()


# --- many trees ---------------------------------------------------------------------------------


def test_the_innermost_tree_is_used(tree: Path) -> None:
    build("sub", jobs=1)
    index = open_index(Selection(("sub/deep",)))
    assert index is not None
    assert index.root == str(tree / "sub")
    outer = open_index(Selection(("sub", "a1.py")))
    assert outer is not None
    assert outer.root == str(tree)
    assert open_index(Selection(("..",))) is None
    assert open_index(Selection(("..", "sub"))) is None


def test_old_indexes_go(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    put(other, "a.py", "f(1)\n")
    build(str(other), jobs=1)
    assert clean() == []
    shutil.rmtree(other)
    assert clean() == [str(other)]
    monkeypatch.setattr(building, "SIZE", 1)
    put(other, "a.py", "f(1)\n")
    assert build(str(other), jobs=1).removed == [str(tree)]
    monkeypatch.setattr(building, "AGE", -1)
    assert clean() == [str(other)]


def test_building_in_processes_makes_the_same(tree: Path) -> None:
    for number in range(30):
        put(tree, f"more{number}.py", "f(1) == f(1)\n" * 6000)
    settle()
    assert build(str(tree), jobs=2).made == 30
    searched(PLAIN)
    assert verify()[1] == []


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def run(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["astgrep", *arguments])
        code = astgrep()
        told = capfd.readouterr()
        return code, told.out, told.err

    return call


def test_the_command(tree: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = run("index", "status")
    assert code == 0
    assert "18 files, 16 with columns" in out
    put(tree, "a1.py", "f(1, 2)\n")
    assert "changed or new since it was written: 1" in run("index", "status", "sub")[1]
    assert run("search", "f($X, $Y)", "--lang", "python")[1] == "a1.py:1:1: f(1, 2)\n"
    assert run("search", "f($X, $Y)", "--lang", "python", "--no-index")[1] == "a1.py:1:1: f(1, 2)\n"
    code, out, _ = run("index", "build", "--jobs", "1")
    assert code == 0
    assert out.startswith(f"{tree}: ")
    code, out, _ = run("index", "verify")
    assert (code, "everything in it is as the files are" in out) == (0, True)
    assert run("index", "drop")[1] == f"removed the index of {tree}\n"
    assert run("index", "drop")[0] == 1
    assert run("index", "status")[0] == 1
    assert run("index", "build", "no such folder")[0] == 2


def test_what_a_search_without_an_index_imports(tmp_path: Path) -> None:
    put(tmp_path, "one/a.py", "f(1)\n")
    script = (
        "import sys; sys.argv = ['astgrep', 'search', 'f($X)', 'one', '--lang', 'python'];"
        "from structural.cli.main import astgrep; code = astgrep();"
        "print([name for name in ('zstandard', 'numpy', 'structural.search.memory') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "one/a.py:1:1: f(1)\n[]\n"
