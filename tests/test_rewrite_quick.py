"""The quick way to rewrite a file, against the thorough one: the same answer for every case.

The quick way looks at what is around the matches only, copies what it wrote for matches that look
alike, and believes of sites that are alike what it found of one.  So every text stands here three
times in a row, too, and everything is done twice with what was remembered.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from structural.errors import StructuralError
from structural.pattern.compile import compile_pattern
from structural.rewrite import source as rewriting_one
from structural.rewrite.packing import pack, unpack
from structural.rewrite.source import Run, rewrite_source, search_and_rewrite
from structural.rewrite.template import compile_template
from structural.search import scan
from structural.search.values import PatternSpec, Selection
from structural.syntax import registry
from structural.syntax.parse import parse
from structural.syntax.parsed import Parsed
from structural.workflow import rewriting
from structural.workflow.rewriting import FileRewrite, RewriteSpec, plan_paths
from tests.cases_format import Case, read_case
from tests.cases_runner import options

CASES = Path(__file__).parent / "cases"
REWRITES = [path for path in sorted(CASES.rglob("*.md")) if read_case(path).one("rewrite") is not None]

every_rewrite = pytest.mark.parametrize(
    "path", REWRITES, ids=lambda path: path.relative_to(CASES).with_suffix("").as_posix()
)


def runs(case: Case) -> list[Run]:
    """The readings of a case's pattern with its rewrite."""
    pattern, rewrite = case.one("pattern"), case.one("rewrite")
    assert pattern is not None
    assert rewrite is not None
    compiled = compile_pattern(pattern.body, pattern.searched_as, **options(case))
    found = []
    at = 0
    while (reading := compiled.reading(at)) is not None:
        at += 1
        try:
            found.append(Run(reading, compile_template(rewrite.body, compiled, reading)))
        except StructuralError:
            continue
    return found


@every_rewrite
def test_the_quick_way_answers_as_the_thorough_one(path: Path) -> None:
    case = read_case(path)
    if case.reserved or case.one("error") is not None:
        return
    for before in case.every("before"):
        host, text = registry.resolve(before.searched_as), before.source()
        # What mended others is remembered, so each way has runs of its own.
        for slow, fast, alone in zip(runs(case), runs(case), runs(case), strict=True):
            language = slow.reading.language
            for source in [text, *[b"\n".join([text, text, text])] * 2]:
                wanted = rewrite_source(source, host, {language: slow}, thorough=True)
                assert rewrite_source(source, host, {language: fast}) == wanted
                assert unpack(source, pack(wanted)) == wanted
                found = search_and_rewrite(source, host, {language: alone})
                assert found.rewritten in (None, wanted)
                assert len(found.found) == wanted.matches


def test_there_are_rewrites() -> None:
    assert len(REWRITES) > 100


PYTHON = b"".join(
    b"def f%d(a, b):\n    # comment %d\n    x = [i for i in range(%d)]\n"
    b"    old(a, b + %d)\n    return {'k': x}\n" % (n, n, n, n)
    for n in range(30)
)


def compiled(pattern: str, rewrite: str, language: str) -> dict[str, Run]:
    made = compile_pattern(pattern, language)
    return {made.language: Run(made.first, compile_template(rewrite, made, made.first))}


def never(*arguments: object) -> None:
    raise AssertionError("this needs no thorough look")


def test_plain_sites_are_done_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    known = compiled("old($A, $B)", "new($B, $A)", "python")
    wanted = rewrite_source(PYTHON, "python", known, thorough=True)
    monkeypatch.setattr(rewriting_one._File, "_thoroughly", never)
    made = rewrite_source(PYTHON, "python", known)
    assert made == wanted
    assert len(made.sites) == 30
    run = known["python"]
    assert len(run.verdicts.good) < 5
    assert run.verdicts.known > 20
    assert any(run.template.pairings[0].stencils.values())


@pytest.mark.parametrize(
    ("pattern", "rewrite", "source"),
    [
        # What is beside the site decides, not the site.
        ("f($A)", "$A", b"f(x + y) + z\nf(x + y) * z\nf(x + y) ** z\n"),
        ("f($A)", "$A", b"a = f(b if c else d)\na = f(b if c else d) + 1\n"),
        ("f($A)", "-$A", b"x = f(a)\nx = f(a) ** b\nx = f(a)\n"),
        ("f($A, $B)", "g($B, $A)", b"f(a, b)\nf(a, *b)\nf(a, k=b)\nf(a, b)\nf(a, k=b)\n"),
        ("f($A)", "$A.x", b"y = f(a)\ny = f(1)\ny = f(1.)\ny = f(22)\ny = f(a)\n"),
        ("f($A)", "not$A", b"y = f(a)\ny = f((a))\ny = f(a)\ny = f((a))\n"),
        ("f($A)", "g($A)", b'y = f("a")\ny = f"{f(a)}"\ny = f("b")\n'),
        ("f($A)", 'g("x", $A)', b"y = f(a)\ny = f\"{f(a)}\"\ny = f(b)\ny = f'{f(a)}'\n"),
    ],
)
def test_sites_that_differ_in_what_counts_are_told_apart(pattern: str, rewrite: str, source: bytes) -> None:
    known, slow = compiled(pattern, rewrite, "python"), compiled(pattern, rewrite, "python")
    for text in (source, source * 3, source * 3):
        assert rewrite_source(text, "python", known) == rewrite_source(text, "python", slow, thorough=True)


def test_shut_nodes_are_those_away_from_the_places() -> None:
    at = PYTHON.index(b"old")
    columns = Parsed(PYTHON, "python").around([(at, at + 3)])
    whole = parse(PYTHON, "python")
    assert Parsed(PYTHON, "python").whole() == whole
    assert len(columns) < len(whole) / 4
    kept = {(columns.kind[i], columns.start[i], columns.end[i]) for i in range(len(columns))}
    assert kept <= {(whole.kind[i], whole.start[i], whole.end[i]) for i in range(len(whole))}
    assert columns.shut
    for kind, length, number, _ in columns.shut:
        alike = [
            i
            for i in range(len(columns))
            if (columns.kind[i], columns.end[i] - columns.start[i], columns.size[i]) == (kind, length, 1)
        ]
        assert alike
        assert number > 1
    for i, (start, end, size) in enumerate(zip(columns.start, columns.end, columns.size, strict=True)):
        assert size == 1 or (start <= at + 3 and end >= at), i
    for i, parent in enumerate(columns.parent):
        assert parent < 0 or parent < i < parent + columns.size[parent]


@pytest.mark.parametrize("source", [b"f(a\nold(1, 2)\n)(\n", b"x = = 1\nold(a, b)\n", b"old(a, b)\ny = )\n"])
def test_files_with_errors(source: bytes) -> None:
    known = compiled("old($A, $B)", "new($B, $A)", "python")
    assert Parsed(source, "python").around([(0, 0)]).errors == parse(source, "python").errors
    assert rewrite_source(source, "python", known) == rewrite_source(source, "python", known, thorough=True)


# --- over files -------------------------------------------------------------------------------------


SPEC = RewriteSpec(PatternSpec("old($A, $B)"), "new($B, $A)")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Many files, and a search that takes to processes at once."""
    monkeypatch.setattr(scan, "SERIAL_SECONDS", 0.0)
    monkeypatch.setattr(scan, "WORTH_SECONDS", -1.0)
    for number in range(40):
        name = f"f{number:03}.py"
        (tmp_path / name).write_bytes(
            b"# %d\n" % number + PYTHON[: 200 * (number % 5)] + b"old(%d, 1)\n" % number
        )
    (tmp_path / "g.js").write_bytes(b"old(a, b);\nold(a, old(b, c));\n")
    return tmp_path


def planned(
    tree: Path, jobs: int, spec: RewriteSpec = SPEC, max_count: int = 0
) -> tuple[list[object], object]:
    plans = plan_paths(spec, Selection((str(tree),)), jobs=jobs, max_count=max_count)
    found: list[object] = list(plans)
    plans.summary.search.seconds, plans.summary.search.stages = 0.0, {}
    return found, plans.summary


@pytest.mark.parametrize("max_count", [0, 7])
def test_processes_plan_the_same(tree: Path, max_count: int) -> None:
    found, summary = planned(tree, 1, max_count=max_count)
    assert found
    assert all(isinstance(one, FileRewrite) for one in found)
    assert planned(tree, 2, max_count=max_count) == (found, summary)


def test_a_process_that_dies_over_a_rewrite_loses_that_file_only(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rewriting.search_and_rewrite

    def dying(source: bytes, *arguments: object, **options: object) -> object:
        if source.startswith(b"# 7\n"):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(source, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(rewriting, "search_and_rewrite", dying)
    monkeypatch.setattr(scan, "search_file", None)
    plans = plan_paths(SPEC, Selection((str(tree),)), jobs=2)
    assert sum(isinstance(one, FileRewrite) for one in plans) == 40
    assert [Path(one.path).name for one in plans.summary.search.failed] == ["f007.py"]
