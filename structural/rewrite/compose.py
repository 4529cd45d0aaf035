"""One match becomes edits.

Items that the pattern and the rewrite share stay where they are, with whatever is inside
a binding but for matches there, which are rewritten in the same pass.  ``gaps`` decides
what happens between them.  A binding that comes to stand elsewhere is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from structural.pattern.compile import Reading
from structural.pattern.tables import Tables
from structural.pattern.tree import OPENERS
from structural.rewrite.align import partners
from structural.rewrite.draft import Drafting, Text, copied, text_of
from structural.rewrite.gaps import Gaps
from structural.rewrite.jobs import NOTHING, Job, Occurrence
from structural.rewrite.layout import Layout, Shift, level
from structural.rewrite.places import Place, Places, places
from structural.rewrite.setting import Setting
from structural.rewrite.stencil import find, keep, look_of
from structural.rewrite.template import Pairing, Template
from structural.syntax.columns import Columns
from structural.text import Edit, Span
from structural.text.edits import apply

Rewriter = Callable[[Columns, Reading, Template], tuple[Edit, ...]]


class Composer:
    """Writes jobs of one file into drafts."""

    def __init__(
        self, columns: Columns, template: Template, rewrite: Rewriter, *, anew: bool = False
    ) -> None:
        """*rewrite* makes the edits of a nested rewrite over all of the file.  *anew*: what was written
        for others does not count."""
        self._anew = anew
        self._rewrite = rewrite
        self._nested: dict[str, tuple[Edit, ...]] = {}
        self.columns = columns
        self.source = columns.source
        self.template = template
        self.tables: Tables = template.tables
        ids, language = self.tables.grammar.ids, self.tables.grammar.language
        flowing = ids(language.flowing)
        self.layout = Layout(
            columns,
            self.tables.strings - flowing,
            self.tables.blank | flowing,
            ids(language.verbatim),
        )
        self.occurrences: dict[int, list[Occurrence]] = {}
        """By site: what stands in the text after, with marks ("from", occurrence) and ("to", …)."""
        self.remarks: dict[int, list[bytes]] = {}
        """By site: comments of the rewrite that were made from bindings."""
        self._places: dict[int, Places] = {}

    def places_of(self, job: Job, pairing: Pairing) -> Places:
        if job.places is not None:
            return job.places
        made = self._places.get(job.site)
        if made is None:
            made = self._places[job.site] = places(job.found, pairing, self.columns, self.tables)
        return made

    def rewritten_inside(self, name: str, place: Place) -> bytes:
        """The code at *place* after the rewrite that the transformation *name* asks for."""
        edits = self._nested.get(name)
        if edits is None:
            reading, template = self.template.nested[name]
            edits = self._nested[name] = self._rewrite(self.columns, reading, template)
        inside = [
            Edit(Span(edit.span.start - place.start, edit.span.end - place.start), edit.new)
            for edit in edits
            if place.start <= edit.span.start and edit.span.end <= place.end
        ]
        return apply(self.source[place.start : place.end], inside)

    def comments_of(self, job: Job) -> list[bytes]:
        """Comments that the rewrite of *job* brings."""
        items = self.template.pairing(job.program).rewrite.items
        return [*(item.text for item in items if item.comment), *self.remarks.get(job.site, ())]

    def bindings(self, job: Job) -> list[tuple[int, int]]:
        """Spans of the bindings that the rewrite of *job* uses, where other matches may stand."""
        pairing = self.template.pairing(job.program)
        used = {item.name for item in pairing.rewrite.items if item.name} - self.template.transforms.keys()
        used -= job.beyond.texts.keys()
        made = self.places_of(job, pairing)
        found = [
            (place.start, place.end)
            for item, place in zip(pairing.pattern.items, made.of, strict=True)
            if place is not None and item.name in used and place.start < place.end
        ]
        low, high = job.span
        return found + [
            (place.start, place.end)
            for name, place in job.beyond.places.items()
            if name in used and low <= place.start < place.end <= high
        ]

    def write(self, job: Job, draft: Drafting, owner: int, shift: Shift = (b"", b"")) -> None:
        """Write the edits of *job*, for the site *owner*; *shift* is what happens to the indentation
        of the lines around it."""
        if job.refused:
            for inner in job.inner:
                self.write(inner, draft, inner.site if owner == job.site else owner, shift)
            return
        pairing = self.template.pairing(job.program)
        places = self.places_of(job, pairing)
        look = None
        plain = job.beyond is NOTHING and job.places is None and not self._anew
        if owner == job.site and not shift[0] and not shift[1] and plain:
            look = look_of(job, pairing, self.template, places, self.columns, draft.last)
        stencil = look and find(pairing, look)
        if look and stencil:
            self.occurrences[job.site] = stencil.write(look, self.source, draft, job.site)
            return
        written = len(draft)
        self.occurrences[job.site] = []
        at = Setting(job, pairing, places, self.layout, shift)
        _Writing(self, at, draft, owner).write()
        if look and not job.refused:
            keep(pairing, look, draft.since(written), self.occurrences[job.site], job.site)


class _Writing:
    """Writes one match into a draft, for the site *owner*."""

    def __init__(self, composer: Composer, at: Setting, draft: Drafting, owner: int) -> None:
        self.composer = composer
        self.at = at
        self.columns = composer.columns
        self.job = at.job
        self.draft = draft
        self.owner = owner
        self._gaps = Gaps(at, composer.columns, draft, owner, self._inserted, composer.tables)

    def write(self) -> None:
        """Write all of the match, with marks at its ends; or refuse it, and write nothing."""
        job, found = self.job, self.job.found
        draft = self.draft
        if not self.at.in_order:
            # Found in another order than written (the equivalence ``order``).
            if [item.key for item in self.at.pattern.items] == [item.key for item in self.at.rewrite.items]:
                return
            if not self.at.has_order:
                job.refused = "its parts stand in another order than in the pattern"
                return
        pairs = self.at.pairs
        draft.mark(max(found.start, draft.last), ("start", job.site))
        opened = closed = Text()
        if self.at.mend.whole or self.at.mend.braces:
            opened, closed = Text(), Text()
            opened.put(b"(" if self.at.mend.whole else b"{ ")
            closed.put(b")" if self.at.mend.whole else b" }")
        if self.at.mend.leading:
            opened = text_of(self.at.mend.leading)
        if self.at.mend.terminator:
            closed = text_of(self.at.mend.terminator + closed.bytes)
        first = self._gaps.start(0) if self.at.row else self.at.lead
        if opened.length:
            draft.cut(first, first, opened, self.owner)
        stay = [(-1, -1), *pairs, (len(self.at.row), len(self.at.aligned.rewrite))]
        for (p0, r0), (p1, r1) in pairwise(stay):
            self._gaps.write(p0, r0, p1, r1)
            if p1 < len(self.at.row):
                self._keep(p1, r1)
        self._dedent_dropped_braces(pairs)
        end = max(found.end, draft.last)
        if closed.length:
            at = self._end_of_code(draft.last) if self.at.mend.terminator or self.at.mend.whole else end
            draft.cut(at, at, closed, self.owner)
        draft.mark(max(end, draft.last), ("end", job.site))

    def _dedent_dropped_braces(self, pairs: list[tuple[int, int]]) -> None:
        """Where a block's braces go, its lines come to the level of the match; where other brackets go
        that stood on a line of their own, to the level of that."""
        kept = {self.at.row[p]: r for p, r in pairs}
        for opener, low, high in self._dropped_brackets(kept):
            inner = self.at.layout.gap_end(low)
            comments = [a for a, b in self.columns.comments if low <= a < inner]
            if b"\n" in self.at.source[low : min([inner, *comments])]:
                own = self.at.layout.indent(min([inner, *comments]))
                target = self.at.base
                before = self.at.layout.gap_start(opener)
                if self.at.source[opener] != 0x7B or self.at.source[before - 1 : before] in OPENERS:
                    target = self.at.layout.indent(opener)
                    head = self.at.layout.line_start(opener) + len(target)
                    if not any(self.at.place(n).start == head for n in self.at.row if n not in kept):
                        continue
                self.draft.shift(self.at.layout.shifted(low, high, (own, target)), self.owner)

    def _dropped_brackets(self, kept: dict[int, int]) -> Iterator[tuple[int, int, int]]:
        """Brackets that go while something between them stays, with the stretch between them."""
        at = self.at
        for item, spans in at.places.layers:
            if item not in kept and len(spans) == 2 and at.source[spans[0][0]] == 0x7B:
                yield spans[0][0], spans[0][1], spans[1][0]
        for opener, closer in partners(at.pattern.items).items():
            inside = [n for n in range(opener + 1, closer) if n in kept]
            if not inside or {opener, closer} & kept.keys():
                continue
            first, last = at.places.of[opener], at.places.of[closer]
            moved = at.pattern.indent[inside[0]] != at.rewrite.indent[at.aligned.rewrite[kept[inside[0]]]]
            if first is not None and last is not None and not moved:
                yield first.start, first.end, last.start

    def _end_of_code(self, last: int) -> int:
        """Where the match ends for what the pattern shows: before an unmentioned terminator."""
        return max(last, self._gaps.end(len(self.at.row) - 1) if self.at.row else last)

    def _keep(self, p: int, r: int) -> None:
        number = self.at.row[p]
        item = self.at.aligned.rewrite[r]
        place = self.at.place(number)
        if self.at.pattern.items[number].name is None:
            return
        draft = self.draft
        if self.at.pattern.items[number].key != self.at.rewrite.items[item].key:
            new = Text()
            self._put_item(new, item, self._line_of(place))
            start, end = self.at.extent(number) if self.at.moves(number) else (place.start, place.end)
            self._gaps.cut(max(start, draft.last), end, new)
            return
        opener, closer = self._brackets(item)
        if opener:
            draft.cut(place.start, place.start, text_of(opener), self.owner)
        inner = self._inside(place)
        occurrence = Occurrence(self.job.site, item, place, bool(inner), self.at.is_ellipsis(item))
        known = self.composer.occurrences[self.job.site]
        key = (self.job.site, len(known))
        known.append(occurrence)
        draft.mark(place.start, ("from", key))
        shift = self.at.shift_of(number, item, place)
        merged = shift[0] != shift[1]
        for job in inner:
            self.composer.write(
                job, draft, self.owner if merged or self.owner != self.job.site else job.site, shift
            )
        if merged:
            draft.shift(self.at.layout.shifted(place.start, place.end, shift), self.owner)
        draft.mark(max(place.end, draft.last), ("to", key))
        if opener:
            end = max(place.end, draft.last)
            draft.cut(end, end, text_of(closer), self.owner)

    def _brackets(self, item: int) -> tuple[bytes, bytes]:
        """What is put around the binding of item *item* of the rewrite, as the mend says."""
        if item in self.at.mend.parens:
            return b"(", b")"
        return (b"{ ", b" }") if item in self.at.mend.braced else (b"", b"")

    def _line_of(self, place: Place) -> bytes | None:
        """The indentation of the line that *place* begins, None if it begins none."""
        own = self.at.layout.indent(place.start)
        start = self.at.layout.line_start(place.start)
        return own if start + len(own) == place.start else None

    def _inside(self, place: Place) -> list[Job]:
        return [job for job in self.job.inner if place.start <= job.span[0] and job.span[1] <= place.end]

    def _inserted(self, come: list[int]) -> Text:
        """The items *come* of the rewrite, with their layout between them."""
        made = Text()
        for k, r in enumerate(come):
            if k:
                made.put(self.at.rendered(self.at.rewrite_layout(come[k - 1], r)))
            self._put_item(made, self.at.aligned.rewrite[r])
        return made

    def _put_item(self, made: Text, number: int, target: bytes | None = None) -> None:
        """Item *number* of the rewrite; *target* is the indentation of the line that it comes to, if it
        takes another one's place."""
        item = self.at.rewrite.items[number]
        if item.name in self.composer.template.transforms or item.name in self.job.beyond.texts:
            made.put(self.binding_text(item.name or ""))
        elif item.name is not None:
            opener, closer = self._brackets(number)
            made.put(opener)
            self._put_binding(made, number, item.name, target)
            made.put(closer)
        elif item.pieces is not None:
            parts = [p if isinstance(p, bytes) else self.binding_text(p.name) for p in item.pieces]
            if item.comment:
                self.composer.remarks.setdefault(self.job.site, []).append(b"".join(parts))
            for part in parts:
                made.put(part)
        else:
            made.put(item.text.replace(b"\n", self.at.eol))

    def binding_text(self, name: str) -> bytes:
        """What *name* stands for, as text; of a name that a transformation makes, what it makes."""
        if name in self.job.beyond.texts:
            return self.job.beyond.texts[name]
        transform = self.composer.template.transforms.get(name)
        if transform is not None:
            nested = self.composer.template.nested.get(name)
            place = self.at.place_of_name(transform.source) if nested is not None else None
            if nested is not None and place is not None:
                return self.composer.rewritten_inside(name, place)
            text = self.binding_text(transform.source).decode("utf-8", "surrogateescape")
            return transform.function(text).encode("utf-8", "surrogateescape")
        place = self.at.place_of_name(name)
        return self.at.source[place.start : place.end] if place is not None else b""

    def _put_binding(self, made: Text, number: int, name: str, target: bytes | None) -> None:
        place = self.at.place_of_name(name)
        if place is None or place.first == -2:
            return
        if place.first == -1:
            made.put(copied(self.at.source, place.start, place.end))
            return
        inner = self._inside(place)
        known = self.composer.occurrences[self.job.site]
        key = (self.job.site, len(known))
        known.append(Occurrence(self.job.site, number, place, bool(inner), self.at.is_ellipsis(number)))
        own = self.at.layout.indent(place.start)
        if target is None and b"\n" not in self.at.source[place.start : place.end]:
            target = own
        elif target is None and b"\n" not in self.at.rewrite.before[number]:
            target = own  # In the middle of a line: its further lines stay as they are.
        elif target is None:
            depth = level(self.at.rewrite.indent[number], self.at.step)
            target = self.at.base + (self.at.layout.unit or self.at.step) * depth
        start, end = place.start, place.end
        for n, item in enumerate(self.at.pattern.items):
            if self.at.places.of[n] is place and item.name == name and n in self.at.row:
                start, end = self.at.extent(n)
        sub = Drafting(self.at.source, start, end)
        sub.mark(place.start, ("from", key))
        for job in inner:
            self.composer.write(job, sub, self.owner, (own, target))
        sub.mark(max(place.end, sub.last), ("to", key))
        made.add(sub.as_text(self.at.layout.shifted(start, end, (own, target))))
