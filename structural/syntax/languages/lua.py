"""Lua."""

from __future__ import annotations

from structural.syntax.language import Grammar, Language, Skeleton

LANGUAGE = Language(
    name="lua",
    aliases=("luajit",),
    suffixes=(".lua", ".rockspec", ".wlua"),
    filenames=(".luacheckrc", ".busted"),
    interpreters=("lua", "luajit", "texlua"),
    grammar=Grammar("tree_sitter_lua", pack="lua"),
    skeletons=(
        Skeleton("statement"),
        Skeleton("statement", "function f(...) while x do\n", "\nend end"),
        Skeleton("expression", "x = ", ""),
        Skeleton("top"),
        Skeleton("clause", "if x then\n", "\nend"),
        Skeleton("parameter", "function f(", ") end"),
        Skeleton("argument", "f(", ")"),
        Skeleton("pair", "x = {", "}"),
    ),
    # A name is no statement; a call is.
    stand_ins=("{}", "{}()"),
    operators=("+", "="),
    # `;` is a statement of its own in this grammar.
    layout=frozenset({"empty_statement", "hash_bang_line"}),
    separators=frozenset({",", ";"}),
    comment_starts=("--", "#!", ";"),
    strings=frozenset({"string"}),
    clauses=frozenset({"else_statement", "elseif_statement"}),
    blocks=frozenset({"chunk", "block"}),
    slots=frozenset({"variable_list", "expression_list"}),
    parens=frozenset({"parenthesized_expression"}),
    optional_tokens={"arguments": frozenset({"(", ")"})},
    member_names=frozenset(
        {("dot_index_expression", "field"), ("method_index_expression", "method"), ("field", "name")}
    ),
    adornments=frozenset({"local", "attribute"}),
    unordered=frozenset({"field"}),
)
