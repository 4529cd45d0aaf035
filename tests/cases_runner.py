"""Running a case: the search it asks for, its expectations, and what holds for every search.

Order of things: ``run_case`` answers the blocks of a case one by one, compares,
and collects problems as text; with ``update`` it writes the found answer into
the file instead.  A case that agrees is then checked for the invariants of every
search (``invariants``), which no case has to ask for, and of every rewrite
(``cases_rewrites``).

Expectations are asked of the public interface of ``structural``; the invariants
look one level below, where filters can be switched off.  Commands run as separate
processes in a copy of the files.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structural.errors import PatternError
from structural.pattern import compile_pattern
from structural.pattern.values import Match
from structural.rewrite.text import rewrite_text
from structural.search.source import may_match, search_source
from structural.search.values import Relation
from structural.syntax import registry
from structural.text import LineIndex
from tests import cases_rewrites
from tests.cases_format import (
    RELATIONS,
    Block,
    Case,
    CaseError,
    Command,
    Expected,
    read_commands,
    read_expected,
    replace_bodies,
)

if TYPE_CHECKING:
    from structural import Matches

ROOT = Path(__file__).resolve().parent.parent

PIECES = 12
"""How many matches of a file are taken as patterns of their own: enough to see, few enough to be quick."""

_DURATION = re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s)\b")
_STARTS_A_METAVARIABLE = re.compile(r"\$(?=[A-Z_$])")
_MULTI_LINE_TOKEN = re.compile(r"\"\"\"|'''|`|<<|\[\[|/\*")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found in one file of a case."""

    block: Block
    matches: Matches
    in_tree: bool
    """Whether the case has several files, so that places begin with the path."""

    def found(self) -> list[Expected]:
        """The matches as lines of a ``matches`` block, saying everything."""
        path = self.block.option("path") if self.in_tree else ""
        lines = LineIndex(self.matches.source)
        return [expected(match, self.matches.source, lines, path) for match in self.matches.matches]

    def near(self) -> list[str]:
        return [
            f"{miss.line}: {miss.count} {miss.kind}: expected {miss.mismatch.expected}, "
            f"found {miss.mismatch.found}: {miss.text}"
            for miss in self.matches.near_misses
        ]


def run_case(case: Case, *, update: bool = False) -> list[str]:
    """Everything that is wrong with *case*; empty if it holds.

    With *update* the ``matches``, ``after``, ``refused`` and ``console`` blocks that
    disagree are rewritten in the file with what was found, and are no problem any more.
    """
    problems: list[str] = []
    new: list[tuple[Block, list[str]]] = []
    answers: list[Answer] = []
    if case.one("error"):
        problems += _check_error(case)
    elif block := case.one("matches"):
        answers = search(case)
        wanted = read_expected(case, block)
        found = [match for answer in answers for match in answer.found()]
        if not _agree(wanted, found):
            if update:
                new.append((block, [line.printed() for line in found]))
            else:
                problems.append(_difference(wanted, found))
        problems += _check_answer(block, answers)
        problems += _check_near(case, answers)
    rewrites = cases_rewrites.answers(case, options(case)) if _is_rewritten(case) else []
    if update:
        new += cases_rewrites.new_bodies(case, rewrites)
    else:
        problems += cases_rewrites.differences(case, rewrites)
    for block in case.every("console"):
        wanted_commands = read_commands(case, block)
        found_commands = run_console(case, wanted_commands)
        if wanted_commands != found_commands:
            after = [line for command in found_commands for line in command.printed()]
            if update:
                new.append((block, after))
            else:
                before = [line for command in wanted_commands for line in command.printed()]
                problems.append("the console differs:\n" + _side_by_side(before, after))
    if new:
        text = case.path.read_text(encoding="utf-8")
        case.path.write_text(replace_bodies(text, new), encoding="utf-8")
    if not problems:
        problems += [problem for answer in answers for problem in invariants(case, answer)]
        problems += _rewrite_problems(case, rewrites)
    return problems


def _is_rewritten(case: Case) -> bool:
    return case.one("rewrite") is not None and case.one("error") is None


def _rewrite_problems(case: Case, rewrites: list[cases_rewrites.Answer]) -> list[str]:
    """What does not hold of the rewrites of *case*."""
    asked = options(case)
    return [p for answer in rewrites for p in cases_rewrites.invariants(case, answer, asked)]


def identity_problems(case: Case) -> list[str]:
    """What changes where the pattern of *case* is rewritten to itself."""
    if case.one("pattern") is None or case.one("error"):
        return []
    befores, asked = case.every("before"), options(case)
    return [p for before in befores for p in cases_rewrites.identity(case, before, asked)]


def search(case: Case) -> list[Answer]:
    """Search every file of *case* for its pattern."""
    from structural import search_text

    pattern, befores, asked = _pattern(case), case.every("before"), options(case)
    return [
        Answer(
            before,
            search_text(pattern.body, before.source(), pattern.searched_as, host=before.searched_as, **asked),
            len(befores) > 1,
        )
        for before in befores
    ]


def options(case: Case) -> dict[str, Any]:
    """What the ``pattern`` block asks for, as arguments of the engine."""
    pattern = _pattern(case)
    return {
        "rung": pattern.option("as") or None,
        "strictness": pattern.option("strictness", "smart"),
        "equivalences": pattern.every("equivalence"),
        "without": pattern.every("no-equivalence"),
        "where": pattern.every("where"),
        "kind": pattern.option("kind") or None,
        "relations": tuple(
            Relation(name.removeprefix("not-"), value, negated=name.startswith("not-"))
            for name, value in pattern.options
            if name.removeprefix("not-") in RELATIONS
        ),
    }


def expected(match: Match, source: bytes, lines: LineIndex, path: str = "") -> Expected:
    """*match* as a line of a ``matches`` block."""
    place = lines.position(match.span.start)
    return Expected(
        path,
        place.line,
        place.column,
        match.span.text(source),
        tuple((binding.name, binding.span.text(source)) for binding in match.bindings),
        match.equivalences,
    )


def run_console(case: Case, commands: list[Command]) -> list[Command]:
    """Run *commands* one after another in one temporary copy of the files of *case*."""
    with tempfile.TemporaryDirectory(prefix="case-") as folder:
        tree = Path(folder).resolve() / "tree"
        tree.mkdir()
        for block in case.every("before"):
            target = tree / block.option("path")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(block.source())
        return [run_command(command, tree) for command in commands]


def invariants(case: Case, answer: Answer) -> Iterator[str]:
    """What holds for every search, whatever the case says: one text for every breach."""
    yield from order_problems(answer.matches.matches, answer.matches.source)
    yield from _filter_problems(case, answer)
    yield from _reading_problems(case)
    if _pattern(case).option("piece") != "no":
        yield from _piece_problems(answer)


def order_problems(matches: tuple[Match, ...], source: bytes) -> Iterator[str]:
    """Matches stand in order, once each, inside the text; bindings lie where they must."""
    keys = [(match.span.start, -match.span.end) for match in matches]
    if keys != sorted(keys):
        yield "the matches are not in order of their start, longest first"
    if len({(match.span, match.kind) for match in matches}) != len(matches):
        yield "a match is given twice"
    for match in matches:
        shown = match.span.text(source)[:60]
        if not 0 <= match.span.start <= match.span.end <= len(source):
            yield f"the span of {shown!r} lies outside the text"
        names = [binding.name for binding in match.bindings]
        if len(set(names)) != len(names) or "_" in names:
            yield f"{shown!r} binds a name twice, or `$_`: {names}"
        for binding in match.bindings:
            if not match.span.holds(binding.span):
                yield f"{binding.name} lies outside its match {shown!r}"
            if not binding.ellipsis and binding.parts != (binding.span,):
                yield f"{binding.name} of {shown!r} is not exactly one node"
            ends = [edge for part in binding.parts for edge in (part.start, part.end)]
            if ends != sorted(ends) or not all(binding.span.holds(part) for part in binding.parts):
                yield f"the parts of {binding.name} of {shown!r} are not in order inside its span"
            if not binding.parts and binding.span.start != binding.span.end:
                yield f"{binding.name} of {shown!r} stands for nothing but has a text"


def piece(match: Match, source: bytes) -> str | None:
    """The text of *match* as a pattern; ``None`` where its text alone is not what stands there.

    Lines after the first lose the indentation of the first line, and a dollar
    sign that would begin a metavariable is escaped.
    """
    try:
        text = source[match.span.start : match.span.end].decode()
    except UnicodeDecodeError:
        return None
    if "\\$" in text:
        return None  # in a pattern this is a dollar sign, in the file both characters
    if "\n" in text:
        if _MULTI_LINE_TOKEN.search(text):
            return None
        start = source.rfind(b"\n", 0, match.span.start) + 1
        line = source[start : match.span.start]
        indentation = line[: len(line) - len(line.lstrip())].decode()
        first, *rest = text.split("\n")
        text = "\n".join([first, *(other.removeprefix(indentation) for other in rest)])
    return _STARTS_A_METAVARIABLE.sub(r"\\$", text)


def _piece_problems(answer: Answer) -> Iterator[str]:
    """A piece of the input, taken as a pattern, matches that piece."""
    from structural import search_text

    source = answer.matches.source
    for match in answer.matches.matches[:PIECES]:
        text = piece(match, source)
        if text is None:
            continue
        try:
            again = search_text(
                text, source, match.language, rung=match.reading, host=answer.block.searched_as
            )
        except PatternError as error:
            yield f"the match {text!r} is no pattern of its own by the rung {match.reading}: {error}"
            continue
        if all(other.span != match.span for other in again.matches):
            yield f"the match {text!r}, taken as a pattern, does not match itself"


_PADDING = b"\n" * 3000
"""So much behind a source makes its texts rare enough to be looked around, instead of asking all nodes."""


def _filter_problems(case: Case, answer: Answer) -> Iterator[str]:
    """The quick way to search, with its filters, finds what the slow way finds."""
    pattern, source = _pattern(case), answer.matches.source
    host = registry.resolve(answer.block.searched_as)
    windows = source.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    variants = {"": source, ", padded,": source + _PADDING, ", with CRLF,": windows}
    for reading in compile_pattern(pattern.body, pattern.searched_as, **options(case)).readings:
        for name, text in variants.items():
            quick = search_source(text, host, {reading.language: reading})
            slow = search_source(text, host, {reading.language: reading}, prefilter=False)
            if slow.matches and not may_match(text, reading):
                yield f"the literals {reading.literals} reject a file{name} with matches"
            elif quick.matches != slow.matches:
                lost = [match.span.text(text) for match in slow.matches if match not in quick.matches]
                yield (
                    f"with its filters the reading as {reading.rung}{name} finds something else;"
                    f" it loses {lost}"
                )


def _reading_problems(case: Case) -> Iterator[str]:
    """A pattern compiled from the text that a reading keeps of it is equal."""
    pattern = _pattern(case)
    asked = options(case)
    for reading in compile_pattern(pattern.body, pattern.searched_as, **asked).readings:
        again = compile_pattern(reading.text, pattern.searched_as, **(asked | {"rung": reading.rung}))
        if all(other.shapes != reading.shapes for other in again.readings):
            yield f"the text {reading.text!r} of the reading as {reading.rung} is not read alike again"


def _check_error(case: Case) -> list[str]:
    from structural import search_text

    block, pattern, rewrite = case.one("error"), _pattern(case), case.one("rewrite")
    assert block is not None
    sources = [before.source() for before in case.every("before")] or [b""]
    try:
        if rewrite is not None:
            rewrite_text(pattern.body, rewrite.body, sources[0], pattern.searched_as, **options(case))
        else:
            search_text(pattern.body, sources[0], pattern.searched_as, **options(case))
    except PatternError as error:
        message = f"{error.message}\n{error.hint}\n" + "\n".join(str(attempt) for attempt in error.attempts)
        return [
            f"the error does not say {line!r}, but:\n{message}"
            for line in block.body.split("\n")
            if line.strip() not in message
        ]
    return [
        "the pattern was expected to be no code, but "
        + ("it was rewritten" if rewrite else "it was searched")
    ]


def _check_answer(block: Block, answers: list[Answer]) -> list[str]:
    problems: list[str] = []
    for answer in answers:
        reading = block.option("reading")
        if reading and answer.matches.reading != reading:
            problems.append(f"the pattern was read as {answer.matches.reading}, not as {reading}")
        errors = block.option("syntax-errors")
        if errors and bool(answer.matches.syntax_errors) != (errors == "yes"):
            problems.append(f"{answer.matches.syntax_errors} syntax errors were counted")
    return problems


def _check_near(case: Case, answers: list[Answer]) -> list[str]:
    block = case.one("near")
    if not block:
        return []
    found = [line for answer in answers for line in answer.near()]
    return [
        f"no near miss says {line!r}, but:\n" + "\n".join(found)
        for line in block.body.split("\n")
        if not any(line.strip() in miss for miss in found)
    ]


def run_command(command: Command, tree: Path) -> Command:
    """Run *command* in *tree*: what it prints, standard output first, and its exit code."""
    program = command.words[0]
    code = (
        f"import sys; sys.argv[0] = {program!r}; "
        f"from structural.cli.main import {program} as main; sys.exit(main())"
    )
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "LC_ALL", "TMPDIR"}}
    environment = kept | {
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "HOME": str(tree.parent),
        "NO_COLOR": "1",
        "TERM": "dumb",
        "COLUMNS": "100",
    }
    # -P: the copied tree must not offer its own files as modules.
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *command.words[1:]],
        cwd=tree,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    text = done.stdout.decode("utf-8", "backslashreplace").replace(str(tree), "<tree>")
    output = [_DURATION.sub("<time>", line.rstrip()) for line in text.rstrip("\n").split("\n")]
    return Command(command.words, command.shown, tuple(output) if text.strip() else (), done.returncode)


def _pattern(case: Case) -> Block:
    pattern = case.one("pattern")
    if pattern is None:
        raise CaseError(case.path, 1, "this case has no pattern")
    return pattern


def _agree(wanted: list[Expected], found: list[Expected]) -> bool:
    return len(wanted) == len(found) and all(
        line.agrees(match) for line, match in zip(wanted, found, strict=True)
    )


def _difference(wanted: list[Expected], found: list[Expected]) -> str:
    return "the matches differ:\n" + _side_by_side(
        [line.printed() for line in wanted], [line.printed() for line in found]
    )


def _side_by_side(wanted: list[str], found: list[str]) -> str:
    return "\n".join(
        [
            "  expected:",
            *(f"    {line}" for line in wanted or ["(nothing)"]),
            "  found:",
            *(f"    {line}" for line in found or ["(nothing)"]),
        ]
    )
