"""Cascading style sheets."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Imports, Language, Skeleton

LANGUAGE = Language(
    name="css",
    suffixes=(".css",),
    grammar=Grammar("tree_sitter_css", pack="css"),
    skeletons=(
        Skeleton("statement"),
        Skeleton("declaration", "a {\n", "\n}"),
        Skeleton("expression", "a { b: ", "; }"),
        Skeleton("top"),
        # A selector, a condition of `@media`, a step of `@keyframes`.
        Skeleton("specifier", "", " {}"),
        Skeleton("clause", "@media ", " {}"),
        Skeleton("case", "@keyframes k {\n", "\n}"),
    ),
    # A declaration, a step of `@keyframes`.
    ellipsis_stand_ins=("{}: x;", "{}: x", "0% {{}}"),
    terminators=(";",),
    comments=frozenset({"comment", "js_comment"}),
    comment_starts=("//", "/*"),
    # The digits of a number are no node of their own, so numbers are compared by their text.
    # Any words are tags below each other.
    prose=frozenset({"tag_name", "descendant_selector", "pseudo_class_selector"}),
    strings=frozenset({"string_value", "integer_value", "float_value", "color_value"}),
    blocks=frozenset({"stylesheet", "block", "keyframe_block_list"}),
    separators=frozenset({","}),
    marked=frozenset({"important"}),
    grouping=("", ""),
    imports=Imports(kinds=frozenset({"import_statement"}), before=frozenset({"charset_statement"})),
    defines=(
        Defines("rule", "rule_set", "selectors"),
        Defines("rule", "keyframes_statement", "keyframes_name", body="keyframe_block_list"),
        Defines(
            "rule",
            "media_statement supports_statement",
            "feature_query|keyword_query|binary_query|parenthesized_query|unary_query|selector_query+",
        ),
        Defines(
            "rule",
            "at_rule",
            "at_keyword|feature_query|keyword_query|binary_query|parenthesized_query|unary_query"
            "|selector_query+",
            where="block",
        ),
    ),
)
