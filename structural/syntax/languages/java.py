"""Java."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_FUNCTIONS = (
    "lambda_expression method_declaration"
    " constructor_declaration compact_constructor_declaration static_initializer"
)
_LOOPS = "for_statement enhanced_for_statement while_statement do_statement"

LANGUAGE = Language(
    name="java",
    suffixes=(".java",),
    grammar=Grammar("tree_sitter_java", pack="java"),
    skeletons=(
        Skeleton("statement", "class C { void f() {\n", "\n} }"),
        Skeleton("statement", "class C { C() {\n", "\n} }"),
        Skeleton("expression", "class C { void f() { x = ", "; } }"),
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("member", "@interface C {\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "class C { ", " x; }"),
        Skeleton("parameter", "class C { void f(", ") {} }"),
        Skeleton("argument", "class C { void f() { g(", "); } }"),
        Skeleton("attribute", "", "\nclass C {}"),
        Skeleton("pair", "@A(", ") class C {}"),
        Skeleton("pair", "enum E { ", " }"),
        Skeleton("case", "class C { void f() { switch (x) {\n", "\n} } }"),
        Skeleton("clause", "class C { void f() { try {} ", "\n} }"),
    ),
    stand_ins=("{}", "{};"),
    ellipsis_stand_ins=("{} {};", "{} = {}", "{} {}", "case {}:", "case {} -> {};"),
    operators=("+", "=", "+="),
    terminators=(";",),
    unlikely=frozenset({"labeled_statement"}),
    partings={"catch_type": ("|",), "type_bound": ("&",)},
    jumps=(
        ("return_statement", _FUNCTIONS),
        ("continue_statement", f"{_FUNCTIONS} {_LOOPS}"),
        ("break_statement", f"{_FUNCTIONS} {_LOOPS} switch_expression switch_statement"),
    ),
    comments=frozenset({"line_comment", "block_comment"}),
    line_comments=("//",),
    comment_starts=("/*",),
    strings=frozenset({"string_literal"}),
    quotes=('"',),
    blocks=frozenset(
        {
            "program",
            "block",
            "class_body",
            "interface_body",
            "annotation_type_body",
            "enum_body_declarations",
            "constructor_body",
            "switch_block",
            "switch_block_statement_group",
        }
    ),
    bodies=frozenset(
        {"if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement"}
    ),
    slots=frozenset({"variable_declarator", "type_list"}),
    marked=frozenset({"element_value_pair", "formal_parameters"}),
    parens=frozenset({"parenthesized_expression"}),
    parameter_parens={"lambda_expression": "inferred_parameters"},
    twins=(
        frozenset({"local_variable_declaration", "field_declaration", "constant_declaration"}),
        frozenset({"identifier", "type_identifier"}),
        frozenset({"field_access", "scoped_identifier", "scoped_type_identifier"}),
        frozenset({"formal_parameters", "inferred_parameters"}),
        frozenset({"block", "constructor_body"}),
    ),
    member_names=frozenset(
        {
            ("field_access", "field"),
            ("method_invocation", "name"),
            ("element_value_pair", "key"),
        }
    ),
    adornments=frozenset(
        {
            "modifiers",
            "type_parameters",
            "throws",
            "superclass",
            "super_interfaces",
            "extends_interfaces",
            "permits",
        }
    ),
    # The words of a declaration stand in one node; each of them may be left out.
    adornment_runs={
        "modifiers": tuple(
            (word,)
            for word in (
                "annotation",
                "marker_annotation",
                "public",
                "protected",
                "private",
                "static",
                "final",
                "abstract",
                "default",
                "sealed",
                "non-sealed",
                "strictfp",
                "native",
                "synchronized",
                "transient",
                "volatile",
            )
        )
    },
    unordered=frozenset({"element_value_pair"}),
    weak_operands=frozenset({"assignment_expression"}),
    declarations=frozenset({"local_variable_declaration", "class_declaration"}),
    only={
        ("expression_statement", ""): frozenset(
            {"assignment_expression", "update_expression", "method_invocation", "object_creation_expression"}
        )
    },
    imports=Imports(kinds=frozenset({"import_declaration"}), before=frozenset({"package_declaration"})),
    defines=(
        Defines("class", "class_declaration record_declaration"),
        Defines("interface", "interface_declaration annotation_type_declaration"),
        Defines("enum", "enum_declaration"),
        Defines("member", "enum_constant"),
        Defines("method", "method_declaration annotation_type_element_declaration"),
        Defines("constructor", "constructor_declaration compact_constructor_declaration"),
        Defines("field", "variable_declarator", inside="field_declaration"),
        Defines("constant", "variable_declarator", inside="constant_declaration"),
        Defines("module", "module_declaration"),
    ),
    wrappers=frozenset({"field_declaration", "constant_declaration"}),
    annotations=frozenset({"annotation", "marker_annotation"}),
    constant={"annotation_argument_list": frozenset({"assignment_expression", "method_invocation"})},
    soft_words=(
        "exports module open opens permits provides record requires sealed to transitive uses when with yield"
    ),
    ungrouped=frozenset({("cast_expression", "value", "assignment_expression")}),
)
