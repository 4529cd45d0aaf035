"""What a language is: data, and nothing but data.

One module below ``structural/syntax/languages`` holds one ``Language``.  The
ladder, the matcher and the embedding read these fields; no code elsewhere asks
for a language by name.  Node kinds are written as the grammar spells them; a
kind that the grammar does not have is an error that the tests find.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

RUNGS = (
    "statement",
    "expression",
    "member",
    "top",
    "type",
    "parameter",
    "argument",
    "pair",
    "case",
    "clause",
    "attribute",
    "decorator",
    "specifier",
    "declaration",
    "key",
    "directive",
    "arithmetic",
    "comment",
)
"""Every rung name there is.  A language uses those it has skeletons for; the order of the
ladder in a language is the order of its skeletons."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """Where a grammar comes from: the first of these that is installed.

    ``module`` is an importable package whose ``function`` returns the grammar's
    pointer (the official wheels); ``pack`` is a name in tree-sitter-language-pack;
    ``library`` is a shared library with the symbol ``tree_sitter_<symbol>``.
    """

    module: str = ""
    function: str = "language"
    pack: str = ""
    library: str = ""
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A place to read a fragment in: the fragment stands between ``before`` and ``after``."""

    rung: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Stretches of a file that are code of another language.

    ``kind`` is the node whose bytes are that code.  The language is ``language``,
    or is named in the file: by the text of the node of kind ``named_by`` below the
    parent of ``kind``.  ``inside`` restricts to nodes whose parent has that kind;
    ``unless`` leaves out those beside whose start the file says another type
    (a lower-case regular expression on the text of the parent's first child).
    """

    kind: str
    language: str = ""
    inside: str = ""
    named_by: str = ""
    unless: str = ""


SORTS = (
    "module",
    "namespace",
    "class",
    "interface",
    "trait",
    "struct",
    "union",
    "enum",
    "object",
    "contract",
    "impl",
    "extension",
    "type",
    "function",
    "method",
    "constructor",
    "property",
    "field",
    "constant",
    "variable",
    "member",
    "macro",
    "event",
    "error",
    "modifier",
    "test",
    "key",
    "section",
    "heading",
    "rule",
    "block",
    "element",
    "definition",
)
"""What a definition can be, in words that all languages share.  A ``member`` is one of an enumeration;
``definition`` is what the general rules cannot tell more of."""


@dataclass(frozen=True, slots=True)
class Defines:
    """Nodes that are definitions, and where their name stands.

    ``kind`` are the kinds of these nodes, parted by spaces.  The others but ``sort`` are paths
    from the node, or conditions.  A path is steps parted by ``/``; a step is one of

        @field  kind  @field=kind      children; several parted by ``|``
        =kind  ..                      the node itself, if it is of a kind, and its parent

    and may end in ``?`` (where it leads nowhere, one stays), ``*`` (as deep as it leads), ``!``
    (the first only), ``+`` (all, from the first to the last as one) or ``&`` (the same, but the
    name is their texts with dots between).  ``.`` is the node itself; ``^`` at the head of ``name``
    is the node that had one of the ``words``.  Where a path finds several names, each is a definition.
    """

    sort: str
    kind: str
    name: str = "@name"
    where: str = ""
    """A path that must lead somewhere."""
    word: str = ""
    words: str = ""
    """The text of what the path ``word`` leads to must be one of these, parted by spaces."""
    inside: str = ""
    """Kinds that the parent may have; empty: any."""
    level: bool = False
    """Only where nothing but ``levels`` of the language lies around it, up to a definition that is no
    function, or to the whole file.  Of several with one name the first counts."""
    deepest: int = 0
    """Not inside so many definitions; 0 is no limit."""
    owner: str = ""
    """What it belongs to although it stands elsewhere: the receiver of a method."""
    body: str = "@body"
    """Where its head ends."""
    joined: str = ""
    """Those that follow each other and have the same name are one definition, if as many nodes are
    in what this path leads to (parameters; ``.`` asks for nothing)."""


@dataclass(frozen=True, slots=True)
class Imports:
    """Where statements that bring in names stand: at the head of a file, or of what is around all of it.

    Regular expressions are of texts (``re.match`` with dots for line breaks too)."""

    kinds: frozenset[str] = frozenset()
    texts: str = ""
    """Other statements that bring in names: a call of ``require``."""
    before: frozenset[str] = frozenset()
    """Kinds that stand before them: the name of the package."""
    texts_before: str = ""
    """Other statements before them: a docstring, ``"use strict"``."""
    first: str = ""
    """Those that must be before the others."""
    units: frozenset[str] = frozenset()
    """Kinds of what one statement may have several of, each as good as a statement of its own."""
    grouped: str = ""
    """If ``a{b,c}`` means ``ab`` and ``ac``: what stands for ``a`` itself behind it, else a dot."""
    around: str = ""
    """What is around all of a file, in which they stand: the guard of a header.  A kind, or several
    parted by ``/``, each the last child of the one before."""
    opening: str = ""
    """What a file must begin with."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language.  Fields that hold kinds name nodes of its grammar."""

    name: str
    grammar: Grammar
    aliases: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    """With the dot, lower case."""
    shared_suffixes: tuple[str, ...] = ()
    """Suffixes that files of this language have too, though they tell another one: ``.h`` for C++.
    Such a file is of this language where only this one is asked for, or where the tree has files of
    this language and none of the other but those."""
    filenames: tuple[str, ...] = ()
    """Whole file names without a telling suffix; ``*`` as in a glob."""
    interpreters: tuple[str, ...] = ()
    """Names behind ``#!``, without a version."""
    hidden: bool = False
    """Part of another language (inline Markdown): never listed, never the language of a file."""
    parts: tuple[str, ...] = ()
    """Hidden languages that a pattern in this one is also read in, after its own rungs."""

    # --- reading a pattern -------------------------------------------------------------
    skeletons: tuple[Skeleton, ...] = (Skeleton("top"),)
    """The ladder, in order.  Several skeletons may share a rung."""
    stand_ins: tuple[str, ...] = ("{}",)
    """What a metavariable is written as while the grammar reads the pattern; ``{}`` is a name
    that the language lexes as an identifier.  Further forms are tried where the first is no code."""
    ellipsis_stand_ins: tuple[str, ...] = ()
    """More forms for ``$$$`` alone, such as ``{} {};`` for members of a class."""
    capital_names: bool = False
    """Names with a capital are another kind of token (Haskell, Ruby, Elixir): both are tried."""
    operators: tuple[str, ...] = ("+",)
    """One binary operator of each kind of operator node, to read ``$A $OP $B`` with."""
    terminators: tuple[str, ...] = ()
    """Texts that end a statement; each is tried behind a fragment that has none."""
    unlikely: frozenset[str] = frozenset()
    """Kinds that a reading holds only by accident; it yields to a later rung without them."""

    # --- what tokens are worth -----------------------------------------------------------
    comments: frozenset[str] = frozenset({"comment"})
    layout: frozenset[str] = frozenset()
    """Kinds that are layout beside comments: line continuations."""
    line_comments: tuple[str, ...] = ()
    """Texts that begin a comment or layout which ends with its line, always."""
    comment_starts: tuple[str, ...] = ()
    """Texts with which other comments and layout can begin.  Both together are all of them (but for
    a backslash before a line end), or both are empty: not told, and files are then not filtered by
    tokens that follow each other."""
    prose: frozenset[str] = frozenset()
    """Kinds of text that any words are: a pattern that is only that is searched in this language
    only if the language is asked for."""
    blank_text: frozenset[str] = frozenset()
    """Kinds of running text (JSX, HTML): white space in them is layout, and all-blank ones do not count."""
    terminator_tokens: frozenset[str] = frozenset({";"})
    """Tokens that end or part statements and may be left out at the end of a node or in a block."""
    separators: frozenset[str] = frozenset({","})
    """Tokens between the elements of a list; a trailing one does not count."""
    partings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind → tokens that part what stands in it as separators do, and are operators elsewhere."""
    strings: frozenset[str] = frozenset()
    """Kinds of whole string literals, with their quotes."""
    quotes: tuple[str, ...] = ('"', "'")
    """Delimiters of strings that mean the same, longest first."""
    case_insensitive: bool = False
    """Keywords may be written in any case."""

    soft_words: str = ""
    """Keywords that are names of things as well, where they mean nothing else; parted by spaces."""
    named_tokens: frozenset[str] = frozenset()
    """Tokens that are code of their own, though the grammar gives them no kind: ``_`` in Rust, which stands
    where a pattern or a type does."""
    hard_words: str = ""
    """Keywords that the grammar has as nodes with a name, and so does not tell; parted by spaces."""
    keyword_names: frozenset[tuple[str, str, str]] = frozenset()
    """(parent kind, field, word): where the grammar takes a keyword for a name, and the language has it
    there: ``A::class`` in Kotlin.  An empty word is any."""

    # --- structure ------------------------------------------------------------------------
    flat_lists: frozenset[str] = frozenset()
    """Kinds of lists in which an element is several nodes beside each other: key, colon and value."""
    whole: frozenset[str] = frozenset()
    """Kinds that a pattern of one word is as a whole: ``ls`` in a shell is the command without
    arguments, not the word in any command."""
    blocks: frozenset[str] = frozenset()
    """Kinds whose children are statements, members or other items in a row."""
    clauses: frozenset[str] = frozenset()
    """Kinds that stand among the statements of a body but are no statements (``else``, ``rescue``):
    ``$$$`` does not take them."""
    bodies: frozenset[str] = frozenset()
    """Kinds one of whose children is a block or a bare statement: ``if``, ``while``, ``else``."""
    slots: frozenset[str] = frozenset()
    """Kinds that hold one value and may hold a label or modifier beside it (a C# argument):
    a single metavariable stands for the value, not for the slot."""
    tails: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Kind → kinds that belong to it when they follow it as siblings (a Dart type: its name, its
    arguments and its question mark): a metavariable takes them along."""
    marked: frozenset[str] = frozenset()
    """Kinds of list elements that are no plain value (``*xs``, ``k=1``): ``$X`` does not bind them."""
    parens: frozenset[str] = frozenset()
    """Kinds that are ``( X )`` around an expression."""
    parameter_parens: Mapping[str, str] = field(default_factory=dict)
    """Parent kind → list kind whose parentheses are optional around a single parameter."""
    optional_tokens: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Kind → tokens in it that carry no meaning (parentheses of Ruby arguments)."""
    sole_arguments: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Kind of an argument list → kinds that stand in its place and hold one argument themselves."""
    misread: frozenset[tuple[str, str, str]] = frozenset()
    """(parent kind, field, word): where code that begins with the word is another thing in the language,
    although its grammar also reads it as an expression.  An object as the body of an arrow function
    (``{``), a function at the head of a statement.  An empty field is any."""
    token_trees: frozenset[str] = frozenset()
    """Kinds that hold unparsed tokens (arguments of a Rust macro)."""
    twins: tuple[frozenset[str], ...] = ()
    """Kinds of one construct that depend on its place."""
    ellipsis_twins: tuple[frozenset[str], ...] = ()
    """Kinds that one list of unknown length may have: ``($$$)`` in Python is parentheses or a tuple."""
    member_names: frozenset[tuple[str, str]] = frozenset()
    """(parent kind, field) where an identifier is the name of a member, key or label: a bare
    identifier as a pattern does not match there."""

    free_members: bool = False
    """Whether such names may be those of keywords: ``x.class``."""

    # --- adornments -------------------------------------------------------------------------
    adornments: frozenset[str] = frozenset()
    """Kinds and tokens that a declaration may have without the pattern mentioning them."""
    significant_words: frozenset[str] = frozenset()
    """Words that make an adornment count: a modifier ``async`` is never left out."""
    adornment_runs: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """Parent kind → runs of children that are one adornment together, such as ``("->", "@return_type")``:
    a kind or token, ``@field``, or ``*`` for any one named node."""
    adorned: frozenset[str] = frozenset()
    """Kinds that are a declaration and its adornments around it (a decorated definition)."""

    # --- loose ---------------------------------------------------------------------------------
    optional_chains: Mapping[str, str] = field(default_factory=dict)
    """Token → token it equals under the equivalence ``optional-chain`` (``?.`` → ``.``)."""
    unordered: frozenset[str] = frozenset()
    """Kinds of list elements whose order does not count under ``order`` (attributes, keyword arguments)."""

    # --- rewriting -----------------------------------------------------------------------------

    weak_operands: frozenset[str] = frozenset()
    """Kinds that the grammar takes beside an operator as they are, although the language asks for
    parentheses there: an assignment."""
    weak_receivers: frozenset[str] = frozenset()
    """The same before a dot, a call or an index only: ``x as T``, ``new T``.  A kind with a token behind it
    (``prefix_expression -``) counts where it begins with that."""
    unmixed: tuple[tuple[str, str], ...] = ()
    """Operators that may not be each other's operands without parentheses: ``??`` and ``||``."""
    tight: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Operator → kinds that may not be its left operand without parentheses: ``-a ** b``."""
    ungrouped: frozenset[tuple[str, str, str]] = frozenset()
    """(parent kind, field, kind): where a node of the kind needs parentheses, although the grammar reads
    it without: a call as the constructor of ``new``.  A kind with a token behind it (``binary or``) is
    a node with that token as a child, and does not count below another one of that sort."""
    commands: frozenset[str] = frozenset()
    """Kinds that ``ungrouped`` means only where their arguments stand without brackets, and not as the
    only argument."""
    barred: frozenset[tuple[str, str, str, str]] = frozenset()
    """(parent kind, field, kind, token): where a node of the kind may not stand at all; with a token only
    if it, or the parent, has it as a child.  An empty field or kind is any."""
    constant: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Kind of a place whose value must be constant → kinds that may stand nowhere in it, but in blocks: a
    call in a PHP ``const``."""
    homes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Kind → kinds of the nodes that it may stand in, though the grammar takes it in others."""
    only: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """(parent kind, field) → kinds of which one must stand there, though the grammar takes others: a call
    behind ``go``."""
    apart: frozenset[tuple[str, str, str]] = frozenset()
    """(kind, token, token): two tokens that are no neighbours in a node of the kind (``raise from``)."""
    leads: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """Kind of a list → kind of an element → kinds of which one must come next: what a bare ``*`` needs."""
    one_token: frozenset[str] = frozenset()
    """Operators that the language reads as one where the grammar may read two: ``--``, ``<-``."""
    ended: frozenset[str] = frozenset()
    """Kinds that are no statement without a terminator, but for one with braces or the last of a block."""
    jumps: tuple[tuple[str, str], ...] = ()
    """Kinds that jump out of something, such as ``return``, and the kinds of what they jump out of, parted by
    spaces; with a word behind a colon nodes of the kind that begin with it.  The first are those that jump
    out of functions."""
    waits: frozenset[str] = frozenset()
    """Those of them that want ``async`` there."""
    quoting: frozenset[str] = frozenset()
    """Kinds of code in a string that may not hold the string's own quotes."""
    spliced: frozenset[str] = frozenset()
    """Kinds around a row of nodes, which stand without it beside an operator."""
    declarations: frozenset[str] = frozenset()
    """Kinds that may not be the body of a statement without braces."""
    heads: frozenset[str] = frozenset()
    """Kinds that may stand at the head of a statement although their first word is among ``misread``, if
    they are all of it."""
    joining: tuple[str, ...] = ()
    """Texts with which a line goes on with the statement before it, though its grammar parts them."""
    breaks_lines: bool = False
    """A line break outside of brackets ends a statement, wherever it stands."""
    last: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """Kind of a list → kind of an element → kinds that may come behind it: a keyword argument is only
    followed by such ones, whatever the grammar takes."""
    header_literals: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Kinds of literals with braces that may not stand bare in the ``headers``, each with the kinds that
    may be before its braces so that it may."""
    headers: frozenset[str] = frozenset()
    """Kinds of statements with a header before their block."""
    grouping: tuple[str, str] = ("(", ")")
    """What keeps an expression in one piece; empty where nothing does."""
    verbatim: frozenset[str] = frozenset()
    """Kinds of text before whose first line the white space counts as well: the body and the end of a
    heredoc."""
    flowing: frozenset[str] = frozenset()
    """Kinds of texts whose lines are indented as what they stand in: that white space is layout."""
    filler: str = ""
    """A statement that does nothing, for a block that may not be empty (``pass``)."""
    imports: Imports | None = None
    """Where a statement goes that brings in a name; None where there is no such thing."""

    embedded: tuple[Embedding, ...] = ()

    # --- definitions ---------------------------------------------------------------------------

    defines: tuple[Defines, ...] = ()
    """What an outline holds; of several for one node the first that fits is used.  A language without
    any has general ones, made from the names of its kinds."""
    levels: frozenset[str] = frozenset()
    """Kinds around a variable or key that belongs to what is defined around it, and not to its code."""
    wrappers: frozenset[str] = frozenset()
    """Kinds around one definition that go with it beside the ``adorned``; around several they do not."""
    annotations: frozenset[str] = frozenset()
    """Kinds of decorators, annotations and attributes: they belong to a definition, not to its head."""
    constructors: frozenset[str] = frozenset()
    """Names that make a method a constructor."""

    unsafe: str = ""
    """A regular expression (bytes, multi-line) of texts that the grammar's scanner cannot take: a file
    that holds one is not parsed but said to be unsearchable."""

    @property
    def rungs(self) -> tuple[str, ...]:
        """The rungs of this language in the order of its ladder."""
        return tuple(dict.fromkeys(skeleton.rung for skeleton in self.skeletons))
