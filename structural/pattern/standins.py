"""Stand-ins: what is written in the place of metavariables while the grammar reads a pattern.

A language lists the forms that a stand-in can have.  This module says which mixes of forms are
tried, in which order, and writes the fragment with one of them.  It parses nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from structural.pattern.metavariables import Fragment, Metavariable
from structural.syntax.language import Language

_MOST_FORMS = 40
_MOST_CAPITAL_FORMS = 128
_MOST_QUICK_FORMS = 8
"""How many combinations of stand-in forms are tried in one skeleton: of a pattern, of one in a language
where names may have to be capital ones, and where a metavariable is tried as one operator of many."""

_CUT = 64
"""Bytes between two cuts in text that is no metavariable."""

Forms = tuple[str, ...]
"""A form for each metavariable of a fragment."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """One metavariable as it was written into the skeleton.

    ``span`` is the whole stand-in in bytes of the skeleton; ``marker`` is the name
    in it, unique in the skeleton.
    """

    metavariable: Metavariable
    span: tuple[int, int]
    marker: bytes


class Writer:
    """A fragment, to be written with one mix of forms after another."""

    def __init__(self, fragment: Fragment, language: Language) -> None:
        self.fragment = fragment
        self._language = language
        self._mixes: dict[tuple[bool, bool], tuple[list[Forms], Iterator[Forms]]] = {}
        self._spelled: dict[tuple[int, str], tuple[bytes, bytes]] = {}
        base = "qz"
        lower = fragment.text.lower()
        while base in lower:
            base += "z"
        numbers: dict[str, int] = {}
        self._markers: list[str] = []
        self._pieces: list[bytes | int] = []
        for piece in fragment.pieces:
            if isinstance(piece, str):
                self._pieces.append(piece.encode())
                continue
            at = len(self._markers)
            # One name is written alike wherever it stands: HTML wants the same name at both ends.
            number = numbers.setdefault(piece.name, at) if piece.name else at
            self._markers.append(f"{base}{number}zq")
            self._pieces.append(at)

    def mixes(self, extra: bool, quick: bool) -> Iterator[Forms]:
        """The mixes that are tried, in order; made once."""
        key = (extra, quick)
        if key not in self._mixes:
            self._mixes[key] = ([], _mixes(self.fragment, self._language, extra, quick))
        made, more = self._mixes[key]
        for at in itertools.count():
            if at == len(made):
                following = next(more, None)
                if following is None:
                    return
                made.append(following)
            yield made[at]

    def text(self, forms: Forms) -> bytes:
        """The fragment with stand-ins of these *forms*."""
        return b"".join(
            piece if isinstance(piece, bytes) else self._spelling(piece, forms[piece])[0]
            for piece in self._pieces
        )

    def stand_ins(self, forms: Forms, start: int) -> tuple[list[StandIn], list[int]]:
        """The stand-ins in a skeleton in which the fragment begins at byte *start*, and the bytes at
        which what is the same with all forms ends, or may end: around stand-ins, in them, and now and
        then between them."""
        found: list[StandIn] = []
        cuts = [start]
        at = start
        metavariables = self.fragment.metavariables
        for piece in self._pieces:
            if isinstance(piece, bytes):
                cuts += [at + byte for byte in range(_CUT, len(piece), _CUT) if piece[byte] & 0xC0 != 0x80]
                at += len(piece)
                cuts.append(at)
                continue
            text, marker = self._spelling(piece, forms[piece])
            span = (at + len(text) - len(text.lstrip()), at + len(text.rstrip()))
            found.append(StandIn(metavariables[piece], span, marker))
            cuts += range(at + 1, at + len(text) + 1)
            at += len(text)
        return found, cuts

    def _spelling(self, at: int, form: str) -> tuple[bytes, bytes]:
        """Stand-in number *at* in this *form*, and the name in it."""
        found = self._spelled.get((at, form))
        if found is None:
            marker = self._markers[at]
            spelled = form
            if "{^}" in spelled:
                marker = marker.capitalize()
                spelled = spelled.replace("{^}", "{}")
            text = (
                spelled.replace("{{", "\0")
                .replace("}}", "\1")
                .replace("{}", marker)
                .replace("\0", "{")
                .replace("\1", "}")
            )
            found = self._spelled[at, form] = (text.encode(), marker.encode())
        return found


def _mixes(fragment: Fragment, language: Language, extra: bool, quick: bool) -> Iterator[Forms]:
    """Forms of the stand-ins, one for each metavariable: plain ones first, then all alike,
    then one of another form, then those between the same brackets alike (parameters, or statements)
    with as little of other forms as can be, then any mix, bounded.

    Where a statement begins, forms that end a statement go first: ``$$$`` above ``f();`` is a
    statement of its own, not the type of a declaration of ``f``."""
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
            forms = [*forms[:1], *language.ellipsis_stand_ins, *forms[1:]]
        if ends and not inside and (first or (extra and metavariable.ellipsis)):
            forms.sort(key=lambda form: first != form.endswith(ends))
        choices.append(forms)
    seen: set[Forms] = set()
    capital = any("{^}" in form for forms in choices for form in forms)
    most = _MOST_QUICK_FORMS if quick else _MOST_CAPITAL_FORMS if capital else _MOST_FORMS

    ellipsis = [one.ellipsis for one in metavariables]
    for mix in _in_order(choices, ellipsis, _brackets(fragment)):
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
        last = at + 1 == len(fragment.pieces)
        alone = starts and (last if not behind else behind[0] in "\n}")
        follows = piece.ellipsis and (starts or before[-1] in "{};:")
        begins.append(bool(before or behind) and (alone or follows))
    return begins


def _in_order(choices: list[list[str]], ellipsis: list[bool], pairs: list[int]) -> Iterator[Forms]:
    """Mixes of the forms in *choices*, one list for each metavariable; some come more than once.
    *pairs*: in which pair of brackets each stands."""
    for k in range(max(map(len, choices))):
        yield tuple(forms[min(k, len(forms) - 1)] for forms in choices)
    yield from _one_of_another_form(choices, [not one for one in ellipsis])
    # Of $$$ between the same brackets mostly all are alike, but not the label of a case and what is in it.
    singles = [forms if one else forms[:1] for forms, one in zip(choices, ellipsis, strict=True)]
    keys = list(zip(pairs, ellipsis, strict=True))
    alike, other = _alike(singles, keys), _one_of_another_form(choices, ellipsis)
    for mixes in itertools.zip_longest(alike, other, alike):
        yield from (mix for mix in mixes if mix is not None)
    yield from _alike(choices, keys)
    yield from itertools.product(*singles)
    yield from itertools.product(*choices)


def _one_of_another_form(choices: list[list[str]], which: list[bool]) -> Iterator[Forms]:
    """The first forms, but for one of *which*."""
    base = tuple(forms[0] for forms in choices)
    for at, forms in enumerate(choices):
        if which[at]:
            yield from ((*base[:at], form, *base[at + 1 :]) for form in forms[1:])


def _alike(choices: list[list[str]], keys: list[tuple[int, bool]]) -> Iterator[Forms]:
    """Mixes in which those with the same key have the same form, those with the most first forms first."""
    groups: dict[tuple[int, bool], list[str]] = {}
    for key, forms in zip(keys, choices, strict=True):
        if len(forms) > len(groups.setdefault(key, forms)):
            groups[key] = forms
    for picked in _nearest([len(forms) for forms in groups.values()]):
        picks = {key: forms[at] for (key, forms), at in zip(groups.items(), picked, strict=True)}
        yield tuple(
            picks[key] if picks[key] in forms else forms[0] for key, forms in zip(keys, choices, strict=True)
        )


def _nearest(sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of a number below each of *sizes*, those with the smallest sum first."""

    def with_sum(at: int, left: int) -> Iterator[tuple[int, ...]]:
        if at == len(sizes):
            if not left:
                yield ()
            return
        if left > rest[at]:
            return
        for number in range(min(left, sizes[at] - 1), -1, -1):
            for others in with_sum(at + 1, left - number):
                yield (number, *others)

    rest = [sum(size - 1 for size in sizes[at:]) for at in range(len(sizes))]
    for total in range(rest[0] + 1 if rest else 1):
        yield from with_sum(0, total)


def _brackets(fragment: Fragment) -> list[int]:
    """For each metavariable, which pair of brackets it stands in: a number for each, by a plain scan."""
    open_ones = [0]
    pairs = 0
    found: list[int] = []
    for piece, quoted in _with_quotes(fragment):
        if isinstance(piece, Metavariable):
            found.append(open_ones[-1])
        elif quoted:
            continue
        elif piece in "([{":
            pairs += 1
            open_ones.append(pairs)
        elif piece in ")]}" and len(open_ones) > 1:
            open_ones.pop()
    return found


def in_quotes(fragment: Fragment) -> list[bool]:
    """For each metavariable, whether it stands between quotes (by a plain scan)."""
    return [quoted for piece, quoted in _with_quotes(fragment) if isinstance(piece, Metavariable)]


def _with_quotes(fragment: Fragment) -> Iterator[tuple[str | Metavariable, bool]]:
    """The metavariables and single characters of a fragment, and whether each stands between quotes."""
    quote = ""
    for piece in fragment.pieces:
        if isinstance(piece, Metavariable):
            yield piece, bool(quote)
            continue
        skip = False
        for character in piece:
            yield character, bool(quote) or skip
            if skip:
                skip = False
            elif character == "\\":
                skip = True
            elif quote:
                if character == quote:
                    quote = ""
            elif character in "\"'`":
                quote = character
