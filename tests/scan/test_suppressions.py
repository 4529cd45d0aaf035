"""Comments that set findings aside, in the comments of every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from structural.rules.values import Severity
from structural.search.plan import languages_of
from structural.search.values import Selection
from structural.search.walk import walk
from structural.syntax import registry
from structural.syntax.embed import regions
from structural.syntax.parse import parse
from structural.text import LineIndex, Span
from structural.workflow.scanning.suppressions import MARKER, Suppressions, read_suppressions
from structural.workflow.scanning.values import NO_REASON, UNUSED
from tests.scan.conftest import ROOT, Project


def read(source: str, language: str = "python") -> Suppressions:
    data = source.encode()
    comments = [Span(*span) for span in parse(data, language).comments if MARKER in data[slice(*span)]]
    return read_suppressions(data, comments, LineIndex(data))


def lines(project: Project, text: str, name: str = "a.py") -> list[tuple[int, str]]:
    project.put(name, text)
    return [(line, rule) for _, line, rule in project.found()]


def test_a_comment_on_the_line_above(project: Project) -> None:
    assert lines(project, "# astgrep-ignore: no-eval\neval(x)\neval(y)\n") == [(3, "no-eval")]


def test_a_comment_at_the_end_of_the_line(project: Project) -> None:
    assert lines(project, "eval(x)  # astgrep-ignore: no-eval\neval(y)\n") == [(2, "no-eval")]


def test_a_trailing_comment_is_not_for_the_next_line(project: Project) -> None:
    found = lines(project, "x = 1  # astgrep-ignore: no-eval\neval(y)\n")
    assert found == [(1, UNUSED), (2, "no-eval")]


def test_without_ids_it_is_for_every_rule(project: Project) -> None:
    assert lines(project, "# astgrep-ignore\nprint(eval(x == x))\n") == []


def test_several_ids_and_a_reason(project: Project) -> None:
    text = "print(eval(x == x))  # astgrep-ignore: no-eval, no-print -- they are known\n"
    assert lines(project, text) == [(1, "self-comparison")]
    (one,) = read(text).found
    assert (one.ids, one.reason) == (("no-eval", "no-print"), "they are known")


def test_a_finding_belongs_to_the_line_on_which_it_begins(project: Project) -> None:
    assert lines(project, "# astgrep-ignore: no-eval\neval(\n    x\n)\n") == []
    assert lines(project, "eval(\n    x\n)  # astgrep-ignore: no-eval\n") == [(1, "no-eval"), (3, UNUSED)]


def test_comments_below_each_other_are_for_the_same_line(project: Project) -> None:
    text = "# astgrep-ignore: no-eval\n# astgrep-ignore: no-print\nprint(eval(x))\n"
    assert lines(project, text) == []


def test_a_whole_file(project: Project) -> None:
    text = "eval(x)\n\n# astgrep-ignore-file: no-eval -- generated\neval(y)\nprint(1)\n"
    assert lines(project, text) == [(5, "no-print")]


def test_a_block(project: Project) -> None:
    text = (
        "eval(a)\n# astgrep-ignore-begin: no-eval\neval(b)\nprint(c)\n"
        "# astgrep-ignore-end: no-eval\neval(d)\n"
    )
    assert lines(project, text) == [(1, "no-eval"), (4, "no-print"), (6, "no-eval")]


def test_blocks_in_each_other_end_by_their_ids(project: Project) -> None:
    text = (
        "# astgrep-ignore-begin: no-eval\n# astgrep-ignore-begin: no-print\nprint(eval(a))\n"
        "# astgrep-ignore-end: no-eval\nprint(eval(b))\n# astgrep-ignore-end\nprint(c)\n"
    )
    assert lines(project, text) == [(5, "no-eval"), (7, "no-print")]


def test_a_block_without_an_end_is_told_and_holds_to_the_end(project: Project) -> None:
    assert lines(project, "# astgrep-ignore-begin: no-eval\neval(b)\n") == [(1, UNUSED)]
    assert lines(project, "# astgrep-ignore-end: no-eval\n") == [(1, UNUSED)]


def test_only_comments_count(project: Project) -> None:
    assert lines(project, 'x = "# astgrep-ignore: no-eval"; eval(x)\n') == [(1, "no-eval")]
    assert lines(project, '"""\n# astgrep-ignore-file\n"""\neval(x)\n') == [(4, "no-eval")]


def test_as_ast_grep_writes_it(project: Project) -> None:
    assert lines(project, "# ast-grep-ignore\neval(x)\n") == []
    assert lines(project, "# ast-grep-ignore: no-eval\neval(x)\n") == []
    assert lines(project, "# ast-grep-ignore\n\neval(x)\nprint(y)\n") == [], (
        "the first line, and an empty one"
    )
    assert lines(project, "# ast-grep-ignore: theirs\nx\n") == [], "what is written for another is not judged"


def test_what_is_no_such_comment() -> None:
    assert not read("# xastgrep-ignore\n# astgrep-ignored\n# my-astgrep-ignore: a\n").found
    assert not read("# astgrep-ignore-all\n").found


def test_ids_that_are_none_are_told() -> None:
    made = read("# astgrep-ignore: no eval because of me\nx\n")
    assert not made.found
    assert "is no id of a rule" in made.faults[0].message


def test_unused_and_unknown_ones_are_told(project: Project) -> None:
    project.put("a.py", "x  # astgrep-ignore: no-eval, no-such\ny  # astgrep-ignore\n")
    files, _ = project.scan()
    messages = [one.message for file in files for one in file.findings]
    assert messages == [
        "no rule has the id `no-such`; `no-eval` finds nothing to suppress here",
        "nothing is suppressed here",
    ]


def test_only_rules_that_ran_can_be_called_unused(project: Project) -> None:
    from structural.workflow.scanning import Choice

    project.put("a.py", "x  # astgrep-ignore: no-eval\ny  # astgrep-ignore\nz # astgrep-ignore: no-such\n")
    files, _ = project.scan(choice=Choice(ids=("no-print",)))
    assert not [one for file in files for one in file.findings]


def test_a_rule_that_gave_up_is_not_called_idle(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from structural.workflow.scanning import work

    good = work.raw_of

    def gives_up(*arguments: object, **more: object) -> object:
        return replace(good(*arguments, **more), exhausted=("no-eval",))  # type: ignore[arg-type]

    monkeypatch.setattr(work, "raw_of", gives_up)
    project.put("a.py", "x  # astgrep-ignore: no-eval\ny  # astgrep-ignore\nz  # astgrep-ignore: no-print\n")
    assert [(line, rule) for _, line, rule in project.found()] == [(3, UNUSED)]


def test_the_severity_of_unused_ones_can_be_set(project: Project) -> None:
    project.put("a.py", "x  # astgrep-ignore: no-eval\n")
    project.configure('unused-suppressions = "error"\n')
    (file,), summary = project.scan()
    assert file.findings[0].severity is Severity.ERROR
    assert summary.by_severity == {"error": 1}
    project.configure('unused-suppressions = "off"\n')
    assert not project.found()


def test_a_reason_can_be_demanded(project: Project) -> None:
    project.configure("require-reason = true\n")
    text = "eval(x)  # astgrep-ignore: no-eval -- it is ours\neval(y)  # astgrep-ignore: no-eval\n"
    assert lines(project, text) == [(2, NO_REASON)]


def test_suppressed_findings_are_counted_and_given(project: Project) -> None:
    project.put("a.py", "eval(x)  # astgrep-ignore: no-eval -- ours\n")
    (file,), summary = project.scan()
    assert (summary.findings, summary.suppressed) == (0, 1)
    assert file.findings[0].aside is not None
    assert (file.findings[0].aside.line, file.findings[0].aside.reason) == (1, "ours")


def test_in_code_of_a_host(project: Project) -> None:
    text = "<p>\n<script>\n// astgrep-ignore: no-eval\neval(x)\neval(y)\n</script>\n"
    assert lines(project, text, "a.html") == [(5, "no-eval")]


def test_the_nearest_comment_is_the_one_that_was_of_use() -> None:
    made = read("# astgrep-ignore-file: a\nx  # astgrep-ignore: a\n")
    one = made.of("a", 2)
    assert one is not None
    assert one.first == 2
    assert [idle.form for idle, _ in made.unused()] == ["file"]


def test_braces_of_jsx_may_stand_beside() -> None:
    made = read("x = <a>\n  {/* astgrep-ignore: a */}\n  <b/>\n</a>\n", "javascript")
    assert [(one.first, one.ids) for one in made.found] == [(3, ("a",))]


CLOSERS = (b"*/", b"-->", b"]]", b"-}", b"*)", b"}}", b"%>")


def _forms() -> list[object]:
    """Every way in which a comment of the corpus begins, in every language."""
    selection = Selection((str(ROOT / "corpus"),), hidden=True)
    found: dict[tuple[str, bytes], tuple[str, Span]] = {}
    for path, host in languages_of(walk(selection), (), selection).files:
        if host is None:
            continue
        source = Path(path).read_bytes()
        columns = [parse(source, host)]
        columns += [parse(source, one.language, one.ranges) for one in regions(columns[0]) if one.ranges]
        for one in columns:
            for start, end in one.comments:
                text = source[start:end]
                opening = text[: len(text) - len(text.lstrip(b"/*#-<!;(%{=\\'"))]
                if opening:
                    found.setdefault((one.language, opening[:4]), (path, Span(start, end)))
    return [
        pytest.param(path, span, id=f"{language}-{opening.decode()}")
        for (language, opening), (path, span) in found.items()
    ]


@pytest.mark.parametrize(("path", "span"), _forms())
def test_every_form_of_comment_is_read(path: str, span: Span) -> None:
    source = Path(path).read_bytes()
    text = source[span.start : span.end]
    opening = text[: len(text) - len(text.lstrip(b"/*#-<!;(%{=[\\'"))]
    closing = next((one for one in CLOSERS if text.endswith(one)), b"")
    changed = opening + b" astgrep-ignore: some.id, other/id -- a good reason " + closing
    data = source[: span.start] + changed + source[span.end :]
    made = read_suppressions(data, [Span(span.start, span.start + len(changed))], LineIndex(data))
    (one,) = made.found
    assert one.ids == ("some.id", "other/id")
    assert one.reason == "a good reason"


def test_every_language_with_comments_is_among_the_forms() -> None:
    seen = {str(one.id).split("-")[0] for one in _forms()}  # type: ignore[attr-defined]
    missing = {name for name in registry.kept() if registry.get(name).comments} - seen
    assert not missing, f"no comment of these is in the corpus: {sorted(missing)}"
