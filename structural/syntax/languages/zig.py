"""Zig."""

from __future__ import annotations

from structural.syntax.language import Grammar, Language, Skeleton

LANGUAGE = Language(
    name="zig",
    suffixes=(".zig", ".zon"),
    grammar=Grammar("tree_sitter_zig", pack="zig"),
    skeletons=(
        Skeleton("statement", "fn f() void {\n", "\n}"),
        Skeleton("expression", "const x = ", ";"),
        Skeleton("member", "const S = struct {\n", "\n};"),
        Skeleton("top"),
        Skeleton("type", "var x: ", " = y;"),
        Skeleton("parameter", "fn f(", ") void {}"),
        Skeleton("argument", "fn f() void { g(", "); }"),
        Skeleton("pair", "const x = .{ ", " };"),
        Skeleton("case", "fn f() void { switch (x) {\n", "\n} }"),
        Skeleton("clause", "fn f() void { if (x) {} ", "\n}"),
    ),
    stand_ins=("{}", "{};"),
    ellipsis_stand_ins=("{} => {}",),
    # A function is also a literal of a function type.
    unlikely=frozenset({"function_signature"}),
    operators=("+", "=", "+="),
    terminators=(";",),
    line_comments=("//",),
    strings=frozenset({"string", "multiline_string"}),
    quotes=('"',),
    blocks=frozenset(
        {
            "source_file",
            "block",
            "struct_declaration",
            "enum_declaration",
            "union_declaration",
            "opaque_declaration",
            "switch_expression",
        }
    ),
    bodies=frozenset(
        {
            "if_statement",
            "else_clause",
            "while_statement",
            "for_statement",
            "defer_statement",
            "errdefer_statement",
        }
    ),
    parens=frozenset({"parenthesized_expression"}),
    member_names=frozenset({("field_expression", "member")}),
    adornments=frozenset({"pub", "export", "extern", "inline", "noinline"}),
    adornment_runs={"variable_declaration": ((":", "@type"),)},
)
