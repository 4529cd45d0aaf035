"""TypeScript, and TypeScript with JSX."""

from __future__ import annotations

from dataclasses import replace

from structural.syntax.language import Defines, Grammar, Language, Skeleton
from structural.syntax.languages import _ecmascript as ecma

TYPESCRIPT = Language(
    name="typescript",
    aliases=("ts",),
    suffixes=(".ts", ".mts", ".cts"),
    interpreters=("deno", "ts-node", "tsx"),
    grammar=Grammar("tree_sitter_typescript", "language_typescript", pack="typescript"),
    skeletons=(
        *ecma.STATEMENTS,
        Skeleton("member", "abstract class C {\n", "\n}"),
        Skeleton("member", "interface I {\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "let x: ", ";"),
        *ecma.PLACES,
        Skeleton("clause", "class C ", " {}"),
        *ecma.ENDS,
    ),
    stand_ins=ecma.STAND_INS,
    ellipsis_stand_ins=ecma.ELLIPSES,
    operators=ecma.OPERATORS,
    terminators=(";",),
    # `Promise<T>` alone is a type, not a function with its type arguments.
    unlikely=ecma.UNLIKELY | {"instantiation_expression"},
    partings={"union_type": ("|",), "intersection_type": ("&",)},
    comments=ecma.COMMENTS,
    jumps=ecma.JUMPS,
    waits=ecma.WAITS,
    line_comments=ecma.LINE_COMMENTS,
    comment_starts=ecma.COMMENT_STARTS,
    strings=frozenset({"string"}),
    blocks=ecma.BLOCKS | {"interface_body", "object_type"},
    bodies=ecma.BODIES,
    misread=ecma.MISREAD,
    # Members of an interface are parted by either of these.
    separators=frozenset({",", ";"}),
    # `let $A` declares without a value, `import $A from` imports by a name alone.
    slots=frozenset({"variable_declarator", "import_clause", "import_specifier", "export_specifier"}),
    marked=ecma.MARKED,
    parens=frozenset({"parenthesized_expression", "parenthesized_type"}),
    parameter_parens={"arrow_function": "formal_parameters"},
    twins=(
        *ecma.TWINS[:2],
        ecma.TWINS[2] | {"abstract_class_declaration"},
        # In a class, and in an interface or the type of an object.
        frozenset({"public_field_definition", "property_signature"}),
        frozenset({"method_signature", "abstract_method_signature"}),
        frozenset({"extends_clause", "extends_type_clause"}),
    ),
    adornments=frozenset(
        {
            "decorator",
            "static",
            "abstract",
            "const",  # of an enum
            "declare",
            "readonly",
            "accessibility_modifier",
            "override_modifier",
            "type_annotation",
            "asserts_annotation",
            "type_predicate_annotation",
            "type_parameters",
            "class_heritage",
            "implements_clause",
            "extends_type_clause",
        }
    ),
    adornment_runs=ecma.EXPORT_RUNS,
    adorned=frozenset({"export_statement", "ambient_declaration", "required_parameter"}),
    optional_chains={"optional_chain": "."},
    unordered=frozenset({"pair"}),
    weak_operands=ecma.WEAK_OPERANDS,
    weak_receivers=frozenset({"update_expression", "as_expression", "satisfies_expression"}),
    unmixed=ecma.UNMIXED,
    tight=ecma.TIGHT,
    ungrouped=ecma.UNGROUPED,
    last=ecma.LAST,
    declarations=ecma.DECLARATIONS,
    soft_words=(
        "abstract accessor any as assert asserts async await boolean declare from get global infer is "
        "keyof let meta module namespace never number object of override private protected public "
        "readonly require satisfies set static string symbol target type unknown using yield"
    ),
    # `import { default as x }`
    keyword_names=frozenset(
        {
            ("import_specifier", "name", "default"),
            ("export_specifier", "name", "default"),
            ("export_specifier", "alias", "default"),
            ("namespace_export", "", "default"),
        }
    ),
    barred=ecma.BARRED,
    imports=ecma.IMPORTS,
    defines=(
        *ecma.DEFINES,
        Defines("class", "abstract_class_declaration"),
        Defines("interface", "interface_declaration"),
        Defines("type", "type_alias_declaration"),
        Defines("enum", "enum_declaration"),
        Defines("member", "enum_assignment"),
        Defines("member", "property_identifier", ".", inside="enum_body"),
        Defines("namespace", "internal_module"),
        Defines("module", "module"),
        Defines("function", "function_signature"),
        Defines("method", "abstract_method_signature"),
        Defines("method", "method_signature", level=True),
        Defines("constructor", "construct_signature", "new", level=True),
        Defines("method", "public_field_definition", where=ecma.FUNCTION_VALUE, body="@value/@body"),
        Defines("field", "public_field_definition"),
        Defines("field", "property_signature", level=True),
    ),
    levels=ecma.LEVELS
    | {"ambient_declaration", "class_body", "interface_body", "object_type", "intersection_type"},
    wrappers=ecma.WRAPPERS,
    annotations=frozenset({"decorator"}),
    constructors=frozenset({"constructor"}),
)

TSX = replace(
    TYPESCRIPT,
    name="tsx",
    aliases=(),
    suffixes=(".tsx",),
    interpreters=(),
    grammar=Grammar("tree_sitter_typescript", "language_tsx", pack="tsx"),
    skeletons=(*TYPESCRIPT.skeletons, *ecma.ATTRIBUTES),
    blank_text=frozenset({"jsx_text"}),
    unordered=frozenset({"jsx_attribute", "pair"}),
)

LANGUAGES = (TYPESCRIPT, TSX)
