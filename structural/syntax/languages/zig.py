"""Zig."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

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
    named_tokens=frozenset({"null", "undefined"}),
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
    imports=Imports(texts=r"(?:pub\s+)?(?:const|var)\s[^;]*=\s*@import\b"),
    defines=(
        Defines("function", "function_declaration"),
        Defines("struct", "variable_declaration", "identifier!", where="struct_declaration"),
        Defines("enum", "variable_declaration", "identifier!", where="enum_declaration"),
        Defines("union", "variable_declaration", "identifier!", where="union_declaration"),
        Defines("error", "variable_declaration", "identifier!", where="error_set_declaration"),
        Defines("constant", "variable_declaration", "identifier!", where="const", level=True),
        Defines("variable", "variable_declaration", "identifier!", level=True),
        Defines("member", "container_field", inside="enum_declaration"),
        Defines("field", "container_field"),
        Defines("test", "test_declaration", "string|identifier!", body="block"),
    ),
    levels=frozenset({"source_file", "struct_declaration", "enum_declaration", "union_declaration"}),
    # What stands before the two backslashes of a line is no part of the text.
    flowing=frozenset({"multiline_string"}),
)
