"""One self-contained page that shows a staged change, side by side.

No script, nothing from elsewhere: it can be mailed, and read without a network.  The texts
of files are escaped, and characters that turn the direction of a line are shown as names.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from structural.cli.edit.rows import Block, Marks, blocks, marks
from structural.cli.edit.style import STYLE
from structural.cli.edit.texts import clean, count, short, skipped_note_lines
from structural.cli.lines import text_of
from structural.workflow.changes import FileView, LineIndex, StagedChange, Stale, language_of
from structural.workflow.highlight import Classified, classify
from structural.workflow.recipes import describe

_OPEN = 200
"""Files up to which all are unfolded at first."""

_LONG = 2_000
"""Bytes of a line that are shown."""

_ODD = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0xFEFF, 0x2028, 0x2029])


def page(
    change: StagedChange, shown: Sequence[FileView], stale: Sequence[Stale], root: Path, context: int
) -> str:
    """The page as HTML."""
    return "".join(_page(change, shown, stale, root, context))


def _page(
    change: StagedChange, shown: Sequence[FileView], stale: Sequence[Stale], root: Path, context: int
) -> Iterator[str]:
    counts = {view.file.path: view.counts() for view in shown}
    added, removed = (sum(pair[at] for pair in counts.values()) for at in (0, 1))
    title = describe(change.origin)
    yield "<!DOCTYPE html>\n"
    yield '<html lang="en"><head><meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{_text(change.id)}: {_text(title)}</title>\n<style>{STYLE}</style></head><body>\n"
    yield '<a class="skip" href="#files">Skip to the files</a>\n<header>\n'
    yield f"<h1>{_text(title)}</h1>\n<p>"
    yield f"<b>{_text(change.id)}</b> {_text(change.state)}, staged {change.created:%Y-%m-%d %H:%M} UTC "
    yield f"in <code>{_text(str(root))}</code></p>\n<p>"
    yield f"{count(change.sites, 'site')} in {count(len(change.files), 'file')} "
    yield f"<span class=plus>+{added:,}</span> <span class=minus>−{removed:,}</span>"
    yield "".join(f" <span class=flag>{_text(flag)}</span>" for flag in change.flags)
    if change.dropped:
        yield f", {count(len(change.dropped), 'site')} dropped"
    if change.refused:
        yield f', <a href="#refused">{count(len(change.refused), "match", "matches")} refused</a>'
    yield "</p>\n"
    yield from _stale(stale)
    yield "</header>\n"
    yield from _contents(shown, counts)
    yield from _refused(change)
    yield from _left(change)
    yield '<main id="files">\n'
    for number, view in enumerate(shown, 1):
        yield from _file(number, view, counts[view.file.path], change, context, unfolded=len(shown) <= _OPEN)
    yield "</main>\n</body></html>\n"


def _stale(stale: Sequence[Stale]) -> Iterator[str]:
    if stale:
        yield "<p class=warn>Stale: these files moved on since, so that it cannot be accepted.</p>\n<ul>"
        for one in stale:
            yield f"<li><code>{_text(one.path)}</code> {_text(one.why)} "
            yield f"(expected {short(one.expected)}, found {short(one.found)})</li>"
        yield "</ul>\n"


def _contents(shown: Sequence[FileView], counts: dict[str, tuple[int, int]]) -> Iterator[str]:
    yield '<nav aria-label="Files"><table class=list><thead><tr><th scope=col>File<th scope=col>Sites'
    yield "<th scope=col>Added<th scope=col>Removed</tr></thead><tbody>\n"
    for number, view in enumerate(shown, 1):
        added, removed = counts[view.file.path]
        action = "" if view.file.action == "modify" else f" <span class=flag>{view.file.action}</span>"
        yield f'<tr><td><a href="#file-{number}">{_text(view.file.path)}</a>{action}'
        yield f"<td>{len(view.file.sites):,}<td class=plus>+{added:,}<td class=minus>−{removed:,}</tr>\n"
    yield "</tbody></table></nav>\n"


def _refused(change: StagedChange) -> Iterator[str]:
    if not change.refused:
        return
    yield '<section id="refused"><h2>Refused</h2>'
    yield "<p>These matches stay as they are, as they could not be rewritten in safety.</p>"
    yield "<table class=list><thead><tr><th scope=col>Place<th scope=col>Reason</tr></thead><tbody>\n"
    for one in change.refused:
        yield f"<tr><td>{_text(one.path)}:{one.line}<td>{_text(one.reason)}</tr>\n"
    yield "</tbody></table></section>\n"


def _left(change: StagedChange) -> Iterator[str]:
    lines = list(skipped_note_lines(change.notes))
    if lines:
        yield "<section><h2>Not searched</h2><ul>"
        yield "".join(f"<li>{_text(line.strip())}</li>" for line in lines)
        yield "</ul></section>\n"


def _file(
    number: int,
    view: FileView,
    counts: tuple[int, int],
    change: StagedChange,
    context: int,
    *,
    unfolded: bool,
) -> Iterator[str]:
    file = view.file
    language = language_of(file.path, view.before or view.after, change.notes)
    left = _Side(view.before, classify(view.before, language), marks(view).before)
    right = _Side(view.after, classify(view.after, language), marks(view).after)
    yield f'<details id="file-{number}"{" open" if unfolded else ""}><summary><h2>{_text(file.path)}</h2> '
    yield f"<span class=plus>+{counts[0]:,}</span> <span class=minus>−{counts[1]:,}</span></summary>\n"
    yield "<table class=diff><colgroup><col class=num><col><col class=num><col></colgroup>"
    yield "<thead class=hidden><tr><th scope=col>Line<th scope=col>Before<th scope=col>Line"
    yield "<th scope=col>After</tr></thead>\n"
    for block in blocks(view, context):
        yield from _block(block, left, right)
    yield "</table></details>\n"


def _block(block: Block, left: _Side, right: _Side) -> Iterator[str]:
    names = " ".join(f'<a id="site-{n}" href="#site-{n}">site {n}</a>' for n in block.sites)
    yield f"<tbody><tr class=hunk><th colspan=4 scope=rowgroup>{names or '…'}</tr>\n"
    for row in block.rows:
        yield "<tr>"
        yield left.cell(row.left, "del" if row.changed else "", "−")
        yield right.cell(row.right, "ins" if row.changed else "", "+")
        yield "</tr>\n"
    yield "</tbody>"


class _Side:
    """One text with its classes and its changed bytes; gives the cells of a line."""

    def __init__(self, source: bytes, classes: list[Classified], changed: Sequence[tuple[int, int]]) -> None:
        self._source = source
        self._lines = LineIndex(source)
        self._classes = classes
        self._ends = [end for _, end, _ in classes]
        self._changed = changed
        self._changed_ends = [end for _, end in changed]

    def cell(self, number: int, tag: str, sign: str) -> str:
        """The cells of a line: its number, and its text."""
        if not number:
            return "<td class=num><td class=none>"
        span = self._lines.line_span(number)
        end = min(span.end, span.start + _LONG)
        text = self._marked(span.start, end, tag) + ("…" if end < span.end else "")
        mark = f" <span aria-hidden=true>{sign}</span>" if tag else ""
        kind = f" class={tag}" if tag else ""
        return f"<td class=num>{number}{mark}<td{kind}><code>{text or ' '}</code>"

    def _marked(self, start: int, end: int, tag: str) -> str:
        """The text of a line; what changes in it in *tag*, unless that is the whole line."""
        if not tag:
            return self._classed(start, end)
        out = []
        at = start
        for low, high in self._changed[bisect_left(self._changed_ends, start + 1) :]:
            low, high = max(low, at), min(high, end)
            if low >= end:
                break
            if high > low:
                out.append(self._classed(at, low))
                out.append(f"<{tag}>{self._classed(low, high)}</{tag}>")
                at = high
        out.append(self._classed(at, end))
        return "".join(out)

    def _classed(self, start: int, end: int) -> str:
        out = []
        at = start
        for low, high, name in self._classes[bisect_left(self._ends, start + 1) :]:
            low, high = max(low, at), min(high, end)
            if low >= end:
                break
            out.append(_code(self._source[at:low]))
            out.append(f"<span class={name}>{_code(self._source[low:high])}</span>")
            at = high
        if at < end:
            out.append(_code(self._source[at:end]))
        return "".join(out)


def _code(data: bytes) -> str:
    text = text_of(data, True)
    if text.isascii():
        return escape(text, quote=False)
    return "".join(
        f"<span class=odd>U+{ord(ch):04X}</span>" if ord(ch) in _ODD else escape(ch, quote=False)
        for ch in text
    )


def _text(text: str) -> str:
    return escape(clean(text).encode("utf-8", "replace").decode())


__all__ = ["Marks", "page"]
