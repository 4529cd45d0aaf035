"""The matcher: a program against the columns of a file.

One loop over (operation, node) with an explicit stack of choices: full
backtracking over everything an ellipsis can take, never recursion.  A state
that failed once is not tried again (states are remembered by operation, node
and those bindings that still matter), which keeps the cost polynomial.

What may be stepped over is decided by ``tables``; nothing here knows a language.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from structural.pattern.program import Code, Operation, Program, opening
from structural.pattern.tables import Run, Tables
from structural.pattern.tree import CLOSERS, OPENERS, hidden_texts, plain_string
from structural.syntax.columns import Columns

Bound = tuple[int, int, int, int]
"""A binding: first byte, end byte, first node, last node (both -1: text inside a token;
both -2: an ellipsis that stands for nothing)."""

Check = Callable[[Columns, Bound, Sequence[Bound | None]], bool]
"""A constraint on a binding at the moment it is made; it sees the bindings so far."""

QUOTES, PARENS, BRACES, TWINS, CHAIN = 1, 2, 4, 8, 16
EQUIVALENCE_BITS = {"quotes": QUOTES, "parens": PARENS, "braces": BRACES, "twins": TWINS, "optional-chain": CHAIN}


@dataclass(frozen=True, slots=True)
class Found:
    """A match in columns: first and last root node, bindings by number, equivalence bits."""

    first: int
    last: int
    start: int
    end: int
    bindings: tuple[Bound | None, ...]
    equivalences: int


@dataclass(slots=True)
class Trace:
    """The place where an attempt got furthest: operation, node (or -1 at an end), byte."""

    agreed: int = -1
    node: int = -1
    byte: int = -1
    operation: Operation | None = None
    root: int = -1


_NODE, _EXIT, _TOKEN, _META, _ELLIPSIS, _SOFT, _TEMPLATE, _STRING, _BRACE, _DONE = map(int, Code)



MOST_CHOICES = 1_000_000
"""How many choices one program may take back in one file: some seconds.  Real code stays below a
thousandth of it; a list of ten thousand elements against ``f($$$, $X, $$$, $X)`` does not."""


class Matcher:
    """Finds a program in the columns of one file."""

    def __init__(
        self,
        program: Program,
        tables: Tables,
        columns: Columns,
        checks: Sequence[Check | None] = (),
        trace: Trace | None = None,
    ) -> None:
        self.program = program
        self.tables = tables
        self.columns = columns
        self.checks = list(checks) or [None] * len(program.names)
        self.trace = trace
        self.operations = [(int(op.code), op) for op in program.operations]
        self._places: dict[int, dict[bytes, list[int]]] = {}
        self.budget = MOST_CHOICES
        """Choices that may still be taken back; when it is used up the file is given up, and the
        answer says so."""

    # --- where a match can begin ---------------------------------------------------------------------

    def find(self) -> Iterator[Found]:
        """All matches in file order; of those at one place the outer first."""
        if self.program.run:
            yield from self._find_runs()
            return
        columns, kinds = self.columns, self.program.kinds
        kind = columns.kind
        if kinds is None:
            named = self.tables.grammar.is_named
            places = [i for i, k in enumerate(kind) if named(k)]
        elif len(kinds) == 1:
            (only,) = kinds
            places = [i for i, k in enumerate(kind) if k == only]
        else:
            places = [i for i, k in enumerate(kind) if k in kinds]
        size, least = columns.size, self.program.least
        peeled = -1
        for i in places:
            if i == peeled or size[i] < least:
                continue
            if self.program.lone_identifier and self._member_name(i):
                continue
            found = self.at(i)
            if found is not None:
                if self.program.root_parens and kind[i] in self.tables.parens:
                    peeled = i + 2
                yield found

    def _member_name(self, i: int) -> bool:
        columns = self.columns
        parent = columns.parent[i]
        if parent < 0 or (columns.start[parent] == columns.start[i] and columns.end[parent] == columns.end[i]):
            return False
        return (columns.kind[parent], columns.field[i]) in self.tables.member_names

    def _find_runs(self) -> Iterator[Found]:
        """A run of siblings: tried at every child of every parent that can hold statements.

        A run that begins with an ellipsis begins at the first child or behind the match before."""
        columns = self.columns
        kind, size, parent = columns.kind, columns.size, columns.parent
        first_is_ellipsis = self.operations[0][0] == _ELLIPSIS
        blocks = self.tables.blocks
        free_from: dict[int, int] = {}
        for i in range(1, len(kind)):
            p = parent[i]
            if p < 0 or (kind[p] not in blocks and p != 0):
                continue
            if first_is_ellipsis and (i < free_from.get(p, 0) or self._is_brace(i)):
                continue
            found = self.at(i, p)
            if first_is_ellipsis:
                free_from[p] = found.last + size[found.last] if found is not None else p + size[p]
            if found is not None:
                yield found

    def _is_brace(self, i: int) -> bool:
        return self.columns.size[i] == 1 and self.columns.text(i) in (b"{", b"do", b"then", b"begin", b":")

    # --- one place -----------------------------------------------------------------------------------------

    def at(self, root: int, parent: int = -1) -> Found | None:
        """The first match that begins at node *root*; for a run, among the children of *parent*."""
        operations, columns, tables = self.operations, self.columns, self.tables
        kind, size, start, end = columns.kind, columns.size, columns.start, columns.end
        source = columns.source
        named, checks = tables.named, self.checks
        named_count = len(named)
        run, relevant = self.program.run, self.program.relevant
        lenient = tables.lenient
        trace = self.trace
        pc = 0
        j = root
        prev = -1
        f = parent
        stop = parent + size[parent] if run else root + size[root]
        frame_data = tables.frame(kind[parent]) if run and parent >= 0 else None
        virtual = False
        frame: tuple[object, ...] | None = None
        env: tuple[Bound | None, ...] = (None,) * len(self.program.names)
        eq = 0
        since, last, count = -1, -1, 0  # inside an ellipsis: first node, last element, elements
        stack: list[tuple[object, ...]] = []
        seen: set[tuple[object, ...]] | None = None
        # Where the run of roots ended: the last root node.
        while True:
            code, op = operations[pc]
            ok = False
            if code == _TOKEN or code == _NODE or code == _TEMPLATE or code == _STRING:
                if j < stop:
                    kinds = op.kinds
                    x, after = j, j + size[j]
                    bits = 0
                    if kind[x] not in kinds:
                        if pc > 0 or run or op.parens:
                            x, bits = self._peel(x, kinds, f, op)
                        else:
                            x = -1
                        if x < 0 and code == _NODE and pc > 0:
                            # A lone statement where the pattern wrote a block, or one argument
                            # that stands in place of its list.
                            if op.bare and kind[f] in tables.bodies and named[kind[j]]:
                                frame = (f, stop, after, virtual, frame_data, frame, j)
                                stop, virtual, frame_data = after, True, None
                                pc += 1
                                prev = -1
                                eq |= BRACES
                                continue
                            if op.sole and kind[j] in op.sole:
                                first, final = j + 2, self._last_child(j)
                                bound = (start[first], end[self._before(j, final)], first, self._before(j, final))
                                new_env = self._bind(env, op.sole_name, bound)
                                if new_env is not None:
                                    env = new_env
                                    pc, prev, j = op.jump, j, after
                                    continue
                    elif op.parens:
                        bits = PARENS if lenient else 0
                    if x >= 0:
                        if op.braces and not bits & BRACES:
                            bits |= BRACES
                        elif op.braces:
                            bits &= ~BRACES
                        if code == _TOKEN:
                            if not op.check_text or source[start[x] : end[x]] == op.text:
                                ok = True
                            elif tables.blank and kind[x] in tables.blank:
                                ok = b" ".join(source[start[x] : end[x]].split()) == op.text
                            elif end[x] - start[x] > len(op.text) or op.text[-1:].isspace():
                                ok = source[start[x] : end[x]].strip() == op.text.strip()
                            if ok and len(op.kinds) > 1:
                                bits |= self._token_twin(op, x)
                        elif code == _NODE:
                            if op.optional is not None and bool(op.optional) != self._has_optional(x):
                                bits |= PARENS
                            if len(kinds) > 1 and op.frame is not None and kind[x] != op.frame.kind:
                                bits |= TWINS
                            ok = True
                        elif code == _TEMPLATE:
                            assert op.regex is not None
                            hit = op.regex.fullmatch(source, start[x], end[x])
                            if hit is not None:
                                new_env = self._bind_groups(env, op, hit)
                                if new_env is not None:
                                    env, ok = new_env, True
                        else:
                            new_env, quote_bits = self._string(env, op, x)
                            if new_env is not None:
                                env, ok = new_env, True
                                bits |= quote_bits
                    if ok:
                        if (
                            pc > 0
                            and frame_data is not None
                            and frame_data.any  # type: ignore[attr-defined]
                            and (kind[j] in frame_data.first or frame_data.fields)  # type: ignore[attr-defined]
                        ):
                            skipped = self._skippable(j, stop, f, frame_data)
                            if skipped:
                                stack.append((pc, skipped, j, f, stop, virtual, frame_data, frame, env, eq, -1, -1, 0))
                        eq |= bits
                        if code == _NODE:
                            frame = (f, stop, after, virtual, frame_data, frame, j)
                            f, stop, virtual = x, x + size[x], False
                            frame_data = op.frame if kind[x] == op.frame.kind else tables.frame(kind[x])  # type: ignore[union-attr]
                            j, prev = x + 1, -1
                        else:
                            prev, j = j, after
                        pc += 1
                        continue
            elif code == _EXIT:
                x = j
                if lenient and not virtual:
                    x = self._skip_to_end(x, stop, f, frame_data, prev)
                if x == stop and (virtual or self._same_gaps(f, op)):
                    assert frame is not None
                    f, stop, j, virtual, frame_data, frame, prev = frame  # type: ignore[assignment]
                    pc += 1
                    continue
                j_failed = x
                if trace is not None:
                    self._note(pc, x if x < stop else -1, end[f] if f >= 0 else 0, op, root)
                ok = False
                j = j_failed
            elif code == _META:
                if j < stop:
                    k = kind[j]
                    is_named = named[k] if k < named_count else True
                    allowed = is_named or op.any_token or self._word(j, prev, stop)
                    if allowed and (k in tables.marked or (k in tables.adornments and k != op.own_kind)):
                        allowed = k == op.own_kind
                    if allowed and j in columns.missing:
                        allowed = False
                    if allowed:
                        x, bits = j, 0
                        if op.parens:
                            x, bits = self._meta_parens(j, op)
                        if x >= 0:
                            bound = (start[x], end[x], x, x)
                            new_env = self._bind(env, op.name, bound)
                            if new_env is not None:
                                if (
                                    frame_data is not None
                                    and frame_data.any  # type: ignore[attr-defined]
                                    and (k in frame_data.first or frame_data.fields)  # type: ignore[attr-defined]
                                ):
                                    skipped = self._skippable(j, stop, f, frame_data)
                                    if skipped:
                                        stack.append(
                                            (pc, skipped, j, f, stop, virtual, frame_data, frame, env, eq, -1, -1, 0)
                                        )
                                env = new_env
                                eq |= bits
                                prev, j = j, j + size[j]
                                pc += 1
                                continue
            elif code == _ELLIPSIS:
                if since == -1:
                    since = j
                    last, count = -1, 0
                if op.ahead >= 0 and env[op.ahead] is not None and not virtual and f >= 0:
                    target = self._next_same(f, j, env[op.ahead])  # type: ignore[arg-type]
                    while 0 <= target != j and j + size[j] <= target:
                        if j + size[j] == target and kind[j] in tables.separators:
                            break
                        if kind[j] not in tables.separators and not (
                            frame_data is not None and kind[j] in frame_data.skip  # type: ignore[attr-defined]
                        ):
                            last, count = j, count + 1
                        prev, j = j, j + size[j]
                    if target == -1:
                        if trace is not None:
                            self._note(pc, -1, end[f], op, root)
                        if not stack:
                            return None
                        pc, j, prev, f, stop, virtual, frame_data, frame, env, eq, since, last, count = stack.pop()  # type: ignore[assignment]
                        continue
                if seen is None:
                    seen = set()
                state = (
                    pc,
                    j,
                    f,
                    virtual,
                    since if op.repeated else -1,
                    min(count, op.least),
                    tuple([env[n] for n in relevant]),
                )
                if state not in seen:
                    seen.add(state)
                    at_end = run and frame is None and operations[pc + 1][0] == _DONE
                    can_take = j < stop and not (op.one_value and kind[j] in tables.separators)
                    if at_end and can_take and not self._closing_brace(j, stop):
                        element = kind[j] not in tables.separators
                        if element and not (lenient and kind[j] in tables.terminators):
                            last, count, prev = j, count + 1, j
                        j += size[j]
                        continue
                    if can_take:
                        element = kind[j] not in tables.separators and not (
                            frame_data is not None and kind[j] in frame_data.skip  # type: ignore[attr-defined]
                        )
                        stack.append(
                            (
                                pc,
                                j + size[j],
                                j,
                                f,
                                stop,
                                virtual,
                                frame_data,
                                frame,
                                env,
                                eq,
                                since if element or last >= 0 else j + size[j],
                                j if element else last,
                                count + 1 if element else count,
                            )
                        )
                    if count >= op.least:
                        if last >= 0:
                            bound = (start[since], end[last], since, last)
                        else:
                            where = end[prev] if prev >= 0 else (start[j] if j < stop else end[f] if f >= 0 else 0)
                            bound = (where, where, -2, -2)
                        new_env = self._bind(env, op.name, bound)
                        if new_env is not None:
                            env = new_env
                            since, last, count = -1, -1, 0
                            pc += 1
                            continue
            elif code == _SOFT:
                if j < stop and kind[j] in op.kinds:
                    empty = self._soft_empty(op, j, stop, prev)
                    if empty:
                        stack.append((pc + 1, j, prev, f, stop, virtual, frame_data, frame, env, eq, -1, -1, 0))
                    prev, j = j, j + size[j]
                    pc += 1
                    continue
                if self._soft_empty(op, j, stop, prev):
                    pc += 1
                    continue
            elif code == _BRACE:
                if virtual:
                    pc += 1
                    continue
                if lenient:
                    while j < stop and frame_data is not None and kind[j] in frame_data.skip and kind[j] not in op.kinds:  # type: ignore[attr-defined]
                        j += size[j]
                if j < stop and kind[j] in op.kinds:
                    prev, j = j, j + size[j]
                    pc += 1
                    continue
            else:  # DONE
                final = prev if run else root
                return Found(root, final, start[root], end[final], env, eq)

            # The operation does not fit node j.  Step over what does not count, or go back.
            if trace is not None and code != _EXIT:
                self._note(pc, j if j < stop else -1, start[j] if j < stop else (end[f] if f >= 0 else end[root]), op, root)
            if code < 9 and code != _ELLIPSIS and code != _EXIT and j < stop and pc > 0 and not virtual:
                skipped = self._skippable(j, stop, f, frame_data) if frame_data is not None and frame_data.any else 0  # type: ignore[attr-defined]
                if not skipped and j in columns.missing:
                    skipped = j + size[j]
                if not skipped and lenient and code == _TOKEN and op.text in CLOSERS:
                    skipped = self._trailing(j, stop, prev, op)
                if skipped:
                    j = skipped
                    continue
            if not stack:
                return None
            self.budget -= 1
            if self.budget < 0:
                return None
            pc, j, prev, f, stop, virtual, frame_data, frame, env, eq, since, last, count = stack.pop()  # type: ignore[assignment]

    # --- helpers of the loop ------------------------------------------------------------------------------------

    def _next_same(self, f: int, j: int, bound: Bound) -> int:
        """The first child of *f* from *j* on that may be the same code as *bound*: -1 if there is
        none, -2 if that cannot be told.  May say "maybe", never a wrong "no"."""
        if bound[2] < 0 or bound[2] != bound[3]:
            return -2
        places = self._places.get(f)
        if places is None:
            places = self._places[f] = {}
            for child in self.columns.children(f):
                places.setdefault(self._tokens(child), []).append(child)
        same = places.get(self._tokens(bound[2]), ())
        at = bisect_left(same, j)
        return same[at] if at < len(same) else -1

    def _tokens(self, i: int) -> bytes:
        """The tokens of node *i* as one text: equal for the same code."""
        columns = self.columns
        source, start, end, size = columns.source, columns.start, columns.end, columns.size
        return b"\0".join([source[start[d] : end[d]] for d in range(i, i + size[i]) if size[d] == 1])

    def _peel(self, x: int, kinds: frozenset[int], f: int, op: Operation) -> tuple[int, int]:
        """Go into layers around a node that the pattern does not show, until a kind fits.

        Layers: a node whose only child (beside a terminator) it wraps; redundant
        parentheses; a block around one statement; a declaration inside its adornments.
        Gives (node, equivalence bits), node -1 if no layer fits."""
        columns, tables = self.columns, self.tables
        kind, size = columns.kind, columns.size
        bits = 0
        parens = False
        while True:
            k = kind[x]
            if k in kinds:
                break
            n = size[x]
            if n == 1:
                return -1, 0
            inner = x + 1
            rest = n - 1 - size[inner]
            if rest == 0:
                if not self._same_text(x, inner):
                    return -1, 0
                x = inner
                continue
            if not tables.lenient:
                return -1, 0
            if k in tables.parens and size[inner] == 1 and n == size[x + 2] + 3:
                x += 2
                parens = True
                continue
            if f >= 0 and k in tables.parameter_parens.get(kind[f], ()) and n == size[x + 2] + 3:
                x += 2
                parens = True
                continue
            if f >= 0 and k in tables.braces and kind[f] in tables.bodies:
                inner = self._only_statement(x)
                if inner >= 0:
                    x = inner
                    bits |= BRACES
                    continue
                return -1, 0
            if rest == 1 and kind[x + n - 1] in tables.terminators:
                x = inner
                continue
            if k in tables.adorned:
                inner = self._adorned(x)
                if inner >= 0:
                    x = inner
                    continue
            return -1, 0
        if parens != bool(op.parens):
            bits |= PARENS
        return x, bits

    def _same_text(self, x: int, inner: int) -> bool:
        """Whether the layer *x* adds no text to the node *inner* in it."""
        columns = self.columns
        if columns.start[x] == columns.start[inner] and columns.end[x] == columns.end[inner]:
            return True
        return not hidden_texts(columns, x, self.tables)

    def _only_statement(self, x: int) -> int:
        """The one statement of the braced block *x*, -1 if it holds none or several."""
        columns = self.columns
        kids = columns.children(x)
        if len(kids) < 3 or columns.size[kids[0]] != 1 or columns.size[kids[-1]] != 1:
            return -1
        inside = [k for k in kids[1:-1] if columns.kind[k] not in self.tables.terminators or columns.size[k] > 1]
        return inside[0] if len(inside) == 1 else -1

    def _adorned(self, x: int) -> int:
        """The child of *x* that is no adornment, -1 if that is not exactly one."""
        columns, tables = self.columns, self.tables
        frame = tables.frame(columns.kind[x])
        j, stop = x + 1, x + columns.size[x]
        core = -1
        while j < stop:
            skipped = self._skippable(j, stop, x, frame)
            if not skipped and columns.kind[j] in tables.terminators:
                skipped = j + columns.size[j]
            if skipped:
                j = skipped
                continue
            if core >= 0:
                return -1
            core = j
            j += columns.size[j]
        return core

    def _skippable(self, j: int, stop: int, f: int, frame: object) -> int:
        """If node *j* is something the pattern need not mention: the node behind it, else 0."""
        kind, size = self.columns.kind, self.columns.size
        k = kind[j]
        if k in frame.skip or k in frame.adornments:  # type: ignore[attr-defined]
            return j + size[j]
        if not frame.runs:  # type: ignore[attr-defined]
            return 0
        for run in frame.runs:  # type: ignore[attr-defined]
            behind = self._run_at(run, j, stop)
            if behind:
                return behind
        return 0

    def _run_at(self, run: Run, j: int, stop: int) -> int:
        columns = self.columns
        for step, wanted in run:
            if j >= stop:
                return 0
            if step == "kind":
                if columns.kind[j] not in wanted:  # type: ignore[operator]
                    return 0
            elif step == "field":
                if columns.field[j] != wanted:
                    return 0
            elif not self.tables.grammar.is_named(columns.kind[j]):
                return 0
            j += columns.size[j]
        return j

    def _trailing(self, j: int, stop: int, prev: int, op: Operation) -> int:
        """A trailing separator or terminator before a closing token: the node behind it, else 0."""
        columns, tables = self.columns, self.tables
        k = columns.kind[j]
        behind = j + columns.size[j]
        if behind >= stop or columns.text(behind) != op.text:
            return 0
        if k in tables.terminators and columns.size[j] == 1:
            return behind
        if k in tables.separators and prev >= 0 and columns.kind[prev] not in tables.separators:
            if tables.grammar.is_named(columns.kind[prev]) or columns.text(prev) not in OPENERS:
                return behind
        return 0

    def _skip_to_end(self, j: int, stop: int, f: int, frame: object, prev: int) -> int:
        """Step over what may stand at the end of a node without being mentioned."""
        columns, tables = self.columns, self.tables
        kind, size = columns.kind, columns.size
        separator = False
        while j < stop:
            skipped = self._skippable(j, stop, f, frame) if frame is not None else 0
            if not skipped and kind[j] in tables.terminators and size[j] == 1:
                skipped = j + 1
            if not skipped and j in columns.missing:
                skipped = j + size[j]
            if not skipped and not separator and kind[j] in tables.separators and prev > f + 1:
                separator = True
                skipped = j + size[j]
            if not skipped:
                return j
            j = skipped
        return j

    def _soft_empty(self, op: Operation, j: int, stop: int, prev: int) -> bool:
        """Whether a separator beside an ellipsis may be absent here."""
        kind = self.columns.kind
        if prev >= 0 and kind[prev] in op.kinds:
            return True
        if op.may_start and (prev < 0 or (op.open_kinds is not None and kind[prev] in op.open_kinds)):
            return True
        if op.may_end:
            if j >= stop:
                return True
            return op.close_kinds is not None and kind[j] in op.close_kinds
        return False

    def _closing_brace(self, j: int, stop: int) -> bool:
        columns = self.columns
        return (
            columns.size[j] == 1
            and j + 1 >= stop
            and not self.tables.grammar.is_named(columns.kind[j])
            and columns.text(j) in (b"}", b"end")
        )

    def _has_optional(self, x: int) -> bool:
        columns = self.columns
        tokens = self.tables.optional_tokens.get(columns.kind[x], frozenset())
        return any(columns.kind[c] in tokens for c in columns.children(x))

    def _token_twin(self, op: Operation, x: int) -> int:
        if self.columns.kind[x] in self.tables.optional_chains:
            return CHAIN if self.columns.text(x) != op.text else 0
        return 0

    def _same_gaps(self, f: int, op: Operation) -> bool:
        columns = self.columns
        gaps = hidden_texts(columns, f, self.tables)
        if gaps == op.gaps:
            return True
        if op.loose_gaps:
            rest = iter(gaps)
            return all(gap in rest for gap in op.gaps)
        return False

    def _word(self, j: int, prev: int, stop: int) -> bool:
        """An anonymous token that is a value of its own: ``this``, ``null`` in some grammars.

        A word that is a field of its parent, or all that stands between two separators,
        brackets or ends."""
        columns, tables = self.columns, self.tables
        if not columns.text(j).isalpha():
            return False
        if columns.field[j]:
            return True
        edges = tables.separators
        behind = j + columns.size[j]
        before_ok = prev < 0 or columns.kind[prev] in edges or columns.text(prev) in OPENERS
        return before_ok and (behind >= stop or columns.kind[behind] in edges or columns.text(behind) in CLOSERS)

    def _meta_parens(self, j: int, op: Operation) -> tuple[int, int]:
        """Where the pattern wrote ``($X)``: what is inside the file's parentheses, if it has them."""
        columns, tables = self.columns, self.tables
        kind, size = columns.kind, columns.size
        x = j
        peeled = 0
        while kind[x] in tables.parens or kind[x] in tables.parameter_lists:
            if size[x] < 4 or size[x] != size[x + 2] + 3:
                return (-1, 0) if kind[x] in tables.parameter_lists else (x, 0)
            if peeled == abs(op.parens):
                break
            x += 2
            peeled += 1
        return x, (0 if peeled or op.parens < 0 else PARENS)

    def _last_child(self, x: int) -> int:
        return self.columns.children(x)[-1]

    def _before(self, x: int, child: int) -> int:
        kids = self.columns.children(x)
        return kids[kids.index(child) - 1]

    # --- bindings ---------------------------------------------------------------------------------------------------

    def _bind(self, env: tuple[Bound | None, ...], name: int, bound: Bound) -> tuple[Bound | None, ...] | None:
        """*env* with *name* bound, or None if it is bound to other code or a constraint says no."""
        if name < 0:
            return env
        before = env[name]
        if before is not None:
            return env if same_code(self.columns, before, bound, self.tables) else None
        check = self.checks[name]
        if check is not None and not check(self.columns, bound, env):
            return None
        return (*env[:name], bound, *env[name + 1 :])

    def _bind_groups(self, env: tuple[Bound | None, ...], op: Operation, hit: object) -> tuple[Bound | None, ...] | None:
        for at, name in enumerate(op.names):
            low, high = hit.span(f"g{at}")  # type: ignore[attr-defined]
            new_env = self._bind(env, name, (low, high, -1, -1))
            if new_env is None:
                return None
            env = new_env
        return env

    def _string(self, env: tuple[Bound | None, ...], op: Operation, x: int) -> tuple[tuple[Bound | None, ...] | None, int]:
        columns, tables = self.columns, self.tables
        text = columns.text(x)
        prefix, quote = opening(text, tables.quotes)
        if len(text) < len(prefix) + 2 * len(quote):
            prefix, quote = b"", b""
        if not op.quote:
            prefix, quote = b"", b""
        if prefix != op.prefix or (quote != op.quote and not (tables.same_quotes and quote)):
            return None, 0
        low = columns.start[x] + len(prefix) + len(quote)
        high = columns.end[x] - len(quote)
        if not quote:
            high = low + len(text.rstrip())
        if op.regex is None:
            if columns.source[low:high] != op.text or (b"\\" in op.text and quote != op.quote):
                return None, 0
            if quote != op.quote and not plain_string(columns, x):
                return None, 0
        else:
            hit = op.regex.fullmatch(columns.source, low, high)
            if hit is None:
                return None, 0
            new_env = self._bind_groups(env, op, hit)
            if new_env is None:
                return None, 0
            env = new_env
        return env, QUOTES if quote != op.quote else 0

    def _note(self, pc: int, node: int, byte: int, op: Operation, root: int) -> None:
        trace = self.trace
        if trace is not None and pc > trace.agreed:
            trace.agreed, trace.node, trace.byte, trace.operation, trace.root = pc, node, byte, op, root


# --- the same code --------------------------------------------------------------------------------------------------


def same_code(columns: Columns, a: Bound, b: Bound, tables: Tables) -> bool:
    """Whether two bindings are the same tokens in the same tree; layout and comments do not
    count, the inside of a string literal does."""
    source = columns.source
    if source[a[0] : a[1]] == source[b[0] : b[1]]:
        return True
    if a[2] < 0 or b[2] < 0:
        return False
    size, start, end, kind = columns.size, columns.start, columns.end, columns.kind
    i, j = a[2], b[2]
    i_stop, j_stop = a[3] + size[a[3]], b[3] + size[b[3]]
    if a[2] == a[3] and b[2] == b[3]:
        i, j = _innermost(columns, i), _innermost(columns, j)
        i_stop, j_stop = i + size[i], j + size[j]
    n = i_stop - i
    if n != j_stop - j or size[i:i_stop] != size[j:j_stop]:
        return False
    if n > 1 and kind[i:i_stop] != kind[j:j_stop]:
        return False
    for d in range(n):
        p, q = i + d, j + d
        if size[p] == 1 or kind[p] in tables.strings:
            if source[start[p] : end[p]] != source[start[q] : end[q]]:
                return False
        elif hidden_texts(columns, p, tables) != hidden_texts(columns, q, tables):
            return False
    return True


def _innermost(columns: Columns, i: int) -> int:
    """Node *i* without layers of the same span."""
    start, end, size = columns.start, columns.end, columns.size
    while size[i] > 1 and size[i] == size[i + 1] + 1 and start[i] == start[i + 1] and end[i] == end[i + 1]:
        i += 1
    return i
