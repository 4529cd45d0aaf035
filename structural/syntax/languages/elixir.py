"""Elixir."""

from __future__ import annotations

from structural.syntax.language import Grammar, Language, Skeleton

LANGUAGE = Language(
    name="elixir",
    aliases=("ex", "exs"),
    suffixes=(".ex", ".exs"),
    filenames=("mix.lock",),
    interpreters=("elixir",),
    grammar=Grammar("tree_sitter_elixir", pack="elixir"),
    skeletons=(
        # In a block `else` and `rescue` are keywords, at the top they are names.
        Skeleton("statement", "x do\n", "\nend"),
        Skeleton("statement"),
        Skeleton("expression", "x = (", ")"),
        Skeleton("member", "defmodule M do\n", "\nend"),
        Skeleton("top"),
        Skeleton("case", "case x do\n", "\nend"),
        Skeleton("clause", "try do\nx\n", "\nend"),
        Skeleton("argument", "f(", ")"),
        Skeleton("pair", "%{", "}"),
    ),
    ellipsis_stand_ins=("{};", "{}: 0", "{} -> 0"),
    capital_names=True,
    line_comments=("#",),
    strings=frozenset({"string"}),
    # A charlist in single quotes is another type.
    quotes=('"',),
    clauses=frozenset({"else_block", "rescue_block", "catch_block", "after_block"}),
    blocks=frozenset(
        {
            "source",
            "do_block",
            "else_block",
            "rescue_block",
            "catch_block",
            "after_block",
            "body",
            "block",
            "anonymous_function",
        }
    ),
    slots=frozenset({"arguments", "map_content"}),
    marked=frozenset({"keywords"}),
    parens=frozenset({"block"}),
    optional_tokens={"arguments": frozenset({"(", ")"})},
    member_names=frozenset({("dot", "right")}),
    unordered=frozenset({"pair"}),
)
