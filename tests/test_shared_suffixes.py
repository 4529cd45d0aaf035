"""A header is C++ where C++ is asked for, or where the tree is C++ and not C."""

from __future__ import annotations

from pathlib import Path

from structural.search.scan import search_paths
from structural.search.values import PatternSpec, Searched, Selection

PATTERN = "std::move($X)"


def _matched(tree: Path, *languages: str) -> list[tuple[str, str]]:
    results = search_paths(PatternSpec(PATTERN, languages), Selection((str(tree),)))
    return [(Path(r.path).name, r.language) for r in results if isinstance(r, Searched) and r.matches]


def test_headers_of_a_tree_of_one_language(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("class A { void f() { std::move(x); } };\n")
    (tmp_path / "b.cpp").write_text("int y = std::move(z);\n")
    assert _matched(tmp_path) == [("a.h", "cpp"), ("b.cpp", "cpp")]
    assert _matched(tmp_path, "cpp") == [("a.h", "cpp"), ("b.cpp", "cpp")]


def test_headers_of_a_mixed_tree_are_c_unless_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("class A { void f() { std::move(x); } };\n")
    (tmp_path / "b.cpp").write_text("int y = std::move(z);\n")
    (tmp_path / "c.c").write_text("int y;\n")
    assert _matched(tmp_path) == [("b.cpp", "cpp")]
    assert _matched(tmp_path, "cpp") == [("a.h", "cpp"), ("b.cpp", "cpp")]
