"""The cache: never a wrong answer, whatever becomes of its file."""

from __future__ import annotations

import os
import pickle
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from structural.workflow.scanning import Wish, cache
from structural.workflow.scanning.cache import Cache, cache_of
from tests.scan.conftest import ROOT, RULES, Project


@pytest.fixture
def many(project: Project) -> Project:
    for number in range(20):
        project.put(
            f"f{number:02}.py", f"eval(x{number})\nprint({number})  # astgrep-ignore: no-print -- ok\n"
        )
    return project


def recalled(project: Project, **wish: object) -> int:
    _, summary = project.scan(wish=Wish(jobs=1, **wish))  # type: ignore[arg-type]
    return summary.recalled


def made() -> Cache:
    kept = cache_of("rules", ["python"])
    kept.choose([None])
    return kept


def file() -> Path:
    return Path(str(cache.cache_folder())) / f"scan-{cache.VERSION}.sqlite"


def test_a_second_scan_looks_at_nothing_and_says_the_same(many: Project) -> None:
    first, _ = many.scan()
    second, summary = many.scan()
    assert summary.recalled == 20
    assert [one.findings for one in first] == [one.findings for one in second]
    assert [one.source for one in first] == [one.source for one in second]


def test_only_what_changed_is_looked_at(many: Project) -> None:
    many.scan()
    many.put("f03.py", "eval(other)\n")
    assert recalled(many) == 19
    assert ("f03.py", 1, "no-eval") in many.found()


def test_rules_that_changed_are_run(many: Project) -> None:
    many.scan()
    many.put("rules/all.yml", RULES.replace("print($$$ARGS)", "printer($$$ARGS)"))
    assert recalled(many) == 0
    many.put("rules/all.yml", RULES)
    assert recalled(many) == 20


def test_a_message_that_changed_is_told(many: Project) -> None:
    many.scan()
    many.put("rules/all.yml", RULES.replace("`eval` of", "evil of"))
    files, _ = many.scan()
    assert files[0].findings[0].message == "evil of `x0`"


def test_a_severity_of_the_configuration_counts_at_once(many: Project) -> None:
    many.scan()
    many.configure('[scan.severity]\nno-eval = "hint"\n')
    files, summary = many.scan()
    assert summary.recalled == 20
    assert files[0].findings[0].severity == "hint"


def test_a_choice_of_rules_is_another_answer(many: Project) -> None:
    from structural.workflow.scanning import Choice

    many.scan()
    files, summary = many.scan(choice=Choice(ids=("no-print",)))
    assert summary.recalled == 0
    assert {one.rule for file in files for one in file.findings} == {"no-print"}


def test_globs_of_rules_are_part_of_the_key(many: Project) -> None:
    many.put("rules/all.yml", RULES + "files: ['f0*.py']\n")
    many.scan()
    text = "eval(same)\nprint(same)\n"
    many.put("f01.py", text)
    many.put("g01.py", text)
    many.scan()
    many.put("g02.py", text)
    found = [rule for path, _, rule in many.found() if path in ("f01.py", "g02.py")]
    assert found == ["no-eval", "no-print", "no-eval"]


def test_without_the_cache_nothing_is_kept(many: Project) -> None:
    many.scan(wish=Wish(jobs=1, cache=False))
    assert not file().exists()
    many.scan()
    assert recalled(many, cache=False) == 0


def test_keys_are_kept_with_the_answer(many: Project) -> None:
    plain, _ = many.scan(wish=Wish(jobs=1, keys=True))
    again, summary = many.scan(wish=Wish(jobs=1, keys=True))
    assert summary.recalled == 20
    assert [[one.key for one in file.findings] for file in plain] == [
        [one.key for one in file.findings] for file in again
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"this is no database at all" * 300,
        lambda data: data[: len(data) // 2],
        lambda data: data[:100] + bytes(4000) + data[4100:],
        lambda data: bytes(byte ^ 0x55 if at % 7 == 0 and at > 200 else byte for at, byte in enumerate(data)),
    ],
    ids=["empty", "text", "half", "hole", "noise"],
)
def test_a_damaged_file_costs_time_and_nothing_else(many: Project, damage: object) -> None:
    wanted, _ = many.scan()
    file().write_bytes(damage(file().read_bytes()))  # type: ignore[operator]
    for name in (f"{file()}-wal", f"{file()}-shm"):
        Path(name).unlink(missing_ok=True)
    for _ in range(3):
        found, _ = many.scan()
        assert [one.findings for one in found] == [one.findings for one in wanted]
    assert recalled(many) == 20, "it has healed"


def test_values_that_were_changed_are_not_believed(many: Project) -> None:
    wanted, _ = many.scan()
    with sqlite3.connect(file()) as connection:
        connection.execute("UPDATE kept SET value = (SELECT value FROM kept ORDER BY size LIMIT 1)")
    connection.close()
    found, summary = many.scan()
    assert [one.findings for one in found] == [one.findings for one in wanted]
    assert summary.recalled == 1, "the smallest value is that of a file, and not of the rules"


def test_a_folder_that_cannot_be_made_is_done_without(
    many: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").write_text("")
    monkeypatch.setenv("STRUCTURAL_CACHE_DIR", str(tmp_path / "plain" / "below"))
    assert recalled(many) == 0
    assert recalled(many) == 0


def test_what_is_old_or_too_much_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 50_000)
    kept = made()
    keys = [kept.key(b"%d" % number, "python", 0, keys=False) for number in range(40)]
    for key in keys:
        kept.put([(key, kept.value(os.urandom(2000).hex()))])
    today = int(time.time()) // 86_400
    with sqlite3.connect(file()) as connection:
        connection.execute("UPDATE kept SET day = ? WHERE key = ?", (today - 60, keys[-1]))
        connection.execute("UPDATE kept SET day = ? WHERE key = ?", (today - 2, keys[0]))
    connection.close()
    kept.close()
    total = sum(size for (size,) in sqlite3.connect(file()).execute("SELECT size FROM kept"))
    assert total <= 50_000
    assert kept.get(keys[-1]) is None, "it was not used for too long"
    assert kept.get(keys[0]) is None, "of the others it was not used for longest"
    assert kept.get(keys[-2]) is not None


def test_processes_may_use_it_together(many: Project) -> None:
    for number in range(150):
        many.put(f"g{number:03}.py", f"eval(y{number})\n")
    command = [sys.executable, "-m", "structural.cli.main", "scan", "--format", "concise"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    answers = [one.communicate() for one in running]
    assert {one.returncode for one in running} == {1}
    assert len({out for out, _ in answers}) == 1
    assert recalled(many) == 170


def test_a_cache_pickles_without_its_connection(tmp_path: Path) -> None:
    import pickle

    kept = made()
    kept.put([(kept.key(b"x", "python", 0, keys=False), kept.value([1]))])
    other = pickle.loads(pickle.dumps(kept))
    assert isinstance(other, Cache)
    assert other.get(other.key(b"x", "python", 0, keys=False)) == [1]


def test_compiled_rules_are_kept(many: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, before = many.scan()
    many.put("new.py", "eval(new)\n")

    def never(*arguments: object) -> None:
        raise AssertionError("the rules were compiled already")

    monkeypatch.setattr("structural.workflow.scanning.frozen.compiled", never)
    found, summary = many.scan()
    assert [one.findings for one in found[:-1]] == [one.findings for one in wanted]
    assert [one.rule for one in found[-1].findings] == ["no-eval"]
    assert summary.rules == before.rules
    many.put("a.js", "eval(x)\n")
    with pytest.raises(AssertionError, match="compiled already"):
        many.scan()


def test_problems_of_compiled_rules_are_kept_too(many: Project) -> None:
    many.put("rules/bad.yml", "id: bad\nlanguage: python\nrule: {pattern: 'def (('}\n")
    _, first = many.scan()
    _, second = many.scan()
    assert first.problems == second.problems
    assert [problem.rule for problem in second.problems] == ["bad"]


class _Evil:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch evil",)


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps((_Evil(), ())),
        pickle.dumps((Path("x"), ())),
        b"cstructural.workflow.scanning.writing\nwrite_whole\n(Vevil\nVx\ntR.",
        b"cstructural.syntax.registry\nos.system\n(Vtouch evil\ntR.",
        b"cstructural.rules.values\ndataclass\n(Vx\ntR.",
        b"cbuiltins\neval\n(V1\ntR.",
        pickle.dumps(1),
        b"\x80\x05garbage",
        b"",
    ],
)
def test_what_is_no_rule_is_not_made(data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from structural.workflow.scanning.frozen import thawed

    monkeypatch.chdir(tmp_path)
    assert thawed(data) is None
    assert not list(tmp_path.iterdir())


def test_the_salt_is_the_same_in_another_process() -> None:
    command = (
        "from structural.workflow.scanning.cache import cache_of;"
        "made = cache_of('r', ['python', 'javascript', 'html']);"
        "made.choose([frozenset({'a', 'b', 'c'})]);"
        "print(made.key(b'x', 'markdown', 0, keys=False).hex(), made.rules_key({'html', 'python'}).hex())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", command],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1
