"""Kotlin."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

LANGUAGE = Language(
    name="kotlin",
    aliases=("kt", "kts"),
    suffixes=(".kt", ".kts"),
    grammar=Grammar("tree_sitter_kotlin"),
    skeletons=(
        Skeleton("statement", "fun f() {\n", "\n}"),
        Skeleton("expression", "val x = ", "\n"),
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("member", "class C {\nval x: Int\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "val x: ", "\n"),
        Skeleton("parameter", "fun f(", ") {}\n"),
        Skeleton("parameter", "class C(", ")\n"),
        Skeleton("argument", "fun f() { g(", ") }"),
        Skeleton("case", "fun f() { when (x) {\n", "\n} }"),
        Skeleton("clause", "fun f() { try {} ", "\n}"),
        Skeleton("pair", "enum class E { ", " }"),
        Skeleton("attribute", "", "\nclass C\n"),
    ),
    # A member is only read before a line break.
    ellipsis_stand_ins=("val {}\n", "{}: {}", "{} -> {}"),
    operators=("+", "=", "..", "in"),
    unlikely=frozenset({"annotated_expression", "labeled_expression"}),
    jumps=(
        (
            "return_expression",
            "function_declaration anonymous_function getter setter secondary_constructor lambda_literal",
        ),
    ),
    comments=frozenset({"line_comment", "block_comment"}),
    strings=frozenset({"string_literal", "multiline_string_literal"}),
    quotes=('"',),
    blocks=frozenset(
        {"source_file", "block", "class_body", "enum_class_body", "lambda_literal", "when_expression"}
    ),
    bodies=frozenset(
        {"if_expression", "for_statement", "while_statement", "do_while_statement", "when_entry"}
    ),
    slots=frozenset({"value_argument", "type_projection"}),
    flat_lists=frozenset({"catch_block"}),
    marked=frozenset({"spread_expression"}),
    parens=frozenset({"parenthesized_expression"}),
    adornments=frozenset(
        {
            "modifiers",
            "annotation",
            "visibility_modifier",
            "inheritance_modifier",
            "member_modifier",
            "platform_modifier",
            "type_parameters",
            "type_constraints",
        }
    ),
    significant_words=frozenset({"suspend", "const", "vararg", "inline"}),
    # A type stands as `:` and any node behind a name, without a node around both.
    adornment_runs={
        "function_declaration": ((":", "*"),),
        "variable_declaration": ((":", "*"),),
        "anonymous_function": ((":", "*"),),
        "class_declaration": ((":", "delegation_specifiers"),),
        "object_declaration": ((":", "delegation_specifiers"),),
        "companion_object": ((":", "delegation_specifiers"),),
    },
    adorned=frozenset({"annotated_expression"}),
    twins=(
        frozenset({"class_body", "enum_class_body"}),
        frozenset({"parameter", "class_parameter", "variable_declaration"}),
        frozenset({"block", "lambda_literal"}),
    ),
    optional_chains={"?.": "."},
    unordered=frozenset({"value_argument"}),
    weak_receivers=frozenset({"unary_expression", "as_expression"}),
    imports=Imports(kinds=frozenset({"import"}), before=frozenset({"file_annotation", "package_header"})),
    defines=(
        Defines("interface", "class_declaration", where="interface"),
        Defines("enum", "class_declaration", where="enum_class_body"),
        Defines("class", "class_declaration"),
        Defines("object", "object_declaration"),
        Defines("object", "companion_object"),
        Defines("object", "companion_object", "companion"),
        Defines("member", "enum_entry", "identifier!"),
        Defines("function", "function_declaration"),
        Defines("constructor", "secondary_constructor", "constructor"),
        Defines("variable", "property_declaration", "variable_declaration/identifier!", level=True),
        Defines("field", "class_parameter", "identifier!", where="val|var"),
        Defines("type", "type_alias", "@type"),
    ),
    levels=frozenset({"source_file", "class_body", "enum_class_body"}),
    annotations=frozenset({"annotation", "file_annotation"}),
    soft_words=(
        "abstract actual annotation by companion const constructor crossinline data "
        "delegate dynamic enum expect external field file final get import infix init "
        "inline inner internal lateinit noinline open operator out override param private "
        "property protected public receiver sealed set setparam suspend tailrec value vararg "
        "where"
    ),
    # `catch` and `finally` are names too, but a call of such a name is the clause.
    keyword_names=frozenset({("navigation_expression", "", "class"), ("infix_expression", "", "class")})
    | frozenset(
        (kind, field, word)
        for kind, field in (
            ("navigation_expression", ""),
            ("qualified_identifier", ""),
            ("function_declaration", "name"),
            ("value_argument", ""),
        )
        for word in ("catch", "finally")
    ),
)
