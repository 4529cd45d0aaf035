"""Does the pattern match its own result?  Counted, so that it can be told."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from structural.rewrite.values import RewriteSite
from structural.text import Span


def count_again(
    source: bytes,
    text: bytes,
    found: Sequence[Span],
    sites: Sequence[RewriteSite],
    before: Sequence[tuple[int, int]],
) -> int:
    """How many of *found*, the matches in *text*, are new: not those of *before*, the matches in
    *source*, that were not rewritten.  *sites* are those that take *source* to *text*."""
    if not found:
        return 0
    rewritten = {(site.span.start, site.span.end) for site in sites}
    rest = [span for span in before if span not in rewritten]
    ends, shifts = [0], [0]
    for edit in sorted(edit for site in sites for edit in site.edits):
        ends.append(edit.span.end)
        shifts.append(shifts[-1] + len(edit.new) - (edit.span.end - edit.span.start))
    # Where those stand now that did not move.
    stay = {tuple(byte + shifts[bisect_right(ends, byte) - 1] for byte in span) for span in rest}
    texts = [text[span.start : span.end] for span in found if (span.start, span.end) not in stay]
    # Those that moved have the text that they had.
    return (Counter(texts) - Counter(source[start:end] for start, end in rest)).total() if texts else 0
