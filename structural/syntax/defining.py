"""The rules by which a node is a definition, with kinds and fields as numbers.

``definers`` turns the data of a language into a ``Definers``, made once a process.  A path
(see ``Defines``) becomes a tuple of steps, and ``follow`` goes along it through columns.
A language without rules of its own has general ones, made from the names that its
grammar gives to kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from structural.syntax.columns import Columns
from structural.syntax.grammar import LoadedGrammar, load_named
from structural.syntax.language import Defines

_NONE = frozenset[int]()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path.  ``choices`` are (field or 0 for any, kinds or None for any); ``how`` is its last
    mark, ``up`` a step to the parent, ``own`` the kinds of a step that stays where it is."""

    choices: tuple[tuple[int, frozenset[int] | None], ...]
    how: str = ""
    up: bool = False
    own: frozenset[int] = _NONE


Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A ``Defines`` for one language."""

    sort: str
    name: Path
    where: Path | None
    word: Path
    words: frozenset[bytes]
    from_word: bool
    inside: frozenset[int]
    level: bool
    deepest: int
    owner: Path | None
    body: Path
    joined: Path | None


@dataclass(slots=True)
class Definers:
    """All that an outline needs to know of a language.  ``general``: nobody wrote rules for it."""

    rules: dict[int, tuple[Rule, ...]] = field(default_factory=dict)
    levels: frozenset[int] = _NONE
    wrappers: frozenset[int] = _NONE
    annotations: frozenset[int] = _NONE
    blocks: frozenset[int] = _NONE
    constructors: frozenset[str] = frozenset()
    general: bool = False


@cache
def definers(language: str) -> Definers:
    """The rules of *language*; a LanguageError if its grammar is not installed."""
    grammar = load_named(language)
    about = grammar.language
    made = Definers(
        levels=grammar.ids(about.levels),
        wrappers=grammar.ids(about.wrappers | about.adorned),
        annotations=grammar.ids(about.annotations),
        blocks=grammar.ids(about.blocks),
        constructors=about.constructors,
        general=not about.defines,
    )
    rows: dict[int, list[Rule]] = {}
    for defines in about.defines or general(grammar):
        rule = _rule(defines, grammar)
        for kind in grammar.ids(defines.kind.split()):
            rows.setdefault(kind, []).append(rule)
    made.rules = {kind: tuple(rules) for kind, rules in rows.items()}
    if made.general:
        made.levels = frozenset(range(len(grammar.names))) - made.rules.keys()
    return made


def follow(path: Path, columns: Columns, node: int, trail: Sequence[int] = ()) -> list[int]:
    """The nodes that *path* leads to from *node*, in order.  *trail* ends with what lies around the
    node, and with it, if that is known."""
    here = [node]
    known = len(trail) - 1 if trail and trail[-1] == node else -1
    for step in path:
        if step.up and known >= 0:
            known -= 1
            here = [trail[known]] if known >= 0 else []
        elif step.up:
            here = [columns.parent[i] for i in here if columns.parent[i] >= 0]
        else:
            known = -1
            here = _further(step, columns, here)
        if not here:
            break
    return here


def _further(step: Step, columns: Columns, here: list[int]) -> list[int]:
    """Where one step leads from the nodes *here*."""
    if step.own:
        found = [i for i in here if columns.kind[i] in step.own]
    elif step.how == "*":
        found = [deep for i in here for deep in _deepest(step, columns, i)]
    elif step.how == "?":
        found = [j for i in here for j in (_children(step, columns, i) or (i,))]
    else:
        found = [j for i in here for j in _children(step, columns, i)]
    return found[:1] if step.how == "!" else found


class Trail:
    """The way from the root to a node, for nodes in preorder.

    Only what lies beside the way is stepped over, as a whole: the parents of all nodes need not be
    known.  ``path[0]`` is the root, ``path[-1]`` the node.
    """

    def __init__(self, columns: Columns, rules: Definers) -> None:
        self._kind, self._size, self._start = columns.kind, columns.size, columns.start
        self._levels, self._annotations = rules.levels, rules.annotations
        self.path = [0]
        self._runs = [int(columns.kind[0] in rules.levels)]
        self._marks = [-1]
        self._at = [1]
        self._pending = [-1]

    def go(self, node: int) -> None:
        """Go on to *node*, which comes behind the last one."""
        kind, size, path = self._kind, self._size, self.path
        runs, marks, at, pending = self._runs, self._marks, self._at, self._pending
        while node >= path[-1] + size[path[-1]]:
            for stack in (path, runs, marks, at, pending):
                stack.pop()
        annotations = self._annotations
        while path[-1] != node:
            j, mark = at[-1], pending[-1]
            while j + size[j] <= node:
                if annotations:
                    mark = (mark if mark >= 0 else j) if kind[j] in annotations else -1
                j += size[j]
            at[-1], pending[-1] = j, mark
            path.append(j)
            runs.append(runs[-1] + 1 if kind[j] in self._levels else 0)
            marks.append(mark)
            at.append(j + 1)
            pending.append(-1)

    def on_level(self, above: int) -> bool:
        """Whether only ``levels`` lie between place *above* of the path and its last."""
        last = len(self.path) - 1
        return last == 0 or self._runs[last - 1] >= last - 1 - above

    def start(self, place: int) -> int:
        """Where the node at *place* begins with the annotations that stand before it as siblings."""
        mark = self._marks[place]
        return self._start[mark if mark >= 0 else self.path[place]]


def compiled(text: str, grammar: LoadedGrammar) -> Path:
    """A path as steps; names that the grammar lacks lead nowhere."""
    return tuple(_step(part, grammar) for part in text.split("/") if part not in (".", ""))


def names_in(path: str) -> Iterator[tuple[str, str]]:
    """("field" or "kind", name) for every name of a path, for a check against the grammar."""
    for part in path.removeprefix("^").split("/"):
        for choice in part.rstrip("?*!+&").split("|"):
            if choice in ("", ".", ".."):
                continue
            named, _, kind = choice.removeprefix("@").partition("=")
            if not named:
                yield "kind", kind
            elif choice.startswith("@"):
                yield "field", named
                if kind:
                    yield "kind", kind
            else:
                yield "kind", choice


_ENDINGS = (
    "_definition",
    "_declaration",
    "_item",
    "_declarator",
    "_spec",
    "_signature",
    "_statement",
    "_def",
)
_WORDS = {
    "function": "function func fun procedure subroutine sub proc fn",
    "method": "method",
    "constructor": "constructor",
    "class": "class",
    "interface": "interface protocol",
    "trait": "trait",
    "struct": "struct record message",
    "union": "union",
    "enum": "enum",
    "module": "module package",
    "namespace": "namespace",
    "type": "type typedef alias",
    "macro": "macro",
    "constant": "const constant",
    "property": "property",
    "field": "field",
    "variable": "var variable let",
    "definition": "definition declaration item def",
}
_SORT_OF = {word: sort for sort, words in _WORDS.items() for word in words.split()}
"""Word in the name of a kind → sort."""

_LEVELLED = frozenset({"variable", "constant", "field", "property"})


def general(grammar: LoadedGrammar) -> list[Defines]:
    """Rules for a language that has none: nodes with a field ``name`` whose kind says that they define
    something.  What a parameter or an import is called so is none."""
    if not grammar.field("name"):
        return []
    made: list[Defines] = []
    for kind, named in zip(grammar.names, grammar.named, strict=True):
        if not named or not kind.endswith(_ENDINGS):
            continue
        words = kind.split("_")
        if {"parameter", "import", "use", "call", "argument", "forward", "end"} & set(words):
            continue
        sort = next((_SORT_OF[word] for word in words if word in _SORT_OF), "")
        if sort:
            made.append(Defines(sort, kind, "@name!", level=sort in _LEVELLED))
    return made


def _rule(defines: Defines, grammar: LoadedGrammar) -> Rule:
    from_word = defines.name.startswith("^")
    return Rule(
        defines.sort,
        compiled(defines.name.removeprefix("^"), grammar),
        compiled(defines.where, grammar) if defines.where else None,
        compiled(defines.word, grammar),
        frozenset(word.encode() for word in defines.words.split()),
        from_word,
        grammar.ids(defines.inside.split()),
        defines.level,
        defines.deepest,
        compiled(defines.owner, grammar) if defines.owner else None,
        compiled(defines.body, grammar),
        compiled(defines.joined, grammar) if defines.joined else None,
    )


def _step(text: str, grammar: LoadedGrammar) -> Step:
    if text == "..":
        return Step((), up=True)
    how = text[-1] if text[-1] in "?*!+&" else ""
    if text.startswith("="):
        names = (choice.removeprefix("=") for choice in text.removesuffix(how).split("|"))
        return Step((), how, own=grammar.ids(names))
    choices: list[tuple[int, frozenset[int] | None]] = []
    kinds: set[int] = set()
    for choice in text.removesuffix(how).split("|"):
        if not choice.startswith("@"):
            kinds |= grammar.ids((choice,))
            continue
        named, _, kind = choice.removeprefix("@").partition("=")
        number = grammar.field(named)
        if number:
            choices.append((number, grammar.ids((kind,)) if kind else None))
    if kinds:
        choices.append((0, frozenset(kinds)))
    return Step(tuple(choices), how)


def _children(step: Step, columns: Columns, node: int) -> list[int]:
    found: list[int] = []
    kind, field_of, size = columns.kind, columns.field, columns.size
    j, end = node + 1, node + size[node]
    if len(step.choices) == 1:  # most are
        number, kinds = step.choices[0]
        while j < end:
            if (not number or field_of[j] == number) and (kinds is None or kind[j] in kinds):
                found.append(j)
            j += size[j]
        return found
    while j < end:
        for number, kinds in step.choices:
            if (not number or field_of[j] == number) and (kinds is None or kind[j] in kinds):
                found.append(j)
                break
        j += size[j]
    return found


def _deepest(step: Step, columns: Columns, node: int) -> list[int]:
    """Where the step leads when it is taken as often as it can be."""
    found: list[int] = []
    pending = [node]
    while pending:
        at = pending.pop()
        further = _children(step, columns, at)
        if further:
            pending += reversed(further)
        else:
            found.append(at)
    return found
