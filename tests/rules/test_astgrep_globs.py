"""Globs of ast-grep, read for what they mean there: the whole path, and stars that cross slashes."""

from __future__ import annotations

import pytest

from structural.rules.astgrep import globs, without_case
from structural.search.globs import Globs


@pytest.mark.parametrize(
    ("glob", "fits", "not_fits"),
    [
        ("*.ts", ["a.ts", "src/b/c.ts"], ["a.tsx"]),
        ("a.js", ["a.js"], ["src/a.js"]),
        ("./a.js", ["a.js"], ["src/a.js"]),
        ("s*.js", ["s.js", "src/a.js", "src/b/c.js"], ["a/s.ts", "x/s.js"]),
        ("src/*.js", ["src/a.js", "src/b/a.js"], ["a.js", "lib/src/a.js"]),
        ("src/**/*.js", ["src/a.js", "src/b/a.js"], ["a.js"]),
        ("src/*/a.js", ["src/b/a.js", "src/b/c/a.js"], ["src/a.js"]),
        ("**/test/**", ["test/a", "x/test/a/b"], ["tests/a"]),
        ("*/x*.js", ["a/x.js", "a/b/x1.js"], ["x.js"]),
    ],
)
def test_a_glob_fits_what_it_fits_there(glob: str, fits: list[str], not_fits: list[str]) -> None:
    made, _ = globs(glob)
    compiled = Globs.compile(made)
    assert [path for path in fits if not compiled.admits(path)] == []
    assert [path for path in not_fits if compiled.admits(path)] == []


def test_what_differs_is_told() -> None:
    assert globs("src")[1] == "'src' also fits what is in a folder of this name"
    assert "stands for no slash" in globs("a*b*c*d*e*f")[1]


def test_the_case_of_letters() -> None:
    compiled = Globs.compile([without_case("src/[a-c]x.Py")])
    assert compiled.admits("SRC/Bx.pY")
    assert not compiled.admits("src/dx.py")
