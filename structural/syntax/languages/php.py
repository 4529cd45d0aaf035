"""PHP, with the HTML around it."""

from __future__ import annotations

from structural.syntax.language import Defines, Embedding, Grammar, Imports, Language, Skeleton

_FUNCTIONS = "anonymous_function arrow_function function_definition method_declaration"
_LOOPS = "for_statement foreach_statement while_statement do_statement"

_RETURNS = ((":", "@return_type"),)

LANGUAGE = Language(
    name="php",
    suffixes=(".php", ".phtml", ".php3", ".php4", ".php5", ".phps", ".inc"),
    interpreters=("php",),
    grammar=Grammar("tree_sitter_php", "language_php", pack="php"),
    skeletons=(
        Skeleton("statement", "<?php\n", "\n"),
        Skeleton("statement", "<?php function f() { while (1) {\n", "\n} }"),
        Skeleton("expression", "<?php $x = (", ");"),
        Skeleton("clause", "<?php try {} ", "\n"),
        Skeleton("clause", "<?php if (1) {} ", "\n"),
        Skeleton("member", "<?php class C {\n", "\n}"),
        Skeleton("top", "<?php\n", "\n"),
        Skeleton("type", "<?php function f(): ", " {}"),
        Skeleton("parameter", "<?php function f(", ") {}"),
        Skeleton("argument", "<?php f(", ");"),
        Skeleton("case", "<?php switch (1) {\n", "\n}"),
        Skeleton("case", "<?php $x = match (1) {\n", "\n};"),
        Skeleton("pair", "<?php $x = [", "];"),
        Skeleton("attribute", "<?php ", "\nclass C {}"),
    ),
    # A name where names stand, a variable where only that is code.
    stand_ins=("{}", "${}", "{};"),
    # An item of a class or block, a parameter, a branch of a `switch`, an arm of a `match`.
    ellipsis_stand_ins=("use {};", "${}", "case {}:", "{} => 0"),
    operators=("+", "=", ".="),
    terminators=(";",),
    unlikely=frozenset({"named_label_statement", "empty_statement"}),
    partings={"type_list": ("|",), "union_type": ("|",), "intersection_type": ("&",)},
    jumps=(
        ("return_statement yield_expression", _FUNCTIONS),
        ("break_statement continue_statement", f"{_FUNCTIONS} {_LOOPS} switch_statement"),
    ),
    line_comments=("#", "//"),
    comment_starts=("/*",),
    strings=frozenset({"string", "encapsed_string"}),
    case_insensitive=True,
    blocks=frozenset(
        {
            "program",
            "compound_statement",
            "colon_block",
            "declaration_list",
            "enum_declaration_list",
            "switch_block",
            "case_statement",
            "default_statement",
        }
    ),
    bodies=frozenset(
        {
            "if_statement",
            "else_clause",
            "else_if_clause",
            "for_statement",
            "foreach_statement",
            "while_statement",
            "do_statement",
        }
    ),
    slots=frozenset({"argument", "array_element_initializer", "property_element", "namespace_use_clause"}),
    marked=frozenset({"variadic_unpacking", "variadic_parameter", "variadic_placeholder"}),
    parens=frozenset({"parenthesized_expression"}),
    free_members=True,
    member_names=frozenset(
        {
            ("member_access_expression", "name"),
            ("member_call_expression", "name"),
            ("nullsafe_member_access_expression", "name"),
            ("nullsafe_member_call_expression", "name"),
            ("scoped_call_expression", "name"),
            ("method_declaration", "name"),
            ("argument", "name"),
        }
    ),
    adornments=frozenset(
        {
            "attribute_list",
            "visibility_modifier",
            "static_modifier",
            "abstract_modifier",
            "final_modifier",
            "readonly_modifier",
            "var_modifier",
            "base_clause",
            "class_interface_clause",
        }
    ),
    adornment_runs={
        "function_definition": _RETURNS,
        "method_declaration": _RETURNS,
        "anonymous_function": _RETURNS,
        "arrow_function": _RETURNS,
        "simple_parameter": (("@type",),),
        "property_promotion_parameter": (("@type",),),
        "property_declaration": (("@type",),),
        "const_declaration": (("@type",),),
    },
    adorned=frozenset({"simple_parameter", "property_promotion_parameter"}),
    optional_chains={"?->": "->"},
    embedded=(Embedding("text", "html"),),
    weak_receivers=frozenset({"object_creation_expression"}),
    weak_operands=frozenset({"assignment_expression", "augmented_assignment_expression"}),
    verbatim=frozenset({"heredoc_body", "heredoc_end", "nowdoc_body"}),
    imports=Imports(
        kinds=frozenset({"namespace_use_declaration"}),
        texts=r"(?:require|include)(?:_once)?\b",
        before=frozenset({"php_tag", "namespace_definition", "declare_statement"}),
        grouped=".",
        opening="<?php\n",
    ),
    defines=(
        Defines("namespace", "namespace_definition", where="@body"),
        Defines("class", "class_declaration"),
        Defines("interface", "interface_declaration"),
        Defines("trait", "trait_declaration"),
        Defines("enum", "enum_declaration"),
        Defines("member", "enum_case"),
        Defines("function", "function_definition method_declaration"),
        Defines("field", "property_element", "@name/name?"),
        Defines("constant", "const_element", "name!"),
        Defines(
            "function",
            "assignment_expression",
            "@left=variable_name/name?",
            where="@right=anonymous_function|@right=arrow_function",
            body="@right/@body",
        ),
        Defines(
            "constant",
            "function_call_expression",
            "@arguments/argument/string/string_content!",
            word="@function",
            words="define",
        ),
    ),
    wrappers=frozenset({"const_declaration", "property_declaration", "expression_statement"}),
    annotations=frozenset({"attribute_list"}),
    constructors=frozenset({"__construct"}),
    # The grammar takes `f(&$x)`, which PHP no longer does.
    barred=frozenset({("argument", "", "reference_modifier", "")}),
    constant=dict.fromkeys(
        (
            "attribute",
            "const_element",
            "enum_case",
            "property_element",
            "property_promotion_parameter",
            "simple_parameter",
        ),
        frozenset(
            {
                "anonymous_function",
                "assignment_expression",
                "function_call_expression",
                "member_call_expression",
                "nullsafe_member_call_expression",
                "scoped_call_expression",
            }
        ),
    ),
    soft_words="bool encoding enum float int object parent readonly self strict_types string ticks",
    keyword_names=frozenset(
        {
            ("variable_name", "", ""),
            ("class_constant_access_expression", "", ""),
            ("const_element", "", ""),
            ("enum_case", "name", ""),
            ("namespace_name", "", ""),
            ("qualified_name", "", ""),
            ("named_type", "", "static"),
            ("object_creation_expression", "", "static"),
        }
    ),
)
