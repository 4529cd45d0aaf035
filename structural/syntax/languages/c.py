"""C."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_FUNCTIONS = "function_definition"
_LOOPS = "for_statement while_statement do_statement"

_NAME = (
    "@declarator/@declarator|function_declarator|pointer_declarator|parenthesized_declarator*"
    "/=identifier|=field_identifier|=type_identifier|=primitive_type"
)
"""Where a declarator has the name: pointers, arrays and functions are around it."""

_PROTOTYPE = "@declarator=pointer_declarator*/@declarator=function_declarator/@declarator=identifier"
"""The name of a function without its body; a pointer to a function is a variable."""

LANGUAGE = Language(
    name="c",
    aliases=("h",),
    suffixes=(".c", ".h"),
    grammar=Grammar("tree_sitter_c", pack="c"),
    skeletons=(
        # Before the statements: there `a * b` declares a pointer.
        Skeleton("expression", "void f() { x = ", "; }"),
        Skeleton("statement", "void f() { do {\n", "\n} while (x); }"),
        Skeleton("member", "struct s {\n", "\n};"),
        Skeleton("top"),
        Skeleton("type", "", " x;"),
        Skeleton("type", "void f() { x = (", ") y; }"),
        Skeleton("parameter", "void f(", ");"),
        Skeleton("argument", "void f() { g(", "); }"),
        Skeleton("pair", "struct s x = { ", " };"),
        Skeleton("pair", "enum e { ", " };"),
        Skeleton("case", "void f() { switch (x) {\n", "\n} }"),
        Skeleton("clause", "void f() { do if (x) {} ", "\nwhile (x); }"),
        Skeleton("attribute", "", " void f(void);"),
        Skeleton("directive", "#if ", "\n#endif\n"),
    ),
    stand_ins=("{}", "{};"),
    ellipsis_stand_ins=("{} {};",),
    operators=("+", "=", "+="),
    terminators=(";",),
    unlikely=frozenset({"labeled_statement", "macro_type_specifier"}),
    jumps=(
        ("return_statement", _FUNCTIONS),
        ("continue_statement", f"{_FUNCTIONS} {_LOOPS}"),
        ("break_statement", f"{_FUNCTIONS} {_LOOPS} switch_statement"),
    ),
    line_comments=("//",),
    comment_starts=("/*",),
    strings=frozenset({"string_literal"}),
    quotes=('"',),
    blocks=frozenset({"translation_unit", "compound_statement", "case_statement", "field_declaration_list"}),
    bodies=frozenset({"if_statement", "else_clause", "for_statement", "while_statement", "do_statement"}),
    # `int $X;` declares a name, not a function, and gives it no value.
    marked=frozenset({"initializer_pair", "init_declarator", "function_declarator"}),
    parens=frozenset({"parenthesized_expression"}),
    # `sizeof(x)` holds an expression in parentheses, `sizeof(int)` the parentheses and a type.
    optional_tokens={"sizeof_expression": frozenset({"(", ")"})},
    twins=(
        frozenset({"identifier", "field_identifier", "type_identifier"}),
        frozenset({"declaration", "field_declaration"}),
    ),
    member_names=frozenset({("field_expression", "field"), ("field_designator", "")}),
    adornments=frozenset(
        {
            "storage_class_specifier",
            "attribute_specifier",
            "attribute_declaration",
            "ms_declspec_modifier",
            "ms_call_modifier",
            "__extension__",
        }
    ),
    weak_operands=frozenset({"assignment_expression"}),
    ungrouped=frozenset({("sizeof_expression", "value", "cast_expression")}),
    imports=Imports(
        kinds=frozenset({"preproc_include"}),
        texts=r"#\s*if.*#\s*include",
        before=frozenset({"preproc_def"}),
        texts_before=r"#\s*pragma\s+once",
        around="preproc_ifdef",
    ),
    defines=(
        Defines("function", "function_definition", _NAME),
        Defines("function", "declaration", _PROTOTYPE, level=True),
        Defines("variable", "declaration", _NAME, level=True),
        Defines("struct", "struct_specifier", where="@body"),
        Defines("union", "union_specifier", where="@body"),
        Defines("enum", "enum_specifier", where="@body"),
        Defines("member", "enumerator"),
        Defines("field", "field_declaration", _NAME),
        Defines("struct", "type_definition", _NAME, where="@type=struct_specifier/@body", body="@type/@body"),
        Defines("union", "type_definition", _NAME, where="@type=union_specifier/@body", body="@type/@body"),
        Defines("enum", "type_definition", _NAME, where="@type=enum_specifier/@body", body="@type/@body"),
        Defines("type", "type_definition", _NAME),
        Defines("macro", "preproc_def", body="."),
        Defines("macro", "preproc_function_def", body="@value"),
    ),
    levels=frozenset(
        {
            "translation_unit",
            "linkage_specification",
            "declaration_list",
            "preproc_if",
            "preproc_ifdef",
            "preproc_elif",
            "preproc_elifdef",
            "preproc_else",
        }
    ),
    barred=frozenset(
        {
            (above, name, "compound_statement", "")
            for above, name in (
                ("if_statement", "condition"),
                ("while_statement", "condition"),
                ("do_statement", "condition"),
                ("switch_statement", "condition"),
                ("argument_list", ""),
            )
        }
    ),
    soft_words="defined noreturn",
    keyword_names=frozenset({("argument_list", "", "const")}),
)
