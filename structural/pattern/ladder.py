"""The ladder: find a place of the grammar in which a fragment is code.

The fragment, its metavariables written as stand-ins, is put into one skeleton
after another and parsed.  A rung accepts when nodes cover the fragment exactly,
nothing in the whole skeleton is an ERROR, and only terminators at the fragment's
end are MISSING.  Knows the language's data and the parser; knows nothing of
matching.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from structural.pattern.metavariables import Fragment, Metavariable
from structural.pattern.values import Attempt
from structural.syntax.columns import Columns
from structural.syntax.grammar import ERROR_KIND, LoadedGrammar
from structural.syntax.language import Skeleton
from structural.syntax.parse import parse

_MOST_FORMS = 40
_MOST_CAPITAL_FORMS = 128
_MOST_QUICK_FORMS = 8
"""How many combinations of stand-in forms are tried in one skeleton: of a pattern, of one in a language
where names may have to be capital ones, and where a metavariable is tried as one operator of many."""

_MOST_BYTES = 12_000
_MOST_BYTES_IN_ALL = 80_000
"""Bytes of skeletons parsed for one rung and for one pattern, beyond which only the first form is
tried: what is no code at all must be refused in a moment, however many metavariables it has."""

_MOST_BYTES_AT_ALL = 300_000
"""Bytes beyond which no more rungs are tried: each says so."""

_STAND_IN_BYTES = 8
"""About what a metavariable takes once it is written as a stand-in."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """One metavariable as it was written into the skeleton.

    ``span`` is the whole stand-in in bytes of the skeleton; ``marker`` is the name
    in it, unique in the skeleton.
    """

    metavariable: Metavariable
    span: tuple[int, int]
    marker: bytes


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
class _Refused:
    reason: str
    byte: int


def climb(
    fragment: Fragment,
    grammar: LoadedGrammar,
    rung: str | None,
    attempts: list[Attempt],
    *,
    quick: bool = False,
) -> Iterator[Accepted]:
    """Every reading of *fragment*, one a rung, in the order of the ladder.

    Readings with an unlikely kind come after all others.  What each rung did is
    added to *attempts*.  Forms of stand-ins for ``$$$`` alone are tried last, on
    rungs that gave no likely reading with plain ones.  *quick* tries the first forms only.
    """
    language = grammar.language
    late: list[Accepted] = []
    budget = _Budget(quick=quick)
    accepted: set[str] = set()
    for extra in (False, True) if language.ellipsis_stand_ins else (False,):
        if extra and not any(m.ellipsis for m in fragment.metavariables):
            break
        for name in language.rungs:
            if name in accepted or (rung is not None and name != rung):
                continue
            if budget.over:
                attempts.append(Attempt(name, "", False, "was not tried, as the pattern is too long"))
                continue
            found = _try_rung(fragment, grammar, name, extra, attempts, budget)
            if found is None:
                continue
            if found.likely or rung is not None:
                accepted.add(name)
                yield found
            else:
                late.append(found)
    yield from late


@dataclass(slots=True)
class _Budget:
    """Bytes that were parsed so far, for one rung and for the whole pattern."""

    of_rung: int = 0
    in_all: int = 0
    quick: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing more should be tried."""
        return self.in_all > _MOST_BYTES_AT_ALL

    def spend(self, number: int) -> bool:
        """Add *number*; whether no more than the first forms should be tried."""
        self.of_rung += number
        self.in_all += number
        return self.over or self.of_rung > _MOST_BYTES or self.in_all > _MOST_BYTES_IN_ALL


def _try_rung(
    fragment: Fragment,
    grammar: LoadedGrammar,
    rung: str,
    extra: bool,
    attempts: list[Attempt],
    budget: _Budget,
) -> Accepted | None:
    language = grammar.language
    budget.of_rung = 0
    length = len(fragment.text) + _STAND_IN_BYTES * len(fragment.metavariables)
    first: tuple[_Refused, Skeleton] | None = None
    fallback: Accepted | None = None
    for skeleton in language.skeletons:
        if skeleton.rung != rung:
            continue
        for terminator in ("", *language.terminators):
            if terminator and fragment.text.endswith(terminator):
                continue
            for forms in _forms(fragment, grammar, extra, budget.quick):
                found = _read(fragment, grammar, skeleton, terminator, forms)
                spent = budget.spend(length + len(skeleton.before) + len(skeleton.after))
                if isinstance(found, Accepted):
                    if found.likely:
                        attempts.append(Attempt(rung, _shown(skeleton), True))
                        return found
                    fallback = fallback or found
                elif first is None or found.byte > first[0].byte:
                    first = (found, skeleton)
                if spent:
                    break
    if fallback is not None:
        attempts.append(Attempt(rung, "", True, "holds a kind that is unlikely here; later rungs go first"))
        return fallback
    if first is not None:
        refused, skeleton = first
        attempts.append(Attempt(rung, _shown(skeleton), False, refused.reason, refused.byte))
    return None


def _shown(skeleton: Skeleton) -> str:
    return f"{skeleton.before}…{skeleton.after}".replace("\n", " ").strip()


def _forms(fragment: Fragment, grammar: LoadedGrammar, extra: bool, quick: bool) -> Iterator[tuple[str, ...]]:
    """Forms of the stand-ins, one for each metavariable: plain ones first, then all alike,
    then one of another form, then any mix, bounded.

    Where a statement begins, forms that end a statement go first: ``$$$`` above ``f();`` is a
    statement of its own, not the type of a declaration of ``f``."""
    language = grammar.language
    metavariables = fragment.metavariables
    if not metavariables:
        yield ()
        return
    plain = list(language.stand_ins)
    if language.capital_names:
        plain += [form.replace("{}", "{^}") for form in plain]
    quoted = in_quotes(fragment)
    begins = _begins_statement(fragment)
    ends = tuple(language.terminators)
    choices: list[list[str]] = []
    for metavariable, inside, first in zip(metavariables, quoted, begins, strict=True):
        forms = (["{}"] + [f for f in plain if f != "{}"]) if inside else list(plain)
        if extra and metavariable.ellipsis:
            forms = list(language.ellipsis_stand_ins) + forms
        if first and not inside and ends:
            forms.sort(key=lambda form: not form.endswith(ends))
        choices.append(forms)
    seen: set[tuple[str, ...]] = set()
    capital = any("{^}" in form for forms in choices for form in forms)
    most = _MOST_QUICK_FORMS if quick else _MOST_CAPITAL_FORMS if capital else _MOST_FORMS

    def mixes() -> Iterator[tuple[str, ...]]:
        longest = max(map(len, choices))
        for k in range(longest):
            yield tuple(forms[min(k, len(forms) - 1)] for forms in choices)
        base = tuple(forms[0] for forms in choices)
        for at, forms in enumerate(choices):
            for form in forms[1:]:
                yield (*base[:at], form, *base[at + 1 :])
        singles = [
            forms if metavariable.ellipsis else forms[:1]
            for metavariable, forms in zip(metavariables, choices, strict=True)
        ]
        yield from itertools.product(*singles)
        yield from itertools.product(*choices)

    for mix in mixes():
        if mix not in seen:
            seen.add(mix)
            yield mix
            if len(seen) >= most:
                return


def _begins_statement(fragment: Fragment) -> list[bool]:
    """For each metavariable, whether it is likely a whole statement: alone on a line, or an ellipsis
    behind a line's start, a brace, a semicolon or a colon.  A fragment of one metavariable is none."""
    begins: list[bool] = []
    for at, piece in enumerate(fragment.pieces):
        if not isinstance(piece, Metavariable):
            continue
        before = str(fragment.pieces[at - 1]).rstrip(" \t") if at > 0 else ""
        behind = str(fragment.pieces[at + 1]).lstrip(" \t") if at + 1 < len(fragment.pieces) else ""
        starts = not before or before.endswith("\n")
        alone = starts and (not behind or behind[0] in "\n}")
        follows = piece.ellipsis and (starts or before[-1] in "{};:")
        begins.append(bool(before or behind) and (alone or follows))
    return begins


def in_quotes(fragment: Fragment) -> list[bool]:
    """For each metavariable, whether it stands between quotes (by a plain scan)."""
    quote = ""
    inside: list[bool] = []
    for piece in fragment.pieces:
        if isinstance(piece, Metavariable):
            inside.append(bool(quote))
            continue
        skip = False
        for character in piece:
            if skip:
                skip = False
            elif character == "\\":
                skip = True
            elif quote:
                if character == quote:
                    quote = ""
            elif character in "\"'`":
                quote = character
    return inside


def _marker(text: str, at: int) -> str:
    """A name for stand-in number *at* that does not stand in *text*."""
    base = "qz"
    while base in text.lower():
        base += "z"
    return f"{base}{at}zq"


def _read(
    fragment: Fragment, grammar: LoadedGrammar, skeleton: Skeleton, terminator: str, forms: tuple[str, ...]
) -> Accepted | _Refused:
    before = skeleton.before.encode()
    written = bytearray(before)
    stand_ins: list[StandIn] = []
    numbers: dict[str, int] = {}
    for piece in fragment.pieces:
        if isinstance(piece, str):
            written += piece.encode()
            continue
        form = forms[len(stand_ins)]
        # One name is written alike wherever it stands: HTML wants the same name at both ends.
        number = numbers.setdefault(piece.name, len(stand_ins)) if piece.name else len(stand_ins)
        marker = _marker(fragment.text, number)
        if "{^}" in form:
            marker = marker.capitalize()
            form = form.replace("{^}", "{}")
        low = len(written)
        written += (
            form.replace("{{", "\0")
            .replace("}}", "\1")
            .replace("{}", marker)
            .replace("\0", "{")
            .replace("\1", "}")
            .encode()
        )
        text = written[low:]
        span = (len(written) - len(text.lstrip()), low + len(text.rstrip()))
        stand_ins.append(StandIn(piece, span, marker.encode()))
    start, end = len(before), len(written)
    written += terminator.encode()
    full_end = len(written)
    written += skeleton.after.encode()
    columns = parse(bytes(written), grammar.language.name)

    def column(byte: int) -> int:
        """Column of the fragment as written, from 1, for a byte of the skeleton."""
        shift = 0
        for stand_in in stand_ins:
            if stand_in.span[1] <= byte:
                shift += stand_in.span[1] - stand_in.span[0] - len(str(stand_in.metavariable))
        return max(1, min(byte, end) - start - shift + 1)

    kind = columns.kind
    if columns.errors:
        terminators = grammar.ids(grammar.language.terminator_tokens)
        for i, k in enumerate(kind):
            if k == ERROR_KIND:
                at = columns.start[i]
                return _Refused(
                    "is no code here" if at >= start else "does not fit here", column(max(at, start))
                )
        for i in columns.missing:
            at = columns.start[i]
            if kind[i] not in terminators or not end <= at <= full_end:
                return _Refused(f"{grammar.name(kind[i])!r} is missing", column(at))

    inner_start, inner_end = _trim(columns, start, full_end)
    if inner_start >= inner_end:
        return _Refused("holds no code", 1)
    roots = _cover(columns, grammar, inner_start, inner_end)
    hidden = (inner_end - 1, inner_end)
    ends = zip(columns.start, columns.end, strict=True)
    if not roots and columns.source[slice(*hidden)] == b";" and hidden not in ends:
        # A written terminator that is no node in this grammar.
        inner_end = _trim(columns, inner_start, inner_end - 1)[1]
        roots = _cover(columns, grammar, inner_start, inner_end)
    if not roots:
        return _Refused("is part of a larger construct here", 1)
    spans = {
        (columns.start[i], columns.end[i]) for root in roots for i in range(root, root + columns.size[root])
    }
    for at, form in enumerate(forms):
        if form in ("{}", "{^}") or stand_ins[at].span in spans:
            continue
        # A stand-in that is more than a name must be a node of its own, and not part of what stands
        # around it (``struct A;`` out of ``struct $A`` and the form ``{};``); its terminator may be
        # a node beside it.
        low, high = stand_ins[at].span
        high = low + len(columns.source[low:high].rstrip(b"; \t\n"))
        if form.rstrip("; \t\n") in ("{}", "{^}") and _is_item(columns, grammar, low, high):
            stand_ins[at] = replace(stand_ins[at], span=(low, high))
        else:
            return _Refused("is no code here", stand_ins[at].metavariable.offset + 1)
    if len(roots) > 1 and _splits_a_line(columns, roots, stand_ins):
        return _Refused("is no code here", 1)
    unlikely = grammar.ids(grammar.language.unlikely)
    likely = True
    for root in roots:
        for i in range(root, root + columns.size[root]):
            if kind[i] in unlikely or _keyword_as_name(columns, i, grammar):
                likely = False
    return Accepted(
        skeleton.rung, columns, tuple(roots), tuple(stand_ins), bool(terminator), likely, fragment.indent
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
