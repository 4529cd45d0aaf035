"""Swift."""

from __future__ import annotations

from structural.syntax.language import Grammar, Language, Skeleton

LANGUAGE = Language(
    name="swift",
    suffixes=(".swift",),
    interpreters=("swift",),
    grammar=Grammar("tree_sitter_swift", pack="swift"),
    skeletons=(
        Skeleton("statement", "func f() {\n", "\n}"),
        Skeleton("expression", "let x = ", "\n"),
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("member", "protocol P {\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "let x: ", "\n"),
        Skeleton("parameter", "func f(", ") {}\n"),
        Skeleton("argument", "func f() { g(", ") }"),
        Skeleton("pair", "let x = [", "]\n"),
        Skeleton("case", "func f() { switch x {\n", "\n} }"),
        Skeleton("case", "enum E {\n", "\n}"),
        Skeleton("clause", "func f() { do {} ", "\n}"),
        Skeleton("attribute", "", "\nclass C {}"),
    ),
    ellipsis_stand_ins=("var {}: {}", "{}: {}", "case {}", "case {}: {}"),
    operators=("+", "*", "==", "<", "&&", "||", "??", "...", "&", "="),
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
    parens=frozenset({"tuple_expression"}),
    twins=(frozenset({"simple_identifier", "type_identifier"}),),
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
        "function_declaration": (("->", "*"),),
        "protocol_function_declaration": (("->", "*"),),
        "class_declaration": ((":", "inheritance_specifier"), (",", "inheritance_specifier")),
        "protocol_declaration": ((":", "inheritance_specifier"), (",", "inheritance_specifier")),
    },
    unordered=frozenset({"attribute"}),
)
