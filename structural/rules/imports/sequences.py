"""Statements with ``...`` between them: where a place stands among the siblings of such statements.

``$A = start()`` with ``...`` behind it, as ``pattern-inside``, means: behind this statement, in the same
block or deeper. As a pattern it is reported at its first statement, with the others further on.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from structural.rules.imports.ellipses import UntranslatableError
from structural.rules.imports.patterns import (
    PLACED,
    Context,
    Made,
    Mapping,
    anywhere,
    around,
    condition,
    either,
    joined,
)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Statements in order.  ``lead``, ``trail``: ``...`` stands before the first, behind the last."""

    parts: tuple[str, ...]
    lead: bool
    trail: bool

    @property
    def single(self) -> bool:
        return len(self.parts) == 1 and not self.lead and not self.trail


def parted(text: str) -> Sequence:
    """*text* parted at the lines that are ``...`` and lie in no bracket and no block."""
    text = textwrap.dedent(text.strip("\n")).rstrip()
    text = re.sub(r";[ \t]*\.\.\.[ \t]*;?[ \t]*(?=\n|$)", ";\n...", text)
    text = re.sub(r"(?m)^\.\.\.;?[ \t]+(?=[\w$])", "...\n", text)
    lines = re.sub(r";[ \t]*\.\.\.[ \t]*;[ \t]*(?=[\w$])", ";\n...\n", text).splitlines()
    parts: list[list[str]] = [[]]
    depth = 0
    for line in lines:
        if not depth and re.fullmatch(r"\.\.\.;?\s*", line):
            parts.append([])
            continue
        depth += sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
        parts[-1].append(line)
    texts = ["\n".join(part).strip() for part in parts]
    kept = tuple(text for text in texts if text)
    return Sequence(kept, len(texts) > 1 and not texts[0], len(texts) > 1 and not texts[-1])


def pattern(text: str, context: Context) -> Made:
    """The condition of a pattern that may be a sequence: its first statement, with the others behind it."""
    sequence = parted(text)
    if not sequence.parts:
        raise UntranslatableError("the pattern is nothing but `...`")
    if len(sequence.parts) == 1:
        return condition(sequence.parts[0], context)
    first = condition(sequence.parts[0], context, statement=True)
    context.remark("of statements with `...` between them the first is reported, not all of them")
    rest: Mapping = {}
    for part in reversed(sequence.parts[1:]):
        here = anywhere(condition(part, context).condition)
        rest = {"precedes": {**joined(here, rest), "stop-by": "end"}}
    return Made(joined(first.condition, rest), first.kinds)


def contained(text: str, context: Context) -> Mapping:
    """The condition of a node in a block that holds the statements *text*."""
    sequence = parted(text)
    if not sequence.parts:
        raise UntranslatableError("the body is nothing but `...`")
    if len(sequence.parts) == 1:
        return condition(sequence.parts[0], context).condition
    return pattern("\n...\n".join(sequence.parts), context).condition


def inside(text: str, context: Context, kinds: frozenset[str] | None) -> Mapping:
    """The condition of a place that lies in what *text* finds, or, as its kind is one of *kinds*, is
    that."""
    sequence = parted(text)
    if not sequence.parts:
        raise UntranslatableError("the pattern is nothing but `...`")
    if sequence.single:
        made = condition(sequence.parts[0], context)
        if kinds and made.kinds is not None and kinds & made.kinds:
            return around(made.condition)
        return {"inside": {**made.condition, "stop-by": "end"}}
    here = _among(sequence, context)
    return around({"matches": context.utility(PLACED, here)})


def _among(sequence: Sequence, context: Context) -> Mapping:
    """The condition of a statement of the block that lies between, behind or in the statements of
    *sequence*."""
    parts = sequence.parts
    if not sequence.trail:
        last = condition(parts[-1], context).condition
        ways = [last, {"has": {**last, "stop-by": "end"}}, {"precedes": {**anywhere(last), "stop-by": "end"}}]
        here: Mapping = {"any": ways}
        if len(parts) > 1:
            here = {"follows": {**_behind(parts[:-1], context), "stop-by": "end"}, **here}
            first = condition(parts[0], context, statement=True).condition
            here = {"any": [here, joined(first, {"precedes": {**anywhere(last), "stop-by": "end"}})]}
        return here
    behind = _behind(parts, context)
    follows: Mapping = {"follows": {**behind, "stop-by": "end"}}
    plain = condition(parts[-1], context, statement=True).condition
    if len(parts) > 1:
        plain = joined(plain, {"follows": {**_behind(parts[:-1], context), "stop-by": "end"}})
    if sequence.lead:
        return either([plain, follows, {"precedes": {**anywhere(plain), "stop-by": "end"}}])
    return either([follows, plain])


_DEEP = re.compile(r"call|invocation|function_call|method_invocation|command")


def _behind(parts: tuple[str, ...], context: Context) -> Mapping:
    """The condition of the last statement of *parts*, with the others before it."""
    made = condition(parts[-1], context, statement=True)
    here = made.condition
    if made.kinds is not None and all(_DEEP.search(kind) for kind in made.kinds):
        here = anywhere(here)  # a call alone stands also for one within a statement
    if len(parts) > 1:
        here = joined(here, {"follows": {**_behind(parts[:-1], context), "stop-by": "end"}})
    return here
