"""Rule files that mean harm, or that nobody meant: never an exception, and always a bounded time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structural.rules.astgrep_config import read_sgconfig
from structural.rules.cases import read_cases, read_snapshots
from structural.rules.compile import compile_rules
from structural.rules.engine import find
from structural.rules.messages import message as tell
from structural.rules.reading import ASTGREP, RuleFile, read_rules
from structural.rules.reading_forms import MOST_PROBLEMS
from structural.rules.yaml import MOST_BYTES

FILES = [path.read_bytes() for path in sorted((Path(__file__).parent / "reading").glob("*.yml"))]
HEAD = b"id: a\nlanguage: js\n"


def read(text: bytes, seconds: float = 5.0) -> RuleFile:
    """What is read of *text* in a bounded time of the processor."""
    start = time.process_time()
    found = read_rules(text, "x.yml", shared=())
    assert time.process_time() - start < seconds
    assert len(found.problems) <= MOST_PROBLEMS + 1
    for problem in found.problems:
        assert problem.at.line >= 1
        assert problem.at.column >= 1
    return found


def messages(found: RuleFile) -> str:
    return "\n".join(problem.message for problem in found.problems)


def laughs(levels: int) -> bytes:
    """A list of lists of lists … of one node, which aliases make as large as nobody can walk."""
    rows = [b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [b"a%d: &a%d [%s]" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, levels)]
    return b"\n".join(rows)


def utilities_of_utilities(levels: int) -> bytes:
    """Each utility uses the one before it twice."""
    rows = [b"utils:", b"  u0: {pattern: f($A)}"]
    rows += [
        b"  u%d: {any: [{matches: u%d}, {has: {matches: u%d}}]}" % (n, n - 1, n - 1) for n in range(1, levels)
    ]
    return HEAD + b"rule: {matches: u%d}\n" % (levels - 1) + b"\n".join(rows)


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "laughs": (lambda: laughs(9), "stands for more than"),
    "laughs in conditions": (
        lambda: (
            HEAD
            + b"rule:\n  any:\n    - &a {all: [{kind: x}, {kind: x}]}\n"
            + b"".join(
                b"    - &%s {all: [%s]}\n" % (bytes([98 + n]), b", ".join([b"*" + bytes([97 + n])] * 20))
                for n in range(7)
            )
        ),
        "stands for more than",
    ),
    "a list in itself": (lambda: HEAD + b"rule: &r {all: [*r]}", "stands in what it stands for"),
    "depth of flows": (lambda: HEAD + b"rule: " + b"{not: " * 5_000, "nested"),
    "depth of lists": (lambda: HEAD + b"rule: " + b"[" * 100_000, "nest"),
    "depth of blocks": (lambda: b"- " * 100_000, "nested"),
    "depth of questions": (lambda: b"? " * 100_000, "nested"),
    "size": (lambda: b"x" * (MOST_BYTES + 1), "bytes, more than"),
    "one long text": (
        lambda: HEAD + b"message: '" + b"$A" * 500_000 + b"'\nrule: {kind: x}",
        "nothing binds",
    ),
    "one long regular expression": (
        lambda: HEAD + b"rule: {regex: '" + b"(a|" * 100_000 + b"'}",
        "more than 10,000 characters",
    ),
    "deep regular expression": (
        lambda: HEAD + b"rule: {regex: '" + b"(" * 9_000 + b"'}",
        "regular expression is wrong",
    ),
    "many unknown keys": (
        lambda: HEAD + b"rule: {kind: x}\n" + b"".join(b"key%d: 1\n" % n for n in range(30_000)),
        "further problems are not told",
    ),
    "many missing names": (
        lambda: HEAD + b"message: '" + b" ".join(b"$N%d" % n for n in range(20_000)) + b"'\nrule: {kind: x}",
        "further problems are not told",
    ),
    "many utilities that are not there": (
        lambda: HEAD + b"rule: {any: [" + b", ".join(b"{matches: u%d}" % n for n in range(20_000)) + b"]}",
        "further problems are not told",
    ),
    "a circle of many utilities": (
        lambda: (
            HEAD
            + b"rule: {matches: u0}\nutils:\n"
            + b"".join(b"  u%d: {matches: u%d}\n" % (n, (n + 1) % 5_000) for n in range(5_000))
        ),
        "in a circle",
    ),
    "a chain of many utilities": (
        lambda: (
            HEAD
            + b"rule: {matches: u0}\nmessage: $X\nutils:\n"
            + b"".join(b"  u%d: {matches: u%d}\n" % (n, n + 1) for n in range(5_000))
            + b"  u5000: {kind: x}\n"
        ),
        "nothing binds",
    ),
    "a chain of many transformations": (
        lambda: (
            HEAD
            + b"rule: {pattern: f($A)}\ntransform:\n"
            + b"".join(b"  T%d: substring($T%d)\n" % (n, n + 1) for n in range(3_000))
        ),
        "nothing binds",
    ),
    "faults in every document": (lambda: b"a: [\n---\n" * 20_000, "the YAML is wrong"),
    "nul": (lambda: HEAD + b"rule: {kind: '\0'}", "the YAML is wrong"),
    "no text at all": (lambda: bytes(range(256)), "not UTF-8"),
    "half of a character": (lambda: HEAD + b'rule: {pattern: "\\ud800"}', "the YAML is wrong"),
    "large numbers": (lambda: HEAD + b"rule: {nth-child: " + b"9" * 5_000 + b"}", "no number of a child"),
    "a glob that leads out": (lambda: HEAD + b"rule: {kind: x}\nfiles: ['../../**']", "leads out"),
    "a name of a file as an id": (lambda: b"id: ../../x y\nlanguage: js\nrule: {kind: x}", "`id` is"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_told_and_does_no_harm(name: str) -> None:
    text, said = BOMBS[name]
    found = read(text())
    assert said in messages(found)
    assert not found.rules


def test_utilities_that_grow_are_only_written_once() -> None:
    assert read(utilities_of_utilities(60)).rules


def with_parameters(levels: int, argument: str) -> bytes:
    """As ``utilities_of_utilities``, each with a parameter that is handed on as *argument*."""
    rows = [b"utils:", b"  u0: {params: [X], rule: {pattern: f($X)}}"]
    for n in range(1, levels):
        use = b"{matches: {u%d: {X: %s}}}" % (n - 1, argument.encode())
        rows.append(b"  u%d: {params: [X], rule: {any: [%s, {has: %s}]}}" % (n, use, use))
    return HEAD + b"rule: {matches: {u%d: {X: $A}}}\n" % (levels - 1) + b"\n".join(rows)


@pytest.mark.parametrize(
    "text",
    [
        utilities_of_utilities(60),
        with_parameters(40, "$X"),
        with_parameters(40, "{pattern: $X}"),
    ],
    ids=["plain", "names", "conditions"],
)
def test_utilities_that_double_at_each_level_are_told_and_not_compiled(text: bytes) -> None:
    start = time.process_time()
    found = read_rules(text, "x.yml", shared=())
    rules, problems = compile_rules(found.rules)
    assert time.process_time() - start < 10
    assert not rules.rules
    said = [*messages(found).splitlines(), *(one.message for one in problems)]
    assert any("stands for more than" in one for one in said)


def test_utilities_of_a_few_levels_are_compiled() -> None:
    for text in (utilities_of_utilities(6), with_parameters(6, "$X"), with_parameters(6, "{pattern: $X}")):
        rules, problems = compile_rules(read_rules(text, "x.yml", shared=()).rules)
        assert not [one for one in problems if not one.warning]
        assert rules.rules


def test_an_expression_that_takes_too_long_hides_nothing_of_other_rules() -> None:
    slow = "id: slow\nlanguage: js\nrule: {kind: comment, regex: '(a|aa)+$'}\n"
    message = (
        "id: told\nlanguage: js\nmessage: <$Y>\nrule: {pattern: f($X)}\n"
        "transform: {Y: {replace: {source: $X, replace: '(a|aa)+$', by: b}}}\n"
    )
    read_ = read_rules(f"{slow}---\n{message}".encode(), "x.yml", shared=())
    assert not read_.problems
    rules, problems = compile_rules(read_.rules)
    assert not problems
    long = b"a" * 60 + b"!"
    source = b"// %s\n%s" % (long, b"f('%s')\n" % long * 30)
    start = time.process_time()
    found = find(rules, source, "javascript")
    assert found.exhausted == ("slow",)
    told = [tell(read_.rules[1], one, source) for one in found.findings]
    assert told == ["<$Y>"] * 30
    assert time.process_time() - start < 20


def test_ten_thousand_rules_in_a_file() -> None:
    one = b"id: r%d\nlanguage: js\nmessage: $A\nrule: {any: [{pattern: f%d($A)}, {kind: x, regex: '^a%d'}]}\n"
    found = read(b"---\n".join(one % (n, n, n) for n in range(10_000)), seconds=30.0)
    assert len(found.rules) == 10_000


ODD = [
    b": ",
    b"- ",
    b"\n",
    b"  ",
    b"{",
    b"}",
    b"[",
    b"]",
    b"'",
    b'"',
    b"|\n",
    b"&a ",
    b"*a ",
    b"!!str ",
    b"---\n",
]
ODD += [
    b"#",
    b"\t",
    b"? ",
    b"%",
    b"$A",
    b"$$$B",
    b"\xff",
    b"\x00",
    b"\x85",
    b"\r",
    b"<<: ",
    b"~",
    b"1e999",
    b"-0x",
]
ODD += [
    b"matches: ",
    b"utils: ",
    b"fix: ",
    b"stopBy: ",
    b"regex: (a+)+$",
    b'"\\ud800"',
    b"nth-child: ",
    b"also: ",
]


def mutated(text: bytes, random_: random.Random) -> bytes:
    """*text* with some pieces taken out, put in and moved."""
    made = bytearray(text)
    for _ in range(random_.randrange(1, 8)):
        at = random_.randrange(len(made) + 1)
        way = random_.random()
        if way < 0.3:
            del made[at : at + random_.randrange(1, 20)]
        elif way < 0.6:
            made[at:at] = random_.choice(ODD)
        elif way < 0.8:
            other = random_.choice(FILES)
            start = random_.randrange(len(other))
            made[at:at] = other[start : start + random_.randrange(1, 120)]
        elif at < len(made):
            made[at] = random_.randrange(256)
    return bytes(made)


def test_files_with_pieces_out_of_place_are_read_or_told() -> None:
    random_ = random.Random(11)
    for number in range(600):
        text = mutated(FILES[number % len(FILES)], random_)
        read(text)
        read_rules(text, "x.yml", dialect=ASTGREP, utilities=bool(number % 2))
        read_sgconfig(text, "s.yml")
        read_cases(text, "t.yml")
        read_snapshots(text, "s.yml")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_are_read_or_told(text: bytes) -> None:
    read(text)
    read_sgconfig(text, "s.yml")
