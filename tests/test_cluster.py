"""A search on a cluster: a scheduler and two workers, each a process, on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from structural.errors import ClusterError
from structural.search import cluster as clusters
from structural.search import shard as shards
from structural.search.cluster import Cluster
from structural.search.scan import Results, search_paths
from structural.search.values import PatternSpec, Searched, Selection
from tests.cluster_work import Telling

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "from structural.cli.main import astgrep; import sys; sys.exit(astgrep())"
CASES = ROOT / "corpus"

pytestmark = pytest.mark.xdist_group("cluster")


@dataclass
class Running:
    address: str
    folder: Path

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", COMMAND, *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            env=_environment(),
            cwd=ROOT,
        )


def _environment() -> dict[str, str]:
    return os.environ | {
        "PYTHONPATH": str(ROOT),
        "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "1h",
    }


def _start(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    with (folder / f"{arguments[0]}.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            env=_environment(),
            cwd=folder,
            start_new_session=True,
        )


def _is_written(about: Path) -> bool:
    """Whether the scheduler has written all of its file."""
    try:
        return bool(json.loads(about.read_bytes()))
    except (OSError, ValueError):
        return False


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("cluster")
    about = folder / "scheduler.json"
    here = ["--host", "127.0.0.1"]
    started = [
        _start(
            folder,
            "scheduler",
            *here,
            "--port",
            "0",
            "--idle-timeout",
            "120",
            "--no-dashboard",
            "--scheduler-file",
            str(about),
        )
    ]
    worker = ["worker", "--scheduler-file", str(about), *here, "--nthreads", "1", "--memory-limit", "0"]
    worker += ["--death-timeout", "30"]
    started += [
        _start(folder, *worker, "--no-dashboard", "--nworkers", "2", "--local-directory", str(folder))
    ]
    try:
        end = time.monotonic() + 60
        while not _is_written(about) and time.monotonic() < end:
            time.sleep(0.05)
        with Client(scheduler_file=str(about), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield Running(address, folder)
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in started:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards of few files, so that there are many."""
    monkeypatch.setattr(clusters, "SHARD_FILES", 3)


def _allow(failures: int, dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = failures


def _told(results: Results) -> tuple[list[Any], dict[str, Any]]:
    found = list(results)
    summary = {name: getattr(results.summary, name) for name in results.summary.__slots__}
    for timed in ("seconds", "stages"):
        del summary[timed]
    return found, summary


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of several languages, some that cannot be searched among them."""
    folder = tmp_path_factory.mktemp("tree") / "tree"
    for language in sorted(CASES.iterdir()):
        for path in [path for path in sorted(language.rglob("*")) if path.is_file()][:2]:
            target = folder / path.relative_to(CASES)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    (folder / "binary.py").write_bytes(b"a\0b")
    (folder / "wide.py").write_bytes(b"\xff\xfea\0")
    (folder / "broken.py").write_text("def (:\n  print(1\n", encoding="utf-8")
    (folder / "large.py").write_text("print(1)\n" * 30_000, encoding="utf-8")
    (folder / "gone.py").symlink_to("nowhere.py")
    (folder / "odd \udcff.py").write_bytes(b"print(7)\n")
    return folder


@pytest.mark.parametrize(
    "pattern",
    ["print($X)", "if ($X != null) $X.dispose()", "$X == $X", "never_there($X, 1)"],
)
def test_the_answer_is_the_same_as_here(running: Running, tree: Path, small: None, pattern: str) -> None:
    spec, selection = PatternSpec(pattern), Selection((str(tree),), max_size=200_000)
    assert _told(search_paths(spec, selection, cluster=running.address)) == _told(
        search_paths(spec, selection)
    )


def test_the_answer_is_the_same_from_another_folder(
    running: Running, tree: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    spec, selection = PatternSpec("print($X)"), Selection((".",), max_size=200_000)
    assert _told(search_paths(spec, selection, cluster=running.address)) == _told(
        search_paths(spec, selection)
    )


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(
    running: Running, tree: Path, small: None
) -> None:
    spec, selection = PatternSpec("$F($$$A)"), Selection((str(tree),), max_size=200_000)
    expected = _told(search_paths(spec, selection))
    with Client(running.address, set_as_default=False) as client:
        victim = next(iter(client.run(os.getpid).values()))
        results = search_paths(spec, selection, cluster=running.address)
        found = []
        for result in results:
            found.append(result)
            if len(found) == 3:
                os.kill(victim, signal.SIGKILL)
        summary = {name: getattr(results.summary, name) for name in expected[1]}
        assert (found, summary) == expected
        assert any(isinstance(one, Searched) and one.matches for one in found[3:])
        client.wait_for_workers(2, timeout=30)


def test_a_file_over_which_workers_die_is_given_up_alone(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "SHARDS_LEFT", 1)
    files = [tmp_path / f"{number}.txt" for number in range(6)]
    for number, path in enumerate(files):
        path.write_text("die" if number == 2 else f"text {number}", encoding="utf-8")
    with Client(running.address, set_as_default=False) as client:
        client.run_on_scheduler(_allow, 0)  # each death costs a second
    runner = Cluster(running.address, Telling(tuple(map(str, files))))
    try:
        found = list(runner.run(range(6), "> "))
    finally:
        runner.close()
    with Client(running.address, set_as_default=False) as client:
        client.run_on_scheduler(_allow, 3)
    assert found == [(at, "> lost" if at == 2 else f"> text {at}") for at in range(6)]


def test_a_file_that_a_worker_sees_otherwise_is_told(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    for path in files:
        path.write_text("print(1)\n", encoding="utf-8")
    true = shards.mark_of
    monkeypatch.setattr(clusters, "mark_of", lambda path: (99, 5) if path.endswith("a.py") else true(path))
    results = search_paths(PatternSpec("print($X)"), Selection((str(tmp_path),)), cluster=running.address)
    found = list(results)
    assert [type(one).__name__ for one in found] == ["Skipped", "Searched"]
    assert results.summary.skipped == {"unreadable": 1}
    assert "sees it otherwise: 9 bytes there, 99 here" in results.summary.skipped_paths[0].detail
    assert results.summary.incomplete


def test_a_file_that_goes_before_it_is_sent_is_told_as_here(running: Running, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n", encoding="utf-8")
    results = search_paths(PatternSpec("print($X)"), Selection((str(tmp_path),)), cluster=running.address)
    (tmp_path / "a.py").unlink()
    assert [(one.reason, one.detail) for one in results] == [  # type: ignore[union-attr]
        ("unreadable", "No such file or directory")
    ]


def test_a_worker_that_is_made_of_something_else_is_named(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = shards.identity() | {"tree-sitter-python": "0.0.1"}
    true = shards.difference
    monkeypatch.setattr(clusters, "difference", lambda expected, found: true(ours, found))
    with pytest.raises(
        ClusterError, match=r"worker tcp://.* tree-sitter-python is .* there and 0\.0\.1 here"
    ):
        Cluster(running.address, Telling(()))
    # One that comes later is found out by the first shard that it is given.
    monkeypatch.setattr(Cluster, "_compare", lambda self: None)
    (tmp_path / "a").write_text("a", encoding="utf-8")
    runner = Cluster(running.address, Telling((str(tmp_path / "a"),)))
    runner._expected = ours
    try:
        with pytest.raises(ClusterError, match="is not fit"):
            list(runner.run([0], ""))
    finally:
        runner.close()


def test_a_run_that_is_left_early_cancels_the_rest(running: Running, tree: Path, small: None) -> None:
    results = search_paths(
        PatternSpec("$F($$$A)"), Selection((str(tree),)), cluster=running.address, max_count=1
    )
    list(results)
    assert results.summary.cut == "max-count"
    assert results.summary.matches == 1
    with Client(running.address, set_as_default=False) as client:
        end = time.monotonic() + 10
        while any(client.processing().values()) and time.monotonic() < end:
            time.sleep(0.05)
        assert not any(client.processing().values())


def test_no_scheduler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 0.3)
    for address in ("tcp://127.0.0.1:9", "http://127.0.0.1:9", "tls://127.0.0.1:9"):
        with pytest.raises(ClusterError, match="no scheduler answers at") as caught:
            Cluster(address, Telling(()))
        assert caught.value.hint
        assert caught.value.exit_code == 2


def test_the_command(running: Running) -> None:
    arguments = ["search", "if ($X != null) $X.dispose()", "corpus/javascript"]
    there, here = running.command(*arguments, "--cluster", running.address), running.command(*arguments)
    assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)
    assert here.returncode == 0


def test_the_extra_is_asked_for_only_where_it_is_needed() -> None:
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "from structural.cli.main import astgrep\n"
        "sys.argv[1:] = ['search', 'f(1)', 'corpus', '--count']\n"
        "first = astgrep()\n"
        "sys.argv += ['--cluster', 'tcp://127.0.0.1:9']\n"
        "sys.exit(10 * first + astgrep())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=_environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 12, done.stderr
    assert "needs the extra `cluster`" in done.stderr
    assert "pip install 'structural[cluster]'" in done.stderr
