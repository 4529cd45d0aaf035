"""The pattern as a flat program for the matcher.

Operations stand in the order of the tree's preorder, so that matching is one
loop over operations and nodes, without recursion, whatever the depth of a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from structural.pattern import filters
from structural.pattern.metavariables import Metavariable
from structural.pattern.operations import Code, Operation
from structural.pattern.tables import Tables
from structural.pattern.tree import PatternNode, Template
from structural.pattern.trials import Accepted
from structural.syntax.candidates import Probe


@dataclass(slots=True)
class Program:
    """A compiled pattern tree.  ``kinds`` are the kinds a match can begin with, None for any
    named node.  ``run``: several siblings, tried at every place of every parent."""

    operations: list[Operation]
    kinds: frozenset[int] | None
    run: bool
    names: tuple[str, ...]
    ellipses: frozenset[str]
    literals: tuple[bytes, ...]
    root_parens: bool = False
    lone_identifier: bool = False
    root_names: tuple[str, ...] = field(default=())
    probe: Probe | None = None
    """What can be asked of a tree before it is flattened, None if a match can begin anywhere."""
    least: int = 1
    """A match has at least so many nodes."""
    lead: int = -1
    """The first operation that is a token or a node; -1 if an ellipsis comes before."""
    accepted: Accepted | None = None
    """What the pattern was read from: ``Operation.span`` are bytes of its source."""
    relevant: tuple[int, ...] = ()
    """Numbers of names whose binding can decide whether the rest of the pattern fits."""


def emit(
    roots: list[PatternNode], names: tuple[str, ...], tables: Tables, compared: frozenset[str]
) -> Program:
    """The program of a pattern; *compared* are names that constraints look at together."""
    emitter = _Emitter(names, tables, roots, compared)
    run = len(roots) > 1 or (roots[0].metavariable is not None and roots[0].metavariable.ellipsis)
    emitter.sequence(roots, None)
    emitter.add(Operation(Code.DONE))
    _look_ahead(emitter.operations, {at for at, name in enumerate(names) if name in emitter.repeated})
    first = roots[0]
    kinds: frozenset[int] | None = None
    if first.metavariable is None:
        kinds = emitter.operations[0].kinds
        if not run and first.parens:
            kinds |= tables.parens
    return Program(
        emitter.operations,
        kinds,
        run,
        names,
        frozenset(names[op.name] for op in emitter.operations if op.code is Code.ELLIPSIS and op.name >= 0),
        filters.literals(emitter.operations),
        root_parens=bool(first.parens),
        probe=None if kinds is None or run else filters.probe(kinds, emitter.operations, tables),
        lone_identifier=not run and not first.children and not first.string and first.metavariable is None,
        least=filters.least(emitter.operations),
        lead=_lead(emitter.operations),
        relevant=tuple(at for at, name in enumerate(names) if name in emitter.repeated),
        root_names=tuple(
            tables.names[r.kind] for r in roots if r.metavariable is None and 0 <= r.kind < len(tables.names)
        ),
    )


class _Emitter:
    def __init__(
        self, names: tuple[str, ...], tables: Tables, roots: list[PatternNode], compared: frozenset[str]
    ) -> None:
        self.numbers = {name: at for at, name in enumerate(names)}
        self.tables = tables
        self.operations: list[Operation] = []
        counts: dict[str, int] = {}
        for root in roots:
            _count(root, counts)
        self.repeated = {name for name, count in counts.items() if count > 1} | compared

    def add(self, operation: Operation) -> int:
        self.operations.append(operation)
        return len(self.operations) - 1

    def number(self, m: Metavariable) -> int:
        return self.numbers[m.name] if m.name else -1

    def sequence(self, kids: list[PatternNode], parent: PatternNode | None) -> None:
        braced = parent is not None and parent.bare
        for at, kid in enumerate(kids):
            if braced and at in (0, len(kids) - 1):
                self.add(
                    Operation(
                        Code.BRACE, frozenset({kid.kind}), span=kid.span, shown=_shown(kid, self.tables)
                    )
                )
            elif kid.soft:
                self.soft(kids, at)
            else:
                self.one(kid)

    def soft(self, kids: list[PatternNode], at: int) -> None:
        """A separator beside an ellipsis.  It may be absent where its list begins or ends, that is
        where only ellipses stand between it and the list's edge."""
        before = at - 1
        while before >= 0 and (kids[before].soft or _is_ellipsis(kids[before])):
            before -= 1
        behind = at + 1
        while behind < len(kids) and (kids[behind].soft or _is_ellipsis(kids[behind])):
            behind += 1
        starts = before < 0 or self._edge(kids[before])
        ends = behind >= len(kids) or self._edge(kids[behind])
        self.add(
            Operation(
                Code.SOFT,
                self.tables.separators & {kids[at].kind} or frozenset({kids[at].kind}),
                open_kinds=None if before < 0 else frozenset({kids[before].kind}),
                close_kinds=None if behind >= len(kids) else frozenset({kids[behind].kind}),
                may_start=starts,
                may_end=ends,
                span=kids[at].span,
                shown=_shown(kids[at], self.tables),
            )
        )

    def _edge(self, node: PatternNode) -> bool:
        """An anonymous token that is no element: a bracket or keyword."""
        return node.text is not None and not node.children and not self.tables.named[node.kind]

    def one(self, node: PatternNode) -> None:
        first = len(self.operations)
        self._one(node)
        self.operations[first].span = node.span

    def _one(self, node: PatternNode) -> None:
        tables = self.tables
        m = node.metavariable
        if m is not None:
            if m.ellipsis or node.in_tokens:
                self.add(
                    Operation(
                        Code.ELLIPSIS,
                        name=self.number(m),
                        repeated=m.name in self.repeated,
                        least=node.least,
                        one_value=node.in_tokens,
                        shown=str(m),
                    )
                )
            else:
                self.add(
                    Operation(
                        Code.META,
                        name=self.number(m),
                        parens=node.parens,
                        repeated=m.name in self.repeated,
                        any_token=node.any_token,
                        own_kind=node.kind,
                        shown=str(m),
                    )
                )
            return
        kinds = tables.twins.get(node.kind, frozenset({node.kind}))
        kinds |= tables.optional_chains.get(node.kind, frozenset())
        if any(_is_ellipsis(kid) for kid in node.children):
            kinds |= tables.ellipsis_twins.get(node.kind, frozenset())
        shown = _shown(node, tables)
        if node.string:
            self.string(node, shown)
        elif node.template is not None:
            regex, names = self.template(node.template, node.kind in tables.blank)
            self.add(
                Operation(
                    Code.TEMPLATE,
                    kinds,
                    regex=regex,
                    names=names,
                    pieces=tuple(piece for piece in node.template if isinstance(piece, bytes)),
                    parens=node.parens,
                    braces=node.braces,
                    shown=shown,
                )
            )
        elif node.text is not None and not node.children:
            keyword = not tables.named[node.kind]
            self.add(
                Operation(
                    Code.TOKEN,
                    kinds,
                    text=_folded(node.text) if node.kind in tables.blank else node.text,
                    check_text=not (keyword and tables.case_insensitive)
                    and node.kind not in tables.optional_chains,
                    parens=node.parens,
                    braces=node.braces,
                    shown=shown,
                )
            )
        else:
            at = self.add(
                Operation(
                    Code.NODE,
                    kinds,
                    frame=tables.frame(node.kind),
                    parens=node.parens,
                    braces=node.braces,
                    bare=node.bare,
                    optional=node.optional_tokens if node.kind in tables.optional_tokens else None,
                    shown=shown,
                )
            )
            sole = tables.sole_arguments.get(node.kind)
            inner = [kid for kid in node.children if kid.metavariable is not None]
            if sole and len(inner) == 1 and len(node.children) == 3:
                self.operations[at].sole = sole
                assert inner[0].metavariable is not None
                self.operations[at].sole_name = self.number(inner[0].metavariable)
            may_lack = node.kind in tables.blocks or node.kind in tables.optional_tokens
            if may_lack and len(node.children) == 1 and _is_ellipsis(node.children[0]):
                ellipsis = node.children[0].metavariable
                if ellipsis is not None and not node.children[0].least:
                    self.operations[at].hollow = True
                    self.operations[at].sole_name = self.number(ellipsis)
            only = node.children[0].metavariable if len(node.children) == 1 else None
            if node.kind in tables.slots and only is not None and not only.ellipsis:
                self.operations[at].slot = True
                self.operations[at].sole_name = self.number(only)
            self.sequence(node.children, node)
            self.add(
                Operation(
                    Code.EXIT,
                    gaps=node.gaps,
                    loose_gaps=any(_is_ellipsis(kid) for kid in node.children),
                    shown=f"end of {shown}",
                )
            )
            self.operations[at].jump = len(self.operations)

    def template(self, template: Template, fold: bool = False) -> tuple[re.Pattern[bytes], tuple[int, ...]]:
        """A regular expression for a text with metavariables, and the names of its groups."""
        parts: list[bytes] = []
        names: list[int] = []
        groups: dict[int, int] = {}
        for piece in template:
            if isinstance(piece, bytes):
                parts.append(_blank_pattern(piece) if fold else re.escape(piece).replace(b"\\\n", b"\\r?\n"))
                continue
            number = self.number(piece)
            if number >= 0 and number in groups:
                parts.append(b"(?P=g%d)" % groups[number])
                continue
            body = b".*?" if piece.ellipsis else b".+?"
            if number >= 0:
                groups[number] = len(names)
                parts.append(b"(?P<g%d>%s)" % (len(names), body))
                names.append(number)
            else:
                parts.append(b"(?:%s)" % body)
        return re.compile(b"".join(parts), re.DOTALL), tuple(names)

    def string(self, node: PatternNode, shown: str) -> None:
        tables = self.tables
        kinds = tables.strings
        template: Template = node.template if node.template is not None else (node.text or b"",)
        first = template[0] if isinstance(template[0], bytes) else b""
        last = template[-1] if isinstance(template[-1], bytes) else b""
        prefix, quote = opening(first, tables.quotes)
        if (
            not quote
            or not last.endswith(quote)
            or (len(template) == 1 and len(first) < len(prefix) + 2 * len(quote))
        ):
            prefix, quote = b"", b""
            body: Template = template
        else:
            cut = len(prefix) + len(quote)
            pieces = [first[cut:], *template[1:]] if isinstance(template[0], bytes) else list(template)
            tail = pieces[-1]
            assert isinstance(tail, bytes)
            pieces[-1] = tail[: len(tail) - len(quote)]
            body = tuple(piece for piece in pieces if piece)
        if not quote and body and isinstance(body[-1], bytes):
            body = (*body[:-1], body[-1].rstrip())
        operation = Operation(
            Code.STRING,
            kinds if tables.same_quotes else frozenset({node.kind}),
            prefix=prefix,
            quote=quote,
            parens=node.parens,
            braces=node.braces,
            shown=shown,
        )
        if all(isinstance(piece, bytes) for piece in body):
            operation.text = b"".join(piece for piece in body if isinstance(piece, bytes))
        else:
            operation.regex, operation.names = self.template(body)
            operation.pieces = tuple(piece for piece in body if isinstance(piece, bytes))
        self.add(operation)


def opening(text: bytes, quotes: tuple[str, ...]) -> tuple[bytes, bytes]:
    """The prefix and the opening quote of a string literal, both empty if it has no known quote."""
    for at in range(min(len(text), 8)):
        for quote in quotes:
            if text.startswith(quote.encode(), at):
                return text[:at], quote.encode()
        if not chr(text[at]).isalnum() and text[at] not in b"@$#":
            break
    return b"", b""


def _is_ellipsis(node: PatternNode) -> bool:
    return node.metavariable is not None and (node.metavariable.ellipsis or node.in_tokens)


def _count(node: PatternNode, counts: dict[str, int]) -> None:
    if node.metavariable is not None and node.metavariable.name:
        counts[node.metavariable.name] = counts.get(node.metavariable.name, 0) + 1
    for piece in node.template or ():
        if isinstance(piece, Metavariable) and piece.name:
            counts[piece.name] = counts.get(piece.name, 0) + 1
    for child in node.children:
        _count(child, counts)


def _folded(text: bytes) -> bytes:
    return b" ".join(text.split())


def _blank_pattern(text: bytes) -> bytes:
    """Running text with white space of any length."""
    words = [re.escape(word) for word in text.split()]
    pattern = rb"\s+".join(words)
    if text[:1].isspace():
        pattern = rb"\s*" + pattern
    if text[-1:].isspace():
        pattern += rb"\s*"
    return pattern


def _shown(node: PatternNode, tables: Tables) -> str:
    if node.template is not None:
        return repr(
            "".join(p.decode("utf-8", "replace") if isinstance(p, bytes) else str(p) for p in node.template)
        )
    if node.text is not None:
        return repr(node.text.decode("utf-8", "replace"))
    if 0 <= node.kind < len(tables.names):
        return tables.names[node.kind].replace("_", " ")
    return "code"


def _lead(operations: list[Operation]) -> int:
    for at, op in enumerate(operations):
        if op.code is not Code.NODE:
            return at if op.code in (Code.TOKEN, Code.META, Code.TEMPLATE, Code.STRING) else -1
    return -1


def _look_ahead(operations: list[Operation], repeated: set[int]) -> None:
    """Tell each ellipsis which bound name comes behind it, so that it need not try every sibling."""
    for at, op in enumerate(operations):
        if op.code is not Code.ELLIPSIS or op.repeated:
            continue
        behind = operations[at + 1]
        if behind.code is Code.SOFT:
            behind = operations[at + 2]
        if behind.code is Code.META and behind.name in repeated and not behind.parens:
            op.ahead = behind.name
