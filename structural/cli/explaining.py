"""``astgrep explain``, ``tree`` and ``languages``: how things are read, as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from structural.cli.colour import Palette, palette
from structural.cli.errors import rung_lines
from structural.cli.lines import one_line
from structural.cli.options import Options, place_of, spec_of
from structural.cli.output import Output
from structural.errors import UsageError
from structural.workflow import explaining
from structural.workflow.explaining import Explanation, Place
from structural.workflow.searching import LineIndex, ReadingInfo, Refusal


def explain(pattern: str, options: Options) -> int:
    """How the pattern is read in each language, or why a line does not match."""
    spec = spec_of(pattern, options)
    output = Output()
    colours = palette(options["color"], output.terminal)
    if options["at"]:
        path, line = place_of(options["at"])
        if not line:
            raise UsageError("--at needs a file and a line", hint="write it as --at FILE:LINE")
        place = explaining.explain_at(spec, path, line)
        output.write("".join(_place_lines(place, colours)))
        output.flush()
        return 0 if place.matches else 1
    found = explaining.explain(spec)
    named = bool(spec.languages)
    shown = [one for one in found if named or (one.readings and not one.prose)]
    for one in shown:
        output.write("".join(_explanation(one, colours, full=named)))
    texts = [one.language for one in found if one.prose]
    if texts:
        output.write(f"only running text, searched where --lang asks for it, in {', '.join(texts)}\n")
    others = [one.language for one in found if not one.readings]
    if others and not named:
        output.write(f"no code in {', '.join(others)}\n")
    output.flush()
    return 0 if any(one.readings for one in shown) else 2


def tree(target: str, options: Options) -> int:
    """The tree of a file, or of what touches one line of it."""
    path, line = place_of(target)
    language, lines, nodes = explaining.tree(path, line, options["language"] or "")
    output = Output()
    c = palette(options["color"], output.terminal)
    output.write(f"{c.dim}{path}: {language}{c.off}\n")
    for node in nodes:
        name = f"{c.name}{node.field}{c.off}: " if node.field else ""
        kind = node.kind if node.named else repr(node.kind)
        text = f" {c.match}{_short(node.text)}{c.off}" if node.text and node.named else ""
        missing = " MISSING" if node.missing else ""
        output.write(f"{'  ' * node.depth}{name}{kind}{missing} {c.dim}{_span(node, lines)}{c.off}{text}\n")
    output.flush()
    return 0


def languages(options: Options) -> int:
    """Every language with its names, suffixes and rungs."""
    output = Output()
    c = palette(options["color"], output.terminal)
    if options.get("json"):
        listed = [asdict(one) for one in explaining.languages(all_of_them=bool(options.get("all")))]
        output.write(json.dumps({"version": 1, "languages": listed}, ensure_ascii=False) + "\n")
        output.flush()
        return 0
    for one in explaining.languages(all_of_them=bool(options.get("all"))):
        missing = "" if one.loads else f"  {c.error}(grammar not installed){c.off}"
        names = f"  also {' '.join(one.aliases)}" if one.aliases else ""
        output.write(f"{c.name}{one.name}{c.off}{names}{missing}\n")
        output.write(f"    files  {' '.join(one.suffixes)}\n")
        output.write(f"    rungs  {' '.join(one.rungs)}\n")
    output.flush()
    return 0


def reading_lines(readings: Iterable[ReadingInfo]) -> Iterator[str]:
    """For ``search --explain``: how each language read the pattern."""
    for reading in readings:
        yield f"{reading.language}: read as {_reading(reading)}\n"


def refusal_lines(refusals: Iterable[Refusal]) -> Iterator[str]:
    """For ``search --explain``: why it is no code in the other languages."""
    for refusal in refusals:
        yield f"{refusal.language}: {refusal.message}\n"
        yield from rung_lines(refusal.attempts, "  ")


def _explanation(one: Explanation, c: Palette, *, full: bool) -> Iterator[str]:
    if one.error:
        yield f"{c.name}{one.language}{c.off}: {one.error}\n"
    for number, reading in enumerate(one.readings):
        label = f"{c.name}{one.language}{c.off}: read as" if number == 0 else "  if that matches nothing, as"
        yield f"{label} {_reading(reading)}\n"
    if full and one.tree:
        yield "  the pattern\n"
        yield from (f"    {line}".rstrip() + "\n" for line in one.tree)
        yield f"  may stand unmentioned: {', '.join(one.unmentioned) or 'nothing'}\n"
        yield f"  equal by: {', '.join(one.equivalences) or 'nothing'}\n"
    if one.attempts and (full or one.error):
        yield "  the ladder\n"
        for attempt in one.attempts:
            skeleton = f" in {' '.join(attempt.skeleton.split())}" if attempt.skeleton else ""
            if attempt.accepted:
                yield f"    {attempt.rung}{skeleton}: accepted\n"
            else:
                yield f"    {_attempt(attempt.rung + skeleton, attempt.reason, attempt.column)}\n"


def _place_lines(place: Place, c: Palette) -> Iterator[str]:
    where = f"{c.path}{place.path}{c.off}:{place.line}"
    lines = LineIndex(place.source)
    for match in place.matches:
        at = lines.position(match.span.start)
        yield f"{where}: matches ({match.kind}, read as {match.reading}), from {at.line}:{at.column}\n"
        for binding in match.bindings:
            sigil = "$$$" if binding.ellipsis else "$"
            yield f"    {c.name}{sigil}{binding.name}{c.off} = {one_line(place.source, binding.span)}\n"
    if place.matches:
        return
    if not place.mismatches:
        yield f"{where}: nothing here begins like the pattern ({place.language}, read as {place.reading})\n"
    for mismatch in place.mismatches:
        at = lines.position(max(mismatch.at, 0))
        again = f" ({mismatch.again!r})" if mismatch.again else ""
        yield f"{where}: {one_line(place.source, mismatch.span, 80)}\n"
        wanted = f"expected {mismatch.expected}{again}, found {mismatch.found}"
        yield f"    parts at {at.line}:{at.column}: {wanted}\n"


def _reading(reading: ReadingInfo) -> str:
    text = f"{reading.rung}: {' '.join(kind.replace('_', ' ') for kind in reading.kinds[:1])}"
    if len(reading.kinds) > 1:
        text += f" and {len(reading.kinds) - 1} more kind{'s' * (len(reading.kinds) > 2)}"
    if reading.literals:
        text += f"; must contain {' '.join(reading.literals)}"
    return text


def _attempt(rung: str, reason: str, column: int) -> str:
    return f"{rung}: {reason}" + (f" at column {column}" if column else "")


def _span(node: explaining.TreeLine, lines: LineIndex) -> str:
    start, end = lines.position(node.start), lines.position(node.end)
    return f"{start.line}:{start.column}-{end.line}:{end.column}"


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= 60 else shown[:59] + "…"
