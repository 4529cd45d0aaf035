"""A memory between searches: always fresh, the same answers, bounded, shared by threads."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from structural.errors import UsageError
from structural.search import freshness, recall, scan
from structural.search.memory import Memory
from structural.search.values import PatternSpec, Searched, Selection
from structural.syntax import registry
from structural.syntax.language import Grammar, Language, Skeleton
from structural.workflow.rewriting import RewriteSpec, plan_paths
from tests.memory_checks import answer, put, same, settle

SPEC = PatternSpec("f($X)", ("python", "javascript", "html", "markdown"))


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A work tree with files of several languages, some of them ignored, as the current folder."""
    root = tmp_path / "tree"
    root.mkdir()
    monkeypatch.chdir(root)
    git(root, "init", "-q")
    for number in range(8):
        put(root, f"a{number}.py", f"f({number})\n")
    put(root, "sub/b.py", "f(1); g(2)\n")
    put(root, "sub/c.js", "f(3); h()\n")
    put(root, "sub/deep/d.py", "g(4)\n")
    put(root, "build/e.py", "f(5)\n")
    put(root, "kept.log.py", "f(6)\n")
    put(root, "script", "#!/usr/bin/env python3\nf(7)\n")
    put(root, "notes.md", "```python\nf(8)\n```\n")
    put(root, "page.html", "<script>f(9)</script>\n")
    put(root, "broken.py", "f(10)\ndef (:\n")
    put(root, ".gitignore", "build/\n*.log.py\n")
    git(root, "add", "a0.py", "a7.py", ".gitignore")
    return root


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def warmed(selection: Selection) -> Memory:
    """A memory that knows everything of a selection."""
    settle()
    memory = Memory()
    memory.warm(selection)
    same(SPEC, selection, memory)
    return memory


# --- what may change ------------------------------------------------------------------------------


def _same_size(root: Path) -> None:
    """Other contents of the same size, with the time of the contents set back."""
    path = root / "a1.py"
    before = path.stat()
    path.write_text("g(1)\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _same_size_through_a_link(root: Path) -> None:
    other = root.parent / "other.py"
    os.link(root / "a1.py", other)
    other.write_text("g(1)\n")


def _replaced_by_a_link(root: Path) -> None:
    (root / "a1.py").unlink()
    (root / "a1.py").symlink_to("a2.py")


def _replaced_by_a_folder(root: Path) -> None:
    (root / "a1.py").unlink()
    put(root, "a1.py/z.py", "f(11)\n")


def _folder_replaced_by_a_link(root: Path) -> None:
    shutil.move(root / "sub", root.parent / "moved")
    (root / "sub").symlink_to(root.parent / "moved")


def _folder_swapped(root: Path) -> None:
    """Another folder in place of one, with files of the same names and sizes."""
    put(root.parent, "other/b.py", "g(1); f(2)\n")
    shutil.move(root / "sub", root.parent / "moved")
    shutil.move(root.parent / "other", root / "sub")


def _swapped_by_rename(root: Path) -> None:
    put(root, "new.tmp", "g(1)\n")
    os.replace(root / "new.tmp", root / "a1.py")


def _two_files_change_places(root: Path) -> None:
    os.rename(root / "a1.py", root / "t")
    os.rename(root / "a2.py", root / "a1.py")
    os.rename(root / "t", root / "a2.py")


def _global_excludes(root: Path) -> None:
    put(root.parent / "home", ".config/git/ignore", "a3.py\n")


def _global_excludes_of_the_configuration(root: Path) -> None:
    put(root.parent, "mine", "a4.py\n")
    put(root.parent / "home", ".gitconfig", f"[core]\n\texcludesFile = {root.parent / 'mine'}\n")


def _nested_repository(root: Path) -> None:
    put(root, "sub/.gitignore", "deep/\n")
    git(root / "sub", "init", "-q")


def _another_language(root: Path) -> None:
    registry.add(
        Language(
            name="toy-python",
            grammar=Grammar(module="tree_sitter_python"),
            suffixes=(".toy",),
            skeletons=(Skeleton("statement"), Skeleton("expression")),
        )
    )


CHANGES: dict[str, Callable[[Path], object]] = {
    "nothing": lambda root: None,
    "edited": lambda root: put(root, "a1.py", "f(1)\nf(2)\n"),
    "edited, same size and time": _same_size,
    "edited under another name": _same_size_through_a_link,
    "touched": lambda root: os.utime(root / "a1.py"),
    "written as it was": lambda root: put(root, "a1.py", "f(1)\n"),
    "deleted": lambda root: (root / "a1.py").unlink(),
    "new": lambda root: put(root, "sub/deep/n.py", "f(12)\n"),
    "new folder": lambda root: put(root, "sub/deep/er/n.py", "f(12)\n"),
    "new language": lambda root: put(root, "n.go", "package p\nfunc g() { f(1) }\n"),
    "renamed": lambda root: os.rename(root / "a1.py", root / "z1.py"),
    "renamed to another language": lambda root: os.rename(root / "a1.py", root / "a1.js"),
    "folder renamed": lambda root: os.rename(root / "sub", root / "zub"),
    "folder gone": lambda root: shutil.rmtree(root / "sub"),
    "replaced by a link": _replaced_by_a_link,
    "replaced by a folder": _replaced_by_a_folder,
    "replaced by a pipe": lambda root: ((root / "a1.py").unlink(), os.mkfifo(root / "a1.py")),
    "folder replaced by a link": _folder_replaced_by_a_link,
    "folder swapped": _folder_swapped,
    "swapped by rename": _swapped_by_rename,
    "two files change places": _two_files_change_places,
    "binary": lambda root: put(root, "a1.py", b"f(1)\0\n"),
    "not UTF-8": lambda root: put(root, "a1.py", b"f(1) # \xff\n"),
    "unreadable": lambda root: (root / "a1.py").chmod(0),
    "folder unreadable": lambda root: (root / "sub").chmod(0),
    "ignore file edited": lambda root: put(root, ".gitignore", "a2.py\n"),
    "ignore file of the same size": lambda root: put(root, ".gitignore", "a2.py/\n*.log.p\n"),
    "ignore file gone": lambda root: (root / ".gitignore").unlink(),
    "nested ignore file": lambda root: put(root, "sub/.gitignore", "b.py\n"),
    "ignore file that is not git's": lambda root: put(root, "sub/.ignore", "b.py\n"),
    "exclude file": lambda root: put(root, ".git/info/exclude", "a5.py\n"),
    "global excludes": _global_excludes,
    "global excludes of the configuration": _global_excludes_of_the_configuration,
    "ignore file above": lambda root: put(root.parent, ".ignore", "a6.py\n"),
    "ignored file tracked": lambda root: git(root, "add", "-f", "kept.log.py", "build/e.py"),
    "repository gone": lambda root: shutil.rmtree(root / ".git"),
    "nested repository": _nested_repository,
    "script of another language": lambda root: put(root, "script", "#!/usr/bin/env node\nf(7)\n"),
    "script no more": lambda root: put(root, "script", "f(7)\n"),
    "other fences": lambda root: put(root, "notes.md", "```go\nf(8)\n```\n"),
    "other script": lambda root: put(root, "page.html", "<script>g(9)</script>\n"),
    "another language": _another_language,
}


@pytest.fixture(autouse=True)
def _languages(monkeypatch: pytest.MonkeyPatch) -> object:
    before = dict(registry._extra)
    yield
    if registry._extra != before:
        registry._extra.clear()
        registry._extra.update(before)
        for cached in (registry._all, registry._aliases, registry._suffixes, registry._filenames):
            cached.cache_clear()


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_tree_is_seen(tree: Path, change: str) -> None:
    put(tree, "t.toy", "f(13)\n")
    selections = [
        Selection(),
        Selection((str(tree), "sub"), no_ignore=True),
        Selection(("sub",), hidden=True),
    ]
    memory = warmed(selections[0])
    before = [same(SPEC, one, memory) for one in selections]
    first = [answer(SPEC, one, memory) for one in selections]
    try:
        CHANGES[change](tree)
        for one, old, results in zip(selections, first, before, strict=True):
            again = same(SPEC, one, memory) if os.path.exists(one.paths[-1]) else None
            if again is not None and answer(SPEC, one)[:2] != old[:2]:
                assert again.fingerprint != results.fingerprint, "another answer, the same fingerprint"
        settle()
        for one in selections:
            if os.path.exists(one.paths[-1]):
                same(SPEC, one, memory)
                same(PatternSpec("g($X)"), one, memory)
    finally:
        for name in ("sub", "a1.py"):
            if (tree / name).exists():
                (tree / name).chmod(0o755)


def test_a_file_that_git_forgets_is_ignored_again(tree: Path) -> None:
    git(tree, "add", "-f", "kept.log.py")
    memory = warmed(Selection())
    assert "kept.log.py" in [result.path for result in answer(SPEC, Selection(), memory)[0]]
    git(tree, "rm", "-q", "--cached", "kept.log.py")
    assert "kept.log.py" not in [r.path for r in answer(SPEC, Selection(), memory)[0]]
    same(SPEC, Selection(), memory)


def test_an_included_configuration_is_looked_at(tree: Path) -> None:
    home = tree.parent / "home"
    put(home, ".gitconfig", "[include]\n\tpath = more\n")
    memory = warmed(Selection())
    put(home, "more", f"[core]\n\texcludesFile = {home / 'ignored'}\n")
    put(home, "ignored", "a2.py\n")
    git(tree, "add", "-f", "build/e.py")
    same(SPEC, Selection(), memory)
    settle()
    put(home, "ignored", "a3.py\n")
    same(SPEC, Selection(), memory)


@pytest.mark.parametrize("tick", [1, 4_000_000, 2_000_000_000])
def test_writes_within_one_tick_of_the_clock_are_seen(
    tree: Path, monkeypatch: pytest.MonkeyPatch, tick: int
) -> None:
    """Same size, the time set back, at once: what the signature cannot tell must be read."""
    of = freshness.signature

    def coarse(about: os.stat_result) -> freshness.Signature:
        modified, changed, *others = of(about)
        return (modified // tick * tick, changed // tick * tick, *others)

    monkeypatch.setattr(freshness, "signature", coarse)
    memory = warmed(Selection())
    path = tree / "a1.py"
    prints: dict[str, bytes] = {}
    for number in range(60):
        text = b"f(1)\n" if number % 2 else b"g(1)\n"
        path.write_bytes(text)
        os.utime(path, ns=(10**18, 10**18))
        found, _, results = answer(SPEC, Selection(("a1.py",)), memory)
        one = found[0]
        assert isinstance(one, Searched)
        assert len(one.matches) == number % 2
        assert prints.setdefault(results.fingerprint, text) == text


def test_random_changes(tree: Path) -> None:
    """Many changes one after another, each followed by searches of a memory that is half warm."""
    chance = random.Random(5)
    memory = Memory()
    specs = [SPEC, PatternSpec("g($X)", ("python",)), PatternSpec("f($X); g($Y)"), PatternSpec("h()")]
    for step in range(60):
        names = sorted(str(path.relative_to(tree)) for path in tree.rglob("*.py") if path.is_file())
        name = chance.choice(names)
        match chance.randrange(6):
            case 0:
                put(tree, name, chance.choice(["f(1)\n", "g(1)\n", "f(g(2))\n", "f(1\n"]))
            case 1:
                put(tree, f"sub/{chance.randrange(5)}/n{step}.py", "f(1); g(2)\n")
            case 2 if len(names) > 3:
                (tree / name).unlink()
            case 3:
                os.rename(tree / name, tree / f"r{step}.py")
            case 4:
                put(tree, ".gitignore", chance.choice(["build/\n", "*.log.py\n", f"{name}\n"]))
            case _:
                pass
        if chance.random() < 0.2:
            settle()
        if chance.random() < 0.2:
            memory.warm(Selection())
        same(chance.choice(specs), Selection(), memory)


# --- answers ----------------------------------------------------------------------------------------


def test_what_did_not_change_is_neither_read_nor_parsed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = warmed(Selection(globs=("*.py",)))
    selection = Selection(globs=("*.py",))
    spec = PatternSpec("f($X)", ("python",))
    plain = answer(spec, selection)[:2]

    def never(*_: object, **__: object) -> None:
        raise AssertionError("read, parsed, walked or compiled")

    for name in ("read.read_file", "memory.read_file", "recall.parse", "recall.search_source", "memory.walk"):
        if not name.startswith("memory.walk"):
            monkeypatch.setattr(f"structural.search.{name}", never)
    same_again = answer(spec, selection, memory)
    assert same_again[:2] == plain
    monkeypatch.setattr("structural.search.memory.compile_all", never)
    assert answer(spec, selection, memory)[:2] == plain


def test_the_fingerprint_is_there_before_the_answer_and_stays(tree: Path) -> None:
    memory = warmed(Selection())
    one = scan.search_paths(SPEC, Selection(), memory=memory)
    two = scan.search_paths(SPEC, Selection(), memory=Memory())
    assert one.fingerprint
    assert one.fingerprint == two.fingerprint, "it does not depend on what is known"
    list(one)
    assert answer(SPEC, Selection(), memory)[2].fingerprint == one.fingerprint
    assert answer(SPEC, Selection(("sub",)), memory)[2].fingerprint != one.fingerprint
    assert not answer(SPEC, Selection())[2].fingerprint


@pytest.mark.parametrize("count", [1, 3, 100])
def test_a_count_cuts_as_without_a_memory(tree: Path, count: int) -> None:
    same(SPEC, Selection(), warmed(Selection()), max_count=count)


@pytest.mark.parametrize("size", [1, 6, 100])
def test_a_limit_of_size_counts_for_what_is_kept_too(tree: Path, size: int) -> None:
    memory = warmed(Selection())
    same(SPEC, Selection(max_size=size), memory)
    same(SPEC, Selection(), memory)


def test_the_same_code_is_found_however_it_is_laid_out(tree: Path) -> None:
    same_code = [
        "a == a",
        "f( a ) == f(a)",
        "(f(a,  # c\n b) == f(a, b))",
        "f(a, \\\n b) == f(a, b)",
        "g(a,) == g(a)",
    ]
    other = ["a == b", "f(a) == f(b)", "f('a b') == f('ab')", "(a) == a", "f(a, b) == f(a)"]
    for number, text in enumerate([*same_code, *other]):
        put(tree, f"same/{number}.py", f"{text}\n" * 3)
    memory = warmed(Selection(("same",)))
    spec = PatternSpec("$X == $X", ("python",))
    assert same(spec, Selection(("same",)), memory).summary.matched >= 4
    assert memory.shelf.files[str(tree / "same/2.py")].place is not None


def test_a_header_is_of_the_language_that_is_asked_for(tree: Path) -> None:
    put(tree, "h.h", "int f(int x) { return f(1); }\n")
    selection = Selection(("h.h", "."))
    memory = warmed(selection)
    for _ in range(3):
        for languages in (("c",), ("cpp",), ("cpp", "python"), ("c", "cpp")):
            same(PatternSpec("f($X)", languages), selection, memory)
            same(PatternSpec("nothing($X)", languages), selection, memory)


def test_after_an_edit_only_what_changed_is_searched(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    selection = Selection(("a1.py", "a2.py", "sub/b.py"))
    memory = warmed(selection)
    same(SPEC, selection, memory)
    put(tree, "a1.py", "f(1)\nf(2)\n")
    searched: list[bytes] = []
    real = recall.search_source

    def watched(source: bytes, *arguments: object, **options: object) -> object:
        searched.append(source)
        return real(source, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(recall, "search_source", watched)
    monkeypatch.setattr(recall, "matches", None)
    found = answer(SPEC, selection, memory)[0]
    assert set(searched) == {b"f(1)\nf(2)\n"}
    assert found == answer(SPEC, selection)[0]


def test_links_are_followed(tree: Path) -> None:
    (tree / "sub" / "up").symlink_to("..")
    (tree / "other.py").symlink_to("a1.py")
    selection = Selection(follow=True)
    memory = warmed(selection)
    same(SPEC, selection, memory)
    put(tree, "sub/deep/d.py", "f(1)\n")
    same(SPEC, selection, memory)


def test_an_error_is_the_same_and_nothing_is_remembered_of_it(tree: Path) -> None:
    memory = warmed(Selection())
    for spec, selection in (
        (PatternSpec("f(("), Selection()),
        (PatternSpec("f()", ("nolang",)), Selection()),
        (SPEC, Selection(("gone",))),
    ):
        messages = []
        for kept in (None, memory, memory):
            with pytest.raises(Exception) as problem:  # noqa: PT011 - whatever it is, it is the same
                answer(spec, selection, kept)
            messages.append((type(problem.value), str(problem.value)))
        assert len(set(messages)) == 1
    put(tree, "gone", "#!/usr/bin/env python3\nf(1)\n")
    settle()
    same(SPEC, Selection(("gone",)), memory)
    same(SPEC, Selection(("gone",)), memory)
    (tree / "gone").unlink()
    with pytest.raises(UsageError):
        answer(SPEC, Selection(("gone",)), memory)


@pytest.mark.parametrize("jobs", [2, 3])
def test_processes_search_what_is_cold(tree: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr(scan, "SERIAL_SECONDS", 0.0)
    monkeypatch.setattr(scan, "WORTH_SECONDS", -1.0)
    for number in range(30):
        put(tree, f"many/m{number:02}.py", f"f({number})\n" if number % 3 else "g()\n")
    settle()
    memory = Memory()
    memory.warm(Selection(("sub",)))
    plain, plain_summary, _ = answer(SPEC, Selection())
    for _ in range(4):
        found, summary, _ = answer(SPEC, Selection(), memory, jobs=jobs)
        assert (found, summary) == (plain, plain_summary)
    memory.warm(Selection())
    results = answer(SPEC, Selection(("many",)), memory, jobs=jobs)[2]
    assert results._pool is None, "nothing was cold"


def test_a_rewrite_is_planned_with_a_memory(tree: Path) -> None:
    memory = warmed(Selection())
    spec = RewriteSpec(PatternSpec("f($X)", ("python",)), "h($X)")
    plain = list(plan_paths(spec, Selection()))
    assert list(plan_paths(spec, Selection(), memory=memory)) == plain
    put(tree, "a1.py", "f(99)\n")
    assert list(plan_paths(spec, Selection(), memory=memory)) == list(plan_paths(spec, Selection()))


# --- threads and bounds -------------------------------------------------------------------------------


def test_threads_share_a_memory(tree: Path) -> None:
    for number in range(60):
        put(tree, f"many/m{number}.py", f"f({number})\ng({number} == {number})\n" * 30)
    settle()
    memory = Memory()
    specs = [SPEC, PatternSpec("g($X)"), PatternSpec("$A == $A"), PatternSpec("f($X); g($Y)")]
    plain = {spec: answer(spec, Selection())[:2] for spec in specs}
    wrong: list[str] = []

    def work(number: int) -> None:
        for turn in range(8):
            spec = specs[(number + turn) % len(specs)]
            if answer(spec, Selection(), memory)[:2] != plain[spec]:
                wrong.append(spec.pattern)

    stopped = threading.Event()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    threads.append(threading.Thread(target=memory.warm, args=(Selection(), stopped.is_set)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_warming_stops_when_it_is_told(tree: Path) -> None:
    settle()
    memory = Memory()
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    memory.warm(Selection(), stop)
    assert len(memory.shelf.files) == 3
    same(SPEC, Selection(), memory)


@pytest.mark.parametrize("limit", [0, 3_000, 20_000, 60_000])
def test_a_memory_never_weighs_more_than_its_limit(tree: Path, limit: int) -> None:
    for number in range(40):
        put(tree, f"many/m{number}.py", f"f({number})\n" * 40)
    settle()
    memory = Memory(limit)
    for selection in (Selection(), Selection(("sub",)), Selection(("many",)), Selection()) * 2:
        same(SPEC, selection, memory)
        assert memory.weight <= limit
        memory.warm(selection)
        assert memory.weight <= limit


def test_what_was_not_used_longest_goes_first(tree: Path) -> None:
    for folder in ("one", "two"):
        for number in range(20):
            put(tree, f"{folder}/m{number}.py", f"f({number})\n" * 200)
    settle()
    memory = Memory()
    memory.warm(Selection(("one",)))
    memory = Memory(int(memory.weight * 1.5))
    for folder in ("one", "two", "one"):
        memory.warm(Selection((folder,)))
        kept = {Path(path).parent.name for path in memory.shelf.files}
        assert folder in kept
        assert len(kept) == 1
        same(SPEC, Selection((folder,)), memory)


def test_edited_files_do_not_make_it_grow(tree: Path) -> None:
    memory = warmed(Selection())
    sizes = []
    for number in range(40):
        put(tree, f"a{number % 8}.py", f"f({number})\n")
        same(SPEC, Selection(), memory)
        memory.warm(Selection())
        sizes.append(memory.weight)
    assert max(sizes) < 2 * sizes[0]
    assert len(memory.shelf.blocks) < 30
