"""C++."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_FUNCTIONS = "function_definition lambda_expression"
_LOOPS = "for_statement for_range_loop while_statement do_statement"

_NAME = (
    "@declarator/@declarator|function_declarator|pointer_declarator|parenthesized_declarator"
    "|reference_declarator*/@name*"
)
"""Where a declarator has the name: pointers, arrays, functions and scopes are around it."""

_OWNER = "@declarator|function_declarator|pointer_declarator|reference_declarator*/@scope"

_PROTOTYPE = (
    "@declarator=pointer_declarator|@declarator=reference_declarator*"
    "/@declarator=function_declarator|function_declarator"
    "/@declarator=identifier|@declarator=field_identifier|@declarator=qualified_identifier"
    "|@declarator=destructor_name|@declarator=operator_name|@declarator=template_function/@name*"
)
"""The name of a function without its body; a pointer to a function is a variable."""

LANGUAGE = Language(
    name="cpp",
    aliases=("c++", "cc", "cxx", "hpp"),
    suffixes=(
        ".cpp",
        ".cc",
        ".cxx",
        ".c++",
        ".hpp",
        ".hh",
        ".hxx",
        ".h++",
        ".ipp",
        ".inl",
        ".tpp",
        ".cppm",
        ".ixx",
    ),
    shared_suffixes=(".h",),
    grammar=Grammar("tree_sitter_cpp", pack="cpp"),
    skeletons=(
        # Before the statements: there `a * b` and `a && b` are declarations.
        # After `throw`, since `x = { ... }` would read a block as a list.
        Skeleton("expression", "void f() { throw ", "; }"),
        # Before the statements: there `catch (e) { }` declares a variable `e` of type `catch`.
        Skeleton("clause", "void f() { try {} ", "\n}"),
        Skeleton("clause", "void f() { do if (x) {} ", "\nwhile (x); }"),
        Skeleton("statement", "void f() { do {\n", "\n} while (x); }"),
        Skeleton("member", "class C {\n", "\n};"),
        Skeleton("top"),
        Skeleton("type", "", " x;"),
        Skeleton("type", "using T = ", ";"),
        Skeleton("parameter", "void f(", ");"),
        Skeleton("parameter", "template <", "> class C;"),
        Skeleton("argument", "void f() { g(", "); }"),
        Skeleton("pair", "S x = { ", " };"),
        Skeleton("pair", "enum E { ", " };"),
        Skeleton("case", "void f() { switch (x) {\n", "\n} }"),
        Skeleton("attribute", "", " void f();"),
        Skeleton("specifier", "class C : ", " {};"),
        Skeleton("directive", "#if ", "\n#endif\n"),
    ),
    stand_ins=("{}", "{};"),
    ellipsis_stand_ins=("{} {};",),
    operators=("+", "=", "+="),
    terminators=(";",),
    # A function whose body is one name is also a variable with a list.
    unlikely=frozenset({"labeled_statement", "initializer_list"}),
    jumps=(
        ("return_statement co_return_statement co_await_expression co_yield_statement", _FUNCTIONS),
        ("continue_statement", f"{_FUNCTIONS} {_LOOPS}"),
        ("break_statement", f"{_FUNCTIONS} {_LOOPS} switch_statement"),
    ),
    line_comments=("//",),
    comment_starts=("/*",),
    strings=frozenset({"string_literal", "raw_string_literal"}),
    quotes=('"',),
    blocks=frozenset(
        {
            "translation_unit",
            "compound_statement",
            "case_statement",
            "field_declaration_list",
            "declaration_list",
        }
    ),
    bodies=frozenset(
        {
            "if_statement",
            "else_clause",
            "for_statement",
            "for_range_loop",
            "while_statement",
            "do_statement",
        }
    ),
    # `int $X;` declares a name, not a function, and gives it no value.
    marked=frozenset(
        {"initializer_pair", "parameter_pack_expansion", "init_declarator", "function_declarator"}
    ),
    parens=frozenset({"parenthesized_expression"}),
    optional_tokens={"sizeof_expression": frozenset({"(", ")"})},
    twins=(
        frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier"}),
        frozenset({"declaration", "field_declaration"}),
        frozenset({"template_function", "template_type", "template_method"}),
    ),
    member_names=frozenset({("field_expression", "field"), ("field_designator", "")}),
    adornments=frozenset(
        {
            "storage_class_specifier",
            "attribute_specifier",
            "attribute_declaration",
            "ms_declspec_modifier",
            "ms_call_modifier",
            "virtual",
            "virtual_specifier",
            "explicit_function_specifier",
            "noexcept",
            "throw_specifier",
            "trailing_return_type",
            "template_parameter_list",
            "requires_clause",
            "base_class_clause",
            "inline",
        }
    ),
    adornment_runs={
        "field_declaration_list": (("access_specifier", ":"),),
        "template_declaration": (("template",),),
    },
    adorned=frozenset({"template_declaration"}),
    weak_receivers=frozenset({"new_expression"}),
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
        # In its own file a method has its class before its name.
        Defines("method", "function_definition", _NAME, where=_OWNER, owner=_OWNER),
        Defines("function", "function_definition", _NAME),
        Defines("function", "declaration field_declaration", _PROTOTYPE, level=True),
        Defines("variable", "declaration", _NAME, level=True),
        Defines("class", "class_specifier", "@name/@name?", where="@body"),
        Defines("struct", "struct_specifier", "@name/@name?", where="@body"),
        Defines("union", "union_specifier", where="@body"),
        Defines("enum", "enum_specifier", where="@body"),
        Defines("member", "enumerator"),
        Defines("field", "field_declaration", _NAME),
        Defines("struct", "type_definition", _NAME, where="@type=struct_specifier/@body", body="@type/@body"),
        Defines("union", "type_definition", _NAME, where="@type=union_specifier/@body", body="@type/@body"),
        Defines("enum", "type_definition", _NAME, where="@type=enum_specifier/@body", body="@type/@body"),
        Defines("type", "type_definition", _NAME),
        Defines("type", "alias_declaration concept_definition"),
        Defines("namespace", "namespace_definition"),
        Defines("macro", "preproc_def", body="."),
        Defines("macro", "preproc_function_def", body="@value"),
    ),
    levels=frozenset(
        {
            "translation_unit",
            "linkage_specification",
            "declaration_list",
            "field_declaration_list",
            "template_declaration",
            "namespace_definition",
            "preproc_if",
            "preproc_ifdef",
            "preproc_elif",
            "preproc_elifdef",
            "preproc_else",
        }
    ),
    soft_words="defined final noreturn override",
    keyword_names=frozenset(
        {
            ("argument_list", "", "const"),
            *(("call_expression", "function", word) for word in ("long", "short", "signed", "unsigned")),
        }
    ),
)
