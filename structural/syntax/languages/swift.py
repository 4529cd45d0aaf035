"""Swift."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_FUNCTIONS = (
    "lambda_literal function_declaration init_declaration deinit_declaration"
    " computed_getter computed_setter computed_property subscript_declaration"
)
_LOOPS = "for_statement while_statement repeat_while_statement"

LANGUAGE = Language(
    name="swift",
    suffixes=(".swift",),
    interpreters=("swift",),
    grammar=Grammar("tree_sitter_swift", pack="swift"),
    skeletons=(
        # Before the statements: there the words before `var` are not gathered in one node.
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("member", "protocol P {\n", "\n}"),
        # Before the statements: there `catch { }` is a call with a closure.
        Skeleton("clause", "func f() { do {} ", " catch {} }"),
        Skeleton("statement", "func f() {\nx()\n", "\nx()\n}"),
        Skeleton("expression", "let x = ", "\n"),
        Skeleton("top"),
        Skeleton("type", "let x: ", "\n"),
        Skeleton("case", "func f() { switch x {\n", "\n} }"),
        Skeleton("case", "enum E {\n", "\n}"),
        Skeleton("parameter", "func f(", ") {}\n"),
        Skeleton("argument", "func f() { g(", ") }"),
        Skeleton("pair", "let x = [", "]\n"),
        Skeleton("attribute", "", "\nclass C {}"),
        Skeleton("specifier", "f { ", " in x }\n"),
    ),
    ellipsis_stand_ins=("var {}: {}", "{}: {}", "func {}()", "case {}: {}"),
    operators=("+", "*", "==", "<", "&&", "||", "??", "...", "&", "="),
    partings={"protocol_composition_type": ("&",)},
    jumps=(
        ("control_transfer_statement:return", _FUNCTIONS),
        ("control_transfer_statement:continue", f"{_FUNCTIONS} {_LOOPS}"),
        ("control_transfer_statement:break", f"{_FUNCTIONS} {_LOOPS} switch_statement"),
    ),
    comments=frozenset({"comment", "multiline_comment"}),
    strings=frozenset({"line_string_literal", "multi_line_string_literal", "raw_string_literal"}),
    quotes=('"',),
    blocks=frozenset(
        {
            "source_file",
            "function_body",
            "statements",
            "class_body",
            "protocol_body",
            "enum_class_body",
            "switch_statement",
        }
    ),
    slots=frozenset({"value_argument"}),
    flat_lists=frozenset({"dictionary_literal"}),
    parens=frozenset({"tuple_expression"}),
    twins=(frozenset({"simple_identifier", "type_identifier"}),),
    free_members=True,
    member_names=frozenset({("navigation_suffix", "suffix"), ("value_argument_label", "")}),
    adornments=frozenset(
        {
            "modifiers",
            "attribute",
            "visibility_modifier",
            "type_annotation",
            "type_parameters",
            "type_constraints",
            "throws",
        }
    ),
    adornment_runs={
        # `class` before `func` and `var` is a word of its own, beside the modifiers.
        "function_declaration": (("->", "*"), ("class",)),
        "property_declaration": (("class",),),
        "protocol_function_declaration": (("->", "*"),),
        "class_declaration": ((":", "inheritance_specifier"), (",", "inheritance_specifier")),
        "protocol_declaration": ((":", "inheritance_specifier"), (",", "inheritance_specifier")),
    },
    unordered=frozenset({"attribute"}),
    # `-(x)` is read as a call, `.x` as a prefix.
    weak_receivers=frozenset({"try_expression", "await_expression", "as_expression"})
    | {f"{kind} {sign}" for kind in ("prefix_expression", "call_expression") for sign in "-+!~&"},
    ungrouped=frozenset(
        ("prefix_expression", "target", kind)
        for kind in (
            "additive_expression",
            "multiplicative_expression",
            "comparison_expression",
            "equality_expression",
            "conjunction_expression",
            "disjunction_expression",
            "nil_coalescing_expression",
            "range_expression",
            "bitwise_operation",
            "infix_expression",
        )
    ),
    one_token=frozenset({"--", "++", "-!", "!-", "!!"}),
    imports=Imports(kinds=frozenset({"import_declaration"})),
    defines=(
        Defines("struct", "class_declaration", where="struct"),
        Defines("enum", "class_declaration", where="enum"),
        Defines("extension", "class_declaration", where="extension"),
        Defines("class", "class_declaration"),
        Defines("interface", "protocol_declaration"),
        Defines(
            "function",
            "function_declaration protocol_function_declaration",
            "@name=simple_identifier|@name=custom_operator!",
        ),
        Defines("constructor", "init_declaration", "init"),
        Defines("method", "deinit_declaration", "deinit"),
        Defines("method", "subscript_declaration", "subscript"),
        Defines("variable", "property_declaration", "@name=pattern/@bound_identifier", level=True),
        Defines("property", "protocol_property_declaration", "@name/@bound_identifier"),
        Defines("member", "enum_entry", "@name=simple_identifier"),
        Defines("type", "typealias_declaration associatedtype_declaration", "@name=type_identifier!"),
        Defines("macro", "macro_declaration", "simple_identifier!"),
    ),
    levels=frozenset({"source_file", "class_body", "enum_class_body"}),
    annotations=frozenset({"attribute"}),
    hard_words="catch default else throw where",
    soft_words=(
        "Protocol Type _modify actor any arch async available await borrowing canImport colorLiteral "
        "column compiler consume consuming convenience copy didSet discard distributed dsohandle dynamic"
        " each externalMacro file fileID fileLiteral filePath final function get imageLiteral indirect "
        "infix isolated keyPath lazy line macro mutating nonisolated nonmutating nonsending of open "
        "optional os override package postfix prefix required selector self sending set some swift "
        "targetEnvironment u unavailable unowned unsafe weak willSet yield"
    ),
    keyword_names=frozenset(
        {("parameter", "external_name", ""), ("parameter", "name", ""), ("prefix_expression", "target", "")}
    ),
)
