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
from dataclasses import dataclass

from structural.pattern.metavariables import Fragment, Metavariable
from structural.pattern.values import Attempt
from structural.syntax.columns import Columns
from structural.syntax.grammar import ERROR_KIND, LoadedGrammar
from structural.syntax.language import Skeleton
from structural.syntax.parse import parse

_MOST_FORMS = 48
"""How many combinations of stand-in forms are tried in one skeleton."""


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


@dataclass(frozen=True, slots=True)
class _Refused:
    reason: str
    byte: int


def climb(
    fragment: Fragment, grammar: LoadedGrammar, rung: str | None, attempts: list[Attempt]
) -> Iterator[Accepted]:
    """Every reading of *fragment*, one a rung, in the order of the ladder.

    Readings with an unlikely kind come after all others.  What each rung did is
    added to *attempts*.  Forms of stand-ins for ``$$$`` alone are tried last, on
    rungs that accepted no plain one.
    """
    language = grammar.language
    late: list[Accepted] = []
    accepted: set[str] = set()
    for extra in (False, True) if language.ellipsis_stand_ins else (False,):
        if extra and not any(m.ellipsis for m in fragment.metavariables):
            break
        for name in language.rungs:
            if name in accepted or (rung is not None and name != rung):
                continue
            found = _try_rung(fragment, grammar, name, extra, attempts)
            if found is None:
                continue
            accepted.add(name)
            if found.likely or rung is not None:
                yield found
            else:
                late.append(found)
    yield from late


def _try_rung(
    fragment: Fragment, grammar: LoadedGrammar, rung: str, extra: bool, attempts: list[Attempt]
) -> Accepted | None:
    language = grammar.language
    first: tuple[_Refused, Skeleton] | None = None
    fallback: Accepted | None = None
    for skeleton in language.skeletons:
        if skeleton.rung != rung:
            continue
        for terminator in ("", *language.terminators):
            if terminator and fragment.text.endswith(terminator):
                continue
            for forms in _forms(fragment, grammar, extra):
                found = _read(fragment, grammar, skeleton, terminator, forms)
                if isinstance(found, Accepted):
                    if found.likely:
                        attempts.append(Attempt(rung, _shown(skeleton), True))
                        return found
                    fallback = fallback or found
                elif first is None or found.byte > first[0].byte:
                    first = (found, skeleton)
    if fallback is not None:
        attempts.append(Attempt(rung, "", True, "holds a kind that is unlikely here; later rungs go first"))
        return fallback
    if first is not None:
        refused, skeleton = first
        attempts.append(Attempt(rung, _shown(skeleton), False, refused.reason, refused.byte))
    return None


def _shown(skeleton: Skeleton) -> str:
    return f"{skeleton.before}…{skeleton.after}".replace("\n", " ").strip()


def _forms(fragment: Fragment, grammar: LoadedGrammar, extra: bool) -> Iterator[tuple[str, ...]]:
    """Forms of the stand-ins, one for each metavariable: plain ones first, then all alike,
    then one of another form, then any mix, bounded."""
    language = grammar.language
    metavariables = fragment.metavariables
    if not metavariables:
        yield ()
        return
    plain = list(language.stand_ins)
    if language.capital_names:
        plain += [form.replace("{}", "{^}") for form in plain]
    quoted = _quoted(fragment)
    choices: list[list[str]] = []
    for metavariable, inside in zip(metavariables, quoted, strict=True):
        forms = (["{}"] + [f for f in plain if f != "{}"]) if inside else list(plain)
        if extra and metavariable.ellipsis:
            forms = list(language.ellipsis_stand_ins) + forms
        choices.append(forms)
    seen: set[tuple[str, ...]] = set()

    def mixes() -> Iterator[tuple[str, ...]]:
        longest = max(map(len, choices))
        for k in range(longest):
            yield tuple(forms[min(k, len(forms) - 1)] for forms in choices)
        base = tuple(forms[0] for forms in choices)
        for at, forms in enumerate(choices):
            for form in forms[1:]:
                yield (*base[:at], form, *base[at + 1 :])
        yield from itertools.product(*choices)

    for mix in mixes():
        if mix not in seen:
            seen.add(mix)
            yield mix
            if len(seen) >= _MOST_FORMS:
                return


def _quoted(fragment: Fragment) -> list[bool]:
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
    for piece in fragment.pieces:
        if isinstance(piece, str):
            written += piece.encode()
            continue
        form = forms[len(stand_ins)]
        marker = _marker(fragment.text, len(stand_ins))
        if "{^}" in form:
            marker = marker.capitalize()
            form = form.replace("{^}", "{}")
        start = len(written)
        written += (
            form.replace("{{", "\0")
            .replace("}}", "\1")
            .replace("{}", marker)
            .replace("\0", "{")
            .replace("\1", "}")
            .encode()
        )
        stand_ins.append(StandIn(piece, (start, len(written)), marker.encode()))
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
                return _Refused(f"{_quote(grammar.name(kind[i]))} is missing", column(at))

    inner_start, inner_end = _trim(columns, start, full_end)
    if inner_start >= inner_end:
        return _Refused("holds no code", 1)
    roots = _cover(columns, grammar, inner_start, inner_end)
    if not roots:
        return _Refused("is part of a larger construct here", 1)
    for stand_in, form in zip(stand_ins, forms, strict=True):
        if form not in ("{}", "{^}") and not _is_node(columns, roots, stand_in.span):
            return _Refused("is no code here", stand_in.metavariable.offset + 1)
    unlikely = grammar.ids(grammar.language.unlikely)
    likely = True
    for root in roots:
        for i in range(root, root + columns.size[root]):
            if kind[i] in unlikely:
                likely = False
    return Accepted(
        skeleton.rung, columns, tuple(roots), tuple(stand_ins), bool(terminator), likely, fragment.indent
    )


def _is_node(columns: Columns, roots: list[int], span: tuple[int, int]) -> bool:
    """Whether a stand-in that is more than a name is a node of its own, and not part of what
    stands around it (``struct A;`` out of ``struct $A`` and the form ``{};``)."""
    return any(
        (columns.start[i], columns.end[i]) == span
        for root in roots
        for i in range(root, root + columns.size[root])
    )


def _quote(token: str) -> str:
    return repr(token)


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
        if deeper < 0:
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
