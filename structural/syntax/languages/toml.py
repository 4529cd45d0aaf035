"""TOML."""

from __future__ import annotations

from structural.syntax.language import Defines, Grammar, Language, Skeleton

LANGUAGE = Language(
    name="toml",
    suffixes=(".toml",),
    filenames=("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile", "pdm.lock"),
    grammar=Grammar("tree_sitter_toml", pack="toml"),
    skeletons=(
        # A pair behind it, so that a header alone is a part of a table.
        Skeleton("statement", "", "\nx = 0\n"),
        Skeleton("expression", "x = ", "\n"),
        Skeleton("top", "", "\n"),
        Skeleton("pair", "x = {", "}\n"),
        Skeleton("key", "", " = 0\n"),
    ),
    # A name is a key; as a value it needs quotes.
    stand_ins=("{}", '"{}"'),
    ellipsis_stand_ins=("{} = 0",),
    operators=(),
    terminator_tokens=frozenset(),
    # What stands between the quotes is no node of its own.
    line_comments=("#",),
    strings=frozenset({"string", "quoted_key"}),
    quotes=('"""', "'''", '"', "'"),
    blocks=frozenset({"document", "table", "table_array_element"}),
    unordered=frozenset({"pair"}),
    grouping=("", ""),
    defines=(
        Defines("section", "table table_array_element", "bare_key|dotted_key|quoted_key!", body="pair!"),
        Defines("key", "pair", "bare_key|dotted_key|quoted_key!", level=True),
    ),
    levels=frozenset({"document"}),
)
