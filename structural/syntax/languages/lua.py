"""Lua."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

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
    imports=Imports(texts=r"(?:local\s[^\n]*=\s*)?require\b"),
    defines=(
        Defines("function", "function_declaration", "@name=identifier"),
        Defines("function", "function_declaration", "@name/@field", owner="@name/@table"),
        Defines("method", "function_declaration", "@name/@method", owner="@name/@table"),
        Defines(
            "function",
            "assignment_statement",
            "variable_list/@name=identifier|@name=dot_index_expression/@field?",
            where="expression_list/@value=function_definition",
            owner="variable_list/@name=dot_index_expression/@table",
            body="expression_list/@value/@body",
        ),
        Defines("variable", "assignment_statement", "variable_list/@name=identifier", level=True),
        Defines("variable", "variable_declaration", "variable_list/@name=identifier", level=True),
        Defines("function", "field", where="@value=function_definition", body="@value/@body"),
        Defines(
            "test",
            "function_call",
            "@arguments/string!",
            word="@name",
            words="describe context it test",
            where="@arguments/function_definition",
            body="@arguments/function_definition/@body",
        ),
    ),
    levels=frozenset({"chunk", "variable_declaration"}),
    wrappers=frozenset({"variable_declaration"}),
    soft_words="global goto",
)
