"""The matcher: a program against the columns of a file.

One loop over (operation, node) with an explicit stack of choices: full
backtracking over everything an ellipsis can take, never recursion.  A state
that failed once is not tried again (states are remembered by operation, node
and those bindings that still matter), which keeps the cost polynomial.

What may be stepped over or into is decided by ``layers``; nothing here knows a
language.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from structural.pattern.bindings import Bindings, Bound, Check, same_code, tokens
from structural.pattern.layers import BRACES, CHAIN, PARENS, QUOTES, Layers
from structural.pattern.operations import Code, Operation
from structural.pattern.outcome import Found, Trace
from structural.pattern.program import Program, opening
from structural.pattern.tables import Frame, Tables
from structural.pattern.tree import CLOSERS
from structural.syntax.columns import Columns
from structural.syntax.gaps import hidden_texts, plain_string

MOST_CHOICES = 1_000_000
"""How many choices one program may take back in one file: some seconds.  Real code stays below a
thousandth of it; a list of ten thousand elements against ``f($$$, $X, $$$, $X)`` may not."""


_NODE, _EXIT, _TOKEN, _META, _ELLIPSIS, _SOFT, _TEMPLATE, _STRING, _BRACE, _DONE = map(int, Code)
"""The codes as plain numbers: comparing members of an enumeration costs more."""

_CORE = -2
"""In place of the first node of an ellipsis: a metavariable is bound to what is inside adornments."""

_OUT = (-1, -1, 0)
"""Outside of an ellipsis: no first node, no last element, no elements."""

_Outer = tuple[int, int, int, bool, "Frame | None", Any, int]
"""The walk around a node that was entered: the node whose children were walked, the end of those,
the child to go on with, whether they were a lone statement in place of a block, what may be
skipped among them, the walk around that, and the child that was entered."""


class Matcher:
    """Finds a program in the columns of one file."""

    def __init__(
        self,
        program: Program,
        tables: Tables,
        columns: Columns,
        checks: Sequence[Check | None] = (),
        trace: Trace | None = None,
        only: frozenset[int] | None = None,
        record: bool = False,
    ) -> None:
        self.program = program
        self.tables = tables
        self.columns = columns
        self.layers = Layers(columns, tables)
        self.checks = list(checks) or [None] * len(program.names)
        self.trace = trace
        self.only = only
        """Kinds that were asked for besides the pattern, None for any."""
        self.record = record
        """Whether a match says on which nodes the operations stand (``Found.steps``)."""
        self.operations = [(int(op.code), op) for op in program.operations]
        self.budget = MOST_CHOICES
        """Choices that may still be taken back.  Below 0 the file was given up, which the answer says."""
        self._same: dict[int, dict[bytes, list[int]]] = {}

    # --- where a match can begin ------------------------------------------------------------------

    def find(self, places: Iterable[int] | None = None) -> Iterator[Found]:
        """All matches in file order; of those at one place the outer first.

        *places* are the nodes that may be one, in order, if that is known; not for a run."""
        if self.program.run:
            yield from self._find_runs()
            return
        program, columns, kinds = self.program, self.columns, self.program.kinds
        kind, size, least = columns.kind, columns.size, self.program.least
        if places is not None:
            pass
        elif kinds is None:
            named = self.tables.grammar.is_named
            places = [i for i, k in enumerate(kind) if named(k)]
        else:
            places = [i for i, k in enumerate(kind) if k in kinds]
        if self.only is not None:
            places = [i for i in places if kind[i] in self.only]
        peeled = -1
        last: Found | None = None
        for i in places:
            if i == peeled or size[i] < least:
                continue
            if program.lone_identifier and self.layers.is_member_name(i):
                continue
            found = self.at(i)
            if found is not None and found.end > found.start:  # else a node that is there in name only
                if last is not None and (last.start, last.end) == (found.start, found.end):
                    continue  # a layer of the same span: one place is one match
                last = found
                if program.root_parens and kind[i] in self.tables.parens:
                    peeled = i + 2
                yield found

    def _find_runs(self) -> Iterator[Found]:
        """A run of siblings: tried at every child of every parent that holds items in a row.

        A run that begins with an ellipsis begins at the first child or behind the match before."""
        columns, blocks = self.columns, self.tables.blocks
        kind, size, parent = columns.kind, columns.size, columns.parent
        leading = self.operations[0][0] == _ELLIPSIS
        free_from: dict[int, int] = {}
        before: Found | None = None
        for i in range(1, len(kind)):
            p = parent[i]
            if p < 0 or (kind[p] not in blocks and p != 0):
                continue
            if self.only is not None and kind[i] not in self.only:
                continue
            if leading and (i < free_from.get(p, 0) or self.layers.opens_block(i)):
                continue
            found = self.at(i, p)
            if leading:
                free_from[p] = found.last + size[found.last] if found is not None else p + size[p]
            if found is not None:
                if before is None or (before.start, before.end) != (found.start, found.end):
                    yield found  # else it is the run inside of a run of one
                before = found

    # --- one place --------------------------------------------------------------------------------

    def at(self, root: int, parent: int = -1) -> Found | None:
        """The first match that begins at node *root*; for a run, among the children of *parent*."""
        operations, columns, tables, layers = self.operations, self.columns, self.tables, self.layers
        kind, size, start, end = columns.kind, columns.size, columns.start, columns.end
        named, known = tables.named, len(tables.named)
        run, relevant = self.program.run, self.program.relevant
        lenient, separators, terminators = tables.lenient, tables.separators, tables.terminators
        trace, record = self.trace, self.record
        steps: Any = None  # (steps before, operation, node in the walk, first node, last node)

        lead, led = self.program.lead, -1
        pc, j, prev = 0, root, -1
        # The children of f are walked, up to stop; lone: they are one statement in place of a block.
        f, stop, lone = parent, (parent + size[parent] if run else root + size[root]), False
        frame: Frame | None = tables.frame(kind[parent]) if run and parent >= 0 else None
        outer: _Outer | None = None
        env: Bindings = (None,) * len(self.program.names)
        bits = 0
        # Inside an ellipsis: its first node (-1 outside of one), its last element, elements so far.
        since, last, count = -1, -1, 0
        choices: list[tuple[Any, ...]] = []
        then: tuple[Any, ...]
        seen: set[Any] = set()

        while True:
            code, op = operations[pc]
            if code == _NODE or code == _TOKEN or code == _TEMPLATE or code == _STRING:
                if j < stop:
                    x, after, more = j, j + size[j], 0
                    if kind[x] in op.kinds:
                        if op.parens and lenient:
                            more = PARENS
                    elif pc > 0 or run or op.parens:
                        x, more = layers.peel(x, op.kinds, f, bool(op.parens))
                    else:
                        x = -1
                    if x >= 0:
                        if op.braces:
                            more ^= BRACES
                        fits: tuple[Bindings, int] | None
                        if code == _NODE:
                            fits = env, layers.entering(op, x)
                        else:
                            fits = self._token(code, op, x, env)
                        if fits is not None:
                            if pc > 0 and frame is not None and (kind[j] in frame.first or frame.fields):
                                behind = layers.skippable(j, stop, frame)
                                if behind:
                                    then = (pc, behind, j, f, stop, lone, frame, outer, env, bits)
                                    choices.append((*then, *_OUT, steps))
                            if pc == lead:
                                led = start[x]
                            env = fits[0]
                            bits |= more | fits[1]
                            if record:
                                steps = (steps, pc, j, x, x)
                            pc += 1
                            if code == _NODE:
                                outer = (f, stop, after, lone, frame, outer, j)
                                f, stop, lone, frame = x, x + size[x], False, tables.frame(kind[x])
                                j, prev = x + 1, -1
                            else:
                                prev, j = j, after
                            continue
                    elif code == _NODE and pc > 0:
                        if op.bare and kind[f] in tables.bodies and (kind[j] >= known or named[kind[j]]):
                            # A lone statement where the pattern wrote a block.
                            outer = (f, stop, after, lone, frame, outer, j)
                            stop, lone, frame, prev = after, True, None, -1
                            bits |= BRACES
                            pc += 1
                            continue
                        if op.sole and kind[j] in op.sole:
                            # One argument that brings its own brackets.
                            low, high = layers.sole_argument(j)
                            bound = self._bind(env, op.sole_name, (start[low], end[high], low, high))
                            if bound is not None:
                                steps = (steps, pc, j, low, high)
                                env, pc, prev, j = bound, op.jump, j, after
                                continue
                        k = kind[j]
                        if (
                            op.slot
                            and (k >= known or named[k])
                            and k not in tables.marked
                            and k not in tables.adornments
                        ):
                            # No slot is needed for what stands here.
                            bound = self._bind(env, op.sole_name, (start[j], end[j], j, j))
                            if bound is not None and j not in columns.missing:
                                steps = (steps, pc, j, j, j)
                                env, pc, prev, j = bound, op.jump, j, after
                                continue
            elif code == _META:
                if j < stop:
                    k = kind[j]
                    if op.any_token:
                        allowed = layers.is_operator(j)
                    else:
                        allowed = k >= known or named[k] or layers.is_value_word(j, prev, stop)
                    if (k in tables.marked or k in tables.adornments) and k != op.own_kind:
                        allowed = False
                    x, more = j, 0
                    if op.parens and allowed:
                        x, more = layers.inside_parens(j, op.parens)
                    elif k in tables.adorned and op.repeated and allowed:
                        # Where the name stands again, what is inside the adornments may be meant.
                        if since == _CORE:
                            x = layers.adorned(j)
                        else:
                            choices.append(
                                (pc, j, prev, f, stop, lone, frame, outer, env, bits, _CORE, -1, 0, steps)
                            )
                    since = -1
                    if allowed and x >= 0 and j not in columns.missing:
                        final = j
                        if k in tables.tails and x == j:
                            tail = tables.tails[k]
                            while final + size[final] < stop and kind[final + size[final]] in tail:
                                # The pattern may name a part of the tail itself (``$T?``).
                                short = self._bind(env, op.name, (start[x], end[final], x, final))
                                if short is not None:
                                    behind = final + size[final]
                                    then = (pc + 1, behind, final, f, stop, lone, frame, outer, short, bits)
                                    choices.append((*then, *_OUT, (steps, pc, j, x, final)))
                                final += size[final]
                        to = final if x == j else x
                        bound = self._bind(env, op.name, (start[x], end[to], x, to))
                        if bound is not None:
                            if frame is not None and (k in frame.first or frame.fields):
                                behind = layers.skippable(j, stop, frame)
                                if behind:
                                    then = (pc, behind, j, f, stop, lone, frame, outer, env, bits)
                                    choices.append((*then, *_OUT, steps))
                            if pc == lead:
                                led = start[x]
                            env = bound
                            bits |= more
                            if record:
                                steps = (steps, pc, j, x, to)
                            prev, j = final, final + size[final]
                            pc += 1
                            continue
            elif code == _EXIT:
                behind = j if lone or not lenient else layers.skip_to_end(j, stop, f, frame, prev)
                if behind == stop and (lone or self._same_gaps(f, op)):
                    assert outer is not None
                    f, stop, j, lone, frame, outer, prev = outer
                    pc += 1
                    continue
                j = behind
            elif code == _ELLIPSIS:
                if since == -1:
                    since, last, count = j, -1, 0
                here = True
                if op.ahead >= 0 and not lone and f >= 0:
                    target = self._next_same(f, j, env[op.ahead])
                    here = target != -1
                    while target > j and j + size[j] <= target and kind[j] not in tables.clauses:
                        if j + size[j] == target and kind[j] in separators:
                            break
                        if kind[j] not in separators and not (frame is not None and kind[j] in frame.skip):
                            last, count = j, count + 1
                        prev, j = j, j + size[j]
                state = (
                    pc,
                    j,
                    f,
                    lone,
                    since if op.repeated else -1,
                    min(count, op.least),
                    tuple([env[n] for n in relevant]),
                )
                if here and state not in seen:
                    seen.add(state)
                    element = j < stop and kind[j] not in separators
                    takes = j < stop and (element or not op.one_value) and kind[j] not in tables.clauses
                    if takes and run and outer is None and operations[pc + 1][0] == _DONE:
                        # The last ellipsis of a run takes all that is left of the block.
                        if not layers.closes_block(j, stop):
                            if element and not (lenient and kind[j] in terminators):
                                last, count, prev = j, count + 1, j
                            j += size[j]
                            continue
                    if takes:
                        element = element and not (frame is not None and kind[j] in frame.skip)
                        begun = since if element or last >= 0 else j + size[j]
                        final, number = (j, count + 1) if element else (last, count)
                        then = (pc, j + size[j], j, f, stop, lone, frame, outer, env, bits)
                        choices.append((*then, begun, final, number, steps))
                    if count >= op.least:
                        if last >= 0:
                            place = (start[since], end[last], since, last)
                        else:
                            byte = (
                                end[prev] if prev >= 0 else start[j] if j < stop else end[f] if f >= 0 else 0
                            )
                            place = (byte, byte, -2, -2)
                        bound = self._bind(env, op.name, place)
                        if bound is not None:
                            if record:
                                steps = (steps, pc, place[2], place[2], place[3] if last >= 0 else place[0])
                            env, since = bound, -1
                            pc += 1
                            continue
            elif code == _SOFT:
                if j < stop and kind[j] in op.kinds:
                    if layers.may_be_absent(op, j, stop, prev):
                        then = (pc + 1, j, prev, f, stop, lone, frame, outer, env, bits)
                        choices.append((*then, *_OUT, steps))
                    if record:
                        steps = (steps, pc, j, j, j)
                    prev, j = j, j + size[j]
                    pc += 1
                    continue
                if layers.may_be_absent(op, j, stop, prev):
                    pc += 1
                    continue
            elif code == _BRACE:
                while (
                    not lone
                    and j < stop
                    and frame is not None
                    and kind[j] in frame.skip
                    and kind[j] not in op.kinds
                ):
                    j += size[j]
                if lone or (j < stop and kind[j] in op.kinds):
                    if not lone:
                        if record:
                            steps = (steps, pc, j, j, j)
                        prev, j = j, j + size[j]
                    pc += 1
                    continue
            else:
                final = prev if run else root
                return Found(root, final, start[root], end[final], env, bits, led, steps)

            # The operation does not fit node j: step over what does not count, or take a choice back.
            if trace is not None:
                byte = start[j] if j < stop else end[f] if f >= 0 else end[root]
                trace.note(pc, j if j < stop else -1, byte, op, env)
            if j < stop and pc > 0 and not lone and code != _ELLIPSIS and code != _EXIT:
                behind = layers.skippable(j, stop, frame) if frame is not None and frame.any else 0
                if not behind and j in columns.missing:
                    behind = j + size[j]
                if not behind and lenient and code == _TOKEN and op.text in CLOSERS:
                    behind = layers.trailing(j, stop, prev, op.text)
                if behind:
                    j = behind
                    continue
            if code == _NODE and op.hollow:
                # A block without braces that may be empty is not there at all.
                byte = end[prev] if prev >= 0 else start[j] if j < stop else end[f] if f >= 0 else 0
                bound = self._bind(env, op.sole_name, (byte, byte, -2, -2))
                if bound is not None:
                    steps = (steps, pc, j, -2, byte)
                    env, pc = bound, op.jump
                    continue
            self.budget -= 1
            if not choices or self.budget < 0:
                return None
            pc, j, prev, f, stop, lone, frame, outer, env, bits, since, last, count, steps = choices.pop()

    # --- operations -------------------------------------------------------------------------------

    def _token(self, code: int, op: Operation, x: int, env: Bindings) -> tuple[Bindings, int] | None:
        """Bindings and equivalences if the token *x* fits, else None."""
        columns = self.columns
        low, high = columns.start[x], columns.end[x]
        if code == _STRING:
            return self._string(env, op, x)
        if code == _TEMPLATE:
            assert op.regex is not None
            hit = op.regex.fullmatch(columns.source, low, high)
            bound = self._bind_groups(env, op, hit) if hit is not None else None
            return (bound, 0) if bound is not None else None
        text = columns.source[low:high]
        if op.check_text and text != op.text:
            if columns.kind[x] in self.tables.blank:
                if b" ".join(text.split()) != op.text:
                    return None
            elif text.replace(b"\r\n", b"\n").strip() != op.text.strip() and not (
                # A token without a name may be spaced: ``# define``, ``not   in``.
                not self.tables.grammar.is_named(columns.kind[x])
                and b"".join(text.split()) == b"".join(op.text.split())
            ):
                return None
        if columns.kind[x] in self.tables.optional_chains and text != op.text:
            return env, CHAIN
        return env, 0

    def _string(self, env: Bindings, op: Operation, x: int) -> tuple[Bindings, int] | None:
        """A string literal: the same prefix and body, in quotes that mean the same."""
        columns, tables = self.columns, self.tables
        text = columns.text(x)
        prefix, quote = opening(text, tables.quotes) if op.quote else (b"", b"")
        if len(text) < len(prefix) + 2 * len(quote):
            prefix, quote = b"", b""
        if prefix != op.prefix or (quote != op.quote and not (tables.same_quotes and quote)):
            return None
        low = columns.start[x] + len(prefix) + len(quote)
        high = columns.end[x] - len(quote) if quote else low + len(text.rstrip())
        bits = QUOTES if quote != op.quote else 0
        if op.regex is None:
            if columns.source[low:high].replace(b"\r\n", b"\n") != op.text:
                return None
            if bits and (b"\\" in op.text or not plain_string(columns, x)):
                return None
            return env, bits
        hit = op.regex.fullmatch(columns.source, low, high)
        bound = self._bind_groups(env, op, hit) if hit is not None else None
        return (bound, bits) if bound is not None else None

    def _same_gaps(self, f: int, op: Operation) -> bool:
        gaps = hidden_texts(self.columns, f, self.tables.strings)
        if gaps == op.gaps:
            return True
        if op.loose_gaps:
            rest = iter(gaps)
            return all(gap in rest for gap in op.gaps)
        return False

    def _next_same(self, f: int, j: int, bound: Bound | None) -> int:
        """The first child of *f* from *j* on that may be the same code as *bound*: -1 if there is
        none, -2 if that cannot be told.  May say "maybe", never a wrong "no"."""
        if bound is None or bound[2] < 0 or bound[2] != bound[3]:
            return -2
        places = self._same.get(f)
        if places is None:
            places = self._same[f] = {}
            for child in self.columns.children(f):
                places.setdefault(tokens(self.columns, child), []).append(child)
        same = places.get(tokens(self.columns, bound[2]), [])
        at = bisect_left(same, j)
        return same[at] if at < len(same) else -1

    # --- bindings ---------------------------------------------------------------------------------

    def _bind(self, env: Bindings, name: int, bound: Bound) -> Bindings | None:
        """*env* with *name* bound, or None if it is bound to other code or a constraint says no."""
        if name < 0:
            return env
        before = env[name]
        if before is not None:
            return env if same_code(self.columns, before, bound, self.tables.strings) else None
        check = self.checks[name]
        if check is not None and not check(self.columns, bound, env):
            return None
        return (*env[:name], bound, *env[name + 1 :])

    def _bind_groups(self, env: Bindings, op: Operation, hit: re.Match[bytes]) -> Bindings | None:
        for at, name in enumerate(op.names):
            low, high = hit.span(f"g{at}")
            bound = self._bind(env, name, (low, high, -1, -1))
            if bound is None:
                return None
            env = bound
        return env
