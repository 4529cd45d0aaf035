"""Against git: a revision as the baseline, changed files, staged contents."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from structural.errors import UsageError
from structural.workflow.scanning import Wish
from tests.scan.conftest import Project
from tests.scan.test_baseline import edit, shown, start, write


@pytest.fixture
def repo(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    project.git("init", "-q", "-b", "main", ".")
    project.put("a.py", "def f():\n    eval(old)\n")
    project.put("b.py", "def g():\n    eval(other)\n")
    project.put("same.py", "eval(same)\n")
    project.git("add", ".")
    project.git("commit", "-qm", "one")
    return project


def against(revision: str = "HEAD", **more: object) -> Wish:
    return Wish(jobs=1, baseline=revision, **more)  # type: ignore[arg-type]


def test_nothing_changed_is_nothing_new(repo: Project) -> None:
    files, summary = repo.scan(wish=against())
    assert not files
    assert (summary.findings, summary.unchanged) == (0, 3)


def test_only_what_is_new_against_a_revision(repo: Project) -> None:
    repo.put("a.py", "import os\n\ndef f():\n    eval(old)\n    eval(new)\n")
    repo.put("c.py", "eval(fresh)\n")
    assert repo.found(wish=against()) == [("a.py", 5, "no-eval"), ("c.py", 1, "no-eval")]
    _, summary = repo.scan(wish=against())
    assert (summary.known, summary.unchanged, summary.scanned) == (1, 2, 2)


def test_a_renamed_file_is_not_new(repo: Project) -> None:
    (repo.folder / "sub").mkdir()
    repo.git("mv", "same.py", "sub/moved.py")
    assert repo.found(wish=against()) == []
    (repo.folder / "a.py").rename(repo.folder / "z.py")  # git does not know of this one
    assert repo.found(wish=against()) == []


def test_a_function_that_moved_is_not_new(repo: Project) -> None:
    repo.put("a.py", "")
    repo.put("b.py", "def g():\n    eval(other)\n\n\ndef f():\n    eval(old)\n")
    assert repo.found(wish=against()) == []


def test_an_older_revision_and_a_tag(repo: Project) -> None:
    repo.git("tag", "before")
    repo.put("a.py", "def f():\n    eval(old)\n    eval(new)\n")
    repo.git("commit", "-qam", "two")
    assert repo.found(wish=against()) == []
    for name in ("before", "HEAD~1", repo.git("rev-parse", "before").strip()):
        assert repo.found(wish=against(name)) == [("a.py", 3, "no-eval")]


def test_the_work_tree_and_the_index_are_left_alone(repo: Project) -> None:
    repo.put("a.py", "def f():\n    eval(new)\n")
    before = repo.git("status", "--porcelain"), (repo.folder / ".git/index").read_bytes()
    repo.found(wish=against())
    repo.found(wish=Wish(staged=True))
    assert (repo.git("status", "--porcelain"), (repo.folder / ".git/index").read_bytes()) == before


def test_a_revision_that_is_none_is_told(repo: Project) -> None:
    for name in ("no-such", "--output=x", "-h", "HEAD:a.py", ""):
        if not name:
            continue
        with pytest.raises(UsageError, match="git knows no revision"):
            repo.scan(wish=against(name))


def test_a_revision_is_not_written_as_a_file(repo: Project) -> None:
    with pytest.raises(UsageError, match="is a revision of git"):
        repo.scan(wish=against("main", update=True))
    assert not (repo.folder / "main").exists()
    repo.scan(wish=against("known", update=True))
    assert (repo.folder / "known").is_file()


def test_a_folder_with_the_name_of_a_branch_is_no_file(repo: Project) -> None:
    repo.git("branch", "rules")
    assert repo.found(wish=against("rules")) == []


def test_outside_of_git_it_is_told(project: Project) -> None:
    with pytest.raises(UsageError, match="no work tree of git"):
        project.scan(wish=against())


def test_since_a_revision_only_changed_files_are_scanned(repo: Project) -> None:
    repo.git("checkout", "-qb", "topic")
    repo.put("a.py", "def f():\n    eval(old)\n\n")
    repo.git("commit", "-qam", "two")
    repo.put("c.py", "eval(x)\n")
    found = repo.found(wish=Wish(since="main"))
    assert found == [("a.py", 2, "no-eval"), ("c.py", 1, "no-eval")]


def test_since_counts_from_where_the_branches_parted(repo: Project) -> None:
    repo.git("checkout", "-qb", "topic")
    repo.put("a.py", "def f():\n    eval(new)\n")
    repo.git("commit", "-qam", "two")
    repo.git("checkout", "-q", "main")
    repo.put("b.py", "eval(theirs)\n")
    repo.git("commit", "-qam", "three")
    repo.git("checkout", "-q", "topic")
    assert repo.found(wish=Wish(since="main")) == [("a.py", 2, "no-eval")]


def test_staged_is_what_is_in_the_index(repo: Project) -> None:
    repo.put("a.py", "eval(staged)\n")
    repo.git("add", "a.py")
    repo.put("a.py", "pass\n")
    repo.put("b.py", "eval(not_staged)\n")
    (file,), _ = repo.scan(wish=Wish(staged=True))
    assert file.source == b"eval(staged)\n"
    assert [one.rule for one in file.findings] == ["no-eval"]


def test_a_file_in_conflict_is_not_passed_over(repo: Project) -> None:
    repo.put("a.py", "pass\n")
    repo.git("add", "a.py")
    repo.git("commit", "-qm", "base")
    repo.git("checkout", "-q", "-b", "other")
    repo.put("a.py", "eval(other)\n")
    repo.git("commit", "-qam", "other")
    repo.git("checkout", "-q", "-")
    repo.put("a.py", "eval(this)\n")
    repo.git("commit", "-qam", "this")
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "other")
    with pytest.raises(UsageError, match="in conflict"):
        repo.found(wish=Wish(staged=True))
    assert [one[1] for one in repo.found() if one[0] == "a.py"] == [2, 4]


def test_a_staged_file_that_is_gone_from_the_tree_is_scanned(repo: Project) -> None:
    repo.put("new.py", "eval(x)\n")
    repo.git("add", "new.py")
    (repo.folder / "new.py").unlink()
    assert repo.found(wish=Wish(staged=True)) == [("new.py", 1, "no-eval")]
    assert repo.found("sub", wish=Wish(staged=True)) == [] if repo.put("sub/x.txt", "") else False


def test_staged_with_processes_and_limits(repo: Project) -> None:
    for number in range(40):
        repo.put(f"many/f{number:02}.py", f"eval(x{number})\n")
    repo.git("add", ".")
    serial = repo.found(wish=Wish(jobs=1, staged=True, cache=False))
    assert len(serial) == 40
    from structural.search import work

    patch = pytest.MonkeyPatch()
    with patch.context() as changed:
        changed.setattr(work, "SERIAL_SECONDS", 0.0)
        changed.setattr(work, "WORTH_SECONDS", -1.0)
        assert repo.found(wish=Wish(jobs=2, staged=True, cache=False)) == serial


def test_staged_against_a_revision(repo: Project) -> None:
    repo.put("a.py", "def f():\n    eval(old)\n    eval(new)\n")
    repo.git("add", "a.py")
    assert repo.found(wish=against(staged=True)) == [("a.py", 3, "no-eval")]


def test_before_the_first_commit(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.git("init", "-q", ".")
    project.put("a.py", "eval(x)\n")
    project.git("add", "a.py")
    assert project.found(wish=Wish(staged=True)) == [("a.py", 1, "no-eval")]


def test_from_a_folder_below_the_top(repo: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.put("sub/c.py", "eval(x)\n")
    repo.put("a.py", "eval(changed)\n")
    repo.git("add", ".")
    monkeypatch.chdir(repo.folder / "sub")
    assert repo.found(wish=against()) == [("c.py", 1, "no-eval")]
    assert repo.found(wish=Wish(staged=True)) == [("c.py", 1, "no-eval")]
    assert repo.found("..", wish=Wish(staged=True)) == [("../a.py", 1, "no-eval"), ("c.py", 1, "no-eval")]


def test_names_that_are_hostile(repo: Project) -> None:
    names = ["-x.py", "a b.py", "new\nline.py", 'quote".py', "é☃.py", "tab\t.py", "a:b.py"]
    for name in names:
        repo.put(name, "eval(x)\n")
    os.close(os.open(os.fsencode(str(repo.folder)) + b"/\xff.py", os.O_CREAT | os.O_WRONLY))
    (repo.folder / os.fsdecode(b"\xff.py")).write_bytes(b"eval(x)\n")
    found = {path for path, _, _ in repo.found(wish=against())}
    assert found == {*names, os.fsdecode(b"\xff.py")}
    repo.git("add", ".")
    assert {path for path, _, _ in repo.found(wish=Wish(staged=True))} == found
    assert {path for path, _, _ in repo.found(wish=against(staged=True))} == found


def test_links_and_submodules_are_no_files(repo: Project, tmp_path: Path) -> None:
    (repo.folder / "link.py").symlink_to("a.py")
    inner = tmp_path / "inner"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    repo.git("-C", str(inner), "commit", "-q", "--allow-empty", "-m", "x")
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(inner), "module")
    repo.git("add", ".")
    assert repo.found(wish=Wish(staged=True)) == []
    assert repo.found(wish=against()) == []


def test_the_index_that_a_hook_names_is_the_one(repo: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.put("a.py", "eval(in_the_other)\n")
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo.folder / ".git/other"))
    repo.git("read-tree", "HEAD")
    repo.git("add", "a.py")
    assert repo.found(wish=Wish(staged=True)) == [("a.py", 1, "no-eval")]
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert repo.found(wish=Wish(staged=True)) == []


@pytest.mark.parametrize("seed", range(8))
def test_after_random_edits_only_what_they_added_is_new(repo: Project, seed: int) -> None:
    chance = random.Random(seed)
    code = start(chance)
    write(repo, code)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "start")
    for _ in range(20):
        edit(code, chance)
    write(repo, code)
    wanted = {text.removeprefix("y = ") for text in code.added}
    assert shown(repo, against()) == wanted
    repo.git("add", "-A")
    assert shown(repo, against()) == wanted, "now git knows of what was renamed"
    assert shown(repo, against(staged=True)) == wanted
