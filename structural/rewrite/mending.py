"""The ways to write a match, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Hashable

from structural.rewrite.jobs import Job, Mend
from structural.rewrite.places import is_statement
from structural.rewrite.template import Template
from structural.syntax import registry
from structural.syntax.columns import Columns


def ways(job: Job, template: Template, columns: Columns) -> list[Mend]:
    """As the template says; then with spaces, on one line, parentheses around bindings, new text at the
    other end of its gap, tokens that the file leaves out, without parentheses that the pattern does not
    show, parentheses around all, a terminator behind or before it, braces around bindings that are
    bodies without them, braces around statements."""
    language = registry.get(template.language)
    rewrites = [pairing.rewrite for pairing in template.pairings]
    found = [Mend(), Mend(spaced=True)]
    if language.breaks_lines:
        found.append(Mend(joined=True))
    beyond = job.beyond
    bindings = {
        n
        for pairing in template.pairings
        for n, item in enumerate(pairing.rewrite.items)
        if item.name and item.name not in pairing.program.ellipses and item.name not in beyond.ellipses
    }
    if language.grouping[0] and bindings:
        found.append(Mend(parens=frozenset(bindings)))
    found += [Mend(other_end=True), Mend(explicit=True)]
    if language.parens and b"(" in columns.source[job.found.start : job.found.end]:
        found.append(Mend(bare=True))
    if language.grouping[0] and all(rewrite.roots == 1 for rewrite in rewrites):
        found.append(Mend(whole=True))
    found += [Mend(terminator=text.encode()) for text in language.terminators]
    found += [Mend(leading=text.encode()) for text in sorted(language.terminator_tokens) if text == ";"]
    braced = _bare_bodies(job, template, columns)
    if braced:
        found.append(Mend(braced=braced))
    if language.bodies and is_statement(columns, job.found, template.tables):
        found.append(Mend(braces=True))
    return found


def _bare_bodies(job: Job, template: Template, columns: Columns) -> frozenset[int]:
    """Items of the rewrite whose binding is the body of a statement and has no braces."""
    names = set()
    for name, bound in zip(job.program.names, job.found.bindings, strict=True):
        if bound is not None and bound[2] > 0 and bound[2] == bound[3]:
            parent = columns.parent[bound[2]]
            body = (
                columns.kind[parent] in template.tables.bodies
                and columns.source[bound[0] : bound[0] + 1] != b"{"
            )
            before = [k for k in columns.children(parent) if k < bound[2]]
            if body and before and columns.text(before[-1]) != b"(":
                names.add(name)
    items = template.pairing(job.program).rewrite.items
    return frozenset(n for n, item in enumerate(items) if item.name in names)


def likeness(job: Job, columns: Columns) -> Hashable:
    """What decides, mostly, how a job can be mended: the kinds of its bindings and around it."""
    kinds = tuple(
        columns.kind[bound[2]] if bound is not None and bound[2] >= 0 else -1 for bound in job.found.bindings
    )
    parent = columns.parent[job.found.first]
    above = columns.parent[parent] if parent >= 0 else -1
    return (kinds, *(columns.kind[i] if i >= 0 else -1 for i in (job.found.first, parent, above)))
