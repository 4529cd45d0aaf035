"""HCL: Terraform and its relatives."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Language, Skeleton

LANGUAGE = Language(
    name="hcl",
    aliases=("tf", "terraform", "tfvars", "opentofu", "tofu"),
    suffixes=(".hcl", ".tf", ".tfvars", ".tofu", ".nomad"),
    grammar=Grammar("tree_sitter_hcl", pack="hcl"),
    skeletons=(
        # An item before it, so that several items are a part of a body.
        Skeleton("statement", "x {}\n", "\n"),
        Skeleton("expression", "x = ", "\n"),
        Skeleton("top", "", "\n"),
        Skeleton("pair", "x = {\n", "\n}\n"),
        Skeleton("argument", "x = f(", ")\n"),
    ),
    ellipsis_stand_ins=("{} = 0",),
    operators=("+",),
    terminator_tokens=frozenset(),
    line_comments=("#", "//"),
    comment_starts=("/*",),
    strings=frozenset({"string_lit"}),
    quotes=('"',),
    blocks=frozenset({"config_file", "body"}),
    slots=frozenset({"function_arguments"}),
    marked=frozenset({"ellipsis"}),
    # `a = 1` in a block and in an object.
    twins=(frozenset({"attribute", "object_elem"}),),
    unordered=frozenset({"attribute", "object_elem"}),
    spliced=frozenset({"expression"}),
    defines=(
        Defines("block", "block", "string_lit&", body="block_start"),
        Defines("block", "block", "identifier!", body="block_start"),
        Defines("key", "attribute", "identifier!", deepest=1),
        Defines("key", "attribute", "identifier!", word="../../identifier!", words="locals"),
    ),
)
