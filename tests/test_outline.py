"""What each language defines: the cases below ``outline/``, the corpus, and what holds for all outlines.

A case is one Markdown file a language: a text of it, and the outline that is expected, a line a
definition.  ``--update-cases`` writes what was found; read it.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from structural.errors import UsageError
from structural.search.values import Selection, Skipped
from structural.syntax import registry
from structural.syntax.defining import Trail, definers, names_in
from structural.syntax.grammar import load_named
from structural.syntax.language import SORTS
from structural.syntax.outline import Definition, Outline, narrowed, outline
from structural.syntax.parse import parse
from structural.text import LineIndex
from structural.text.regexes import Bounded
from structural.workflow.outlining import (
    Outlined,
    OutlineMemory,
    narrowing,
    outline_paths,
    outline_text,
)

ROOT = Path(__file__).resolve().parent.parent
CASES = Path(__file__).parent / "outline"
CORPUS = sorted(path for path in (ROOT / "corpus").glob("*/*") if path.is_file())

_BLOCKS = re.compile(
    r"\A# (.+)\n\n(````?)(\w+) file\n(.*?)^\2\n\2text outline\n(.*?)^\2\n\Z", re.DOTALL | re.MULTILINE
)


def shown(found: Outline, source: bytes) -> str:
    """One line a definition: its lines, its sort, its name, what it belongs to, and its head."""
    lines = LineIndex(source)
    rows = []
    for one in found.definitions:
        first, last = lines.line(one.span.start), lines.line(max(one.span.start, one.span.end - 1))
        place = f"{first}" if first == last else f"{first}-{last}"
        language = f" ({one.language})" if one.language != found.language else ""
        owner = f" of {one.owner}" if one.owner else ""
        rows.append(f"{place:<7}{'  ' * one.depth}{one.sort} {one.name}{owner}{language}: {one.head}\n")
    return "".join(rows)


def check(found: Outline) -> None:
    """What holds for every outline."""
    before = (-1, 0)
    for at, one in enumerate(found.definitions):
        assert one.span.holds(one.name_span), one
        assert one.name.strip(), one
        assert one.head, one
        assert "\n" not in one.head + one.name, one
        assert one.sort in SORTS, one
        place = (one.span.start, -one.span.end)
        assert place >= before, one
        before = place
        if one.parent < 0:
            assert one.depth == 0, one
        else:
            above = found.definitions[one.parent]
            assert one.parent < at, one
            assert above.span.holds(one.span), (above, one)
            assert one.depth == above.depth + 1, (above, one)


@pytest.mark.parametrize("language", registry.kept())
def test_what_a_language_defines(language: str, update_cases: bool) -> None:
    path = CASES / f"{language}.md"
    text = path.read_text(encoding="utf-8")
    case = _BLOCKS.match(text)
    assert case, f"{path} is no title, file and outline"
    title, fence, named, body, wanted = case.groups()
    assert named == language, f"{path} is about {named}"
    source = body.encode()
    found = outline(source, language)
    check(found)
    assert not found.syntax_errors, f"{path}: the file is no valid {language}"
    made = shown(found, source)
    if update_cases and made != wanted:
        path.write_text(
            f"# {title}\n\n{fence}{language} file\n{body}{fence}\n{fence}text outline\n{made}{fence}\n"
        )
    else:
        assert made == wanted


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_what_the_corpus_defines(path: Path, update_cases: bool) -> None:
    source = path.read_bytes()
    found = outline(source, registry.language_of_path(str(path)) or "")
    check(found)
    made = shown(found, source)
    golden = CASES / "corpus" / f"{path.name}.txt"
    if update_cases:
        golden.write_text(made, encoding="utf-8")
    assert made == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_file_that_is_cut_off_has_an_outline(path: Path) -> None:
    """Broken code gives what is there; no invariant falls."""
    source = path.read_bytes()
    language = registry.language_of_path(str(path)) or ""
    for part in range(1, 12):
        cut = source[: len(source) * part // 12]
        check(outline(cut.decode("utf-8", "ignore").encode(), language))
        check(outline(source[len(cut) :].decode("utf-8", "ignore").encode(), language))


def test_what_is_before_and_behind_an_error_is_there() -> None:
    source = b"def first(): pass\nclass (:\ndef last(): pass\n"
    found = outline(source, "python")
    assert found.syntax_errors
    assert {"first", "last"} <= {one.name for one in found.definitions}


def test_empty_and_odd_texts() -> None:
    for language in registry.kept():
        for source in (b"", b"\n", b"\xef\xbb\xbf", b"}{", "größe\r\n".encode()):
            check(outline(source, language))


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("c", "int " + ",".join(f"a{n}" for n in range(8000)) + ";"),
        ("javascript", "var " + ",".join(f"a{n}={n}" for n in range(8000)) + ";"),
        ("go", "package p\nconst (\n" + "".join(f"A{n} = {n}\n" for n in range(8000)) + ")\n"),
        ("rust", "".join(f"#[a]\nfn f{n}() {{}}\n" for n in range(8000))),
        ("bash", "a=1 && " * 4000 + "b=2\n"),
    ],
)
def test_the_cost_is_that_of_the_size(language: str, source: str) -> None:
    """What was quadratic took more than ten seconds."""
    began = time.process_time()
    check(outline(source.encode(), language))
    assert time.process_time() - began < 5


# --- the data -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", registry.kept())
def test_the_grammar_has_what_the_rules_name(language: str) -> None:
    about, grammar = registry.get(language), load_named(language)
    assert about.defines, f"{language} has no rules"
    kinds = set(about.levels | about.wrappers | about.annotations)
    fields: set[str] = set()
    for rule in about.defines:
        assert rule.sort in SORTS
        kinds |= {*rule.kind.split(), *rule.inside.split()}
        for path in (rule.name, rule.where, rule.word, rule.owner, rule.body, rule.joined):
            for what, name in names_in(path):
                if path != "@body":  # the default, also where there is no such field
                    (fields if what == "field" else kinds).add(name)
    missing = sorted(kind for kind in kinds if not grammar.has(kind))
    assert not missing, f"the grammar of {language} has no kinds {', '.join(missing)}"
    missing = sorted(field for field in fields if not grammar.field(field))
    assert not missing, f"the grammar of {language} has no fields {', '.join(missing)}"


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_the_trail_is_the_way_from_the_root(path: Path) -> None:
    language = registry.language_of_path(str(path)) or ""
    columns, rules = parse(path.read_bytes(), language), definers(language)
    trail = Trail(columns, rules)
    for node in range(0, len(columns), 3):
        trail.go(node)
        way = [node]
        while columns.parent[way[-1]] >= 0:
            way.append(columns.parent[way[-1]])
        assert trail.path == way[::-1]


def test_a_language_without_rules_has_general_ones() -> None:
    pytest.importorskip("tree_sitter_language_pack")
    assert outline(b"module m;\nendmodule\n", "verilog").general == ("verilog",)
    found = outline(b"struct S { a: i32 }\nfn f() { let x = 1; }\n", "wgsl")
    assert [(one.sort, one.name) for one in found.definitions if one.depth == 0] == [
        ("struct", "S"),
        ("function", "f"),
    ]


TAIL = {
    "cmake": ("function(foo a)\nendfunction()\n", "function foo"),
    "cuda": ("__global__ void k(int *a) { }\nstruct S { int a; };\n", "function k, struct S, field a"),
    "elm": ("f x = x\ntype T = A\n", "function f, type T, member A"),
    "erlang": ("f(0) -> 1;\nf(X) -> X.\nf(X, Y) -> X.\n", "function f, function f"),
    "fsharp": ("module M\nlet f x = x\n", "module M, function f"),
    "graphql": ("type T { a(x: Int): Int }\nenum E { A }\n", "type T, field a, enum E, member A"),
    "ini": ("[s]\na = 1\n", "section s, key a"),
    "julia": (
        "struct S{T}\n  a::T\nend\nf(x) = x\nfunction g(x)::Int\nend\n",
        "struct S, function f, function g",
    ),
    "make": ("A = 1\nall: b\n\techo\n", "variable A, rule all"),
    "objc": ("@interface A : B\n- (void)m:(int)a;\n@end\n", "class A, method m"),
    "ocaml": ("let f x = x\nmodule M = struct let y = 1 end\n", "function f, module M, variable y"),
    "powershell": ("function Get-It { }\n", "function Get-It"),
    "prisma": ("model A {\n id Int\n}\n", "struct A, field id"),
    "proto": ("message M { string a = 1; }\n", "struct M, field a"),
    "r": ("f <- function(x) x\ny = 1\n", "function f, variable y"),
    "scss": ("@mixin m($x) { b: c }\n.q { .r { c: d } }\n", "macro m, rule .q, rule .r"),
    "sql": ("CREATE TABLE a.t (id int);\n", "struct t, field id"),
    "starlark": ("def f(x): pass\nX = 1\n", "function f, variable X"),
}
"""Languages of the long tail with rules of their own: a text, and what it defines."""


@pytest.mark.parametrize("language", TAIL)
def test_some_of_the_long_tail_have_rules(language: str) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    text, wanted = TAIL[language]
    found = outline(text.encode(), language)
    check(found)
    assert ", ".join(f"{one.sort} {one.name}" for one in found.definitions) == wanted
    assert not found.general


# --- narrowing, files ---------------------------------------------------------------------------------

SOURCE = b"class A:\n    x = 1\n    def f(self):\n        def g(): pass\ndef h(): pass\n"


def _names(found: tuple[Definition, ...]) -> list[tuple[str, int, int]]:
    return [(one.name, one.depth, one.parent) for one in found]


def test_narrowing_keeps_the_nearest_that_is_left() -> None:
    found = outline(SOURCE, "python").definitions
    assert narrowed(found) == found
    assert _names(narrowed(found, depth=1)) == [("A", 0, -1), ("h", 0, -1)]
    assert _names(narrowed(found, sorts=frozenset({"class", "function"}))) == [
        ("A", 0, -1),
        ("g", 2, 0),
        ("h", 0, -1),
    ]
    assert _names(narrowed(found, match=Bounded("^[fg]$"))) == [("f", 1, -1), ("g", 2, 0)]


def test_a_wrong_narrowing_is_told() -> None:
    with pytest.raises(UsageError, match="'klass'"):
        narrowing(sorts=("klass",))
    with pytest.raises(UsageError, match="regular expression"):
        narrowing(match="(")


def test_files_are_found_and_left_out_as_in_a_search(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    (tmp_path / "b.js").write_text("function f() {}\n")
    (tmp_path / "c.py").write_bytes(b"\0\0")
    (tmp_path / "d.py").write_bytes(b"x = 1\n" * 100)
    (tmp_path / ".hidden.py").write_text("x = 1\n")
    (tmp_path / "e.unknown").write_text("x = 1\n")
    (tmp_path / "f.html").write_text("<h1>a</h1><script>function g() {}</script>")
    results = outline_paths(Selection((str(tmp_path),), max_size=500))
    found = list(results)
    assert [Path(one.path).name for one in found] == ["a.py", "b.js", "c.py", "d.py", "f.html"]
    assert [type(one) for one in found] == [Outlined, Outlined, Skipped, Skipped, Outlined]
    summary = results.summary
    assert summary.files == 5
    assert summary.outlined == summary.with_definitions == 3
    assert summary.skipped == {"binary": 1, "too large": 1}
    assert summary.definitions == sum(len(one.definitions) for one in found if isinstance(one, Outlined))
    assert (summary.hidden, summary.other_languages) == (1, 1)
    assert summary.incomplete
    only = outline_paths(Selection((str(tmp_path),)), languages=("js",))
    names = [
        (Path(one.path).name, d.name) for one in only if isinstance(one, Outlined) for d in one.definitions
    ]
    assert names == [("b.js", "f"), ("f.html", "g")]


def test_a_failure_is_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    (tmp_path / "b.js").write_text("function f() {}\n")

    def fail(source: bytes, language: str) -> Outline:
        if language == "python":
            raise ValueError("odd")
        return outline(source, language)

    monkeypatch.setattr("structural.workflow.outlining.outline", fail)
    results = outline_paths(Selection((str(tmp_path),)))
    assert [type(one).__name__ for one in results] == ["Failed", "Outlined"]
    assert "odd" in results.summary.failed[0].error


def test_a_memory_saves_the_parsing_and_is_never_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[bytes] = []

    def watched(source: bytes, language: str) -> Outline:
        parsed.append(source)
        return outline(source, language)

    monkeypatch.setattr("structural.workflow.outlining.outline", watched)
    (tmp_path / "a.py").write_bytes(SOURCE)
    (tmp_path / "b.py").write_text("x = 1\n")
    memory = OutlineMemory()

    def names() -> list[str]:
        results = outline_paths(Selection((str(tmp_path),)), memory=memory)
        return [d.name for one in results if isinstance(one, Outlined) for d in one.definitions]

    first = names()
    assert names() == first
    assert len(parsed) == 2
    (tmp_path / "b.py").write_text("y = 1\n")
    assert names() == [*first[:-1], "y"]
    assert len(parsed) == 3
    small = OutlineMemory(limit=3)
    for number in range(5):
        small.outline(b"z%d = 1\n" % number, "python")
    assert small._held <= 3
    assert len(small._kept) == 1


def test_a_text_that_is_at_hand() -> None:
    found = outline_text("def f(): pass\n", "py", "x.py")
    assert isinstance(found, Outlined)
    assert [one.name for one in found.definitions] == ["f"]
    assert isinstance(outline_text(b"\0", "py"), Skipped)
