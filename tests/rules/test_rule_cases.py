"""Test files and snapshots: what is read, and that what is written is read back."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from structural.rules.cases import TheirSnapshot, are_cases, read_cases, read_snapshots, written
from structural.rules.examples import Shown, Snapshot
from structural.rules.yaml import Scalar, Sequence, documents
from structural.rules.yaml_writing import dumped

THEIRS = b"""\
id: no-await
valid:
  - for (let a of b) { a() }
invalid:
  - async () => { await b }
"""
OURS = b"""\
id: no-await
matching:
  - {code: await b, count: 1, rewritten: b}
not-matching: b
"""
THEIR_SNAPSHOTS = b"""\
id: no-await
snapshots:
  ? |
    await bar
  : fixed: |
      bar
    labels:
    - {source: await bar, style: primary, start: 0, end: 9}
  await x:
    labels: []
"""


def test_tests_of_ast_grep_and_ours_are_read() -> None:
    ((theirs,), no_problems) = read_cases(THEIRS, "t.yml")
    assert not no_problems
    assert [(one.code, one.count) for one in theirs.examples] == [
        ("async () => { await b }", None),
        ("for (let a of b) { a() }", 0),
    ]
    ((ours,), _) = read_cases(OURS, "t.yml")
    assert [(one.code, one.count, one.rewritten) for one in ours.examples] == [
        ("await b", 1, "b"),
        ("b", 0, None),
    ]


def test_a_test_file_is_told_from_a_rule_file() -> None:
    assert are_cases(THEIRS)
    assert are_cases(OURS)
    assert not are_cases(b"id: a\nrule: {kind: x}\nexamples:\n  matching: x\n")


def test_what_is_wrong_in_a_test_file_is_told() -> None:
    found, problems = read_cases(b"id: a\nvald: []\n---\nvalid: []\n", "t.yml")
    assert [one.id for one in found] == ["a"]
    assert [str(problem) for problem in problems] == [
        "t.yml:2:1: a test has no key 'vald'",
        "t.yml:4:1: a test has no `id`",
    ]


def test_snapshots_of_ast_grep_are_read() -> None:
    read = read_snapshots(THEIR_SNAPSHOTS, "s.yml")
    assert not read.problems
    assert read.theirs == {
        "await bar\n": TheirSnapshot("await bar\n", (0, 9), "bar\n"),
        "await x": TheirSnapshot("await x", None, None),
    }


TEXTS = st.text(
    st.one_of(
        st.characters(codec="utf-8", exclude_characters="\x00"),
        st.sampled_from("\n\t\r\x85\u2028\ufeff :#-|>'\"&*!%@{}[],?~"),
    ),
    max_size=30,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS, max_size=4))
def test_texts_are_read_back_as_they_were_written(texts: list[str]) -> None:
    read = documents(dumped(texts).encode())
    assert not read.faults
    (node,) = read.nodes
    assert isinstance(node, Sequence)
    assert [one.value for one in node.items if isinstance(one, Scalar)] == texts


def test_snapshots_are_read_back_and_always_the_same() -> None:
    one = Snapshot("f(x)\n", "javascript", (Shown("1:1-1:5", "f(x)", "no: 'f'"),), "g(x)\n")
    two = Snapshot("0o7", "javascript", (), None)
    made = written("a/b", [one, two])
    read = read_snapshots(made, "s.yml")
    assert not read.problems
    assert read.id == "a/b"
    assert set(read.ours.values()) == {one, two}
    assert written("a/b", [two, one]) == made
