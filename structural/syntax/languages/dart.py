"""Dart."""

from __future__ import annotations

from structural.syntax.language import Grammar, Language, Skeleton

# A type is no node of its own: its name, arguments and question mark are siblings.
_TYPES = (
    ("type_identifier", "type_arguments", "nullable_type"),
    ("type_identifier", "type_arguments"),
    ("type_identifier", "nullable_type"),
    ("type_identifier",),
    ("function_type", "nullable_type"),
    ("function_type",),
    ("record_type", "nullable_type"),
    ("record_type",),
    ("void_type",),
)

LANGUAGE = Language(
    name="dart",
    aliases=("flutter",),
    suffixes=(".dart",),
    interpreters=("dart",),
    grammar=Grammar("tree_sitter_dart_orchard", pack="dart"),
    skeletons=(
        Skeleton("statement", "void f() async {\n", "\n}"),
        Skeleton("expression", "var x = ", ";"),
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "class C { ", " x; }"),
        Skeleton("parameter", "void f(", ") {}"),
        Skeleton("parameter", "void f({", "}) {}"),
        Skeleton("argument", "void f() { g(", "); }"),
        Skeleton("pair", "var x = {", "};"),
        Skeleton("case", "void f() { switch (x) {\n", "\n} }"),
        Skeleton("case", "var x = switch (y) { ", " };"),
        Skeleton("clause", "void f() { try {} ", "\n}"),
        Skeleton("attribute", "", "\nclass C {}"),
    ),
    stand_ins=("{}", "{};"),
    ellipsis_stand_ins=("{} {};", "case {}:", "{} => {}"),
    operators=("+", "*", "==", "<", "&&", "||", "??", "&", "|", "^", "<<", "=", "+="),
    terminators=(";",),
    unlikely=frozenset({"label"}),
    comments=frozenset({"comment", "documentation_comment"}),
    strings=frozenset({"string_literal"}),
    quotes=("'''", '"""', "'", '"'),
    # A `catch` and its block are siblings inside the `try`, so that too is a row of items.
    blocks=frozenset(
        {
            "program",
            "block",
            "class_body",
            "extension_body",
            "switch_block",
            "switch_statement_case",
            "switch_statement_default",
            "try_statement",
        }
    ),
    bodies=frozenset({"if_statement", "for_statement", "while_statement", "do_statement"}),
    slots=frozenset({"argument"}),
    marked=frozenset({"named_argument", "spread_element", "if_element", "for_element"}),
    parens=frozenset({"parenthesized_expression"}),
    twins=(
        frozenset({"identifier", "type_identifier"}),
        frozenset({"function_declaration", "method_declaration", "local_function_declaration"}),
    ),
    adornments=frozenset(
        {
            "annotation",
            "static",
            "late",
            "external",
            "covariant",
            "type_parameters",
            "superclass",
            "interfaces",
            "mixins",
        }
    ),
    adornment_runs={
        "function_signature": _TYPES,
        "getter_signature": _TYPES,
        "initialized_variable_definition": (("final_builtin",), *_TYPES),
        "declaration": (("final_builtin",), *_TYPES),
        "formal_parameter": _TYPES,
        "class_definition": (("abstract",),),
    },
    unordered=frozenset({"named_argument"}),
)
