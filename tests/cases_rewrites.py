"""Running a case with a rewrite: the text it asks for, and what holds for every rewrite.

Order of things: ``answers`` rewrites every file of a case; ``differences`` compares
with the blocks ``after`` and ``refused``; ``new_bodies`` is what ``--update-cases``
writes; ``invariants`` checks what no case has to ask for, on the text itself and on
its variants (other line ends, a BOM, no last line end, one level deeper, with tabs).
``identity`` rewrites a pattern to itself, which must be no edit at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from structural.errors import RewriteError, StructuralError
from structural.pattern import compile_pattern
from structural.rewrite.source import Run, rewrite_source
from structural.rewrite.template import compile_template
from structural.rewrite.text import rewrite_text
from structural.rewrite.values import Rewritten
from structural.syntax import registry
from structural.syntax.columns import Columns
from structural.syntax.embed import regions
from structural.syntax.parse import parse
from structural.text import LineIndex
from structural.text.edits import apply, checked, inverse
from tests.cases_format import Block, Case, CaseError, Refusal, read_refusals

Rewrite = Callable[[bytes], Rewritten]

BOM = b"\xef\xbb\xbf"

DEEPER: dict[str, tuple[str, str]] = {
    "bash": ("if true; then", "fi"),
    "csharp": ("class Deeper {", "}"),
    "css": ("@media print {", "}"),
    "dart": ("class Deeper {", "}"),
    "elixir": ("if true do", "end"),
    "hcl": ("deeper {", "}"),
    "html": ("<div>", "</div>"),
    "java": ("class Deeper {", "}"),
    "javascript": ("{", "}"),
    "json": ('{"deeper":', "}"),
    "kotlin": ("class Deeper {", "}"),
    "lua": ("do", "end"),
    "python": ("if True:", ""),
    "ruby": ("module Deeper", "end"),
    "rust": ("mod deeper {", "}"),
    "scala": ("object Deeper {", "}"),
    "solidity": ("contract Deeper {", "}"),
    "swift": ("class Deeper {", "}"),
    "tsx": ("{", "}"),
    "typescript": ("{", "}"),
    "yaml": ("deeper:", ""),
    "zig": ("const Deeper = struct {", "};"),
}
"""Language → lines between which a whole text may stand one level deeper.  A text that is no code
there, or in which the pattern then finds something else, has no such variant."""

NO_TABS = frozenset({"yaml", "haskell", "nix", "markdown", "elixir", "scala"})
"""Languages in which a tab is no indentation, or not everywhere."""

_UNNAMED = re.compile(r"(?<!\\)(\$\$\$(?![A-Z_])|\$_(?![A-Za-z0-9_]))")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a rewrite made of one file of a case."""

    before: Block
    after: Block | None
    made: Rewritten
    in_tree: bool

    def refusals(self) -> list[Refusal]:
        lines = LineIndex(self.made.source)
        path = self.before.option("path") if self.in_tree else ""
        places = [(lines.position(refused.span.start), refused.reason) for refused in self.made.refused]
        return [Refusal(path, place.line, place.column, reason) for place, reason in places]

    @property
    def wanted(self) -> bytes:
        return self.made.source if self.after is None else self.after.source()


def rewriting(case: Case, before: Block, rewrite: str, asked: dict[str, Any]) -> Rewrite:
    """The rewrite that *case* asks for, as a function of a text like *before*.

    It is compiled once: the variants of a text show the same as calls of ``rewrite_text``."""
    pattern = case.one("pattern")
    assert pattern is not None
    host = registry.resolve(before.searched_as)
    stable = asked.get("until_stable", False)
    options = {name: value for name, value in asked.items() if name != "until_stable"}
    compiled = compile_pattern(pattern.body, pattern.searched_as, **options)
    runs: list[Run] = []

    def rewrite_one(source: bytes) -> Rewritten:
        made, at = Rewritten(source, source), 0
        while not made.matches:
            if at == len(runs):
                reading = compiled.reading(at)
                if reading is None:
                    break
                runs.append(Run(reading, compile_template(rewrite, compiled, reading)))
            run = runs[at]
            made = rewrite_source(source, host, {run.reading.language: run}, until_stable=stable)
            at += 1
        return made

    return rewrite_one


def answers(case: Case, asked: dict[str, Any]) -> list[Answer]:
    """Rewrite every file of *case*."""
    block, befores = case.one("rewrite"), case.every("before")
    assert block is not None
    asked = asked | {"until_stable": block.option("until-stable") == "yes"}
    afters = {after.option("path"): after for after in case.every("after")}
    pattern = case.one("pattern")
    assert pattern is not None
    return [
        Answer(
            before,
            afters.get(before.option("path")),
            rewrite_text(
                pattern.body,
                block.body,
                before.source(),
                pattern.searched_as,
                host=before.searched_as,
                **asked,
            ),
            len(befores) > 1,
        )
        for before in befores
    ]


def differences(case: Case, found: list[Answer]) -> list[str]:
    """What *case* says otherwise than was found."""
    problems = []
    for answer in found:
        made = answer.made
        if made.text != answer.wanted:
            problems.append(_side_by_side("the text after differs:", answer.wanted, made.text))
        if answer.after is not None:
            for name in ("unchanged", "overlapping", "passes"):
                wanted = answer.after.option(name)
                if wanted and wanted != str(getattr(made, name)):
                    problems.append(f"{name} is {getattr(made, name)}, not {wanted}")
            if (answer.after.option("cycle") == "yes") != made.cycle:
                problems.append("it ran into a cycle" if made.cycle else "it ran into no cycle")
    wanted_refusals, refusals = _refusals(case, found)
    if wanted_refusals != refusals:
        problems.append(
            "the refusals differ:\n"
            + "\n".join(["  expected:", *(f"    {line}" for line in wanted_refusals or ["(nothing)"])])
            + "\n"
            + "\n".join(["  found:", *(f"    {line}" for line in refusals or ["(nothing)"])])
        )
    return problems


def new_bodies(case: Case, found: list[Answer]) -> list[tuple[Block, list[str]]]:
    """What the blocks that disagree should say; those that are not there are not made."""
    new: list[tuple[Block, list[str]]] = []
    for answer in found:
        if answer.after is not None and answer.made.text != answer.wanted:
            body = answer.after.body_of(answer.made.text)
            if body is None:
                raise CaseError(case.path, answer.after.line, "eol=, bom= or end= are not those of the text")
            new.append((answer.after, body))
    block = case.one("refused")
    wanted, refusals = _refusals(case, found)
    if block is not None and wanted != refusals:
        new.append((block, refusals))
    return new


def _refusals(case: Case, found: list[Answer]) -> tuple[list[str], list[str]]:
    block = case.one("refused")
    wanted = [line.printed() for line in read_refusals(case, block)] if block else []
    return wanted, [refusal.printed() for answer in found for refusal in answer.refusals()]


# --- what holds for every rewrite ----------------------------------------------------------------------


def invariants(case: Case, answer: Answer, asked: dict[str, Any]) -> Iterator[str]:
    """What holds whatever the case says: one text for every breach."""
    block = case.one("rewrite")
    assert block is not None
    made, host = answer.made, answer.before.searched_as
    again = rewriting(case, answer.before, block.body, asked)
    stable = block.option("until-stable") == "yes"
    same = rewriting(case, answer.before, block.body, asked | {"until_stable": True}) if stable else again
    yield from consistent(made)
    yield from kept(made, host)
    yield from second_run(made, again, block.option("again") == "yes" or made.cycle)
    excused = set(block.every("no-variant"))
    for name, source, wanted in variants(made, host, block.body):
        if name in excused:
            continue
        try:
            other = same(source)
        except StructuralError as error:
            yield f"the variant {name!r} is refused: {error}"
            continue
        if name == "deeper" and other.matches != made.matches:
            continue
        if other.text != wanted:
            yield _side_by_side(f"the variant {name!r} differs:", wanted, other.text)
        if len(other.refused) != len(made.refused):
            yield f"the variant {name!r} refuses {len(other.refused)}, not {len(made.refused)}"


def consistent(made: Rewritten) -> Iterator[str]:
    """Edits make the text, their inverse takes it back, and every match is counted once."""
    edits = checked(made.edits, len(made.source))
    if apply(made.source, edits) != made.text:
        yield "the edits do not make the text"
    if apply(made.text, inverse(made.source, edits)) != made.source:
        yield "the inverse of the edits does not give the first bytes back"
    for edit in edits:
        if made.source[edit.span.start : edit.span.end] == edit.new:
            yield f"an edit at byte {edit.span.start} changes nothing"
    if made.passes == 1:
        changed = sum(site.matches for site in made.sites)
        counted = changed + made.unchanged + made.overlapping + len(made.refused)
        if counted != made.matches or made.unchanged < 0:
            yield (
                f"{made.matches} matches are not {changed} changed, {made.unchanged} unchanged, "
                f"{made.overlapping} overlapping and {len(made.refused)} refused"
            )


def kept(made: Rewritten, host: str) -> Iterator[str]:
    """No syntax error is new, and no comment is lost."""
    before, after = _read(made.source, host), _read(made.text, host)
    if [language for language, _, _ in before] != [language for language, _, _ in after]:
        before, after = before[:1], after[:1]  # What is code inside of the file has changed with it.
    errors = sum(count for _, count, _ in after) - sum(count for _, count, _ in before)
    if errors > 0:
        yield f"{errors} new syntax errors in {made.text!r}"
    comments = sum((found for _, _, found in before), Counter())
    comments_after = sum((found for _, _, found in after), Counter())
    # A rewrite of comments is meant to change those that it matches.
    meant = Counter(b"".join(made.source[s.span.start : s.span.end].split()) for s in made.sites)
    lost = list((comments - comments_after - meant).elements())
    if lost:
        yield f"comments are lost: {lost}"


def _read(source: bytes, language: str) -> list[tuple[str, int, Counter[bytes]]]:
    """Syntax errors and comments of a file, then of each piece of code inside it, with its language."""
    columns = parse(source, language)
    found = [(columns.language, columns.errors, _comments(columns))]
    if registry.get(columns.language).embedded:
        for region in regions(columns):
            inner = parse(source, region.language, region.ranges)
            found.append((region.language, inner.errors, _comments(inner)))
    return found


def _comments(columns: Columns) -> Counter[bytes]:
    return Counter(b"".join(columns.source[a:b].split()) for a, b in columns.comments)


def second_run(made: Rewritten, again: Rewrite, expected: bool) -> Iterator[str]:
    """A second run changes nothing, unless that is expected."""
    second = again(made.text)
    if second.sites and not expected:
        yield _side_by_side("a second run changes the text again:", made.text, second.text)
    if expected and not second.sites and made.sites:
        yield "a second run changes nothing: again=yes is needless"


def variants(made: Rewritten, host: str, rewrite: str) -> Iterator[tuple[str, bytes, bytes]]:
    """Other forms of the same file: (name, source, the text it should become)."""
    source, text = made.source, made.text
    language = registry.resolve(host)
    if b"\r" not in source and b"\n" in source:
        yield "crlf", source.replace(b"\n", b"\r\n"), text.replace(b"\n", b"\r\n")
    if not source.startswith(BOM) and _errors(BOM + source, language) <= _errors(source, language):
        yield "bom", BOM + source, BOM + text
    if source.endswith(b"\n") and not source.endswith(b"\n\n"):
        bare = source.removesuffix(b"\n")
        if _errors(bare, language) <= _errors(source, language):
            yield "bare", bare, text.removesuffix(b"\n")
    if b"\r" in source or source.startswith(BOM):
        return
    unit = _unit(source) or _unit(b"\n" + rewrite.encode())
    if language in DEEPER:
        first, last = DEEPER[language]
        step = unit or b"    "
        deeper = _deeper(source, first, last, step)
        if _errors(deeper, language) <= _errors(source, language):
            yield "deeper", deeper, _deeper(text, first, last, step)
    if language not in NO_TABS and unit.strip(b"\t") and _unit(source):
        tabbed = _tabbed(source, unit)
        if tabbed != source and _errors(tabbed, language) <= _errors(source, language):
            yield "tabs", tabbed, _tabbed(text, unit)


def _errors(source: bytes, language: str) -> int:
    return parse(source, language).errors


def _unit(source: bytes) -> bytes:
    """One level of indentation: a tab if lines begin with one, else the commonest step; empty for none."""
    steps: Counter[int] = Counter()
    before = 0
    for line in source.split(b"\n"):
        if line.startswith(b"\t"):
            return b"\t"
        if line.strip():
            width = len(line) - len(line.lstrip(b" "))
            if width > before:
                steps[width - before] += 1
            before = width
    return b" " * steps.most_common(1)[0][0] if steps else b""


def _deeper(source: bytes, first: str, last: str, step: bytes) -> bytes:
    whole = source.removesuffix(b"\n").split(b"\n") if source else []
    lines = [step + line if line.strip() else line for line in whole]
    return b"\n".join([first.encode(), *lines, *([last.encode()] if last else [])]) + b"\n"


def _tabbed(source: bytes, unit: bytes) -> bytes:
    lines = []
    for line in source.split(b"\n"):
        width = len(line) - len(line.lstrip(b" "))
        levels, rest = divmod(width, len(unit))
        lines.append(b"\t" * levels + b" " * rest + line[width:])
    return b"\n".join(lines)


def identity(case: Case, before: Block, asked: dict[str, Any]) -> Iterator[str]:
    """A pattern rewritten to itself is no edit at all."""
    pattern = case.one("pattern")
    assert pattern is not None
    numbers = iter(range(1_000))
    text = _UNNAMED.sub(
        lambda found: ("$$$" if found[1] == "$$$" else "$") + f"UNNAMED_{next(numbers)}", pattern.body
    )
    try:
        made = rewrite_text(
            text, text, before.source(), pattern.searched_as, host=before.searched_as, **asked
        )
    except RewriteError as error:
        yield f"the pattern is no rewrite of itself: {error}"
        return
    except StructuralError:
        return  # The pattern with all its metavariables named is no code.
    if made.sites or made.refused:
        yield _side_by_side("the pattern rewritten to itself is an edit:", made.source, made.text)
        if made.refused:
            yield f"the pattern rewritten to itself is refused: {made.refused}"


def _side_by_side(title: str, wanted: bytes, found: bytes) -> str:
    def lines(text: bytes) -> list[str]:
        shown = text.decode("utf-8", "backslashreplace").split("\n")
        return [f"    |{line}" for line in (_visible(line) for line in shown)]

    return "\n".join([title, "  expected:", *lines(wanted), "  found:", *lines(found)])


def _visible(line: str) -> str:
    return line.replace("\t", "→").replace("\r", "␍").replace("\ufeff", "<BOM>")
