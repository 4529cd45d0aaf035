"""Rust."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

_FUNCTIONS = "function_item closure_expression async_block"
_LOOPS = "for_expression while_expression loop_expression"

LANGUAGE = Language(
    name="rust",
    aliases=("rs",),
    suffixes=(".rs",),
    interpreters=("rust-script",),
    grammar=Grammar("tree_sitter_rust", pack="rust"),
    skeletons=(
        Skeleton("statement", "async fn f() {\n", "\n}"),
        Skeleton("expression", "fn f() { x = ", "; }"),
        Skeleton("member", "trait T {\n", "\n}"),
        Skeleton("member", "struct S {\n", "\n}"),
        Skeleton("top"),
        Skeleton("type", "type T = ", ";"),
        Skeleton("parameter", "fn f(", ") {}"),
        Skeleton("argument", "fn f() { g(", "); }"),
        Skeleton("pair", "fn f() { x = S { ", " }; }"),
        Skeleton("pair", "enum E { ", " }"),
        Skeleton("case", "fn f() { match x {\n", "\n} }"),
        Skeleton("case", "fn f() { match x { ", " => y } }"),
        Skeleton("clause", "fn f() { if x {} ", "\n}"),
        Skeleton("clause", "fn f() { if ", " {} }"),
        Skeleton("attribute", "#[", "]\nstruct S;"),
        Skeleton("specifier", "use a::{", "};"),
    ),
    stand_ins=("{}", "{};"),
    ellipsis_stand_ins=("{}: {}", "const {}: {} = {};", "{} => {},", "{} => {}"),
    operators=("+", "=", "+=", ".."),
    terminators=(";",),
    unlikely=frozenset({"empty_statement"}),
    partings={"trait_bounds": ("+",), "or_pattern": ("|",), "bounded_type": ("+",)},
    ended=frozenset({"macro_invocation"}),
    jumps=(
        ("return_expression try_expression", _FUNCTIONS),
        ("break_expression continue_expression", f"{_FUNCTIONS} {_LOOPS}"),
    ),
    comments=frozenset({"line_comment", "block_comment"}),
    line_comments=("//",),
    comment_starts=("/*",),
    strings=frozenset({"string_literal", "raw_string_literal"}),
    quotes=('"',),
    blocks=frozenset({"source_file", "block", "declaration_list", "match_block"}),
    slots=frozenset({"match_pattern"}),
    marked=frozenset({"base_field_initializer", "remaining_field_pattern"}),
    parens=frozenset({"parenthesized_expression"}),
    token_trees=frozenset({"token_tree"}),
    twins=(
        frozenset({"identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"}),
        frozenset({"scoped_identifier", "scoped_type_identifier"}),
    ),
    member_names=frozenset({("field_expression", "field"), ("field_initializer", "field")}),
    adornments=frozenset(
        {
            "visibility_modifier",
            "attribute_item",
            "inner_attribute_item",
            "type_parameters",
            "where_clause",
        }
    ),
    adornment_runs={
        "function_item": (("->", "@return_type"),),
        "function_signature_item": (("->", "@return_type"),),
        "closure_expression": (("->", "@return_type"),),
        "let_declaration": ((":", "@type"),),
        "trait_item": (("@bounds",),),
    },
    unordered=frozenset({"field_initializer"}),
    weak_receivers=frozenset({"type_cast_expression", "range_expression"}),
    header_literals={"struct_expression": frozenset()},
    headers=frozenset({"if_expression", "while_expression", "match_expression", "for_expression"}),
    tight={"<": frozenset({"type_cast_expression"}), "<<": frozenset({"type_cast_expression"})},
    misread=frozenset(
        ("expression_statement", "", word) for word in ("if", "match", "loop", "while", "for", "unsafe", "{")
    ),
    ungrouped=frozenset(
        {
            ("range_expression", "", "range_expression"),
            # What follows would be taken for the value: a block.
            *(
                (above, name, kind)
                for above, name in (
                    ("if_expression", "condition"),
                    ("while_expression", "condition"),
                    ("match_expression", "value"),
                    ("for_expression", "value"),
                )
                for kind in ("return_expression", "break_expression", "yield_expression")
            ),
        }
    ),
    heads=frozenset(
        {
            "if_expression",
            "match_expression",
            "loop_expression",
            "while_expression",
            "for_expression",
            "unsafe_block",
            "block",
        }
    ),
    imports=Imports(
        kinds=frozenset({"use_declaration", "extern_crate_declaration"}),
        before=frozenset({"inner_attribute_item"}),
        grouped="::self",
    ),
    defines=(
        Defines("function", "function_item function_signature_item"),
        Defines("struct", "struct_item"),
        Defines("union", "union_item"),
        Defines("enum", "enum_item"),
        Defines("member", "enum_variant"),
        Defines("field", "field_declaration"),
        Defines("trait", "trait_item"),
        Defines("impl", "impl_item", "@type/@type?/@name?"),
        Defines("module", "mod_item"),
        Defines("constant", "const_item", level=True),
        Defines("variable", "static_item", level=True),
        Defines("type", "type_item associated_type"),
        Defines("macro", "macro_definition", body="macro_rule!"),
    ),
    levels=frozenset({"source_file", "declaration_list", "foreign_mod_item"}),
    annotations=frozenset({"attribute_item"}),
    soft_words=(
        "block default expr gen ident item lifetime literal meta pat pat_param path raw stmt try tt ty "
        "union vis"
    ),
    named_tokens=frozenset({"_"}),
    keyword_names=frozenset({("lifetime", "", "static"), ("token_tree", "", "")}),
)
