"""Definitions in languages of the long tail that many projects have, and in dialects of others.

The rest of the long tail has general rules only (see ``syntax.defining``).
"""

from __future__ import annotations

from typing import Any

from structural.syntax.language import Defines, Language
from structural.syntax.languages import c, cpp, css, lua, python, typescript


def _rules_of(language: Language) -> dict[str, Any]:
    """The fields that say what a dialect of *language* defines: kinds that it lacks do no harm."""
    return {
        "defines": language.defines,
        "levels": language.levels,
        "wrappers": language.wrappers | language.adorned,
        "annotations": language.annotations,
        "constructors": language.constructors,
    }


_C = _rules_of(c.LANGUAGE)
_CPP = _rules_of(cpp.LANGUAGE)

_OCAML = {
    "defines": (
        Defines(
            "function", "value_definition", "let_binding/@pattern=value_name", where="let_binding/parameter"
        ),
        Defines("variable", "value_definition", "let_binding/@pattern=value_name", level=True),
        Defines("function", "value_specification external", "value_name!"),
        Defines("module", "module_definition", "module_binding/module_name"),
        Defines("interface", "module_type_definition", "module_type_name"),
        Defines("type", "type_definition", "type_binding/@name"),
        Defines("member", "constructor_declaration", "constructor_name"),
        Defines("field", "field_declaration", "field_name"),
        Defines("error", "exception_definition", "constructor_declaration/constructor_name"),
        Defines("class", "class_definition", "class_binding/@name"),
        Defines("method", "method_definition", "method_name"),
    ),
    "levels": frozenset({"compilation_unit", "structure", "module_binding"}),
}

RULES: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("glsl", "hlsl"), _C),
    **dict.fromkeys(("arduino", "cuda", "ispc"), _CPP),
    "objc": _C
    | {
        "defines": (
            Defines("interface", "protocol_declaration", "identifier!"),
            Defines(
                "class",
                "class_interface class_implementation",
                "identifier!",
                body="method_declaration|property_declaration|implementation_definition!",
            ),
            Defines("method", "method_declaration method_definition", "identifier!"),
            Defines("property", "property_declaration", "struct_declaration/struct_declarator"),
            *c.LANGUAGE.defines,
        )
    },
    "starlark": _rules_of(python.LANGUAGE),
    "luau": _rules_of(lua.LANGUAGE),
    "qml": _rules_of(typescript.TYPESCRIPT),
    "scss": _rules_of(css.LANGUAGE)
    | {
        "defines": (
            *css.LANGUAGE.defines,
            Defines("macro", "mixin_statement"),
            Defines("function", "function_statement"),
        )
    },
    **dict.fromkeys(("ocaml", "ocaml_interface"), _OCAML),
    "proto": {
        "defines": (
            Defines("struct", "message", "message_name", body="message_body"),
            Defines("enum", "enum", "enum_name", body="enum_body"),
            Defines("member", "enum_field", "identifier!"),
            Defines("field", "field oneof_field map_field oneof", "identifier!"),
            Defines("interface", "service", "service_name", body="{"),
            Defines("method", "rpc", "rpc_name"),
        ),
    },
    "graphql": {
        "defines": (
            Defines("type", "object_type_definition union_type_definition scalar_type_definition", "name"),
            Defines("type", "input_object_type_definition object_type_extension", "name"),
            Defines("interface", "interface_type_definition", "name"),
            Defines("enum", "enum_type_definition", "name"),
            Defines("member", "enum_value_definition", "enum_value/name?"),
            Defines("field", "field_definition", "name"),
            Defines("field", "input_value_definition", "name", inside="input_fields_definition"),
            Defines("function", "operation_definition", "name", body="selection_set"),
            Defines("function", "fragment_definition", "fragment_name", body="selection_set"),
            Defines("function", "directive_definition", "name"),
        ),
    },
    "ini": {
        "defines": (
            Defines("section", "section", "section_name/text", body="."),
            Defines("key", "setting", "setting_name"),
        ),
    },
    "make": {
        "defines": (
            Defines("rule", "rule", "targets/word", body="recipe"),
            Defines("variable", "variable_assignment", level=True),
            Defines("macro", "define_directive", body="@value"),
        ),
        "levels": frozenset({"makefile", "conditional"}),
    },
    "cmake": {
        "defines": (
            Defines("function", "function_def", "function_command/argument_list/argument!", body="body"),
            Defines("macro", "macro_def", "macro_command/argument_list/argument!", body="body"),
        ),
    },
    "sql": {
        "defines": (
            Defines("struct", "create_table", "object_reference!/@name", body="column_definitions"),
            Defines("type", "create_view create_materialized_view create_type", "object_reference!/@name"),
            Defines("function", "create_function", "object_reference!/@name", body="function_body"),
            Defines("field", "column_definition", "@name"),
            Defines("event", "create_trigger", "object_reference!/@name"),
        ),
    },
    "prisma": {
        "defines": (
            Defines("struct", "model_block", "identifier!"),
            Defines("enum", "enum_block", "identifier!"),
            Defines("field", "model_field", "@field_name"),
        ),
    },
    "r": {
        "defines": (
            Defines("function", "binary_operator", "@lhs=identifier", where="@rhs=function_definition"),
            Defines("variable", "binary_operator", "@lhs=identifier", where="<-|=", level=True),
        ),
        "levels": frozenset({"program"}),
    },
    "julia": {
        "defines": (
            Defines("module", "module_definition", body="block"),
            Defines(
                "struct",
                "struct_definition",
                "type_head/identifier|binary_expression|parametrized_type_expression!/identifier?",
                body="block",
            ),
            Defines(
                "function",
                "function_definition",
                "signature/call_expression|typed_expression|where_expression*/identifier!",
                body="block",
            ),
            Defines("macro", "macro_definition", "signature/call_expression/identifier!", body="block"),
            Defines("function", "assignment", "call_expression!/identifier!"),
            Defines("constant", "const_statement", "assignment/identifier!", level=True),
        ),
        "levels": frozenset({"source_file", "module_definition", "block"}),
    },
    "powershell": {
        "defines": (
            Defines("function", "function_statement", "function_name", body="script_block"),
            Defines("class", "class_statement", "simple_name!"),
            Defines("enum", "enum_statement", "simple_name!"),
            Defines("field", "class_property_definition", "variable"),
            Defines("method", "class_method_definition", "simple_name!"),
        ),
    },
    "erlang": {
        "defines": (
            Defines("function", "fun_decl", "@clause!/@name", joined="@clause!/@args"),
            Defines("struct", "record_decl"),
            Defines("type", "type_alias opaque", "@name/@name?"),
            Defines("macro", "pp_define", "@lhs/@name?"),
        ),
    },
    "fsharp": {
        "defines": (
            Defines("module", "named_module module_defn", "@name|identifier!"),
            Defines("function", "function_or_value_defn", "function_declaration_left/identifier!"),
            Defines(
                "type",
                "union_type_defn record_type_defn enum_type_defn anon_type_defn type_abbrev_defn",
                "type_name/@type_name",
            ),
            Defines("member", "union_type_case", "identifier!"),
            Defines("field", "record_field", "identifier!"),
        ),
    },
    "elm": {
        "defines": (
            Defines(
                "function", "value_declaration", "@functionDeclarationLeft/lower_case_identifier!", level=True
            ),
            Defines("type", "type_declaration type_alias_declaration"),
            Defines("member", "union_variant"),
        ),
        "levels": frozenset({"file"}),
    },
}
"""Language → fields of its ``Language``."""
