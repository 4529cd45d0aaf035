"""JavaScript with JSX."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Language, Skeleton
from structural.syntax.languages import _ecmascript as ecma

LANGUAGE = Language(
    name="javascript",
    aliases=("js", "jsx", "node", "ecmascript", "es6"),
    suffixes=(".js", ".jsx", ".mjs", ".cjs", ".es6"),
    interpreters=("node", "nodejs", "bun"),
    grammar=Grammar("tree_sitter_javascript", pack="javascript"),
    skeletons=(
        *ecma.STATEMENTS,
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("top"),
        *ecma.PLACES,
        *ecma.ATTRIBUTES,
        *ecma.ENDS,
    ),
    stand_ins=ecma.STAND_INS,
    ellipsis_stand_ins=ecma.ELLIPSES,
    operators=ecma.OPERATORS,
    terminators=(";",),
    unlikely=ecma.UNLIKELY,
    comments=ecma.COMMENTS,
    line_comments=ecma.LINE_COMMENTS,
    comment_starts=ecma.COMMENT_STARTS,
    blank_text=frozenset({"jsx_text"}),
    strings=frozenset({"string"}),
    blocks=ecma.BLOCKS,
    bodies=ecma.BODIES,
    misread=ecma.MISREAD,
    # `let $A` declares without a value, `import $A from` imports by a name alone.
    slots=frozenset({"variable_declarator", "import_clause", "import_specifier", "export_specifier"}),
    marked=ecma.MARKED,
    parens=frozenset({"parenthesized_expression"}),
    parameter_parens={"arrow_function": "formal_parameters"},
    twins=ecma.TWINS,
    adornments=frozenset({"decorator", "static", "class_heritage"}),
    adornment_runs=ecma.EXPORT_RUNS,
    adorned=frozenset({"export_statement"}),
    optional_chains={"optional_chain": "."},
    unordered=frozenset({"jsx_attribute", "pair"}),
    weak_operands=ecma.WEAK_OPERANDS,
    weak_receivers=frozenset({"update_expression"}),
    unmixed=ecma.UNMIXED,
    tight=ecma.TIGHT,
    ungrouped=ecma.UNGROUPED,
    last=ecma.LAST,
    declarations=ecma.DECLARATIONS,
    barred=ecma.BARRED,
    defines=(
        *ecma.DEFINES,
        Defines("method", "field_definition", "@property", where=ecma.FUNCTION_VALUE, body="@value/@body"),
        Defines("field", "field_definition", "@property"),
    ),
    levels=ecma.LEVELS,
    wrappers=ecma.WRAPPERS,
    annotations=frozenset({"decorator"}),
    constructors=frozenset({"constructor"}),
    soft_words="as async from get let meta of set static target using",
)
