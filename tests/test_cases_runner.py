"""The format of cases: what is read, what is refused and how, and that update writes what it can read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from structural.pattern.values import Binding, Match
from structural.rewrite.text import rewrite_text
from structural.text import LineIndex, Span
from tests.cases_format import (
    Case,
    CaseError,
    Expected,
    parse_case,
    parse_expected,
    read_case,
    read_commands,
    read_expected,
    replace_bodies,
)
from tests.cases_rewrites import variants
from tests.cases_runner import expected, order_problems, piece, run_case

HERE = Path("cases/here.md")

GOOD = """\
# A metavariable used twice binds the same code

Prose may stand anywhere.

```javascript pattern as=expression where="X=~/a b/" where=Y=z
$X == $X
```
```javascript before
a == a
a == b
```
```text matches
1:1  a == a  X=a
```
"""


def case_of(text: str) -> Case:
    return parse_case(HERE, text)


def blocks(*parts: tuple[str, str]) -> str:
    return "# Title\n\n" + "".join(f"```{info}\n{body}```\n" for info, body in parts)


def test_a_case_is_read() -> None:
    case = case_of(GOOD)
    assert case.title == "A metavariable used twice binds the same code"
    assert [block.role for block in case.blocks] == ["pattern", "before", "matches"]
    pattern, before, matches = case.blocks
    assert (pattern.body, pattern.language, pattern.line) == ("$X == $X", "javascript", 5)
    assert pattern.option("as") == "expression"
    assert pattern.every("where") == ("X=~/a b/", "Y=z")
    assert before.source() == b"a == a\na == b\n"
    assert read_expected(case, matches) == [Expected("", 1, 1, "a == a", (("X", "a"),))]


def test_before_options_make_the_bytes() -> None:
    case = case_of(
        blocks(
            ("js pattern", "a\n"),
            ("js before path=a.js eol=crlf bom=yes end=bare", "x\ny\n"),
            ("js before path=b.js", ""),
            ("text matches", ""),
        )
    )
    first, second = case.every("before")
    assert first.source() == b"\xef\xbb\xbfx\r\ny"
    assert second.source() == b""


def test_a_longer_fence_holds_a_shorter_one() -> None:
    text = "# T\n````markdown pattern\n```\nx\n```\n````\n```text error\nno\n```\n"
    assert case_of(text).blocks[0].body == "```\nx\n```"


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("no heading\n", 1, "begins with a heading"),
        ("# T\n```js pattern\nx\n", 2, "never closed"),
        ("# T\n\n```js\nx\n```\n", 3, "a language, a role and options"),
        (blocks(("js patern", "x\n")), 3, "unknown role 'patern'"),
        (blocks(("js pattern strict=exact", "x\n")), 3, "unknown option 'strict=exact'"),
        (blocks(("js pattern strictness=hard", "x\n")), 3, "the values are exact, loose, smart"),
        (blocks(("js pattern as=a as=b", "x\n")), 3, "stands twice"),
        (blocks(("js pattern where='a", "x\n")), 3, "cannot be read"),
        (blocks(("js before", "x\n")), 1, "needs a 'pattern' or a 'console'"),
        (blocks(("js pattern", "x\n")), 3, "needs a 'matches', a 'rewrite' or an 'error'"),
        (blocks(("js pattern", "x\n"), ("text matches", "")), 6, "needs a 'pattern' and a 'before'"),
        (blocks(("js pattern", "x\n"), ("js pattern", "y\n")), 6, "a second 'pattern'"),
        (
            blocks(("js pattern", "x\n"), ("js before", ""), ("js before", ""), ("text matches", "")),
            6,
            "needs path=",
        ),
        (
            blocks(
                ("js pattern", "x\n"),
                ("js before path=a", ""),
                ("js before path=a", ""),
                ("text matches", ""),
            ),
            6,
            "two files at 'a'",
        ),
        (
            blocks(("js pattern", "x\n"), ("js before path=../a", ""), ("text matches", "")),
            6,
            "inside the tree",
        ),
        (
            blocks(("js pattern", "x\n"), ("js before", ""), ("text matches", ""), ("text error", "")),
            10,
            "without an answer",
        ),
    ],
)
def test_a_wrong_case_names_file_and_line(text: str, line: int, part: str) -> None:
    with pytest.raises(CaseError, match=f"^{re.escape(f'{HERE}:{line}: ')}.*{re.escape(part)}"):
        case_of(text)


def test_reserved_roles_are_named() -> None:
    case = case_of(blocks(("yaml rule", "x\n"), ("js before", ""), ("text matches", "")))
    assert case.reserved == ("rule",)


REWRITE = """\
# A name is replaced

```javascript pattern
f($A)
```
```javascript rewrite
g($A)
```
```javascript before
f(1);
```
```javascript after
g(1);
```
"""


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        (blocks(("js pattern", "x\n"), ("js rewrite", "y\n"), ("js after", "")), 6, "and a 'before'"),
        (blocks(("js pattern", "x\n"), ("js rewrite", "y\n"), ("js before", "")), 6, "needs an 'after'"),
        (
            blocks(("js pattern", "x\n"), ("js before", ""), ("text matches", ""), ("js after", "")),
            10,
            "needs a 'rewrite'",
        ),
        (
            blocks(("js pattern", "x\n"), ("js before", ""), ("text matches", ""), ("text refused", "")),
            10,
            "needs a 'rewrite'",
        ),
        (
            blocks(
                ("js pattern", "x\n"),
                ("js rewrite", "y\n"),
                ("js before path=a", ""),
                ("js before path=b", ""),
                ("js after path=c", ""),
            ),
            13,
            "no 'before' at 'c'",
        ),
        (
            blocks(
                ("js pattern", "x\n"), ("js rewrite again=no", "y\n"), ("js before", ""), ("js after", "")
            ),
            6,
            "the values are yes",
        ),
    ],
)
def test_a_wrong_rewrite_names_file_and_line(text: str, line: int, part: str) -> None:
    with pytest.raises(CaseError, match=f"^{re.escape(f'{HERE}:{line}: ')}.*{re.escape(part)}"):
        case_of(text)


def test_a_rewrite_is_run_compared_and_updated(tmp_path: Path) -> None:
    path = tmp_path / "here.md"
    path.write_text(REWRITE, encoding="utf-8")
    assert run_case(read_case(path)) == []
    path.write_text(REWRITE.replace("g(1);", "h(1);"), encoding="utf-8")
    (problem,) = run_case(read_case(path))
    assert "h(1);" in problem
    assert run_case(read_case(path), update=True) == []
    assert path.read_text(encoding="utf-8") == REWRITE


def test_files_without_an_after_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "here.md"
    head = (("js pattern", "f($A)\n"), ("js rewrite", "g($A)\n"))
    files = (("js before path=a.js", "f(1)\n"), ("js before path=b.js", "f(2)\n"))
    path.write_text(blocks(*head, *files, ("js after path=a.js", "g(1)\n")), encoding="utf-8")
    (problem,) = run_case(read_case(path))
    assert "g(2)" in problem


def test_refusals_are_compared_and_updated(tmp_path: Path) -> None:
    path = tmp_path / "here.md"
    text = REWRITE.replace("```\n```javascript before", "```\n```javascript before", 1) + (
        "```text refused\n2:1  it is not there\n```\n"
    )
    path.write_text(text, encoding="utf-8")
    (problem,) = run_case(read_case(path))
    assert "2:1  it is not there" in problem
    assert run_case(read_case(path), update=True) == []
    assert path.read_text(encoding="utf-8") == text.replace("2:1  it is not there\n", "")


def test_a_rewrite_that_matches_again_says_so(tmp_path: Path) -> None:
    path = tmp_path / "here.md"
    wraps = REWRITE.replace("\ng($A)", "\nf(f($A))").replace("g(1);", "f(f(1));")
    path.write_text(wraps, encoding="utf-8")
    (problem,) = run_case(read_case(path))
    assert "changes the text again" in problem
    path.write_text(wraps.replace("javascript rewrite", "javascript rewrite again=yes"), encoding="utf-8")
    assert run_case(read_case(path)) == []
    path.write_text(REWRITE.replace("javascript rewrite", "javascript rewrite again=yes"), encoding="utf-8")
    (problem,) = run_case(read_case(path))
    assert "needless" in problem


def test_the_bytes_of_an_after_come_from_its_options() -> None:
    case = case_of(
        blocks(("js pattern", "x\n"), ("js before eol=crlf bom=yes", "x\ny\n"), ("text matches", ""))
    )
    (before,) = case.every("before")
    assert before.body_of(b"\xef\xbb\xbfa\r\nb\r\n") == ["a", "b"]
    assert before.body_of(b"a\r\nb\r\n") is None
    assert before.body_of(b"\xef\xbb\xbfa\nb\r\n") is None


def test_a_file_has_its_variants() -> None:
    source = b"if (a) {\n  f(1);\n}\n"
    made = rewrite_text("f($A)", "g($A)", source, "javascript")
    found = {name: (before, after) for name, before, after in variants(made, "javascript", "g($A)")}
    assert set(found) == {"crlf", "bom", "bare", "deeper", "tabs"}
    assert found["deeper"][1] == b"{\n  if (a) {\n    g(1);\n  }\n}\n"
    assert found["tabs"][0] == b"if (a) {\n\tf(1);\n}\n"


@pytest.mark.parametrize(
    "line",
    [
        Expected("", 1, 1, "a == a", (("X", "a"),)),
        Expected("", 12, 3, "f(1, 2)", (("A", "1, 2"), ("B", ""))),
        Expected("src/a b.js".replace(" ", "_"), 1, 1, "x"),
        Expected("", 1, 1, "if (a) {\n  b  c\n}", (("A", 'say "x"'),)),
        Expected("", 1, 1, '"quoted"', None, ("quotes",)),
        Expected("", 1, 1, "f(a)", (("A", "a"),), ("parens", "quotes")),
        Expected("", 1, 1, " edge "),
        Expected("", 1, 1, "tab\there", (("X", "ü😀"),)),
        Expected("", 1, 1, "", (("X", "\\"), ("Y_2", "a=b"))),
    ],
)
def test_a_match_line_reads_back(line: Expected) -> None:
    assert parse_expected(line.printed()) == line


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("a == a", "LINE:COLUMN"),
        ("1:1 a", "LINE:COLUMN"),
        ("1:1  a  lower=b", "NAME=value"),
        ('1:1  "a', "no JSON string"),
        ('1:1  "a" X=b', "two spaces"),
        ('1:1  a  X="b', "no JSON string"),
        ('1:1  a  X="b"Y=c', "a space stands"),
    ],
)
def test_a_wrong_match_line_says_why(line: str, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        parse_expected(line)


def test_a_wrong_match_line_names_its_place() -> None:
    case = case_of(
        blocks(("js pattern", "x\n"), ("js before", "x\n"), ("text matches", "1:1  x\n\nnonsense\n"))
    )
    with pytest.raises(CaseError, match=r"here\.md:12: "):
        read_expected(case, case.blocks[2])


def test_a_line_without_bindings_asks_for_none() -> None:
    found = Expected("", 1, 1, "f(a)", (("A", "a"),), ("quotes",))
    assert parse_expected("1:1  f(a)").agrees(found)
    assert parse_expected("1:1  f(a)  A=a").agrees(found)
    assert parse_expected("1:1  f(a)  A=a ~quotes").agrees(found)
    assert not parse_expected("1:1  f(a)  A=b").agrees(found)
    assert not parse_expected("1:1  f(a)  A=a B=c").agrees(found)
    assert not parse_expected("1:1  f(a)  ~parens").agrees(found)
    assert not parse_expected("1:2  f(a)").agrees(found)


def test_a_console_is_read_and_printed() -> None:
    body = "$ astgrep search 'a b' .\na.js:1: x\n\n1 match\n$ astgrep bad\nno\n[exit 2]\n"
    case = case_of(blocks(("text console", body)))
    first, second = read_commands(case, case.blocks[0])
    assert first.words == ("astgrep", "search", "a b", ".")
    assert (first.output, first.exit_code) == (("a.js:1: x", "", "1 match"), 0)
    assert (second.output, second.exit_code) == (("no",), 2)
    assert [*first.printed(), *second.printed()] == body.rstrip("\n").split("\n")


def test_a_console_runs_nothing_else() -> None:
    case = case_of(blocks(("text console", "$ rm x\n")))
    with pytest.raises(CaseError, match=r"here\.md:4: .*nothing else"):
        read_commands(case, case.blocks[0])


def test_new_bodies_replace_the_old_and_nothing_else() -> None:
    case = case_of(GOOD)
    text = replace_bodies(GOOD, [(case.blocks[2], ["2:1  b", "3:1  c"]), (case.blocks[0], [])])
    assert text == GOOD.replace("1:1  a == a  X=a", "2:1  b\n3:1  c").replace("$X == $X\n", "")
    assert [block.role for block in case_of(text).blocks] == ["pattern", "before", "matches"]


def test_a_wrong_expectation_is_told_and_can_be_updated(tmp_path: Path) -> None:
    path = tmp_path / "here.md"
    wrong = GOOD.replace(' as=expression where="X=~/a b/" where=Y=z', "").replace("X=a\n", "X=b\n")
    path.write_text(wrong, encoding="utf-8")
    (problem,) = run_case(read_case(path))
    assert "X=b" in problem
    assert "X=a" in problem
    assert path.read_text(encoding="utf-8") == wrong
    assert run_case(read_case(path), update=True) == []
    assert path.read_text(encoding="utf-8") == wrong.replace("X=b\n", "X=a\n")
    assert run_case(read_case(path)) == []


def test_an_expected_error_that_does_not_come_is_told(tmp_path: Path) -> None:
    path = tmp_path / "here.md"
    path.write_text(blocks(("js pattern", "f($X)\n"), ("text error", "statement\n")), encoding="utf-8")
    (problem,) = run_case(read_case(path))
    assert "it was searched" in problem


def test_a_match_becomes_a_line() -> None:
    source = "é f(a)".encode()
    match = Match(
        Span(3, 7),
        "call",
        "javascript",
        "expression",
        (Binding("A", Span(5, 6), (Span(5, 6),)),),
        ("quotes",),
    )
    line = expected(match, source, LineIndex(source))
    assert line.printed() == "1:3  f(a)  A=a ~quotes"


def match_of(start: int, end: int, *bindings: Binding) -> Match:
    return Match(Span(start, end), "call", "javascript", "expression", bindings)


@pytest.mark.parametrize(
    ("matches", "part"),
    [
        ((match_of(4, 5), match_of(0, 1)), "not in order"),
        ((match_of(0, 1), match_of(0, 5)), "not in order"),
        ((match_of(0, 1), match_of(0, 1)), "twice"),
        ((match_of(0, 99),), "outside the text"),
        ((match_of(0, 2, Binding("A", Span(1, 4), (Span(1, 4),))),), "outside its match"),
        ((match_of(0, 9, Binding("A", Span(1, 4), ())),), "not exactly one node"),
        ((match_of(0, 9, Binding("A", Span(1, 4), (), ellipsis=True)),), "has a text"),
        (
            (match_of(0, 9, Binding("A", Span(1, 4), (Span(3, 4), Span(1, 2)), ellipsis=True)),),
            "parts of A",
        ),
        ((match_of(0, 9, *[Binding("A", Span(1, 2), (Span(1, 2),))] * 2),), "binds a name twice"),
    ],
)
def test_what_holds_for_every_match(matches: tuple[Match, ...], part: str) -> None:
    assert any(part in problem for problem in order_problems(matches, b"0123456789"))


def test_a_good_list_of_matches_has_no_problem() -> None:
    inner = Binding("A", Span(1, 4), (Span(1, 2), Span(3, 4)), ellipsis=True)
    empty = Binding("B", Span(4, 4), (), ellipsis=True)
    assert not list(order_problems((match_of(0, 9, inner, empty), match_of(0, 5), match_of(6, 7)), b"0" * 10))


@pytest.mark.parametrize(
    ("source", "start", "text"),
    [
        (b"f($x, $X, $$$A)", 0, r"f($x, \$X, \$\$\$A)"),
        (b"if a:\n    if b:\n        c\n    else:\n        d", 10, "if b:\n    c\nelse:\n    d"),
        (b'x = """\n  a"""', 0, None),
        (b"echo \\$A", 0, None),
        (b"\xff", 0, None),
    ],
)
def test_a_match_as_a_pattern(source: bytes, start: int, text: str | None) -> None:
    assert piece(match_of(start, len(source)), source) == text
