"""Dart."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

# A type is no node of its own: its name, arguments and question mark are siblings.
_TYPES = (
    ("type_identifier", "type_arguments", "nullable_type"),
    ("type_identifier", "type_arguments"),
    ("type_identifier", "nullable_type"),
    ("type_identifier",),
    ("function_type", "nullable_type"),
    ("function_type",),
    ("record_type", "nullable_type"),
    ("record_type",),
    ("void_type",),
)

_FUNCTIONS = "function_body function_expression_body"
_LOOPS = "for_statement while_statement do_statement"

LANGUAGE = Language(
    name="dart",
    aliases=("flutter",),
    suffixes=(".dart",),
    interpreters=("dart",),
    grammar=Grammar("tree_sitter_dart_orchard", pack="dart"),
    skeletons=(
        Skeleton("statement", "void f() async {\n", "\n}"),
        Skeleton("expression", "var x = ", ";"),
        Skeleton("member", "class C {\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "class C { ", " x; }"),
        # Before the parameters: there `key: x` is an old-style default value.
        Skeleton("argument", "void f() { g(", "); }"),
        Skeleton("parameter", "void f(", ") {}"),
        Skeleton("parameter", "void f({", "}) {}"),
        Skeleton("pair", "var x = {", "};"),
        Skeleton("case", "void f() { switch (x) {\n", "\n} }"),
        Skeleton("case", "var x = switch (y) { ", " };"),
        Skeleton("clause", "void f() { try {} ", "\n}"),
        Skeleton("attribute", "", "\nclass C {}"),
    ),
    stand_ins=("{}", "{};"),
    ellipsis_stand_ins=("{} {};", "case {}:", "{} => {}"),
    operators=("+", "*", "==", "<", "&&", "||", "??", "&", "|", "^", "<<", "=", "+="),
    terminators=(";",),
    unlikely=frozenset({"local_function_declaration"}),
    jumps=(
        ("return_statement yield_statement await_expression", _FUNCTIONS),
        ("continue_statement", f"{_FUNCTIONS} {_LOOPS}"),
        ("break_statement", f"{_FUNCTIONS} {_LOOPS} switch_statement"),
    ),
    waits=frozenset({"await_expression"}),
    comments=frozenset({"comment", "documentation_comment"}),
    strings=frozenset({"string_literal"}),
    quotes=("'''", '"""', "'", '"'),
    # A `catch` and its block are siblings inside the `try`, as are `required` and its parameter,
    # so those too are rows of items.
    blocks=frozenset(
        {
            "program",
            "block",
            "class_body",
            "extension_body",
            "switch_block",
            "switch_statement_case",
            "switch_statement_default",
            "try_statement",
            "optional_formal_parameters",
        }
    ),
    bodies=frozenset({"if_statement", "for_statement", "while_statement", "do_statement"}),
    tails={"type_identifier": frozenset({".", "type_identifier", "type_arguments", "nullable_type"})},
    slots=frozenset(
        {
            "argument",
            "initialized_identifier",
            "initialized_identifier_list",
            "static_final_declaration",
            "static_final_declaration_list",
        }
    ),
    marked=frozenset(
        {"named_argument", "spread_element", "if_element", "for_element", "final_builtin", "const_builtin"}
    ),
    parens=frozenset({"parenthesized_expression"}),
    twins=(
        frozenset({"identifier", "type_identifier"}),
        frozenset({"function_declaration", "method_declaration", "lambda_expression"}),
    ),
    adornments=frozenset(
        {
            "annotation",
            "static",
            "late",
            "external",
            "covariant",
            "type_parameters",
            "superclass",
            "interfaces",
            "mixins",
        }
    ),
    adornment_runs={
        "function_signature": _TYPES,
        "getter_signature": _TYPES,
        "initialized_variable_definition": (("final_builtin",), *_TYPES),
        "declaration": (("final_builtin",), *_TYPES),
        "formal_parameter": _TYPES,
        "class_definition": (("abstract",),),
    },
    unordered=frozenset({"named_argument"}),
    misread=frozenset({("expression_statement", "", "{")}),
    imports=Imports(
        kinds=frozenset({"import_or_export"}),
        before=frozenset({"library_name"}),
        texts=r"(?:import|export)\b",
    ),
    defines=(
        Defines("class", "class_definition"),
        Defines("class", "mixin_declaration", "identifier!", body="class_body"),
        Defines("extension", "extension_declaration extension_type_declaration"),
        Defines("enum", "enum_declaration"),
        Defines("member", "enum_constant"),
        Defines("type", "type_alias", "type_identifier!"),
        Defines("function", "function_declaration local_function_declaration", "@signature/@name"),
        Defines(
            "method",
            "method_declaration",
            "@signature/function_signature|getter_signature|setter_signature/@name",
        ),
        Defines("method", "method_declaration", "@signature/operator_signature/binary_operator"),
        Defines("method", "method_declaration", "@signature/operator_signature/@operator|==|[]|[]=|~!"),
        Defines("constructor", "method_declaration", "@signature/constructor_signature/@name=identifier&"),
        Defines("constructor", "method_declaration", "@signature/factory_constructor_signature/identifier&"),
        Defines("method", "declaration", "function_signature|getter_signature|setter_signature/@name"),
        Defines("constructor", "declaration", "constructor_signature/@name=identifier&"),
        Defines(
            "constructor",
            "declaration",
            "constant_constructor_signature|factory_constructor_signature"
            "|redirecting_factory_constructor_signature/identifier&",
        ),
        Defines("variable", "static_final_declaration initialized_identifier", "identifier!", level=True),
    ),
    levels=frozenset(
        {
            "program",
            "class_body",
            "extension_body",
            "enum_body",
            "declaration",
            "static_final_declaration_list",
            "initialized_identifier_list",
            "initialized_variable_definition",
        }
    ),
    wrappers=frozenset({"declaration", "static_final_declaration_list", "initialized_identifier_list"}),
    annotations=frozenset({"annotation"}),
    hard_words="assert break case const final rethrow void",
    soft_words=(
        "Function abstract as async await base covariant deferred export extension external "
        "factory get hide implements import inline interface late library mixin native on "
        "operator part required sealed set show static type typedef when yield"
    ),
)
