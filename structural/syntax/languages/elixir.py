"""Elixir."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

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
    imports=Imports(
        texts=r"(?:use|import|alias|require)\b",
        texts_before=r"@(?:moduledoc|behaviour|shortdoc)\b",
        around="call/do_block",
    ),
    defines=(
        Defines("module", "call", "arguments/alias!", word="@target", words="defmodule", body="do_block"),
        Defines(
            "interface", "call", "arguments/alias!", word="@target", words="defprotocol", body="do_block"
        ),
        Defines("impl", "call", "arguments/alias!", word="@target", words="defimpl", body="do_block"),
        Defines(
            "function",
            "call",
            "arguments/call|identifier|binary_operator!/@left*/@target*",
            word="@target",
            words="def defp defdelegate",
            body="do_block",
            joined="arguments/call|identifier|binary_operator!/@left*/arguments",
        ),
        Defines(
            "macro",
            "call",
            "arguments/call|identifier|binary_operator!/@left*/@target*",
            word="@target",
            words="defmacro defmacrop defguard defguardp",
            body="do_block",
            joined="arguments/call|identifier|binary_operator!/@left*/arguments",
        ),
        Defines(
            "type",
            "call",
            "arguments/binary_operator/@left*/@target*",
            word="@target",
            words="type typep opaque",
            inside="unary_operator",
        ),
        Defines(
            "method",
            "call",
            "arguments/binary_operator/@left*/@target*",
            word="@target",
            words="callback macrocallback",
            inside="unary_operator",
        ),
        Defines("struct", "call", "@target", word="@target", words="defstruct defexception"),
        Defines(
            "test",
            "call",
            "arguments/string!",
            word="@target",
            words="test describe",
            where="do_block",
            body="do_block",
        ),
    ),
    wrappers=frozenset({"unary_operator"}),
)
