"""Nix."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Language, Skeleton

LANGUAGE = Language(
    name="nix",
    suffixes=(".nix",),
    interpreters=("nix", "nix-shell"),
    grammar=Grammar("tree_sitter_nix", pack="nix"),
    skeletons=(
        Skeleton("expression"),
        # A binding before it, so that several are a part of a set.
        Skeleton("pair", "{ x = 0;\n", "\n}"),
        Skeleton("top"),
        Skeleton("parameter", "{", "}: x"),
    ),
    ellipsis_stand_ins=("{} = 0;",),
    terminators=(";",),
    line_comments=("#",),
    comment_starts=("/*",),
    strings=frozenset({"string_expression"}),
    # Two single quotes open a string with other escapes and its own layout.
    quotes=('"',),
    blocks=frozenset({"binding_set"}),
    slots=frozenset({"inherited_attrs", "binding_set"}),
    parens=frozenset({"parenthesized_expression"}),
    member_names=frozenset(
        {("attrpath", "attr"), ("binding", "attrpath"), ("select_expression", "attrpath"), ("formal", "name")}
    ),
    unordered=frozenset({"binding"}),
    defines=(
        Defines("function", "binding", "@attrpath", where="@expression=function_expression"),
        Defines("key", "binding", "@attrpath", level=True, deepest=2),
    ),
    levels=frozenset(
        {
            "source_code",
            "binding_set",
            "attrset_expression",
            "rec_attrset_expression",
            "let_expression",
            "with_expression",
            "function_expression",
            "apply_expression",
            "parenthesized_expression",
        }
    ),
)
