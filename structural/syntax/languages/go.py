"""Go."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_FUNCTIONS = "func_literal function_declaration method_declaration"
_LOOPS = "for_statement"

LANGUAGE = Language(
    name="go",
    aliases=("golang",),
    suffixes=(".go",),
    grammar=Grammar("tree_sitter_go", pack="go"),
    skeletons=(
        # At the top `fmt.Println(x)` would be read as a type conversion.
        # Other statements stand beside the fragment, so that several are a part of the list.
        Skeleton("statement", "package p\nfunc f() {\nx()\n", "\nx()\n}\n"),
        Skeleton("expression", "package p\nvar x = ", "\n"),
        Skeleton("member", "package p\ntype T struct {\n", "\n}\n"),
        Skeleton("member", "package p\ntype T interface {\n", "\n}\n"),
        Skeleton("top", "package p\n", "\n"),
        Skeleton("top", "", "\n"),
        Skeleton("type", "package p\nvar x ", "\n"),
        Skeleton("parameter", "package p\nfunc f(", ") {}\n"),
        Skeleton("argument", "package p\nfunc f() {\ng(", ")\n}\n"),
        Skeleton("pair", "package p\nvar x = T{", "}\n"),
        Skeleton("case", "package p\nfunc f() {\nswitch x {\n", "\n}\n}\n"),
        Skeleton("case", "package p\nfunc f() {\nselect {\n", "\n}\n}\n"),
        # A rung of its own: `case *T:` is a dereference above and a type here.
        Skeleton("clause", "package p\nfunc f() {\nswitch x.(type) {\n", "\n}\n}\n"),
        Skeleton("specifier", "package p\nimport (\n", "\n)\n"),
        Skeleton("specifier", "package p\nconst (\n", "\n)\n"),
    ),
    ellipsis_stand_ins=("case {}:", "case <-{}:", '"{}"'),
    operators=("+", "=", ":="),
    unlikely=frozenset({"labeled_statement", "empty_statement"}),
    # The token at the end of the file has no name.
    terminator_tokens=frozenset({";", ""}),
    jumps=(
        ("return_statement", _FUNCTIONS),
        ("continue_statement", f"{_FUNCTIONS} {_LOOPS}"),
        (
            "break_statement",
            f"{_FUNCTIONS} {_LOOPS} expression_switch_statement type_switch_statement select_statement",
        ),
    ),
    line_comments=("//",),
    comment_starts=("/*",),
    strings=frozenset({"interpreted_string_literal", "raw_string_literal"}),
    quotes=('"',),
    blocks=frozenset(
        {
            "source_file",
            "block",
            "statement_list",
            "field_declaration_list",
            "interface_type",
            "import_spec_list",
            "expression_switch_statement",
            "type_switch_statement",
            "select_statement",
        }
    ),
    slots=frozenset({"expression_list"}),
    marked=frozenset({"variadic_argument", "keyed_element"}),
    parens=frozenset({"parenthesized_expression", "parenthesized_type"}),
    twins=(
        frozenset({"identifier", "type_identifier", "field_identifier", "package_identifier"}),
        frozenset({"expression_case", "type_case", "communication_case"}),
        frozenset({"selector_expression", "qualified_type"}),
        frozenset({"parameter_declaration", "field_declaration"}),
    ),
    member_names=frozenset({("selector_expression", "field")}),
    adornments=frozenset({"type_parameter_list"}),
    adornment_runs={
        "function_declaration": (("@result",),),
        "method_declaration": (("@result",),),
        "func_literal": (("@result",),),
        "var_spec": (("@type",),),
        "const_spec": (("@type",),),
        "field_declaration": (("@tag",),),
    },
    header_literals={
        "composite_literal": frozenset(
            {"slice_type", "array_type", "implicit_length_array_type", "map_type", "struct_type"}
        )
    },
    headers=frozenset(
        {"if_statement", "for_statement", "expression_switch_statement", "type_switch_statement"}
    ),
    last={"argument_list": {"variadic_argument": frozenset()}},
    only={
        ("go_statement", ""): frozenset({"call_expression"}),
        ("defer_statement", ""): frozenset({"call_expression"}),
        ("expression_statement", ""): frozenset(
            {
                "call_expression",
                "unary_expression",
                "parenthesized_expression",
                # `f[i](x)` is read so.
                "type_conversion_expression",
            }
        ),
    },
    one_token=frozenset({"<-", "--", "++"}),
    imports=Imports(
        kinds=frozenset({"import_declaration"}),
        before=frozenset({"package_clause"}),
        units=frozenset({"import_spec"}),
    ),
    defines=(
        Defines("function", "function_declaration"),
        Defines(
            "method",
            "method_declaration",
            owner="@receiver/parameter_declaration/@type/type_identifier|generic_type?/@type?",
        ),
        Defines("struct", "type_spec", where="@type=struct_type", body="@type/field_declaration_list"),
        Defines("interface", "type_spec", where="@type=interface_type", body="@type/{"),
        Defines("type", "type_spec type_alias"),
        Defines("method", "method_elem"),
        Defines("field", "field_declaration", "@name=field_identifier", level=True),
        # An embedded type is a field that is called as the type.
        Defines("field", "field_declaration", "@type/@type?/@name?", level=True),
        Defines("constant", "const_spec", "@name=identifier", level=True),
        Defines("variable", "var_spec", "@name=identifier", level=True),
    ),
    levels=frozenset(
        {
            "source_file",
            "const_declaration",
            "var_declaration",
            "var_spec_list",
            "field_declaration_list",
            "struct_type",
        }
    ),
    wrappers=frozenset({"const_declaration", "var_declaration", "type_declaration"}),
)
