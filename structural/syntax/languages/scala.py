"""Scala 2 and 3."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

LANGUAGE = Language(
    name="scala",
    aliases=("sc", "sbt"),
    suffixes=(".scala", ".sc", ".sbt"),
    interpreters=("scala",),
    grammar=Grammar("tree_sitter_scala", pack="scala"),
    skeletons=(
        Skeleton("statement", "object O { def f = {\n", "\n} }"),
        Skeleton("expression", "object O { val x = (", ") }"),
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "object O { type T = ", " }"),
        Skeleton("parameter", "object O { def f(", ") = x }"),
        Skeleton("parameter", "class C(", ")"),
        Skeleton("argument", "object O { val x = f(", ") }"),
        Skeleton("case", "object O { x match {\n", "\n} }"),
        Skeleton("clause", "object O { val x = try y\n", "\n}"),
        Skeleton("attribute", "", "\nclass C"),
        Skeleton("specifier", "import a.{", "}"),
        Skeleton("specifier", "val x = for {\n", "\n} yield 1\n"),
    ),
    ellipsis_stand_ins=("{}: {}", "case {} =>", "{} <- {}"),
    operators=("+", "="),
    partings={"extends_clause": ("with",), "alternative_pattern": ("|",)},
    jumps=(("return_expression", "function_definition"),),
    comments=frozenset({"comment", "block_comment"}),
    strings=frozenset({"string", "interpolated_string"}),
    quotes=('"',),
    blocks=frozenset(
        {
            "compilation_unit",
            "block",
            "indented_block",
            "template_body",
            "case_block",
            "indented_cases",
            "case_clause",
            "enum_body",
        }
    ),
    bodies=frozenset(
        {"if_expression", "while_expression", "for_expression", "do_while_expression", "function_definition"}
    ),
    marked=frozenset({"vararg"}),
    parens=frozenset({"parenthesized_expression"}),
    parameter_parens={"lambda_expression": "bindings"},
    twins=(
        frozenset({"identifier", "type_identifier"}),
        frozenset({"stable_type_identifier", "stable_identifier", "field_expression"}),
        frozenset({"generic_function", "generic_type"}),
        frozenset({"block", "case_block"}),
        frozenset({"parameter", "class_parameter", "binding"}),
    ),
    member_names=frozenset({("field_expression", "field")}),
    adornments=frozenset({"annotation", "modifiers", "type_parameters", "extends_clause", "derives_clause"}),
    adornment_runs={
        "function_definition": ((":", "@return_type"),),
        "function_declaration": ((":", "@return_type"),),
        "val_definition": ((":", "@type"),),
        "var_definition": ((":", "@type"),),
    },
    # `a` and `{ b }` on two lines are a call.
    joining=("{",),
    imports=Imports(
        kinds=frozenset({"import_declaration"}), before=frozenset({"package_clause"}), grouped="."
    ),
    defines=(
        Defines("object", "object_definition package_object"),
        Defines("class", "class_definition"),
        Defines("trait", "trait_definition"),
        Defines("enum", "enum_definition"),
        Defines("member", "simple_enum_case full_enum_case"),
        Defines("namespace", "package_clause", where="@body"),
        Defines("function", "function_definition function_declaration"),
        Defines("variable", "val_definition var_definition", "@pattern=identifier", level=True),
        Defines("variable", "val_declaration var_declaration", level=True),
        Defines("type", "type_definition"),
        Defines("object", "given_definition"),
        Defines("extension", "extension_definition", "@parameters/parameter!/@type"),
    ),
    levels=frozenset({"compilation_unit", "template_body", "with_template_body", "enum_body"}),
    wrappers=frozenset({"enum_case_definitions"}),
    annotations=frozenset({"annotation"}),
    constructors=frozenset({"this"}),
    soft_words="as cap derives enum except export extension given macro only rd super then this uses using",
)
