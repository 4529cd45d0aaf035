"""Which files a selection means: ignore files as git reads them, links, odd names, and counts."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from structural.errors import UsageError
from structural.search.globs import Globs
from structural.search.values import Selection
from structural.search.walk import Walk, walk


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No ignore file of the user's own, and no repository around the tree."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty work tree, which is also the current folder."""
    root = tmp_path / "tree"
    root.mkdir()
    monkeypatch.chdir(root)
    git(root, "init", "-q")
    return root


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def put(root: Path, name: str, text: str = "x\n") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def found(*paths: str, **options: object) -> list[str]:
    return look(*paths, **options).files


def look(*paths: str, **options: object) -> Walk:
    return walk(Selection(paths or (".",), **options))  # type: ignore[arg-type]


def test_order_is_that_of_the_bytes_of_the_paths(tree: Path) -> None:
    for name in ("b.py", "a/z.py", "a.py", "a-b.py", "é.py", "Z.py", "a/b/c.py"):
        put(tree, name)
    assert found() == ["Z.py", "a-b.py", "a.py", "a/b/c.py", "a/z.py", "b.py", "é.py"]
    assert found() == sorted(found(), key=os.fsencode)


def test_nested_and_negated_ignore_files(tree: Path) -> None:
    put(tree, ".gitignore", "*.gen.py\n/build/\n!keep.gen.py\nsub/*.txt\n")
    put(tree, "sub/.gitignore", "!b.gen.py\nlocal.py\n")
    for name in ("a.gen.py", "keep.gen.py", "build/a.py", "sub/b.gen.py", "sub/a.gen.py", "sub/local.py"):
        put(tree, name)
    put(tree, "sub/build/a.py")
    put(tree, "sub/a.txt")
    assert found() == ["keep.gen.py", "sub/b.gen.py", "sub/build/a.py"]
    assert look().ignored == 5, "a.gen.py, build, sub/a.gen.py, sub/local.py, sub/a.txt"


def test_a_folder_that_is_ignored_cannot_be_reopened_by_a_file_in_it(tree: Path) -> None:
    put(tree, ".gitignore", "out/\n!out/keep.py\n")
    put(tree, "out/keep.py")
    assert found() == []


def test_exclude_file_and_global_excludes(tree: Path, tmp_path: Path) -> None:
    put(tree, "a.py")
    put(tree, "b.py")
    put(tree, "c.py")
    (tree / ".git/info").mkdir(exist_ok=True)
    (tree / ".git/info/exclude").write_text("a.py\n")
    put(tmp_path / "home", ".config/git/ignore", "b.py\n")
    assert found() == ["c.py"]
    assert found(no_ignore=True) == ["a.py", "b.py", "c.py"]


def test_ignore_files_of_other_tools_count_also_outside_of_git(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    put(root, ".ignore", "a.py\n")
    put(root, "a.py")
    put(root, "b.py")
    assert found(str(root)) == [str(root / "b.py")]


def test_the_rules_of_folders_above_count(tree: Path) -> None:
    put(tree, ".gitignore", "*.gen.py\n")
    put(tree, "sub/a.gen.py")
    put(tree, "sub/b.py")
    assert found("sub") == ["sub/b.py"]


def test_tracked_but_ignored_files_are_searched(tree: Path) -> None:
    put(tree, "out/tracked.py")
    put(tree, "deep/a.log.py")
    git(tree, "add", "-A")
    put(tree, ".gitignore", "out/\n*.log.py\n")
    put(tree, "out/other.py")
    put(tree, "deep/b.log.py")
    assert found() == ["deep/a.log.py", "out/tracked.py"]
    assert found("deep") == ["deep/a.log.py"]
    assert look().ignored == 2, "out (for what else it holds) and deep/b.log.py"
    (tree / "out/tracked.py").unlink()
    assert found() == ["deep/a.log.py"]


def test_tracked_but_ignored_in_a_repository_within(tree: Path) -> None:
    put(tree, "inner/a.py")
    git(tree / "inner", "init", "-q")
    git(tree / "inner", "add", "-A")
    put(tree, "inner/.gitignore", "a.py\n")
    assert found() == ["inner/a.py"]


def test_git_itself_is_never_entered(tree: Path) -> None:
    put(tree, ".git/hooks/a.py")
    put(tree, "sub/.git/b.py")
    for options in ({"hidden": True}, {"no_ignore": True, "hidden": True}):
        assert found(**options) == []


def test_hidden_files_only_if_asked_for(tree: Path) -> None:
    put(tree, ".a.py")
    put(tree, ".github/b.py")
    put(tree, "c.py")
    assert found() == ["c.py"]
    assert look().hidden == 2, ".a.py and .github"
    assert found(hidden=True) == [".a.py", ".github/b.py", "c.py"]
    assert found(".github") == [".github/b.py"]


def test_files_given_by_name_are_always_taken(tree: Path) -> None:
    put(tree, ".gitignore", "*.gen.py\n")
    put(tree, "a.gen.py")
    put(tree, ".h.py")
    put(tree, "b.txt")
    result = look("a.gen.py", ".h.py", "b.txt", globs=("*.py",))
    assert result.files == [".h.py", "a.gen.py", "b.txt"]
    assert result.named == {".h.py", "a.gen.py", "b.txt"}


def test_a_folder_given_by_name_is_searched_although_ignored(tree: Path) -> None:
    put(tree, ".gitignore", "node_modules/\n")
    put(tree, "node_modules/x/a.js")
    assert found() == []
    assert found("node_modules") == ["node_modules/x/a.js"]


@pytest.mark.parametrize(
    "paths", [(".", "."), (".", "a"), ("a", "."), ("a/b.py", "."), ("./a/b.py", "a/b.py"), ("a", "./a/")]
)
def test_a_file_that_is_reached_twice_comes_once(tree: Path, paths: tuple[str, ...]) -> None:
    put(tree, "a/b.py")
    assert found(*paths) == ["a/b.py"]


def test_links_are_counted_and_only_followed_if_asked_for(tree: Path) -> None:
    put(tree, "real/a.py")
    (tree / "real/loop").symlink_to("..")
    (tree / "again").symlink_to("real")
    (tree / "link.py").symlink_to("real/a.py")
    (tree / "nowhere.py").symlink_to("missing")
    plain = look()
    assert (plain.files, plain.links) == (["real/a.py"], 4)
    followed = look(follow=True)
    assert (followed.files, followed.links) == (["real/a.py"], 4)
    assert found("again") == ["again/a.py"]
    assert found("link.py") == ["link.py"]


def test_links_that_lead_out_of_the_tree_are_followed_once(tree: Path, tmp_path: Path) -> None:
    put(tmp_path, "outside/a.py")
    put(tmp_path, "outside/sub/b.py")
    (tmp_path / "outside/back").symlink_to(tree)
    (tree / "one").symlink_to(tmp_path / "outside")
    (tree / "two").symlink_to(tmp_path / "outside")
    (tree / "file.py").symlink_to(tmp_path / "outside/a.py")
    assert found(follow=True) == ["file.py", "one/sub/b.py"]
    assert found() == []


def test_many_crossed_links_end(tree: Path) -> None:
    for number in range(12):
        put(tree, f"d{number}/a.py")
    for number in range(12):
        for other in range(12):
            (tree / f"d{number}/to{other}").symlink_to(f"../d{other}")
    assert len(found(follow=True)) == 12


def test_a_path_that_does_not_exist_is_named(tree: Path) -> None:
    put(tree, "a.py")
    for path in ("nope", "a.py/b", ""):
        with pytest.raises(UsageError, match=repr(path)):
            found("a.py", path)
    (tree / "nowhere").symlink_to("missing")
    with pytest.raises(UsageError) as error:
        found("nowhere")
    assert "link" in error.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_a_folder_that_cannot_be_read_is_told(tree: Path) -> None:
    put(tree, "closed/a.py")
    put(tree, "b.py")
    (tree / "closed").chmod(0)
    try:
        result = look()
    finally:
        (tree / "closed").chmod(0o755)
    assert result.files == ["b.py"]
    assert [(skipped.path, skipped.reason) for skipped in result.skipped] == [("closed", "unreadable")]


def test_a_folder_that_cannot_be_read_is_told_also_to_root(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tree, "closed/a.py")
    put(tree, "b.py")
    real = os.scandir

    def scandir(path: str) -> object:
        if path == "closed":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    result = look()
    assert result.files == ["b.py"]
    assert [(skipped.path, skipped.detail) for skipped in result.skipped] == [("closed", "Permission denied")]


def test_names_that_are_no_utf8_and_odd_names(tree: Path) -> None:
    put(tree, ".gitignore", "ignored.py\n")
    os.makedirs(os.fsencode(tree) + b"/f\xff")
    for name in (b"b\xff.py", b"f\xff/in.py", b"new\nline.py", b"sp ace.py"):
        with open(os.fsencode(tree) + b"/" + name, "w"):
            pass
    put(tree, "ignored.py")
    assert [os.fsencode(path) for path in found()] == [
        b"b\xff.py",
        b"f\xff/in.py",
        b"new\nline.py",
        b"sp ace.py",
    ]


def test_a_pipe_is_a_file_here(tree: Path) -> None:
    os.mkfifo(tree / "a.py")
    assert found() == ["a.py"]


def test_a_tree_without_git_installed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tree, ".gitignore", "a.py\n")
    put(tree, "a.py")
    put(tree, "b.py")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert found() == ["b.py"]


@pytest.mark.parametrize(
    ("globs", "wanted"),
    [
        (("*.py",), ["a.py", "sub/b.py", "sub/deep/c.py"]),
        (("/*.py",), ["a.py"]),
        (("sub/",), ["sub/b.py", "sub/d.js", "sub/deep/c.py"]),
        (("sub",), ["sub/b.py", "sub/d.js", "sub/deep/c.py"]),
        (("sub/*",), ["sub/b.py", "sub/d.js", "sub/deep/c.py"]),
        (("**/deep/**",), ["sub/deep/c.py"]),
        (("sub/**/*.py",), ["sub/b.py", "sub/deep/c.py"]),
        (("*.{js,rs}",), ["sub/d.js"]),
        (("!sub",), ["a.py"]),
        (("*.py", "!sub/"), ["a.py"]),
        (("!sub", "d.js"), ["sub/d.js"]),
        (("[ab].py",), ["a.py", "sub/b.py"]),
        (("[!a].py",), ["sub/b.py", "sub/deep/c.py"]),
        (("?.js",), ["sub/d.js"]),
        (("a.py/",), []),
        ((r"\a.py",), ["a.py"]),
    ],
)
def test_globs(tree: Path, globs: tuple[str, ...], wanted: list[str]) -> None:
    for name in ("a.py", "sub/b.py", "sub/d.js", "sub/deep/c.py"):
        put(tree, name)
    assert found(globs=globs) == wanted
    assert found(str(tree), globs=globs) == [str(tree / name) for name in wanted]


def test_a_glob_does_not_bring_back_what_is_ignored(tree: Path) -> None:
    put(tree, ".gitignore", "a.py\n")
    put(tree, "a.py")
    assert found(globs=("*.py",)) == []


@pytest.mark.parametrize("glob", ["[", "[a", "a\\", "!", "", "/", "{a"])
def test_a_glob_that_cannot_be_read_is_named(glob: str) -> None:
    if glob == "{a":
        assert Globs.compile((glob,)).admits("{a"), "an open brace alone is itself"
        return
    with pytest.raises(UsageError, match="glob"):
        Globs.compile((glob,))


_RULES = (
    "a", "/a", "a/", "/a/", "*.py", "!a.py", "!*.py", "b/*", "b/**", "**/a", "a/**/b", "!b/", "build", "*",
    "/build/a.py", "!*/", "a*", "?", "[ab].py", "[!a].py", "\\#h", "\\!n", "x y", "a\\[b\\]", "*/a.py", "é",
    "#comment", "", "   ", "a.py ", "!foo.js", "**", "/**", "a/b", "!/a/b",
)  # fmt: skip
_NAMES = ("a", "b", "ab", "a.py", "b.py", "foo.js", "build", "x y", "a[b]", "#h", "!n", "é")


@pytest.mark.parametrize("seed", range(25))
def test_the_files_are_those_that_git_would_take(tree: Path, seed: int) -> None:
    chance = random.Random(seed)
    folders = [tree]
    for _ in range(chance.randint(3, 14)):
        path = chance.choice(folders) / chance.choice(_NAMES)
        if path.exists():
            continue
        if chance.random() < 0.45:
            path.mkdir()
            folders.append(path)
        else:
            path.write_text("x")
    if chance.random() < 0.5:
        git(tree, "add", "-A")
    for folder in folders:
        if folder == tree or chance.random() < 0.3:
            rules = [chance.choice(_RULES) for _ in range(chance.randint(1, 4))]
            (folder / ".gitignore").write_text("\n".join(rules))
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=tree, capture_output=True, check=True
    )
    wanted = {
        path for path in os.fsdecode(listed.stdout).split("\0") if path and path.split("/")[-1][0] != "."
    }
    assert found() == sorted(wanted, key=os.fsencode)
