"""A rewrite, compiled for one reading of its pattern.

``Template.of`` pairs every program of the reading with the items of the pattern and of
the rewrite.  The rewrite must be code of the pattern's own category: the rung by which the
pattern was read, or another by which it can be read as well.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from structural.errors import RewriteError
from structural.pattern.compile import Pattern, Reading, compile_pattern
from structural.pattern.ladder import climb
from structural.pattern.metavariables import Fragment, Metavariable, cut
from structural.pattern.operations import Code
from structural.pattern.program import Program
from structural.pattern.tables import Tables
from structural.pattern.tree import build
from structural.pattern.values import NO_CODE, Attempts
from structural.rewrite.align import align
from structural.rewrite.layout import step_of
from structural.rewrite.operators import operators_of, with_names, with_operators
from structural.rewrite.transform import Transformation
from structural.rewrite.transform import read as read_transforms
from structural.rewrite.written import Item, Written, of_program, of_tree
from structural.syntax.grammar import load_named

Signature = tuple[frozenset[int], frozenset[str], bool, frozenset[str]]
"""Items of the pattern that are not in the match, names that stand for nothing, whether the match is
followed by a terminator, and names that bring braces of their own."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """``rewrite``: the items of the rewrite that are to be there; ``pairs``: numbers of an item of
    the pattern and of an item in ``rewrite`` that stay where they are."""

    rewrite: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    before: Mapping[int, bytes] = field(default_factory=dict)
    """Layout before items of the rewrite that stand in another order than written."""


@dataclass(slots=True)
class Pairing:
    """One program of the pattern and the rewrite for it.  ``items[pc]`` is the number of the item
    that operation pc stands for, -1 for none."""

    pattern: Written
    rewrite: Written
    items: tuple[int, ...]
    program: Program
    terminators: frozenset[bytes] = frozenset()
    separators: frozenset[bytes] = frozenset()
    blocks: frozenset[int] = frozenset()
    comment_starts: frozenset[bytes] = frozenset()
    """Marks of two bytes that begin a comment."""
    step: bytes = b""
    """One level of indentation in both texts."""
    loose: frozenset[int] = frozenset()
    """Operations whose node may be stood for as a whole by a metavariable in it."""
    loose_terminators: tuple[int, ...] = ()
    """Numbers of items of the pattern that are terminators and that the matcher does not look at."""
    owned: frozenset[int] = frozenset()
    """Those of them that go with the metavariable before them, as the rewrite has them there too."""
    owned_behind: frozenset[int] = frozenset()
    """Numbers of the items of the rewrite that are such terminators."""
    in_braces: frozenset[str] = frozenset()
    """Names that the rewrite has alone in braces, and the pattern has not."""
    _aligned: dict[Signature, Aligned] = field(default_factory=dict)
    _reordered: dict[tuple[Signature, tuple[int, ...]], Aligned | None] = field(default_factory=dict)
    stencils: dict[Hashable, object] = field(default_factory=dict)
    """What was written for matches of one look (``stencil``)."""
    on_one_line: bool | None = None
    """Whether both are written on one line; None until somebody asks."""

    def aligned(self, signature: Signature) -> Aligned:
        """What stays and what changes, for matches of one signature; made once for each."""
        found = self._aligned.get(signature)
        if found is None:
            found = self._aligned[signature] = self._align(signature)
        return found

    def reordered(self, signature: Signature, row: tuple[int, ...]) -> Aligned | None:
        """The same for a match whose elements stand in the order of *row*, numbers of items of the pattern:
        those of the rewrite follow.  None where it is not plain which element becomes which."""
        key = (signature, row)
        if key not in self._reordered:
            self._reordered[key] = self._reorder(signature, row)
        return self._reordered[key]

    def _reorder(self, signature: Signature, row: tuple[int, ...]) -> Aligned | None:
        mine, theirs = self.pattern.elements, self.rewrite.elements
        base = self.aligned(signature)
        becomes: dict[int, int] = {}
        for n, r in base.pairs:
            a, b = _element(mine, n), _element(theirs, base.rewrite[r])
            if a >= 0 or b >= 0:
                if a < 0 or b < 0 or becomes.setdefault(a, b) != b:
                    return None
        if len(set(becomes.values())) < len(becomes):
            return None
        order = list(dict.fromkeys(_element(mine, n) for n in row))
        outside = [n for n in row if _element(mine, n) < 0]
        if outside != sorted(outside):
            return None
        slots = sorted(becomes.values())
        moved = dict(zip(slots, (becomes[e] for e in order if e in becomes), strict=True))
        there, done = [], set()
        before: dict[int, bytes] = {}
        for number in base.rewrite:
            slot = _element(theirs, number)
            if slot not in moved:
                there.append(number)
            elif slot not in done:
                done.add(slot)
                inside = [k for k in base.rewrite if _element(theirs, k) == moved[slot]]
                there += inside
                before[inside[0]] = self.rewrite.before[number]
        pairs = align([self.pattern.items[n] for n in row], [self.rewrite.items[n] for n in there])
        return Aligned(tuple(there), tuple((row[i], j) for i, j in pairs), before)

    def _align(self, signature: Signature) -> Aligned:
        absent, empty, followed, blocks = signature
        there = self._there(empty, blocks)
        last = self.rewrite.items[there[-1]].text if there else b""
        if followed and last in self.terminators and self.pattern.items[-1].text != last:
            there.pop()  # The file has one already.
        kept = [n for n in range(len(self.pattern.items)) if n not in absent and n not in self.owned]
        pairs = align(
            [self.pattern.items[n] for n in kept],
            [self.rewrite.items[n] for n in there],
        )
        return Aligned(tuple(there), tuple((kept[i], j) for i, j in pairs))

    def _there(self, empty: frozenset[str], blocks: frozenset[str]) -> list[int]:
        """Numbers of the items of the rewrite without what stands for nothing, without the separators
        that then part nothing, and without braces around those that bring their own."""
        items = self.rewrite.items
        gone = {n for n, item in enumerate(items) if item.name is not None and item.name in empty}
        for n, item in enumerate(items):
            if item.name in blocks and _is_in_braces(items, n):
                gone |= {n - 1, n + 1}
        for row in self.rewrite.lists:
            some, pending = False, -1
            for what, first, behind in row.parts:
                if what == ",":
                    if not some or pending >= 0:
                        gone.add(first)
                    else:
                        pending = first
                elif what == "|":
                    if pending >= 0:
                        gone.add(pending)
                    some, pending = False, -1
                elif not all(n in gone for n in range(first, behind)):
                    some, pending = True, -1
            if pending >= 0:
                gone.add(pending)
        return [n for n in range(len(items)) if n not in gone and n not in self.owned_behind]


@dataclass(slots=True)
class Template:
    """The rewrite for one reading.  ``pieces`` is given instead for a pattern that is a comment.
    ``empty``: the match is taken out."""

    text: str
    language: str
    rung: str
    tables: Tables
    pairings: tuple[Pairing, ...] = ()
    pieces: tuple[bytes | Metavariable, ...] | None = None
    empty: bool = False
    transforms: dict[str, Transformation] = field(default_factory=dict)
    """By the name that each makes, in order."""
    nested: dict[str, tuple[Reading, Template]] = field(default_factory=dict)
    """Of transformations that rewrite inside of a binding."""
    mends: dict[Hashable, object] = field(default_factory=dict)
    """What mended jobs like others before, so that it is tried first."""
    failures: dict[Hashable, int] = field(default_factory=dict)
    """How many jobs of a kind nothing mended."""

    def pairing(self, program: Program) -> Pairing:
        if len(self.pairings) == 1:
            return self.pairings[0]
        return next(pairing for pairing in self.pairings if pairing.program is program)


def compile_template(
    rewrite: str, pattern: Pattern, reading: Reading, transforms: Sequence[str] = ()
) -> Template:
    """The template of *rewrite* for *reading* of *pattern*; *transforms* as ``transform`` reads them.

    Raises RewriteError if it names a metavariable that the pattern does not bind and no
    transformation makes, or is no code of the pattern's category (``attempts`` says why).
    """
    fragment = cut(rewrite)
    made = read_transforms(transforms, pattern.fragment.names)
    check_names(fragment, pattern.fragment, frozenset(t.name for t in made))
    tables = reading.tables
    template = Template(rewrite, reading.language, reading.rung, tables)
    template.transforms = {t.name: t for t in made}
    for transform in made:
        if transform.how == "rewrite":
            template.nested[transform.name] = _nested(transform, pattern, reading)
    if reading.comment is not None:
        template.pieces = tuple(p.encode() if isinstance(p, str) else p for p in fragment.pieces)
        return template
    template.empty = not fragment.text
    template.pairings = pair_all(fragment, template, pattern, reading)
    return template


def pair_all(
    fragment: Fragment, template: Template, pattern: Pattern, reading: Reading
) -> tuple[Pairing, ...]:
    """The pairings of all programs of *reading* with the rewrite *fragment*."""
    return tuple(_pairing(program, fragment, template, pattern, reading) for program in reading.programs)


def _nested(transform: Transformation, pattern: Pattern, reading: Reading) -> tuple[Reading, Template]:
    """The rewrite inside of a binding that *transform* asks for."""
    inner = compile_pattern(str(transform.arguments["pattern"]), reading.language)
    return inner.first, compile_template(str(transform.arguments["rewrite"]), inner, inner.first)


def check_names(rewrite: Fragment, pattern: Fragment, made: frozenset[str] = frozenset()) -> None:
    """A RewriteError if *rewrite* has a metavariable that *pattern* does not bind in that way, and that
    is none of those that transformations have *made*."""
    bound = {m.name: m for m in pattern.metavariables if m.name}
    for m in rewrite.metavariables:
        if not m.name:
            raise RewriteError(
                f"{m} in the rewrite stands for nothing in particular",
                hint=f"name it in both, such as {'$$$' if m.ellipsis else '$'}ARGS",
            )
        if m.name in made:
            continue
        if m.name not in bound:
            have = ", ".join(map(str, bound.values())) or "no metavariable"
            raise RewriteError(f"the pattern binds no {m}", hint=f"it binds {have}")
        if m.ellipsis != bound[m.name].ellipsis:
            raise RewriteError(
                f"{m} in the rewrite is {bound[m.name]} in the pattern", hint=f"write {bound[m.name]}"
            )


def _pairing(
    program: Program, fragment: Fragment, template: Template, pattern: Pattern, reading: Reading
) -> Pairing:
    tables = template.tables
    left = of_program(program, tables)
    right = Written((), (), ()) if template.empty else _read(fragment, program, template, pattern, reading)
    return pairing_of(program, left, right, tables)


def pairing_of(program: Program, left: Written, right: Written, tables: Tables) -> Pairing:
    """The pairing of a pattern and a rewrite that were read."""
    by_span = {item.span: n for n, item in enumerate(left.items)}
    items = tuple(by_span.get(op.span, -1) if _is_item(op.code) else -1 for op in program.operations)
    language = tables.grammar.language
    terminators = frozenset(text.encode() for text in language.terminator_tokens)
    separators = frozenset(text.encode() for text in language.separators)
    starts = frozenset(
        mark.encode() for mark in (*language.line_comments, *language.comment_starts) if len(mark) == 2
    )
    loose = tuple(n for n, item in enumerate(left.items) if n and item.text in terminators and n not in items)
    step = step_of(*right.before, *left.before)
    whole = frozenset(
        pc
        for pc, op in enumerate(program.operations)
        if op.code is Code.NODE and (op.slot or op.sole or op.hollow)
    )
    made = Pairing(
        left, right, items, program, terminators, separators, tables.blocks, starts, step, whole, loose
    )
    made.owned, made.owned_behind = _owned(made)
    inside = [
        {item.name for n, item in enumerate(w.items) if item.name and _is_in_braces(w.items, n)}
        for w in (right, left)
    ]
    made.in_braces = frozenset(name for name in inside[0] - inside[1] - program.ellipses if name)
    return made


def _element(elements: tuple[tuple[int, int], ...], item: int) -> int:
    """The number of the element that holds *item*, -1 if none does."""
    return next((k for k, (first, behind) in enumerate(elements) if first <= item < behind), -1)


def _is_in_braces(items: tuple[Item, ...], n: int) -> bool:
    """Whether item *n* stands alone in braces."""
    return 0 < n < len(items) - 1 and items[n - 1].text == b"{" and items[n + 1].text == b"}"


def _owned(pairing: Pairing) -> tuple[frozenset[int], frozenset[int]]:
    """Terminators behind metavariables that have one wherever they stand, in the pattern and the rewrite:
    ``$B;`` is then a statement with what ends it, be it a brace."""
    left, right = pairing.pattern.items, pairing.rewrite.items
    mine = [n for n in pairing.loose_terminators if left[n - 1].name and n + 1 < len(left)]
    mine += [n for n in pairing.loose_terminators if mine and n + 1 == len(left) and left[n - 1].name]
    names = {left[n - 1].name for n in mine}
    theirs = [
        n
        for n, item in enumerate(right)
        if n and right[n - 1].name in names and item.text in pairing.terminators
    ]
    for name in set(names):
        ends = sum(item.name == name for item in left) == sum(left[n - 1].name == name for n in mine)
        starts = sum(item.name == name for item in right) == sum(right[n - 1].name == name for n in theirs)
        if name in pairing.program.ellipses or not ends or not starts:
            names.discard(name)
    return (
        frozenset(n for n in mine if left[n - 1].name in names),
        frozenset(n for n in theirs if right[n - 1].name in names),
    )


def _is_item(code: Code) -> bool:
    return code not in (Code.NODE, Code.EXIT, Code.DONE)


def _read(
    fragment: Fragment, program: Program, template: Template, pattern: Pattern, reading: Reading
) -> Written:
    """The items of the rewrite, read by the rungs of the pattern."""
    grammar = load_named(template.language)
    known = operators_of(program)
    rungs = [reading.rung]
    for accepted in climb(pattern.fragment, grammar, None, Attempts()):
        if accepted.rung not in rungs:
            rungs.append(accepted.rung)
    if known:
        rungs += [rung for rung in grammar.language.rungs if rung not in rungs]
    return read_by(fragment, rungs, template, known)


def read_by(
    fragment: Fragment, rungs: Sequence[str], template: Template, known: Mapping[str, str] | None = None
) -> Written:
    """The items of the rewrite *fragment*, read by the first of *rungs* that accepts it.  *known*: names
    that stand for an operator."""
    grammar = load_named(template.language)
    attempts = tried = Attempts()
    for changed, names in with_operators(fragment, known or {}, grammar.language.operators):
        for rung in rungs:
            found = next(climb(changed, grammar, rung, tried, quick=tried is not attempts), None)
            if found is not None:
                template.rung = rung
                return with_names(of_tree(found, build(found, template.tables), template.tables), names)
        tried = Attempts()  # Of the reading as it is written those are told.
    shown = _shown(template.text)
    hint = f"`astgrep explain {shown} --lang {template.language}` shows how it can be read"
    if any(attempt.reason == NO_CODE for attempt in attempts):
        hint = "it is only a comment, which a rewrite cannot leave alone; an empty rewrite takes code out"
    raise RewriteError(
        f"the rewrite {shown} is no code in {template.language} where the pattern is ({', '.join(rungs)})",
        hint=hint,
        attempts=attempts,
    )


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:57] + "…")
