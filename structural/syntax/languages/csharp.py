"""C#."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_FUNCTIONS = (
    "lambda_expression anonymous_method_expression local_function_statement"
    " method_declaration constructor_declaration accessor_declaration operator_declaration"
)
_LOOPS = "for_statement foreach_statement while_statement do_statement"

LANGUAGE = Language(
    name="csharp",
    aliases=("cs", "c#", "csx"),
    suffixes=(".cs", ".csx"),
    grammar=Grammar("tree_sitter_c_sharp", pack="csharp"),
    skeletons=(
        # Before the statements: `a * b` declares a pointer there, and `a + b` is no statement.
        Skeleton("expression", "class C { void F() { x = ", "; } }"),
        Skeleton("statement", "class C { void F() { do {\n", "\n} while (x); } }"),
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("top"),
        Skeleton("argument", "class C { void F() { g(", "); } }"),
        Skeleton("type", "class C { ", " x; }"),
        Skeleton("parameter", "class C { void F(", ") {} }"),
        Skeleton("pair", "enum E { ", " }"),
        Skeleton("case", "class C { void F() { switch (x) {\n", "\n} } }"),
        Skeleton("case", "class C { void F() { x = y switch {\n", "\n}; } }"),
        Skeleton("clause", "class C { void F() { try {} ", "\n} }"),
        Skeleton("clause", "class C<T> ", " {}"),
        Skeleton("attribute", "", "\nclass C {}"),
        Skeleton("attribute", "[", "]\nclass C {}"),
        Skeleton("specifier", "class C { int P { ", " } }"),
    ),
    # A name alone is no statement, a call is.
    stand_ins=("{}", "{}();", "{}()"),
    # `{};` is an accessor of a property.
    ellipsis_stand_ins=("{} {};", "{} {}", "case {}:", "{} => {}", "{};"),
    operators=("+", "=", "+="),
    terminators=(";",),
    unlikely=frozenset(
        {
            "labeled_statement",
            "empty_statement",
            "collection_expression",
            "initializer_expression",
            "local_function_statement",
            "ref_expression",
        }
    ),
    layout=frozenset(
        {
            "preproc_region",
            "preproc_endregion",
            "preproc_line",
            "preproc_pragma",
            "preproc_nullable",
            "preproc_error",
            "preproc_warning",
            "preproc_define",
            "preproc_undef",
        }
    ),
    partings={"or_pattern": ("or",), "and_pattern": ("and",)},
    jumps=(
        ("return_statement yield_statement await_expression", _FUNCTIONS),
        ("continue_statement", f"{_FUNCTIONS} {_LOOPS}"),
        ("break_statement", f"{_FUNCTIONS} {_LOOPS} switch_statement"),
    ),
    waits=frozenset({"await_expression"}),
    line_comments=("//",),
    comment_starts=("/*", "#"),
    named_tokens=frozenset({"base", "this"}),
    strings=frozenset(
        {"string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression"}
    ),
    quotes=('"',),
    blocks=frozenset(
        {"compilation_unit", "block", "declaration_list", "switch_body", "switch_section", "accessor_list"}
    ),
    bodies=frozenset(
        {
            "if_statement",
            "for_statement",
            "foreach_statement",
            "while_statement",
            "do_statement",
            "using_statement",
            "lock_statement",
            "fixed_statement",
        }
    ),
    slots=frozenset({"argument", "attribute_argument", "variable_declarator"}),
    marked=frozenset({"spread_element"}),
    parens=frozenset({"parenthesized_expression"}),
    parameter_parens={"lambda_expression": "parameter_list"},
    twins=(
        frozenset({"local_declaration_statement", "field_declaration"}),
        frozenset({"local_function_statement", "method_declaration"}),
        frozenset({"throw_statement", "throw_expression"}),
        frozenset({"qualified_name", "member_access_expression"}),
        frozenset({"parameter", "implicit_parameter"}),
    ),
    member_names=frozenset(
        {
            ("member_access_expression", "name"),
            ("member_binding_expression", "name"),
            ("argument", "name"),
        }
    ),
    adornments=frozenset(
        {
            "attribute_list",
            "modifier",
            "base_list",
            "type_parameter_list",
            "type_parameter_constraints_clause",
        }
    ),
    significant_words=frozenset({"async", "const", "extern", "unsafe"}),
    unordered=frozenset({"attribute_list"}),
    weak_receivers=frozenset({"as_expression"}),
    weak_operands=frozenset({"assignment_expression"}),
    declarations=frozenset({"local_declaration_statement", "local_function_statement"}),
    only={
        ("expression_statement", ""): frozenset(
            {
                "assignment_expression",
                "postfix_unary_expression",
                "prefix_unary_expression",
                "await_expression",
                "invocation_expression",
                "object_creation_expression",
                "implicit_object_creation_expression",
                "conditional_access_expression",
            }
        )
    },
    imports=Imports(
        kinds=frozenset({"using_directive", "extern_alias_directive"}), first=r"(?:extern\s+alias|global\s)"
    ),
    defines=(
        Defines("class", "class_declaration record_declaration"),
        Defines("interface", "interface_declaration"),
        Defines("struct", "struct_declaration"),
        Defines("enum", "enum_declaration"),
        Defines("member", "enum_member_declaration"),
        Defines("namespace", "namespace_declaration"),
        Defines("method", "method_declaration"),
        Defines("method", "destructor_declaration", "~|@name+"),
        Defines("method", "operator_declaration", "@operator"),
        Defines("method", "conversion_operator_declaration", "operator|@type+"),
        Defines("constructor", "constructor_declaration"),
        Defines("function", "local_function_statement"),
        Defines("property", "property_declaration", body="@accessors"),
        Defines("property", "indexer_declaration", "this", body="@accessors"),
        Defines("event", "event_declaration", body="@accessors"),
        Defines("event", "variable_declarator", where="../../event", level=True),
        Defines("field", "variable_declarator", level=True),
        Defines("type", "delegate_declaration"),
    ),
    levels=frozenset(
        {
            "compilation_unit",
            "declaration_list",
            "variable_declaration",
            "field_declaration",
            "event_field_declaration",
        }
    ),
    wrappers=frozenset({"variable_declaration", "field_declaration", "event_field_declaration"}),
    annotations=frozenset({"attribute_list"}),
    soft_words=(
        "Cdecl Fastcall Stdcall Thiscall add alias and annotations ascending assembly async await by "
        "checksum descending disable enable equals field file from get global group hidden init into "
        "join let managed method module not notnull on or orderby param partial property record remove "
        "required restore scoped select set type typevar unmanaged var warning warnings when where with "
        "yield"
    ),
)
