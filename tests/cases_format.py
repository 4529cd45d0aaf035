"""The text of a case: reading it into values and printing expectations back.

A case is one Markdown file: a heading that says what holds, then fenced blocks.
The info string of a block is its language, its role and options::

    ```javascript pattern as=expression where="X=~/re/"

A case of a rewrite has ``rewrite`` beside its pattern and says the text ``after`` (a file
without one stays as it is) and which matches are ``refused``.  ``again=yes``: the pattern
finds more in its own output; ``until-stable=yes``: it is run until nothing changes;
``no-variant=tabs``: that form of the file is not tried (see ``cases_rewrites.variants``).

Order of things: ``read_case`` reads the file into blocks, checks roles, options
and what belongs together, and every problem is a ``CaseError`` with file and
line.  ``read_expected`` and ``Expected.printed`` are the two directions of one
line of a ``matches`` block, ``read_refusals`` and ``Refusal.printed`` those of a
``refused`` block, ``Block.source`` and ``Block.body_of`` those of a file.
Nothing here knows the search engine.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

RESERVED = frozenset({"rule"})
"""Roles of the format that have a runner of their own (``tests/rules``)."""

RELATIONS = ("inside", "has", "follows", "precedes")

OPTIONS: dict[str, frozenset[str]] = {
    "pattern": frozenset(
        {
            "as",
            "strictness",
            "where",
            "equivalence",
            "no-equivalence",
            "kind",
            "lang",
            "piece",
            *RELATIONS,
            *(f"not-{name}" for name in RELATIONS),
        }
    ),
    "before": frozenset({"path", "eol", "bom", "end", "lang"}),
    "matches": frozenset({"reading", "syntax-errors"}),
    "error": frozenset(),
    "near": frozenset(),
    "console": frozenset(),
    "rewrite": frozenset({"again", "until-stable", "no-variant"}),
    "after": frozenset({"path", "eol", "bom", "end", "unchanged", "overlapping", "passes", "cycle"}),
    "refused": frozenset(),
    "rule": frozenset({"title", "suspicious", "again", "until-stable"}),
}
"""Role → the options it takes."""

VALUES: dict[str, frozenset[str]] = {
    "eol": frozenset({"lf", "crlf", "cr"}),
    "bom": frozenset({"yes", "no"}),
    "end": frozenset({"bare", "newline"}),
    "piece": frozenset({"no"}),
    "syntax-errors": frozenset({"yes", "no"}),
    "strictness": frozenset({"exact", "smart", "loose"}),
    "again": frozenset({"yes"}),
    "until-stable": frozenset({"yes"}),
    "cycle": frozenset({"yes", "no"}),
    "suspicious": frozenset({"yes"}),
    "no-variant": frozenset({"crlf", "bom", "bare", "deeper", "tabs"}),
}
"""Options whose values are known beforehand."""

REPEATED = frozenset(
    {
        "where",
        "equivalence",
        "no-equivalence",
        "no-variant",
        *RELATIONS,
        *(f"not-{name}" for name in RELATIONS),
    }
)
"""Options that may stand more than once."""

_FENCE = re.compile(r"^(`{3,}|~{3,})\s*(.*)$")
_PLACE = re.compile(r"^(?:(?P<path>\S+):)?(?P<line>\d+):(?P<column>\d+) {2}")
_NAME = re.compile(r"([A-Z_][A-Z0-9_]*)=")
_BARE_WORD = re.compile(r'[^\s"]\S*')
_BOM = b"\xef\xbb\xbf"
_LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


class CaseError(Exception):
    """A case that cannot be read.  The message begins with the file and the line."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block.  ``first`` and ``last`` are the lines (from 0) of its body, half-open."""

    role: str
    language: str
    options: tuple[tuple[str, str], ...]
    body: str
    """The lines between the fences joined by newlines, without a last newline."""
    line: int
    """Line (from 1) of the opening fence."""
    first: int
    last: int

    def option(self, name: str, default: str = "") -> str:
        return next((value for key, value in self.options if key == name), default)

    def every(self, name: str) -> tuple[str, ...]:
        return tuple(value for key, value in self.options if key == name)

    @property
    def searched_as(self) -> str:
        """The language for the engine; the info string names the one for highlighting."""
        return self.option("lang", self.language)

    def source(self) -> bytes:
        """The bytes of the file that this block shows, by its options ``eol``, ``bom`` and ``end``."""
        text = self.body
        if text and self.option("end", "newline") == "newline":
            text += "\n"
        text = text.replace("\n", _LINE_ENDS[self.option("eol", "lf")])
        return (_BOM if self.option("bom") == "yes" else b"") + text.encode()

    def body_of(self, source: bytes) -> list[str] | None:
        """The lines that make this block show *source*, None if its options do not allow that."""
        text = source.removeprefix(_BOM).decode().replace(_LINE_ENDS[self.option("eol", "lf")], "\n")
        lines = text.removesuffix("\n").split("\n") if text else []
        return lines if replace(self, body="\n".join(lines)).source() == source else None


@dataclass(frozen=True, slots=True)
class Case:
    """A whole case file.  Invariant: its blocks go together as ``_check_blocks`` says."""

    path: Path
    title: str
    blocks: tuple[Block, ...]

    def every(self, role: str) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.role == role)

    def one(self, role: str) -> Block | None:
        return next((block for block in self.blocks if block.role == role), None)

    @property
    def reserved(self) -> tuple[str, ...]:
        """Roles of this case that this version cannot run."""
        return tuple(sorted({block.role for block in self.blocks} & RESERVED))


@dataclass(frozen=True, slots=True)
class Expected:
    """One line of a ``matches`` block; ``None`` where the line does not say.

    A line that gives any binding gives all of them, in the order of the pattern.
    """

    path: str
    line: int
    column: int
    text: str
    bindings: tuple[tuple[str, str], ...] | None = None
    equivalences: tuple[str, ...] | None = None

    def printed(self) -> str:
        place = f"{self.path}:{self.line}:{self.column}" if self.path else f"{self.line}:{self.column}"
        words = [f"{name}={_word(value)}" for name, value in self.bindings or ()]
        if self.equivalences:
            words.append("~" + ",".join(self.equivalences))
        return "  ".join([place, _text(self.text), " ".join(words)] if words else [place, _text(self.text)])

    def agrees(self, found: Expected) -> bool:
        """Whether *found*, which says everything, is what this line says."""
        return (
            (self.path, self.line, self.column, self.text)
            == (found.path, found.line, found.column, found.text)
            and self.bindings in {None, found.bindings}
            and self.equivalences in {None, found.equivalences}
        )


@dataclass(frozen=True, slots=True)
class Refusal:
    """One line of a ``refused`` block: where a match is left as it is, and why."""

    path: str
    line: int
    column: int
    reason: str

    def printed(self) -> str:
        path = f"{self.path}:" if self.path else ""
        return f"{path}{self.line}:{self.column}  {self.reason}"


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a ``console`` block with what it prints and its exit code."""

    words: tuple[str, ...]
    shown: str
    output: tuple[str, ...]
    exit_code: int

    def printed(self) -> list[str]:
        code = [f"[exit {self.exit_code}]"] if self.exit_code else []
        return [f"$ {self.shown}", *self.output, *code]


def read_case(path: Path) -> Case:
    """Read the case at *path*, or raise ``CaseError``."""
    return parse_case(path, path.read_text(encoding="utf-8"))


def parse_case(path: Path, text: str) -> Case:
    """Read *text* as a case that stands at *path*."""
    lines = text.split("\n")
    title = ""
    blocks: list[Block] = []
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if not fence:
            if not title and lines[at].startswith("# "):
                title = lines[at][2:].strip()
            at += 1
            continue
        end = _closing(lines, at, fence[1])
        if end is None:
            raise CaseError(path, at + 1, "this block is never closed")
        language, role, options = _info(path, at + 1, fence[2])
        body = "\n".join(lines[at + 1 : end])
        blocks.append(Block(role, language, options, body, at + 1, at + 1, end))
        at = end + 1
    if not title:
        raise CaseError(path, 1, "a case begins with a heading that says what holds")
    case = Case(path, title, tuple(blocks))
    _check_blocks(case)
    return case


def read_expected(case: Case, block: Block) -> list[Expected]:
    """The lines of a ``matches`` block."""
    found: list[Expected] = []
    for number, line in enumerate(block.body.split("\n") if block.body else [], block.line + 1):
        if not line.strip():
            continue
        try:
            found.append(parse_expected(line))
        except ValueError as error:
            raise CaseError(case.path, number, str(error)) from None
    return found


def parse_expected(line: str) -> Expected:
    """One line of a ``matches`` block; ``ValueError`` says what is wrong with it."""
    place = _PLACE.match(line)
    if not place:
        raise ValueError("a match begins with LINE:COLUMN and two spaces")
    rest = line[place.end() :]
    if rest.startswith('"'):
        text, used = _json_string(rest)
        rest = rest[used:]
        if rest and not rest.startswith("  "):
            raise ValueError("two spaces stand between the text of a match and its bindings")
        words = rest.strip()
    else:
        text, _, words = rest.partition("  ")
    bindings, equivalences = _words(words.strip())
    return Expected(
        place["path"] or "", int(place["line"]), int(place["column"]), text, bindings, equivalences
    )


def read_refusals(case: Case, block: Block) -> list[Refusal]:
    """The lines of a ``refused`` block."""
    found: list[Refusal] = []
    for number, line in enumerate(block.body.split("\n") if block.body else [], block.line + 1):
        place = _PLACE.match(line)
        if not place:
            raise CaseError(case.path, number, "a refusal is LINE:COLUMN, two spaces and the reason")
        found.append(
            Refusal(place["path"] or "", int(place["line"]), int(place["column"]), line[place.end() :])
        )
    return found


def read_commands(case: Case, block: Block) -> list[Command]:
    """The commands of a ``console`` block."""
    commands: list[Command] = []
    for number, line in enumerate(block.body.split("\n"), block.line + 1):
        exit_code = re.fullmatch(r"\[exit (\d+)\]", line)
        if line.startswith("$ "):
            words = tuple(shlex.split(line[2:]))
            if not words or words[0] not in {"astgrep", "astedit"}:
                raise CaseError(case.path, number, "a console runs astgrep or astedit, nothing else")
            commands.append(Command(words, line[2:], (), 0))
        elif not commands:
            raise CaseError(case.path, number, "a console begins with `$ ` and a command")
        else:
            last = commands[-1]
            output = last.output if exit_code else (*last.output, line)
            code = int(exit_code[1]) if exit_code else last.exit_code
            commands[-1] = Command(last.words, last.shown, output, code)
    return commands


def replace_bodies(text: str, bodies: Iterable[tuple[Block, list[str]]]) -> str:
    """*text* with the body of each block replaced by new lines; the fences stay."""
    lines = text.split("\n")
    for block, new in sorted(bodies, key=lambda pair: pair[0].first, reverse=True):
        lines[block.first : block.last] = new
    return "\n".join(lines)


def _closing(lines: list[str], opening: int, fence: str) -> int | None:
    for at in range(opening + 1, len(lines)):
        line = lines[at].rstrip()
        if len(line) >= len(fence) and set(line) == {fence[0]}:
            return at
    return None


def _info(path: Path, line: int, info: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    try:
        words = shlex.split(info)
    except ValueError as error:
        raise CaseError(path, line, f"the info string cannot be read: {error}") from None
    if len(words) < 2:
        raise CaseError(path, line, "an info string is a language, a role and options")
    language, role, *rest = words
    if role not in OPTIONS:
        raise CaseError(path, line, f"unknown role {role!r}; the roles are {', '.join(sorted(OPTIONS))}")
    options: list[tuple[str, str]] = []
    for word in rest:
        name, equals, value = word.partition("=")
        if not equals or name not in OPTIONS[role]:
            known = ", ".join(sorted(OPTIONS[role])) or "none"
            raise CaseError(
                path, line, f"unknown option {word!r} of the role {role!r}; the options are {known}"
            )
        if name in VALUES and value not in VALUES[name]:
            raise CaseError(path, line, f"{name}={value}: the values are {', '.join(sorted(VALUES[name]))}")
        if name not in REPEATED and name in dict(options):
            raise CaseError(path, line, f"the option {name!r} stands twice")
        options.append((name, value))
    return language, role, tuple(options)


def _check_blocks(case: Case) -> None:
    """Which blocks go together.  The only place that knows."""
    if case.reserved:
        return

    def problem(text: str, block: Block | None = None) -> CaseError:
        return CaseError(case.path, block.line if block else 1, text)

    for role in ("pattern", "rewrite", "matches", "error", "near", "refused"):
        if len(case.every(role)) > 1:
            raise problem(f"a second {role!r} block: a case holds one", case.every(role)[1])
    pattern, matches, error = case.one("pattern"), case.one("matches"), case.one("error")
    befores = case.every("before")
    if not pattern and not case.one("console"):
        raise problem("a case needs a 'pattern' or a 'console' block")
    rewrite, afters, refused = case.one("rewrite"), case.every("after"), case.one("refused")
    if rewrite and not (pattern and befores):
        raise problem("a 'rewrite' needs a 'pattern' and a 'before' block", rewrite)
    if rewrite and not (afters or refused or error):
        raise problem("a 'rewrite' needs an 'after', a 'refused' or an 'error' block", rewrite)
    for block in (*afters, *([refused] if refused else [])):
        if not rewrite:
            raise problem(f"{block.role!r} needs a 'rewrite' block", block)
    if pattern and not matches and not error and not rewrite:
        raise problem("a 'pattern' needs a 'matches', a 'rewrite' or an 'error' block", pattern)
    if error and (matches or case.one("near") or afters or refused):
        raise problem("an 'error' block stands without an answer", error)
    if matches and not (pattern and befores):
        raise problem("a 'matches' block needs a 'pattern' and a 'before' block", matches)
    if (near := case.one("near")) and not matches:
        raise problem("a 'near' block needs a 'matches' block", near)
    paths = [block.option("path") for block in befores]
    for block in afters:
        if block.option("path") not in paths:
            raise problem(f"there is no 'before' at {block.option('path')!r}", block)
        if sum(other.option("path") == block.option("path") for other in afters) > 1:
            raise problem(f"two files at {block.option('path')!r}", block)
    if (len(befores) > 1 or case.one("console")) and "" in paths:
        raise problem("a 'before' block of a tree needs path=", befores[paths.index("")])
    for block in befores:
        if paths.count(block.option("path")) > 1:
            raise problem(f"two files at {block.option('path')!r}", block)
        if Path(block.option("path")).is_absolute() or ".." in Path(block.option("path")).parts:
            raise problem("a path= stays inside the tree of the case", block)


def _words(text: str) -> tuple[tuple[tuple[str, str], ...] | None, tuple[str, ...] | None]:
    """The bindings and the equivalences at the end of a line; ``None`` for what is not there."""
    bindings: list[tuple[str, str]] = []
    equivalences: tuple[str, ...] | None = None
    while text:
        name = _NAME.match(text)
        if text.startswith("~"):
            word, _, text = text[1:].partition(" ")
            equivalences = tuple(word.split(","))
        elif not name:
            raise ValueError(f"a binding is NAME=value, not {text!r}")
        else:
            text = text[name.end() :]
            if text.startswith('"'):
                value, used = _json_string(text)
                text = text[used:]
                if text and not text.startswith(" "):
                    raise ValueError(f"a space stands between bindings, before {text!r}")
            else:
                value, _, text = text.partition(" ")
            bindings.append((name[1], value))
        text = text.lstrip()
    return tuple(bindings) or None, equivalences


def _json_string(text: str) -> tuple[str, int]:
    try:
        value, used = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is no JSON string: {text!r} ({error.msg})") from None
    return str(value), used


def _text(text: str) -> str:
    plain = text and text == text.strip() and text.isprintable() and "  " not in text and text[0] != '"'
    return text if plain else json.dumps(text, ensure_ascii=False)


def _word(value: str) -> str:
    plain = _BARE_WORD.fullmatch(value) and value.isprintable()
    return value if plain else json.dumps(value, ensure_ascii=False)
