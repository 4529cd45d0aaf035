"""Trials: one fragment in one skeleton with one mix of forms, parsed and judged.

The fragment is accepted when nodes cover it exactly, nothing in the whole skeleton is an ERROR,
and only terminators at the fragment's end are MISSING.

Most trials fail, and most of them where another one failed: a trial that begins with the bytes of a
known dead end is refused for the same reason and is not parsed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from structural.pattern.metavariables import Fragment
from structural.pattern.standins import Forms, StandIn, Writer
from structural.pattern.values import NO_CODE
from structural.syntax.columns import Columns
from structural.syntax.deadends import DeadEnd, parse_or_dead_end, parse_or_error
from structural.syntax.grammar import LoadedGrammar
from structural.syntax.language import Skeleton


@dataclass(frozen=True, slots=True)
class Accepted:
    """A reading of the fragment: the skeleton's columns and which nodes are the fragment.

    ``roots`` are siblings.  ``terminated`` says that the last root's terminator was
    added by the ladder, not written.
    """

    rung: str
    columns: Columns
    roots: tuple[int, ...]
    stand_ins: tuple[StandIn, ...]
    terminated: bool
    likely: bool
    indent: str = ""
    """Indentation that was taken off the lines of the fragment."""
    selected: bool = False
    """The root is a part of the fragment that was chosen by its kind."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a trial failed, and at which column of the fragment, from 1."""

    reason: str
    column: int


_MOST_PARSED = 60_000
_MOST_TIMES = 16
_MOST_PARSED_AT_ALL = 500_000
"""Bytes that are parsed of one pattern in one language: so many, or this often its length.  What people
write is read within a fifth of that, and most with one parse."""

_LONG = 1_000
_DEAR = 4
"""Bytes of a text that is worth the parser's own record at once, and how much more such a text counts
if the parser had to go on to its end behind an error: that takes a multiple, in some grammars a square."""

_TOLD = 300
"""Characters of a pattern that is told to be too long."""


@dataclass(slots=True)
class DeadEnds:
    """What trials of a pattern in one language found out: where its texts stop being code, by what the
    skeleton has before the fragment; and how many bytes were parsed for it.  Of a text that was left at
    a dead end those up to there count."""

    known: dict[str, list[DeadEnd]] = field(default_factory=dict)
    parsed: int = 0

    def over(self, length: int) -> bool:
        """Whether enough was parsed for a fragment of so many bytes."""
        return self.parsed > min(_MOST_PARSED_AT_ALL, max(_MOST_PARSED, _MOST_TIMES * length))

    def hint(self, length: int) -> str:
        """What to do about that, for a fragment that is longer than most."""
        if length <= _TOLD or not self.over(length):
            return ""
        return "not every way to read it was tried, as it is too long: search for a part of it"


class Trials:
    """All trials of a fragment in a language.

    *dead_ends* are those that were found, and are added to; fragments that begin alike can share them.
    """

    def __init__(self, fragment: Fragment, grammar: LoadedGrammar, dead_ends: DeadEnds) -> None:
        self.fragment = fragment
        self.grammar = grammar
        self.writer = Writer(fragment, grammar.language)
        self._dead_ends = dead_ends
        self._failed: set[str] = set()
        self._made: dict[tuple[Skeleton, str, Forms], Accepted | None] = {}

    @property
    def parsed(self) -> int:
        """How many bytes were parsed so far, as they count."""
        return self._dead_ends.parsed

    @property
    def over(self) -> bool:
        """Whether so much was parsed that nothing more should be tried."""
        return self._dead_ends.over(len(self.fragment.text))

    def accepted(self, skeleton: Skeleton, terminator: str, forms: Forms) -> Accepted | None:
        """The fragment as the grammar reads it there; None if it refuses it."""
        trial = _Trial(self, skeleton, terminator, forms)
        known = self._dead_ends.known.setdefault(skeleton.before, [])
        if trial.dead(known) is not None:
            return None
        key = (skeleton, terminator, forms)
        if key not in self._made:
            self._made[key] = made = self._read(trial, known)
            if made is None:
                self._failed.add(skeleton.before)
        return self._made[key]

    def _read(self, trial: _Trial, known: list[DeadEnd]) -> Accepted | None:
        language = self.grammar.language.name
        long = len(trial.text) > _LONG
        if (trial.forms and trial.skeleton.before in self._failed) or long:
            # It takes longer than to parse alone, and pays where further trials would fail alike.
            found = parse_or_dead_end(trial.text, language, trial.cuts)
            if isinstance(found, DeadEnd) and found.solid < trial.end:
                known.append(found)
                self._dead_ends.parsed += len(found.begins)
                return None
            if isinstance(found, Columns):
                self._dead_ends.parsed += len(trial.text)
                return _accepted(trial.judged(found))
        self._dead_ends.parsed += len(trial.text) * (_DEAR if long else 1)
        return _accepted(trial.judged(parse_or_error(trial.text, language)))

    def refused(self, skeleton: Skeleton, terminator: str, forms: Forms, beyond: int) -> Refused | None:
        """Why the grammar refuses the fragment there; None if it was stopped at no column behind *beyond*."""
        trial = _Trial(self, skeleton, terminator, forms)
        known = self._dead_ends.known.setdefault(skeleton.before, [])
        dead = trial.dead(known)
        if dead is not None and not dead.mended and trial.highest(dead.at) <= beyond:
            return None
        language = self.grammar.language.name
        self._dead_ends.parsed += len(trial.text) * (_DEAR if len(trial.text) > _LONG else 1)
        columns = parse_or_error(trial.text, language)
        found = trial.judged(columns)
        if isinstance(found, Accepted):
            return None
        if dead is None and forms and (isinstance(columns, int) or columns.errors):
            stopped = parse_or_dead_end(trial.text, language, trial.cuts)
            if isinstance(stopped, DeadEnd) and stopped.solid < trial.end:
                known.append(stopped)
        return found if found.column > beyond else None


def _accepted(found: Accepted | Refused) -> Accepted | None:
    return found if isinstance(found, Accepted) else None


class _Trial:
    """A fragment as it was written.  It is at [start, end); its terminator, if one was added, ends
    at ``full_end``."""

    __slots__ = ("_trials", "_written", "end", "forms", "full_end", "skeleton", "start", "text")

    def __init__(self, trials: Trials, skeleton: Skeleton, terminator: str, forms: Forms) -> None:
        self._trials = trials
        self._written: tuple[list[StandIn], list[int]] | None = None
        self.skeleton = skeleton
        self.forms = forms
        before = skeleton.before.encode()
        fragment = trials.writer.text(forms)
        self.start = len(before)
        self.end = self.start + len(fragment)
        self.full_end = self.end + len(terminator)
        self.text = b"".join((before, fragment, terminator.encode(), skeleton.after.encode()))

    @property
    def stand_ins(self) -> list[StandIn]:
        return self._marked()[0]

    @property
    def cuts(self) -> list[int]:
        """Bytes at which what is the same with all forms may end."""
        return self._marked()[1]

    def _marked(self) -> tuple[list[StandIn], list[int]]:
        if self._written is None:
            self._written = self._trials.writer.stand_ins(self.forms, self.start)
        return self._written

    def dead(self, known: list[DeadEnd]) -> DeadEnd | None:
        """The one of *known* that the text begins with.  One before whose end a terminator may be
        missing says nothing: the fragment is accepted without it."""
        text, end = self.text, self.end
        for dead in known:
            if dead.solid < end and text.startswith(dead.begins):
                return dead
        return None

    def column(self, byte: int) -> int:
        """Column of the fragment as written, from 1, for a byte of the skeleton."""
        shift = 0
        for stand_in in self.stand_ins:
            if stand_in.span[1] <= byte:
                shift += stand_in.span[1] - stand_in.span[0] - len(str(stand_in.metavariable))
        return max(1, min(byte, self.end) - self.start - shift + 1)

    def highest(self, byte: int) -> int:
        """The highest column of a byte of the fragment up to *byte*."""
        ends = [stand_in.span[1] - 1 for stand_in in self.stand_ins if stand_in.span[1] <= byte]
        return max(self.column(at) for at in (*ends, max(byte, self.start)))

    def judged(self, columns: Columns | int) -> Accepted | Refused:
        """What *columns*, or the byte of the first error, say of the fragment."""
        grammar, start, full_end = self._trials.grammar, self.start, self.full_end
        if isinstance(columns, int):
            reason = "is no code here" if columns >= start else "does not fit here"
            return Refused(reason, self.column(max(columns, start)))
        missing = self._missing(columns)
        if missing is not None:
            return missing
        if grammar.language.breaks_lines and columns.errors and not columns.missing:
            return Refused("is no code here", 1)  # a line break is missing, which is no node
        inner_start, inner_end = _trim(columns, start, full_end)
        if inner_start >= inner_end:
            return Refused(NO_CODE, 1)
        roots = _cover(columns, grammar, inner_start, inner_end)
        hidden = (inner_end - 1, inner_end)
        ends = zip(columns.start, columns.end, strict=True)
        if not roots and columns.source[slice(*hidden)] == b";" and hidden not in ends:
            # A written terminator that is no node in this grammar.
            inner_end = _trim(columns, inner_start, inner_end - 1)[1]
            roots = _cover(columns, grammar, inner_start, inner_end)
        if not roots:
            return Refused("is part of a larger construct here", 1)
        astray = self._astray(columns, roots)
        if astray is not None:
            return astray
        word = _reserved_word(columns, roots, grammar)
        if word is not None:
            return Refused(
                f"would read {columns.text(word).decode()!r} as a name", self.column(columns.start[word])
            )
        if len(roots) > 1 and _splits_a_line(columns, roots, self.stand_ins):
            return Refused("is no code here", 1)
        return Accepted(
            self.skeleton.rung,
            columns,
            tuple(roots),
            tuple(self.stand_ins),
            full_end > self.end,
            _likely(columns, roots, grammar),
            self._trials.fragment.indent,
        )

    def _missing(self, columns: Columns) -> Refused | None:
        """Refused for a token that is missing, but for a terminator at the fragment's end."""
        if not columns.missing:
            return None
        grammar = self._trials.grammar
        terminators = grammar.ids(grammar.language.terminator_tokens)
        for i in columns.missing:
            at = columns.start[i]
            if columns.kind[i] not in terminators or not self.end <= at <= self.full_end:
                return Refused(f"{grammar.name(columns.kind[i])!r} is missing", self.column(at))
        return None

    def _astray(self, columns: Columns, roots: list[int]) -> Refused | None:
        """Refused for a stand-in that is not what its form says.

        One that is more than a name must be a node of its own, and not part of what stands around it
        (``struct A;`` out of ``struct $A`` and the form ``{};``); its terminator may be a node beside it."""
        spans = {
            (columns.start[i], columns.end[i])
            for root in roots
            for i in range(root, root + columns.size[root])
        }
        for at, form in enumerate(self.forms):
            low, high = self.stand_ins[at].span
            if form in ("{}", "{^}") or (low, high) in spans:
                continue
            if self.stand_ins[at].metavariable.ellipsis and self._is_run(columns, low, high):
                continue
            wider = self._with_token_behind(columns, high)
            if self.stand_ins[at].metavariable.ellipsis and (low, wider) in spans:
                self.stand_ins[at] = replace(self.stand_ins[at], span=(low, wider))
                continue
            high = low + len(columns.source[low:high].rstrip(b"; \t\n"))
            if form.rstrip("; \t\n") in ("{}", "{^}") and _is_item(columns, self._trials.grammar, low, high):
                self.stand_ins[at] = replace(self.stand_ins[at], span=(low, high))
            else:
                return Refused("is no code here", self.stand_ins[at].metavariable.offset + 1)
        return None

    def _is_run(self, columns: Columns, start: int, end: int) -> bool:
        """Whether [start, end) is an element of a flat list: some of its nodes in a row."""
        grammar = self._trials.grammar
        lists = grammar.ids(grammar.language.flat_lists)
        return any(
            columns.kind[i] in lists
            and columns.start[i] <= start
            and start in {columns.start[kid] for kid in columns.children(i)}
            and end in {columns.end[kid] for kid in columns.children(i)}
            for i in range(len(columns))
        )

    def _with_token_behind(self, columns: Columns, end: int) -> int:
        """Where a separator or terminator ends that follows on *end*; in some grammars it is a part of
        what it ends."""
        language = self._trials.grammar.language
        behind = columns.source[end:]
        blank = len(behind) - len(behind.lstrip())
        tokens = [token.encode() for token in language.separators | language.terminator_tokens]
        return max((end + blank + len(one) for one in tokens if behind.startswith(one, blank)), default=end)


def _likely(columns: Columns, roots: list[int], grammar: LoadedGrammar) -> bool:
    """Whether nothing in the fragment is of a kind that is unlikely in the language."""
    unlikely = grammar.ids(grammar.language.unlikely)
    return not any(
        columns.kind[i] in unlikely or _keyword_as_name(columns, i, grammar)
        for root in roots
        for i in range(root, root + columns.size[root])
    )


def _is_item(columns: Columns, grammar: LoadedGrammar, start: int, end: int) -> bool:
    """Whether [start, end) is an item of a block, so that a terminator behind it is its own."""
    blocks = grammar.ids(grammar.language.blocks)
    return any(
        (columns.start[i], columns.end[i]) == (start, end)
        and columns.parent[i] >= 0
        and (columns.kind[columns.parent[i]] in blocks or columns.parent[i] == 0)
        for i in range(len(columns))
    )


def _splits_a_line(columns: Columns, roots: list[int], stand_ins: list[StandIn]) -> bool:
    """Whether a single metavariable is a statement of a run though its line goes on behind it:
    ``$T $M($$$);`` is not the statement ``$T;`` and a call."""
    tops = {(columns.start[root], columns.end[root]) for root in roots}
    end = columns.end[roots[-1]]
    return any(
        stand_in.span in tops
        and stand_in.span[1] - stand_in.span[0] > len(stand_in.marker)
        and not stand_in.metavariable.ellipsis
        and bool(columns.source[stand_in.span[1] : end].split(b"\n", 1)[0].strip())
        for stand_in in stand_ins
    )


def _reserved_word(columns: Columns, roots: list[int], grammar: LoadedGrammar) -> int | None:
    """The first node that is a name spelled like a keyword which is no name there, such as ``else``."""
    if not grammar.language.soft_words:
        return None  # It does not tell which words are names.
    for root in roots:
        for i in range(root, root + columns.size[root]):
            if reads_keyword_as_name(columns, i, grammar):
                return i
    return None


def reads_keyword_as_name(columns: Columns, i: int, grammar: LoadedGrammar) -> bool:
    """Whether node *i* is a keyword that the grammar takes for a name where the language has none."""
    if columns.size[i] > 1:
        return False
    text, kind, parent = columns.text(i), columns.kind[i], columns.parent[i]
    if text not in grammar.reserved or not grammar.is_named(kind) or grammar.name(kind) not in _NAMES:
        return False
    language = grammar.language
    place = grammar.name(columns.kind[parent]) if parent >= 0 else "", grammar.field_name(columns.field[i])
    return place not in language.member_names and language.keyword_names.isdisjoint(
        {(*place, ""), (*place, text.decode())}
    )


_NAMES = frozenset({"identifier", "simple_identifier", "type_identifier", "name"})
"""Kinds of names of things and types."""


def _keyword_as_name(columns: Columns, i: int, grammar: LoadedGrammar) -> bool:
    """Whether node *i* is a name that is spelled like a keyword: where the grammar expects no
    ``catch``, its lexer takes the word for a name."""
    return (
        columns.size[i] == 1
        and columns.text(i) in grammar.keywords
        and grammar.is_named(columns.kind[i])
        and grammar.name(columns.kind[i]).endswith("identifier")
    )


def _trim(columns: Columns, start: int, end: int) -> tuple[int, int]:
    """[start, end) without white space and comments at both ends."""
    source = columns.source
    moved = True
    while moved and start < end:
        moved = False
        piece = source[start:end]
        start += len(piece) - len(piece.lstrip())
        end -= len(piece) - len(piece.rstrip())
        for low, high in columns.comments:
            if low == start and high <= end:
                start, moved = high, True
            elif high == end and low >= start:
                end, moved = low, True
    return start, end


def _cover(columns: Columns, grammar: LoadedGrammar, start: int, end: int) -> list[int]:
    """The smallest nodes that cover [start, end) exactly: one node, or siblings in a row of a
    block; empty if there are none.  White space and comments at a node's ends do not count."""
    blocks = grammar.ids(grammar.language.blocks)
    whole = grammar.ids(grammar.language.whole)

    def solid(i: int) -> tuple[int, int]:
        low, high = columns.start[i], columns.end[i]
        if low >= start and high <= end:
            return low, high
        return _trim(columns, low, high)

    at = 0
    kids = columns.children(at)
    while True:
        deeper = -1
        for child in kids:
            low, high = solid(child)
            if low <= start and high >= end and high > low:
                deeper = child
                break
        if deeper < 0 or (
            solid(deeper) == (start, end) == solid(at) and not grammar.is_named(columns.kind[deeper])
        ):
            # A bare ``return`` is the statement, not the word in every other one.
            break
        if solid(at) == (start, end) and columns.kind[at] in whole:
            break
        at = deeper
        kids = columns.children(at)
    if at != 0 and solid(at) == (start, end):
        return [at]
    spans = [(child, *solid(child)) for child in kids]
    inside = [(child, low, high) for child, low, high in spans if low >= start and high <= end and high > low]
    if not inside or inside[0][1] != start or inside[-1][2] != end:
        return []
    members = {child for child, _, _ in inside}
    if any(low < end and high > start and child not in members for child, low, high in spans):
        return []
    if columns.kind[at] not in blocks and at != 0:
        return []
    return [child for child, _, _ in inside]
