"""C."""

from __future__ import annotations

from structural.syntax.language import Grammar, Language, Skeleton

LANGUAGE = Language(
    name="c",
    aliases=("h",),
    suffixes=(".c", ".h"),
    grammar=Grammar("tree_sitter_c", pack="c"),
    skeletons=(
        Skeleton("statement", "void f() {\n", "\n}"),
        Skeleton("expression", "void f() { x = ", "; }"),
        Skeleton("member", "struct s {\n", "\n};"),
        Skeleton("top"),
        Skeleton("type", "void f() { sizeof(", "); }"),
        Skeleton("type", "", " x;"),
        Skeleton("parameter", "void f(", ");"),
        Skeleton("argument", "void f() { g(", "); }"),
        Skeleton("pair", "struct s x = { ", " };"),
        Skeleton("case", "void f() { switch (x) {\n", "\n} }"),
        Skeleton("clause", "void f() { if (x) {} ", "\n}"),
        Skeleton("attribute", "", " void f(void);"),
    ),
    ellipsis_stand_ins=("int {};",),
    operators=("+", "="),
    terminators=(";",),
    unlikely=frozenset({"labeled_statement", "declaration"}),
    strings=frozenset({"string_literal"}),
    quotes=('"',),
    blocks=frozenset({"translation_unit", "compound_statement", "case_statement", "field_declaration_list"}),
    bodies=frozenset({"if_statement", "else_clause", "for_statement", "while_statement", "do_statement"}),
    parens=frozenset({"parenthesized_expression"}),
    adornments=frozenset({"storage_class_specifier", "attribute_specifier", "attribute_declaration"}),
)
