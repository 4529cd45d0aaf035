"""Searching files: order, readings, processes, failures, limits and the summary."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from structural.errors import ConstraintError, LanguageError, PatternError, UsageError
from structural.search import scan, worker
from structural.search.packing import pack, unpack
from structural.search.pool import Pool
from structural.search.scan import Results, search_paths
from structural.search.source import SourceResult, search_source
from structural.search.stream import search_stream
from structural.search.text import search_text
from structural.search.values import Failed, FileResult, PatternSpec, Refusal, Searched, Selection, Skipped
from structural.search.worker import Task


def put(root: Path, name: str, text: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def look(root: Path, pattern: str, *languages: str, **options: object) -> tuple[list[FileResult], Results]:
    results = search_paths(
        PatternSpec(pattern, languages),
        Selection((str(root),)),
        **options,  # type: ignore[arg-type]
    )
    return list(results), results


def places(found: list[FileResult]) -> list[tuple[str, int]]:
    return [
        (Path(result.path).name, match.span.start)
        for result in found
        if isinstance(result, Searched)
        for match in result.matches
    ]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are used from the first file on, and every chunk is small."""
    monkeypatch.setattr(scan, "SERIAL_SECONDS", 0.0)
    monkeypatch.setattr(scan, "WORTH_SECONDS", -1.0)
    monkeypatch.setattr("structural.search.pool.CHUNK_FILES", 3)


def numbered(root: Path, count: int = 40) -> None:
    for number in range(count):
        put(root, f"f{number:03}.py", f"x{number} == x{number}\ny == z\n" if number % 3 else "pass\n")


# --- order and processes ---------------------------------------------------------------------


def test_results_come_in_path_order_with_their_text(tmp_path: Path) -> None:
    numbered(tmp_path)
    found, results = look(tmp_path, "$X == $X")
    paths = [result.path for result in found]
    assert paths == sorted(paths)
    assert len(found) == 40
    summary = results.summary
    assert (summary.files, summary.searched, summary.matched, summary.matches) == (40, 40, 26, 26)
    assert summary.parsed == 26, "a file without the literal is not parsed"
    for result in found:
        assert isinstance(result, Searched)
        assert (result.source is not None) == bool(result.matches)


@pytest.mark.parametrize("jobs", [2, 3])
@pytest.mark.parametrize("pattern", ["$X == $X", "f($$$A)", "class $C: $$$B"])
def test_any_number_of_processes_answers_the_same(
    tmp_path: Path, eager: None, jobs: int, pattern: str
) -> None:
    numbered(tmp_path)
    put(tmp_path, "g.js", "f(1); f(2, g(3))\n")
    put(tmp_path, "h.dart", "class A { f(int x); }\n")
    one, first = look(tmp_path, pattern, jobs=1)
    many, second = look(tmp_path, pattern, jobs=jobs)
    assert one == many
    for summary in (first.summary, second.summary):
        summary.seconds, summary.stages = 0.0, {}
    assert first.summary == second.summary


def test_leaving_early_ends_the_processes(tmp_path: Path, eager: None) -> None:
    numbered(tmp_path, 60)
    results = search_paths(PatternSpec("$X == $X"), Selection((str(tmp_path),)), jobs=2)
    stream = iter(results)
    for _ in range(4):
        next(stream)
    assert results._pool is not None
    workers = list(results._pool._workers)
    pids = [worker.process.pid for worker in workers]
    assert pids
    stream.close()  # type: ignore[attr-defined]
    for pid in pids:
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# --- languages and readings --------------------------------------------------------------------


def test_every_language_of_the_tree_is_searched(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "f(1)\n")
    put(tmp_path, "b.js", "f(2)\n")
    put(tmp_path, "c.txt", "f(3)\n")
    put(tmp_path, "d", "#!/usr/bin/env python3\nf(4)\n")
    found, results = look(tmp_path, "f($X)")
    assert places(found) == [("a.py", 0), ("b.js", 0), ("d", 23)]
    assert results.summary.other_languages == 1
    assert {reading.language for reading in results.summary.readings} == {"python", "javascript"}


def test_code_in_some_languages_is_enough(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "x = 1\n")
    put(tmp_path, "b.js", "if (a) b();\n")
    found, results = look(tmp_path, "if ($X) $Y();")
    assert places(found) == [("b.js", 0)]
    assert results.summary.not_code == ["python"]
    assert results.summary.searched == 1
    assert results.summary.other_languages == 1


def test_code_in_none_is_an_error_with_every_attempt(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "x = 1\n")
    put(tmp_path, "b.js", "x = 1\n")
    with pytest.raises(PatternError) as error:
        look(tmp_path, "foo(((")
    refusals = error.value.attempts
    assert [one.language for one in refusals if isinstance(one, Refusal)] == ["javascript", "python"]
    assert all(one.attempts for one in refusals if isinstance(one, Refusal))


def test_languages_asked_for_take_usual_names_and_fail_at_once(tmp_path: Path) -> None:
    put(tmp_path, "a.js", "f(1)\n")
    assert places(look(tmp_path, "f($X)", "JS")[0]) == [("a.js", 0)]
    with pytest.raises(LanguageError):
        look(tmp_path, "f($X)", "nope")
    with pytest.raises(PatternError):
        look(tmp_path, "f(((", "python")
    with pytest.raises(ConstraintError):
        search_paths(PatternSpec("f($X)", where=("$$",)), Selection((str(tmp_path),)))
    with pytest.raises(UsageError):
        search_paths(PatternSpec("f($X)", strictness="odd"), Selection((str(tmp_path),)))


def test_a_file_given_by_name_takes_the_language_asked_for(tmp_path: Path) -> None:
    put(tmp_path, "a.odd", "f(1)\n")
    spec = PatternSpec("f($X)", ("python",))
    named = search_paths(spec, Selection((str(tmp_path / "a.odd"),)))
    assert places(list(named)) == [("a.odd", 0)]
    assert places(look(tmp_path, "f($X)", "python")[0]) == []


def test_no_file_of_a_known_language_is_no_error(tmp_path: Path) -> None:
    put(tmp_path, "a.txt", "f(1)\n")
    found, results = look(tmp_path, "f(((")
    assert found == []
    assert results.summary.files == 0
    assert results.summary.other_languages == 1


def test_embedded_languages_count_as_present(tmp_path: Path) -> None:
    put(tmp_path, "a.html", "<p>f(0)</p><script>f(1)</script>\n")
    put(tmp_path, "b.md", "Text f(0).\n\n```python\nf(2)\n```\n")
    found, results = look(tmp_path, "f($X)", "javascript", "python")
    assert places(found) == [("a.html", 19), ("b.md", 22)]
    found, results = look(tmp_path, "f($X)")
    names = {reading.language for reading in results.summary.readings}
    assert {"javascript", "python"} <= names
    assert "go" not in names, "no fence names it"


# In a Dart file `f(int x);` is a method of a class, and by the first reading a call.
_DART_CALL = "void main() { f(1); }\n"
_DART_MEMBER = "class A { A(this.x); }\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_next_reading_is_used_if_the_first_matches_nothing_anywhere(
    tmp_path: Path, eager: None, jobs: int
) -> None:
    for number in range(9):
        put(tmp_path, f"a{number}.dart", _DART_MEMBER)
    put(tmp_path, "b.py", "A(1)\n")
    found, results = look(tmp_path, "A($X)", jobs=jobs)
    readings = {reading.language: reading.rung for reading in results.summary.readings}
    assert readings["python"] == "statement"
    assert readings["dart"] != "statement"
    assert places(found) == [(f"a{number}.dart", 10) for number in range(9)] + [("b.py", 0)]
    assert [result.path for result in found] == sorted(result.path for result in found)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_reading_is_used_if_it_matches_in_the_last_file_only(
    tmp_path: Path, eager: None, jobs: int
) -> None:
    for number in range(9):
        put(tmp_path, f"a{number}.dart", _DART_MEMBER)
    put(tmp_path, "b.dart", "void main() { A(1); }\n")
    found, results = look(tmp_path, "A($X)", jobs=jobs)
    assert places(found) == [("b.dart", 14)]
    assert [reading.rung for reading in results.summary.readings] == ["statement"]
    assert len(found) == 10


def test_no_file_is_searched_twice_to_settle_a_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        put(tmp_path, f"a{number}.dart", _DART_MEMBER)
    put(tmp_path, "b.dart", "void main() { A(1); }\n")
    put(tmp_path, "c.dart", "void main() { A(1); }\n")
    seen: list[str] = []
    real = worker.search_file

    def counted(task: Task, at: int, choice: worker.Choice) -> FileResult:
        seen.append(task.files[at])
        return real(task, at, choice)

    monkeypatch.setattr(scan, "search_file", counted)
    found, _ = look(tmp_path, "A($X)")
    assert places(found) == [("b.dart", 14), ("c.dart", 14)]
    assert sorted(seen) == [result.path for result in found]


# --- what is not searched ------------------------------------------------------------------------


def test_what_was_skipped_is_counted_by_reason(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "f(1)\n")
    put(tmp_path, "b.py", b"f(1)\0")
    put(tmp_path, "c.py", "f('é')\n".encode("latin-1"))
    put(tmp_path, "d.py", "f(1)\n" * 100)
    os.mkfifo(tmp_path / "e.py")
    results = search_paths(PatternSpec("f($X)"), Selection((str(tmp_path),), max_size=100))
    found = list(results)
    summary = results.summary
    assert summary.skipped == {"binary": 1, "encoding": 1, "too large": 1, "not a file": 1}
    assert summary.files == 5
    assert summary.searched == 1
    assert summary.incomplete
    assert [Path(result.path).name for result in found] == ["a.py", "b.py", "c.py", "d.py", "e.py"]
    assert [type(result) for result in found[1:]] == [Skipped] * 4


def test_files_with_syntax_errors_are_searched_and_counted(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "f(1)\ndef (:\nf(2)\n")
    found, results = look(tmp_path, "f($X)")
    assert ("a.py", 0) in places(found)
    assert results.summary.syntax_error_files == 1


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("limit", "matches", "cut"), [(1, 1, True), (3, 3, True), (5, 5, False), (6, 5, False), (0, 5, False)]
)
def test_max_count_ends_the_search_and_says_so(
    tmp_path: Path, eager: None, jobs: int, limit: int, matches: int, cut: bool
) -> None:
    put(tmp_path, "a.py", "f(1); f(2)\n")
    put(tmp_path, "b.py", "g(1)\n")
    put(tmp_path, "c.py", "f(3); f(4); f(5)\n")
    found, results = look(tmp_path, "f($X)", jobs=jobs, max_count=limit)
    assert len(places(found)) == matches
    assert results.summary.matches == matches
    assert results.summary.cut == ("max-count" if cut else "")


# --- failures --------------------------------------------------------------------------------------


def failing(*names: str, how: Callable[[], None]) -> Callable[..., SourceResult]:
    def instead(source: bytes, host: str, readings: object, *, near: bool = False) -> SourceResult:
        if any(name.encode() in source for name in names):
            how()
        return search_source(source, host, readings, near=near)  # type: ignore[arg-type]

    return instead


def _raise() -> None:
    raise RecursionError("too deep")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_in_one_file_fails_that_file_only(
    tmp_path: Path, eager: None, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    numbered(tmp_path)
    monkeypatch.setattr(worker, "search_source", failing("x7 ", "x20 ", how=_raise))
    found, results = look(tmp_path, "$X == $X", jobs=jobs)
    assert [Path(one.path).name for one in results.summary.failed] == ["f007.py", "f020.py"]
    assert "RecursionError: too deep" in results.summary.failed[0].error
    assert len(found) == 40
    assert results.summary.matches == 24
    assert results.summary.incomplete


def test_a_killed_process_loses_only_the_file_that_killed_it(
    tmp_path: Path, eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbered(tmp_path)
    monkeypatch.setattr(worker, "search_source", failing("x7 ", "x8 ", "x37 ", how=_die))
    monkeypatch.setattr(scan, "search_file", _not_here)
    found, results = look(tmp_path, "$X == $X", jobs=2)
    assert [Path(one.path).name for one in results.summary.failed] == ["f007.py", "f008.py", "f037.py"]
    assert "signal 9" in results.summary.failed[0].error
    assert [result.path for result in found] == sorted(result.path for result in found)
    assert len(found) == 40
    assert results.summary.matches == 23


def _not_here(*arguments: object) -> FileResult:
    raise AssertionError("this file should have been searched by another process")


def test_a_process_that_is_killed_from_outside_is_replaced(tmp_path: Path, eager: None) -> None:
    numbered(tmp_path, 90)
    wanted, _ = look(tmp_path, "$X == $X")
    results = search_paths(PatternSpec("$X == $X"), Selection((str(tmp_path),)), jobs=2)
    found = []
    for at, result in enumerate(results):
        found.append(result)
        if at in (5, 20, 40):
            assert results._pool is not None
            for one in results._pool._workers:
                one.process.kill()
    assert found == wanted
    assert not results.summary.failed


def test_without_any_process_the_work_is_done_here(
    tmp_path: Path, eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbered(tmp_path)
    wanted, _ = look(tmp_path, "$X == $X")
    monkeypatch.setattr(Pool, "_start", lambda self: None)
    assert look(tmp_path, "$X == $X", jobs=4)[0] == wanted


def test_spawned_processes_answer_the_same(tmp_path: Path) -> None:
    numbered(tmp_path / "tree")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, threading\n"
        "from structural import PatternSpec, Selection, search_paths\n"
        "from structural.search import scan\n"
        "if __name__ == '__main__':\n"
        "    scan.SERIAL_SECONDS, scan.WORTH_SECONDS = 0.0, -1.0\n"
        "    other = threading.Event()\n"
        "    threading.Thread(target=other.wait, daemon=True).start()\n"
        "    results = search_paths(PatternSpec('$X == $X'), Selection((sys.argv[1],)), jobs=2)\n"
        "    print(sum(1 for _ in results), results.summary.matches, len(results.summary.failed))\n"
        "    other.set()\n"
    )
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "tree")],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("40 26 0\n", "")


def test_packing_leaves_nothing_out() -> None:
    source = "f(1, 'x', g(2)); f(); f(a)\n" * 3
    for pattern in ("f($$$A)", "$F($A)", '$F($A, "x", $$$B)', "f($$$)"):
        matches = search_text(pattern, source, "js").matches
        assert matches
        assert unpack(pack(matches)) == matches


# --- near misses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_near_misses_are_grouped_and_the_longest_agreement_comes_first(
    tmp_path: Path, eager: None, jobs: int
) -> None:
    for number in range(5):
        put(tmp_path, f"a{number}.py", "foo(1, bar, 3)\nother(x)\n")
    put(tmp_path, "b.py", "foo(1, 2, 4)\n")
    _, results = look(tmp_path, "foo(1, 2, 3)", jobs=jobs)
    near = results.summary.near_misses
    assert near[0].path.endswith("b.py")
    assert near[0].text == "foo(1, 2, 4)"
    assert (near[1].count, near[1].line) == (5, 1)
    assert near[1].path.endswith("a0.py")
    assert len(near) <= 5


def test_no_near_misses_where_something_matched(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "foo(1)\nfoo(2)\n")
    _, results = look(tmp_path, "foo(1)")
    assert results.summary.near_misses == []


# --- texts ------------------------------------------------------------------------------------------


def test_a_stream_is_answered_like_a_file() -> None:
    result, summary = search_stream(PatternSpec("f($X)"), b"f(1)\nf(2)\n", "py", "<stdin>")
    assert isinstance(result, Searched)
    assert len(result.matches) == summary.matches == 2
    assert summary.readings[0].language == "python"
    skipped, summary = search_stream(PatternSpec("f($X)"), b"f(\0)", "py", "<stdin>")
    assert skipped == Skipped("<stdin>", "binary", "a NUL byte near the start")
    assert summary.incomplete


def test_a_text_as_str_or_bytes_and_in_a_host() -> None:
    for source in ("f('é')", "f('é')".encode()):
        found = search_text("f($X)", source, "py")
        assert [match.binding("X") is not None for match in found] == [True]
        assert found.source == "f('é')".encode()
        assert found.reading == "statement"
        assert bool(found)
        assert len(found) == 1
    page = "<script>f(1)</script>"
    assert len(search_text("f($X)", page, "js", host="html")) == 1


def test_results_are_quick_to_give_for_a_small_tree(tmp_path: Path) -> None:
    numbered(tmp_path)
    began = time.perf_counter()
    _, results = look(tmp_path, "$X == $X", jobs=2)
    assert time.perf_counter() - began < 5
    assert results._pool is None, "no process is worth it"
    assert isinstance(results.summary.stages["search"], float)
    assert Failed("a", "b") == Failed("a", "b")
