"""YAML."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Language, Skeleton

LANGUAGE = Language(
    name="yaml",
    # The scanner keeps levels of indentation in a buffer of fixed size and writes over its end.
    unsafe=r"^[ ]{200}[ ]*[^ \n]|(?:[-?:][ ]+){100}",
    aliases=("yml",),
    suffixes=(".yaml", ".yml"),
    filenames=(".clang-format", ".clang-tidy", ".clangd", ".gemrc", ".yamllint", "CITATION.cff"),
    grammar=Grammar("tree_sitter_yaml", pack="yaml"),
    skeletons=(
        # An item before it, so that several items are a part of a mapping or list.
        Skeleton("statement", "x: y\n", "\n"),
        Skeleton("statement", "- x\n", "\n"),
        Skeleton("statement", "", "\n"),
        Skeleton("top", "", "\n"),
    ),
    ellipsis_stand_ins=("{}: x", "- {}"),
    operators=(),
    terminator_tokens=frozenset(),
    # What stands inside these is no node of its own.
    # Any words are a scalar.
    prose=frozenset({"string_scalar", "plain_scalar", "flow_node", "comment"}),
    line_comments=("#",),
    strings=frozenset({"double_quote_scalar", "single_quote_scalar", "block_scalar"}),
    flowing=frozenset(
        {"double_quote_scalar", "single_quote_scalar", "block_scalar", "string_scalar", "plain_scalar"}
    ),
    blocks=frozenset({"stream", "document", "block_mapping", "block_sequence"}),
    twins=(frozenset({"block_mapping_pair", "flow_pair"}),),
    member_names=frozenset({("block_mapping_pair", "key"), ("flow_pair", "key")}),
    unordered=frozenset({"block_mapping_pair", "flow_pair"}),
    grouping=("", ""),
    defines=(Defines("key", "block_mapping_pair flow_pair", "@key", level=True, deepest=2),),
    levels=frozenset({"stream", "document", "block_node", "block_mapping", "flow_node", "flow_mapping"}),
)
