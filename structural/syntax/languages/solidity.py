"""Solidity."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

LANGUAGE = Language(
    name="solidity",
    aliases=("sol",),
    suffixes=(".sol",),
    grammar=Grammar("tree_sitter_solidity", pack="solidity"),
    skeletons=(
        Skeleton("statement", "contract C { function f() public {\n", "\n} }"),
        Skeleton("expression", "contract C { function f() public { x = ", "; } }"),
        Skeleton("member", "contract C {\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "contract C { ", " x; }"),
        Skeleton("parameter", "contract C { function f(", ") public {} }"),
        Skeleton("parameter", "contract C { event E(", "); }"),
        Skeleton("argument", "contract C { function f() public { g(", "); } }"),
        Skeleton("pair", "contract C { function f() public { g({", "}); } }"),
        Skeleton("clause", "contract C { function f() public { try a.b() {} ", "\n} }"),
        Skeleton("attribute", "contract C { function f() ", " {} }"),
        Skeleton("specifier", "import {", '} from "m";'),
    ),
    stand_ins=("{}", "{};"),
    ellipsis_stand_ins=("{} {};", "{}: {}"),
    operators=("+", "=", "+="),
    terminators=(";",),
    line_comments=("//",),
    comment_starts=("/*",),
    strings=frozenset({"string"}),
    blocks=frozenset({"source_file", "function_body", "block_statement", "contract_body", "struct_body"}),
    bodies=frozenset({"if_statement", "for_statement", "while_statement", "do_while_statement"}),
    twins=(
        frozenset({"function_body", "block_statement"}),
        frozenset({"state_variable_declaration", "struct_member"}),
        frozenset({"parameter", "event_parameter", "error_parameter"}),
        frozenset({"call_struct_argument", "struct_field_assignment"}),
    ),
    member_names=frozenset({("member_expression", "property"), ("struct_field_assignment", "name")}),
    # No `parens`: in `revert("text")` they are the only thing that tells a text from an error.
    # A modifier such as `onlyOwner` adorns a function as a decorator does elsewhere.
    adornments=frozenset(
        {
            "visibility",
            "state_mutability",
            "virtual",
            "override_specifier",
            "modifier_invocation",
            "return_type_definition",
            "inheritance_specifier",
        }
    ),
    adornment_runs={
        "contract_declaration": (("is", "inheritance_specifier"), (",", "inheritance_specifier")),
        "interface_declaration": (("is", "inheritance_specifier"), (",", "inheritance_specifier")),
    },
    imports=Imports(kinds=frozenset({"import_directive"}), before=frozenset({"pragma_directive"})),
    defines=(
        Defines("contract", "contract_declaration library_declaration"),
        Defines("interface", "interface_declaration"),
        Defines("struct", "struct_declaration"),
        Defines("field", "struct_member"),
        Defines("enum", "enum_declaration"),
        Defines("member", "enum_value", "."),
        Defines("function", "function_definition"),
        Defines("constructor", "constructor_definition", "constructor"),
        Defines("method", "fallback_receive_definition", "fallback|receive!"),
        Defines("modifier", "modifier_definition"),
        Defines("event", "event_definition"),
        Defines("error", "error_declaration"),
        Defines("variable", "state_variable_declaration"),
        Defines("constant", "constant_variable_declaration"),
        Defines("type", "user_defined_type_definition"),
    ),
)
